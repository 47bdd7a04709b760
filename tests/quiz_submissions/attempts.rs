//! Attempts at classic quizzes: started, answered, handed in and graded.

use std::future::IntoFuture;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{School, running};

use super::{quiz, start, submission, takes};
use crate::uploads::ticks_until;

#[tokio::test]
async fn a_quiz_is_taken_and_graded() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": 2 })).await;
    let attempt = start(&student, &quiz).await;
    student.post(&format!("{}/submissions", quiz.path)).await.is_refused(409, "already exists");

    let asked = student.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    assert!(!asked.body.contains("weight") && !asked.body.contains("exact"), "the right answers are no one's business");
    let asked = &asked["quiz_submission_questions"];
    assert_eq!((&asked[0]["id"], &asked[1]["id"]), (&json!(quiz.questions[0]), &json!(quiz.questions[1])));
    let oak = &asked[0]["answers"][0]["id"];

    let answered = attempt.answers(&student, &[(quiz.questions[0], oak.clone())]).await.is(200);
    assert_eq!(answered["quiz_submission_questions"][0]["answer"], *oak);
    attempt.answers(&student, &[(quiz.questions[1], json!("41"))]).await.is(200);

    let done = attempt.completes(&student).await.is(200);
    let done = &done["quiz_submissions"][0];
    assert_eq!((&done["score"], &done["kept_score"]), (&json!(2.0), &json!(2.0)));
    assert_eq!((&done["workflow_state"], &done["attempts_left"]), (&json!("complete"), &json!(1)));
    assert!(done["finished_at"].is_string() && done["validation_token"].is_null());
    let graded = submission(&teacher, &course, &quiz, &student).await;
    assert_eq!((&graded["score"], &graded["submission_type"]), (&json!(2.0), &json!("online_quiz")));
    assert_eq!((&graded["workflow_state"], &graded["grader_id"]), (&json!("graded"), &json!(null)));
    assert_eq!(graded.id(), done["submission_id"].as_i64().unwrap());

    attempt.completes(&student).await.is_refused(400, "already complete");
    attempt.answers(&student, &[(quiz.questions[1], json!(42))]).await.is_refused(400, "already complete");

    let second = start(&student, &quiz).await;
    assert_eq!((second.id, second.attempt), (attempt.id, 2));
    attempt.completes(&student).await.is_refused(403, "invalid token");
    second.answers(&student, &[(quiz.questions[1], json!(42))]).await.is(200);
    let done = second.completes(&student).await.is(200);
    assert_eq!(
        (&done["quiz_submissions"][0]["score"], &done["quiz_submissions"][0]["kept_score"]),
        (&json!(3.0), &json!(3.0))
    );
    student.post(&format!("{}/submissions", quiz.path)).await.is_refused(409, "already exists");
    let own = student.get(&format!("{}/submissions", quiz.path)).await.is(200);
    let scores: Vec<_> = own["quiz_submissions"].as_array().unwrap().iter().map(|one| &one["score"]).collect();
    assert_eq!(scores, [&json!(2.0), &json!(3.0)]);
    assert_eq!(submission(&teacher, &course, &quiz, &student).await["attempt"], 2);
}

#[tokio::test]
async fn a_graded_quiz_has_an_assignment_and_a_practice_quiz_has_none() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let graded = quiz(&teacher, &course, json!({ "due_at": "2099-01-02T00:00:00Z" })).await;
    let path = course.path(&format!("/assignments/{}", graded.assignment.unwrap()));
    let assignment = student.get(&path).await.is(200);
    assert_eq!((&assignment["name"], &assignment["points_possible"]), (&json!("Leaves"), &json!(5.0)));
    assert_eq!((&assignment["submission_types"], &assignment["published"]), (&json!(["online_quiz"]), &json!(true)));
    assert_eq!(assignment["due_at"], "2099-01-02T00:00:00Z");
    let change = json!({ "quiz": { "title": "Roots", "published": false } });
    teacher.put(&graded.path).json(change).await.is(200);
    assert_eq!(teacher.get(&path).await.is(200)["name"], "Roots");
    student.get(&path).await.is_forbidden();
    let handed_in = json!({ "submission": { "submission_type": "online_text_entry", "body": "x" } });
    teacher.put(&graded.path).json(json!({ "quiz": { "published": true } })).await.is(200);
    student.post(&format!("{path}/submissions")).json(handed_in).await.is_refused(400, "does not take");
    teacher.put(&graded.path).json(json!({ "quiz": { "quiz_type": "practice_quiz" } })).await.is(200);
    teacher.get(&path).await.is_not_found();

    let renamed = quiz(&teacher, &course, json!({})).await;
    let path = course.path(&format!("/assignments/{}", renamed.assignment.unwrap()));
    let change = json!({ "assignment": { "name": "Stems", "points_possible": 99 } });
    let changed = teacher.put(&path).json(change).await.is(200);
    assert_eq!(teacher.get(&renamed.path).await.is(200)["title"], "Stems");
    assert_eq!(
        (&changed["name"], &changed["points_possible"]),
        (&json!("Stems"), &json!(5.0)),
        "points are those of the questions"
    );

    let practice = quiz(&teacher, &course, json!({ "quiz_type": "practice_quiz" })).await;
    assert_eq!(practice.assignment, None);
    let attempt = start(&student, &practice).await;
    let done = attempt.completes(&student).await.is(200);
    assert_eq!(
        (&done["quiz_submissions"][0]["score"], &done["quiz_submissions"][0]["submission_id"]),
        (&json!(0.0), &json!(null))
    );

    let gone = quiz(&teacher, &course, json!({})).await;
    teacher.delete(&course.path(&format!("/assignments/{}", gone.assignment.unwrap()))).await.is(200);
    teacher.get(&gone.path).await.is_not_found();
}

#[tokio::test]
async fn a_quiz_that_somebody_takes_stays_published_by_either_name() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let assignment = course.path(&format!("/assignments/{}", quiz.assignment.unwrap()));
    let publish = async |published: bool| {
        let as_quiz = teacher.put(&quiz.path).json(json!({ "quiz": { "published": published } })).await;
        [as_quiz, teacher.put(&assignment).json(json!({ "assignment": { "published": published } })).await]
    };
    for answer in publish(false).await.into_iter().chain(publish(true).await) {
        assert_eq!(answer.is(200)["unpublishable"], true);
    }
    let attempt = start(&student, &quiz).await;
    let stays = async || {
        for refused in publish(false).await {
            refused.is_refused(400, "can't be unpublished");
        }
        for path in [&quiz.path, &assignment] {
            let read = teacher.get(path).await.is(200);
            assert_eq!((&read["published"], &read["unpublishable"]), (&json!(true), &json!(false)));
        }
    };
    stays().await;
    attempt.completes(&student).await.is(200);
    stays().await;
}

#[tokio::test]
async fn sixteen_completions_give_one() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": -1 })).await;
    let attempt = start(&student, &quiz).await;
    let answers = join_all((0..16).map(|_| attempt.completes(&student))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    assert_eq!(answers.iter().filter(|answer| answer.status == 400).count(), 15);
    let path = format!("{}/submissions", quiz.path);
    let starts = join_all((0..8).map(|_| student.post(&path).into_future())).await;
    let mut started = 0;
    for call in starts {
        started += i32::from(call.status == 200);
        assert!(matches!(call.status, 200 | 409), "{call}");
    }
    assert_eq!(started, 1);
}

#[tokio::test]
async fn an_essay_waits_for_a_grader() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let essay =
        json!({ "question": { "question_type": "essay_question", "points_possible": 5, "question_name": "Why" } });
    let essay = teacher.post(&format!("{}/questions", quiz.path)).json(essay).await.is(200).id();
    let attempt = start(&student, &quiz).await;
    attempt.answers(&student, &[(essay, json!("<p>Because</p>")), (quiz.questions[1], json!(42))]).await.is(200);
    let done = attempt.completes(&student).await.is(200);
    assert_eq!(done["quiz_submissions"][0]["workflow_state"], "pending_review");
    assert_eq!(submission(&teacher, &course, &quiz, &student).await["workflow_state"], "pending_review");

    let scores = |attempt: i64, more: Value| json!({ "quiz_submissions": [{ "attempt": attempt, "questions": more }] });
    let good = json!({ essay.to_string(): { "score": 4.5, "comment": "Yes" } });
    student.put(&attempt.path).json(scores(1, good.clone())).await.is_forbidden();
    teacher.put(&attempt.path).json(scores(2, good.clone())).await.is_refused(400, "invalid attempt");
    teacher.put(&attempt.path).json(json!({})).await.is_refused(400, "quiz_submissions");
    teacher.put(&attempt.path).json(scores(1, json!({ "99999": { "score": 1 } }))).await.is_refused(400, "none of");
    teacher
        .put(&attempt.path)
        .json(scores(1, json!({ essay.to_string(): { "score": -1 } })))
        .await
        .is_refused(400, "score");
    let graded = teacher.put(&attempt.path).json(scores(1, good)).await.is(200);
    assert_eq!(
        (&graded["quiz_submissions"][0]["score"], &graded["quiz_submissions"][0]["workflow_state"]),
        (&json!(7.5), &json!("complete"))
    );
    let now = submission(&teacher, &course, &quiz, &student).await;
    assert_eq!((&now["score"], &now["grader_id"], &now["attempt"]), (&json!(7.5), &json!(teacher.id), &json!(1)));
    let fudged = json!({ "quiz_submissions": [{ "attempt": 1, "fudge_points": -1.5 }] });
    let fudged = teacher.put(&attempt.path).json(fudged).await.is(200);
    assert_eq!(fudged["quiz_submissions"][0]["score"], 6.0);
}

#[tokio::test]
async fn a_file_that_is_an_answer_is_not_taken_back() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let leaf = json!({ "question": { "question_type": "file_upload_question", "question_name": "Leaf" } });
    let leaf = teacher.post(&format!("{}/questions", quiz.path)).json(leaf).await.is(200).id();
    let upload = async |owner: &support::Client, name: &str| {
        crate::files::upload(owner, "/api/v1/users/self/files", json!({ "name": name }), b"green").await.id()
    };
    let (own, others) = (upload(&student, "leaf.txt").await, upload(&teacher, "root.txt").await);
    let attempt = start(&student, &quiz).await;
    attempt.answers(&student, &[(leaf, json!([own, others]))]).await.is(200);
    let path = |file: i64| format!("/api/v1/files/{file}");
    student.put(&path(own)).json(json!({ "name": "tree.txt" })).await.is(200);
    attempt.completes(&student).await.is(200);
    student.put(&path(own)).json(json!({ "name": "leaf.txt" })).await.is_forbidden();
    student.delete(&path(own)).await.is_forbidden();
    teacher.delete(&path(others)).await.is(200);
}

#[tokio::test]
async fn a_grader_changes_an_earlier_attempt_too() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": 3 })).await;
    let essay =
        json!({ "question": { "question_type": "essay_question", "points_possible": 5, "question_name": "Why" } });
    let essay = teacher.post(&format!("{}/questions", quiz.path)).json(essay).await.is(200).id();
    let path = start(&student, &quiz).await;
    path.answers(&student, &[(essay, json!("<p>Because</p>"))]).await.is(200);
    path.completes(&student).await.is(200);
    start(&student, &quiz).await.completes(&student).await.is(200);
    start(&student, &quiz).await;

    let scores = |attempt: i64, score: f64, fudge: Value| {
        let questions = json!({ essay.to_string(): { "score": score } });
        json!({ "quiz_submissions": [{ "attempt": attempt, "questions": questions, "fudge_points": fudge }] })
    };
    let kept = async |form: Value| {
        let graded = teacher.put(&path.path).json(form).await.is(200);
        let graded = &graded["quiz_submissions"][0];
        assert_eq!((&graded["attempt"], &graded["workflow_state"]), (&json!(3), &json!("untaken")));
        graded["kept_score"].clone()
    };
    assert_eq!(kept(scores(1, 4.5, json!(null))).await, 4.5);
    assert_eq!(submission(&teacher, &course, &quiz, &student).await["score"], 4.5);
    assert_eq!(kept(scores(1, 4.5, json!(1))).await, 5.5);
    assert_eq!(kept(scores(1, 4.0, json!(null))).await, 5.0, "points beside the answers stay");
    let now = submission(&teacher, &course, &quiz, &student).await;
    assert_eq!((&now["score"], &now["attempt"], &now["grader_id"]), (&json!(5.0), &json!(2), &json!(teacher.id)));
    assert!(now["body"].as_str().unwrap().contains("score: 5,"), "{now}");
    teacher.put(&path.path).json(scores(3, 1.0, json!(null))).await.is_refused(400, "not complete");
    teacher.put(&path.path).json(scores(4, 1.0, json!(null))).await.is_refused(400, "invalid attempt");
}

#[tokio::test]
async fn who_may_take_and_see_what() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let quiz = quiz(&teacher, &course, json!({ "access_code": "leaf" })).await;
    let path = format!("{}/submissions", quiz.path);
    teacher.post(&path).json(json!({ "access_code": "leaf" })).await.is_forbidden();
    student.post(&path).await.is_refused(403, "invalid access code");
    student.post(&path).json(json!({ "access_code": "twig" })).await.is_refused(403, "invalid access code");
    let started = student.post(&path).json(json!({ "access_code": "leaf" })).await.is(200);
    let id = started["quiz_submissions"][0]["id"].as_i64().unwrap();
    let own = format!("{path}/{id}");
    assert!(teacher.get(&own).await.is(200)["quiz_submissions"][0]["validation_token"].is_null());
    assert!(student.get(&own).await.is(200)["quiz_submissions"][0]["validation_token"].is_string());
    other.get(&own).await.is_forbidden();
    other.get(&format!("/api/v1/quiz_submissions/{id}/questions")).await.is_forbidden();
    let proof = json!({ "attempt": 1, "validation_token": "x", "quiz_questions": [] });
    other.post(&format!("/api/v1/quiz_submissions/{id}/questions")).json(proof.clone()).await.is_forbidden();
    student
        .post(&format!("/api/v1/quiz_submissions/{id}/questions"))
        .json(proof.clone())
        .await
        .is_refused(403, "access code");
    let mut proof = proof;
    proof["access_code"] = json!("leaf");
    student
        .post(&format!("/api/v1/quiz_submissions/{id}/questions"))
        .json(proof)
        .await
        .is_refused(403, "invalid token");
    student.get(&format!("{own}/time")).await.is(200);
    assert_eq!(teacher.get(&path).await.is(200)["quiz_submissions"].as_array().unwrap().len(), 1);
    assert!(other.get(&path).await.is(200)["quiz_submissions"].as_array().unwrap().is_empty());
    assert!(
        other.get(&format!("{}/submission", quiz.path)).await.is(200)["quiz_submissions"]
            .as_array()
            .unwrap()
            .is_empty()
    );

    let elsewhere = School::start().await;
    let (_, foreign, _) = elsewhere.classroom("Botany").await;
    foreign.get(&own).await.is_not_found();
    foreign.get(&format!("/api/v1/quiz_submissions/{id}/questions")).await.is_not_found();
    teacher.get(&format!("{path}/99999999")).await.is_not_found();
    teacher.get("/api/v1/quiz_submissions/99999999/questions").await.is_not_found();
}

#[tokio::test]
async fn a_closed_quiz_is_not_taken() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let locked = quiz(&teacher, &course, json!({ "unlock_at": "2099-01-01T00:00:00Z" })).await;
    student.post(&format!("{}/submissions", locked.path)).await.is_refused(400, "locked until");
    let hidden = quiz(&teacher, &course, json!({})).await;
    teacher.put(&hidden.path).json(json!({ "quiz": { "published": false } })).await.is(200);
    student.post(&format!("{}/submissions", hidden.path)).await.is_forbidden();
    let short = quiz(&teacher, &course, json!({ "time_limit": 10 })).await;
    let attempt = start(&student, &short).await;
    let left = student.get(&format!("{}/time", attempt.path)).await.is(200)["time_left"].as_i64().unwrap();
    assert!((1..=600).contains(&left));
}

#[tokio::test]
async fn answers_must_be_those_of_the_question() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let attempt = start(&student, &quiz).await;
    for (question, answer, words) in [
        (quiz.questions[0], json!("oak"), "Parameter must be of type Integer."),
        (quiz.questions[0], json!(999), "Unknown answer '999'"),
        (quiz.questions[1], json!("many"), "Parameter must be a valid decimal."),
        (99_999_999, json!(1), "none of the quiz submission"),
    ] {
        attempt.answers(&student, &[(quiz.questions[1], json!(1)), (question, answer)]).await.is_refused(400, words);
    }
    let asked = student.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    assert!(asked["quiz_submission_questions"][1]["answer"].is_null(), "all answers are kept, or none");
    let flag = format!("/api/v1/quiz_submissions/{}/questions/{}", attempt.id, quiz.questions[1]);
    let flagged = student.put(&format!("{flag}/flag")).json(attempt.proof()).await.is(200);
    assert_eq!(flagged["quiz_submission_questions"][0]["flagged"], true);
    let unflagged = student.put(&format!("{flag}/unflag")).json(attempt.proof()).await.is(200);
    assert_eq!(unflagged["quiz_submission_questions"][0]["flagged"], false);
    let nobody = format!("/api/v1/quiz_submissions/{}/questions/99999999/flag", attempt.id);
    student.put(&nobody).json(attempt.proof()).await.is_not_found();
    student.post(&format!("{}/complete", attempt.path)).json(json!({})).await.is_refused(400, "invalid attempt");
}

#[tokio::test]
async fn of_a_group_as_many_are_asked_as_are_picked() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let group = json!({ "quiz_groups": [{ "name": "Leaves", "pick_count": 2, "question_points": 4 }] });
    let group = teacher.post(&format!("{}/groups", quiz.path)).json(group).await.is(201);
    let group = &group["quiz_groups"][0]["id"];
    for name in ["a", "b", "c", "d"] {
        let question = json!({ "question": {
            "question_name": name, "question_type": "short_answer_question", "points_possible": 1,
            "quiz_group_id": group, "answers": [{ "text": name }],
        } });
        teacher.post(&format!("{}/questions", quiz.path)).json(question).await.is(200);
    }
    let assignment = course.path(&format!("/assignments/{}", quiz.assignment.unwrap()));
    assert_eq!(teacher.get(&assignment).await.is(200)["points_possible"], 13.0);
    let attempt = start(&student, &quiz).await;
    let asked = student.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    let asked = asked["quiz_submission_questions"].as_array().unwrap();
    assert_eq!(asked.len(), 4);
    let picked: Vec<_> = asked.iter().filter(|one| one["points_possible"] == 4.0).collect();
    assert_eq!(picked.len(), 2);
    let right =
        picked.iter().map(|one| (one["id"].as_i64().unwrap(), one["question_name"].clone())).collect::<Vec<_>>();
    attempt.answers(&student, &right).await.is(200);
    assert_eq!(attempt.completes(&student).await.is(200)["quiz_submissions"][0]["score"], 8.0);
}

#[tokio::test]
async fn a_group_counts_no_more_questions_than_it_has() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let bank = json!({ "question_bank": { "title": "Leaves" } });
    let bank = course.path(&format!(
        "/question_banks/{}",
        teacher.post(&course.path("/question_banks")).json(bank).await.is(200).id()
    ));
    let group = |bank: &str| json!({ "quiz_groups": [{ "pick_count": 3, "question_points": 2, "assessment_question_bank_id": bank.rsplit('/').next() }] });
    let own = json!({ "quiz_groups": [{ "pick_count": 5, "question_points": 4 }] });
    let own = teacher.post(&format!("{}/groups", quiz.path)).json(own).await.is(201)["quiz_groups"][0]["id"].clone();
    teacher.post(&format!("{}/groups", quiz.path)).json(group(&bank)).await.is(201);
    let question = |name: &str, group: Option<&Value>| {
        let (answers, kind) = (json!([{ "text": name }]), "short_answer_question");
        json!({ "question": { "question_name": name, "question_type": kind, "answers": answers, "quiz_group_id": group } })
    };
    let assignment = course.path(&format!("/assignments/{}", quiz.assignment.unwrap()));
    let worth = async || {
        let shown = teacher.get(&quiz.path).await.is(200);
        let points = teacher.get(&assignment).await.is(200)["points_possible"].clone();
        assert_eq!(shown["points_possible"], points);
        (shown["question_count"].as_i64().unwrap(), points.as_f64().unwrap())
    };
    let (before, points) = worth().await;
    teacher.post(&format!("{}/questions", quiz.path)).json(question("a", Some(&own))).await.is(200);
    assert_eq!(worth().await, (before + 1, points + 4.0));
    for (name, picked) in [("b", 1), ("c", 2), ("d", 3), ("e", 3)] {
        teacher.post(&format!("{bank}/questions")).json(question(name, None)).await.is(200);
        assert_eq!(
            worth().await,
            (before + 1 + picked, points + 4.0 + 2.0 * f64::from(i32::try_from(picked).unwrap()))
        );
    }
    let attempt = start(&student, &quiz).await;
    let asked = student.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    let asked = asked["quiz_submission_questions"].as_array().unwrap();
    let worth: f64 = asked.iter().map(|one| one["points_possible"].as_f64().unwrap()).sum();
    assert_eq!((asked.len(), worth), (usize::try_from(before + 4).unwrap(), points + 10.0));
}

#[tokio::test]
async fn what_nobody_hands_in_in_time_is_handed_in_as_it_is() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "time_limit": 10, "allowed_attempts": 2 })).await;
    let attempt = start(&student, &quiz).await;
    attempt.answers(&student, &[(quiz.questions[1], json!(42))]).await.is(200);
    let hour_ago = |id: i64| {
        format!(
            "UPDATE quiz_submissions SET started_at = '2026-01-01T00:00:00Z', end_at = '2026-01-01T00:10:00Z' WHERE id = {id}"
        )
    };
    if !running().change_database(&hour_ago(attempt.id)) {
        return;
    }
    attempt
        .answers(&student, &[(quiz.questions[1], json!(1))])
        .await
        .is_refused(400, "time of the quiz submission is over");
    let shown = student.get(&attempt.path).await.is(200);
    assert_eq!(shown["quiz_submissions"][0]["overdue_and_needs_submission"], true);
    // The next attempt begins when the last one has ended.
    let second = start(&student, &quiz).await;
    assert_eq!(second.attempt, 2);
    let graded = submission(&teacher, &course, &quiz, &student).await;
    assert_eq!((&graded["attempt"], &graded["score"]), (&json!(1), &json!(3.0)));
    assert_eq!(graded["submitted_at"], "2026-01-01T00:10:00Z");

    running().change_database(&hour_ago(second.id));
    let is_handed_in = async || submission(&teacher, &course, &quiz, &student).await["attempt"] == 2;
    ticks_until("the second is handed in", is_handed_in).await;
    let ended = student.get(&attempt.path).await.is(200);
    assert_eq!(ended["quiz_submissions"][0]["workflow_state"], "complete");
    assert_eq!(submission(&teacher, &course, &quiz, &student).await["attempt"], 2);
}

#[tokio::test]
async fn an_attempt_whose_end_was_interrupted_too_often_waits_for_a_person() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "time_limit": 10, "allowed_attempts": 2 })).await;
    let begun = |attempt: i64, times: i64| {
        let sql = format!(
            "UPDATE quiz_submissions SET end_at = '2026-01-01T00:10:00Z', hand_in_beginnings = {times} WHERE id = {attempt}"
        );
        running().change_database(&sql)
    };
    let first = start(&student, &quiz).await;
    first.answers(&student, &[(quiz.questions[1], json!(42))]).await.is(200);
    if !begun(first.id, 1) {
        return;
    }
    let is_graded = async || submission(&teacher, &course, &quiz, &student).await["workflow_state"] == "graded";
    ticks_until("it is handed in", is_graded).await;
    let graded = submission(&teacher, &course, &quiz, &student).await;
    assert_eq!(
        (&graded["workflow_state"], &graded["score"]),
        (&json!("graded"), &json!(3.0)),
        "it was tried once more"
    );

    let second = start(&student, &quiz).await;
    second.answers(&student, &[(quiz.questions[1], json!(42))]).await.is(200);
    begun(second.id, 5);
    let read = async || teacher.get(&second.path).await.is(200)["quiz_submissions"][0].clone();
    ticks_until("it waits for a person", async || read().await["workflow_state"] == "pending_review").await;
    let waits = read().await;
    assert_eq!((&waits["workflow_state"], &waits["score"]), (&json!("pending_review"), &json!(0.0)));
    let scores = json!({ "quiz_submissions": [{ "attempt": 2, "questions": {
        quiz.questions[1].to_string(): { "score": 2 } } }] });
    let graded = teacher.put(&second.path).json(scores).await.is(200)["quiz_submissions"][0].clone();
    assert_eq!((&graded["workflow_state"], &graded["score"]), (&json!("complete"), &json!(2.0)), "nothing else waits");
}

#[tokio::test]
async fn a_copied_quiz_has_one_assignment_of_its_own() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let copy = school.course("Copy").await;
    let migration = json!({ "migration_type": "course_copy_importer", "settings": { "source_course_id": course.id } });
    school.admin.post(&copy.path("/content_migrations")).json(migration).await.is(200);
    let assignments = school.admin.get(&copy.path("/assignments")).await.is(200);
    let quizzes = school.admin.get(&copy.path("/quizzes")).await.is(200);
    assert_eq!(assignments.ids().len(), 1);
    assert_eq!(quizzes.json[0]["assignment_id"], assignments.ids()[0]);
    assert_eq!(
        (&assignments.json[0]["points_possible"], &assignments.json[0]["name"]),
        (&json!(5.0), &json!("Leaves"))
    );
    assert_ne!(Some(assignments.ids()[0]), quiz.assignment);
}

#[tokio::test]
async fn an_access_code_is_not_guessed() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "access_code": "4711" })).await;
    let path = format!("{}/submissions", quiz.path);
    let with = |code: &str| json!({ "access_code": code });
    // Without a code nothing is guessed.
    for _ in 0..12 {
        student.post(&path).await.is_refused(403, "invalid access code");
    }
    let guesses = join_all((0..24).map(|n| student.post(&path).json(with(&n.to_string())).into_future())).await;
    assert_eq!(guesses.iter().filter(|answer| answer.status == 403).count(), 10);
    for refused in guesses.iter().filter(|answer| answer.status != 403) {
        assert_eq!(refused.status, 429, "{refused}");
        let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=900).contains(&wait), "{wait}");
    }
    student.post(&path).json(with("4711")).await.is(429);

    // It is the student's own limit, and knowing the code never counts.
    let other = course.member(&school, "StudentEnrollment").await;
    let started = other.post(&path).json(with("4711")).await.is(200);
    let started = &started["quiz_submissions"][0];
    for _ in 0..12 {
        let proof = json!({ "attempt": 1, "validation_token": started["validation_token"], "access_code": "4711" });
        let path = format!("/api/v1/quiz_submissions/{}/questions/{}/flag", started["id"], quiz.questions[0]);
        other.put(&path).json(proof).await.is(200);
    }
}

#[tokio::test]
async fn what_is_kept_of_attempts_has_an_end() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let base = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let new = json!({ "quiz": { "title": "Leaves", "published": true } });
    let id = teacher.post(&base).json(new).await.is(200).id();
    let attempts = format!("{base}/{id}/attempts");
    let responses = |length: usize| json!({ "responses": { "1": "x".repeat(length) } });
    student.post(&attempts).json(responses(256 * 1024)).await.is_refused(422, "is too long (maximum is 262144 bytes)");
    student.post(&attempts).json(responses(250 * 1024)).await.is(200);
    let classic = quiz(&teacher, &course, json!({ "allowed_attempts": -1 })).await;
    let attempt = takes(&student, &classic).await;
    let stored = |count: usize, length: usize| {
        format!(
            "DELETE FROM quiz_attempts WHERE assignment_id = {id};
             INSERT INTO quiz_attempts (assignment_id, user_id, attempt, responses, created_at)
             WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count})
             SELECT {id}, {}, n, json_quote(printf('%.*c', {length}, 'x')), '2026-01-01T00:00:00Z' FROM n;",
            student.id
        )
    };
    if !running().change_database(&stored(249, 10)) {
        return;
    }
    student.post(&attempts).json(responses(1)).await.is(200);
    student.post(&attempts).json(responses(1)).await.is_refused(409, "no attempts are left");
    running().change_database(&stored(32, 250 * 1024));
    student.post(&attempts).json(responses(1)).await.is(200);
    student.post(&attempts).json(responses(250 * 1024)).await.is_refused(409, "no attempts are left");

    let submissions = format!("{}/submissions", classic.path);
    let after = |attempts: usize| {
        let sql = format!(
            "UPDATE quiz_submissions SET attempt = {attempts}, workflow_state = 'complete' WHERE id = {};",
            attempt.id
        );
        running().change_database(&sql)
    };
    after(250);
    student.post(&submissions).await.is_refused(409, "already exists");
    after(249);
    student.post(&submissions).await.is(200);
    after(20);
    let bytes = format!(
        "UPDATE quiz_submission_versions SET answers = json_object('x', json_object('answer', printf('%.*c', 34000000, 'x')))
         WHERE quiz_submission_id = {};",
        attempt.id
    );
    running().change_database(&bytes);
    student.post(&submissions).await.is_refused(409, "already exists");
    after(5);
    student.post(&submissions).await.is(200);
}
