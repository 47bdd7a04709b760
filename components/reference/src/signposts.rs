//! Signposts: what a person sees who opens the address of a record (`html_url`, the link of a message) where no front
//! end stands before the service.
//!
//! They say what stands at the address, and how a program reads it. They are made from the address alone: whether the
//! record is there is told to nobody.

use http::header::{ACCEPT, VARY};
use maud::html;
use shared::html::{Page, Width};
use shared::session::HOME_PATH;
use shared::texts::{Text, page as page_texts, signpost as texts};
use shared::{Context, Error, Reply, Result, accept};

/// The longest id, or name of a page, that is taken for one.
const MAX_ID_BYTES: usize = 255;

/// The place of a record in the API and in the reference.
pub(crate) struct Signpost {
    /// What it is, as `Assignment`.
    pub(crate) what: Text,
    /// Whether it is the list of a course.
    pub(crate) is_list: bool,
    /// Where programs read it, without `/api/v1`.
    pub(crate) path: String,
    /// The operation that reads it: the address of its description, from the root.
    pub(crate) operation: &'static str,
}

impl Signpost {
    /// The page, for who would rather have one than JSON. To others nothing is there.
    pub(crate) fn show(&self, cx: &Context) -> Result<Reply> {
        self.show_with_way(cx, None)
    }

    /// The same with the way to a page that Lectern has for some of these records: in words, and its address behind the record's.
    pub(crate) fn show_with_way(&self, cx: &Context, way: Option<(Text, &str)>) -> Result<Reply> {
        let ids = self.path.split('/').skip(2).step_by(2);
        if !accept::prefers_page(cx.header(ACCEPT).unwrap_or_default()) || !ids.into_iter().all(is_id) {
            return Err(Error::not_found());
        }
        let Self { what, is_list, path, operation } = self;
        let language = cx.language();
        let say = |text: Text| text.get(language);
        let title = match is_list {
            true => texts::LIST_OF_COURSE.fill(language, &[("kind", &say(*what))]),
            false => say(*what).to_owned(),
        };
        let root = "../".repeat(cx.path().matches('/').count().saturating_sub(1));
        let page = Page { title: &title, width: Width::Text, ..Page::of(cx) };
        let content = html! {
            h1 { (title) }
            p { (say(texts::EXPLANATION)) }
            @if let Some((words, rest)) = way { p { a href={ (root) (path.trim_start_matches('/')) (rest) } { (say(words)) } } }
            p { a href={ (root) (HOME_PATH.trim_start_matches('/')) } { (say(page_texts::TO_HOME)) } }
            p { (say(texts::READ_AT)) }
            p { code { "GET /api/v1" (path) } }
            ul {
                li { a href={ (root) (operation) } { (say(texts::OPERATION)) } }
                li { a href={ (root) "docs/guides/getting-a-token" } { (say(texts::TOKEN)) } }
                li { a href={ (root) "docs" } { (say(texts::ALL_OF_API)) } }
            }
        };
        Ok(page.show(&content).header(VARY, "Accept, Accept-Language"))
    }
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_ID_BYTES && !id.contains(char::is_control)
}
