//! Text messages and messages to devices through Amazon SNS.

use std::str;

use form_urlencoded::Serializer;
use futures::future::LocalBoxFuture;
use http::Request;
use http::header::CONTENT_TYPE;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::json;
use shared::Context;
use shared::aws::Aws;

use crate::messages::transport::{
    Message, Outcome, ServiceResponse, Settings, Transport, exchange, number, required, short_text,
};
use crate::store::messages as store;

const API_VERSION: &str = "2010-03-31";

/// Devices are shown no more than so many characters: the services behind take four kilobytes in all.
const MAX_PUSH_CHARS: usize = 800;

/// The name of a refusal of a parameter.
const INVALID: &str = "InvalidParameter";

/// Text messages.
pub(super) struct Sms {
    from: Option<String>,
    aws: Aws,
}

impl Sms {
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        Ok(Self { from: settings.from, aws: required(settings.aws, "the account at AWS")? })
    }

    async fn deliver(&self, message: &Message) -> Result<Outcome, Outcome> {
        let mut call = Call::new("Publish")
            .with("PhoneNumber", &number(message))
            .with("Message", &short_text(message))
            .with_attribute(1, "AWS.SNS.SMS.SMSType", "Transactional");
        if let Some(from) = &self.from {
            let name = if from.starts_with('+') { "AWS.MM.SMS.OriginationNumber" } else { "AWS.SNS.SMS.SenderID" };
            call = call.with_attribute(2, name, from);
        }
        let answer = call.send(&self.aws).await?;
        Ok(outcome_of_text(&answer))
    }
}

fn outcome_of_text(answer: &ServiceResponse) -> Outcome {
    match refusal(answer).as_deref() {
        None => Outcome::Sent { reference: element(answer, "MessageId") },
        Some(INVALID) if !is_about(answer, "PhoneNumber") => answer.later(),
        Some(code) => answer.never(matches!(code, INVALID | "OptedOut")),
    }
}

/// Messages to devices. The developer key of the token that registered a device names the application on it.
pub(super) struct Push {
    aws: Aws,
}

impl Push {
    pub(super) fn new(settings: Settings) -> Result<Self, String> {
        Ok(Self { aws: required(settings.aws, "the account at AWS")? })
    }

    async fn deliver(&self, cx: &Context, message: &Message) -> Result<Outcome, Outcome> {
        let device = self.device(cx, message).await?;
        let text: String = message.body.chars().take(MAX_PUSH_CHARS).collect();
        let (subject, kind) = (&message.subject, &message.notification);
        // Each service has a form of its own, as text within the text.
        let apple = json!({ "aps": { "alert": { "title": subject, "body": text } }, "notification": kind }).to_string();
        let google = json!({ "notification": { "title": subject, "body": text }, "data": { "notification": kind } });
        let payload = json!({ "default": subject, "APNS": apple, "APNS_SANDBOX": apple, "GCM": google.to_string() });
        let call = Call::new("Publish")
            .with("TargetArn", &device)
            .with("MessageStructure", "json")
            .with("Message", &payload.to_string());
        let answer = call.send(&self.aws).await?;
        Ok(match refusal(&answer).as_deref() {
            None => Outcome::Sent { reference: element(&answer, "MessageId") },
            Some("EndpointDisabled") => Outcome::Gone { failure: answer.failure() },
            Some(_) => answer.never(false),
        })
    }

    /// The name of the device at the service. It is asked when it has not told yet, and when an attempt has failed.
    async fn device(&self, cx: &Context, message: &Message) -> Result<String, Outcome> {
        let known = message.endpoint_arn.as_ref().filter(|_| message.attempts <= 1);
        if let Some(arn) = known {
            return Ok(arn.clone());
        }
        let endpoint = message.push_endpoint_id.ok_or_else(|| Outcome::never("the device has signed off"))?;
        let application = message.application_arn.as_deref();
        let application = application.ok_or_else(|| Outcome::never("the developer key names no application"))?;
        let call = Call::new("CreatePlatformEndpoint")
            .with("PlatformApplicationArn", application)
            .with("Token", &message.recipient);
        let answer = call.send(&self.aws).await?;
        let arn = named_device(&answer)?;
        if message.endpoint_arn.is_none() {
            // A device that signs on again may have been given up before.
            let enable = Call::new("SetEndpointAttributes").with("EndpointArn", &arn);
            let enable = enable.with("Attributes.entry.1.key", "Enabled").with("Attributes.entry.1.value", "true");
            enable.send(&self.aws).await?;
        }
        let noted = store::name_device(&cx.db, endpoint, &arn).await;
        noted.map_err(|error| Outcome::later(format!("the device's name cannot be kept: {error}")))?;
        Ok(arn)
    }
}

/// The name at the service of the device that it was told of. One that it knows already, with notes that others have
/// made of it, is used as it is.
fn named_device(answer: &ServiceResponse) -> Result<String, Outcome> {
    match refusal(answer).as_deref() {
        None => element(answer, "EndpointArn").ok_or_else(|| answer.later()),
        Some(INVALID) => known_device(answer).ok_or_else(|| match is_about(answer, "Token") {
            true => Outcome::Gone { failure: answer.failure() },
            false => answer.later(),
        }),
        Some(_) => Err(answer.later()),
    }
}

fn known_device(answer: &ServiceResponse) -> Option<String> {
    let message = element(answer, "Message")?;
    let (_, rest) = message.split_once("Endpoint arn:")?;
    let (arn, rest) = rest.split_once(' ')?;
    rest.starts_with("already exists").then(|| format!("arn:{arn}"))
}

/// A call of the service's query API.
struct Call(Serializer<'static, String>);

impl Call {
    fn new(action: &str) -> Self {
        Self(Serializer::new(String::new())).with("Action", action).with("Version", API_VERSION)
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.0.append_pair(name, value);
        self
    }

    fn with_attribute(self, number: u8, name: &str, value: &str) -> Self {
        let entry = format!("MessageAttributes.entry.{number}");
        self.with(&format!("{entry}.Name"), name)
            .with(&format!("{entry}.Value.DataType"), "String")
            .with(&format!("{entry}.Value.StringValue"), value)
    }

    async fn send(mut self, aws: &Aws) -> Result<ServiceResponse, Outcome> {
        let mut request = Request::post(format!("{}/", aws.endpoint("sns")))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded; charset=utf-8")
            .body(self.0.finish().into());
        if let Ok(request) = &mut request {
            let signed = aws.sign(request, "sns", &aws.region);
            signed.map_err(|error| Outcome::later(format!("the request cannot be signed: {error}")))?;
        }
        exchange(request).await
    }
}

/// The error's name, where it is one.
fn refusal(answer: &ServiceResponse) -> Option<String> {
    (!answer.status.is_success()).then(|| element(answer, "Code").unwrap_or_default())
}

/// True if it is that parameter which the service does not take. All but the recipient are the operator's to mend.
fn is_about(answer: &ServiceResponse, parameter: &str) -> bool {
    element(answer, "Message").is_some_and(|message| message.contains(&format!("Invalid parameter: {parameter}")))
}

/// The text of the first element of that name.
fn element(answer: &ServiceResponse, name: &str) -> Option<String> {
    let mut reader = Reader::from_str(str::from_utf8(&answer.body).ok()?);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) if start.local_name().as_ref() == name => {
                return Some(reader.read_text(start.name()).ok()?.into_inner().into_owned());
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

impl Transport for Sms {
    fn name(&self) -> &'static str {
        "sns"
    }

    fn send<'a>(&'a self, _: &'a Context, message: &'a Message) -> LocalBoxFuture<'a, Outcome> {
        Box::pin(async { self.deliver(message).await.unwrap_or_else(|outcome| outcome) })
    }
}

impl Transport for Push {
    fn name(&self) -> &'static str {
        "sns"
    }

    fn send<'a>(&'a self, cx: &'a Context, message: &'a Message) -> LocalBoxFuture<'a, Outcome> {
        Box::pin(async { self.deliver(cx, message).await.unwrap_or_else(|outcome| outcome) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::transport::tests::answer;

    #[test]
    fn an_answer_tells_the_id_or_the_error() {
        let namespace = "http://sns.amazonaws.com/doc/2010-03-31/";
        let published = format!(
            "<PublishResponse xmlns=\"{namespace}\"><PublishResult><MessageId>94f2</MessageId></PublishResult></PublishResponse>"
        );
        let sent = answer(200, &published);
        assert_eq!((refusal(&sent), element(&sent, "MessageId").as_deref()), (None, Some("94f2")));
        let error = "<ErrorResponse><Error><Type>Sender</Type><Code>EndpointDisabled</Code></Error></ErrorResponse>";
        assert_eq!(refusal(&answer(400, error)).as_deref(), Some("EndpointDisabled"));
        assert_eq!(refusal(&answer(400, "no XML")).as_deref(), Some(""));
    }

    fn invalid(message: &str) -> ServiceResponse {
        let error =
            format!("<Error><Type>Sender</Type><Code>InvalidParameter</Code><Message>{message}</Message></Error>");
        answer(400, &format!("<ErrorResponse>{error}</ErrorResponse>"))
    }

    #[test]
    fn only_a_wrong_number_is_a_bounce() {
        let refused = |message: &str| outcome_of_text(&invalid(message));
        let number = refused("Invalid parameter: PhoneNumber Reason: 1 is not valid to publish to");
        assert!(matches!(number, Outcome::Never { bounced: true, .. }));
        assert!(matches!(refused("Invalid parameter: MessageAttributes Reason: SenderID"), Outcome::Later { .. }));
    }

    #[test]
    fn only_a_wrong_token_is_a_device_that_is_gone() {
        let named = |message: &str| named_device(&invalid(message));
        assert!(matches!(named("Invalid parameter: Token Reason: must be hexadecimal"), Err(Outcome::Gone { .. })));
        let application = "Invalid parameter: PlatformApplicationArn Reason: An ARN must have at least 6 elements";
        assert!(matches!(named(application), Err(Outcome::Later { .. })));
        let arn = "arn:aws:sns:eu-central-1:1:endpoint/GCM/app/7";
        let known = format!(
            "Invalid parameter: Token Reason: Endpoint {arn} already exists with the same Token, but different"
        );
        assert_eq!(named(&known), Ok(arn.to_owned()));
    }
}
