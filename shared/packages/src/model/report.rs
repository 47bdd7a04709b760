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
    /// The title of the quiz or bank that the notes are about.
    quiz: String,
    /// The number of questions of it so far.
    count: usize,
    /// True if the notes are about the last of these.
    is_in_question: bool,
}

/// One thing that could not be written or read as it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Its subject: the title of a question, or where it stands, the path of a file.
    pub about: String,
    pub message: String,
}

impl Report {
    /// Begins a quiz or bank: what of it has no title of its own is called by its place there.
    pub fn begin(&mut self, title: &str) {
        title.clone_into(&mut self.quiz);
        self.count = 0;
        self.end_question();
    }

    /// Goes on to the question of that number.
    pub fn begin_question(&mut self, number: usize) {
        self.count = number;
        self.is_in_question = true;
    }

    /// Goes on to the next question.
    pub fn next_question(&mut self) {
        self.begin_question(self.count.saturating_add(1));
    }

    /// Goes on to something else than a question.
    pub fn end_question(&mut self) {
        self.is_in_question = false;
    }

    fn place(&self) -> String {
        match self.is_in_question {
            true => format!("{}, question {}", self.quiz, self.count),
            false => self.quiz.clone(),
        }
    }

    pub fn note(&mut self, about: impl Into<String>, message: impl Into<String>) {
        let about = Some(about.into()).filter(|about| !about.trim().is_empty()).unwrap_or_else(|| self.place());
        let note = Note { about, message: message.into() };
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
    fn what_has_no_title_is_called_by_its_place() {
        let mut report = Report::default();
        report.begin("Trees");
        report.next_question();
        report.next_question();
        report.note("", "a");
        report.note("Oak", "b");
        report.end_question();
        report.note(" ", "c");
        report.next_question();
        report.note("", "d");
        report.begin("Herbs");
        report.note("", "e");
        let told = "Trees, question 2: a\nOak: b\nTrees: c\nTrees, question 3: d\nHerbs: e\n";
        assert_eq!(report.to_string(), told);
    }

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
