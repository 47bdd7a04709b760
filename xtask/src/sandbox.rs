//! The applications of one test or measurement: one after another on a data folder of their own, which goes with it.

use anyhow::Result;
use tempfile::TempDir;

use crate::app::{App, Launch, Runtime};
use crate::client::Client;
use crate::folder::{DataFolder, Variables};

/// A data folder that is removed when this is dropped, and the variables of the applications on it.
pub struct Sandbox {
    /// The program that runs the applications.
    pub runtime: Runtime,
    /// Where they keep their state.
    pub folder: DataFolder,
    /// The variables of the next application: the folder's secrets, and the settings.
    pub variables: Variables,
    _temporary: TempDir,
}

impl Sandbox {
    /// An empty folder, and variables with these settings among them.
    pub fn new(runtime: Runtime, settings: &[(&str, &str)]) -> Result<Self> {
        Self::new_in(tempfile::tempdir()?, runtime, settings)
    }

    /// The same in a folder that is there.
    pub fn new_in(temporary: TempDir, runtime: Runtime, settings: &[(&str, &str)]) -> Result<Self> {
        let folder = DataFolder::open(temporary.path())?;
        let variables = folder.variables()?;
        let mut sandbox = Self { runtime, folder, variables, _temporary: temporary };
        for (name, value) in settings {
            sandbox.set(name, value);
        }
        Ok(sandbox)
    }

    /// Sets a variable of the applications that are started from now on. Answers the value before.
    pub fn set(&mut self, name: &str, value: &str) -> Option<String> {
        self.variables.insert(name.to_owned(), value.to_owned())
    }

    /// The start of an application here.
    pub fn launch(&self) -> Launch<'_> {
        Launch::quiet(self.runtime, &self.folder, &self.variables)
    }

    /// Starts an application; no other may run here at the time.
    pub async fn start(&self) -> Result<App> {
        App::start(&self.launch()).await
    }

    /// The administrator of the whole application.
    pub async fn admin(&self, app: &App) -> Result<Client> {
        Client::admin(&app.base_url, &self.variables).await
    }
}
