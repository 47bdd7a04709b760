//! The polls of who is signed in: what they run, and what asks them.

use serde::Deserialize;
use shared::db::Json;
use shared::ids::{PollId, PollSessionId};

/// The number of sessions that each list of the page shows.
pub(crate) const MAX_LISTED: i64 = 50;

/// The sessions of somebody.
#[derive(Deserialize)]
pub(crate) struct Overview {
    /// Those of the own polls, the newest first.
    pub(crate) run: Json<Vec<Listed>>,
    /// Those that are open and ask the user, the newest first.
    pub(crate) asked: Json<Vec<Listed>>,
}

/// A session in a list.
#[derive(Deserialize)]
pub(crate) struct Listed {
    pub(crate) poll: PollId,
    pub(crate) session: PollSessionId,
    pub(crate) question: String,
    pub(crate) course: String,
    pub(crate) is_open: bool,
}

/// The session that has a code, as the caller may take part in it.
#[derive(Deserialize)]
pub(crate) struct Invitation {
    pub(crate) poll: PollId,
    pub(crate) session: PollSessionId,
    pub(crate) takes_part: bool,
}
