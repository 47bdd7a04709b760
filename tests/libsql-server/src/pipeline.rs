//! `POST /v3/pipeline`: requests that are worked on one after the other, each with its own answer.

use std::sync::Arc;

use libsql_hrana::proto::{
    Batch, BatchCond, BatchResult, BatchStreamResp, CloseSqlStreamResp, CloseStreamResp, DescribeStreamResp, Error,
    ExecuteStreamResp, GetAutocommitStreamResp, PipelineReqBody, PipelineRespBody, SequenceStreamResp, StmtResult,
    StoreSqlStreamResp, StreamRequest, StreamResponse, StreamResult,
};

use crate::statement;
use crate::streams::{Refusal, Stream, Streams, lock};

pub(crate) fn answer(streams: &Streams, body: &[u8]) -> Result<Vec<u8>, Refusal> {
    let request: PipelineReqBody = decode(body)?;
    let stream = streams.acquire(request.baton.as_deref())?;
    let mut results = Vec::new();
    let mut is_closed = false;
    for request in request.requests {
        is_closed |= matches!(request, StreamRequest::Close(_));
        results.push(match one(streams, &stream, request) {
            Ok(response) => StreamResult::Ok { response },
            Err(error) => StreamResult::Error { error },
        });
    }
    let baton = if is_closed {
        streams.close(&stream);
        None
    } else {
        Some(streams.release(stream))
    };
    encode(&PipelineRespBody { baton, base_url: None, results })
}

fn one(streams: &Streams, stream: &Arc<Stream>, request: StreamRequest) -> Result<StreamResponse, Error> {
    Ok(match request {
        StreamRequest::None => return Err(statement::error("the request has no type", "BAD_REQUEST")),
        StreamRequest::Close(_) => StreamResponse::Close(CloseStreamResp {}),
        StreamRequest::Execute(request) => {
            StreamResponse::Execute(ExecuteStreamResp { result: statement::execute(streams, stream, &request.stmt)? })
        }
        StreamRequest::Batch(request) => {
            StreamResponse::Batch(BatchStreamResp { result: batch(streams, stream, &request.batch) })
        }
        StreamRequest::Sequence(request) => {
            statement::sequence(streams, stream, request.sql.as_deref(), request.sql_id)?;
            StreamResponse::Sequence(SequenceStreamResp {})
        }
        StreamRequest::Describe(request) => {
            let result = statement::describe(stream, request.sql.as_deref(), request.sql_id)?;
            StreamResponse::Describe(DescribeStreamResp { result })
        }
        StreamRequest::StoreSql(request) => {
            lock(&stream.stored).insert(request.sql_id, request.sql);
            StreamResponse::StoreSql(StoreSqlStreamResp {})
        }
        StreamRequest::CloseSql(request) => {
            lock(&stream.stored).remove(&request.sql_id);
            StreamResponse::CloseSql(CloseSqlStreamResp {})
        }
        StreamRequest::GetAutocommit(_) => {
            let is_autocommit = lock(&stream.connection).is_autocommit();
            StreamResponse::GetAutocommit(GetAutocommitStreamResp { is_autocommit })
        }
    })
}

/// Executes the steps of a batch whose conditions are met.
pub(crate) fn batch(streams: &Streams, stream: &Arc<Stream>, batch: &Batch) -> BatchResult {
    let mut result = BatchResult::default();
    for step in &batch.steps {
        let is_met = step.condition.as_ref().is_none_or(|condition| is_met(condition, stream, &result));
        let (answer, error) = match is_met.then(|| statement::execute(streams, stream, &step.stmt)) {
            None => (None, None),
            Some(Ok(answer)) => (Some(answer), None),
            Some(Err(error)) => (None, Some(error)),
        };
        result.step_results.push(answer);
        result.step_errors.push(error);
    }
    result
}

fn is_met(condition: &BatchCond, stream: &Stream, so_far: &BatchResult) -> bool {
    let step = |step: &u32| usize::try_from(*step).unwrap_or(usize::MAX);
    match condition {
        BatchCond::None => true,
        BatchCond::Ok { step: of } => so_far.step_results.get(step(of)).is_some_and(Option::<StmtResult>::is_some),
        BatchCond::Error { step: of } => so_far.step_errors.get(step(of)).is_some_and(Option::<Error>::is_some),
        BatchCond::Not { cond } => !is_met(cond, stream, so_far),
        BatchCond::And(list) => list.conds.iter().all(|condition| is_met(condition, stream, so_far)),
        BatchCond::Or(list) => list.conds.iter().any(|condition| is_met(condition, stream, so_far)),
        BatchCond::IsAutocommit {} => lock(&stream.connection).is_autocommit(),
    }
}

pub(crate) fn decode<'a, T: serde::Deserialize<'a>>(body: &'a [u8]) -> Result<T, Refusal> {
    let decoded = serde_json::from_slice(body);
    decoded.map_err(|error| Refusal::BadRequest(format!("Could not deserialize JSON request body: {error}")))
}

pub(crate) fn encode(body: &impl serde::Serialize) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(body).map_err(|error| Refusal::Failed(error.to_string()))
}
