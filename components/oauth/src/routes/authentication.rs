//! The log of who came in and as whom, and of what opens doors. It is written where that happens, and only read here.

use serde::Serialize;
use shared::period::Period;
use shared::{Context, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::model::events::{AuthenticationEvent, Linked};
use crate::store::events::{self as store, Column, Log, NeededLog};

endpoints![list_login_authentication_events, list_account_authentication_events, list_user_authentication_events];

/// Events, the newest first, with the users that they are about.
#[derive(Serialize, JsonSchema)]
struct AuthenticationEvents {
    events: Vec<AuthenticationEvent>,
    linked: Linked,
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
    let (events, linked) =
        store::events(&cx.db, log, column, body.decode()?.bounds(), &cx.cursor_page().await?).await?;
    Reply::built_page_beside(events, "events", ("linked", &linked), &())
}
