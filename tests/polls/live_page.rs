//! The pages on which a room votes and watches.

use futures::future::join_all;
use serde_json::json;
use support::{Client, Response};

use super::{Room, new_choice, new_session};

/// The address of a page, as a path.
async fn link(room: &Room, client: &Client, audience: &str) -> String {
    let link = client.post(&room.session("/live_link")).json(json!({ "audience": audience })).await.is(200);
    assert!(link["expires_at"].as_str().unwrap().ends_with('Z'));
    let url = link["url"].as_str().unwrap();
    format!("/{}", url.splitn(4, '/').nth(3).unwrap())
}

/// The page's ticket.
fn ticket(link: &str) -> &str {
    link.split_once("ticket=").unwrap().1
}

/// The path of the page beside that one.
fn beside(link: &str, page: &str) -> String {
    let (path, query) = link.split_once('?').unwrap();
    format!("{}/{page}?{query}", path.rsplit_once('/').unwrap().0)
}

/// Votes on the voting page, as its form does.
async fn vote_on_page(nobody: &Client, link: &str, choice: &str) -> Response {
    let path = link.split_once('?').unwrap().0;
    nobody.post(path).form(&[("ticket", ticket(link)), ("poll_choice_id", choice)]).await
}

#[tokio::test]
async fn the_live_page_shows_the_question_the_choices_and_the_counts() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let live = link(&room, &room.teacher, "teacher").await;
    assert!(live.starts_with(&format!("/polls/{}/sessions/{}/live?ticket=", room.poll, room.session)));
    let page = nobody.get(&live).await.is(200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    for text in ["<h1>Ready?</h1>", "Yes", "No votes. The poll is open.", "role=\"status\"", "lang=\"en\""] {
        assert!(page.body.contains(text), "{text}: {page}");
    }
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"), "{policy}");
    assert!(!page.body.contains("style=\""), "the policy allows no style in elements");

    room.vote(&room.student, room.yes).await.is(200);
    assert!(nobody.get(&live).await.is(200).body.contains("1 vote, 100 %"));
    let news = nobody.get(&beside(&live, "results")).await.is(200);
    let expected = json!({
        "state": "open", "summary": "1 vote. The poll is open.", "bars": [
            { "id": room.yes, "percent": 100, "label": "1 vote, 100 %" },
            { "id": room.no, "percent": 0, "label": "No votes, 0 %" },
        ],
    });
    assert_eq!(news.json, expected);
    room.close().await;
    assert_eq!(nobody.get(&beside(&live, "results")).await.is(200)["summary"], "1 vote. The poll is closed.");
}

#[tokio::test]
async fn what_a_teacher_writes_is_text_on_the_pages() {
    let room = Room::opened().await;
    let words = "<img src=x onerror=alert(1)> & \"more\"";
    let change = json!({ "polls": [{ "question": words, "description": words }] });
    room.teacher.put(&room.poll("")).json(change).await.is(200);
    new_choice(&room.teacher, room.poll, words).await;
    let nobody = room.student.without_token();
    for (client, audience) in [(&room.teacher, "teacher"), (&room.student, "student")] {
        let page = nobody.get(&link(&room, client, audience).await).await.is(200);
        assert!(!page.body.contains("<img") && page.body.matches("&lt;img src=x").count() >= 4, "{page}");
    }
}

#[tokio::test]
async fn a_student_votes_on_the_page_without_script() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let page = link(&room, &room.student, "student").await;
    let form = nobody.get(&page).await.is(200);
    for part in ["<form method=\"post\"", "type=\"radio\"", "required", "<legend>Your answer</legend>", "Vote</button>"]
    {
        assert!(form.body.contains(part), "{part}: {form}");
    }
    for nothing in ["", "x", "9999999"] {
        vote_on_page(&nobody, &page, nothing).await.is_refused(400, "Please choose one of the answers.");
    }
    let voted = vote_on_page(&nobody, &page, &room.yes.to_string()).await.is(303);
    let back = voted.header("location").unwrap();
    assert_eq!(back, page);
    let shown = nobody.get(back).await.is(200);
    assert!(shown.body.contains("Your answer: <strong>Yes</strong>") && !shown.body.contains("<form"), "{shown}");
    assert!(!shown.body.contains("votes"), "the results are not public: {shown}");
    assert_eq!(nobody.get(&beside(&page, "results")).await.is(200)["bars"], json!([]));
    let session = room.seen_by(&room.teacher).await;
    assert_eq!(session["poll_submissions"][0]["user_id"], room.student.id, "the ticket names the student");

    vote_on_page(&nobody, &page, &room.no.to_string()).await.is(303);
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({ room.yes.to_string(): 1 }));
}

#[tokio::test]
async fn a_voting_page_tells_when_the_poll_is_closed_and_then_the_public_results() {
    let room = Room::with_session(json!({ "has_public_results": true })).await;
    let nobody = room.student.without_token();
    let page = link(&room, &room.student, "student").await;
    assert!(nobody.get(&page).await.is(200).body.contains("The poll is closed."));
    vote_on_page(&nobody, &page, &room.yes.to_string()).await.is(303);
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}), "a closed session takes no vote");
    room.open().await;
    assert!(!nobody.get(&page).await.is(200).body.contains("class=\"chart\""), "nobody is told before voting");
    vote_on_page(&nobody, &page, &room.yes.to_string()).await.is(303);
    assert!(nobody.get(&page).await.is(200).body.contains("1 vote, 100 %"));
}

#[tokio::test]
async fn sixteen_votes_on_the_page_at_once_are_one_submission() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let page = link(&room, &room.student, "student").await;
    let choice = room.yes.to_string();
    let answers = join_all((0..16).map(|_| vote_on_page(&nobody, &page, &choice))).await;
    assert!(answers.iter().all(|answer| answer.status == 303));
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({ choice: 1 }));
}

#[tokio::test]
async fn a_link_is_for_those_who_have_the_right() {
    let room = Room::opened().await;
    let path = room.session("/live_link");
    let ask = async |client: &Client, audience: &str| client.post(&path).json(json!({ "audience": audience })).await;
    ask(&room.student, "teacher").await.is_forbidden();
    ask(&room.student, "student").await.is(200);
    for audience in ["teacher", "student"] {
        ask(&room.teacher, audience).await.is(200);
        ask(&room.school.person("stranger").await, audience).await.is_forbidden();
    }
    ask(&room.teacher, "class").await.is_refused(400, "audience must be one of teacher, student");
    room.teacher.post(&path).json(json!({})).await.is_refused(400, "audience is missing");
    room.teacher.post(&room.poll("/poll_sessions/9999999/live_link")).json(json!({})).await.is_not_found();
}

#[tokio::test]
async fn a_ticket_opens_its_own_page_of_its_own_session_and_nothing_else() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let live = link(&room, &room.teacher, "teacher").await;
    let vote = link(&room, &room.student, "student").await;
    let other = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
    let elsewhere = live.replace(&format!("/sessions/{}/", room.session), &format!("/sessions/{other}/"));
    let forged = format!("{}x", live);
    let without = live.split_once('?').unwrap().0;
    nobody.get(without).await.leads_to(&format!("/login?return_to={}", without.replace('/', "%2F")));
    for path in [elsewhere, forged, beside(&live, "vote"), beside(&vote, "live")] {
        let refusal = nobody.get(&path).await.is_refused(403, "This link has ended");
        assert!(!refusal.body.contains("Ready?"), "{refusal}");
    }
    nobody.get(&format!("/polls/{}/sessions/{}/results?ticket=x", room.poll, room.session)).await.is_forbidden();
    let path = vote.split_once('?').unwrap().0;
    nobody.post(path).form(&[("poll_choice_id", room.yes.to_string())]).await.leads_to("/login");
    for ticket in ["x", ticket(&live)] {
        nobody.post(path).form(&[("ticket", ticket), ("poll_choice_id", &room.yes.to_string())]).await.is(403);
    }
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}));
}

#[tokio::test]
async fn a_ticket_ends_with_the_right_of_its_holder() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let page = link(&room, &room.student, "student").await;
    let enrollments = room.school.admin.get(&room.course.path(&format!("/enrollments?user_id={}", room.student.id)));
    let enrollment = enrollments.await.is(200).ids()[0];
    room.school.admin.delete(&room.course.path(&format!("/enrollments/{enrollment}?task=delete"))).await.is(200);
    nobody.get(&page).await.is(403);
    vote_on_page(&nobody, &page, &room.yes.to_string()).await.is(403);
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}));
}

#[tokio::test]
async fn a_ticket_opens_nothing_while_its_holder_is_suspended() {
    let room = Room::opened().await;
    let nobody = room.student.without_token();
    let student = link(&room, &room.student, "student").await;
    let teacher = link(&room, &room.teacher, "teacher").await;
    for (holder, page) in [(&room.student, &student), (&room.teacher, &teacher)] {
        nobody.get(page).await.is(200);
        room.school.set_logins(holder, "suspended").await;
        nobody.get(page).await.is(403);
    }
    vote_on_page(&nobody, &student, &room.yes.to_string()).await.is(403);
    assert_eq!(room.seen_by(&room.school.admin).await["results"], json!({}));
}
