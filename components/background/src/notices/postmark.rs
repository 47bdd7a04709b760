//! Notices of Postmark, which show a token.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::header::AUTHORIZATION;
use serde::Deserialize;
use shared::auth::secrets;
use shared::{Context, Result, Timestamp};

use crate::model::bounces::{BounceNotice, Severity};
use crate::notices::{json, unproven};

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct Notice {
    record_type: String,
    r#type: String,
    email: String,
    bounced_at: String,
    recipient: String,
    changed_at: String,
    suppress_sending: bool,
    description: String,
}

/// The bounces of a notice.
pub(crate) async fn read(cx: &Context) -> Result<Vec<BounceNotice>> {
    let shown = cx.header(AUTHORIZATION).and_then(shown).ok_or_else(unproven)?;
    if secrets::is_own("bounce_postmark_token", &shown).await? != Some(true) {
        return Err(unproven());
    }
    Ok(json::<Notice>(cx)?.bounce(cx.now).into_iter().collect())
}

/// The bearer token, or the password.
fn shown(header: &str) -> Option<String> {
    if let Some(token) = header.strip_prefix("Bearer ") {
        return Some(token.to_owned());
    }
    let decoded = BASE64_STANDARD.decode(header.strip_prefix("Basic ")?).ok()?;
    Some(String::from_utf8(decoded).ok()?.split_once(':')?.1.to_owned())
}

impl Notice {
    fn bounce(&self, now: Timestamp) -> Option<BounceNotice> {
        let (address, at, severity) = match self.record_type.as_str() {
            "Bounce" => (&self.email, &self.bounced_at, severity(&self.r#type)?),
            "SpamComplaint" => (&self.email, &self.bounced_at, Severity::Suppression),
            "SubscriptionChange" if self.suppress_sending => (&self.recipient, &self.changed_at, Severity::Suppression),
            _ => return None,
        };
        let at = Timestamp::parse(at).unwrap_or(now);
        Some(BounceNotice::new(address, severity, at, &self.description))
    }
}

/// What a type of bounce means; `None`: the message has arrived, or may arrive still.
fn severity(kind: &str) -> Option<Severity> {
    match kind {
        "HardBounce" | "BadEmailAddress" => Some(Severity::Permanent),
        "SpamNotification" | "SpamComplaint" | "ManuallyDeactivated" | "Unsubscribe" => Some(Severity::Suppression),
        "SoftBounce" | "Transient" | "DnsError" | "Blocked" | "DMARCPolicy" | "Undeliverable" => {
            Some(Severity::Transient)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    #[test]
    fn the_type_tells_what_a_bounce_is() {
        let now = Timestamp::parse("2026-03-04T05:06:07Z").unwrap();
        let told = |notice: Value| from_value::<Notice>(notice).unwrap().bounce(now);
        let bounce = |kind: &str| {
            told(json!({
                "RecordType": "Bounce", "Type": kind, "Email": "a@b.test", "BouncedAt": "2026-03-04T05:00:00.000Z",
                "Description": "No such user", "ID": 4,
            }))
        };
        let hard = bounce("HardBounce").unwrap();
        assert_eq!((hard.address.as_str(), hard.bounce.severity), ("a@b.test", Severity::Permanent));
        assert_eq!(hard.bounce.at, Timestamp::parse("2026-03-04T05:00:00Z").unwrap());
        assert_eq!(bounce("SoftBounce").unwrap().bounce.severity, Severity::Transient);
        assert_eq!(bounce("SpamComplaint").unwrap().bounce.severity, Severity::Suppression);
        assert_eq!(bounce("AutoResponder"), None);
        let other = |record: &str, suppressed: bool| {
            told(json!({ "RecordType": record, "Recipient": "a@b.test", "SuppressSending": suppressed }))
        };
        assert_eq!(other("Delivery", true), None);
        assert_eq!(other("SubscriptionChange", false), None);
        assert_eq!(other("SubscriptionChange", true).unwrap().bounce.severity, Severity::Suppression);
    }

    #[test]
    fn the_token_is_a_bearer_or_a_password() {
        assert_eq!(shown("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(shown("Basic cG9zdG1hcms6YTpi").as_deref(), Some("a:b"));
        for header in ["abc", "Basic abc", "Basic cG9zdG1hcms="] {
            assert_eq!(shown(header), None, "{header}");
        }
    }
}
