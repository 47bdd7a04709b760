//! The report of a tracker, and the quizzes that it counts.

use serde_json::{Value, json};
use support::{Client, Course, School};

use super::{District, load, refused};

#[tokio::test]
async fn a_tracker_is_a_tree_and_the_report_counts_scores() {
    let district = District::start().await;
    let classroom = district.get("classrooms?sort=-title").await.is(200);
    let id = classroom["data"][0]["id"].as_str().unwrap();
    let tree = district.get(&format!("trackers/{id}/assessments")).await.is(200);
    let attributes = &tree["data"]["attributes"];
    assert_eq!((&tree["data"]["type"], &attributes["teacher"]), (&json!("tracker"), &json!("Ada Moreno")));
    assert_eq!((&attributes["school"], &attributes["subject"]), (&json!("Lakeside"), &json!("Math")));
    let standards = attributes["standards"].as_array().unwrap();
    assert_eq!(standards.len(), 2);
    assert_eq!(standards[0]["assessments"][0]["title"], "Fractions check");
    assert_eq!(standards[0]["assessments"][0]["assessment_items"][1]["points"], 2);
    assert_eq!(standards[1]["assessments"][0]["title"], "Again");

    let report = format!("reports/item_analysis?filter[classroom_id]={id}");
    let whole = district.get(&report).await.is(200);
    assert_eq!(whole["meta"]["row_count"], 4);
    assert_eq!(whole["data"]["columns"].as_array().unwrap().len(), 7);
    let expected = json!({
        "question_number": 1, "item_title": "Equivalent fractions", "standard": "4.NF.A.1", "item_type": "Multiple choice",
        "dok": 2, "points": 1, "percent_correct": 67,
    });
    assert_eq!(whole["data"]["rows"][0], expected);
    assert_eq!(whole["data"]["rows"][1]["percent_correct"], 38);
    assert_eq!(whole["data"]["rows"][1]["item_title"], Value::Null);
    assert_eq!(whole["data"]["rows"][2]["percent_correct"], 0, "nobody was scored");
    let assessment = standards[0]["assessments"][0]["id"].as_str().unwrap();
    let one = district.get(&format!("{report}&filter[assessment_id]={assessment}")).await.is(200);
    assert_eq!(one["meta"]["row_count"], 2);
    refused(district.get(&format!("{report}&filter[assessment_id]=999999")).await, 404, "not_found");
}

#[tokio::test]
async fn a_percentage_is_never_above_100_or_below_0() {
    let school = School::start().await;
    let item = |id: &str, position: i64| json!({"id": id, "material_id": "m", "position": position, "points": 2});
    let score = |id: &str, item: &str, earned: i64, possible: i64| {
        let points = [("points_earned", earned), ("points_possible", possible)];
        let mut score = json!({"id": id, "assessment_id": "a", "item_id": item});
        points.into_iter().for_each(|(name, points)| score[name] = points.into());
        score
    };
    let scored = json!({
        "classrooms": [{"id": "c", "title": "Trees"}],
        "materials": [{"id": "m", "title": "Trees"}],
        "items": [item("i1", 1), item("i2", 2)],
        "assessments": [{"id": "a", "classroom_id": "c", "material_id": "m"}],
        "item_scores": [
            score("r1", "i1", 50, 1), score("r2", "i2", -3, 2), score("r3", "i2", 1, -2), score("r4", "i2", 1, 2),
        ],
    });
    let loaded = load(&school.admin, "self", &scored).await.is(200);
    assert_eq!(loaded["imported"]["item_scores"], json!({"created": 2, "updated": 0}), "{loaded}");
    let errors = json!([
        {"source": "item_scores", "place": 1, "message": "points_earned is less than 0"},
        {"source": "item_scores", "place": 2, "message": "points_possible is less than 0"},
    ]);
    assert_eq!(loaded["errors"], errors);
    let district = District::of(school).await;
    let classroom = district.first("classrooms").await;
    let report = district.get(&format!("reports/item_analysis?filter[classroom_id]={classroom}")).await.is(200);
    let rows = report["data"]["rows"].as_array().unwrap();
    let percents: Vec<_> = rows.iter().map(|row| row["percent_correct"].as_i64().unwrap()).collect();
    assert_eq!(percents, [100, 50]);
}

/// A published quiz with a question of two points and one that somebody has to read, and the path to it.
async fn quiz(admin: &Client, course: &Course) -> (i64, Vec<i64>) {
    let quiz = json!({"quiz": {"title": "Trees", "quiz_type": "assignment", "allowed_attempts": -1}});
    let id = admin.post(&course.path("/quizzes")).json(quiz).await.is(200).id();
    let path = course.path(&format!("/quizzes/{id}"));
    let choice = json!({
        "question_name": "Tree", "question_type": "multiple_choice_question", "points_possible": 2,
        "answers": [{"text": "Oak", "weight": 100}, {"text": "Elm", "weight": 0}],
    });
    let essay = json!({"question_name": "Why", "question_type": "essay_question", "points_possible": 4});
    let mut questions = Vec::new();
    for question in [choice, essay] {
        questions.push(admin.post(&format!("{path}/questions")).json(json!({"question": question})).await.is(200).id());
    }
    admin.put(&path).json(json!({"quiz": {"published": true}})).await.is(200);
    (id, questions)
}

/// Begins an attempt at the quiz.
async fn begin(student: &Client, quiz: &str) -> Value {
    student.post(&format!("{quiz}/submissions")).await.is(200)["quiz_submissions"][0].clone()
}

/// Takes the quiz: the oak or the elm, and words for the essay.
async fn take(student: &Client, quiz: &str, questions: &[i64], oak: bool) {
    let begun = begin(student, quiz).await;
    let proof = json!({"attempt": begun["attempt"], "validation_token": begun["validation_token"]});
    let path = format!("/api/v1/quiz_submissions/{}/questions", begun["id"]);
    let asked = student.get(&path).await.is(200);
    let choice = &asked["quiz_submission_questions"][0]["answers"][usize::from(!oak)]["id"];
    let mut body = proof.clone();
    body["quiz_questions"] =
        json!([{"id": questions[0], "answer": choice}, {"id": questions[1], "answer": "Because."}]);
    student.post(&path).json(body).await.is(200);
    student.post(&format!("{quiz}/submissions/{}/complete", begun["id"])).json(proof).await.is(200);
}

#[tokio::test]
async fn the_report_counts_the_results_of_this_services_own_quizzes() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let (id, questions) = quiz(&school.admin, &course).await;
    let trees = json!({
        "classrooms": [{"id": "c", "title": "Trees"}],
        "materials": [{"id": "m", "title": "Trees"}],
        "items": [
            {"id": "i1", "material_id": "m", "position": 1, "points": 2, "question_id": questions[0]},
            {"id": "i2", "material_id": "m", "position": 2, "points": 4, "question_id": questions[1]},
        ],
        "assessments": [{"id": "a", "classroom_id": "c", "material_id": "m", "quiz_id": id}],
    });
    assert_eq!(load(&school.admin, "self", &trees).await.is(200)["error_count"], 0);
    let path = course.path(&format!("/quizzes/{id}"));
    let mut students = Vec::new();
    for _ in 0..3 {
        students.push(course.member(&school, "StudentEnrollment").await);
    }
    let district = District::of(school).await;
    let classroom = district.first("classrooms").await;
    let percents = async || {
        let report = district.get(&format!("reports/item_analysis?filter[classroom_id]={classroom}")).await.is(200);
        let rows = report["data"]["rows"].as_array().unwrap();
        rows.iter().map(|row| row["percent_correct"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(percents().await, [0, 0], "nobody has taken it");
    for (student, oak) in students.iter().zip([true, false, true]) {
        take(student, &path, &questions, oak).await;
    }
    assert_eq!(percents().await, [67, 0], "two of three, and nobody has read the essays");
    // While another attempt runs, the last finished one counts; when it is finished, it counts instead.
    begin(&students[0], &path).await;
    assert_eq!(percents().await, [67, 0]);
    take(&students[1], &path, &questions, true).await;
    assert_eq!(percents().await, [100, 0]);
    // Loaded records count beside it.
    let score = json!({"item_scores": [
        {"id": "r", "assessment_id": "a", "item_id": "i1", "points_earned": 0, "points_possible": 6},
    ]});
    load(&district.school.admin, "self", &score).await.is(200);
    assert_eq!(percents().await, [50, 0]);
}

#[tokio::test]
async fn a_district_below_a_school_reads_no_quizzes_beside_it() {
    let school = School::start().await;
    let beside = school.course("Botany").await;
    let (quiz_id, questions) = quiz(&school.admin, &beside).await;
    let account = json!({"account": {"name": "District"}});
    let account = school.admin.post("/api/v1/accounts/self/sub_accounts").json(account).await.is(200).id();
    let data = json!({
        "classrooms": [{"id": "c", "title": "Trees"}],
        "materials": [{"id": "m", "title": "Trees"}],
        "items": [{"id": "i", "material_id": "m", "position": 1, "question_id": questions[0]}],
        "assessments": [{"id": "a", "classroom_id": "c", "material_id": "m", "quiz_id": quiz_id}],
    });
    let loaded = load(&school.admin, &account.to_string(), &data).await.is(200);
    let messages: Vec<_> = loaded["errors"].as_array().unwrap().iter().map(|error| &error["message"]).collect();
    assert_eq!(messages, ["question_id names nothing that is there", "quiz_id names nothing that is there"]);
    // The district above has both.
    assert_eq!(load(&school.admin, "self", &data).await.is(200)["error_count"], 0);
}
