//! The cost of a text, at every endpoint that takes one: twice as much of it may cost about twice as much, whatever it
//! is made of. The endpoints and their texts come from the tables by which the components serve and from their
//! description.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use support::{Client, Response, Running, running, unique};

use crate::authorization::{Endpoint, Fixture, endpoints};
use crate::oauth::developer_key;

/// A text of so many bytes.
type Text = fn(usize) -> String;

/// Texts that many readers and scrubbers find hard.
const HARD: [(&str, Text); 13] = [
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
/// A time that is little, however it grows.
const CHEAP: Duration = Duration::from_millis(150);
/// Twice the text may cost so much more: four times is what a quadratic cost would be.
const MAX_RATIO: f64 = 3.2;
const TRIES: usize = 3;

/// One of [`HARD`], made once for all places.
struct Hard {
    name: &'static str,
    bytes: usize,
    once: Value,
    twice: Value,
}

impl Hard {
    /// Of each of both sizes.
    fn all() -> Vec<[Self; 2]> {
        let of = |(name, text): (_, Text), bytes| Self {
            name,
            bytes,
            once: text(bytes).into(),
            twice: text(2 * bytes).into(),
        };
        HARD.map(|hard| SIZES.map(|bytes| of(hard, bytes))).into()
    }
}

/// Endpoints at which no text of the body comes as far as its record, and why.
const NOT_REACHED: &[(&str, &str)] = &[
    ("POST /login/oauth2/auth", "a text that is no password comes as far as the check of it, and a few times only"),
    ("POST /operator/outbox/:id/replay", "its texts are signed, by us, and a form that is not ours is refused"),
    ("POST /operator/outbox/replay", "its texts are signed, by us, and a form that is not ours is refused"),
    ("PUT /api/quiz/v1/media/:context/:object", "its body is the media, and what its address says is signed"),
];

/// Where a text stands in a body: the names on the way, an element of a list being `[]`.
type Way = Vec<String>;

/// An endpoint that takes a text, with somebody who may call it.
pub(crate) struct Case {
    pub(crate) endpoint: Endpoint,
    door: Door,
    client: Client,
    schema: Value,
    texts: Vec<Way>,
}

/// Where an endpoint is, and what opens it beside a token.
struct Door {
    path: String,
    /// Fields that stand in every body, unless the text stands there.
    given: Map<String, Value>,
    /// By the name of a list of every body: members of its first element, likewise.
    in_lists: Map<String, Value>,
}

impl Door {
    fn at(path: String, given: Map<String, Value>) -> Self {
        Self { path, given, in_lists: Map::new() }
    }

    fn open(&self, mut body: Value, way: &[String]) -> Value {
        for (name, value) in &self.given {
            if way.first() != Some(name) {
                body[name] = value.clone();
            }
        }
        for (list, members) in &self.in_lists {
            for (name, value) in members.as_object().into_iter().flatten().filter(|(name, _)| way.last() != Some(name))
            {
                body[list][0][name] = value.clone();
            }
        }
        body
    }
}

/// The doors that do not stand open to whoever has the right.
struct Doors {
    /// From the beginning of a path to the ticket of its link.
    tickets: Vec<(String, String)>,
    /// An assignment that takes texts.
    assignment: i64,
    /// The attempt of the student.
    attempt: Value,
    /// A client that asks to log somebody in.
    client: Map<String, Value>,
    /// A new quiz that is taken: the path of the session, and the question that is an essay.
    taken: (String, Value),
    /// Tokens with which tools register themselves, with LTI 1.3 and with LTI 2.
    registrations: [String; 2],
}

impl Doors {
    async fn of(fixture: &Fixture) -> Self {
        let (admin, teacher, student) = (&fixture.school.admin, &fixture.teacher, &fixture.student);
        let ticket = async |client: &Client, path: &str, body: Value| {
            let link = client.post(&format!("{path}/live_link")).json(body).await.is(200);
            link["url"].as_str().unwrap().split_once("ticket=").unwrap().1.to_owned()
        };
        let session = fixture.filled("/api/v1/polls/:poll_id/poll_sessions/:id");
        let page = fixture.filled("/polls/:poll_id/sessions/:id");
        let settings = admin.post(&fixture.course.path("/settings_link")).await.is(200);
        let settings = settings["url"].as_str().unwrap().split_once("ticket=").unwrap().1.to_owned();
        let of_teacher = ticket(teacher, &session, json!({ "audience": "teacher" })).await;
        let tickets = vec![
            ("/error_reports".to_owned(), ticket(admin, "/api/v1/error_reports", json!({})).await),
            ("/operator".to_owned(), ticket(admin, "/api/v1/operator", json!({})).await),
            ("/webhooks/deliveries".to_owned(), ticket(admin, "/api/v1/webhook_deliveries", json!({})).await),
            ("/webhooks/tool_deliveries".to_owned(), ticket(&fixture.tool, "/api/lti/deliveries", json!({})).await),
            (fixture.filled("/courses/:id/settings"), settings),
            (format!("{page}/vote"), ticket(student, &session, json!({ "audience": "student" })).await),
            (format!("{page}/live"), of_teacher.clone()),
            (format!("{page}/results"), of_teacher),
        ];
        let assignment = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
        let assignment = teacher.post(&fixture.course.path("/assignments")).json(json!({ "assignment": assignment }));
        let quiz = fixture.filled("/api/v1/courses/:course_id/quizzes/:quiz_id");
        let attempt = student.post(&format!("{quiz}/submissions")).await.is(200)["quiz_submissions"][0].clone();
        let key = developer_key(&fixture.school, json!({ "name": "A client", "redirect_uris": [BACK] })).await;
        let client = json!({ "client_id": key["client_id"], "response_type": "code", "redirect_uri": BACK });
        Self {
            tickets,
            assignment: assignment.await.is(201).id(),
            attempt,
            client: client.as_object().unwrap().clone(),
            taken: taken_essay(fixture).await,
            registrations: registration_tokens(admin).await,
        }
    }

    fn to(&self, fixture: &Fixture, endpoint: &Endpoint) -> Door {
        let path = fixture.path(endpoint);
        let attempt = &self.attempt["id"];
        let rest = |prefix: &str| endpoint.path.strip_prefix(prefix).unwrap_or_default().to_owned();
        let proof = || {
            Map::from_iter(["attempt", "validation_token"].map(|name| (name.to_owned(), self.attempt[name].clone())))
        };
        if let Some((_, ticket)) = self.tickets.iter().find(|(prefix, _)| path.starts_with(prefix)) {
            return Door::at(format!("{path}?ticket={ticket}"), Map::new());
        }
        match endpoint.to_string().as_str() {
            "POST /api/v1/courses/:course_id/assignments/:assignment_id/submissions" => {
                let path = fixture.course.path(&format!("/assignments/{}/submissions", self.assignment));
                Door::at(path, Map::new())
            }
            "POST /api/v1/courses/:course_id/quizzes/:quiz_id/submissions/:id/complete" => {
                let quiz = fixture.filled("/api/v1/courses/:course_id/quizzes/:quiz_id");
                Door::at(format!("{quiz}/submissions/{attempt}/complete"), proof())
            }
            "PUT /api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id/answers" => {
                let (session, item) = &self.taken;
                let answer = json!({ "answers": { "item_id": item, "version": 0 } });
                let in_lists = answer.as_object().unwrap().clone();
                Door { path: format!("{session}/answers"), given: Map::new(), in_lists }
            }
            "POST /api/lti/registrations" => Door::at(path, shown(&self.registrations[0])),
            "POST /api/lti/tool_proxy" => Door::at(path, shown(&self.registrations[1])),
            "GET /login/oauth2/auth" => Door::at(path, self.client.clone()),
            _ if endpoint.path.starts_with(ATTEMPT) && endpoint.method != reqwest::Method::GET => {
                let question = fixture.filled(&format!("{ATTEMPT}/questions/:id"));
                let question = question.rsplit_once('/').unwrap().1;
                Door::at(
                    format!("/api/v1/quiz_submissions/{attempt}{}", rest(ATTEMPT).replace(":id", question)),
                    proof(),
                )
            }
            _ => Door::at(path, Map::new()),
        }
    }
}

/// A preview of a quiz whose one question is an essay.
async fn taken_essay(fixture: &Fixture) -> (String, Value) {
    let teacher = &fixture.teacher;
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", fixture.course.id);
    let quiz = teacher.post(&engine).json(json!({ "quiz": { "title": "Seeds" } })).await.is(200).id();
    let essay = xtask::items::all().into_iter().find(|entry| entry["interaction_type_slug"] == "essay");
    let item = json!({ "item": { "entry_type": "Item", "entry": essay } });
    teacher.post(&format!("{engine}/{quiz}/items")).json(item).await.is(200);
    let sessions = format!("{engine}/{quiz}/sessions");
    let session = teacher.post(&sessions).json(json!({ "preview": true })).await.is(200);
    (format!("{sessions}/{}", session.id()), session["items"][0]["id"].clone())
}

/// A token that stands in the body.
fn shown(token: &str) -> Map<String, Value> {
    Map::from_iter([("access_token".to_owned(), json!(token))])
}

/// The tokens of two tools that are invited to register themselves.
async fn registration_tokens(admin: &Client) -> [String; 2] {
    let invite = async |version: &str| {
        let form = json!({ "initiation_url": "https://tool.test/register", "version": version });
        admin.post("/api/lti/tool_registrations").json(form).await.is(201)
    };
    let (dynamic, proxy) = (invite("lti_1_3").await, invite("lti_2").await);
    let url = dynamic["invitation"]["url"].as_str().unwrap();
    let of_dynamic = url.split_once("registration_token=").unwrap().1.to_owned();
    let fields = &proxy["invitation"]["parameters"];
    let (key, password) = (fields["reg_key"].as_str().unwrap(), fields["reg_password"].as_str().unwrap());
    let authorize = format!("/api/lti/accounts/{}/authorize", proxy["account_id"]);
    let now = shared::clock::now().unix();
    let address = format!("{}{authorize}", admin.base_url());
    let claims = json!({ "sub": key, "aud": address, "iat": now, "exp": now + 60, "jti": unique("assertion") });
    let assertion = xtask::assertion::sign(&claims, password);
    let form = [("grant_type", "authorization_code"), ("code", key), ("assertion", assertion.as_str())];
    let token = admin.without_token().post(&authorize).form(&form).await.is(200);
    [of_dynamic, token["access_token"].as_str().unwrap().to_owned()]
}

const ATTEMPT: &str = "/api/v1/quiz_submissions/:quiz_submission_id";
const BACK: &str = "https://client.example/back";

/// The description of all areas.
pub(crate) struct Description {
    paths: Value,
    schemas: Value,
}

impl Description {
    pub(crate) fn new() -> Self {
        let mut description = shared::openapi::document(&api_description::areas());
        let schemas = description["components"]["schemas"].take();
        Self { paths: description["paths"].take(), schemas }
    }

    /// The schema of an endpoint's body; of one that reads, the parameters of its query, which a body may have
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

/// The caller who is let in and comes farthest.
async fn caller(callers: &[Client], endpoint: &Endpoint, path: &str, body: &Value) -> Option<Client> {
    let mut refused = None;
    for client in callers {
        let status = send(client, endpoint, path, body).await.status;
        if !matches!(status, 401 | 403 | 404) {
            return Some(client.clone());
        }
        // A record that the sample names may not be there, which is another thing than not being let in.
        if status == 404 {
            refused = refused.or_else(|| Some(client.clone()));
        }
    }
    refused
}

async fn send(client: &Client, endpoint: &Endpoint, path: &str, body: &Value) -> Response {
    let call = client.call(endpoint.method.clone(), path).header("x-forwarded-for", unique("address"));
    call.body("application/json", body.to_string()).await
}

impl Case {
    /// Sends a body with what is required, and with that text at the first place for one.
    pub(crate) async fn send(&self, description: &Description, text: &str) -> Response {
        let way = self.texts.first().map_or(&[][..], Vec::as_slice);
        let body = self.door.open(description.sample(&self.schema, way, &json!(text)), way);
        send(&self.client, &self.endpoint, &self.door.path, &body).await
    }

    /// The least time of some tries.
    async fn cost(&self, body: &Value, tries: usize) -> Duration {
        let mut least = Duration::MAX;
        for _ in 0..tries {
            let began = Instant::now();
            send(&self.client, &self.endpoint, &self.door.path, body).await;
            least = least.min(began.elapsed());
        }
        least
    }

    /// A complaint about the cost of that text at that place, if there is one.
    async fn judge(&self, description: &Description, way: &Way, hard: &Hard) -> Option<String> {
        let body = |text: &Value| self.door.open(description.sample(&self.schema, way, text), way);
        let twice = body(&hard.twice);
        if self.cost(&twice, 1).await < CHEAP {
            return None;
        }
        let once = body(&hard.once);
        // The machine may have been busy with something else: only what is slow each time is.
        let mut costs = (Duration::ZERO, Duration::ZERO);
        for _ in 0..TRIES {
            costs = (self.cost(&once, TRIES).await, self.cost(&twice, TRIES).await);
            if costs.1 < CHEAP || costs.1.as_secs_f64() < MAX_RATIO * costs.0.as_secs_f64() {
                return None;
            }
        }
        let (endpoint, Hard { name, bytes, .. }) = (&self.endpoint, hard);
        Some(format!(
            "{endpoint}, {}: {name} of {bytes} bytes {:?}, of twice as many {:?}",
            way.join("."),
            costs.0,
            costs.1
        ))
    }
}

/// The endpoints that take a text, each with somebody who may call it.
pub(crate) async fn cases(
    running: &Running,
    fixture: &Fixture,
    description: &Description,
) -> (Vec<Case>, BTreeSet<String>) {
    let (nobody, site) = (fixture.student.without_token(), running.site_admin().await);
    let (admin, district) = (fixture.school.admin.clone(), fixture.district().await);
    let callers =
        [admin, fixture.teacher.clone(), fixture.student.clone(), fixture.tool.clone(), district, site, nobody];
    let doors = Doors::of(fixture).await;
    let (mut cases, mut not_reached) = (Vec::new(), BTreeSet::new());
    let mut endpoints = endpoints();
    // Endpoints that take a record away, or end an attempt, come when nobody needs it any more.
    endpoints
        .sort_by_key(|endpoint| (endpoint.method == reqwest::Method::DELETE, endpoint.path.ends_with("/complete")));
    for endpoint in endpoints.into_iter().filter(|endpoint| !endpoint.path.starts_with("/internal/")) {
        let Some(schema) = description.body(&endpoint) else { continue };
        let mut texts = Vec::new();
        description.texts(&schema, &Way::new(), &mut texts);
        if texts.is_empty() {
            continue;
        }
        let door = doors.to(fixture, &endpoint);
        let sample = door.open(description.sample(&schema, &[], &Value::Null), &[]);
        match caller(&callers, &endpoint, &door.path, &sample).await {
            Some(client) => cases.push(Case { door, client, schema, texts, endpoint }),
            None => _ = not_reached.insert(endpoint.to_string()),
        }
    }
    (cases, not_reached)
}

#[tokio::test]
async fn twice_the_text_costs_about_twice_as_much_at_every_endpoint() {
    let (fixture, description) = (Fixture::new().await, Description::new());
    let (cases, not_reached) = cases(&running(), &fixture, &description).await;
    let listed: BTreeSet<_> = NOT_REACHED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(not_reached, listed, "where nobody gets as far as the body");
    assert!(cases.len() > 100, "only {} endpoints take a text", cases.len());
    let hard_texts = Hard::all();
    let mut suspects = Vec::new();
    let mut turn = 0_usize;
    for case in &cases {
        // After too many calls an endpoint would refuse before the text is read.
        let key = format!("mastery/{}", fixture.school.account);
        running().change_database(&format!("DELETE FROM throttle_hits WHERE key = '{key}'"));
        for way in &case.texts {
            // Each text at one of the sizes: the next place has it at the other.
            for (number, sizes) in hard_texts.iter().enumerate() {
                turn += 1;
                // Of bodies with many texts each text gets a third of the hard ones, another third than the text before
                // it.
                if case.texts.len() <= 2 || turn.is_multiple_of(3) {
                    let hard = &sizes[(turn / 3 + number) % SIZES.len()];
                    if case.judge(&description, way, hard).await.is_some() {
                        suspects.push((case, way, hard));
                    }
                }
            }
        }
    }
    // A busy machine is not busy in the same way twice: what is slow by itself is so again.
    let mut wrong = Vec::new();
    for (case, way, hard) in suspects {
        wrong.extend(case.judge(&description, way, hard).await);
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
