//! Anonymous grading: graders do not see whose work it is until its grade is posted.

use serde_json::{Value, json};
use support::{Client, Course, School, running};

use crate::quiz_sessions::Room;
use crate::submissions::uploaded;

/// The path of an assignment that is graded anonymously.
async fn anonymous(teacher: &Client, course: &Course, submission_type: &str) -> String {
    let form =
        json!({ "name": "Essay", "published": true, "submission_types": [submission_type], "anonymous_grading": true });
    let id = teacher.post(&course.path("/assignments")).json(json!({ "assignment": form })).await.is(201).id();
    course.path(&format!("/assignments/{id}"))
}

#[tokio::test]
async fn students_learn_nothing_of_the_work_of_others() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = anonymous(&teacher, &course, "online_text_entry").await;
    let (absent, eager) =
        (course.member(&school, "StudentEnrollment").await, course.member(&school, "StudentEnrollment").await);
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "x" } });
    eager.post(&format!("{essay}/submissions")).json(text).await.is(201);
    let said = async |of: &Client| {
        let form = json!({ "comment": { "text_comment": "Well done" } });
        student.put(&format!("{essay}/submissions/{}", of.id)).json(form).await.is_forbidden().body
    };
    assert_eq!(said(&absent).await, said(&eager).await, "whether there is any");
}

#[tokio::test]
async fn graders_see_whose_work_it_is_when_it_is_posted() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let form = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"], "points_possible": 10,
                       "anonymous_grading": true });
    let essay = teacher.post(&course.path("/assignments")).json(json!({ "assignment": form })).await.is(201);
    assert_eq!((&essay["anonymous_grading"], &essay["post_manually"]), (&json!(true), &json!(true)));
    let path = course.path(&format!("/assignments/{}", essay.id()));
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "x" },
                       "comment": { "text_comment": "Please" } });
    let own = student.post(&format!("{path}/submissions")).json(text).await.is(201);
    assert_eq!((&own["user_id"], own.json.get("anonymous_id")), (&json!(student.id), None));

    let include = "include[]=user&include[]=submission_comments";
    let listed = teacher.get(&format!("{path}/submissions?{include}")).await.is(200);
    let [work] = listed.json.as_array().unwrap().as_slice() else { panic!("{listed}") };
    let id = work["anonymous_id"].as_str().unwrap();
    for member in ["user_id", "user"] {
        assert_eq!(work.get(member), None, "{work}");
    }
    assert!(work["preview_url"].as_str().unwrap().contains(&format!("/anonymous_submissions/{id}")), "{work}");
    let comment = &work["submission_comments"][0];
    assert_eq!((&comment["author_name"], comment.get("author_id")), (&json!("Anonymous"), None));

    let named = format!("{path}/submissions/{}", student.id);
    let grade = json!({ "submission": { "posted_grade": "7" } });
    teacher.get(&named).await.is_refused(403, "graded anonymously");
    teacher.put(&named).json(grade.clone()).await.is_refused(403, "graded anonymously");
    let all = course.path("/students/submissions?student_ids[]=all");
    assert_eq!(teacher.get(&all).await.is(200).json, json!([]));
    let anonymous = format!("{path}/anonymous_submissions/{id}");
    assert_eq!(teacher.get(&anonymous).await.is(200)["body"], "x");
    student.get(&anonymous).await.is_forbidden();
    teacher.get(&format!("{path}/anonymous_submissions/nobody")).await.is_not_found();
    let graded = teacher.put(&anonymous).json(grade).await.is(200);
    assert_eq!((&graded["score"], graded.json.get("user_id")), (&json!(7.0), None));
    assert_eq!(student.get(&format!("{path}/submissions/self")).await.is(200)["score"], json!(null));

    teacher.put(&format!("{path}/post_grades")).await.is(200);
    assert_eq!(teacher.get(&anonymous).await.is(200)["user_id"], student.id);
    assert_eq!(teacher.get(&named).await.is(200)["score"], 7.0);
    assert_eq!(student.get(&format!("{path}/submissions/self")).await.is(200)["score"], 7.0);
}

#[tokio::test]
async fn graders_do_not_see_who_takes_a_quiz() {
    let room = Room::of_questions(1, json!({})).await;
    let assignment = room.course.path(&format!("/assignments/{}", room.quiz));
    room.teacher.put(&assignment).json(json!({ "assignment": { "anonymous_grading": true } })).await.is(200);
    let taken = room.starts().await;
    assert_eq!(taken.session["user_id"], room.student.id);
    taken.submits(&room.student).await;
    let sessions = room.teacher.get(&room.sessions()).await.is(200);
    let attempts = room.teacher.get(&format!("{}/attempts", room.path())).await.is(200);
    for shown in [&sessions.json[0], &room.teacher.get(&taken.path).await.json, &taken.result(&room.teacher).await.json]
    {
        assert_eq!(shown.get("user_id"), None, "{shown}");
    }
    assert_eq!(attempts.json[0]["user_id"], json!(null));
    room.teacher.put(&format!("{assignment}/post_grades")).await.is(200);
    assert_eq!(room.teacher.get(&taken.path).await.is(200)["user_id"], room.student.id);

    let quiz = json!({ "title": "Opinion", "quiz_type": "survey", "anonymous_submissions": true, "published": true });
    let quiz = room.teacher.post(&room.course.path("/quizzes")).json(json!({ "quiz": quiz })).await.is(200).id();
    let path = room.course.path(&format!("/quizzes/{quiz}/submissions"));
    let own = room.student.post(&path).await.is(200);
    assert_eq!(own["quiz_submissions"][0]["user_id"], room.student.id);
    let listed = room.teacher.get(&path).await.is(200);
    assert_eq!(listed["quiz_submissions"][0].get("user_id"), None);
}

#[tokio::test]
async fn ids_and_files_do_not_tell_whose_work_it_is() {
    let school = School::start().await;
    let (course, teacher, first) = school.classroom("Botany").await;
    let mut students = vec![first];
    for _ in 1..10 {
        students.push(course.member(&school, "StudentEnrollment").await);
    }
    let path = anonymous(&teacher, &course, "online_upload").await;
    let named = format!("{path}/submissions/{}", students[0].id);
    teacher.get(&named).await.is_refused(403, "graded anonymously");
    // The grader looks before anybody has handed in.
    teacher.get(&format!("{path}/submissions")).await.is(200);
    let file = uploaded(&students[0], &format!("{path}/submissions/self/files")).await;
    let work = json!({ "submission": { "submission_type": "online_upload", "file_ids": [file] } });
    let own = students[0].post(&format!("{path}/submissions")).json(work).await.is(201);
    assert!(own["id"].is_i64() && own["attachments"][0]["folder_id"].is_i64(), "{own}");

    let listed = teacher.get(&format!("{path}/submissions?include[]=submission_history")).await.is(200);
    let rows = listed.json.as_array().unwrap();
    assert!(rows.len() == 10 && rows.iter().all(|row| row["id"].is_null()), "{listed}");
    let handed_in = rows.iter().find(|row| row["attempt"] == 1).unwrap();
    for work in [handed_in, &handed_in["submission_history"][0]] {
        let file = &work["attachments"][0];
        assert_eq!((&file["folder_id"], &file["uuid"], &work["id"]), (&json!(null), &json!(""), &json!(null)));
        for moment in ["created_at", "updated_at", "modified_at"] {
            assert_eq!(file[moment], work["submitted_at"], "{moment}");
        }
    }
    let id = path.rsplit_once('/').unwrap().1;
    let sql = format!("SELECT user_id FROM submissions WHERE assignment_id = {id} ORDER BY id");
    if let Some(rows) = running().read_database(&sql) {
        let rows: Vec<_> = rows.into_iter().flatten().collect();
        assert_ne!(rows, students.iter().map(|student| json!(student.id)).collect::<Vec<_>>());
    }
    teacher.put(&format!("{path}/post_grades")).await.is(200);
    assert_eq!(teacher.get(&named).await.is(200)["id"], own.id());
}

#[tokio::test]
async fn extensions_do_not_tell_whose_attempt_it_is() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = |more: Value| {
        let mut quiz = json!({ "title": "Leaves", "published": true, "time_limit": 30 });
        quiz.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "quiz": quiz })
    };
    let graded = teacher.post(&course.path("/quizzes")).json(quiz(json!({ "quiz_type": "assignment" }))).await.is(200);
    let assignment = course.path(&format!("/assignments/{}", graded["assignment_id"]));
    teacher.put(&assignment).json(json!({ "assignment": { "anonymous_grading": true } })).await.is(200);
    let survey = quiz(json!({ "quiz_type": "survey", "anonymous_submissions": true }));
    let survey = teacher.post(&course.path("/quizzes")).json(survey).await.is(200);

    let told = async |path: &str, attempt: &str| {
        let extension = json!({ "quiz_extensions": [{ "user_id": student.id, "extra_time": 7, "extra_attempts": 3 }] });
        let extended = teacher.post(&format!("{path}/extensions")).json(extension).await.is(200);
        assert_eq!(extended["quiz_extensions"][0]["extra_time"], 7);
        let listed = teacher.get(&format!("{path}/submissions")).await.is(200)["quiz_submissions"][0].clone();
        let read = teacher.get(attempt).await.is(200)["quiz_submissions"][0].clone();
        let time = teacher.get(&format!("{attempt}/time")).await.is(200).json;
        let mut told = vec![extended["quiz_extensions"][0]["end_at"].clone(), time["end_at"].clone()];
        for member in ["end_at", "extra_time", "extra_attempts"] {
            told.extend([listed[member].clone(), read[member].clone()]);
        }
        told.iter().filter(|told| !told.is_null()).count()
    };
    let mut attempts = Vec::new();
    for id in [graded.id(), survey.id()] {
        let path = course.path(&format!("/quizzes/{id}"));
        let started = student.post(&format!("{path}/submissions")).await.is(200);
        let own = &started["quiz_submissions"][0];
        assert!(own["end_at"].is_string(), "{own}");
        let attempt = format!("{path}/submissions/{}", own["id"]);
        assert_eq!(told(&path, &attempt).await, 0);
        attempts.push((path, attempt));
    }
    teacher.put(&format!("{assignment}/post_grades")).await.is(200);
    let (path, attempt) = &attempts[0];
    assert_eq!(told(path, attempt).await, 8, "it is known whose it is");
    let (path, attempt) = &attempts[1];
    assert_eq!(told(path, attempt).await, 0, "of a survey never");
}
