//! The articles of `docs` that clients read, as pages: guides, the contract, and what is odd. What stands in back-ticks and names
//! an operation, by its id or by its method and path, leads to it.

use std::path::{Path, PathBuf};

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

/// The folder of the contract, and the address of the page that leads to the others.
const CONTRACT: &str = "docs/contract";

/// All articles.
pub(crate) struct Articles {
    /// In the order in which they are read.
    pub(crate) guides: Vec<Article>,
    /// The page that leads to the others, and these by their names.
    pub(crate) contract: Vec<Article>,
    pub(crate) quirks: Article,
}

/// A text with headings.
pub(crate) struct Article {
    /// The file in the repository.
    source: String,
    /// Its address, without the slash before it.
    pub(crate) page: String,
    /// Its first heading.
    pub(crate) title: String,
    /// A title for lists: what stands before a colon.
    pub(crate) short: String,
    /// Its first paragraph.
    pub(crate) about: String,
    markdown: String,
}

impl Articles {
    /// Reads them from the repository.
    pub(crate) fn read() -> Result<Self> {
        let guides = names("docs/guides")?;
        if guides.len() != ORDER.len() {
            bail!("docs/guides has {} files, of which {} are guides: name them in `ORDER`", guides.len(), ORDER.len());
        }
        let guide = |name: &&str| Article::read(&format!("docs/guides/{name}.md"), format!("docs/guides/{name}"));
        let of_contract = |name: &String| {
            let page = if name == "README" { CONTRACT.to_owned() } else { format!("{CONTRACT}/{name}") };
            Article::read(&format!("{CONTRACT}/{name}.md"), page)
        };
        Ok(Self {
            guides: ORDER.iter().map(guide).collect::<Result<_>>()?,
            contract: names(CONTRACT)?.iter().map(of_contract).collect::<Result<_>>()?,
            quirks: Article::read("docs/QUIRKS.md", "docs/quirks".to_owned())?,
        })
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Article> {
        self.guides.iter().chain(&self.contract).chain([&self.quirks])
    }

    /// What an area promises.
    pub(crate) fn contract_of(&self, area: &str) -> Option<&Article> {
        let page = format!("{CONTRACT}/{area}");
        self.contract.iter().find(|article| article.page == page)
    }

    /// The address, on the page of `from`, to which one of its links leads: another article, or a file of the repository.
    fn address(&self, from: &Article, link: &str) -> String {
        if link.starts_with('#') || link.contains(':') {
            return link.to_owned();
        }
        let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
        let fragment = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
        let file = followed(&from.source, file);
        match self.all().find(|article| article.source == file) {
            Some(article) => format!("{}{}{fragment}", root_from(&from.page), article.page),
            None => format!("{}/blob/main/{file}{fragment}", env!("CARGO_PKG_REPOSITORY")),
        }
    }
}

/// The names of the files in a folder of the repository, the page that leads to the others first.
fn names(folder: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in std::fs::read_dir(repository().join(folder)).with_context(|| format!("cannot read {folder}"))? {
        let name = file?.file_name();
        names.extend(name.to_str().and_then(|name| name.strip_suffix(".md")).map(str::to_owned));
    }
    names.sort_by_key(|name| (name != "README", name.clone()));
    Ok(names)
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The file to which a relative link in that file leads.
fn followed(from: &str, link: &str) -> String {
    let mut place: Vec<_> = from.split('/').collect();
    place.pop();
    for segment in link.split('/') {
        match segment {
            "." => {}
            ".." => _ = place.pop(),
            name => place.push(name),
        }
    }
    place.join("/")
}

impl Article {
    fn read(source: &str, page: String) -> Result<Self> {
        let markdown =
            std::fs::read_to_string(repository().join(source)).with_context(|| format!("cannot read {source}"))?;
        Self::new(source, page, markdown).with_context(|| format!("{source} has no heading or no paragraph below it"))
    }

    fn new(source: &str, page: String, markdown: String) -> Option<Self> {
        let (heading, rest) = markdown.strip_prefix("# ")?.split_once("\n\n")?;
        let about = plain(rest.split("\n\n").next()?);
        let title = heading.to_owned();
        let short = title.split(':').next().unwrap_or_default().to_owned();
        Some(Self { source: source.to_owned(), page, title, short, about, markdown })
    }

    fn events(&self) -> Parser<'_> {
        Parser::new_ext(&self.markdown, Options::ENABLE_TABLES)
    }

    /// The headings below the title, each with the name of its place, which no other has.
    pub(crate) fn headings(&self) -> Vec<(String, String)> {
        let mut headings: Vec<(String, String)> = Vec::new();
        let mut open: Option<String> = None;
        for event in self.events() {
            match event {
                Event::Start(Tag::Heading { level, .. }) if level != HeadingLevel::H1 => open = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    if let Some(title) = open.take() {
                        let same = headings.iter().filter(|(_, earlier)| place(earlier) == place(&title)).count();
                        let number = if same == 0 { String::new() } else { format!("-{same}") };
                        headings.push((format!("{}{number}", place(&title)), title));
                    }
                }
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
    pub(crate) fn content(&self, catalogue: &Catalogue<'_>, articles: &Articles) -> Markup {
        let root = root_from(&self.page);
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
                vec![Event::Start(Tag::Link {
                    link_type,
                    dest_url: articles.address(self, &dest_url).into(),
                    title,
                    id,
                })]
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

/// The words of a paragraph, without its marks and links.
fn plain(paragraph: &str) -> String {
    let words = Parser::new(paragraph).filter_map(|event| match event {
        Event::Text(words) | Event::Code(words) => Some(words.into_string()),
        Event::SoftBreak | Event::HardBreak => Some(" ".to_owned()),
        _ => None,
    });
    words.collect()
}

/// The name of a heading's place: its words in small letters, as links in Markdown name it.
fn place(title: &str) -> String {
    let title = title.replace(['\'', '’'], "");
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn article(source: &str, page: &str, markdown: &str) -> Article {
        Article::new(source, page.to_owned(), markdown.to_owned()).unwrap()
    }

    #[test]
    fn links_lead_to_articles_and_files() {
        let guide = |name| article(&format!("docs/guides/{name}.md"), &format!("docs/guides/{name}"), "# A\n\nB\n");
        let articles = Articles {
            guides: vec![guide("paging"), guide("uploads")],
            contract: vec![article("docs/contract/files.md", "docs/contract/files", "# A\n\nB\n")],
            quirks: article("docs/QUIRKS.md", "docs/quirks", "# A\n\nB\n"),
        };
        let address = |link| articles.address(&articles.guides[0], link);
        assert_eq!(address("uploads.md#bookmarks"), "../../docs/guides/uploads#bookmarks");
        assert_eq!(address("#below"), "#below");
        assert_eq!(address("../contract/files.md#uploads"), "../../docs/contract/files#uploads");
        assert_eq!(address("../QUIRKS.md"), "../../docs/quirks");
        assert_eq!(address("./uploads.md"), "../../docs/guides/uploads");
        assert_eq!(address("mailto:lms@example.edu"), "mailto:lms@example.edu");
        assert!(address("../../README.md").ends_with("/blob/main/README.md"));
        assert!(address("../OPERATIONS.md#state").ends_with("/blob/main/docs/OPERATIONS.md#state"));
    }

    #[test]
    fn headings_of_the_same_words_have_places_of_their_own() {
        let text = article("docs/QUIRKS.md", "docs/quirks", "# A\n\nB\n\n## Errors\n\n## Errors\n");
        let places: Vec<_> = text.headings().into_iter().map(|(place, _)| place).collect();
        assert_eq!(places, ["errors", "errors-1"]);
    }

    #[test]
    fn what_names_an_operation_leads_to_it() {
        let description = json!({
            "tags": [{ "name": "polls" }],
            "paths": { "/polls/{id}": { "get": { "tags": ["polls"], "operationId": "get_poll" } } },
        });
        let catalogue = Catalogue::new(&description);
        let text = "# Polls: a guide\n\nAll [about](polls.md)\n`polls`.\n\n## To `read`\n\n`GET /polls/:id` or `get_poll`, `<b>`.\n";
        let guide = article("docs/guides/paging.md", "docs/guides/paging", text);
        assert_eq!((guide.short.as_str(), guide.about.as_str()), ("Polls", "All about polls."));
        assert_eq!(guide.headings(), [("to-read".to_owned(), "To read".to_owned())]);
        let page = guide.content(&catalogue, &Articles::read().unwrap()).into_string();
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
        for guide in Articles::read().unwrap().guides {
            for event in guide.events() {
                if let Event::Code(words) = event {
                    let is_operation =
                        ["GET /", "POST /", "PUT /", "PATCH /", "DELETE /"].iter().any(|m| words.starts_with(m));
                    let is_ours = is_operation && !words.contains(" /sandbox");
                    if is_ours && catalogue.address(&words).is_none() {
                        wrong.push(format!("{}: {words}", guide.page));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
