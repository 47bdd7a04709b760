//! Signing in on pages: the log-in, what its session opens and when that ends, and forms that no other site can send.

use serde_json::{Value, json};
use support::browser::{PASSWORD, log_in};
use support::{Client, Response, Running, School, running, unique};

/// A school with somebody who has a password.
struct Scene {
    school: School,
    person: Client,
    login: String,
}

impl Scene {
    async fn start() -> Self {
        Self::start_in(&running()).await
    }

    async fn start_in(site: &Running) -> Self {
        let school = School::start_in(site).await;
        let person = school.person("<Ada>").await;
        let login = school.login_of(&person).await;
        Self { school, person, login }
    }

    /// A browser in which the person has logged in.
    async fn browser(&self) -> Client {
        let answer = log_in(&self.person, "", &self.login, PASSWORD).await.is(303);
        self.person.without_token().with_cookie(&answer.cookie())
    }

    /// Changes rows of the person's sessions. False where that is not possible.
    fn change_sessions(&self, set: &str) -> bool {
        let sql = format!("UPDATE access_tokens SET {set} WHERE user_id = {} AND key_version = 2", self.person.id);
        running().change_database(&sql)
    }

    async fn login_id(&self) -> i64 {
        let logins = self.school.admin.get(&format!("/api/v1/users/{}/logins", self.person.id)).await.is(200);
        let login = logins.json.as_array().unwrap().iter().find(|login| login["unique_id"] == self.login.as_str());
        login.unwrap()["id"].as_i64().unwrap()
    }
}

/// Nobody is signed in in that browser: it is led to the log-in.
#[track_caller]
fn is_led_to_login(answer: &Response) {
    answer.leads_to("/login?return_to=%2Fhome");
}

#[tokio::test]
async fn a_log_in_leads_to_the_page_that_was_asked_for() {
    let scene = Scene::start().await;
    let nobody = scene.person.without_token();
    nobody.get("/join/abc?x=1&y=a%20b").await.leads_to("/login?return_to=%2Fjoin%2Fabc%3Fx%3D1%26y%3Da%2520b");
    let answer = log_in(&scene.person, "%2Fjoin%2Fabc%3Fx%3D1", &scene.login, PASSWORD).await;
    answer.leads_to("/join/abc?x=1");
    let cookie = answer.header("set-cookie").unwrap();
    for part in ["lectern=", "; Path=/;", "; HttpOnly", "; SameSite=Lax"] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
    assert!(!cookie.contains("Secure") && !cookie.contains("Max-Age") && !cookie.contains("Domain"), "{cookie}");
    log_in(&scene.person, "", &scene.login, PASSWORD).await.leads_to("/home");

    let home = scene.browser().await.get("/home").await.is_page(200, "&lt;Ada&gt;");
    assert!(!home.body.contains("<Ada>") && !home.body.contains("/operator"), "{home}");
    assert_eq!(home.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn a_log_in_leads_nowhere_else() {
    let scene = Scene::start().await;
    let elsewhere = [
        "https%3A%2F%2Fevil.test%2F",
        "%2F%2Fevil.test",
        "%2F%5Cevil.test",
        "%5C%2Fevil.test",
        "javascript%3Aalert(1)",
        "%2Fa%0D%0ASet-Cookie%3A%20b%3Dc",
        "%2F%09%2Fevil.test",
        "home",
    ];
    for return_to in elsewhere {
        let page = scene.person.without_token().get(&format!("/login?return_to={return_to}")).await.is(200);
        assert_eq!(page.field("return_to"), "/home", "{return_to}");
    }
    log_in(&scene.person, elsewhere[1], &scene.login, PASSWORD).await.leads_to("/home");

    // Nor where a form says so that was made for another place.
    let nobody = scene.person.without_token();
    let page = nobody.get("/login?return_to=/polls").await.is(200);
    let token = page.field("authenticity_token");
    let send = async |return_to: &str| {
        let form = [("login", scene.login.as_str()), ("password", PASSWORD), ("return_to", return_to)];
        let form: Vec<_> = form.into_iter().chain([("authenticity_token", token.as_str())]).collect();
        nobody.post("/login").header("x-forwarded-for", unique("address")).form(&form).await
    };
    send("//evil.test").await.is_page(400, "open for too long");
    send("/home").await.is_page(400, "open for too long");
    send("/polls").await.leads_to("/polls");
    send("/polls").await.is_page(400, "was sent before");
}

#[tokio::test]
async fn other_sites_cannot_log_anybody_in() {
    let scene = Scene::start().await;
    let nobody = scene.person.without_token();
    let page = nobody.get("/login").await.is(200);
    let send = async |token: &str, site: &str| {
        let form = [("login", scene.login.as_str()), ("password", PASSWORD), ("authenticity_token", token)];
        nobody.post("/login").header("sec-fetch-site", site).form(&form).await
    };
    let token = page.field("authenticity_token");
    send(&token, "cross-site").await.is_page(400, "open for too long");
    send(&token, "same-site").await.is_page(400, "open for too long");
    send("1.2.3", "same-origin").await.is_page(400, "open for too long");
    send("", "same-origin").await.is_page(400, "open for too long");
    send(&token, "same-origin").await.is(303);
}

#[tokio::test]
async fn wrong_passwords_are_told_and_counted() {
    let scene = Scene::start().await;
    let nobody = scene.person.without_token();
    let network = unique("network");
    let send = async |login: &str, password: &str| {
        let page = nobody.get("/login").await.is(200);
        let token = page.field("authenticity_token");
        let form = [("login", login), ("password", password), ("authenticity_token", &token)];
        nobody.post("/login").header("x-forwarded-for", &network).form(&form).await
    };
    let wrong = send(&scene.login, "wrong password").await.is_page(403, "The login or the password is wrong.");
    assert!(wrong.body.contains(&scene.login) && wrong.header("set-cookie").is_none(), "{wrong}");
    send(&unique("nobody"), PASSWORD).await.is_page(403, "The login or the password is wrong.");
    send("", "").await.is(403);
    for _ in 0..9 {
        send(&scene.login, "wrong password").await.is(403);
    }
    let refused = send(&scene.login, PASSWORD).await.is_page(429, "too many wrong passwords");
    assert_eq!((refused.header("retry-after"), refused.header("set-cookie")), (Some("900"), None));
}

#[tokio::test]
async fn the_same_login_of_two_tenants_opens_the_one_whose_password_it_is() {
    let (one, other) = (School::start().await, School::start().await);
    let login = unique("twin");
    let member = async |school: &School, name: &str, password: &str| {
        let pseudonym = json!({ "unique_id": login, "password": password });
        let user = json!({ "user": { "name": name }, "pseudonym": pseudonym });
        school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200);
    };
    member(&one, "Ada of one", "the first password").await;
    member(&other, "Ada of another", "the second password").await;
    for (password, name) in [("the first password", "Ada of one"), ("the second password", "Ada of another")] {
        let cookie = log_in(&one.admin, "", &login, password).await.is(303).cookie();
        running().nobody().with_cookie(&cookie).get("/home").await.is_page(200, name);
    }
    log_in(&one.admin, "", &login, "a third password").await.is(403);
}

#[tokio::test]
async fn a_session_ends_with_the_log_out() {
    let scene = Scene::start().await;
    let (browser, telephone) = (scene.browser().await, scene.browser().await);
    let home = browser.get("/home").await.is(200);
    let ended = browser.submit(&home, "/logout", &[]).await;
    ended.leads_to("/login");
    let cookie = ended.header("set-cookie").unwrap();
    assert!(cookie.starts_with("lectern=;") && cookie.contains("Max-Age=0"), "{cookie}");
    is_led_to_login(&browser.get("/home").await);
    browser.submit(&home, "/logout", &[]).await.leads_to("/login");

    let home = telephone.get("/home").await.is_page(200, "Log out in all browsers");
    let another = scene.browser().await;
    telephone.submit(&home, "/logout", &[("everywhere", "true")]).await.leads_to("/login");
    is_led_to_login(&telephone.get("/home").await);
    is_led_to_login(&another.get("/home").await);
    scene.person.get("/api/v1/users/self").await.is(200);
}

#[tokio::test]
async fn a_session_ends_with_its_time() {
    let scene = Scene::start().await;
    let browser = scene.browser().await;
    let (past, idle) = ("2020-01-01T00:00:00Z", shared::clock::now().plus_seconds(-7201).to_string());
    if !scene.change_sessions(&format!("last_used_at = '{idle}'")) {
        return;
    }
    is_led_to_login(&browser.get("/home").await);
    let lately = shared::clock::now().plus_seconds(-7000).to_string();
    scene.change_sessions(&format!("last_used_at = '{lately}'"));
    browser.get("/home").await.is(200);
    scene.change_sessions(&format!("expires_at = '{past}'"));
    is_led_to_login(&browser.get("/home").await);
}

#[tokio::test]
async fn a_session_ends_with_another_password() {
    let scene = Scene::start().await;
    let browser = scene.browser().await;
    let path = format!("/api/v1/accounts/self/logins/{}", scene.login_id().await);
    let change = json!({ "login": { "password": "difference engine" } });
    scene.school.admin.put(&path).json(change).await.is(200);
    is_led_to_login(&browser.get("/home").await);
    log_in(&scene.person, "", &scene.login, PASSWORD).await.is(403);
    log_in(&scene.person, "", &scene.login, "difference engine").await.is(303);
}

#[tokio::test]
async fn a_session_rests_while_its_user_is_suspended_and_ends_with_the_user() {
    let scene = Scene::start().await;
    let (admin, browser) = (&scene.school.admin, scene.browser().await);
    scene.school.set_logins(&scene.person, "suspended").await;
    is_led_to_login(&browser.get("/home").await);
    scene.school.set_logins(&scene.person, "active").await;
    browser.get("/home").await.is(200);
    admin.delete(&format!("/api/v1/accounts/self/users/{}", scene.person.id)).await.is(200);
    is_led_to_login(&browser.get("/home").await);
}

#[tokio::test]
async fn a_cookie_that_is_not_ours_opens_nothing() {
    let scene = Scene::start().await;
    let nobody = scene.person.without_token();
    let browser = scene.browser().await;
    browser.get("/home").await.is(200);
    let cookie = log_in(&scene.person, "", &scene.login, PASSWORD).await.cookie();
    let (content, signature) = cookie.rsplit_once('.').unwrap();
    let mut parts = content.trim_start_matches("lectern=").split('.');
    let (id, user, end) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    let later: i64 = end.parse::<i64>().unwrap() + 1;
    let token = scene.person.token.clone().unwrap();
    for forged in [
        "lectern=".to_owned(),
        "lectern=x".to_owned(),
        format!("lectern={token}"),
        format!("lectern={id}.{user}.{later}.{signature}"),
        format!("lectern={id}.{}.{end}.{signature}", scene.school.admin.id),
        format!("{cookie}x"),
        format!("other{cookie}"),
    ] {
        is_led_to_login(&nobody.with_cookie(&forged).get("/home").await);
    }
    // Another cookie of that name, as somebody beside us might set it, hides ours not.
    nobody.with_cookie(&format!("a=b; lectern=x; {cookie}")).get("/home").await.is(200);
    // Nor is the cookie a token, or a token a session.
    scene.person.with_token(cookie.trim_start_matches("lectern=")).get("/api/v1/users/self").await.is(401);
    is_led_to_login(&scene.person.get("/home").await);
}

#[tokio::test]
async fn a_session_is_no_token() {
    let scene = Scene::start().await;
    let tokens = format!("/api/v1/users/{}/tokens", scene.person.id);
    let before = scene.person.get(&tokens).await.is(200).ids();
    let cookie = log_in(&scene.person, "", &scene.login, PASSWORD).await.cookie();
    assert_eq!(scene.person.get(&tokens).await.is(200).ids(), before);
    let id = cookie.trim_start_matches("lectern=").split('.').next().unwrap();
    scene.person.get(&format!("{tokens}/{id}")).await.is(404);
    scene.person.delete(&format!("{tokens}/{id}")).await.is(404);
    scene.person.put(&format!("{tokens}/{id}")).json(json!({ "token": { "purpose": "mine" } })).await.is(404);
}

#[tokio::test]
async fn no_other_site_sends_a_form() {
    let scene = Scene::start().await;
    let (browser, other) = (scene.browser().await, scene.browser().await);
    let home = browser.get("/home").await.is(200);
    let token = home.field("authenticity_token");
    assert_ne!(token, browser.get("/home").await.is(200).field("authenticity_token"));
    let theirs = other.get("/home").await.is(200).field("authenticity_token");
    for forged in ["", "x", "x.y", &theirs, &format!("{token}x"), &format!("x{token}")] {
        let refused = browser.post("/logout").form(&[("authenticity_token", forged)]).await;
        refused.is_page(400, "no page of yours sent it");
    }
    browser.post("/logout").await.is(400);
    for site in ["cross-site", "same-site", "none"] {
        let call = browser.post("/logout").header("sec-fetch-site", site);
        call.form(&[("authenticity_token", &token)]).await.is_page(400, "no page of yours sent it");
    }
    browser.get("/home").await.is(200);
    let call = browser.post("/logout").header("sec-fetch-site", "same-origin");
    call.form(&[("authenticity_token", &token)]).await.leads_to("/login");
}

#[tokio::test]
async fn nobody_acts_as_somebody_else_on_pages() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let admin = school.in_browser(&school.admin).await;
    let home = admin.get(&format!("/home?as_user_id={}", teacher.id)).await.is(200);
    assert!(home.body.contains("/operator") && !home.body.contains("Botany"), "{home}");
    let home = school.in_browser(&teacher).await.get("/home").await.is(200);
    let settings = format!("/courses/{}/settings", course.id);
    assert!(home.body.contains("Botany") && home.body.contains(&settings), "{home}");
}

#[tokio::test]
async fn the_home_lists_what_somebody_may_open() {
    let school = School::start().await;
    let (course, _, student) = school.classroom("Botany <b>").await;
    let hidden = school.course("Zoology").await;
    support::enroll(&school.admin, hidden.id, student.id, "StudentEnrollment").await;
    school.admin.put(&hidden.path("")).json(json!({ "course": { "event": "claim" } })).await.is(200);
    let home = school.in_browser(&student).await.get("/home").await.is(200);
    assert!(home.body.contains("Botany &lt;b&gt;") && !home.body.contains("Zoology"), "{home}");
    assert!(!home.body.contains(&format!("/courses/{}/settings", course.id)), "{home}");
    let site = running().site_admin().await;
    let body = json!({ "user": { "id": site.id }, "login": { "unique_id": unique("site"), "password": PASSWORD } });
    let login = site.post("/api/v1/accounts/1/logins").json(body).await.is(200);
    let cookie = log_in(&site, "", login["unique_id"].as_str().unwrap(), PASSWORD).await.cookie();
    let site = running().nobody().with_cookie(&cookie);
    site.get("/home").await.is_page(200, "/operator");
    site.get("/operator").await.is_page(200, "The whole installation");
}

#[tokio::test]
async fn the_home_leads_to_new_quizzes_that_somebody_may_open() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = async |fields: Value| {
        let made = teacher.post(&format!("/api/quiz/v1/courses/{}/quizzes", course.id));
        let id = made.json(json!({ "quiz": fields })).await.is(200).id();
        format!("/courses/{}/assignments/{id}", course.id)
    };
    let published = |title: &str, dates: Value| {
        let mut quiz = json!({ "title": title, "published": true });
        for (name, date) in dates.as_object().unwrap() {
            quiz[name] = date.clone();
        }
        quiz
    };
    let hidden = quiz(json!({ "title": "Roots" })).await;
    let over = quiz(published("Moss", json!({ "lock_at": "2001-01-01T00:00:00Z" }))).await;
    let open = quiz(published("Leaves & <needles>", json!({}))).await;
    let due = quiz(published("Bark", json!({ "due_at": "2090-01-02T00:00:00Z" }))).await;
    let later = quiz(published("Fruit", json!({ "unlock_at": "2090-01-01T00:00:00Z" }))).await;
    let essay = json!({ "assignment": { "name": "Essay", "published": true } });
    teacher.post(&course.path("/assignments")).json(essay).await.is(201);
    let link = |quiz: &str, page: &str| format!("href=\"{quiz}/{page}\"");

    let home = school.in_browser(&student).await.get("/home").await.is_page(200, "aria-label=\"Quizzes of Botany\"");
    let places = [&due, &open, &later, &over].map(|quiz| home.body.find(&link(quiz, "take")));
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?}: {home}");
    for words in ["Leaves &amp; &lt;needles&gt;", "(due <time", "(opens <time", "Moss</a> (closed)"] {
        assert!(home.body.contains(words), "{words}: {home}");
    }
    for absent in [&hidden, "/grade", "Essay"] {
        assert!(!home.body.contains(absent), "{absent}: {home}");
    }

    let teacher_home = school.in_browser(&teacher).await.get("/home").await.is_page(200, "Roots</a> (not published)");
    for quiz in [&hidden, &over, &open, &due, &later] {
        for page in ["take", "grade"] {
            assert!(teacher_home.body.contains(&link(quiz, page)), "{quiz}/{page}: {teacher_home}");
        }
    }
    assert!(teacher_home.body.contains("aria-label=\"Grade attempts at Bark\""), "{teacher_home}");

    // A designer sees all and grades nothing; an observer takes nothing.
    for (role, sees) in [("DesignerEnrollment", true), ("ObserverEnrollment", false)] {
        let person = school.person("Grace").await;
        support::enroll(&school.admin, course.id, person.id, role).await;
        let home = school.in_browser(&person).await.get("/home").await.is_page(200, "Botany");
        assert_eq!(home.body.contains(&link(&hidden, "take")), sees, "{role}: {home}");
        assert!(!home.body.contains("/grade"), "{role}: {home}");
    }

    // The dates are those of the student.
    let id = due.rsplit('/').next().unwrap();
    let own =
        json!({ "student_ids": [student.id], "due_at": "2001-01-01T00:00:00Z", "lock_at": "2001-01-02T00:00:00Z" });
    let own = json!({ "assignment_override": own });
    teacher.post(&course.path(&format!("/assignments/{id}/overrides"))).json(own).await.is(201);
    school.in_browser(&student).await.get("/home").await.is_page(200, "Bark</a> (closed)");

    // In a course that has ended students take nothing, and staff go on to preview.
    school.admin.put(&course.path("")).json(json!({ "course": { "event": "conclude" } })).await.is(200);
    let home =
        school.in_browser(&student).await.get("/home").await.is_page(200, "Leaves &amp; &lt;needles&gt;</a> (closed)");
    assert!(home.body.contains("Fruit</a> (closed)") && !home.body.contains("(opens"), "{home}");
    let teacher_home = school.in_browser(&teacher).await.get("/home").await.is_page(200, "Fruit</a> (opens");
    assert_eq!(teacher_home.body.matches("(closed)").count(), 1, "{teacher_home}");
}

#[tokio::test]
async fn a_page_that_refuses_leads_home_and_out() {
    let school = School::start().await;
    let (_, teacher, _) = school.classroom("Botany").await;
    let browser = school.in_browser(&teacher).await;
    let refused = [
        browser.get("/operator").await.is_page(403, "not authorized"),
        browser.get("/courses/99999999/assignments/1/take").await.is_page(404, "There is nothing here"),
        browser.get("/courses/99999999/settings").await.is(404),
        browser.post("/logout").await.is_page(400, "no page of yours sent it"),
    ];
    for page in &refused {
        assert!(page.body.contains("<a href=\"/home\">Home</a>"), "{page}");
        assert!(!page.body.contains("To the home page"), "{page}");
    }
    let [.., last] = &refused;
    browser.submit(last, "/logout", &[]).await.leads_to("/login");
    // A link that has ended leads to the log-in.
    let ended = running().nobody().get("/operator?ticket=x").await.is_page(403, ">log in</a>");
    assert!(!ended.body.contains("To the home page"), "{ended}");
}

#[tokio::test]
async fn the_operators_pages_open_to_administrators_who_are_signed_in() {
    let school = School::start().await;
    let (_, teacher, _) = school.classroom("Botany").await;
    let (admin, teacher) = (school.in_browser(&school.admin).await, school.in_browser(&teacher).await);
    let page = admin.get("/operator").await.is_page(200, "Log out");
    for path in ["/operator/outbox", "/webhooks/deliveries", "/error_reports"] {
        assert!(page.body.contains(&format!("href=\"{path}\"")), "{path}: {page}");
        admin.get(path).await.is(200);
        teacher.get(path).await.is_page(403, "not authorized");
    }
    teacher.get("/operator").await.is_page(403, "not authorized");
    let outbox = admin.get("/operator/outbox").await.is(200);
    admin.submit(&outbox, "/operator/outbox/replay", &[]).await.leads_to("/operator/outbox?replayed=false");
    admin.post("/operator/outbox/replay").await.is_page(400, "no page of yours sent it");
    let page = admin.get("/webhooks/deliveries").await.is(200);
    admin.submit(&page, "/webhooks/deliveries/replay", &[]).await.leads_to("/webhooks/deliveries");
    teacher.submit(&page, "/webhooks/deliveries/replay", &[]).await.is(400);
    let own = teacher.get("/home").await.is(200);
    teacher.submit(&own, "/webhooks/deliveries/replay", &[]).await.is_page(403, "not authorized");
}

#[tokio::test]
async fn an_address_with_https_and_a_path_stands_in_the_cookie_and_in_every_link() {
    let site = Running::own("sign-in-below-a-path", &[("public_base_url", "https://school.test/lms")]);
    let scene = Scene::start_in(&site).await;
    scene.person.without_token().get("/home").await.leads_to("/lms/login?return_to=%2Fhome");
    let answer = log_in(&scene.person, "", &scene.login, PASSWORD).await;
    answer.leads_to("/lms/home");
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Secure-lectern=") && cookie.contains("; Path=/lms/;"), "{cookie}");
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    let browser = scene.person.without_token().with_cookie(&answer.cookie());
    let home = browser.get("/home").await.is(200);
    for part in ["href=\"/lms/polls\"", "action=\"/lms/logout\""] {
        assert!(home.body.contains(part), "{part}: {home}");
    }
    browser.submit(&home, "/logout", &[]).await.leads_to("/lms/login");
}
