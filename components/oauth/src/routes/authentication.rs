//! The log of who came in and as whom, and of what opens doors. It is written where that happens, and only read here.

use serde::Serialize;
use shared::ids::{AccountId, ClientId, TokenId, UserId};
use shared::period::Period;
use shared::{Context, JsonSchema, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::events::Linked;
use crate::store::events::{self as store, Column, Log, NeededLog, Row};

endpoints![list_login_authentication_events, list_account_authentication_events, list_user_authentication_events];

/// Events, the newest first, with the users that they are about.
#[derive(Serialize, JsonSchema)]
struct AuthenticationEvents {
    events: Vec<AuthenticationEvent>,
    linked: Linked,
}

/// Somebody came in, or something changed by which somebody may.
#[derive(Serialize, JsonSchema)]
struct AuthenticationEvent {
    id: String,
    created_at: Timestamp,
    /// `login`, `login_failed`, `masquerade`, `password_changed`, `token_created`, `developer_key_created`,
    /// `developer_key_updated` or `developer_key_deleted`.
    event_type: String,
    /// The network that it came from; null where that is not known.
    network: Option<String>,
    links: EventLinks,
}

/// The records that an event names. Some may be gone.
#[derive(Serialize, JsonSchema)]
struct EventLinks {
    account: AccountId,
    /// Whom it concerns.
    user: Option<UserId>,
    /// The user who did it, where that is somebody else.
    real_user: Option<UserId>,
    login: Option<i64>,
    developer_key: Option<ClientId>,
    token: Option<TokenId>,
    /// Views of pages are not recorded.
    page_view: Option<String>,
}

/// Lists log-ins with a login, and changes of it.
#[endpoint(GET "/api/v1/audit/authentication/logins/:login_id", bookmarked_pages)]
async fn list_login_authentication_events(
    cx: Context,
    login: NeededLog,
    body: Query<Period>,
) -> Result<Reply<AuthenticationEvents>> {
    read(&cx, &login, Column::Login, body).await
}

/// Lists log-ins to a root account, and changes of its keys.
#[endpoint(GET "/api/v1/audit/authentication/accounts/:account_id", bookmarked_pages)]
async fn list_account_authentication_events(
    cx: Context,
    account: NeededLog,
    body: Query<Period>,
) -> Result<Reply<AuthenticationEvents>> {
    read(&cx, &account, Column::Account, body).await
}

/// Lists log-ins of a user, and what was done in the user's name.
#[endpoint(GET "/api/v1/audit/authentication/users/:user_id", bookmarked_pages)]
async fn list_user_authentication_events(
    cx: Context,
    user: NeededLog,
    body: Query<Period>,
) -> Result<Reply<AuthenticationEvents>> {
    read(&cx, &user, Column::User, body).await
}

async fn read(cx: &Context, log: &Log, column: Column, body: Query<Period>) -> Result<Reply<AuthenticationEvents>> {
    let (rows, linked) = store::events(&cx.db, log, column, body.decode()?.bounds(), &cx.cursor_page().await?).await?;
    Ok(Reply::page_in(rows.map(AuthenticationEvent::from), |events| AuthenticationEvents { events, linked }))
}

impl From<Row> for AuthenticationEvent {
    fn from(row: Row) -> Self {
        Self {
            id: row.id.to_string(),
            created_at: row.created_at,
            event_type: row.event_type,
            network: Some(row.network).filter(|network| !network.is_empty()),
            links: EventLinks {
                account: row.root_account_id,
                user: row.user_id,
                real_user: row.real_user_id,
                login: row.pseudonym_id,
                developer_key: row.developer_key_id,
                token: row.access_token_id,
                page_view: None,
            },
        }
    }
}
