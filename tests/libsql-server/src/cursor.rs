//! `POST /v3/cursor`: a batch whose results come as lines of JSON.

use libsql_hrana::proto::{CursorEntry, CursorReqBody, CursorRespBody, StepBeginEntry, StepEndEntry, StepErrorEntry};

use crate::pipeline::{batch, decode, encode};
use crate::streams::{Refusal, Streams};

pub(crate) fn answer(streams: &Streams, body: &[u8]) -> Result<Vec<u8>, Refusal> {
    let request: CursorReqBody = decode(body)?;
    let stream = streams.acquire(request.baton.as_deref())?;
    let result = batch(streams, &stream, &request.batch);
    let mut body = encode(&CursorRespBody { baton: Some(streams.release(stream)), base_url: None })?;
    for (step, (answer, error)) in (0..).zip(result.step_results.into_iter().zip(result.step_errors)) {
        let mut entries = Vec::new();
        if let Some(answer) = answer {
            entries.push(CursorEntry::StepBegin(StepBeginEntry { step, cols: answer.cols }));
            entries.extend(answer.rows.into_iter().map(|row| CursorEntry::Row { row }));
            let end = StepEndEntry {
                affected_row_count: answer.affected_row_count,
                last_insert_rowid: answer.last_insert_rowid,
            };
            entries.push(CursorEntry::StepEnd(end));
        }
        entries.extend(error.map(|error| CursorEntry::StepError(StepErrorEntry { step, error })));
        for entry in &entries {
            body.push(b'\n');
            body.extend(encode(entry)?);
        }
    }
    body.push(b'\n');
    Ok(body)
}
