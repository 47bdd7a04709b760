//! Every endpoint of every area, driven by those who must not get through. The endpoints come from the tables by which
//! the components serve: one that is added and not covered here fails these tests.

mod places;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shared::api::{Access, Expectation, Stranger};
use support::{Client, Course, Response, Running, School, Tool};
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
    /// The owner of the poll.
    pub(crate) teacher: Client,
    /// The tool that has subscribed.
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
        let places = places::all(&school, &course, &teacher, &tool).await;
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

    pub(crate) async fn drive(&self, client: &Client, endpoint: &Endpoint) -> Response {
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
        for endpoint in endpoints().iter().filter(|endpoint| endpoint.access.needs_caller()) {
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
        for endpoint in endpoints().iter().filter(|endpoint| endpoint.access.needs_caller()) {
            let answer = self.drive(client, endpoint).await;
            let expected = endpoint.expected(stranger);
            if !expected.map_or(refusals.contains(&answer.status), |status| answer.status == status) {
                wrong.push(format!("{endpoint}: {answer}, expected {expected:?}"));
            }
        }
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }
}

#[tokio::test]
async fn nobody_is_let_in_without_a_token() {
    let fixture = Fixture::new().await;
    fixture.all_refuse(&fixture.student.without_token(), "user authorization required", true).await;
}

/// A browser sends the cookie whoever has made it call: the API knows callers by their tokens alone.
#[tokio::test]
async fn nobody_is_let_in_with_the_cookie_of_the_pages() {
    let fixture = Fixture::new().await;
    let admin = fixture.school.in_browser(&fixture.school.admin).await;
    admin.get("/home").await.is_page(200, "Operation");
    fixture.all_refuse(&admin, "user authorization required", true).await;
}

#[test]
fn cookies_open_pages_alone() {
    let paths = endpoints().into_iter().filter(|endpoint| endpoint.access.looks_at_cookies());
    let paths: BTreeSet<_> = paths.map(|endpoint| endpoint.path.split('/').nth(1).unwrap()).collect();
    let pages = ["backpack", "courses", "error_reports", "home", "join", "logout", "operator", "polls", "webhooks"];
    assert_eq!(paths, BTreeSet::from(pages));
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
    for endpoint in endpoints().iter().filter(|endpoint| !endpoint.access.needs_caller()) {
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
            Access::Token | Access::TokenOrPage => &[Stranger::Foreigner, Stranger::Student],
            _ => &[Stranger::Nobody],
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
    // A table that counts the rows of the others changes with them.
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
        // A route with `/...` does not have its beginning with a format behind it.
        let with_format = path.starts_with("/api/v1/").then(|| format!("{path}.json"));
        for path in [path].into_iter().chain(with_format) {
            let trigger = router.best_match(path.as_str()).unwrap();
            assert_eq!(trigger.handler().component, endpoint.area, "{path} is routed by {}", trigger.handler().route);
            unused.remove(&trigger.handler().route);
        }
    }
    assert!(unused.is_empty(), "routes that lead to no endpoint: {unused:?}");
}
