//! Personal tokens, and the tokens that a user's clients hold.

use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{AccountId, ClientId, TokenId, UserId};
use shared::pagination::{Key, Page};
use shared::{Db, Error, Paged, Patch, Result, Timestamp};

use crate::model::tokens::Token;
use crate::scopes;

/// The columns of a [`Token`].
const COLUMNS: &str = "id, user_id, purpose, developer_key_id, created_at, expires_at, last_used_at,
    ifnull(scopes, '[]') AS scopes, iif(revoked_at IS NULL, 'active', 'deleted') AS workflow_state, hint AS token_hint,
    ifnull((SELECT name FROM developer_keys WHERE id = developer_key_id), 'User-Generated') AS app_name,
    purpose IS NOT NULL AS can_manually_regenerate, NULL AS remember_access, real_user_id";

/// A refresh token has one live token at a time, which stands for it even after its end.
const LISTED: &str = "revoked_at IS NULL AND (purpose IS NOT NULL OR refresh_token_id IS NOT NULL OR expires_at > ?2)";

pub(crate) async fn tokens(db: &Db, user: UserId, now: Timestamp, page: &Page) -> Result<Paged<Token>> {
    let sql = format!("SELECT {COLUMNS} FROM access_tokens WHERE user_id = ?1 AND {LISTED}");
    page.fetch_keyset(db, &sql, (user, now), Key::ascending(&["id"])).await
}

/// The token with that id or hint.
pub(crate) async fn token(db: &Db, user: UserId, now: Timestamp, id_or_hint: &str) -> db::Result<Option<Token>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM access_tokens
         WHERE user_id = ?1 AND {LISTED} AND (CAST(id AS TEXT) = ?3 OR hint = ?3)
         ORDER BY CAST(id AS TEXT) = ?3 DESC, id DESC LIMIT 1"
    );
    db.fetch(&sql, (user, now, id_or_hint)).await
}

/// Notes by what a new token can be told from others, who made it if that is not its user, and what it ends with: the client
/// by whose token it is made. Answers its record.
pub(crate) async fn mark(
    db: &Db,
    id: TokenId,
    hint: &str,
    real_user: Option<UserId>,
    through: &Own,
) -> db::Result<Token> {
    let sql = format!(
        "UPDATE access_tokens
         SET hint = ?2, real_user_id = ?3, made_through_key_id = ?4, made_through_refresh_token_id = ?5
         WHERE id = ?1 RETURNING {COLUMNS}"
    );
    db.fetch_one(&sql, (id, hint, real_user, through.client, through.refresh_token)).await
}

pub(crate) async fn update(
    db: &Db,
    id: TokenId,
    purpose: Option<&str>,
    expires_at: Patch<Timestamp>,
) -> db::Result<Option<Token>> {
    let sql = format!(
        "UPDATE access_tokens SET purpose = ifnull(?2, purpose), expires_at = iif(?3, ?4, expires_at)
         WHERE id = ?1 AND revoked_at IS NULL RETURNING {COLUMNS}"
    );
    db.fetch(&sql, (id, purpose, expires_at.is_present(), expires_at.into_option())).await
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

pub(crate) async fn own(db: &Db, id: TokenId) -> db::Result<Own> {
    db.fetch_one(
        "SELECT scopes, iif(purpose IS NULL, NULL, expires_at) AS expires_at,
                ifnull(developer_key_id, made_through_key_id) AS client,
                ifnull(refresh_token_id, made_through_refresh_token_id) AS refresh_token
         FROM access_tokens WHERE id = ?1",
        (id,),
    )
    .await
}

/// The scopes that a developer key of the tenant may give its tokens.
pub(crate) async fn key_scopes(db: &Db, tenant: AccountId, key: ClientId) -> db::Result<Option<KeyScopes>> {
    db.fetch(
        "SELECT scopes FROM developer_keys WHERE id = ?2 AND root_account_id = ?1 AND workflow_state = 'active'",
        (tenant, key),
    )
    .await
}
