//! Applications that a test starts, crashes and starts again, on a data folder of its own.

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
