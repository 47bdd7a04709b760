//! Feeds of what changed since a moment: in the order of the changes, so that whoever follows them misses none.

use shared::{Context, Endpoint, Error, Reply, Result, Timestamp, get};

use crate::access::READ_ISSUER;
use crate::assertions::Assertion;
use crate::classes::BadgeClass;
use crate::entity::{Answer, Pagination};
use crate::issuers::Issuer;
use crate::paging::{self, Position};
use crate::store;

const LENGTH: i64 = 100;

pub(crate) fn endpoints() -> [Endpoint; 3] {
    [
        get("/v2/issuers/changed", issuers)
            .area_scopes(READ_ISSUER)
            .about("Follows the changes of the caller's issuers"),
        get("/v2/badgeclasses/changed", classes).area_scopes(READ_ISSUER).about("Follows the changes of classes"),
        get("/v2/assertions/changed", assertions).area_scopes(READ_ISSUER).about("Follows the changes of awards"),
    ]
}

/// Where a feed begins, and how long its part is.
struct Part {
    after: Position,
    num: i64,
}

impl Part {
    async fn of(cx: &Context) -> Result<Self> {
        let num = paging::num_or(cx, LENGTH)?;
        if let Some(cursor) = paging::given(cx, "after") {
            return Ok(Self { after: paging::opened(cx, "after", &cursor).await?, num });
        }
        let since = match paging::given(cx, "since") {
            None => String::new(),
            Some(text) => moment(&text)?.with_microseconds(),
        };
        Ok(Self { after: Position(since, i64::MAX), num })
    }

    fn place(&self) -> (&str, i64) {
        (&self.after.0, self.after.1)
    }

    /// One more than the part has, to see whether another follows.
    fn most(&self) -> i64 {
        self.num.saturating_add(1)
    }

    async fn reply<R, T: serde::Serialize>(
        self,
        cx: &Context,
        mut rows: Vec<R>,
        position: impl Fn(&R) -> Position,
        view: impl Fn(R) -> T,
    ) -> Result<Reply<Answer<T>>> {
        let length = usize::try_from(self.num).unwrap_or(usize::MAX);
        let more = rows.len() > length;
        rows.truncate(length);
        let next_results = match rows.last().filter(|_| more) {
            Some(last) => {
                let cursor = paging::sealed(cx, &position(last)).await?;
                Some(paging::address(cx, self.num, "after", &cursor).await?)
            }
            None => None,
        };
        // A feed goes one way.
        let pagination = Pagination { has_next: more, next_results, has_previous: false, previous_results: None };
        Ok(Reply::ok(Answer::of(cx, rows.into_iter().map(view).collect()).with(pagination)))
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

async fn issuers(cx: Context) -> Result<Reply<Answer<Issuer>>> {
    let (part, base) = (Part::of(&cx).await?, cx.base_url().await?);
    let rows = store::issuers::changed(&cx.db, cx.caller()?.user, part.place(), part.most()).await?;
    let position = |row: &store::issuers::IssuerRow| Position(row.updated_at.clone(), row.id.0);
    part.reply(&cx, rows, position, |row| Issuer::of(&base, row, true)).await
}

async fn classes(cx: Context) -> Result<Reply<Answer<BadgeClass>>> {
    let (part, base) = (Part::of(&cx).await?, cx.base_url().await?);
    let rows = store::classes::changed(&cx.db, cx.caller()?.user, part.place(), part.most()).await?;
    let position = |row: &store::classes::ClassRow| Position(row.updated_at.clone(), row.id.0);
    part.reply(&cx, rows, position, |row| BadgeClass::of(&base, row)).await
}

async fn assertions(cx: Context) -> Result<Reply<Answer<Assertion>>> {
    let (part, base) = (Part::of(&cx).await?, cx.base_url().await?);
    let rows = store::assertions::changed(&cx.db, cx.caller()?.user, part.place(), part.most()).await?;
    let position = |row: &store::assertions::AssertionRow| Position(row.updated_at.clone(), row.id.0);
    part.reply(&cx, rows, position, |row| Assertion::of(&base, row)).await
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
