//! E-mail through Amazon SES (API version 2).

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode};
use serde_json::json;
use shared::Context;
use shared::aws::Aws;

use crate::messages::transport::{Message, Outcome, ServiceResponse, Settings, Transport, exchange, required};

/// Refusals of the account or the sender, which the operator can mend.
const NOT_READY: [&str; 5] = [
    "AccountSuspendedException",
    "LimitExceededException",
    "MailFromDomainNotVerifiedException",
    "SendingPausedException",
    "NotFoundException",
];

pub(super) struct Ses {
    from: String,
    aws: Aws,
}

impl Ses {
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        Ok(Self { from: required(settings.from, "mail_from")?, aws: required(settings.aws, "the account at AWS")? })
    }

    fn request(&self, message: &Message) -> http::Result<Request<Bytes>> {
        let text = |text: &str| json!({ "Data": text, "Charset": "UTF-8" });
        let body = json!({
            "FromEmailAddress": self.from,
            "Destination": { "ToAddresses": [message.recipient] },
            "Content": { "Simple": { "Subject": text(&message.subject), "Body": { "Text": text(&message.body) } } },
            "EmailTags": [{ "Name": "message_id", "Value": message.id.to_string() }],
        });
        Request::post(format!("{}/v2/email/outbound-emails", self.aws.endpoint("email")))
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string().into())
    }

    async fn deliver(&self, message: &Message) -> Result<Outcome, Outcome> {
        let mut request = self.request(message);
        if let Ok(request) = &mut request {
            let signed = self.aws.sign(request, "ses", &self.aws.region);
            signed.map_err(|error| Outcome::later(format!("the request cannot be signed: {error}")))?;
        }
        exchange(request).await.map(|answer| outcome_of(&answer))
    }
}

fn outcome_of(answer: &ServiceResponse) -> Outcome {
    if answer.status == StatusCode::OK {
        return Outcome::Sent { reference: answer.text("/MessageId") };
    }
    let kind = answer.header("x-amzn-errortype").unwrap_or_default().split(':').next().unwrap_or_default();
    // So it refuses senders that the operator has yet to verify, and in its sandbox all recipients.
    let unverified = || answer.text("/message").is_some_and(|message| message.contains("not verified"));
    if NOT_READY.contains(&kind) || unverified() { answer.later() } else { answer.never(false) }
}

impl Transport for Ses {
    fn name(&self) -> &'static str {
        "ses"
    }

    fn send<'a>(&'a self, _: &'a Context, message: &'a Message) -> LocalBoxFuture<'a, Outcome> {
        Box::pin(async { self.deliver(message).await.unwrap_or_else(|outcome| outcome) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::transport::tests::answer;

    #[test]
    fn what_the_operator_can_mend_waits() {
        let told = |kind: &str, message: &str| {
            let mut answer = answer(400, &json!({ "message": message }).to_string());
            answer.head.insert("x-amzn-errortype", kind.parse().unwrap());
            outcome_of(&answer)
        };
        let refused = |kind| told(kind, "No");
        assert!(matches!(refused("SendingPausedException:http://internal.amazon.com/"), Outcome::Later { .. }));
        assert!(matches!(refused("MessageRejected"), Outcome::Never { bounced: false, .. }));
        assert!(matches!(told("MessageRejected", "Email address is not verified."), Outcome::Later { .. }));
        let sent = outcome_of(&answer(200, r#"{"MessageId":"0100"}"#));
        assert_eq!(sent, Outcome::Sent { reference: Some("0100".to_owned()) });
    }
}
