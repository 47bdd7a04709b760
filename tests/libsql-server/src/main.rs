//! `libsql-test-server`: the stand-in as a program.

#![expect(clippy::print_stdout, reason = "it tells its address to whoever started it")]

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;
use libsql_test_server::{Options, Server};

/// Serves a SQLite file as a libSQL server would. For tests.
#[derive(Parser)]
struct Arguments {
    /// The SQLite file, which is made if it is not there.
    file: PathBuf,
    /// The address to listen on; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: String,
    /// How much longer each call takes, in milliseconds.
    #[arg(long, alias = "delay", default_value_t = 0)]
    delay_ms: u64,
    /// How long a stream may lie idle, in seconds.
    #[arg(long, default_value_t = 10)]
    idle_timeout: u64,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let options = Options {
        delay: Duration::from_millis(arguments.delay_ms),
        idle_timeout: Duration::from_secs(arguments.idle_timeout),
        ..Options::default()
    };
    let server = Server::start(&arguments.file, &arguments.listen, options).await?;
    println!("Serving {}", server.url);
    std::future::pending().await
}
