//! What copies of courses leave in the log.

use super::*;

/// A classic quiz with a question in a group that has a bank, and a new quiz with an item under a stimulus.
async fn furnish(teacher: &Client, course: &Course) {
    let post = async |path: String, body: Value| teacher.post(&path).json(body).await;
    let bank = json!({ "question_bank": { "title": "Leaves" } });
    let bank = post(course.path("/question_banks"), bank).await.is(200).id();
    let quiz = json!({ "quiz": { "title": "Leaves", "published": true } });
    let quiz = course.path(&format!("/quizzes/{}", post(course.path("/quizzes"), quiz).await.is(200).id()));
    let group = json!({ "quiz_groups": [{ "name": "Oaks", "assessment_question_bank_id": bank }] });
    let group = post(format!("{quiz}/groups"), group).await.is(201)["quiz_groups"][0]["id"].clone();
    let question = json!({ "question": {
        "question_text": "Which oak?", "question_type": "essay_question", "quiz_group_id": group,
    } });
    post(format!("{quiz}/questions"), question).await.is(200);
    post(course.path("/assignments"), json!({ "assignment": { "name": "Essay" } })).await.is(201);

    let engine = format!("/api/quiz/v1/courses/{}/quizzes", course.id);
    let quiz = post(engine.clone(), json!({ "quiz": { "title": "Seeds" } })).await.is(200).id();
    let stimulus = json!({ "title": "A pod", "body": "<p>Look</p>" });
    let stimulus = post(format!("{engine}/{quiz}/stimuli"), stimulus).await.is(200)["id"].clone();
    let item = json!({ "item": { "entry_type": "Item", "stimulus_quiz_entry_id": stimulus, "entry": {
        "item_body": "<p>Peas?</p>", "interaction_type_slug": "true-false",
        "interaction_data": { "true_choice": "Yes", "false_choice": "No" },
        "scoring_data": { "value": true }, "scoring_algorithm": "Equivalence",
    } } });
    post(format!("{engine}/{quiz}/items"), item).await.is(200);
}

#[tokio::test]
async fn a_copy_has_all_that_the_source_has_and_both_know_it() {
    let school = School::start().await;
    let (source, teacher, _) = school.classroom("Botany").await;
    furnish(&teacher, &source).await;
    let target = school.course("Botany II").await;
    enroll(&school.admin, target.id, teacher.id, "TeacherEnrollment").await;

    let form =
        [("migration_type", "course_copy_importer".to_owned()), ("settings[source_course_id]", source.id.to_string())];
    let migration = teacher.post(&target.path("/content_migrations")).form(&form).await.is(200);
    assert_eq!(migration["workflow_state"], "completed");
    assert_eq!(migration["settings"]["source_course_id"], source.id);
    let shown = teacher.get(&target.path(&format!("/content_migrations/{}", migration.id()))).await.is(200);
    assert_eq!(shown.json, migration.json);
    assert_eq!(teacher.get(&target.path("/content_migrations")).await.is(200).ids(), [migration.id()]);

    let list = async |path: String| teacher.get(&path).await.is(200);
    let quizzes = list(target.path("/quizzes")).await;
    assert_eq!((&quizzes.json[0]["title"], &quizzes.json[0]["published"]), (&json!("Leaves"), &json!(true)));
    let quiz = target.path(&format!("/quizzes/{}", quizzes.ids()[0]));
    let bank = list(target.path("/question_banks")).await.ids()[0];
    let group = list(format!("{quiz}/groups")).await["quiz_groups"][0].clone();
    assert_eq!((&group["name"], &group["assessment_question_bank_id"]), (&json!("Oaks"), &json!(bank)));
    let questions = list(format!("{quiz}/questions")).await;
    assert_eq!(
        (&questions.json[0]["question_text"], &questions.json[0]["quiz_group_id"]),
        (&json!("Which oak?"), &group["id"])
    );
    assert_eq!(list(target.path("/assignments")).await.ids().len(), 2);
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", target.id);
    let new_quiz = list(engine.clone()).await.ids()[0];
    let items = list(format!("{engine}/{new_quiz}/items")).await;
    assert_eq!((&items.json[0]["entry_type"], &items.json[1]["entry_type"]), (&json!("Stimulus"), &json!("Item")));
    assert_eq!(items.json[1]["stimulus_quiz_entry_id"], items.json[0]["id"]);
    assert_eq!(list(source.path("/quizzes")).await.ids().len(), 1, "the source is left as it is");

    let (from, to) = (newest(&school.admin, target.id).await, newest(&school.admin, source.id).await);
    assert_eq!((&from["event_type"], &from["links"]["copied_from"]), (&json!("copied_from"), &json!(source.id)));
    assert_eq!((&to["event_type"], &to["links"]["copied_to"]), (&json!("copied_to"), &json!(target.id)));

    teacher.post(&target.path(&format!("/course_copy/{}", source.id))).await.is(200);
    assert_eq!(list(target.path("/quizzes")).await.ids().len(), 2);
}

#[tokio::test]
async fn a_copy_takes_the_settings_and_the_pages_along() {
    let school = School::start().await;
    let (source, target) = (school.course("Botany").await, school.course("Botany II").await);
    let settings = json!({ "syllabus_body": "<p>Look at leaves</p>", "license": "cc_by", "is_public": true });
    change(&school.admin, source.id, settings).await.is(200);
    change(&school.admin, target.id, json!({ "public_description": "Of its own" })).await.is(200);
    let page = |title: &str| json!({ "wiki_page": { "title": title, "body": "<p>Oak</p>", "published": true } });
    for (course, title) in [(&source, "Trees"), (&source, "Herbs"), (&target, "Trees")] {
        school.admin.post(&course.path("/pages")).json(page(title)).await.is(200);
    }
    let before = history(&school.admin, target.id).await;

    let body = json!({ "migration_type": "course_copy_importer", "settings": { "source_course_id": source.id } });
    let migration = school.admin.post(&target.path("/content_migrations")).json(body).await.is(200);
    let progress = school.admin.get(migration["progress_url"].as_str().unwrap()).await.is(200);
    assert_eq!((&progress["workflow_state"], &progress["completion"]), (&json!("completed"), &json!(100.0)));

    let copied = school.admin.get(&target.path("?include[]=syllabus_body")).await.is(200);
    let expected =
        [json!("Botany II"), json!("<p>Look at leaves</p>"), json!("cc_by"), json!(true), json!("Of its own")];
    let keys = ["name", "syllabus_body", "license", "is_public", "public_description"];
    assert_eq!(keys.map(|key| copied[key].clone()), expected);
    let pages = school.admin.get(&target.path("/pages?sort=title")).await.is(200);
    let titles: Vec<_> = pages.json.as_array().unwrap().iter().map(|page| page["title"].clone()).collect();
    assert_eq!(titles, ["Herbs", "Trees", "Trees"]);

    let after = history(&school.admin, target.id).await;
    assert_eq!(after[before.len()..], ["copied_from", "updated"]);
    let updated = newest(&school.admin, target.id).await;
    assert_eq!(updated["event_data"]["license"], json!([null, "cc_by"]));
}

#[tokio::test]
async fn who_copies_manages_the_one_course_and_is_staff_of_the_other() {
    let school = School::start().await;
    let (source, teacher, student) = school.classroom("Botany").await;
    let target = school.course("Botany II").await;
    enroll(&school.admin, target.id, student.id, "TeacherEnrollment").await;
    let copy = target.path(&format!("/course_copy/{}", source.id));
    teacher.post(&copy).await.is_forbidden();
    student.post(&copy).await.is_forbidden();
    let foreign = School::start().await.course("Elsewhere").await;
    let copy = |settings: Value| {
        let body = json!({ "migration_type": "course_copy_importer", "settings": settings });
        student.post(&target.path("/content_migrations")).json(body)
    };
    copy(json!({ "source_course_id": foreign.id })).await.is_not_found();
    copy(json!({ "source_course_id": target.id })).await.is(400);
    copy(json!({})).await.is_refused(400, "settings[source_course_id] is missing");
    let other = json!({ "migration_type": "no_such_importer" });
    student.post(&target.path("/content_migrations")).json(other).await.is_refused(400, "Invalid migration_type");
    running().site_admin().await.post(&foreign.path(&format!("/course_copy/{}", source.id))).await.is_not_found();
    assert_eq!(history(&school.admin, target.id).await, ["created", "published"]);
}
