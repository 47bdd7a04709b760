//! Every endpoint of every area, driven by those who must not get through. The endpoints come from the tables by which
//! the components serve: one that is added and not covered here fails these tests.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shared::api::Access;
use support::{Answer, Client, Course, School, enroll};
use xtask::manifest::Manifest;

/// An endpoint of an area.
struct Endpoint {
    area: &'static str,
    method: reqwest::Method,
    path: &'static str,
    access: Access,
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

fn endpoints() -> Vec<Endpoint> {
    let areas = api_description::areas();
    let endpoints = areas.iter().flat_map(|area| {
        area.endpoints().iter().map(|endpoint| Endpoint {
            area: area.name,
            method: endpoint.method.clone(),
            path: endpoint.path,
            access: endpoint.access,
        })
    });
    endpoints.collect()
}

/// Endpoints that need no token: what nobody in particular is answered, and why.
const OPEN: &[(&str, u16, &str)] = &[
    ("GET /", 200, "the front page"),
    ("GET /docs", 200, "the description for people"),
    ("GET /openapi.json", 200, "the description for programs"),
    ("POST /login/oauth2/token", 400, "it gives tokens out; it asks for the grant"),
    ("DELETE /login/oauth2/token", 400, "the reference system answers so"),
    ("GET /login/oauth2/auth", 401, "a page for a person who logs in; it asks for the client"),
    ("POST /login/oauth2/auth", 401, "a page for a person who logs in; it asks for the client"),
    ("GET /api/quiz/v1/media/:context/:object", 404, "an image whose address nobody can guess; there is none yet"),
    ("PUT /api/quiz/v1/media/:context/:object", 403, "the address must be signed"),
];

/// What an administrator of another tenant is answered where it is not 404, and why.
const ALSO_FOR_FOREIGNERS: &[(&str, u16, &str)] = &[
    ("GET /api/v1/accounts", 200, "lists the caller's own"),
    ("POST /api/v1/accounts", 403, "tenants are founded by the site's administrator"),
    ("GET /api/v1/courses", 200, "lists the caller's own"),
    ("GET /api/v1/users/self/question_banks", 200, "lists the caller's own"),
    ("POST /api/v1/users/self/question_banks", 400, "makes one of the caller's own"),
];

/// What a student of the course is answered where it is not 403 or 404, and why.
const ALSO_FOR_STUDENTS: &[(&str, u16, &str)] = &[
    ("GET /api/v1/accounts", 200, "lists those that the caller administers: none"),
    ("GET /api/v1/courses", 200, "lists the caller's own"),
    ("GET /api/v1/users/self/question_banks", 200, "lists the caller's own"),
    ("POST /api/v1/users/self/question_banks", 400, "makes one of the caller's own"),
    ("GET /api/v1/courses/:id", 200, "a student is in the course"),
    ("GET /api/v1/accounts/:account_id/courses/:id", 200, "a student is in the course"),
    ("GET /api/v1/courses/:course_id/assignments", 200, "students see what is published"),
    ("GET /api/v1/courses/:course_id/quizzes", 200, "students see what is published"),
    ("GET /api/quiz/v1/courses/:course_id/quizzes", 200, "students see what is published"),
    ("GET /api/v1/courses/:course_id/sections", 200, "students know the sections"),
    ("GET /api/v1/courses/:course_id/sections/:id", 200, "students know the sections"),
    ("GET /api/v1/sections/:id", 200, "students know the sections"),
    ("GET /api/v1/courses/:course_id/users", 200, "those in a course know each other by name"),
    ("GET /api/v1/courses/:course_id/users/:id", 200, "those in a course know each other by name"),
    ("GET /api/v1/courses/:course_id/students", 200, "those in a course know each other by name"),
    ("GET /api/v1/courses/:course_id/search_users", 200, "those in a course know each other by name"),
    ("GET /api/v1/courses/:course_id/enrollments", 200, "those in a course know each other by name"),
    ("GET /api/v1/sections/:section_id/enrollments", 200, "those in a course know each other by name"),
    ("GET /api/v1/users/:id", 200, "those in a course know each other by name"),
];

/// A school in which every parameter of every path can be filled with a record that exists.
struct Fixture {
    school: School,
    student: Client,
    /// From a path up to a parameter, as `/api/v1/courses/:`, to the id that belongs there.
    places: BTreeMap<&'static str, String>,
}

impl Fixture {
    async fn new() -> Self {
        let school = School::start().await;
        let (course, _, student) = school.classroom("Botany").await;
        let places = places(&school, &course).await;
        Self { school, student, places }
    }

    /// The endpoint's path with its parameters filled.
    fn path(&self, endpoint: &Endpoint) -> String {
        let (mut place, mut path) = (String::new(), String::new());
        for segment in endpoint.path.split('/').skip(1) {
            let is_parameter = segment.starts_with(':');
            place = format!("{place}/{}", if is_parameter { ":" } else { segment });
            let filled = if is_parameter { self.places.get(place.as_str()).map(String::as_str) } else { Some(segment) };
            path = format!(
                "{path}/{}",
                filled.unwrap_or_else(|| panic!("{endpoint}: the fixture has nothing for {place}"))
            );
        }
        path
    }

    async fn drive(&self, client: &Client, endpoint: &Endpoint) -> Answer {
        client.call(endpoint.method.clone(), &self.path(endpoint)).await
    }

    /// A client with a token of the school's administrator.
    async fn admin_with(&self, token: Value) -> Client {
        let admin = &self.school.admin;
        let token = admin.token_for(admin.id, token).await.is(200);
        admin.with_token(token["visible_token"].as_str().unwrap())
    }

    /// Drives every endpoint that needs a token, and tells of all at once that do not answer 401 with these words.
    async fn all_refuse(&self, client: &Client, words: &str, challenge: bool) {
        let mut wrong = Vec::new();
        for endpoint in endpoints().iter().filter(|endpoint| endpoint.access == Access::Token) {
            let answer = self.drive(client, endpoint).await;
            let expected = challenge.then_some("Bearer realm=\"canvas-lms\"");
            if answer.status != 401 || !answer.body.contains(words) || answer.header("www-authenticate") != expected {
                wrong.push(format!("{endpoint}: {answer} {:?}", answer.headers));
            }
        }
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }

    /// Drives every endpoint that needs a token, and tells of all at once that answer neither one of `refusals` nor as
    /// the exception says. An exception that is none any more is wrong too.
    async fn all_answer(&self, client: &Client, refusals: &[u16], exceptions: &[(&str, u16, &str)]) {
        let mut exceptions: BTreeMap<_, _> = exceptions.iter().map(|(name, status, _)| (*name, *status)).collect();
        let mut wrong = Vec::new();
        for endpoint in endpoints().iter().filter(|endpoint| endpoint.access == Access::Token) {
            let exception = exceptions.remove(endpoint.to_string().as_str());
            let answer = self.drive(client, endpoint).await;
            let right = exception.map_or(refusals.contains(&answer.status), |status| answer.status == status);
            if !right {
                wrong.push(format!("{endpoint}: {answer}"));
            }
        }
        wrong.extend(exceptions.keys().map(|name| format!("{name}: there is no such endpoint")));
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }
}

/// One record of each kind.
async fn places(school: &School, course: &Course) -> BTreeMap<&'static str, String> {
    let admin = &school.admin;
    let make = async |path: String, body: Value| admin.post(&path).json(body).await;
    let section =
        make(course.path("/sections"), json!({ "course_section": { "name": "Afternoon" } })).await.is(200).id();
    let assignment = make(course.path("/assignments"), json!({ "assignment": { "name": "Essay" } })).await.is(201).id();
    let quiz = make(course.path("/quizzes"), json!({ "quiz": { "title": "Leaves" } })).await.is(200).id();
    let quiz_path = course.path(&format!("/quizzes/{quiz}"));
    let question = json!({ "question": { "question_text": "?", "question_type": "essay_question" } });
    let question = make(format!("{quiz_path}/questions"), question).await.is(200).id();
    let group = make(format!("{quiz_path}/groups"), json!({ "quiz_groups": [{}] })).await.is(201);
    let group = group["quiz_groups"][0]["id"].as_i64().unwrap();
    let question_bank = json!({ "question_bank": { "title": "Leaves" } });
    let of_account = make("/api/v1/accounts/self/question_banks".to_owned(), question_bank.clone()).await.is(200).id();
    let of_user = make("/api/v1/users/self/question_banks".to_owned(), question_bank.clone()).await.is(200).id();
    let question_bank = make(course.path("/question_banks"), question_bank).await.is(200).id();

    let engine = format!("/api/quiz/v1/courses/{}", course.id);
    let new_quiz = make(format!("{engine}/quizzes"), json!({ "quiz": { "title": "Seeds" } })).await.is(200).id();
    let item = json!({ "item": { "entry_type": "Item", "entry": {
        "item_body": "<p>?</p>", "interaction_type_slug": "true-false",
        "interaction_data": { "true_choice": "Yes", "false_choice": "No" },
        "scoring_data": { "value": true }, "scoring_algorithm": "Equivalence",
    } } });
    let entry = json!({ "entry_type": "Item", "entry": item["item"]["entry"] });
    let item = make(format!("{engine}/quizzes/{new_quiz}/items"), item).await.is(200).id();
    let bank = make(format!("{engine}/banks"), json!({ "bank": { "title": "Trees" } })).await.is(200).id();
    let bank_entry = make(format!("{engine}/banks/{bank}/entries"), entry).await.is(200).id();

    let source = school.course("Zoology").await.id;
    let migration = json!({ "migration_type": "course_copy_importer", "settings": { "source_course_id": source } });
    let migration = make(course.path("/content_migrations"), migration).await.is(200).id();

    let enrolled = school.person("enrolled").await;
    enroll(admin, course.id, enrolled.id, "StudentEnrollment").await;
    let enrollments = admin.get(&course.path(&format!("/enrollments?user_id={}", enrolled.id))).await.is(200);
    let enrollment = enrollments.ids()[0];
    let user = enrolled.id;
    let token = admin.token_for(user, json!({ "purpose": "x" })).await.is(200).id();
    let account = school.account;
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = make(format!("/api/v1/accounts/{account}/sub_accounts"), faculty).await.is(200).id();
    let key = json!({ "developer_key": { "name": "A client" } });
    let key = make(format!("/api/v1/accounts/{account}/developer_keys"), key).await.is(200).id();
    let login = admin.get(&format!("/api/v1/users/{user}/logins")).await.is(200).ids()[0];

    let places = [
        ("/api/v1/accounts/:", account),
        ("/api/v1/accounts/:/admins/:", user),
        ("/api/v1/accounts/:/courses/:", course.id),
        ("/api/v1/accounts/:/enrollments/:", enrollment),
        ("/api/v1/accounts/:/logins/:", login),
        ("/api/v1/accounts/:/question_banks/:", of_account),
        ("/api/v1/accounts/:/sub_accounts/:", faculty),
        ("/api/v1/accounts/:/users/:", user),
        ("/api/v1/audit/course/accounts/:", account),
        ("/api/v1/audit/course/courses/:", course.id),
        ("/api/v1/courses/:", course.id),
        ("/api/v1/courses/:/content_migrations/:", migration),
        ("/api/v1/courses/:/course_copy/:", source),
        ("/api/v1/courses/:/assignments/:", assignment),
        ("/api/v1/courses/:/enrollments/:", enrollment),
        ("/api/v1/courses/:/question_banks/:", question_bank),
        ("/api/v1/courses/:/quizzes/:", quiz),
        ("/api/v1/courses/:/quizzes/:/groups/:", group),
        ("/api/v1/courses/:/quizzes/:/questions/:", question),
        ("/api/v1/courses/:/sections/:", section),
        ("/api/v1/courses/:/users/:", user),
        ("/api/v1/developer_keys/:", key),
        ("/api/v1/sections/:", section),
        ("/api/v1/users/:", user),
        ("/api/v1/users/:/logins/:", login),
        ("/api/v1/users/:/tokens/:", token),
        ("/api/v1/users/self/question_banks/:", of_user),
        ("/api/quiz/v1/courses/:", course.id),
        ("/api/quiz/v1/courses/:/banks/:", bank),
        ("/api/quiz/v1/courses/:/banks/:/entries/:", bank_entry),
        ("/api/quiz/v1/courses/:/quizzes/:", new_quiz),
        ("/api/quiz/v1/courses/:/quizzes/:/items/:", item),
    ];
    let mut places: BTreeMap<_, _> = places.into_iter().map(|(place, id)| (place, id.to_string())).collect();
    let upload = admin.get(&format!("{engine}/quizzes/{new_quiz}/items/media_upload_url")).await.is(200);
    let address = upload["url"].as_str().unwrap().split('?').next().unwrap();
    let (rest, object) = address.rsplit_once('/').unwrap();
    let (_, context) = rest.rsplit_once('/').unwrap();
    places.insert("/api/quiz/v1/media/:", context.to_owned());
    places.insert("/api/quiz/v1/media/:/:", object.to_owned());
    places
}

#[tokio::test]
async fn nobody_is_let_in_without_a_token() {
    let fixture = Fixture::new().await;
    fixture.all_refuse(&fixture.student.without_token(), "user authorization required", true).await;
}

#[tokio::test]
async fn nobody_is_let_in_with_a_token_that_is_not_ours() {
    let fixture = Fixture::new().await;
    fixture.all_refuse(&fixture.student.with_token("nonsense"), "Invalid access token.", true).await;
}

#[tokio::test]
async fn nobody_is_let_in_with_an_expired_token() {
    let fixture = Fixture::new().await;
    let expired = fixture.admin_with(json!({ "purpose": "old", "expires_at": "2020-01-01T00:00:00Z" })).await;
    fixture.all_refuse(&expired, "Expired access token.", true).await;
}

#[tokio::test]
async fn nobody_is_let_in_with_a_revoked_token() {
    let fixture = Fixture::new().await;
    let admin = &fixture.school.admin;
    let token = admin.token_for(admin.id, json!({ "purpose": "short" })).await.is(200);
    admin.delete(&format!("/api/v1/users/{}/tokens/{}", admin.id, token.id())).await.is(200);
    let revoked = admin.with_token(token["visible_token"].as_str().unwrap());
    fixture.all_refuse(&revoked, "Revoked access token.", true).await;
}

#[tokio::test]
async fn a_token_opens_only_what_its_scopes_name() {
    let fixture = Fixture::new().await;
    let limited = fixture.admin_with(json!({ "purpose": "limited", "scopes": ["url:GET|/api/v1/nowhere"] })).await;
    fixture.all_refuse(&limited, "Insufficient scopes on access token.", false).await;
}

#[tokio::test]
async fn to_other_tenants_nothing_is_there() {
    let fixture = Fixture::new().await;
    let foreigner = School::start().await.admin;
    fixture.all_answer(&foreigner, &[404], ALSO_FOR_FOREIGNERS).await;
}

#[tokio::test]
async fn a_student_may_do_what_is_listed_here_and_nothing_else() {
    let fixture = Fixture::new().await;
    fixture.all_answer(&fixture.student, &[403, 404], ALSO_FOR_STUDENTS).await;
}

#[tokio::test]
async fn what_needs_no_token_is_listed_here() {
    let fixture = Fixture::new().await;
    let nobody = fixture.student.without_token();
    let mut listed: BTreeMap<_, _> = OPEN.iter().map(|(name, status, _)| (*name, *status)).collect();
    for endpoint in endpoints().iter().filter(|endpoint| endpoint.access != Access::Token) {
        let expected = listed.remove(endpoint.to_string().as_str());
        let answer = fixture.drive(&nobody, endpoint).await;
        assert_eq!(Some(answer.status), expected, "{endpoint}: {answer}");
    }
    assert!(listed.is_empty(), "there are no such endpoints: {listed:?}");
}

#[test]
fn each_path_is_routed_to_the_component_that_answers_it() {
    let mut router = routefinder::Router::new();
    let mut unused = BTreeSet::new();
    for trigger in Manifest::load().unwrap().trigger.http {
        let route = trigger.route.strip_suffix("/...").map_or(trigger.route.clone(), |prefix| format!("{prefix}/*"));
        unused.insert(trigger.route.clone());
        router.add(route.as_str(), trigger).unwrap();
    }
    for endpoint in endpoints() {
        let path = endpoint.path.split('/').map(|segment| if segment.starts_with(':') { "7" } else { segment });
        let path = path.collect::<Vec<_>>().join("/");
        let trigger = router.best_match(path.as_str()).unwrap();
        assert_eq!(trigger.handler().component, endpoint.area, "{endpoint} is routed by {}", trigger.handler().route);
        unused.remove(&trigger.handler().route);
    }
    assert!(unused.is_empty(), "routes that lead to no endpoint: {unused:?}");
}
