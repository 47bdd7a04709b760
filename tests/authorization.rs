//! Every endpoint of every area, driven by those who must not get through. The endpoints come from the tables by which
//! the components serve: one that is added and not covered here fails these tests.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use shared::api::{Access, Expectation, Stranger};
use support::{Answer, Client, Course, Running, School, Tool, enroll, unique};
use xtask::manifest::Manifest;

/// An endpoint of an area.
pub(crate) struct Endpoint {
    pub(crate) area: &'static str,
    pub(crate) method: reqwest::Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    expectations: Vec<Expectation>,
}

impl Endpoint {
    /// The status that its declaration expects for somebody without the right, where it is another than usual.
    pub(crate) fn expected(&self, stranger: Stranger) -> Option<u16> {
        self.expectations.iter().find(|expected| expected.stranger == stranger).map(|expected| expected.status)
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let areas = api_description::areas();
    let endpoints = areas.iter().flat_map(|area| {
        area.endpoints().iter().map(|endpoint| Endpoint {
            area: area.name,
            method: endpoint.method.clone(),
            path: endpoint.path,
            access: endpoint.access,
            expectations: endpoint.expectations.clone(),
        })
    });
    endpoints.collect()
}

/// The area that has tokens of its own, and tests of its own for them: nobody else is let in.
const MASTERY: &str = "/api/v2/";

/// A school in which every parameter of every path can be filled with a record that exists.
pub(crate) struct Fixture {
    pub(crate) school: School,
    pub(crate) course: Course,
    pub(crate) student: Client,
    /// Who asks the poll.
    pub(crate) teacher: Client,
    /// Who has subscribed.
    pub(crate) tool: Client,
    /// From a path up to a parameter, as `/api/v1/courses/:`, to the id that belongs there.
    places: BTreeMap<&'static str, String>,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::of(School::start().await).await
    }

    async fn new_in(site: &Running) -> Self {
        Self::of(School::start_in(site).await).await
    }

    pub(crate) async fn of(school: School) -> Self {
        let (course, _, student) = school.classroom("Botany").await;
        let teacher = course.member(&school, "TeacherEnrollment").await;
        let tool = Tool::register(&school.admin).await;
        let places = places(&school, &course, &teacher, &tool).await;
        Self { school, course, student, teacher, tool: tool.client, places }
    }

    /// A client of the area with tokens of its own.
    pub(crate) async fn district(&self) -> Client {
        let admin = &self.school.admin;
        let credential = admin.post("/api/v1/accounts/self/mastery_credentials").json(json!({})).await.is(201);
        let form = json!({
            "grant_type": "client_credentials",
            "client_id": credential["client_id"], "client_secret": credential["client_secret"],
        });
        let token = admin.without_token().post("/api/v2/token").json(form).await.is(200);
        admin.with_token(token["access_token"].as_str().unwrap())
    }

    /// The endpoint's path with its parameters filled.
    pub(crate) fn path(&self, endpoint: &Endpoint) -> String {
        self.filled(endpoint.path)
    }

    /// A path of the table with its parameters filled.
    pub(crate) fn filled(&self, template: &str) -> String {
        let (mut place, mut path) = (String::new(), String::new());
        for segment in template.split('/').skip(1) {
            let is_parameter = segment.starts_with(':');
            place = format!("{place}/{}", if is_parameter { ":" } else { segment });
            let filled = match is_parameter {
                true if place.starts_with(MASTERY) => Some("1"),
                true => self.places.get(place.as_str()).map(String::as_str),
                false => Some(segment),
            };
            path = format!(
                "{path}/{}",
                filled.unwrap_or_else(|| panic!("{template}: the fixture has nothing for {place}"))
            );
        }
        path
    }

    pub(crate) async fn drive(&self, client: &Client, endpoint: &Endpoint) -> Answer {
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
            // The badges do not say whether it is the record or the right that is lacking.
            let (status, words) = match (endpoint.area, challenge) {
                ("badges", true) => (401, "no valid auth token found"),
                ("badges", false) => (404, "entity not found or insufficient privileges"),
                _ => (401, words),
            };
            let challenged = answer.header("www-authenticate") == expected;
            if answer.status != status || !answer.body.contains(words) || !challenged {
                wrong.push(format!("{endpoint}: {answer} {:?}", answer.headers));
            }
        }
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }

    /// Drives every endpoint that needs a token, and tells of all at once that answer neither one of `refusals` nor what
    /// their declarations expect for `stranger`.
    async fn all_answer(&self, client: &Client, refusals: &[u16], stranger: Stranger) {
        let mut wrong = Vec::new();
        for endpoint in endpoints().iter().filter(|endpoint| endpoint.access == Access::Token) {
            let answer = self.drive(client, endpoint).await;
            let expected = endpoint.expected(stranger);
            if !expected.map_or(refusals.contains(&answer.status), |status| answer.status == status) {
                wrong.push(format!("{endpoint}: {answer}, expected {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }
}

/// One record of each kind.
async fn places(school: &School, course: &Course, teacher: &Client, tool: &Tool) -> BTreeMap<&'static str, String> {
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
    admin.put(&quiz_path).json(json!({ "quiz": { "published": true } })).await.is(200);
    let quiz_submission = enrolled.post(&format!("{quiz_path}/submissions")).await.is(200);
    let quiz_submission = quiz_submission["quiz_submissions"][0]["id"].as_i64().unwrap();
    let user_group = make(course.path("/groups"), json!({ "name": "Herbarium" })).await.is(200).id();
    let membership = json!({ "user_id": user });
    let membership = make(format!("/api/v1/groups/{user_group}/memberships"), membership).await.is(200).id();
    let token = admin.token_for(user, json!({ "purpose": "x" })).await.is(200).id();
    let account = school.account;
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = make(format!("/api/v1/accounts/{account}/sub_accounts"), faculty).await.is(200).id();
    let key = json!({ "developer_key": { "name": "A client" } });
    let key = make(format!("/api/v1/accounts/{account}/developer_keys"), key).await.is(200).id();
    let login = admin.get(&format!("/api/v1/users/{user}/logins")).await.is(200).ids()[0];
    let file = crate::files::upload(admin, &course.path("/files"), json!({ "name": "leaf.txt" }), b"green").await;
    let folder = file["folder_id"].as_i64().unwrap();
    let file = file.id();
    let page = json!({ "wiki_page": { "title": "Leaves", "front_page": true } });
    let page = make(course.path("/pages"), page).await.is(200)["page_id"].as_i64().unwrap();
    let export = make(course.path("/content_exports"), json!({ "export_type": "zip" })).await.is(200);
    let progress = export["progress_url"].as_str().unwrap().rsplit('/').next().unwrap().parse().unwrap();
    let export = export.id();
    let import = admin.post("/api/v1/accounts/self/sis_imports").body("text/csv", "group_id,user_id,status\n");
    let import = import.await.is(200).id();

    let ask = async |path: String, name: &str, record: Value| {
        let answer = teacher.post(&path).json(json!({ name: [record] })).await.is(200);
        answer[name][0]["id"].as_i64().unwrap()
    };
    let poll = ask("/api/v1/polls".to_owned(), "polls", json!({ "question": "Ready?" })).await;
    let choice = ask(format!("/api/v1/polls/{poll}/poll_choices"), "poll_choices", json!({ "text": "Yes" })).await;
    let sessions = format!("/api/v1/polls/{poll}/poll_sessions");
    let session = ask(sessions.clone(), "poll_sessions", json!({ "course_id": course.id })).await;
    teacher.get(&format!("{sessions}/{session}/open")).await.is(200);
    let submissions = format!("{sessions}/{session}/poll_submissions");
    let submission = ask(submissions, "poll_submissions", json!({ "poll_choice_id": choice })).await;

    let channel = json!({ "communication_channel": { "type": "email", "address": "ada@school.test" } });
    let channel = make(format!("/api/v1/users/{user}/communication_channels"), channel).await.is(200).id();

    let experience = json!({ "ai_experience": {
        "title": "Leaves", "learning_objectives": ["Name one"], "pedagogical_guidance": "Ask", "workflow_state": "published",
    } });
    let experience = make(course.path("/ai_experiences"), experience).await.is(201).id();
    let conversation =
        make(course.path(&format!("/ai_experiences/{experience}/conversations")), json!({})).await.is(201);
    let answer = conversation["messages"][1]["id"].as_str().unwrap().to_owned();
    let conversation = conversation.id();

    let subscription = tool.subscribe("https://tool.test/hook").await.id;
    let delivery = make(format!("/api/lti/subscriptions/{subscription}/test"), json!({})).await.is(201).id();

    let error_report = admin.post("/api/v1/error_reports").header("x-forwarded-for", unique("address"));
    let error_report = error_report.json(json!({ "error": { "subject": "It broke" } })).await.is(200).id();

    let places = [
        ("/api/v1/error_reports/:", error_report),
        ("/error_reports/:", error_report),
        ("/api/lti/accounts/:", account),
        ("/api/lti/courses/:", course.id),
        ("/api/v1/webhook_deliveries/:", delivery),
        ("/webhooks/deliveries/:", delivery),
        ("/api/v1/accounts/:", account),
        ("/api/v1/accounts/:/admins/:", user),
        ("/api/v1/accounts/:/courses/:", course.id),
        ("/api/v1/accounts/:/enrollments/:", enrollment),
        ("/api/v1/accounts/:/logins/:", login),
        ("/api/v1/accounts/:/question_banks/:", of_account),
        ("/api/v1/accounts/:/sis_imports/:", import),
        ("/api/v1/accounts/:/sub_accounts/:", faculty),
        ("/api/v1/accounts/:/users/:", user),
        ("/api/v1/audit/course/accounts/:", account),
        ("/api/v1/audit/course/courses/:", course.id),
        ("/api/v1/audit/authentication/accounts/:", account),
        ("/api/v1/audit/authentication/logins/:", login),
        ("/api/v1/audit/authentication/users/:", user),
        ("/api/v1/courses/:", course.id),
        ("/api/v1/courses/:/content_exports/:", export),
        ("/api/v1/courses/:/content_migrations/:/migration_issues/:", 1),
        ("/api/v1/courses/:/files/:", file),
        ("/api/v1/courses/:/folders/:", folder),
        ("/api/v1/courses/:/pages/:", page),
        ("/api/v1/courses/:/ai_experiences/:", experience),
        ("/api/v1/courses/:/ai_experiences/:/ai_conversations/:", conversation),
        ("/api/v1/courses/:/ai_experiences/:/conversations/:", conversation),
        ("/api/v1/courses/:/content_migrations/:", migration),
        ("/api/v1/courses/:/course_copy/:", source),
        ("/api/v1/courses/:/assignments/:", assignment),
        ("/api/v1/courses/:/assignments/:/submissions/:", user),
        ("/api/v1/courses/:/enrollments/:", enrollment),
        ("/api/v1/courses/:/question_banks/:", question_bank),
        ("/api/v1/courses/:/quizzes/:", quiz),
        ("/api/v1/courses/:/quizzes/:/groups/:", group),
        ("/api/v1/courses/:/quizzes/:/questions/:", question),
        ("/api/v1/courses/:/quizzes/:/submissions/:", quiz_submission),
        ("/api/v1/courses/:/sections/:", section),
        ("/api/v1/courses/:/users/:", user),
        ("/api/v1/developer_keys/:", key),
        ("/api/v1/files/:", file),
        ("/api/v1/folders/:", folder),
        ("/api/v1/progress/:", progress),
        ("/files/:", file),
        ("/courses/:", course.id),
        ("/courses/:/files/:", file),
        ("/files_api/:", 1),
        ("/api/v1/groups/:", user_group),
        ("/api/v1/groups/:/content_exports/:", export),
        ("/api/v1/groups/:/files/:", file),
        ("/api/v1/groups/:/folders/:", folder),
        ("/api/v1/groups/:/memberships/:", membership),
        ("/api/v1/groups/:/users/:", user),
        ("/api/v1/quiz_submissions/:", quiz_submission),
        ("/api/v1/quiz_submissions/:/questions/:", question),
        ("/api/v1/polls/:", poll),
        ("/api/v1/polls/:/poll_choices/:", choice),
        ("/api/v1/polls/:/poll_sessions/:", session),
        ("/api/v1/polls/:/poll_sessions/:/poll_submissions/:", submission),
        ("/api/v1/sections/:", section),
        ("/polls/:", poll),
        ("/polls/:/sessions/:", session),
        ("/api/v1/users/:", user),
        ("/api/v1/users/:/content_exports/:", export),
        ("/api/v1/users/:/files/:", file),
        ("/api/v1/users/:/folders/:", folder),
        ("/api/v1/users/:/communication_channels/:", channel),
        ("/api/v1/users/self/communication_channels/:", channel),
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
    places.insert("/register/:", "NOSUCHCODE".to_owned());
    let credential = make("/api/v1/accounts/self/mastery_credentials".to_owned(), json!({})).await.is(201);
    let client = credential["client_id"].as_str().unwrap().to_owned();
    places.insert("/api/v1/accounts/:/mastery_credentials/:", client);
    places.insert("/api/v1/accounts/:/features/flags/:", "ai_experiences".to_owned());
    places.insert("/api/v1/courses/:/ai_experiences/:/conversations/:/messages/:", answer.clone());
    places.insert("/api/v1/courses/:/ai_experiences/:/conversations/:/messages/:/feedback/:", answer);
    places.insert("/api/lti/subscriptions/:", subscription);
    places.insert("/api/lti/tool_proxies/:", tool.guid.clone());
    for (place, name) in [
        ("/api/v1/users/:/communication_channels/:/:", "ada@school.test"),
        ("/api/v1/users/:/communication_channels/:/notification_preferences/:", "alert"),
        ("/api/v1/users/:/communication_channels/:/:/notification_preferences/:", "alert"),
        ("/api/v1/users/self/communication_channels/:/:", "ada@school.test"),
        ("/api/v1/users/self/communication_channels/:/notification_preferences/:", "alert"),
        ("/api/v1/users/self/communication_channels/:/notification_preference_categories/:", "alert"),
        ("/api/v1/users/self/communication_channels/:/:/notification_preferences/:", "alert"),
        ("/api/v1/users/self/communication_channels/:/:/notification_preference_categories/:", "alert"),
    ] {
        places.insert(place, name.to_owned());
    }
    places.extend(badges(school).await);
    let upload = admin.get(&format!("{engine}/quizzes/{new_quiz}/items/media_upload_url")).await.is(200);
    let address = upload["url"].as_str().unwrap().split('?').next().unwrap();
    let (rest, object) = address.rsplit_once('/').unwrap();
    let (_, context) = rest.rsplit_once('/').unwrap();
    places.insert("/api/quiz/v1/media/:", context.to_owned());
    places.insert("/api/quiz/v1/media/:/:", object.to_owned());
    places
}

/// The records of the badges: those of an issuer, and a published collection.
async fn badges(school: &School) -> BTreeMap<&'static str, String> {
    let admin = &school.admin;
    let email = format!("{}@school.test", support::unique("issuer"));
    let channel = json!({ "communication_channel": { "address": email, "type": "email" }, "skip_confirmation": true });
    admin.post(&format!("/api/v1/users/{}/communication_channels", admin.id)).json(channel).await.is(200);
    let make =
        async |path: &str, body: Value| -> Value { admin.post(path).json(body).await.is(201)["result"][0].clone() };
    let id = |record: &Value| record["entityId"].as_str().unwrap().to_owned();
    let issuer = make("/v2/issuers", json!({ "name": "A", "email": email, "url": "https://a.test" })).await;
    let picture = BASE64_STANDARD.encode(r#"<svg xmlns="http://www.w3.org/2000/svg" width="1"/>"#);
    let class = json!({
        "issuer": id(&issuer), "name": "B", "description": "b", "criteriaNarrative": "b",
        "image": format!("data:image/svg+xml;base64,{picture}"),
    });
    let class = make("/v2/badgeclasses", class).await;
    let award = json!({ "recipient": { "identity": email } });
    let award = make(&format!("/v2/badgeclasses/{}/assertions", id(&class)), award).await;
    let collection = make("/v2/backpack/collections", json!({ "name": "C", "published": true })).await;
    let token = admin.get("/v2/auth/tokens").await.is(200)["result"][0].clone();
    let address = |record: &Value| BASE64_URL_SAFE_NO_PAD.encode(record["openBadgeId"].as_str().unwrap());
    let places = [
        ("/v2/issuers/:", id(&issuer)),
        ("/v2/issuers/:/staff/:", BASE64_URL_SAFE_NO_PAD.encode(&email)),
        ("/v2/issuers/openBadgeId/:", address(&issuer)),
        ("/v2/issuers/ref/:", address(&issuer)),
        ("/v2/badgeclasses/:", id(&class)),
        ("/v2/badgeclasses/reactivate/:", id(&class)),
        ("/v2/badgeclasses/reactivate/ref/:", address(&class)),
        ("/v2/assertions/:", id(&award)),
        ("/v2/backpack/assertions/:", id(&award)),
        ("/v2/backpack/collections/:", id(&collection)),
        ("/v2/backpack/share/assertion/:", id(&award)),
        ("/v2/backpack/share/collection/:", id(&collection)),
        ("/v2/users/:", issuer["createdBy"].as_str().unwrap().to_owned()),
        ("/v2/auth/tokens/:", id(&token)),
        ("/public/issuers/:", id(&issuer)),
        ("/public/issuers/:/status/:", "0".to_owned()),
        ("/public/badges/:", id(&class)),
        ("/public/assertions/:", id(&award)),
        ("/public/assertions/:/baked/:", "older.svg".to_owned()),
        ("/public/images/:", "none.png".to_owned()),
        ("/public/collections/:", collection["shareHash"].as_str().unwrap().to_owned()),
        ("/public/imports/:", "none".to_owned()),
        ("/public/keys/:", "none".to_owned()),
        ("/public/accounts/:", "none".to_owned()),
        ("/v2/signing_keys/:", "none".to_owned()),
    ];
    places.into_iter().collect()
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
    fixture.all_answer(&foreigner, &[404], Stranger::Foreigner).await;
}

#[tokio::test]
async fn a_student_may_do_what_endpoints_declare_and_nothing_else() {
    let fixture = Fixture::new().await;
    fixture.all_answer(&fixture.student, &[403, 404], Stranger::Student).await;
}

#[tokio::test]
async fn what_needs_no_token_declares_what_nobody_is_answered() {
    let fixture = Fixture::new().await;
    let nobody = fixture.student.without_token();
    for endpoint in endpoints().iter().filter(|endpoint| endpoint.access != Access::Token) {
        let of_mastery = endpoint.path.starts_with(MASTERY).then_some(401);
        let answer = fixture.drive(&nobody, endpoint).await;
        assert_eq!(Some(answer.status), endpoint.expected(Stranger::Nobody).or(of_mastery), "{endpoint}: {answer}");
    }
}

/// An endpoint that needs a token answers nobody, and one without answers everybody alike: expectations of others would
/// never be looked at.
#[test]
fn every_expectation_is_tested() {
    for endpoint in endpoints() {
        let tested: &[Stranger] = match endpoint.access {
            Access::Token => &[Stranger::Foreigner, Stranger::Student],
            Access::TokenOptional | Access::Public => &[Stranger::Nobody],
        };
        for expected in &endpoint.expectations {
            assert!(tested.contains(&expected.stranger), "{endpoint}: {expected:?}");
            assert!(!expected.reason.is_empty(), "{endpoint}: {expected:?}");
        }
    }
}

/// Tables to which a read may add rows, and why. What is in them already stays as it is.
const ADDED_BY_READS: &[(&str, &str)] = &[
    ("badge_status_lists", "a list is kept as it was signed"),
    ("badge_users", "most users have no badges: they are known to the area from when they look"),
    ("folders", "most users have no files: the root of their folders is made when they look"),
    ("submissions", "of every student and every assignment one would be too many: it is made when somebody looks"),
    ("throttle_hits", "calls are counted"),
];

/// The rows of all tables, by their names.
fn content(site: &Running) -> Option<BTreeMap<String, BTreeSet<String>>> {
    // What counts the rows of the others changes with them.
    let tables = site.read_database(
        "SELECT m.name, group_concat('quote(\"' || c.name || '\")', ' || '','' || ')
         FROM sqlite_schema m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name <> 'sqlite_sequence' AND c.name <> 'last_used_at'
         GROUP BY m.name",
    )?;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let tables = tables.into_iter().map(|row| (text(&row[0]), text(&row[1])));
    let rows = |columns: &str, name: &str| site.read_database(&format!("SELECT {columns} FROM {name}"));
    tables
        .map(|(name, columns)| {
            let rows = rows(&columns, &name)?.iter().map(|row| text(&row[0])).collect();
            Some((name, rows))
        })
        .collect()
}

#[tokio::test]
async fn head_changes_nothing() {
    let site = Running::own("head", &[]);
    let fixture = Fixture::new_in(&site).await;
    let (poll_owner, places) = (&fixture.teacher, &fixture.places);
    let own = format!(
        "/api/v1/polls/{}/poll_sessions/{}",
        places["/api/v1/polls/:"], places["/api/v1/polls/:/poll_sessions/:"]
    );
    poll_owner.get(&own).await.is(200);
    let Some(before) = content(&site) else { return };
    let mut changing = Vec::new();
    for endpoint in endpoints().iter().filter(|endpoint| endpoint.method == reqwest::Method::GET) {
        let path = fixture.path(endpoint);
        for client in [&fixture.school.admin, &fixture.teacher, &fixture.student] {
            let answer = client.call(reqwest::Method::HEAD, &path).await;
            if answer.status == 405 {
                assert!(!answer.header("allow").unwrap().contains("HEAD"), "{endpoint}: {:?}", answer.headers);
                changing.push(endpoint.path);
            }
        }
    }
    changing.dedup();
    let sessions = "/api/v1/polls/:poll_id/poll_sessions/:id";
    assert_eq!(changing, [format!("{sessions}/open"), format!("{sessions}/close")]);
    let after = content(&site).unwrap();
    let may_grow = |name: &str| ADDED_BY_READS.iter().any(|(table, _)| *table == name);
    for (name, rows) in &after {
        let gone: Vec<_> = before[name].difference(rows).collect();
        let new: Vec<_> = rows.difference(&before[name]).collect();
        assert!(gone.is_empty() && (new.is_empty() || may_grow(name)), "{name}: {gone:#?} became {new:#?}");
    }
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
