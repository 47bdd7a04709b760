//! An issuer of badges, a class and an award.

use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use xtask::client::{Client, text};

use super::Outcome::{self, Made, There};
use super::messages::address;
use super::{list, named};

const ISSUER: &str = "The Herbarium";
const CLASS: &str = "Knows ten trees";
const LEAF: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path d="M32 4C52 18 58 40 32 60 6 40 12 18 32 4z" fill="#2e7d32"/><path d="M32 14v48" stroke="#fff" stroke-width="3"/></svg>"##;

pub(super) async fn load(admin: &Client) -> Result<Outcome> {
    let teacher = admin.acting_as("teacher");
    if named(list(&teacher.get("/v2/issuers").await?, "/result"), "name", ISSUER).is_some() {
        return Ok(There);
    }
    let image = format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(LEAF));
    let issuer = json!({
        "name": ISSUER, "description": "Where the course keeps its plants", "url": "https://school.example/herbarium",
        "email": address("teacher"), "image": image,
    });
    let issuer = made(&teacher, "/v2/issuers", issuer).await?;
    let class = json!({
        "name": CLASS, "description": "Names ten trees by their leaves", "image": image,
        "criteriaNarrative": "Name **ten** trees by their leaves alone.", "tags": ["botany"],
        "expires": { "amount": 5, "duration": "years" },
    });
    let class = made(&teacher, &format!("/v2/issuers/{issuer}/badgeclasses"), class).await?;
    let award = json!({
        "recipient": { "type": "email", "identity": address("student") },
        "narrative": "Found a *wild service tree*, which is rare.",
    });
    let award = made(&teacher, &format!("/v2/badgeclasses/{class}/assertions"), award).await?;
    Ok(Made(format!("{ISSUER}, {CLASS}, and an award: {}/public/assertions/{award}", admin.base_url())))
}

/// The id of a new record.
async fn made(teacher: &Client, path: &str, record: Value) -> Result<String> {
    let answer = teacher.post(path, record).await?;
    let record = answer.pointer("/result/0").with_context(|| format!("POST {path}: {answer}"))?;
    Ok(text(record, "entityId")?.to_owned())
}
