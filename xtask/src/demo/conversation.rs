//! An AI experience, and a student who talks with it where a model answers.

use anyhow::{Result, ensure};
use reqwest::StatusCode;
use serde_json::{Value, json};
use xtask::client::{Client, id, text};

use super::Outcome::{self, LeftOut, Made, There};
use super::{list, make, titled};

const TITLE: &str = "A walk through the wood";
/// What the student says, one after the other.
const SAID: [&str; 2] =
    ["I see a leaf with round lobes. Is it an oak?", "The other tree has needles in pairs, so it is a pine."];

fn experiences(course: &str) -> String {
    format!("/api/v1/courses/{course}/ai_experiences")
}

pub(super) async fn experience(admin: &Client, course: &str) -> Result<Outcome> {
    let experiences = experiences(course);
    if titled(admin, &experiences, "/experiences", "title", TITLE).await?.is_some() {
        return Ok(There);
    }
    let experience = json!({
        "title": TITLE,
        "description": "Find out what the trees around you are",
        "learning_objectives": ["Tell a leaf from a needle", "Name three trees", "Say why leaves fall"],
        "facts": "Oaks have lobed leaves, beeches have smooth ones, pines have needles in pairs.",
        "pedagogical_guidance": "Ask what the student sees before you name a tree.",
        "workflow_state": "published",
    });
    make(admin, &experiences, "ai_experience", experience).await?;
    Ok(Made(TITLE.to_owned()))
}

/// A conversation of the student's, and what the student thinks of the answers.
pub(super) async fn load(admin: &Client, course: &str) -> Result<Outcome> {
    let experiences = experiences(course);
    let Some(experience) = titled(admin, &experiences, "/experiences", "title", TITLE).await? else {
        return Ok(LeftOut("the AI experience is gone"));
    };
    let conversations = format!("{experiences}/{}/conversations", id(&experience)?);
    let student = admin.acting_as("student");
    if student.get(&conversations).await?.get("id").is_some() {
        return Ok(There);
    }
    let (status, begun) = student.try_post(&conversations, json!({})).await?;
    if status == StatusCode::SERVICE_UNAVAILABLE {
        return Ok(LeftOut("no model answers: `cargo xtask up --demo-model` has one, then `cargo xtask seed`"));
    }
    ensure!(status.is_success(), "POST {conversations}: {status} {begun}");
    let conversation = format!("{conversations}/{}", id(&begun)?);
    for said in SAID {
        let talk = student.post(&format!("{conversation}/messages"), json!({ "message": said })).await?;
        rate(&student, &conversation, &talk, said == SAID[0]).await?;
    }
    Ok(Made(format!("{} answers of the model, with feedback", SAID.len())))
}

/// Feedback on the newest answer.
async fn rate(student: &Client, conversation: &str, talk: &Value, is_liked: bool) -> Result<()> {
    let answers = list(talk, "/messages").iter().rev();
    let Some(answer) = answers.into_iter().find(|message| message.get("role").is_some_and(|role| role == "Assistant"))
    else {
        return Ok(());
    };
    let feedback = match is_liked {
        true => json!({ "vote": "liked" }),
        false => json!({ "vote": "disliked", "feedback_message": "It only repeats what I said." }),
    };
    student.post(&format!("{conversation}/messages/{}/feedback", text(answer, "id")?), feedback).await.map(drop)
}
