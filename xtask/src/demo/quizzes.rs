//! A classic quiz and a new one.

use anyhow::Result;
use serde_json::{Value, json};
use xtask::client::{Client, id};
use xtask::items;

use super::Outcome::{self, Made, There};
use super::titled;

const CLASSIC: &str = "Plants around us";
const NEW: &str = "All kinds of questions";

/// A classic quiz: three questions of its own, and a group that draws from a bank.
pub(super) async fn classic(admin: &Client, course: &str) -> Result<Outcome> {
    let quizzes = format!("/api/v1/courses/{course}/quizzes");
    if titled(admin, &quizzes, "", "title", CLASSIC).await?.is_some() {
        return Ok(There);
    }
    let bank = json!({ "question_bank": { "title": "Leaves" } });
    let bank = id(&admin.post(&format!("/api/v1/courses/{course}/question_banks"), bank).await?)?;
    let quiz = json!({ "quiz": { "title": CLASSIC, "quiz_type": "assignment", "published": true } });
    let quiz = id(&admin.post(&quizzes, quiz).await?)?;
    let quiz = format!("{quizzes}/{quiz}");

    let group =
        json!([{ "name": "Leaf shapes", "pick_count": 1, "question_points": 2, "assessment_question_bank_id": bank }]);
    let group = admin.post(&format!("{quiz}/groups"), json!({ "quiz_groups": group })).await?;
    let group = group.pointer("/quiz_groups/0").map(id).transpose()?;
    for (text, right, wrong) in [
        ("Which of these is a moss?", "Sphagnum", "Oak"),
        ("Which of these has flowers?", "Orchid", "Fern"),
        ("What do leaves take from the air?", "Carbon dioxide", "Helium"),
    ] {
        admin.post(&format!("{quiz}/questions"), question(text, right, wrong, None)).await?;
    }
    for (text, right, wrong) in [("Which leaf is lobed?", "Oak", "Beech"), ("Which leaf is a needle?", "Pine", "Maple")]
    {
        admin.post(&format!("{quiz}/questions"), question(text, right, wrong, group.as_deref())).await?;
    }
    Ok(Made(format!("{CLASSIC}: three questions, and a group that draws from a bank")))
}

fn question(text: &str, right: &str, wrong: &str, group: Option<&str>) -> Value {
    json!({ "question": {
        "question_name": text,
        "question_text": format!("<p>{text}</p>"),
        "question_type": "multiple_choice_question",
        "points_possible": 1,
        "quiz_group_id": group,
        "answers": [{ "text": right, "weight": 100 }, { "text": wrong, "weight": 0 }],
    } })
}

/// A new quiz with an item of each type, a stimulus, and a bank from which one item is drawn.
pub(super) async fn new(admin: &Client, course: &str) -> Result<Outcome> {
    let quizzes = format!("/api/quiz/v1/courses/{course}/quizzes");
    if titled(admin, &quizzes, "", "title", NEW).await?.is_some() {
        return Ok(There);
    }
    let quiz = id(&admin.post(&quizzes, json!({ "quiz": { "title": NEW, "published": true } })).await?)?;
    let quiz = format!("{quizzes}/{quiz}");
    let stimulus = json!({
        "stimulus": {
            "title": "A walk in the wood",
            "body": "<p>Under the oaks it was cool and green.</p>",
            "instructions": "Read the text first.",
            "orientation": "left",
        },
    });
    admin.post(&format!("{quiz}/stimuli"), stimulus).await?;
    for entry in items::all() {
        let item = json!({ "item": { "entry_type": "Item", "points_possible": 1, "entry": entry } });
        admin.post(&format!("{quiz}/items"), item).await?;
    }

    let banks = format!("/api/quiz/v1/courses/{course}/banks");
    let bank = id(&admin.post(&banks, json!({ "bank": { "title": "Trees" } })).await?)?;
    for (statement, is_true) in [("Oaks bear acorns.", true), ("Pines shed all their needles in autumn.", false)] {
        let entry = json!({ "entry_type": "Item", "entry": items::true_false(statement, is_true) });
        admin.post(&format!("{banks}/{bank}/entries"), entry).await?;
    }
    admin.post(&format!("{quiz}/bank_items"), json!({ "bank_id": bank, "sample_num": 1 })).await?;
    Ok(Made(format!("{NEW}: an item of each type, a stimulus, and a bank")))
}
