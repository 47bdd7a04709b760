//! A course that is concluded: its students read what they have talked, and the model is asked no more for them.

use serde_json::json;

use super::page::Talker;
use super::{Lesson, said};

impl Lesson {
    async fn happens(&self, event: &str) {
        let change = json!({ "course": { "event": event } });
        self.school.admin.put(&self.course.path("")).json(change).await.is(200);
    }
}

#[tokio::test]
async fn students_of_a_concluded_course_read_their_conversation_and_do_not_go_on() {
    let lesson = Lesson::start().await;
    let observer = lesson.course.member(&lesson.school, "ObserverEnrollment").await;
    let conversation = lesson.begun().await;
    let current = lesson.path("/conversations");
    let before = lesson.student.get(&current).await.is(200).json;
    lesson.happens("conclude").await;

    lesson.says(conversation, "One more question").await.is_forbidden();
    lesson.student.post(&current).await.is_forbidden();
    observer.post(&current).await.is_forbidden();
    assert_eq!(lesson.student.get(&current).await.is(200).json, before, "nothing has ended, nothing was added");
    let message = before["messages"][1]["id"].as_str().unwrap();
    let vote = lesson.conversation(conversation, &format!("/messages/{message}/feedback"));
    lesson.student.post(&vote).json(json!({ "vote": "liked" })).await.is(200);

    let tried = lesson.teacher.post(&current).await.is(201).id();
    let words = json!({ "message": "Does it still teach?" });
    lesson.teacher.post(&lesson.conversation(tried, "/messages")).json(words).await.is(200);

    lesson.happens("unconclude").await;
    let goes_on = lesson.says(conversation, "One more question").await.is(200);
    assert_eq!(said(&goes_on).len(), 4);
}

#[tokio::test]
async fn the_page_of_a_concluded_course_shows_the_conversation_without_its_forms() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    let observer = lesson.course.member(&lesson.school, "ObserverEnrollment").await;
    student.press("start").await.is(303);
    let open = student.page().await;
    lesson.happens("conclude").await;

    student.says_on(&open, "One more question").await.is_page(403, "");
    student.browser.submit(&open, &student.path("/talk"), &[("action", "start")]).await.is_page(403, "");
    assert_eq!(said(&student.talk(&lesson.student).await).len(), 2);
    let page = student.page().await;
    assert!(page.body.contains("The course is concluded: students read it."), "{page}");
    assert!(page.body.contains("class=\"vote\""), "what was said is there to read, and to vote on: {page}");
    for form in ["id=\"say\"", "name=\"action\"", "<script"] {
        assert!(!page.body.contains(form), "{form}: {page}");
    }

    let page = Talker::of(&lesson, &observer).await.page().await;
    assert!(!page.body.contains("name=\"action\"") && !page.body.contains("The tutor speaks first"), "{page}");
    let teacher = Talker::of(&lesson, &lesson.teacher).await;
    assert!(teacher.page().await.body.contains("Begin the conversation"));
}

#[tokio::test]
async fn who_is_not_enrolled_any_more_has_no_conversations() {
    let lesson = Lesson::start().await;
    let conversation = lesson.begun().await;
    let enrollments = lesson.course.path("/enrollments?type[]=StudentEnrollment");
    let enrollment = lesson.school.admin.get(&enrollments).await.is(200).json[0]["id"].as_i64().unwrap();
    lesson.school.admin.delete(&lesson.course.path(&format!("/enrollments/{enrollment}?task=conclude"))).await.is(200);
    lesson.student.get(&lesson.path("/conversations")).await.is_forbidden();
    lesson.student.post(&lesson.path("/conversations")).await.is_forbidden();
    lesson.says(conversation, "One more question").await.is_forbidden();
}
