//! The pages' markup.

use std::collections::BTreeMap;

use http::StatusCode;
use maud::{Markup, html};
use shared::Reply;
use shared::channels::Kind;
use shared::html::{Page, Width, moment, table};
use shared::status::{Jobs, Queue, Status};

use super::{OUTBOX, Opened, SHOWN};
use crate::model::operator::{
    COUNTED_TO, DeveloperKey, Export, Figures, Import, ModelUse, Overview, PackageImport, Secret, Tenant, TenantQueues,
    duration, percent, size,
};
use crate::model::outbox::{DeadMessage, Obstacle};
use crate::store::outbox::MAX_REPLAYED;

const STYLE: &str = "
nav a { display: inline-block; margin-right: 1rem; }
ul.problem { padding-left: 2rem; }
.groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 0 2rem; }
.failing { color: var(--alarm); font-weight: 600; }
td form { display: inline; }
td button { margin: 0; padding: .2rem .6rem; }
td { overflow-wrap: anywhere; }
.scroll td { min-width: 6rem; }
";

/// The part of a text of strangers that a table shows.
const SHORT: usize = 200;

/// The addresses of other pages.
pub(super) struct Links {
    pub(super) deliveries: String,
    pub(super) reports: String,
}

fn page<'a>(opened: &'a Opened, title: &'a str) -> Page<'a> {
    let signed_in = opened.signed_in();
    Page { title, width: Width::Wide, style: STYLE, forms_to: "'self'", signed_in, ..Page::default() }
}

/// What is wrong, the other pages, the figures, and what there is.
pub(super) fn home(opened: &Opened, figures: &Figures, overview: &Overview, links: &Links) -> Reply {
    let wrong = figures.wrong(overview);
    let is_of_site = opened.is_of_site;
    page(opened, "Operation").show(&html! {
        h1 { "Operation" }
        @if wrong.is_empty() { p { "Nothing is wrong." } }
        @else { ul class="problem" aria-label="What is wrong" { @for wrong in &wrong { li { (wrong) } } } }
        nav aria-label="Other pages" {
            a href=(opened.address(OUTBOX)) { "Messages given up" }
            a href=(links.deliveries) { "Webhook deliveries" }
            a href=(links.reports) { "Error reports" }
        }
        @match figures {
            Figures::Site(status) => (site(status)),
            Figures::Tenant(queues) => (tenant(queues)),
        }
        h2 { "Storage" }
        (tenants(&overview.tenants))
        h2 { "AI conversations" }
        (model(&overview.model))
        h2 { "Tokens that end within 30 days" }
        (secrets(&overview.ending, is_of_site))
        h2 { "Developer keys" }
        (keys(&overview.keys, is_of_site))
        h2 { "Newest SIS imports" }
        (imports(&overview.imports, is_of_site))
        h2 { "Newest content imports" }
        (packages(&overview.packages, is_of_site))
        h2 { "Newest content exports" }
        (exports(&overview.exports, is_of_site))
    })
}

fn site(status: &Status) -> Markup {
    let ready = status.ready;
    html! {
        p { "The whole installation at " (moment(status.at)) }
        div class="groups" {
            (group("Last tick", &html! {
                (row("Ended", &match (status.tick.last_at, status.tick.age_seconds) {
                    (Some(at), Some(age)) => html! { (moment(at)) ", " (duration(age)) " ago" },
                    _ => html! { "never" },
                }))
                (row("Areas whose jobs failed", &html! { (status.tick.failed_areas) }))
            }))
            (group("Webhook deliveries", &queue(&status.webhook_deliveries)))
            (group("Messages", &queue(&status.messages)))
            (group("SIS imports", &jobs(&status.sis_imports)))
            (group("Content imports", &jobs(&status.content_imports)))
            (group("Content exports", &jobs(&status.content_exports)))
            (group("Language model", &html! {
                (row("Asked", &html! { (status.model.calls) }))
                @for (kind, failed) in &status.model.failures {
                    (row(&format!("Failed: {}", words(kind)), &html! { (failed) }))
                }
            }))
            (group("Limits hit", &hits(&status.limits_hit)))
            (group("Store of bytes", &html! {
                (row("Files in the store", &html! { (status.blobs.number) }))
                (row("Their bytes", &html! { (size(status.blobs.bytes)) }))
                (row("Limit", &match status.blobs.limit_bytes {
                    Some(limit) => html! {
                        (size(limit))
                        @if let Some(percent) = percent(status.blobs.bytes, limit) { ", " (percent) " % used" }
                    },
                    None => html! { "none" },
                }))
            }))
            (group("Database", &html! {
                (row("Version of its tables", &html! { (status.database.schema_version) }))
                (row("Bytes", &bytes(status.database.bytes)))
                (row("Of these free", &bytes(status.database.free_bytes)))
            }))
            (group("Ready", &html! {
                (row("Database", &answer(ready.database)))
                (row("Tables", &answer(ready.schema)))
                (row("Store of bytes", &answer(ready.blobs)))
            }))
        }
    }
}

/// The limits that were hit at all.
fn hits(limits: &BTreeMap<String, i64>) -> Markup {
    let mut hit = limits.iter().filter(|(_, times)| **times > 0).peekable();
    html! {
        @if hit.peek().is_none() { (row("All", &html! { "never" })) }
        @for (limit, times) in hit { (row(&words(limit), &html! { (times) })) }
    }
}

fn tenant(queues: &TenantQueues) -> Markup {
    html! {
        div class="groups" {
            (group("Webhook deliveries", &html! {
                (row("Waiting", &counted(queues.waiting_deliveries)))
                (row("Given up", &counted(queues.dead_deliveries)))
            }))
            (group("Messages", &row("Given up", &counted(queues.dead_messages))))
        }
    }
}

fn group(title: &str, rows: &Markup) -> Markup {
    html! { section { h2 { (title) } table { tbody { (rows) } } } }
}

fn row(name: &str, value: &Markup) -> Markup {
    html! { tr { th scope="row" { (name) } td { (value) } } }
}

fn queue(queue: &Queue) -> Markup {
    html! {
        (row("Waiting", &html! { (queue.waiting) }))
        (row("Due", &html! {
            (queue.due) @if queue.due > 0 { ", the oldest for " (duration(queue.oldest_due_seconds)) }
        }))
        (row("Under way", &html! { (queue.running) }))
        (row("Given up", &html! { (queue.dead) }))
        (lapsed(queue.lapsed_lease_seconds))
    }
}

fn jobs(jobs: &Jobs) -> Markup {
    html! {
        (row("Waiting", &html! { (jobs.waiting) }))
        (row("Under way", &html! { (jobs.running) }))
        (row("Oldest asked for", &html! {
            @if jobs.waiting + jobs.running > 0 { (duration(jobs.oldest_seconds)) " ago" } @else { "none" }
        }))
        (row("Failed within a day", &html! { (jobs.failed_in_last_day) }))
        (lapsed(jobs.lapsed_lease_seconds))
    }
}

fn lapsed(seconds: i64) -> Markup {
    row("Lost lease", &html! { @if seconds > 0 { (duration(seconds)) " ago" } @else { "none" } })
}

fn bytes(bytes: Option<i64>) -> Markup {
    html! { @match bytes { Some(bytes) => (size(bytes)), None => "not known" } }
}

fn answer(is_ready: bool) -> Markup {
    html! { @if is_ready { "ready" } @else { span class="failing" { "not ready" } } }
}

/// A number that was counted no further than [`COUNTED_TO`].
fn counted(number: i64) -> Markup {
    html! { @if number > COUNTED_TO { "more than " (COUNTED_TO) } @else { (number) } }
}

fn tenants(tenants: &[Tenant]) -> Markup {
    table(
        "Storage",
        &["Root account", "Files and media", "Bytes"],
        &html! { @for tenant in tenants { tr {
            td { (cut(&tenant.name)) " (" (tenant.id) ")" }
            td { (tenant.files) }
            td { (size(tenant.bytes)) }
        } } },
    )
}

fn model(used: &[ModelUse]) -> Markup {
    if used.is_empty() {
        return html! { p { "There were none in this month and the one before." } };
    }
    let columns = ["Root account", "Month", "Conversations", "Calls of the model", "Failed", "Tokens"];
    table(
        "AI conversations",
        &columns,
        &html! { @for used in used { tr {
            td { (cut(&used.name)) " (" (used.tenant) ")" }
            td { (used.month) }
            td { (used.conversations) }
            td { (used.calls) }
            td {
                (used.failed_calls)
                @if let Some(kind) = &used.last_failure { ", the latest: " (words(kind)) }
            }
            td { (used.tokens) }
        } } },
    )
}

fn secrets(secrets: &[Secret], is_of_site: bool) -> Markup {
    if secrets.is_empty() {
        return html! { p { "None." } };
    }
    let columns = ["Ends", "What", "Whose", "For", "Root account"];
    table(
        "Tokens that end within 30 days",
        of(&columns, is_of_site),
        &html! { @for secret in secrets { tr {
            td { (moment(secret.expires_at)) }
            td { (secret.kind) }
            td { (cut(&secret.holder)) }
            td { (cut(secret.purpose.as_deref().unwrap_or_default())) }
            @if is_of_site { td { (cut(&secret.tenant)) } }
        } } },
    )
}

fn keys(keys: &[DeveloperKey], is_of_site: bool) -> Markup {
    if keys.is_empty() {
        return html! { p { "There are none." } };
    }
    let columns = ["Key", "Name", "Made", "Acts for", "Scopes", "Root account"];
    html! {
        p { "They end when they are deleted, and not before." }
        (table(
            "Developer keys",
            of(&columns, is_of_site),
            &html! { @for key in keys { tr {
                td { (key.id) }
                td { (cut(&key.name)) }
                td { (moment(key.created_at)) }
                td { (cut(key.acts_for.as_deref().unwrap_or("users who allow it"))) }
                td { @match key.scopes { Some(number) => (number), None => "everything" } }
                @if is_of_site { td { (key.tenant) } }
            } } },
        ))
    }
}

fn imports(imports: &[Import], is_of_site: bool) -> Markup {
    if imports.is_empty() {
        return html! { p { "There are none." } };
    }
    let columns = ["Import", "File", "Asked for", "State", "Errors and warnings", "Root account"];
    table(
        "Newest SIS imports",
        of(&columns, is_of_site),
        &html! { @for import in imports { tr {
            td { (import.id) }
            td { (cut(import.name.as_deref().unwrap_or_default())) }
            td { (moment(import.created_at)) }
            td {
                (state(&import.state, import.has_failed()))
                @if import.ended_at.is_none() { ", " (import.progress) " %" }
            }
            td { (counted(import.errors)) }
            @if is_of_site { td { (import.tenant) } }
        } } },
    )
}

fn packages(imports: &[PackageImport], is_of_site: bool) -> Markup {
    if imports.is_empty() {
        return html! { p { "There are none." } };
    }
    let columns = ["Import", "Kind", "Into", "Asked for", "State", "Issues", "Attempts", "Root account"];
    table(
        "Newest content imports",
        of(&columns, is_of_site),
        &html! { @for import in imports { tr {
            td { (import.id) }
            td { (words(&import.kind)) }
            td { "Course " (import.course) }
            td { (moment(import.created_at)) }
            td { (state(&import.state, import.has_failed())) }
            td { (counted(import.issues)) }
            td { (import.attempts) }
            @if is_of_site { td { (import.tenant) } }
        } } },
    )
}

fn exports(exports: &[Export], is_of_site: bool) -> Markup {
    if exports.is_empty() {
        return html! { p { "There are none." } };
    }
    let columns = ["Export", "Kind", "Of", "Asked for", "State", "Attempts", "Root account"];
    table(
        "Newest content exports",
        of(&columns, is_of_site),
        &html! { @for export in exports { tr {
            td { (export.id) }
            td { (words(&export.kind)) }
            td { (export.context_type) " " (export.context_id) }
            td { (moment(export.created_at)) }
            td { (state(&export.state, export.has_failed())) }
            td { (export.attempts) }
            @if is_of_site { td { (export.tenant) } }
        } } },
    )
}

/// The columns, of which only the site's administrators see the last.
fn of<'a, 'b>(columns: &'a [&'b str], is_of_site: bool) -> &'a [&'b str] {
    match columns.split_last() {
        Some((_tenant, others)) if !is_of_site => others,
        _ => columns,
    }
}

fn state(state: &str, has_failed: bool) -> Markup {
    html! { span class=[has_failed.then_some("failing")] { (words(state)) } }
}

/// Messages that were given up; one more than are shown tells that there are older ones.
pub(super) fn outbox(opened: &Opened, messages: &[DeadMessage], form: &str, replayed: Option<bool>) -> Reply {
    let shown = || messages.iter().zip(0..SHOWN).map(|(message, _)| message);
    let older = messages.iter().zip(0..=SHOWN).any(|(_, place)| place == SHOWN);
    page(opened, "Messages given up").show(&html! {
        p { a href=(opened.address("")) { "Operation" } }
        h1 { "Messages given up" }
        @if let Some(replayed) = replayed {
            p role="status" { @if replayed { "Due again: it goes out with the next tick." } @else { "Nothing was to be sent again." } }
        }
        @if messages.is_empty() { p { "There are none." } }
        @else {
            (button(opened, form, "/replay", "Send all again", None))
            p { "They go out with the next tick, at most " (MAX_REPLAYED) " at once, the oldest first." }
            (dead(opened, form, shown()))
        }
        @if let Some(last) = shown().last().filter(|_| older) {
            p { a href=(opened.address_with(OUTBOX, &format!("before={}", last.id))) rel="next" { "Older messages" } }
        }
    })
}

fn dead<'a>(opened: &Opened, form: &str, messages: impl Iterator<Item = &'a DeadMessage>) -> Markup {
    let columns = ["Message", "To", "Subject", "Of", "Why", "Attempts", "Again", "Root account"];
    table(
        "Messages given up",
        of(&columns, opened.is_of_site),
        &html! { @for message in messages { tr {
            td { (message.id) " " (kind(message.r#type)) }
            td { (cut(&message.to)) }
            td { (cut(&message.subject)) br; (words(&message.notification)) }
            td { (moment(message.created_at)) }
            td { (cut(message.failure.as_deref().unwrap_or("not known"))) }
            td { (message.attempts) }
            td {
                @match message.obstacle {
                    Some(obstacle) => (why_not(obstacle)),
                    None => (button(opened, form, &format!("/{}/replay", message.id), "Send again",
                                    Some(&format!("Send message {} again", message.id)))),
                }
            }
            @if opened.is_of_site { td { (message.tenant) } }
        } } },
    )
}

fn why_not(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::Address => "The address was taken away.",
        Obstacle::Device => "The device was signed off.",
        Obstacle::Secret => "It held a secret, which is not kept.",
    }
}

fn button(opened: &Opened, form: &str, rest: &str, words: &str, name: Option<&str>) -> Markup {
    html! {
        form method="post" action={ (opened.path()) (OUTBOX) (rest) } {
            @if let Some(ticket) = opened.ticket() { input type="hidden" name="ticket" value=(ticket); }
            input type="hidden" name="authenticity_token" value=(form);
            button aria-label=[name] { (words) }
        }
    }
}

/// For a form that was open for too long, or is none of ours.
pub(super) fn ended_form(opened: &Opened) -> Reply {
    let title = "This form has ended";
    let page = Page { title, width: Width::Narrow, ..Page::default() };
    let reply = page.show(&html! {
        h1 { (title) }
        p { "It is good for a quarter of an hour. " a href=(opened.address(OUTBOX)) { "Open it again" } "." }
    });
    reply.with_status(StatusCode::FORBIDDEN)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Email => "e-mail",
        Kind::Sms => "text message",
        Kind::Push => "push message",
    }
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
