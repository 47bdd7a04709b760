//! Regrades: what is right is corrected after it was answered.

use serde_json::{Value, json};
use support::{Client, Response, running};

use super::{Room, Taken, grading};
use crate::live_events::{ALL, Subscriber};

impl Room {
    fn regrades(&self) -> String {
        format!("{}/regrades", self.path())
    }

    /// The quiz's first item.
    async fn item(&self) -> Value {
        self.teacher.get(&format!("{}/items", self.path())).await.is(200).json[0]["id"].clone()
    }

    /// Corrects the first question to false.
    async fn corrects(&self, option: &str) -> Response {
        let form = json!({ "item_id": self.item().await, "option": option, "scoring_data": { "value": false } });
        self.teacher.post(&self.regrades()).json(form).await.is(200)
    }

    /// The regrade, when no attempt is due any more.
    async fn finished(&self, regrade: &Response) -> Response {
        let path = format!("{}/{}", self.regrades(), regrade.id());
        for _ in 0..20 {
            running().tick(None).await;
            let regrade = self.teacher.get(&path).await.is(200);
            if regrade["workflow_state"] == "completed" {
                return regrade;
            }
        }
        panic!("the regrade does not end");
    }

    async fn answered(&self, client: &Client, answer: impl Into<Value>) -> Taken {
        let taken = self.started_by(client).await;
        taken.answers(client, 1, answer).await;
        taken.submits(client).await;
        taken
    }

    async fn grade_of(&self, client: &Client) -> Response {
        let path = self.course.path(&format!("/assignments/{}/submissions/{}", self.quiz, client.id));
        self.teacher.get(&path).await.is(200)
    }
}

#[tokio::test]
async fn a_corrected_key_changes_points_scores_and_grades() {
    let room = Room::of_questions(1, json!({})).await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let (yes, no) = (room.answered(&room.student, true).await, room.answered(&other, false).await);
    assert_eq!(
        (&room.grade_of(&room.student).await["score"], &room.grade_of(&other).await["score"]),
        (&json!(10.0), &json!(0.0))
    );
    let tool = Subscriber::new(&room.school, "course", room.course.id, ALL);
    let begun = room.corrects("current_correct_only").await;
    assert_eq!((&begun["attempt_count"], &begun["previous_scoring_data"]), (&json!(2), &json!({ "value": true })));
    let regrade = room.finished(&begun).await;
    assert_eq!(
        (&regrade["completion"], &regrade["regraded_count"], &regrade["changed_count"]),
        (&json!(100), &json!(2), &json!(2))
    );
    assert_eq!((&regrade["points_change"], &regrade["user_id"]), (&json!(0.0), &json!(room.teacher.id)));
    assert_eq!(
        (&room.grade_of(&room.student).await["score"], &room.grade_of(&other).await["grade"]),
        (&json!(0.0), &json!("10"))
    );
    let result = yes.result(&room.student).await;
    assert_eq!((&result["score"], &result["items"][0]["correct"]), (&json!(0.0), &json!(false)));
    assert_eq!(no.result(&other).await["items"][0]["correct_answer"], json!({ "value": false }));
    let attempts = room.teacher.get(&format!("{}/{}/attempts", room.regrades(), regrade.id())).await.is(200);
    let first = &attempts.json[0];
    assert_eq!(
        (&first["user_id"], &first["points_before"], &first["points_after"]),
        (&json!(room.student.id), &json!(2.0), &json!(0.0))
    );
    assert_eq!(
        (&first["score_before"], &first["score_after"], &first["is_by_person"]),
        (&json!(2.0), &json!(0.0), &json!(false))
    );
    assert_eq!(room.teacher.get(&room.regrades()).await.is(200).json.as_array().unwrap().len(), 1);
    if let Some(tool) = tool {
        assert_eq!(tool.types(), ["GRADE_CHANGE", "SUBMISSION_UPDATED", "GRADE_CHANGE", "SUBMISSION_UPDATED"]);
    }
}

#[tokio::test]
async fn nobody_loses_points_where_the_previous_key_counts_too() {
    let room = Room::of_questions(1, json!({})).await;
    let [wrong, running_one, by_person] = [
        room.course.member(&room.school, "StudentEnrollment").await,
        room.course.member(&room.school, "StudentEnrollment").await,
        room.course.member(&room.school, "StudentEnrollment").await,
    ];
    room.answered(&room.student, true).await;
    room.answered(&wrong, false).await;
    let judged = room.answered(&by_person, false).await;
    let runs = room.started_by(&running_one).await;
    runs.answers(&running_one, 1, true).await;
    let points = json!([{ "item_id": judged.item(1), "points": 0.5 }]);
    judged.grade(&room.teacher, json!({ "version": 0, "items": points })).await.is(200);
    let regrade = room.finished(&room.corrects("current_and_previous_correct").await).await;
    assert_eq!(
        (&regrade["attempt_count"], &regrade["changed_count"], &regrade["points_change"]),
        (&json!(3), &json!(1), &json!(2.0))
    );
    let scores = [&room.student, &wrong].map(|client| room.grade_of(client));
    for grade in futures::future::join_all(scores).await {
        assert_eq!(grade["score"], 10.0);
    }
    assert_eq!(judged.result(&by_person).await["score"], 0.5, "what a person gave stays");
    // Whoever was taking the quiz has the previous key, too.
    runs.submits(&running_one).await;
    let regrade = room.finished(&regrade).await;
    assert_eq!((&regrade["attempt_count"], &regrade["regraded_count"]), (&json!(4), &json!(4)));
    assert_eq!(room.grade_of(&running_one).await["score"], 10.0);
}

#[tokio::test]
async fn points_by_hand_and_for_lateness_stay_beside_a_regrade() {
    let room = grading::room(json!({})).await;
    room.sets(json!({ "due_at": "2020-01-01T00:00:00Z" })).await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let (by_item, as_a_whole) =
        (grading::handed_in(&room, &room.student).await, grading::handed_in(&room, &other).await);
    let form = |taken: &Taken| json!({ "version": 0, "fudge_points": 1, "items": [{ "item_id": taken.item(2), "points": 1 }] });
    by_item.grade(&room.teacher, form(&by_item)).await.is(200);
    as_a_whole.grade(&room.teacher, form(&as_a_whole)).await.is(200);
    assert_eq!(room.grade_of(&room.student).await["score"], 10.0, "4 of 4 points");
    let whole = room.course.path(&format!("/assignments/{}/submissions/{}", room.quiz, other.id));
    room.teacher.put(&whole).json(json!({ "submission": { "posted_grade": "9" } })).await.is(200);
    let policy =
        json!({ "late_policy": { "late_submission_deduction_enabled": true, "late_submission_deduction": 100 } });
    room.teacher.post(&room.course.path("/late_policy")).json(policy).await.is(201);

    let key =
        json!({ "item_id": room.item().await, "option": "current_correct_only", "scoring_data": { "value": false } });
    let regrade = room.teacher.post(&room.regrades()).json(key).await.is(200);
    room.finished(&regrade).await;
    let result = by_item.result(&room.teacher).await;
    assert_eq!((&result["score"], &result["version"]), (&json!(2.0), &json!(2)), "one point by hand, and one beside");
    by_item.grade(&room.teacher, json!({ "version": 1, "fudge_points": 0 })).await.is(409);
    let grade = room.grade_of(&room.student).await;
    assert_eq!((&grade["entered_score"], &grade["score"]), (&json!(5.0), &json!(0.0)));
    assert_eq!(room.grade_of(&other).await["entered_score"], 9.0, "what a person gave as a whole stays");
}

#[tokio::test]
async fn the_score_that_is_kept_is_as_late_as_its_attempt() {
    let room = Room::of_questions(1, json!({})).await;
    let policy =
        json!({ "late_policy": { "late_submission_deduction_enabled": true, "late_submission_deduction": 50 } });
    room.teacher.post(&room.course.path("/late_policy")).json(policy).await.is(201);
    let points = async || {
        let grade = room.grade_of(&room.student).await;
        json!([grade["entered_score"], grade["score"], grade["points_deducted"]])
    };
    room.answered(&room.student, true).await;
    let best = room.grade_of(&room.student).await["submitted_at"].clone();
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    room.answered(&room.student, false).await;
    room.sets(json!({ "due_at": best })).await;
    running().tick(None).await;
    assert_eq!(points().await, json!([10.0, 10.0, null]), "the best attempt was in time");
    room.answered(&room.student, false).await;
    assert_eq!(points().await, json!([10.0, 10.0, null]), "another late attempt costs nothing");

    let key =
        json!({ "item_id": room.item().await, "option": "current_correct_only", "scoring_data": { "value": false } });
    let regrade = room.teacher.post(&room.regrades()).json(key).await.is(200);
    room.finished(&regrade).await;
    assert_eq!(points().await, json!([10.0, 5.0, 5.0]), "the best is a late one now");
}

#[tokio::test]
async fn a_key_is_corrected_for_those_who_come_later_and_credit_is_given_to_all() {
    let room = Room::with(json!({})).await;
    let key = |value: &str| json!({ "value": [{ "id": "1", "type": "exactResponse", "value": value }] });
    room.asks(json!({
        "item_body": "<p>How many?</p>", "interaction_type_slug": "numeric", "interaction_data": {},
        "scoring_data": key("12"), "scoring_algorithm": "Numeric",
    }))
    .await;
    room.answered(&room.student, "12").await;
    let form = json!({ "item_id": room.item().await, "option": "no_regrade", "scoring_data": key("13") });
    let silent = room.teacher.post(&room.regrades()).json(form).await.is(200);
    assert_eq!((&silent["workflow_state"], &silent["attempt_count"]), (&json!("completed"), &json!(0)));
    assert_eq!(room.grade_of(&room.student).await["score"], 10.0);
    let later = room.course.member(&room.school, "StudentEnrollment").await;
    room.answered(&later, "12").await;
    assert_eq!(room.grade_of(&later).await["score"], 0.0);
    let credit = json!({ "item_id": room.item().await, "option": "full_credit" });
    let credit = room.teacher.post(&room.regrades()).json(credit).await.is(200);
    assert_eq!(room.finished(&credit).await["changed_count"], 1);
    assert_eq!(room.grade_of(&later).await["score"], 10.0);
}

#[tokio::test]
async fn a_question_of_a_bank_is_regraded_in_one_quiz() {
    let mut room = Room::with(json!({})).await;
    let bank = room.teacher.post(&format!("{}/banks", room.engine)).json(json!({ "bank": { "title": "Trees" } }));
    let bank = bank.await.is(200).id();
    let entries = format!("{}/banks/{bank}/entries", room.engine);
    let entry = json!({ "entry_type": "Item", "entry": xtask::items::true_false("Oaks bear acorns", true) });
    let entry = room.teacher.post(&entries).json(entry).await.is(200).id();
    let drawn = json!({ "bank_id": bank, "points_possible": 2 });
    let other = json!({ "quiz": { "title": "Twigs", "points_possible": 10, "published": true } });
    let other = room.teacher.post(&format!("{}/quizzes", room.engine)).json(other).await.is(200).id();
    let mut items = Vec::new();
    let quiz = room.quiz;
    for quiz in [other, quiz] {
        room.quiz = quiz;
        let item = room.teacher.post(&format!("{}/bank_items", room.path())).json(drawn.clone()).await.is(200);
        items.push(item["id"].clone());
        room.answered(&room.student, false).await;
    }
    let item = items.pop().unwrap();

    let named = format!("{}-{entry}", item.as_str().unwrap());
    let key = json!({ "item_id": named, "option": "current_correct_only", "scoring_data": { "value": false } });
    let regrade = room.finished(&room.teacher.post(&room.regrades()).json(key).await.is(200)).await;
    assert_eq!(
        (&regrade["item_id"], &regrade["bank_id"], &regrade["bank_entry_id"], &regrade["changed_count"]),
        (&json!(named), &json!(bank), &json!(entry), &json!(1))
    );
    let corrected = room.teacher.get(&format!("{entries}/{entry}")).await.is(200);
    assert_eq!(corrected["entry"]["scoring_data"], json!({ "value": false }));
    assert_eq!(room.grade_of(&room.student).await["score"], 10.0);
    room.quiz = other;
    assert_eq!(room.grade_of(&room.student).await["score"], 0.0, "attempts at other quizzes stay");
    assert!(room.teacher.get(&room.regrades()).await.is(200).json.as_array().unwrap().is_empty());
    room.quiz = quiz;

    let points = json!({ "item_id": item, "option": "current_correct_only", "points_possible": 5 });
    let regrade = room.finished(&room.teacher.post(&room.regrades()).json(points).await.is(200)).await;
    assert_eq!(
        (
            &regrade["bank_entry_id"],
            &regrade["scoring_data"],
            &regrade["previous_points_possible"],
            &regrade["points_change"]
        ),
        (&json!(null), &json!(null), &json!(2.0), &json!(3.0)),
        "all that the bank gives"
    );
}

#[tokio::test]
async fn answers_are_scored_anew_by_what_the_question_is_worth_now() {
    let room = Room::of_questions(2, json!({})).await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let late = room.course.member(&room.school, "StudentEnrollment").await;
    let (taken, judged) = (room.answered(&room.student, true).await, room.answered(&other, true).await);
    let runs = room.started_by(&late).await;
    runs.answers(&late, 1, true).await;
    let points = json!([{ "item_id": judged.item(1), "points": 1 }]);
    judged.grade(&room.teacher, json!({ "version": 0, "items": points })).await.is(200);
    assert_eq!(room.grade_of(&room.student).await["score"], 5.0, "2 of 4 points");
    let form = json!({ "item_id": room.item().await, "option": "current_and_previous_correct", "points_possible": 6 });
    let regrade = room.finished(&room.teacher.post(&room.regrades()).json(form).await.is(200)).await;
    assert_eq!(
        (&regrade["points_possible"], &regrade["by_person_count"], &regrade["points_change"]),
        (&json!(6.0), &json!(1), &json!(4.0))
    );
    let result = taken.result(&room.student).await;
    assert_eq!((&result["score"], &result["points_possible"]), (&json!(6.0), &json!(8.0)));
    assert_eq!((&result["items"][0]["points_possible"], &result["items"][0]["correct"]), (&json!(6.0), &json!(true)));
    assert_eq!(room.grade_of(&room.student).await["score"], 7.5);
    assert_eq!(judged.result(&other).await["score"], 1.0, "what a person gave stays as it is");
    assert_eq!(room.grade_of(&other).await["score"], 1.25, "1 of 8 points");
    runs.submits(&late).await;
    room.finished(&regrade).await;
    assert_eq!(room.grade_of(&late).await["score"], 7.5, "whoever was taking the quiz has the same");
}

#[tokio::test]
async fn what_cannot_be_regraded_is_refused() {
    let room = Room::of_questions(1, json!({})).await;
    let item = room.item().await;
    let refused = async |form: Value, status: u16, words: &str| {
        room.teacher.post(&room.regrades()).json(form).await.is_refused(status, words);
    };
    let with = |scoring_data: Value| json!({ "item_id": item, "option": "current_correct_only", "scoring_data": scoring_data });
    room.student.post(&room.regrades()).json(with(json!({ "value": false }))).await.is_forbidden();
    room.student.get(&room.regrades()).await.is_forbidden();
    refused(with(json!({ "value": "maybe" })), 422, "must be true or false").await;
    refused(json!({ "item_id": item, "option": "no_regrade" }), 400, "scoring_data is missing").await;
    refused(json!({ "item_id": item, "option": "most" }), 400, "must be one of").await;
    refused(json!({ "item_id": 999_999_999, "option": "full_credit" }), 404, "").await;
    let bank = room
        .teacher
        .post(&format!("{}/banks", room.engine))
        .json(json!({ "bank": { "title": "Trees" } }))
        .await
        .is(200);
    let drawn = json!({ "bank_id": bank["id"] });
    let drawn = room.teacher.post(&format!("{}/bank_items", room.path())).json(drawn).await.is(200);
    let key = json!({ "value": false });
    let whole = json!({ "item_id": drawn["id"], "option": "full_credit", "scoring_data": key });
    refused(whole, 422, "one question of the bank").await;
    refused(json!({ "item_id": format!("{}-9", drawn["id"].as_str().unwrap()), "option": "full_credit" }), 404, "")
        .await;
    refused(json!({ "item_id": "oak", "option": "full_credit" }), 422, "ITEM-ENTRY").await;
    for (points, reason) in [(0, "greater than 0"), (1_000_001, "less than or equal to 1000000")] {
        let points = json!({ "item_id": item, "option": "full_credit", "points_possible": points });
        refused(points, 422, reason).await;
    }
    let stimulus = json!({ "body": "<p>Leaves</p>" });
    let stimulus = room.teacher.post(&format!("{}/stimuli", room.path())).json(stimulus).await.is(200);
    refused(json!({ "item_id": stimulus["id"], "option": "full_credit" }), 422, "must be a question").await;
    let limited = room.course.section(&room.school, "Evening").await;
    limited.teacher.post(&room.regrades()).json(with(json!({ "value": false }))).await.is_forbidden();
}
