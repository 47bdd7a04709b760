//! Courses that change, and the log of what happened to them.

mod copies;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use shared::Timestamp;
use support::{Client, Course, Response, School, enroll, recent, running, unique, uuid};

fn log_of(course: i64) -> String {
    format!("/api/v1/audit/course/courses/{course}")
}

fn log_of_account(account: i64) -> String {
    format!("/api/v1/audit/course/accounts/{account}")
}

#[track_caller]
fn events(answer: &Response) -> &Vec<Value> {
    answer["events"].as_array().unwrap_or_else(|| panic!("no events: {answer}"))
}

fn texts(answer: &Response, key: &str) -> Vec<String> {
    events(answer).iter().map(|event| event[key].as_str().unwrap().to_owned()).collect()
}

/// The types of the course's events, the oldest first.
async fn history(admin: &Client, course: i64) -> Vec<String> {
    let log = admin.get(&format!("{}?per_page=100", log_of(course))).await.is(200);
    texts(&log, "event_type").into_iter().rev().collect()
}

/// The course's newest event.
async fn newest(admin: &Client, course: i64) -> Value {
    events(&admin.get(&log_of(course)).await.is(200)).first().expect("an event").clone()
}

/// The id by which the answer calls its request.
fn request_id(answer: &Response) -> String {
    answer.header("x-request-context-id").unwrap().to_owned()
}

async fn change(client: &Client, course: i64, fields: Value) -> Response {
    client.put(&format!("/api/v1/courses/{course}")).json(json!({ "course": fields })).await
}

/// A course that nobody has offered yet.
async fn new_course(school: &School, fields: Value) -> i64 {
    school.admin.post("/api/v1/accounts/self/courses").json(json!({ "course": fields })).await.is(200).id()
}

/// The time of each event to the microsecond, the newest first, as bookmarks tell it: all but the oldest's.
async fn times(admin: &Client, course: i64) -> Vec<String> {
    let (mut times, mut next) = (Vec::new(), Some(format!("{}?per_page=1", log_of(course))));
    while let Some(path) = next {
        let page = admin.get(&path).await.is(200);
        next = page.link("next");
        let bookmark = next.as_ref().and_then(|next| next.split("bookmark:").nth(1)?.split('&').next());
        times.extend(bookmark.map(|bookmark| {
            let key: Value = serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(bookmark).unwrap()).unwrap();
            key[1][0].as_str().unwrap().to_owned()
        }));
    }
    times
}

/// One microsecond later.
fn just_after(time: &str) -> String {
    let later = Timestamp::parse(time).unwrap().to_utc() + std::time::Duration::from_micros(1);
    Timestamp::parse(&later.to_rfc3339()).unwrap().with_microseconds()
}

/// One microsecond earlier.
fn just_before(time: &str) -> String {
    let earlier = Timestamp::parse(time).unwrap().to_utc() - std::time::Duration::from_micros(1);
    Timestamp::parse(&earlier.to_rfc3339()).unwrap().with_microseconds()
}

#[tokio::test]
async fn each_operation_leaves_its_event() {
    let school = School::start().await;
    let course = new_course(&school, json!({ "name": "Botany" })).await;
    for step in ["offer", "claim", "offer", "conclude", "unconclude", "delete", "undelete"] {
        change(&school.admin, course, json!({ "event": step })).await.is(200);
    }
    change(&school.admin, course, json!({ "name": "Botany I" })).await.is(200);
    for step in ["conclude", "delete"] {
        school.admin.delete(&format!("/api/v1/courses/{course}")).json(json!({ "event": step })).await.is(200);
    }
    let expected = [
        "created",
        "published",
        "claimed",
        "published",
        "concluded",
        "unconcluded",
        "deleted",
        "restored",
        "updated",
        "concluded",
        "deleted",
    ];
    assert_eq!(history(&school.admin, course).await, expected);
}

#[tokio::test]
async fn an_answer_has_exactly_the_documented_keys() {
    let school = School::start().await;
    let course = new_course(&school, json!({ "name": "Botany" })).await;
    let teacher = school.person("teacher").await;
    enroll(&school.admin, course, teacher.id, "TeacherEnrollment").await;
    let request = request_id(&change(&teacher, course, json!({ "name": "Botany I" })).await.is(200));

    let log = school.admin.get(&log_of(course)).await.is(200);
    let base = log.link("first").unwrap().split("/api/").next().unwrap().to_owned();
    let template = format!("{base}/api/v1/courses/{{events.course}}");
    assert_eq!(log["links"], json!({ "events.course": template, "events.user": null, "events.sis_batch": null }));
    let event = &events(&log)[0];
    let expected = json!({
        "id": uuid(&event["id"]), "created_at": recent(&event["created_at"]), "event_type": "updated", "event_source": "api",
        "event_data": { "name": ["Botany", "Botany I"] },
        "links": { "course": course.to_string(), "page_view": request, "user": teacher.id.to_string(), "sis_batch": "" },
    });
    assert_eq!(*event, expected);
    let linked = &log["linked"];
    let page_views = linked["page_views"].as_array().unwrap();
    assert_eq!(page_views.len(), 2, "each request once: {log}");
    let expected = json!({
        "id": request, "url": format!("{base}/api/v1/courses/{course}"), "http_method": "PUT", "remote_ip": null,
        "user_agent": null, "credential": "access_token", "app_name": null,
        "created_at": recent(&page_views[1]["created_at"]),
        "links": { "user": teacher.id.to_string(), "real_user": null, "account": school.account.to_string() },
    });
    assert_eq!(page_views[1], expected);
    assert_eq!(linked["courses"].as_array().unwrap().len(), 1, "each record once: {log}");
    assert_eq!(
        (&linked["courses"][0]["id"], &linked["courses"][0]["name"]),
        (&json!(course.to_string()), &json!("Botany I"))
    );
    let users: Vec<_> = linked["users"].as_array().unwrap().iter().map(|user| user["id"].clone()).collect();
    assert_eq!(users, [json!(school.admin.id.to_string()), json!(teacher.id.to_string())]);
    assert!(linked["users"][1]["login_id"].is_string(), "{log}");

    let newest = school.admin.get(&format!("{}?per_page=1", log_of(course))).await.is(200);
    assert_eq!(linked_users(&newest), [teacher.id.to_string()], "what the page names, and not what the next one does");
    assert_eq!(newest["linked"]["page_views"], json!([page_views[1]]));
}

#[tokio::test]
async fn a_new_course_tells_what_it_was_made_of() {
    let school = School::start().await;
    let sis = unique("BOT");
    let fields =
        json!({ "name": "Botany", "sis_course_id": sis, "is_public": false, "license": "", "end_at": "2027-01-01" });
    let course = new_course(&school, fields).await;
    let created = newest(&school.admin, course).await;
    let term = school.admin.get(&format!("/api/v1/courses/{course}")).await.is(200)["enrollment_term_id"].clone();
    let expected = json!({
        "account_id": [null, school.account], "enrollment_term_id": [null, term], "name": [null, "Botany"], "course_code": [null, "Botany"], "default_view": [null, "modules"],
        "sis_source_id": [null, sis], "conclude_at": [null, "2027-01-01T00:00:00Z"], "created_source": "api",
    });
    assert_eq!(created["event_data"], expected);
    change(&school.admin, course, json!({ "name": "Botany I" })).await.is(200);
    let updated = newest(&school.admin, course).await;
    assert_eq!(updated["event_data"], json!({ "name": ["Botany", "Botany I"] }), "only a new course tells its source");

    let offered = school.course("Zoology").await;
    assert_eq!(history(&school.admin, offered.id).await, ["created", "published"]);
}

#[tokio::test]
async fn only_real_changes_are_told() {
    let school = School::start().await;
    let course = new_course(&school, json!({ "name": "Botany" })).await;
    change(&school.admin, course, json!({ "name": "Botany", "is_public": false, "license": "" })).await.is(200);
    change(&school.admin, course, json!({ "event": "claim" })).await.is(200);
    change(&school.admin, course, json!({ "event": "unconclude" })).await.is(200);
    change(&school.admin, course, json!({})).await.is(200);
    change(&school.admin, course, json!({ "name": "" })).await.is(400);
    assert_eq!(history(&school.admin, course).await, ["created"]);

    let text = "ä".repeat(1001);
    change(&school.admin, course, json!({ "syllabus_body": text, "is_public": true })).await.is(200);
    let expected = json!({ "syllabus_body": [null, "ä".repeat(1000)], "is_public": [false, true] });
    assert_eq!(newest(&school.admin, course).await["event_data"], expected);

    let term = json!({ "enrollment_term": { "name": "Autumn" } });
    let autumn = school.admin.post("/api/v1/accounts/self/terms").json(term).await.is(200).id();
    let before = school.admin.get(&format!("/api/v1/courses/{course}")).await.is(200)["enrollment_term_id"].clone();
    change(&school.admin, course, json!({ "term_id": autumn, "post_manually": true })).await.is(200);
    let expected = json!({ "enrollment_term_id": [before, autumn], "post_manually": [false, true] });
    assert_eq!(newest(&school.admin, course).await["event_data"], expected);
}

#[tokio::test]
async fn one_update_may_leave_two_events() {
    let school = School::start().await;
    let course = new_course(&school, json!({ "name": "Botany" })).await;
    change(&school.admin, course, json!({ "name": "Botany I", "event": "offer" })).await.is(200);
    assert_eq!(history(&school.admin, course).await, ["created", "published", "updated"]);
}

#[tokio::test]
async fn a_reset_puts_a_new_course_in_the_place_of_the_old() {
    let school = School::start().await;
    let sis = unique("BOT");
    let old = new_course(&school, json!({ "name": "Botany", "sis_course_id": sis })).await;
    let teacher = school.person("teacher").await;
    enroll(&school.admin, old, teacher.id, "TeacherEnrollment").await;
    let student = school.person("student").await;
    enroll(&school.admin, old, student.id, "StudentEnrollment").await;
    let quiz = json!({ "quiz": { "title": "Leaves" } });
    teacher.post(&format!("/api/v1/courses/{old}/quizzes")).json(quiz).await.is(200);

    let reset = format!("/api/v1/courses/{old}/reset_content");
    student.post(&reset).await.is_forbidden();
    let answer = teacher.post(&reset).await.is(200);
    let new = answer.id();
    assert_eq!((&answer["name"], &answer["sis_course_id"]), (&json!("Botany"), &json!(sis)));
    assert_eq!(answer["workflow_state"], "unpublished");
    teacher.get(&format!("/api/v1/courses/{old}")).await.is_not_found();
    teacher.get(&format!("/api/v1/courses/{new}")).await.is(200);
    assert!(teacher.get(&format!("/api/v1/courses/{new}/quizzes")).await.is(200).ids().is_empty());
    assert_eq!(teacher.get(&format!("/api/v1/courses/{new}/enrollments")).await.is(200).ids().len(), 2);
    assert_eq!(teacher.get(&format!("/api/v1/courses/{new}/sections")).await.is(200).ids().len(), 1);

    assert_eq!(history(&school.admin, old).await, ["created", "reset_to"]);
    assert_eq!(history(&school.admin, new).await, ["reset_from"]);
    let (to, from) = (newest(&school.admin, old).await, newest(&school.admin, new).await);
    assert_eq!((&to["links"]["reset_to"], &to["event_data"]), (&json!(new), &json!({})));
    assert_eq!((&from["links"]["reset_from"], &from["event_data"]), (&json!(old), &json!({})));
    let log = school.admin.get(&log_of(new)).await.is(200);
    let linked = log["linked"]["courses"].as_array().unwrap();
    assert_eq!(linked.iter().map(|course| &course["id"]).collect::<Vec<_>>(), [&old.to_string(), &new.to_string()]);
}

#[tokio::test]
async fn the_bounds_of_a_period_belong_to_it() {
    let school = School::start().await;
    let course = new_course(&school, json!({ "name": "Botany" })).await;
    for step in ["offer", "claim", "conclude"] {
        change(&school.admin, course, json!({ "event": step })).await.is(200);
    }
    let times = times(&school.admin, course).await;
    let [concluded, claimed, published] = times.as_slice() else { panic!("{times:?}") };
    let within = async |query: String| {
        let log = school.admin.get(&format!("{}?{query}", log_of(course))).await.is(200);
        texts(&log, "event_type")
    };
    assert_eq!(within(format!("start_time={claimed}&end_time={claimed}")).await, ["claimed"]);
    assert_eq!(within(format!("start_time={claimed}")).await, ["concluded", "claimed"]);
    assert_eq!(within("start_time=2000-01-01T00:00Z&end_time=2001-01-01T00:00:00%2B0100".to_owned()).await, [""; 0]);
    assert_eq!(within(format!("start_time={}", just_after(claimed))).await, ["concluded"]);
    assert_eq!(within(format!("end_time={published}")).await, ["published", "created"]);
    assert_eq!(within(format!("end_time={}", just_before(published))).await, ["created"]);
    let between = format!("start_time={}&end_time={}", just_after(claimed), just_before(concluded));
    assert!(within(between).await.is_empty());
    assert!(within(format!("start_time={concluded}&end_time={published}")).await.is_empty());
    assert_eq!(within("start_time=soon&end_time=later".to_owned()).await.len(), 4, "what is no time is passed over");

    let pages = school.admin.get(&format!("{}?end_time={claimed}&per_page=1", log_of(course))).await.is(200);
    let next = school.admin.get(&pages.link("next").unwrap()).await.is(200);
    assert_eq!([texts(&pages, "event_type"), texts(&next, "event_type")], [["claimed"], ["published"]]);
    assert!(next.link("next").unwrap().contains("end_time="), "links repeat the period");
}

#[tokio::test]
async fn bookmarks_hold_while_new_events_arrive() {
    let school = School::start().await;
    let course = new_course(&school, json!({ "name": "0" })).await;
    for number in 1..10 {
        change(&school.admin, course, json!({ "name": number.to_string() })).await.is(200);
    }
    for path in [log_of(course), log_of_account(school.account)] {
        let whole = texts(&school.admin.get(&format!("{path}?per_page=100")).await.is(200), "id");
        let (mut seen, mut next) = (Vec::new(), Some(format!("{path}?per_page=3")));
        while let Some(page) = next {
            let page = school.admin.get(&page).await.is(200);
            seen.extend(texts(&page, "id"));
            next = page.link("next");
            change(&school.admin, course, json!({ "name": unique("name") })).await.is(200);
        }
        assert_eq!(seen, whole);
    }
}

#[tokio::test]
async fn pages_follow_one_another_by_bookmarks_alone() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let page = async |query: &str| school.admin.get(&format!("{}?{query}", log_of(course.id))).await;
    let first = page("per_page=1").await.is(200);
    assert!(first.link("first").unwrap().contains("page=first&per_page=1"));
    assert!(first.link("current").is_some() && first.link("prev").is_none() && first.link("last").is_none());
    for query in ["page=1&per_page=1", "page=first&per_page=1", "page=bookmark:broken&per_page=1"] {
        assert_eq!(page(query).await.is(200).json, first.json, "{query}");
    }
    for query in ["page=2", "page=0", "page=x"] {
        page(query).await.is_not_found();
    }
    let last = school.admin.get(&first.link("next").unwrap()).await.is(200);
    assert_eq!(texts(&last, "event_type"), ["created"]);
    assert_eq!(last.link("next"), None);
}

#[tokio::test]
async fn only_administrators_of_the_whole_tenant_read_it() {
    let school = School::start().await;
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let dean = school.person("dean").await;
    let admins = format!("/api/v1/accounts/{faculty}/admins");
    school.admin.post(&admins).json(json!({ "user_id": dean.id })).await.is(200);
    let courses = format!("/api/v1/accounts/{faculty}/courses");
    let course = dean.post(&courses).json(json!({ "course": { "name": "Botany" } })).await.is(200).id();
    let teacher = school.person("teacher").await;
    enroll(&school.admin, course, teacher.id, "TeacherEnrollment").await;

    let foreigner = School::start().await.admin;
    for log in [log_of(course), log_of_account(faculty)] {
        school.admin.get(&log).await.is(200);
        running().site_admin().await.get(&log).await.is(200);
        dean.get(&log).await.is_forbidden();
        teacher.get(&log).await.is_forbidden();
        foreigner.get(&log).await.is_not_found();
    }
    for log in [log_of(9_999_999), log_of_account(9_999_999)] {
        teacher.get(&log).await.is_not_found();
    }
}

#[tokio::test]
async fn an_account_has_the_events_of_its_own_courses() {
    let school = School::start().await;
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let create = async |account: i64, name: &str| {
        let path = format!("/api/v1/accounts/{account}/courses");
        school.admin.post(&path).json(json!({ "course": { "name": name } })).await.is(200).id()
    };
    let (above, below) = (create(school.account, "Above").await, create(faculty, "Below").await);
    let courses = async |account: i64| {
        let log = school.admin.get(&log_of_account(account)).await.is(200);
        events(&log).iter().map(|event| event["links"]["course"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(courses(school.account).await, [json!(above.to_string())]);
    assert_eq!(courses(faculty).await, [json!(below.to_string())]);
    change(&school.admin, below, json!({ "event": "delete" })).await.is(200);
    school.admin.delete(&format!("/api/v1/accounts/self/sub_accounts/{faculty}")).await.is(200);
    school.admin.get(&log_of_account(faculty)).await.is_not_found();
    assert_eq!(history(&school.admin, below).await, ["created", "deleted"]);
}

/// The ids of the users whom the answer links.
fn linked_users(log: &Response) -> Vec<&str> {
    log["linked"]["users"].as_array().unwrap().iter().map(|user| user["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn who_acts_as_another_user_is_told() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let path = course.path(&format!("?as_user_id={}", teacher.id));
    let (user, real_user) = (json!(teacher.id.to_string()), json!(school.admin.id.to_string()));
    school.admin.put(&path).json(json!({ "course": { "name": "Botany I" } })).await.is(200);
    let log = school.admin.get(&format!("{}?per_page=1", log_of(course.id))).await.is(200);
    let links = &events(&log)[0]["links"];
    assert_eq!((&links["user"], &links["real_user"]), (&user, &real_user), "{log}");
    let mut expected = [teacher.id, school.admin.id];
    expected.sort_unstable();
    assert_eq!(linked_users(&log), expected.map(|id| id.to_string()));

    change(&teacher, course.id, json!({ "name": "Botany II" })).await.is(200);
    let links = newest(&school.admin, course.id).await["links"].clone();
    assert_eq!((&links["user"], links.get("real_user")), (&user, None));
}

#[tokio::test]
async fn who_imports_as_another_user_is_told() {
    let school = School::start().await;
    let dean = school.person("dean").await;
    let admins = json!({ "user_id": dean.id });
    school.admin.post("/api/v1/accounts/self/admins").json(admins).await.is(200);
    let course = new_course(&school, json!({ "name": "Botany", "sis_course_id": "C1" })).await;
    let path = format!("/api/v1/accounts/self/sis_imports?as_user_id={}", dean.id);
    let csv = "course_id,short_name,long_name,status\nC1,B,Botany I,active\n";
    school.admin.post(&path).body("text/csv", csv).await.is(200);
    for _ in 0..1_200 {
        if history(&school.admin, course).await == ["created", "updated"] {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let updated = newest(&school.admin, course).await;
    let links = &updated["links"];
    assert_eq!((&updated["event_source"], &links["page_view"]), (&json!("sis"), &json!("")), "{updated}");
    let expected = (json!(dean.id.to_string()), json!(school.admin.id.to_string()));
    assert_eq!((&links["user"], &links["real_user"]), (&expected.0, &expected.1));
}

#[tokio::test]
async fn a_course_that_moves_tells_both_accounts() {
    let school = School::start().await;
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let course = new_course(&school, json!({ "name": "Botany" })).await;
    let moved = change(&school.admin, course, json!({ "account_id": faculty, "name": "Botany I" })).await.is(200);
    assert_eq!(moved["account_id"], faculty);
    let updated = newest(&school.admin, course).await;
    let expected = json!({ "account_id": [school.account, faculty], "name": ["Botany", "Botany I"] });
    assert_eq!(updated["event_data"], expected);
    let of_account = async |account: i64| {
        let log = school.admin.get(&log_of_account(account)).await.is(200);
        texts(&log, "event_type")
    };
    assert_eq!(
        (of_account(school.account).await, of_account(faculty).await),
        (vec!["created".into()], vec!["updated".into()])
    );

    let before = history(&school.admin, course).await;
    change(&school.admin, course, json!({ "account_id": faculty })).await.is(200);
    change(&school.admin, course, json!({ "account_id": null })).await.is(200);
    change(&school.admin, course, json!({ "account_id": 9_999_999 })).await.is_not_found();
    assert_eq!(history(&school.admin, course).await, before, "it stays where it is");
}

#[tokio::test]
async fn who_moves_a_course_administers_both_accounts() {
    let school = School::start().await;
    let sub_account = async |name: &str| {
        let account = json!({ "account": { "name": name } });
        school.admin.post("/api/v1/accounts/self/sub_accounts").json(account).await.is(200).id()
    };
    let (faculty, library) = (sub_account("Faculty").await, sub_account("Library").await);
    let dean = school.person("dean").await;
    let admins = format!("/api/v1/accounts/{faculty}/admins");
    school.admin.post(&admins).json(json!({ "user_id": dean.id })).await.is(200);
    let courses = format!("/api/v1/accounts/{faculty}/courses");
    let course = dean.post(&courses).json(json!({ "course": { "name": "Botany" } })).await.is(200).id();
    let teacher = school.person("teacher").await;
    enroll(&school.admin, course, teacher.id, "TeacherEnrollment").await;

    change(&dean, course, json!({ "account_id": library })).await.is_forbidden();
    change(&teacher, course, json!({ "account_id": library })).await.is_forbidden();
    change(&teacher, course, json!({ "account_id": faculty, "name": "Botany I" })).await.is(200);
    let elsewhere = School::start().await;
    change(&school.admin, course, json!({ "account_id": elsewhere.account })).await.is_not_found();
    let site = running().site_admin().await;
    let refused = change(&site, course, json!({ "account_id": elsewhere.account })).await;
    refused.is_refused(400, "belongs to another institution");
    assert_eq!(change(&site, course, json!({ "account_id": library })).await.is(200)["account_id"], library);
    assert_eq!(history(&school.admin, course).await, ["created", "updated", "updated"]);
}

#[tokio::test]
async fn deleted_courses_are_known_by_id_and_by_sis_id() {
    let school = School::start().await;
    let sis = unique("BOT");
    let by_sis = format!("/api/v1/audit/course/courses/sis_course_id:{sis}");
    let first = new_course(&school, json!({ "name": "Botany", "sis_course_id": sis })).await;
    change(&school.admin, first, json!({ "event": "delete" })).await.is(200);
    assert_eq!(history(&school.admin, first).await, ["created", "deleted"]);
    let course = async || events(&school.admin.get(&by_sis).await.is(200))[0]["links"]["course"].clone();
    assert_eq!(course().await, first.to_string());
    let second = new_course(&school, json!({ "name": "Botany", "sis_course_id": sis })).await;
    assert_eq!(course().await, second.to_string());
}

#[tokio::test]
async fn the_log_is_read_and_never_written() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    for path in [log_of(course.id), log_of_account(school.account)] {
        for answer in [
            school.admin.post(&path).await,
            school.admin.put(&path).await,
            school.admin.patch(&path).await,
            school.admin.delete(&path).await,
        ] {
            answer.is(405);
        }
    }
}
