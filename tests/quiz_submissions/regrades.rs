//! Regrades of classic quizzes: a question is changed after it was answered, and attempts follow.

use serde_json::{Value, json};
use support::{Client, Course, Response, School, running, unique};

use super::{Attempt, Quiz, quiz, start, submission, takes};
use crate::live_events::{ALL, Subscriber};

/// Elm is right, and was not.
fn elm() -> Value {
    json!([{ "text": "Elm", "weight": 100 }, { "text": "Oak", "weight": 0 }])
}

/// Changes the question of choices.
async fn changes(teacher: &Client, quiz: &Quiz, question: Value) -> Response {
    let path = format!("{}/questions/{}", quiz.path, quiz.questions[0]);
    teacher.put(&path).json(json!({ "question": question })).await
}

/// The newest regrade, when no attempt is due any more.
async fn finished(teacher: &Client, quiz: &Quiz) -> Response {
    ended(teacher, quiz, "completed").await
}

/// The newest regrade, when it has ended so.
async fn ended(teacher: &Client, quiz: &Quiz, state: &str) -> Response {
    let newest = teacher.get(&format!("{}/regrades", quiz.path)).await.is(200).json[0]["id"].clone();
    for _ in 0..20 {
        running().tick(None).await;
        let regrade = teacher.get(&format!("{}/regrades/{newest}", quiz.path)).await.is(200);
        if regrade["workflow_state"] == state {
            return regrade;
        }
    }
    panic!("the regrade does not end");
}

/// An attempt that runs, in which that tree is chosen, and all rings are counted.
async fn chooses(student: &Client, quiz: &Quiz, tree: &str) -> Attempt {
    let attempt = start(student, quiz).await;
    let asked = student.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    let choices = asked["quiz_submission_questions"][0]["answers"].as_array().unwrap().clone();
    let chosen = choices.iter().find(|choice| choice["text"] == tree).unwrap()["id"].clone();
    attempt.answers(student, &[(quiz.questions[0], chosen), (quiz.questions[1], json!(42))]).await.is(200);
    attempt
}

async fn scores(client: &Client, attempt: &Attempt) -> (Value, Value, Value) {
    let shown = client.get(&attempt.path).await.is(200)["quiz_submissions"][0].clone();
    (shown["score"].clone(), shown["kept_score"].clone(), shown["score_before_regrade"].clone())
}

async fn student_of(school: &School, course: &Course) -> Client {
    course.member(school, "StudentEnrollment").await
}

#[tokio::test]
async fn attempts_follow_a_corrected_key() {
    let school = School::start().await;
    let (course, teacher, oak) = school.classroom("Botany").await;
    let (elm_one, judged, late) =
        (student_of(&school, &course).await, student_of(&school, &course).await, student_of(&school, &course).await);
    let quiz = quiz(&teacher, &course, json!({})).await;
    let by_oak = takes(&oak, &quiz).await;
    let by_elm = chooses(&elm_one, &quiz, "Elm").await;
    by_elm.completes(&elm_one).await.is(200);
    let by_person = takes(&judged, &quiz).await;
    let score = json!({ "attempt": 1, "questions": { quiz.questions[0].to_string(): { "score": 1.5 } } });
    teacher.put(&by_person.path).json(json!({ "quiz_submissions": [score] })).await.is(200);
    let runs = chooses(&late, &quiz, "Elm").await;

    let tool = Subscriber::new(&school, "course", course.id, ALL);
    changes(&teacher, &quiz, json!({ "answers": elm(), "regrade_option": "current_correct_only" })).await.is(200);
    let regrade = finished(&teacher, &quiz).await;
    assert_eq!(
        (&regrade["option"], &regrade["user_id"], &regrade["item_id"]),
        (&json!("current_correct_only"), &json!(teacher.id), &json!(quiz.questions[0].to_string()))
    );
    assert_eq!(
        (&regrade["attempt_count"], &regrade["changed_count"], &regrade["by_person_count"], &regrade["points_change"]),
        (&json!(3), &json!(2), &json!(1), &json!(0.0))
    );
    assert_eq!(regrade["scoring_data"]["answers"][0]["text"], "Elm");
    assert_eq!(scores(&oak, &by_oak).await, (json!(3.0), json!(3.0), json!(5.0)));
    assert_eq!(scores(&elm_one, &by_elm).await, (json!(5.0), json!(5.0), json!(3.0)));
    assert_eq!(scores(&judged, &by_person).await, (json!(4.5), json!(4.5), json!(null)), "a person gave it");
    let graded = submission(&teacher, &course, &quiz, &elm_one).await;
    assert_eq!((&graded["score"], &graded["grader_id"]), (&json!(5.0), &json!(null)));
    if let Some(tool) = tool {
        assert_eq!(tool.types(), ["GRADE_CHANGE", "SUBMISSION_UPDATED", "GRADE_CHANGE", "SUBMISSION_UPDATED"]);
    }
    // Whoever was taking the quiz has the same as the others.
    runs.completes(&late).await.is(200);
    let is_regraded = async || {
        running().tick(None).await;
        scores(&late, &runs).await == (json!(5.0), json!(5.0), json!(3.0))
    };
    crate::uploads::until("the last attempt is regraded, too", is_regraded).await;
    let path = format!("{}/regrades/{}", quiz.path, regrade.id());
    let attempts = teacher.get(&format!("{path}/attempts")).await.is(200);
    assert_eq!(attempts.json.as_array().unwrap().len(), 4);
    let first = &attempts.json[0];
    assert_eq!(
        (&first["quiz_submission_id"], &first["user_id"], &first["points_before"], &first["points_after"]),
        (&json!(by_oak.id), &json!(oak.id), &json!(2.0), &json!(0.0))
    );
    oak.get(&path).await.is_forbidden();
}

#[tokio::test]
async fn one_score_is_kept_of_attempts_that_are_regraded_and_lateness_still_costs() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let settings = json!({ "allowed_attempts": 2, "due_at": "2020-01-01T00:00:00Z" });
    let quiz = quiz(&teacher, &course, settings).await;
    let policy =
        json!({ "late_policy": { "late_submission_deduction_enabled": true, "late_submission_deduction": 100 } });
    takes(&student, &quiz).await;
    let second = chooses(&student, &quiz, "Elm").await;
    second.completes(&student).await.is(200);
    teacher.post(&course.path("/late_policy")).json(policy).await.is(201);
    let points = json!({ "answers": elm(), "points_possible": 6, "regrade_option": "current_correct_only" });
    changes(&teacher, &quiz, points).await.is(200);
    let regrade = finished(&teacher, &quiz).await;
    assert_eq!(
        (&regrade["previous_points_possible"], &regrade["points_possible"], &regrade["regraded_count"]),
        (&json!(2.0), &json!(6.0), &json!(2))
    );
    assert_eq!(scores(&student, &second).await, (json!(9.0), json!(9.0), json!(3.0)));
    let graded = submission(&teacher, &course, &quiz, &student).await;
    assert_eq!((&graded["entered_score"], &graded["score"]), (&json!(9.0), &json!(0.0)));

    let whole = course.path(&format!("/assignments/{}/submissions/{}", quiz.assignment.unwrap(), student.id));
    teacher.put(&whole).json(json!({ "submission": { "posted_grade": "7" } })).await.is(200);
    changes(&teacher, &quiz, json!({ "regrade_option": "full_credit" })).await.is(200);
    finished(&teacher, &quiz).await;
    assert_eq!(scores(&student, &second).await, (json!(9.0), json!(9.0), json!(3.0)));
    let graded = submission(&teacher, &course, &quiz, &student).await;
    assert_eq!(graded["entered_score"], 7.0, "what a person gave as a whole stays");
}

#[tokio::test]
async fn what_cannot_be_regraded_is_refused_and_nothing_changes() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let attempt = takes(&student, &quiz).await;
    changes(&teacher, &quiz, json!({ "regrade_option": "most" })).await.is_refused(400, "must be one of");
    let other = json!({ "question_type": "multiple_answers_question", "regrade_option": "full_credit" });
    changes(&teacher, &quiz, other).await.is_refused(400, "type of question that was asked");
    let essay = json!({ "question": { "question_type": "essay_question" } });
    let essay = teacher.post(&format!("{}/questions", quiz.path)).json(essay).await.is(200).id();
    let credit = json!({ "question": { "regrade_option": "full_credit" } });
    let path = format!("{}/questions/{essay}", quiz.path);
    teacher.put(&path).json(credit).await.is_refused(400, "that a program grades");
    let designer = course.member(&school, "DesignerEnrollment").await;
    changes(&designer, &quiz, json!({ "regrade_option": "full_credit" })).await.is_forbidden();
    let limited = course.section(&school, "Evening").await;
    changes(&limited.teacher, &quiz, json!({ "regrade_option": "full_credit" })).await.is_forbidden();
    changes(&teacher, &quiz, json!({ "answers": elm(), "regrade_option": "no_regrade" })).await.is(200);
    running().tick(None).await;
    assert_eq!(scores(&student, &attempt).await, (json!(5.0), json!(5.0), json!(null)));
    assert!(teacher.get(&format!("{}/regrades", quiz.path)).await.is(200).json.as_array().unwrap().is_empty());
}

#[tokio::test]
async fn large_attempts_are_regraded_few_at_a_time() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    for _ in 0..12 {
        takes(&student_of(&school, &course).await, &quiz).await;
    }
    let id = quiz.path.rsplit_once('/').unwrap().1;
    let ask_more = "questions = json_insert(questions, '$[#]', json_object(
        'id', 0, 'question_type', 'text_only_question', 'question_name', '', 'points_possible', 0, 'answers', json('[]'),
        'question_data', json('{}'), 'question_text', printf('%.*c', 14000000, 'x')))";
    let are_large = running().change_database(&format!(
        "UPDATE quiz_submissions SET {ask_more} WHERE quiz_id = {id};
         UPDATE quiz_submission_versions SET {ask_more}
         WHERE quiz_submission_id IN (SELECT id FROM quiz_submissions WHERE quiz_id = {id});"
    ));
    if !are_large {
        return;
    }
    let listed = teacher.get(&format!("{}/submissions?per_page=100", quiz.path)).await.is(200);
    assert_eq!(listed["quiz_submissions"].as_array().unwrap().len(), 12, "a list does not load what it does not show");
    changes(&teacher, &quiz, json!({ "answers": elm(), "regrade_option": "current_correct_only" })).await.is(200);
    let regrade = finished(&teacher, &quiz).await;
    assert_eq!((&regrade["regraded_count"], &regrade["changed_count"]), (&json!(12), &json!(12)));
}

/// A channel by which the user is told of regrades at once.
async fn listens(school: &School, user: &Client) -> i64 {
    let address = format!("{}@school.test", unique("grader"));
    let form = json!({ "communication_channel": { "type": "email", "address": address }, "skip_confirmation": true });
    let channels = format!("/api/v1/users/{}/communication_channels", user.id);
    let channel = school.admin.post(&channels).json(form).await.is(200).id();
    let at_once = json!({ "notification": "quiz_regrade_finished", "frequency": "immediately" });
    let path = format!("/api/v1/users/self/communication_channels/{channel}/notification_preferences");
    user.put(&path).json(json!({ "notification_preferences": [at_once] })).await.is(200);
    channel
}

#[tokio::test]
async fn a_regrade_that_does_not_move_on_is_given_up() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let attempt = takes(&student, &quiz).await;
    let channel = listens(&school, &teacher).await;
    let id = quiz.path.rsplit_once('/').unwrap().1;
    // Five times it was cut off, and each time so that nobody could say so.
    let is_begun = running().change_database(&format!(
        "BEGIN IMMEDIATE;
         INSERT INTO quiz_regrades (quiz_id, item_id, user_id, option, scoring_algorithm, scoring_data, attempt_count, beginnings,
             begun_at, created_at)
         VALUES ({id}, '{}', {}, 'full_credit', 'multiple_choice_question', '{{\"answers\":[]}}', 1, 5, '2026-01-01T00:00:00Z',
             '2026-01-01T00:00:00Z');
         INSERT INTO quiz_regrade_attempts (regrade_id, quiz_submission_id, attempt, state)
         VALUES ((SELECT max(id) FROM quiz_regrades), {}, 1, 'due');
         COMMIT;",
        quiz.questions[0], teacher.id, attempt.id
    ));
    if !is_begun {
        return;
    }
    let given_up = ended(&teacher, &quiz, "failed").await;
    assert_eq!((&given_up["completion"], &given_up["completed_at"]), (&json!(0), &json!(null)));
    assert_eq!(scores(&student, &attempt).await, (json!(5.0), json!(5.0), json!(null)), "it stays as it is");
    let outbox = school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
    let told = outbox.json.as_array().unwrap().iter().filter(|message| message["channel_id"] == channel);
    assert_eq!(told.map(|message| &message["subject"]).collect::<Vec<_>>(), ["Not regraded: Leaves"]);
    changes(&teacher, &quiz, json!({ "answers": elm(), "regrade_option": "current_correct_only" })).await.is(200);
    finished(&teacher, &quiz).await;
    assert_eq!(scores(&student, &attempt).await, (json!(3.0), json!(3.0), json!(5.0)), "another one may do it");
}

#[tokio::test]
async fn grades_are_shown_anew_where_questions_are_worth_something_else() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    takes(&student, &quiz).await;
    let assignment = course.path(&format!("/assignments/{}", quiz.assignment.unwrap()));
    let shown = async || {
        running().tick(None).await;
        let graded = submission(&teacher, &course, &quiz, &student).await;
        assert_eq!(graded["score"], 5.0, "points stay");
        graded["grade"].as_str().unwrap().to_owned()
    };
    let mut more = None;
    for (kind, before, after) in [
        ("percent", "100%", "50%"),
        ("letter_grade", "A", "F"),
        ("gpa_scale", "A", "F"),
        ("pass_fail", "complete", "incomplete"),
        ("points", "5", "5"),
    ] {
        let form = json!({ "assignment": { "grading_type": kind } });
        teacher.put(&assignment).json(form).await.is(200);
        assert_eq!(shown().await, before);
        let question = json!({ "question": { "question_type": "essay_question", "points_possible": 5 } });
        let path = format!("{}/questions", quiz.path);
        let made = teacher.post(&path).json(question).await.is(200).id();
        assert_eq!(shown().await, after, "{kind}");
        teacher.delete(&format!("{path}/{made}")).await.is(204);
        assert_eq!(shown().await, before, "{kind}");
        more = Some(path);
    }
    let percent = json!({ "assignment": { "grading_type": "percent" } });
    teacher.put(&assignment).json(percent).await.is(200);
    let tool = Subscriber::new(&school, "course", course.id, ALL);
    let question = format!("{}/{}", more.unwrap(), quiz.questions[0]);
    let worth = async |points: f64| {
        let form = json!({ "question": { "points_possible": points } });
        teacher.put(&question).json(form).await.is(200);
    };
    worth(7.0).await;
    assert_eq!(shown().await, "50%", "a question is worth five points more");
    if let Some(tool) = &tool {
        assert_eq!(tool.types(), ["GRADE_CHANGE"]);
    }
    worth(2.0).await;
    teacher.delete(&quiz.path).await.is(200);
    // The tick of another test may have come before that.
    let told = || tool.as_ref().map(Subscriber::types);
    let before = told();
    running().tick(None).await;
    assert_eq!(told(), before, "nobody sees the grades of a deleted quiz");
}

#[tokio::test]
async fn no_answer_to_a_graded_survey_becomes_wrong() {
    let school = School::start().await;
    let (course, teacher, oak) = school.classroom("Botany").await;
    let (other, silent) = (student_of(&school, &course).await, student_of(&school, &course).await);
    let survey = quiz(&teacher, &course, json!({ "quiz_type": "graded_survey" })).await;
    let by_oak = takes(&oak, &survey).await;
    let (by_other, by_silent) = (chooses(&other, &survey, "Elm").await, start(&silent, &survey).await);
    by_other.completes(&other).await.is(200);
    by_silent.completes(&silent).await.is(200);
    let attempts = [(&oak, &by_oak), (&other, &by_other), (&silent, &by_silent)];
    for (more, score) in [(json!({ "answers": elm() }), 5.0), (json!({ "points_possible": 4 }), 7.0)] {
        let mut change = more;
        change["regrade_option"] = json!("current_correct_only");
        changes(&teacher, &survey, change).await.is(200);
        let regrade = finished(&teacher, &survey).await;
        assert_eq!((&regrade["regraded_count"], &regrade["by_person_count"]), (&json!(3), &json!(0)));
        for (student, attempt) in attempts {
            assert_eq!(scores(student, attempt).await.0, json!(score));
            assert_eq!(submission(&teacher, &course, &survey, student).await["score"], json!(score));
        }
    }
}
