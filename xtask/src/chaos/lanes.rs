//! Clients that write: each writes one record after another, and for each finds out whether it is there.

mod files;
mod records;
mod votes;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::task::JoinSet;
use xtask::client::id;

use super::caller::Outcome;
use super::ledger::{Kind, Ledger};
use super::school::School;

pub(super) use files::{Files, content};
use records::{Channels, Courses, Exports, Groups, Names, Submissions};
use votes::Votes;

/// The time between a failure and the next try, and between two writes.
const AFTER_FAILURE: Duration = Duration::from_millis(150);
const BETWEEN: Duration = Duration::from_millis(20);
const UNTIL_LATER: Duration = Duration::from_secs(1);

/// A client that writes records of one kind. What names a record in the account is its key.
trait Lane: Send {
    const KIND: Kind;

    /// Writes the record of that number. Answers its key.
    fn write(&mut self, number: usize) -> impl Future<Output = Outcome<String>> + Send;

    /// Looks for the record of that number after an answer that told nothing. Answers its key.
    fn find(&mut self, number: usize) -> impl Future<Output = Result<Option<String>>> + Send;
}

/// Starts all clients; they end when they are told to.
pub(super) fn start(school: &School, ledger: &Ledger, stop: &Arc<AtomicBool>) -> JoinSet<Result<()>> {
    let mut tasks = JoinSet::new();
    let (course, admin) = (&school.course.id, &school.admin);
    for lane in 0..2 {
        spawn(&mut tasks, Courses { admin: admin.clone(), lane }, ledger, stop);
    }
    for (lane, course) in school.renamed.iter().enumerate() {
        spawn(&mut tasks, Names { admin: admin.clone(), course: course.clone(), lane }, ledger, stop);
    }
    for (lane, groups) in school.groups.iter().enumerate() {
        spawn(&mut tasks, Groups { admin: admin.clone(), groups: groups.clone(), lane }, ledger, stop);
    }
    for (student, caller) in &school.students {
        let path = school.course.submissions.clone();
        let submissions = Submissions { student: caller.clone(), user: student.id.clone(), path };
        spawn(&mut tasks, submissions, ledger, stop);
    }
    for (student, caller) in &school.owners {
        let channels = Channels { owner: caller.clone(), user: student.id.clone() };
        spawn(&mut tasks, channels, ledger, stop);
    }
    for (_, teacher) in &school.teachers {
        let course = course.clone();
        spawn(&mut tasks, Exports { teacher: teacher.clone(), course, known: 0 }, ledger, stop);
    }
    for (lane, (_, teacher)) in school.teachers.iter().enumerate() {
        spawn(&mut tasks, Files { teacher: teacher.clone(), course: course.clone(), lane }, ledger, stop);
    }
    for (_, teacher) in school.teachers.iter().take(1) {
        let (poll, choices) = (school.poll.clone(), school.choices.clone());
        let voters = school.students.iter().map(|(student, caller)| (student.id.clone(), caller.clone())).collect();
        let votes =
            Votes { teacher: teacher.clone(), voters, course: course.clone(), poll, choices, sessions: Vec::new() };
        spawn(&mut tasks, votes, ledger, stop);
    }
    tasks
}

fn spawn<L: Lane + 'static>(tasks: &mut JoinSet<Result<()>>, lane: L, ledger: &Ledger, stop: &Arc<AtomicBool>) {
    let client = format!("client {} of {}", tasks.len(), L::KIND.name());
    let (ledger, stop) = (ledger.clone(), stop.clone());
    tasks.spawn(async move {
        let ended = drive(lane, &client, &ledger, &stop).await;
        ledger.ends(&client);
        ended.context(client)
    });
}

/// Writes until there is nothing more to write, or until told to stop: then the last record, too, is brought to an end.
async fn drive<L: Lane>(mut lane: L, client: &str, ledger: &Ledger, stop: &AtomicBool) -> Result<()> {
    let mut number = 0;
    let mut is_repeated = false;
    while is_repeated || !stop.load(Ordering::Relaxed) {
        ledger.does(client, format!("writes number {number}"));
        match lane.write(number).await {
            Outcome::Done(key) => {
                ledger.note(L::KIND, |tally| {
                    tally.written.insert(key);
                });
                (number, is_repeated) = (number + 1, false);
                tokio::time::sleep(BETWEEN).await;
            }
            Outcome::Over => return Ok(()),
            Outcome::Later => {
                ledger.note(L::KIND, |tally| tally.later += 1);
                is_repeated &= !stop.load(Ordering::Relaxed);
                tokio::time::sleep(UNTIL_LATER).await;
            }
            Outcome::Refused(answer) if !is_repeated => {
                ledger.note(L::KIND, |tally| tally.refused.push(answer));
                number += 1;
            }
            failed => {
                ledger.does(client, format!("looks for number {number} after {failed:?}"));
                // A repetition is refused where the first try had happened after all.
                let refusal = match &failed {
                    Outcome::Refused(answer) => Some(answer.clone()),
                    Outcome::Unknown(cause) => {
                        ledger.note(L::KIND, |tally| tally.note_unknown(cause));
                        None
                    }
                    Outcome::Done(_) | Outcome::Later | Outcome::Over => None,
                };
                tokio::time::sleep(AFTER_FAILURE).await;
                is_repeated = match (lane.find(number).await?, refusal) {
                    (Some(key), _) => {
                        ledger.note(L::KIND, |tally| {
                            tally.found += 1;
                            tally.written.insert(key);
                        });
                        false
                    }
                    (None, Some(refusal)) => {
                        ledger.note(L::KIND, |tally| tally.refused.push(refusal));
                        false
                    }
                    (None, None) => true,
                };
                number += usize::from(!is_repeated);
            }
        }
    }
    Ok(())
}

/// The id of a record in an answer, or a refusal that shows the answer.
fn id_in(outcome: Outcome<Value>, pointer: &str) -> Outcome<String> {
    match outcome {
        Outcome::Done(answer) => match answer.pointer(pointer).map(id) {
            Some(Ok(id)) => Outcome::Done(id),
            _ => Outcome::Refused(format!("an answer without an id: {answer}")),
        },
        other => other.map(|_| String::new()),
    }
}
