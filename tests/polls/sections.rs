//! Polls as those see and run them who are limited to sections of the course.

use serde_json::{Value, json};
use support::{Client, Section};

use super::{Room, id, ids, new_choice, new_poll, new_session, only};

fn path(poll: i64, session: i64, rest: &str) -> String {
    format!("/api/v1/polls/{poll}/poll_sessions/{session}{rest}")
}

async fn votes(voter: &Client, session: &str, choice: i64) -> i64 {
    let body = json!({ "poll_submissions": [{ "poll_choice_id": choice }] });
    id(&voter.post(&format!("{session}/poll_submissions")).json(body).await.is(200))
}

fn voters(session: &Value) -> Vec<i64> {
    let votes = session["poll_submissions"].as_array().unwrap();
    votes.iter().map(|vote| vote["user_id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn who_is_limited_to_a_section_sees_and_runs_its_sessions_alone() {
    let room = Room::new().await;
    let morning = room.course.default_section(&room.student).await;
    let Section { id: section, teacher: limited, student: evening } =
        room.course.section(&room.school, "Evening").await;
    let ask = |section: i64| json!({ "course_id": room.course.id, "course_section_id": section });
    let of_morning = new_session(&room.teacher, room.poll, ask(morning)).await;
    let of_evening = new_session(&room.teacher, room.poll, ask(section)).await;

    assert_eq!(ids(&limited.get(&room.poll("/poll_sessions")).await.is(200)), [room.session, of_evening]);
    assert_eq!(
        ids(&room.teacher.get(&room.poll("/poll_sessions")).await.is(200)),
        [room.session, of_morning, of_evening]
    );
    limited.get(&room.poll("")).await.is(200);

    // The other section's session is neither seen nor run, that of the whole course is seen.
    let public = json!({ "poll_sessions": [{ "has_public_results": true }] });
    for (session, seen, run) in [(of_morning, 403, 403), (room.session, 200, 403), (of_evening, 200, 200)] {
        let session = path(room.poll, session, "");
        limited.get(&session).await.is(seen);
        limited.put(&session).json(public.clone()).await.is(run);
        limited.get(&format!("{session}/open")).await.is(run);
        limited.get(&format!("{session}/close")).await.is(run);
        let page = json!({ "audience": "teacher" });
        limited.post(&format!("{session}/live_link")).json(page).await.is(seen);
        room.teacher.get(&session).await.is(200);
        room.teacher.get(&format!("{session}/open")).await.is(200);
    }
    limited.delete(&path(room.poll, of_morning, "")).await.is_forbidden();
    limited.delete(&room.session("")).await.is_forbidden();
    assert_eq!(room.seen_by(&room.teacher).await["is_published"], true);

    // Nor is a session moved to others.
    for section in [json!(null), json!(morning)] {
        let change = json!({ "poll_sessions": [{ "course_section_id": section }] });
        limited.put(&path(room.poll, of_evening, "")).json(change).await.is_forbidden();
    }
    limited.delete(&path(room.poll, of_evening, "")).await.is(204);
    votes(&evening, &room.session(""), room.yes).await;
}

#[tokio::test]
async fn of_a_session_of_the_whole_course_the_own_sections_votes_are_seen() {
    let room = Room::opened().await;
    let Section { id: section, teacher: limited, student: evening } =
        room.course.section(&room.school, "Evening").await;
    let other = votes(&room.student, &room.session(""), room.yes).await;
    let own = votes(&evening, &room.session(""), room.no).await;

    let seen = room.seen_by(&limited).await;
    assert_eq!(voters(&seen), [evening.id]);
    assert_eq!(seen["results"], json!({ room.no.to_string(): 1 }));
    let all = room.seen_by(&room.teacher).await;
    assert_eq!(voters(&all), [room.student.id, evening.id]);
    assert_eq!(all["results"], json!({ room.yes.to_string(): 1, room.no.to_string(): 1 }));

    let vote = |vote: i64| room.session(&format!("/poll_submissions/{vote}"));
    limited.get(&vote(other)).await.is_forbidden();
    assert_eq!(id(&limited.get(&vote(own)).await.is(200)), own);
    room.teacher.get(&vote(other)).await.is(200);

    let link = room.session("/live_link");
    for (teacher, summary) in [(&limited, "1 vote."), (&room.teacher, "2 votes.")] {
        let link = teacher.post(&link).json(json!({ "audience": "teacher" })).await.is(200);
        let page = link["url"].as_str().unwrap();
        let news = teacher.without_token().get(&page.replace("/live?", "/results?")).await.is(200);
        assert!(news["summary"].as_str().unwrap().starts_with(summary), "{news}");
    }

    // Whoever administers the course, too, is not limited.
    let head = room.school.person("Head").await;
    let body = json!({ "user_id": head.id });
    room.school.admin.post("/api/v1/accounts/self/admins").json(body).await.is(200);
    room.course.limit_to(section, &head, "TeacherEnrollment").await;
    assert_eq!(voters(&room.seen_by(&head).await), [room.student.id, evening.id]);
}

#[tokio::test]
async fn a_poll_is_asked_in_the_own_section_alone_and_its_owner_counts_that_one() {
    let room = Room::new().await;
    let morning = room.course.default_section(&room.student).await;
    let Section { id: section, student: evening, .. } = room.course.section(&room.school, "Evening").await;
    let owner = room.member_of(section, "TeacherEnrollment").await;
    let poll = new_poll(&owner, "Late?").await;
    let yes = new_choice(&owner, poll, "Yes").await;
    let of_all = new_session(&owner, poll, json!({ "course_id": room.course.id })).await;
    let of_morning = json!({ "course_id": room.course.id, "course_section_id": morning });
    let of_morning = new_session(&owner, poll, of_morning).await;
    for session in [of_all, of_morning] {
        owner.get(&path(poll, session, "/open")).await.is(200);
        votes(&room.student, &path(poll, session, ""), yes).await;
    }
    votes(&evening, &path(poll, of_all, ""), yes).await;
    let total = async || only(&owner.get(&format!("/api/v1/polls/{poll}")).await.is(200))["total_results"].clone();
    assert_eq!(total().await, json!({ yes.to_string(): 3 }));

    room.course.limit_to(section, &owner, "TeacherEnrollment").await;
    assert_eq!(total().await, json!({ yes.to_string(): 1 }));
    let sessions = format!("/api/v1/polls/{poll}/poll_sessions");
    assert_eq!(ids(&owner.get(&sessions).await.is(200)), [of_all]);
    for (asked, status) in [(json!(null), 403), (json!(morning), 403), (json!(section), 200)] {
        let session = json!({ "course_id": room.course.id, "course_section_id": asked });
        owner.post(&sessions).json(json!({ "poll_sessions": [session] })).await.is(status);
    }
}
