//! The amount that a user may ask of the model in a day, and a tenant in a month.

use http::StatusCode;
use serde_json::json;
use shared::ids::AccountId;
use shared::throttle::{self, Limit, Turn};
use shared::{Context, Error, Result, config};

use crate::store::usage;

const DAY: i64 = 24 * 60 * 60;

/// The acts of a user that give the model work.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    Start,
    Message,
    Evaluate,
}

impl Action {
    /// The variable of its limit, and its name among the counted.
    fn limit(self) -> (&'static str, &'static str) {
        match self {
            Self::Start => ("ai_daily_conversations", "start"),
            Self::Message => ("ai_daily_messages", "message"),
            Self::Evaluate => ("ai_daily_evaluations", "evaluate"),
        }
    }
}

/// Counts the action, or answers 429. How often it may be done is not told.
pub(crate) async fn count(cx: &Context, action: Action) -> Result<()> {
    let (variable, name) = action.limit();
    let limit = Limit { most: config::number(variable).await?, seconds: DAY };
    let key = format!("ai/{name}/{}", cx.caller()?.user);
    match throttle::take(&cx.db, &key, limit, cx.now).await? {
        Turn::Taken { .. } => Ok(()),
        Turn::Wait { .. } => Err(exceeded(cx)),
    }
}

/// Sets tokens of the tenant's month aside before the model is asked, or answers 429 when they are used up.
pub(crate) async fn reserve(cx: &Context, tenant: AccountId, tokens: i64) -> Result<Reserved> {
    let month = cx.now.to_utc().format("%Y-%m").to_string();
    let most = match config::number("ai_monthly_tokens").await? {
        0 => i64::MAX,
        most => most,
    };
    match usage::add(&cx.db, tenant, &month, tokens, most).await? {
        true => Ok(Reserved { tenant, month, tokens }),
        false => Err(exceeded(cx)),
    }
}

/// Tokens that were set aside.
pub(crate) struct Reserved {
    tenant: AccountId,
    month: String,
    tokens: i64,
}

impl Reserved {
    /// Corrects the count by what was really used; a server that does not count leaves it as it is.
    pub(crate) async fn settle(self, cx: &Context, used: Option<i64>) -> Result<()> {
        let Some(used) = used else { return Ok(()) };
        let difference = used.saturating_sub(self.tokens);
        usage::add(&cx.db, self.tenant, &self.month, difference, i64::MAX).await?;
        Ok(())
    }
}

/// 409: nothing more is kept, however long one waits.
pub(crate) fn full(message: &str) -> Error {
    Error::own(StatusCode::CONFLICT, json!({ "error": message }))
}

fn exceeded(cx: &Context) -> Error {
    let body = json!({
        "error": "You've hit the AI Experiences rate limit. Please try again later.",
        "code": "rate_limited",
        "retryable": true,
        "reference_id": cx.request_id(),
    });
    Error::own(StatusCode::TOO_MANY_REQUESTS, body)
}
