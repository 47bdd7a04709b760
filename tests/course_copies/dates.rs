//! The dates of a course that is held again: shifted to its new time, or removed, in copies and in packages.

use serde_json::{Value, json};
use support::{Client, Course, School};

use crate::content_exports::package;
use crate::content_imports::{imported, issues};
use crate::files::upload;

/// Monday to Friday. A day ends at 23:59:59 in Zurich, an hour before that of universal time in winter, and two in summer.
const DATES: [&str; 3] = ["2026-03-03T22:59:59Z", "2026-02-20T07:00:00Z", "2026-04-01T21:00:00Z"];
/// Thirty weeks later.
const SHIFTED: [&str; 3] = ["2026-09-29T21:59:59Z", "2026-09-18T06:00:00Z", "2026-10-28T22:00:00Z"];

fn shift() -> Value {
    json!({ "shift_dates": true, "old_start_date": "2026-02-16", "new_start_date": "2026-09-14" })
}

/// A course in Zurich in which everything that can have dates has them.
async fn dated(school: &School) -> Course {
    let (admin, course) = (&school.admin, in_zurich(school).await);
    let [due_at, unlock_at, lock_at] = DATES;
    let dates = |mut form: Value| {
        let own = json!({ "due_at": due_at, "unlock_at": unlock_at, "lock_at": lock_at });
        form.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        form
    };
    let assignment = json!({ "assignment": dates(json!({ "name": "Essay", "published": true })) });
    admin.post(&course.path("/assignments")).json(assignment).await.is(201);
    let quiz = dates(json!({
        "title": "Leaves", "quiz_type": "assignment", "show_correct_answers_at": due_at, "hide_correct_answers_at": lock_at,
    }));
    admin.post(&course.path("/quizzes")).json(json!({ "quiz": quiz })).await.is(200);
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    admin.post(&engine).json(json!({ "quiz": dates(json!({ "title": "Seeds" })) })).await.is(200);
    let file =
        upload(admin, &course.path("/files"), json!({ "name": "leaf.txt", "parent_folder_path": "a" }), b"x").await;
    let closed = json!({ "unlock_at": unlock_at, "lock_at": lock_at });
    admin.put(&format!("/api/v1/files/{}", file.id())).json(&closed).await.is(200);
    let folder = folder(admin, &course).await["id"].as_i64().unwrap();
    admin.put(&format!("/api/v1/folders/{folder}")).json(&closed).await.is(200);
    course
}

async fn in_zurich(school: &School) -> Course {
    let course = school.course("Botany").await;
    let zone = json!({ "course": { "time_zone": "Europe/Zurich" } });
    school.admin.put(&course.path("")).json(zone).await.is(200);
    course
}

/// The only folder below the root.
async fn folder(admin: &Client, course: &Course) -> Value {
    let folders = admin.get(&course.path("/folders")).await.is(200);
    let is_below = |folder: &&Value| folder["full_name"] == "course files/a";
    folders.json.as_array().unwrap().iter().find(is_below).unwrap().clone()
}

/// Whatever has dates, with these.
async fn dates(admin: &Client, course: &Course) -> Value {
    let list = async |path: String| admin.get(&path).await.is(200).json.as_array().unwrap().clone();
    let of = |one: &Value, names: &[&str]| names.iter().map(|name| one[*name].clone()).collect::<Value>();
    let assignments = list(course.path("/assignments")).await;
    let assignments = assignments.iter().map(|own| (own["name"].as_str().unwrap().to_owned(), of(own, &ALL)));
    let quizzes = list(course.path("/quizzes")).await;
    let files = list(course.path("/files")).await;
    json!({
        "assignments": assignments.collect::<serde_json::Map<_, _>>(),
        "quiz": of(&quizzes[0], &ALL),
        "answers": of(&quizzes[0], &["show_correct_answers_at", "hide_correct_answers_at"]),
        "file": of(&files[0], &CLOSED),
        "folder": of(&folder(admin, course).await, &CLOSED),
    })
}

fn all([due_at, unlock_at, lock_at]: [Value; 3]) -> Value {
    let (dates, closed) = (json!([due_at, unlock_at, lock_at]), json!([unlock_at, lock_at]));
    json!({
        "assignments": { "Essay": dates, "Leaves": dates, "Seeds": dates }, "quiz": dates, "answers": [due_at, lock_at],
        "file": closed, "folder": closed,
    })
}

async fn copy(admin: &Client, source: &Course, to: &Course, options: Value) {
    let form = json!({
        "migration_type": "course_copy_importer", "settings": { "source_course_id": source.id }, "date_shift_options": options,
    });
    admin.post(&to.path("/content_migrations")).json(form).await.is(200);
}

const ALL: [&str; 3] = ["due_at", "unlock_at", "lock_at"];
const CLOSED: [&str; 2] = ["unlock_at", "lock_at"];

#[tokio::test]
async fn a_copy_has_its_dates_in_its_own_time_or_none() {
    let school = School::start().await;
    let (admin, source) = (&school.admin, dated(&school).await);
    for (options, expected) in [
        (shift(), SHIFTED.map(Value::from)),
        (json!({ "remove_dates": "1" }), [Value::Null, Value::Null, Value::Null]),
        (json!({ "shift_dates": false, "old_start_date": "2026-02-16" }), DATES.map(Value::from)),
        (json!({}), DATES.map(Value::from)),
    ] {
        let to = school.course("Botany again").await;
        copy(admin, &source, &to, options.clone()).await;
        assert_eq!(dates(admin, &to).await, all(expected), "{options}");
        assert_eq!(dates(admin, &source).await, all(DATES.map(Value::from)));
    }
}

#[tokio::test]
async fn the_days_of_both_courses_stand_for_what_is_left_out_and_one_day_takes_the_place_of_another() {
    let school = School::start().await;
    let (admin, source, to) = (&school.admin, dated(&school).await, school.course("Botany again").await);
    let held = |start: &str, end: &str| json!({ "course": { "start_at": start, "end_at": end } });
    admin.put(&source.path("")).json(held("2026-02-16T05:00:00Z", "2026-05-29T20:00:00Z")).await.is(200);
    admin.put(&to.path("")).json(held("2026-09-13T22:30:00Z", "2026-12-25T20:00:00Z")).await.is(200);
    let id = source.id.to_string();
    let form = [
        ("migration_type", "course_copy_importer"),
        ("settings[source_course_id]", id.as_str()),
        ("date_shift_options[shift_dates]", "1"),
        ("date_shift_options[new_start_date]", "Sep 14"),
        ("date_shift_options[day_substitutions][2]", "4"),
    ];
    let refused = admin.post(&to.path("/content_migrations")).form(&form).await;
    refused.is_refused(400, "date_shift_options[new_start_date] must be a date");
    let form = form.map(|(name, value)| (name, if value == "Sep 14" { "2026-09-14" } else { value }));
    admin.post(&to.path("/content_migrations")).form(&form).await.is(200);
    let [_, unlock_at, lock_at] = SHIFTED;
    assert_eq!(dates(admin, &to).await, all(["2026-09-24T21:59:59Z", unlock_at, lock_at].map(Value::from)));
}

#[tokio::test]
async fn a_copy_leaves_the_dates_of_what_was_there() {
    let school = School::start().await;
    let (admin, source, to) = (&school.admin, dated(&school).await, dated(&school).await);
    copy(admin, &source, &to, json!({ "remove_dates": true })).await;
    let kept = dates(admin, &to).await;
    let before = all(DATES.map(Value::from));
    for kind in ["quiz", "answers", "file", "folder"] {
        assert_eq!(kept[kind], before[kind], "{kind}");
    }
}

#[tokio::test]
async fn dates_that_cannot_be_shifted_are_refused_and_nothing_is_copied() {
    let school = School::start().await;
    let (admin, source, to) = (&school.admin, dated(&school).await, school.course("Botany again").await);
    let options = |more: Value| {
        let mut options = shift();
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        options
    };
    let first = "is missing, and the course has no first day";
    for (options, words) in [
        (json!({ "shift_dates": true }), format!("date_shift_options[old_start_date] {first}")),
        (options(json!({ "new_start_date": null })), format!("date_shift_options[new_start_date] {first}")),
        (options(json!({ "remove_dates": true })), "shift_dates and remove_dates exclude one another".to_owned()),
        (
            options(json!({ "new_end_date": "2026-09-13" })),
            "date_shift_options[new_end_date] must not be before the first day".to_owned(),
        ),
        (
            options(json!({ "day_substitutions": { "7": 1 } })),
            "date_shift_options[day_substitutions] must be a hash of days from 0 (Sunday) to 6".to_owned(),
        ),
    ] {
        for kind in ["course_copy_importer", "common_cartridge_importer"] {
            let form = json!({
                "migration_type": kind, "settings": { "source_course_id": source.id }, "date_shift_options": options,
                "pre_attachment": { "name": "a.zip", "size": 100 },
            });
            admin.post(&to.path("/content_migrations")).json(form).await.is_refused(400, &words);
        }
    }
    assert_eq!(admin.get(&to.path("/content_migrations")).await.is(200).ids(), [0; 0]);
    assert_eq!(admin.get(&to.path("/assignments")).await.is(200).ids(), [0; 0]);
}

#[tokio::test]
async fn a_package_has_its_dates_in_the_time_of_the_course_or_none() {
    let school = School::start().await;
    let (admin, source) = (&school.admin, dated(&school).await);
    let bytes = package(admin, &source, json!({ "export_type": "common_cartridge" })).await.bytes;
    for (options, expected) in [
        (shift(), SHIFTED.map(Value::from)),
        (json!({ "remove_dates": true }), [Value::Null, Value::Null, Value::Null]),
        (json!(null), DATES.map(Value::from)),
    ] {
        let to = in_zurich(&school).await;
        let form = json!({ "migration_type": "common_cartridge_importer", "date_shift_options": options });
        let migration = imported(admin, &to, form, &bytes).await;
        assert_eq!(dates(admin, &to).await, all(expected), "{options}: {:?}", issues(admin, &migration).await);
    }
}
