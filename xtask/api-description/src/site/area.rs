//! The page of an area, or of a part of a large one.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::Value;

use super::articles::Articles;
use super::catalogue::{Area, Catalogue, Operation, Part, titled};
use super::fields::Fields;
use super::schema::choices;
use super::{operation, webhook};
use crate::members::{list, object, text};

/// The operations of a part, each with a link. The page is empty for links within it.
pub(crate) fn operation_list(part: &Part<'_>, page: &str) -> Markup {
    html! {
        ul.operations {
            @for operation in part.operations() {
                li {
                    a href={ (page) "#" (operation.id) } {
                        (operation::method(operation.method)) " " (operation.summary())
                    }
                    code { (operation.path) }
                }
            }
        }
    }
}

/// The page that leads to the parts of an area.
pub(crate) fn overview(area: &Area<'_>, articles: &Articles) -> Markup {
    html! {
        h1 { (area.title) }
        p.lead { (area.about) }
        (contract(area, articles))
        @for part in &area.parts {
            @let page = part.page.trim_start_matches("docs/");
            @for group in &part.groups {
                section aria-labelledby=(group.name) {
                    h2 id=(group.name) {
                        a href=(page) { (titled(&group.name)) }
                        span.count { (group.operations.len()) }
                    }
                    (operation_list(part, page))
                }
            }
        }
    }
}

/// The page of a part: its operations, the records that they answer, and how they refuse.
pub(crate) fn page(catalogue: &Catalogue<'_>, area: &Area<'_>, part: &Part<'_>, articles: &Articles) -> Markup {
    let operations: Vec<_> = part.operations().collect();
    // The service's own requests stand on the area's first page.
    let is_first = area.parts.first().is_some_and(|first| first.page == part.page);
    let webhooks = if is_first { webhook::of_area(catalogue.description, area.name) } else { Vec::new() };
    let fields = Fields::new(catalogue.description, area.name, &operations, &webhooks);
    html! {
        h1 { (part.title) }
        p.lead { (area.about) }
        @if area.has_parts() {
            p { "A part of " a href=(area.page.trim_start_matches("docs/")) { (area.title) } "." }
        }
        (contract(area, articles))
        details.contents open[operations.len() < 16] {
            summary { (operations.len()) @if operations.len() == 1 { " operation" } @else { " operations" } }
            (operation_list(part, ""))
        }
        @for group in &part.groups {
            section aria-labelledby={ "group-" (group.name) } {
                @if part.groups.len() > 1 {
                    h2 id={ "group-" (group.name) } { (titled(&group.name)) (anchor(&format!("group-{}", group.name))) }
                } @else {
                    h2.quiet id={ "group-" (group.name) } { "Operations" }
                }
                @for operation in &group.operations { (operation::article(&fields, operation)) }
            }
        }
        (webhook::section(&fields, &webhooks))
        (records(&fields))
        (refusals(catalogue.description, &operations))
    }
}

/// The way to what the area promises.
fn contract(area: &Area<'_>, articles: &Articles) -> Markup {
    let article = articles.contract_of(area.name);
    html! {
        @if let Some(article) = article {
            p { "What holds here: the " a href=(article.page.trim_start_matches("docs/")) { "contract" } "." }
        }
    }
}

/// A link of a heading to itself.
pub(crate) fn anchor(id: &str) -> Markup {
    html! { a.anchor href={ "#" (id) } aria-label="Link to this part" { "#" } }
}

/// The records that the operations answer.
fn records(fields: &Fields<'_>) -> Markup {
    let names = fields.records();
    html! {
        @if !names.is_empty() {
            section aria-labelledby="records" {
                h2 id="records" { "Records" (anchor("records")) }
                @for name in names {
                    @let schema = fields.named(name);
                    @let id = format!("record-{name}");
                    article.record aria-labelledby=(id) {
                        h3 id=(id) { (fields.short(name)) (anchor(&id)) }
                        @let about = text(schema.and_then(|schema| schema.get("description")));
                        @if !about.is_empty() { p { (operation::prose(about)) } }
                        @if let Some(schema) = schema.filter(|schema| choices(schema).len() > 1) {
                            p { "One of " (fields.shape(Some(schema))) "." }
                        }
                        (fields.of_record(schema))
                    }
                }
            }
        }
    }
}

/// The refusals of the operations: what each status means, with a body for each cause.
fn refusals(description: &Value, operations: &[&Operation<'_>]) -> Markup {
    let mut by_status: BTreeMap<&str, BTreeMap<&str, &Value>> = BTreeMap::new();
    for operation in operations {
        for (status, response) in object(operation.value.get("responses")).filter(|(status, _)| status.as_str() >= "4")
        {
            let reference = text(response.get("$ref"));
            if let Some(response) = description.pointer(reference.trim_start_matches('#')) {
                by_status.entry(status).or_default().insert(reference, response);
            }
        }
    }
    html! {
        @if !by_status.is_empty() {
            section aria-labelledby="refusals" {
                h2 id="refusals" { "Refusals" (anchor("refusals")) }
                @for (status, responses) in by_status {
                    details.refusal id={ "status-" (status) } {
                        summary {
                            code { (status) } " "
                            (text(responses.values().next().and_then(|response| response.get("description"))))
                        }
                        @for body in responses.values().flat_map(|response| bodies(response)) {
                            pre tabindex="0" { code { (body) } }
                        }
                    }
                }
            }
        }
    }
}

/// The bodies of a refusal, one for each cause. Pages are described by none.
fn bodies(response: &Value) -> Vec<String> {
    let examples = object(response.get("content")).filter(|(name, _)| name.ends_with("json"));
    let examples = examples.flat_map(|(_, described)| object(described.get("examples")));
    let mut bodies: Vec<_> = examples.filter_map(|(_, example)| Some(example.get("value")?.to_string())).collect();
    bodies.dedup();
    bodies
}

/// The types in which a body may be sent or comes.
pub(crate) fn media_types(content: Option<&Value>) -> Vec<&str> {
    object(content).map(|(name, _)| name.as_str()).collect()
}

/// The scopes, one of which a token needs.
pub(crate) fn scopes(operation: &Value) -> Vec<&str> {
    let schemes = list(operation.get("security")).iter().flat_map(|one| object(Some(one)));
    let mut scopes: Vec<_> = schemes.flat_map(|(_, scopes)| list(Some(scopes))).filter_map(Value::as_str).collect();
    scopes.dedup();
    scopes
}
