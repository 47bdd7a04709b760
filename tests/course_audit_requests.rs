//! The requests that change courses, as the audit log tells them.

use serde_json::{Value, json};
use support::{Client, Response, Running, School, enroll, unique};

fn log_of(course: i64) -> String {
    format!("/api/v1/audit/course/courses/{course}")
}

async fn read(admin: &Client, course: i64) -> Response {
    admin.get(&format!("{}?per_page=100", log_of(course))).await.is(200)
}

fn page_views(log: &Response) -> &Vec<Value> {
    log["linked"]["page_views"].as_array().unwrap_or_else(|| panic!("no requests: {log}"))
}

/// The requests of the events, the newest first.
fn named_page_views(log: &Response) -> Vec<&str> {
    let events = log["events"].as_array().unwrap();
    events.iter().map(|event| event["links"]["page_view"].as_str().unwrap()).collect()
}

fn request_id(answer: &Response) -> &str {
    answer.header("x-request-context-id").unwrap()
}

#[tokio::test]
async fn a_request_is_told_once_whatever_it_changes() {
    let school = School::start().await;
    let made = json!({ "course": { "name": "Botany" }, "offer": true });
    let made = school.admin.post("/api/v1/accounts/self/courses").json(made).await.is(200);
    let course = made.id();
    let log = read(&school.admin, course).await;
    assert_eq!(named_page_views(&log), [request_id(&made); 2]);
    assert_eq!(page_views(&log).len(), 1, "{log}");
    assert_eq!(page_views(&log)[0]["http_method"], "POST");

    let same = json!({ "course": { "name": "Botany" } });
    school.admin.put(&format!("/api/v1/courses/{course}")).json(same).await.is(200);
    assert_eq!(page_views(&read(&school.admin, course).await).len(), 1, "a request that changes nothing is not kept");

    let source = school.course("Zoology").await;
    let copy = format!("/api/v1/courses/{course}/course_copy/{}", source.id);
    let copied = school.admin.post(&copy).await.is(200);
    for course in [course, source.id] {
        let log = read(&school.admin, course).await;
        assert_eq!(named_page_views(&log)[0], request_id(&copied));
        assert_eq!(page_views(&log).last().unwrap()["id"], request_id(&copied));
    }
}

#[tokio::test]
async fn a_request_tells_where_it_came_from_and_no_secret() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let teacher = course.member(&school, "TeacherEnrollment").await;
    let token = school.admin.token.clone().unwrap();
    let path = course.path(&format!("?access_token={token}&as_user_id={}&password=open-sesame", teacher.id));
    let call = school.admin.without_token().put(&path).header("user-agent", "x".repeat(300));
    let call = call.header("x-forwarded-for", "203.0.113.7").json(json!({ "course": { "name": "Botany I" } }));
    let request = call.await.is(200);

    let log = read(&school.admin, course.id).await;
    let page_view = page_views(&log).last().unwrap();
    assert_eq!(page_view["id"], request_id(&request));
    assert_eq!(page_view["url"], format!("{}/api/v1/courses/{}", school.admin.base_url(), course.id));
    assert_eq!((&page_view["user_agent"], &page_view["remote_ip"]), (&json!("x".repeat(255)), &json!("203.0.113.7")));
    let links = json!({
        "user": teacher.id.to_string(), "real_user": school.admin.id.to_string(),
        "account": school.account.to_string(),
    });
    assert_eq!(page_view["links"], links);
    for secret in [token.as_str(), "open-sesame", "access_token="] {
        assert!(!log.body.contains(secret), "{secret} stands in {log}");
    }
}

#[tokio::test]
async fn a_request_names_the_client_whose_token_it_has() {
    let school = School::start().await;
    let key = json!({ "developer_key": { "name": "Course builder" } });
    let key = school.admin.post("/api/v1/accounts/self/developer_keys").json(key).await.is(200).id();
    let token = json!({ "purpose": "building", "developer_key_id": key });
    let token = school.admin.token_for(school.admin.id, token).await.is(200);
    let builder = school.admin.with_token(token["visible_token"].as_str().unwrap());
    let course = json!({ "course": { "name": "Botany" } });
    let course = builder.post("/api/v1/accounts/self/courses").json(course).await.is(200).id();
    assert_eq!(page_views(&read(&school.admin, course).await)[0]["app_name"], "Course builder");
}

#[tokio::test]
async fn requests_are_told_to_administrators_of_their_tenant_alone() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    teacher.get(&log_of(course.id)).await.is_forbidden();
    let other = School::start().await;
    other.admin.get(&log_of(course.id)).await.is_not_found();
    let foreign = other.course("Zoology").await;
    enroll(&other.admin, foreign.id, other.admin.id, "TeacherEnrollment").await;
    let log = read(&other.admin, foreign.id).await;
    let accounts: Vec<_> = page_views(&log).iter().map(|page_view| page_view["links"]["account"].clone()).collect();
    assert_eq!(accounts, [json!(other.account.to_string())]);
}

/// Writes an event of long ago and its request, behind the application's back.
fn write_old_event(site: &Running, course: i64, request: &str) -> bool {
    let at = "2020-01-02T03:04:05.000006Z";
    site.change_database(&format!(
        "INSERT INTO page_views
             (id, root_account_id, user_id, http_method, path, credential, created_at)
         SELECT '{request}', root_account_id, user_id, 'PUT', '/', 'access_token', '{at}'
         FROM course_events WHERE course_id = {course} LIMIT 1;
         INSERT INTO course_events
             (id, root_account_id, account_id, course_id, user_id, event_type, event_source, request_id, created_at)
         SELECT '{request}', root_account_id, account_id, course_id, user_id, 'claimed', 'api', '{request}', '{at}'
         FROM course_events WHERE course_id = {course} LIMIT 1;"
    ))
}

#[tokio::test]
async fn a_request_goes_with_the_last_of_its_events() {
    let site = Running::own("audit-retention", &[("audit_retention_days", "30")]);
    let school = School::start_in(&site).await;
    let course = school.course("Botany").await;
    let old = unique("old");
    if !write_old_event(&site, course.id, &old) {
        return;
    }
    let log = read(&school.admin, course.id).await;
    assert_eq!(*named_page_views(&log).last().unwrap(), old);
    assert_eq!(page_views(&log)[0]["id"], old);

    let rename = json!({ "course": { "name": "Botany I" } });
    let renamed = school.admin.put(&course.path("")).json(rename).await.is(200);
    let log = read(&school.admin, course.id).await;
    assert!(!log.body.contains(&old), "the event is cut off: {log}");
    assert_eq!(page_views(&log).last().unwrap()["id"], request_id(&renamed));
    let kept = format!("SELECT count(*) FROM page_views WHERE id = '{old}'");
    assert_eq!(site.read_database(&kept).unwrap(), [[json!(0)]]);
    let kept = "SELECT count(*) FROM page_views";
    let requests = page_views(&log).len();
    assert_eq!(site.read_database(kept).unwrap(), [[json!(requests)]], "those of other events stay");
}
