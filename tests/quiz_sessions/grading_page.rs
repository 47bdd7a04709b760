//! The pages on which attempts are graded: they need no script.

use serde_json::json;
use support::School;

use super::Room;
use super::grading::{handed_in, room};

fn page(room: &Room) -> String {
    format!("/courses/{}/assignments/{}/grade", room.course.id, room.quiz)
}

#[tokio::test]
async fn a_teacher_grades_what_waits_one_after_the_other() {
    let room = room(json!({})).await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let (first, second) = (handed_in(&room, &room.student).await, handed_in(&room, &other).await);
    let teacher = room.school.in_browser(&room.teacher).await;
    let list = page(&room);
    let shown = teacher.get(&format!("{list}?waiting=true")).await.is_page(200, "1 answer to grade");
    assert_eq!(shown.body.matches("1 answer to grade").count(), 2);
    let [one, two] = [&first, &second].map(|taken| format!("{list}/{}", taken.session.id()));
    let attempt = teacher.get(&one).await.is_page(200, "It gets dark.");
    for words in ["Light, water", "2 of 4 points", "Waits to be graded", "Points (of 2)"] {
        assert!(attempt.body.contains(words), "{words}: {attempt}");
    }
    let policy = attempt.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");

    let [points, comment] = ["points", "comments"].map(|field| format!("{field}[{}]", first.item(2)));
    let unfit = teacher.submit(&attempt, &one, &[("version", "0"), (&points, "many"), (&comment, "Why < so?")]).await;
    let unfit = unfit.is_page(422, "Enter a number from 0 to");
    assert!(unfit.body.contains("value=\"many\"") && unfit.body.contains("Why &lt; so?"), "{unfit}");
    assert_eq!(first.result(&room.teacher).await["version"], 0);
    let fields = [("version", "0"), (&*points, "1,5"), (&*comment, "Why < so?\r\nReally"), ("then", "next")];
    teacher.submit(&unfit, &one, &fields).await.leads_to(&two);
    let graded = first.result(&room.teacher).await;
    let essay = &graded["items"][1];
    assert_eq!((&essay["points"], &essay["comment"]), (&json!(1.5), &json!("<p>Why &lt; so?<br>Really</p>")));

    // Sent again it changes nothing; what differs from what stands is shown beside it.
    teacher.submit(&unfit, &one, &fields).await.leads_to(&two);
    let stale =
        teacher.submit(&unfit, &one, &[("version", "0"), (&points, "2"), (&comment, "Why < so?\nReally")]).await;
    let stale = stale.is_page(409, "Somebody else has graded this attempt");
    assert!(stale.body.contains("You had entered: 2") && stale.field("version") == "1", "{stale}");
    assert_eq!(first.result(&room.teacher).await["version"], 1);

    let points = format!("points[{}]", second.item(2));
    let fields = [("version", "0"), (&*points, "0"), ("then", "next")];
    teacher.submit(&attempt, &two, &fields).await.leads_to(&format!("{list}?done=true"));
    teacher.get(&format!("{list}?waiting=true&done=true")).await.is_page(200, "Nothing waits to be graded any more");
    let stay = [("version", "1"), ("fudge_points", "0.25"), ("then", "stay")];
    teacher.submit(&attempt, &one, &stay).await.leads_to(&format!("{one}?saved=true"));
    teacher.get(&format!("{one}?saved=true")).await.is_page(200, "3.75 of 4 points");
}

#[tokio::test]
async fn a_comment_with_formatting_stays_until_it_is_taken_away() {
    let room = room(json!({})).await;
    let taken = handed_in(&room, &room.student).await;
    let formatted = json!([{ "item_id": taken.item(2), "points": 1, "comment": "<p>See <strong>this</strong>.</p>" }]);
    taken.grade(&room.teacher, json!({ "version": 0, "items": formatted })).await.is(200);
    let teacher = room.school.in_browser(&room.teacher).await;
    let path = format!("{}/{}", page(&room), taken.session.id());
    let attempt = teacher.get(&path).await.is_page(200, "Remove this comment");
    let [comment, removed] = ["comments", "removed_comments"].map(|field| format!("{field}[{}]", taken.item(2)));
    let saved = format!("{path}?saved=true");
    teacher.submit(&attempt, &path, &[("version", "1"), (&comment, "")]).await.leads_to(&saved);
    assert_eq!(taken.result(&room.teacher).await["items"][1]["comment"], "<p>See <strong>this</strong>.</p>");
    teacher.submit(&attempt, &path, &[("version", "1"), (&comment, ""), (&removed, "1")]).await.leads_to(&saved);
    assert_eq!(taken.result(&room.teacher).await["items"][1]["comment"], json!(null));
}

#[tokio::test]
async fn every_type_of_question_is_shown_to_graders() {
    let room = Room::with(json!({})).await;
    for entry in xtask::items::all() {
        room.asks(entry).await;
    }
    let taken = room.starts().await;
    taken.submits(&room.student).await;
    let teacher = room.school.in_browser(&room.teacher).await;
    let shown = teacher.get(&format!("{}/{}", page(&room), taken.session.id())).await.is_page(200, "No answer");
    assert_eq!(shown.body.matches("No answer").count(), xtask::items::all().len());
    assert!(shown.body.matches("Right answer").count() >= 10, "{shown}");
}

#[tokio::test]
async fn the_pages_are_for_graders_alone() {
    let room = room(json!({})).await;
    let taken = handed_in(&room, &room.student).await;
    let list = page(&room);
    let attempt = format!("{list}/{}", taken.session.id());
    let student = room.school.in_browser(&room.student).await;
    let foreign = School::start().await;
    let foreigner = foreign.in_browser(&foreign.admin).await;
    for path in [&list, &attempt] {
        student.get(path).await.is_page(403, "not authorized");
        foreigner.get(path).await.is_page(404, "There is nothing here");
        room.teacher
            .without_token()
            .get(path)
            .await
            .leads_to(&format!("/login?return_to={}", path.replace('/', "%2F")));
    }
    let home = student.get("/home").await.is(200);
    let points = format!("points[{}]", taken.item(2));
    let fields = [("version", "0"), (&*points, "2")];
    student.submit(&home, &attempt, &fields).await.is_page(403, "not authorized");
    let teacher = room.school.in_browser(&room.teacher).await;
    assert_eq!(teacher.post(&attempt).form(&fields).await.status, 400, "a form of another site");
    assert_eq!(taken.result(&room.teacher).await["version"], 0);
    let running = room.started_by(&room.course.member(&room.school, "StudentEnrollment").await).await;
    teacher.get(&format!("{list}/{}", running.session.id())).await.is(409);
}
