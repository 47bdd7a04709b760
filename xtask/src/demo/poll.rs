//! A poll that the class can answer at once.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use xtask::client::{Client, id};

pub(super) async fn load(admin: &Client, course: &str) -> Result<()> {
    let question = json!({ "question": "Which leaf is lobed?", "description": "Look at its edge." });
    let poll = format!("/api/v1/polls/{}", make(admin, "/api/v1/polls", "polls", question).await?);
    for (text, is_correct) in [("Oak", true), ("Beech", false), ("Birch", false)] {
        let choice = json!({ "text": text, "is_correct": is_correct });
        make(admin, &format!("{poll}/poll_choices"), "poll_choices", choice).await?;
    }
    let sessions = format!("{poll}/poll_sessions");
    let session = json!({ "course_id": course, "has_public_results": true });
    let session = make(admin, &sessions, "poll_sessions", session).await?;
    admin.get(&format!("{sessions}/{session}/open")).await?;
    Ok(())
}

/// The id of a new record of the teacher's: only who teaches may ask.
async fn make(admin: &Client, path: &str, list: &str, record: Value) -> Result<String> {
    let path = format!("{path}?as_user_id=sis_login_id:teacher");
    let answer = admin.post(&path, json!({ list: [record] })).await?;
    id(answer.pointer(&format!("/{list}/0")).with_context(|| format!("no {list}: {answer}"))?)
}
