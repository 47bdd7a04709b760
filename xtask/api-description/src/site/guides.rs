//! The guides of `docs/guides`, as pages. What stands in back-ticks and names an operation, by its id or by its method
//! and path, leads to it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

use super::catalogue::Catalogue;
use super::frame::root_from;

/// The guides in the order in which they are read.
const ORDER: [&str; 12] = [
    "getting-a-token",
    "oauth",
    "paging",
    "uploads",
    "errors-and-limits",
    "webhooks",
    "imports",
    "badges",
    "moving-from-canvas",
    "clients",
    "sandbox",
    "sandbox-in-tests",
];

/// A guide.
pub(crate) struct Guide {
    name: String,
    /// Its first heading.
    pub(crate) title: String,
    /// A title for lists: what stands before a colon.
    pub(crate) short: String,
    /// Its first paragraph.
    pub(crate) about: String,
    markdown: String,
}

/// The guides as they lie in the repository.
pub(crate) fn read() -> Result<Vec<Guide>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides");
    let count = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?.count();
    if count != ORDER.len() {
        bail!("{} has {count} files, of which {} are guides: name them in `ORDER`", folder.display(), ORDER.len());
    }
    let read = |name: &&str| {
        let path = folder.join(name).with_added_extension("md");
        let markdown = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Guide::new(name, markdown).with_context(|| format!("{name} has no heading or no paragraph below it"))
    };
    ORDER.iter().map(read).collect()
}

impl Guide {
    fn new(name: &str, markdown: String) -> Option<Self> {
        let (heading, rest) = markdown.strip_prefix("# ")?.split_once("\n\n")?;
        let about = rest.split("\n\n").next()?.replace('\n', " ").replace('`', "");
        let (title, name) = (heading.to_owned(), name.to_owned());
        let short = title.split(':').next().unwrap_or_default().to_owned();
        Some(Self { name, title, short, about, markdown })
    }

    /// Its address, without the slash before it.
    pub(crate) fn page(&self) -> String {
        format!("docs/guides/{}", self.name)
    }

    fn events(&self) -> Parser<'_> {
        Parser::new_ext(&self.markdown, Options::ENABLE_TABLES)
    }

    /// The headings below the title, each with the name of its place.
    pub(crate) fn headings(&self) -> Vec<(String, String)> {
        let mut headings = Vec::new();
        let mut open: Option<String> = None;
        for event in self.events() {
            match event {
                Event::Start(Tag::Heading { level, .. }) if level != HeadingLevel::H1 => open = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => headings.extend(open.take().map(|title| (place(&title), title))),
                Event::Text(words) | Event::Code(words) => {
                    if let Some(title) = &mut open {
                        title.push_str(&words);
                    }
                }
                _ => {}
            }
        }
        headings
    }

    /// The content of its page.
    pub(crate) fn content(&self, catalogue: &Catalogue<'_>) -> Markup {
        let root = root_from(&self.page());
        let mut places = self.headings().into_iter().map(|(place, _)| place);
        let mut place = None;
        let mut is_link = false;
        let events = self.events().flat_map(|event| match event {
            Event::Start(Tag::Heading { level, classes, attrs, .. }) if level != HeadingLevel::H1 => {
                place = places.next();
                let id = place.clone().map(CowStr::from);
                vec![Event::Start(Tag::Heading { level, id, classes, attrs })]
            }
            Event::End(TagEnd::Heading(level)) => {
                let anchor = place.take().map(|place| {
                    let link = format!(" <a class=\"anchor\" href=\"#{place}\" aria-label=\"Link to this part\">#</a>");
                    Event::InlineHtml(link.into())
                });
                anchor.into_iter().chain([Event::End(TagEnd::Heading(level))]).collect()
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                is_link = true;
                vec![Event::Start(Tag::Link { link_type, dest_url: address(&dest_url).into(), title, id })]
            }
            Event::End(TagEnd::Link) => {
                is_link = false;
                vec![Event::End(TagEnd::Link)]
            }
            Event::Code(words) if !is_link => match catalogue.address(&words) {
                Some(address) => {
                    let code = html! { a href={ (root) (address) } { code { (&*words) } } };
                    vec![Event::InlineHtml(code.into_string().into())]
                }
                None => vec![Event::Code(words)],
            },
            Event::Start(Tag::Table(alignments)) => {
                let scroll =
                    Event::Html("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">".into());
                vec![scroll, Event::Start(Tag::Table(alignments))]
            }
            Event::End(TagEnd::Table) => vec![Event::End(TagEnd::Table), Event::Html("</div>".into())],
            other => vec![other],
        });
        let mut text = String::new();
        push_html(&mut text, events);
        html! { div.guide { (PreEscaped(text.replace("<pre>", "<pre tabindex=\"0\">"))) } }
    }
}

/// The address to which a link of a guide leads: another guide, the description, or a file of the repository.
fn address(link: &str) -> String {
    if link.starts_with("https://") || link.starts_with('#') {
        return link.to_owned();
    }
    let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
    let fragment = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
    match file.strip_suffix(".md").filter(|name| ORDER.contains(name)) {
        Some(name) => format!("{name}{fragment}"),
        None => {
            let file = file.trim_start_matches("../");
            let folder = if link.starts_with("../../") { "" } else { "docs/" };
            format!("{}/blob/main/{folder}{file}{fragment}", env!("CARGO_PKG_REPOSITORY"))
        }
    }
}

/// The name of a heading's place: its words in small letters.
fn place(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn links_lead_to_guides_and_files() {
        assert_eq!(address("paging.md#bookmarks"), "paging#bookmarks");
        assert_eq!(address("#below"), "#below");
        assert!(address("../contract/files.md#uploads").ends_with("/blob/main/docs/contract/files.md#uploads"));
        assert!(address("../../README.md").ends_with("/blob/main/README.md"));
    }

    #[test]
    fn what_names_an_operation_leads_to_it() {
        let description = json!({
            "tags": [{ "name": "polls" }],
            "paths": { "/polls/{id}": { "get": { "tags": ["polls"], "operationId": "get_poll" } } },
        });
        let catalogue = Catalogue::new(&description);
        let text = "# Polls: a guide\n\nAll about `polls`.\n\n## To `read`\n\n`GET /polls/:id` or `get_poll`, `<b>`.\n";
        let guide = Guide::new("paging", text.to_owned()).unwrap();
        assert_eq!((guide.short.as_str(), guide.about.as_str()), ("Polls", "All about polls."));
        assert_eq!(guide.headings(), [("to-read".to_owned(), "To read".to_owned())]);
        let page = guide.content(&catalogue).into_string();
        for part in [
            "<a href=\"../../docs/polls#get_poll\"><code>GET /polls/:id</code></a>",
            "<a href=\"../../docs/polls#get_poll\"><code>get_poll</code></a>, <code>&lt;b&gt;</code>",
            "<h2 id=\"to-read\">To <code>read</code> <a class=\"anchor\" href=\"#to-read\"",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }

    /// A method and a path in back-ticks is an operation; a guide that names one that is not there is wrong. The sandbox is no
    /// part of the application.
    #[test]
    fn guides_name_operations_that_are_there() {
        let description = crate::description().unwrap();
        let catalogue = Catalogue::new(&description);
        let mut wrong = Vec::new();
        for guide in read().unwrap() {
            for event in guide.events() {
                if let Event::Code(words) = event {
                    let is_operation =
                        ["GET /", "POST /", "PUT /", "PATCH /", "DELETE /"].iter().any(|m| words.starts_with(m));
                    let is_ours = is_operation && !words.contains(" /sandbox");
                    if is_ours && catalogue.address(&words).is_none() {
                        wrong.push(format!("{}: {words}", guide.name));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
