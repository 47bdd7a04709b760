//! One connection to a libSQL server, through the client that Spin uses, so that components meet the same words.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use hyper_014::Uri;
use hyper_014::client::connect::{Connected, Connection as Connect};
use libsql::Value as ServerValue;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tower_service::Service;

use crate::bindings::sqlite::{RowResult, Value};
use crate::database::{Answer, BATCHES_AHEAD, MAX_ROW_BYTES, Pending, Rows, UNREAD, value_bytes};

/// A server, and what it wants to see of those who call.
#[derive(Clone)]
pub(crate) struct Server {
    url: Arc<str>,
    token: Arc<str>,
    connector: Connector,
}

/// A connection: a stream of the server's, which it closes when nobody uses it for a while.
pub(crate) struct Database {
    connection: libsql::Connection,
}

impl Server {
    pub(crate) fn new(url: &str, token: &str, tls: TlsConnector) -> Self {
        Self { url: url.into(), token: token.into(), connector: Connector { tls } }
    }

    /// Nothing is sent before the first statement.
    pub(crate) async fn connect(&self) -> Result<Database, String> {
        let connection = self.client().await.and_then(|client| client.connect());
        Ok(Database { connection: connection.map_err(|error| error.to_string())? })
    }

    /// The client itself, for whoever needs all of the database.
    pub(crate) async fn client(&self) -> libsql::Result<libsql::Database> {
        let remote = libsql::Builder::new_remote(self.url.to_string(), self.token.to_string());
        remote.connector(self.connector.clone()).build().await
    }
}

impl Database {
    /// Runs the first statement in `sql`; what follows it is ignored.
    pub(crate) fn execute(&self, sql: String, parameters: Vec<Value>) -> Pending<Answer> {
        let connection = self.connection.clone();
        Box::pin(async move {
            let (tell_columns, columns) = oneshot::channel();
            let (sender, rows) = mpsc::channel(BATCHES_AHEAD);
            let (finish, finished) = oneshot::channel();
            tokio::spawn(async move {
                let result = query(&connection, &sql, parameters, tell_columns, sender).await;
                let _nobody_asks = finish.send(result);
            });
            // Without columns it has failed, and `finished` tells why.
            Ok(Answer { columns: columns.await.unwrap_or_default(), rows: Rows::streamed(rows), finished })
        })
    }

    pub(crate) fn last_insert_rowid(&self) -> i64 {
        self.connection.last_insert_rowid()
    }

    pub(crate) fn changes(&self) -> u64 {
        self.connection.changes()
    }
}

async fn query(
    connection: &libsql::Connection,
    sql: &str,
    parameters: Vec<Value>,
    tell_columns: oneshot::Sender<Vec<String>>,
    sender: mpsc::Sender<Vec<RowResult>>,
) -> Result<(), String> {
    let parameters: Vec<_> = parameters.into_iter().map(to_server).collect();
    let mut rows = connection.query(sql, parameters).await.map_err(|error| error.to_string())?;
    let width = rows.column_count();
    let names = (0..width).map(|column| rows.column_name(column).unwrap_or_default().to_owned());
    let _nobody_asks = tell_columns.send(names.collect());
    while let Some(row) = rows.next().await.map_err(|error| error.to_string())? {
        let values = (0..width).map(|column| row.get_value(column).map(from_server));
        let values: Vec<_> = values.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        if values.iter().map(value_bytes).sum::<usize>() > MAX_ROW_BYTES {
            return Err(format!("a row of the result is larger than {MAX_ROW_BYTES} bytes"));
        }
        sender.send(vec![RowResult { values }]).await.map_err(|_dropped| UNREAD.to_owned())?;
    }
    Ok(())
}

fn to_server(value: Value) -> ServerValue {
    match value {
        Value::Integer(number) => ServerValue::Integer(number),
        Value::Real(number) => ServerValue::Real(number),
        Value::Text(text) => ServerValue::Text(text),
        Value::Blob(bytes) => ServerValue::Blob(bytes),
        Value::Null => ServerValue::Null,
    }
}

fn from_server(value: ServerValue) -> Value {
    match value {
        ServerValue::Integer(number) => Value::Integer(number),
        ServerValue::Real(number) => Value::Real(number),
        ServerValue::Text(text) => Value::Text(text),
        ServerValue::Blob(bytes) => Value::Blob(bytes),
        ServerValue::Null => Value::Null,
    }
}

/// Makes the client's connections: its own TLS is of a version that is not kept any more.
#[derive(Clone)]
struct Connector {
    tls: TlsConnector,
}

impl Service<Uri> for Connector {
    type Response = Socket;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Socket>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let tls = self.tls.clone();
        Box::pin(async move {
            let host = uri.host().ok_or_else(|| io::Error::other("the address of the server has no host"))?;
            let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
            let is_secure = uri.scheme_str() == Some("https");
            let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
            let stream = TcpStream::connect((host.as_str(), port)).await?;
            stream.set_nodelay(true)?;
            if !is_secure {
                return Ok(Socket(Box::new(stream)));
            }
            let name = ServerName::try_from(host).map_err(io::Error::other)?;
            Ok(Socket(Box::new(tls.connect(name, stream).await?)))
        })
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Stream for T {}

/// A connection as the client's HTTP library wants it.
struct Socket(Box<dyn Stream>);

impl Connect for Socket {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::outbound;

    /// A server that answers each request with the next of these, and the requests.
    async fn scripted(answers: Vec<(u16, String)>) -> (Database, tokio::task::JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = tokio::spawn(async move {
            let mut requests = Vec::new();
            for (status, body) in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = String::new();
                while !is_whole(&request) {
                    let mut buffer = [0; 4096];
                    let length = stream.read(&mut buffer).await.unwrap();
                    request.push_str(std::str::from_utf8(&buffer[..length]).unwrap());
                }
                requests.push(request);
                let head =
                    format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
                stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
            }
            requests
        });
        let server = Server::new(&url, "secret", outbound::tls_connector());
        (server.connect().await.unwrap(), requests)
    }

    fn is_whole(request: &str) -> bool {
        let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        body.len() >= length.map_or(0, |length| length.parse().unwrap())
    }

    fn described() -> (u16, String) {
        let result = r#"{"params":[],"cols":[],"is_explain":false,"is_readonly":true}"#;
        let response = format!(r#"{{"type":"describe","result":{result}}}"#);
        (200, format!(r#"{{"baton":"b","base_url":null,"results":[{{"type":"ok","response":{response}}}]}}"#))
    }

    async fn outcome(database: &Database, sql: &str) -> (Vec<String>, Vec<RowResult>, Result<(), String>) {
        let mut answer = database.execute(sql.to_owned(), vec![Value::Integer(7)]).await.unwrap();
        let mut rows = Vec::new();
        while !answer.rows.is_finished() {
            rows.extend(std::future::poll_fn(|cx| answer.rows.poll_take(cx, usize::MAX)).await);
        }
        (answer.columns, rows, answer.finished.await.unwrap())
    }

    #[tokio::test]
    async fn a_statement_is_sent_with_the_token_and_its_rows_come_back() {
        let lines = [
            r#"{"baton":"c","base_url":null}"#,
            r#"{"type":"step_begin","step":0,"cols":[{"name":"id"},{"name":"name"}]}"#,
            r#"{"type":"row","row":[{"type":"integer","value":"7"},{"type":"text","value":"x"}]}"#,
            r#"{"type":"row","row":[{"type":"null"},{"type":"float","value":0.5}]}"#,
            r#"{"type":"step_end","affected_row_count":0,"last_insert_rowid":null}"#,
        ];
        let (database, requests) = scripted(vec![described(), (200, lines.join("\n"))]).await;
        let (columns, rows, ended) = outcome(&database, "SELECT id, name FROM a WHERE id = ?1").await;
        assert_eq!((columns.join(","), ended), ("id,name".to_owned(), Ok(())));
        assert!(matches!(rows[0].values.as_slice(), [Value::Integer(7), Value::Text(text)] if text == "x"));
        assert!(matches!(rows[1].values.as_slice(), [Value::Null, Value::Real(0.5)]));
        let requests = requests.await.unwrap();
        assert!(requests.iter().all(|request| request.to_lowercase().contains("authorization: bearer secret")));
        assert!(requests[1].contains(r#"{"type":"integer","value":"7"}"#), "{requests:?}");
    }

    #[tokio::test]
    async fn errors_come_through_in_the_words_of_the_client() {
        let expired = r#"{"message":"The stream has expired due to inactivity","code":"STREAM_EXPIRED"}"#;
        let (database, _) = scripted(vec![(400, expired.to_owned())]).await;
        let (columns, rows, ended) = outcome(&database, "SELECT 1").await;
        assert!(columns.is_empty() && rows.is_empty());
        let error = ended.unwrap_err();
        assert!(error.starts_with("Hrana: `api error: `status=400") && error.contains("STREAM_EXPIRED"), "{error}");

        let (database, _) = scripted(vec![described()]).await;
        let (_, _, ended) = outcome(&database, "PRAGMA journal_mode = WAL").await;
        assert_eq!(ended, Err("unsupported statement".to_owned()));
    }
}
