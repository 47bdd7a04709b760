//! E-mail through `SendGrid` (API version 3).

use bytes::Bytes;
use futures::future::LocalBoxFuture;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Request, StatusCode};
use serde_json::json;
use shared::Context;
use shared::config::Secret;

use crate::messages::transport::{
    Message, Outcome, ServiceResponse, Settings, Transport, outcome_of_request, required,
};

pub(super) struct SendGrid {
    from: String,
    key: Secret,
    base_url: String,
}

impl SendGrid {
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        let base_url = settings.base_url("https://api.sendgrid.com");
        let (from, key) = (required(settings.from, "mail_from")?, required(settings.key, "mail_api_key")?);
        Ok(Self { from, key, base_url })
    }

    fn request(&self, message: &Message) -> http::Result<Request<Bytes>> {
        let body = json!({
            "personalizations": [{ "to": [{ "email": message.recipient }] }],
            "from": { "email": self.from },
            "subject": message.subject,
            "content": [{ "type": "text/plain", "value": message.body }],
            "custom_args": { "message_id": message.id.to_string() },
        });
        Request::post(format!("{}/v3/mail/send", self.base_url))
            .header(AUTHORIZATION, format!("Bearer {}", self.key.expose()))
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string().into())
    }
}

fn outcome_of(answer: &ServiceResponse) -> Outcome {
    match answer.status {
        status if status.is_success() => Outcome::Sent { reference: answer.header("x-message-id").map(str::to_owned) },
        // Of all that can be wrong with the request, only the recipient is the user's, and the sender the operator's.
        StatusCode::BAD_REQUEST => {
            let field = answer.text("/errors/0/field").unwrap_or_default();
            match field.starts_with("from") {
                true => answer.later(),
                false => answer.never(field.starts_with("personalizations") && field.ends_with("email")),
            }
        }
        _ => answer.never(false),
    }
}

impl Transport for SendGrid {
    fn name(&self) -> &'static str {
        "sendgrid"
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
    fn only_a_wrong_recipient_is_a_bounce() {
        let refused = |field: &str| {
            let body = json!({ "errors": [{ "message": "Does not contain a valid address.", "field": field }] });
            outcome_of(&answer(400, &body.to_string()))
        };
        assert!(matches!(refused("personalizations.0.to.0.email"), Outcome::Never { bounced: true, .. }));
        assert!(matches!(refused("from.email"), Outcome::Later { .. }));
        assert!(matches!(refused("content.0.value"), Outcome::Never { bounced: false, .. }));
        assert!(matches!(outcome_of(&answer(413, "")), Outcome::Never { bounced: false, .. }));
        assert_eq!(outcome_of(&answer(202, "")), Outcome::Sent { reference: None });
    }
}
