//! Two changes of a record at once that name different fields both take effect, at every endpoint that changes one. The
//! endpoints come from the tables by which the components serve: one that is not known here fails the test.

use std::collections::BTreeMap;

use futures::future::{join, join_all};
use reqwest::Method;
use serde_json::{Value, json};
use support::{Client, Response};

use crate::authorization::{Endpoint, Fixture, endpoints};

/// The number of times that two changes meet.
const ROUNDS: usize = 8;

/// A field of a record, and what it is changed to.
#[derive(Clone, Copy)]
struct Field {
    /// Where the request names it: `course.name`; a number is a place in a list.
    sent: &'static str,
    /// Where the answer has it.
    shown: &'static str,
    values: Values,
}

/// Values that are another one in each round.
#[derive(Clone, Copy)]
enum Values {
    Texts,
    Html,
    Numbers,
    Switches,
    Words(&'static [&'static str]),
    /// Lists of one word.
    Lists(&'static [&'static str]),
}

impl Values {
    fn of(self, round: usize) -> Value {
        let word = |words: &[&str]| words[round % words.len()].to_owned();
        match self {
            Self::Texts => json!(format!("text {round}")),
            Self::Html => json!(format!("<p>text {round}</p>")),
            Self::Numbers => json!(round + 1),
            Self::Switches => json!(round.is_multiple_of(2)),
            Self::Words(words) => json!(word(words)),
            Self::Lists(words) => json!([word(words)]),
        }
    }
}

impl Field {
    fn body(self, round: usize) -> Value {
        self.sent.rsplit('.').fold(self.values.of(round), |value, name| match name {
            "0" => json!([value]),
            name => json!({ name: value }),
        })
    }
}

use Values::{Html, Lists, Numbers, Switches, Texts, Words};

const fn field(sent: &'static str, shown: &'static str, values: Values) -> Field {
    Field { sent, shown, values }
}

/// The client that changes a record.
#[derive(Clone, Copy)]
enum Who {
    Admin,
    Teacher,
}

/// An endpoint, the two fields that are changed, who changes them, and the path at which they are read: that of the
/// endpoint, unless given.
type Row = (&'static str, [Field; 2], Who, Option<&'static str>);

const ZONES: &[&str] = &["Europe/Berlin", "America/Denver"];
/// A name is one text, which is parted where its last blank is.
const FIRST_NAMES: &[&str] = &["Ada", "Eva"];
const LAST_NAMES: &[&str] = &["Berg", "Holm"];
/// Awards show thousandths of a second.
const ENDS: &[&str] = &["2930-01-02T03:04:05.000Z", "2931-01-02T03:04:05.000Z"];
const DATES: &[&str] = &["2030-01-02T03:04:05Z", "2031-01-02T03:04:05Z"];

/// The quiz of the fixture has a question, a stimulus, a bank and an entry of one, in this order.
const ITEMS: &str = "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/items";

const PAIRS: &[Row] = &[
    (
        "PUT /api/lti/tool_proxies/:guid",
        [
            field("name", "/name", Texts),
            field("capabilities", "/capabilities", Lists(&["SUBMISSION_CREATED", "GRADE_CHANGE"])),
        ],
        Who::Admin,
        None,
    ),
    (
        "PATCH /api/quiz/v1/courses/:course_id/banks/:bank_id",
        [field("bank.title", "/title", Texts), field("bank.archived", "/archived", Switches)],
        Who::Admin,
        None,
    ),
    (
        "PATCH /api/quiz/v1/courses/:course_id/quizzes/:assignment_id",
        [field("quiz.title", "/title", Texts), field("quiz.instructions", "/instructions", Html)],
        Who::Admin,
        None,
    ),
    (
        "PATCH /api/quiz/v1/courses/:course_id/quizzes/:assignment_id/items/:item_id",
        [field("item.points_possible", "/points_possible", Numbers), field("item.entry.title", "/entry/title", Texts)],
        Who::Admin,
        None,
    ),
    (
        "PATCH /api/quiz/v1/courses/:course_id/quizzes/:assignment_id/stimuli/:id",
        [field("title", "/1/entry/title", Texts), field("body", "/1/entry/body", Html)],
        Who::Admin,
        Some(ITEMS),
    ),
    (
        "PATCH /api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_items/:id",
        [
            field("sample_num", "/2/properties/sample_num", Numbers),
            field("points_possible", "/2/points_possible", Numbers),
        ],
        Who::Admin,
        Some(ITEMS),
    ),
    (
        "PATCH /api/v1/courses/:id/late_policy",
        [
            field("late_policy.late_submission_deduction", "/late_policy/late_submission_deduction", Numbers),
            field(
                "late_policy.late_submission_deduction_enabled",
                "/late_policy/late_submission_deduction_enabled",
                Switches,
            ),
        ],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/accounts/:account_id/logins/:id",
        [
            field("login.integration_id", "/0/integration_id", Texts),
            field("login.sis_user_id", "/0/sis_user_id", Texts),
        ],
        Who::Admin,
        Some("/api/v1/users/:user_id/logins"),
    ),
    (
        "PUT /api/v1/accounts/:account_id/terms/:id",
        [field("enrollment_term.name", "/name", Texts), field("enrollment_term.start_at", "/start_at", Words(DATES))],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/accounts/:id",
        [field("account.name", "/name", Texts), field("account.default_time_zone", "/default_time_zone", Words(ZONES))],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/courses/:course_id/ai_experiences/:id",
        [field("ai_experience.title", "/title", Texts), field("ai_experience.description", "/description", Texts)],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/courses/:course_id/assignments/:id",
        [field("assignment.name", "/name", Texts), field("assignment.points_possible", "/points_possible", Numbers)],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/courses/:course_id/front_page",
        [
            field("wiki_page.body", "/body", Html),
            field("wiki_page.editing_roles", "/editing_roles", Words(&["teachers,students", "teachers"])),
        ],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/courses/:course_id/pages/:url",
        [
            field("wiki_page.body", "/body", Html),
            field("wiki_page.editing_roles", "/editing_roles", Words(&["teachers,students", "teachers"])),
        ],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/courses/:course_id/quizzes/:id",
        [field("quiz.title", "/title", Texts), field("quiz.time_limit", "/time_limit", Numbers)],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/courses/:course_id/quizzes/:quiz_id/groups/:id",
        [field("quiz_groups.0.name", "/name", Texts), field("quiz_groups.0.pick_count", "/pick_count", Numbers)],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/courses/:course_id/quizzes/:quiz_id/questions/:id",
        [
            field("question.question_text", "/question_text", Html),
            field("question.points_possible", "/points_possible", Numbers),
        ],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/courses/:id",
        [field("course.name", "/name", Texts), field("course.syllabus_body", "/syllabus_body", Html)],
        Who::Admin,
        Some("/api/v1/courses/:id?include[]=syllabus_body"),
    ),
    (
        "PUT /api/v1/developer_keys/:id",
        [
            field("developer_key.name", "/name", Texts),
            field(
                "developer_key.push_topic_arn",
                "/push_topic_arn",
                Words(&["arn:aws:sns:eu-central-1:1:app/GCM/a", "arn:aws:sns:eu-central-1:1:app/GCM/b"]),
            ),
        ],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/error_reports/:id",
        [field("note", "/note", Texts), field("workflow_state", "/workflow_state", Words(&["closed", "open"]))],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/files/:id",
        [field("name", "/display_name", Texts), field("lock_at", "/lock_at", Words(DATES))],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/groups/:group_id",
        [field("name", "/name", Texts), field("description", "/description", Texts)],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/polls/:id",
        [
            field("polls.0.question", "/polls/0/question", Texts),
            field("polls.0.description", "/polls/0/description", Texts),
        ],
        Who::Teacher,
        None,
    ),
    (
        "PUT /api/v1/polls/:poll_id/poll_choices/:id",
        [
            field("poll_choices.0.text", "/poll_choices/0/text", Texts),
            field("poll_choices.0.position", "/poll_choices/0/position", Numbers),
        ],
        Who::Teacher,
        None,
    ),
    (
        "PUT /api/v1/sections/:id",
        [field("course_section.name", "/name", Texts), field("course_section.start_at", "/start_at", Words(DATES))],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/users/:id",
        [field("user.name", "/name", Texts), field("user.short_name", "/short_name", Words(&["one", "two"]))],
        Who::Admin,
        None,
    ),
    (
        "PUT /api/v1/users/:user_id/tokens/:id",
        [field("token.purpose", "/purpose", Texts), field("token.expires_at", "/expires_at", Words(DATES))],
        Who::Admin,
        None,
    ),
    (
        "PATCH /v2/assertions/:id",
        [field("narrative", "/result/0/narrative", Texts), field("expires", "/result/0/expires", Words(ENDS))],
        Who::Admin,
        None,
    ),
    (
        "PUT /v2/assertions/:id",
        [field("narrative", "/result/0/narrative", Texts), field("expires", "/result/0/expires", Words(ENDS))],
        Who::Admin,
        None,
    ),
    (
        "PUT /v2/backpack/collections/:id",
        [field("name", "/result/0/name", Texts), field("description", "/result/0/description", Texts)],
        Who::Admin,
        None,
    ),
    (
        "PATCH /v2/issuers/:id",
        [field("name", "/result/0/name", Texts), field("description", "/result/0/description", Texts)],
        Who::Admin,
        None,
    ),
    (
        "PATCH /v2/users/self",
        [
            field("firstName", "/result/0/firstName", Words(FIRST_NAMES)),
            field("lastName", "/result/0/lastName", Words(LAST_NAMES)),
        ],
        Who::Admin,
        None,
    ),
    (
        "PUT /v2/users/self",
        [
            field("firstName", "/result/0/firstName", Words(FIRST_NAMES)),
            field("lastName", "/result/0/lastName", Words(LAST_NAMES)),
        ],
        Who::Admin,
        None,
    ),
];

const ONE_FIELD: &str = "it has one field";
const NO_FIELDS: &str = "it takes no body: it is one step";
const WHOLE: &str = "the body replaces the record as a whole";
const PREFERENCE: &str = "each kind of event is a row of its own, which has one field";

/// Endpoints that have no two fields that are independent of each other, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("PUT /api/lti/subscriptions/:id", WHOLE),
    (
        "PATCH /api/quiz/v1/courses/:course_id/banks/:bank_id/entries/:entry_id",
        "its entry and its state go by the item's own test",
    ),
    (
        "PUT /api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id/answers",
        "each answer names the version that it changes",
    ),
    (
        "PUT /api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id/result",
        "it names the version that it changes",
    ),
    ("PUT /api/quiz/v1/media/:context/:object", "it takes an image"),
    ("PUT /api/v1/accounts/:account_id/features/flags/:feature", ONE_FIELD),
    ("PUT /api/v1/accounts/:account_id/question_banks/:id", ONE_FIELD),
    ("PUT /api/v1/courses/:course_id/question_banks/:id", ONE_FIELD),
    ("PUT /api/v1/users/self/question_banks/:id", ONE_FIELD),
    ("PUT /api/v1/accounts/:account_id/sis_imports/abort_all_pending", NO_FIELDS),
    ("PUT /api/v1/accounts/:account_id/sis_imports/:id/abort", NO_FIELDS),
    (
        "PUT /api/v1/accounts/:account_id/sis_imports/:id/restore_states",
        "its fields say which states go back in one step",
    ),
    ("PUT /api/v1/courses/:course_id/enrollments/:id/reactivate", NO_FIELDS),
    (
        "PUT /api/v1/courses/:course_id/assignments/:assignment_id/anonymous_submissions/:anonymous_id",
        "a grade and a comment are records of their own",
    ),
    ("PUT /api/v1/courses/:course_id/assignments/:assignment_id/hide_grades", "it is one step"),
    ("PUT /api/v1/courses/:course_id/assignments/:assignment_id/overrides/:id", WHOLE),
    ("PUT /api/v1/courses/:course_id/assignments/:assignment_id/post_grades", "it is one step"),
    ("PUT /api/v1/courses/:course_id/assignments/overrides", WHOLE),
    (
        "PUT /api/v1/courses/:course_id/assignments/:assignment_id/submissions/:user_id",
        "a grade and a comment are records of their own",
    ),
    ("PUT /api/v1/courses/:course_id/content_migrations/:content_migration_id/migration_issues/:id", ONE_FIELD),
    (
        "PUT /api/v1/courses/:course_id/quizzes/:quiz_id/submissions/:id",
        "the fields belong to an attempt, which is scored as a whole",
    ),
    ("PUT /api/v1/folders/:id", "the folder of the fixture is the root, of which nothing may be changed"),
    (
        "PUT /api/v1/groups/:group_id/memberships/:membership_id",
        "a membership that is accepted has one field to change",
    ),
    ("PUT /api/v1/groups/:group_id/users/:user_id", "a membership that is accepted has one field to change"),
    (
        "PATCH /api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_entries/:id",
        "its place is one among others; what is left is one field",
    ),
    ("PUT /api/v1/polls/:poll_id/poll_sessions/:id", "its places belong together; what is left is one field"),
    (
        "PUT /api/v1/quiz_submissions/:quiz_submission_id/questions",
        "answers belong to their student, who gives them one by one",
    ),
    ("PUT /api/v1/quiz_submissions/:quiz_submission_id/questions/:id/flag", NO_FIELDS),
    ("PUT /api/v1/quiz_submissions/:quiz_submission_id/questions/:id/unflag", NO_FIELDS),
    ("PUT /api/v1/users/self/communication_channels/:communication_channel_id/notification_preferences", PREFERENCE),
    (
        "PUT /api/v1/users/self/communication_channels/:communication_channel_id/notification_preferences/:notification",
        PREFERENCE,
    ),
    (
        "PUT /api/v1/users/self/communication_channels/:communication_channel_id/notification_preference_categories/:category",
        PREFERENCE,
    ),
    ("PUT /api/v1/users/self/communication_channels/:type/:address/notification_preferences", PREFERENCE),
    ("PUT /api/v1/users/self/communication_channels/:type/:address/notification_preferences/:notification", PREFERENCE),
    (
        "PUT /api/v1/users/self/communication_channels/:type/:address/notification_preference_categories/:category",
        PREFERENCE,
    ),
    ("PUT /v2/backpack/assertions/:id", ONE_FIELD),
    ("PUT /v2/badgeclasses/:id", WHOLE),
    ("PUT /v2/issuers/openBadgeId/:address", WHOLE),
    ("PUT /v2/issuers/ref/:address", WHOLE),
    ("PUT /v2/issuers/:id", WHOLE),
    ("PATCH /v2/issuers/:id/staff", "each member of the staff is a row of its own, which has one field"),
    ("PUT /v2/issuers/:id/staff", "each member of the staff is a row of its own, which has one field"),
];

/// Two changes at once, again and again; what was lost, if anything.
async fn lost(client: &Client, method: &Method, path: &str, read: &str, fields: [Field; 2]) -> Option<String> {
    let mut lost = Vec::new();
    for round in 0..ROUNDS {
        let send = |field: Field| {
            let call = client.call(method.clone(), path).json(field.body(round));
            async move { call.await }
        };
        let (one, other) = join(send(fields[0]), send(fields[1])).await;
        for answer in [one, other] {
            if answer.status >= 300 {
                return Some(format!("it is refused: {answer}"));
            }
        }
        let shown = client.get(read).await;
        let is_shown = |field: &Field| has(&shown, field.shown, &field.values.of(round));
        lost.extend(fields.iter().filter(|field| !is_shown(field)).map(|field| field.sent));
    }
    (!lost.is_empty()).then(|| format!("of {ROUNDS} rounds these were lost: {}", lost.join(", ")))
}

fn has(answer: &Response, pointer: &str, expected: &Value) -> bool {
    let Some(shown) = answer.json.pointer(pointer) else { return false };
    // Numbers are whole or not as the record has them.
    shown == expected || (shown.is_number() && shown.as_f64() == expected.as_f64())
}

fn key(endpoint: &Endpoint) -> String {
    endpoint.to_string()
}

#[tokio::test]
async fn two_changes_at_once_both_take_effect_at_every_endpoint() {
    let fixture = Fixture::new().await;
    let all: BTreeMap<_, _> = endpoints()
        .into_iter()
        .filter(|endpoint| matches!(endpoint.method, Method::PUT | Method::PATCH))
        .map(|endpoint| (key(&endpoint), endpoint))
        .collect();
    let known = PAIRS.iter().map(|row| row.0).chain(EXEMPT.iter().map(|(name, _)| *name));
    let mut unknown: Vec<_> = all.keys().cloned().collect();
    let mut wrong = Vec::new();
    for name in known {
        match unknown.iter().position(|endpoint| endpoint == name) {
            Some(place) => _ = unknown.remove(place),
            None => wrong.push(format!("{name}: there is no such endpoint, or it is listed twice")),
        }
    }
    wrong.extend(unknown.iter().map(|name| format!("{name}: it is not known here")));

    for (name, fields, who, read) in PAIRS {
        let Some(endpoint) = all.get(*name) else { continue };
        let client = match who {
            Who::Admin => &fixture.school.admin,
            Who::Teacher => &fixture.teacher,
        };
        let path = fixture.path(endpoint);
        let read = read.map_or_else(
            || path.clone(),
            |read| {
                let (read, query) = read.split_once('?').unwrap_or((read, ""));
                format!("{}?{query}", fixture.filled(read))
            },
        );
        let lost = lost(client, &endpoint.method, &path, &read, *fields).await;
        wrong.extend(lost.map(|lost| format!("{name}: {lost}")));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// The table exempts places that belong together, and not the field beside them.
#[tokio::test]
async fn two_changes_of_a_session_at_once_both_take_effect() {
    let fixture = Fixture::new().await;
    let path = endpoints().into_iter().find(|endpoint| key(endpoint) == "PUT /api/v1/polls/:poll_id/poll_sessions/:id");
    let path = fixture.path(&path.unwrap());
    let section = json!({ "course_section": { "name": "Another" } });
    let section = fixture.school.admin.post(&fixture.course.path("/sections")).json(section).await.is(200).id();
    for round in 0..ROUNDS {
        let (public, section) = (round.is_multiple_of(2), round.is_multiple_of(2).then_some(section));
        let bodies = [json!({ "has_public_results": public }), json!({ "course_section_id": section })];
        let sent = bodies.map(|body| {
            let call = fixture.teacher.put(&path).json(json!({ "poll_sessions": [body] }));
            async move { call.await.is(200) }
        });
        join_all(sent).await;
        let shown = fixture.teacher.get(&path).await.is(200);
        let session = &shown["poll_sessions"][0];
        assert_eq!(
            (&session["has_public_results"], &session["course_section_id"]),
            (&json!(public), &json!(section)),
            "round {round}"
        );
    }
}
