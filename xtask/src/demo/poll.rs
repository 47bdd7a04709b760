//! A poll that the class answers at the moment: most have voted, a few have not.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use xtask::client::{Client, id};

use super::Outcome::{self, Made, There};
use super::{list, named, people};

const QUESTION: &str = "Which leaf is lobed?";
const CHOICES: [(&str, bool); 3] = [("Oak", true), ("Beech", false), ("Birch", false)];
/// The students who have not voted yet, the one who is called `student` among them.
const UNDECIDED: usize = 3;

pub(super) async fn load(admin: &Client, course: &str) -> Result<Outcome> {
    // Only who teaches may ask.
    let teacher = admin.acting_as("teacher");
    if named(list(&teacher.get("/api/v1/polls?per_page=100").await?, "/polls"), "question", QUESTION).is_some() {
        return Ok(There);
    }
    let question = json!({ "question": QUESTION, "description": "Look at its edge." });
    let poll = format!("/api/v1/polls/{}", make(&teacher, "/api/v1/polls", "polls", question).await?);
    let mut choices = Vec::new();
    for (text, is_correct) in CHOICES {
        let choice = json!({ "text": text, "is_correct": is_correct });
        choices.push(make(&teacher, &format!("{poll}/poll_choices"), "poll_choices", choice).await?);
    }
    let sessions = format!("{poll}/poll_sessions");
    let session = json!({ "course_id": course, "has_public_results": true });
    let session = format!("{sessions}/{}", make(&teacher, &sessions, "poll_sessions", session).await?);
    teacher.get(&format!("{session}/open")).await?;
    let mut votes = 0;
    // Two of three for the first choice, then in turn.
    let preferred = [0, 1, 0, 0, 2, 0].iter().cycle();
    for (login, choice) in people::students().skip(UNDECIDED).zip(preferred) {
        let choice = choices.get(*choice).context("a choice")?;
        let vote = json!({ "poll_choice_id": choice });
        make(&admin.acting_as(login), &format!("{session}/poll_submissions"), "poll_submissions", vote).await?;
        votes += 1;
    }
    Ok(Made(format!("{QUESTION} It runs, with {votes} votes")))
}

/// The id of a new record.
async fn make(whoever: &Client, path: &str, name: &str, record: Value) -> Result<String> {
    let answer = whoever.post(path, json!({ name: [record] })).await?;
    id(answer.pointer(&format!("/{name}/0")).with_context(|| format!("no {name}: {answer}"))?)
}
