//! The fields of a user that are given, and those that follow.

use serde::Deserialize;
use shared::db::Changes;
use shared::people::{family_name_first, is_email};
use shared::{Error, JsonSchema, Patch, Result};

use crate::model::checks::{MAX_CHARS, invalid, optional, required, time_zone};
use crate::model::users::{NewUser, Row};

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct UserForm {
    name: Patch<String>,
    sortable_name: Patch<String>,
    short_name: Patch<String>,
    /// Only for administrators.
    pub(crate) email: Patch<String>,
    locale: Patch<String>,
    time_zone: Patch<String>,
}

/// A new user has at least a name: what is not given is derived.
pub(crate) fn named(form: UserForm, login: String, address: Option<String>) -> Result<NewUser> {
    let text = |field, text| Ok::<_, Error>(required(field, text, MAX_CHARS).map_err(invalid)?.into_option());
    let name = text("name", form.name)?.unwrap_or(login);
    Ok(NewUser {
        sortable_name: text("sortable_name", form.sortable_name)?.unwrap_or_else(|| family_name_first(&name)),
        short_name: text("short_name", form.short_name)?.unwrap_or_else(|| name.clone()),
        name,
        email: email("email", form.email)?.into_option().or(address),
        locale: optional("locale", form.locale, MAX_CHARS).map_err(invalid)?.into_option(),
        time_zone: time_zone("time_zone", form.time_zone).map_err(invalid)?.into_option(),
        channel: None,
    })
}

/// Names that were derived from the name follow it.
pub(crate) fn renamed(form: UserForm, current: &Row) -> Result<Changes> {
    let name = required("name", form.name, MAX_CHARS).map_err(invalid)?;
    let follows = |given: Patch<String>, was_derived: bool, derived: fn(&str) -> String| match (&name, given) {
        (Patch::Value(name), Patch::Absent) if was_derived => Patch::Value(derived(name)),
        (_, given) => given,
    };
    let sortable_name = required("sortable_name", form.sortable_name, MAX_CHARS).map_err(invalid)?;
    let was_derived = current.sortable_name == family_name_first(&current.name);
    let sortable_name = follows(sortable_name, was_derived, family_name_first);
    let short_name = required("short_name", form.short_name, MAX_CHARS).map_err(invalid)?;
    let short_name = follows(short_name, current.short_name == current.name, str::to_owned);
    Ok(Changes::default()
        .set("name", name)
        .set("sortable_name", sortable_name)
        .set("short_name", short_name)
        .set("email", email("email", form.email)?)
        .set("locale", optional("locale", form.locale, MAX_CHARS).map_err(invalid)?)
        .set("time_zone", time_zone("time_zone", form.time_zone).map_err(invalid)?))
}

pub(crate) fn email(field: &str, address: Patch<String>) -> Result<Patch<String>> {
    match optional(field, address, MAX_CHARS).map_err(invalid)? {
        Patch::Value(address) if !is_email(&address) => {
            Err(Error::invalid(field, "invalid", "is not a valid e-mail address"))
        }
        address => Ok(address),
    }
}
