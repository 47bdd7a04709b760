//! Rows of users with their logins. A batch is a few statements and not a few for each row.

mod store;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use shared::auth::login::MAX_LOGIN_CHARS;
use shared::csv::Row;
use shared::ids::UserId;
use shared::people::{family_name_first, is_email};
use shared::{Result, db, users};

pub(super) use crate::rows::users::store::passwords;
use crate::rows::users::store::{KnownLogin, Record};
use crate::rows::{Read, Target, Verdict, optional, required, status, verdict};

const SHORTEST_PASSWORD: usize = shared::auth::password::MIN_CHARS;

/// The hashes of passwords, by the ids of the users in the institution's system.
pub(crate) type Passwords = BTreeMap<String, String>;

/// The values of a row, as the statement that looks for its records reads it.
#[derive(Debug, Serialize)]
struct User<'a> {
    id: &'a str,
    login: &'a str,
    #[serde(skip)]
    name: Option<String>,
    /// `Lovelace, Ada`, where the row says so or has both names.
    #[serde(skip)]
    sortable_name: Option<String>,
    #[serde(skip)]
    short_name: Option<&'a str>,
    #[serde(skip)]
    email: Option<&'a str>,
    #[serde(skip)]
    integration_id: Option<&'a str>,
    #[serde(skip)]
    deleted: bool,
    /// The login lets nobody in for now.
    #[serde(skip)]
    suspended: bool,
    #[serde(skip)]
    warning: Option<String>,
}

/// The changes that are to be made, after a look at all rows.
#[derive(Default)]
struct Plan<'a> {
    new: Vec<Record<'a>>,
    changed: Vec<Record<'a>>,
    deleted: Vec<UserId>,
    deleted_logins: Vec<i64>,
}

pub(super) async fn import(into: &Target<'_>, rows: &[&Row]) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::with_capacity(rows.len());
    for run in runs(rows) {
        verdicts.extend(import_run(into, run).await?);
    }
    Ok(verdicts)
}

/// Parts of the rows in which no user and no login comes twice: what a later row says counts.
fn runs<'a>(rows: &'a [&'a Row]) -> Vec<&'a [&'a Row]> {
    let (mut runs, mut rest, mut seen) = (Vec::new(), rows, BTreeSet::new());
    let mut length = 0;
    for row in rows {
        let keys = ["user_id", "login_id"].map(|column| (column, row.word(column)));
        if keys.iter().any(|key| key.1.is_some() && seen.contains(key)) {
            let (run, after) = rest.split_at(length);
            runs.push(run);
            (rest, length) = (after, 0);
            seen.clear();
        }
        seen.extend(keys);
        length += 1;
    }
    runs.push(rest);
    runs
}

async fn import_run(into: &Target<'_>, rows: &[&Row]) -> Result<Vec<Verdict>> {
    let read: Vec<_> = rows.iter().map(|row| self::read(row)).collect();
    let mut verdicts: Vec<Option<Verdict>> = vec![None; rows.len()];
    // A login that was taken may have become free by what the other rows say.
    for last in [false, true] {
        let open = |verdict: &Option<Verdict>| verdict.is_none();
        let sought = read.iter().zip(&verdicts).filter(|(_, verdict)| open(verdict));
        let sought: Vec<_> = sought.filter_map(|(row, _)| row.as_ref().ok()).collect();
        let mut found = store::find(into, &sought).await?.into_iter();
        let mut plan = Plan::default();
        let mut next = store::next_id(into.db).await?;
        for (row, verdict) in read.iter().zip(&mut verdicts).filter(|(_, verdict)| open(verdict)) {
            *verdict = match row {
                Ok(row) => plan.add(into, row, found.next().ok_or(db::Error::NoRow)?, &mut next, last),
                Err(why) => Some(Verdict::Refused(why.clone())),
            };
        }
        plan.write(into).await?;
        if !verdicts.iter().any(open) {
            break;
        }
    }
    let decided = verdicts.into_iter().map(|verdict| verdict.ok_or(db::Error::NoRow)).collect::<Result<_, _>>();
    Ok(decided?)
}

fn read(row: &Row) -> Read<User<'_>> {
    let id = required(row, "user_id", "a user")?;
    let what = format!("user {id}");
    let login = required(row, "login_id", &what)?;
    if login.chars().count() > MAX_LOGIN_CHARS {
        return Err(format!("The login_id is too long (maximum is {MAX_LOGIN_CHARS} characters)"));
    }
    if row.get("password").is_some_and(|password| password.chars().count() < SHORTEST_PASSWORD) {
        return Err(format!("The password for {what} is too short (minimum is {SHORTEST_PASSWORD} characters)"));
    }
    let (first, last) = (optional(row, "first_name")?, optional(row, "last_name")?);
    let both = [first, last].iter().flatten().copied().collect::<Vec<_>>().join(" ");
    let full = optional(row, "full_name")?.map(str::to_owned);
    let sortable = optional(row, "sortable_name")?.map(str::to_owned);
    let status = status(row, &["active", "suspended", "deleted"], &what)?;
    let (email, warning) = match optional(row, "email")? {
        Some(email) if !is_email(email) => {
            (None, Some(format!("The email address associated with {what} is invalid (email: '{email}')")))
        }
        email => (email, None),
    };
    Ok(User {
        id,
        login,
        name: full.or_else(|| Some(both).filter(|name| !name.is_empty())),
        sortable_name: sortable.or_else(|| Some(format!("{}, {}", last?, first?))),
        short_name: optional(row, "short_name")?,
        email,
        integration_id: optional(row, "integration_id")?,
        deleted: status == "deleted",
        suspended: status == "suspended",
        warning,
    })
}

impl<'a> Plan<'a> {
    /// Decides on a row. `None`: not yet, because its login may become free.
    fn add(
        &mut self,
        into: &Target<'a>,
        row: &'a User<'a>,
        found: KnownLogin,
        next: &mut i64,
        last: bool,
    ) -> Option<Verdict> {
        if found.site_admin {
            let why = format!("User {} administers the whole site and is not changed by an import", row.id);
            return Some(Verdict::Refused(why));
        }
        if row.deleted {
            return Some(self.delete(into, row, &found));
        }
        if row.suspended && found.user == Some(into.author.user) {
            let why = format!("User {} sent the import and cannot be suspended by it", row.id);
            return Some(Verdict::Refused(why));
        }
        if found.claimed && !last {
            return None;
        }
        if found.claimed {
            let other = found.claimed_by.map_or_else(|| "another user".to_owned(), |id| format!("user {id}"));
            return Some(Verdict::Refused(format!(
                "{other} has already claimed {}'s requested login information",
                row.id
            )));
        }
        let password_hash = into.passwords.get(row.id).filter(|_| !found.has_password).map(String::as_str);
        let record = record(row, &found, password_hash, *next);
        if found.user.is_none() {
            *next += 1;
            self.new.push(record);
        } else if !is_so_already(&record, &found) {
            self.changed.push(record);
        }
        Some(verdict(row.warning.clone()))
    }

    /// A user without another login goes with the login.
    fn delete(&mut self, into: &Target<'_>, row: &User<'_>, found: &KnownLogin) -> Verdict {
        let (Some(user), Some(pseudonym)) = (found.user, found.pseudonym) else { return Verdict::Taken };
        // A login that is known by its name only is not the one that the row means.
        if !found.login_active || found.sis_user_id.as_deref() != Some(row.id) {
            return Verdict::Taken;
        }
        if user == into.author.user {
            return Verdict::Refused(format!("User {} sent the import and cannot be deleted by it", row.id));
        }
        match found.others {
            0 => self.deleted.push(user),
            _ => self.deleted_logins.push(pseudonym),
        }
        Verdict::Taken
    }

    async fn write(self, into: &Target<'_>) -> Result<()> {
        let Self { new, changed, deleted, deleted_logins } = self;
        if !deleted.is_empty() {
            users::delete(into.db, &deleted, into.now).await?;
        }
        if !deleted_logins.is_empty() {
            store::delete_logins(into, deleted_logins).await?;
        }
        if !changed.is_empty() {
            store::update(into, &changed).await?;
        }
        if !new.is_empty() {
            store::insert(into, &new).await?;
        }
        Ok(())
    }
}

/// A value that a row does not have stays as it is, and what follows from the name follows it.
fn record<'a>(row: &'a User<'a>, found: &KnownLogin, password_hash: Option<&'a str>, next: i64) -> Record<'a> {
    let name = row.name.clone().or(found.name.clone()).unwrap_or_else(|| row.login.to_owned());
    let was = found.name.as_deref().unwrap_or_default();
    let sortable_name = row.sortable_name.clone().unwrap_or_else(|| match &found.sortable_name {
        Some(sortable) if *sortable != family_name_first(was) => sortable.clone(),
        _ => family_name_first(&name),
    });
    let short_name = row.short_name.map_or_else(
        || match &found.short_name {
            Some(short) if short != was => short.clone(),
            _ => name.clone(),
        },
        str::to_owned,
    );
    Record {
        user: found.user.unwrap_or(UserId(next)),
        pseudonym: found.pseudonym,
        name,
        sortable_name,
        short_name,
        email: row.email.map(str::to_owned).or(found.email.clone()),
        login: row.login,
        sis_user_id: row.id,
        integration_id: row.integration_id.map(str::to_owned).or(found.integration_id.clone()),
        password_hash,
        suspended: row.suspended,
    }
}

fn is_so_already(record: &Record<'_>, found: &KnownLogin) -> bool {
    found.user_active
        && found.login_active
        && found.suspended == record.suspended
        && record.password_hash.is_none()
        && found.name.as_ref() == Some(&record.name)
        && found.sortable_name.as_ref() == Some(&record.sortable_name)
        && found.short_name.as_ref() == Some(&record.short_name)
        && found.email == record.email
        && found.login.as_deref() == Some(record.login)
        && found.sis_user_id.as_deref() == Some(record.sis_user_id)
        && found.integration_id == record.integration_id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        Row::of(2, &[&[("user_id", "U1"), ("login_id", "ada"), ("status", "active")], pairs].concat())
    }

    #[test]
    fn a_name_is_given_in_one_way_or_the_other() {
        let names = |pairs: &[(&str, &str)]| {
            let row = row(pairs);
            let user = read(&row).unwrap();
            (user.name, user.sortable_name)
        };
        let text = |text: &str| Some(text.to_owned());
        let two = [("first_name", "Ada"), ("last_name", "Lovelace")];
        assert_eq!(names(&two), (text("Ada Lovelace"), text("Lovelace, Ada")));
        assert_eq!(names(&[("full_name", "Ada King"), two[0], two[1]]), (text("Ada King"), text("Lovelace, Ada")));
        assert_eq!(names(&[("last_name", "Plato")]), (text("Plato"), None));
        assert_eq!(names(&[]), (None, None));
    }

    #[test]
    fn what_a_row_cannot_be_without_is_said() {
        assert_eq!(read(&Row::of(2, &[])).unwrap_err(), "No user_id given for a user");
        assert_eq!(read(&Row::of(2, &[("user_id", "U1")])).unwrap_err(), "No login_id given for user U1");
        assert!(read(&row(&[("password", "12345")])).unwrap_err().contains("too short"));
        assert!(read(&row(&[("short_name", &"x".repeat(256))])).unwrap_err().contains("too long"));
        assert!(read(&row(&[("email", "nobody")])).unwrap().warning.unwrap().contains("is invalid"));
    }

    #[test]
    fn a_user_or_a_login_that_comes_again_comes_later() {
        let of = |id: &str, login: &str| Row::of(2, &[("user_id", id), ("login_id", login)]);
        let rows = [of("1", "a"), of("2", "b"), of("3", "A"), of("4", "c"), of("3", "d")];
        let rows: Vec<_> = rows.iter().collect();
        assert_eq!(runs(&rows).iter().map(|run| run.len()).collect::<Vec<_>>(), [2, 2, 1]);
    }
}
