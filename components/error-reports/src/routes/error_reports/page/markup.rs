//! The page's markup.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use shared::html::{self, Page, Width, fill, moment};
use shared::ids::ErrorReportId;
use shared::signed_pages::Opened;
use shared::texts::{Language, Text, error_report as texts, severity, state as states, table as common};
use shared::{Reply, Timestamp, people};

use crate::model::environment::cut;
use crate::model::form::SEVERITIES;
use crate::model::reports::{Details, Filter, Report, State, Summary};
use crate::routes::error_reports::page::SHOWN;

const STYLE: &str = "
form.filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin-bottom: 1.5rem; }
form.filter label { margin: 0; flex: 1 1 11rem; }
form.filter :is(input, select, button) { height: 2.8rem; margin: 0; }
form.filter :is(input, select), textarea { font-weight: normal; }
.open { color: var(--alarm); font-weight: 600; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
";

/// The part of a subject that a table shows.
const SHORT: usize = 120;

fn page<'a>(opened: &'a Opened<impl Sized>, title: &'a str) -> Page<'a> {
    Page { title, width: Width::Wide, style: STYLE, forms_to: "'self'", ..opened.page() }
}

/// The newest reports; one more than are shown tells that there are older ones.
pub(crate) fn overview(opened: &Opened<impl Sized>, filter: &Filter, reports: &[Summary]) -> Reply {
    let shown = || reports.iter().zip(0..SHOWN).map(|(report, _)| report);
    let older = reports.iter().zip(0..=SHOWN).any(|(_, place)| place == SHOWN);
    let language = opened.language();
    let title = texts::TITLE.get(language);
    page(opened, title).show(&html! {
        h1 { (title) }
        (filter_form(opened, filter))
        @if reports.is_empty() { p { (common::NOTHING.get(language)) } }
        @else { (table(opened, shown())) }
        @if let Some(last) = shown().last().filter(|_| older) {
            p { a href=(address_of(opened, filter, last.id)) rel="next" { (texts::OLDER_REPORTS.get(language)) } }
        }
    })
}

fn filter_form(opened: &Opened<impl Sized>, filter: &Filter) -> Markup {
    let language = opened.language();
    let say = |text: Text| text.get(language);
    let workflow_states = State::ALL.map(State::name);
    let (state, severity) = (filter.workflow_state.map(State::name), filter.user_perceived_severity.as_deref());
    html! {
        form class="filter" method="get" action=(opened.path()) {
            @if let Some(ticket) = opened.ticket() { input type="hidden" name="ticket" value=(ticket); }
            label { (say(common::STATE)) (choice("workflow_state", &workflow_states, state, language)) }
            label { (say(texts::SEVERITY)) (choice("user_perceived_severity", &SEVERITIES, severity, language)) }
            label { (say(texts::USER_ID)) input name="user_id" inputmode="numeric" value=[filter.user_id]; }
            label { (say(texts::FILED_SINCE)) input type="date" name="since" value=[filter.since.map(date)]; }
            label { (say(texts::FILED_BEFORE)) input type="date" name="until" value=[filter.until.map(date)]; }
            label { (say(texts::IN_THE_SUBJECT)) input type="search" name="search_term" value=[filter.search_term.as_deref()]; }
            button { (say(texts::SHOW)) }
        }
    }
}

fn choice(name: &str, values: &[&str], chosen: Option<&str>, language: Language) -> Markup {
    html! {
        select name=(name) {
            option value="" { (texts::ALL.get(language)) }
            @for value in values { option value=(value) selected[chosen == Some(value)] { (word(value, language)) } }
        }
    }
}

fn table<'a>(opened: &Opened<impl Sized>, reports: impl Iterator<Item = &'a Summary>) -> Markup {
    let language = opened.language();
    let columns = [texts::NUMBER, texts::SUBJECT, texts::SEVERITY, texts::BY, texts::FILED, common::STATE];
    html::table(
        texts::TITLE.get(language),
        &columns.map(|column| column.get(language)),
        &html! { @for report in reports { tr {
            td { a href=(opened.address(&format!("/{}", report.id))) { (report.id) } }
            td { (cut(&report.subject, SHORT)) }
            td { @if let Some(severity) = &report.user_perceived_severity { (word(severity, language)) } }
            td { (reporter(report, language)) }
            td { (moment(report.created_at)) }
            td { (state(report, language)) }
        } } },
    )
}

/// All of a report, and the form that closes it or opens it again.
pub(crate) fn report(opened: &Opened<impl Sized>, report: &Report) -> Reply {
    let Details { summary, message, comments, backtrace, http_env, .. } = &report.details;
    let language = opened.language();
    let say = |text: Text| text.get(language);
    page(opened, say(texts::REPORT)).show(&html! {
        p { a href=(opened.address("")) { (say(texts::ALL_REPORTS)) } }
        h1 { (cut(&summary.subject, SHORT)) }
        (facts(report, language))
        (form(opened, &report.details))
        (text(say(texts::SUBJECT), Some(&summary.subject).filter(|subject| subject.chars().count() > SHORT)))
        (text(say(texts::COMMENTS), comments.as_ref()))
        (text(say(texts::MESSAGE), message.as_ref()))
        (text(say(texts::BACKTRACE), backtrace.as_ref()))
        (environment(&http_env.0, language))
    })
}

fn facts(report: &Report, language: Language) -> Markup {
    let summary = &report.details.summary;
    let fact = |name: Text, value: Option<Markup>| match value {
        Some(value) => html! { tr { th scope="row" { (name.get(language)) } td { (value) } } },
        None => html! {},
    };
    let code = |value: Option<&String>| value.map(|value| html! { code { (value) } });
    html! {
        div class="scroll" { table { tbody {
            (fact(texts::NUMBER, Some(html! { (summary.id) })))
            (fact(common::STATE, Some(history(report, language))))
            (fact(texts::FILED, Some(moment(summary.created_at))))
            (fact(texts::BY, Some(reporter(summary, language))))
            (fact(texts::ROLES, code(summary.user_roles.as_ref())))
            (fact(texts::SEVERITY, summary.user_perceived_severity.as_deref().map(|name| word(name, language))))
            // As text: where it leads, nobody has looked.
            (fact(texts::PAGE, code(summary.url.as_ref())))
            (fact(texts::ABOUT, code(summary.context_asset_string.as_ref())))
            (fact(texts::CATEGORY, code(summary.category.as_ref())))
            (fact(texts::FORWARDED, report.forwarding.as_deref().map(|name| word(name, language))))
            (fact(texts::FORWARDING_PROBLEM, code(report.forwarding_error.as_ref())))
        } } }
    }
}

/// The state of a report, since when it has it, and by whom.
fn history(report: &Report, language: Language) -> Markup {
    let summary = &report.details.summary;
    html! {
        (state(summary, language))
        @if let Some(closed_at) = summary.closed_at {
            ", " (fill(&common::SINCE, language, &[("moment", &moment(closed_at))]))
        }
        @if let Some(user) = report.details.updated_by_id {
            ", " (texts::LAST_CHANGED_BY.fill(language, &[("id", &user)]))
        }
    }
}

fn form(opened: &Opened<impl Sized>, details: &Details) -> Markup {
    let say = |text: Text| text.get(opened.language());
    let (other, words) = match details.summary.workflow_state {
        State::Open => (State::Closed, texts::CLOSE),
        State::Closed => (State::Open, texts::OPEN_AGAIN),
    };
    html! {
        form method="post" action={ (opened.path()) "/" (details.summary.id) } {
            (opened.proof())
            label { (say(texts::NOTE)) textarea name="note" rows="3" { (details.note.as_deref().unwrap_or_default()) } }
            button name="workflow_state" value=(other.name()) { (say(words)) }
            // It names no state: somebody else may have changed that meanwhile.
            button class="plain" { (say(texts::SAVE_NOTE)) }
        }
    }
}

fn text(title: &str, text: Option<&String>) -> Markup {
    html! { @if let Some(text) = text { h2 { (title) } pre { (text) } } }
}

fn environment(environment: &Map<String, Value>, language: Language) -> Markup {
    html! {
        h2 { (texts::ENVIRONMENT.get(language)) }
        @if environment.is_empty() { p { (texts::NO_ENVIRONMENT.get(language)) } }
        @else { div class="scroll" { table { tbody {
            @for (name, value) in environment { tr {
                th scope="row" { code { (name) } }
                td { @match value {
                    Value::String(text) => code { (text) },
                    other => pre { (format!("{other:#}")) },
                } }
            } }
        } } } }
    }
}

fn state(report: &Summary, language: Language) -> Markup {
    let is_open = report.workflow_state == State::Open;
    html! { span class=[is_open.then_some("open")] { (word(report.workflow_state.name(), language)) } }
}

fn reporter(report: &Summary, language: Language) -> Markup {
    html! {
        @if let Some(user) = report.user_id { (texts::USER.fill(language, &[("id", &user)])) " " }
        @match report.email.as_deref() {
            Some(email) if people::is_email(email) => a href={ "mailto:" (escaped(email)) } { (email) },
            Some(email) => (email),
            None if report.user_id.is_none() => (texts::NOBODY.get(language)),
            None => "",
        }
    }
}

fn date(moment: Timestamp) -> String {
    cut(&moment.to_string(), "2026-03-04".len())
}

/// A state or a severity in words.
fn word(name: &str, language: Language) -> Markup {
    html::name(states::named(name).or_else(|| severity::named(name)), name, language)
}

fn escaped(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// The same page from where this one ends.
fn address_of(opened: &Opened<impl Sized>, filter: &Filter, before: ErrorReportId) -> String {
    let parameters = [
        ("workflow_state", filter.workflow_state.map(|state| state.name().to_owned())),
        ("user_perceived_severity", filter.user_perceived_severity.clone()),
        ("user_id", filter.user_id.map(|user| user.to_string())),
        ("since", filter.since.map(|since| since.to_string())),
        ("until", filter.until.map(|until| until.to_string())),
        ("search_term", filter.search_term.clone()),
        ("before", Some(before.to_string())),
    ];
    let parameters = parameters.iter().filter_map(|(name, value)| Some(format!("{name}={}", escaped(value.as_ref()?))));
    opened.address_with("", &parameters.collect::<Vec<_>>().join("&"))
}
