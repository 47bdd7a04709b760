//! Requests and their answers, written down as examples for the reference, where `LECTERN_RECORD_EXAMPLES` names a
//! folder.
//!
//! `cargo run -p api-description -- --examples FOLDER` chooses among them, and takes out what differs from one time to
//! the next.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use api_description::{Operations, Recording};
use reqwest::{Request, RequestBuilder};
use xtask::app::RECORD_EXAMPLES;

use crate::Response;

/// Recordings of an operation, among which the best is chosen.
const MAX_RECORDINGS: usize = 12;
/// The length of an answer beyond which its body is left out.
const MAX_BYTES: usize = 64 * 1024;

struct Recorder {
    operations: Operations,
    written: Mutex<(File, BTreeMap<&'static str, usize>)>,
}

static RECORDER: LazyLock<Option<Recorder>> = LazyLock::new(|| {
    let folder = PathBuf::from(std::env::var_os(RECORD_EXAMPLES)?);
    fs::create_dir_all(&folder).expect("the folder of the recordings");
    let file = folder.join(format!("{}.jsonl", std::process::id()));
    let file = File::create(file).expect("the file of the recordings");
    Some(Recorder { operations: Operations::of_all_areas(), written: Mutex::new((file, BTreeMap::new())) })
});

/// A request that is to be recorded, as it will be sent.
pub(crate) fn sent(request: &RequestBuilder) -> Option<Request> {
    RECORDER.as_ref()?;
    request.try_clone()?.build().ok()
}

/// Writes a request and its answer down, if they are an example of an operation.
pub(crate) fn record(sent: Option<&Request>, answer: &Response) {
    let Some((recorder, sent)) = RECORDER.as_ref().zip(sent) else { return };
    let url = sent.url();
    let id = recorder.operations.id(sent.method().as_str(), url.path());
    let Some(id) = id.filter(|_| (200..400).contains(&answer.status)) else { return };
    let request = sent.body().and_then(|body| serde_json::from_slice(body.as_bytes()?).ok());
    let recording = Recording {
        operation: id.to_owned(),
        base_url: url.origin().ascii_serialization(),
        path: url.path().to_owned(),
        query: url.query().unwrap_or_default().to_owned(),
        request,
        status: answer.status,
        answer: Some(answer.json.clone()).filter(|json| !json.is_null() && answer.bytes.len() <= MAX_BYTES),
    };
    let line = serde_json::to_string(&recording).expect("a line");
    let mut written = recorder.written.lock().unwrap_or_else(PoisonError::into_inner);
    let (file, counts) = &mut *written;
    let count = counts.entry(id).or_default();
    if *count < MAX_RECORDINGS {
        *count += 1;
        writeln!(file, "{line}").expect("the line is written");
    }
}
