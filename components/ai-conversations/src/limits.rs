//! The amount that a user may ask of the model in a day, and a tenant in a month.

use http::StatusCode;
use serde_json::json;
use shared::clock::DAY;
use shared::ids::AccountId;
use shared::status::ModelFailure;
use shared::throttle::{self, Limit, Turn};
use shared::{Context, Db, Error, LimitKind, Result, background, config};

use crate::store::usage;

/// The most tokens that one call may take: a server that tells of more, or of less than none, has not counted.
const MAX_CALL_TOKENS: i64 = 1_000_000_000;

/// The acts of a user that give the model work.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    Start,
    Message,
    Evaluate,
}

impl Action {
    /// The variable of its limit, its name among the counted, and what is hit where it is done more often.
    fn limit(self) -> (&'static str, &'static str, LimitKind) {
        match self {
            Self::Start => ("ai_daily_conversations", "start", LimitKind::AiConversations),
            Self::Message => ("ai_daily_messages", "message", LimitKind::AiMessages),
            Self::Evaluate => ("ai_daily_evaluations", "evaluate", LimitKind::AiEvaluations),
        }
    }
}

/// Counts the action, or answers 429. How often it may be done is not told.
pub(crate) async fn count(cx: &Context, action: Action) -> Result<()> {
    let (variable, _, kind) = action.limit();
    let limit = Limit { most: config::number(variable).await?, seconds: DAY };
    match throttle::take(&cx.db, &key(cx, action)?, limit, cx.now).await? {
        Turn::Taken { .. } => Ok(()),
        Turn::Wait { .. } => Err(exceeded(cx, kind)),
    }
}

/// The action was refused after all, and does not count.
pub(crate) async fn give_back(cx: &Context, action: Action) -> Result<()> {
    Ok(throttle::give_back(&cx.db, &key(cx, action)?).await?)
}

/// Under which the user's actions of a kind are counted.
fn key(cx: &Context, action: Action) -> Result<String> {
    let (_, name, _) = action.limit();
    Ok(format!("ai/{name}/{}", cx.caller()?.user))
}

/// Sets tokens of the tenant's month aside before the model is asked, or answers 429 when they are used up.
pub(crate) async fn reserve(cx: &Context, tenant: AccountId, tokens: i64) -> Result<Reserved> {
    let month = cx.now.to_utc().format("%Y-%m").to_string();
    let most = match config::number("ai_monthly_tokens").await? {
        0 => i64::MAX,
        most => most,
    };
    match usage::begin(&cx.db, tenant, &month, tokens, most).await? {
        true => Ok(Reserved { tenant, month, tokens }),
        false => Err(exceeded(cx, LimitKind::AiTokens)),
    }
}

/// Tokens that were set aside.
pub(crate) struct Reserved {
    tenant: AccountId,
    month: String,
    tokens: i64,
}

impl Reserved {
    /// What a call that was answered has really taken; a server that does not count leaves it as it was set aside.
    pub(crate) fn spent(self, used: Option<i64>) -> Spent {
        let used = used.filter(|used| (0..=MAX_CALL_TOKENS).contains(used));
        let difference = used.map(|used| used.saturating_sub(self.tokens));
        Spent { tenant: self.tenant, month: self.month, difference }
    }

    /// Counts the call as one that has failed, and what it has taken.
    pub(crate) async fn fail(self, cx: &Context, used: Option<i64>, failure: ModelFailure) -> Result<()> {
        let Spent { tenant, month, difference } = self.spent(used);
        Ok(usage::end(&cx.db, tenant, &month, difference.unwrap_or_default(), Some(failure)).await?)
    }
}

/// Tokens that a call has taken, by which the count is yet to be corrected.
pub(crate) struct Spent {
    tenant: AccountId,
    month: String,
    difference: Option<i64>,
}

impl Spent {
    /// Corrects the count.
    pub(crate) async fn note(&self, db: &Db) -> Result<()> {
        match self.difference {
            Some(difference) => Ok(usage::end(db, self.tenant, &self.month, difference, None).await?),
            None => Ok(()),
        }
    }

    /// Stores what the call has answered, in one transaction with the count. Where that fails, the count is corrected all the same.
    pub(crate) async fn with<T>(&self, cx: &Context, store: impl AsyncFnOnce(&Db) -> Result<T>) -> Result<T> {
        let stored = cx.db.transaction(async |db| -> Result<T> {
            let stored = store(db).await?;
            self.note(db).await?;
            Ok(stored)
        });
        let stored = stored.await;
        if stored.is_err() {
            background::log_if_failed(self.note(&cx.db).await);
        }
        stored
    }
}

/// 409: nothing more is kept, however long one waits.
pub(crate) fn full(message: &str) -> Error {
    Error::own(StatusCode::CONFLICT, json!({ "error": message }))
}

fn exceeded(cx: &Context, limit: LimitKind) -> Error {
    let body = json!({
        "error": "You've hit the AI Experiences rate limit. Please try again later.",
        "code": "rate_limited",
        "retryable": true,
        "reference_id": cx.request_id(),
    });
    Error::own(StatusCode::TOO_MANY_REQUESTS, body).at_limit(limit)
}
