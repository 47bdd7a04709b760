//! The page on which a new quiz is taken: who sees it, what it may do, and how its script calls the API.

use serde_json::{Value, json};
use support::{Client, Course, Response, School};

/// A course with a published quiz, and browsers in which its people are signed in.
struct Room {
    school: School,
    course: Course,
    teacher: Client,
    quiz: i64,
    in_browser: Client,
    student: Client,
}

impl Room {
    async fn new() -> Self {
        Self::with(json!({ "title": "Leaves & <needles>", "published": true, "points_possible": 3 })).await
    }

    async fn with(quiz: Value) -> Self {
        let school = School::start().await;
        let (course, teacher, student) = school.classroom("Botany").await;
        let made = teacher.post(&format!("/api/quiz/v1/courses/{}/quizzes", course.id));
        let quiz = made.json(json!({ "quiz": quiz })).await.is(200).id();
        let in_browser = school.in_browser(&student).await;
        Self { school, course, teacher, quiz, in_browser, student }
    }

    fn assignment(&self) -> String {
        format!("/courses/{}/assignments/{}", self.course.id, self.quiz)
    }

    fn page(&self) -> String {
        format!("{}/take", self.assignment())
    }

    fn sessions(&self) -> String {
        format!("/api/quiz/v1/courses/{}/quizzes/{}/sessions", self.course.id, self.quiz)
    }
}

/// What a page hands to its script.
#[track_caller]
fn setup(page: &Response) -> Value {
    let (_, rest) = page.body.split_once("id=\"setup\">").expect("a setup");
    serde_json::from_str(rest.split("</script>").next().unwrap()).expect("JSON")
}

#[tokio::test]
async fn the_address_of_a_quiz_leads_through_the_log_in_to_its_page() {
    let room = Room::new().await;
    let assignment = room.teacher.get(&format!("/api/v1{}", room.assignment())).await.is(200);
    let address = assignment["html_url"].as_str().unwrap();
    assert!(address.ends_with(&room.assignment()), "{address}");
    let to_login = format!("/login?return_to={}", room.page().replace('/', "%2F"));
    room.student.without_token().get(&room.page()).await.leads_to(&to_login);
    let signpost = room.in_browser.get(&room.assignment()).header("accept", "text/html").await;
    let signpost = signpost.is_page(200, "If it is a new quiz, you take it here");
    assert!(
        signpost.body.contains(&format!("href=\"../../../{}\"", room.page().trim_start_matches('/'))),
        "{signpost}"
    );
    let page = room.in_browser.get(&room.page()).await.is_page(200, "Leaves &amp; &lt;needles&gt;");
    assert!(page.body.contains("This page needs JavaScript"), "{page}");
    let setup = setup(&page);
    assert_eq!(format!("{}/sessions", setup["api"].as_str().unwrap()), room.sessions());
    assert_eq!((&setup["page"], &setup["preview"]), (&json!(room.page()), &json!(false)));
    assert_eq!(setup["user"], room.student.id.to_string());
}

#[tokio::test]
async fn the_page_may_do_what_it_needs_and_nothing_else() {
    let room = Room::new().await;
    let page = room.in_browser.get(&room.page()).await.is(200);
    let policy = page.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'",
        "script-src 'sha256-",
        "style-src 'sha256-",
        "connect-src 'self'",
        "img-src 'self' https: blob:;",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(part), "{part}: {policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
    assert_eq!(page.header("cache-control"), Some("no-store"));
    for inline in [" style=\"", " onclick=", "eval(", "innerHTML ="] {
        assert!(!page.body.contains(inline), "{inline}");
    }
}

#[tokio::test]
async fn the_page_tells_what_to_know_before_in_the_language_of_the_reader() {
    let settings = json!({
        "has_time_limit": true, "session_time_limit_in_seconds": 5400, "one_at_a_time_type": "question",
        "allow_backtracking": false, "require_student_access_code": true, "student_access_code": "acorn",
        "multiple_attempts": { "multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 4 },
    });
    let quiz = json!({ "title": "Leaves", "published": true, "instructions": "<p></script>Do <b>well</b></p>",
        "quiz_settings": settings });
    let room = Room::with(quiz).await;
    let page = room.in_browser.get(&room.page()).header("accept-language", "de-AT").await.is_page(200, "90 min");
    for words in ["<html lang=\"de\">", "Zugangscode", "<dd>4</dd>", "nicht zu früheren zurück"] {
        assert!(page.body.contains(words), "{words}: {page}");
    }
    assert!(!page.body.contains("acorn"), "{page}");
    let setup = setup(&page);
    assert_eq!(setup["instructions"], "<p>Do <b>well</b></p>");
    assert_eq!(setup["texts"]["submit"], "Abgeben");
    let page = room.in_browser.get(&room.page()).await.is_page(200, "Access code");
    assert_eq!(page.header("content-language"), Some("en"));
}

#[tokio::test]
async fn staff_preview_what_students_see_later() {
    let room = Room::with(json!({ "title": "Leaves" })).await;
    room.in_browser.get(&room.page()).await.is_page(403, "not authorized");
    let teacher = room.school.in_browser(&room.teacher).await;
    let page = teacher.get(&room.page()).await.is_page(200, "This is a preview");
    assert_eq!(setup(&page)["preview"], true);
    let publish = json!({ "quiz": { "published": true } });
    let quiz = format!("/api/quiz/v1/courses/{}/quizzes/{}", room.course.id, room.quiz);
    room.teacher.patch(&quiz).json(publish).await.is(200);
    let preview = format!("{}?preview=true", room.page());
    teacher.get(&preview).await.is_page(200, "This is a preview");
    room.in_browser.get(&preview).await.is_page(403, "not authorized");
    room.in_browser.get(&room.page()).await.is(200);
}

#[tokio::test]
async fn the_page_tells_the_points_of_the_questions_and_what_the_grade_makes_of_them() {
    let room = Room::new().await;
    let points = async || {
        let page = room.in_browser.get(&room.page()).await.is(200);
        let facts = page.body.split("<dl class=\"facts\">").nth(1).unwrap();
        facts.split("<dt>Attempts").next().unwrap().to_owned()
    };
    assert_eq!(points().await, "<dt>Points</dt><dd>3</dd>");
    let items = format!("/api/quiz/v1/courses/{}/quizzes/{}/items", room.course.id, room.quiz);
    for (statement, points) in [("Oaks bear acorns.", 1.5), ("Pines are trees.", 2.0)] {
        let entry = xtask::items::true_false(statement, true);
        let item = json!({ "item": { "entry_type": "Item", "points_possible": points, "entry": entry } });
        room.teacher.post(&items).json(item).await.is(200);
    }
    let both = "<dt>Points</dt><dd>3.5</dd><dt>Counts as</dt><dd>3 points of the grade</dd>";
    assert_eq!(points().await, both);
    let session = room.student.post(&room.sessions()).json(json!({})).await.is(200);
    let session = format!("{}/{}", room.sessions(), session.id());
    room.student.post(&format!("{session}/submit")).await.is(200);
    let result = room.student.get(&format!("{session}/result")).await.is(200);
    assert_eq!(result["points_possible"], 3.5, "{result}");
    let quiz = format!("/api/quiz/v1/courses/{}/quizzes/{}", room.course.id, room.quiz);
    room.teacher.patch(&quiz).json(json!({ "quiz": { "points_possible": 3.5 } })).await.is(200);
    assert_eq!(points().await, "<dt>Points</dt><dd>3.5</dd>");
}

#[tokio::test]
async fn the_page_counts_of_banks_what_a_session_draws_of_them() {
    let room = Room::new().await;
    let quiz = format!("/api/quiz/v1/courses/{}/quizzes/{}", room.course.id, room.quiz);
    let banks = format!("/api/quiz/v1/courses/{}/banks", room.course.id);
    let bank = async |questions: usize| {
        let bank = room.teacher.post(&banks).json(json!({ "bank": { "title": "Trees" } })).await.is(200).id();
        let entries = format!("{banks}/{bank}/entries");
        let mut made = Vec::new();
        for number in 0..questions {
            let entry = xtask::items::true_false(&format!("Tree {number}"), true);
            let entry = json!({ "entry_type": "Item", "entry": entry });
            made.push(room.teacher.post(&entries).json(entry).await.is(200).id());
        }
        let passage = json!({ "entry_type": "Stimulus", "entry": { "title": "Bark", "body": "<p>Bark</p>" } });
        made.push(room.teacher.post(&entries).json(passage).await.is(200).id());
        (bank, made)
    };
    let adds = async |what: &str, item: Value| {
        room.teacher.post(&format!("{quiz}/{what}")).json(json!({ "item": item })).await.is(200);
    };
    let (large, entries) = bank(7).await;
    let (small, _) = bank(3).await;
    let archived = format!("{banks}/{large}/entries/{}", entries[6]);
    room.teacher.patch(&archived).json(json!({ "archived": true })).await.is(200);
    adds("bank_items", json!({ "bank_id": large, "sample_num": 2, "points_possible": 1.5 })).await;
    adds("bank_items", json!({ "bank_id": small, "sample_num": 9, "points_possible": 0.1 })).await;
    adds("bank_items", json!({ "bank_id": large, "points_possible": 10 })).await;
    // Of the six questions of the large bank one is asked beside it, with a passage, and three are left for the second time.
    for entry in [entries[0], entries[7]] {
        adds("bank_entries", json!({ "bank_entry_id": entry, "points_possible": 100 })).await;
    }
    let page = room.in_browser.get(&room.page()).await.is_page(200, "<dt>Points</dt><dd>133.3</dd>");
    assert!(page.body.contains("<dd>3 points of the grade</dd>"), "{page}");
    let session = room.student.post(&room.sessions()).json(json!({})).await.is(200);
    assert_eq!((&session["points_possible"], &session["item_count"]), (&json!(133.3), &json!(9)), "{session}");
}

#[tokio::test]
async fn students_of_a_course_that_has_ended_see_their_results_and_begin_nothing() {
    let room = Room::new().await;
    let form = "<form id=\"start-form\">";
    assert!(room.in_browser.get(&room.page()).await.is(200).body.contains(form));
    let end = json!({ "course": { "event": "conclude" } });
    room.school.admin.put(&room.course.path("")).json(end).await.is(200);
    let page = room.in_browser.get(&room.page()).await.is_page(200, "You can see your results here");
    assert!(!page.body.contains(form) && !page.body.contains("This is a preview"), "{page}");
    // What goes wrong, and that there are no attempts, is said outside of the form that is not shown.
    let behind_form = page.body.split("</form>").last().unwrap();
    for part in ["id=\"start-problem\"", "id=\"no-attempts\""] {
        assert!(behind_form.contains(part), "{part}: {page}");
    }
    assert_eq!(setup(&page)["preview"], false);
    room.school.in_browser(&room.teacher).await.get(&room.page()).await.is_page(200, "This is a preview");
}

#[tokio::test]
async fn there_is_no_such_page_for_anything_else() {
    let room = Room::new().await;
    let assignment = json!({ "assignment": { "name": "Essay", "published": true } });
    let path = format!("/api/v1/courses/{}/assignments", room.course.id);
    let assignment = room.teacher.post(&path).json(assignment).await.is(201).id();
    let page = format!("/courses/{}/assignments/{assignment}", room.course.id);
    room.in_browser.get(&format!("{page}/take")).await.is_page(404, "There is nothing here");
    let other = room.school.course("Zoology").await;
    let elsewhere = format!("/courses/{}/assignments/{}/take", other.id, room.quiz);
    room.school.in_browser(&room.school.admin).await.get(&elsewhere).await.is_page(404, "There is nothing here");
    let foreign = School::start().await;
    let foreigner = foreign.in_browser(&foreign.admin).await;
    foreigner.get(&room.page()).await.is_page(404, "There is nothing here");
}

#[tokio::test]
async fn the_script_of_the_page_calls_the_api_for_who_is_signed_in() {
    let room = Room::new().await;
    let page = room.in_browser.get(&room.page()).await.is(200);
    let token = setup(&page)["token"].as_str().unwrap().to_owned();
    let begun = room.in_browser.post(&room.sessions()).header("x-csrf-token", &token).json(json!({})).await.is(200);
    assert_eq!(begun["user_id"], room.student.id);
    let listed = room.in_browser.get(&room.sessions()).header("x-csrf-token", &token).await.is(200);
    assert_eq!(listed.ids(), [begun.id()]);
    let own = room.student.get(&room.sessions()).await.is(200);
    assert_eq!(own.ids(), listed.ids());

    let file = json!({ "name": "leaf.txt", "size": 4 });
    let files = "/api/v1/users/self/files";
    room.in_browser.post(files).header("x-csrf-token", &token).json(file.clone()).await.is(200);
    room.in_browser.post(files).json(file).await.is_unauthenticated("user authorization required");
}

#[tokio::test]
async fn no_other_site_calls_the_api_with_somebodys_cookie() {
    let room = Room::new().await;
    let words = "user authorization required";
    let token = setup(&room.in_browser.get(&room.page()).await.is(200))["token"].as_str().unwrap().to_owned();
    let other = room.school.in_browser(&room.teacher).await;
    let foreign = other.get("/home").await.is(200).field("authenticity_token");
    room.in_browser.get(&room.sessions()).await.is_unauthenticated(words);
    for wrong in ["", "a.b", &foreign, &format!("{token}x")] {
        room.in_browser.get(&room.sessions()).header("x-csrf-token", wrong).await.is_unauthenticated(words);
        let begin = room.in_browser.post(&room.sessions()).header("x-csrf-token", wrong).json(json!({}));
        begin.await.is_unauthenticated(words);
    }
    let call = || room.in_browser.get(&room.sessions()).header("x-csrf-token", &token);
    call().await.is(200);
    for site in ["cross-site", "same-site", "none"] {
        call().header("sec-fetch-site", site).await.is_unauthenticated(words);
    }
    // Nor does a field of a form do: other sites can send one.
    let form = [("authenticity_token", token.as_str())];
    room.in_browser.post(&room.sessions()).form(&form).await.is_unauthenticated(words);
    room.student.without_token().get(&room.sessions()).header("x-csrf-token", &token).await.is_unauthenticated(words);
    // Endpoints that no page calls take no cookie, whatever comes with it.
    room.in_browser.get("/api/v1/courses").header("x-csrf-token", &token).await.is_unauthenticated(words);
    room.in_browser.submit(&room.in_browser.get("/home").await.is(200), "/logout", &[]).await.is(303);
    call().await.is_unauthenticated(words);
}

#[tokio::test]
async fn nobody_acts_as_somebody_else_on_a_page() {
    let room = Room::new().await;
    let admin = room.school.in_browser(&room.school.admin).await;
    let token = setup(&admin.get(&room.page()).await.is(200))["token"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/users/self/files?as_user_id={}", room.student.id);
    let file = json!({ "name": "leaf.txt", "size": 4 });
    let answer = admin.post(&path).header("x-csrf-token", &token).json(file).await.is(200);
    assert_eq!(answer.header("x-canvas-real-user-id"), None, "{answer}");
    let own = (10_000_000_000_000 + room.school.admin.id).to_string();
    assert_eq!(answer.header("x-canvas-user-id"), Some(own.as_str()), "{answer}");
}
