//! Submissions of students, and their counts.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{recent, running};

use super::{Room, id, new_choice, new_poll, new_session, only, refused};

#[tokio::test]
async fn without_public_results_a_student_sees_the_own_submission_and_no_counts() {
    let room = Room::opened().await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let own = room.vote(&room.student, room.yes).await.is(200);
    let session = room.seen_by(&room.student).await;
    let expected = json!({
        "id": room.session, "poll_id": room.poll, "course_id": room.course.id, "course_section_id": null,
        "is_published": true, "created_at": recent(&session["created_at"]), "has_submitted": true,
        "poll_submissions": [only(&own)],
    });
    assert_eq!(session, expected);
    let session = room.seen_by(&other).await;
    assert_eq!((&session["has_submitted"], &session["poll_submissions"]), (&json!(false), &json!([])));
    let poll = room.student.get(&room.poll("")).await.is(200);
    assert!(only(&poll).get("total_results").is_none() && only(&poll).get("user_id").is_none());
}

#[tokio::test]
async fn public_results_tell_everybody_who_takes_part_who_chose_what() {
    let room = Room::with_session(json!({ "has_public_results": true })).await;
    room.open().await;
    room.vote(&room.student, room.yes).await.is(200);
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    room.vote(&other, room.no).await.is(200);
    let session = room.seen_by(&other).await;
    assert_eq!(session["results"], json!({ room.yes.to_string(): 1, room.no.to_string(): 1 }));
    let voters = |session: &Value| -> Vec<_> {
        session["poll_submissions"].as_array().unwrap().iter().map(|vote| vote["user_id"].as_i64()).collect()
    };
    assert_eq!(voters(&session), [Some(room.student.id), Some(other.id)]);
    assert_eq!(voters(&room.seen_by(&room.teacher).await), [Some(room.student.id), Some(other.id)]);
    assert_eq!((&session["has_public_results"], &session["has_submitted"]), (&json!(true), &json!(true)));
    assert_eq!(room.seen_by(&room.teacher).await["has_submitted"], false);
}

#[tokio::test]
async fn totals_are_over_all_sessions_of_a_poll() {
    let room = Room::opened().await;
    room.vote(&room.student, room.yes).await.is(200);
    let second = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
    let second = room.poll(&format!("/poll_sessions/{second}"));
    room.teacher.get(&format!("{second}/open")).await.is(200);
    let body = json!({ "poll_submissions": [{ "poll_choice_id": room.yes }] });
    room.student.post(&format!("{second}/poll_submissions")).json(body).await.is(200);
    let poll = room.teacher.get(&room.poll("")).await.is(200);
    assert_eq!(only(&poll)["total_results"], json!({ room.yes.to_string(): 2 }));
}

#[tokio::test]
async fn a_student_submits_once_in_a_session() {
    let room = Room::opened().await;
    room.vote(&room.student, room.yes).await.is(200);
    let once = refused("user_id", "taken", "can only submit one choice per poll session.");
    for choice in [room.yes, room.no] {
        assert_eq!(room.vote(&room.student, choice).await.is(400).json, once);
    }
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({ room.yes.to_string(): 1 }));
}

#[tokio::test]
async fn a_closed_session_takes_no_submissions() {
    let room = Room::new().await;
    room.vote(&room.student, room.yes).await.is_forbidden();
    room.open().await;
    room.close().await;
    room.vote(&room.student, room.yes).await.is_forbidden();
    room.student.post(&room.session("/poll_submissions")).json(json!({})).await.is_forbidden();
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}));
}

#[tokio::test]
async fn a_choice_that_the_poll_does_not_offer_is_not_found() {
    let room = Room::opened().await;
    let other = new_poll(&room.teacher, "Another?").await;
    let other = new_choice(&room.teacher, other, "Elsewhere").await;
    let submissions = room.session("/poll_submissions");
    for choice in [json!(other), json!(9_999_999), json!("x"), json!(null), json!([])] {
        let body = json!({ "poll_submissions": [{ "poll_choice_id": choice }] });
        room.student.post(&submissions).json(body).await.is_not_found();
    }
    room.student.post(&submissions).json(json!({ "poll_submissions": [{}] })).await.is_not_found();
    assert_eq!(room.seen_by(&room.student).await["has_submitted"], false);
}

#[tokio::test]
async fn a_submission_is_read_by_its_student_and_by_those_who_run_the_session() {
    let room = Room::opened().await;
    let submission = id(&room.vote(&room.student, room.yes).await.is(200));
    let path = room.session(&format!("/poll_submissions/{submission}"));
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let ta = room.course.member(&room.school, "TaEnrollment").await;
    for reader in [&room.student, &room.teacher, &ta, &room.school.admin] {
        assert_eq!(only(&reader.get(&path).await.is(200))["user_id"], room.student.id);
    }
    other.get(&path).await.is_forbidden();
    let second = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
    let misplaced = room.poll(&format!("/poll_sessions/{second}/poll_submissions/{submission}"));
    room.teacher.get(&misplaced).await.is_not_found();
    room.teacher.get(&room.session("/poll_submissions/9999999")).await.is_not_found();
}

#[tokio::test]
async fn sixteen_votes_of_one_student_at_once_are_one_submission() {
    let room = Room::opened().await;
    let votes = (0..16).map(|number| room.vote(&room.student, if number % 2 == 0 { room.yes } else { room.no }));
    let answers = join_all(votes).await;
    let taken: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(taken.len(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(
            answer.json,
            refused("user_id", "taken", "can only submit one choice per poll session."),
            "{answer}"
        );
    }
    let session = room.seen_by(&room.teacher).await;
    let choice = only(taken[0])["poll_choice_id"].to_string();
    assert_eq!(session["results"], json!({ choice: 1 }));
    assert_eq!(session["poll_submissions"], json!([only(taken[0])]));
}

#[tokio::test]
async fn the_counts_are_right_when_many_vote_at_once() {
    let room = Room::opened().await;
    let voters = join_all((0..32).map(|_| room.course.member(&room.school, "StudentEnrollment"))).await;
    let choices = [room.yes, room.yes, room.yes, room.no].into_iter().cycle();
    let votes = join_all(voters.iter().zip(choices).map(|(voter, choice)| room.vote(voter, choice))).await;
    assert!(votes.iter().all(|vote| vote.status == 200));
    let session = room.seen_by(&room.teacher).await;
    assert_eq!(session["results"], json!({ room.yes.to_string(): 24, room.no.to_string(): 8 }));
    let submissions = session["poll_submissions"].as_array().unwrap();
    let users: BTreeSet<_> = submissions.iter().filter_map(|submission| submission["user_id"].as_i64()).collect();
    assert_eq!(users, voters.iter().map(|voter| voter.id).collect());
}

#[tokio::test]
async fn no_vote_comes_in_after_a_session_is_closed() {
    let room = Room::opened().await;
    let voters = join_all((0..16).map(|_| room.course.member(&room.school, "StudentEnrollment"))).await;
    let votes = join_all(voters.iter().map(|voter| room.vote(voter, room.yes)));
    let (votes, closed) = futures::future::join(votes, room.close()).await;
    let counted = only(&closed)["results"][room.yes.to_string()].as_i64().unwrap_or(0);
    let taken = votes.iter().filter(|vote| vote.status == 200).count();
    for vote in votes.iter().filter(|vote| vote.status != 200) {
        assert_eq!(vote.status, 403, "{vote}");
    }
    assert_eq!(counted, i64::try_from(taken).unwrap(), "what was counted when it closed is all there ever is");
    let session = room.seen_by(&room.teacher).await;
    assert_eq!(session["poll_submissions"].as_array().unwrap().len(), taken);
}

#[tokio::test]
async fn the_database_itself_keeps_counts_and_submissions_together() {
    let room = Room::opened().await;
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let submission = id(&room.vote(&room.student, room.yes).await.is(200));
    room.vote(&other, room.yes).await.is(200);
    if running().change_database(&format!("DELETE FROM poll_submissions WHERE id = {submission}")) {
        assert_eq!(room.seen_by(&room.teacher).await["results"], json!({ room.yes.to_string(): 1 }));
        room.vote(&room.student, room.no).await.is(200);
    }
}
