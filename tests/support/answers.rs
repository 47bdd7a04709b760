//! Each answer against the API description: its status, its type and the shape of its body. `LECTERN_CHECK_ANSWERS=0` leaves
//! it out, for a description that is being changed.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use api_description::Operations;
use api_description::references::{add_names, named};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::client::Response;

const SWITCH: &str = "LECTERN_CHECK_ANSWERS";
const JSON: &str = "application/json";
/// The number of places that a failure tells.
const MAX_PLACES: usize = 8;

/// Statuses that no operation describes, each with the reason.
const UNDESCRIBED: [(u16, &str); 3] = [
    (405, "a HEAD of what changes something: the description has no operations of HEAD"),
    (413, "a body of a request that takes none, which is refused before the operation is looked for"),
    (415, "a body of some other type, of a request that takes none"),
];

/// Operations that refuse in another type than the area's, each with the reason.
const OTHER_REFUSALS: [(&str, &str); 1] = [("get_public_assertion", "the document of an award that was taken back")];

static DESCRIPTION: LazyLock<Option<Description>> = LazyLock::new(|| {
    let is_wanted = std::env::var(SWITCH).map_or(true, |value| value != "0");
    is_wanted.then(|| Description::new(api_description::document()))
});

/// Panics where the description says otherwise. `has_text_ids` is true where the caller asked for ids as text.
pub(crate) fn check(method: &str, address: &str, answer: &Response, has_text_ids: bool) {
    if let Some(problem) = DESCRIPTION.as_ref().and_then(|it| it.problem(method, address, answer, has_text_ids)) {
        panic!("{problem}\n{answer}");
    }
}

/// The API description, with the schemas that were compiled so far.
struct Description {
    document: Value,
    operations: Operations,
    /// The places of the operations in the document, by their ids.
    places: HashMap<String, String>,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Description {
    fn new(document: Value) -> Self {
        let mut places = HashMap::new();
        for (path, methods) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                let path = path.replace('~', "~0").replace('/', "~1");
                places.extend(
                    operation["operationId"].as_str().map(|id| (id.to_owned(), format!("/paths/{path}/{method}"))),
                );
            }
        }
        Self { document, operations: Operations::of_all_areas(), places, validators: Mutex::default() }
    }

    /// The difference between an answer and its description.
    fn problem(&self, method: &str, address: &str, answer: &Response, has_text_ids: bool) -> Option<String> {
        let Some((id, operation)) = self.operation(method, address) else {
            // 401 of those who are nobody, before anything is looked for.
            let is_refused = (400..500).contains(&answer.status) || method == "OPTIONS";
            return (!is_refused).then(|| format!("no operation of the description answers {method} {address}"));
        };
        let place = format!("{id} {}", answer.status);
        let Some(described) = operation["responses"].get(answer.status.to_string()) else {
            let is_known = UNDESCRIBED.iter().any(|(status, _)| *status == answer.status);
            let is_of_head = answer.status != 405 || method == "HEAD";
            return (!is_known || !is_of_head).then(|| format!("{place}: the description has no such status"));
        };
        let refuses_otherwise = answer.status >= 400 && OTHER_REFUSALS.iter().any(|(operation, _)| *operation == id);
        if answer.bytes.is_empty() || refuses_otherwise || answer.header("content-encoding").is_some() {
            return None;
        }
        let content_type = answer.header("content-type").unwrap_or_default();
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let (pointer, described) = self.followed(described, &place);
        let content = described.get("content").and_then(Value::as_object);
        let Some(content) = content.filter(|content| !content.is_empty()) else {
            return Some(format!("{place}: the description has no body, and there is one of {essence}"));
        };
        // JSON by another name is described as JSON.
        let essence = if essence.ends_with("+json") && !content.contains_key(essence) { JSON } else { essence };
        let Some(media) = content.get(essence).or_else(|| content.get("application/octet-stream")) else {
            let types: Vec<_> = content.keys().collect();
            return Some(format!("{place}: the body is of {essence}, and the description has {types:?}"));
        };
        if has_text_ids || !essence.ends_with("json") || !content.contains_key(essence) {
            return None;
        }
        let validator = self.validator(&format!("{pointer} {essence}"), &media["schema"]);
        let errors = validator.iter_errors(&answer.json).take(MAX_PLACES);
        let places: Vec<_> =
            errors.map(|error| format!("  at {:?}: {error}", error.instance_path().as_str())).collect();
        (!places.is_empty()).then(|| format!("{place}: the body is not as it is described\n{}", places.join("\n")))
    }

    /// The response itself, where the operation refers to one that several have, with its place in the description.
    fn followed<'a>(&'a self, response: &'a Value, place: &'a str) -> (&'a str, &'a Value) {
        match response["$ref"].as_str() {
            Some(reference) => {
                let named = self.document.pointer(reference.trim_start_matches('#'));
                (reference, named.unwrap_or(&Value::Null))
            }
            None => (place, response),
        }
    }

    /// The operation of that address, with its id.
    fn operation(&self, method: &str, address: &str) -> Option<(&'static str, &Value)> {
        let method = if method == "HEAD" { "GET" } else { method };
        let path = path(address);
        // Paths of the LMS may have their format behind them.
        let without_format = path.strip_suffix(".json").filter(|path| path.contains("/api/v1/"));
        let id = self.operations.id(method, without_format.unwrap_or(path))?;
        Some((id, self.document.pointer(self.places.get(id)?)?))
    }

    fn validator(&self, name: &str, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = validators.entry(name.to_owned()).or_insert_with(|| {
            let schema = self.with_referred(schema);
            Arc::new(jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{name}: {error}")))
        });
        Arc::clone(compiled)
    }

    /// A schema with those that it refers to.
    fn with_referred(&self, schema: &Value) -> Value {
        let mut names = BTreeSet::new();
        add_names(&self.document, schema, &mut names);
        let schemas =
            names.into_iter().filter_map(|name| Some((name.to_owned(), named(&self.document, name)?.clone())));
        let schemas: Map<_, _> = schemas.collect();
        json!({ "allOf": [schema], "components": { "schemas": schemas } })
    }
}

/// The path of an address, which may be a whole one.
fn path(address: &str) -> &str {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    match address.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |start| rest.split_at(start).1),
        None => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, content_type: &str, json: Value) -> Response {
        let headers = [("content-type".parse().unwrap(), content_type.parse().unwrap())].into_iter().collect();
        let body = json.to_string();
        Response { status, headers, bytes: body.clone().into(), body, json, request: "GET /x".to_owned() }
    }

    fn problem(method: &str, address: &str, answer: &Response) -> String {
        static DOCUMENT: LazyLock<Description> = LazyLock::new(|| Description::new(api_description::document()));
        DOCUMENT.problem(method, address, answer, false).unwrap_or_default()
    }

    const JSON: &str = "application/json; charset=utf-8";

    #[test]
    fn answers_as_they_are_described_are_right() {
        let missing = json!({ "errors": [{ "message": "The specified resource does not exist." }] });
        assert_eq!(problem("GET", "/api/v1/courses/1/quizzes/2/groups/3", &answer(404, JSON, missing.clone())), "");
        assert_eq!(problem("GET", "http://127.0.0.1:3000/nowhere?x=1", &answer(404, JSON, missing)), "");
        let group = json!({ "id": 3, "quiz_id": 2, "name": "x", "pick_count": 1, "question_points": 1.0,
                            "assessment_question_bank_id": null, "position": 1 });
        assert_eq!(problem("GET", "/api/v1/courses/1/quizzes/2/groups/3/", &answer(200, JSON, group)), "");
    }

    #[test]
    fn a_difference_is_told_with_its_operation_its_status_and_its_place() {
        let group = |id: Value| {
            json!({ "id": id, "quiz_id": 2, "name": "x", "pick_count": 1, "question_points": 1.0,
                                        "assessment_question_bank_id": null, "position": 1 })
        };
        let path = "/api/v1/courses/1/quizzes/2/groups/3";
        let told = problem("GET", path, &answer(200, JSON, group(json!("three"))));
        assert!(told.contains("get_quiz_group 200") && told.contains("/id"), "{told}");
        let told = problem("GET", path, &answer(418, JSON, json!({})));
        assert!(told.contains("no such status"), "{told}");
        let told = problem("GET", path, &answer(200, "text/html", group(json!(3))));
        assert!(told.contains("text/html"), "{told}");
        let told = problem("GET", "/nowhere", &answer(200, JSON, json!({})));
        assert!(told.contains("no operation"), "{told}");
        let told = problem("GET", path, &answer(405, JSON, json!({})));
        assert!(told.contains("no such status"), "{told}");
    }
}
