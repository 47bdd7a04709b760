//! Copies of a part of a course: what was chosen comes, with what it cannot do without, and nothing else.

use serde_json::{Value, json};
use support::{Client, Course, School, running};

use super::links;
use crate::files::upload;

/// The ids of what the course has.
struct Botany {
    course: Course,
    trees: i64,
    paper: i64,
    leaves: i64,
    /// The assignment of the quiz `Leaves`.
    graded: i64,
    seeds: i64,
    folder: i64,
    herb: i64,
}

async fn made(client: &Client, path: String, body: Value) -> Value {
    let answer = client.post(&path).json(body).await;
    assert!(matches!(answer.status, 200 | 201), "{path}: {answer}");
    answer.json
}

/// A course with two of each.
async fn botany(school: &School) -> Botany {
    let (admin, course) = (&school.admin, school.course("Botany").await);
    let post = async |path: &str, body: Value| made(admin, course.path(path), body).await;
    // That of a new quiz is text.
    let id = |made: Value| made["id"].to_string().trim_matches('"').parse::<i64>().unwrap();
    let file = async |name: &str, folder: &str| {
        let announcement = json!({ "name": name, "parent_folder_path": folder });
        upload(admin, &course.path("/files"), announcement, b"green").await
    };
    let leaf = file("leaf.txt", "plants/leaves").await.id();
    let herb = file("herb.txt", "herbs/fresh").await.id();
    file("root.txt", "plants").await;
    let folders = admin.get(&course.path("/folders")).await.is(200);
    let is_herbs = |folder: &&Value| folder["full_name"] == "course files/herbs";
    let folder = folders.json.as_array().unwrap().iter().find(is_herbs).unwrap()["id"].as_i64().unwrap();
    let body = format!(
        "<a href=\"/courses/{0}/files/{leaf}/download\">a</a><a href=\"/courses/{0}/pages/herbs\">b</a>",
        course.id
    );
    let page = async |title: &str, body: &str| {
        let page = json!({ "wiki_page": { "title": title, "body": body, "published": true } });
        post("/pages", page).await["page_id"].as_i64().unwrap()
    };
    let trees = page("Trees", &body).await;
    page("Herbs", "<p>Green</p>").await;
    let assignment = async |name: &str| id(post("/assignments", json!({ "assignment": { "name": name } })).await);
    assignment("Essay").await;
    let paper = assignment("Paper").await;
    let mut quizzes = Vec::new();
    for title in ["Leaves", "Roots"] {
        let bank = id(post("/question_banks", json!({ "question_bank": { "title": title } })).await);
        let quiz = post("/quizzes", json!({ "quiz": { "title": title, "quiz_type": "assignment" } })).await;
        let group = json!({ "quiz_groups": [{ "pick_count": 1, "assessment_question_bank_id": bank }] });
        post(&format!("/quizzes/{}/groups", quiz["id"]), group).await;
        quizzes.push(quiz);
    }
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let new_quiz = async |title: &str| id(made(admin, engine.clone(), json!({ "quiz": { "title": title } })).await);
    let seeds = new_quiz("Seeds").await;
    new_quiz("Spores").await;
    let syllabus = json!({ "course": { "syllabus_body": "<p>All of botany</p>" } });
    admin.put(&course.path("")).json(syllabus).await.is(200);
    let (leaves, graded) = (quizzes[0]["id"].as_i64().unwrap(), quizzes[0]["assignment_id"].as_i64().unwrap());
    Botany { course, trees, paper, leaves, graded, seeds, folder, herb }
}

/// The names of what a course has, by their type.
async fn content(client: &Client, course: &Course) -> Value {
    let names = async |path: String, name: &str| -> Vec<String> {
        let listed = client.get(&path).await.is(200);
        let mut names: Vec<_> =
            listed.json.as_array().unwrap().iter().map(|one| one[name].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    json!({
        "pages": names(course.path("/pages?per_page=100"), "title").await,
        "assignments": names(course.path("/assignments?per_page=100"), "name").await,
        "quizzes": names(course.path("/quizzes"), "title").await,
        "banks": names(course.path("/question_banks"), "title").await,
        "files": names(course.path("/files"), "display_name").await,
        "folders": names(course.path("/folders"), "full_name").await,
        "syllabus": client.get(&course.path("?include[]=syllabus_body")).await.is(200)["syllabus_body"],
    })
}

/// A course into which a part of another was copied.
async fn part(school: &School, source: &Course, more: Value) -> Course {
    let to = school.course("Botany again").await;
    let mut form = json!({ "migration_type": "course_copy_importer", "settings": { "source_course_id": source.id } });
    form.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    made(&school.admin, to.path("/content_migrations"), form).await;
    to
}

#[tokio::test]
async fn what_is_chosen_comes_with_what_it_needs_and_nothing_else() {
    let school = School::start().await;
    let (admin, botany) = (&school.admin, botany(&school).await);
    let select = json!({ "select": { "pages": [botany.trees], "quizzes": [botany.leaves], "assignments": [botany.paper.to_string()] } });
    let to = part(&school, &botany.course, select).await;
    let expected = json!({
        "pages": ["Trees"], "assignments": ["Leaves", "Paper"], "quizzes": ["Leaves"], "banks": ["Leaves"], "files": ["leaf.txt"],
        "folders": ["course files", "course files/plants", "course files/plants/leaves"], "syllabus": null,
    });
    assert_eq!(content(admin, &to).await, expected);
    let copied = admin.get(&to.path("/pages/trees")).await.is(200);
    let file = admin.get(&to.path("/files")).await.is(200).ids()[0];
    let addresses =
        [format!("/courses/{}/files/{file}/download", to.id), format!("/courses/{}/pages/herbs", botany.course.id)];
    assert_eq!(links(&copied["body"]), addresses, "what was not copied is linked to where it is");
}

#[tokio::test]
async fn a_quiz_is_chosen_by_its_assignment_and_a_folder_with_all_in_it() {
    let school = School::start().await;
    let (admin, botany) = (&school.admin, botany(&school).await);
    let select = json!({ "assignments": [botany.graded], "quizzes": [botany.seeds], "folders": [botany.folder], "rubrics": [1] });
    let to = part(&school, &botany.course, json!({ "select": select, "selective_import": true })).await;
    let expected = json!({
        "pages": [], "assignments": ["Leaves", "Seeds"], "quizzes": ["Leaves"], "banks": ["Leaves"], "files": ["herb.txt"],
        "folders": ["course files", "course files/herbs", "course files/herbs/fresh"], "syllabus": null,
    });
    assert_eq!(content(admin, &to).await, expected);
    let new_quizzes = admin.get(&format!("/api/quiz/v1/courses/{}/quizzes", to.id)).await.is(200);
    assert_eq!(new_quizzes.json[0]["title"], "Seeds");

    let other = school.course("Zoology").await;
    let foreign = json!({ "select": { "pages": [botany.trees], "files": [botany.herb], "quizzes": [botany.leaves], "assignments": [botany.paper] } });
    let to = part(&school, &other, foreign).await;
    let nothing = json!({ "pages": [], "assignments": [], "quizzes": [], "banks": [], "files": [], "folders": ["course files"], "syllabus": null });
    assert_eq!(content(admin, &to).await, nothing, "nothing comes of another course");
}

#[tokio::test]
async fn whole_types_are_taken_or_left_out() {
    let school = School::start().await;
    let (admin, botany) = (&school.admin, botany(&school).await);
    let (all, types) = (
        content(admin, &botany.course).await,
        ["pages", "assignments", "quizzes", "banks", "files", "folders", "syllabus"],
    );
    let is_whole = async |to: &Course| {
        let content = content(admin, to).await;
        types.into_iter().filter(|kind| content[*kind] == all[*kind]).collect::<Vec<_>>()
    };
    let to =
        part(&school, &botany.course, json!({ "copy_options": { "all_quizzes": "1", "all_course_settings": "1" } }))
            .await;
    assert_eq!(is_whole(&to).await, ["quizzes", "banks", "syllabus"]);
    assert_eq!(content(admin, &to).await["assignments"], json!(["Leaves", "Roots", "Seeds", "Spores"]));
    let to =
        part(&school, &botany.course, json!({ "copy_options": { "everything": "1", "pages": [1] }, "select": {} }))
            .await;
    assert_eq!(is_whole(&to).await, types);

    let copied = async |form: Value| {
        let to = school.course("Botany again").await;
        made(admin, to.path(&format!("/course_copy/{}", botany.course.id)), form).await;
        to
    };
    let to = copied(json!({ "only": ["wiki_pages", "course_settings"] })).await;
    assert_eq!(is_whole(&to).await, ["pages", "syllabus"]);
    assert_eq!(content(admin, &to).await["files"], json!(["leaf.txt"]));
    let to = copied(json!({ "except": ["files", "quizzes"] })).await;
    assert_eq!(is_whole(&to).await, ["pages", "syllabus"]);
    let rest = content(admin, &to).await;
    assert_eq!((&rest["assignments"], &rest["files"]), (&json!(["Essay", "Paper"]), &json!([])));
}

#[tokio::test]
async fn a_copy_without_the_settings_keeps_the_syllabus_that_is_there() {
    let school = School::start().await;
    let (admin, source, to) = (&school.admin, school.course("Botany").await, school.course("Botany again").await);
    let syllabus = |course: &Course| json!({ "course": { "syllabus_body": format!("<a href=\"/courses/{}/pages\">x</a>", course.id) } });
    admin.put(&source.path("")).json(syllabus(&source)).await.is(200);
    admin.put(&to.path("")).json(syllabus(&to)).await.is(200);
    made(admin, to.path(&format!("/course_copy/{}", source.id)), json!({ "except": ["course_settings"] })).await;
    let kept = admin.get(&to.path("?include[]=syllabus_body")).await.is(200);
    assert_eq!(links(&kept["syllabus_body"]), [format!("/courses/{}/pages", to.id)]);
}

#[tokio::test]
async fn settings_that_are_skipped_stay_as_they_are() {
    let school = School::start().await;
    let (admin, source) = (&school.admin, school.course("Botany").await);
    let settings = json!({ "course": { "syllabus_body": "<p>All of botany</p>", "is_public": true } });
    admin.put(&source.path("")).json(settings).await.is(200);
    for (skipped, is_public, syllabus) in [
        (json!([]), true, json!("<p>All of botany</p>")),
        (json!(["visibility_settings"]), false, json!("<p>All of botany</p>")),
        (json!("all_course_settings"), false, json!(null)),
    ] {
        let to = school.course("Botany again").await;
        let settings = json!({ "source_course_id": source.id, "importer_skips": skipped });
        let form = json!({ "migration_type": "course_copy_importer", "settings": settings });
        made(admin, to.path("/content_migrations"), form).await;
        let copied = admin.get(&to.path("?include[]=syllabus_body")).await.is(200);
        assert_eq!((&copied["is_public"], &copied["syllabus_body"]), (&json!(is_public), &syllabus), "{skipped}");
    }
}

/// An import sets the ids of its files aside before it makes them; whoever knows an id of something that is gone finds nothing.
#[tokio::test]
async fn copies_get_no_id_that_was_given_before() {
    let school = School::start().await;
    let (admin, source) = (&school.admin, school.course("Botany").await);
    let engine = |course: &Course| format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = made(admin, engine(&source), json!({ "quiz": { "title": "Seeds" } })).await["id"].clone();
    let items = format!("{}/{}/items", engine(&source), quiz.to_string().trim_matches('"'));
    let entry = json!({ "item_body": "<p>Why?</p>", "interaction_type_slug": "essay", "interaction_data": {}, "scoring_data": { "value": "" }, "scoring_algorithm": "None" });
    let item = json!({ "item": { "entry_type": "Item", "entry": entry } });
    let id = |made: &Value| made["id"].to_string().trim_matches('"').parse::<i64>().unwrap();
    id(&made(admin, items.clone(), item.clone()).await);
    let gone = id(&made(admin, items.clone(), item).await);
    assert!(matches!(admin.delete(&format!("{items}/{gone}")).await.status, 200 | 204));
    let file = upload(admin, &source.path("/files"), json!({ "name": "leaf.txt" }), b"green").await.id();
    let aside = running().change_database("UPDATE sqlite_sequence SET seq = seq + 5 WHERE name = 'attachments'");

    let to = part(&school, &source, json!({})).await;
    let copied = admin.get(&engine(&to)).await.is(200);
    let items = admin.get(&format!("{}/{}/items", engine(&to), id(&copied.json[0]))).await.is(200);
    assert!(id(&items.json[0]) > gone, "{gone}: {items}");
    let copies = admin.get(&to.path("/files")).await.is(200).ids();
    assert!(!aside || copies[0] > file + 5, "{file}: {copies:?}");
}
