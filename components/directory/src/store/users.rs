//! The SQL of users.

use serde::Deserialize;
use shared::auth::{AccountAccess, Right, open_states_sql};
use shared::channels::{self, NewChannel, Question};
use shared::db;
use shared::db::{BuiltRow, Changes, IdRow, Json};
use shared::ids::{AccountId, UserId};
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::pagination::{BuiltPage, Key, Page};
use shared::params::SearchTerm;
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Result, Timestamp, accounts_below, administers_account, users};

use crate::model::filters;
use crate::model::users::{FirstChannel, NewUser, Row, UserFilter, UserSort};
use crate::store::logins::{self, NewLogin};
use crate::store::user_search::UserSearch;

/// A user, with what the database keeps of the parts of the name, the logins and the channels.
pub(super) const USER: &str = "id, name, created_at, sortable_name, short_name, locale, time_zone,
    kept_given_name AS first_name, kept_family_name AS last_name, kept_email AS email, kept_login_id AS login_id,
    kept_sis_user_id AS sis_user_id, kept_integration_id AS integration_id";

/// The same in the statement that gives the user a login, of which a trigger keeps what [`USER`] reads only afterwards.
const USER_OF_LOGIN: &str = "
    SELECT u.id, u.name, u.created_at, u.sortable_name, u.short_name, u.locale, u.time_zone,
           d.given_name AS first_name, d.family_name AS last_name, d.email, d.login_id, d.sis_user_id, d.integration_id
    FROM users u JOIN user_details d ON d.user_id = u.id WHERE u.id = pseudonyms.user_id";

pub(crate) async fn user(db: &Db, id: UserId) -> db::Result<Option<Row>> {
    db.fetch(&format!("SELECT {USER} FROM users WHERE id = ?1 AND workflow_state <> 'deleted'"), (id,)).await
}

/// The users of a tenant by their ids, for who administers the root account that is needed; of another account there are none.
/// Those of an account under it, who are searched for, or in another order, are found when it is known that the caller may: see
/// [`of_account`].
pub(crate) struct UsersOfTenant;

impl List for UsersOfTenant {
    type Row = BuiltRow<Row>;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        if !path.query::<UserFilter>()?.is_plain() {
            return Err(Error::not_found());
        }
        let sql = "SELECT id, kept_record AS record FROM users
             WHERE caller.needed ->> 'admin' AND root_account_id = (caller.needed ->> 'id') AND workflow_state <> 'deleted'";
        Ok(Lookup::new(sql, ()))
    }
}

/// The users of a tenant, by name with the help of an index; of an account under it those who administer it or are enrolled in its courses.
pub(crate) async fn of_account(
    db: &Db,
    account: &AccountAccess,
    filter: UserFilter,
    page: &Page,
) -> Result<BuiltPage<Row>> {
    let UserFilter { search_term, enrollment_type, sort, order } = filter;
    let term = filters::search_term(search_term)?;
    let term = term.as_ref();
    let UserSearch { is_named, has_email, has_login } = UserSearch::sql(term, "?3");
    let sql = format!(
        "WITH below (id) AS {}
         SELECT id, kept_record AS record, lower(sortable_name) AS sort_key FROM users
         WHERE root_account_id = ?1 AND workflow_state <> 'deleted'
           AND (?1 = ?2 OR id IN (
                   SELECT user_id FROM account_admins WHERE account_id IN below
                   UNION
                   SELECT e.user_id FROM enrollments e JOIN courses c ON c.id = e.course_id
                   WHERE e.workflow_state <> 'deleted' AND c.workflow_state <> 'deleted' AND c.account_id IN below))
           AND (?3 IS NULL OR {is_named} OR {has_email} OR {has_login} OR CAST(id AS TEXT) = ?5)
           AND (?4 IS NULL OR EXISTS (
                   SELECT 1 FROM enrollments e JOIN courses c ON c.id = e.course_id
                   WHERE e.user_id = users.id AND e.type IN (SELECT value FROM json_each(?4))
                     AND e.workflow_state NOT IN ('rejected', 'deleted') AND c.workflow_state <> 'deleted'
                     AND (?1 = ?2 OR c.account_id IN below)))",
        accounts_below!("?2")
    );
    let binds = (account.root_account, account.id, term, enrollment_type, term.map(SearchTerm::text));
    page.fetch_keyset_built(db, &sql, binds, order.key(sort == UserSort::Username)).await
}

/// The user who is needed, and whether the caller sees the user in some course, or administers an account that lists the user.
#[derive(Deserialize)]
pub(crate) struct KnownUser {
    pub(crate) user: Option<Json<Row>>,
    pub(crate) is_seen: bool,
    pub(crate) is_of_account: bool,
}

/// True if an account that the caller administers, or one below it, lists the user `u`: see [`of_account`].
const IS_OF_ACCOUNT: &str = concat!(
    "(EXISTS (SELECT 1 FROM account_admins WHERE user_id = caller.user_id) AND (
         EXISTS (SELECT 1 FROM account_admins a WHERE a.user_id = u.id AND ",
    administers_account!("caller.user_id", "a.account_id"),
    ") OR EXISTS (SELECT 1 FROM enrollments e JOIN courses c ON c.id = e.course_id
                  WHERE e.user_id = u.id AND e.workflow_state <> 'deleted' AND c.workflow_state <> 'deleted' AND ",
    administers_account!("caller.user_id", "c.account_id"),
    ")))"
);

/// True if the user `u` is the caller, or one whom the caller sees in some course: the caller is active in it, the user at least
/// invited. Students see each other where the course is open, observers whom they observe and who teaches. Some see only their own
/// section.
fn is_seen_sql() -> String {
    format!(
        "(caller.needed ->> 'own' OR EXISTS (
            SELECT 1 FROM enrollments mine
            JOIN enrollments theirs ON theirs.course_id = mine.course_id AND theirs.user_id = u.id
            JOIN courses c ON c.id = mine.course_id
            WHERE mine.user_id = caller.user_id AND mine.workflow_state = 'active' AND c.workflow_state <> 'deleted'
              AND theirs.workflow_state IN ('active', 'invited', 'completed')
              AND (NOT mine.limit_privileges_to_course_section OR mine.course_section_id = theirs.course_section_id)
              AND CASE mine.type
                      WHEN 'StudentEnrollment' THEN c.workflow_state IN {open}
                      WHEN 'ObserverEnrollment' THEN c.workflow_state IN {open}
                           AND (theirs.type IN {staff} OR theirs.user_id = mine.associated_user_id)
                      ELSE TRUE
                  END))",
        open = open_states_sql(),
        staff = Right::ManageGrades.roles_sql(),
    )
}

impl Record for KnownUser {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let user = nested::<Row>(&format!("SELECT {USER} FROM users WHERE id = u.id AND workflow_state <> 'deleted'"))?;
        let is_seen = is_seen_sql();
        let sql = format!(
            "SELECT {user} AS user, {is_seen} AS is_seen, {IS_OF_ACCOUNT} AS is_of_account
             FROM (SELECT caller.needed ->> 'id' AS id) u"
        );
        Ok(Lookup::new(sql, ()))
    }
}

/// A user comes with a login, or not at all.
pub(crate) async fn insert(db: &Db, root: AccountId, new: NewUser, login: NewLogin, now: Timestamp) -> Result<Row> {
    let NewUser { name, sortable_name, short_name, email, locale, time_zone, channel } = new;
    db.transaction(async |db| {
        let made: IdRow<UserId> = db
            .fetch_one(
                "INSERT INTO users
                     (root_account_id, name, sortable_name, short_name, email, locale, time_zone, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) RETURNING id",
                (root, name, sortable_name, short_name, email, locale, time_zone, now),
            )
            .await?;
        // It comes before the login, with which the user is read: with the address of the channel.
        if let Some(channel) = &channel {
            open(db, root, made.id, channel, now).await?;
        }
        logins::insert_and_read(db, made.id, login, now, USER_OF_LOGIN).await
    })
    .await
}

async fn open(db: &Db, tenant: AccountId, user: UserId, channel: &FirstChannel, now: Timestamp) -> Result<()> {
    let FirstChannel { kind, address, asked_from } = channel;
    let new = NewChannel { user, kind: *kind, address, confirmed: asked_from.is_none() };
    let id = channels::open(db, &new, now).await?;
    if let Some(base_url) = asked_from {
        channels::ask(db, base_url, Question { tenant, channel: id, kind: *kind, address }, None, now).await?;
    }
    Ok(())
}

/// An e-mail address that an administrator sets is the user's first from then on.
pub(crate) async fn update(
    db: &Db,
    id: UserId,
    changes: Changes,
    has_email: bool,
    now: Timestamp,
) -> db::Result<Option<Row>> {
    let nullable = ["email", "locale", "time_zone"];
    let assignments = Changes::assignments(2, &["name", "sortable_name", "short_name"], &nullable);
    let sql = format!(
        "UPDATE users SET {assignments}, updated_at = ?3
         WHERE id = ?1 AND workflow_state <> 'deleted'
         RETURNING id"
    );
    db.transaction(async |db| {
        if !db.affects(&sql, (id, changes, now)).await? {
            return Ok(None);
        }
        if has_email {
            let before = channels::first_email(db, id).await?;
            channels::vouch(db, &[id], now).await?;
            if let (Some(before), Some(after)) = (before, channels::first_email(db, id).await?) {
                channels::tell_of_other_default(db, &before, &after, now).await?;
            }
        }
        user(db, id).await
    })
    .await
}

/// The user as it was; see [`users::delete`].
pub(crate) async fn delete(db: &Db, id: UserId, now: Timestamp) -> db::Result<Option<Row>> {
    db.transaction(async |db| {
        let deleted = user(db, id).await?;
        users::delete(db, &[id], now).await?;
        Ok(deleted)
    })
    .await
}
