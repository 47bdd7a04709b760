//! Traces: what the host tells a collector of a request, and of all that it sets off. Spin tells of its own.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message;
use serde_json::json;
use support::{Client, DEVELOPMENT, Receiver, Reply, Tool, admin_of};
use xtask::app::{App, Launch};

use crate::files::{download, upload};

/// The span of whoever calls, as the header says it.
const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLING_SPAN: &str = "00f067aa0ba902b7";

const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);

/// A server that takes spans.
struct Collector(Receiver);

impl Collector {
    fn start() -> Self {
        Self(Receiver::start(|_| Reply::new(200, "")))
    }

    /// What an application has in its environment that sends its spans here, and soon.
    fn environment(&self) -> [(String, String); 3] {
        let pairs = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", self.0.url.as_str()),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=school"),
            ("OTEL_BSP_SCHEDULE_DELAY", "100"),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned()))
    }

    /// The spans of the caller's trace that have come so far.
    fn spans(&self) -> Vec<Span> {
        let batches = self.0.received().into_iter().map(|received| {
            assert_eq!((received.path.as_str(), received.header("x-tenant")), ("/v1/traces", Some("school")));
            assert_eq!(received.header("content-type"), Some("application/x-protobuf"));
            ExportTraceServiceRequest::decode(received.body).unwrap()
        });
        let spans = batches.flat_map(|batch| batch.resource_spans).flat_map(|of| {
            let name = of.resource.unwrap().attributes.into_iter().find(|pair| pair.key == "service.name").unwrap();
            assert_eq!(name.value.unwrap().value, Some(Value::StringValue("lectern".to_owned())));
            of.scope_spans
        });
        spans.flat_map(|of| of.spans).filter(|span| hex(&span.trace_id) == TRACE).collect()
    }

    /// Waits until a span has come.
    async fn wait_for(&self, wanted: impl Fn(&Span) -> bool) -> Vec<Span> {
        let began = Instant::now();
        loop {
            let spans = self.spans();
            if spans.iter().any(&wanted) {
                return spans;
            }
            assert!(began.elapsed() < PATIENCE, "{:#?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>());
            tokio::time::sleep(PAUSE).await;
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An attribute of a span as text.
fn attribute(span: &Span, key: &str) -> Option<String> {
    let pair = span.attributes.iter().find(|pair| pair.key == key)?;
    match pair.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text.clone()),
        Value::IntValue(number) => Some(number.to_string()),
        other => panic!("{key} is {other:?}"),
    }
}

fn is_server(span: &Span) -> bool {
    span.kind == i32::from(SpanKind::Server)
}

/// The spans right under that one.
fn under<'a>(spans: &'a [Span], parent: &Span) -> Vec<&'a Span> {
    spans.iter().filter(|span| span.parent_span_id == parent.span_id).collect()
}

/// The only span that is wanted.
fn one<'a>(spans: &[&'a Span], wanted: impl Fn(&Span) -> bool) -> &'a Span {
    let found: Vec<_> = spans.iter().filter(|span| wanted(span)).collect();
    match found.as_slice() {
        [span] => span,
        _ => panic!("{found:#?} of {:#?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>()),
    }
}

/// A course with an essay to hand in, and a student of it.
async fn essay(admin: &Client) -> (String, Client) {
    let course = json!({ "course": { "name": "Botany" }, "offer": true });
    let course = admin.post("/api/v1/accounts/1/courses").json(course).await.is(200).id();
    let essay =
        json!({ "assignment": { "name": "Essay", "submission_types": ["online_text_entry"], "published": true } });
    let essay = admin.post(&format!("/api/v1/courses/{course}/assignments")).json(essay).await.is(201).id();
    let user = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": "ada" } });
    let user = admin.post("/api/v1/accounts/1/users").json(user).await.is(200).id();
    support::enroll(admin, course, user, "StudentEnrollment").await;
    let token = admin.token_for(user, json!({ "purpose": "test" })).await.is(200);
    let student = admin.with_token(token["visible_token"].as_str().unwrap());
    (format!("/api/v1/courses/{course}/assignments/{essay}/submissions"), student)
}

#[tokio::test]
async fn one_trace_leads_from_a_clients_span_to_the_receiver_of_what_its_request_set_off() {
    let (collector, receiver) = (Collector::start(), Receiver::start(|_| Reply::new(204, "")));
    let sandbox = support::sandbox(&DEVELOPMENT);
    let environment = collector.environment();
    let app = App::start(&Launch { environment: &environment, ..sandbox.launch() }).await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    Tool::register(&admin).await.subscribe(&receiver.url).await;
    let (submissions, student) = essay(&admin).await;
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "An essay" } });
    student.post(&submissions).json(text).header("traceparent", CALLER).await.is(201);

    let port = receiver.url.rsplit(':').next().unwrap().to_owned();
    let is_delivery = |span: &Span| attribute(span, "server.port").as_ref() == Some(&port);
    let spans = collector.wait_for(is_delivery).await;
    let spans: Vec<_> = spans.iter().collect();
    let request = one(&spans, |span| hex(&span.parent_span_id) == CALLING_SPAN);
    assert_eq!(request.name, "POST /api/v1/courses/:course_id/assignments/...");
    for (key, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/api/v1/courses/:course_id/assignments/..."),
        ("http.response.status_code", "201"),
        ("component_id", "coursework"),
    ] {
        assert_eq!(attribute(request, key).as_deref(), Some(value), "{key}");
    }
    app.stop().await.unwrap();

    // When the host has stopped, all spans are there.
    let spans = collector.spans();
    let ids: BTreeSet<_> = spans.iter().map(|span| &span.span_id).collect();
    let strays: Vec<_> = spans.iter().filter(|span| !ids.contains(&span.parent_span_id)).collect();
    assert_eq!(strays.len(), 1, "all but the first are under one that is there: {strays:#?}");
    let calls = under(&spans, strays[0]);
    let statements: Vec<_> = calls.iter().filter(|span| attribute(span, "db.system.name").is_some()).collect();
    assert!(statements.iter().any(|span| span.name.contains("UPDATE handed_in_submissions")), "{calls:#?}");
    assert!(spans.iter().all(|span| !format!("{span:?}").contains("An essay")), "values stand in no span");

    // After its response the component wakes another one up, and that sends.
    let nudge =
        one(&calls, |span| attribute(span, "server.address").is_some_and(|host| host.starts_with("background.")));
    let background = one(&under(&spans, nudge), is_server);
    assert_eq!(attribute(background, "component_id").as_deref(), Some("background"));
    let delivery = one(&under(&spans, background), is_delivery);
    assert_eq!(attribute(delivery, "http.response.status_code").as_deref(), Some("204"));
    let told = receiver.received()[0].header("traceparent").unwrap().to_owned();
    assert_eq!(told, format!("00-{TRACE}-{}-01", hex(&delivery.span_id)));
}

#[tokio::test]
async fn bytes_that_are_sent_after_the_head_of_an_answer_belong_to_its_request() {
    let collector = Collector::start();
    let sandbox = support::sandbox(&DEVELOPMENT);
    let environment = collector.environment();
    let app = App::start(&Launch { environment: &environment, ..sandbox.launch() }).await.unwrap();
    let admin = admin_of(&sandbox, &app).await;
    let file = upload(&admin, "/api/v1/users/self/files", json!({ "name": "a.bin" }), &vec![7; 900_000]).await;
    let url = file["url"].as_str().unwrap().to_owned();
    let read = admin.without_token().get(&url).header("traceparent", CALLER).await.is(200);
    assert_eq!(read.bytes.len(), 900_000);
    download(&admin, &file.json).await.is(200);
    app.stop().await.unwrap();

    let spans = collector.spans();
    let request = one(&spans.iter().collect::<Vec<_>>(), is_server);
    let gets = under(&spans, request).iter().filter(|span| span.name == "spin_key_value.get").count();
    assert_eq!(gets, 4, "a key has a quarter of a megabyte: {:#?}", under(&spans, request));
    let secret = url.split_once('?').map_or(url.as_str(), |(_, query)| query);
    assert!(
        spans.iter().all(|span| !format!("{span:?}").contains(secret)),
        "an address with a ticket stands in no span"
    );
}

#[tokio::test]
async fn what_cannot_be_done_is_told_at_the_start() {
    let sandbox = support::sandbox(&DEVELOPMENT);
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert!(App::start(&Launch { environment: &environment, ..sandbox.launch() }).await.is_err());

    // A collector that is away is no reason to be away.
    let app = App::start(&Launch { environment: &environment[..1], ..sandbox.launch() }).await.unwrap();
    admin_of(&sandbox, &app).await.get("/api/v1/users/self").header("traceparent", "nonsense").await.is(200);
    app.stop().await.unwrap();
}
