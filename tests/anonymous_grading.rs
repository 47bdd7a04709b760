//! Anonymous grading: graders do not see whose work it is until its grade is posted.

use serde_json::json;
use support::School;

use crate::quiz_sessions::Room;

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
