//! The page's markup.

use form_urlencoded::Serializer;
use maud::{Markup, html};
use shared::Reply;
use shared::db::Json;
use shared::html::{Page, Width, moment, table};
use shared::ids::DeliveryId;

use crate::model::deliveries::{Attempt, Delivery, Filter, RequestHeader};
use crate::routes::deliveries::{Opened, SHOWN};
use crate::store::subscriptions::Overview;

const STYLE: &str = "
nav a { display: inline-block; margin-right: 1rem; }
nav a[aria-current] { font-weight: 600; text-decoration: none; color: inherit; }
td form { display: inline; }
td button { margin: 0; padding: .2rem .6rem; }
.failing { color: var(--alarm); font-weight: 600; }
summary { cursor: pointer; }
.scroll td:last-child { min-width: 9rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
";

const STATES: [&str; 4] = ["pending", "delivered", "dead", "kept"];

fn page<'a>(opened: &'a Opened, title: &'a str) -> Page<'a> {
    let signed_in = opened.signed_in();
    Page { title, width: Width::Wide, style: STYLE, forms_to: "'self'", signed_in, ..Page::default() }
}

/// All subscriptions, and deliveries, the newest first; one more than are shown tells that there are older ones.
pub(crate) fn overview(opened: &Opened, filter: &Filter, subscriptions: &[Overview], deliveries: &[Delivery]) -> Reply {
    let shown = || deliveries.iter().zip(0..SHOWN).map(|(delivery, _)| delivery);
    let older = deliveries.iter().zip(0..=SHOWN).any(|(_, place)| place == SHOWN);
    page(opened, "Webhook deliveries").show(&html! {
        h1 { "Webhook deliveries" }
        h2 { "Subscriptions" }
        @if subscriptions.is_empty() { p { "No tool has subscribed to anything." } }
        @else { (subscription_table(opened, subscriptions)) }
        h2 { "Deliveries" }
        (states(opened, filter))
        @if deliveries.is_empty() { p { "There are none." } }
        @else { (delivery_table(opened, shown())) }
        @if let Some(last) = shown().last().filter(|_| older) {
            p { a href=(address(opened, filter, Some(last.id))) rel="next" { "Older deliveries" } }
        }
    })
}

fn subscription_table(opened: &Opened, subscriptions: &[Overview]) -> Markup {
    table(
        "Subscriptions",
        &["Receiver", "About", "Events", "State", "Pending", "Dead", "Kept"],
        &html! { @for subscription in subscriptions { tr {
            td { a href=(address(opened, &of_subscription(&subscription.uuid), None)) { code { (subscription.url) } } }
            td { (subscription.context_type) " " (subscription.context_id) }
            td { (subscription.event_types.0.join(", ")) }
            td { (state(subscription)) }
            td { (subscription.pending) }
            td { (subscription.dead) }
            td {
                (subscription.kept)
                @if (subscription.dead > 0 || subscription.kept > 0) && subscription.status == "active" {
                    " " (button(opened, "/replay", "Send again", Some(&subscription.uuid)))
                }
            }
        } } },
    )
}

fn state(subscription: &Overview) -> Markup {
    html! {
        @if let Some(because) = &subscription.disabled_because {
            span class="failing" { "disabled" } ": " (because)
        } @else if let Some(since) = subscription.failing_since {
            span class="failing" { "failing" } " since " (moment(since))
        } @else { (subscription.status) }
    }
}

/// Links to the deliveries in each state: to the subscription, if one is chosen.
fn states(opened: &Opened, filter: &Filter) -> Markup {
    let chosen = filter.status.as_deref();
    let link = |status: Option<&str>| {
        let status = status.map(str::to_owned);
        address(opened, &Filter { subscription_id: filter.subscription_id.clone(), status }, None)
    };
    html! {
        nav aria-label="Deliveries by state" {
            a href=(link(None)) aria-current=[chosen.is_none().then_some("page")] { "all" }
            @for status in STATES {
                a href=(link(Some(status))) aria-current=[(chosen == Some(status)).then_some("page")] { (status) }
            }
        }
        @if filter.subscription_id.is_some() {
            p { "To one subscription. " a href=(opened.address("")) { "To all" } }
        }
    }
}

fn delivery_table<'a>(opened: &Opened, deliveries: impl Iterator<Item = &'a Delivery>) -> Markup {
    table(
        "Deliveries",
        &["Delivery", "Event", "Made", "State", "Attempts", "Latest answer"],
        &html! { @for delivery in deliveries { tr {
            td { a href=(opened.address(&format!("/{}", delivery.id))) { (delivery.id) } }
            td { (delivery.event_type) }
            td { (moment(delivery.created_at)) }
            td { (delivery.status) }
            td { (delivery.attempts) }
            td { (answer(delivery.response_status, delivery.error.as_deref())) }
        } } },
    )
}

/// A delivery, and all attempts at it, the latest first and open.
pub(crate) fn delivery(opened: &Opened, delivery: &Delivery, attempts: &[Attempt]) -> Reply {
    page(opened, "Delivery").show(&html! {
        p { a href=(opened.address("")) { "All deliveries" } }
        h1 { "Delivery " (delivery.id) }
        table { tbody {
            tr { th scope="row" { "Event" } td { (delivery.event_type) } }
            tr { th scope="row" { "Receiver" } td { code { (delivery.url) } } }
            tr { th scope="row" { "Subscription" } td { code { (delivery.subscription_id) } } }
            tr { th scope="row" { "Message" } td { code { (delivery.message_id) } } }
            tr { th scope="row" { "State" } td {
                (delivery.status)
                @if let Some(next) = delivery.next_attempt_at { ", next attempt " (moment(next)) }
                @if let Some(end) = delivery.ended_at { ", " (moment(end)) }
            } }
            tr { th scope="row" { "Attempts" } td { (delivery.attempts) } }
        } }
        (button(opened, &format!("/{}/replay", delivery.id), "Send again", None))
        h2 { "Attempts" }
        @if attempts.is_empty() { p { "None was made yet." } }
        @for (place, attempt) in attempts.iter().rev().enumerate() {
            h3 { (moment(attempt.attempted_at)) }
            p { (answer(attempt.response_status, attempt.error.as_deref())) ", " (attempt.latency) " ms" }
            (sent(attempt, place == 0))
            @if let Some(body) = attempt.response_body.as_deref().filter(|body| !body.is_empty()) {
                details open[place == 0] { summary { "What was answered" } pre { (body) } }
            }
        }
    })
}

/// What was sent, where it is known.
fn sent(attempt: &Attempt, is_open: bool) -> Markup {
    let Some(Json(headers)) = &attempt.request_headers else { return html! {} };
    let body = attempt.request_body.as_deref().unwrap_or_default();
    let whole = attempt.request_bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default();
    html! {
        details open[is_open] {
            summary { "What was sent" }
            table { tbody { @for header in headers { (header_row(header)) } } }
            pre { (body) }
            @if whole > body.len() { p { "The beginning of " (whole) " bytes." } }
        }
    }
}

fn header_row(header: &RequestHeader) -> Markup {
    html! { tr {
        th scope="row" { code { (header.name) } }
        td { @match &header.value { Some(value) => code { (value) }, None => "not shown: it tells a secret" } }
    } }
}

fn answer(status: Option<i64>, error: Option<&str>) -> Markup {
    html! {
        @match (error, status) {
            (Some(error), _) => span class="failing" { (error) },
            (None, Some(status)) => (status),
            (None, None) => "none yet",
        }
    }
}

fn button(opened: &Opened, rest: &str, words: &str, subscription: Option<&str>) -> Markup {
    html! {
        form method="post" action={ (opened.path()) (rest) } {
            @let (name, value) = opened.proof();
            input type="hidden" name=(name) value=(value);
            @if let Some(subscription) = subscription {
                input type="hidden" name="subscription_id" value=(subscription);
            }
            button { (words) }
        }
    }
}

fn of_subscription(uuid: &str) -> Filter {
    Filter { subscription_id: Some(uuid.to_owned()), status: None }
}

/// The address of the page with that filter, from the delivery on that comes after one.
fn address(opened: &Opened, filter: &Filter, before: Option<DeliveryId>) -> String {
    let mut query = Serializer::new(String::new());
    let before = before.map(|id| id.to_string());
    for (name, value) in [("subscription_id", &filter.subscription_id), ("status", &filter.status), ("before", &before)]
    {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    opened.address_with("", &query.finish())
}
