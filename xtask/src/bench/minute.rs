//! A class of 500 students within one minute: each votes in a poll, and takes a quiz. They come when they come, whether the
//! service has answered those before them or not, and their waiting counts from that moment.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
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
const MINUTE: Duration = Duration::from_secs(60);
/// The parts of a student's visit, in their order.
const PARTS: [&str; 4] = ["a vote", "an attempt begins", "its questions are answered", "it is handed in"];
const QUESTIONS: usize = 5;

/// The poll and the quiz, as addresses without the host.
struct Lesson {
    votes: String,
    choices: Vec<String>,
    attempts: String,
}

/// Measures, and fails if a vote or an attempt is lost.
pub(super) async fn run(runtime: Runtime) -> Result<Vec<Figure>> {
    let sandbox = Sandbox::new(runtime, &[("development", "true")])?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    eprintln!("Making a class of {STUDENTS} students");
    let (lesson, students) = lesson(&admin).await?;
    let (lesson, http) = (Arc::new(lesson), reqwest::Client::new());
    let meter = Meter::start(Server(app.pid().context("the application has ended")?));
    let start = Instant::now();
    let mut visits = JoinSet::new();
    for (number, student) in (0..).zip(students) {
        let due = start + arrival(number);
        let (lesson, http, base_url) = (lesson.clone(), http.clone(), app.base_url.clone());
        visits.spawn(async move {
            tokio::time::sleep_until(due.into()).await;
            visit(&http, &base_url, &lesson, &student, number, due).await
        });
    }
    let mut durations = [const { Vec::new() }; PARTS.len()];
    while let Some(visit) = visits.join_next().await {
        for (part, durations) in visit??.into_iter().zip(&mut durations) {
            durations.push(part);
        }
    }
    let elapsed = start.elapsed();
    let mut notes = Notes::of("class-minute");
    for (name, durations) in PARTS.into_iter().zip(durations) {
        let outcome = Outcome::new(durations, elapsed);
        ensure!(outcome.count() == STUDENTS, "{name}: {} of {STUDENTS}", outcome.count());
        notes.add_times(name, &outcome);
    }
    if let Some(seconds) = meter.cpu_seconds_per_1000(1_000) {
        notes.add("processor time of the server", seconds, "s");
    }
    app.stop().await?;
    Ok(notes.finish())
}

/// The students come evenly within the minute.
fn arrival(number: u32) -> Duration {
    MINUTE * number / STUDENTS
}

async fn lesson(admin: &Client) -> Result<(Lesson, Vec<Student>)> {
    let students = classroom::students(admin, usize::try_from(STUDENTS)?).await?;
    let course = classroom::course(admin, &students).await?.id;
    let teacher = classroom::person(admin, "teacher").await?;
    classroom::enroll(admin, &course, &teacher, "TeacherEnrollment").await?;
    let teacher = admin.with_token(&teacher.token);

    let quiz = json!({ "quiz": { "title": "Leaves", "quiz_type": "assignment", "published": true } });
    let quiz = format!("/api/v1/courses/{course}/quizzes/{}", {
        id(&teacher.post(&format!("/api/v1/courses/{course}/quizzes"), quiz).await?)?
    });
    for number in 0..QUESTIONS {
        let question = json!({ "question": {
            "question_name": format!("Question {number}"), "question_text": "Oaks bear acorns.",
            "question_type": "true_false_question", "points_possible": 1,
            "answers": [{ "text": "True", "weight": 100 }, { "text": "False", "weight": 0 }],
        } });
        teacher.post(&format!("{quiz}/questions"), question).await?;
    }

    let poll = json!({ "polls": [{ "question": "Which leaf is lobed?" }] });
    let poll = format!("/api/v1/polls/{}", first(&teacher.post("/api/v1/polls", poll).await?, "polls")?);
    let mut choices = Vec::new();
    for leaf in ["Oak", "Beech", "Birch"] {
        let choice = json!({ "poll_choices": [{ "text": leaf }] });
        choices.push(first(&teacher.post(&format!("{poll}/poll_choices"), choice).await?, "poll_choices")?);
    }
    let session = json!({ "poll_sessions": [{ "course_id": course }] });
    let session = teacher.post(&format!("{poll}/poll_sessions"), session).await?;
    let session = format!("{poll}/poll_sessions/{}", first(&session, "poll_sessions")?);
    teacher.get(&format!("{session}/open")).await?;
    let lesson =
        Lesson { votes: format!("{session}/poll_submissions"), choices, attempts: format!("{quiz}/submissions") };
    Ok((lesson, students))
}

/// The times of the parts of a visit: of the first from the moment when it was due.
async fn visit(
    http: &reqwest::Client,
    base_url: &str,
    lesson: &Lesson,
    student: &Student,
    number: u32,
    due: Instant,
) -> Result<[Duration; PARTS.len()]> {
    let call = async |method: Method, path: &str, body: Value| {
        let request = http.request(method, format!("{base_url}{path}")).bearer_auth(&student.token).json(&body);
        let answer = request.send().await?;
        let (status, text) = (answer.status(), answer.text().await?);
        ensure!(status.is_success(), "{path}: {status} {text}");
        Ok(serde_json::from_str::<Value>(&text)?)
    };
    let choice = lesson.choices.get(usize::try_from(number)? % lesson.choices.len()).context("a choice")?;
    call(Method::POST, &lesson.votes, json!({ "poll_submissions": [{ "poll_choice_id": choice }] })).await?;
    let voted = Instant::now();
    let attempt = call(Method::POST, &lesson.attempts, json!({})).await?;
    let begun = Instant::now();
    let attempt = attempt.pointer("/quiz_submissions/0").context("no attempt")?;
    let (attempt_id, proof) = (id(attempt)?, text(attempt, "validation_token")?);
    let answers = format!("/api/v1/quiz_submissions/{attempt_id}/questions");
    let questions = http.get(format!("{base_url}{answers}")).bearer_auth(&student.token).send().await?;
    let questions: Value = questions.error_for_status()?.json().await?;
    let questions = questions.get("quiz_submission_questions").and_then(Value::as_array).context("no questions")?;
    ensure!(questions.len() == QUESTIONS, "{} questions", questions.len());
    let answered = |question: &Value| {
        let answer = question.pointer("/answers/0").map(id).transpose()?.context("no answer to choose")?;
        anyhow::Ok(json!({ "id": id(question)?, "answer": answer }))
    };
    let answered = questions.iter().map(answered).collect::<Result<Vec<_>>>()?;
    let read = Instant::now();
    let body = json!({ "attempt": 1, "validation_token": proof, "quiz_questions": answered });
    call(Method::POST, &answers, body).await?;
    let saved = Instant::now();
    let complete = format!("{}/{attempt_id}/complete", lesson.attempts);
    call(Method::POST, &complete, json!({ "attempt": 1, "validation_token": proof })).await?;
    Ok([voted - due, begun - voted, saved - read, saved.elapsed()])
}

/// The id of the one record of a list.
fn first(answer: &Value, list: &str) -> Result<String> {
    id(answer.pointer(&format!("/{list}/0")).with_context(|| format!("no {list}: {answer}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_within_the_minute() {
        assert_eq!(arrival(0), Duration::ZERO);
        assert_eq!(arrival(1), Duration::from_millis(120));
        assert!(arrival(STUDENTS - 1) < MINUTE);
    }
}
