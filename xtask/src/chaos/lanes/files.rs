//! Files, uploaded in their steps. Their bytes follow from their names.

use anyhow::{Context, Result};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use super::super::caller::{Caller, Outcome, write};
use super::super::ledger::Kind;
use super::Lane;

/// Bytes of most files, and of every fifth, which takes several values of the key-value store.
const SMALL: usize = 3_000;
const LARGE: usize = 600_000;

pub(in super::super) struct Files {
    pub(super) teacher: Caller,
    pub(super) course: String,
    pub(super) lane: usize,
}

/// The bytes of the file of that name.
pub(in super::super) fn content(name: &str) -> Vec<u8> {
    let size = if name.contains("large") { LARGE } else { SMALL };
    name.bytes().cycle().take(size).collect()
}

impl Files {
    fn name(&self, number: usize) -> String {
        let size = if number.is_multiple_of(5) { "large" } else { "small" };
        format!("file-{}-{number}-{size}.txt", self.lane)
    }

    fn list(&self) -> String {
        format!("/api/v1/courses/{}/files", self.course)
    }

    /// Sends the bytes to the address that was given out for them.
    async fn send(&self, announced: &Value, name: &str) -> Result<Outcome<Value>> {
        let mut form = Form::new();
        let parameters = announced.get("upload_params").and_then(Value::as_object).context("no parameters")?;
        for (field, value) in parameters {
            form = form.text(field.clone(), value.as_str().unwrap_or_default().to_owned());
        }
        let form = form.part("file", Part::bytes(content(name)).file_name(name.to_owned()));
        let address = announced.get("upload_url").and_then(Value::as_str).context("no address")?;
        Ok(write(self.teacher.request(Method::POST, address).multipart(form)).await)
    }
}

impl Lane for Files {
    const KIND: Kind = Kind::Files;

    async fn write(&mut self, number: usize) -> Outcome<String> {
        let name = self.name(number);
        // Without its size, room for the largest file would be set aside for half an hour.
        let announcement = json!({ "name": name, "size": content(&name).len() });
        let announced = match self.teacher.post(&self.list(), &announcement).await {
            Outcome::Done(announced) => announced,
            other => return other.map(|_| String::new()),
        };
        match self.send(&announced, &name).await {
            Ok(outcome) => outcome.map(|_| name),
            Err(error) => Outcome::Refused(format!("{error:#}: {announced}")),
        }
    }

    async fn find(&mut self, number: usize) -> Result<Option<String>> {
        let name = self.name(number);
        let path = format!("{}?search_term={name}", self.list());
        let files = self.teacher.read(&path).await?.context("the course is gone")?;
        let files = files.as_array().context("no files")?;
        Ok(files.iter().any(|file| file.get("display_name") == Some(&json!(name))).then_some(name))
    }
}
