//! E-mail through Postmark.

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::json;
use shared::Context;
use shared::config::Secret;

use crate::messages::transport::{
    Message, Outcome, ServiceResponse, Settings, Transport, outcome_of_request, required,
};

/// Postmark sends nothing there any more because of a bounce or a complaint.
const INACTIVE: i64 = 406;

/// Something in the message is not as it must be: the text tells what.
const INVALID: i64 = 300;

/// The account, its sender or its server are not ready: the operator's to mend.
const NOT_READY: [i64; 8] = [10, 400, 401, 402, 403, 405, 412, 413];

pub(super) struct Postmark {
    from: String,
    key: Secret,
    base_url: String,
}

impl Postmark {
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        let base_url = settings.base_url("https://api.postmarkapp.com");
        let (from, key) = (required(settings.from, "mail_from")?, required(settings.key, "mail_api_key")?);
        Ok(Self { from, key, base_url })
    }

    fn request(&self, message: &Message) -> http::Result<Request<Bytes>> {
        let body = json!({
            "From": self.from,
            "To": message.recipient,
            "Subject": message.subject,
            "TextBody": message.body,
            "Tag": message.notification,
            "Metadata": { "message_id": message.id.to_string() },
        });
        Request::post(format!("{}/email", self.base_url))
            .header("x-postmark-server-token", self.key.expose())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string().into())
    }
}

fn outcome_of(answer: &ServiceResponse) -> Outcome {
    let code = answer.json("/ErrorCode").and_then(|code| code.as_i64());
    match code {
        Some(0) if answer.status.is_success() => Outcome::Sent { reference: answer.text("/MessageID") },
        Some(code) if NOT_READY.contains(&code) => answer.later(),
        Some(INVALID) if is_about(answer, "'From'") => answer.later(),
        Some(INVALID) => answer.never(is_about(answer, "'To'")),
        Some(code) => answer.never(code == INACTIVE),
        // It was no Postmark that answered.
        None => answer.later(),
    }
}

fn is_about(answer: &ServiceResponse, field: &str) -> bool {
    answer.text("/Message").is_some_and(|message| message.contains(field))
}

impl Transport for Postmark {
    fn name(&self) -> &'static str {
        "postmark"
    }

    fn send<'a>(&'a self, _: &'a Context, message: &'a Message) -> LocalBoxFuture<'a, Outcome> {
        Box::pin(outcome_of_request(self.request(message), outcome_of))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::transport::tests::answer;

    #[test]
    fn the_code_tells_whose_fault_it_is() {
        let told = |code: i64, message: &str| {
            outcome_of(&answer(422, &json!({ "ErrorCode": code, "Message": message }).to_string()))
        };
        let refused = |code| told(code, "No");
        assert!(matches!(refused(406), Outcome::Never { bounced: true, .. }));
        assert!(matches!(told(300, "Invalid 'To' address: 'ada'."), Outcome::Never { bounced: true, .. }));
        assert!(matches!(told(300, "Invalid 'From' address: ''."), Outcome::Later { .. }));
        assert!(matches!(refused(300), Outcome::Never { bounced: false, .. }));
        assert!(matches!(refused(701), Outcome::Never { bounced: false, .. }));
        assert!(matches!(refused(405), Outcome::Later { .. }));
        assert!(matches!(outcome_of(&answer(200, "<html>")), Outcome::Later { .. }));
        let sent = outcome_of(&answer(200, &json!({ "ErrorCode": 0, "MessageID": "b7bc" }).to_string()));
        assert_eq!(sent, Outcome::Sent { reference: Some("b7bc".to_owned()) });
    }
}
