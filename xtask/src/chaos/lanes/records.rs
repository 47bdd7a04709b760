//! Records that one request writes.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::super::caller::{Caller, Outcome};
use super::super::ledger::Kind;
use super::{Lane, id_in};

/// Channels that a user may make in a day, and a few less.
const CHANNELS: usize = 90;

/// Attempts of a student at one assignment, of which there may be 250.
const ATTEMPTS: usize = 240;

/// New courses, by an id of the institution, so that none is there twice.
pub(super) struct Courses {
    pub(super) admin: Caller,
    pub(super) lane: usize,
}

impl Courses {
    fn name(&self, number: usize) -> String {
        format!("made-{}-{number}", self.lane)
    }
}

impl Lane for Courses {
    const KIND: Kind = Kind::Courses;

    async fn write(&mut self, number: usize) -> Outcome<String> {
        let name = self.name(number);
        let course = json!({ "course": { "name": name, "sis_course_id": name } });
        self.admin.post("/api/v1/accounts/1/courses", &course).await.map(|_| name)
    }

    async fn find(&mut self, number: usize) -> Result<Option<String>> {
        let name = self.name(number);
        Ok(self.admin.read(&format!("/api/v1/courses/sis_course_id:{name}")).await?.map(|_| name))
    }
}

/// New names of one course.
pub(super) struct Names {
    pub(super) admin: Caller,
    pub(super) course: String,
    pub(super) lane: usize,
}

impl Lane for Names {
    const KIND: Kind = Kind::Names;

    async fn write(&mut self, number: usize) -> Outcome<String> {
        let name = format!("renamed-{}-{number}", self.lane);
        let course = json!({ "course": { "name": name } });
        self.admin.put(&format!("/api/v1/courses/{}", self.course), &course).await.map(|_| name)
    }

    async fn find(&mut self, number: usize) -> Result<Option<String>> {
        let name = format!("renamed-{}-{number}", self.lane);
        let course = self.admin.read(&format!("/api/v1/courses/{}", self.course)).await?;
        let course = course.context("the course is gone")?;
        Ok((course.get("name") == Some(&json!(name))).then_some(name))
    }
}

/// Question groups of a quiz, each with a place of its own.
pub(super) struct Groups {
    pub(super) admin: Caller,
    pub(super) groups: String,
    pub(super) lane: usize,
}

impl Lane for Groups {
    const KIND: Kind = Kind::Groups;

    async fn write(&mut self, number: usize) -> Outcome<String> {
        let name = format!("group-{}-{number}", self.lane);
        let group = json!({ "quiz_groups": [{ "name": name }] });
        self.admin.post(&self.groups, &group).await.map(|_| name)
    }

    async fn find(&mut self, number: usize) -> Result<Option<String>> {
        let name = format!("group-{}-{number}", self.lane);
        // The list has no pages.
        let groups = self.admin.read(&self.groups).await?.context("the quiz is gone")?;
        let groups = groups.get("quiz_groups").and_then(Value::as_array).context("no groups")?;
        Ok(groups.iter().any(|group| group.get("name") == Some(&json!(name))).then_some(name))
    }
}

/// Attempts of a student at an assignment.
pub(super) struct Submissions {
    pub(super) student: Caller,
    pub(super) user: String,
    pub(super) path: String,
}

impl Submissions {
    /// The user and the attempt, where the answer has them.
    fn key(&self, submission: &Value) -> Option<String> {
        Some(format!("{}/{}", self.user, submission.get("attempt")?.as_i64()?))
    }
}

impl Lane for Submissions {
    const KIND: Kind = Kind::Submissions;

    async fn write(&mut self, number: usize) -> Outcome<String> {
        if number >= ATTEMPTS {
            return Outcome::Over;
        }
        let essay =
            json!({ "submission": { "submission_type": "online_text_entry", "body": format!("Essay {number}") } });
        match self.student.post(&self.path, &essay).await {
            Outcome::Done(answer) => match self.key(&answer) {
                Some(key) => Outcome::Done(key),
                None => Outcome::Refused(format!("a submission without an attempt: {answer}")),
            },
            other => other.map(|_| String::new()),
        }
    }

    async fn find(&mut self, number: usize) -> Result<Option<String>> {
        let submission = self.student.read(&format!("{}/{}", self.path, self.user)).await?;
        let body = json!(format!("Essay {number}"));
        Ok(submission.filter(|submission| submission.get("body") == Some(&body)).and_then(|found| self.key(&found)))
    }
}

/// Addresses of a user, to each of which a message goes.
pub(super) struct Channels {
    pub(super) owner: Caller,
    pub(super) user: String,
}

impl Channels {
    fn address(&self, number: usize) -> String {
        format!("c{number}.{}@chaos.test", self.user)
    }
}

impl Lane for Channels {
    const KIND: Kind = Kind::Channels;

    async fn write(&mut self, number: usize) -> Outcome<String> {
        if number >= CHANNELS {
            return Outcome::Over;
        }
        let address = self.address(number);
        let channel = json!({ "communication_channel": { "type": "email", "address": address } });
        self.owner.post("/api/v1/users/self/communication_channels", &channel).await.map(|_| address)
    }

    async fn find(&mut self, number: usize) -> Result<Option<String>> {
        let address = self.address(number);
        let channels = self.owner.read("/api/v1/users/self/communication_channels?per_page=100").await?;
        let channels = channels.context("the user is gone")?;
        let channels = channels.as_array().context("no channels")?;
        Ok(channels.iter().any(|channel| channel.get("address") == Some(&json!(address))).then_some(address))
    }
}

/// Jobs: packages of a course.
pub(super) struct Exports {
    pub(super) teacher: Caller,
    pub(super) course: String,
    /// The newest export that this client knows.
    pub(super) known: i64,
}

impl Lane for Exports {
    const KIND: Kind = Kind::Exports;

    async fn write(&mut self, _: usize) -> Outcome<String> {
        let export = json!({ "export_type": "qti", "skip_notifications": true });
        let made = self.teacher.post(&format!("/api/v1/courses/{}/content_exports", self.course), &export).await;
        let made = id_in(made, "");
        if let Outcome::Done(id) = &made {
            self.known = id.parse().unwrap_or(self.known);
        }
        made
    }

    /// No other client makes exports for this user.
    async fn find(&mut self, _: usize) -> Result<Option<String>> {
        let list = format!("/api/v1/courses/{}/content_exports?per_page=100", self.course);
        let user = self.teacher.read("/api/v1/users/self").await?.context("the teacher is gone")?;
        let exports = self.teacher.read(&list).await?.context("no course")?;
        let exports = exports.as_array().context("no exports")?;
        let own = exports.iter().filter(|export| export.get("user_id") == user.get("id"));
        let newest = own.filter_map(|export| export.get("id")?.as_i64()).max();
        Ok(newest.filter(|id| *id > self.known).map(|id| {
            self.known = id;
            id.to_string()
        }))
    }
}
