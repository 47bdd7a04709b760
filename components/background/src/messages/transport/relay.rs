//! E-mail over SMTP, which a component cannot speak: `lectern-relay` beside the application does it.

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Request, StatusCode};
use serde_json::json;
use shared::Context;
use shared::config::Secret;

use crate::messages::transport::{Failure, Message, Outcome, ServiceResponse, Settings, Transport, ask, required};

pub(super) struct Relay {
    from: String,
    key: Secret,
    base_url: String,
}

impl Relay {
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        let base_url = settings.base_url("http://127.0.0.1:2580");
        let (from, key) = (required(settings.from, "mail_from")?, required(settings.key, "mail_api_key")?);
        Ok(Self { from, key, base_url })
    }

    fn request(&self, message: &Message) -> http::Result<Request<Bytes>> {
        let body = json!({
            "from": self.from,
            "to": message.recipient,
            "subject": message.subject,
            "text": message.body,
        });
        Request::post(format!("{}/messages", self.base_url))
            .header(AUTHORIZATION, format!("Bearer {}", self.key.expose()))
            .header("idempotency-key", message.id.to_string())
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string().into())
    }

    async fn deliver(&self, message: &Message) -> Result<Outcome, Outcome> {
        Ok(outcome_of(&ask(self.request(message)).await?))
    }
}

fn outcome_of(answer: &ServiceResponse) -> Outcome {
    let code = answer.text("/error/code");
    match code.as_deref() {
        None if answer.status.is_success() => match answer.text("/message_id") {
            Some(id) => Outcome::Sent { reference: Some(id) },
            // It was no relay that answered.
            None => answer.later(),
        },
        Some("unauthorized") if answer.status == StatusCode::UNAUTHORIZED => {
            Outcome::later("mail_api_key is not the token of lectern-relay")
        }
        Some(code) if answer.passes() => Outcome::Later { failure: failure(answer, code), after: answer.retry_after() },
        Some(code) => Outcome::Never { failure: failure(answer, code), bounced: code == "recipient_refused" },
        None if answer.passes() => answer.later(),
        None => answer.never(false),
    }
}

/// What the relay calls it, and the words of the mail server.
fn failure(answer: &ServiceResponse, code: &str) -> Failure {
    let reason = match code {
        "account_refused" => "the mail server does not take messages from lectern-relay".to_owned(),
        "message_refused" => "the mail server does not take the message".to_owned(),
        "recipient_refused" => "the mail server does not take the address".to_owned(),
        _ => format!("it answered {}", answer.status.as_u16()),
    };
    Failure::new(reason, answer.text("/error/message").unwrap_or_default())
}

impl Transport for Relay {
    fn name(&self) -> &'static str {
        "relay"
    }

    fn send<'a>(&'a self, _: &'a Context, message: &'a Message) -> LocalBoxFuture<'a, Outcome> {
        Box::pin(async { self.deliver(message).await.unwrap_or_else(|outcome| outcome) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::transport::tests::answer;

    fn refused(status: u16, code: &str) -> Outcome {
        let error = json!({ "error": { "code": code, "message": "550 5.1.1 no" } });
        outcome_of(&answer(status, &error.to_string()))
    }

    #[test]
    fn a_refusal_has_the_words_of_the_mail_server() {
        let Outcome::Never { failure, bounced: true } = refused(422, "recipient_refused") else { panic!("no bounce") };
        assert_eq!(failure.to_string(), "the mail server does not take the address: 550 5.1.1 no");
        assert!(matches!(refused(422, "message_refused"), Outcome::Never { bounced: false, .. }));
        assert!(matches!(refused(413, "message_too_large"), Outcome::Never { bounced: false, .. }));
        assert!(matches!(refused(400, "unreadable"), Outcome::Never { bounced: false, .. }));
    }

    #[test]
    fn what_the_operator_can_mend_and_what_passes_waits() {
        for (status, code) in [(502, "account_refused"), (503, "unavailable"), (503, "unfinished"), (503, "busy")] {
            assert!(matches!(refused(status, code), Outcome::Later { .. }), "{code}");
        }
        let Outcome::Later { failure, .. } = refused(401, "unauthorized") else { panic!("it waits") };
        assert_eq!(failure.to_string(), "mail_api_key is not the token of lectern-relay");
    }

    #[test]
    fn what_is_no_relay_takes_nothing() {
        for (status, body) in [(200, "<html>"), (200, r#"{"status":"ok"}"#), (404, ""), (429, ""), (401, "")] {
            assert!(matches!(outcome_of(&answer(status, body)), Outcome::Later { .. }), "{status} {body}");
        }
        let taken = outcome_of(&answer(200, r#"{"message_id":"<7@school.test>","response":"250 OK"}"#));
        assert_eq!(taken, Outcome::Sent { reference: Some("<7@school.test>".to_owned()) });
    }
}
