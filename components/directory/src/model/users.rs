//! Users: as they are kept, made and ordered.

use serde::Deserialize;
use shared::channels::Kind;
use shared::ids::UserId;
use shared::{JsonSchema, Timestamp};

/// A user, with what the logins tell.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) id: UserId,
    pub(crate) name: String,
    pub(crate) created_at: Timestamp,
    pub(crate) sortable_name: String,
    pub(crate) short_name: String,
    pub(crate) email: Option<String>,
    pub(crate) locale: Option<String>,
    pub(crate) time_zone: Option<String>,
    pub(crate) login_id: Option<String>,
    pub(crate) sis_user_id: Option<String>,
    pub(crate) integration_id: Option<String>,
}

/// The given and the family name in a sortable name, `Lovelace, Ada`. Without a comma the last of several words is the family name.
pub(crate) fn given_and_family_name(sortable_name: &str) -> (String, String) {
    let name = sortable_name.trim();
    let (given, family) = match name.split_once(',') {
        Some((family, given)) => (given, family),
        None => name.rsplit_once(char::is_whitespace).unwrap_or((name, "")),
    };
    let given: Vec<_> = given.split([',', ' ']).filter(|word| !word.is_empty()).collect();
    (given.join(" "), family.trim().to_owned())
}

/// The order of an account's users.
#[derive(Debug, Deserialize, Clone, Copy, Default, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UserSort {
    /// The name, the family name first.
    Username,
    #[default]
    Id,
}

/// A user who is made.
pub(crate) struct NewUser {
    pub(crate) name: String,
    pub(crate) sortable_name: String,
    pub(crate) short_name: String,
    pub(crate) email: Option<String>,
    pub(crate) locale: Option<String>,
    pub(crate) time_zone: Option<String>,
    pub(crate) channel: Option<FirstChannel>,
}

/// The first channel of a new user.
pub(crate) struct FirstChannel {
    pub(crate) kind: Kind,
    pub(crate) address: String,
    /// The address to which the link of its confirmation leads; none where it needs no confirmation.
    pub(crate) asked_from: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sortable_name_has_a_given_and_a_family_name() {
        for (sortable, given, family) in [
            ("Lovelace, Ada", "Ada", "Lovelace"),
            (" King Lovelace ,Ada  Byron ", "Ada Byron", "King Lovelace"),
            ("Ho, Chi, Minh", "Chi Minh", "Ho"),
            ("Ada Byron Lovelace", "Ada Byron", "Lovelace"),
            ("Plato", "Plato", ""),
            ("Plato,", "", "Plato"),
            ("", "", ""),
        ] {
            assert_eq!(given_and_family_name(sortable), (given.to_owned(), family.to_owned()), "{sortable}");
        }
    }
}
