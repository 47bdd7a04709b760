//! Notes of what gets lost on the way.

use std::collections::BTreeSet;
use std::fmt;

/// Nobody reads more of them.
const MAX_NOTES: usize = 1_000;

/// The parts that could not be written or read as they are, for people to read. Nothing is left out without a note here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    pub notes: Vec<Note>,
    /// The number of those that are left out.
    pub more: usize,
    /// The notes again, to find them in.
    known: BTreeSet<Note>,
}

/// One thing that could not be written or read as it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Its subject: the title of a question, the path of a file.
    pub about: String,
    pub message: String,
}

impl Report {
    pub fn note(&mut self, about: impl Into<String>, message: impl Into<String>) {
        let note = Note { about: about.into(), message: message.into() };
        if self.known.contains(&note) {
            return;
        }
        match self.notes.len() < MAX_NOTES {
            true => {
                self.known.insert(note.clone());
                self.notes.push(note);
            }
            false => self.more += 1,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.about, self.message)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))?;
        match self.more {
            0 => Ok(()),
            more => writeln!(f, "and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_told_once_and_what_is_too_much_is_counted() {
        let mut report = Report::default();
        for number in 0..MAX_NOTES + 5 {
            report.note("a", number.to_string());
            report.note("a", number.to_string());
        }
        assert_eq!(report.notes.len(), MAX_NOTES);
        assert!(report.to_string().ends_with("and 10 more\n"));
    }
}
