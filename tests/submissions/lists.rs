//! The list of an assignment's submissions, which says of each what it says of itself.

use super::*;

const DUE: &str = "2020-01-01T00:00:00Z";

/// An answer without the signatures of its links, which are others each second.
fn unsigned(answer: &Response) -> String {
    let mut parts = answer.body.split("verifier=");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('"').map_or("", |(_, behind)| behind))
}

/// Holds the list of an assignment against what is read of each student by itself, word for word, and with things beside it that
/// nobody knows.
async fn agrees(teacher: &Client, assignment: &str, students: &[&Client]) -> Vec<Value> {
    let list = format!("{assignment}/submissions?per_page=50");
    let plain = teacher.get(&list).await.is(200);
    let mut alone = Vec::new();
    for student in students {
        alone.push(unsigned(&teacher.get(&format!("{assignment}/submissions/{}", student.id)).await.is(200)));
    }
    assert_eq!(unsigned(&plain), format!("[{}]", alone.join(",")));
    assert_eq!(unsigned(&teacher.get(&format!("{list}&include[]=nothing")).await.is(200)), unsigned(&plain));
    let (course, id) = assignment.split_once("/assignments/").expect("an assignment");
    let of_course = format!("{course}/students/submissions?student_ids[]=all&assignment_ids[]={id}&per_page=50");
    assert_eq!(unsigned(&teacher.get(&of_course).await.is(200)), unsigned(&plain));
    plain.json.as_array().unwrap().clone()
}

/// A text that a teacher hands in for the student, as of that moment.
fn text_at(student: &Client, at: &str, body: &str) -> Value {
    json!({ "submission_type": "online_text_entry", "body": body, "user_id": student.id, "submitted_at": at })
}

#[tokio::test]
async fn a_list_says_what_each_submission_says_of_itself() {
    let school = School::start().await;
    let (course, teacher, first) = school.classroom("Botany").await;
    let member = async || course.member(&school, "StudentEnrollment").await;
    let (on_time, late, linked, graded) = (&member().await, &member().await, &member().await, &member().await);
    let (on_paper, excused, extended) = (&member().await, &member().await, &member().await);
    let (with_file, given_more_time) = (&member().await, &member().await);
    let students = [&first, on_time, late, linked, graded, on_paper, excused, extended, with_file, given_more_time];
    let essay = assignment(&teacher, &course, json!({ "due_at": DUE })).await;
    let dates = json!({ "student_ids": [given_more_time.id], "due_at": "2020-02-01T00:00:00Z", "title": "Later" });
    teacher.post(&format!("{essay}/overrides")).json(json!({ "assignment_override": dates })).await.is(201);
    for (student, at, body) in [
        (on_time, "2019-12-31T23:59:59Z", "<p>\"Leaves\" \\ \u{1f343}\u{2028}</p>"),
        (late, "2020-01-01T00:00:01Z", "<p>a\n\tb</p>"),
        (graded, "2020-01-03T04:05:06Z", "<p>c</p>"),
        (given_more_time, "2020-01-20T00:00:00Z", "<p>d</p>"),
    ] {
        hand_in(&teacher, &essay, text_at(student, at, body)).await.is(201);
    }
    let address = json!({ "submission_type": "online_url", "url": "https://leaf.test/?a=1&b=%222%22" });
    hand_in(linked, &essay, address).await.is(201);
    let file = uploaded(with_file, &format!("{essay}/submissions/self/files")).await;
    let files = json!({ "submission_type": "online_upload", "file_ids": [file] });
    hand_in(with_file, &essay, files).await.is(201);
    for (student, posted) in [
        (graded, json!({ "posted_grade": 7.25 })),
        (on_paper, json!({ "posted_grade": 3 })),
        (excused, json!({ "excuse": true })),
        (extended, json!({ "late_policy_status": "extended" })),
    ] {
        grade(&teacher, &essay, student, posted).await.is(200);
    }

    let listed = agrees(&teacher, &essay, &students).await;
    let of = |student: &Client| listed.iter().find(|one| one["user_id"] == student.id).unwrap();
    let lateness = |student| json!([of(student)["late"], of(student)["missing"], of(student)["seconds_late"]]);
    for (student, expected) in [
        (&first, json!([false, true, 0])),
        (on_time, json!([false, false, 0])),
        (late, json!([true, false, 1])),
        (graded, json!([true, false, 187_506])),
        (on_paper, json!([false, false, 0])),
        (excused, json!([false, false, 0])),
        (extended, json!([false, false, 0])),
        (given_more_time, json!([false, false, 0])),
    ] {
        assert_eq!(lateness(student), expected, "{}", of(student));
    }
    assert_eq!(of(with_file)["attachments"][0]["id"], file);

    // What lateness costs is in the records that are built of their rows.
    let policy = json!({ "late_submission_deduction_enabled": true, "late_submission_deduction": 10 });
    teacher.post(&course.path("/late_policy")).json(json!({ "late_policy": policy })).await.is(201);
    grade(&teacher, &essay, graded, json!({ "posted_grade": 8 })).await.is(200);
    let listed = agrees(&teacher, &essay, &students).await;
    let deducted = listed.iter().find(|one| one["user_id"] == graded.id).unwrap();
    assert_eq!(
        json!([deducted["score"], deducted["entered_score"], deducted["points_deducted"]]),
        json!([5.0, 8.0, 3.0])
    );

    // Work of which nothing is handed in here is never missing, and grades that are posted by hand have no date yet.
    for more in [json!({ "due_at": DUE, "submission_types": ["on_paper"] }), json!({ "due_at": null })] {
        let other = assignment(&teacher, &course, more).await;
        grade(&teacher, &other, &first, json!({ "posted_grade": 1 })).await.is(200);
        agrees(&teacher, &other, &students).await;
    }
    let by_hand = assignment(&teacher, &course, json!({ "post_manually": true })).await;
    grade(&teacher, &by_hand, &first, json!({ "posted_grade": 1 })).await.is(200);
    assert_eq!(agrees(&teacher, &by_hand, &students).await[0]["posted_at"], Value::Null);
}

#[tokio::test]
async fn students_list_what_they_read_one_by_one() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (essay, hidden) = (
        assignment(&teacher, &course, json!({ "due_at": DUE })).await,
        assignment(&teacher, &course, json!({ "post_manually": true })).await,
    );
    let mut alone = Vec::new();
    for work in [&essay, &hidden] {
        hand_in(&student, work, text("<p>Leaves</p>")).await.is(201);
        grade(&teacher, work, &student, json!({ "posted_grade": 7 })).await.is(200);
        alone.push(student.get(&format!("{work}/submissions/self")).await.is(200).json);
    }
    assert_eq!((&alone[0]["score"], &alone[1]["score"]), (&json!(7.0), &json!(null)));
    let list = course.path("/students/submissions");
    assert_eq!(student.get(&list).await.is(200).json, json!(alone));
    let shown = |query: &str| format!("{list}?{query}");
    assert_eq!(student.get(&shown("workflow_state=graded")).await.is(200).json, json!([alone[0]]));
    assert_eq!(student.get(&shown("graded_since=2020-01-01T00:00:00Z")).await.is(200).json, json!([alone[0]]));
    assert_eq!(
        student.get(&shown("order=id&order_direction=descending&per_page=1")).await.is(200).json,
        json!([alone[1]])
    );
    let of_all = teacher.get(&shown("student_ids[]=all&workflow_state=graded")).await.is(200);
    assert_eq!(of_all.ids().len(), 2, "graders see what is not posted");
}

#[tokio::test]
async fn a_list_names_nobody_whose_work_is_graded_anonymously() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = assignment(&teacher, &course, json!({ "anonymous_grading": true, "due_at": DUE })).await;
    hand_in(&student, &essay, text("x")).await.is(201);
    let listed = teacher.get(&format!("{essay}/submissions")).await.is(200);
    let one = listed.json[0].clone();
    let id = one["anonymous_id"].as_str().expect("an anonymous id");
    assert_eq!(teacher.get(&format!("{essay}/anonymous_submissions/{id}")).await.is(200).json, one);
    assert!(one["id"].is_null() && one.get("user_id").is_none() && one["cached_due_date"].is_null(), "{one}");
}
