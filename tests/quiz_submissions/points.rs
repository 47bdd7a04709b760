//! Points that people add up: of questions, groups, attempts and the grades that follow.

use serde_json::{Value, json};
use support::{Client, Course, School, running};

use super::{Attempt, Quiz, start, submission};

/// A published quiz with these questions.
async fn quiz_of(teacher: &Client, course: &Course, more: Value, questions: &[Value]) -> Quiz {
    let mut quiz = json!({ "title": "Tenths", "quiz_type": "assignment", "published": true });
    for (key, value) in more.as_object().unwrap() {
        quiz[key] = value.clone();
    }
    let made = teacher.post(&course.path("/quizzes")).json(json!({ "quiz": quiz })).await.is(200);
    let path = course.path(&format!("/quizzes/{}", made.id()));
    let mut ids = Vec::new();
    for question in questions {
        let question = json!({ "question": question });
        ids.push(teacher.post(&format!("{path}/questions")).json(question).await.is(200).id());
    }
    Quiz { path, questions: ids, assignment: made["assignment_id"].as_i64() }
}

fn word(points: f64) -> Value {
    json!({ "question_type": "short_answer_question", "points_possible": points, "answers": [{ "text": "oak" }] })
}

/// All questions are answered with `oak`, and the attempt is handed in.
async fn takes(student: &Client, quiz: &Quiz) -> (Attempt, Value) {
    let attempt = start(student, quiz).await;
    let answers: Vec<_> = quiz.questions.iter().map(|id| (*id, json!("oak"))).collect();
    attempt.answers(student, &answers).await.is(200);
    let done = attempt.completes(student).await.is(200)["quiz_submissions"][0].clone();
    (attempt, done)
}

#[tokio::test]
async fn tenths_of_points_add_up_as_people_add_them() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz_of(&teacher, &course, json!({}), &[word(0.1), word(0.1), word(0.1)]).await;
    let assignment = course.path(&format!("/assignments/{}", quiz.assignment.unwrap()));
    let worth = async |expected: f64| {
        for path in [&quiz.path, &assignment] {
            assert_eq!(teacher.get(path).await.is(200)["points_possible"], expected, "{path}");
        }
    };
    worth(0.3).await;
    teacher.put(&assignment).json(json!({ "assignment": { "grading_type": "percent" } })).await.is(200);
    let (_, done) = takes(&student, &quiz).await;
    assert_eq!((&done["score"], &done["quiz_points_possible"]), (&json!(0.3), &json!(0.3)));
    assert_eq!(submission(&teacher, &course, &quiz, &student).await["grade"], "100%");
    let statistics = teacher.get(&format!("{}/statistics", quiz.path)).await.is(200);
    assert_eq!(statistics["quiz_statistics"][0]["points_possible"], 0.3);

    let group = json!({ "quiz_groups": [{ "pick_count": 3, "question_points": 0.1 }] });
    let group = teacher.post(&format!("{}/groups", quiz.path)).json(group).await.is(201);
    for _ in 0..3 {
        let mut question = word(7.0);
        question["quiz_group_id"] = group["quiz_groups"][0]["id"].clone();
        teacher.post(&format!("{}/questions", quiz.path)).json(json!({ "question": question })).await.is(200);
    }
    worth(0.6).await;
}

#[tokio::test]
async fn an_attempt_from_before_sums_were_rounded_is_worth_what_it_was() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz_of(&teacher, &course, json!({}), &[word(0.1), word(0.1), word(0.1)]).await;
    let (attempt, _) = takes(&student, &quiz).await;
    let sum = format!("UPDATE quiz_submissions SET quiz_points_possible = 0.1 + 0.1 + 0.1 WHERE id = {}", attempt.id);
    if running().change_database(&sum) {
        assert_eq!(teacher.get(&attempt.path).await.is(200)["quiz_submissions"][0]["quiz_points_possible"], 0.3);
    }
}

#[tokio::test]
async fn all_that_is_right_is_worth_all_points_whatever_their_digits() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz_of(&teacher, &course, json!({}), &vec![word(0.125); 8]).await;
    let (attempt, done) = takes(&student, &quiz).await;
    assert_eq!((&done["score"], &done["quiz_points_possible"]), (&json!(1.0), &json!(1.0)));
    let asked = teacher.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    assert_eq!(asked["quiz_submission_questions"][0]["points"], 0.125);

    let thirds = quiz_of(&teacher, &course, json!({}), &vec![word(0.333); 3]).await;
    takes(&student, &thirds).await;
    let statistics = teacher.get(&format!("{}/statistics", thirds.path)).await.is(200);
    let of_question = &statistics["quiz_statistics"][0]["question_statistics"][0];
    assert_eq!((&of_question["correct"], &of_question["partially_correct"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn an_answer_of_half_the_weight_is_wrong() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let answers = json!([{ "text": "Oak", "weight": 100 }, { "text": "Elm", "weight": 50 }, { "text": "Ash" }]);
    let question =
        |question_type: &str| json!({ "question_type": question_type, "points_possible": 2, "answers": answers });
    let kinds = ["multiple_choice_question", "missing_word_question"];
    let quiz = quiz_of(&teacher, &course, json!({}), &[question(kinds[0]), question(kinds[1])]).await;
    let attempt = start(&student, &quiz).await;
    let asked = student.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    let elm = asked["quiz_submission_questions"][0]["answers"][1]["id"].clone();
    attempt.answers(&student, &[(quiz.questions[0], elm.clone()), (quiz.questions[1], elm)]).await.is(200);
    assert_eq!(attempt.completes(&student).await.is(200)["quiz_submissions"][0]["score"], 0.0);
    let statistics = teacher.get(&format!("{}/statistics", quiz.path)).await.is(200);
    let told = statistics["quiz_statistics"][0]["question_statistics"][0]["answers"].as_array().unwrap();
    let correct: Vec<_> = told.iter().map(|answer| answer["correct"].as_bool().unwrap()).collect();
    assert_eq!(correct, [true, false, false]);
}

#[tokio::test]
async fn an_earlier_attempt_is_told_with_what_is_its_own() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = json!({ "question_type": "essay_question", "points_possible": 1 });
    let quiz = quiz_of(&teacher, &course, json!({ "allowed_attempts": 2 }), &[essay]).await;
    let (first, _) = takes(&student, &quiz).await;
    let fudged = json!({ "quiz_submissions": [{ "attempt": 1, "fudge_points": 0.3 }] });
    teacher.put(&first.path).json(fudged).await.is(200);
    teacher.post(&format!("{}/questions", quiz.path)).json(json!({ "question": word(2.0) })).await.is(200);
    takes(&student, &quiz).await;
    let told = async || {
        let listed = student.get(&format!("{}/submissions", quiz.path)).await.is(200);
        let told = |one: &Value| {
            ["attempt", "score", "fudge_points", "quiz_points_possible", "workflow_state"].map(|name| one[name].clone())
        };
        listed["quiz_submissions"].as_array().unwrap().iter().map(told).collect::<Vec<_>>()
    };
    let second = json!([2, 0.0, 0.0, 3.0, "pending_review"]);
    assert_eq!(json!(told().await), json!([[1, 0.3, 0.3, 1.0, "pending_review"], second]));
    let read = json!({ "quiz_submissions": [{ "attempt": 1, "questions": { quiz.questions[0].to_string(): { "score": 0.7 } } }] });
    teacher.put(&first.path).json(read).await.is(200);
    assert_eq!(json!(told().await), json!([[1, 1.0, 0.3, 1.0, "complete"], second]));
}

#[tokio::test]
async fn whoever_hands_in_when_the_time_is_over_had_finished_with_it() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz_of(&teacher, &course, json!({ "time_limit": 10 }), &[word(1.0)]).await;
    let attempt = start(&student, &quiz).await;
    let past = format!(
        "UPDATE quiz_submissions SET started_at = '2026-01-01T00:00:00Z', end_at = '2026-01-01T00:10:00Z' WHERE id = {}",
        attempt.id
    );
    if !running().change_database(&past) {
        return;
    }
    let done = attempt.completes(&student).await.is(200)["quiz_submissions"][0].clone();
    assert_eq!((&done["finished_at"], &done["time_spent"]), (&json!("2026-01-01T00:10:00Z"), &json!(600)));
    assert_eq!(submission(&teacher, &course, &quiz, &student).await["submitted_at"], "2026-01-01T00:10:00Z");
}

#[tokio::test]
async fn who_takes_a_graded_survey_has_all_points() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = json!({ "question_type": "essay_question", "points_possible": 2.5 });
    let opinion = json!({
        "question_type": "multiple_choice_question", "points_possible": 1, "answers": [{ "text": "Oak" }, { "text": "Elm" }],
    });
    let survey = quiz_of(&teacher, &course, json!({ "quiz_type": "graded_survey" }), &[essay, opinion]).await;
    let attempt = start(&student, &survey).await;
    attempt.answers(&student, &[(survey.questions[0], json!("Oaks"))]).await.is(200);
    let done = attempt.completes(&student).await.is(200)["quiz_submissions"][0].clone();
    assert_eq!((&done["score"], &done["workflow_state"]), (&json!(3.5), &json!("complete")));
    let graded = submission(&teacher, &course, &survey, &student).await;
    assert_eq!((&graded["score"], &graded["workflow_state"]), (&json!(3.5), &json!("graded")));
}

#[tokio::test]
async fn a_comment_on_an_answer_leaves_the_grade_and_points_leave_the_excuse() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz_of(&teacher, &course, json!({}), &[word(2.0)]).await;
    let (attempt, _) = takes(&student, &quiz).await;
    let assignment = quiz.assignment.unwrap();
    let work = course.path(&format!("/assignments/{assignment}/submissions/{}", student.id));
    let scores = async |given: Value| {
        let questions = json!({ quiz.questions[0].to_string(): given });
        let form = json!({ "quiz_submissions": [{ "attempt": 1, "questions": questions }] });
        teacher.put(&attempt.path).json(form).await.is(200);
        let graded = teacher.get(&work).await.is(200);
        [graded["score"].clone(), graded["excused"].clone(), graded["workflow_state"].clone()]
    };
    teacher.put(&work).json(json!({ "submission": { "posted_grade": "1.5" } })).await.is(200);
    assert_eq!(scores(json!({ "comment": "Quercus" })).await, [json!(1.5), json!(false), json!("graded")]);
    assert_eq!(scores(json!({ "score": 0.5 })).await, [json!(0.5), json!(false), json!("graded")]);
    teacher.put(&work).json(json!({ "submission": { "excuse": true } })).await.is(200);
    for given in [json!({ "comment": "Oak" }), json!({ "score": 1 })] {
        assert_eq!(scores(given).await, [json!(null), json!(true), json!("graded")]);
    }
    let shown = teacher.get(&attempt.path).await.is(200)["quiz_submissions"][0].clone();
    assert_eq!(shown["score"], 1.0, "the attempt has what it was given");
}

#[tokio::test]
async fn all_points_are_all_of_them_whatever_their_digits() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let more = json!({ "allowed_attempts": 2, "scoring_policy": "keep_average" });
    let quiz = quiz_of(&teacher, &course, more, &[word(0.333), word(0.333), word(0.333)]).await;
    let assignment = course.path(&format!("/assignments/{}", quiz.assignment.unwrap()));
    teacher.put(&assignment).json(json!({ "assignment": { "grading_type": "percent" } })).await.is(200);
    for _ in 0..2 {
        let (_, done) = takes(&student, &quiz).await;
        assert_eq!(
            (&done["score"], &done["kept_score"], &done["fudge_points"]),
            (&json!(0.999), &json!(0.999), &json!(0.0))
        );
        let submission = submission(&teacher, &course, &quiz, &student).await;
        assert_eq!((&submission["score"], &submission["grade"]), (&json!(0.999), &json!("100%")));
    }
}

#[tokio::test]
async fn an_attempt_has_its_own_grade_beside_the_one_that_is_kept() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz_of(&teacher, &course, json!({ "allowed_attempts": 3 }), &[word(2.0)]).await;
    takes(&student, &quiz).await;
    let wrong = start(&student, &quiz).await;
    wrong.answers(&student, &[(quiz.questions[0], json!("elm"))]).await.is(200);
    wrong.completes(&student).await.is(200);
    takes(&student, &quiz).await;
    let path = course.path(&format!("/assignments/{}/submissions/{}", quiz.assignment.unwrap(), student.id));
    let submission = teacher.get(&format!("{path}?include[]=submission_history")).await.is(200);
    assert_eq!((&submission["score"], &submission["attempt"]), (&json!(2.0), &json!(3)));
    let history: Vec<_> =
        submission["submission_history"].as_array().unwrap().iter().map(|one| &one["score"]).collect();
    assert_eq!(history, [&json!(2.0), &json!(0.0), &json!(2.0)]);
}

#[tokio::test]
async fn a_quiz_that_is_too_large_is_not_taken() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz_of(&teacher, &course, json!({}), &[word(1.0), word(1.0)]).await;
    let grown = async |bytes: usize| {
        let sql = "UPDATE quiz_questions SET question_text = printf('%.*c',";
        running().change_database(&format!("{sql} {bytes}, 'x') WHERE id = {}", quiz.questions[0]))
    };
    if !grown(17_000_000).await {
        return;
    }
    let question = json!({ "question": word(1.0) });
    let answer = teacher.post(&format!("{}/questions", quiz.path)).json(question).await;
    answer.is_refused(400, "is more than a quiz may hold");
    grown(26_000_000).await;
    student.post(&format!("{}/submissions", quiz.path)).await.is_refused(400, "too large to be taken");
}
