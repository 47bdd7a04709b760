//! The states that an import has changed, and what they become again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The type of a record whose state an import has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

/// A state that an import has changed.
#[derive(Debug, Deserialize)]
pub(crate) struct Change {
    pub(crate) id: i64,
    pub(crate) record_type: RecordType,
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

/// The steps back of changes of which the last comes first: of several changes of a record one step.
pub(crate) fn steps_back(changes: Vec<Change>) -> BTreeMap<RecordType, Vec<Step>> {
    let mut records = BTreeMap::<(RecordType, i64), Step>::new();
    for Change { record_type, record_id, previous_state, state, .. } in changes {
        let step = records.entry((record_type, record_id));
        let step = step.or_insert_with(|| Step { id: record_id, from: state, to: String::new() });
        step.to = previous_state.unwrap_or_else(|| GONE.to_owned());
    }
    let mut steps = BTreeMap::<RecordType, Vec<Step>>::new();
    for ((record_type, _), step) in records {
        if step.from != step.to {
            steps.entry(record_type).or_default().push(step);
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(id: i64, record_id: i64, previous: Option<&str>, state: &str) -> Change {
        let previous_state = previous.map(str::to_owned);
        Change { id, record_type: RecordType::Course, record_id, previous_state, state: state.to_owned() }
    }

    #[test]
    fn several_changes_of_a_record_are_one_step() {
        let steps = steps_back(vec![
            change(5, 1, Some("available"), "deleted"),
            change(4, 2, None, "unpublished"),
            change(3, 3, Some("deleted"), "available"),
            change(2, 3, Some("available"), "deleted"),
            change(1, 1, Some("unpublished"), "available"),
        ]);
        let step = |id, from: &str, to: &str| Step { id, from: from.to_owned(), to: to.to_owned() };
        let expected = vec![step(1, "deleted", "unpublished"), step(2, "unpublished", "deleted")];
        assert_eq!(steps, BTreeMap::from([(RecordType::Course, expected)]));
    }
}
