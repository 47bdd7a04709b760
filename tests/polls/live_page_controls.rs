//! The live page of who is signed in: opening, closing, and keeping the results back.

use serde_json::json;
use support::{Client, Response, School};

use super::{Room, new_session};

fn page(room: &Room) -> String {
    format!("/polls/{}/sessions/{}/live", room.poll, room.session)
}

/// Presses a button of the live page.
async fn press(room: &Room, browser: &Client, action: &str) -> Response {
    let shown = browser.get(&page(room)).await.is(200);
    browser.submit(&shown, &page(room), &[("action", action)]).await
}

#[tokio::test]
async fn who_runs_a_session_opens_and_closes_it_on_the_live_page() {
    let room = Room::new().await;
    let teacher = room.school.in_browser(&room.teacher).await;
    let shown = teacher.get(&page(&room)).await.is_page(200, "Open the poll");
    assert!(!shown.body.contains("Close the poll") && !shown.body.contains("class=\"code\""), "{shown}");
    press(&room, &teacher, "open").await.leads_to(&page(&room));
    assert_eq!(room.seen_by(&room.teacher).await["is_published"], true);
    let shown = teacher.get(&page(&room)).await.is_page(200, "Close the poll");
    assert!(shown.body.contains("No votes. The poll is open.") && shown.body.contains("class=\"code\""), "{shown}");
    press(&room, &teacher, "open").await.is(303);
    room.vote(&room.student, room.yes).await.is(200);
    press(&room, &teacher, "close").await.is(303);
    teacher.get(&page(&room)).await.is_page(200, "1 vote. The poll is closed.");
    let overview = teacher.get("/polls").await.is_page(200, "Your own");
    assert!(overview.body.contains(&page(&room)) && overview.body.contains(", closed"), "{overview}");
    let polls = teacher.get("/polls").await.is(200);
    assert!(polls.body.contains("None."), "no open session asks anybody: {polls}");
}

#[tokio::test]
async fn results_are_kept_back_until_the_session_is_closed() {
    let room = Room::with_session(json!({ "has_public_results": true })).await;
    room.open().await;
    let (teacher, student) = (room.school.in_browser(&room.teacher).await, room.school.in_browser(&room.student).await);
    let vote_page = page(&room).replace("/live", "/vote");
    press(&room, &teacher, "hide").await.is(303);
    room.vote(&room.student, room.yes).await.is(200);
    let shown = teacher.get(&page(&room)).await.is_page(200, "The results are shown when the poll is closed.");
    assert!(shown.body.contains("1 vote. The poll is open.") && !shown.body.contains("100 %"), "{shown}");
    let results = page(&room).replace("/live", "/results");
    let news = teacher.get(&format!("{results}?audience=teacher")).await.is(200);
    assert_eq!((&news["bars"], &news["state"]), (&json!([]), &json!("open, hidden")));
    assert!(!student.get(&vote_page).await.is(200).body.contains("100 %"));
    // What the API says of public results stays as it is.
    assert_eq!(room.seen_by(&room.student).await["results"], json!({ room.yes.to_string(): 1 }));

    press(&room, &teacher, "close").await.is(303);
    teacher.get(&page(&room)).await.is_page(200, "1 vote, 100 %");
    student.get(&vote_page).await.is_page(200, "1 vote, 100 %");
    press(&room, &teacher, "open").await.is(303);
    assert!(!teacher.get(&page(&room)).await.is(200).body.contains("100 %"));
    press(&room, &teacher, "show").await.is(303);
    teacher.get(&page(&room)).await.is_page(200, "1 vote, 100 %");
}

#[tokio::test]
async fn only_who_runs_a_session_uses_the_buttons() {
    let room = Room::opened().await;
    let (teacher, student) = (room.school.in_browser(&room.teacher).await, room.school.in_browser(&room.student).await);
    let shown = teacher.get(&page(&room)).await.is(200);
    student.get(&page(&room)).await.is_page(403, "not authorized");
    student.submit(&shown, &page(&room), &[("action", "close")]).await.is_page(400, "no page of yours");
    let own = student.get("/home").await.is(200);
    student.submit(&own, &page(&room), &[("action", "close")]).await.is_page(403, "not authorized");
    let colleague = room.school.person("colleague").await;
    let colleague = room.school.in_browser(&colleague).await;
    let own = colleague.get("/home").await.is(200);
    colleague.submit(&own, &page(&room), &[("action", "close")]).await.is(403);
    let elsewhere = School::start().await;
    let foreigner = elsewhere.in_browser(&elsewhere.admin).await;
    let own = foreigner.get("/home").await.is(200);
    foreigner.get(&page(&room)).await.is_page(404, "There is nothing here");
    foreigner.submit(&own, &page(&room), &[("action", "close")]).await.is_page(404, "There is nothing here");

    teacher.post(&page(&room)).form(&[("action", "close")]).await.is_page(400, "no page of yours");
    let token = shown.field("authenticity_token");
    let form = [("action", "close"), ("authenticity_token", &token)];
    teacher.post(&page(&room)).header("sec-fetch-site", "cross-site").form(&form).await.is(400);
    for action in ["", "delete"] {
        teacher.submit(&shown, &page(&room), &[("action", action)]).await.is_page(400, "action");
    }
    teacher.submit(&shown, &page(&room), &[]).await.is_page(400, "action is missing");
    assert_eq!(room.seen_by(&room.teacher).await["is_published"], true);
}

/// The address of a signed link may stand on the wall: it shows, and changes nothing.
#[tokio::test]
async fn a_signed_link_to_the_live_page_has_no_buttons() {
    let room = Room::opened().await;
    let link = room.teacher.post(&room.session("/live_link")).json(json!({ "audience": "teacher" })).await.is(200);
    let link = link["url"].as_str().unwrap().to_owned();
    let nobody = room.teacher.without_token();
    let shown = nobody.get(&link).await.is_page(200, "Log in to open and close the poll");
    assert!(!shown.body.contains("<form") && shown.body.contains("class=\"code\""), "{shown}");
    let ticket = link.split_once("ticket=").unwrap().1;
    let form = [("ticket", ticket), ("action", "close")];
    nobody.post(&page(&room)).form(&form).await.leads_to("/login");
    assert_eq!(room.seen_by(&room.teacher).await["is_published"], true);
}

#[tokio::test]
async fn the_news_are_for_who_is_signed_in_and_may_see_them() {
    let room = Room::opened().await;
    let results = page(&room).replace("/live", "/results");
    let (teacher, student) = (room.school.in_browser(&room.teacher).await, room.school.in_browser(&room.student).await);
    room.teacher.without_token().get(&results).await.is(303);
    student.get(&format!("{results}?audience=teacher")).await.is_forbidden();
    assert_eq!(student.get(&results).await.is(200)["bars"], json!([]));
    let news = teacher.get(&format!("{results}?audience=teacher")).await.is(200);
    assert_eq!(news["bars"].as_array().unwrap().len(), 2);
    teacher.get(&format!("{results}?audience=class")).await.is(400);
    let other = new_session(&room.teacher, room.poll, json!({ "course_id": room.course.id })).await;
    teacher.get(&format!("/polls/9999999/sessions/{other}/results?audience=teacher")).await.is_not_found();
}
