//! Rows into records: a file for each kind of row.
//!
//! A row is read first, without a look at the database; then it is written. Records are known by the ids that the
//! institution gave them, and a row that says what is so already changes nothing.

mod accounts;
mod courses;
mod dates;
mod enrollments;
mod group_memberships;
mod groups;
mod known;
mod marks;
mod sections;
mod stickiness;
mod terms;
mod users;
mod xlists;

use std::borrow::Cow;
use std::collections::BTreeSet;

use shared::course_events::Author;
use shared::ids::{AccountId, SisImportId};
use shared::{Db, Result, Timestamp};

use crate::model::kind::Kind;
use crate::model::options::Options;
use crate::store::sis_imports::Claimed;
use crate::work::watch::Watch;
use shared::csv::Row;

use crate::model::note::Note;
pub(crate) use crate::rows::courses::steps;
pub(crate) use crate::rows::users::Passwords;

const MAX_VALUE_CHARS: usize = 255;

/// The database to which rows are written, and the tenant.
pub(crate) struct Target<'a> {
    /// In a transaction.
    pub(crate) db: &'a Db,
    /// The tenant.
    pub(crate) root: AccountId,
    pub(crate) author: &'a Author,
    pub(crate) import: SisImportId,
    pub(crate) options: &'a Options,
    pub(crate) now: Timestamp,
    pub(crate) passwords: &'a Passwords,
    /// True while the rows of earlier imports are ended that are gone from the files.
    pub(crate) ends_gone: bool,
}

/// The outcome of a row.
#[derive(Debug, Clone, PartialEq)]
enum Verdict {
    Taken,
    /// Not all that it says was taken.
    Partly(String),
    Refused(String),
}

/// The values of a row, or the reason why they cannot be meant.
type Read<T> = Result<T, String>;

/// The hashes of those passwords that will be needed. Making them takes long, so it is done before the transaction.
pub(crate) async fn passwords(
    db: &Db,
    import: &Claimed,
    kind: Kind,
    rows: &[Row],
    watch: &mut Watch<'_>,
) -> Result<Passwords> {
    match kind {
        Kind::Users => users::passwords(db, import.root_account_id, rows, watch).await,
        _ => Ok(Passwords::default()),
    }
}

/// The outcome of some rows.
pub(crate) struct Imported {
    /// The number of rows that were taken.
    pub(crate) taken: usize,
    /// The places of those that were refused, from 0.
    pub(crate) refused: BTreeSet<usize>,
    pub(crate) notes: Vec<Note>,
}

/// Writes the rows. Those of deletions are passed over where the import is to delete nothing.
pub(crate) async fn import(into: &Target<'_>, kind: Kind, rows: &[Row]) -> Result<Imported> {
    let kept = stickiness::kept(into, kind, rows).await?;
    let is_deletion = |row: &Row| row.word("status").as_deref() == Some("deleted");
    let is_passed_over = |place: usize, row: &Row| {
        (into.options.skip_deletes && is_deletion(row)) || (kind == Kind::Xlists && kept.names(place))
    };
    let meant = rows.iter().enumerate().filter(|(place, row)| !is_passed_over(*place, row));
    let (places, sent): (Vec<usize>, Vec<&Row>) = meant.unzip();
    let applied: Vec<Cow<'_, Row>> = places.iter().zip(&sent).map(|(place, row)| kept.applied(*place, row)).collect();
    let rows: Vec<&Row> = applied.iter().map(AsRef::as_ref).collect();
    let verdicts = match kind {
        Kind::Accounts => each(&rows, accounts::read, async |row| accounts::write(into, row).await).await?,
        Kind::Terms => each(&rows, terms::read, async |row| terms::write(into, row).await).await?,
        Kind::Users => users::import(into, &rows).await?,
        Kind::Courses => each(&rows, courses::read, async |row| courses::write(into, row).await).await?,
        Kind::Sections => each(&rows, sections::read, async |row| sections::write(into, row).await).await?,
        Kind::Xlists => each(&rows, xlists::read, async |row| xlists::write(into, row).await).await?,
        Kind::Enrollments => enrollments::import(into, &rows).await?,
        Kind::Groups => each(&rows, groups::read, async |row| groups::write(into, row).await).await?,
        Kind::GroupMemberships => {
            each(&rows, group_memberships::read, async |row| group_memberships::write(into, row).await).await?
        }
    };
    let is_refused = |verdict: &Verdict| matches!(verdict, Verdict::Refused(_));
    let taken = rows.iter().zip(&verdicts).filter(|(_, verdict)| !is_refused(verdict));
    let taken: Vec<_> = taken.map(|(row, _)| *row).collect();
    marks::mark(into, kind, &taken).await?;
    let refused = places.iter().zip(&verdicts).filter(|(_, verdict)| is_refused(verdict)).map(|(place, _)| *place);
    let (taken, refused) = (taken.len(), refused.collect());
    let notes = sent.iter().zip(verdicts).filter_map(|(row, verdict)| match verdict {
        Verdict::Taken => None,
        Verdict::Partly(why) => Some(Note::of_row(row, why, false)),
        Verdict::Refused(why) => Some(Note::of_row(row, why, true)),
    });
    Ok(Imported { taken, refused, notes: notes.collect() })
}

/// One row after another: each sees what those before it have written.
async fn each<'a, T>(
    rows: &[&'a Row],
    read: impl Fn(&'a Row) -> Read<T>,
    write: impl AsyncFn(T) -> Result<Verdict>,
) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::with_capacity(rows.len());
    for row in rows {
        verdicts.push(match read(row) {
            Ok(record) => write(record).await?,
            Err(why) => Verdict::Refused(why),
        });
    }
    Ok(verdicts)
}

/// A value that a row cannot be without.
fn required<'a>(row: &'a Row, column: &str, what: &str) -> Read<&'a str> {
    optional(row, column)?.ok_or_else(|| format!("No {column} given for {what}"))
}

/// A value that a row may be without.
fn optional<'a>(row: &'a Row, column: &str) -> Read<Option<&'a str>> {
    match row.get(column) {
        Some(value) if value.chars().count() > MAX_VALUE_CHARS => {
            Err(format!("The {column} is too long (maximum is {MAX_VALUE_CHARS} characters)"))
        }
        value => Ok(value),
    }
}

/// The status of a row, which is one of a few words.
fn status(row: &Row, words: &[&'static str], what: &str) -> Read<&'static str> {
    let given = row.word("status").unwrap_or_default();
    let known = words.iter().find(|word| **word == given);
    known.copied().ok_or_else(|| format!("Improper status \"{given}\" for {what}"))
}

fn verdict(warning: Option<String>) -> Verdict {
    warning.map_or(Verdict::Taken, Verdict::Partly)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_of_a_few_words() {
        let row = |status: &str| Row::of(2, &[("status", status)]);
        assert_eq!(status(&row("Active"), &["active"], "a course"), Ok("active"));
        assert_eq!(
            status(&row("asleep"), &["active"], "a course"),
            Err("Improper status \"asleep\" for a course".to_owned())
        );
        assert!(status(&Row::of(2, &[]), &["active"], "a course").is_err());
    }
}
