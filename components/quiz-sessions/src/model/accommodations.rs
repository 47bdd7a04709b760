//! Accommodations: what a student is given beyond what a quiz allows.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::ids::UserId;
use shared::{Error, JsonSchema, Result};

/// The most minutes beyond a time limit: a week.
const MAX_EXTRA_MINUTES: i64 = 10_080;
const MAX_EXTRA_ATTEMPTS: i64 = 1_000;
/// The most students of a request.
const MAX_STUDENTS: usize = 1_000;

/// The body of a request: 1 to 1,000 students, each once.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is described by its type, and read element by element")]
pub(crate) struct AccommodationList(#[schemars(length(min = 1, max = MAX_STUDENTS))] Vec<Accommodation>);

/// What a student is given. A field that is left out keeps its value.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AccommodationForm")]
pub(crate) struct Accommodation {
    pub(crate) user_id: UserId,
    /// Minutes beyond the time limit, a week at most.
    #[serde(default)]
    #[schemars(range(min = 0, max = MAX_EXTRA_MINUTES))]
    extra_time: Option<i64>,
    #[serde(default)]
    #[schemars(range(min = 0, max = MAX_EXTRA_ATTEMPTS))]
    extra_attempts: Option<i64>,
    /// True if questions with four choices or more have a wrong one less.
    #[serde(default)]
    reduce_choices_enabled: Option<bool>,
    /// True if a session that runs is to have it too; a student who takes no such quiz has failed then.
    #[serde(default)]
    pub(crate) apply_to_in_progress_quiz_sessions: Option<bool>,
}

/// Reads the list of a request: 400 where it is none, or what is in it does not fit.
pub(crate) fn read(body: &[u8]) -> Result<Vec<Accommodation>> {
    let list: Vec<Value> = serde_json::from_slice(body).map_err(|error| {
        // What is another value of JSON is told in no words of the parser.
        let place = if error.is_data() { String::new() } else { format!(": {error}") };
        Error::bad_request(format!("the body must be a JSON list of accommodations{place}"))
    })?;
    if list.is_empty() {
        return Err(Error::bad_request("the list of accommodations is empty"));
    }
    if list.len() > MAX_STUDENTS {
        return Err(Error::bad_request(format!("the accommodations are too many (maximum is {MAX_STUDENTS})")));
    }
    let list =
        list.into_iter().enumerate().map(|(place, one)| accommodation(place, one)).collect::<Result<Vec<_>>>()?;
    let students: BTreeSet<_> = list.iter().map(|one| one.user_id).collect();
    if students.len() < list.len() {
        return Err(Error::bad_request("the accommodations must be of different students"));
    }
    Ok(list)
}

fn accommodation(place: usize, value: Value) -> Result<Accommodation> {
    let wrong = |what: String| Error::bad_request(format!("accommodation {}: {what}", place + 1));
    if !value.is_object() {
        return Err(wrong("must be an object".to_owned()));
    }
    if value.get("user_id").is_none_or(Value::is_null) {
        return Err(wrong("user_id is missing".to_owned()));
    }
    let one: Accommodation = shared::params::coerce::from_value(value).map_err(|error| wrong(error.to_string()))?;
    for (name, number, most) in
        [("extra_time", one.extra_time, MAX_EXTRA_MINUTES), ("extra_attempts", one.extra_attempts, MAX_EXTRA_ATTEMPTS)]
    {
        if number.is_some_and(|number| !(0..=most).contains(&number)) {
            return Err(wrong(format!("{name} must be between 0 and {most}")));
        }
    }
    Ok(one)
}

/// What became of the accommodations of a request.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AccommodationOutcome {
    message: &'static str,
    pub(crate) successful: Vec<AccommodatedStudent>,
    pub(crate) failed: Vec<FailedAccommodation>,
}

/// A student who has the accommodation.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AccommodatedStudent {
    pub(crate) user_id: UserId,
}

/// A student who has not, with the reason.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FailedAccommodation {
    pub(crate) user_id: UserId,
    pub(crate) error: String,
}

impl Default for AccommodationOutcome {
    fn default() -> Self {
        Self { message: "Accommodations processed", successful: Vec::new(), failed: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str, reason: &str) -> bool {
        read(body.as_bytes()).err().is_some_and(|error| error.to_string().contains(reason))
    }

    #[test]
    fn a_list_of_students_is_read() {
        let list = read(br#"[{"user_id": 3, "extra_time": 60}, {"user_id": "4", "reduce_choices_enabled": "true"}]"#);
        let list = list.unwrap();
        assert_eq!((list[0].user_id, list[0].extra_time, list[0].extra_attempts), (UserId(3), Some(60), None));
        assert_eq!((list[1].user_id, list[1].reduce_choices_enabled), (UserId(4), Some(true)));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_place() {
        assert!(refused("{", "must be a JSON list"));
        assert!(refused(r#"{"user_id": 3}"#, "must be a JSON list"));
        assert!(refused("[]", "is empty"));
        assert!(refused("[3]", "accommodation 1: must be an object"));
        assert!(refused(r#"[{"user_id": 3}, {"extra_time": 5}]"#, "accommodation 2: user_id is missing"));
        assert!(refused(r#"[{"user_id": 3, "extra_time": 10081}]"#, "extra_time must be between 0 and 10080"));
        assert!(refused(r#"[{"user_id": 3, "extra_attempts": -1}]"#, "extra_attempts must be between"));
        assert!(refused(r#"[{"user_id": 3}, {"user_id": 3}]"#, "different students"));
    }
}
