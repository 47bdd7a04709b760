//! The page's markup.

use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};
use shared::html::{self, Page, Width, moment};
use shared::ids::ErrorReportId;
use shared::{Reply, Timestamp, people};

use crate::model::environment::cut;
use crate::model::form::SEVERITIES;
use crate::model::reports::{Details, Filter, Report, State, Summary};
use crate::routes::error_reports::page::{Opened, SHOWN};

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

fn page<'a>(opened: &'a Opened, title: &'a str) -> Page<'a> {
    let signed_in = opened.signed_in();
    Page { title, width: Width::Wide, style: STYLE, forms_to: "'self'", signed_in, ..Page::default() }
}

/// The newest reports; one more than are shown tells that there are older ones.
pub(crate) fn overview(opened: &Opened, filter: &Filter, reports: &[Summary]) -> Reply {
    let shown = || reports.iter().zip(0..SHOWN).map(|(report, _)| report);
    let older = reports.iter().zip(0..=SHOWN).any(|(_, place)| place == SHOWN);
    page(opened, "Error reports").show(&html! {
        h1 { "Error reports" }
        (filter_form(opened, filter))
        @if reports.is_empty() { p { "There are none." } }
        @else { (table(opened, shown())) }
        @if let Some(last) = shown().last().filter(|_| older) {
            p { a href=(address_of(opened, filter, last.id)) rel="next" { "Older reports" } }
        }
    })
}

fn filter_form(opened: &Opened, filter: &Filter) -> Markup {
    let states = State::ALL.map(State::name);
    html! {
        form class="filter" method="get" action=(opened.path()) {
            @if let Some(ticket) = opened.ticket() { input type="hidden" name="ticket" value=(ticket); }
            label { "State" (choice("workflow_state", &states, filter.workflow_state.map(State::name))) }
            label { "Severity" (choice("user_perceived_severity", &SEVERITIES, filter.user_perceived_severity.as_deref())) }
            label { "User’s id" input name="user_id" inputmode="numeric" value=[filter.user_id]; }
            label { "Filed since" input type="date" name="since" value=[filter.since.map(date)]; }
            label { "Filed before" input type="date" name="until" value=[filter.until.map(date)]; }
            label { "In the subject" input type="search" name="search_term" value=[filter.search_term.as_deref()]; }
            button { "Show" }
        }
    }
}

fn choice(name: &str, values: &[&str], chosen: Option<&str>) -> Markup {
    html! {
        select name=(name) {
            option value="" { "all" }
            @for value in values { option value=(value) selected[chosen == Some(value)] { (words(value)) } }
        }
    }
}

fn table<'a>(opened: &Opened, reports: impl Iterator<Item = &'a Summary>) -> Markup {
    html::table(
        "Error reports",
        &["Report", "Subject", "Severity", "By", "Filed", "State"],
        &html! { @for report in reports { tr {
            td { a href=(opened.address(&format!("/{}", report.id))) { (report.id) } }
            td { (cut(&report.subject, SHORT)) }
            td { @if let Some(severity) = &report.user_perceived_severity { (words(severity)) } }
            td { (reporter(report)) }
            td { (moment(report.created_at)) }
            td { (state(report)) }
        } } },
    )
}

/// All of a report, and the form that closes it or opens it again.
pub(crate) fn report(opened: &Opened, report: &Report) -> Reply {
    let Details { summary, message, comments, backtrace, http_env, .. } = &report.details;
    page(opened, "Error report").show(&html! {
        p { a href=(opened.address("")) { "All reports" } }
        h1 { (cut(&summary.subject, SHORT)) }
        (facts(report))
        (form(opened, &report.details))
        (text("Subject", Some(&summary.subject).filter(|subject| subject.chars().count() > SHORT)))
        (text("Comments", comments.as_ref()))
        (text("Message", message.as_ref()))
        (text("Backtrace", backtrace.as_ref()))
        (environment(&http_env.0))
    })
}

fn facts(report: &Report) -> Markup {
    let summary = &report.details.summary;
    html! {
        div class="scroll" { table { tbody {
            tr { th scope="row" { "Report" } td { (summary.id) } }
            tr { th scope="row" { "State" } td {
                (state(summary))
                @if let Some(closed_at) = summary.closed_at { ", since " (moment(closed_at)) }
                @if let Some(user) = report.details.updated_by_id { ", last changed by user " (user) }
            } }
            tr { th scope="row" { "Filed" } td { (moment(summary.created_at)) } }
            tr { th scope="row" { "By" } td { (reporter(summary)) } }
            (fact("Roles", summary.user_roles.as_ref()))
            (fact("Severity", summary.user_perceived_severity.as_deref().map(words).as_ref()))
            // As text: where it leads, nobody has looked.
            (fact("Page", summary.url.as_ref()))
            (fact("About", summary.context_asset_string.as_ref()))
            (fact("Category", summary.category.as_ref()))
            (fact("Forwarded", report.forwarding.as_ref()))
            (fact("Problem in forwarding", report.forwarding_error.as_ref()))
        } } }
    }
}

fn fact(name: &str, value: Option<&String>) -> Markup {
    html! { @if let Some(value) = value { tr { th scope="row" { (name) } td { code { (value) } } } } }
}

fn form(opened: &Opened, details: &Details) -> Markup {
    let (other, words) = match details.summary.workflow_state {
        State::Open => (State::Closed, "Close the report"),
        State::Closed => (State::Open, "Open it again"),
    };
    html! {
        form method="post" action={ (opened.path()) "/" (details.summary.id) } {
            @let (name, value) = opened.proof();
            input type="hidden" name=(name) value=(value);
            label { "Note, for those who work on it" textarea name="note" rows="3" { (details.note.as_deref().unwrap_or_default()) } }
            button name="workflow_state" value=(other.name()) { (words) }
            button class="plain" name="workflow_state" value=(details.summary.workflow_state.name()) { "Save the note" }
        }
    }
}

fn text(title: &str, text: Option<&String>) -> Markup {
    html! { @if let Some(text) = text { h2 { (title) } pre { (text) } } }
}

fn environment(environment: &Map<String, Value>) -> Markup {
    html! {
        h2 { "Environment" }
        @if environment.is_empty() { p { "The report brought none." } }
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

fn state(report: &Summary) -> Markup {
    html! { span class=[(report.workflow_state == State::Open).then_some("open")] { (report.workflow_state.name()) } }
}

fn reporter(report: &Summary) -> Markup {
    html! {
        @if let Some(user) = report.user_id { "user " (user) " " }
        @match report.email.as_deref() {
            Some(email) if people::is_email(email) => a href={ "mailto:" (escaped(email)) } { (email) },
            Some(email) => (email),
            None if report.user_id.is_none() => "nobody in particular",
            None => "",
        }
    }
}

fn date(moment: Timestamp) -> String {
    cut(&moment.to_string(), "2026-03-04".len())
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn escaped(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// The same page from where this one ends.
fn address_of(opened: &Opened, filter: &Filter, before: ErrorReportId) -> String {
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
