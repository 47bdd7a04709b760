//! The pages' markup.

use std::collections::BTreeMap;

use http::StatusCode;
use maud::{Markup, html};
use shared::Reply;
use shared::channels::Kind;
use shared::html::{Page, Width, fill, moment, name, table};
use shared::status::{Jobs, Queue, Status};
use shared::texts::{
    Language, Text, limit as limits, model_failure as failures, operator as texts, package as packages_named,
    state as states, table as common,
};

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
    Page { title, width: Width::Wide, style: STYLE, forms_to: "'self'", ..opened.page() }
}

/// A table with its name; the last of its columns is for the site's administrators alone.
fn table_of(opened: &Opened, title: Text, columns: &[Text], rows: &Markup) -> Markup {
    let language = opened.language();
    let shown = match columns.split_last() {
        Some((_tenant, others)) if !opened.is_of_site => others,
        _ => columns,
    };
    let columns: Vec<_> = shown.iter().map(|column| column.get(language)).collect();
    table(title.get(language), &columns, rows)
}

/// What is wrong, the other pages, the figures, and what there is.
pub(super) fn home(opened: &Opened, figures: &Figures, overview: &Overview, links: &Links) -> Reply {
    let language = opened.language();
    let say = |text: Text| text.get(language);
    let wrong = figures.wrong(overview, language);
    page(opened, say(texts::TITLE)).show(&html! {
        h1 { (say(texts::TITLE)) }
        @if wrong.is_empty() { p { (say(texts::NOTHING_WRONG)) } }
        @else { ul class="problem" aria-label=(say(texts::WHAT_IS_WRONG)) { @for wrong in &wrong { li { (wrong) } } } }
        nav aria-label=(say(texts::OTHER_PAGES)) {
            a href=(opened.address(OUTBOX)) { (say(texts::MESSAGES_GIVEN_UP)) }
            a href=(links.deliveries) { (say(texts::WEBHOOK_DELIVERIES)) }
            a href=(links.reports) { (say(texts::ERROR_REPORTS)) }
        }
        @match figures {
            Figures::Site(status) => (Figured { language }.site(status)),
            Figures::Tenant(queues) => (Figured { language }.tenant(queues)),
        }
        h2 { (say(texts::STORAGE)) }
        (tenants(&overview.tenants, language))
        h2 { (say(texts::AI_CONVERSATIONS)) }
        (model(&overview.model, language))
        h2 { (say(texts::ENDING_TOKENS)) }
        (secrets(opened, &overview.ending))
        h2 { (say(texts::DEVELOPER_KEYS)) }
        (keys(opened, &overview.keys))
        h2 { (say(texts::NEWEST_SIS_IMPORTS)) }
        (imports(opened, &overview.imports))
        h2 { (say(texts::NEWEST_CONTENT_IMPORTS)) }
        (packages(opened, &overview.packages))
        h2 { (say(texts::NEWEST_CONTENT_EXPORTS)) }
        (exports(opened, &overview.exports))
    })
}

/// The figures in groups, in a language.
struct Figured {
    language: Language,
}

impl Figured {
    fn site(&self, status: &Status) -> Markup {
        let language = self.language;
        html! {
            p { (fill(&texts::WHOLE_INSTALLATION, language, &[("moment", &moment(status.at))])) }
            div class="groups" {
                (self.group(texts::LAST_TICK, &self.tick(status)))
                (self.group(texts::WEBHOOK_DELIVERIES, &self.queue(&status.webhook_deliveries)))
                (self.group(texts::MESSAGES, &self.queue(&status.messages)))
                (self.group(texts::SIS_IMPORTS, &self.jobs(&status.sis_imports)))
                (self.group(texts::CONTENT_IMPORTS, &self.jobs(&status.content_imports)))
                (self.group(texts::CONTENT_EXPORTS, &self.jobs(&status.content_exports)))
                (self.group(texts::LANGUAGE_MODEL, &self.model(status)))
                (self.group(texts::LIMITS_HIT, &self.hits(&status.limits_hit)))
                (self.group(texts::STORE, &self.store(status)))
                (self.group(texts::DATABASE, &html! {
                    (self.row(texts::SCHEMA_VERSION, &html! { (status.database.schema_version) }))
                    (self.row(texts::BYTES, &self.bytes(status.database.bytes)))
                    (self.row(texts::FREE_BYTES, &self.bytes(status.database.free_bytes)))
                }))
                (self.group(texts::READINESS, &html! {
                    (self.row(texts::DATABASE, &self.answer(status.ready.database)))
                    (self.row(texts::TABLES, &self.answer(status.ready.schema)))
                    (self.row(texts::STORE, &self.answer(status.ready.blobs)))
                }))
            }
        }
    }

    fn tenant(&self, queues: &TenantQueues) -> Markup {
        let language = self.language;
        html! {
            div class="groups" {
                (self.group(texts::WEBHOOK_DELIVERIES, &html! {
                    (self.row(texts::WAITING, &counted(queues.waiting_deliveries, language)))
                    (self.row(texts::GIVEN_UP, &counted(queues.dead_deliveries, language)))
                }))
                (self.group(texts::MESSAGES, &self.row(texts::GIVEN_UP, &counted(queues.dead_messages, language))))
            }
        }
    }

    fn group(&self, title: Text, rows: &Markup) -> Markup {
        html! { section { h2 { (title.get(self.language)) } table { tbody { (rows) } } } }
    }

    fn row(&self, name: Text, value: &Markup) -> Markup {
        row(&html! { (name.get(self.language)) }, value)
    }

    fn tick(&self, status: &Status) -> Markup {
        html! {
            (self.row(texts::ENDED, &match (status.tick.last_at, status.tick.age_seconds) {
                (Some(at), Some(age)) => html! { (moment(at)) ", " (self.ago(age)) },
                _ => html! { (texts::NEVER.get(self.language)) },
            }))
            (self.row(texts::FAILED_AREAS, &html! { (status.tick.failed_areas) }))
        }
    }

    fn queue(&self, queue: &Queue) -> Markup {
        let oldest = duration(queue.oldest_due_seconds, self.language);
        html! {
            (self.row(texts::WAITING, &html! { (queue.waiting) }))
            (self.row(texts::DUE, &html! {
                (queue.due)
                @if queue.due > 0 { ", " (texts::OLDEST_FOR.fill(self.language, &[("duration", &oldest)])) }
            }))
            (self.row(texts::UNDER_WAY, &html! { (queue.running) }))
            (self.row(texts::GIVEN_UP, &html! { (queue.dead) }))
            (self.lapsed(queue.lapsed_lease_seconds))
        }
    }

    fn jobs(&self, jobs: &Jobs) -> Markup {
        let oldest = (jobs.waiting + jobs.running > 0).then_some(jobs.oldest_seconds);
        html! {
            (self.row(texts::WAITING, &html! { (jobs.waiting) }))
            (self.row(texts::UNDER_WAY, &html! { (jobs.running) }))
            (self.row(texts::OLDEST_ASKED_FOR, &self.ago_or_none(oldest)))
            (self.row(texts::FAILED_IN_LAST_DAY, &html! { (jobs.failed_in_last_day) }))
            (self.lapsed(jobs.lapsed_lease_seconds))
        }
    }

    fn lapsed(&self, seconds: i64) -> Markup {
        self.row(texts::LOST_LEASE, &self.ago_or_none(Some(seconds).filter(|seconds| *seconds > 0)))
    }

    fn ago_or_none(&self, seconds: Option<i64>) -> Markup {
        html! { @match seconds { Some(seconds) => (self.ago(seconds)), None => (common::NONE.get(self.language)) } }
    }

    fn ago(&self, seconds: i64) -> String {
        common::AGO.fill(self.language, &[("duration", &duration(seconds, self.language))])
    }

    fn model(&self, status: &Status) -> Markup {
        let language = self.language;
        html! {
            (self.row(texts::ASKED, &html! { (status.model.calls) }))
            @for (kind, failed) in &status.model.failures {
                @let kind = name(failures::named(kind), kind, language);
                (row(&fill(&texts::FAILED_AS, language, &[("kind", &kind)]), &html! { (failed) }))
            }
        }
    }

    /// The limits that were hit at all.
    fn hits(&self, hits: &BTreeMap<String, i64>) -> Markup {
        let mut hit = hits.iter().filter(|(_, times)| **times > 0).peekable();
        html! {
            @if hit.peek().is_none() { (self.row(texts::ALL_LIMITS, &html! { (texts::NEVER.get(self.language)) })) }
            @for (limit, times) in hit {
                (row(&name(limits::named(limit), limit, self.language), &html! { (times) }))
            }
        }
    }

    fn store(&self, status: &Status) -> Markup {
        let (blobs, language) = (&status.blobs, self.language);
        html! {
            (self.row(texts::STORED_FILES, &html! { (blobs.number) }))
            (self.row(texts::THEIR_BYTES, &html! { (size(blobs.bytes, language)) }))
            (self.row(texts::LIMIT, &match blobs.limit_bytes {
                Some(limit) => html! {
                    (size(limit, language))
                    @if let Some(percent) = percent(blobs.bytes, limit) {
                        ", " (texts::USED.fill(language, &[("percent", &percent)]))
                    }
                },
                None => html! { (common::NONE.get(language)) },
            }))
        }
    }

    fn bytes(&self, bytes: Option<i64>) -> Markup {
        html! { @match bytes {
            Some(bytes) => (size(bytes, self.language)),
            None => (common::NOT_KNOWN.get(self.language)),
        } }
    }

    fn answer(&self, is_ready: bool) -> Markup {
        html! {
            @if is_ready { (texts::READY.get(self.language)) }
            @else { span class="failing" { (texts::NOT_READY.get(self.language)) } }
        }
    }
}

fn row(name: &Markup, value: &Markup) -> Markup {
    html! { tr { th scope="row" { (name) } td { (value) } } }
}

/// A number that was counted no further than [`COUNTED_TO`].
fn counted(number: i64, language: Language) -> Markup {
    html! {
        @if number > COUNTED_TO { (texts::MORE_THAN.fill(language, &[("number", &COUNTED_TO)])) } @else { (number) }
    }
}

fn tenants(tenants: &[Tenant], language: Language) -> Markup {
    let columns = [common::ROOT_ACCOUNT, texts::FILES, texts::BYTES];
    table(
        texts::STORAGE.get(language),
        &columns.map(|column| column.get(language)),
        &html! { @for tenant in tenants { tr {
            td { (cut(&tenant.name)) " (" (tenant.id) ")" }
            td { (tenant.files) }
            td { (size(tenant.bytes, language)) }
        } } },
    )
}

fn model(used: &[ModelUse], language: Language) -> Markup {
    if used.is_empty() {
        return html! { p { (texts::NO_CONVERSATIONS.get(language)) } };
    }
    let columns =
        [common::ROOT_ACCOUNT, texts::MONTH, texts::CONVERSATIONS, texts::MODEL_CALLS, texts::FAILED, texts::TOKENS];
    table(
        texts::AI_CONVERSATIONS.get(language),
        &columns.map(|column| column.get(language)),
        &html! { @for used in used { tr {
            td { (cut(&used.name)) " (" (used.tenant) ")" }
            td { (used.month) }
            td { (used.conversations) }
            td { (used.calls) }
            td {
                (used.failed_calls)
                @if let Some(kind) = &used.last_failure {
                    @let kind = name(failures::named(kind), kind, language);
                    ", " (fill(&texts::LATEST_FAILURE, language, &[("kind", &kind)]))
                }
            }
            td { (used.tokens) }
        } } },
    )
}

fn secrets(opened: &Opened, secrets: &[Secret]) -> Markup {
    let language = opened.language();
    if secrets.is_empty() {
        return html! { p { (texts::NO_TOKENS.get(language)) } };
    }
    table_of(
        opened,
        texts::ENDING_TOKENS,
        &[texts::ENDS, texts::WHAT, texts::WHOSE, texts::FOR_WHAT, common::ROOT_ACCOUNT],
        &html! { @for secret in secrets { tr {
            td { (moment(secret.expires_at)) }
            td { (name(texts::named(&secret.kind), &secret.kind, language)) }
            td { (cut(&secret.holder)) }
            td { (cut(secret.purpose.as_deref().unwrap_or_default())) }
            @if opened.is_of_site { td { (cut(&secret.tenant)) } }
        } } },
    )
}

fn nothing(language: Language) -> Markup {
    html! { p { (common::NOTHING.get(language)) } }
}

fn keys(opened: &Opened, keys: &[DeveloperKey]) -> Markup {
    let language = opened.language();
    if keys.is_empty() {
        return nothing(language);
    }
    let columns = [texts::KEY, texts::NAME, texts::MADE, texts::ACTS_FOR, texts::SCOPES, common::ROOT_ACCOUNT];
    html! {
        p { (texts::KEYS_LAST.get(language)) }
        (table_of(
            opened,
            texts::DEVELOPER_KEYS,
            &columns,
            &html! { @for key in keys { tr {
                td { (key.id) }
                td { (cut(&key.name)) }
                td { (moment(key.created_at)) }
                td { (cut(key.acts_for.as_deref().unwrap_or(texts::USERS_WHO_ALLOW.get(language)))) }
                td { @match key.scopes { Some(number) => (number), None => (texts::EVERYTHING.get(language)) } }
                @if opened.is_of_site { td { (key.tenant) } }
            } } },
        ))
    }
}

fn imports(opened: &Opened, imports: &[Import]) -> Markup {
    let language = opened.language();
    if imports.is_empty() {
        return nothing(language);
    }
    let columns =
        [texts::IMPORT, texts::FILE, texts::ASKED_FOR, common::STATE, texts::ERRORS_AND_WARNINGS, common::ROOT_ACCOUNT];
    table_of(
        opened,
        texts::NEWEST_SIS_IMPORTS,
        &columns,
        &html! { @for import in imports { tr {
            td { (import.id) }
            td { (cut(import.name.as_deref().unwrap_or_default())) }
            td { (moment(import.created_at)) }
            td {
                (state(&import.state, import.has_failed(), language))
                @if import.ended_at.is_none() { ", " (import.progress) " %" }
            }
            td { (counted(import.errors, language)) }
            @if opened.is_of_site { td { (import.tenant) } }
        } } },
    )
}

fn packages(opened: &Opened, imports: &[PackageImport]) -> Markup {
    let language = opened.language();
    if imports.is_empty() {
        return nothing(language);
    }
    let columns = [
        texts::IMPORT,
        texts::KIND,
        texts::INTO,
        texts::ASKED_FOR,
        common::STATE,
        texts::ISSUES,
        common::ATTEMPTS,
        common::ROOT_ACCOUNT,
    ];
    table_of(
        opened,
        texts::NEWEST_CONTENT_IMPORTS,
        &columns,
        &html! { @for import in imports { tr {
            td { (import.id) }
            td { (name(packages_named::named(&import.kind), &import.kind, language)) }
            td { (texts::COURSE.fill(language, &[("id", &import.course)])) }
            td { (moment(import.created_at)) }
            td { (state(&import.state, import.has_failed(), language)) }
            td { (counted(import.issues, language)) }
            td { (import.attempts) }
            @if opened.is_of_site { td { (import.tenant) } }
        } } },
    )
}

fn exports(opened: &Opened, exports: &[Export]) -> Markup {
    let language = opened.language();
    if exports.is_empty() {
        return nothing(language);
    }
    let columns = [
        texts::EXPORT,
        texts::KIND,
        texts::OF,
        texts::ASKED_FOR,
        common::STATE,
        common::ATTEMPTS,
        common::ROOT_ACCOUNT,
    ];
    table_of(
        opened,
        texts::NEWEST_CONTENT_EXPORTS,
        &columns,
        &html! { @for export in exports { tr {
            td { (export.id) }
            td { (name(packages_named::named(&export.kind), &export.kind, language)) }
            td { (context(export, language)) }
            td { (moment(export.created_at)) }
            td { (state(&export.state, export.has_failed(), language)) }
            td { (export.attempts) }
            @if opened.is_of_site { td { (export.tenant) } }
        } } },
    )
}

/// The course, the group or the user whose content was exported.
fn context(export: &Export, language: Language) -> String {
    match texts::named(&export.context_type.to_lowercase()) {
        Some(text) => text.fill(language, &[("id", &export.context_id)]),
        None => format!("{} {}", export.context_type, export.context_id),
    }
}

fn state(state: &str, has_failed: bool, language: Language) -> Markup {
    html! { span class=[has_failed.then_some("failing")] { (name(states::named(state), state, language)) } }
}

/// Messages that were given up; one more than are shown tells that there are older ones.
pub(super) fn outbox(opened: &Opened, messages: &[DeadMessage], form: &str, replayed: Option<bool>) -> Reply {
    let shown = || messages.iter().zip(0..SHOWN).map(|(message, _)| message);
    let older = messages.iter().zip(0..=SHOWN).any(|(_, place)| place == SHOWN);
    let language = opened.language();
    let say = |text: Text| text.get(language);
    page(opened, say(texts::MESSAGES_GIVEN_UP)).show(&html! {
        p { a href=(opened.address("")) { (say(texts::TITLE)) } }
        h1 { (say(texts::MESSAGES_GIVEN_UP)) }
        @if let Some(replayed) = replayed {
            p role="status" { (say(if replayed { texts::DUE_AGAIN } else { texts::NOTHING_TO_SEND })) }
        }
        @if messages.is_empty() { (nothing(language)) }
        @else {
            (button(opened, form, "/replay", say(texts::SEND_ALL_AGAIN), None))
            p { (texts::WITH_NEXT_TICK.fill(language, &[("number", &MAX_REPLAYED)])) }
            (dead(opened, form, shown()))
        }
        @if let Some(last) = shown().last().filter(|_| older) {
            p {
                a href=(opened.address_with(OUTBOX, &format!("before={}", last.id))) rel="next" { (say(texts::OLDER_MESSAGES)) }
            }
        }
    })
}

fn dead<'a>(opened: &Opened, form: &str, messages: impl Iterator<Item = &'a DeadMessage>) -> Markup {
    let language = opened.language();
    let columns = [
        texts::MESSAGE,
        texts::TO,
        texts::SUBJECT,
        texts::WRITTEN,
        texts::WHY,
        common::ATTEMPTS,
        texts::AGAIN,
        common::ROOT_ACCOUNT,
    ];
    table_of(
        opened,
        texts::MESSAGES_GIVEN_UP,
        &columns,
        &html! { @for message in messages { tr {
            td { (message.id) " " (kind(message.r#type).get(language)) }
            td { (cut(&message.to)) }
            td { (cut(&message.subject)) br; (name(None, &message.notification, language)) }
            td { (moment(message.created_at)) }
            td { (cut(message.failure.as_deref().unwrap_or(common::NOT_KNOWN.get(language)))) }
            td { (message.attempts) }
            td {
                @match message.obstacle {
                    Some(obstacle) => (why_not(obstacle).get(language)),
                    None => (send_again(opened, form, message)),
                }
            }
            @if opened.is_of_site { td { (message.tenant) } }
        } } },
    )
}

fn why_not(obstacle: Obstacle) -> Text {
    match obstacle {
        Obstacle::Address => texts::ADDRESS_GONE,
        Obstacle::Device => texts::DEVICE_GONE,
        Obstacle::Secret => texts::SECRET_GONE,
    }
}

fn send_again(opened: &Opened, form: &str, message: &DeadMessage) -> Markup {
    let language = opened.language();
    let name = texts::SEND_MESSAGE_AGAIN.fill(language, &[("id", &message.id)]);
    let rest = format!("/{}/replay", message.id);
    button(opened, form, &rest, common::SEND_AGAIN.get(language), Some(&name))
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
    let language = opened.language();
    let title = texts::ENDED_FORM.get(language);
    let again = html! { a href=(opened.address(OUTBOX)) { (texts::OPEN_AGAIN.get(language)) } };
    let reply = Page { title, width: Width::Narrow, ..opened.page() }.show(&html! {
        h1 { (title) }
        p { (fill(&texts::FORM_LASTS, language, &[("again", &again)])) }
    });
    reply.with_status(StatusCode::FORBIDDEN)
}

fn kind(kind: Kind) -> Text {
    match kind {
        Kind::Email => texts::EMAIL,
        Kind::Sms => texts::SMS,
        Kind::Push => texts::PUSH,
    }
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHORT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
