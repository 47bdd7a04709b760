//! Failures on the page of a conversation are told in words, and no message is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use support::model::{completion, questions, script, tutoring};
use support::{Reply, Running, School, unique};

use super::page::Talker;
use super::{Lesson, experience, said};

/// The text of the box.
fn draft(page: &str) -> &str {
    let field = page.split("<textarea id=\"message\"").nth(1).expect("a box");
    field.split_once('>').unwrap().1.split("</textarea>").next().unwrap().trim()
}

#[tokio::test]
async fn a_message_that_the_model_does_not_answer_is_kept_and_asked_again() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    student.press("start").await.is(303);
    for (status, words) in [(500, "The tutor did not answer."), (401, "The tutor cannot be reached at present.")] {
        script(&lesson.word, move |_| Reply::new(status, ""));
        let page = student.says("In 1648.").await.is_page(503, words);
        assert!(page.body.contains("Ask for the answer again") && draft(&page.body).is_empty(), "{page}");
        // With script the failure comes as an event or as this page, and the page is asked for with its name.
        let told = student.browser.get(&student.path("/talk?problem=llm_no_response")).await;
        told.is_page(200, "The tutor did not answer.");
    }
    script(&lesson.word, |_| completion(&tutoring("Yes.", &[2])));
    let page = student.page().await;
    let fields = [("conversation", page.field("conversation")), ("message", page.field("message"))];
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    student.browser.submit(&page, &student.path("/talk/messages"), &fields).await.is(303);
    let talk = student.talk(&lesson.student).await;
    assert_eq!(said(&talk)[2..], [("User", "In 1648."), ("Assistant", "Yes.")]);
}

#[tokio::test]
async fn a_model_that_does_not_begin_is_told_of() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    script(&lesson.word, |_| Reply::new(500, ""));
    let page = student.press("start").await.is_page(503, "The tutor did not answer.");
    assert!(page.body.contains("Begin the conversation"), "{page}");
}

#[tokio::test]
async fn a_message_that_is_not_stored_is_given_back() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    student.press("start").await.is(303);
    let asked = questions(&lesson.word).len();
    let long = "é".repeat(4001);
    let page = student.says(&long).await.is_page(422, "it may have 4000 characters");
    assert_eq!(draft(&page.body), long);
    student.says(" ").await.is_page(400, "Please write a message first.");
    assert_eq!(questions(&lesson.word).len(), asked, "the model is not asked");

    // The conversation was ended elsewhere, and perhaps another one begun.
    let old = student.page().await;
    student.press("end").await.is(303);
    let page = student.says_on(&old, "In <1648>.").await.is_page(409, "This conversation was ended");
    assert!(page.body.contains("In &lt;1648&gt;.") && page.body.contains("Begin the conversation"), "{page}");
    student.press("start").await.is(303);
    let page = student.says_on(&old, "In 1648.").await.is_page(409, "This conversation was ended");
    assert_eq!(draft(&page.body), "In 1648.");
    assert_eq!(said(&student.talk(&lesson.student).await).len(), 2);
}

#[tokio::test]
async fn limits_are_told_and_the_message_is_given_back() {
    let site = Running::own("limits-on-the-page", &[("ai_daily_messages", "1"), ("ai_daily_conversations", "2")]);
    let school = School::start_in(&site).await;
    let (course, teacher, student) = school.classroom("History").await;
    let word = unique("Treaties");
    let experience = teacher.post(&course.path("/ai_experiences")).json(experience(&word)).await.is(201).id();
    let lesson = Lesson { school, course, teacher, student, word, experience };
    let student = Talker::of(&lesson, &lesson.student).await;
    student.press("start").await.is(303);
    student.says("One.").await.is(303);
    let page = student.says("Two.").await.is_page(429, "as often as you may");
    assert_eq!(draft(&page.body), "Two.");
    assert_eq!(said(&student.talk(&lesson.student).await).len(), 4);
    student.press("start").await.is(303);
    student.press("start").await.is_page(429, "as often as you may");
    // What was active goes on: the limit is looked at first.
    assert_eq!(said(&student.talk(&lesson.student).await).len(), 2);
}

#[tokio::test]
async fn an_answer_that_is_being_written_is_told_of() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    student.press("start").await.is(303);
    let page = student.page().await;
    let ready = Arc::new(AtomicBool::new(false));
    let is_ready = ready.clone();
    script(&lesson.word, move |_| completion(&tutoring("Here I am.", &[])).once(is_ready.clone()));
    let watch = async {
        for _ in 0..300 {
            let page = student.page().await;
            if page.body.contains("The answer is being written.</p>") {
                ready.store(true, Ordering::Relaxed);
                return page;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("no page says that the answer is being written");
    };
    let (sent, seen) = futures::future::join(student.says_on(&page, "Where?"), watch).await;
    sent.is(303);
    assert!(seen.body.contains("data-answering") && !seen.body.contains("Ask for the answer again"), "{seen}");
    assert!(student.page().await.body.contains("Here I am."));
}

#[tokio::test]
async fn all_paths_of_the_page_have_the_prefix_of_the_service() {
    let site = Running::own("talk-below-a-path", &[("public_base_url", "http://school.test/lms")]);
    let school = School::start_in(&site).await;
    let (course, teacher, student) = school.classroom("History").await;
    let word = unique("Treaties");
    let experience = teacher.post(&course.path("/ai_experiences")).json(experience(&word)).await.is(201).id();
    let path = format!("/courses/{}/ai_experiences/{experience}/talk", course.id);
    let student = school.in_browser(&student).await;
    let page = student.get(&path).await.is(200);
    student.submit(&page, &path, &[("action", "start")]).await.leads_to(&format!("/lms{path}"));
    let page = student.get(&path).await.is(200);
    for part in [format!("data-page=\"/lms{path}\""), format!("action=\"/lms{path}/messages\"")] {
        assert!(page.body.contains(&part), "{part}: {page}");
    }
    assert_eq!(page.body.matches("=\"/courses").count(), 0, "{page}");
}
