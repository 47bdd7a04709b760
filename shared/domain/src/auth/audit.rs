//! The log of who came in and as whom, and of what opens doors: passwords, tokens, keys. It is written in the transaction of
//! what it tells of, and read by administrators.

use database::Db;
use types::clock::HOUR;
use types::ids::{AccountId, ClientId, TokenId, UserId};
use web::Context;
use web::after_response::{after_response, unless_busy};
use web::error::Result;

use super::Caller;

/// The event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventType {
    /// Somebody came in with a login and its password.
    Login,
    /// A wrong password, or a login that nobody has.
    LoginFailed,
    /// An administrator began to act as somebody else.
    Masquerade,
    /// A login has another password.
    PasswordChanged,
    /// A personal token was made, or made anew.
    TokenCreated,
    /// A developer key was made.
    DeveloperKeyCreated,
    /// A developer key was changed.
    DeveloperKeyUpdated,
    /// A developer key was deleted.
    DeveloperKeyDeleted,
}

impl EventType {
    fn word(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::LoginFailed => "login_failed",
            Self::Masquerade => "masquerade",
            Self::PasswordChanged => "password_changed",
            Self::TokenCreated => "token_created",
            Self::DeveloperKeyCreated => "developer_key_created",
            Self::DeveloperKeyUpdated => "developer_key_updated",
            Self::DeveloperKeyDeleted => "developer_key_deleted",
        }
    }
}

/// An event of the log.
#[derive(Debug, Clone)]
pub struct Event {
    /// The event.
    pub event_type: EventType,
    /// The tenant whose administrators are to know.
    pub tenant: AccountId,
    /// Whom it concerns.
    pub user: Option<UserId>,
    /// The user who did it, where that is somebody else.
    pub real_user: Option<UserId>,
    /// The id of the login that was used or changed.
    pub login: Option<i64>,
    /// The key that was changed.
    pub developer_key: Option<ClientId>,
    /// The token that was made, or with which somebody acts.
    pub token: Option<TokenId>,
}

impl Event {
    /// An event that concerns a user of a tenant.
    pub fn of(event_type: EventType, tenant: AccountId, user: Option<UserId>) -> Self {
        Self { event_type, tenant, user, real_user: None, login: None, developer_key: None, token: None }
    }

    /// The same, as something that the caller did: if not for themselves, that is told.
    pub fn by(self, caller: &Caller) -> Self {
        let real = caller.real_user.unwrap_or(caller.user);
        Self { real_user: Some(real).filter(|real| Some(*real) != self.user), ..self }
    }
}

/// A caller who acts as somebody else is noted once in so many seconds.
const MASQUERADE_IS_NOTED_EVERY: i64 = HOUR;

/// Writes the event down.
pub async fn record(db: &Db, cx: &Context, event: Event) -> database::Result<()> {
    db.execute(
        "INSERT INTO authentication_events
             (event_type, root_account_id, user_id, real_user_id, pseudonym_id, developer_key_id, access_token_id, network,
              created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        (
            event.event_type.word(),
            event.tenant,
            event.user,
            event.real_user,
            event.login,
            event.developer_key,
            event.token,
            cx.client_network(),
            cx.now.with_microseconds(),
        ),
    )
    .await
}

/// Notes that the caller has begun to act as somebody else: before a change is made, and after the response to a read, which
/// must not wait for those who write.
pub(super) async fn note_masquerade(cx: &Context, caller: &Caller) -> Result<()> {
    let since = cx.now.plus_seconds(-MASQUERADE_IS_NOTED_EVERY).with_microseconds();
    let is_noted = cx.db.affects(
        "SELECT id FROM authentication_events
         WHERE access_token_id = ?1 AND user_id = ?2 AND event_type = ?3 AND created_at > ?4 LIMIT 1",
        (caller.token, caller.user, EventType::Masquerade.word(), since),
    );
    if is_noted.await? {
        return Ok(());
    }
    let event = Event {
        token: caller.token,
        ..Event::of(EventType::Masquerade, caller.root_account, Some(caller.user)).by(caller)
    };
    if cx.parts().method.is_safe() {
        let cx = cx.clone();
        after_response(async move { unless_busy(record(&cx.db, &cx, event).await) });
        return Ok(());
    }
    Ok(record(&cx.db, cx, event).await?)
}
