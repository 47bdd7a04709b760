//! Users are searched for by their names, and by what not every reader sees of them.

use shared::params::SearchTerm;

/// Conditions on a row of `users`, for a term that is bound at a place.
pub(super) struct UserSearch {
    /// One of the names contains the term.
    pub(super) is_named: String,
    pub(super) has_email: String,
    /// A login that is in use, or the id that the school has given it.
    pub(super) has_login: String,
}

impl UserSearch {
    pub(super) fn sql(term: Option<&SearchTerm>, place: &str) -> Self {
        let contained = |texts: &[&str]| SearchTerm::contained_sql(term, texts, place);
        Self {
            is_named: contained(&["name", "sortable_name", "short_name"]),
            has_email: contained(&["kept_email"]),
            has_login: format!(
                "EXISTS (SELECT 1 FROM pseudonyms p
                         WHERE p.user_id = users.id AND p.workflow_state = 'active' AND {})",
                contained(&["p.unique_id", "p.sis_user_id"])
            ),
        }
    }
}
