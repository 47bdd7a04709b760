//! Fields of what is imported, as the database has them: those without links.

use content_packages::model::Report;
use shared::Timestamp;

/// A title of no more characters than there is room for.
pub(crate) fn title(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { "Untitled".to_owned() } else { text.chars().take(255).collect() }
}

pub(crate) fn state(published: bool) -> &'static str {
    if published { "published" } else { "unpublished" }
}

/// A moment of something, by its name there. One that cannot be read is left out, and told.
fn dated(text: &Option<String>, name: &str, about: &str, report: &mut Report) -> Option<String> {
    let moment = moment(text);
    if moment.is_none() && text.as_deref().is_some_and(|text| !text.trim().is_empty()) {
        report.note(about, format!("its date \u{201c}{name}\u{201d} cannot be read, and is left out"));
    }
    moment
}

/// When something is due, and from and to when students have it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Dates {
    pub(crate) due_at: Option<String>,
    pub(crate) unlock_at: Option<String>,
    pub(crate) lock_at: Option<String>,
}

impl Dates {
    /// The dates of a package. Those that are out of order are left out, and told: what has such is refused each change.
    pub(crate) fn of(given: &Self, about: &str, report: &mut Report) -> Self {
        let mut read = |text, name| dated(text, name, about, report);
        let mut own = Self {
            due_at: read(&given.due_at, "due_at"),
            unlock_at: read(&given.unlock_at, "unlock_at"),
            lock_at: read(&given.lock_at, "lock_at"),
        };
        if is_before(&own.lock_at, &own.unlock_at) {
            own.lock_at = None;
            report.note(about, "its date \u{201c}lock_at\u{201d} is before \u{201c}unlock_at\u{201d}, and is left out");
        }
        if is_before(&own.due_at, &own.unlock_at) || is_before(&own.lock_at, &own.due_at) {
            own.due_at = None;
            let message = "its date \u{201c}due_at\u{201d} is not between \u{201c}unlock_at\u{201d} and \u{201c}lock_at\u{201d}, and is left out";
            report.note(about, message);
        }
        own
    }
}

/// True where both moments are known, and the first one is before the second.
fn is_before(one: &Option<String>, other: &Option<String>) -> bool {
    let moment = |text: &Option<String>| text.as_deref().and_then(Timestamp::parse);
    moment(one).zip(moment(other)).is_some_and(|(one, other)| one < other)
}

/// A moment as the database has it.
pub(crate) fn moment(text: &Option<String>) -> Option<String> {
    text.as_deref().and_then(Timestamp::parse).map(|moment| moment.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_are_out_of_order_are_left_out() {
        let date = |day: u8| (day > 0).then(|| format!("2027-01-{day:02}T00:00:00Z"));
        let dates = |(due, unlock, lock)| Dates { due_at: date(due), unlock_at: date(unlock), lock_at: date(lock) };
        for (given, kept) in [
            ((2, 1, 3), (2, 1, 3)),
            ((1, 1, 1), (1, 1, 1)),
            ((2, 0, 0), (2, 0, 0)),
            ((0, 3, 1), (0, 3, 0)),
            ((2, 3, 1), (0, 3, 0)),
            ((5, 3, 1), (5, 3, 0)),
            ((1, 2, 3), (0, 2, 3)),
            ((4, 0, 3), (0, 0, 3)),
        ] {
            let mut report = Report::default();
            assert_eq!(Dates::of(&dates(given), "a", &mut report), dates(kept), "{given:?}");
            assert_eq!(report.is_empty(), given == kept, "{given:?}");
        }
    }
}
