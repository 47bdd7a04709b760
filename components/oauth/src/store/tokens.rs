//! Personal tokens, and the tokens that a user's clients hold.

use serde::Deserialize;
use shared::auth::jwt::OF_PAGES;
use shared::db::{self, Json};
use shared::error::OrNotFound;
use shared::ids::{AccountId, ClientId, TokenId, UserId};
use shared::needs::{Lookup, MatchedPath, Record, nested};
use shared::pagination::Key;
use shared::prefetch::{List, Pages};
use shared::{Db, Error, Patch, Result, Timestamp, clock};

use crate::model::tokens::Token;
use crate::scopes;

/// The most personal tokens of a user that have neither ended nor been revoked.
pub(crate) const MAX_TOKENS: i64 = 100;

/// The columns of a [`Token`].
const COLUMNS: &str = "id, user_id, purpose, developer_key_id, created_at, expires_at, last_used_at,
    ifnull(scopes, '[]') AS scopes, iif(revoked_at IS NULL, 'active', 'deleted') AS workflow_state, hint AS token_hint,
    ifnull((SELECT name FROM developer_keys WHERE id = developer_key_id), 'User-Generated') AS app_name,
    purpose IS NOT NULL AS can_manually_regenerate, NULL AS remember_access, real_user_id";

/// The condition of the tokens that are listed at a moment: sessions on our pages are none. A refresh token has one live token at a time, which stands for it
/// even after its end.
fn listed_sql(now: &str) -> String {
    format!(
        "revoked_at IS NULL AND key_version <> {OF_PAGES}
         AND (purpose IS NOT NULL OR refresh_token_id IS NOT NULL OR expires_at > {now})"
    )
}

/// The tokens of the user who is needed.
pub(crate) struct TokensOfUser;

impl List for TokensOfUser {
    type Row = Token;
    const PAGES: Pages = Pages::Keyset(Key::ascending(&["id"]));

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        let listed = listed_sql("?1");
        let sql = format!("SELECT {COLUMNS} FROM access_tokens WHERE user_id = (caller.needed ->> 'id') AND {listed}");
        Ok(Lookup::new(sql, (clock::now(),)))
    }
}

/// The token with the id or hint `?1` that a user has at the moment `?2`.
fn token_sql(user: &str) -> String {
    format!(
        "SELECT {COLUMNS} FROM access_tokens
         WHERE user_id = {user} AND {} AND (CAST(id AS TEXT) = ?1 OR hint = ?1)
         ORDER BY CAST(id AS TEXT) = ?1 DESC, id DESC LIMIT 1",
        listed_sql("?2")
    )
}

/// The token with that id or hint.
pub(crate) async fn token(db: &Db, user: UserId, now: Timestamp, id_or_hint: &str) -> db::Result<Option<Token>> {
    db.fetch(&token_sql("?3"), (id_or_hint, now, user)).await
}

/// Notes by what a new token can be told from others, who made it if that is not its user, and what it ends with: the client
/// by whose token it is made. Answers its record; none where its user has more than so many then.
pub(crate) async fn mark(
    db: &Db,
    id: TokenId,
    hint: &str,
    real_user: Option<UserId>,
    through: &Own,
    (most, now): (i64, Timestamp),
) -> db::Result<Option<Token>> {
    let sql = format!(
        "UPDATE access_tokens
         SET hint = ?2, real_user_id = ?3, made_through_key_id = ?4, made_through_refresh_token_id = ?5
         WHERE id = ?1 AND {} <= ?7
         RETURNING {COLUMNS}",
        live_sql("?6")
    );
    db.fetch(&sql, (id, hint, real_user, through.client, through.refresh_token, now, most)).await
}

/// Changes a token; none where it is revoked, or had ended and would be one too many of its user.
pub(crate) async fn update(
    db: &Db,
    id: TokenId,
    purpose: Option<&str>,
    expires_at: Patch<Timestamp>,
    now: Timestamp,
) -> db::Result<Option<Token>> {
    let sql = format!(
        "UPDATE access_tokens SET purpose = ifnull(?2, purpose), expires_at = iif(?3, ?4, expires_at)
         WHERE id = ?1 AND revoked_at IS NULL
           AND (ifnull(expires_at > ?5, 1) OR NOT ifnull(iif(?3, ?4, expires_at) > ?5, 1) OR {} < ?6)
         RETURNING {COLUMNS}",
        live_sql("?5")
    );
    db.fetch(&sql, (id, purpose, expires_at.is_present(), expires_at.into_option(), now, MAX_TOKENS)).await
}

/// The number of the personal tokens of a row's user that are good at that moment, as an expression.
fn live_sql(now: &str) -> String {
    format!(
        "(SELECT count(*) FROM access_tokens live
          WHERE live.user_id = access_tokens.user_id AND live.purpose IS NOT NULL AND live.revoked_at IS NULL
            AND ifnull(live.expires_at > {now}, 1))"
    )
}

/// The scopes of a developer key.
#[derive(Deserialize)]
pub(crate) struct KeyScopes {
    pub(crate) scopes: Option<Json<Vec<String>>>,
}

/// The limits of the token of the call, and of all that is made with it.
#[derive(Deserialize)]
pub(crate) struct Own {
    scopes: Option<Json<Vec<String>>>,
    /// When a personal token ends. That a client's ends soon means nothing: it is renewed.
    expires_at: Option<Timestamp>,
    /// The client that holds it, or through which it was made.
    client: Option<ClientId>,
    /// The refresh token that renews it, or the token through which it was made.
    refresh_token: Option<i64>,
}

impl Own {
    /// 403 where `scopes` allow something that the token may not call.
    pub(crate) fn require_scopes_within(&self, scopes: Option<&[String]>) -> Result<()> {
        let own = self.scopes.as_ref().map(|scopes| scopes.0.as_slice());
        if scopes::within(scopes, own) { Ok(()) } else { Err(Error::forbidden()) }
    }

    /// 403 where a token that ends then would be there after this one.
    pub(crate) fn require_end_within(&self, end: Option<Timestamp>) -> Result<()> {
        match (self.expires_at, end) {
            (None, _) => Ok(()),
            (Some(own), Some(end)) if end <= own => Ok(()),
            (Some(_), _) => Err(Error::forbidden()),
        }
    }
}

/// The limits of the token of the call, for a lookup.
const OWN: &str = "SELECT scopes, iif(purpose IS NULL, NULL, expires_at) AS expires_at,
        ifnull(developer_key_id, made_through_key_id) AS client,
        ifnull(refresh_token_id, made_through_refresh_token_id) AS refresh_token
    FROM access_tokens WHERE id = caller.token_id";

impl Record for Own {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new(OWN, ()))
    }
}

/// A token of the user who is needed, by its id or hint, with the limits of the token of the call.
#[derive(Deserialize)]
pub(crate) struct TokenNamed {
    pub(crate) token: Json<Token>,
    pub(crate) own: Option<Json<Own>>,
}

impl Record for TokenNamed {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id_or_hint: String = path.behind("tokens")?.or_not_found()?;
        let (token, own) = (db::json_object::<Token>()?, nested::<Own>(OWN)?);
        let found = token_sql("caller.needed ->> 'id'");
        let sql = format!("SELECT {token} AS token, {own} AS own FROM ({found})");
        Ok(Lookup::new(sql, (id_or_hint, clock::now())))
    }
}

/// The scopes that a developer key of the tenant may give its tokens.
pub(crate) async fn key_scopes(db: &Db, tenant: AccountId, key: ClientId) -> db::Result<Option<KeyScopes>> {
    db.fetch(
        "SELECT scopes FROM developer_keys WHERE id = ?2 AND root_account_id = ?1 AND workflow_state = 'active'",
        (tenant, key),
    )
    .await
}
