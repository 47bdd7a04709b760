//! The requests of the table, one kind after another, on one application.

use std::time::Duration;

use anyhow::{Context, Result};
use xtask::app::Runtime;
use xtask::client::Client;

use super::figure::{Line, Meter};
use super::load::{self, Prepared, Schedule};
use super::process::Server;
use super::size::{self, Size};
use super::table::{Request, Table};
use super::template::Values;
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
    let tool = classroom::tool(&admin, "A tool").await?;
    eprintln!("Making what the requests read and change");
    let given = [("admin", admin.token()), ("tool_token", tool.token()), ("receiver", receiver.url.as_str())];
    let values = school::build(&app.base_url, &table, &given).await?;

    let server = Server(app.pid().context("the application has ended")?);
    let mut lines = Vec::new();
    server.rested().await;
    let mut measurement = Measurement::new(options, &values);
    let (floor, requests) = table.requests.split_first().context("the table has no requests")?;
    for of_area in requests.chunk_by(|one, next| one.area == next.area) {
        let line = measurement.floor(&app.base_url, server, floor).await?;
        if lines.is_empty() {
            lines.push(line);
        }
        for request in of_area {
            lines.push(measurement.line(&app.base_url, server, request).await?);
        }
    }
    stopped(app, &admin).await?;
    Ok(lines)
}

/// Requests that are measured one after another, each as a part of the last floor.
pub(super) struct Measurement<'a> {
    options: &'a Options,
    values: &'a Values,
    floor: Option<Line>,
}

impl<'a> Measurement<'a> {
    /// Prints the head of the table.
    pub(super) fn new(options: &'a Options, values: &'a Values) -> Self {
        Line::print_head();
        Self { options, values, floor: None }
    }

    /// Measures the floor, now and then: a machine that others use too is not as fast all the time.
    pub(super) async fn floor(&mut self, base_url: &str, server: Server, request: &Request) -> Result<Line> {
        self.floor = None;
        self.line(base_url, server, request).await
    }

    /// Measures a kind of request on the server at that address, and prints its line.
    pub(super) async fn line(&mut self, base_url: &str, server: Server, request: &Request) -> Result<Line> {
        let schedule = Schedule {
            rate: self.options.rate,
            length: Duration::from_secs(self.options.seconds),
            at_most: request.at_most.unwrap_or(u32::MAX),
        };
        let meter = Meter::start(server);
        let prepared = Prepared::new(request, self.values);
        let outcome = load::measure(base_url, prepared, schedule, self.options.connections).await?;
        // What a request leaves to be done is part of its cost.
        server.rested().await;
        let line = meter.line((&request.area, request.kind, &request.name), &outcome);
        let line = line.against(self.floor.as_ref(), self.options.rate.is_some());
        line.print();
        self.floor.get_or_insert_with(|| line.clone());
        Ok(line)
    }
}

/// Stops an application that has answered to the end: one that died in between would have failed the last request.
async fn stopped(app: xtask::app::App, admin: &Client) -> Result<()> {
    admin.get("/api/v1/users/self").await.context("the application does not answer any more")?;
    app.stop().await
}
