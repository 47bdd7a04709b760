//! What a text costs, at every endpoint that takes one: twice as much of it may cost about twice as much, whatever it
//! is made of. The endpoints and their texts come from the tables by which the components serve and from their
//! description.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use support::{Answer, Client, unique};

use crate::authorization::{Endpoint, Fixture, endpoints};

/// A text that many readers and scrubbers find hard, of so many bytes.
type Hard = fn(usize) -> String;

const HARD: [(&str, Hard); 13] = [
    ("opened tags", |bytes| "<a".repeat(bytes / 2)),
    ("elements", |bytes| "<b>".repeat(bytes / 3)),
    ("separators before blanks", |bytes| format!("{}{}", ":".repeat(bytes / 2), " ".repeat(bytes / 2))),
    ("assignments before blanks", |bytes| format!("{}{}", "=".repeat(bytes / 2), " ".repeat(bytes / 2))),
    ("ampersands", |bytes| "&".repeat(bytes)),
    ("brackets", |bytes| "[".repeat(bytes)),
    ("braces", |bytes| "{{".repeat(bytes / 2)),
    ("quotes", |bytes| "\"'".repeat(bytes / 2)),
    ("combining marks", |bytes| format!("e{}", "\u{301}".repeat(bytes / 2))),
    ("escapes", |bytes| "%25".repeat(bytes / 3)),
    ("digits", |bytes| "9".repeat(bytes)),
    ("words of a list", |bytes| (0..bytes / 7).map(|word| format!("{word:06},")).collect()),
    ("lines", |bytes| "a\n".repeat(bytes / 2)),
];

/// The smaller is just within what rich text may have, the greater within what a body may have.
const SIZES: [usize; 2] = [60_000, 400_000];
/// What is answered within this time costs little, however it grows.
const CHEAP: Duration = Duration::from_millis(150);
/// Twice the text may cost so much more: four times is what a quadratic cost would be.
const MAX_RATIO: f64 = 3.2;
const TRIES: usize = 3;

/// Endpoints at which no text of the body comes as far as its record, and why.
const NOT_REACHED: &[(&str, &str)] = &[
    ("GET /api/v2/banks", DISTRICT),
    ("GET /api/v2/banks/:bank_id/passages", DISTRICT),
    ("GET /api/v2/banks/:bank_id/questions", DISTRICT),
    ("GET /api/v2/class_objectives", DISTRICT),
    ("GET /api/v2/classrooms", DISTRICT),
    ("GET /api/v2/classrooms/:classroom_id/objectives", DISTRICT),
    ("GET /api/v2/curriculum_maps", DISTRICT),
    ("GET /api/v2/curriculum_maps/:curriculum_map_id/materials", DISTRICT),
    ("GET /api/v2/curriculum_maps/:curriculum_map_id/objectives", DISTRICT),
    ("GET /api/v2/districts/:district_id/schools", DISTRICT),
    ("GET /api/v2/materials", DISTRICT),
    ("GET /api/v2/materials/:material_id/items", DISTRICT),
    ("GET /api/v2/pathways", DISTRICT),
    ("GET /api/v2/sections", DISTRICT),
    ("GET /api/v2/teachers", DISTRICT),
    ("GET /error_reports", LINK),
    ("GET /error_reports/:id", LINK),
    ("GET /login/oauth2/auth", "it asks for credentials before anything else"),
    ("GET /polls/:poll_id/sessions/:id/live", LINK),
    ("GET /polls/:poll_id/sessions/:id/results", LINK),
    ("GET /polls/:poll_id/sessions/:id/vote", LINK),
    ("GET /webhooks/deliveries", LINK),
    ("GET /webhooks/deliveries/:id", LINK),
    ("POST /api/v1/accounts", "tenants are founded by the site's administrator"),
    ("POST /api/v1/courses/:course_id/assignments/:assignment_id/submissions", "students hand in"),
    ("POST /api/v1/courses/:course_id/quizzes/:quiz_id/submissions/:id/complete", ATTEMPT),
    ("POST /api/v1/quiz_submissions/:quiz_submission_id/questions", ATTEMPT),
    ("POST /error_reports/:id", LINK),
    ("POST /login/oauth2/auth", "it asks for credentials before anything else"),
    ("POST /o/token", "it asks for credentials before anything else"),
    ("POST /polls/:poll_id/sessions/:id/vote", LINK),
    ("POST /webhooks/deliveries/:id/replay", LINK),
    ("POST /webhooks/deliveries/replay", LINK),
    ("PUT /api/quiz/v1/media/:context/:object", "the address must be signed"),
    ("PUT /api/v1/quiz_submissions/:quiz_submission_id/questions", ATTEMPT),
    ("PUT /api/v1/quiz_submissions/:quiz_submission_id/questions/:id/flag", ATTEMPT),
    ("PUT /api/v1/quiz_submissions/:quiz_submission_id/questions/:id/unflag", ATTEMPT),
];

const DISTRICT: &str = "it asks for a credential of a district";
const LINK: &str = "the link must be signed";
const ATTEMPT: &str = "it asks for the token of an attempt that runs";

/// Where a text stands in a body: the names on the way, an element of a list being `[]`.
type Way = Vec<String>;

struct Case {
    endpoint: Endpoint,
    path: String,
    client: Client,
    schema: Value,
    texts: Vec<Way>,
}

/// The description of all areas.
struct Description {
    paths: Value,
    schemas: Value,
}

impl Description {
    fn new() -> Self {
        let mut description = shared::describe::openapi(&api_description::areas());
        let schemas = description["components"]["schemas"].take();
        Self { paths: description["paths"].take(), schemas }
    }

    /// What the body of an endpoint looks like; of one that reads, the parameters of its query, which a body may have
    /// too.
    fn body(&self, endpoint: &Endpoint) -> Option<Value> {
        let template = endpoint.path.split('/').map(|segment| match segment.strip_prefix(':') {
            Some(name) => format!("{{{name}}}"),
            None => segment.to_owned(),
        });
        let template = template.collect::<Vec<_>>().join("/");
        let operation = &self.paths[template][endpoint.method.as_str().to_ascii_lowercase()];
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        if !schema.is_null() {
            return Some(schema.clone());
        }
        let query = operation["parameters"].as_array()?.iter().filter(|parameter| parameter["in"] == "query");
        let properties: Map<_, _> = query
            .map(|parameter| (parameter["name"].as_str().unwrap().to_owned(), parameter["schema"].clone()))
            .collect();
        (!properties.is_empty()).then(|| json!({ "properties": properties }))
    }

    /// The schema itself where it refers to another, or allows null as well.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
            return self.resolved(&self.schemas[name]);
        }
        let alternatives = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema[*key].as_array());
        let first = alternatives.and_then(|all| all.iter().find(|alternative| alternative["type"] != "null"));
        first.map_or(schema, |first| self.resolved(first))
    }

    fn is(&self, schema: &Value, name: &str) -> bool {
        let kind = &self.resolved(schema)["type"];
        kind == name || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == name))
    }

    /// The ways to all texts: to values of no particular type as well, because a text is one.
    fn texts(&self, schema: &Value, way: &Way, found: &mut Vec<Way>) {
        let schema = self.resolved(schema);
        let below = |name: &str| way.iter().cloned().chain([name.to_owned()]).collect::<Way>();
        if way.len() > 5 || schema["enum"].is_array() || !schema["const"].is_null() {
            return;
        }
        if let Some(properties) = schema["properties"].as_object() {
            for (name, property) in properties {
                self.texts(property, &below(name), found);
            }
        } else if self.is(schema, "array") {
            self.texts(&schema["items"], &below("[]"), found);
        } else if self.is(schema, "string") && schema["format"] != "date-time" || schema["type"].is_null() {
            found.push(way.clone());
        }
    }

    /// A body with what is required, and the text where the way leads to.
    fn sample(&self, schema: &Value, way: &[String], text: &Value) -> Value {
        let schema = self.resolved(schema);
        if let Some(properties) = schema["properties"].as_object() {
            let required: BTreeSet<_> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let (next, rest) = way.split_first().map_or((None, way), |(next, rest)| (Some(next.as_str()), rest));
            let wanted = properties.iter().filter(|(name, _)| required.contains(name.as_str()) || next == Some(name));
            let body = wanted.map(|(name, property)| {
                let value = match next == Some(name) {
                    true if rest.is_empty() => text.clone(),
                    true => self.sample(property, rest, text),
                    false => self.sample(property, &[], &Value::Null),
                };
                (name.clone(), value)
            });
            return Value::Object(body.collect());
        }
        if self.is(schema, "array") {
            return match way.split_first() {
                Some((_, [])) => json!([text]),
                Some((_, rest)) => json!([self.sample(&schema["items"], rest, text)]),
                None => json!([self.sample(&schema["items"], &[], text)]),
            };
        }
        if let Some(word) = schema["enum"].as_array().and_then(|words| words.first()) {
            return word.clone();
        }
        match () {
            () if !schema["const"].is_null() => schema["const"].clone(),
            () if self.is(schema, "integer") || self.is(schema, "number") => json!(1),
            () if self.is(schema, "boolean") => json!(false),
            () => json!("x"),
        }
    }
}

/// Whoever is let in, and comes farthest.
async fn caller(callers: &[Client], endpoint: &Endpoint, path: &str, body: &Value) -> Option<Client> {
    let mut refused = None;
    for client in callers {
        let status = send(client, endpoint, path, body).await.status;
        if !matches!(status, 401 | 403 | 404) {
            return Some(client.clone());
        }
        // What the sample names may not be there, which is another thing than not being let in.
        if status == 404 {
            refused = refused.or_else(|| Some(client.clone()));
        }
    }
    refused
}

async fn send(client: &Client, endpoint: &Endpoint, path: &str, body: &Value) -> Answer {
    let call = client.call(endpoint.method.clone(), path).header("x-forwarded-for", unique("address"));
    call.body("application/json", body.to_string()).await
}

impl Case {
    /// The least time of some tries.
    async fn cost(&self, body: &Value, tries: usize) -> Duration {
        let mut least = Duration::MAX;
        for _ in 0..tries {
            let began = Instant::now();
            send(&self.client, &self.endpoint, &self.path, body).await;
            least = least.min(began.elapsed());
        }
        least
    }

    /// What is wrong with the cost of that text at that place, if anything.
    async fn judge(&self, description: &Description, way: &Way, hard: (&str, Hard), size: usize) -> Option<String> {
        let body = |bytes: usize| description.sample(&self.schema, way, &Value::String(hard.1(bytes)));
        let (once, twice) = (body(size), body(2 * size));
        if self.cost(&twice, 1).await < CHEAP {
            return None;
        }
        // The machine may have been busy with something else: only what is slow each time is.
        let mut costs = (Duration::ZERO, Duration::ZERO);
        for _ in 0..TRIES {
            costs = (self.cost(&once, TRIES).await, self.cost(&twice, TRIES).await);
            if costs.1 < CHEAP || costs.1.as_secs_f64() < MAX_RATIO * costs.0.as_secs_f64() {
                return None;
            }
        }
        let (endpoint, name) = (&self.endpoint, hard.0);
        Some(format!(
            "{endpoint}, {}: {name} of {size} bytes {:?}, of twice as many {:?}",
            way.join("."),
            costs.0,
            costs.1
        ))
    }
}

/// The endpoints that take a text, each with somebody who may call it.
async fn cases(fixture: &Fixture, description: &Description) -> (Vec<Case>, BTreeSet<String>) {
    let nobody = fixture.student.without_token();
    let callers =
        [fixture.school.admin.clone(), fixture.teacher.clone(), fixture.student.clone(), fixture.tool.clone(), nobody];
    let (mut cases, mut not_reached) = (Vec::new(), BTreeSet::new());
    let mut endpoints = endpoints();
    // What takes a record away comes when nobody needs it any more.
    endpoints.sort_by_key(|endpoint| endpoint.method == reqwest::Method::DELETE);
    for endpoint in endpoints.into_iter().filter(|endpoint| !endpoint.path.starts_with("/internal/")) {
        let Some(schema) = description.body(&endpoint) else { continue };
        let mut texts = Vec::new();
        description.texts(&schema, &Way::new(), &mut texts);
        if texts.is_empty() {
            continue;
        }
        let path = fixture.path(&endpoint);
        let sample = description.sample(&schema, &[], &Value::Null);
        match caller(&callers, &endpoint, &path, &sample).await {
            Some(client) => cases.push(Case { path, client, schema, texts, endpoint }),
            None => _ = not_reached.insert(endpoint.to_string()),
        }
    }
    (cases, not_reached)
}

#[tokio::test]
async fn twice_the_text_costs_about_twice_as_much_at_every_endpoint() {
    let (fixture, description) = (Fixture::new().await, Description::new());
    let (cases, not_reached) = cases(&fixture, &description).await;
    let listed: BTreeMap<_, _> = NOT_REACHED.iter().copied().collect();
    let unlisted: Vec<_> = not_reached.iter().filter(|name| !listed.contains_key(name.as_str())).collect();
    assert!(unlisted.is_empty(), "nobody gets as far as the body here: {unlisted:#?}");
    assert!(cases.len() > 100, "only {} endpoints take a text", cases.len());
    let mut wrong = Vec::new();
    let mut turn = 0_usize;
    for case in &cases {
        for way in &case.texts {
            // Each text at one of the sizes: the next place has it at the other.
            for (number, hard) in HARD.into_iter().enumerate() {
                turn += 1;
                // Of bodies with many texts each text gets a third of the hard ones, another third than the text before
                // it.
                if case.texts.len() <= 2 || turn.is_multiple_of(3) {
                    let size = SIZES[(turn / 3 + number) % SIZES.len()];
                    wrong.extend(case.judge(&description, way, hard, size).await);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
