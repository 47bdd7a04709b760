//! The frame of each page: head, search, the ways to all areas and guides.

use maud::{DOCTYPE, Markup, html};

use super::articles::Articles;
use super::catalogue::Catalogue;

/// What a page says about itself.
#[derive(Clone, Copy)]
pub(crate) struct Head<'a> {
    pub(crate) title: &'a str,
    /// Its address, without the slash before it.
    pub(crate) page: &'a str,
    /// The address of its area, where it is a part of one.
    pub(crate) area: &'a str,
}

impl<'a> Head<'a> {
    pub(crate) fn new(title: &'a str, page: &'a str) -> Self {
        Self { title, page, area: page }
    }
}

/// The way from a page to the top of the service: empty, or `../` some times.
pub(crate) fn root_from(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

/// What all pages have around their content.
pub(crate) struct Frame<'a> {
    pub(crate) version: &'a str,
    pub(crate) catalogue: &'a Catalogue<'a>,
    pub(crate) articles: &'a Articles,
}

impl Frame<'_> {
    /// The text of a page. Links within it stand as from the top of the service, and get the way there before them.
    pub(crate) fn page(&self, head: Head<'_>, content: &Markup) -> String {
        let root = root_from(head.page);
        let page = html! {
            (DOCTYPE)
            html lang="en" data-root=(root) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { @if !head.title.is_empty() { (head.title) " – " } "Lectern" }
                    link rel="stylesheet" href={ (root) "docs/reference.css" };
                    script src={ (root) "docs/reference.js" } defer {}
                }
                body {
                    a.skip href="#content" { "Skip to the content" }
                    header {
                        a.brand href=(if root.is_empty() { "./" } else { root.as_str() }) { "Lectern" }
                        a.version href={ (root) "docs" } { "API " (self.version) }
                        div #search {}
                        a.menu href="#ways" { "Contents" }
                    }
                    div.layout {
                        main #content tabindex="-1" { (content) }
                        (self.ways(&root, head))
                    }
                }
            }
        };
        // A line for each operation and record keeps changes readable.
        page.into_string().replace("<article", "\n<article").replace("<section", "\n<section") + "\n"
    }

    /// The ways to all guides and areas.
    fn ways(&self, root: &str, head: Head<'_>) -> Markup {
        let way = |page: &str, title: &str| {
            let current = (page == head.page || page == head.area).then_some("page");
            html! { li { a href={ (root) (page) } aria-current=[current] { (title) } } }
        };
        html! {
            nav #ways aria-label="Contents" {
                ul { (way("docs", "All operations")) }
                p { "Guides" }
                ul { @for guide in &self.articles.guides { (way(&guide.page, &guide.short)) } }
                p { "Areas" }
                ul {
                    @for area in &self.catalogue.areas {
                        (way(&area.page, &area.title))
                    }
                }
                p { "What holds" }
                ul {
                    @for article in self.articles.contract.iter().take(1).chain([&self.articles.quirks]) {
                        (way(&article.page, &article.short))
                    }
                }
                p { "For programs" }
                ul { li { a href={ (root) "openapi.json" } { "openapi.json" } } }
            }
        }
    }
}
