//! The markup of the pages of deliveries, as an operator and as a tool's developer see them.

use form_urlencoded::Serializer;
use maud::{Markup, html};
use shared::Reply;
use shared::db::Json;
use shared::html::{Page, Width, fill, moment, table};
use shared::ids::DeliveryId;
use shared::signed_pages::Opened;
use shared::texts::{Language, Text, deliveries as texts};

use crate::model::deliveries::{Attempt, Delivery, Filter, RequestHeader, STATES, ToolFilter, event_types};
use crate::store::subscriptions::Overview;

/// The number of deliveries that the page shows.
pub(crate) const SHOWN: i64 = 50;

const STYLE: &str = "
main nav { margin-block: .5rem; }
main nav span { margin-right: 1rem; color: var(--soft); }
nav a { display: inline-block; margin-right: 1rem; }
nav a[aria-current] { font-weight: 600; text-decoration: none; color: inherit; }
td form { display: inline; }
td button { margin: 0; padding: .2rem .6rem; }
.failing { color: var(--alarm); font-weight: 600; }
summary { cursor: pointer; }
.scroll td:last-child { min-width: 9rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
";

/// The one who looks at the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Sees the deliveries of a tenant, and sends them again, many at once too.
    Operator,
    /// Sees those of one tool by their events as well, and sends again those that are over, one by one.
    Tool,
}

/// The pages as somebody is shown them.
pub(crate) struct View<'a, T> {
    pub(crate) opened: &'a Opened<T>,
    pub(crate) reader: Reader,
}

/// The deliveries that are shown.
#[derive(Clone, Copy, Default)]
pub(crate) struct Chosen<'a> {
    subscription: Option<&'a str>,
    status: Option<&'a str>,
    event_type: Option<&'a str>,
}

impl<'a> From<&'a Filter> for Chosen<'a> {
    fn from(filter: &'a Filter) -> Self {
        let Filter { subscription_id, status } = filter;
        Self { subscription: subscription_id.as_deref(), status: status.as_deref(), event_type: None }
    }
}

impl<'a> From<&'a ToolFilter> for Chosen<'a> {
    fn from(filter: &'a ToolFilter) -> Self {
        let ToolFilter { subscription_id, status, event_type } = filter;
        Self { subscription: subscription_id.as_deref(), status: status.as_deref(), event_type: event_type.as_deref() }
    }
}

impl<T> View<'_, T> {
    fn language(&self) -> Language {
        self.opened.language()
    }

    fn say(&self, text: &Text) -> &'static str {
        text.get(self.language())
    }

    fn show(&self, title: &str, content: &Markup) -> Reply {
        Page { title, width: Width::Wide, style: STYLE, forms_to: "'self'", ..self.opened.page() }.show(content)
    }

    fn table(&self, name: &Text, columns: &[&Text], rows: &Markup) -> Markup {
        let columns: Vec<_> = columns.iter().map(|column| self.say(column)).collect();
        table(self.say(name), &columns, rows)
    }

    /// All subscriptions, and deliveries, the newest first; one more than are shown tells that there are older ones.
    pub(crate) fn overview(&self, chosen: Chosen<'_>, subscriptions: &[Overview], deliveries: &[Delivery]) -> Reply {
        let shown = || deliveries.iter().zip(0..SHOWN).map(|(delivery, _)| delivery);
        let older = deliveries.iter().zip(0..=SHOWN).any(|(_, place)| place == SHOWN);
        let no_subscriptions = match self.reader {
            Reader::Operator => &texts::NO_SUBSCRIPTIONS,
            Reader::Tool => &texts::NO_OWN_SUBSCRIPTIONS,
        };
        let title = self.say(&texts::TITLE);
        self.show(
            title,
            &html! {
                h1 { (title) }
                h2 { (self.say(&texts::SUBSCRIPTIONS)) }
                @if subscriptions.is_empty() { p { (self.say(no_subscriptions)) } }
                @else { (self.subscription_table(subscriptions)) }
                h2 { (self.say(&texts::DELIVERIES)) }
                (self.choices(chosen))
                @if deliveries.is_empty() { p { (self.say(&texts::NONE)) } }
                @else { (self.delivery_table(shown())) }
                @if let Some(last) = shown().last().filter(|_| older) {
                    p { a href=(self.address(chosen, Some(last.id))) rel="next" { (self.say(&texts::OLDER)) } }
                }
            },
        )
    }

    fn subscription_table(&self, subscriptions: &[Overview]) -> Markup {
        let columns = [
            &texts::RECEIVER,
            &texts::ABOUT,
            &texts::EVENTS,
            &texts::STATE,
            &texts::NUMBER_PENDING,
            &texts::NUMBER_DEAD,
            &texts::NUMBER_KEPT,
        ];
        self.table(
            &texts::SUBSCRIPTIONS,
            &columns,
            &html! { @for subscription in subscriptions { tr {
                @let deliveries = Chosen { subscription: Some(&subscription.uuid), ..Chosen::default() };
                td { a href=(self.address(deliveries, None)) { code { (subscription.url) } } }
                td { (subscription.context_type) " " (subscription.context_id) }
                td { (subscription.event_types.0.join(", ")) }
                td { (self.state_of(subscription)) }
                td { (subscription.pending) }
                td { (subscription.dead) }
                td {
                    (subscription.kept)
                    @if self.reader == Reader::Operator && may_be_sent_again(subscription) {
                        " " (self.button("/replay", Some(&subscription.uuid)))
                    }
                }
            } } },
        )
    }

    fn state_of(&self, subscription: &Overview) -> Markup {
        html! {
            @if let Some(because) = &subscription.disabled_because {
                span class="failing" { (self.say(&texts::DISABLED)) } ": " (self.english(because))
            } @else if let Some(since) = subscription.failing_since {
                span class="failing" { (self.say(&texts::FAILING)) } " "
                (fill(&texts::SINCE, self.language(), &[("moment", &moment(since))]))
            } @else { (self.word(&subscription.status)) }
        }
    }

    /// Links to the deliveries in each state, and for a tool of each event: to the subscription, if one is chosen.
    fn choices(&self, chosen: Chosen<'_>) -> Markup {
        let by_state = |status| self.address(Chosen { status, ..chosen }, None);
        let by_event = |event_type| self.address(Chosen { event_type, ..chosen }, None);
        html! {
            nav aria-label=(self.say(&texts::BY_STATE)) {
                span { (self.say(&texts::STATE)) }
                (choice(&by_state(None), self.say(&texts::ALL), chosen.status.is_none()))
                @for status in STATES {
                    (choice(&by_state(Some(status)), self.word(status), chosen.status == Some(status)))
                }
            }
            @if self.reader == Reader::Tool {
                nav aria-label=(self.say(&texts::BY_EVENT)) {
                    span { (self.say(&texts::EVENT)) }
                    (choice(&by_event(None), self.say(&texts::ALL), chosen.event_type.is_none()))
                    @for name in event_types() {
                        (choice(&by_event(Some(name)), name, chosen.event_type == Some(name)))
                    }
                }
            }
            @if chosen.subscription.is_some() {
                p {
                    (self.say(&texts::TO_ONE)) " "
                    a href=(self.opened.address("")) { (self.say(&texts::TO_ALL)) }
                }
            }
        }
    }

    fn delivery_table<'d>(&self, deliveries: impl Iterator<Item = &'d Delivery>) -> Markup {
        let columns =
            [&texts::DELIVERY, &texts::EVENT, &texts::MADE, &texts::STATE, &texts::ATTEMPTS, &texts::LATEST_ANSWER];
        self.table(
            &texts::DELIVERIES,
            &columns,
            &html! { @for delivery in deliveries { tr {
                td { a href=(self.opened.address(&format!("/{}", delivery.id))) { (delivery.id) } }
                td { (delivery.event_type) }
                td { (moment(delivery.created_at)) }
                td { (self.word(&delivery.status)) }
                td { (delivery.attempts) }
                td { (self.answer(delivery.response_status, delivery.error.as_deref())) }
            } } },
        )
    }

    /// A delivery, and all attempts at it, the latest first and open.
    pub(crate) fn delivery(&self, delivery: &Delivery, attempts: &[Attempt]) -> Reply {
        let title = texts::ONE_DELIVERY.fill(self.language(), &[("id", &delivery.id)]);
        self.show(
            self.say(&texts::DELIVERY),
            &html! {
                p { a href=(self.opened.address("")) { (self.say(&texts::ALL_DELIVERIES)) } }
                h1 { (title) }
                (self.facts(delivery))
                @if self.reader == Reader::Operator || delivery.is_over() {
                    (self.button(&format!("/{}/replay", delivery.id), None))
                }
                h2 { (self.say(&texts::ATTEMPTS)) }
                @if attempts.is_empty() { p { (self.say(&texts::NO_ATTEMPTS)) } }
                @for (place, attempt) in attempts.iter().rev().enumerate() {
                    h3 { (moment(attempt.attempted_at)) }
                    p { (self.answer(attempt.response_status, attempt.error.as_deref())) ", " (attempt.latency) " ms" }
                    (self.sent(attempt, place == 0))
                    @if let Some(body) = attempt.response_body.as_deref().filter(|body| !body.is_empty()) {
                        details open[place == 0] { summary { (self.say(&texts::ANSWERED)) } pre { (body) } }
                    }
                }
            },
        )
    }

    fn facts(&self, delivery: &Delivery) -> Markup {
        let fact = |name: &Text, value: Markup| html! { tr { th scope="row" { (self.say(name)) } td { (value) } } };
        let next = |next| fill(&texts::NEXT_ATTEMPT, self.language(), &[("moment", &moment(next))]);
        let state = html! {
            (self.word(&delivery.status))
            @if let Some(at) = delivery.next_attempt_at { ", " (next(at)) }
            @if let Some(end) = delivery.ended_at { ", " (moment(end)) }
        };
        html! { table { tbody {
            (fact(&texts::EVENT, html! { (delivery.event_type) }))
            (fact(&texts::RECEIVER, html! { code { (delivery.url) } }))
            (fact(&texts::SUBSCRIPTION, html! { code { (delivery.subscription_id) } }))
            (fact(&texts::MESSAGE, html! { code { (delivery.message_id) } }))
            (fact(&texts::STATE, state))
            (fact(&texts::ATTEMPTS, html! { (delivery.attempts) }))
        } } }
    }

    /// What was sent, where it is known.
    fn sent(&self, attempt: &Attempt, is_open: bool) -> Markup {
        let Some(Json(headers)) = &attempt.request_headers else { return html! {} };
        let body = attempt.request_body.as_deref().unwrap_or_default();
        let whole = attempt.request_bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default();
        html! {
            details open[is_open] {
                summary { (self.say(&texts::SENT)) }
                table { tbody { @for header in headers { (self.header_row(header)) } } }
                pre { (body) }
                @if whole > body.len() { p { (texts::BEGINNING.fill(self.language(), &[("bytes", &whole)])) } }
            }
        }
    }

    fn header_row(&self, header: &RequestHeader) -> Markup {
        html! { tr {
            th scope="row" { code { (header.name) } }
            td { @match &header.value { Some(value) => code { (value) }, None => (self.say(&texts::HIDDEN)) } }
        } }
    }

    fn answer(&self, status: Option<i64>, error: Option<&str>) -> Markup {
        html! {
            @match (error, status) {
                (Some(error), _) => span class="failing" { (self.english(error)) },
                (None, Some(status)) => (status),
                (None, None) => (self.say(&texts::NO_ANSWER)),
            }
        }
    }

    fn button(&self, rest: &str, subscription: Option<&str>) -> Markup {
        html! {
            form method="post" action={ (self.opened.path()) (rest) } {
                (self.opened.proof())
                @if let Some(subscription) = subscription {
                    input type="hidden" name="subscription_id" value=(subscription);
                }
                button { (self.say(&texts::SEND_AGAIN)) }
            }
        }
    }

    /// The state of a delivery or a subscription, in the reader's language.
    fn word<'s>(&self, state: &'s str) -> &'s str {
        match state {
            "pending" => self.say(&texts::PENDING),
            "delivered" => self.say(&texts::DELIVERED),
            "dead" => self.say(&texts::DEAD),
            "kept" => self.say(&texts::KEPT),
            "active" => self.say(&texts::ACTIVE),
            "disabled" => self.say(&texts::DISABLED),
            other => other,
        }
    }

    /// Words of the log of attempts, which is kept in English.
    fn english(&self, words: &str) -> Markup {
        let is_foreign = self.language() != Language::English;
        html! { span lang=[is_foreign.then_some(Language::English.tag())] { (words) } }
    }

    /// The address of the page with these deliveries, from the one on that comes after another.
    fn address(&self, chosen: Chosen<'_>, before: Option<DeliveryId>) -> String {
        let mut query = Serializer::new(String::new());
        let before = before.map(|id| id.to_string());
        for (name, value) in [
            ("subscription_id", chosen.subscription),
            ("status", chosen.status),
            ("event_type", chosen.event_type),
            ("before", before.as_deref()),
        ] {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        self.opened.address_with("", &query.finish())
    }
}

fn choice(address: &str, words: &str, is_chosen: bool) -> Markup {
    html! { a href=(address) aria-current=[is_chosen.then_some("page")] { (words) } }
}

fn may_be_sent_again(subscription: &Overview) -> bool {
    (subscription.dead > 0 || subscription.kept > 0) && subscription.status == "active"
}
