//! Courses that people change by hand, on the page of a course's settings.

use serde_json::{Value, json};
use support::browser::{PASSWORD, log_in};
use support::{Client, Course, Response, School, enroll};

use crate::oauth::hidden_field;

/// The fields that the page shows and sends.
const FIELDS: [&str; 4] = ["name", "course_code", "start_at", "end_at"];

/// The newest event of the course, with the answer that has it.
async fn newest(school: &School, course: i64) -> (Value, Response) {
    let log = school.admin.get(&format!("/api/v1/audit/course/courses/{course}?per_page=100")).await.is(200);
    (log["events"][0].clone(), log)
}

async fn number_of_events(school: &School, course: i64) -> usize {
    newest(school, course).await.1["events"].as_array().unwrap().len()
}

fn settings_of(course: i64) -> String {
    format!("/courses/{course}/settings")
}

/// The address of the page, as the API gives it to somebody.
async fn link(client: &Client, course: &Course) -> String {
    let link = client.post(&course.path("/settings_link")).await.is(200);
    link["url"].as_str().unwrap().to_owned()
}

/// What the page's form shows that it may, for a link or for a session.
fn proof(page: &Response) -> (&'static str, String) {
    let name = if page.body.contains("name=\"ticket\"") { "ticket" } else { "authenticity_token" };
    (name, page.field(name))
}

/// Sends the form of the page as it is shown, with some fields written anew.
async fn send(nobody: &Client, page: &Response, course: i64, written: &[(&str, &str)]) -> Response {
    let (name, value) = proof(page);
    let mut form = vec![(name.to_owned(), value)];
    for field in FIELDS {
        let shown = hidden_field(&page.body, &format!("shown[{field}]"));
        let value = written.iter().find(|(name, _)| *name == field).map(|(_, value)| (*value).to_owned());
        form.push((format!("course[{field}]"), value.unwrap_or_else(|| shown.clone())));
        form.push((format!("shown[{field}]"), shown));
    }
    let form: Vec<_> = form.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    nobody.post(&settings_of(course)).form(&form).await
}

/// Presses a button that changes the state of the course.
async fn press(nobody: &Client, page: &Response, course: i64, event: &str) -> Response {
    let (name, value) = proof(page);
    nobody.post(&settings_of(course)).form(&[(name, value.as_str()), ("event", event)]).await
}

#[tokio::test]
async fn what_is_changed_on_the_page_is_manual() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let nobody = teacher.without_token();
    let address = link(&teacher, &course).await;
    let page = nobody.get(&address).await.is_page(200, "Course settings");
    assert!(page.body.contains("students see it"), "{page}");
    let written = [("name", "Botany & Zoology"), ("start_at", "2026-09-01T08:00")];
    let sent = send(&nobody, &page, course.id, &written).await.is(303);
    let back = sent.header("location").unwrap().to_owned();
    let page = nobody.get(&back).await.is_page(200, "The course is changed.");
    assert!(page.body.contains("Botany &amp; Zoology"), "{page}");

    let (event, log) = newest(&school, course.id).await;
    assert_eq!((&event["event_type"], &event["event_source"]), (&json!("updated"), &json!("manual")));
    let expected = json!({ "name": ["Botany", "Botany & Zoology"], "start_at": [null, "2026-09-01T08:00:00Z"] });
    assert_eq!(event["event_data"], expected);
    assert_eq!(event["links"]["user"], teacher.id.to_string());
    let request = log["linked"]["page_views"].as_array().unwrap().last().unwrap();
    assert_eq!(request["id"], sent.header("x-request-context-id").unwrap());
    assert_eq!((&request["credential"], &request["http_method"]), (&json!("page"), &json!("POST")));
    assert_eq!(request["url"], format!("{}{}", teacher.base_url(), settings_of(course.id)));
    let ticket = address.split_once("ticket=").unwrap().1;
    assert!(!log.body.contains(ticket), "{log}");
}

#[tokio::test]
async fn a_form_changes_what_was_written_and_nothing_else() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let dates = json!({ "course": { "start_at": "2026-09-01T08:00:00Z", "end_at": "2027-01-31T08:00:07Z" } });
    teacher.put(&course.path("")).json(dates).await.is(200);
    let before = number_of_events(&school, course.id).await;
    let nobody = teacher.without_token();
    let page = nobody.get(&link(&teacher, &course).await).await.is(200);
    // A browser leaves away seconds that are none.
    send(&nobody, &page, course.id, &[("start_at", "2026-09-01T08:00")]).await.is(303);
    assert_eq!(number_of_events(&school, course.id).await, before, "nothing was written");

    teacher.put(&course.path("")).json(json!({ "course": { "name": "Botany I" } })).await.is(200);
    send(&nobody, &page, course.id, &[("end_at", "")]).await.is(303);
    let changed = teacher.get(&course.path("")).await.is(200);
    assert_eq!((&changed["name"], &changed["end_at"]), (&json!("Botany I"), &Value::Null), "{changed}");
    assert_eq!(changed["start_at"], "2026-09-01T08:00:00Z");
}

#[tokio::test]
async fn buttons_change_the_state() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let nobody = teacher.without_token();
    let address = link(&teacher, &course).await;
    for (event, event_type, state, words) in [
        ("claim", "claimed", "unpublished", "students do not see it"),
        ("offer", "published", "available", "students see it"),
        ("conclude", "concluded", "completed", "students read it"),
        ("unconclude", "unconcluded", "available", "students see it"),
    ] {
        let page = nobody.get(&address).await.is(200);
        press(&nobody, &page, course.id, event).await.is(303);
        let (noted, _) = newest(&school, course.id).await;
        assert_eq!((&noted["event_type"], &noted["event_source"]), (&json!(event_type), &json!("manual")));
        assert_eq!(teacher.get(&course.path("")).await.is(200)["workflow_state"], state);
        nobody.get(&address).await.is_page(200, words);
    }
    let page = nobody.get(&address).await.is(200);
    for event in ["delete", "undelete", "x"] {
        press(&nobody, &page, course.id, event).await.is(400);
    }
    teacher.get(&course.path("")).await.is(200);
}

#[tokio::test]
async fn what_the_rules_refuse_is_shown_again() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let nobody = teacher.without_token();
    let page = nobody.get(&link(&teacher, &course).await).await.is(200);
    let before = number_of_events(&school, course.id).await;
    let written = [("name", " "), ("course_code", "BOT<1>")];
    let refused = send(&nobody, &page, course.id, &written).await.is_page(400, "can't be blank");
    assert!(refused.body.contains("BOT&lt;1&gt;"), "what was written is kept: {refused}");
    let refused = send(&nobody, &page, course.id, &[("end_at", "soon")]).await;
    refused.is_page(400, "is no date and time");
    let long = "x".repeat(256);
    send(&nobody, &page, course.id, &[("name", &long)]).await.is(400);
    assert_eq!(number_of_events(&school, course.id).await, before);
}

#[tokio::test]
async fn who_logs_in_gets_to_the_same_page() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let (page, login) = (settings_of(course.id), school.login_of(&teacher).await);
    let to_login = school.admin.without_token().get(&page).await;
    to_login.leads_to(&format!("/login?return_to={}", page.replace('/', "%2F")));
    let opened = log_in(&teacher, &page, &login, PASSWORD).await;
    opened.leads_to(&page);

    let browser = teacher.without_token().with_cookie(&opened.cookie());
    let shown = browser.get(&page).await.is_page(200, "Course settings");
    assert!(!shown.body.contains("ticket"), "{shown}");
    send(&browser, &shown, course.id, &[("name", "Botany I")]).await.leads_to(&format!("{page}?saved=true"));
    assert_eq!(newest(&school, course.id).await.0["event_source"], "manual");
    press(&browser, &shown, course.id, "conclude").await.is(303);
    browser.get(&page).await.is_page(200, "The course is concluded");
}

#[tokio::test]
async fn a_log_in_opens_what_its_user_may_change() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (teacher, student) = (school.in_browser(&teacher).await, school.in_browser(&student).await);
    student.get(&settings_of(course.id)).await.is_page(403, "not authorized");
    let elsewhere = School::start().await.course("Zoology").await;
    teacher.get(&settings_of(elsewhere.id)).await.is_page(404, "There is nothing here");
    teacher.get(&settings_of(9_999_999)).await.is_page(404, "There is nothing here");
    let page = teacher.get(&settings_of(course.id)).await.is(200);
    let sent = send(&student, &page, course.id, &[("name", "Mine")]).await;
    sent.is_page(400, "no page of yours sent it");
    assert_eq!(school.admin.get(&course.path("")).await.is(200)["name"], "Botany");
}

#[tokio::test]
async fn a_link_opens_one_course_for_one_person_who_still_may() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    student.post(&course.path("/settings_link")).await.is_forbidden();
    let nobody = teacher.without_token();
    let address = link(&teacher, &course).await;
    let ticket = address.split_once("ticket=").unwrap().1;
    let page = nobody.get(&address).await.is(200);

    let other = school.course("Zoology").await;
    enroll(&school.admin, other.id, teacher.id, "TeacherEnrollment").await;
    let elsewhere = format!("{}?ticket={ticket}", settings_of(other.id));
    nobody.get(&elsewhere).await.is_page(403, "This link has ended");
    let tampered = format!("{}?ticket=x{ticket}", settings_of(course.id));
    nobody.get(&tampered).await.is_page(403, "This link has ended");
    nobody.post(&settings_of(course.id)).form(&[("course[name]", "Mine")]).await.leads_to("/login");

    let enrollments = course.path(&format!("/enrollments?user_id={}", teacher.id));
    let enrollment = school.admin.get(&enrollments).await.is(200).ids()[0];
    let end = course.path(&format!("/enrollments/{enrollment}?task=delete"));
    school.admin.delete(&end).await.is(200);
    nobody.get(&address).await.is_page(403, "not authorized");
    send(&nobody, &page, course.id, &[("name", "Mine")]).await.is_page(403, "not authorized");
    school.admin.delete(&format!("/api/v1/accounts/self/users/{}", teacher.id)).await.is(200);
    nobody.get(&address).await.is_page(403, "This link has ended");
    assert_eq!(school.admin.get(&course.path("")).await.is(200)["name"], "Botany");
}

#[tokio::test]
async fn an_administrator_who_acts_as_a_teacher_is_told() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let path = course.path(&format!("/settings_link?as_user_id={}", teacher.id));
    let address = school.admin.post(&path).await.is(200)["url"].as_str().unwrap().to_owned();
    let nobody = teacher.without_token();
    let page = nobody.get(&address).await.is_page(200, "You act as");
    send(&nobody, &page, course.id, &[("name", "Botany I")]).await.is(303);
    let (event, _) = newest(&school, course.id).await;
    let links = &event["links"];
    assert_eq!(
        (&links["user"], &links["real_user"], &event["event_source"]),
        (&json!(teacher.id.to_string()), &json!(school.admin.id.to_string()), &json!("manual"))
    );
}
