//! Joining an open session by the code that its live page shows.

use std::collections::BTreeSet;

use serde_json::json;
use support::{Client, Response, School, running};

use super::{Room, new_session};

/// The live page, as whoever teaches sees it in a browser.
async fn live(room: &Room) -> Response {
    let browser = room.school.in_browser(&room.teacher).await;
    browser.get(&format!("/polls/{}/sessions/{}/live", room.poll, room.session)).await.is(200)
}

/// The code on the page.
fn code(page: &Response) -> String {
    let code = page.body.split_once("class=\"code\">").expect("a code").1.split_once('<').unwrap().0;
    code.replace(' ', "")
}

fn vote_page(room: &Room) -> String {
    format!("/polls/{}/sessions/{}/vote", room.poll, room.session)
}

#[tokio::test]
async fn a_student_comes_from_the_code_through_the_log_in_to_the_voting_page_and_votes() {
    let room = Room::opened().await;
    let page = live(&room).await;
    let code = code(&page);
    assert!(code.len() == 6 && !code.contains(['I', 'L', 'O', '0', '1']), "{code}");
    let address = format!("{}/join/{code}", room.student.base_url());
    assert!(page.body.contains(&format!("aria-label=\"QR code that leads to {address}\"")), "{page}");

    let nobody = room.student.without_token();
    nobody.get(&format!("/join/{code}")).await.leads_to(&format!("/login?return_to=%2Fjoin%2F{code}"));
    let browser = room.school.in_browser(&room.student).await;
    browser.get("/join").await.is_page(200, "The code on the wall");
    let (first, second) = code.split_at(3);
    let typed = format!("/join?code=+{}-{second}+", first.to_lowercase());
    browser.get(&typed).await.leads_to(&format!("/join/{code}"));
    browser.get(&format!("/join/{code}")).await.leads_to(&vote_page(&room));
    browser.get(&format!("/join/{}", code.to_lowercase())).await.leads_to(&vote_page(&room));

    let form = browser.get(&vote_page(&room)).await.is_page(200, "<legend>Your answer</legend>");
    assert!(!form.body.contains("ticket"), "{form}");
    let yes = room.yes.to_string();
    browser.submit(&form, &vote_page(&room), &[]).await.is_page(400, "Please choose one of the answers.");
    browser.post(&vote_page(&room)).form(&[("poll_choice_id", &yes)]).await.is_page(400, "no page of yours");
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}));
    browser.submit(&form, &vote_page(&room), &[("poll_choice_id", &yes)]).await.leads_to(&vote_page(&room));
    browser.get(&vote_page(&room)).await.is_page(200, "Your answer: <strong>Yes</strong>");
    let session = room.seen_by(&room.teacher).await;
    assert_eq!(session["poll_submissions"][0]["user_id"], room.student.id);
    let overview = browser.get("/polls").await.is(200);
    assert!(overview.body.contains(&vote_page(&room)) && !overview.body.contains("Your own"), "{overview}");
}

#[tokio::test]
async fn a_code_lasts_as_long_as_the_session_is_open_and_is_another_each_time() {
    let room = Room::opened().await;
    let browser = room.school.in_browser(&room.student).await;
    let first = code(&live(&room).await);
    room.open().await;
    assert_eq!(code(&live(&room).await), first, "an open session keeps its code");
    room.close().await;
    assert!(!live(&room).await.body.contains("class=\"code\""));
    browser.get(&format!("/join/{first}")).await.is_page(404, "No open poll has this code.");
    room.open().await;
    assert_ne!(code(&live(&room).await), first);
    browser.get(&format!("/join/{first}")).await.is(404);
    assert_eq!(room.seen_by(&room.teacher).await.get("join_code"), None, "the contract of the API has no code");
}

#[tokio::test]
async fn a_code_is_of_one_session_of_the_whole_installation() {
    let (one, other) = (Room::opened().await, Room::opened().await);
    let beside = new_session(&one.teacher, one.poll, json!({ "course_id": one.course.id })).await;
    one.teacher.get(&one.poll(&format!("/poll_sessions/{beside}/open"))).await.is(200);
    let Some(rows) = running().read_database("SELECT join_code FROM poll_sessions WHERE is_published = 1") else {
        return;
    };
    let codes: BTreeSet<_> = rows.iter().filter_map(|row| row[0].as_str()).collect();
    assert_eq!(codes.len(), rows.iter().filter(|row| row[0].is_string()).count());
    assert_ne!(code(&live(&one).await), code(&live(&other).await));
}

#[tokio::test]
async fn who_is_not_asked_is_told_so_and_other_tenants_learn_nothing() {
    let room = Room::opened().await;
    let code = code(&live(&room).await);
    let stranger = room.school.person("stranger").await;
    let stranger = room.school.in_browser(&stranger).await;
    let told = stranger.get(&format!("/join/{code}")).await.is_page(403, "You are not in the course");
    assert!(!told.body.contains("Ready?"), "{told}");
    stranger.get(&vote_page(&room)).await.is_page(403, "not authorized");

    let elsewhere = School::start().await;
    let (_, _, foreigner) = elsewhere.classroom("Zoology").await;
    let foreigner = elsewhere.in_browser(&foreigner).await;
    foreigner.get(&format!("/join/{code}")).await.is_page(404, "No open poll has this code.");
    foreigner.get(&vote_page(&room)).await.is_page(404, "There is nothing here");
    let own = foreigner.get("/join").await.is(200);
    let vote = [("poll_choice_id", room.yes.to_string())];
    let vote: Vec<_> = vote.iter().map(|(name, value)| (*name, value.as_str())).collect();
    foreigner.submit(&own, &vote_page(&room), &vote).await.is(403);
    assert_eq!(room.seen_by(&room.teacher).await["results"], json!({}));
}

#[tokio::test]
async fn another_section_is_not_asked() {
    let room = Room::new().await;
    let section = room.section("Morning").await;
    let asked = room.member_of(section, "StudentEnrollment").await;
    let session = json!({ "course_id": room.course.id, "course_section_id": section });
    let session = new_session(&room.teacher, room.poll, session).await;
    let room = Room { session, ..room };
    room.open().await;
    let code = code(&live(&room).await);
    let join = async |person: &Client| room.school.in_browser(person).await.get(&format!("/join/{code}")).await;
    join(&asked).await.leads_to(&vote_page(&room));
    join(&room.student).await.is_page(403, "You are not in the course or the section");
}

#[tokio::test]
async fn codes_are_not_guessed() {
    let room = Room::opened().await;
    let code = code(&live(&room).await);
    let browser = room.school.in_browser(&room.student).await;
    for number in 0..20 {
        browser.get(&format!("/join/WRONG{number}")).await.is_page(404, "No open poll has this code.");
    }
    for path in ["/join/ABC234", &format!("/join/{code}")] {
        let refused = browser.get(path).await.is_page(429, "Too often");
        assert!(refused.header("retry-after").is_some(), "{:?}", refused.headers);
    }
    // Another student is not kept out.
    let other = room.course.member(&room.school, "StudentEnrollment").await;
    let other = room.school.in_browser(&other).await;
    other.get(&format!("/join/{code}")).await.leads_to(&vote_page(&room));
    for junk in ["/join/a%2Fb", "/join/%F0%9F%8D%83"] {
        other.get(junk).await.is(404);
    }
    other.get("/join?code=%F0%9F%8D%83").await.is_page(200, "The code on the wall");
    other.get("/join?code[a]=b").await.is_page(400, "code must be text");
}
