//! A class votes: everybody at once on one session, against as many plain inserts by the same people.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use xtask::client::{Client, id, text};

use super::summary::Outcome;

const STUDENTS: usize = 500;
const CHOICES: usize = 4;
/// Each round has a session of its own.
const ROUNDS: usize = 5;

/// A student's token, and the choice that is voted for.
#[derive(Clone)]
struct Voter {
    token: String,
    choice: String,
}

/// Measures both, and then counts whether each vote is there once.
pub(super) async fn run(base_url: &str, admin: &Client, connections: usize) -> Result<()> {
    eprintln!("Making a class of {STUDENTS} students");
    let course = json!({ "course": { "name": "A large class" }, "offer": true });
    let course = id(&admin.post("/api/v1/accounts/self/courses", course).await?)?;
    let teacher = Client::new(base_url, &member(admin, &course, "TeacherEnrollment", 0).await?);
    let poll = record(&teacher, "/api/v1/polls", "polls", json!({ "question": "Which leaf is lobed?" })).await?;
    let poll = format!("/api/v1/polls/{poll}");
    let mut choices = Vec::new();
    for text in ["Oak", "Beech", "Birch", "Lime"].into_iter().take(CHOICES) {
        choices.push(record(&teacher, &format!("{poll}/poll_choices"), "poll_choices", json!({ "text": text })).await?);
    }
    let voters = class(admin, &course, &choices, connections).await?;

    let banks = format!("{base_url}/api/v1/users/self/question_banks");
    let bank = |_: &Voter| json!({ "question_bank": { "title": "Leaves" } });
    // A token's first use is noted, which is none of our business here.
    send(&voters, &banks, bank, StatusCode::OK, connections).await?;
    let (mut inserts, mut votes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        inserts.push(send(&voters, &banks, bank, StatusCode::OK, connections).await?);
        let session = json!({ "course_id": course });
        let session = record(&teacher, &format!("{poll}/poll_sessions"), "poll_sessions", session).await?;
        let session = format!("{poll}/poll_sessions/{session}");
        teacher.get(&format!("{session}/open")).await?;
        let submissions = format!("{base_url}{session}/poll_submissions");
        let vote = |voter: &Voter| json!({ "poll_submissions": [{ "poll_choice_id": voter.choice }] });
        votes.push(send(&voters, &submissions, vote, StatusCode::OK, connections).await?);
        send(&voters, &submissions, vote, StatusCode::BAD_REQUEST, connections).await?;
        all_are_there_once(&teacher.get(&session).await?)?;
    }
    report(&Outcome::together(inserts), &Outcome::together(votes));
    Ok(())
}

fn report(inserts: &Outcome, votes: &Outcome) {
    let (rates, p99) = ([inserts, votes].map(Outcome::per_second), [inserts, votes].map(|it| it.percentile(99)));
    let ([plain_rate, rate], [plain_p99, p99]) = (rates, p99.map(|duration| duration.as_secs_f64() * 1_000.0));
    println!("\n{STUDENTS} students vote on one session, {ROUNDS} times; each of them twice");
    println!("{:<44}{:>10}{:>10}", "", "req/s", "p99 ms");
    println!("{:<44}{plain_rate:>10.0}{plain_p99:>10.2}", "a plain insert: a question bank");
    println!("{:<44}{rate:>10.0}{p99:>10.2}", "a vote");
    println!("{:<44}{:>10.2}{:>10.2}", "ratio", rate / plain_rate, p99 / plain_p99);
    println!("0 of {} votes lost, 0 counted twice", STUDENTS * ROUNDS);
}

/// Fails unless each student has one submission, and the counts say the same.
fn all_are_there_once(session: &Value) -> Result<()> {
    let session = session.pointer("/poll_sessions/0").context("no session")?;
    let submissions = session.get("poll_submissions").and_then(Value::as_array).context("no submissions")?;
    let voters: BTreeSet<_> = submissions.iter().filter_map(|submission| submission.get("user_id")?.as_i64()).collect();
    let results = session.get("results").and_then(Value::as_object).context("no results")?;
    let counted: i64 = results.values().filter_map(Value::as_i64).sum();
    let there = (submissions.len(), voters.len(), usize::try_from(counted)?);
    ensure!(there == (STUDENTS, STUDENTS, STUDENTS), "submissions, voters and counts are {there:?}");
    Ok(())
}

/// Posts what `body` says for each of them, so many at the same time; each must be answered as expected.
async fn send(
    voters: &[Voter],
    address: &str,
    body: impl Fn(&Voter) -> Value,
    expected: StatusCode,
    connections: usize,
) -> Result<Outcome> {
    let http = reqwest::Client::new();
    let start = Instant::now();
    let mut lanes = JoinSet::new();
    for lane in 0..connections {
        let requests: Vec<_> = voters
            .iter()
            .skip(lane)
            .step_by(connections)
            .map(|voter| http.post(address).bearer_auth(&voter.token).json(&body(voter)))
            .collect();
        lanes.spawn(async move {
            let mut durations = Vec::new();
            for request in requests {
                let sent = Instant::now();
                let answer = request.send().await?;
                let status = answer.status();
                let body = answer.text().await?;
                durations.push(sent.elapsed());
                ensure!(status == expected, "{status} {body}");
            }
            Ok(durations)
        });
    }
    let mut durations: Vec<Duration> = Vec::new();
    while let Some(lane) = lanes.join_next().await {
        durations.extend(lane??);
    }
    Ok(Outcome::new(durations, start.elapsed()))
}

async fn class(admin: &Client, course: &str, choices: &[String], connections: usize) -> Result<Vec<Voter>> {
    let mut lanes = JoinSet::new();
    for lane in 0..connections {
        let (admin, course, choices) = (admin.clone(), course.to_owned(), choices.to_vec());
        lanes.spawn(async move {
            let mut voters = Vec::new();
            for number in (lane..STUDENTS).step_by(connections) {
                let token = member(&admin, &course, "StudentEnrollment", number).await?;
                let choice = choices.get(number % CHOICES).context("no choice")?.clone();
                voters.push(Voter { token, choice });
            }
            anyhow::Ok(voters)
        });
    }
    let mut voters = Vec::new();
    while let Some(lane) = lanes.join_next().await {
        voters.extend(lane??);
    }
    Ok(voters)
}

/// The token of a new member of the course.
async fn member(admin: &Client, course: &str, role: &str, number: usize) -> Result<String> {
    let user = json!({
        "user": { "name": format!("{role} {number}") },
        "pseudonym": { "unique_id": format!("{role}-{course}-{number}") },
    });
    let user = id(&admin.post("/api/v1/accounts/self/users", user).await?)?;
    let enrollment = json!({ "user_id": user, "type": role, "enrollment_state": "active" });
    admin.post(&format!("/api/v1/courses/{course}/enrollments"), json!({ "enrollment": enrollment })).await?;
    let token = json!({ "token": { "purpose": "bench" } });
    let token = admin.post(&format!("/api/v1/users/{user}/tokens"), token).await?;
    Ok(text(&token, "visible_token")?.to_owned())
}

/// The id of a new record, which is answered in a list.
async fn record(teacher: &Client, path: &str, list: &str, record: Value) -> Result<String> {
    let answer = teacher.post(path, json!({ list: [record] })).await?;
    id(answer.pointer(&format!("/{list}/0")).with_context(|| format!("no {list}: {answer}"))?)
}
