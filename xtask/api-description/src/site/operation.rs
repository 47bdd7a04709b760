//! The article of an operation.

use maud::{Markup, html};
use serde_json::Value;

use super::area::{anchor, media_types, scopes};
use super::catalogue::Operation;
use super::fields::{Fields, answers, json_schema};
use super::samples::{self, Sample};
use crate::members::{object, text};

/// The beginning of the paragraph that says who may call.
const CALLERS: &str = "May be called by: ";
/// The beginning of the paragraph about the token, which the list of facts says.
const CREDENTIAL: &str = "Needs ";

/// A method as a sign.
pub(crate) fn method(method: &str) -> Markup {
    html! { span.method.(method) { (method.to_ascii_uppercase()) } }
}

/// Words of the description: what stands in back-ticks is code.
pub(crate) fn prose(words: &str) -> Markup {
    html! {
        @for (number, part) in words.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// The article of an operation: what it does on the left, how it is called on the right.
pub(crate) fn article<'a>(fields: &Fields<'a>, operation: &Operation<'a>) -> Markup {
    let value = operation.value;
    let (facts, paragraphs): (Vec<_>, Vec<_>) = text(value.get("description"))
        .split("\n\n")
        .filter(|paragraph| !paragraph.is_empty())
        .partition(|paragraph| paragraph.starts_with(CALLERS) || paragraph.starts_with(CREDENTIAL));
    let content = value.pointer("/requestBody/content");
    html! {
        article id=(operation.id) data-method=(operation.method) data-path=(operation.path) {
            h3 { (operation.summary()) (anchor(operation.id)) }
            p.address { (method(operation.method)) " " code { (operation.path) } }
            div.columns {
                div.say {
                    @for paragraph in paragraphs { p { (prose(paragraph)) } }
                    (self::facts(value, &facts))
                    (fields.of_parameters(value))
                    @if let Some(content) = content { (body(fields, value, content)) }
                    (answer(fields, value))
                    (statuses(value))
                }
                div.show { (samples(fields.description, operation)) }
            }
        }
    }
}

/// Who may call, and with which token.
fn facts(operation: &Value, paragraphs: &[&str]) -> Markup {
    let callers = paragraphs.iter().find_map(|paragraph| paragraph.strip_prefix(CALLERS));
    let credential = paragraphs.iter().find(|paragraph| paragraph.starts_with(CREDENTIAL));
    let scopes = scopes(operation);
    html! {
        dl.facts {
            @if let Some(callers) = callers { dt { "For" } dd { (prose(callers)) } }
            @if scopes.is_empty() {
                @if let Some(credential) = credential { dt { "Token" } dd { (prose(credential)) } }
            } @else {
                dt { "Scope" }
                dd { @for (number, scope) in scopes.iter().enumerate() { @if number > 0 { " or " } code { (scope) } } }
            }
        }
    }
}

fn body<'a>(fields: &Fields<'a>, operation: &'a Value, content: &'a Value) -> Markup {
    let types = media_types(Some(content));
    let schema = json_schema(content).or_else(|| object(Some(content)).find_map(|(_, one)| one.get("schema")));
    html! {
        p.types {
            "Body: "
            @for (number, media_type) in types.iter().enumerate() {
                @if number > 0 { ", " }
                code { (media_type) }
            }
            ". " (text(operation.pointer("/requestBody/description")))
        }
        (fields.of_body(schema))
    }
}

/// What success answers.
fn answer<'a>(fields: &Fields<'a>, operation: &'a Value) -> Markup {
    let answered: Vec<_> = answers(operation).collect();
    let others = object(operation.get("responses"))
        .filter(|(status, _)| status.as_str() < "4" && !answered.iter().any(|(answered, _)| answered == status));
    html! {
        p.answers {
            @for (status, schema) in &answered {
                span.status.good { (status) } " " (fields.kind(Some(*schema))) " "
            }
            @for (status, response) in others {
                span.status.good { (status) } " "
                @let types = media_types(response.get("content"));
                @if types.is_empty() {
                    (prose(text(response.get("description"))))
                } @else {
                    code { (types.join(", ")) }
                }
                " "
            }
        }
    }
}

/// The statuses of refusals, each with a link to what it means; what is said of this operation alone stands here.
fn statuses(operation: &Value) -> Markup {
    let refusals: Vec<_> = object(operation.get("responses")).filter(|(status, _)| status.as_str() >= "4").collect();
    html! {
        @if !refusals.is_empty() {
            p.answers {
                @for (status, response) in refusals {
                    a.status href={ "#status-" (status) } { (status) } " "
                    @let about = text(response.get("description"));
                    @if response.get("$ref").is_some() && !about.is_empty() { (prose(about)) " " }
                }
            }
        }
    }
}

/// The example of an operation in several languages, and what it is answered.
fn samples(description: &Value, operation: &Operation<'_>) -> Markup {
    let sample = Sample::new(description, operation);
    html! {
        @for (language, code) in samples::languages(operation, &sample) {
            details.sample data-language=(language) open[language == "curl"] {
                summary { (language) }
                pre tabindex="0" { code { (code) } }
            }
        }
        @if let Some(body) = &sample.body {
            details.sample.body { summary { "Body" } pre tabindex="0" { code { (format!("{body:#}")) } } }
        }
        @if let Some(answer) = &sample.answer {
            details.sample open { summary { "Answer" } pre tabindex="0" { code { (format!("{answer:#}")) } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_article_says_what_is_needed_and_what_comes() {
        let description = json!({ "components": { "schemas": {} } });
        let value = json!({
            "operationId": "update_poll", "summary": "Changes a <poll>",
            "description": "At once.\n\nMay be called by: the poll's owner.\n\nNeeds a token with a scope.",
            "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }],
            "security": [{ "token": ["url:PUT|/polls/:id"] }],
            "responses": {
                "200": { "content": { "application/json": { "schema": { "type": "object" } } } },
                "429": { "$ref": "#/components/responses/LmsErrorsTooManyRequests", "description": "Too often" },
            },
        });
        let operation = Operation { id: "update_poll", method: "put", path: "/polls/{id}", value: &value };
        let article = article(&Fields::new(&description, "polls", &[&operation], &[]), &operation).into_string();
        let row = "<tr data-in=\"path\"><th scope=\"row\"><code>id</code><span class=\"required\">required</span></th>";
        for part in [
            "Changes a &lt;poll&gt;",
            "<p>At once.</p>",
            "<dt>For</dt><dd>the poll's owner.</dd>",
            "<dt>Scope</dt><dd><code>url:PUT|/polls/:id</code></dd>",
            row,
            "<td>integer, path</td>",
            "<span class=\"status good\">200</span> object",
            "<a class=\"status\" href=\"#status-429\">429</a> Too often",
            "curl -X PUT http://127.0.0.1:3000/polls/1",
        ] {
            assert!(article.contains(part), "{part} is not in {article}");
        }
        assert!(!article.contains("<script"));
    }
}
