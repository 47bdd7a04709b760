//! Pages, and partial updates of pages, files and folders by several at once.

use futures::future::join;
use serde_json::{Value, json};
use support::{Client, Course, School};

use crate::files::upload;

const ROUNDS: usize = 20;

/// Two updates of other fields at the same time: afterwards both are there, in every round.
async fn both_count(client: &Client, path: &str, wrap: impl Fn(Value) -> Value, fields: [(&str, [Value; 2]); 2]) {
    for round in 0..ROUNDS {
        let set = async |(name, values): &(&str, [Value; 2])| {
            let body = wrap(json!({ *name: values[round % 2] }));
            client.put(path).json(body).await.is(200);
        };
        join(set(&fields[0]), set(&fields[1])).await;
        let after = client.get(path).await.is(200);
        for (name, values) in &fields {
            assert_eq!(after[*name], values[round % 2], "{name} in round {round}: {after}");
        }
    }
}

async fn make_page(client: &Client, course: &Course, page: Value) -> String {
    let page = client.post(&course.path("/pages")).json(json!({ "wiki_page": page })).await.is(200);
    course.path(&format!("/pages/page_id:{}", page["page_id"]))
}

#[tokio::test]
async fn changes_of_a_page_that_come_together_both_count() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let page = make_page(&teacher, &course, json!({ "title": "Leaves" })).await;
    let wrap = |page: Value| json!({ "wiki_page": page });
    let body = ("body", [json!("<p>a</p>"), json!("<p>b</p>")]);
    let roles = ("editing_roles", [json!("teachers"), json!("teachers,students")]);
    both_count(&teacher, &page, wrap, [body.clone(), roles]).await;
    let title = ("title", [json!("Leaves"), json!("Roots")]);
    let published = ("published", [json!(true), json!(false)]);
    both_count(&teacher, &page, wrap, [title, published]).await;
    both_count(&teacher, &page, wrap, [body, ("title", [json!("A"), json!("B")])]).await;
}

#[tokio::test]
async fn changes_of_a_file_that_come_together_both_count() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let file = upload(&teacher, &course.path("/files"), json!({ "name": "leaf.txt" }), b"green").await;
    let path = format!("/api/v1/files/{}", file.id());
    let flags = [json!(true), json!(false)];
    let times = [json!("2090-01-01T00:00:00Z"), json!("2091-01-01T00:00:00Z")];
    let locked = ("locked", flags.clone());
    both_count(&teacher, &path, |body| body, [("hidden", flags), ("lock_at", times.clone())]).await;
    both_count(&teacher, &path, |body| body, [locked, ("unlock_at", times)]).await;
    teacher.put(&path).json(json!({ "name": "root.txt" })).await.is(200);
    let after = teacher.put(&path).json(json!({ "lock_at": null })).await.is(200);
    assert_eq!((&after["lock_at"], &after["display_name"]), (&Value::Null, &json!("root.txt")));
}

#[tokio::test]
async fn changes_of_a_folder_that_come_together_both_count() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let folder = teacher.post(&course.path("/folders")).json(json!({ "name": "a" })).await.is(200);
    let path = format!("/api/v1/folders/{}", folder.id());
    let name = ("name", [json!("a"), json!("b")]);
    let hidden = ("hidden", [json!(true), json!(false)]);
    both_count(&teacher, &path, |body| body, [name, hidden]).await;
    let position = ("position", [json!(1), json!(2)]);
    let lock_at = ("lock_at", [json!("2090-01-01T00:00:00Z"), Value::Null]);
    both_count(&teacher, &path, |body| body, [position, lock_at]).await;
}

#[tokio::test]
async fn a_front_page_is_made_where_there_is_none() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let path = course.path("/front_page");
    student.put(&path).json(json!({ "wiki_page": { "title": "Mine" } })).await.is_forbidden();
    let unpublished = json!({ "wiki_page": { "published": false } });
    teacher.put(&path).json(unpublished).await.is_refused(400, "published");
    student.get(&path).await.is_not_found();
    let home = json!({ "wiki_page": { "title": "Home", "body": "<p>x</p>" } });
    let made = teacher.put(&path).json(home).await.is(200);
    assert_eq!((&made["url"], &made["front_page"], &made["published"]), (&json!("home"), &json!(true), &json!(true)));
    assert_eq!(student.get(&path).await.is(200)["body"], "<p>x</p>");
    let changed = teacher.put(&path).json(json!({ "wiki_page": { "body": "<p>y</p>" } })).await.is(200);
    assert_eq!(changed["page_id"], made["page_id"]);

    let other = school.course("Zoology").await;
    let path = other.path("/front_page");
    let put = async || school.admin.put(&path).json(json!({ "wiki_page": { "body": "<p>z</p>" } })).await.is(200);
    let (one, two) = join(put(), put()).await;
    assert_eq!((&one["title"], &one["page_id"]), (&json!("Front Page"), &two["page_id"]));
}

#[tokio::test]
async fn the_front_page_stays_published() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let page = make_page(&teacher, &course, json!({ "title": "One" })).await;
    let set = async |page_form: Value| teacher.put(&page).json(json!({ "wiki_page": page_form })).await;
    assert_eq!(set(json!({ "front_page": true })).await.is(200)["published"], true);
    set(json!({ "published": false })).await.is_refused(400, "published");
    set(json!({ "published": false, "front_page": false })).await.is(200);
    set(json!({ "editing_roles": "teachers,".repeat(100) })).await.is_refused(400, "editing_roles");
}

#[tokio::test]
async fn lists_are_filtered_by_a_hundred_values_at_most() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let image = |count: usize| "&content_types[]=image".repeat(count);
    for name in ["content_types", "exclude_content_types"] {
        let query = |count: usize| image(count).replace("content_types", name);
        teacher.get(&course.path(&format!("/files?{}", query(100)))).await.is(200);
        let refused = teacher.get(&course.path(&format!("/files?{}", query(101)))).await;
        refused.is_refused(400, &format!("{name} has more than 100 values"));
        let long = format!("/files?{name}[]={}", "x".repeat(300));
        teacher.get(&course.path(&long)).await.is_refused(400, "too long");
    }
    for list in ["/files", "/pages"] {
        let long = format!("{list}?search_term={}", "x".repeat(300));
        teacher.get(&course.path(&long)).await.is_refused(400, "search_term");
    }
    let states = format!("?{}", "workflow_state[]=created&".repeat(101));
    let imports = format!("/api/v1/accounts/self/sis_imports{states}");
    school.admin.get(&imports).await.is_refused(400, "workflow_state has more than 100 values");
}

#[tokio::test]
async fn media_and_allowed_frames_of_a_page_are_kept() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let frame = "<iframe src=\"https://frames.example/film\" width=\"300\"";
    let video = "<video controls=\"\"><source src=\"/courses/1/files/2/preview\" type=\"video/mp4\"></video>";
    let image = "<img src=\"data:image/png;base64,iVBORw0KGgo=\" alt=\"a leaf\">";
    let sent = format!(
        "{video}{image}{frame} onload=\"x()\">none</iframe><iframe src=\"https://other.example/\"></iframe>\
         <img src=\"data:text/html,x\"><h2 id=\"roots\">Roots</h2><a href=\"#roots\">roots</a>"
    );
    let page = make_page(&teacher, &course, json!({ "title": "Leaves", "body": sent })).await;
    let kept = teacher.get(&page).await.is(200);
    let body = kept["body"].as_str().unwrap();
    assert!(body.starts_with(&format!("{video}{image}{frame} sandbox=\"allow-forms ")), "{body}");
    let rest = "\"></iframe><img><h2 id=\"content_roots\">Roots</h2><a href=\"#content_roots\">roots</a>";
    assert!(body.ends_with(rest) && !body.contains("other.example") && !body.contains("allow-top"), "{body}");
    // Sent again it is the same.
    let again = teacher.put(&page).json(json!({ "wiki_page": { "body": body } })).await.is(200);
    assert_eq!(again["body"], kept["body"]);
}
