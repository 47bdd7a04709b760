//! The requests of the table, one kind after another, on one application.

use std::time::Duration;

use anyhow::{Context, Result};
use xtask::app::Runtime;
use xtask::client::Client;

use super::figure::{Line, Meter};
use super::load::{self, Prepared, Schedule};
use super::process::Server;
use super::size::{self, Size};
use super::table::Table;
use super::{Options, school};
use crate::receiver::{Mood, Receiver};
use crate::{classroom, demo_model};

/// Measures the areas, all or some.
pub(super) async fn run(runtime: Runtime, options: &Options, areas: &[String]) -> Result<Vec<Line>> {
    let table = Table::load()?.only(areas)?;
    let model = demo_model::start().await?;
    // Receivers and the model are on this machine, and the generator calls as a proxy in front does. What limits a user's
    // exports is none of the questions here.
    let settings = [
        ("development", "true"),
        ("trusted_proxies", "1"),
        ("ai_api", "openai"),
        ("ai_base_url", model.as_str()),
        ("content_export_hourly_limit", "1000000"),
        ("error_report_daily_limit", "1000000"),
    ];
    let sandbox = size::sandbox(runtime, options.size.unwrap_or(Size::Small), &settings).await?;
    let app = sandbox.start().await?;
    let admin = sandbox.admin(&app).await?;
    let receiver = Receiver::start(Mood::Willing).await?;
    let tool = classroom::tool(&admin).await?;
    eprintln!("Making what the requests read and change");
    let given = [("admin", admin.token()), ("tool_token", tool.token()), ("receiver", receiver.url.as_str())];
    let values = school::build(&app.base_url, &table, &given).await?;

    let server = Server(app.pid().context("the application has ended")?);
    let mut lines: Vec<Line> = Vec::new();
    Line::print_head();
    for request in &table.requests {
        let schedule = Schedule {
            rate: options.rate,
            length: Duration::from_secs(options.seconds),
            at_most: request.at_most.unwrap_or(u32::MAX),
        };
        let meter = Meter::start(server);
        let prepared = Prepared::new(request, &values);
        let outcome = load::measure(&app.base_url, prepared, schedule, options.connections).await?;
        let line = meter.line((&request.area, request.kind, &request.name), &outcome);
        let line = line.against(lines.first(), options.rate.is_some());
        line.print();
        lines.push(line);
    }
    stopped(app, &admin).await?;
    Ok(lines)
}

/// Stops an application that has answered to the end: one that died in between would have failed the last request.
async fn stopped(app: xtask::app::App, admin: &Client) -> Result<()> {
    admin.get("/api/v1/users/self").await.context("the application does not answer any more")?;
    app.stop().await
}
