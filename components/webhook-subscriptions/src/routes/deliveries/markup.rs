//! The page's markup.

use maud::{Markup, html};
use shared::html::{Page, Width};
use shared::{Reply, Timestamp};

use crate::model::deliveries::{Attempt, Delivery, Filter};
use crate::routes::deliveries::Opened;
use crate::store::subscriptions::Overview;

const STYLE: &str = "
nav a { margin-right: 1rem; }
nav a[aria-current] { font-weight: 600; text-decoration: none; color: inherit; }
td form { display: inline; }
td button { margin: 0; padding: .2rem .6rem; }
.failing { color: var(--alarm); font-weight: 600; }
time { white-space: nowrap; }
";

const STATES: [&str; 4] = ["pending", "delivered", "dead", "kept"];

fn page(title: &str) -> Page<'_> {
    Page { title, width: Width::Wide, style: STYLE, forms_to: "'self'", ..Page::default() }
}

/// All subscriptions, and the newest deliveries.
pub(crate) fn overview(opened: &Opened, filter: &Filter, subscriptions: &[Overview], deliveries: &[Delivery]) -> Reply {
    page("Webhook deliveries").show(&html! {
        h1 { "Webhook deliveries" }
        h2 { "Subscriptions" }
        @if subscriptions.is_empty() { p { "No tool has subscribed to anything." } }
        @else { (subscription_table(opened, subscriptions)) }
        h2 { "Deliveries" }
        (states(opened, filter))
        @if deliveries.is_empty() { p { "There are none." } }
        @else { (delivery_table(opened, deliveries)) }
    })
}

fn subscription_table(opened: &Opened, subscriptions: &[Overview]) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr {
                th scope="col" { "Receiver" } th scope="col" { "About" } th scope="col" { "Events" }
                th scope="col" { "State" } th scope="col" { "Pending" } th scope="col" { "Dead" } th scope="col" { "Kept" }
            } }
            tbody { @for subscription in subscriptions { tr {
                td { a href=(with(opened, "subscription_id", &subscription.uuid)) { code { (subscription.url) } } }
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
            } } }
        } }
    }
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

/// Links to the deliveries in each state.
fn states(opened: &Opened, filter: &Filter) -> Markup {
    let chosen = filter.status.as_deref();
    html! {
        nav aria-label="Deliveries by state" {
            a href=(opened.address("")) aria-current=[chosen.is_none().then_some("page")] { "all" }
            @for status in STATES {
                a href=(with(opened, "status", status)) aria-current=[(chosen == Some(status)).then_some("page")] { (status) }
            }
        }
    }
}

fn delivery_table(opened: &Opened, deliveries: &[Delivery]) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr {
                th scope="col" { "Delivery" } th scope="col" { "Event" } th scope="col" { "Made" }
                th scope="col" { "State" } th scope="col" { "Attempts" } th scope="col" { "Latest answer" }
            } }
            tbody { @for delivery in deliveries { tr {
                td { a href=(opened.address(&format!("/{}", delivery.id))) { (delivery.id) } }
                td { (delivery.event_type) }
                td { (moment(delivery.created_at)) }
                td { (delivery.status) }
                td { (delivery.attempts) }
                td { (answer(delivery.response_status, delivery.error.as_deref())) }
            } } }
        } }
    }
}

/// A delivery, and all attempts at it.
pub(crate) fn delivery(opened: &Opened, delivery: &Delivery, attempts: &[Attempt]) -> Reply {
    page("Delivery").show(&html! {
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
        } }
        (button(opened, &format!("/{}/replay", delivery.id), "Send again", None))
        h2 { "Attempts" }
        @if attempts.is_empty() { p { "None was made yet." } }
        @for attempt in attempts.iter().rev() {
            h3 { (moment(attempt.attempted_at)) }
            p { (answer(attempt.response_status, attempt.error.as_deref())) ", " (attempt.latency) " ms" }
            @if let Some(body) = attempt.response_body.as_deref().filter(|body| !body.is_empty()) { pre { (body) } }
        }
    })
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
        form method="post" action={ (shared::signed_pages::DELIVERIES_PATH) (rest) } {
            input type="hidden" name="ticket" value=(opened.ticket);
            @if let Some(subscription) = subscription {
                input type="hidden" name="subscription_id" value=(subscription);
            }
            button { (words) }
        }
    }
}

fn moment(moment: Timestamp) -> Markup {
    let text = moment.to_string();
    html! { time datetime=(text) { (text.replace('T', " ").replace('Z', " UTC")) } }
}

fn with(opened: &Opened, name: &str, value: &str) -> String {
    format!("{}&{name}={value}", opened.address(""))
}
