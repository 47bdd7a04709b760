//! What attempts are asked of groups of questions.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::{Client, School};

use super::{Attempt, quiz, start};

/// The names and points of what the attempt is asked of groups that give four points.
async fn asked(student: &Client, attempt: &Attempt) -> Vec<(i64, String)> {
    let asked = student.get(&format!("/api/v1/quiz_submissions/{}/questions", attempt.id)).await.is(200);
    let asked = asked["quiz_submission_questions"].as_array().unwrap().iter();
    let picked = asked.filter(|one| one["points_possible"] == 4.0);
    picked.map(|one| (one["id"].as_i64().unwrap(), one["question_name"].as_str().unwrap().to_owned())).collect()
}

#[tokio::test]
async fn groups_that_pick_from_one_bank_ask_no_question_twice() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": -1 })).await;
    let banks = course.path("/question_banks");
    let bank = teacher.post(&banks).json(json!({ "question_bank": { "title": "Leaves" } })).await.is(200).id();
    for name in ["a", "b", "c", "d", "e"] {
        let question = json!({ "question": {
            "question_name": name, "question_type": "short_answer_question", "answers": [{ "text": name }],
        } });
        teacher.post(&format!("{banks}/{bank}/questions")).json(question).await.is(200);
    }
    for picked in [2, 1, 2] {
        let group = json!({ "pick_count": picked, "question_points": 4, "assessment_question_bank_id": bank });
        teacher.post(&format!("{}/groups", quiz.path)).json(json!({ "quiz_groups": [group] })).await.is(201);
    }

    let mut orders = BTreeSet::new();
    for _ in 0..4 {
        let attempt = start(&student, &quiz).await;
        let picked = asked(&student, &attempt).await;
        let names: BTreeSet<_> = picked.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!((picked.len(), names.len()), (5, 5), "{picked:?}");
        let right: Vec<_> = picked.iter().map(|(id, name)| (*id, json!(name))).collect();
        attempt.answers(&student, &right).await.is(200);
        let done = attempt.completes(&student).await.is(200);
        assert_eq!(done["quiz_submissions"][0]["score"], 20.0, "all that groups give can be earned");
        orders.insert(picked);
    }
    assert!(orders.len() > 1, "each attempt is asked others");
}

#[tokio::test]
async fn groups_with_questions_of_their_own_pick_from_these_alone() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let questions = format!("{}/questions", quiz.path);
    for leaf in ["oak", "elm"] {
        let group = json!({ "quiz_groups": [{ "name": leaf, "pick_count": 2, "question_points": 4 }] });
        let group = teacher.post(&format!("{}/groups", quiz.path)).json(group).await.is(201);
        let group: &Value = &group["quiz_groups"][0]["id"];
        for number in 1..=3 {
            let question = json!({ "question": {
                "question_name": format!("{leaf} {number}"), "question_type": "essay_question", "quiz_group_id": group,
            } });
            teacher.post(&questions).json(question).await.is(200);
        }
    }
    let picked = asked(&student, &start(&student, &quiz).await).await;
    let leaves: Vec<_> = picked.iter().map(|(_, name)| name.get(..3).unwrap()).collect();
    assert_eq!(leaves, ["oak", "oak", "elm", "elm"]);
    let names: BTreeSet<_> = picked.iter().map(|(_, name)| name).collect();
    assert_eq!(names.len(), 4);
}

#[tokio::test]
async fn a_quiz_is_worth_what_its_groups_can_ask_of_the_bank_that_they_share() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": -1 })).await;
    let banks = course.path("/question_banks");
    let bank = teacher.post(&banks).json(json!({ "question_bank": { "title": "Leaves" } })).await.is(200).id();
    let of_bank = format!("{banks}/{bank}/questions");
    let add = async |name: &str| {
        let question = json!({ "question": { "question_name": name, "question_type": "essay_question" } });
        teacher.post(&of_bank).json(question).await.is(200);
    };
    let mut groups = Vec::new();
    for points in [4, 1] {
        let group = json!({ "pick_count": 2, "question_points": points, "assessment_question_bank_id": bank });
        let made = teacher.post(&format!("{}/groups", quiz.path)).json(json!({ "quiz_groups": [group] })).await.is(201);
        groups.push(made["quiz_groups"][0]["id"].clone());
    }
    let assignment = course.path(&format!("/assignments/{}", quiz.assignment.unwrap()));
    // The two questions that are in no group are worth five points.
    let worth = async || {
        let shown = teacher.get(&quiz.path).await.is(200);
        assert_eq!(teacher.get(&assignment).await.is(200)["points_possible"], shown["points_possible"]);
        let asked = start(&student, &quiz).await;
        let attempt = teacher.get(&asked.path).await.is(200)["quiz_submissions"][0].clone();
        assert_eq!(attempt["quiz_points_possible"], shown["points_possible"], "an attempt is worth as much");
        asked.completes(&student).await.is(200);
        (shown["question_count"].as_i64().unwrap() - 2, shown["points_possible"].as_f64().unwrap() - 5.0)
    };
    assert_eq!(worth().await, (0, 0.0));
    for (name, expected) in [("a", (1, 4.0)), ("b", (2, 8.0)), ("c", (3, 9.0))] {
        add(name).await;
        assert_eq!(worth().await, expected, "{name}");
    }
    let order: Vec<_> = groups.iter().rev().map(|id| json!({ "type": "group", "id": id })).collect();
    teacher.post(&format!("{}/reorder", quiz.path)).json(json!({ "order": order })).await.is(204);
    assert_eq!(worth().await, (3, 6.0), "the first of them picks first");
    for name in ["d", "e"] {
        add(name).await;
        assert_eq!(worth().await, (4, 10.0), "{name}");
    }
    teacher.delete(&format!("{}/groups/{}", quiz.path, groups[1])).await.is(204);
    assert_eq!(worth().await, (2, 8.0));
}
