//! Feeds of what changed since a moment: in the order of the changes, so that whoever follows them misses none.

use serde::Deserialize;
use shared::{Context, Error, JsonSchema, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::access::READ_ISSUER;
use crate::model::entity::{Answer, Pagination};
use crate::paging::{self, Gathered, Position};
use crate::query::{self, Last};
use crate::routes::assertions::Assertion;
use crate::routes::badgeclasses::BadgeClass;
use crate::routes::issuers::Issuer;
use crate::store;

const LENGTH: i64 = 100;

endpoints![list_changed_issuers, list_changed_badge_classes, list_changed_assertions];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ChangesQuery {
    /// How many records, up to 500; 100 by default.
    #[schemars(with = "Option<i64>")]
    num: Last,
    /// Where the feed goes on: as the answer before says in `nextResults`.
    #[schemars(with = "Option<String>")]
    after: Last,
    /// From when on, with its time zone; from the beginning by default.
    #[schemars(with = "Option<Timestamp>")]
    since: Last,
}

/// Where a feed begins, and how long its part is.
struct Part {
    after: Position,
    num: i64,
}

impl Part {
    async fn of(cx: &Context, query: &Query<ChangesQuery>) -> Result<Self> {
        let ChangesQuery { num, after, since } = query::read(cx, query)?;
        let num = paging::num_or(&num, LENGTH)?;
        if let Some(cursor) = after.0 {
            return Ok(Self { after: paging::opened(cx, "after", &cursor).await?, num });
        }
        let since = match since.0 {
            None => String::new(),
            Some(text) => moment(&text)?.with_microseconds(),
        };
        Ok(Self { after: Position(since, i64::MAX), num })
    }

    /// The answer: `fetch` reads so many rows behind a position, `view` tells where a row stands and what is shown of it.
    async fn reply<R, T: serde::Serialize>(
        self,
        cx: &Context,
        fetch: impl AsyncFn(Position, i64) -> shared::db::Result<Vec<R>>,
        view: impl Fn(R) -> (T, Position),
    ) -> Result<Reply<Answer<T>>> {
        let mut gathered = Gathered::new(self.num);
        loop {
            let wanted = gathered.wanted();
            let rows = fetch(gathered.last().unwrap_or(&self.after).clone(), wanted).await?;
            let is_end = i64::try_from(rows.len()).is_ok_and(|count| count < wanted);
            let has_room = rows.into_iter().map(&view).all(|(item, position)| gathered.add(item, position));
            if is_end || !has_room {
                break;
            }
        }
        let more = gathered.has_more;
        let next_results = match gathered.last().filter(|_| more) {
            Some(last) => {
                let cursor = paging::sealed(cx, last).await?;
                Some(paging::address(cx, self.num, "after", &cursor).await?)
            }
            None => None,
        };
        // A feed goes one way.
        let pagination = Pagination { has_next: more, next_results, has_previous: false, previous_results: None };
        Ok(Reply::ok(Answer::of(cx, gathered.into_items()).with(pagination)))
    }
}

/// A moment with its zone.
fn moment(text: &str) -> Result<Timestamp> {
    let refused = || Error::invalid("since", "invalid", "Must be an ISO 8601 time with a time zone.");
    // In a query a plus sign stands for a space.
    let text = text.trim().replace(' ', "+");
    let has_zone = text.ends_with(['Z', 'z']) || text.get(19..).is_some_and(|zone| zone.contains(['+', '-']));
    Timestamp::parse(&text).filter(|_| has_zone).ok_or_else(refused)
}

/// Follows the changes of the caller's issuers.
#[endpoint(
    GET "/v2/issuers/changed",
    area_scopes(READ_ISSUER),
    foreigners(200, "follows the caller's own"),
    students(200, "follows the caller's own"),
)]
async fn list_changed_issuers(cx: Context, query: Query<ChangesQuery>) -> Result<Reply<Answer<Issuer>>> {
    let (part, base, user) = (Part::of(&cx, &query).await?, cx.base_url().await?, cx.caller()?.user);
    let fetch = async |after: Position, limit| store::issuers::changed(&cx.db, user, (&after.0, after.1), limit).await;
    part.reply(&cx, fetch, |row| {
        let position = Position(row.updated_at.clone(), row.id.0);
        (Issuer::of(&base, row, true), position)
    })
    .await
}

/// Follows the changes of classes.
#[endpoint(
    GET "/v2/badgeclasses/changed",
    area_scopes(READ_ISSUER),
    foreigners(200, "follows the caller's own"),
    students(200, "follows the caller's own"),
)]
async fn list_changed_badge_classes(cx: Context, query: Query<ChangesQuery>) -> Result<Reply<Answer<BadgeClass>>> {
    let (part, base, user) = (Part::of(&cx, &query).await?, cx.base_url().await?, cx.caller()?.user);
    let fetch = async |after: Position, limit| store::classes::changed(&cx.db, user, (&after.0, after.1), limit).await;
    part.reply(&cx, fetch, |row| {
        let position = Position(row.updated_at.clone(), row.id.0);
        (BadgeClass::of(&base, row), position)
    })
    .await
}

/// Follows the changes of awards.
#[endpoint(
    GET "/v2/assertions/changed",
    area_scopes(READ_ISSUER),
    foreigners(200, "follows the caller's own"),
    students(200, "follows the caller's own"),
)]
async fn list_changed_assertions(cx: Context, query: Query<ChangesQuery>) -> Result<Reply<Answer<Assertion>>> {
    let (part, base, user) = (Part::of(&cx, &query).await?, cx.base_url().await?, cx.caller()?.user);
    let fetch =
        async |after: Position, limit| store::assertions::changed(&cx.db, user, (&after.0, after.1), limit).await;
    part.reply(&cx, fetch, |row| {
        let position = Position(row.updated_at.clone(), row.id.0);
        (Assertion::of(&base, row), position)
    })
    .await
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
