//! The deliveries in the API description: one webhook for each type of event, in the two forms that a subscription chooses from.

use schemars::JsonSchema;
use web::openapi::Webhook;

use super::SUBSCRIPTION;
use super::caliper::Envelope;
use super::live_event::{
    AttachmentCreatedBody, GradeChangeBody, LiveEvent, Metadata, QuizSubmittedBody, SubmissionBody, TestBody,
    TestMetadata,
};
use crate::standard_webhooks;

/// The requests to those who have subscribed.
pub fn webhooks() -> Vec<Webhook> {
    vec![
        event::<QuizSubmittedBody>("quiz_submitted", "An attempt at a quiz was handed in"),
        event::<GradeChangeBody<'_>>("grade_change", "A submission has another grade than before"),
        event::<AttachmentCreatedBody<'_>>(
            "attachment_created",
            "A file came into the folders of a course, a group or a user",
        ),
        event::<SubmissionBody<'_>>("submission_created", "Something was handed in, for the first time or again"),
        event::<SubmissionBody<'_>>("submission_updated", "Something else changed about what was handed in or graded"),
        event::<SubmissionBody<'_>>("plagiarism_resubmit", "A grader asks the tools to look again"),
        delivery::<LiveEvent<TestMetadata<'_>, TestBody>>("test", "An administrator tries a subscription"),
    ]
}

fn event<B: JsonSchema>(name: &'static str, summary: &'static str) -> Webhook {
    delivery::<LiveEvent<Metadata<'_>, B>>(name, summary)
}

fn delivery<T: JsonSchema>(name: &'static str, summary: &'static str) -> Webhook {
    let webhook = Webhook::new(name, summary)
        .description(
            "Sent to each subscription to it, in the format that the subscription has chosen: `live-event` or `caliper`. \
             Subscriptions to a queue get the same body as a message.",
        )
        .payload::<T>()
        .payload::<Envelope>();
    standard_webhooks::described(webhook).header(&SUBSCRIPTION, "The id of the subscription.")
}

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;
    use serde_json::Value;
    use types::Timestamp;
    use types::ids::AccountId;

    use super::super::caliper::TestDelivery;
    use super::super::tests::{attachment, grade_changed, quiz, submitted};
    use super::super::{Event, caliper, live_event};
    use super::*;

    /// True if the description of that webhook allows the body.
    fn fits(name: &str, body: &Value) -> bool {
        let webhooks = webhooks();
        let webhook = webhooks.iter().find(|webhook| webhook.name() == name).unwrap();
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let mut schema = webhook.body(&mut generator);
        schema["$defs"] = generator.take_definitions(true).into();
        jsonschema::validator_for(&schema).unwrap().is_valid(body)
    }

    #[test]
    fn each_delivery_is_as_its_webhook_is_described() {
        let now = Timestamp::from_unix(1_772_359_201).unwrap();
        let events = [
            quiz(),
            grade_changed(),
            attachment(),
            submitted(Event::SubmissionCreated),
            submitted(Event::SubmissionUpdated),
            submitted(Event::PlagiarismResubmit),
        ];
        assert_eq!(webhooks().len(), events.len() + 1);
        for event in &events {
            let name = event.data.0.event_type().to_lowercase();
            let body = live_event::payload(event, "s").unwrap();
            assert!(fits(&name, &body), "{body}");
            let envelope = caliper::payload(event, "s", now).unwrap();
            assert!(fits(&name, &envelope), "{envelope}");
            let mut other = body.clone();
            other["body"]["submission_id"] = 9.into();
            assert_eq!(fits(&name, &other), name == "attachment_created", "{other}");
            assert!(!fits(&name, &body["body"]));
        }
    }

    #[test]
    fn a_test_is_as_its_webhook_is_described() {
        let now = Timestamp::from_unix(1_772_359_201).unwrap();
        let delivery = TestDelivery { subscription: "s", message_id: "m", root_account: AccountId(1), asked_at: now };
        for body in [live_event::test("s", AccountId(1), now), caliper::test(&delivery, "https://lms.test", now)] {
            assert!(fits("test", &body.unwrap()));
        }
        assert!(!fits("test", &serde_json::json!({ "metadata": {}, "body": {} })));
    }
}
