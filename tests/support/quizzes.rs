//! Quizzes with some of everything.

use serde_json::{Value, json};

use crate::{Client, Course, make};

/// A classic quiz with a question of each type, some of them in a group.
pub async fn classic_quiz(teacher: &Client, course: &Course, title: &str) -> i64 {
    let quiz = json!({ "quiz": { "title": title, "description": "<p>Look closely.</p>", "time_limit": 20 } });
    let quiz = make(teacher, &course.path("/quizzes"), quiz).await.id();
    let path = course.path(&format!("/quizzes/{quiz}"));
    let group = json!({ "quiz_groups": [{ "name": "Some", "pick_count": 1, "question_points": 2 }] });
    let group = make(teacher, &format!("{path}/groups"), group).await["quiz_groups"][0]["id"].clone();
    let right = |text: &str| json!({ "answer_text": text, "answer_weight": 100 });
    let wrong = |text: &str| json!({ "answer_text": text, "answer_weight": 0 });
    let blank = |name: &str, text: &str| json!({ "answer_text": text, "blank_id": name, "answer_weight": 100 });
    let pair = |left: &str, right: &str| json!({ "answer_match_left": left, "answer_match_right": right });
    let numbers = json!([{ "numerical_answer_type": "exact_answer", "answer_exact": 42, "answer_error_margin": 1 }]);
    let questions = [
        ("multiple_choice_question", "<p>Which tree?</p>", json!([right("oak"), wrong("cow")])),
        ("true_false_question", "<p>Leaves are green.</p>", json!([right("True"), wrong("False")])),
        ("multiple_answers_question", "<p>Which trees?</p>", json!([right("oak"), right("elm"), wrong("cow")])),
        ("short_answer_question", "<p>Say oak.</p>", json!([right("oak"), right("Oak")])),
        ("essay_question", "<p>Tell about leaves.</p>", json!([])),
        ("file_upload_question", "<p>Draw a leaf.</p>", json!([])),
        ("text_only_question", "<p>Now think.</p>", json!([])),
        ("numerical_question", "<p>How many?</p>", numbers),
        ("matching_question", "<p>Match.</p>", json!([pair("oak", "acorn"), pair("pine", "cone")])),
        ("fill_in_multiple_blanks_question", "<p>[a] and [b]</p>", json!([blank("a", "one"), blank("b", "two")])),
        ("multiple_dropdowns_question", "<p>[a]</p>", json!([blank("a", "one")])),
    ];
    for (number, (kind, text, answers)) in questions.into_iter().enumerate() {
        let group = if number < 2 { group.clone() } else { Value::Null };
        let question = json!({ "question": {
            "question_name": format!("Question {number}"), "question_type": kind, "question_text": text,
            "points_possible": 2, "answers": answers, "quiz_group_id": group,
        } });
        make(teacher, &format!("{path}/questions"), question).await;
    }
    quiz
}

/// A new quiz with some items.
pub async fn new_quiz(teacher: &Client, course: &Course, title: &str) -> i64 {
    let engine = format!("/api/quiz/v1/courses/{}", course.id);
    let quiz = make(teacher, &format!("{engine}/quizzes"), json!({ "quiz": { "title": title } })).await.id();
    let item = json!({ "item": { "entry_type": "Item", "points_possible": 4, "entry": {
        "title": "Seeds", "item_body": "<p>Do seeds sleep?</p>", "interaction_type_slug": "true-false",
        "interaction_data": { "true_choice": "Yes", "false_choice": "No" },
        "scoring_data": { "value": true }, "scoring_algorithm": "Equivalence",
    } } });
    make(teacher, &format!("{engine}/quizzes/{quiz}/items"), item).await;
    quiz
}
