//! What the contract tests have recorded: a line of JSON for each request. Of those of an operation one is chosen,
//! always the same of the same recordings, in whichever order they were made.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::constant::{Constants, cut};
use super::{Example, Examples};

/// The length up to which an answer is a good example, as text.
const FITTING_BYTES: usize = 3000;

/// A request and its answer, as they were.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Recording {
    /// The id of the operation.
    pub operation: String,
    /// The address of the service.
    pub base_url: String,
    /// The path.
    pub path: String,
    /// The query, without its question mark.
    pub query: String,
    /// The body of the request, where that was JSON.
    pub request: Option<Value>,
    /// The status of the answer.
    pub status: u16,
    /// The body of the answer, where that was JSON.
    pub answer: Option<Value>,
}

/// The operations by their methods and the numbers of the places of their paths. Where several may fit, a word goes before a
/// parameter in its place.
pub struct Operations(BTreeMap<(String, usize), Vec<Operation>>);

struct Operation {
    places: Vec<&'static str>,
    id: &'static str,
}

impl Operations {
    /// The operations of all areas.
    pub fn of_all_areas() -> Self {
        let mut operations: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for endpoint in crate::areas().iter().flat_map(shared::Api::endpoints) {
            let operation = Operation { places: places(endpoint.path), id: endpoint.id };
            operations.entry((endpoint.method.to_string(), operation.places.len())).or_default().push(operation);
        }
        let parameters = |of: &Operation| of.places.iter().map(|place| is_parameter(place)).collect::<Vec<_>>();
        operations.values_mut().for_each(|operations| operations.sort_by_key(parameters));
        Self(operations)
    }

    /// The id of the operation that answers, with or without a slash at the path's end.
    pub fn id(&self, method: &str, path: &str) -> Option<&'static str> {
        let path = places(path);
        let operations = self.0.get(&(method.to_owned(), path.len()))?;
        operations.iter().find(|operation| operation.fits(&path)).map(|operation| operation.id)
    }
}

impl Operation {
    /// True if a path of as many places has its words, and something in the place of each parameter.
    fn fits(&self, path: &[&str]) -> bool {
        let is_fitting =
            |(place, text): (&&str, &&str)| if is_parameter(place) { !text.is_empty() } else { place == text };
        self.places.iter().zip(path).all(is_fitting)
    }
}

fn places(path: &str) -> Vec<&str> {
    path.trim_matches('/').split('/').collect()
}

fn is_parameter(place: &str) -> bool {
    place.starts_with(':')
}

/// The examples that a folder of recordings makes.
pub(super) fn read(folder: &Path) -> Result<Examples> {
    let mut recordings = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            for line in fs::read_to_string(&path)?.lines() {
                let recording = serde_json::from_str(line);
                recordings.push(recording.with_context(|| format!("{} has a line that is none", path.display()))?);
            }
        }
    }
    Ok(chosen(&recordings))
}

fn chosen(recordings: &[Recording]) -> Examples {
    let mut chosen: BTreeMap<&str, (Rank, Example)> = BTreeMap::new();
    for recording in recordings {
        let example = example(recording);
        let rank = rank(&example);
        if chosen.get(recording.operation.as_str()).is_none_or(|(best, _)| rank < *best) {
            chosen.insert(&recording.operation, (rank, example));
        }
    }
    chosen.into_iter().map(|(id, (_, example))| (id.to_owned(), example)).collect()
}

fn example(recording: &Recording) -> Example {
    let mut constants = Constants::new(&recording.base_url);
    let path = constants.path(&recording.path);
    let query = constants.text(&format!("?{}", recording.query)).trim_start_matches('?').to_owned();
    let request = recording.request.as_ref().map(|body| constants.value(&cut(body)));
    let answer = recording.answer.as_ref().map(|body| constants.value(&cut(body)));
    Example { path, query, request, status: recording.status, answer }
}

/// The order of examples: the best first. One that says more is better, up to a length; equals are told apart by their
/// text.
type Rank = (bool, bool, usize, String);

fn rank(example: &Example) -> Rank {
    let answer = example.answer.as_ref().map(Value::to_string).unwrap_or_default();
    let said = example.answer.as_ref().map_or(0, values);
    let text = format!("{} {} {:?} {answer}", example.path, example.query, example.request);
    (example.request.is_none(), answer.len() > FITTING_BYTES, usize::MAX - said, text)
}

/// The number of values that say something.
fn values(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.values().map(values).sum(),
        Value::Array(elements) => elements.iter().map(values).sum(),
        Value::Null => 0,
        Value::Bool(_) | Value::Number(_) => 1,
        Value::String(text) => usize::from(!text.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_word_goes_before_a_parameter() {
        let operations = Operations::of_all_areas();
        let id = |method, path| operations.id(method, path);
        assert_eq!(id("GET", "/api/v1/polls/7"), Some("get_poll"));
        assert_eq!(id("GET", "/api/v1/courses/1/quizzes/3/groups/9"), Some("get_quiz_group"));
        assert_eq!(id("DELETE", "/api/v1/users/self/communication_channels/push"), Some("delete_push_channel"));
        assert_eq!(id("GET", "/docs"), Some("get_reference"));
        assert_eq!((id("GET", "/docs/"), id("GET", "/")), (Some("get_reference"), Some("get_front_page")));
        assert_eq!(id("GET", "/nowhere"), None);
    }

    #[test]
    fn the_same_example_is_chosen_in_any_order() {
        let recording = |answer: Value| Recording {
            operation: "list_polls".to_owned(),
            base_url: "http://127.0.0.1:9".to_owned(),
            path: "/api/v1/polls".to_owned(),
            query: "page=bookmark:WzFd&verifier=abc".to_owned(),
            status: 200,
            answer: Some(answer),
            ..Recording::default()
        };
        let long =
            json!({ "polls": [{ "id": 12, "question": "x".repeat(190) }, { "id": 1 }, { "id": 2 }, { "id": 3 }] });
        let mut recordings = vec![
            recording(json!({ "polls": [] })),
            recording(json!({ "polls": [{ "id": 4711, "question": "Ready?" }] })),
            recording(long),
        ];
        let first = chosen(&recordings);
        recordings.reverse();
        assert_eq!(first, chosen(&recordings));
        let example = &first["list_polls"];
        let polls = example.answer.as_ref().unwrap()["polls"].as_array().unwrap();
        assert_eq!((polls.len(), &polls[0]["id"]), (2, &json!(1)), "the longer list, cut, with ids from 1");
        assert_eq!(example.query, "page=bookmark:EXAMPLE&verifier=EXAMPLE");
    }
}
