//! The log of who came in and as whom, and of what opens doors. It is written where that happens, and only read here.

use serde::Serialize;
use shared::pagination::BuiltPage;
use shared::period::Period;
use shared::prefetch::PrefetchedBuiltList;
use shared::{Context, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::model::events::{AuthenticationEvent, Linked};
use crate::store::events::{EventsOfAccount, EventsOfLogin, EventsOfUser, NeededLog};

endpoints![list_login_authentication_events, list_account_authentication_events, list_user_authentication_events];

/// Events, the newest first, with the users that they are about.
#[derive(Serialize, JsonSchema)]
struct AuthenticationEvents {
    events: Vec<AuthenticationEvent>,
    linked: Linked,
}

/// Lists log-ins with a login, and changes of it.
#[endpoint(GET "/api/v1/audit/authentication/logins/:login_id")]
async fn list_login_authentication_events(
    cx: Context,
    _login: NeededLog,
    _: Query<Period>,
    events: PrefetchedBuiltList<EventsOfLogin>,
) -> Result<Reply<AuthenticationEvents>> {
    answer(events.page_and_beside(&cx.cursor_page().await?)?)
}

/// Lists log-ins to a root account, and changes of its keys.
#[endpoint(GET "/api/v1/audit/authentication/accounts/:account_id")]
async fn list_account_authentication_events(
    cx: Context,
    _account: NeededLog,
    _: Query<Period>,
    events: PrefetchedBuiltList<EventsOfAccount>,
) -> Result<Reply<AuthenticationEvents>> {
    answer(events.page_and_beside(&cx.cursor_page().await?)?)
}

/// Lists log-ins of a user, and what was done in the user's name.
#[endpoint(GET "/api/v1/audit/authentication/users/:user_id")]
async fn list_user_authentication_events(
    cx: Context,
    _user: NeededLog,
    _: Query<Period>,
    events: PrefetchedBuiltList<EventsOfUser>,
) -> Result<Reply<AuthenticationEvents>> {
    answer(events.page_and_beside(&cx.cursor_page().await?)?)
}

fn answer((events, linked): (BuiltPage<AuthenticationEvent>, String)) -> Result<Reply<AuthenticationEvents>> {
    Reply::built_page_beside(events, "events", ("linked", &linked), &())
}
