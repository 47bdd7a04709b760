//! Events of Amazon SES.

use serde::Deserialize;
use shared::Timestamp;

use crate::model::bounces::{BounceNotice, Severity};

/// An event, in the form of either of the two ways to be told of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(alias = "eventType")]
    notification_type: String,
    bounce: Option<Returned>,
    complaint: Option<Complaint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Returned {
    bounce_type: String,
    #[serde(default)]
    bounce_sub_type: String,
    bounced_recipients: Vec<Recipient>,
    timestamp: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Complaint {
    complained_recipients: Vec<Recipient>,
    timestamp: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recipient {
    email_address: String,
    #[serde(default)]
    diagnostic_code: Option<String>,
}

/// The bounces of a message of a topic; none of one that is something else.
pub(super) fn bounces(message: &str, now: Timestamp) -> Vec<BounceNotice> {
    let Ok(event) = serde_json::from_str::<Event>(message) else { return Vec::new() };
    let (recipients, severity, at) = match (event.notification_type.as_str(), event.bounce, event.complaint) {
        ("Bounce", Some(own), _) => {
            (own.bounced_recipients, severity(&own.bounce_type, &own.bounce_sub_type), own.timestamp)
        }
        ("Complaint", _, Some(own)) => (own.complained_recipients, Severity::Suppression, own.timestamp),
        _ => return Vec::new(),
    };
    let at = Timestamp::parse(&at).unwrap_or(now);
    let notice = |to: Recipient| {
        BounceNotice::new(&to.email_address, severity, at, to.diagnostic_code.as_deref().unwrap_or_default())
    };
    recipients.into_iter().map(notice).collect()
}

fn severity(kind: &str, sub_kind: &str) -> Severity {
    match (kind, sub_kind) {
        ("Permanent", "Suppressed" | "OnAccountSuppressionList" | "UnsubscribedRecipient") => Severity::Suppression,
        ("Permanent", _) => Severity::Permanent,
        _ => Severity::Transient,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn bounces_and_complaints_are_told_by_address() {
        let now = Timestamp::parse("2026-03-04T05:06:07Z").unwrap();
        let told = |message: Value| bounces(&message.to_string(), now);
        let bounce = |name: &str, kind: &str, sub_kind: &str| {
            let recipients =
                json!([{ "emailAddress": "a@b.test", "diagnosticCode": "550" }, { "emailAddress": "c@d.test" }]);
            told(json!({ name: "Bounce", "mail": {}, "bounce": {
                "bounceType": kind, "bounceSubType": sub_kind, "bouncedRecipients": recipients,
                "timestamp": "2026-03-04T05:00:00.000Z",
            } }))
        };
        let hard = bounce("notificationType", "Permanent", "General");
        assert_eq!((hard.len(), hard[0].bounce.severity), (2, Severity::Permanent));
        assert_eq!(hard[0].bounce.summary.as_deref(), Some("550"));
        let suppressed = bounce("eventType", "Permanent", "OnAccountSuppressionList");
        assert_eq!(suppressed[0].bounce.severity, Severity::Suppression);
        assert_eq!(bounce("eventType", "Transient", "MailboxFull")[0].bounce.severity, Severity::Transient);
        let complaint = json!({ "notificationType": "Complaint", "complaint": {
            "complainedRecipients": [{ "emailAddress": "a@b.test" }], "timestamp": "2026-03-04T05:00:00.000Z",
        } });
        assert_eq!(told(complaint)[0].bounce.severity, Severity::Suppression);
        assert!(told(json!({ "notificationType": "Delivery", "delivery": {} })).is_empty());
        assert!(bounces("Successfully validated SNS topic", now).is_empty());
    }
}
