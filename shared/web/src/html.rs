//! The pages that people see: one look, light and dark, on a phone and on paper, with nothing from elsewhere.

use std::borrow::Cow;

use http::StatusCode;
use http::header::{CONTENT_LANGUAGE, CONTENT_SECURITY_POLICY, VARY};
pub use maud::Markup;
use maud::{DOCTYPE, PreEscaped, Render, html};
use texts::{Language, Part, Text, frame, page};
use types::clock::Timestamp;

use crate::accept::Reader;
use crate::caller::SignedIn;
use crate::context::Context;
use crate::error::{Error, Explanation, Kind, WayOn};
use crate::error_format::{self, ErrorFormat, RenderedError};
use crate::reply::{Reply, UntypedReply};
use crate::secrets;
use crate::session::{FORM_TOKEN, HOME_PATH};

/// How a page is announced.
pub const CONTENT_TYPE: &str = "text/html; charset=utf-8";

const STYLE: &str = include_str!("html.css");

/// The name of the element with what a page shows, to which those who use a keyboard go past the frame.
const CONTENT: &str = "content";

/// The width of a page's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Width {
    /// For a form.
    Narrow,
    /// For text.
    #[default]
    Text,
    /// For tables.
    Wide,
    /// For a projector: all of the screen.
    Screen,
}

/// The pages that all who are signed in have, beside their home.
const PLACES: [(&str, Text); 3] =
    [("/polls", frame::POLLS), ("/join", frame::JOIN_POLL), ("/backpack", frame::BACKPACK)];

/// A page, without what it shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Page<'a> {
    /// The language of what it shows.
    pub language: Language,
    /// The title in the browser's tab, before our name; empty: our name alone.
    pub title: &'a str,
    /// The width of the text.
    pub width: Width,
    /// Rules of style that this page has beyond those of all pages.
    pub style: &'a str,
    /// The page's script. It may call our own addresses and nobody else's.
    pub script: Option<&'a str>,
    /// Further content of the head, such as metadata for those who share the page.
    pub head: Option<&'a Markup>,
    /// The addresses to which its forms may lead, as the content security policy says it; empty: nowhere.
    pub forms_to: &'a str,
    /// The addresses from which its images may come, as the policy says it; empty: from nowhere.
    pub images_from: &'a str,
    /// Who is signed in: the page has their name, the way to other pages and the log-out above.
    pub signed_in: Option<&'a SignedIn>,
}

/// A table of that name. Where it is wider than the page it is moved to the side, by keyboard too, and shadows at its edges
/// tell that there is more.
pub fn table(name: &str, columns: &[&str], rows: &Markup) -> Markup {
    html! {
        div class="scroll" role="region" tabindex="0" aria-label=(name) { table {
            thead { tr { @for column in columns { th scope="col" { (column) } } } }
            tbody { (rows) }
        } }
    }
}

/// A field of a form that nobody sees.
pub fn hidden_field(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

/// A moment, in UTC.
pub fn moment(moment: Timestamp) -> Markup {
    let text = moment.to_string();
    html! { time datetime=(text) { (text.replace('T', " ").replace('Z', " UTC")) } }
}

impl<'a> Page<'a> {
    /// A page for who asks for it: in that one's language, and with the frame where that one is signed in.
    pub fn of(cx: &'a Context) -> Self {
        Self { language: cx.language(), signed_in: cx.signed_in(), ..Self::default() }
    }

    /// The page with that content.
    pub fn show(&self, content: &Markup) -> Reply {
        Reply::bytes(CONTENT_TYPE, self.document(content))
            .header(CONTENT_SECURITY_POLICY, &self.policy(&self.style()))
            .header(CONTENT_LANGUAGE, self.language.tag())
            .header(VARY, "Accept-Language")
    }

    /// The text of the page with that content.
    fn document(&self, content: &Markup) -> String {
        let class = match self.width {
            Width::Narrow => "narrow",
            Width::Text => "text",
            Width::Wide => "wide",
            Width::Screen => "screen",
        };
        let page = html! {
            (DOCTYPE)
            html lang=(self.language.tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { @if !self.title.is_empty() { (self.title) " – " } "Lectern" }
                    @if let Some(head) = self.head { (head) }
                    style { (PreEscaped(self.style())) }
                }
                body class=(class) {
                    @if let Some(signed_in) = self.signed_in { (frame(signed_in, self.language)) }
                    main id=(CONTENT) tabindex="-1" { (content) }
                    @if let Some(script) = self.script { script { (PreEscaped(script)) } }
                }
            }
        };
        page.into_string()
    }

    fn style(&self) -> Cow<'static, str> {
        if self.style.is_empty() { Cow::Borrowed(STYLE) } else { Cow::Owned(format!("{STYLE}{}", self.style)) }
    }

    /// Style and script are allowed by their hashes, which a policy takes in either alphabet of base64.
    fn policy(&self, style: &str) -> String {
        let or_none = |sources: &str| if sources.is_empty() { "'none'".to_owned() } else { sources.to_owned() };
        let script =
            self.script.map(|script| format!("script-src 'sha256-{}='; connect-src 'self'; ", secrets::hash(script)));
        format!(
            "default-src 'none'; style-src 'sha256-{}='; {}img-src {}; base-uri 'none'; form-action {}; \
             frame-ancestors 'none'",
            secrets::hash(style),
            script.unwrap_or_default(),
            or_none(self.images_from),
            or_none(if self.forms_to.is_empty() && self.signed_in.is_some() { "'self'" } else { self.forms_to }),
        )
    }
}

/// The head of a page for who is signed in.
fn frame(signed_in: &SignedIn, language: Language) -> Markup {
    let SignedIn { name, form_token, prefix, .. } = signed_in;
    html! {
        a class="skip" href={ "#" (CONTENT) } { (frame::SKIP.get(language)) }
        header class="frame" {
            nav aria-label="Lectern" {
                a href={ (prefix) (HOME_PATH) } { (frame::HOME.get(language)) }
                @for (path, words) in PLACES { a href={ (prefix) (path) } { (words.get(language)) } }
            }
            form method="post" action={ (prefix) "/logout" } {
                input type="hidden" name=(FORM_TOKEN) value=(form_token);
                span { (name) }
                button class="plain" { (frame::LOG_OUT.get(language)) }
            }
        }
    }
}

/// The answer to an error of a page: a page too, with the status and the headers that clients would get.
pub(crate) fn refuse(format: &dyn ErrorFormat, error: &Error, reader: Reader<'_>) -> UntypedReply {
    let rendered = RenderedError::new(format, error);
    let language = reader.language();
    let (title, content) = explanation(rendered.status, error, language);
    let page = Page { language, title, width: Width::Narrow, signed_in: reader.signed_in, ..Page::default() };
    let content = html! { h1 { (title) } (content) (way_home(error, reader)) };
    let reply = page.show(&content).with_status(rendered.status);
    match reply.into_answer(false) {
        Ok(mut answer) => {
            answer.headers.extend(rendered.headers);
            answer
        }
        Err(_unwritten) => error_format::refuse(format, error, reader),
    }
}

/// The link home of a page that tells of an error and would otherwise lead nowhere: who is signed in has it in the frame.
fn way_home(error: &Error, reader: Reader<'_>) -> Markup {
    let has_way_on = error.explanation().is_some_and(|explanation| explanation.way_on.is_some());
    let is_needed = reader.signed_in.is_none() && !has_way_on && !reader.home.is_empty();
    html! { @if is_needed { p { a href=(reader.home) { (page::TO_HOME.get(reader.language())) } } } }
}

/// The heading and the content of the page that tells of an error.
fn explanation(status: StatusCode, error: &Error, language: Language) -> (&'static str, Markup) {
    if let Some(Explanation { title, words, way_on }) = error.explanation() {
        let way_on = way_on.as_ref().map(|way_on| self::way_on(way_on, language));
        return (
            title.get(language),
            html! { p { (words.get(language)) @if let Some(way_on) = way_on { " " (way_on) } } },
        );
    }
    let say = |title: Text, words: Text| (title.get(language), html! { p { (words.get(language)) } });
    match error.kind() {
        Kind::NotFound => say(page::NOTHING_HERE, page::GONE_OR_WRONG),
        Kind::Throttled(seconds) => {
            let words = page::TRY_IN_SECONDS.fill(language, &[("seconds", seconds)]);
            (page::TOO_OFTEN.get(language), html! { p { (words) } })
        }
        Kind::Busy => say(page::ONE_MOMENT, page::OTHERS_ARE_SERVED),
        Kind::Forbidden => say(page::DID_NOT_WORK, page::NOT_AUTHORIZED),
        _ if status.is_server_error() => say(page::DID_NOT_WORK, page::OUR_FAULT),
        // Which value is wrong is said in the words of the API.
        kind @ (Kind::BadRequest(_) | Kind::Invalid(_)) => {
            let detail = of_api(&error_format::sentence(kind), language);
            (page::DID_NOT_WORK.get(language), html! { p { (page::INCOMPLETE.get(language)) } p { (detail) } })
        }
        kind => (page::DID_NOT_WORK.get(language), html! { p { (of_api(&error_format::sentence(kind), language)) } }),
    }
}

fn way_on(way_on: &WayOn, language: Language) -> Markup {
    let link = html! { a href=(way_on.address) { (way_on.link.get(language)) } };
    fill(&way_on.sentence, language, &[("link", &link)])
}

/// Words that are English whatever the language of the page is: those of the API, and names that it has.
pub fn of_api(words: &str, language: Language) -> Markup {
    html! { span lang=[(language != Language::English).then_some(Language::English.tag())] { (words) } }
}

/// The name of a value as people read it: its text, or else the name of the API without its underscores.
pub fn name(text: Option<Text>, name: &str, language: Language) -> Markup {
    match text {
        Some(text) => html! { (text.get(language)) },
        None => of_api(&name.replace('_', " "), language),
    }
}

/// A text with values in their places.
pub fn fill(text: &Text, language: Language, values: &[(&str, &dyn Render)]) -> Markup {
    html! {
        @for part in text.parts(language) {
            @match part {
                Part::Words(words) => (words),
                Part::Place(name) => @if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) { (value) },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_format::LmsErrors;
    use crate::limits_hit::LimitKind;

    fn signed_in() -> SignedIn {
        SignedIn {
            session: types::ids::TokenId(7),
            name: "<Ada>".to_owned(),
            form_token: "a.b".to_owned(),
            prefix: "/lms".to_owned(),
        }
    }

    #[test]
    fn an_error_of_a_page_is_a_page_with_the_same_status() {
        let refused = |error: Error| {
            let answer = refuse(&LmsErrors, &error, Reader { accept_language: "en", ..Reader::default() });
            let text = format!("{:?}", answer.headers.get("content-type"));
            assert!(text.contains("text/html"), "{text}");
            (answer.status.as_u16(), answer.headers)
        };
        assert_eq!(refused(Error::bad_request("since is not a time")).0, 400);
        assert_eq!(refused(Error::not_found()).0, 404);
        let (status, headers) = refused(Error::throttled(LimitKind::LogIns, 7));
        assert_eq!((status, headers.get("retry-after").unwrap().to_str().unwrap()), (429, "7"));
        let said = |status, error: Error, language| {
            let (title, content) = explanation(status, &error, language);
            (title, content.into_string())
        };
        let invalid = Error::invalid("<a>", "invalid", "is odd");
        let (_, words) = said(StatusCode::BAD_REQUEST, invalid, Language::German);
        assert!(
            words.contains("unvollständig") && words.contains("<span lang=\"en\">&lt;a&gt; is odd</span>"),
            "{words}"
        );
        let internal = Error::internal(std::fmt::Error);
        let (_, words) = said(StatusCode::INTERNAL_SERVER_ERROR, internal, Language::English);
        assert!(!words.contains("Error"), "{words}");
        let (title, words) =
            said(StatusCode::TOO_MANY_REQUESTS, Error::throttled(LimitKind::LogIns, 7), Language::German);
        assert_eq!((title, words.as_str()), ("Zu oft", "<p>Bitte versuchen Sie es in 7 Sekunden noch einmal.</p>"));
        let way_on = WayOn { sentence: page::ASK_OR_LOG_IN, link: page::LOG_IN, address: "/a&b".to_owned() };
        let explained = Explanation { title: page::ENDED_LINK, words: page::OUR_FAULT, way_on: Some(way_on) };
        let (title, words) = said(StatusCode::FORBIDDEN, Error::forbidden().explained(explained), Language::French);
        assert_eq!(title, "Ce lien n’est plus valable");
        assert!(words.contains("<a href=\"/a&amp;b\">connectez-vous</a>.</p>"), "{words}");
    }

    #[test]
    fn a_page_that_tells_of_an_error_leads_home_or_further_on() {
        let signed_in = signed_in();
        let home = |error: &Error, signed_in| {
            let reader = Reader { home: "/lms/home", signed_in, ..Reader::default() };
            way_home(error, reader).into_string()
        };
        let gone = Error::not_found();
        assert_eq!(home(&gone, None), "<p><a href=\"/lms/home\">To the home page</a></p>");
        assert_eq!(home(&gone, Some(&signed_in)), "");
        let way_on = WayOn { sentence: page::ASK_OR_LOG_IN, link: page::LOG_IN, address: "/login".to_owned() };
        let explained = Explanation { title: page::ENDED_LINK, words: page::OUR_FAULT, way_on: Some(way_on) };
        assert_eq!(home(&gone.explained(explained), None), "");
    }

    #[test]
    fn a_name_that_has_no_text_is_that_of_the_api() {
        let shown = |text, language| name(text, "not_urgent", language).into_string();
        assert_eq!(shown(Some(page::LOG_IN), Language::German), "melden Sie sich an");
        assert_eq!(shown(None, Language::English), "<span>not urgent</span>");
        assert_eq!(shown(None, Language::German), "<span lang=\"en\">not urgent</span>");
    }

    #[test]
    fn a_table_has_a_name_and_is_moved_by_keyboard() {
        let shown = table("Oaks & elms", &["Height"], &html! { tr { td { "<12" } } }).into_string();
        assert!(shown.contains("role=\"region\" tabindex=\"0\" aria-label=\"Oaks &amp; elms\""), "{shown}");
        assert!(shown.contains("<th scope=\"col\">Height</th>") && shown.contains("<td>&lt;12</td>"), "{shown}");
        let at = moment(Timestamp::parse("2026-03-04T05:06:07Z").unwrap()).into_string();
        assert_eq!(at, "<time datetime=\"2026-03-04T05:06:07Z\">2026-03-04 05:06:07 UTC</time>");
    }

    #[test]
    fn a_page_without_a_title_is_called_as_we_are() {
        let titled = Page { title: "A", ..Page::default() }.document(&html! { p { "b" } });
        assert!(titled.contains("<title>A – Lectern</title>") && titled.contains("<p>b</p></main>"), "{titled}");
        let plain = Page::default().document(&html! {});
        assert!(plain.contains("<title>Lectern</title>"), "{plain}");
    }

    #[test]
    fn a_page_says_in_which_language_it_is_and_markup_stands_in_its_texts() {
        let french = Page { language: Language::French, ..Page::default() };
        assert!(french.document(&html! {}).contains("<html lang=\"fr\">"));
        let bold = html! { b { "7" } };
        let filled = fill(&page::TRY_IN_SECONDS, Language::English, &[("seconds", &bold)]);
        assert_eq!(filled.into_string(), "Please try again in <b>7</b> seconds.");
        let text = fill(&page::TRY_IN_SECONDS, Language::English, &[("seconds", &"<")]);
        assert_eq!(text.into_string(), "Please try again in &lt; seconds.");
    }

    #[test]
    fn a_page_for_who_is_signed_in_shows_who_that_is_and_takes_the_log_out() {
        let signed_in = signed_in();
        let page = Page { signed_in: Some(&signed_in), ..Page::default() };
        let german = Page { language: Language::German, ..page }.document(&html! {});
        assert!(german.find("href=\"#content\"") < german.find("<header"), "{german}");
        for part in [
            ">Zum Inhalt springen<",
            "<main id=\"content\" tabindex=\"-1\">",
            ">Startseite<",
            ">Umfragen<",
            "href=\"/lms/backpack\">Rucksack</a>",
            ">Abmelden<",
        ] {
            assert!(german.contains(part), "{part}: {german}");
        }
        let document = page.document(&html! {});
        for part in ["&lt;Ada&gt;", "action=\"/lms/logout\"", "value=\"a.b\"", "href=\"/lms/home\""] {
            assert!(document.contains(part), "{part}: {document}");
        }
        assert!(page.policy(STYLE).contains("form-action 'self'"));
    }

    #[test]
    fn a_page_may_do_no_more_than_it_says() {
        let page = Page { title: "A", ..Page::default() };
        let policy = page.policy(STYLE);
        assert!(policy.contains("form-action 'none'") && policy.contains("img-src 'none'"));
        assert!(!policy.contains("script-src"));
        let page = Page { script: Some("a()"), forms_to: "'self'", ..page };
        let policy = page.policy(STYLE);
        assert!(policy.contains("script-src 'sha256-") && policy.contains("form-action 'self'"));
    }
}
