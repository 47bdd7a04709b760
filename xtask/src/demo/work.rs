//! What is handed in, graded, read and complained of.

use anyhow::{Context, Result};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use xtask::client::{Client, id, text};

use super::Outcome::{self, Made, There};
use super::{list, make, titled};

const ESSAY: &str = "A leaf from your garden";
const GUIDE: &str = "field-guide.txt";
const GUIDE_TEXT: &str = "Oak: lobed leaves, acorns.\nBeech: smooth edges, a grey trunk.\nPine: needles in pairs.\n";
const COMPLAINT: &str = "The picture of the leaf does not load";

/// An assignment, three submissions of it, and a grade with a comment.
pub(super) async fn submissions(admin: &Client, course: &str) -> Result<Outcome> {
    let assignments = format!("/api/v1/courses/{course}/assignments");
    if titled(admin, &assignments, "", "name", ESSAY).await?.is_some() {
        return Ok(There);
    }
    let essay = json!({
        "name": ESSAY, "submission_types": ["online_text_entry"], "points_possible": 10, "published": true,
        "description": "<p>Describe a leaf so that others can find the tree.</p>",
    });
    let submissions =
        format!("{assignments}/{}/submissions", id(&make(admin, &assignments, "assignment", essay).await?)?);
    for (login, seen) in [
        ("student", "It has seven lobes, and its edge is wavy."),
        ("ada.lovelace", "Two needles stand together, as long as my finger."),
        ("carl.linnaeus", "Folia obtuse sinuata, as in Quercus robur."),
    ] {
        let submission = json!({ "submission_type": "online_text_entry", "body": format!("<p>{seen}</p>") });
        make(&admin.acting_as(login), &submissions, "submission", submission).await?;
    }
    let student = id(&admin.get("/api/v1/users/sis_login_id:student").await?)?;
    let grade = json!({
        "submission": { "posted_grade": "9" },
        "comment": { "text_comment": "Well seen. How long is its stalk?" },
    });
    admin.acting_as("teacher").put(&format!("{submissions}/{student}"), grade).await?;
    Ok(Made(format!("{ESSAY}: 3 handed in, one of them graded")))
}

/// A file of the course, and its front page.
pub(super) async fn files(admin: &Client, course: &str) -> Result<Outcome> {
    let files = format!("/api/v1/courses/{course}/files");
    if titled(admin, &files, "", "display_name", GUIDE).await?.is_some() {
        return Ok(There);
    }
    let teacher = admin.acting_as("teacher");
    let announced = json!({ "name": GUIDE, "size": GUIDE_TEXT.len(), "content_type": "text/plain" });
    upload(&teacher, &teacher.post(&files, announced).await?).await?;
    let page = json!({
        "title": "Welcome", "body": "<p>We look at the plants around us.</p>", "published": true, "front_page": true,
    });
    make(&teacher, &format!("/api/v1/courses/{course}/pages"), "wiki_page", page).await?;
    Ok(Made(format!("{GUIDE}, and a front page")))
}

/// The second and the third step of an upload.
async fn upload(teacher: &Client, announced: &Value) -> Result<()> {
    let mut form = Form::new();
    let parameters = announced.get("upload_params").and_then(Value::as_object).context("no upload_params")?;
    for (name, value) in parameters {
        form = form.text(name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    let part = Part::text(GUIDE_TEXT).file_name(GUIDE).mime_str("text/plain")?;
    let form = form.part(text(announced, "file_param").map_or_else(|_| "file".to_owned(), str::to_owned), part);
    teacher.send_file(text(announced, "upload_url")?, form).await.map(drop)
}

/// A problem that the student has met.
pub(super) async fn error_report(admin: &Client) -> Result<Outcome> {
    let reports = "/api/v1/error_reports";
    let found = admin.get(&format!("{reports}?per_page=100")).await?;
    if super::named(list(&found, ""), "subject", COMPLAINT).is_some() {
        return Ok(There);
    }
    let report = json!({
        "subject": COMPLAINT, "comments": "I see a grey box only.", "url": "https://lms.school.example/courses/1",
        "user_perceived_severity": "workaround_possible",
    });
    make(&admin.acting_as("student"), reports, "error", report).await?;
    Ok(Made(COMPLAINT.to_owned()))
}
