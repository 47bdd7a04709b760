//! The states that an import has changed, and what they become again.

use serde::{Deserialize, Serialize};

/// The type of a record whose state an import has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordType {
    Account,
    EnrollmentTerm,
    User,
    Pseudonym,
    Course,
    CourseSection,
    Enrollment,
    Group,
    GroupMembership,
}

/// Each type behind those of which its records are a part.
const FROM_OUTSIDE: [RecordType; 9] = [
    RecordType::Account,
    RecordType::EnrollmentTerm,
    RecordType::User,
    RecordType::Pseudonym,
    RecordType::Course,
    RecordType::CourseSection,
    RecordType::Enrollment,
    RecordType::Group,
    RecordType::GroupMembership,
];

/// A stage of taking an import back: those records of a type that go, or those that get another state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) record_type: RecordType,
    pub(crate) deletes: bool,
}

impl Stage {
    /// Nothing goes before what is in it, and nothing comes back before what it is in.
    pub(crate) fn numbered(number: usize) -> Option<Self> {
        let going = FROM_OUTSIDE.into_iter().rev().map(|record_type| Self { record_type, deletes: true });
        let coming = FROM_OUTSIDE.into_iter().map(|record_type| Self { record_type, deletes: false });
        going.chain(coming).nth(number)
    }

    pub(crate) fn takes(&self, step: &Step) -> bool {
        self.deletes == (step.to == GONE)
    }
}

/// What an import has made of a record: the state before its first change, and that after its last.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) record_id: i64,
    /// `None`: the record was not there.
    pub(crate) previous_state: Option<String>,
    pub(crate) state: String,
}

/// A record whose state goes back, unless somebody has changed it since.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Step {
    pub(crate) id: i64,
    pub(crate) from: String,
    pub(crate) to: String,
}

/// The state of a record that was not there.
const GONE: &str = "deleted";

impl Change {
    pub(crate) fn step_back(self) -> Option<Step> {
        let to = self.previous_state.unwrap_or_else(|| GONE.to_owned());
        (self.state != to).then_some(Step { id: self.record_id, from: self.state, to })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_there_goes_and_what_is_as_it_was_stays() {
        let step = |previous: Option<&str>, state: &str| {
            let change = Change { record_id: 1, previous_state: previous.map(str::to_owned), state: state.to_owned() };
            change.step_back().map(|step| (step.from, step.to))
        };
        let pair = |from: &str, to: &str| Some((from.to_owned(), to.to_owned()));
        assert_eq!(step(None, "unpublished"), pair("unpublished", "deleted"));
        assert_eq!(step(Some("available"), "deleted"), pair("deleted", "available"));
        assert_eq!(step(None, "deleted"), None);
    }

    #[test]
    fn what_is_inside_goes_first_and_comes_back_last() {
        let of = |deletes, record_type| Some(Stage { record_type, deletes });
        assert_eq!((0..).map_while(Stage::numbered).count(), 18);
        assert_eq!(Stage::numbered(0), of(true, RecordType::GroupMembership));
        assert_eq!(Stage::numbered(8), of(true, RecordType::Account));
        assert_eq!(Stage::numbered(9), of(false, RecordType::Account));
        assert_eq!(Stage::numbered(17), of(false, RecordType::GroupMembership));
    }
}
