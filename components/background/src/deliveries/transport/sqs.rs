//! Messages to queues of Amazon SQS, in its JSON protocol.

use bytes::Bytes;
use http::Request;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};
use shared::Error;
use shared::aws::Aws;
use shared::outbound::queue::Queue;

use crate::deliveries::transport::{Refusal, Settings};
use crate::store::deliveries::Due;

/// The largest message that every queue takes.
const MAX_MESSAGE_BYTES: usize = 256 * 1024;
const TARGET: &str = "AmazonSQS.SendMessage";

/// The signed request that puts the message into the subscription's queue.
pub(super) fn request(due: &Due, message: &str, settings: &Settings) -> Result<Request<Bytes>, Refusal> {
    let queue =
        settings.queues.check(&due.url).map_err(|rule| Refusal::Now(format!("the address of the queue {rule}")))?;
    let aws = settings.aws.as_ref().ok_or_else(|| Refusal::Now("there are no keys for Amazon SQS".to_owned()))?;
    let attributes = attributes(due);
    let message = in_xml_characters(message);
    if message.len().saturating_add(attributes.to_string().len()) > MAX_MESSAGE_BYTES {
        return Err(Refusal::Never("the message is larger than 256 KB".to_owned()));
    }
    // As it was checked: what others might read in another way is gone from it.
    let body =
        json!({ "QueueUrl": queue.address.to_string(), "MessageBody": message, "MessageAttributes": attributes });
    let mut request = Request::post(endpoint(aws, &queue))
        .header(CONTENT_TYPE, "application/x-amz-json-1.0")
        .header("x-amz-target", TARGET)
        .body(Bytes::from(body.to_string()))
        .map_err(Error::internal)?;
    aws.sign(&mut request, "sqs", queue.region.as_deref().unwrap_or(&aws.region))?;
    Ok(request)
}

/// By these a consumer knows a repetition, and the subscription, without reading the message.
fn attributes(due: &Due) -> Value {
    let text = |value: &str| json!({ "DataType": "String", "StringValue": value });
    json!({ "webhook-id": text(&due.message_id), "webhook-subscription-id": text(&due.subscription_uuid) })
}

/// The operator's emulator, or whoever serves the queue.
fn endpoint(aws: &Aws, queue: &Queue) -> String {
    match aws.endpoint_override() {
        Some(endpoint) => format!("{endpoint}/"),
        None => {
            let scheme = queue.address.scheme_str().unwrap_or("https");
            let host = queue.address.authority().map_or("", http::uri::Authority::as_str);
            format!("{scheme}://{host}/")
        }
    }
}

/// A queue takes the characters of XML alone. In JSON the two others that may occur can be written as escapes.
fn in_xml_characters(json: &str) -> String {
    json.replace('\u{fffe}', "\\ufffe").replace('\u{ffff}', "\\uffff")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_does_not_have_is_escaped() {
        let text = "a\u{1}\u{fffe}\u{ffff}ä";
        let escaped = in_xml_characters(&json!(text).to_string());
        assert_eq!(escaped, "\"a\\u0001\\ufffe\\uffffä\"");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }
}
