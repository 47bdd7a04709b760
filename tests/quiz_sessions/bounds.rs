//! Sessions of quizzes at the bounds of what they ask, and of points.

use serde_json::json;
use support::running;

use super::Room;

#[tokio::test]
async fn a_quiz_that_is_too_large_is_no_session() {
    let room = Room::of_questions(2, json!({})).await;
    let taken = room.starts().await;
    taken.answers(&room.student, 1, true).await;
    let grown = running().change_database(&format!(
        "UPDATE question_items SET item_body = printf('%.*c', 9000000, 'x')
         WHERE id IN (SELECT question_item_id FROM quiz_items WHERE assignment_id = {})",
        room.quiz
    ));
    if !grown {
        return;
    }
    let reason = "too large to be taken";
    room.student.get(&taken.path).await.is_refused(409, reason);
    room.student.post(&room.sessions()).await.is_refused(409, reason);
    room.teacher.post(&room.sessions()).json(json!({ "preview": true })).await.is_refused(409, reason);
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    other.post(&room.sessions()).await.is_refused(409, reason);
    let submitted = taken.submits(&room.student).await;
    assert_eq!(submitted["state"], "submitted");
    assert_eq!(room.submission().await["score"], 5.0, "what was answered is scored");
    room.teacher.get(&format!("{}/result", taken.path)).await.is_refused(409, reason);
}

#[tokio::test]
async fn all_points_are_all_of_them_whatever_their_digits() {
    let room = Room::of(json!({ "points_possible": 0.999, "grading_type": "percent" })).await;
    for number in 1..=3 {
        let entry = xtask::items::true_false(&format!("Statement {number}"), true);
        let item = json!({ "item": { "entry_type": "Item", "points_possible": 0.333, "entry": entry } });
        room.teacher.post(&format!("{}/items", room.path())).json(item).await.is(200);
    }
    let taken = room.starts().await;
    for number in 1..=3 {
        taken.answers(&room.student, number, true).await;
    }
    assert_eq!(taken.submits(&room.teacher).await["score"], 0.999);
    let submission = room.submission().await;
    assert_eq!((&submission["score"], &submission["grade"]), (&json!(0.999), &json!("100%")));
    let result = taken.result(&room.student).await;
    let grading = json!({ "version": result["version"], "fudge_points": -0.0009 });
    let graded = room.teacher.put(&format!("{}/result", taken.path)).json(grading).await.is(200);
    assert_eq!(graded["score"], 0.99, "less is never told as more");
    assert_eq!(room.submission().await["grade"], "99.1%");
}
