//! The pages for people: what the description says, the guides and the contract. They are files with relative links alone, so that
//! they work wherever the service lies; what they need beside them is one style sheet, one script and the list for the
//! search.

mod area;
mod articles;
mod canvasapi;
mod catalogue;
mod fields;
mod frame;
mod index;
mod operation;
mod samples;
pub(crate) mod schema;
mod search;
mod webhook;

use serde_json::Value;

use crate::members::text;
use catalogue::Catalogue;
use frame::{Frame, Head};

pub(crate) use articles::Articles;

/// A file of the site: its path, and its text.
pub(crate) type SiteFile = (String, String);

/// All files of the site.
pub(crate) fn files(description: &Value, articles: &Articles) -> Vec<SiteFile> {
    let catalogue = Catalogue::new(description);
    let frame = Frame { version: text(description.pointer("/info/version")), catalogue: &catalogue, articles };
    let mut files = vec![
        ("index.html".to_owned(), frame.page(Head::new("", ""), &index::front(articles))),
        ("docs.html".to_owned(), frame.page(Head::new("Reference", "docs"), &index::reference(&frame))),
        ("docs/reference.css".to_owned(), include_str!("site/reference.css").to_owned()),
        ("docs/reference.js".to_owned(), include_str!("site/reference.js").to_owned()),
        ("docs/search.json".to_owned(), search::list(&catalogue, articles)),
    ];
    for area in &catalogue.areas {
        if area.has_parts() {
            let head = Head::new(&area.title, &area.page);
            files.push((format!("{}.html", area.page), frame.page(head, &area::overview(area, articles))));
        }
        for part in &area.parts {
            let head = Head { title: &part.title, page: &part.page, area: &area.page };
            files
                .push((format!("{}.html", part.page), frame.page(head, &area::page(&catalogue, area, part, articles))));
        }
    }
    for article in articles.all() {
        let content = article.content(&catalogue, articles);
        files.push((format!("{}.html", article.page), frame.page(Head::new(&article.title, &article.page), &content)));
    }
    files
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn site() -> BTreeMap<String, String> {
        let description = crate::description().unwrap();
        files(&description, &Articles::read().unwrap()).into_iter().collect()
    }

    /// The values of an attribute in a page.
    fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
        let start = format!(" {attribute}=\"");
        page.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    /// The address to which a relative link on the page of that address leads, without a fragment.
    fn followed(page: &str, link: &str) -> String {
        let mut place: Vec<_> = page.split('/').collect();
        place.pop();
        for segment in link.split('#').next().unwrap().split('/') {
            match segment {
                "." | "" => {}
                ".." => assert!(place.pop().is_some(), "{page} leads to {link}, which lies above the service"),
                name => place.push(name),
            }
        }
        place.join("/")
    }

    #[test]
    fn every_link_leads_to_a_page_or_to_a_place_on_one() {
        let site = site();
        let pages: BTreeMap<_, _> = site
            .iter()
            .filter_map(|(path, text)| Some((path.strip_suffix(".html")?, text)))
            .map(|(name, text)| (if name == "index" { "" } else { name }, text))
            .collect();
        let mut wrong = Vec::new();
        for (name, text) in &pages {
            for link in values(text, "href").into_iter().chain(values(text, "src")) {
                if link.starts_with("https://") {
                    continue;
                }
                assert!(!link.starts_with('/') && !link.contains(':'), "{name}: {link} is not relative");
                let address = if link.starts_with('#') { (*name).to_owned() } else { followed(name, link) };
                let fragment = link.split_once('#').map(|(_, fragment)| fragment);
                let target = pages.get(address.as_str());
                let is_file = site.contains_key(&address) || ["openapi.json", "home"].contains(&address.as_str());
                let has_place = match (target, fragment) {
                    (Some(page), Some(fragment)) => page.contains(&format!("id=\"{fragment}\"")),
                    (target, _) => target.is_some() || is_file,
                };
                if !has_place {
                    wrong.push(format!("{name}: {link}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn pages_have_no_script_and_no_style_of_their_own() {
        for (name, text) in site().iter().filter(|(name, _)| name.ends_with(".html")) {
            assert_eq!(text.matches("<script").count(), text.matches("<script src=").count(), "{name}");
            assert!(!text.contains("<style") && !text.contains(" style=\"") && !text.contains(" onclick="), "{name}");
            let ids = values(text, "id");
            let mut seen = BTreeSet::new();
            let twice: Vec<_> = ids.into_iter().filter(|id| !seen.insert(*id)).collect();
            assert!(twice.is_empty(), "{name}: {twice:?} occur twice");
            assert_eq!(text.matches("<h1").count(), 1, "{name}");
        }
    }

    #[test]
    fn every_operation_stands_on_one_page_and_in_the_search() {
        let site = site();
        let list = &site["docs/search.json"];
        for id in crate::areas().iter().flat_map(|area| area.endpoints().iter().map(|endpoint| endpoint.id)) {
            let place = format!("<article id=\"{id}\"");
            assert_eq!(site.values().filter(|page| page.contains(&place)).count(), 1, "{id}");
            assert!(list.contains(&format!("#{id}\"")), "{id}");
        }
    }

    /// A telephone loads a page within a moment.
    #[test]
    fn pages_are_small() {
        for (name, text) in site() {
            assert!(text.len() < 250_000, "{name} has {} bytes", text.len());
        }
    }
}
