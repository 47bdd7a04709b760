//! Traces: a span for each request, and under it one for each call that its component makes meanwhile.
//!
//! They are told as Spin tells them, by the same variables of the environment and with the same names, so that one dashboard
//! reads both. But addresses stand in none, because tokens and tickets do stand in addresses. Where no collector is named a
//! span is nothing, and costs a look at that.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use http::{HeaderMap, Method, Request, StatusCode};
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanKind, Status, TraceContextExt, Tracer, TracerProvider};
use opentelemetry::{Context, Key, KeyValue};
use opentelemetry_http::{HeaderExtractor, HeaderInjector};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tokio_rustls::TlsConnector;
use wasmtime::StoreContextMut;

use crate::collector::Client;
use crate::component::State;

/// A collector is named by one of these variables: as a whole, or for traces alone.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
/// The protocol, for traces alone or for all.
const PROTOCOLS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
/// The only protocol; it is Spin's default, too.
const PROTOCOL: &str = "http/protobuf";
/// As for Spin, any value leaves traces out.
const DISABLED: &str = "OTEL_SDK_DISABLED";

/// What the service is called unless `OTEL_SERVICE_NAME` says otherwise.
const SERVICE: &str = "lectern";
const SERVICE_NAME: Key = Key::from_static_str("service.name");
/// The beginning of the name that the library gives to a service without one.
const UNNAMED: &str = "unknown_service";

/// Where the spans of an application go: to a collector, or nowhere.
#[derive(Clone, Default)]
pub(crate) struct Traces(Option<Arc<Pipeline>>);

struct Pipeline {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl Traces {
    /// Spans for the collector that the environment names, if it names one. What else the environment says of exporting
    /// (headers, samples, batches) is read by the library.
    ///
    /// # Errors
    /// Tells what of it cannot be used.
    pub(crate) fn from_environment(tls: &TlsConnector, variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        if is_wanted(variable)? { Self::exported_to(None, tls) } else { Ok(Self::default()) }
    }

    /// Spans for the collector at that address, or at the one that the environment names.
    fn exported_to(endpoint: Option<&str>, tls: &TlsConnector) -> Result<Self> {
        use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
        let exporter = SpanExporter::builder().with_http().with_http_client(Client::new(tls.clone()));
        let exporter = match endpoint {
            Some(endpoint) => exporter.with_endpoint(endpoint),
            None => exporter,
        };
        let exporter = exporter.build().context("traces cannot be sent as the variables OTEL_EXPORTER_OTLP_… say")?;
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource()).build();
        let tracer = provider.tracer(env!("CARGO_PKG_NAME"));
        Ok(Self(Some(Arc::new(Pipeline { provider, tracer }))))
    }

    /// True if there is a collector.
    pub(crate) fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// The span of a client's request, under that of the client, if it has told of one.
    pub(crate) fn request<B>(&self, request: &Request<B>, route: &str, component: &str) -> Span {
        let Some(pipeline) = &self.0 else { return Span::default() };
        let caller = HeaderExtractor(request.headers());
        let caller = TraceContextPropagator::new().extract_with_context(&Context::new(), &caller);
        let method = known(request.method());
        let attributes = vec![
            KeyValue::new("http.request.method", method),
            KeyValue::new("http.route", route.to_owned()),
            KeyValue::new("url.scheme", "http"),
            KeyValue::new("component_id", component.to_owned()),
        ];
        let trace = Link { tracer: pipeline.tracer.clone(), context: caller };
        trace.begin(SpanKind::Server, format!("{method} {route}"), attributes)
    }

    /// Sends what is still here. Nothing is sent after that.
    pub(crate) async fn shut_down(&self) {
        let Some(pipeline) = self.0.clone() else { return };
        // It waits for its own thread, which waits for ours to send.
        let ended = tokio::task::spawn_blocking(move || pipeline.provider.shutdown()).await;
        if let Ok(Err(error)) = ended {
            tracing::warn!("the last traces did not reach their collector: {error}");
        }
    }
}

/// True if the environment names a collector.
fn is_wanted(variable: impl Fn(&str) -> Option<String>) -> Result<bool> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if set(DISABLED).is_some() || !ENDPOINTS.iter().any(|name| set(name).is_some()) {
        return Ok(false);
    }
    let protocol = PROTOCOLS.iter().find_map(|name| Some((name, set(name)?)));
    if let Some((name, protocol)) = protocol.filter(|(_, protocol)| protocol != PROTOCOL) {
        bail!("{name} is {protocol:?}, and lectern-host sends traces by {PROTOCOL} alone");
    }
    Ok(true)
}

/// What is said of this program with all of its spans.
fn resource() -> Resource {
    let said = || Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    let resource = said().build();
    let is_named = resource.get(&SERVICE_NAME).is_some_and(|name| !name.as_str().starts_with(UNNAMED));
    if is_named { resource } else { said().with_service_name(SERVICE).build() }
}

/// The name of a method. Whoever makes up one of their own does not make up a name of spans.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        Method::CONNECT => "CONNECT",
        Method::TRACE => "TRACE",
        _ => "_OTHER",
    }
}

/// A span that others begin under, or nothing.
#[derive(Clone, Default)]
pub(crate) struct Trace(Option<Arc<Link>>);

struct Link {
    tracer: SdkTracer,
    context: Context,
}

impl Link {
    fn begin(&self, kind: SpanKind, name: impl Into<Cow<'static, str>>, attributes: Vec<KeyValue>) -> Span {
        let tracer = &self.tracer;
        let builder = tracer.span_builder(name).with_kind(kind).with_attributes(attributes);
        let span = tracer.build_with_context(builder, &self.context);
        Span(Trace(Some(Arc::new(Self { tracer: tracer.clone(), context: self.context.with_span(span) }))))
    }
}

impl Trace {
    /// A connection to a database that is opened.
    pub(crate) fn opening(&self) -> Span {
        self.database("spin_sqlite.open")
    }

    /// A statement. Values are no part of its text.
    pub(crate) fn statement(&self, sql: &str) -> Span {
        self.database(sql)
    }

    fn database(&self, name: &str) -> Span {
        let Some(link) = &self.0 else { return Span::default() };
        link.begin(SpanKind::Client, name.to_owned(), vec![KeyValue::new("db.system.name", "sqlite")])
    }

    /// A call to a key-value store.
    pub(crate) fn key_value(&self, name: &'static str) -> Span {
        let Some(link) = &self.0 else { return Span::default() };
        link.begin(SpanKind::Client, format!("spin_key_value.{name}"), Vec::new())
    }

    /// A request that the component sends.
    pub(crate) fn outbound(&self, method: &Method, host: &str, port: u16) -> Span {
        let Some(link) = &self.0 else { return Span::default() };
        let method = known(method);
        let attributes = vec![
            KeyValue::new("http.request.method", method),
            KeyValue::new("server.address", host.to_owned()),
            KeyValue::new("server.port", i64::from(port)),
        ];
        link.begin(SpanKind::Client, method, attributes)
    }

    /// A request of another component, which this one answers.
    pub(crate) fn chained(&self, method: &Method, component: &str) -> Span {
        let Some(link) = &self.0 else { return Span::default() };
        let method = known(method);
        let attributes =
            vec![KeyValue::new("http.request.method", method), KeyValue::new("component_id", component.to_owned())];
        link.begin(SpanKind::Server, method, attributes)
    }
}

/// A span that ends when this is dropped, or nothing.
#[derive(Default)]
#[must_use]
pub(crate) struct Span(Trace);

impl Span {
    /// What begins under it.
    pub(crate) fn trace(&self) -> Trace {
        self.0.clone()
    }

    /// Tells the receiver of a request of it.
    pub(crate) fn hand_on(&self, headers: &mut HeaderMap) {
        if let Some(link) = &self.0.0 {
            TraceContextPropagator::new().inject_context(&link.context, &mut HeaderInjector(headers));
        }
    }

    /// Ends it with the answer that was given.
    pub(crate) fn answered(self, status: StatusCode) {
        self.end_with(status, status.is_server_error());
    }

    /// Ends it with the answer that was got.
    pub(crate) fn received(self, status: StatusCode) {
        self.end_with(status, status.is_client_error() || status.is_server_error());
    }

    fn end_with(self, status: StatusCode, is_error: bool) {
        let Some(link) = &self.0.0 else { return };
        let span = link.context.span();
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status.as_u16())));
        if is_error {
            span.set_attribute(KeyValue::new("error.type", status.as_u16().to_string()));
            span.set_status(Status::error(""));
        }
    }

    /// Ends it with what came of the call.
    pub(crate) fn settle<R, E: fmt::Display>(self, result: &Result<R, E>) {
        if let (Some(link), Err(error)) = (&self.0.0, result) {
            link.context.span().set_status(Status::error(error.to_string()));
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(link) = &self.0.0 {
            link.context.span().end();
        }
    }
}

/// Says for which request the component makes the call that it makes just now. One instance may still work for a request that
/// it has answered when it takes the next one.
pub(crate) fn attribute(mut store: StoreContextMut<'_, State>) -> wasmtime::Result<()> {
    let tasks: Vec<_> = store.async_call_stack()?.collect();
    store.data_mut().attribute(&tasks);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Mutex;

    use bytes::Bytes;
    use http::Response;
    use http_body_util::{BodyExt, Full};
    use hyper::body::Incoming;
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
    use opentelemetry_proto::tonic::trace::v1::Span as Exported;
    use prost::Message;
    use tokio::net::TcpListener;

    use super::*;
    use crate::outbound::tls_connector;

    type Batches = Arc<Mutex<Vec<Bytes>>>;

    /// A collector: its address, and what it is sent.
    async fn collector() -> (String, Batches) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1/traces", listener.local_addr().unwrap());
        let batches = Batches::default();
        let taken = batches.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let taken = taken.clone();
                let service = service_fn(move |request: Request<Incoming>| {
                    let taken = taken.clone();
                    async move {
                        assert_eq!(request.uri().path(), "/v1/traces");
                        let body = request.into_body().collect().await.unwrap().to_bytes();
                        taken.lock().unwrap().push(body);
                        Ok::<_, Infallible>(Response::new(Full::new(Bytes::new())))
                    }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        (address, batches)
    }

    fn spans(batches: &Batches) -> Vec<Exported> {
        let batches = batches.lock().unwrap().clone();
        let decoded = batches.into_iter().map(|batch| ExportTraceServiceRequest::decode(batch).unwrap());
        let scopes = decoded.flat_map(|batch| batch.resource_spans).flat_map(|of| of.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }

    fn named<'a>(spans: &'a [Exported], name: &str) -> &'a Exported {
        let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
        assert_eq!(found.len(), 1, "{name} of {spans:#?}");
        found[0]
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn calls_stand_under_the_request_and_the_request_under_its_caller() {
        let (address, batches) = collector().await;
        let traces = Traces::exported_to(Some(&address), &tls_connector()).unwrap();
        let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let request = Request::get("/api/v1/polls/7?access_token=hunter2").header("traceparent", caller);
        let request = traces.request(&request.body(()).unwrap(), "/api/v1/polls/...", "polls");
        request.trace().statement("SELECT 1").settle(&Ok::<_, String>(()));
        request.trace().key_value("get").settle(&Err::<(), _>("no connection"));
        let sent = request.trace().outbound(&Method::POST, "receiver.test", 443);
        let mut headers = HeaderMap::new();
        sent.hand_on(&mut headers);
        sent.received(StatusCode::BAD_REQUEST);
        request.answered(StatusCode::OK);
        traces.shut_down().await;

        let spans = spans(&batches);
        assert_eq!(spans.len(), 4, "{spans:#?}");
        let of = |name: &str| named(&spans, name);
        let request = of("GET /api/v1/polls/...");
        assert_eq!(request.parent_span_id, 0x00f0_67aa_0ba9_02b7_u64.to_be_bytes());
        for call in ["SELECT 1", "spin_key_value.get", "POST"] {
            assert_eq!(of(call).parent_span_id, request.span_id, "{call}");
            assert_eq!(of(call).trace_id, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736_u128.to_be_bytes(), "{call}");
        }
        let failed = |name: &str| of(name).status.as_ref().is_some_and(|status| status.code == 2);
        let names = ["GET /api/v1/polls/...", "SELECT 1", "spin_key_value.get", "POST"];
        assert_eq!(names.map(failed), [false, false, true, true]);
        let told = headers["traceparent"].to_str().unwrap();
        let id: String = of("POST").span_id.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(told, format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{id}-01"));
        assert!(!format!("{spans:?}").contains("hunter2"));
    }

    #[test]
    fn without_a_collector_there_is_no_span() {
        let traces = Traces::from_environment(&tls_connector(), |_| None).unwrap();
        let request = traces.request(&Request::new(()), "/", "polls");
        let mut headers = HeaderMap::new();
        let call = request.trace().outbound(&Method::GET, "receiver.test", 443);
        call.hand_on(&mut headers);
        assert!(!traces.are_wanted() && request.0.0.is_none() && call.0.0.is_none() && headers.is_empty());
    }

    #[test]
    fn the_environment_says_what_it_says_to_spin() {
        let wanted = |set: &[(&str, &str)]| {
            is_wanted(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        let (all, traces) = (("OTEL_EXPORTER_OTLP_ENDPOINT", "x"), ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "x"));
        assert!(wanted(&[all]).unwrap() && wanted(&[traces]).unwrap());
        assert!(wanted(&[all, ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")]).unwrap());
        assert!(!wanted(&[]).unwrap() && !wanted(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]).unwrap());
        assert!(!wanted(&[all, ("OTEL_SDK_DISABLED", "true")]).unwrap());
        let refused = wanted(&[all, ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc")]).unwrap_err().to_string();
        assert!(refused.contains("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") && refused.contains("grpc"), "{refused}");
    }

    #[test]
    fn a_method_that_nobody_knows_names_no_span() {
        assert_eq!((known(&Method::PATCH), known(&"BREW".parse().unwrap())), ("PATCH", "_OTHER"));
    }
}
