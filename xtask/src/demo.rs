//! The demo data: a small school, with something in each area. Who and what is there comes from CSV files, as an
//! institution would send them; what is taught is made through the API, as any client would make it.
//!
//! What is there already is left as it is, so that they can be loaded again.

mod badges;
mod conversation;
mod exchange;
mod messages;
mod people;
mod poll;
mod quizzes;
pub(crate) mod receiver;
mod webhooks;
mod work;

use anyhow::Result;
use serde_json::{Value, json};
use terminal::{FAINT, GOOD, WARNING, styled};
use xtask::client::{Client, id};

pub(crate) use people::logins;

/// What became of a part of the demo data.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It was made: this.
    Made(String),
    /// It is there from an earlier time.
    There,
    /// It was not made, because of this.
    LeftOut(&'static str),
}

use Outcome::{LeftOut, Made, There};

/// The outcome of each part.
pub(crate) struct Loaded(Vec<(&'static str, Outcome)>);

/// Loads what is not there. The caller administers the account. `receiver` is the address at which something takes
/// webhooks.
pub(crate) async fn load(admin: &Client, receiver: Option<&str>) -> Result<Loaded> {
    let people = people::load(admin).await?;
    let botany = id(&admin.get("/api/v1/courses/sis_course_id:BOT-101").await?)?;
    Ok(Loaded(vec![
        ("People and courses", people),
        ("Classic quiz", quizzes::classic(admin, &botany).await?),
        ("New quiz", quizzes::new(admin, &botany).await?),
        ("Poll", poll::load(admin, &botany).await?),
        ("AI experience", conversation::experience(admin, &botany).await?),
        ("Mastery tracking", exchange::mastery(admin).await?),
        ("Addresses", messages::addresses(admin).await?),
        ("Preferences", messages::preferences(admin).await?),
        ("AI conversation", conversation::load(admin, &botany).await?),
        ("Webhooks", webhooks::load(admin, receiver).await?),
        ("File and page", work::files(admin, &botany).await?),
        ("Submissions", work::submissions(admin, &botany).await?),
        ("Badges", badges::load(admin).await?),
        ("Error report", work::error_report(admin).await?),
        ("Developer key", exchange::developer_key(admin).await?),
        ("Content export", exchange::content_export(admin, &botany).await?),
    ]))
}

impl Loaded {
    /// A line for each part.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(part, outcome)| {
            let (word, told) = match outcome {
                Made(what) => (styled(GOOD, "made    "), what.as_str()),
                There => (styled(FAINT, "there   "), "left as it is"),
                LeftOut(reason) => (styled(WARNING, "left out"), *reason),
            };
            format!("  {word}  {part:20} {told}")
        })
    }

    /// How much was made, and how much was there.
    pub(crate) fn summary(&self) -> String {
        let count = |is: fn(&Outcome) -> bool| self.0.iter().filter(|(_, outcome)| is(outcome)).count();
        let made = count(|outcome| matches!(outcome, Made(_)));
        let there = count(|outcome| matches!(outcome, There));
        format!("Demo data: {made} made, {there} there already, {} left out", self.0.len() - made - there)
    }
}

/// The elements of a list, which stands under that pointer.
fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The record whose field has that value.
fn named<'a>(list: &'a [Value], field: &str, name: &str) -> Option<&'a Value> {
    list.iter().find(|record| record.get(field).and_then(Value::as_str) == Some(name))
}

/// The record of that list of a course with that title, if there is one.
async fn titled(admin: &Client, path: &str, pointer: &str, field: &str, title: &str) -> Result<Option<Value>> {
    let found = admin.get(&format!("{path}?per_page=100")).await?;
    Ok(named(list(&found, pointer), field, title).cloned())
}

/// Makes a record, and answers it.
async fn make(admin: &Client, path: &str, key: &str, record: Value) -> Result<Value> {
    admin.post(path, json!({ key: record })).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_and_what_was_not_is_told() {
        let loaded = Loaded(vec![
            ("Poll", Made("a poll".to_owned())),
            ("Badges", There),
            ("Webhooks", LeftOut("nothing listens")),
        ]);
        assert_eq!(loaded.summary(), "Demo data: 1 made, 1 there already, 1 left out");
        let lines: Vec<_> = loaded.lines().map(|line| terminal::plain(&line)).collect();
        assert_eq!(lines[0], "  made      Poll                 a poll");
        assert_eq!(lines[2], "  left out  Webhooks             nothing listens");
    }
}
