//! The pages of the sandbox, for a person who looks at it with a browser.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use crate::sandbox::inbox::Shown;
use crate::sandbox::signature::Signature;

const STYLE: &str = "
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid #8884; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; background: #8881; padding: .75rem; border-radius: .25rem; }
article { border-top: 2px solid #8886; margin-top: 2rem; }
.valid { color: #1a7f37; } .invalid, .missing { color: #cf222e; } .unknown { color: #9a6700; }
";

fn frame(title: &str, content: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { h1 { (title) } (content) } }
        }
    };
    page.into_string()
}

/// What there is, with the values that a test needs.
pub(super) fn home(home: &Value) -> String {
    let row = |name: &str, value: &Value| {
        html! { tr { th scope="row" { (name) } td { code { (shown(value)) } } } }
    };
    let content = html! {
        p { "An application for tests. What can be done with it stands in the guide " a href="/docs/guides/sandbox" { "Sandbox" } "." }
        table {
            @for (name, value) in home.as_object().into_iter().flatten() {
                @match value {
                    Value::Object(values) => @for (key, value) in values { (row(&format!("{name}: {key}"), value)) },
                    Value::Array(values) => (row(name, &values.len().into())),
                    value => (row(name, value)),
                }
            }
        }
        p { a href="/sandbox/inbox/default" { "The inbox “default”" } }
    };
    frame("Sandbox", &content)
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The events of an inbox, the newest first.
pub(super) fn inbox(name: &str, events: &[Shown]) -> String {
    let content = html! {
        p { (events.len()) " events. Reload the page for those that have come since." }
        @for event in events.iter().rev() {
            article {
                h2 { "Event " (event.id) }
                p { time { (event.at) } }
                (verdict(event))
                pre { (pretty(&event.body)) }
                details {
                    summary { "Headers" }
                    table {
                        @for (name, value) in event.headers.as_object().into_iter().flatten() {
                            tr { th scope="row" { code { (name) } } td { code { (shown(value)) } } }
                        }
                    }
                }
            }
        }
    };
    frame(&format!("Inbox “{name}”"), &content)
}

fn verdict(event: &Shown) -> Markup {
    let (class, words) = match event.signature {
        Signature::Valid => ("valid", "The signature is valid."),
        Signature::Invalid => ("invalid", "The signature is invalid: "),
        Signature::Unknown => ("unknown", "The signature was not checked: "),
        Signature::Missing => ("missing", "There is no signature: "),
    };
    html! { p class=(class) { (words) (event.problem.as_deref().unwrap_or_default()) } }
}

/// JSON in lines, and other text as it is.
fn pretty(body: &str) -> String {
    let json = serde_json::from_str::<Value>(body).ok();
    json.and_then(|json| serde_json::to_string_pretty(&json).ok()).unwrap_or_else(|| body.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_shown_with_what_is_wrong_and_cannot_write_on_the_page() {
        let event = Shown {
            id: 7,
            at: "2030-01-01T00:00:00.000Z".to_owned(),
            headers: json!({ "webhook-id": "<script>" }),
            body: r#"{"name":"<b>"}"#.to_owned(),
            signature: Signature::Invalid,
            problem: Some("it is another one".to_owned()),
        };
        let page = inbox("default", &[event]);
        assert!(page.contains("Event 7") && page.contains("The signature is invalid: it is another one"), "{page}");
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script>") && !page.contains("<b>"), "{page}");
    }

    #[test]
    fn the_first_page_has_the_tokens() {
        let page = home(&json!({ "address": "http://127.0.0.1:1", "tokens": { "admin": "abc" }, "faults": [] }));
        assert!(page.contains("tokens: admin") && page.contains("<code>abc</code>"), "{page}");
    }
}
