//! The pages of the reference: every link leads somewhere, whatever path lies before the service, and nothing comes
//! from elsewhere.

use std::collections::BTreeSet;

use reqwest::{Method, Url};
use serde_json::json;
use support::{Client, Response, School, running};

/// What a browser would rather have.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// A path under which a proxy may serve all of this.
const PREFIX: &str = "https://campus.test/lectern";

/// The values of an attribute in a page.
fn values<'p>(page: &'p Response, attribute: &str) -> Vec<&'p str> {
    let start = format!(" {attribute}=\"");
    page.body.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// The paths to which a page leads, as a browser follows them below a prefix; those of the service alone.
fn paths(at: &str, page: &Response) -> BTreeSet<String> {
    let base = Url::parse(&format!("{PREFIX}{at}")).unwrap();
    let links = values(page, "href").into_iter().chain(values(page, "src"));
    let own = links.filter(|link| !link.starts_with("https://"));
    own.map(|link| {
        let url = base.join(link).unwrap();
        let path = url.as_str().split('#').next().unwrap().strip_prefix(PREFIX);
        path.unwrap_or_else(|| panic!("{at}: {link} leads out of the prefix")).to_owned()
    })
    .collect()
}

async fn page(client: &Client, path: &str) -> Response {
    let page = client.get(path).await.is_page(200, "<main");
    let policy = page.header("content-security-policy").unwrap();
    for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'"]
    {
        assert!(policy.contains(part), "{path}: {policy}");
    }
    assert!(!policy.contains("unsafe"), "{path}: {policy}");
    assert_eq!(page.body.matches("<script").count(), page.body.matches("<script src=").count(), "{path}");
    assert!(!page.body.contains("<style") && !page.body.contains(" style=\""), "{path}");
    page
}

#[tokio::test]
async fn every_link_of_the_reference_leads_somewhere_under_a_prefix_too() {
    let nobody = running().nobody();
    let (mut seen, mut next) = (BTreeSet::new(), BTreeSet::from(["/".to_owned()]));
    while let Some(path) = next.pop_first() {
        seen.insert(path.clone());
        if path == "/home" {
            nobody.get(&path).await.leads_to("/login?return_to=%2Fhome");
            continue;
        }
        let is_page = !["/openapi.json", ".css", ".js", ".json"].iter().any(|end| path.ends_with(end));
        if is_page {
            let page = page(&nobody, &path).await;
            next.extend(paths(&path, &page).into_iter().filter(|path| !seen.contains(path)));
        } else {
            nobody.get(&path).await.is(200);
        }
    }
    let has = |path: &str| seen.contains(path);
    assert!(has("/docs") && has("/docs/polls") && has("/docs/guides/webhooks") && has("/openapi.json"), "{seen:?}");
    assert!(has("/docs/contract") && has("/docs/contract/polls") && has("/docs/quirks"), "{seen:?}");
    assert!(has("/docs/reference.css") && has("/docs/reference.js") && seen.len() > 40, "{seen:?}");
}

#[tokio::test]
async fn the_reference_shows_operations_with_what_is_needed_to_try_them() {
    let nobody = running().nobody();
    let page = page(&nobody, "/docs/quiz-groups").await;
    for part in [
        "<article id=\"get_quiz_group\" data-method=\"get\"",
        "/api/v1/courses/{course_id}/quizzes/{quiz_id}/groups",
        "curl -X POST",
        "from canvasapi import Canvas",
        "await fetch(",
    ] {
        assert!(page.body.contains(part), "{part}");
    }
    let list = nobody.get("/docs/search.json").await.is(200);
    let entries = list.json.as_array().unwrap();
    let groups = entries.iter().find(|entry| entry[3] == "docs/quiz-groups#get_quiz_group").unwrap();
    assert_eq!(groups[1], "GET /api/v1/courses/{course_id}/quizzes/{quiz_id}/groups/{id}");
}

#[tokio::test]
async fn what_a_client_has_of_the_reference_is_not_sent_again() {
    let nobody = running().nobody();
    for path in ["/", "/docs", "/docs/polls", "/docs/reference.js", "/docs/reference.css", "/openapi.json"] {
        let first = nobody.get(path).await.is(200);
        let tag = first.header("etag").unwrap();
        assert!(tag.starts_with("W/\""), "{path}: {tag}");
        let again = nobody.get(path).header("if-none-match", tag).await.is(304);
        assert_eq!((again.header("etag"), again.body.as_str()), (Some(tag), ""), "{path}");
        nobody.get(path).header("if-none-match", "W/\"other\"").await.is(200);
        let head = nobody.call(Method::HEAD, path).await.is(200);
        assert_eq!(head.header("content-length"), first.header("content-length"), "{path}");
        let small = nobody.get(path).header("accept-encoding", "gzip").await.is(200);
        assert_eq!((small.header("content-encoding"), small.header("etag")), (Some("gzip"), Some(tag)), "{path}");
        assert!(small.bytes.len() < first.bytes.len(), "{path}");
    }
    let script = nobody.get("/docs/reference.js").await.is(200);
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
}

#[tokio::test]
async fn a_page_that_is_not_there_is_a_page_that_says_so() {
    let nobody = running().nobody();
    for path in
        ["/docs/nothing", "/docs/guides/nothing", "/docs/guides", "/docs/contract/nothing", "/docs/..%2Fopenapi.json"]
    {
        nobody.get(path).await.is_page(404, "There is nothing here");
    }
    nobody.post("/docs/polls").await.is(405);
    for (path, address) in [("/docs/", "../docs"), ("/docs/polls/", "../polls"), ("/docs/guides/paging/", "../paging")]
    {
        let moved = nobody.get(path).await.is(308);
        assert_eq!(moved.header("location"), Some(address), "{path}");
    }
}

#[tokio::test]
async fn the_address_of_a_record_shows_browsers_where_the_api_has_it_and_nothing_of_it() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = json!({ "quiz": { "title": "Trees", "quiz_type": "assignment", "published": true } });
    let quiz = teacher.post(&course.path("/quizzes")).json(quiz).await.is(200);
    let submission = student.post(&course.path(&format!("/quizzes/{}/submissions", quiz.id()))).await.is(200);
    let assignment = format!("/courses/{}/assignments/{}", course.id, quiz["assignment_id"]);
    let nobody = school.admin.without_token();
    let known = [
        quiz["html_url"].as_str().unwrap().to_owned(),
        submission["quiz_submissions"][0]["html_url"].as_str().unwrap().to_owned(),
    ];
    let known = known.map(|url| url.strip_prefix(nobody.base_url()).unwrap().to_owned());
    let others = [
        assignment.clone(),
        format!("{assignment}/submissions/{}", student.id),
        format!("/courses/{}", course.id),
        format!("/courses/{}/content_exports", course.id),
        format!("/courses/{}/content_migrations", course.id),
        format!("/courses/{}/files", course.id),
        format!("/courses/{}/files/1", course.id),
        format!("/courses/{}/pages/welcome", course.id),
        format!("/courses/{}/users/{}", course.id, student.id),
        format!("/courses/{}/grades/{}", course.id, student.id),
        format!("/users/{}", student.id),
        "/groups/1".to_owned(),
        "/profile/settings".to_owned(),
        "/accounts/1".to_owned(),
        format!("/accounts/1/users/{}", student.id),
    ];
    for path in known.into_iter().chain(others) {
        let page = nobody.get(&path).header("accept", BROWSER).await.is_page(200, "GET /api/v1");
        assert_eq!(page.header("vary"), Some("Accept, Accept-Language"), "{path}");
        assert!(!page.body.contains("Trees") && !page.body.contains("Botany"), "{path}: {page}");
        for link in paths(&path, &page) {
            let opened = nobody.get(&link).await;
            match link.ends_with("/take") || link == "/home" {
                true => drop(opened.is(303)),
                false => drop(opened.is_page(200, "<main")),
            }
        }
        nobody.get(&path).await.is(404);
    }
    let unknown = format!("/courses/{}/quizzes/99999999", course.id);
    nobody.get(&unknown).header("accept", BROWSER).await.is_page(200, "GET /api/v1");
    for path in ["/courses/1/secrets", "/courses/1/secrets/1", "/courses/1/pages/1/submissions/1", "/users"] {
        nobody.get(path).header("accept", BROWSER).await.is_page(404, "There is nothing here");
    }
}

#[tokio::test]
async fn an_unknown_address_is_a_page_to_browsers_that_leads_home_and_json_to_programs() {
    let nobody = running().nobody();
    for path in ["/nowhere", "/nowhere/at/all", "/courses/1/secrets", "/polls/1/nothing", "/join/A/B", "/v3/x.html"] {
        let page = nobody.get(path).header("accept", BROWSER).await.is_page(404, "There is nothing here");
        assert!(page.body.contains("<a href=\"/home\">To the home page</a>"), "{path}: {page}");
        assert_eq!(page.headers.get_all("vary").iter().count(), 2, "{path}: {page}");
        for accept in ["application/json", "*/*", "application/json+canvas-string-ids"] {
            nobody.get(path).header("accept", accept).await.is_not_found();
        }
        nobody.get(path).await.is_not_found();
    }
    nobody.post("/nowhere").header("accept", BROWSER).await.is_not_found();
    nobody.get("/api/v1/nowhere").header("accept", BROWSER).await.is_not_found();
    let german = nobody.get("/nowhere").header("accept", BROWSER).header("accept-language", "de").await;
    german.is_page(404, "<a href=\"/home\">Zur Startseite</a>");
}
