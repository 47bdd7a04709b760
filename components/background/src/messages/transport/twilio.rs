//! Text messages through Twilio.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use form_urlencoded::Serializer;
use futures::future::LocalBoxFuture;
use http::Request;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use shared::Context;
use shared::config::Secret;

use crate::messages::transport::{
    Message, Outcome, ServiceResponse, Settings, Transport, number, outcome_of_request, required, short_text,
};

/// The number is none, cannot take text messages, or its owner wants none from us.
const REFUSED_FOR_THE_NUMBER: [i64; 6] = [21211, 21214, 21217, 21610, 21612, 21614];

/// The account or its sender are not ready: the operator's to mend.
const NOT_READY: [i64; 5] = [21212, 21408, 21603, 21606, 21659];

pub(super) struct Twilio {
    from: String,
    account: String,
    key: Secret,
    base_url: String,
}

impl Twilio {
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        Ok(Self {
            base_url: settings.base_url("https://api.twilio.com"),
            from: required(settings.from, "sms_from")?,
            account: required(settings.account, "sms_account")?,
            key: required(settings.key, "sms_api_key")?,
        })
    }

    fn request(&self, message: &Message) -> http::Result<Request<Bytes>> {
        let Self { from, account, key, base_url } = self;
        // A service that picks one of several numbers is named in another field.
        let sender = if from.starts_with("MG") { "MessagingServiceSid" } else { "From" };
        let form = Serializer::new(String::new())
            .append_pair("To", &number(message))
            .append_pair(sender, from)
            .append_pair("Body", &short_text(message))
            .finish();
        let credentials = BASE64_STANDARD.encode(format!("{account}:{}", key.expose()));
        Request::post(format!("{base_url}/2010-04-01/Accounts/{account}/Messages.json"))
            .header(AUTHORIZATION, format!("Basic {credentials}"))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.into())
    }
}

fn outcome_of(answer: &ServiceResponse) -> Outcome {
    if answer.status.is_success() {
        return Outcome::Sent { reference: answer.text("/sid") };
    }
    match answer.json("/code").and_then(|code| code.as_i64()) {
        Some(code) if NOT_READY.contains(&code) => answer.later(),
        Some(code) => answer.never(REFUSED_FOR_THE_NUMBER.contains(&code)),
        None => answer.never(false),
    }
}

impl Transport for Twilio {
    fn name(&self) -> &'static str {
        "twilio"
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
        let refused = |code: i64| outcome_of(&answer(400, &serde_json::json!({ "code": code }).to_string()));
        assert!(matches!(refused(21211), Outcome::Never { bounced: true, .. }));
        assert!(matches!(refused(21617), Outcome::Never { bounced: false, .. }));
        assert!(matches!(refused(21408), Outcome::Later { .. }));
        let sent = outcome_of(&answer(201, r#"{"sid":"SM1","status":"queued"}"#));
        assert_eq!(sent, Outcome::Sent { reference: Some("SM1".to_owned()) });
    }
}
