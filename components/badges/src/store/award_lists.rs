//! Lists of awards. Of each award the statement writes the record itself, for which it is read in no other form.

use shared::db::{self, Bind, Binds, BuiltList};
use shared::ids::{BadgeClassId, IssuerId, UserId};
use shared::pagination::{Key, Part, Window};
use shared::{Db, Result, Timestamp};

use crate::model::recipients::hashed;
use crate::store::assertions::RELATED;

/// A recipient whose identity is hashed: the identity, and the salt.
type HashedRecipient = (String, String);

/// A list of awards.
pub(crate) struct AwardList {
    sql: String,
    values: Vec<db::Value>,
}

/// The record of each award of a part, with a hole for the hash of its recipient, which SQLite cannot work out, and a
/// [`HashedRecipient`] for it. `?2` is the beginning of addresses. Evidence is written anew, because it is kept with its members in
/// other orders.
fn record() -> String {
    format!(
        r#",
    concat('{{"entityType":"Assertion","entityId":"', entity_id, '","openBadgeId":', ?2, '/public/assertions/', entity_id,
        '","createdAt":"', substr(created_at, 1, 23), 'Z","createdBy":"', maker,
        '","badgeclass":"', class, '","badgeclassOpenBadgeId":', ?2, '/public/badges/', class,
        '","issuer":"', issuer, '","issuerOpenBadgeId":', ?2, '/public/issuers/', issuer, '","image":',
        iif(revoked_at IS NULL, concat(?2, '/public/assertions/', entity_id, '/image"'), 'null'),
        ',"recipient":{{"identity":',
        iif(recipient_hashed, concat('"', {}, '","hashed":true'), json_quote(recipient_identity) || ',"hashed":false'),
        ',"type":"', recipient_type, '"', iif(recipient_hashed, ',"salt":' || json_quote(salt), NULL),
        ',"plaintextIdentity":', json_quote(recipient_identity), '}},"issuedOn":"', substr(issued_on, 1, 19), '.000Z","narrative":',
        json_quote(narrative), ',"evidence":', iif(evidence = '[]', evidence, (
            SELECT concat('[', group_concat(concat(
                '{{"url":', ifnull(value -> 'url', 'null'), ',"narrative":', ifnull(value -> 'narrative', 'null'),
                ',"name":' || nullif(value -> 'name', 'null'), ',"description":' || nullif(value -> 'description', 'null'),
                ',"genre":' || nullif(value -> 'genre', 'null'), ',"audience":' || nullif(value -> 'audience', 'null'), '}}'
            ), ','), ']') FROM json_each(evidence)
        )),
        ',"revoked":', iif(revoked_at IS NULL, 'false', 'true'), ',"revocationReason":', json_quote(revocation_reason),
        ',"acceptance":"', acceptance, '","expires":', ifnull('"' || substr(expires, 1, 19) || '.000Z"', 'null'),
        ',"extensions":', extensions, ',"pending":false}}') AS record,
    iif(recipient_hashed, json_array(recipient_identity, salt), 'null') AS beside"#,
        db::HOLE
    )
}

impl AwardList {
    /// The awards of the issuers of whose staff the user is, with addresses that begin with that base.
    fn of_staff(user: UserId, base: &str) -> Self {
        Self::from("badge_staff own JOIN badge_assertions a ON a.issuer_id = own.issuer_id", user, base)
    }

    /// The same awards, of which those are found first that a condition on them names.
    fn found_first(user: UserId, base: &str) -> Self {
        Self::from("badge_assertions a CROSS JOIN badge_staff own ON own.issuer_id = a.issuer_id", user, base)
    }

    /// Awards `a` with a member of their issuer's staff, `own`.
    fn from(tables: &str, user: UserId, base: &str) -> Self {
        let sql = format!(
            "SELECT a.*, k.entity_id AS class, i.entity_id AS issuer, c.entity_id AS maker
             FROM {tables} {RELATED} WHERE own.user_id = ?1"
        );
        Self { sql, values: vec![user.value(), db::begun_text(base).value()] }
    }

    /// A part of it.
    pub(crate) async fn part<T>(self, db: &Db, window: &Window, order: Key) -> Result<Part<BuiltList<T>>> {
        let awards = window.read_built(db, &record(), (&self.sql, self.values), order).await?;
        let (mut part, recipients): (Part<BuiltList<T>>, Vec<Option<HashedRecipient>>) = awards;
        part.items.fill(recipients.into_iter().flatten().map(|(identity, salt)| hashed(&identity, &salt)))?;
        Ok(part)
    }

    /// The same list without those of which a condition on a value does not hold.
    fn only(&mut self, before: &str, value: impl Bind, behind: &str) {
        self.values.push(value.value());
        self.sql.push_str(&format!(" AND {before}?{}{behind}", self.values.len()));
    }
}

/// The issuer or the class whose assertions are listed.
pub(crate) enum AssertionOwner {
    Issuer(IssuerId),
    Class(BadgeClassId),
}

/// The filter of a list.
pub(crate) struct Filter {
    pub(crate) recipients: Vec<String>,
    pub(crate) expired: bool,
    pub(crate) revoked: bool,
}

/// The awards that a list shows.
pub(crate) fn listed(user: UserId, base: &str, of: &AssertionOwner, filter: Filter, now: Timestamp) -> AwardList {
    let is_of_some = !filter.recipients.is_empty();
    let mut list = match is_of_some {
        true => AwardList::found_first(user, base),
        false => AwardList::of_staff(user, base),
    };
    // Of few recipients the awards are few, and put in order; those of an issuer or a class are in order in its index.
    let plain = if is_of_some { "+" } else { "" };
    match of {
        AssertionOwner::Issuer(id) => list.only(&format!("{plain}a.issuer_id = "), *id, ""),
        AssertionOwner::Class(id) => list.only(&format!("{plain}a.class_id = "), *id, ""),
    }
    if !filter.expired {
        list.only("(a.expires IS NULL OR a.expires > ", now, ")");
    }
    if !filter.revoked {
        list.sql.push_str(" AND a.revoked_at IS NULL");
    }
    if is_of_some {
        list.only("a.recipient_identity IN (SELECT value FROM json_each(", db::Json(filter.recipients), "))");
    }
    list
}

/// Where a part of the feed begins, and how long it is at most.
pub(crate) struct FeedPart {
    /// The moment of change and the id of the award behind which it begins.
    pub(crate) behind: (String, i64),
    pub(crate) length: usize,
}

/// The awards among which those of that part of the feed are: of each issuer it can have no more than the first. So it costs
/// what it is long, and not what there is behind it.
pub(crate) fn changed(user: UserId, base: &str, part: FeedPart) -> AwardList {
    let (moment, id) = part.behind;
    let first = "badge_staff own CROSS JOIN badge_assertions a ON a.id IN (
                 SELECT id FROM badge_assertions
                 WHERE issuer_id = own.issuer_id AND (updated_at, id) > (?3, ?4)
                 ORDER BY updated_at, id LIMIT ?5)";
    let mut list = AwardList::from(first, user, base);
    // With one row more it is seen whether there are more.
    let rows = i64::try_from(part.length).unwrap_or(i64::MAX).saturating_add(1);
    list.values.extend((moment, id, rows).values());
    list
}
