//! Statistics of classic quizzes.

use serde_json::{Value, json};
use support::{School, Section};

use super::{quiz, start, takes};

#[tokio::test]
async fn statistics_tell_of_attempts_and_of_answers() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": 2 })).await;
    let essay = json!({ "question_name": "Bark", "question_type": "essay_question", "points_possible": 5 });
    teacher.post(&format!("{}/questions", quiz.path)).json(json!({ "question": essay })).await.is(200);
    let path = format!("{}/statistics", quiz.path);
    let none = teacher.get(&path).await.is(200);
    let none = &none["quiz_statistics"][0];
    assert_eq!((&none["submission_statistics"]["unique_count"], &none["question_statistics"]), (&json!(0), &json!([])));

    takes(&student, &quiz).await;
    let attempt = start(&other, &quiz).await;
    attempt.answers(&other, &[(quiz.questions[0], json!(2)), (quiz.questions[1], json!(41))]).await.is(200);
    attempt.completes(&other).await.is(200);
    let read = teacher.get(&path).await.is(200);
    let read = &read["quiz_statistics"][0];
    assert_eq!((&read["multiple_attempts_exist"], &read["includes_all_versions"]), (&json!(false), &json!(false)));
    let all = &read["submission_statistics"];
    let figures = ["unique_count", "score_average", "score_high", "score_low", "score_stdev", "correct_count_average"];
    let figures: Vec<_> = figures.iter().map(|name| all[*name].as_f64().unwrap()).collect();
    assert_eq!(figures, [2.0, 2.5, 5.0, 0.0, 2.5, 1.0]);
    assert_eq!(all["scores"], json!({ "0": 1, "50": 1 }));

    let [tree, rings, bark] = [0, 1, 2].map(|place: usize| &read["question_statistics"][place]);
    assert_eq!((&tree["responses"], &tree["correct"], &tree["incorrect"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!(
        tree["answers"],
        json!([{ "id": "1", "text": "Oak", "correct": true, "responses": 1 },
               { "id": "2", "text": "Elm", "correct": false, "responses": 1 }])
    );
    assert_eq!((&tree["difficulty_index"], &tree["correct_top_student_count"]), (&json!(0.5), &json!(1)));
    assert_eq!((&tree["top_student_count"], &tree["bottom_student_count"]), (&json!(1), &json!(1)));
    assert_eq!(tree["alpha"], json!(null), "nobody has answered all questions");
    let biserial = |place: usize| tree["point_biserials"][place]["point_biserial"].as_f64().unwrap();
    assert!((biserial(0) - 1.0).abs() < 1e-9 && (biserial(1) + 1.0).abs() < 1e-9);
    assert_eq!(
        rings["answers"],
        json!([{ "id": "1", "text": "42", "correct": true, "responses": 1 },
               { "id": "other", "text": "Something Else", "correct": false, "responses": 1 }])
    );
    assert_eq!((&bark["responses"], &bark["incorrect"]), (&json!(0), &json!(2)), "nothing was written");
    assert_eq!(bark["point_distribution"], json!([{ "score": 0.0, "count": 2 }]));
    student.get(&path).await.is_forbidden();
}

#[tokio::test]
async fn statistics_are_of_last_attempts_or_of_all() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": 3 })).await;
    takes(&student, &quiz).await;
    start(&student, &quiz).await.completes(&student).await.is(200);
    start(&student, &quiz).await;
    let read = async |query: &str| {
        let read = teacher.get(&format!("{}/statistics{query}", quiz.path)).await.is(200);
        let read = read["quiz_statistics"][0].clone();
        assert_eq!(read["multiple_attempts_exist"], true);
        let all = &read["submission_statistics"];
        (all["score_high"].clone(), all["unique_count"].clone(), read["question_statistics"][0]["responses"].clone())
    };
    assert_eq!(read("").await, (json!(0.0), json!(1), json!(0)), "the attempt that runs is not counted");
    assert_eq!(read("?all_versions=true").await, (json!(5.0), json!(1), json!(1)));
    teacher.get(&format!("{}/statistics?all_versions=perhaps", quiz.path)).await.is_refused(400, "all_versions");
}

#[tokio::test]
async fn parts_of_answers_are_counted_one_by_one() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let Section { teacher: limited, student: evening, .. } = course.section(&school, "Evening").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let ask = async |question: Value| {
        let path = format!("{}/questions", quiz.path);
        teacher.post(&path).json(json!({ "question": question })).await.is(200).id()
    };
    let blanks = ask(json!({
        "question_type": "fill_in_multiple_blanks_question", "question_text": "[a] and [b]", "points_possible": 2,
        "answers": [{ "text": "oak", "blank_id": "a", "weight": 100 }, { "text": "elm", "blank_id": "b", "weight": 100 }],
    }))
    .await;
    let pairs = ask(json!({
        "question_type": "matching_question", "points_possible": 2,
        "answers": [{ "answer_match_left": "leaf", "answer_match_right": "green" },
                    { "answer_match_left": "bark", "answer_match_right": "brown" }],
    }))
    .await;
    let asked = teacher.get(&format!("{}/questions/{pairs}", quiz.path)).await.is(200);
    let [green, brown] = [0, 1].map(|place| asked["answers"][place]["match_id"].clone());
    for who in [&student, &evening] {
        let attempt = start(who, &quiz).await;
        let matched = json!([{ "answer_id": 1, "match_id": green }, { "answer_id": 2, "match_id": green }]);
        attempt.answers(who, &[(blanks, json!({ "a": "Oak", "b": "fir" })), (pairs, matched)]).await.is(200);
        attempt.completes(who).await.is(200);
    }
    for (who, count) in [(&teacher, 2), (&limited, 1)] {
        let read = who.get(&format!("{}/statistics", quiz.path)).await.is(200);
        let of = |question: i64| {
            let questions = read["quiz_statistics"][0]["question_statistics"].as_array().unwrap();
            questions.iter().find(|one| one["id"] == question).unwrap().clone()
        };
        let (blanks, pairs) = (of(blanks), of(pairs));
        assert_eq!((&blanks["partially_correct"], &pairs["partially_correct"]), (&json!(count), &json!(count)));
        let given = |set: &Value| -> Vec<(String, i64)> {
            let answers = set["answers"].as_array().unwrap().iter();
            answers.map(|one| (one["id"].as_str().unwrap().to_owned(), one["responses"].as_i64().unwrap())).collect()
        };
        let [a, b] = [&blanks["answer_sets"][0], &blanks["answer_sets"][1]];
        assert_eq!((&a["id"], &b["id"], &pairs["answer_sets"][1]["text"]), (&json!("a"), &json!("b"), &json!("bark")));
        assert_eq!(given(a), [("1".to_owned(), count)]);
        assert_eq!(given(b), [("2".to_owned(), 0), ("other".to_owned(), count)]);
        assert_eq!(given(&pairs["answer_sets"][1]), [(green.to_string(), count), (brown.to_string(), 0)]);
    }
}
