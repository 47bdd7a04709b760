//! `spin:sqlite`: databases as a component sees them.

use std::pin::Pin;
use std::task::{Context, Poll};

use wasmtime::StoreContextMut;
use wasmtime::component::{
    Accessor, Destination, FutureReader, HasSelf, Resource, StreamProducer, StreamReader, StreamResult, VecBuffer,
};

use crate::bindings::sqlite::{Error, Host, HostConnection, HostConnectionWithStore, QueryResult, RowResult, Value};
use crate::component::State;
use crate::database::{self, Answer, Database, DatabaseFile, MAX_ROW_BYTES, Owner, Pending, Rows, value_bytes};
use crate::libsql_server::{self, Server};
use crate::writing::Writing;

/// Open connections that one instance may have.
const MAX_CONNECTIONS: usize = 256;

/// What a component hears if the connection ended before its statement.
const CUT_SHORT: &str = "the statement was cut short";

/// Where a database is.
#[derive(Clone)]
pub(crate) enum Place {
    File(DatabaseFile),
    Server(Server),
}

impl Place {
    /// What is known of the writes to its file, if it is one.
    pub(crate) fn writing(&self) -> Option<&Writing> {
        match self {
            Self::File(file) => Some(file.writing()),
            Self::Server(_) => None,
        }
    }

    async fn connect(self, owner: Owner) -> Result<Connection, String> {
        Ok(Connection(match self {
            Self::File(file) => Link::File(Database::open(Some(file), owner).await?),
            Self::Server(server) => Link::Server(server.connect().await?),
        }))
    }
}

/// A connection in the hands of a component.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct Connection(Link);

enum Link {
    File(Database),
    Server(libsql_server::Database),
}

impl Connection {
    fn execute(&self, sql: String, parameters: Vec<Value>) -> Pending<Answer> {
        match &self.0 {
            Link::File(database) => database.execute(sql, parameters),
            Link::Server(database) => database.execute(sql, parameters),
        }
    }

    async fn execute_at_once(&self, sql: &str, parameters: &[Value]) -> Option<Result<QueryResult, String>> {
        match &self.0 {
            Link::File(database) => database.execute_at_once(sql, parameters).await,
            Link::Server(_) => None,
        }
    }

    fn last_insert_rowid(&self) -> Pending<i64> {
        match &self.0 {
            Link::File(database) => database.last_insert_rowid(),
            Link::Server(database) => Box::pin(std::future::ready(Ok(database.last_insert_rowid()))),
        }
    }

    fn changes(&self) -> Pending<u64> {
        match &self.0 {
            Link::File(database) => database.changes(),
            Link::Server(database) => Box::pin(std::future::ready(Ok(database.changes()))),
        }
    }
}

type Streamed = (Vec<String>, StreamReader<RowResult>, FutureReader<Result<(), Error>>);

impl State {
    /// Takes one of the instance's connections and says where its database is.
    fn reserve(&mut self, label: &str) -> Result<Place, Error> {
        let place = self.settings.databases.get(label).ok_or(Error::AccessDenied)?;
        if self.connections >= MAX_CONNECTIONS {
            return Err(Error::Io(format!("more than {MAX_CONNECTIONS} open connections")));
        }
        self.connections += 1;
        Ok(place.clone())
    }

    fn keep(&mut self, opened: Result<Connection, String>) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        match opened {
            Ok(connection) => Ok(Ok(self.table.push(connection)?)),
            Err(error) => {
                self.connections -= 1;
                Ok(Err(Error::Io(error)))
            }
        }
    }

    fn connection(&self, connection: &Resource<Connection>) -> wasmtime::Result<&Connection> {
        Ok(self.table.get(connection)?)
    }
}

impl Host for State {}

/// The synchronous forms. They hold up the whole instance while they wait.
impl HostConnection for State {
    async fn open(&mut self, label: String) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        match self.reserve(&label) {
            Ok(place) => {
                let span = self.trace().opening();
                let opened = place.connect(self.owner.clone()).await;
                span.settle(&opened);
                self.keep(opened)
            }
            Err(error) => Ok(Err(error)),
        }
    }

    async fn execute(
        &mut self,
        connection: Resource<Connection>,
        sql: String,
        parameters: Vec<Value>,
    ) -> wasmtime::Result<Result<QueryResult, Error>> {
        self.settings.note(&sql, parameters.len());
        let span = self.trace().statement(&sql);
        let connection = self.connection(&connection)?;
        let result = match connection.execute_at_once(&sql, &parameters).await {
            Some(result) => result,
            None => collect(connection.execute(sql, parameters)).await,
        };
        span.settle(&result);
        Ok(result.map_err(Error::Io))
    }

    async fn last_insert_rowid(&mut self, connection: Resource<Connection>) -> wasmtime::Result<i64> {
        self.connection(&connection)?.last_insert_rowid().await.map_err(wasmtime::Error::msg)
    }

    async fn changes(&mut self, connection: Resource<Connection>) -> wasmtime::Result<u64> {
        self.connection(&connection)?.changes().await.map_err(wasmtime::Error::msg)
    }

    fn drop(&mut self, connection: Resource<Connection>) -> wasmtime::Result<()> {
        self.table.delete(connection)?;
        self.connections -= 1;
        Ok(())
    }
}

impl<T: Send + 'static> HostConnectionWithStore<T> for HasSelf<State> {
    async fn open_async(
        accessor: &Accessor<T, Self>,
        label: String,
    ) -> wasmtime::Result<Result<Resource<Connection>, Error>> {
        let reserved = accessor.with(|mut access| {
            let state = access.get();
            Ok((state.reserve(&label)?, state.owner.clone(), state.trace().opening()))
        });
        let (place, owner, span) = match reserved {
            Ok(reserved) => reserved,
            Err(error) => return Ok(Err(error)),
        };
        let opened = place.connect(owner).await;
        span.settle(&opened);
        accessor.with(|mut access| access.get().keep(opened))
    }

    async fn execute_async(
        accessor: &Accessor<T, Self>,
        connection: Resource<Connection>,
        sql: String,
        parameters: Vec<Value>,
    ) -> wasmtime::Result<Result<Streamed, Error>> {
        let span = accessor.with(|mut access| {
            let state = access.get();
            state.settings.note(&sql, parameters.len());
            state.trace().statement(&sql)
        });
        let answer = ask(accessor, &connection, |connection| connection.execute(sql, parameters))?.await;
        let Answer { columns, rows, finished } = match answer {
            Ok(answer) => answer,
            Err(error) => {
                span.settle(&Err::<(), _>(&error));
                return Ok(Err(Error::Io(error)));
            }
        };
        let finished = async move {
            let result = finished.await.unwrap_or_else(|_closed| Err(CUT_SHORT.to_owned()));
            span.settle(&result);
            wasmtime::error::Ok(result.map_err(Error::Io))
        };
        accessor.with(|mut access| {
            let rows = StreamReader::new(&mut access, rows)?;
            let finished = FutureReader::new(&mut access, finished)?;
            Ok(Ok((columns, rows, finished)))
        })
    }

    async fn last_insert_rowid_async(
        accessor: &Accessor<T, Self>,
        connection: Resource<Connection>,
    ) -> wasmtime::Result<i64> {
        ask(accessor, &connection, Connection::last_insert_rowid)?.await.map_err(wasmtime::Error::msg)
    }

    async fn changes_async(accessor: &Accessor<T, Self>, connection: Resource<Connection>) -> wasmtime::Result<u64> {
        ask(accessor, &connection, Connection::changes)?.await.map_err(wasmtime::Error::msg)
    }
}

/// Hands something to the connection; the answer is awaited without holding on to the instance.
fn ask<T: 'static, F>(
    accessor: &Accessor<T, HasSelf<State>>,
    connection: &Resource<Connection>,
    question: impl FnOnce(&Connection) -> F,
) -> wasmtime::Result<F> {
    accessor.with(|mut access| Ok(question(access.get().connection(connection)?)))
}

/// The whole result at once, for the synchronous form, within the limit of one row.
async fn collect(answer: Pending<Answer>) -> Result<QueryResult, String> {
    let mut answer = answer.await?;
    let mut rows = Vec::new();
    let mut bytes = 0;
    while !answer.rows.is_finished() {
        let batch = std::future::poll_fn(|cx| answer.rows.poll_take(cx, usize::MAX)).await;
        bytes += batch.iter().map(size).sum::<usize>();
        if bytes > MAX_ROW_BYTES {
            return Err(database::too_large());
        }
        rows.extend(batch);
    }
    match answer.finished.await {
        Ok(result) => result.map(|()| QueryResult { columns: answer.columns, rows }),
        Err(_closed) => Err(CUT_SHORT.to_owned()),
    }
}

fn size(row: &RowResult) -> usize {
    row.values.iter().map(value_bytes).sum()
}

impl<D> StreamProducer<D> for Rows {
    type Item = RowResult;
    type Buffer = VecBuffer<RowResult>;

    fn poll_produce<'a>(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut store: StoreContextMut<'a, D>,
        mut destination: Destination<'a, Self::Item, Self::Buffer>,
        finish: bool,
    ) -> Poll<wasmtime::Result<StreamResult>> {
        // A reader that asks for nothing wants to know whether it is worth asking: it always is.
        let most = destination.remaining(&mut store).unwrap_or(usize::MAX);
        if most == 0 {
            return Poll::Ready(Ok(StreamResult::Completed));
        }
        match self.poll_take(cx, most) {
            Poll::Ready(rows) => destination.set_buffer(rows.into()),
            Poll::Pending if finish => return Poll::Ready(Ok(StreamResult::Cancelled)),
            Poll::Pending => return Poll::Pending,
        }
        Poll::Ready(Ok(if self.is_finished() { StreamResult::Dropped } else { StreamResult::Completed }))
    }
}
