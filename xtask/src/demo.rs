//! The demo data: a small school. Who and what is there comes from CSV files, as an institution would send them; what is
//! taught is made through the API, as any client would make it.

mod poll;

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use xtask::client::{Client, id, text};
use xtask::items;

/// In the order in which they are imported.
const FILES: [&str; 7] = [
    include_str!("../demo/accounts.csv"),
    include_str!("../demo/users.csv"),
    include_str!("../demo/courses.csv"),
    include_str!("../demo/sections.csv"),
    include_str!("../demo/enrollments.csv"),
    include_str!("../demo/groups.csv"),
    include_str!("../demo/groups_membership.csv"),
];
const IMPORTS: &str = "/api/v1/accounts/self/sis_imports";
/// The data of a district.
const MASTERY: &str = include_str!("../demo/mastery.json");
/// The number of looks at an import that has not ended, and the time between them.
const LOOKS: usize = 1200;
const PAUSE: Duration = Duration::from_millis(50);

/// Loads everything. The caller administers the account.
pub(crate) async fn load(admin: &Client) -> Result<()> {
    eprintln!("Loading the demo data");
    for file in FILES {
        import(admin, file).await?;
    }
    let botany = id(&admin.get("/api/v1/courses/sis_course_id:BOT-101").await?)?;
    classic_quiz(admin, &botany).await?;
    new_quiz(admin, &botany).await?;
    poll::load(admin, &botany).await?;
    experience(admin, &botany).await?;
    mastery(admin).await
}

/// An AI experience. It answers when a model is configured, or with `--demo-model`.
async fn experience(admin: &Client, course: &str) -> Result<()> {
    let experience = json!({ "ai_experience": {
        "title": "A walk through the wood",
        "description": "Find out what the trees around you are",
        "learning_objectives": ["Tell a leaf from a needle", "Name three trees", "Say why leaves fall"],
        "facts": "Oaks have lobed leaves, beeches have smooth ones, pines have needles in pairs.",
        "pedagogical_guidance": "Ask what the student sees before you name a tree.",
        "workflow_state": "published",
    } });
    admin.post(&format!("/api/v1/courses/{course}/ai_experiences"), experience).await.map(drop)
}

/// The district's schools, teachers, classrooms, materials and scores.
async fn mastery(admin: &Client) -> Result<()> {
    let loaded = admin.post("/api/v1/accounts/self/mastery_imports", serde_json::from_str(MASTERY)?).await?;
    ensure!(loaded.get("error_count").is_some_and(|count| count == 0), "the district's data: {loaded}");
    Ok(())
}

/// Imports a file, all of whose rows must be taken.
async fn import(admin: &Client, csv: &'static str) -> Result<()> {
    let import = format!("{IMPORTS}/{}", id(&admin.upload(IMPORTS, "text/csv", csv).await?)?);
    for _ in 0..LOOKS {
        let found = admin.get(&import).await?;
        match text(&found, "workflow_state")? {
            "created" | "importing" => tokio::time::sleep(PAUSE).await,
            state => {
                ensure!(state == "imported", "{import} is {state}: {found}");
                return Ok(());
            }
        }
    }
    anyhow::bail!("{import} does not end")
}

/// A classic quiz: three questions of its own, and a group that draws from a bank.
async fn classic_quiz(admin: &Client, course: &str) -> Result<()> {
    let bank = json!({ "question_bank": { "title": "Leaves" } });
    let bank = id(&admin.post(&format!("/api/v1/courses/{course}/question_banks"), bank).await?)?;
    let quiz = json!({ "quiz": { "title": "Plants around us", "quiz_type": "assignment", "published": true } });
    let quiz = id(&admin.post(&format!("/api/v1/courses/{course}/quizzes"), quiz).await?)?;
    let quiz = format!("/api/v1/courses/{course}/quizzes/{quiz}");

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
    Ok(())
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
async fn new_quiz(admin: &Client, course: &str) -> Result<()> {
    let quizzes = format!("/api/quiz/v1/courses/{course}/quizzes");
    let quiz = id(&admin.post(&quizzes, json!({ "quiz": { "title": "All kinds of questions" } })).await?)?;
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
    Ok(())
}
