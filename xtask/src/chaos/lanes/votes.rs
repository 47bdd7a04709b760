//! Votes: a session after another, in each of which every student votes once.

use anyhow::{Context, Result};
use serde_json::json;

use super::super::caller::{Caller, Outcome};
use super::super::ledger::Kind;
use super::{Lane, id_in};

pub(super) struct Votes {
    pub(super) teacher: Caller,
    /// The students, by their ids.
    pub(super) voters: Vec<(String, Caller)>,
    pub(super) course: String,
    /// The path of the poll.
    pub(super) poll: String,
    pub(super) choices: Vec<String>,
    /// The sessions that are open.
    pub(super) sessions: Vec<String>,
}

impl Votes {
    fn session(&self, number: usize) -> Option<&String> {
        self.sessions.get(number / self.voters.len().max(1))
    }

    fn voter(&self, number: usize) -> Option<&(String, Caller)> {
        self.voters.get(number % self.voters.len().max(1))
    }

    /// Opens one more session. One whose creation was not acknowledged stays closed: nobody votes in it.
    async fn open(&mut self) -> Outcome<()> {
        let session = json!({ "poll_sessions": [{ "course_id": self.course }] });
        let made = self.teacher.post(&format!("{}/poll_sessions", self.poll), &session).await;
        let id = match id_in(made, "/poll_sessions/0") {
            Outcome::Done(id) => id,
            other => return other.map(drop),
        };
        match self.teacher.read(&format!("{}/poll_sessions/{id}/open", self.poll)).await {
            Ok(Some(_)) => {
                self.sessions.push(id);
                Outcome::Done(())
            }
            Ok(None) => Outcome::Refused(format!("the session {id} is gone")),
            Err(error) => Outcome::Refused(format!("{error:#}")),
        }
    }
}

impl Lane for Votes {
    const KIND: Kind = Kind::Votes;

    async fn write(&mut self, number: usize) -> Outcome<String> {
        if self.session(number).is_none() {
            match self.open().await {
                Outcome::Done(()) => {}
                other => return other.map(|()| String::new()),
            }
        }
        let (Some(session), Some((user, voter))) = (self.session(number), self.voter(number)) else {
            return Outcome::Over;
        };
        let choice = self.choices.get(number % self.choices.len().max(1));
        let vote = json!({ "poll_submissions": [{ "poll_choice_id": choice }] });
        let path = format!("{}/poll_sessions/{session}/poll_submissions", self.poll);
        voter.post(&path, &vote).await.map(|_| format!("{session}/{user}"))
    }

    async fn find(&mut self, number: usize) -> Result<Option<String>> {
        let (Some(session), Some((user, voter))) = (self.session(number), self.voter(number)) else {
            return Ok(None);
        };
        let seen = voter.read(&format!("{}/poll_sessions/{session}", self.poll)).await?.context("no session")?;
        let voted = seen.pointer("/poll_sessions/0/has_submitted").context("a session without a word of it")?;
        Ok((voted == &json!(true)).then(|| format!("{session}/{user}")))
    }
}
