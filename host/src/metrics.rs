//! Figures for Prometheus: requests by component and status, how long they took, instances, failures, and the room on disks.
//!
//! Components live too briefly to count, and a row for each request would cost a write: so the host counts. The figures are
//! served at an address of their own, which no client of the application reaches.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use serving::Limits;
use tokio::net::TcpListener;

use crate::writing::Writing;

/// The path of the figures.
const PATH: &str = "/metrics";
/// The text that the library writes is that of `OpenMetrics`, which Prometheus asks for.
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Few ask, and seldom.
const LIMITS: Limits = Limits { connections: 16, header_timeout: Duration::from_secs(10) };

/// The upper ends of the buckets of the histogram, in seconds: from a read in a warm instance up to the limit of a request.
const BUCKETS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0];

/// The status of a request whose client went away before it was answered.
const GONE: &str = "gone";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfComponent {
    component: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfRequest {
    component: String,
    /// The status of the answer, or that there was none.
    status: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfFailure {
    component: String,
    /// `timeout` or `trap`.
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfHost {
    version: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfPart {
    part: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfFolder {
    folder: String,
}

type Durations = Family<OfComponent, Histogram, fn() -> Histogram>;

/// The figures of a running application.
#[derive(Clone)]
pub struct Metrics(Arc<Figures>);

struct Figures {
    registry: Registry,
    requests: Family<OfRequest, Counter>,
    durations: Durations,
    running: Family<OfComponent, Gauge>,
    instances: Family<OfComponent, Gauge>,
    failures: Family<OfFailure, Counter>,
    disk_bytes: Family<OfFolder, Gauge>,
    disk_free_bytes: Family<OfFolder, Gauge>,
    writable: Family<OfPart, Gauge>,
    /// The folders of the application's files.
    folders: BTreeSet<PathBuf>,
    /// What is known of the writes to the files with data.
    writing: OnceLock<Vec<Writing>>,
}

impl Metrics {
    /// Figures of an application whose files are in these folders.
    pub(crate) fn new(folders: BTreeSet<PathBuf>) -> Self {
        let constructor: fn() -> Histogram = histogram;
        let figures = Figures {
            registry: Registry::default(),
            requests: Family::default(),
            durations: Family::new_with_constructor(constructor),
            running: Family::default(),
            instances: Family::default(),
            failures: Family::default(),
            disk_bytes: Family::default(),
            disk_free_bytes: Family::default(),
            writable: Family::default(),
            folders,
            writing: OnceLock::new(),
        };
        Self(Arc::new(figures.registered()))
    }

    /// Tells from now on whether these files can be written.
    pub(crate) fn watch(&self, writing: &[Writing]) {
        // Once for each application.
        let _known = self.0.writing.set(writing.to_vec());
    }

    /// The figures of one component, all of which are told from now on.
    pub(crate) fn of_component(&self, id: &str) -> ComponentMetrics {
        let (figures, component) = (&self.0, OfComponent { component: id.to_owned() });
        let failure = |reason| OfFailure { component: id.to_owned(), reason };
        ComponentMetrics {
            component: id.into(),
            requests: figures.requests.clone(),
            duration: figures.durations.get_or_create_owned(&component),
            running: figures.running.get_or_create_owned(&component),
            instances: figures.instances.get_or_create_owned(&component),
            timeouts: figures.failures.get_or_create_owned(&failure("timeout")),
            traps: figures.failures.get_or_create_owned(&failure("trap")),
        }
    }

    /// The figures at this moment, as text.
    async fn text(&self) -> Result<String, std::fmt::Error> {
        self.0.look_at_disks();
        self.0.look_at_writes().await;
        let mut text = String::new();
        encode(&mut text, &self.0.registry)?;
        Ok(text)
    }

    /// Answers whoever asks for the figures, until it is dropped.
    pub async fn serve(self, listener: TcpListener) {
        let answer = move |request: Request<_>| {
            let (metrics, (head, _body)) = (self.clone(), request.into_parts());
            async move { Ok::<_, Infallible>(metrics.answer(&head).await) }
        };
        serving::serve(listener, LIMITS, answer, std::future::pending()).await;
    }

    async fn answer(&self, request: &Parts) -> Response<Full<Bytes>> {
        if request.uri.path() != PATH {
            return answer(StatusCode::NOT_FOUND, "text/plain", format!("the figures are at {PATH}\n"));
        }
        if !matches!(request.method, Method::GET | Method::HEAD) {
            return answer(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "the figures can be read alone\n".to_owned());
        }
        match self.text().await {
            Ok(text) => answer(StatusCode::OK, CONTENT_TYPE, text),
            Err(error) => {
                tracing::error!("the figures cannot be told: {error}");
                answer(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", "the log tells why there are none\n".to_owned())
            }
        }
    }
}

fn answer(status: StatusCode, content_type: &'static str, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, http::HeaderValue::from_static(content_type));
    response
}

fn histogram() -> Histogram {
    Histogram::new(BUCKETS)
}

impl Figures {
    /// Gives each figure its name. To that of a counter the text adds `_total`.
    fn registered(mut self) -> Self {
        let registry = &mut self.registry;
        // Not of the type `info`, which the older text format does not know.
        let host = Family::<OfHost, Gauge>::default();
        host.get_or_create(&OfHost { version: env!("CARGO_PKG_VERSION") }).set(1);
        registry.register("lectern_host_info", "The version of the host", host);
        registry.register(
            "lectern_requests",
            "Requests of clients, by the status of the answer",
            self.requests.clone(),
        );
        registry.register(
            "lectern_request_duration_seconds",
            "The time from the head of a request to the head of its answer",
            self.durations.clone(),
        );
        registry.register(
            "lectern_requests_running",
            "Requests of clients that are not answered yet",
            self.running.clone(),
        );
        registry.register("lectern_instances", "Instances of the component that are alive", self.instances.clone());
        registry.register(
            "lectern_instance_failures",
            "Instances that were stopped at the limit of a request (timeout), or failed (trap)",
            self.failures.clone(),
        );
        registry.register("lectern_disk_bytes", "The size of the disk of a folder with data", self.disk_bytes.clone());
        registry.register(
            "lectern_disk_free_bytes",
            "The room that the service may use on the disk of a folder with data",
            self.disk_free_bytes.clone(),
        );
        registry.register(
            "lectern_data_writable",
            "1 where the last write to a file with data has succeeded, or one can",
            self.writable.clone(),
        );
        self
    }

    /// Where nobody writes after a failure a write is tried, as for whoever asks whether the application is ready.
    async fn look_at_writes(&self) {
        for writing in self.writing.get().into_iter().flatten() {
            let is_writable = writing.problem().await.is_none();
            self.writable.get_or_create(&OfPart { part: writing.part() }).set(is_writable.into());
        }
    }

    /// A disk that does not answer has no figures; all others have theirs.
    fn look_at_disks(&self) {
        for folder in &self.folders {
            let labels = OfFolder { folder: folder.display().to_string() };
            match rustix::fs::statvfs(folder) {
                Ok(disk) => {
                    let bytes = |blocks: u64| i64::try_from(blocks.saturating_mul(disk.f_frsize)).unwrap_or(i64::MAX);
                    self.disk_bytes.get_or_create(&labels).set(bytes(disk.f_blocks));
                    self.disk_free_bytes.get_or_create(&labels).set(bytes(disk.f_bavail));
                }
                Err(error) => {
                    tracing::warn!("cannot look at the disk of {}: {error}", labels.folder);
                    self.disk_bytes.remove(&labels);
                    self.disk_free_bytes.remove(&labels);
                }
            }
        }
    }
}

/// The figures of one component.
#[derive(Clone)]
pub(crate) struct ComponentMetrics {
    component: Arc<str>,
    requests: Family<OfRequest, Counter>,
    duration: Histogram,
    running: Gauge,
    instances: Gauge,
    timeouts: Counter,
    traps: Counter,
}

impl ComponentMetrics {
    /// A request of a client has come.
    pub(crate) fn request(&self) -> RunningRequest<'_> {
        self.running.inc();
        RunningRequest { metrics: self, began: Instant::now(), status: None }
    }

    /// An instance has been made, which lives as long as the value.
    pub(crate) fn instance(&self) -> CountedInstance {
        self.instances.inc();
        CountedInstance(self.instances.clone())
    }

    /// An instance was stopped because time ran out.
    pub(crate) fn timed_out(&self) {
        self.timeouts.inc();
    }

    /// An instance failed.
    pub(crate) fn trapped(&self) {
        self.traps.inc();
    }
}

/// A request that is being answered. It is counted when this is dropped, be it because its client went away.
pub(crate) struct RunningRequest<'a> {
    metrics: &'a ComponentMetrics,
    began: Instant,
    status: Option<StatusCode>,
}

impl RunningRequest<'_> {
    /// The answer has that status.
    pub(crate) fn answered(mut self, status: StatusCode) {
        self.status = Some(status);
    }
}

impl Drop for RunningRequest<'_> {
    fn drop(&mut self) {
        let Self { metrics, began, status } = self;
        metrics.running.dec();
        let status = status.map_or_else(|| GONE.to_owned(), |status| status.as_str().to_owned());
        metrics.requests.get_or_create(&OfRequest { component: metrics.component.to_string(), status }).inc();
        metrics.duration.observe(began.elapsed().as_secs_f64());
    }
}

/// An instance that is alive.
pub(crate) struct CountedInstance(Gauge);

impl Drop for CountedInstance {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use futures::FutureExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    fn metrics() -> Metrics {
        Metrics::new(BTreeSet::from([std::env::temp_dir()]))
    }

    fn text(metrics: &Metrics) -> String {
        metrics.text().now_or_never().unwrap().unwrap()
    }

    /// The value of the one series with that name and those labels.
    fn value(metrics: &Metrics, series: &str) -> Option<f64> {
        let text = text(metrics);
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))?;
        Some(line.parse().unwrap())
    }

    #[test]
    fn a_request_is_counted_with_its_status_and_its_time() {
        let metrics = metrics();
        let polls = metrics.of_component("polls");
        let running = polls.request();
        assert_eq!(value(&metrics, "lectern_requests_running{component=\"polls\"}"), Some(1.0));
        assert_eq!(value(&metrics, "lectern_requests_total{component=\"polls\",status=\"201\"}"), None);
        running.answered(StatusCode::CREATED);
        polls.request().answered(StatusCode::CREATED);
        assert_eq!(value(&metrics, "lectern_requests_running{component=\"polls\"}"), Some(0.0));
        assert_eq!(value(&metrics, "lectern_requests_total{component=\"polls\",status=\"201\"}"), Some(2.0));
        let last = "lectern_request_duration_seconds_bucket{le=\"60.0\",component=\"polls\"}";
        assert_eq!(value(&metrics, last), Some(2.0), "{}", text(&metrics));
        assert_eq!(value(&metrics, "lectern_request_duration_seconds_count{component=\"polls\"}"), Some(2.0));
        assert!(value(&metrics, "lectern_request_duration_seconds_sum{component=\"polls\"}") < Some(5.0));
    }

    #[test]
    fn a_client_that_goes_away_leaves_nothing_running() {
        let metrics = metrics();
        let polls = metrics.of_component("polls");
        drop(polls.request());
        assert_eq!(value(&metrics, "lectern_requests_running{component=\"polls\"}"), Some(0.0));
        assert_eq!(value(&metrics, "lectern_requests_total{component=\"polls\",status=\"gone\"}"), Some(1.0));
    }

    #[test]
    fn instances_are_counted_while_they_live_and_when_they_fail() {
        let metrics = metrics();
        let polls = metrics.of_component("polls");
        let failures = |reason| {
            value(&metrics, &format!("lectern_instance_failures_total{{component=\"polls\",reason=\"{reason}\"}}"))
        };
        // A series that begins at its first failure would not be seen to rise.
        assert_eq!((failures("timeout"), failures("trap")), (Some(0.0), Some(0.0)));
        let instances = [polls.instance(), polls.instance()];
        assert_eq!(value(&metrics, "lectern_instances{component=\"polls\"}"), Some(2.0));
        drop(instances);
        polls.trapped();
        polls.timed_out();
        polls.timed_out();
        assert_eq!(value(&metrics, "lectern_instances{component=\"polls\"}"), Some(0.0));
        assert_eq!((failures("timeout"), failures("trap")), (Some(2.0), Some(1.0)));
    }

    #[test]
    fn the_disk_of_the_data_has_some_room_and_is_larger_than_that() {
        let metrics = metrics();
        let folder = std::env::temp_dir().display().to_string();
        let of_disk = |name: &str| value(&metrics, &format!("{name}{{folder=\"{folder}\"}}")).unwrap();
        let (free, all) = (of_disk("lectern_disk_free_bytes"), of_disk("lectern_disk_bytes"));
        assert!(free > 0.0 && all >= free, "{free} of {all}");
    }

    #[tokio::test]
    async fn data_that_cannot_be_written_are_told() {
        let (metrics, folder) = (metrics(), tempfile::tempdir().unwrap());
        let [database, store] = ["one.db", "two.db"].map(|name| folder.path().join(name));
        let writing = [Writing::to_database(&database), Writing::to_store(&store)];
        metrics.watch(&writing);
        let told =
            || ["database", "blobs"].map(|part| value(&metrics, &format!("lectern_data_writable{{part=\"{part}\"}}")));
        assert_eq!(told(), [Some(1.0), Some(1.0)]);
        writing[0].note::<()>(&Err("database or disk is full".to_owned()));
        assert_eq!(told(), [Some(0.0), Some(1.0)]);
        writing[0].succeeded();
        assert_eq!(told(), [Some(1.0), Some(1.0)]);
    }

    #[tokio::test]
    async fn the_figures_are_served_at_their_path_alone() {
        let metrics = metrics();
        metrics.of_component("polls").request().answered(StatusCode::OK);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(metrics.serve(listener));
        let ask = async |head: &str| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream
                .write_all(format!("{head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes())
                .await
                .unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).await.unwrap();
            text
        };
        let figures = ask("GET /metrics").await;
        assert!(figures.starts_with("HTTP/1.1 200 OK\r\n"), "{figures}");
        assert!(figures.contains(&format!("content-type: {CONTENT_TYPE}\r\n")), "{figures}");
        assert!(figures.contains("lectern_requests_total{component=\"polls\",status=\"200\"} 1\n"), "{figures}");
        assert!(figures.ends_with("# EOF\n"), "{figures}");
        assert!(ask("GET /").await.starts_with("HTTP/1.1 404 "));
        assert!(ask("POST /metrics").await.starts_with("HTTP/1.1 405 "));
        server.abort();
    }

    /// The names of the series, as their types make them.
    fn names(metrics: &Metrics) -> BTreeSet<String> {
        let text = text(metrics);
        let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
        let series = types.map(|(name, kind)| match kind {
            "counter" => format!("{name}_total"),
            "histogram" => format!("{name}_bucket"),
            _ => name.to_owned(),
        });
        series.collect()
    }

    #[test]
    fn the_operators_page_has_each_figure_and_no_other() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/OPERATIONS.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, table) = page.split_once("| Figure of the host |").expect("a table of the figures");
        let rows = table.lines().skip(2).take_while(|line| line.starts_with("| `"));
        let told: BTreeSet<_> = rows.filter_map(|row| row.split(['`', '{']).nth(1).map(str::to_owned)).collect();
        let metrics = metrics();
        metrics.of_component("polls").request().answered(StatusCode::OK);
        metrics.watch(&[Writing::to_database(Path::new("sqlite_db.db"))]);
        assert_eq!(told, names(&metrics));
    }
}
