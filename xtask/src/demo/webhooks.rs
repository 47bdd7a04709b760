//! A tool that is told of what is handed in and graded.

use anyhow::Result;
use serde_json::json;
use xtask::client::{Client, id};

use super::Outcome::{self, LeftOut, Made, There};
use super::titled;
use crate::classroom;

const TOOL: &str = "The receiver of cargo xtask up";
const EVENTS: [&str; 4] = ["SUBMISSION_CREATED", "GRADE_CHANGE", "ATTACHMENT_CREATED", "QUIZ_SUBMITTED"];

/// Without anybody who takes them, deliveries would only fail again and again.
pub(super) async fn load(admin: &Client, receiver: Option<&str>) -> Result<Outcome> {
    if titled(admin, "/api/lti/tool_proxies", "", "name", TOOL).await?.is_some() {
        return Ok(There);
    }
    let Some(url) = receiver else {
        return Ok(LeftOut("nothing takes them: `cargo xtask up` starts a receiver, then `cargo xtask seed`"));
    };
    let account = id(&admin.get("/api/v1/accounts/self").await?)?;
    let tool = classroom::tool(admin, TOOL).await?;
    let subscription = json!({
        "ContextId": account, "ContextType": "account", "EventTypes": EVENTS, "Format": "live-event",
        "TransportType": "https", "TransportMetadata": { "Url": url },
    });
    tool.post("/api/lti/subscriptions", json!({ "subscription": subscription })).await?;
    Ok(Made(format!("a tool, and a subscription that is delivered to {url}")))
}
