//! Applications that a test starts, crashes and starts again, on a data folder of its own.

use std::time::{Duration, Instant};

use tokio::time::sleep;
use xtask::app::{App, Runtime};
use xtask::sandbox::Sandbox;

use crate::Client;

/// A data folder for the host of this workspace, with these settings.
pub fn sandbox(settings: &[(&str, &str)]) -> Sandbox {
    Sandbox::new(Runtime::Host, settings).expect("a data folder")
}

/// The settings of an application that a developer starts, who may set the clock of a tick.
pub const DEVELOPMENT: [(&str, &str); 1] = [("development", "true")];

/// The administrator of the whole application.
pub async fn admin_of(sandbox: &Sandbox, app: &App) -> Client {
    let admin = sandbox.admin(app).await.expect("an administrator");
    Client::new(&app.base_url, Some(admin.token()))
}

/// How long writers may take until enough of what they write is acknowledged, on a machine with much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lets writers write for that time, and on until enough is acknowledged; then the application crashes.
pub async fn crash_while(app: App, time: Duration, is_enough: impl Fn() -> bool) {
    let began = Instant::now();
    sleep(time).await;
    while !is_enough() {
        assert!(began.elapsed() < PATIENCE, "too little was written before the crash");
        sleep(Duration::from_millis(20)).await;
    }
    app.crash().await.expect("a crash");
}
