//! Feeds of what changed since a moment: in the order of the changes, so that whoever follows them misses none.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shared::db::Value;
use shared::pagination::{Key, Part, Window, WindowQuery};
use shared::{Context, Error, JsonSchema, Query, Result, Timestamp, endpoint, endpoints};

use crate::access::READ_ISSUER;
use crate::model::entity::{Pagination, Records, Rest};
use crate::query::{self, Last, Listing, written};
use crate::routes::assertions::Assertion;
use crate::routes::badgeclasses::BadgeClass;
use crate::routes::issuers::Issuer;
use crate::store;
use crate::store::award_lists::FeedPart;

const DEFAULT_NUM: &str = "100";

/// So long before its answer a feed says that it was read, in seconds: what is dated already and not yet stored is told to whoever
/// asks from that moment on. A write that waits for others for longer is refused.
const WRITTEN_WITHIN: i64 = 20;

endpoints![list_changed_issuers, list_changed_badge_classes, list_changed_assertions];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ChangesQuery {
    /// The number of records, up to 500; 100 by default.
    #[schemars(with = "Option<i64>")]
    num: Last,
    /// The place at which the feed goes on: as the answer before says in `nextResults`.
    #[schemars(with = "Option<String>")]
    after: Last,
    /// From when on, with its time zone: as the first answer of the last time says in `timestamp`. From the beginning by default.
    #[schemars(with = "Option<Timestamp>")]
    since: Last,
}

/// Feeds tell what changed first first.
const IN_ORDER_OF_CHANGE: Key = Key::ascending(&["updated_at", "id"]);

impl ChangesQuery {
    /// The part of the feed, and the moment from which on it tells, where no cursor says where it goes on.
    async fn part(&self, cx: &Context) -> Result<(Window, Option<String>)> {
        let (num, after) = (self.num.0.as_deref().unwrap_or(DEFAULT_NUM), self.after.0.as_deref());
        let window = Window::of(cx, WindowQuery { num: Some(num), after, before: None }).await?.one_way();
        let since = self.since.0.as_deref().filter(|_| after.is_none()).map(moment).transpose()?;
        Ok((window, since.map(Timestamp::with_microseconds)))
    }
}

/// The end of a moment: no award has a greater id.
const LAST_ID: i64 = i64::MAX;

/// The answer to a statement, and `view` of each of its rows.
async fn feed<R: DeserializeOwned, T: Serialize>(
    cx: &Context,
    window: &Window,
    (sql, values): (String, Vec<Value>),
    view: impl Fn(R) -> T,
) -> Result<Listing<T>> {
    let view = async |rows: Vec<R>| rows.into_iter().map(|row| written(&view(row))).collect();
    answer(cx, window.read(&cx.db, (&sql, values), IN_ORDER_OF_CHANGE, view).await?)
}

/// The answer with a part of a feed, which goes one way.
fn answer<T>(cx: &Context, Part { items, next, .. }: Part<impl Records<T>>) -> Result<Listing<T>> {
    let pagination =
        Pagination { has_next: next.is_some(), next_results: next, has_previous: false, previous_results: None };
    items.beside(Rest::of(cx).earlier(WRITTEN_WITHIN).with(pagination))
}

/// A moment with its zone.
fn moment(text: &str) -> Result<Timestamp> {
    let refused = || Error::invalid("since", "invalid", "Must be an ISO 8601 time with a time zone.");
    let text = text.trim();
    let time = text.split_once(['T', 't']).map_or("", |(_date, time)| time);
    // In a query a plus sign stands for a space.
    let has_zone = text.ends_with(['Z', 'z']) || time.contains(['+', '-', ' ']);
    Timestamp::parse(text).filter(|_| has_zone).ok_or_else(refused)
}

/// Follows the changes of the caller's issuers.
#[endpoint(
    GET "/v2/issuers/changed",
    area_scopes(READ_ISSUER),
    foreigners(200, "follows the caller's own"),
    students(200, "follows the caller's own"),
)]
async fn list_changed_issuers(cx: Context, query: Query<ChangesQuery>) -> Result<Listing<Issuer>> {
    let (window, since) = query::read(&cx, &query)?.part(&cx).await?;
    let (base, user) = (cx.base_url().await?, cx.caller()?.user);
    let changed = store::issuers::changed(user, since);
    feed(&cx, &window, changed, |row| Issuer::of(&base, row, true)).await
}

/// Follows the changes of classes.
#[endpoint(
    GET "/v2/badgeclasses/changed",
    area_scopes(READ_ISSUER),
    foreigners(200, "follows the caller's own"),
    students(200, "follows the caller's own"),
)]
async fn list_changed_badge_classes(cx: Context, query: Query<ChangesQuery>) -> Result<Listing<BadgeClass>> {
    let (window, since) = query::read(&cx, &query)?.part(&cx).await?;
    let (base, user) = (cx.base_url().await?, cx.caller()?.user);
    let changed = store::classes::changed(user, since);
    feed(&cx, &window, changed, |row| BadgeClass::of(&base, row)).await
}

/// Follows the changes of awards.
#[endpoint(
    GET "/v2/assertions/changed",
    area_scopes(READ_ISSUER),
    foreigners(200, "follows the caller's own"),
    students(200, "follows the caller's own"),
)]
async fn list_changed_assertions(cx: Context, query: Query<ChangesQuery>) -> Result<Listing<Assertion>> {
    let (window, since) = query::read(&cx, &query)?.part(&cx).await?;
    let (base, user) = (cx.base_url().await?, cx.caller()?.user);
    let begins = || since.map_or_else(Default::default, |since| (since, LAST_ID));
    let part = FeedPart { behind: window.after().unwrap_or_else(begins), length: window.length() };
    let changed = store::award_lists::changed(user, &base, part);
    answer(&cx, changed.part(&cx.db, &window, IN_ORDER_OF_CHANGE).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_a_zone() {
        for text in ["2026-10-03T12:00:00Z", "2026-10-03T12:00:00+02:00", "2026-10-03T12:00:00.5 02:00"] {
            assert!(moment(text).is_ok(), "{text}");
        }
        for text in ["2026-10-03T12:00:00", "2026-10-03", "", "x"] {
            assert!(moment(text).is_err(), "{text}");
        }
    }
}
