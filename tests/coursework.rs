//! Assignments, classic quizzes with their questions and banks, new quizzes and attempts at them.

mod assignments;
mod banks;

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, Course, Response, School, running};

async fn new_quiz(teacher: &Client, course: &Course, quiz: Value) -> Response {
    teacher.post(&course.path("/quizzes")).json(json!({ "quiz": quiz })).await
}

fn question(name: &str) -> Value {
    json!({ "question": {
        "question_name": name,
        "question_text": "<p>Which leaf?</p>",
        "question_type": "multiple_choice_question",
        "points_possible": 2,
        "answers": [{ "text": "Oak", "weight": 100 }, { "text": "Elm", "weight": 0 }],
    } })
}

#[tokio::test]
async fn a_classic_quiz_lives() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = new_quiz(&teacher, &course, json!({ "title": "Leaves", "quiz_type": "assignment" })).await.is(200);
    assert_eq!(
        (&quiz["title"], &quiz["published"], &quiz["question_count"]),
        (&json!("Leaves"), &json!(false), &json!(0))
    );
    let path = course.path(&format!("/quizzes/{}", quiz.id()));
    let changed = teacher.put(&path).json(json!({ "quiz": { "title": "Roots", "published": true } })).await.is(200);
    assert_eq!((&changed["title"], &changed["published"]), (&json!("Roots"), &json!(true)));
    assert_eq!(changed["quiz_type"], "assignment", "what is not named stays");
    assert_eq!(teacher.get(&course.path("/quizzes")).await.is(200).ids(), [quiz.id()]);
    teacher.delete(&path).await.is(200);
    teacher.get(&path).await.is_not_found();
    teacher.delete(&path).await.is_not_found();
}

/// Settings of a quiz that are words.
fn words(hide: Value, policy: &str, kind: &str) -> Value {
    json!({ "title": "Leaves", "hide_results": hide, "scoring_policy": policy, "quiz_type": kind })
}

#[tokio::test]
async fn a_blank_word_of_a_classic_quiz_is_none() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let has = |quiz: &Response| ["hide_results", "scoring_policy", "quiz_type"].map(|word| quiz[word].clone());
    let made = new_quiz(&teacher, &course, words(json!(""), "", "")).await.is(200);
    assert_eq!(has(&made), [json!(null), json!("keep_highest"), json!("practice_quiz")]);
    let path = course.path(&format!("/quizzes/{}", made.id()));
    let change = async |quiz: Value| has(&teacher.put(&path).json(json!({ "quiz": quiz })).await.is(200));
    let [latest, survey] = ["keep_latest", "survey"].map(Value::from);
    for none in [json!(""), json!(null)] {
        let set = change(words(json!("always"), "keep_latest", "survey")).await;
        assert_eq!(set, [json!("always"), latest.clone(), survey.clone()]);
        assert_eq!(change(words(none, "", "")).await, [json!(null), latest.clone(), survey.clone()]);
    }
    let form = [("quiz[hide_results]", "always"), ("quiz[scoring_policy]", "")];
    assert_eq!(has(&teacher.put(&path).form(&form).await.is(200)), [json!("always"), latest, survey]);
}

#[tokio::test]
async fn graders_find_what_belongs_to_a_quiz() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = new_quiz(&teacher, &course, json!({ "title": "Leaves", "published": true })).await.is(200);
    for (address, what) in [("quiz_reports_url", "reports"), ("quiz_statistics_url", "statistics")] {
        let address = quiz[address].as_str().unwrap();
        assert!(address.ends_with(&course.path(&format!("/quizzes/{}/{what}", quiz.id()))), "{address}");
        teacher.get(address).await.is(200);
    }
    let extension = json!({ "quiz_extensions": [{ "user_id": student.id, "extra_attempts": 1 }] });
    teacher.post(quiz["quiz_extensions_url"].as_str().unwrap()).json(extension).await.is(200);
    let seen = student.get(&course.path(&format!("/quizzes/{}", quiz.id()))).await.is(200);
    assert_eq!(seen.json.get("quiz_statistics_url"), None);
}

#[tokio::test]
async fn what_a_classic_quiz_must_not_be() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    for quiz in [
        json!({ "title": "x".repeat(256) }),
        json!({ "title": "x", "quiz_type": "riddle" }),
        json!({ "title": "x", "time_limit": 0 }),
        json!({ "title": "x", "allowed_attempts": -2 }),
        json!({ "title": "x", "due_at": "2026-03-02", "unlock_at": "2026-03-03" }),
        json!({ "title": "x", "due_at": "soon" }),
    ] {
        let answer = new_quiz(&teacher, &course, quiz.clone()).await;
        assert_eq!(answer.status, 400, "{quiz} {answer}");
    }
    teacher.post(&course.path("/quizzes")).json(json!({})).await.is_refused(400, "quiz is missing");
    assert!(teacher.get(&course.path("/quizzes")).await.is(200).ids().is_empty());
}

#[tokio::test]
async fn students_see_quizzes_when_they_are_published_and_never_the_answers() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let id = new_quiz(&teacher, &course, json!({ "title": "Leaves", "access_code": "sesame" })).await.is(200).id();
    let path = course.path(&format!("/quizzes/{id}"));
    let asked = teacher.post(&format!("{path}/questions")).json(question("Oak")).await.is(200).id();
    student.get(&path).await.is_forbidden();
    assert!(student.get(&course.path("/quizzes")).await.is(200).ids().is_empty());
    teacher.put(&path).json(json!({ "quiz": { "published": true } })).await.is(200);
    let seen = student.get(&path).await.is(200);
    assert!(!seen.body.contains("sesame"), "{seen}");
    assert_eq!(seen["has_access_code"], true);
    student.get(&format!("{path}/questions")).await.is_forbidden();
    student.get(&format!("{path}/questions/{asked}")).await.is_forbidden();
    student.put(&path).json(json!({ "quiz": { "title": "Mine" } })).await.is_forbidden();
    student.delete(&path).await.is_forbidden();
    new_quiz(&student, &course, json!({ "title": "Mine" })).await.is_forbidden();
}

#[tokio::test]
async fn questions_live_and_count() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = new_quiz(&teacher, &course, json!({ "title": "Leaves" })).await.is(200).id();
    let path = course.path(&format!("/quizzes/{quiz}"));
    let questions = format!("{path}/questions");
    let created = teacher.post(&questions).json(question("Oak")).await.is(200);
    assert_eq!(created["answers"][0]["text"], "Oak");
    assert_eq!(created["answers"][0]["weight"], 100.0);
    let one = format!("{questions}/{}", created.id());
    let changed = teacher.put(&one).json(json!({ "question": { "question_name": "Elm" } })).await.is(200);
    assert_eq!((&changed["question_name"], &changed["answers"]), (&json!("Elm"), &created["answers"]));
    let quiz = teacher.get(&path).await.is(200);
    assert_eq!((&quiz["question_count"], &quiz["points_possible"]), (&json!(1), &json!(2.0)));
    for bad in [
        json!({ "question_type": "riddle" }),
        json!({ "points_possible": -1 }),
        json!({ "points_possible": "many" }),
        json!({ "answers": "none" }),
        json!({ "position": 0 }),
    ] {
        let answer = teacher.put(&one).json(json!({ "question": bad })).await;
        assert_eq!(answer.status, 400, "{bad} {answer}");
    }
    teacher.delete(&one).await.is(204);
    teacher.get(&one).await.is_not_found();
    assert_eq!(teacher.get(&path).await.is(200)["question_count"], 0);
}

#[tokio::test]
async fn a_question_joins_only_a_group_of_its_quiz() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let mut paths = Vec::new();
    for title in ["Leaves", "Roots"] {
        let id = new_quiz(&teacher, &course, json!({ "title": title })).await.is(200).id();
        paths.push(course.path(&format!("/quizzes/{id}")));
    }
    let group = json!({ "quiz_groups": [{ "name": "A" }] });
    let group = teacher.post(&format!("{}/groups", paths[0])).json(group).await.is(201)["quiz_groups"][0]["id"].clone();
    let mut body = question("Oak");
    body["question"]["quiz_group_id"] = group.clone();
    assert_eq!(teacher.post(&format!("{}/questions", paths[0])).json(&body).await.is(200)["quiz_group_id"], group);
    teacher.post(&format!("{}/questions", paths[1])).json(&body).await.is_not_found();
}

#[tokio::test]
async fn a_quiz_is_put_in_order_as_a_whole() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = new_quiz(&teacher, &course, json!({ "title": "Leaves" })).await.is(200).id();
    let path = course.path(&format!("/quizzes/{quiz}"));
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        ids.push(teacher.post(&format!("{path}/questions")).json(question(name)).await.is(200).id());
    }
    let order: Vec<_> = ids.iter().rev().map(|id| json!({ "type": "question", "id": id })).collect();
    let order = json!({ "order": order });
    student.post(&format!("{path}/reorder")).json(&order).await.is_forbidden();
    teacher.post(&format!("{path}/reorder")).json(&order).await.is(204);
    ids.reverse();
    assert_eq!(teacher.get(&format!("{path}/questions")).await.is(200).ids(), ids);
}

#[tokio::test]
async fn more_questions_than_a_page_has_are_all_listed() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = new_quiz(&teacher, &course, json!({ "title": "Leaves" })).await.is(200).id();
    let questions = course.path(&format!("/quizzes/{quiz}/questions"));
    let create = |number: i64| teacher.post(&questions).json(question(&format!("question {number}")));
    let created = join_all((0..105).map(|number| async move { create(number).await.is(200).id() })).await;
    let first = teacher.get(&format!("{questions}?per_page=100")).await.is(200);
    assert!(first.link("last").unwrap().contains("page=2&per_page=100"));
    let second = teacher.get(&first.link("next").unwrap()).await.is(200);
    assert_eq!((second.link("next"), second.ids().len()), (None, 5));
    let listed: BTreeSet<_> = first.ids().into_iter().chain(second.ids()).collect();
    assert_eq!(listed, created.into_iter().collect());
    let beyond = teacher.get(&format!("{questions}?page=12")).await.is(200);
    assert_eq!((beyond.ids().len(), beyond.link("next")), (0, None));
}

#[tokio::test]
async fn a_new_quiz_is_known_by_its_assignment() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quizzes = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = teacher.post(&quizzes).json(json!({ "quiz": { "title": "Seeds" } })).await.is(200);
    let assignment = course.path(&format!("/assignments/{}", quiz.id()));
    let behind = teacher.get(&assignment).await.is(200);
    assert_eq!((&behind["name"], &behind["is_quiz_lti_assignment"]), (&json!("Seeds"), &json!(true)));
    let path = format!("{quizzes}/{}", quiz.id());
    assert_eq!(teacher.patch(&path).json(json!({ "quiz": { "title": "Fruits" } })).await.is(200)["title"], "Fruits");
    assert_eq!(teacher.get(&assignment).await.is(200)["name"], "Fruits");
    student.get(&path).await.is_forbidden();
    student.post(&quizzes).json(json!({ "quiz": { "title": "Mine" } })).await.is_forbidden();
    let refused = teacher.patch(&path).json(json!({ "quiz": { "title": "x".repeat(256) } })).await.is(422);
    assert_eq!(refused["errors"][0]["error_type"], "ActiveRecord::RecordInvalid");
    let deleted = teacher.delete(&path).await.is(200);
    assert_eq!(deleted["title"], "Fruits");
    teacher.get(&path).await.is(404);
    teacher.get(&assignment).await.is_not_found();
}

#[tokio::test]
async fn grades_are_shown_anew_where_a_new_quiz_is_worth_other_points() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quizzes = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = json!({ "title": "Seeds", "published": true, "points_possible": 10, "grading_type": "percent" });
    let quiz = teacher.post(&quizzes).json(json!({ "quiz": quiz })).await.is(200).id();
    student.post(&format!("{quizzes}/{quiz}/attempts")).json(json!({ "responses": {} })).await.is(200);
    let work = course.path(&format!("/assignments/{quiz}/submissions/{}", student.id));
    let graded = teacher.put(&work).json(json!({ "submission": { "posted_grade": "8" } })).await.is(200);
    assert_eq!((&graded["score"], &graded["grade"]), (&json!(8.0), &json!("80%")));
    let change = [json!({ "points_possible": 20 }), json!({ "grading_type": "points", "points_possible": 16 })];
    for (change, shown) in change.into_iter().zip(["40%", "8"]) {
        teacher.patch(&format!("{quizzes}/{quiz}")).json(json!({ "quiz": change })).await.is(200);
        let graded = teacher.get(&work).await.is(200);
        assert_eq!((&graded["score"], &graded["grade"]), (&json!(8.0), &json!(shown)));
    }
}

#[tokio::test]
async fn students_attempt_what_is_published_and_see_their_own() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let quizzes = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = teacher.post(&quizzes).json(json!({ "quiz": { "title": "Seeds" } })).await.is(200).id();
    let (path, attempts) = (format!("{quizzes}/{quiz}"), format!("{quizzes}/{quiz}/attempts"));
    let body = json!({ "responses": {} });
    student.post(&attempts).json(&body).await.is_forbidden();
    teacher.patch(&path).json(json!({ "quiz": { "published": true } })).await.is(200);
    let numbers =
        join_all((0..3).map(|_| async { student.post(&attempts).json(&body).await.is(200)["attempt"].clone() })).await;
    let numbers: BTreeSet<_> = numbers.iter().map(|number| number.as_i64().unwrap()).collect();
    assert_eq!(numbers, BTreeSet::from([1, 2, 3]), "attempts are counted even at the same time");
    other.post(&attempts).json(&body).await.is(200);
    assert_eq!(student.get(&attempts).await.is(200).ids().len(), 3);
    assert_eq!(other.get(&attempts).await.is(200).ids().len(), 1);
    assert_eq!(teacher.get(&attempts).await.is(200).ids().len(), 4);
    teacher.post(&attempts).json(&body).await.is_forbidden();
}

#[tokio::test]
async fn rich_content_is_kept_without_what_could_do_harm() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let description =
        "<p onclick=\"x()\">Read <b>this</b><script>steal()</script><a href=\"javascript:x()\">here</a></p>";
    let quiz = new_quiz(&teacher, &course, json!({ "title": "Leaves", "description": description })).await.is(200);
    let kept = quiz["description"].as_str().unwrap();
    assert!(kept.contains("<b>this</b>"), "{kept}");
    for harm in ["onclick", "<script", "javascript:"] {
        assert!(!kept.contains(harm), "{kept}");
    }
}

#[tokio::test]
async fn what_follows_a_missing_word_does_no_harm_however_it_was_stored() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = new_quiz(&teacher, &course, json!({ "title": "Leaves" })).await.is(200).id();
    let questions = course.path(&format!("/quizzes/{quiz}/questions"));
    let harm = "is a <b>tree</b><img src=x onerror=alert(1)>";
    let kept = "is a <b>tree</b><img src=\"x\">";
    let sent = json!({ "question": { "question_type": "missing_word_question", "text_after_answers": harm } });
    let made = teacher.post(&questions).json(sent).await.is(200);
    assert_eq!(made["text_after_answers"], kept);
    let long = json!({ "question": { "text_after_answers": "x".repeat(200_000) } });
    let path = format!("{questions}/{}", made.id());
    teacher.put(&path).json(long).await.is_refused(400, "is too long");
    let sql = format!(
        "UPDATE quiz_questions SET question_data = json_set(question_data, '$.text_after_answers', '{harm}') WHERE id = {};",
        made.id()
    );
    if running().change_database(&sql) {
        assert_eq!(teacher.get(&path).await.is(200)["text_after_answers"], kept);
    }
}

#[tokio::test]
async fn distractors_have_an_end() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = new_quiz(&teacher, &course, json!({ "title": "Leaves" })).await.is(200).id();
    let questions = course.path(&format!("/quizzes/{quiz}/questions"));
    let matching = |distractors: String| {
        json!({ "question": {
            "question_type": "matching_question", "matching_answer_incorrect_matches": distractors,
            "answers": [{ "answer_match_left": "Oak", "answer_match_right": "Acorn" }],
        } })
    };
    let lines = |count: usize| (0..count).map(|n| format!("nut {n}\n")).collect::<String>();
    let made = teacher.post(&questions).json(matching(lines(100))).await.is(200);
    assert_eq!(made["matches"].as_array().unwrap().len(), 101);
    teacher.post(&questions).json(matching(lines(101))).await.is_refused(400, "too many (maximum is 100 lines)");
    teacher.post(&questions).json(matching("x".repeat(10_001))).await.is_refused(400, "too long");
    let sql = format!(
        "UPDATE quiz_questions SET question_data = json_set(question_data, '$.matching_answer_incorrect_matches',
             replace(printf('%.*c', 200000, 'x'), 'x', 'x' || char(10))) WHERE id = {};",
        made.id()
    );
    if running().change_database(&sql) {
        let path = format!("{questions}/{}", made.id());
        // A question of a package is read in part, and a change of something else is not refused for it.
        assert_eq!(teacher.get(&path).await.is(200)["matches"].as_array().unwrap().len(), 2);
        teacher.put(&path).json(json!({ "question": { "question_name": "Nuts" } })).await.is(200);
    }
}
