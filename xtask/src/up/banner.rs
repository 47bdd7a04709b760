//! What a person needs who has just started the application: addresses to open, tokens to paste, and people to log in
//! as.

use anyhow::Result;
use serde_json::{Map, Value, json};
use terminal::{FAINT, STRONG, styled};
use xtask::client::{Client, id, text};
use xtask::folder::DataFolder;

use crate::demo;

/// What it is made of.
pub(super) struct Banner<'a> {
    pub(super) base_url: &'a str,
    pub(super) folder: &'a DataFolder,
    /// By login.
    pub(super) tokens: &'a Map<String, Value>,
    /// True where somebody can type.
    pub(super) is_interactive: bool,
}

impl Banner<'_> {
    /// Shows it, with links that are good from now on.
    pub(super) async fn show(&self) -> Result<()> {
        terminal::println!("{}", self.text(&self.links().await?));
        Ok(())
    }

    /// Names and addresses of pages that a browser opens without a token, some of them after a log-in.
    async fn links(&self) -> Result<Vec<(&'static str, String)>> {
        let mut links =
            vec![("Reference", format!("{}/docs", self.base_url)), ("Log-in", format!("{}/home", self.base_url))];
        if let Some(admin) = self.client("admin") {
            let home = admin.post("/api/v1/operator/live_link", json!({})).await?;
            links.push(("Operator's home", text(&home, "url")?.to_owned()));
        }
        if let Some(teacher) = self.client("teacher")
            && let Some(poll) = live_poll(&teacher).await?
        {
            links.push(("Live poll", poll));
        }
        if let Some(student) = self.client("student") {
            for (name, page) in student_pages(&student).await? {
                links.push((name, format!("{}{page} (log in as student)", self.base_url)));
            }
        }
        Ok(links)
    }

    fn client(&self, login: &str) -> Option<Client> {
        Some(Client::new(self.base_url, self.token(login)?))
    }

    fn token(&self, login: &str) -> Option<&str> {
        self.tokens.get(login)?.as_str()
    }

    fn text(&self, links: &[(&str, String)]) -> String {
        let title = styled(STRONG, &format!("Lectern serves {}", self.base_url));
        let mut lines = vec![String::new(), format!("  {title}"), String::new()];
        lines.extend(links.iter().map(|(name, url)| row(name, url)));
        if self.token("teacher").is_some() {
            let people = demo::logins().map(|(login, password)| format!("{login} / {password}"));
            lines.push(row("Logins", &people.collect::<Vec<_>>().join(", ")));
        }
        lines.push(row("Data, logs", &self.folder.path().display().to_string()));
        lines.push(String::new());
        let names = self.tokens.iter().filter_map(|(login, token)| Some((login.to_uppercase(), token.as_str()?)));
        let exports: Vec<_> = names.clone().map(|(name, token)| format!("{name}={token}")).collect();
        lines.push(format!("  export {}", exports.join(" ")));
        let somebody = names.map(|(name, _)| name).next_back().unwrap_or_default();
        lines.push(format!("  curl -H \"Authorization: Bearer ${somebody}\" {}/api/v1/courses", self.base_url));
        lines.push(String::new());
        let again = if self.is_interactive { "Enter shows this again, with new links. " } else { "" };
        let end = format!("The links are good for two hours. {again}Ctrl-C stops it; the data stay.");
        lines.push(format!("  {}", styled(FAINT, &end)));
        lines.push(String::new());
        lines.join("\n")
    }
}

fn row(name: &str, value: &str) -> String {
    format!("  {name:16} {value}")
}

/// The address of the page on which the votes come in, of the teacher's newest poll that asks a class.
async fn live_poll(teacher: &Client) -> Result<Option<String>> {
    let polls = teacher.get("/api/v1/polls").await?;
    for poll in list(&polls, "polls") {
        let sessions = format!("/api/v1/polls/{}/poll_sessions", id(poll)?);
        let found = teacher.get(&sessions).await?;
        let is_open = |session: &&Value| session.get("is_published").is_some_and(|published| published == true);
        if let Some(session) = list(&found, "poll_sessions").iter().find(is_open) {
            let link = format!("{sessions}/{}/live_link", id(session)?);
            let made = teacher.post(&link, json!({ "audience": "teacher" })).await?;
            return Ok(Some(text(&made, "url")?.to_owned()));
        }
    }
    Ok(None)
}

/// What a course may have that a student opens: its name, the list of it, where the records stand in the answer, and the page of
/// one.
type Kind = (&'static str, fn(&str) -> String, &'static str, fn(&str, &str) -> String);

const KINDS: [Kind; 2] = [
    (
        "New quiz",
        |course| format!("/api/quiz/v1/courses/{course}/quizzes"),
        "",
        |course, quiz| format!("/courses/{course}/assignments/{quiz}/take"),
    ),
    (
        "AI conversation",
        |course| format!("/api/v1/courses/{course}/ai_experiences"),
        "/experiences",
        |course, experience| format!("/courses/{course}/ai_experiences/{experience}/talk"),
    ),
];

/// The paths of the pages of the first of each kind that a course of the student's has.
async fn student_pages(student: &Client) -> Result<Vec<(&'static str, String)>> {
    let courses = student.get("/api/v1/courses").await?;
    let courses = courses.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut pages = Vec::new();
    for (name, list, records, page) in KINDS {
        for course in courses {
            let course = id(course)?;
            let Some(found) = student.find(&list(&course)).await? else { continue };
            if let Some(record) = found.pointer(records).and_then(|records| records.get(0)) {
                pages.push((name, page(&course, &id(record)?)));
                break;
            }
        }
    }
    Ok(pages)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_can_be_pasted_and_the_people_of_the_demo_are_named() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = DataFolder::open(temporary.path()).unwrap();
        let tokens = [("admin", "a.b"), ("student", "c"), ("teacher", "d")];
        let tokens = tokens.map(|(login, token)| (login.to_owned(), Value::from(token))).into_iter().collect();
        let banner =
            Banner { base_url: "http://127.0.0.1:3000", folder: &folder, tokens: &tokens, is_interactive: false };
        let shown = terminal::plain(&banner.text(&[("Reference", "http://127.0.0.1:3000/docs".to_owned())]));
        assert!(shown.contains("\n  export ADMIN=a.b STUDENT=c TEACHER=d\n"), "{shown}");
        assert!(shown.contains("\n  Reference        http://127.0.0.1:3000/docs\n"), "{shown}");
        assert!(shown.contains("teacher / demo-teacher"), "{shown}");
        assert!(!shown.contains("Enter"), "{shown}");
    }
}
