//! Forms of pages that anybody may open, such as that of a log-in: each is made by us for something, sent by our own page, in
//! time, and taken once.

use database::Db;
use serde_json::{Value, json};
use types::clock::{MINUTE, Timestamp};
use web::secrets;
use web::{Context, Result};

/// The time for which the page may be open before it is sent, in seconds.
const LIFETIME: i64 = 15 * MINUTE;

/// The forms of a kind of pages. Those of one purpose are no good for another.
pub struct SignedForms {
    /// What the signature is for.
    pub purpose: &'static str,
}

/// A form that was sent as it was made.
pub struct SentForm {
    token_hash: String,
    expires_at: Timestamp,
}

impl SignedForms {
    /// The token of a form that is made for `content`.
    pub async fn issue(&self, cx: &Context, content: &Value) -> Result<String> {
        let end = cx.now.plus_seconds(LIFETIME).unix();
        let nonce = secrets::generate();
        let signature = secrets::sign(self.purpose, &signed_text(content, end, &nonce)).await?;
        Ok(format!("{end}.{nonce}.{signature}"))
    }

    /// The form with that token, if our own page sent it in time, with what it was made for.
    pub async fn verify(&self, cx: &Context, content: &Value, token: &str) -> Result<Option<SentForm>> {
        if cx.header("sec-fetch-site").is_some_and(|site| site != "same-origin") {
            return Ok(None);
        }
        let mut parts = token.splitn(3, '.');
        let (Some(end), Some(nonce), Some(signature)) = (parts.next(), parts.next(), parts.next()) else {
            return Ok(None);
        };
        let Some(expires_at) = end.parse().ok().and_then(Timestamp::from_unix).filter(|end| cx.now < *end) else {
            return Ok(None);
        };
        let is_ours = secrets::verify(self.purpose, &signed_text(content, expires_at.unix(), nonce), signature).await?;
        Ok(is_ours.then(|| SentForm { token_hash: secrets::hash(token), expires_at }))
    }
}

impl SentForm {
    /// Takes the form. False: it was taken before.
    pub async fn take(&self, db: &Db, now: Timestamp) -> database::Result<bool> {
        db.execute("DELETE FROM spent_forms WHERE expires_at <= ?1", (now,)).await?;
        db.affects(
            "INSERT INTO spent_forms (token_hash, expires_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING RETURNING 1",
            (self.token_hash.as_str(), self.expires_at),
        )
        .await
    }
}

fn signed_text(content: &Value, end: i64, nonce: &str) -> String {
    json!([content, end, nonce]).to_string()
}
