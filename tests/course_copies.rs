//! What the texts of a copied course lead to, and the order in which its assignments stand.

mod dates;
mod parts;

use serde_json::{Value, json};
use support::{Client, Course, Response, School};

use crate::files::upload;

/// The addresses to which the links of a text lead.
fn links(text: &Value) -> Vec<&str> {
    let links = text.as_str().unwrap_or_else(|| panic!("no text: {text}")).split("href=\"").skip(1);
    links.map(|link| link.split('"').next().unwrap()).collect()
}

/// A text with links to these.
fn text(addresses: &[String]) -> String {
    addresses.iter().map(|address| format!("<p><a href=\"{address}\">ä</a></p>")).collect()
}

async fn copy(client: &Client, source: &Course, to: &Course) {
    let form = json!({ "migration_type": "course_copy_importer", "settings": { "source_course_id": source.id } });
    client.post(&to.path("/content_migrations")).json(form).await.is(200);
}

/// What the texts of a course refer to.
struct Things {
    file: i64,
    page: String,
    assignment: i64,
    quiz: i64,
    new_quiz: i64,
}

impl Things {
    /// The last of what the course has: where there are copies, those of the last copy.
    async fn last(client: &Client, course: &Course) -> Self {
        let last = async |path: String| *client.get(&path).await.is(200).ids().last().unwrap();
        let assignments = client.get(&course.path("/assignments?per_page=100")).await.is(200);
        let is_essay = |one: &&Value| one["name"] == "Essay";
        let pages = client.get(&course.path("/pages?sort=created_at")).await.is(200);
        Self {
            file: last(course.path("/files")).await,
            page: pages.json.as_array().unwrap().last().unwrap()["url"].as_str().unwrap().to_owned(),
            assignment: assignments.json.as_array().unwrap().iter().rfind(is_essay).unwrap()["id"].as_i64().unwrap(),
            quiz: last(course.path("/quizzes")).await,
            new_quiz: last(format!("/api/quiz/v1/courses/{}/quizzes", course.id)).await,
        }
    }

    /// The addresses of all, and of the course.
    fn addresses(&self, host: &str, course: i64) -> Vec<String> {
        let Self { file, page, assignment, quiz, new_quiz } = self;
        vec![
            format!("/courses/{course}/files/{file}/preview"),
            format!("/courses/{course}/files/{file}?wrap=1"),
            format!("/files/{file}/download"),
            format!("/courses/{course}/pages/{page}"),
            format!("{host}/courses/{course}/assignments/{assignment}"),
            format!("/courses/{course}/quizzes/{quiz}#top"),
            format!("/courses/{course}/assignments/{new_quiz}"),
            format!("{host}/courses/{course}"),
            format!("/courses/{course}/pages"),
            format!("/courses/{course}/wiki/{page}"),
            format!("/courses/{course}/files/folder/a"),
            format!("{host}/api/quiz/v1/courses/{course}/quizzes/{new_quiz}"),
        ]
    }
}

/// A course in which each text has links to all that is in it; and these links, those that no copy changes last.
async fn linked_course(teacher: &Client, course: &Course) -> Vec<String> {
    let post = async |path: String, body: Value| teacher.post(&path).json(body).await;
    upload(teacher, &course.path("/files"), json!({ "name": "leaf.txt", "parent_folder_path": "a" }), b"green").await;
    let gone = json!({ "assignment": { "name": "Gone" } });
    let gone = post(course.path("/assignments"), gone).await.is(201);
    let essay = json!({ "assignment": { "name": "Essay" } });
    let essay = post(course.path("/assignments"), essay).await.is(201).id();
    let bank = json!({ "question_bank": { "title": "Leaves" } });
    let bank = post(course.path("/question_banks"), bank).await.is(200).id();
    let quiz = post(course.path("/quizzes"), json!({ "quiz": { "title": "Leaves", "quiz_type": "assignment" } })).await;
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let new_quiz = post(engine.clone(), json!({ "quiz": { "title": "Seeds" } })).await.is(200).id();
    post(course.path("/pages"), json!({ "wiki_page": { "title": "Trees", "published": true } })).await.is(200);

    let host = gone["html_url"].as_str().unwrap().split("/courses/").next().unwrap().to_owned();
    let mut addresses = Things::last(teacher, course).await.addresses(&host, course.id);
    addresses.extend([
        format!("/courses/{}/assignments/{}", course.id, gone.id()),
        format!("/courses/{}/discussion_topics/1", course.id),
        format!("https://elsewhere.test/courses/{}/pages/trees", course.id),
        format!("/courses/{}0/pages/trees", course.id),
    ]);
    let html = text(&addresses);
    teacher.delete(&course.path(&format!("/assignments/{}", gone.id()))).await.is(200);
    let put = async |path: String, body: Value| teacher.put(&path).json(body).await.is(200);
    put(course.path(""), json!({ "course": { "syllabus_body": html } })).await;
    put(course.path("/pages/trees"), json!({ "wiki_page": { "body": html } })).await;
    put(course.path(&format!("/assignments/{essay}")), json!({ "assignment": { "description": html } })).await;
    let quiz = course.path(&format!("/quizzes/{}", quiz.id()));
    put(quiz.clone(), json!({ "quiz": { "description": html } })).await;
    let question = json!({ "question": {
        "question_text": html, "question_type": "multiple_choice_question", "correct_comments": html, "neutral_comments_html": html,
        "answers": [{ "answer_html": html, "weight": 100 }, { "text": "Elm", "weight": 0 }],
    } });
    post(format!("{quiz}/questions"), question.clone()).await.is(200);
    post(course.path(&format!("/question_banks/{bank}/questions")), question).await;
    let stimulus = json!({ "title": "A pod", "body": html, "instructions": html });
    post(format!("{engine}/{new_quiz}/stimuli"), stimulus).await.is(200);
    let ids = ["0b7c1b8e-1111-4222-8333-444455556661", "0b7c1b8e-1111-4222-8333-444455556662"];
    let item = json!({ "item": { "entry_type": "Item", "entry": {
        "item_body": html, "interaction_type_slug": "choice", "feedback": { "neutral": html },
        "interaction_data": { "choices": [
            { "id": ids[0], "position": 1, "item_body": html }, { "id": ids[1], "position": 2, "item_body": "<p>Elm</p>" },
        ] },
        "scoring_data": { "value": ids[0] }, "scoring_algorithm": "Equivalence",
    } } });
    post(format!("{engine}/{new_quiz}/items"), item).await.is(200);
    addresses
}

/// All texts of the last copy, each with its name.
async fn texts(client: &Client, course: &Course, things: &Things) -> Vec<(&'static str, Value)> {
    let get = async |path: String| -> Response { client.get(&path).await.is(200) };
    let quiz = course.path(&format!("/quizzes/{}", things.quiz));
    let graded = get(quiz.clone()).await["assignment_id"].as_i64().unwrap();
    let question = get(format!("{quiz}/questions")).await.json[0].clone();
    let items = get(format!("/api/quiz/v1/courses/{}/quizzes/{}/items", course.id, things.new_quiz)).await;
    let (stimulus, item) = (&items.json[0]["entry"], &items.json[1]["entry"]);
    vec![
        ("syllabus", get(course.path("?include[]=syllabus_body")).await["syllabus_body"].clone()),
        ("page", get(course.path(&format!("/pages/{}", things.page))).await["body"].clone()),
        ("assignment", get(course.path(&format!("/assignments/{}", things.assignment))).await["description"].clone()),
        ("quiz", get(quiz.clone()).await["description"].clone()),
        ("assignment of the quiz", get(course.path(&format!("/assignments/{graded}"))).await["description"].clone()),
        ("question", question["question_text"].clone()),
        ("comment", question["correct_comments"].clone()),
        ("comment in HTML", question["neutral_comments_html"].clone()),
        ("answer", question["answers"][0]["html"].clone()),
        ("stimulus", stimulus["body"].clone()),
        ("instructions", stimulus["instructions"].clone()),
        ("item", item["item_body"].clone()),
        ("feedback", item["feedback"]["neutral"].clone()),
        ("choice", item["interaction_data"]["choices"][0]["item_body"].clone()),
    ]
}

#[tokio::test]
async fn all_texts_of_a_copy_lead_to_what_was_copied_with_them() {
    let school = School::start().await;
    let (source, to) = (school.course("Botany").await, school.course("Botany again").await);
    let admin = &school.admin;
    let before = linked_course(admin, &source).await;
    let host = before[4].split("/courses/").next().unwrap();
    let (copied, kept) = before.split_at(12);
    // The page has another address in the copy. What the course has of its own stays as it is.
    let own = json!({ "title": "Trees", "body": text(&before), "published": true });
    admin.post(&to.path("/pages")).json(json!({ "wiki_page": own })).await.is(200);

    let mut first = Vec::new();
    for round in ["first", "second"] {
        copy(admin, &source, &to).await;
        let things = Things::last(admin, &to).await;
        let expected = [things.addresses(host, to.id), kept.to_vec()].concat();
        assert_ne!(things.page, "trees");
        for (name, text) in texts(admin, &to, &things).await {
            assert_eq!(links(&text), expected, "{name} of the {round} copy");
        }
        if round == "first" {
            first = texts(admin, &to, &things).await.split_off(1);
        } else {
            let files = admin.get(&to.path("/files")).await.is(200);
            assert_eq!(files.ids(), [things.file], "a file that is there already is what the second copy leads to");
        }
    }
    let own = admin.get(&to.path("/pages/trees")).await.is(200);
    assert_eq!(links(&own["body"]), before, "a page of its own");
    let first_page = admin.get(&to.path("/pages?sort=created_at&include[]=body")).await.is(200);
    assert_eq!(first_page.json[1]["body"], first[0].1, "the page of the first copy stays as it was after that");
    for (name, text) in texts(admin, &source, &Things::last(admin, &source).await).await {
        assert_eq!(links(&text), [copied, kept].concat(), "{name} of the source");
    }
}

#[tokio::test]
async fn a_syllabus_that_a_course_keeps_is_not_changed_by_a_copy() {
    let school = School::start().await;
    let (source, to) = (school.course("Botany").await, school.course("Botany again").await);
    let html = text(&[format!("/courses/{}", source.id)]);
    school.admin.put(&to.path("")).json(json!({ "course": { "syllabus_body": html } })).await.is(200);
    copy(&school.admin, &source, &to).await;
    let syllabus = school.admin.get(&to.path("?include[]=syllabus_body")).await.is(200);
    assert_eq!(links(&syllabus["syllabus_body"]), [format!("/courses/{}", source.id)]);
}

#[tokio::test]
async fn copied_quizzes_stand_among_the_assignments_as_in_the_source() {
    let school = School::start().await;
    let (source, to) = (school.course("Botany").await, school.course("Botany again").await);
    let post = async |course: &Course, path: &str, body: Value| school.admin.post(&course.path(path)).json(body).await;
    let essay = async |course, name| {
        post(course, "/assignments", json!({ "assignment": { "name": name } })).await.is(201);
    };
    let quiz = async |title, kind| {
        post(&source, "/quizzes", json!({ "quiz": { "title": title, "quiz_type": kind } })).await.is(200);
    };
    essay(&to, "Own").await;
    essay(&source, "1").await;
    quiz("2", "assignment").await;
    quiz("practice", "practice_quiz").await;
    let new_quiz = format!("/api/quiz/v1/courses/{}/quizzes", source.id);
    school.admin.post(&new_quiz).json(json!({ "quiz": { "title": "3" } })).await.is(200);
    quiz("4", "graded_survey").await;
    essay(&source, "5").await;
    copy(&school.admin, &source, &to).await;

    let listed = school.admin.get(&to.path("/assignments")).await.is(200);
    let place = |one: &Value| (one["name"].as_str().unwrap().to_owned(), one["position"].as_i64().unwrap());
    let listed: Vec<_> = listed.json.as_array().unwrap().iter().map(place).collect();
    let expected: Vec<_> = ["Own", "1", "2", "3", "4", "5"].into_iter().map(str::to_owned).zip(1..).collect();
    assert_eq!(listed, expected);
    let quizzes = school.admin.get(&to.path("/quizzes")).await.is(200);
    let is_graded = |quiz: &Value| (quiz["title"].clone(), !quiz["assignment_id"].is_null());
    let graded: Vec<_> = quizzes.json.as_array().unwrap().iter().map(is_graded).collect();
    assert_eq!(graded, [(json!("2"), true), (json!("practice"), false), (json!("4"), true)]);
}

#[tokio::test]
async fn a_copied_quiz_asks_of_a_bank_that_is_deleted_as_its_source_does() {
    let school = School::start().await;
    let (source, to) = (school.course("Botany").await, school.course("Botany again").await);
    let post = async |path: &str, body: Value| school.admin.post(&source.path(path)).json(body).await.is(200);
    let mut banks = Vec::new();
    for title in ["Asked", "Not asked"] {
        let bank = post("/question_banks", json!({ "question_bank": { "title": title } })).await.id();
        let question = json!({ "question": { "question_text": "Is it so?", "question_type": "essay_question" } });
        school.admin.post(&source.path(&format!("/question_banks/{bank}/questions"))).json(question).await;
        banks.push(bank);
    }
    let quiz = post("/quizzes", json!({ "quiz": { "title": "Leaves" } })).await.id();
    let group = json!({ "quiz_groups": [
        { "pick_count": 1, "question_points": 2, "assessment_question_bank_id": banks[0] },
    ] });
    school.admin.post(&source.path(&format!("/quizzes/{quiz}/groups"))).json(group).await.is(201);
    for bank in banks {
        school.admin.delete(&source.path(&format!("/question_banks/{bank}"))).await.is(200);
    }
    copy(&school.admin, &source, &to).await;

    for course in [&source, &to] {
        let quiz = &school.admin.get(&course.path("/quizzes")).await.is(200).json[0];
        assert_eq!((&quiz["question_count"], &quiz["points_possible"]), (&json!(1), &json!(2.0)));
    }
    let banks = school.admin.get(&to.path("/question_banks")).await.is(200);
    assert_eq!(banks.json, json!([]), "a deleted one stays so");
}

#[tokio::test]
async fn a_page_whose_next_address_is_taken_too_gets_another_one() {
    let school = School::start().await;
    let (source, to, teacher) = (school.course("Source").await, school.course("Target").await, &school.admin);
    let page = async |course: &Course, title: &str| {
        let page = json!({ "wiki_page": { "title": title, "published": true } });
        teacher.post(&course.path("/pages")).json(page).await.is(200)["page_id"].as_i64().unwrap()
    };
    page(&to, "Week").await;
    let last = page(&source, "Week").await;
    // The address of a copy has the id that it gets: one that is free when all pages are there, and others make some, too.
    let ids = last + 61..last + 120;
    for id in ids.clone() {
        page(&source, &format!("Week {id}")).await;
    }
    copy(teacher, &source, &to).await;
    let pages = teacher.get(&to.path("/pages?per_page=100&search_term=Week")).await.is(200);
    let titles = |title: &str| pages.json.as_array().unwrap().iter().filter(|page| page["title"] == title).count();
    assert_eq!(titles("Week"), 2);
    for id in ids {
        assert_eq!(titles(&format!("Week {id}")), 1);
    }
}

#[tokio::test]
async fn answers_and_links_of_others_are_not_changed_by_a_copy() {
    let school = School::start().await;
    let (source, to, teacher) = (school.course("Source").await, school.course("Target").await, &school.admin);
    let course = source.path("").trim_start_matches("/api/v1").to_owned();
    let others = [format!("https://other.test/#{course}"), format!("https://other.test/a?{course}/pages")];
    let body = json!({ "wiki_page": { "title": "Trees", "body": text(&others), "published": true } });
    teacher.post(&source.path("/pages")).json(body).await.is(200);
    let quiz = json!({ "quiz": { "title": "Paths", "quiz_type": "assignment" } });
    let quiz = teacher.post(&source.path("/quizzes")).json(quiz).await.id();
    let answer = json!({ "text": course, "weight": 100 });
    let question = json!({ "question": { "question_text": "Where?", "question_type": "short_answer_question", "answers": [answer] } });
    teacher.post(&source.path(&format!("/quizzes/{quiz}/questions"))).json(question).await.is(200);
    copy(teacher, &source, &to).await;
    let copied = teacher.get(&to.path("/pages/trees")).await.is(200);
    assert_eq!(links(&copied["body"]), others);
    let quiz = teacher.get(&to.path("/quizzes")).await.is(200).ids()[0];
    let questions = teacher.get(&to.path(&format!("/quizzes/{quiz}/questions"))).await.is(200);
    assert_eq!(questions.json[0]["answers"][0]["text"], course);
}
