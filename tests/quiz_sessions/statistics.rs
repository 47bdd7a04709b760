//! Statistics and reports of new quizzes.

use serde_json::{Value, json};
use support::{Client, Section};

use super::Room;
use crate::content_exports::ended;

const OAK: &str = "0b7c1b8e-1111-4222-8333-444455556661";
const ELM: &str = "0b7c1b8e-1111-4222-8333-444455556662";

/// A quiz with a question of each shape: a choice, pairs, and an essay.
async fn room() -> Room {
    let room = Room::with(json!({})).await;
    room.asks(json!({
        "item_body": "<p>Which tree?</p>", "interaction_type_slug": "choice", "scoring_algorithm": "Equivalence",
        "interaction_data": { "choices": [{ "id": OAK, "item_body": "<p>Oak</p>" }, { "id": ELM, "item_body": "<p>Elm</p>" }] },
        "scoring_data": { "value": OAK },
    }))
    .await;
    room.asks(json!({
        "item_body": "<p>Match</p>", "interaction_type_slug": "matching", "scoring_algorithm": "PartialDeep",
        "interaction_data": { "questions": [{ "id": "1", "item_body": "leaf" }, { "id": "2", "item_body": "bark" }],
                              "answers": ["green", "brown"] },
        "scoring_data": { "value": { "1": "green", "2": "brown" } },
    }))
    .await;
    room.asks(json!({
        "item_body": "<p>Why?</p>", "interaction_type_slug": "essay", "scoring_algorithm": "None",
        "interaction_data": { "rce": true }, "scoring_data": { "value": "" },
    }))
    .await;
    room
}

/// Takes the quiz: the tree, and what is matched with the bark.
async fn takes(room: &Room, client: &Client, tree: Value, bark: &str) {
    let taken = room.started_by(client).await;
    taken.answers(client, 1, tree).await;
    taken.answers(client, 2, json!({ "1": "green", "2": bark })).await;
    taken.answers(client, 3, "<p>=1+1</p>").await;
    taken.submits(client).await;
}

#[tokio::test]
async fn statistics_tell_of_sessions_and_of_answers() {
    let room = room().await;
    let path = format!("{}/statistics", room.path());
    let none = room.teacher.get(&path).await.is(200);
    assert_eq!(none["quiz_statistics"][0]["question_statistics"], json!([]));
    let Section { teacher: limited, student: evening, .. } = room.course.section(&room.school, "Evening").await;
    let preview = json!({ "preview": true });
    room.teacher.post(&room.sessions()).json(preview).await.is(200);
    takes(&room, &room.student, json!(OAK), "brown").await;
    takes(&room, &evening, json!(ELM), "green").await;

    let read = room.teacher.get(&path).await.is(200);
    let read = &read["quiz_statistics"][0];
    let all = &read["submission_statistics"];
    let figures = ["unique_count", "score_average", "score_high", "score_low", "score_stdev", "correct_count_average"];
    let figures: Vec<_> = figures.iter().map(|name| all[*name].as_f64().unwrap()).collect();
    assert_eq!(figures, [2.0, 2.5, 4.0, 1.0, 1.5, 1.0]);
    let [tree, pairs, essay] = [0, 1, 2].map(|place: usize| &read["question_statistics"][place]);
    assert_eq!(
        tree["answers"],
        json!([{ "id": OAK, "text": "Oak", "correct": true, "responses": 1 },
               { "id": ELM, "text": "Elm", "correct": false, "responses": 1 }])
    );
    let item = ["difficulty_index", "discrimination_index", "stdev"].map(|name| tree[name].as_f64().unwrap());
    assert_eq!(item, [0.5, 1.0, 0.5]);
    let biserial = |place: usize| tree["point_biserials"][place]["point_biserial"].as_f64().unwrap();
    assert!((biserial(0) - 1.0).abs() < 1e-9 && (biserial(1) + 1.0).abs() < 1e-9, "{tree}");
    assert_eq!((&pairs["correct"], &pairs["partially_correct"]), (&json!(1), &json!(1)));
    let bark = &pairs["answer_sets"][1];
    assert_eq!((&bark["text"], &bark["answers"][0]["responses"]), (&json!("bark"), &json!(1)), "{bark}");
    assert_eq!((&essay["ungraded"], &essay["point_distribution"]), (&json!(2), &json!([])));
    assert_eq!(tree["alpha"], json!(null), "no attempt has all points");
    for session in room.teacher.get(&format!("{}?needs_grading=true", room.sessions())).await.is(200).ids() {
        let graded = json!({ "version": 0, "items": [{ "item_id": essay["id"], "points": 1 }] });
        room.teacher.put(&format!("{}/{session}/result", room.sessions())).json(graded).await.is(200);
    }
    let graded = room.teacher.get(&path).await.is(200);
    let alpha = graded["quiz_statistics"][0]["question_statistics"][0]["alpha"].as_f64().unwrap();
    assert!((alpha - 2.0 / 3.0).abs() < 1e-9, "variances of 1, 0.25 and 0, of sums 2.25: {alpha}");

    let own = limited.get(&path).await.is(200);
    assert_eq!(own["quiz_statistics"][0]["submission_statistics"]["score_high"], 2.0);
    room.student.get(&path).await.is_forbidden();
    room.teacher.get(&format!("{}/quizzes/0/statistics", room.engine)).await.is_not_found();
}

#[tokio::test]
async fn statistics_are_of_last_sessions_or_of_all() {
    let room = room().await;
    takes(&room, &room.student, json!(OAK), "brown").await;
    takes(&room, &room.student, json!(ELM), "green").await;
    let read = async |query: &str| {
        let read = room.teacher.get(&format!("{}/statistics{query}", room.path())).await.is(200);
        let read = read["quiz_statistics"][0].clone();
        assert_eq!(read["multiple_attempts_exist"], true);
        (read["submission_statistics"]["score_high"].clone(), read["question_statistics"][0]["responses"].clone())
    };
    assert_eq!(read("").await, (json!(1.0), json!(1)));
    assert_eq!(read("?all_versions=true").await, (json!(4.0), json!(2)));
}

#[tokio::test]
async fn reports_are_made_as_tables_and_for_programs() {
    let room = room().await;
    takes(&room, &room.student, json!(OAK), "green").await;
    let path = format!("{}/reports", room.path());
    let ask = |kind: &str, format: &str| {
        let form = json!({ "quiz_report": { "report_type": kind, "format": format } });
        room.teacher.post(&path).json(form)
    };
    let made = async |kind: &str, format: &str| {
        let asked = ask(kind, format).await.is(200);
        let progress = ended(&room.teacher, &asked["progress"]["url"]).await;
        assert_eq!(progress["workflow_state"], "completed", "{progress}");
        let url = progress["results"]["url"].as_str().unwrap_or_else(|| panic!("no address: {progress}"));
        reqwest::get(url).await.unwrap().text().await.unwrap()
    };
    let table = made("student_analysis", "csv").await;
    let line = table.lines().nth(1).unwrap();
    assert!(line.ends_with("Oak,2.0,\"leaf=>green,bark=>green\",1.0,'=1+1,,1,1,3.0"), "{table}");
    let records: Value = serde_json::from_str(&made("student_analysis", "json").await).unwrap();
    assert_eq!((&records[0]["score"], &records[0]["student"]["id"]), (&json!(3.0), &json!(room.student.id)));
    assert_eq!(records[0]["responses"][0]["text"], "Oak");
    let items = made("item_analysis", "csv").await;
    assert!(items.lines().count() == 3 && items.contains("Which tree?"), "{items}");
    let items: Value = serde_json::from_str(&made("item_analysis", "json").await).unwrap();
    assert_eq!((&items[0]["question_type"], &items[0]["correct"]), (&json!("choice"), &json!(1)));

    ask("ranking", "csv").await.is_refused(400, "report_type] must be");
    ask("item_analysis", "pdf").await.is_refused(400, "format] must be csv or json");
    room.teacher.post(&path).json(json!({})).await.is_refused(400, "quiz_report[report_type] is missing");
    room.student.post(&path).json(json!({})).await.is_forbidden();
}
