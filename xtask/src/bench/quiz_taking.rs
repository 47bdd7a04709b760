//! A class of 500 students takes a new quiz of 30 items at once. Everybody saves an answer every few seconds, by a schedule that
//! does not wait for the service, and the time of each counts from the moment when it was due. Afterwards every answer is looked
//! for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use xtask::app::Runtime;
use xtask::client::{Client, id, text};
use xtask::sandbox::Sandbox;

use super::figure::{Figure, Meter, Notes};
use super::process::Server;
use super::summary::Outcome;
use crate::classroom::{self, Student};

const STUDENTS: u32 = 500;
const ITEMS: u32 = 30;
/// The time within which all of them begin, and later hand in.
const BELL: Duration = Duration::from_secs(10);
/// The time between two answers of a student.
const THOUGHT: Duration = Duration::from_secs(8);
/// The parts of a student's quiz, in their order.
const PARTS: [&str; 3] = ["a session begins", "an answer is saved", "it is handed in"];

/// Measures, and fails if an answer is lost.
pub(super) async fn run(runtime: Runtime) -> Result<Vec<Figure>> {
    let sandbox = Sandbox::new(runtime, &[("development", "true")])?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    eprintln!("Making a class of {STUDENTS} students and a quiz of {ITEMS} items");
    let students = classroom::students(&admin, usize::try_from(STUDENTS)?).await?;
    let (quiz, teacher) = quiz(&admin, &students).await?;
    let sessions = Arc::new(format!("{quiz}/sessions"));
    let meter = Meter::start(Server(app.pid().context("the application has ended")?));
    let start = Instant::now();
    let mut takers = JoinSet::new();
    for (number, student) in (0..).zip(students) {
        let (sessions, student) = (sessions.clone(), admin.with_token(&student.token));
        takers.spawn(async move { take(&student, &sessions, start + arrival(number)).await });
    }
    let (mut times, mut taken) = ([const { Vec::new() }; PARTS.len()], Vec::new());
    while let Some(taker) = takers.join_next().await {
        let (session, parts) = taker??;
        taken.push(session);
        for (all, part) in times.iter_mut().zip(parts) {
            all.extend(part);
        }
    }
    let elapsed = start.elapsed();
    let mut notes = Notes::of("quiz-taking");
    for (name, durations) in PARTS.into_iter().zip(times) {
        notes.add_times(name, &Outcome::new(durations, elapsed));
    }
    if let Some(seconds) = meter.cpu_seconds_per_1000(1_000) {
        notes.add("processor time of the server", seconds, "s");
    }
    for session in &taken {
        require_all_answers(&teacher, session).await?;
    }
    app.stop().await?;
    Ok(notes.finish())
}

/// The students come evenly within the time of the bell.
fn arrival(number: u32) -> Duration {
    BELL * number / STUDENTS
}

/// A published quiz of which true is the right answer everywhere, and its teacher.
async fn quiz(admin: &Client, students: &[Student]) -> Result<(String, Client)> {
    let course = classroom::course(admin, students).await?.id;
    let teacher = classroom::person(admin, "teacher").await?;
    classroom::enroll(admin, &course, &teacher, "TeacherEnrollment").await?;
    let teacher = admin.with_token(&teacher.token);
    let quizzes = format!("/api/quiz/v1/courses/{course}/quizzes");
    let quiz = json!({ "quiz": { "title": "Leaves", "points_possible": ITEMS, "published": true } });
    let quiz = format!("{quizzes}/{}", id(&teacher.post(&quizzes, quiz).await?)?);
    for number in 1..=ITEMS {
        let entry = json!({
            "title": format!("Question {number}"), "item_body": "<p>Oaks bear acorns.</p>",
            "interaction_type_slug": "true-false", "scoring_algorithm": "Equivalence",
            "interaction_data": { "true_choice": "True", "false_choice": "False" }, "scoring_data": { "value": true },
        });
        let item = json!({ "item": { "entry_type": "Item", "points_possible": 1, "entry": entry } });
        teacher.post(&format!("{quiz}/items"), item).await?;
    }
    Ok((quiz, teacher))
}

/// The address of a student's session, and the times of its parts, each from the moment when it was due.
async fn take(student: &Client, sessions: &str, due: Instant) -> Result<(String, [Vec<Duration>; PARTS.len()])> {
    tokio::time::sleep_until(due.into()).await;
    let session = student.post(sessions, json!({})).await?;
    let begun = due.elapsed();
    let address = format!("{sessions}/{}", id(&session)?);
    let items = session.get("items").and_then(Value::as_array).context("a session without items")?;
    let (mut due, mut saved) = (due, Vec::new());
    for item in items {
        due += THOUGHT;
        tokio::time::sleep_until(due.into()).await;
        let answer = json!({ "item_id": text(item, "id")?, "response": true, "version": 0 });
        student.put(&format!("{address}/answers"), json!({ "answers": [answer] })).await?;
        saved.push(due.elapsed());
    }
    due += THOUGHT;
    tokio::time::sleep_until(due.into()).await;
    student.post(&format!("{address}/submit"), json!({})).await?;
    Ok((address, [vec![begun], saved, vec![due.elapsed()]]))
}

/// Every item was answered, and rightly.
async fn require_all_answers(teacher: &Client, session: &str) -> Result<()> {
    let result = teacher.get(&format!("{session}/result")).await?;
    let score = result.get("score").and_then(Value::as_f64);
    ensure!(score == Some(f64::from(ITEMS)), "{session} has lost an answer: {result}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_before_the_first_has_answered_twice() {
        assert_eq!(arrival(0), Duration::ZERO);
        assert!(arrival(STUDENTS - 1) < BELL && BELL < 2 * THOUGHT);
    }
}
