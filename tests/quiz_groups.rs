//! Quiz question groups.

use std::collections::BTreeSet;

use futures::future::{join, join_all};
use serde_json::{Value, json};
use support::{Client, Course, Response, School, number_id, running};

/// A course with its teacher, and a classic quiz in it.
struct Room {
    school: School,
    course: Course,
    teacher: Client,
    student: Client,
    /// The path of the quiz.
    quiz: String,
    quiz_id: i64,
}

impl Room {
    async fn new() -> Self {
        let school = School::start().await;
        let (course, teacher, student) = school.classroom("Botany").await;
        let quiz_id = new_quiz(&teacher, &course).await;
        let quiz = course.path(&format!("/quizzes/{quiz_id}"));
        Self { school, course, teacher, student, quiz, quiz_id }
    }

    fn groups(&self) -> String {
        format!("{}/groups", self.quiz)
    }

    fn group(&self, id: i64) -> String {
        format!("{}/groups/{id}", self.quiz)
    }

    /// A new group with that name, and its id.
    async fn with_group(&self, name: &str) -> i64 {
        let answer = self.teacher.post(&self.groups()).form(&[("quiz_groups[][name]", name)]).await.is(201);
        only(&answer)["id"].as_i64().unwrap()
    }

    /// A new question, in a group or in none, and its id.
    async fn with_question(&self, group: Option<i64>) -> i64 {
        let question = json!({ "question": {
            "question_name": "Q", "question_text": "?", "question_type": "essay_question", "quiz_group_id": group,
        } });
        self.teacher.post(&format!("{}/questions", self.quiz)).json(question).await.is(200).id()
    }

    /// Where the question stands: its position and its group.
    async fn place(&self, question: i64) -> (i64, Option<i64>) {
        let question = self.teacher.get(&format!("{}/questions/{question}", self.quiz)).await.is(200);
        (question["position"].as_i64().unwrap(), question["quiz_group_id"].as_i64())
    }

    async fn publish(&self) {
        self.teacher.put(&self.quiz).json(json!({ "quiz": { "published": true } })).await.is(200);
    }
}

async fn new_quiz(teacher: &Client, course: &Course) -> i64 {
    let quiz = json!({ "quiz": { "title": "Leaves", "quiz_type": "practice_quiz" } });
    teacher.post(&course.path("/quizzes")).json(quiz).await.is(200).id()
}

/// The one group in an answer that holds a list of them.
#[track_caller]
fn only(answer: &Response) -> &Value {
    answer.only(&["quiz_groups"])
}

#[tokio::test]
async fn a_group_has_exactly_the_documented_keys() {
    let room = Room::new().await;
    let form = [
        ("quiz_groups[][name]", "Fractions"),
        ("quiz_groups[][pick_count]", "2"),
        ("quiz_groups[][question_points]", "5"),
    ];
    let answer = room.teacher.post(&room.groups()).form(&form).await.is(201);
    let group = only(&answer);
    let expected = json!({
        "id": number_id(&group["id"]), "quiz_id": room.quiz_id, "name": "Fractions", "pick_count": 2, "question_points": 5.0,
        "assessment_question_bank_id": null, "position": 1,
    });
    assert_eq!(*group, expected);
    assert!(answer.body.contains("\"question_points\":5.0"), "points are a float: {answer}");
    let shown = room.teacher.get(&room.group(group["id"].as_i64().unwrap())).await.is(200);
    assert_eq!(shown.json, expected);
    let listed = room.teacher.get(&room.groups()).await.is(200);
    assert_eq!(listed.json, json!({ "quiz_groups": [expected] }));
}

#[tokio::test]
async fn json_form_and_multipart_say_the_same() {
    let room = Room::new().await;
    let post = || room.teacher.post(&room.groups());
    let answers = [
        post().json(json!({ "quiz_groups": [{ "name": "A", "pick_count": 3, "question_points": 2.5 }] })).await,
        post()
            .form(&[
                ("quiz_groups[][name]", "A"),
                ("quiz_groups[][pick_count]", "3"),
                ("quiz_groups[][question_points]", "2.5"),
            ])
            .await,
        post()
            .multipart(&[
                ("quiz_groups[][name]", "A"),
                ("quiz_groups[][pick_count]", "3"),
                ("quiz_groups[][question_points]", "2.5"),
            ])
            .await,
    ];
    for answer in answers {
        let group = only(&answer);
        assert_eq!(
            (&group["name"], &group["pick_count"], &group["question_points"]),
            (&json!("A"), &json!(3), &json!(2.5))
        );
    }
}

#[tokio::test]
async fn what_is_left_out_has_its_default_and_unknown_fields_are_dropped() {
    let room = Room::new().await;
    let body = json!({ "quiz_groups": [{ "position": 17, "quiz_id": 1, "colour": "red" }] });
    let answer = room.teacher.post(&room.groups()).json(body).await.is(201);
    let group = only(&answer);
    assert_eq!(group["quiz_id"], room.quiz_id);
    assert_eq!(group["position"], 1);
    assert_eq!(
        (&group["name"], &group["pick_count"], &group["question_points"]),
        (&Value::Null, &json!(0), &Value::Null)
    );
}

#[tokio::test]
async fn only_the_first_element_of_the_list_counts() {
    let room = Room::new().await;
    for second in [json!({ "name": "second" }), json!({ "name": ["second"] }), json!(2), json!(null)] {
        let body = json!({ "quiz_groups": [{ "name": "first" }, second] });
        let answer = room.teacher.post(&room.groups()).json(body).await.is(201);
        assert_eq!(only(&answer)["name"], "first");
    }
    let listed = room.teacher.get(&room.groups()).await.is(200);
    assert_eq!(listed["quiz_groups"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn a_body_without_the_list_is_refused() {
    let room = Room::new().await;
    let group = room.group(room.with_group("kept").await);
    for body in [json!({}), json!({ "quiz_groups": {} }), json!({ "quiz_groups": [] }), json!({ "quiz_groups": "x" })] {
        room.teacher.post(&room.groups()).json(&body).await.is_refused(400, "quiz_groups is missing");
        room.teacher.put(&group).json(&body).await.is_refused(400, "quiz_groups is missing");
    }
    assert_eq!(room.teacher.get(&group).await.is(200)["name"], "kept");
}

#[tokio::test]
async fn values_that_the_rules_refuse_are_named_and_nothing_is_stored() {
    let room = Room::new().await;
    let group = room.group(room.with_group("kept").await);
    let too_long = "x".repeat(256);
    for (field, value, text) in [
        ("name", json!(too_long), "is too long (maximum is 255 characters)"),
        ("pick_count", json!("many"), "is not a number"),
        ("question_points", json!("some"), "is not a number"),
        ("question_points", json!([1]), "is not a number"),
    ] {
        let body = json!({ "quiz_groups": [{ field: value }] });
        let expected = json!({ "errors": { field: text } });
        assert_eq!(room.teacher.post(&room.groups()).json(&body).await.is(422).json, expected);
        assert_eq!(room.teacher.put(&group).json(&body).await.is(422).json, expected);
    }
    let all = json!({ "quiz_groups": [{ "name": too_long, "pick_count": "many", "question_points": "some" }] });
    let expected = json!({ "errors": { "name": "is too long (maximum is 255 characters)",
                                       "pick_count": "is not a number", "question_points": "is not a number" } });
    assert_eq!(room.teacher.post(&room.groups()).json(&all).await.is(422).json, expected);
    let listed = room.teacher.get(&room.groups()).await.is(200);
    assert_eq!(only(&listed)["name"], "kept");
    let longest = json!({ "quiz_groups": [{ "name": "ä".repeat(255) }] });
    room.teacher.post(&room.groups()).json(longest).await.is(201);
}

#[tokio::test]
async fn numbers_have_no_lower_bound_and_counts_are_cut() {
    let room = Room::new().await;
    let body = json!({ "quiz_groups": [{ "pick_count": "2.9", "question_points": -1 }] });
    let answer = room.teacher.post(&room.groups()).json(body).await.is(201);
    assert_eq!(only(&answer)["pick_count"], 2);
    assert_eq!(only(&answer)["question_points"], -1.0);
}

#[tokio::test]
async fn an_update_changes_what_it_names() {
    let room = Room::new().await;
    let body = json!({ "quiz_groups": [{ "name": "before", "pick_count": 4, "question_points": 1.5 }] });
    let created = room.teacher.post(&room.groups()).json(body).await.is(201);
    let path = room.group(only(&created)["id"].as_i64().unwrap());

    let put = async |group: Value| room.teacher.put(&path).json(json!({ "quiz_groups": [group] })).await.is(200);
    let renamed = put(json!({ "name": "after" })).await;
    let mut expected = only(&created).clone();
    expected["name"] = "after".into();
    assert_eq!(*only(&renamed), expected);

    let ignored = put(json!({ "position": 9, "quiz_id": 1, "assessment_question_bank_id": 1 })).await;
    assert_eq!(*only(&ignored), expected, "position, quiz and bank are not for updates");

    let emptied = put(json!({ "name": null, "pick_count": null, "question_points": null })).await;
    let group = only(&emptied);
    assert_eq!(
        (&group["name"], &group["pick_count"], &group["question_points"]),
        (&Value::Null, &json!(0), &Value::Null)
    );
    let blank = room.teacher.put(&path).form(&[("quiz_groups[][pick_count]", "")]).await.is(200);
    assert_eq!(only(&blank)["pick_count"], 0);
}

#[tokio::test]
async fn a_deleted_group_is_gone_and_the_others_keep_their_places() {
    let room = Room::new().await;
    let (first, second) = (room.with_group("first").await, room.with_group("second").await);
    let question = room.with_question(Some(first)).await;
    room.teacher.delete(&room.group(first)).await.is(204);
    room.teacher.get(&room.group(first)).await.is_not_found();
    room.teacher.delete(&room.group(first)).await.is_not_found();
    assert_eq!(room.teacher.get(&room.group(second)).await.is(200)["position"], 2);
    let questions = room.teacher.get(&format!("{}/questions", room.quiz)).await.is(200);
    assert!(!questions.ids().contains(&question), "its questions are deleted with it");
}

#[tokio::test]
async fn the_id_of_a_deleted_group_is_not_given_out_again() {
    let room = Room::new().await;
    let mut ids = BTreeSet::new();
    for _ in 0..4 {
        let id = room.with_group("Fractions").await;
        assert!(ids.insert(id), "{id} again");
        room.teacher.delete(&room.group(id)).await.is(204);
    }
}

#[tokio::test]
async fn a_new_group_stands_behind_groups_and_ungrouped_questions() {
    let room = Room::new().await;
    let group = room.with_group("first").await;
    room.with_question(Some(group)).await;
    let loose = room.with_question(None).await;
    let (behind, _) = room.place(loose).await;
    let next = room.with_group("next").await;
    let position = room.teacher.get(&room.group(next)).await.is(200)["position"].as_i64().unwrap();
    assert_eq!(position, behind.max(1) + 1);
}

#[tokio::test]
async fn groups_made_at_the_same_time_have_places_of_their_own() {
    let room = Room::new().await;
    let create = |number: i64| {
        let body = json!({ "quiz_groups": [{ "name": format!("group {number}") }] });
        room.teacher.post(&room.groups()).json(body)
    };
    let answers = join_all((0..16).map(|number| async move { create(number).await.is(201) })).await;
    let mut positions: Vec<_> = answers.iter().map(|answer| only(answer)["position"].as_i64().unwrap()).collect();
    positions.sort_unstable();
    assert_eq!(positions, (1..=16).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_bank_is_taken_when_the_caller_may_read_it_and_dropped_otherwise() {
    let room = Room::new().await;
    let bank = |title: &str| json!({ "question_bank": { "title": title } });
    let own = room.teacher.post(&room.course.path("/question_banks")).json(bank("own")).await.is(200).id();
    let elsewhere = room.school.course("Zoology").await;
    let foreign = room.school.admin.post(&elsewhere.path("/question_banks")).json(bank("foreign")).await.is(200).id();

    for (given, kept) in [(own, json!(own)), (foreign, Value::Null), (9_999_999, Value::Null)] {
        let body = json!({ "quiz_groups": [{ "assessment_question_bank_id": given }] });
        let answer = room.teacher.post(&room.groups()).json(body).await.is(201);
        assert_eq!(only(&answer)["assessment_question_bank_id"], kept);
        let shown = room.teacher.get(&room.group(only(&answer)["id"].as_i64().unwrap())).await.is(200);
        assert_eq!(shown["assessment_question_bank_id"], kept);
    }
}

#[tokio::test]
async fn a_bank_of_the_account_is_linked_by_administrators_and_drawn_from_by_students() {
    let room = Room::new().await;
    let bank = json!({ "question_bank": { "title": "Common" } });
    let banks = "/api/v1/accounts/self/question_banks";
    let bank = room.school.admin.post(banks).json(bank).await.is(200).id();
    let question = json!({ "question": { "question_name": "Secret", "question_type": "essay_question" } });
    room.school.admin.post(&format!("{banks}/{bank}/questions")).json(question).await.is(200);
    let ta = room.course.member(&room.school, "TaEnrollment").await;
    let link = json!({ "quiz_groups": [{ "assessment_question_bank_id": bank, "pick_count": 1 }] });
    for staff in [&room.teacher, &ta] {
        let answer = staff.post(&room.groups()).json(&link).await.is(201);
        assert_eq!(only(&answer)["assessment_question_bank_id"], Value::Null, "whoever may not read it links it not");
    }
    let answer = room.school.admin.post(&room.groups()).json(&link).await.is(201);
    assert_eq!(only(&answer)["assessment_question_bank_id"], bank);
    let change = json!({ "quiz_groups": [{ "name": "Common" }] });
    let group = room.group(only(&answer)["id"].as_i64().unwrap());
    let kept = room.teacher.put(&group).json(change).await.is(200);
    assert_eq!(only(&kept)["assessment_question_bank_id"], bank, "a teacher's change keeps the link");

    room.publish().await;
    let started = room.student.post(&format!("{}/submissions", room.quiz)).await.is(200);
    let id = &started["quiz_submissions"][0]["id"];
    let asked = room.student.get(&format!("/api/v1/quiz_submissions/{id}/questions")).await.is(200);
    assert_eq!(asked["quiz_submission_questions"][0]["question_name"], "Secret");
}

#[tokio::test]
async fn a_bank_of_another_tenant_is_dropped_even_when_it_is_the_callers_own() {
    let room = Room::new().await;
    let site = running().site_admin().await;
    let bank = json!({ "question_bank": { "title": "own" } });
    let bank = site.post("/api/v1/users/self/question_banks").json(bank).await.is(200).id();
    let body = json!({ "quiz_groups": [{ "assessment_question_bank_id": bank }] });
    let answer = site.post(&room.groups()).json(body).await.is(201);
    assert_eq!(only(&answer)["assessment_question_bank_id"], Value::Null);
}

#[tokio::test]
async fn staff_write_students_read_what_is_published() {
    let room = Room::new().await;
    let id = room.with_group("Fractions").await;
    let (group, reorder) = (room.group(id), format!("{}/reorder", room.group(id)));
    let body = json!({ "quiz_groups": [{ "name": "New" }] });

    for role in ["TaEnrollment", "DesignerEnrollment"] {
        let staff = room.course.member(&room.school, role).await;
        staff.get(&group).await.is(200);
        staff.post(&room.groups()).json(&body).await.is(201);
        staff.put(&group).json(&body).await.is(200);
        staff.post(&reorder).json(json!({ "order": [] })).await.is(204);
    }
    let observer = room.course.member(&room.school, "ObserverEnrollment").await;
    let stranger = room.school.person("stranger").await;
    for reader in [&room.student, &observer, &stranger] {
        reader.get(&group).await.is_forbidden();
        reader.post(&room.groups()).json(&body).await.is_forbidden();
        reader.put(&group).json(&body).await.is_forbidden();
        reader.delete(&group).await.is_forbidden();
        reader.post(&reorder).json(json!({ "order": [] })).await.is_forbidden();
    }
    room.publish().await;
    for reader in [&room.student, &observer] {
        reader.get(&group).await.is(200);
        reader.get(&room.groups()).await.is(200);
        reader.delete(&group).await.is_forbidden();
    }
    stranger.get(&group).await.is_forbidden();
}

#[tokio::test]
async fn rights_come_before_the_group_and_after_the_quiz() {
    let room = Room::new().await;
    let no_quiz = room.course.path("/quizzes/9999999/groups/1");
    let no_group = room.group(9_999_999);
    for client in [&room.student, &room.teacher] {
        client.delete(&no_quiz).await.is_not_found();
    }
    room.student.delete(&no_group).await.is_forbidden();
    room.teacher.delete(&no_group).await.is_not_found();
    room.teacher.put(&no_group).json(json!({})).await.is_not_found();
    room.teacher.get(&room.group(0)).await.is_not_found();
    room.teacher.get(&format!("{}/groups/abc", room.quiz)).await.is_not_found();
}

#[tokio::test]
async fn a_quiz_of_another_course_or_a_group_of_another_quiz_is_not_found() {
    let room = Room::new().await;
    let id = room.with_group("Fractions").await;
    let other_course = room.school.course("Zoology").await;
    let misplaced = other_course.path(&format!("/quizzes/{}/groups/{id}", room.quiz_id));
    room.school.admin.get(&misplaced).await.is_not_found();
    let other_quiz = new_quiz(&room.teacher, &room.course).await;
    let misplaced = room.course.path(&format!("/quizzes/{other_quiz}/groups/{id}"));
    room.teacher.get(&misplaced).await.is_not_found();
    room.teacher.delete(&misplaced).await.is_not_found();
    room.teacher.get(&room.group(id)).await.is(200);
}

#[tokio::test]
async fn another_tenant_sees_nothing() {
    let room = Room::new().await;
    let group = room.group(room.with_group("Fractions").await);
    let stranger = School::start().await.admin;
    stranger.get(&group).await.is_not_found();
    stranger.post(&room.groups()).json(json!({ "quiz_groups": [{}] })).await.is_not_found();
    stranger.delete(&group).await.is_not_found();
    room.teacher.get(&group).await.is(200);
}

#[tokio::test]
async fn an_order_gives_the_places_from_one_and_moves_questions_into_the_group() {
    let room = Room::new().await;
    let group = room.with_group("Fractions").await;
    let (a, b) = (room.with_question(Some(group)).await, room.with_question(Some(group)).await);
    let outside = room.with_question(None).await;
    let left_out = room.with_question(Some(group)).await;
    let (kept, _) = room.place(left_out).await;
    let form = [
        ("order[][id]", outside.to_string()),
        ("order[][type]", "question".to_owned()),
        ("order[][id]", b.to_string()),
        ("order[][type]", "question".to_owned()),
        ("order[][id]", a.to_string()),
        ("order[][type]", "question".to_owned()),
    ];
    room.teacher.post(&format!("{}/reorder", room.group(group))).form(&form).await.is(204);
    assert_eq!(room.place(outside).await, (1, Some(group)));
    assert_eq!(room.place(b).await, (2, Some(group)));
    assert_eq!(room.place(a).await, (3, Some(group)));
    assert_eq!(room.place(left_out).await, (kept, Some(group)), "what is not listed stays where it is");
}

#[tokio::test]
async fn an_order_passes_over_what_it_cannot_resolve() {
    let room = Room::new().await;
    let group = room.with_group("Fractions").await;
    let (a, b) = (room.with_question(Some(group)).await, room.with_question(Some(group)).await);
    let reorder = format!("{}/reorder", room.group(group));
    let without_type = json!({ "order": [{ "id": b }, { "id": a }] });
    room.teacher.post(&reorder).json(without_type).await.is(204);
    assert_eq!((room.place(b).await.0, room.place(a).await.0), (1, 2), "in a group all are questions");
    let back = [("order[][id]", a.to_string()), ("order[][id]", b.to_string())];
    let back: Vec<_> = back.iter().map(|(name, value)| (*name, value.as_str())).collect();
    room.teacher.post(&reorder).form(&back).await.is(204);
    assert_eq!((room.place(a).await.0, room.place(b).await.0), (1, 2));

    let with_strangers = json!({ "order": [
        { "type": "question", "id": 9_999_999 }, { "type": "answer", "id": a }, { "type": "question", "id": b },
    ] });
    room.teacher.post(&reorder).json(with_strangers).await.is(204);
    assert_eq!(room.place(b).await, (1, Some(group)));
    room.teacher.post(&reorder).json(json!({})).await.is(400);
}

#[tokio::test]
async fn an_order_that_comes_while_its_group_goes_is_not_found_or_in_time() {
    let room = &Room::new().await;
    let rounds = (0..24).map(async |number: i64| {
        let group = room.group(room.with_group(&format!("group {number}")).await);
        let order = json!({ "order": [{ "id": room.with_question(None).await }] });
        let (gone, ordered) = join(async { room.teacher.delete(&group).await }, async {
            room.teacher.post(&format!("{group}/reorder")).json(order).await
        })
        .await;
        gone.is(204);
        assert!([204, 404].contains(&ordered.status), "{ordered}");
    });
    join_all(rounds).await;
}

#[tokio::test]
async fn a_quiz_has_a_thousand_groups_at_most() {
    let room = Room::new().await;
    let group = room.with_group("First").await;
    let filled = running().change_database(&format!(
        "WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 1000)
         INSERT INTO quiz_groups (quiz_id, position, created_at, updated_at)
         SELECT quiz_id, n, created_at, updated_at FROM n, quiz_groups WHERE id = {group}"
    ));
    if !filled {
        return;
    }
    let one_more = room.teacher.post(&room.groups()).form(&[("quiz_groups[][name]", "One more")]).await;
    assert_eq!(one_more.is(422)["errors"], json!({ "base": "the quiz has as many groups as it may have" }));
    room.teacher.delete(&room.group(group)).await.is(204);
    room.with_group("One more").await;
}
