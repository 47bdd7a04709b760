//! The page on which a student talks and a teacher tries, and the pages on which the teacher reads: without script.

use serde_json::{Value, json};
use support::model::{completion, questions, script, tutoring};
use support::{Client, Response};

use super::{Lesson, events, said};

/// Somebody in a browser, on the page of the lesson's experience.
pub(super) struct Talker<'a> {
    pub(super) lesson: &'a Lesson,
    pub(super) browser: Client,
}

impl<'a> Talker<'a> {
    pub(super) async fn of(lesson: &'a Lesson, person: &Client) -> Self {
        Self { lesson, browser: lesson.school.in_browser(person).await }
    }

    /// The path of a page of the course.
    pub(super) fn path(&self, rest: &str) -> String {
        format!("/courses/{}/ai_experiences/{}{rest}", self.lesson.course.id, self.lesson.experience)
    }

    pub(super) async fn page(&self) -> Response {
        self.browser.get(&self.path("/talk")).await.is_page(200, &self.lesson.word)
    }

    /// Presses a button of the page.
    pub(super) async fn press(&self, action: &str) -> Response {
        let page = self.page().await;
        self.browser.submit(&page, &self.path("/talk"), &[("action", action)]).await
    }

    /// Sends the form of that page with a message.
    pub(super) async fn says_on(&self, page: &Response, text: &str) -> Response {
        let (conversation, key) = (page.field("conversation"), page.field("key"));
        let fields = [("conversation", conversation.as_str()), ("key", key.as_str()), ("message", text)];
        self.browser.submit(page, &self.path("/talk/messages"), &fields).await
    }

    pub(super) async fn says(&self, text: &str) -> Response {
        self.says_on(&self.page().await, text).await
    }

    /// The caller's conversation as the API has it.
    pub(super) async fn talk(&self, person: &Client) -> Response {
        person.get(&self.lesson.path("/conversations")).await.is(200)
    }
}

#[tokio::test]
async fn a_student_talks_on_a_page() {
    let lesson = Lesson::start().await;
    script(&lesson.word, |question| {
        let covered: &[usize] = if question.text().contains("In <b>1648") { &[2] } else { &[] };
        completion(&tutoring("What do <i>you</i> know?", covered))
    });
    let student = Talker::of(&lesson, &lesson.student).await;
    let page = student.page().await;
    for words in ["Two treaties", "Name two causes", "Begin the conversation"] {
        assert!(page.body.contains(words), "{words}: {page}");
    }
    assert!(!page.body.contains("Never tell the student") && !page.body.contains("Osnabrueck"), "{page}");
    assert!(!page.body.contains("You are trying this experience"), "{page}");
    student.press("start").await.leads_to(&student.path("/talk"));
    let page = student.page().await;
    assert!(page.body.contains("What do &lt;i&gt;you&lt;/i&gt; know?"), "what the model says is text: {page}");
    assert!(!page.body.contains("Hello, I am ready to begin."), "the student has not said this: {page}");
    assert!(page.body.contains("0 of 3 objectives reached"), "{page}");

    student.says("In <b>1648.\r\nOr so.").await.leads_to(&student.path("/talk"));
    let page = student.page().await;
    assert!(page.body.contains("In &lt;b&gt;1648.\nOr so.") && page.body.contains("1 of 3 objectives"), "{page}");
    let talk = student.talk(&lesson.student).await;
    assert_eq!(said(&talk)[2], ("User", "In <b>1648.\nOr so."));

    student.press("end").await.is(303);
    assert!(student.page().await.body.contains("Begin the conversation"));
    assert_eq!(student.talk(&lesson.student).await.json, json!({}));
}

#[tokio::test]
async fn a_form_without_its_button_changes_nothing_and_is_told_of_on_the_page() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    let (talk, words) = (student.path("/talk"), "nichts hat sich geändert");
    let german = async |path: &str, fields: &[(&str, &str)]| {
        let token = student.page().await.field("authenticity_token");
        let form: Vec<_> = fields.iter().copied().chain([("authenticity_token", token.as_str())]).collect();
        student.browser.post(path).form(&form).header("accept-language", "de").await
    };
    assert_eq!(student.page().await.field("action"), "start", "Enter sends what the button says");
    for fields in [&[][..], &[("action", "dance")]] {
        let page = german(&talk, fields).await.is_page(400, words);
        assert!(page.body.contains("role=\"alert\"") && !page.body.contains("action is"), "{page}");
    }
    assert_eq!(student.talk(&lesson.student).await.json, json!({}));
    student.press("start").await.is(303);
    let message = student.talk(&lesson.student).await["messages"][1]["id"].as_str().unwrap().to_owned();
    german(&student.path(&format!("/talk/messages/{message}/feedback")), &[]).await.is_page(400, words);
    german(&talk, &[]).await.is_page(400, words);
    assert_eq!(student.page().await.body.matches("name=\"action\" value=\"end\"").count(), 1);
    student.press("end").await.is(303);
}

#[tokio::test]
async fn who_has_reached_all_objectives_is_told_and_may_begin_again() {
    let lesson = Lesson::start().await;
    script(&lesson.word, |_| completion(&tutoring("All done.", &[1, 2, 3])));
    let student = Talker::of(&lesson, &lesson.student).await;
    student.press("start").await.is(303);
    let first = student.talk(&lesson.student).await.id();
    assert!(student.page().await.body.contains("You have reached all objectives."));
    student.press("start").await.is(303);
    assert_ne!(student.talk(&lesson.student).await.id(), first);
    student.press("end").await.is(303);
    assert!(student.page().await.body.contains("You have completed this experience."));
    let list = format!("/courses/{}/ai_experiences", lesson.course.id);
    let listed = student.browser.get(&list).await.is_page(200, "(completed)");
    assert!(listed.body.contains(&format!("href=\"{}\"", student.path("/talk"))), "{listed}");
    assert!(!listed.body.contains("/ai_conversations"), "{listed}");
    student.browser.get("/home").await.is_page(200, &format!("href=\"{list}\""));
    student.browser.get(&student.path("")).await.leads_to(&student.path("/talk"));
}

#[tokio::test]
async fn an_answer_comes_to_the_page_while_it_is_written() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    student.press("start").await.is(303);
    let text = "Let us look at the causes one by one, slowly and with care. ".repeat(8);
    let reply = text.clone();
    script(&lesson.word, move |question| {
        assert_eq!(question.json()["stream"], true);
        let json = tutoring(&reply, &[1]).to_string();
        let pieces = json.as_bytes().chunks(7).map(|piece| String::from_utf8_lossy(piece).into_owned());
        let events = pieces.map(|piece| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": piece}}]})));
        support::Reply::new(200, format!("{}data: [DONE]\n\n", events.collect::<String>()))
    });
    let page = student.page().await;
    let form = [("conversation", page.field("conversation")), ("key", page.field("key"))];
    let proof = [("message", "Why?".to_owned()), ("authenticity_token", page.field("authenticity_token"))];
    let form: Vec<_> = form.into_iter().chain(proof).collect();
    let send = async || {
        let call = student.browser.post(&student.path("/talk/messages")).form(&form);
        call.header("accept", "text/event-stream, text/html").await
    };
    let answer = send().await.is(200);
    assert!(answer.header("content-type").unwrap().starts_with("text/event-stream"));
    let events = events(&answer.body);
    let deltas = events.iter().filter(|(name, _)| name == "delta");
    assert_eq!(deltas.map(|(_, data)| data["text"].as_str().unwrap()).collect::<String>(), text);
    assert_eq!(events.last().unwrap().0, "done");
    // The same form again is the same message, and the page has its answer.
    send().await.leads_to(&student.path("/talk"));
    assert_eq!(said(&student.talk(&lesson.student).await).len(), 4);
}

#[tokio::test]
async fn a_student_votes_and_takes_the_vote_back() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    student.press("start").await.is(303);
    let message = student.talk(&lesson.student).await["messages"][1]["id"].as_str().unwrap().to_owned();
    let path = student.path(&format!("/talk/messages/{message}/feedback"));
    let vote = async |fields: &[(&str, &str)]| student.browser.submit(&student.page().await, &path, fields).await;
    let votes = async || {
        let page = lesson.teacher.get(&lesson.path("/feedback")).await.is(200);
        let vote = |one: &Value| (one["vote"].clone(), one["feedback_message"].clone());
        page["feedback"].as_array().unwrap().iter().map(vote).collect::<Vec<_>>()
    };
    vote(&[("vote", "liked")]).await.leads_to(&student.path("/talk"));
    assert_eq!(votes().await, [(json!("liked"), Value::Null)]);
    assert!(student.page().await.body.contains("value=\"none\" aria-pressed=\"true\">Helpful"));
    vote(&[("vote", "disliked"), ("feedback_message", "It is <wrong>")]).await.is(303);
    assert_eq!(votes().await, [(json!("disliked"), json!("It is <wrong>"))]);
    assert!(student.page().await.body.contains("It is &lt;wrong&gt;"));
    vote(&[("vote", "none")]).await.is(303);
    vote(&[("vote", "none")]).await.is(303);
    assert_eq!(votes().await, []);
    vote(&[("vote", "loved")]).await.is_page(400, "vote");
    vote(&[("vote", "liked"), ("feedback_message", &"x".repeat(4001))]).await.is_page(400, "feedback_message");
    let elsewhere = student.path("/talk/messages/00000000-0000-4000-8000-000000000000/feedback");
    student.browser.submit(&student.page().await, &elsewhere, &[("vote", "liked")]).await.is_page(404, "nothing here");
}

#[tokio::test]
async fn a_teacher_tries_and_changes_nothing_of_the_students() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    let teacher = Talker::of(&lesson, &lesson.teacher).await;
    student.press("start").await.is(303);
    student.says("In 1648.").await.is(303);
    let overview = async || lesson.teacher.get(&lesson.path("/ai_conversations")).await.is(200).json;
    let (before, talk) = (overview().await, student.talk(&lesson.student).await.json);

    assert!(teacher.page().await.body.contains("You are trying this experience."));
    teacher.press("start").await.is(303);
    teacher.says("Let me see.").await.is(303);
    assert!(teacher.page().await.body.contains("Let me see."));
    assert_eq!(said(&teacher.talk(&lesson.teacher).await)[2], ("User", "Let me see."));
    teacher.press("end").await.is(303);
    assert_eq!((overview().await, student.talk(&lesson.student).await.json), (before, talk));

    let shown = teacher.browser.get(&teacher.path("/ai_conversations")).await.is_page(200, "Begun: 1.");
    let id = student.talk(&lesson.student).await.id();
    let path = teacher.path(&format!("/ai_conversations/{id}"));
    assert!(shown.body.contains(&format!("href=\"{path}\"")) && !shown.body.contains("Let me see."), "{shown}");
    let read = teacher.browser.get(&path).await.is_page(200, "In 1648.");
    assert!(read.body.contains("Go on.") && read.body.contains("0 of 3 objectives reached"), "{read}");
    teacher.browser.get(&teacher.path("/ai_conversations/999999")).await.is_page(404, "nothing here");
}

#[tokio::test]
async fn pages_open_to_those_who_may_and_forms_come_from_the_page() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    student.press("start").await.is(303);
    let id = student.talk(&lesson.student).await.id();
    for rest in ["/ai_conversations".to_owned(), format!("/ai_conversations/{id}")] {
        student.browser.get(&student.path(&rest)).await.is_page(403, "not authorized");
    }
    let page = student.page().await;
    for rest in ["/talk", "/talk/messages"] {
        let fields = [("action", "end"), ("message", "Hi")];
        student.browser.post(&student.path(rest)).form(&fields).await.is_page(400, "no page of yours sent it");
        let call = student.browser.post(&student.path(rest)).header("sec-fetch-site", "cross-site");
        let token = page.field("authenticity_token");
        call.form(&[("action", "end"), ("authenticity_token", &token)]).await.is(400);
    }
    assert_eq!(student.talk(&lesson.student).await.id(), id);
    let nobody = student.browser.without_token().with_cookie("");
    let login = format!("/login?return_to={}", student.path("/talk").replace('/', "%2F"));
    nobody.get(&student.path("/talk")).await.leads_to(&login);

    let stranger = Talker::of(&lesson, &lesson.school.person("stranger").await).await;
    stranger.browser.get(&stranger.path("/talk")).await.is_page(403, "not authorized");
    let (_, other, _) = lesson.school.classroom("Botany").await;
    let other = Talker::of(&lesson, &other).await;
    for rest in ["/talk", "/ai_conversations"] {
        other.browser.get(&other.path(rest)).await.is(403);
    }
    let hidden = super::experience("Hidden");
    let hidden = lesson.teacher.post(&lesson.course.path("/ai_experiences")).json(hidden).await.is(201).id();
    let unpublish = json!({"ai_experience": {"workflow_state": "unpublished"}});
    lesson.teacher.put(&lesson.course.path(&format!("/ai_experiences/{hidden}"))).json(unpublish).await.is(200);
    let path = format!("/courses/{}/ai_experiences/{hidden}/talk", lesson.course.id);
    student.browser.get(&path).await.is_page(404, "nothing here");
    let teacher = Talker::of(&lesson, &lesson.teacher).await;
    teacher.browser.get(&path).await.is_page(200, "Hidden");
}

#[tokio::test]
async fn the_page_speaks_the_language_of_its_reader() {
    let lesson = Lesson::start().await;
    let student = Talker::of(&lesson, &lesson.student).await;
    for (language, words) in [
        ("de", "Gespräch beginnen"),
        ("es", "Empezar la conversación"),
        ("fr-CA", "Commencer la conversation"),
        ("ja", "Begin the conversation"),
    ] {
        let page = student.browser.get(&student.path("/talk")).header("accept-language", language).await;
        let page = page.is_page(200, words);
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
    assert_eq!(questions(&lesson.word).len(), 0, "looking asks nobody");
}
