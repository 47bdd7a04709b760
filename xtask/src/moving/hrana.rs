//! A libSQL server, spoken to in Hrana 3 over HTTP. Each call is a stream of its own: nothing is open between two.

use anyhow::{Context, Result, bail, ensure};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::SendRequest;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use libsql_hrana::proto::{
    Batch, BatchCond, BatchStep, BatchStreamReq, CloseStreamReq, PipelineReqBody, PipelineRespBody, Stmt, StmtResult,
    StreamRequest, StreamResponse, StreamResult, Value as FarValue,
};
use rusqlite::types::Value;
use url::Url;

use super::connection;
use super::database::{Row, Statement};

pub(crate) struct Server {
    url: Url,
    token: String,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Server {
    /// Nothing is sent before the first statement.
    pub(super) fn new(url: &str, token: &str) -> Result<Self> {
        let url = Url::parse(url).context("the address of the libSQL server cannot be used")?;
        Ok(Self { url, token: token.to_owned(), sender: None })
    }

    /// The rows of a statement.
    pub(super) async fn rows(&mut self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>> {
        let result = self.steps(vec![step(None, sql, values)]).await?.pop().context("no result")?;
        Ok(result.rows.into_iter().map(|row| row.values.into_iter().map(from_far).collect()).collect())
    }

    /// Executes all statements in one transaction, or none.
    pub(super) async fn write(&mut self, statements: Vec<Statement>) -> Result<()> {
        // References are looked at in the end, when all rows are there.
        let mut steps = vec![step(None, "PRAGMA foreign_keys = OFF", Vec::new())];
        steps.push(step(Some(0), "BEGIN IMMEDIATE", Vec::new()));
        for (before, (sql, values)) in (1..).zip(statements) {
            steps.push(step(Some(before), &sql, values));
        }
        let last = u32::try_from(steps.len())?.saturating_sub(1);
        steps.push(step(Some(last), "COMMIT", Vec::new()));
        self.steps(steps).await.map(drop)
    }

    /// Executes steps, all of which must succeed, and closes the stream: what it had open is rolled back.
    async fn steps(&mut self, steps: Vec<BatchStep>) -> Result<Vec<StmtResult>> {
        let batch = StreamRequest::Batch(BatchStreamReq { batch: Batch { steps, replication_index: None } });
        let requests = vec![batch, StreamRequest::Close(CloseStreamReq {})];
        let answer = self.call(&PipelineReqBody { baton: None, requests }).await?;
        match answer.results.into_iter().next().context("an answer without results")? {
            StreamResult::Ok { response: StreamResponse::Batch(batch) } => {
                if let Some(error) = batch.result.step_errors.into_iter().flatten().next() {
                    bail!("the server refuses: {}", error.message);
                }
                let results = batch.result.step_results.into_iter();
                results.map(|result| result.context("a statement was not executed")).collect()
            }
            StreamResult::Error { error } => bail!("the server refuses: {}", error.message),
            _ => bail!("the server answers something else"),
        }
    }

    /// The connection of the call before, unless the server has closed it.
    async fn sender(&mut self) -> Result<SendRequest<Full<Bytes>>> {
        if let Some(mut sender) = self.sender.take()
            && sender.ready().await.is_ok()
        {
            return Ok(sender);
        }
        connection::open(&self.url).await
    }

    async fn call(&mut self, body: &PipelineReqBody) -> Result<PipelineRespBody> {
        let mut sender = self.sender().await?;
        let host = self.url.authority().rsplit('@').next().unwrap_or_default();
        let mut request = Request::post("/v3/pipeline").header(HOST, host).header(CONTENT_TYPE, "application/json");
        if !self.token.is_empty() {
            request = request.header(AUTHORIZATION, format!("Bearer {}", self.token));
        }
        let request = request.body(Full::new(Bytes::from(serde_json::to_vec(body)?)))?;
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let bytes = answer.into_body().collect().await?.to_bytes();
        self.sender = Some(sender);
        ensure!(status.is_success(), "the libSQL server answers {status}: {}", String::from_utf8_lossy(&bytes));
        Ok(serde_json::from_slice(&bytes)?)
    }
}

/// A statement that is executed if the step before it was.
fn step(before: Option<u32>, sql: &str, values: Vec<Value>) -> BatchStep {
    let stmt = Stmt {
        sql: Some(sql.to_owned()),
        sql_id: None,
        args: values.into_iter().map(to_far).collect(),
        named_args: Vec::new(),
        want_rows: Some(true),
        replication_index: None,
    };
    BatchStep { condition: before.map(|step| BatchCond::Ok { step }), stmt }
}

fn to_far(value: Value) -> FarValue {
    match value {
        Value::Null => FarValue::Null,
        Value::Integer(value) => FarValue::Integer { value },
        Value::Real(value) => FarValue::Float { value },
        Value::Text(text) => FarValue::Text { value: text.into() },
        Value::Blob(bytes) => FarValue::Blob { value: bytes.into() },
    }
}

fn from_far(value: FarValue) -> Value {
    match value {
        FarValue::None | FarValue::Null => Value::Null,
        FarValue::Integer { value } => Value::Integer(value),
        FarValue::Float { value } => Value::Real(value),
        FarValue::Text { value } => Value::Text(value.as_ref().to_owned()),
        FarValue::Blob { value } => Value::Blob(value.into()),
    }
}
