//! Where people are told things, and how often.

use anyhow::Result;
use serde_json::json;
use xtask::client::Client;

use super::Outcome::{self, Made, There};
use super::{list, named, people};

/// Nothing is ever delivered there: the domain is one for examples.
pub(super) fn address(login: &str) -> String {
    format!("{login}@school.example")
}

/// A confirmed e-mail address for each person.
pub(super) async fn addresses(admin: &Client) -> Result<Outcome> {
    let mut added = 0;
    for (login, _) in people::all() {
        let channels = format!("/api/v1/users/sis_login_id:{login}/communication_channels");
        let address = address(login);
        if named(list(&admin.get(&channels).await?, ""), "address", &address).is_none() {
            let channel = json!({ "type": "email", "address": address });
            let confirmed = json!({ "communication_channel": channel, "skip_confirmation": true });
            admin.post(&channels, confirmed).await?;
            added += 1;
        }
    }
    Ok(if added == 0 { There } else { Made(format!("{added} confirmed addresses, such as {}", address("teacher"))) })
}

/// The student gets some news once a day.
pub(super) async fn preferences(admin: &Client) -> Result<Outcome> {
    let student = admin.acting_as("student");
    let preferences = format!(
        "/api/v1/users/self/communication_channels/email/{}/notification_preferences/assignment_created",
        address("student")
    );
    let found = student.get(&preferences).await?;
    if found.pointer("/notification_preferences/0/frequency").is_some_and(|frequency| frequency == "daily") {
        return Ok(There);
    }
    student.put(&preferences, json!({ "notification_preferences": { "frequency": "daily" } })).await?;
    Ok(Made("the student hears of new assignments once a day".to_owned()))
}
