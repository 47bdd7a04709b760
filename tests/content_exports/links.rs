//! Links between the texts of a course: a package has them without ids, and a course that it comes into has its own.

use serde_json::{Value, json};
use support::{Client, Course, Response, School, make};

use super::package;
use crate::content_imports::{archive, imported, issues};

const KIND: &str = "common_cartridge_importer";

fn link(address: &str) -> String {
    format!("<a href=\"{address}\">x</a>")
}

async fn page(client: &Client, course: &Course, title: &str, body: &str) -> Response {
    let page = json!({ "title": title, "body": body, "published": true });
    make(client, &course.path("/pages"), json!({ "wiki_page": page })).await
}

/// The id in the course of what a list names so.
async fn id_of(client: &Client, path: &str, name: &str) -> String {
    let list = client.get(path).await.is(200);
    let is_named = |own: &&Value| own["name"] == name || own["title"] == name;
    let id =
        list.json.as_array().unwrap().iter().find(is_named).unwrap_or_else(|| panic!("{name}: {list}"))["id"].clone();
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

async fn body(client: &Client, course: &Course, url: &str) -> String {
    client.get(&course.path(&format!("/pages/{url}"))).await.is(200)["body"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn links_to_content_lead_to_that_of_the_course_into_which_it_comes() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let engine = |course: &Course| format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let essay = json!({ "assignment": { "name": "Essay" } });
    let essay = make(&teacher, &course.path("/assignments"), essay).await.id();
    let ferns =
        make(&teacher, &course.path("/quizzes"), json!({ "quiz": { "title": "Ferns", "quiz_type": "assignment" } }))
            .await;
    let seeds = make(&teacher, &engine(&course), json!({ "quiz": { "title": "Seeds" } })).await.id();
    page(&teacher, &course, "Trees", "<p>Oak</p>").await;
    let own = format!("/courses/{}", course.id);
    let base = teacher.base_url();
    let links = [
        format!("{own}/pages/trees#top"),
        format!("{base}{own}/assignments/{essay}"),
        format!("{own}/quizzes/{}?x=1", ferns.id()),
        format!("{own}/assignments/{}", ferns["assignment_id"]),
        format!("{own}/assignments/{seeds}"),
        format!("{own}/grades"),
        own.clone(),
    ];
    let texts = links.map(|address| link(&address)).concat();
    page(&teacher, &course, "Guide", &texts).await;
    let quiz = course.path(&format!("/quizzes/{}", ferns.id()));
    teacher.put(&quiz).json(json!({ "quiz": { "description": &texts } })).await.is(200);
    let question = json!({ "question_name": "Q", "question_type": "essay_question", "question_text": &texts });
    make(&teacher, &format!("{quiz}/questions"), json!({ "question": question })).await;
    let instructions = json!({ "quiz": { "instructions": &texts } });
    teacher.patch(&format!("{}/{seeds}", engine(&course))).json(instructions).await.is(200);
    let elsewhere = link(&format!("{own}/assignments/1000000000"));
    let description = json!({ "assignment": { "description": format!("{texts}{elsewhere}") } });
    teacher.put(&course.path(&format!("/assignments/{essay}"))).json(description).await.is(200);

    for version in ["1.3", "1.1"] {
        let package =
            package(&teacher, &course, json!({ "export_type": "common_cartridge", "version": version })).await;
        let guide = package.text("wiki_content/guide.html");
        for address in [
            "$WIKI_REFERENCE$/pages/trees#top".to_owned(),
            format!("$CANVAS_OBJECT_REFERENCE$/assignments/assignment-{essay}"),
            format!("$CANVAS_OBJECT_REFERENCE$/quizzes/quiz-{}?x=1", ferns.id()),
            format!("$CANVAS_OBJECT_REFERENCE$/assignments/new-quiz-{seeds}"),
            "$CANVAS_COURSE_REFERENCE$/grades".to_owned(),
        ] {
            assert!(guide.contains(&link(&address)), "{address}: {guide}");
        }
        assert!(!guide.contains(&own), "{guide}");

        let copy = school.course("Botany again").await;
        page(&school.admin, &copy, "Trees", "<p>Its own</p>").await;
        let migration = imported(&school.admin, &copy, json!({ "migration_type": KIND }), &package.bytes).await;
        assert_eq!(migration["workflow_state"], "completed", "{migration}");
        assert_eq!(json!(issues(&school.admin, &migration).await), json!([]));
        let essay = id_of(&school.admin, &copy.path("/assignments"), "Essay").await;
        let ferns = id_of(&school.admin, &copy.path("/quizzes"), "Ferns").await;
        let seeds = id_of(&school.admin, &engine(&copy), "Seeds").await;
        let there = format!("/courses/{}", copy.id);
        let expected = [
            format!("{there}/pages/trees-2#top"),
            format!("{there}/assignments/{essay}"),
            format!("{there}/quizzes/{ferns}?x=1"),
            format!("{there}/quizzes/{ferns}"),
            format!("{there}/assignments/{seeds}"),
            format!("{there}/grades"),
            format!("{there}/"),
        ];
        let guide = body(&school.admin, &copy, "guide").await;
        let addresses = |text: &str| -> Vec<String> {
            text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        let expected = expected.map(|address| address.trim_end_matches('/').to_owned());
        assert_eq!(addresses(&guide), expected, "{version}");
        let quiz = copy.path(&format!("/quizzes/{ferns}"));
        let description = school.admin.get(&quiz).await.is(200)["description"].as_str().unwrap().to_owned();
        assert_eq!(addresses(&description), expected, "{version}");
        let questions = school.admin.get(&format!("{quiz}/questions")).await.is(200);
        assert_eq!(addresses(questions.json[0]["question_text"].as_str().unwrap()), expected, "{version}");
        let quiz = school.admin.get(&format!("{}/{seeds}", engine(&copy))).await.is(200);
        assert_eq!(addresses(quiz["instructions"].as_str().unwrap()), expected, "{version}");
        let essay = school.admin.get(&copy.path(&format!("/assignments/{essay}"))).await.is(200);
        let links = addresses(essay["description"].as_str().unwrap());
        let (elsewhere, links) = links.split_last().unwrap();
        assert_eq!((links, elsewhere.as_str()), (&expected[..], format!("{own}/assignments/1000000000").as_str()));
    }
}

#[tokio::test]
async fn links_of_quizzes_alone_lead_to_pages_of_the_same_address() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    page(&teacher, &course, "Trees", "<p>Oak</p>").await;
    let text = link(&format!("/courses/{}/pages/trees", course.id));
    make(&teacher, &course.path("/quizzes"), json!({ "quiz": { "title": "Ferns", "description": text } })).await;
    for version in ["2.1", "1.2"] {
        let package = package(&teacher, &course, json!({ "export_type": "qti", "qti_version": version })).await;
        for has_page in [true, false] {
            let copy = school.course("Botany again").await;
            if has_page {
                page(&school.admin, &copy, "Trees", "<p>Its own</p>").await;
            }
            let migration =
                imported(&school.admin, &copy, json!({ "migration_type": "qti_converter" }), &package.bytes).await;
            let told = issues(&school.admin, &migration).await;
            assert_eq!(told.len(), usize::from(!has_page), "{told:?}");
            assert!(has_page || told[0]["description"].as_str().unwrap().contains("link to the page"), "{told:?}");
            let quizzes = school.admin.get(&copy.path("/quizzes")).await.is(200);
            let description = quizzes.json[0]["description"].as_str().unwrap();
            assert!(description.contains(&format!("\"/courses/{}/pages/trees\"", copy.id)), "{version}: {description}");
        }
    }
}

#[tokio::test]
async fn links_of_the_reference_system_that_lead_nowhere_stay_and_are_told() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let manifest = "<manifest identifier='m'><resources><resource identifier='g1' type='webcontent'>
        <file href='wiki_content/trees.html'/></resource><resource identifier='g2' type='webcontent'>
        <file href='wiki_content/guide.html'/></resource><resource identifier='g3' type='webcontent'>
        <file href='web_resources/leaf.txt'/></resource></resources></manifest>";
    let kept = ["$CANVAS_OBJECT_REFERENCE$/modules/g9", "$CANVAS_OBJECT_REFERENCE$/assignments/g8?wrap=1"];
    let known = [
        "$CANVAS_OBJECT_REFERENCE$/pages/g1",
        "%24WIKI_REFERENCE%24/pages/trees",
        "$CANVAS_COURSE_REFERENCE$/modules",
        "$CANVAS_COURSE_REFERENCE$/file_ref/g3?wrap=1",
        "$CANVAS_COURSE_REFERENCE$/file_ref/g3/download?wrap=1",
        "$CANVAS_COURSE_REFERENCE$/file_ref/g3/preview",
    ];
    let links: String = kept.iter().chain(&known).map(|address| link(address)).collect();
    let guide = format!("<html><head><title>Guide</title></head><body>{links}</body></html>");
    let trees = "<html><head><title>Tall trees</title></head><body>Oak</body></html>";
    let bytes = archive(&[
        ("imsmanifest.xml", manifest.as_bytes()),
        ("wiki_content/trees.html", trees.as_bytes()),
        ("wiki_content/guide.html", guide.as_bytes()),
        ("web_resources/leaf.txt", b"leaf"),
    ]);
    let migration =
        imported(&school.admin, &course, json!({ "migration_type": "canvas_cartridge_importer" }), &bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    let told = issues(&school.admin, &migration).await;
    assert_eq!(told.len(), 2, "{told:?}");
    for (issue, address) in told.iter().zip(kept) {
        assert_eq!(issue["issue_type"], "warning");
        assert!(
            issue["description"].as_str().unwrap().contains(&format!("{address}\u{201d} leads nowhere")),
            "{issue}"
        );
    }
    let body = body(&school.admin, &course, "guide").await;
    let file = school.admin.get(&course.path("/files")).await.is(200).ids()[0];
    let own = format!("/courses/{}", course.id);
    let places = ["pages/tall-trees", "pages/tall-trees", "modules"].map(|place| format!("{own}/{place}"));
    let files = ["preview?wrap=1", "download?wrap=1", "preview"].map(|end| format!("{own}/files/{file}/{end}"));
    let expected = kept.map(str::to_owned).into_iter().chain(places).chain(files);
    for address in expected {
        assert!(body.contains(&format!("href=\"{address}\"")), "{address}: {body}");
    }
}

#[tokio::test]
async fn pages_whose_files_would_have_one_name_are_exported_and_links_tell_them_apart() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let long = "x".repeat(110);
    // Both of a pair have the same letters where a file may have its name.
    let titles = [format!("{long} oak"), format!("{long} elm"), "\u{130}stanbul".to_owned(), "I stanbul".to_owned()];
    let mut links = String::new();
    for title in &titles {
        let made = page(&teacher, &course, title, &format!("<p>{title}</p>")).await;
        links.push_str(&link(&format!("/courses/{}/pages/{}", course.id, made["url"].as_str().unwrap())));
        // Its address is what stands for the other page in the package.
        page(&teacher, &course, &format!("Page {}", made["page_id"]), "<p>Another one</p>").await;
    }
    page(&teacher, &course, "Guide", &links).await;
    let package = package(&teacher, &course, json!({ "export_type": "common_cartridge" })).await;
    let copy = school.course("Botany again").await;
    let migration = imported(&school.admin, &copy, json!({ "migration_type": KIND }), &package.bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    assert_eq!(json!(issues(&school.admin, &migration).await), json!([]));
    let guide = body(&school.admin, &copy, "guide").await;
    let start = format!("/courses/{}/pages/", copy.id);
    let urls: Vec<_> = guide.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(urls.len(), titles.len(), "{guide}");
    for (url, title) in urls.into_iter().zip(&titles) {
        let url = url.strip_prefix(&start).unwrap_or_else(|| panic!("{guide}"));
        assert_eq!(body(&school.admin, &copy, url).await, format!("<p>{title}</p>"), "{url}");
    }
}

#[tokio::test]
async fn a_text_of_many_links_is_as_long_after_an_export_and_an_import() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    page(&teacher, &course, "Oak", "<p>Oak</p>").await;
    let links = |course: &Course, count: usize| {
        format!("{} ", link(&format!("/courses/{}/pages/oak", course.id))).repeat(count).trim_end().to_owned()
    };
    let one = links(&course, 1).len() + 1;
    // The second is nearly as long as a text may be: links are longer where a course has a longer id.
    for (title, bytes) in [("Guide", 100_000), ("Long guide", 125_000)] {
        page(&teacher, &course, title, &links(&course, bytes / one)).await;
    }
    let package = package(&teacher, &course, json!({ "export_type": "common_cartridge" })).await;
    let copy = school.course("Botany again").await;
    let migration = imported(&school.admin, &copy, json!({ "migration_type": KIND }), &package.bytes).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    assert_eq!(json!(issues(&school.admin, &migration).await), json!([]));
    for (url, bytes) in [("guide", 100_000), ("long-guide", 125_000)] {
        assert!(body(&school.admin, &copy, url).await == links(&copy, bytes / one), "{url}");
    }
}
