//! The languages of pages: that of the reader's profile, or else the one that the browser asks for, on every page.

use serde_json::{Value, json};
use support::{Client, Response, School, running, unique};

/// The languages of pages, each with how it calls the log-out and the log-in.
const LANGUAGES: [(&str, &str, &str); 4] = [
    ("en", "Log out", "Log in"),
    ("de", "Abmelden", "Anmelden"),
    ("es", "Cerrar sesión", "Iniciar sesión"),
    ("fr", "Se déconnecter", "Se connecter"),
];

/// Words of English that none of the other languages has.
const ENGLISH: [&str; 29] = [
    "the", "of", "and", "is", "are", "were", "you", "your", "from", "with", "this", "that", "it", "be", "has", "not",
    "been", "who", "what", "when", "where", "which", "please", "again", "there", "open", "closed", "never", "none",
];

/// Sets the language of somebody's profile.
async fn set_locale(person: &Client, locale: Value) {
    let path = format!("/api/v1/users/{}", person.id);
    person.put(&path).json(json!({ "user": { "locale": locale } })).await.is(200);
}

/// A page in a language.
async fn page(browser: &Client, path: &str, language: &str) -> Response {
    browser.get(path).header("accept-language", language).header("accept", "text/html").await
}

/// The page says that it is in that language.
#[track_caller]
fn is_in(page: &Response, language: &str) {
    assert!(page.body.contains(&format!("<html lang=\"{language}\">")), "{language}: {page}");
    assert_eq!(page.header("content-language"), Some(language), "{page}");
}

/// The words that a page shows, without those that it says are English.
fn words(page: &Response) -> Vec<String> {
    let (_, body) = page.body.split_once("<body").unwrap();
    let mut text = String::new();
    let mut english = None;
    for piece in body.split('<').skip(1) {
        let (tag, words) = piece.split_once('>').unwrap_or((piece, ""));
        let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
        match english {
            Some(element) if tag.starts_with('/') && name == element => english = None,
            None if tag.contains(" lang=\"en\"") || ["script", "code", "pre"].contains(&name) => {
                english = (!tag.starts_with('/')).then_some(name);
            }
            _ => {}
        }
        for spoken in ["aria-label=\"", "alt=\"", "title=\""] {
            text.push_str(tag.split_once(spoken).map_or("", |(_, rest)| rest.split('"').next().unwrap_or_default()));
            text.push(' ');
        }
        if english.is_none() {
            text.push_str(words);
        }
        text.push(' ');
    }
    text.split(|letter: char| !letter.is_alphabetic()).map(str::to_lowercase).filter(|word| !word.is_empty()).collect()
}

/// Nothing on the page is English.
#[track_caller]
fn has_no_english(page: &Response, path: &str) {
    let shown = words(page);
    assert!(!shown.is_empty(), "{path}: {page}");
    let english: Vec<_> = shown.iter().filter(|word| ENGLISH.contains(&word.as_str())).collect();
    assert!(english.is_empty(), "{path}: {english:?}: {page}");
}

/// An open session of a poll with one choice.
struct Asked {
    poll: i64,
    choice: i64,
    session: i64,
}

impl Asked {
    async fn open(teacher: &Client, course: i64) -> Self {
        let of = |answer: Response, list: &str| answer[list][0]["id"].as_i64().unwrap();
        let poll = teacher.post("/api/v1/polls").json(json!({ "polls": [{ "question": "Ja?" }] })).await.is(200);
        let poll = of(poll, "polls");
        let choice = json!({ "poll_choices": [{ "text": "Oui" }] });
        let choice = teacher.post(&format!("/api/v1/polls/{poll}/poll_choices")).json(choice).await.is(200);
        let sessions = format!("/api/v1/polls/{poll}/poll_sessions");
        let session = json!({ "poll_sessions": [{ "course_id": course }] });
        let session = of(teacher.post(&sessions).json(session).await.is(200), "poll_sessions");
        teacher.get(&format!("{sessions}/{session}/open")).await.is(200);
        Self { poll, choice: of(choice, "poll_choices"), session }
    }

    async fn vote(&self, student: &Client) {
        let path = format!("/api/v1/polls/{}/poll_sessions/{}/poll_submissions", self.poll, self.session);
        let vote = json!({ "poll_submissions": [{ "poll_choice_id": self.choice }] });
        student.post(&path).json(vote).await.is(200);
    }

    fn page(&self, rest: &str) -> String {
        format!("/polls/{}/sessions/{}{rest}", self.poll, self.session)
    }
}

/// The path of a signed link.
async fn link(client: &Client, path: &str, body: Value) -> String {
    let url = client.post(path).json(body).await.is(200)["url"].as_str().unwrap().to_owned();
    format!("/{}", url.splitn(4, '/').nth(3).unwrap())
}

#[tokio::test]
async fn every_page_is_in_the_language_that_the_browser_asks_for() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Zürich").await;
    let poll = Asked::open(&teacher, course.id).await;
    let report = json!({ "error": { "subject": "Zug", "user_perceived_severity": "not_urgent" } });
    let report = student
        .post("/api/v1/error_reports")
        .header("x-forwarded-for", unique("address"))
        .json(report)
        .await
        .is(200)
        .id();

    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = json!({ "quiz": { "title": "Quiz", "published": true } });
    let quiz = teacher.post(&engine).json(quiz).await.is(200).id();
    let session = student.post(&format!("{engine}/{quiz}/sessions")).await.is(200).id();
    student.post(&format!("{engine}/{quiz}/sessions/{session}/submit")).await.is(200);
    let grading = format!("/courses/{}/assignments/{quiz}/grade", course.id);

    let nobody = running().nobody();
    let [admin, teacher, student] = [&school.admin, &teacher, &student].map(|person| school.in_browser(person));
    let (admin, teacher, student) = (admin.await, teacher.await, student.await);
    let pages = [
        (&nobody, 200, "/login".to_owned()),
        (&nobody, 401, "/login/oauth2/auth?client_id=x".to_owned()),
        (&nobody, 404, "/register/NOSUCHCODE".to_owned()),
        (&nobody, 403, "/operator?ticket=x".to_owned()),
        (&nobody, 403, "/error_reports?ticket=x".to_owned()),
        (&nobody, 403, poll.page("/live?ticket=x")),
        (&nobody, 403, format!("/courses/{}/settings?ticket=x", course.id)),
        (&nobody, 200, format!("/courses/{}", course.id)),
        (&nobody, 200, format!("/courses/{}/assignments", course.id)),
        (&admin, 200, "/home".to_owned()),
        (&admin, 200, "/operator".to_owned()),
        (&admin, 200, "/operator/outbox".to_owned()),
        (&admin, 200, "/error_reports".to_owned()),
        (&admin, 200, format!("/error_reports/{report}")),
        (&teacher, 200, "/home".to_owned()),
        (&teacher, 200, "/polls".to_owned()),
        (&teacher, 200, poll.page("/live")),
        (&teacher, 200, format!("/courses/{}/settings", course.id)),
        (&teacher, 200, grading.clone()),
        (&teacher, 200, format!("{grading}/{session}")),
        (&teacher, 403, "/operator".to_owned()),
        (&student, 200, "/polls".to_owned()),
        (&student, 200, "/join".to_owned()),
        (&student, 404, "/join/WRONG".to_owned()),
        (&student, 200, poll.page("/vote")),
        (&student, 404, "/polls/9999999/sessions/9/vote".to_owned()),
    ];
    for (browser, status, path) in &pages {
        for (language, log_out, log_in) in LANGUAGES {
            let shown = page(browser, path, language).await.is(*status);
            is_in(&shown, language);
            if language != "en" {
                has_no_english(&shown, path);
            }
            let is_framed = shown.body.contains("class=\"frame\"");
            assert!(!is_framed || shown.body.contains(log_out), "{path}: {shown}");
            assert!(path != "/login" || shown.body.contains(&format!("<h1>{log_in}</h1>")), "{shown}");
        }
    }
}

#[tokio::test]
async fn the_language_of_the_profile_comes_before_that_of_the_browser() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    set_locale(&teacher, json!("es-MX")).await;
    let browser = school.in_browser(&teacher).await;
    for path in ["/home", "/polls", "/join", &format!("/courses/{}/settings", course.id)] {
        is_in(&page(&browser, path, "de").await.is(200), "es");
    }
    // Errors too, and a link that was made for the teacher.
    is_in(&page(&browser, "/polls/9999999/sessions/9/vote", "de").await.is(404), "es");
    let settings = link(&teacher, &format!("/api/v1/courses/{}/settings_link", course.id), json!({})).await;
    is_in(&page(&running().nobody(), &settings, "de").await.is(200), "es");

    // A language in which there are no pages leaves it to the browser, and so does none.
    for locale in [json!("nl"), Value::Null] {
        set_locale(&teacher, locale).await;
        is_in(&page(&browser, "/home", "de").await.is(200), "de");
    }
}

#[tokio::test]
async fn an_administrator_who_acts_as_somebody_reads_the_own_language() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    set_locale(&teacher, json!("fr")).await;
    set_locale(&school.admin, json!("de")).await;
    let path = format!("/api/v1/courses/{}/settings_link?as_user_id={}", course.id, teacher.id);
    let settings = link(&school.admin, &path, json!({})).await;
    let shown = page(&running().nobody(), &settings, "es").await.is(200);
    is_in(&shown, "de");
    assert!(shown.body.contains("Sie agieren als"), "{shown}");
}

#[tokio::test]
async fn votes_are_told_in_the_language_of_the_page() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let poll = Asked::open(&teacher, course.id).await;
    poll.vote(&student).await;
    let browser = school.in_browser(&teacher).await;
    let results = poll.page("/results?audience=teacher");
    for (language, summary, label) in [
        ("en", "1 vote. The poll is open.", "1 vote, 100 %"),
        ("de", "1 Stimme. Die Umfrage ist offen.", "1 Stimme, 100 %"),
        ("es", "1 voto. La encuesta está abierta.", "1 voto, 100 %"),
        ("fr", "1 vote. Le sondage est ouvert.", "1 vote, 100 %"),
    ] {
        let news = browser.get(&results).header("accept-language", language).await.is(200);
        assert_eq!((&news["summary"], &news["bars"][0]["label"]), (&json!(summary), &json!(label)));
    }
}
