//! A course in which students hand in, and a tool that is told of it: so webhooks are measured and tried.

use std::time::SystemTime;

use anyhow::{Context, Result};
use serde_json::json;
use xtask::assertion;
use xtask::client::{Client, id, text};

/// A user who hands in.
pub(crate) struct Student {
    pub(crate) id: String,
    pub(crate) token: String,
}

/// A course with an assignment.
pub(crate) struct Course {
    pub(crate) id: String,
    /// Where to hand in, without the host.
    pub(crate) submissions: String,
}

/// So many new users with tokens.
pub(crate) async fn students(admin: &Client, count: usize) -> Result<Vec<Student>> {
    let mut students = Vec::new();
    for number in 0..count {
        students.push(person(admin, &format!("student-{number}")).await?);
    }
    Ok(students)
}

/// A new user with that login.
pub(crate) async fn person(admin: &Client, login: &str) -> Result<Student> {
    let user = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": login } });
    let id = id(&admin.post("/api/v1/accounts/1/users", user).await?)?;
    let token = admin.token_of(login, "cargo xtask").await?.context("a token")?;
    Ok(Student { id, token })
}

/// A course with an assignment, in which these users are students.
pub(crate) async fn course(admin: &Client, students: &[Student]) -> Result<Course> {
    let course = json!({ "course": { "name": "Botany" }, "offer": true });
    let course = id(&admin.post("/api/v1/accounts/1/courses", course).await?)?;
    for student in students {
        enroll(admin, &course, student, "StudentEnrollment").await?;
    }
    let essay = json!({ "assignment": {
        "name": "Essay", "submission_types": ["online_text_entry"], "points_possible": 10, "published": true,
    } });
    let essay = id(&admin.post(&format!("/api/v1/courses/{course}/assignments"), essay).await?)?;
    Ok(Course { submissions: format!("/api/v1/courses/{course}/assignments/{essay}/submissions"), id: course })
}

/// Puts somebody into a course.
pub(crate) async fn enroll(admin: &Client, course: &str, who: &Student, role: &str) -> Result<()> {
    let enrollment = json!({ "user_id": who.id, "type": role, "enrollment_state": "active" });
    let path = format!("/api/v1/courses/{course}/enrollments");
    admin.post(&path, json!({ "enrollment": enrollment })).await.map(drop)
}

/// A tool of that name that may subscribe to everything.
pub(crate) async fn tool(admin: &Client, name: &str) -> Result<Client> {
    let tool = json!({ "name": name, "capabilities": ["vnd.vendor.webhooks.root_account.all"] });
    let tool = admin.post("/api/lti/tool_proxies", tool).await?;
    let address = "/api/lti/accounts/1/authorize";
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
    let claims = json!({
        "sub": text(&tool, "guid")?, "aud": format!("{}{address}", admin.base_url()), "iat": now, "exp": now + 60, "jti": "1",
    });
    let assertion = assertion::sign(&claims, text(&tool, "shared_secret")?);
    let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    let token = admin.with_token("").post(address, json!({ "grant_type": grant, "assertion": assertion })).await?;
    Ok(admin.with_token(text(&token, "access_token")?))
}

/// A district's program, which reads its mastery data.
pub(crate) async fn district(admin: &Client) -> Result<Client> {
    let credential = admin.post("/api/v1/accounts/self/mastery_credentials", json!({})).await?;
    let form = json!({
        "grant_type": "client_credentials",
        "client_id": text(&credential, "client_id")?, "client_secret": text(&credential, "client_secret")?,
    });
    let token = admin.with_token("").post("/api/v2/token", form).await?;
    Ok(admin.with_token(text(&token, "access_token")?))
}

/// Subscribes to the submissions of an account or a course. Answers the id of the subscription.
pub(crate) async fn subscribe(tool: &Client, context: &str, id: &str, url: &str) -> Result<String> {
    let subscription = json!({
        "ContextId": id, "ContextType": context, "EventTypes": ["SUBMISSION_CREATED"], "Format": "live-event",
        "TransportType": "https", "TransportMetadata": { "Url": url },
    });
    let made = tool.post("/api/lti/subscriptions", json!({ "subscription": subscription })).await?;
    Ok(text(&made, "Id")?.to_owned())
}
