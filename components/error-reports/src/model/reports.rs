//! Error reports, as lists and answers show them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::db::Json;
use shared::ids::{AccountId, ErrorReportId, UserId};
use shared::params::SearchTerm;
use shared::{JsonSchema, Result, Timestamp};

/// The state of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    Open,
    Closed,
}

impl State {
    pub(crate) const ALL: [Self; 2] = [Self::Open, Self::Closed];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// Which reports are listed.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Filter {
    /// Only those in this state.
    pub(crate) workflow_state: Option<State>,
    /// Only those of this severity, as whoever filed them sees it.
    pub(crate) user_perceived_severity: Option<String>,
    /// Only those that this user has filed.
    pub(crate) user_id: Option<UserId>,
    /// Only those that were filed at that time or later.
    pub(crate) since: Option<Timestamp>,
    /// Only those that were filed before that time.
    pub(crate) until: Option<Timestamp>,
    /// Only those with this in their subject, of at most 255 characters.
    pub(crate) search_term: Option<String>,
}

impl Filter {
    /// What is looked for in the subjects.
    pub(crate) fn term(&self) -> Result<Option<SearchTerm>> {
        SearchTerm::read(self.search_term.as_deref())
    }
}

/// A report as lists show it.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Summary {
    pub(crate) id: ErrorReportId,
    /// The root account to which it belongs: the user's, or the first where nobody is known to have filed it. Such a report
    /// is shown to the site's administrators alone.
    pub(crate) account_id: AccountId,
    pub(crate) user_id: Option<UserId>,
    /// In lists its first 1024 characters.
    pub(crate) subject: String,
    pub(crate) category: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) user_perceived_severity: Option<String>,
    pub(crate) context_asset_string: Option<String>,
    /// With commas between them.
    pub(crate) user_roles: Option<String>,
    pub(crate) workflow_state: State,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) closed_at: Option<Timestamp>,
}

/// All of a report.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) summary: Summary,
    pub(crate) message: Option<String>,
    pub(crate) comments: Option<String>,
    pub(crate) backtrace: Option<String>,
    pub(crate) http_env: Json<Map<String, Value>>,
    pub(crate) note: Option<String>,
    /// The user who changed it last.
    pub(crate) updated_by_id: Option<UserId>,
}

/// A report, and what became of it on its way to the operator's receiver.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Report {
    #[serde(flatten)]
    pub(crate) details: Details,
    /// `pending`, `delivered`, or `dead`: nothing is tried any more. Null: it is not forwarded.
    pub(crate) forwarding: Option<String>,
    /// The reason why the latest attempt failed.
    pub(crate) forwarding_error: Option<String>,
}
