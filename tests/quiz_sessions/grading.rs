//! Grading by people: points and comments by question, and what follows for the grade.

use futures::future::join;
use serde_json::{Value, json};
use support::{Client, Response, School, Section, unique};

use super::{Room, Taken};

/// A question that a person grades.
pub(super) fn essay() -> Value {
    json!({
        "title": "Why", "item_body": "<p>Why do leaves fall?</p>", "interaction_type_slug": "essay",
        "interaction_data": { "rce": true }, "scoring_data": { "value": "Light, water" }, "scoring_algorithm": "None",
    })
}

/// A quiz of ten points with a statement to judge and an essay, of two points each, and these settings.
pub(super) async fn room(settings: Value) -> Room {
    let room = Room::of_questions(1, settings).await;
    room.asks(essay()).await;
    room
}

/// An attempt with a right answer and an essay, which is handed in.
pub(super) async fn handed_in(room: &Room, student: &Client) -> Taken {
    let taken = room.started_by(student).await;
    taken.answers(student, 1, true).await;
    taken.answers(student, 2, "<p>It gets dark.</p>").await;
    taken.submits(student).await;
    taken
}

impl Taken {
    pub(super) async fn grade(&self, grader: &Client, form: Value) -> Response {
        grader.put(&format!("{}/result", self.path)).json(form).await
    }

    /// Points for the essay.
    fn essay(&self, points: impl Into<Value>) -> Value {
        json!([{ "item_id": self.item(2), "points": points.into() }])
    }
}

async fn waiting(room: &Room, query: &str) -> Vec<i64> {
    room.teacher.get(&format!("{}?needs_grading=true{query}", room.sessions())).await.is(200).ids()
}

#[tokio::test]
async fn notes_for_graders_are_not_for_students() {
    let all = json!({
        "result_view_restricted": true, "display_items": true, "display_item_response": true,
        "display_item_response_correctness": true, "display_item_correct_answer": true,
    });
    for view in [json!(null), all] {
        let room = room(json!({ "result_view_settings": view })).await;
        let taken = handed_in(&room, &room.student).await;
        let right = |result: Response| [0, 1].map(|item| result["items"][item]["correct_answer"].clone());
        let [statement, notes] = [json!({ "value": true }), json!({ "value": "Light, water" })];
        assert_eq!(right(taken.result(&room.student).await), [statement.clone(), json!(null)]);
        assert_eq!(right(taken.result(&room.teacher).await), [statement, notes]);
    }
}

#[tokio::test]
async fn an_essay_waits_until_a_grader_has_given_it_points() {
    let room = room(json!({})).await;
    let taken = handed_in(&room, &room.student).await;
    let before = taken.result(&room.teacher).await;
    assert_eq!((&before["workflow_state"], &before["score"]), (&json!("pending_review"), &json!(2.0)));
    assert_eq!((&before["version"], &before["grader_id"]), (&json!(0), &json!(null)));
    assert_eq!(room.submission().await["workflow_state"], "pending_review");
    assert_eq!(waiting(&room, "").await, [taken.session.id()]);

    let essay = json!({ "item_id": taken.item(2), "points": 1.5, "comment": "<p>Good<script>x()</script></p>" });
    let graded = taken.grade(&room.teacher, json!({ "version": 0, "items": [essay] })).await.is(200);
    assert_eq!((&graded["workflow_state"], &graded["score"]), (&json!("graded"), &json!(3.5)));
    assert_eq!((&graded["version"], &graded["grader_id"]), (&json!(1), &json!(room.teacher.id)));
    let [first, second] = [&graded["items"][0], &graded["items"][1]];
    assert_eq!((&first["points"], &first["grader_id"]), (&json!(2.0), &json!(null)), "what is not named stays");
    assert_eq!((&second["points"], &second["grader_id"]), (&json!(1.5), &json!(room.teacher.id)));
    assert_eq!((&second["comment"], &second["graded_at"]), (&json!("<p>Good</p>"), &graded["graded_at"]));
    assert_eq!(taken.result(&room.teacher).await.json, graded.json);

    let submission = room.submission().await;
    assert_eq!((&submission["workflow_state"], &submission["score"]), (&json!("graded"), &json!(8.75)));
    assert_eq!(submission["grader_id"], room.teacher.id);
    assert!(waiting(&room, "").await.is_empty());
    let listed = room.teacher.get(&room.sessions()).await.is(200);
    assert_eq!((&listed.json[0]["workflow_state"], &listed.json[0]["score"]), (&json!("graded"), &json!(3.5)));

    let seen = taken.result(&room.student).await;
    assert_eq!((&seen["items"][1]["points"], &seen["items"][1]["comment"]), (&json!(1.5), &json!("<p>Good</p>")));
    let hidden = json!({ "result_view_settings": { "result_view_restricted": true, "display_items": true } });
    room.sets(json!({ "quiz_settings": hidden })).await;
    let hidden = taken.result(&room.student).await;
    let essay = &hidden["items"][1];
    assert_eq!((&essay["points"], &essay["comment"], &essay["grader_id"]), (&json!(null), &json!(null), &json!(null)));
    assert_eq!((&hidden["score"], &hidden["fudge_points"]), (&json!(null), &json!(null)));
    assert_eq!(room.student.get(&room.sessions()).await.is(200).json[0]["score"], json!(null));
}

#[tokio::test]
async fn points_may_be_more_than_a_question_has_and_are_taken_back() {
    let room = room(json!({})).await;
    let taken = handed_in(&room, &room.student).await;
    let statement = json!({ "item_id": taken.item(1), "points": 0.5 });
    let both = json!([statement, { "item_id": taken.item(2), "points": 7, "comment": "More than asked" }]);
    let graded = taken.grade(&room.teacher, json!({ "version": 0, "items": both, "fudge_points": -1 })).await.is(200);
    assert_eq!((&graded["score"], &graded["fudge_points"]), (&json!(6.5), &json!(-1.0)));
    assert_eq!(room.submission().await["score"], 16.25);

    let nothing = json!([{ "item_id": taken.item(1), "points": null }, { "item_id": taken.item(2), "points": null }]);
    let same = taken.grade(&room.teacher, json!({ "version": 1 })).await.is(200);
    assert_eq!((&same["version"], &same["score"]), (&json!(1), &json!(6.5)), "nothing was named");
    let back = taken.grade(&room.teacher, json!({ "version": 1, "fudge_points": 0 })).await.is(200);
    assert_eq!(back["score"], 7.5);
    let back = taken.grade(&room.teacher, json!({ "version": 2, "items": nothing })).await.is(200);
    assert_eq!((&back["workflow_state"], &back["score"]), (&json!("pending_review"), &json!(2.0)));
    let [first, second] = [&back["items"][0], &back["items"][1]];
    assert_eq!((&first["points"], &first["grader_id"]), (&json!(2.0), &json!(null)), "those of the service again");
    assert_eq!((&second["points"], &second["comment"]), (&json!(null), &json!("More than asked")));
    assert_eq!(room.submission().await["workflow_state"], "pending_review");
    let essay = json!([{ "item_id": taken.item(2), "comment": " " }]);
    let cleared = taken.grade(&room.teacher, json!({ "version": 3, "items": essay })).await.is(200);
    assert_eq!(cleared["items"][1]["comment"], json!(null));
}

/// What the student is told of comments, the newest first, by a channel that wants to know at once.
async fn told_of_comments(room: &Room, channel: i64) -> Vec<Value> {
    let outbox = room.school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
    let is_one = |message: &&Value| message["channel_id"] == channel && message["notification"] == "submission_comment";
    outbox.json.as_array().unwrap().iter().filter(is_one).cloned().collect()
}

async fn listens(room: &Room) -> i64 {
    let channels = format!("/api/v1/users/{}/communication_channels", room.student.id);
    let address = format!("{}@school.test", unique("listener"));
    let body = json!({ "communication_channel": { "type": "email", "address": address }, "skip_confirmation": true });
    let channel = room.school.admin.post(&channels).json(body).await.is(200).id();
    let path =
        format!("/api/v1/users/self/communication_channels/{channel}/notification_preferences/submission_comment");
    let at_once = json!({ "notification_preferences": { "frequency": "immediately" } });
    room.student.put(&path).json(at_once).await.is(200);
    channel
}

#[tokio::test]
async fn the_student_is_told_of_comments_that_the_result_shows() {
    let room = room(json!({})).await;
    let channel = listens(&room).await;
    let taken = handed_in(&room, &room.student).await;
    let says = |version: i64, comment: &str| json!({ "version": version, "items": [{ "item_id": taken.item(2), "points": version, "comment": comment }] });
    taken.grade(&room.teacher, says(0, "<p>Good &amp; <b>short</b></p>")).await.is(200);
    let told = told_of_comments(&room, channel).await;
    let [message] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(message["subject"], "Comment on Leaves");
    let body = message["body"].as_str().unwrap();
    let page = format!("/courses/{}/assignments/{}/submissions/{}", room.course.id, room.quiz, room.student.id);
    assert!(body.starts_with("Question 2: Good & short\n\n") && body.trim_end().ends_with(&page), "{body}");

    taken.grade(&room.teacher, says(1, "<p>Good &amp; <b>short</b></p>")).await.is(200);
    let restricted = json!({ "result_view_settings": { "result_view_restricted": true, "display_items": true } });
    room.sets(json!({ "quiz_settings": restricted })).await;
    taken.grade(&room.teacher, says(2, "Not shown")).await.is(200);
    room.sets(json!({ "quiz_settings": { "result_view_settings": null } })).await;
    let hide = room.course.path(&format!("/assignments/{}/hide_grades", room.quiz));
    room.teacher.put(&hide).await.is(200);
    taken.grade(&room.teacher, says(3, "Not posted")).await.is(200);
    let now = told_of_comments(&room, channel).await;
    assert_eq!(
        now.iter().map(|message| &message["id"]).collect::<Vec<_>>(),
        [&message["id"]],
        "no comment is new and seen"
    );
}

#[tokio::test]
async fn of_two_graders_one_is_told_what_stands() {
    let room = room(json!({})).await;
    let taken = handed_in(&room, &room.student).await;
    let assistant = room.course.member(&room.school, "TaEnrollment").await;
    let [one, other] = [1, 2].map(|points| json!({ "version": 0, "items": taken.essay(points) }));
    let (one, other) = join(taken.grade(&room.teacher, one), taken.grade(&assistant, other)).await;
    let (kept, refused) = if one.status == 200 { (one, other) } else { (other, one) };
    let (kept, refused) = (kept.is(200), refused.is_refused(409, "graded by somebody else"));
    assert_eq!(refused["result"], kept.json);
    assert_eq!(taken.result(&room.teacher).await.json, kept.json);
    // What is there already is no conflict, as of a request that comes twice.
    let again = json!({ "version": 0, "items": taken.essay(kept["items"][1]["points"].clone()) });
    assert_eq!(taken.grade(&assistant, again).await.is(200).json, kept.json);
    taken.grade(&assistant, json!({ "version": 0, "fudge_points": 1 })).await.is(409);
    assert_eq!(taken.grade(&assistant, json!({ "version": 1, "fudge_points": 1 })).await.is(200)["version"], 2);
}

#[tokio::test]
async fn what_is_no_grading_is_refused_and_changes_nothing() {
    let room = room(json!({})).await;
    let running = room.starts().await;
    running.grade(&room.teacher, json!({ "version": 0 })).await.is_refused(409, "is not handed in");
    let preview = room.teacher.post(&room.sessions()).json(json!({ "preview": true })).await.is(200);
    let preview = format!("{}/{}/result", room.sessions(), preview.id());
    room.teacher.put(&preview).json(json!({ "version": 0 })).await.is_refused(409, "preview");
    running.submits(&room.student).await;
    let item = |fields: Value| {
        let mut item = json!({ "item_id": running.item(2) });
        item.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({ "version": 0, "items": [item] })
    };
    for (form, status, words) in [
        (item(json!({ "points": -1 })), 422, "between 0 and 1000000"),
        (item(json!({ "points": 1_000_001 })), 422, "between 0 and 1000000"),
        (item(json!({ "points": "NaN" })), 400, "points"),
        (item(json!({ "comment": "x".repeat(16 * 1024 + 1) })), 422, "is too long"),
        (item(json!({ "item_id": "9-9", "points": 1 })), 422, "questions of the session"),
        (json!({ "version": 0, "items": [running.essay(1)[0], running.essay(1)[0]] }), 422, "different questions"),
        (json!({ "version": 0, "fudge_points": -1_000_001 }), 422, "between -1000000 and 1000000"),
        (json!({ "items": running.essay(1) }), 400, "version"),
    ] {
        running.grade(&room.teacher, form).await.is_refused(status, words);
    }
    assert_eq!(running.result(&room.teacher).await["version"], 0);
}

#[tokio::test]
async fn those_alone_grade_who_may_grade_the_student() {
    let room = room(json!({})).await;
    let Section { teacher: limited, student: evening, .. } = room.course.section(&room.school, "Evening").await;
    let (other, own) = (handed_in(&room, &room.student).await, handed_in(&room, &evening).await);
    let form = |taken: &Taken| json!({ "version": 0, "items": taken.essay(1) });
    other.grade(&room.student, form(&other)).await.is_forbidden();
    let designer = room.course.member(&room.school, "DesignerEnrollment").await;
    other.grade(&designer, form(&other)).await.is_forbidden();
    other.grade(&limited, form(&other)).await.is_not_found();
    let foreign = School::start().await;
    other.grade(&foreign.admin, form(&other)).await.is_not_found();
    assert_eq!(other.result(&room.teacher).await["version"], 0);
    own.grade(&limited, form(&own)).await.is(200);

    assert_eq!(limited.get(&room.sessions()).await.is(200).ids(), [own.session.id()]);
    let of = |user: i64| format!("{}?user_id={user}", room.sessions());
    assert_eq!(room.teacher.get(&of(room.student.id)).await.is(200).ids(), [other.session.id()]);
    assert!(limited.get(&of(room.student.id)).await.is(200).ids().is_empty());
    assert!(evening.get(&of(room.student.id)).await.is(200).ids().is_empty());
    assert!(waiting(&room, &format!("&user_id={}", evening.id)).await.is_empty());
}

#[tokio::test]
async fn the_score_that_a_quiz_keeps_follows_each_attempt() {
    let attempts = json!({ "multiple_attempts_enabled": true, "score_to_keep": "highest" });
    let room = room(json!({ "multiple_attempts": attempts })).await;
    let (first, second) = (handed_in(&room, &room.student).await, handed_in(&room, &room.student).await);
    assert_eq!(waiting(&room, "").await, [first.session.id(), second.session.id()]);
    first.grade(&room.teacher, json!({ "version": 0, "items": first.essay(2) })).await.is(200);
    let submission = room.submission().await;
    assert_eq!((&submission["score"], &submission["attempt"]), (&json!(10.0), &json!(2)));
    assert_eq!(submission["workflow_state"], "pending_review", "the second attempt waits");
    second.grade(&room.teacher, json!({ "version": 0, "items": second.essay(0) })).await.is(200);
    let submission = room.submission().await;
    assert_eq!((&submission["score"], &submission["workflow_state"]), (&json!(10.0), &json!("graded")));

    // Who is excused has points in the attempt, and no grade.
    let path = room.course.path(&format!("/assignments/{}/submissions/{}", room.quiz, room.student.id));
    room.teacher.put(&path).json(json!({ "submission": { "excuse": true } })).await.is(200);
    second.grade(&room.teacher, json!({ "version": 1, "items": second.essay(1) })).await.is(200);
    let submission = room.submission().await;
    assert_eq!((&submission["score"], &submission["excused"]), (&json!(null), &json!(true)));
}

/// A question that is answered by so many files.
fn upload_item(most: &str) -> Value {
    json!({
        "title": "Leaf", "item_body": "<p>Draw a leaf.</p>", "interaction_type_slug": "file-upload",
        "interaction_data": { "files_count": most, "restrict_count": true }, "properties": {},
        "scoring_data": { "value": "" }, "scoring_algorithm": "None",
    })
}

#[tokio::test]
async fn a_grader_gets_the_files_that_are_an_answer() {
    let room = Room::with(json!({})).await;
    room.asks(upload_item("1")).await;
    let file = json!({ "name": "leaf.txt" });
    let file = crate::files::upload(&room.student, "/api/v1/users/self/files", file, b"green").await;
    let taken = room.starts().await;
    taken.answers(&room.student, 1, json!([file.id().to_string()])).await;
    taken.submits(&room.student).await;
    let result = taken.result(&room.teacher).await;
    let shown = &result["items"][0]["files"][0];
    assert_eq!((&shown["id"], &shown["display_name"]), (&json!(file.id()), &json!("leaf.txt")));
    let url = shown["url"].as_str().unwrap();
    let path = format!("/{}", url.splitn(4, '/').nth(3).unwrap());
    assert_eq!(room.teacher.without_token().get(&path).await.is(200).body, "green");
    student_keeps(&room, file.id()).await;
}

/// The file lies with what the student has handed in, and stays as it is.
async fn student_keeps(room: &Room, file: i64) {
    let path = format!("/api/v1/files/{file}");
    room.student.put(&path).json(json!({ "name": "other.txt" })).await.is_forbidden();
    room.student.delete(&path).await.is_forbidden();
    let folder = room.student.get(&path).await.is(200)["folder_id"].clone();
    let folder = room.student.get(&format!("/api/v1/folders/{folder}")).await.is(200);
    assert_eq!(folder["full_name"], "my files/Submissions");
}

#[tokio::test]
async fn a_file_that_its_student_deletes_meanwhile_is_no_answer() {
    let room = Room::with(json!({})).await;
    room.asks(upload_item("2")).await;
    let upload = async |name: &str| {
        crate::files::upload(&room.student, "/api/v1/users/self/files", json!({ "name": name }), b"green").await.id()
    };
    let (leaf, root) = (upload("leaf.txt").await, upload("root.txt").await);
    let taken = room.starts().await;
    taken.answers(&room.student, 1, json!([leaf, root])).await;
    room.student.delete(&format!("/api/v1/files/{leaf}")).await.is(200);
    taken.submits(&room.student).await;
    let shown = taken.result(&room.teacher).await["items"][0]["files"].clone();
    let shown: Vec<_> = shown.as_array().unwrap().iter().map(|file| file["id"].clone()).collect();
    assert_eq!(shown, [json!(root)]);
    student_keeps(&room, root).await;
}
