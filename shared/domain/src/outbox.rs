//! What a change leaves to be sent: events for tools, and messages for users. All of it is queued by one statement, or by that of
//! the change itself.
//!
//! The view `outbox` takes both as lists of rows, which [`live_events`](crate::live_events) and [`notify`](crate::notify) make.

use database::{Db, Value, renumbered};
use serde::Deserialize;

/// What is to be queued. Nothing of it is, until it is a part of a statement.
#[derive(Debug, Default)]
#[must_use]
pub struct Outbox {
    events: Option<Rows>,
    messages: Option<Rows>,
}

/// An expression of SQL that is a list of rows, with the values of its `?1`, `?2`, …
#[derive(Debug)]
pub struct Rows {
    pub(crate) sql: String,
    pub(crate) values: Vec<Value>,
}

/// The values of the columns `events` and `messages`, as expressions of SQL.
#[derive(Debug)]
pub struct Columns {
    /// The rows of events that somebody wants.
    pub events: String,
    /// The rows of messages.
    pub messages: String,
}

impl Outbox {
    /// The same with events.
    pub fn with_events(self, events: Option<Rows>) -> Self {
        Self { events: events.or(self.events), ..self }
    }

    /// The same with messages.
    pub fn with_messages(self, messages: Option<Rows>) -> Self {
        Self { messages: messages.or(self.messages), ..self }
    }

    /// The columns within a statement that has these values already, with its own behind them. In the statement's answer, the
    /// column `events` is `'[]'` or null where nobody wants any.
    pub fn columns(self, values: &mut Vec<Value>) -> Columns {
        let mut column = |part: Option<Rows>| {
            part.map_or_else(
                || "NULL".to_owned(),
                |part| {
                    let sql = renumbered(&part.sql, values.len()).to_string();
                    values.extend(part.values);
                    sql
                },
            )
        };
        Columns { events: column(self.events), messages: column(self.messages) }
    }

    /// Queues it, in the transaction of the change. Tells whether there are events: then, after the commit, it is time to let
    /// [`background::run_soon`](crate::background::run_soon) deliver them.
    pub async fn queue(self, db: &Db) -> database::Result<bool> {
        #[derive(Deserialize)]
        struct Queued {
            has_events: bool,
        }
        if self.events.is_none() && self.messages.is_none() {
            return Ok(false);
        }
        let mut values = Vec::new();
        let Columns { events, messages } = self.columns(&mut values);
        let write = format!("INSERT INTO outbox (events, messages) VALUES ({events}, {messages})");
        let queued: Option<Queued> = db.write_and_read(&write, HAS_EVENTS_OF_OUTBOX, values).await?;
        Ok(queued.is_some_and(|queued| queued.has_events))
    }
}

const HAS_EVENTS_OF_OUTBOX: &str = "SELECT ifnull(outbox.events, '[]') <> '[]' AS has_events";
