//! What other programs read: a district's data, a key for a front end, and a package of the course.

use anyhow::{Result, ensure};
use serde_json::json;
use xtask::client::{Client, text};

use super::Outcome::{self, Made, There};
use super::{list, make, titled};

/// The data of a district.
const MASTERY: &str = include_str!("../../demo/mastery.json");
const KEY: &str = "A front end on this machine";

/// The district's schools, teachers, classrooms, materials and scores, and a credential to read them.
pub(super) async fn mastery(admin: &Client) -> Result<Outcome> {
    let credentials = "/api/v1/accounts/self/mastery_credentials";
    if !list(&admin.get(credentials).await?, "").is_empty() {
        return Ok(There);
    }
    let loaded = admin.post("/api/v1/accounts/self/mastery_imports", serde_json::from_str(MASTERY)?).await?;
    ensure!(loaded.get("error_count").is_some_and(|count| count == 0), "the district's data: {loaded}");
    let made = admin.post(credentials, json!({})).await?;
    let (client, secret) = (text(&made, "client_id")?, text(&made, "client_secret")?);
    Ok(Made(format!("two schools; client_id={client} client_secret={secret}")))
}

/// A client for a front end in development.
pub(super) async fn developer_key(admin: &Client) -> Result<Outcome> {
    let keys = "/api/v1/accounts/self/developer_keys";
    if titled(admin, keys, "", "name", KEY).await?.is_some() {
        return Ok(There);
    }
    let key = json!({ "name": KEY, "redirect_uris": ["http://localhost:5173/callback"] });
    let made = make(admin, keys, "developer_key", key).await?;
    let (client, secret) = (text(&made, "client_id")?, text(&made, "client_secret")?);
    Ok(Made(format!("client_id={client} client_secret={secret} for http://localhost:5173/callback")))
}

/// The course as a package. It is made in the background.
pub(super) async fn content_export(admin: &Client, course: &str) -> Result<Outcome> {
    let exports = format!("/api/v1/courses/{course}/content_exports");
    let teacher = admin.acting_as("teacher");
    if !list(&teacher.get(&exports).await?, "").is_empty() {
        return Ok(There);
    }
    teacher.post(&exports, json!({ "export_type": "common_cartridge" })).await?;
    Ok(Made("the course as a Common Cartridge".to_owned()))
}
