//! Experiences, and who comes to them.

use futures::future::{join, join_all};
use serde_json::{Value, json};
use support::{School, unique};

use super::{Lesson, experience};

#[tokio::test]
async fn who_comes_to_what() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let other = lesson.course.member(&lesson.school, "StudentEnrollment").await;
    let outsider = lesson.school.person("outsider").await;
    let own = lesson.conversation(id, "");

    // Another student's conversation is not there; a stranger to the course may not.
    other.get(&own).await.is_refused(404, "Resource Not Found");
    other
        .post(&lesson.conversation(id, "/messages"))
        .json(json!({"message": "Hi"}))
        .await
        .is_refused(404, "Resource Not Found");
    outsider.get(&lesson.path("/conversations")).await.is_forbidden();
    outsider.post(&lesson.path("/conversations")).await.is_forbidden();
    // Reading the record, and evaluations, are the teacher's.
    lesson.student.get(&own).await.is_forbidden();
    lesson.student.get(&lesson.conversation(id, "/evaluation")).await.is_forbidden();
    lesson.student.post(&lesson.conversation(id, "/evaluation")).await.is_forbidden();
    other.get(&lesson.conversation(id, "/evaluation")).await.is_refused(404, "Resource Not Found");

    let record = lesson.teacher.get(&own).await.is(200);
    assert_eq!(record["user_id"], lesson.student.id.to_string());
    assert!(record["llm_conversation_id"].is_string());
    lesson.teacher.post(&lesson.conversation(id, "/messages")).json(json!({"message": "I help"})).await.is(200);

    let foreign = School::start().await;
    foreign.admin.get(&own).await.is_not_found();
    let (second, teacher, _) = lesson.school.classroom("Elsewhere").await;
    let elsewhere = second.path(&format!("/ai_experiences/{}/conversations/{id}", lesson.experience));
    teacher.get(&elsewhere).await.is_refused(404, "Resource Not Found");
}

#[tokio::test]
async fn an_id_that_cannot_be_read_is_not_found() {
    let lesson = Lesson::start().await;
    let outsider = lesson.school.person("outsider").await;
    for id in ["abc", "99999999999999999999", "-1"] {
        let experience = lesson.course.path(&format!("/ai_experiences/{id}"));
        let conversation = lesson.path(&format!("/conversations/{id}"));
        let message = json!({"message": "Hi"});
        for answer in [
            lesson.teacher.get(&experience).await,
            lesson.teacher.put(&experience).json(json!({})).await,
            lesson.teacher.get(&format!("{experience}/ai_conversations")).await,
            lesson.teacher.get(&format!("{experience}/feedback")).await,
            lesson.student.get(&format!("{experience}/conversations")).await,
            lesson.student.post(&format!("{experience}/conversations")).await,
            lesson.teacher.get(&format!("{experience}/conversations/1")).await,
            lesson.teacher.get(&conversation).await,
            lesson.student.delete(&conversation).await,
            lesson.teacher.get(&format!("{conversation}/evaluation")).await,
            lesson.student.post(&format!("{conversation}/messages")).json(message).await,
        ] {
            assert_eq!(answer.is(404).json, json!({"error": "Resource Not Found"}));
        }
        let of_overview = lesson.path(&format!("/ai_conversations/{id}"));
        lesson.teacher.get(&of_overview).await.is_refused(404, "Conversation not found");
        // What is asked before it is asked before it here, too.
        outsider.get(&experience).await.is_forbidden();
        lesson.teacher.get(&format!("/api/v1/courses/{id}/ai_experiences/{id}")).await.is_not_found();
    }
}

#[tokio::test]
async fn experiences_are_made_changed_published_and_deleted() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("History").await;
    let path = course.path("/ai_experiences");
    student.post(&path).json(experience("No")).await.is_forbidden();
    let title = unique("Title");
    let made = teacher.post(&path).json(experience(&title)).await.is(201);
    assert_eq!(made["learning_objectives"].as_array().unwrap().len(), 3);
    assert_eq!((&made["workflow_state"], &made["can_unpublish"]), (&json!("published"), &json!(true)));
    let one = format!("{path}/{}", made.id());

    // Students see what is published, without what the tutor is told.
    let seen = student.get(&one).await.is(200);
    assert!(seen.json.get("facts").is_none() && seen.json.get("pedagogical_guidance").is_none());
    assert_eq!(seen["evaluation_metrics"], json!([]));
    assert_eq!(seen["submission_status"], "not_started");
    let state = |state: &str| json!({"ai_experience": {"workflow_state": state}});
    teacher.put(&one).json(state("unpublished")).await.is(200);
    student.get(&one).await.is_refused(404, "Resource Not Found");
    assert_eq!(student.get(&path).await.is(200)["experiences"], json!([]));
    assert_eq!(teacher.get(&path).await.is(200)["experiences"][0]["id"], made.id());
    teacher.put(&one).json(state("published")).await.is(200);

    let listed = student.get(&path).await.is(200);
    assert_eq!(listed["can_manage"], false);
    assert_eq!(listed["total_students"], 1);
    assert_eq!((&listed["total_pages"], &listed["current_page"]), (&json!(1), &json!(1)));
    assert!(!listed.body.contains("Osnabrueck") && !listed.body.contains("second town"));

    // Once a student has talked with it, it stays published.
    student.post(&format!("{one}/conversations")).await.is(201);
    teacher.put(&one).json(state("unpublished")).await.is_refused(400, "once a student has a conversation");
    assert_eq!(teacher.get(&one).await.is(200)["can_unpublish"], false);
    assert_eq!(student.get(&one).await.is(200)["submission_status"], "in_progress");

    student.delete(&one).await.is_forbidden();
    assert_eq!(teacher.delete(&one).await.is(200)["workflow_state"], "deleted");
    student.get(&format!("{one}/conversations")).await.is_refused(404, "Resource Not Found");
    teacher.get(&one).await.is_refused(404, "Resource Not Found");
}

#[tokio::test]
async fn what_is_listed_is_what_is_read_alone() {
    let lesson = Lesson::start().await;
    let metric =
        |name: &str, enabled, visible| json!({"name": name, "enabled": enabled, "visible_to_learners": visible});
    let rich = json!({
        "title": "It \"is\" \\ \u{1e}\u{1f}", "description": "é\n\u{1d}", "facts": "1848 \u{1e}", "pedagogical_guidance": "Ask",
        "learning_objectives": ["a \u{1e}", "b"], "workflow_state": "published",
        "evaluation_metrics": [metric("seen \u{1e}", true, true), metric("off", false, true), metric("hidden", true, false)],
    });
    let plain = json!({"title": "Plain", "learning_objectives": ["a"], "pedagogical_guidance": "Ask"});
    let published = json!({"title": "Open", "learning_objectives": ["a"], "pedagogical_guidance": "?", "workflow_state": "published"});
    for body in [rich, plain, published] {
        lesson.teacher.post(&lesson.course.path("/ai_experiences")).json(json!({"ai_experience": body})).await.is(201);
    }
    lesson.begun().await;
    for (reader, seen) in [(&lesson.teacher, 4), (&lesson.student, 3)] {
        let list = reader.get(&lesson.course.path("/ai_experiences")).await.is(200);
        let experiences = list["experiences"].as_array().unwrap();
        assert_eq!(experiences.len(), seen);
        for experience in experiences {
            let alone = reader.get(&lesson.course.path(&format!("/ai_experiences/{}", experience["id"]))).await.is(200);
            assert_eq!(experience, &alone.json);
        }
    }
}

#[tokio::test]
async fn experiences_must_make_sense() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("History").await;
    let path = course.path("/ai_experiences");
    teacher.post(&path).json(json!({})).await.is_refused(400, "ai_experience is missing");
    let long = |length: usize| "x".repeat(length);
    let metric = json!({"name": "A"});
    let cases = [
        ("title", json!("")),
        ("title", json!(long(256))),
        ("learning_objectives", json!([])),
        ("learning_objectives", json!(vec!["x"; 11])),
        ("learning_objectives", json!([" "])),
        ("learning_objectives", json!(["Name a town", "Give a date", " Name a town "])),
        ("learning_objectives", json!([long(10_001)])),
        ("pedagogical_guidance", json!(null)),
        ("pedagogical_guidance", json!(long(10_001))),
        ("facts", json!(long(10_001))),
        ("description", json!(long(10_001))),
        ("workflow_state", json!("deleted")),
        ("evaluation_metrics", json!(vec![metric; 6])),
        ("evaluation_metrics", json!([{"description": "no name"}])),
    ];
    for (field, value) in cases {
        let mut form = experience("Fine");
        form["ai_experience"][field] = value;
        let answer = teacher.post(&path).json(form).await.is(400);
        assert!(answer["errors"].get(field).is_some(), "{field}: {answer}");
    }
    for field in ["title", "learning_objectives", "pedagogical_guidance"] {
        let mut form = experience("Fine");
        form["ai_experience"].as_object_mut().unwrap().remove(field);
        assert!(teacher.post(&path).json(form).await.is(400)["errors"].get(field).is_some(), "{field}");
    }
    let form = [
        ("ai_experience[title]", "By form"),
        ("ai_experience[learning_objective]", "One thing"),
        ("ai_experience[pedagogical_guidance]", "Ask"),
    ];
    let made = teacher.post(&path).form(&form).await.is(201);
    assert_eq!(made["learning_objectives"], json!(["One thing"]));
    assert_eq!(made["workflow_state"], "unpublished");
}

#[tokio::test]
async fn an_experience_can_be_left_without_metrics() {
    let lesson = Lesson::start().await;
    for none in [json!(null), json!([])] {
        let edit = async |fields: Value| {
            lesson.teacher.put(&lesson.path("")).json(json!({ "ai_experience": fields })).await.is(200)
        };
        edit(json!({"evaluation_metrics": [{"name": "Curiosity"}]})).await;
        let kept = edit(json!({"title": "Another"})).await;
        assert_eq!(kept["evaluation_metrics"].as_array().unwrap().len(), 1, "what is not named stays");
        assert_eq!(edit(json!({ "evaluation_metrics": none })).await["evaluation_metrics"], json!([]));
        assert_eq!(lesson.teacher.get(&lesson.path("")).await.is(200)["evaluation_metrics"], json!([]));
    }
    let mut form = experience("Without");
    form["ai_experience"]["evaluation_metrics"] = json!(null);
    let made = lesson.teacher.post(&lesson.course.path("/ai_experiences")).json(form).await.is(201);
    assert_eq!(made["evaluation_metrics"], json!([]));
}

#[tokio::test]
async fn experiences_are_paged() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("History").await;
    let path = course.path("/ai_experiences");
    for number in 0..17 {
        teacher.post(&path).json(experience(&format!("E{number}"))).await.is(201);
    }
    let first = teacher.get(&path).await.is(200);
    assert_eq!(first["experiences"].as_array().unwrap().len(), 15);
    assert_eq!(first["total_pages"], 2);
    let second = teacher.get(&format!("{path}?page=2")).await.is(200);
    assert_eq!(second["experiences"][0]["title"], "E15");
    for query in ["page=9&per_page=5", "page=9223372036854775807&per_page=100"] {
        assert_eq!(teacher.get(&format!("{path}?{query}")).await.is(200)["experiences"], json!([]), "{query}");
    }
    // Who asks is judged before what is asked for.
    let outsider = school.person("outsider").await;
    for query in ["page=x", "per_page=x", "page="] {
        teacher.get(&format!("{path}?{query}")).await.is(400);
        outsider.get(&format!("{path}?{query}")).await.is_forbidden();
    }
}

#[tokio::test]
async fn an_experience_that_is_deleted_while_it_is_changed_is_not_there() {
    let lesson = Lesson::start().await;
    let path = lesson.course.path("/ai_experiences");
    for round in 0..20 {
        let one = format!("{path}/{}", lesson.teacher.post(&path).json(experience("Gone")).await.is(201).id());
        let (lesson, one) = (&lesson, &one);
        let changes = (0..10).map(|number| async move {
            let change = json!({"ai_experience": {"title": format!("{round}, {number}")}});
            lesson.teacher.put(one).json(change).await.status
        });
        let (changed, deleted) = join(join_all(changes), async { lesson.teacher.delete(one).await.status }).await;
        assert_eq!(deleted, 200);
        assert!(changed.iter().all(|status| [200, 404].contains(status)), "{changed:?}");
    }
}

#[tokio::test]
async fn the_teacher_sees_the_latest_of_each_student() {
    let lesson = Lesson::start().await;
    lesson.begun().await;
    let id = lesson.begun().await;
    lesson.course.member(&lesson.school, "StudentEnrollment").await;
    let overview = lesson.teacher.get(&lesson.path("/ai_conversations")).await.is(200);
    let all = overview["conversations"].as_array().unwrap();
    assert_eq!(all.len(), 2);
    let student = json!(lesson.student.id.to_string());
    let of_student = all.iter().find(|one| one["user_id"] == student).unwrap();
    assert_eq!((&of_student["id"], &of_student["status"]), (&json!(id), &json!("in_progress")));
    let other = all.iter().find(|one| one["user_id"] != student).unwrap();
    assert_eq!((&other["id"], &other["has_conversation"]), (&Value::Null, &json!(false)));
    let snapshot = &overview["snapshot"];
    assert_eq!((&snapshot["in_progress"], &snapshot["not_started"]), (&json!(1), &json!(1)));
    assert_eq!(snapshot["total_objectives"], 3);

    let one = lesson.teacher.get(&lesson.path(&format!("/ai_conversations/{id}"))).await.is(200);
    assert_eq!(one["messages"].as_array().unwrap().len(), 2);
    lesson.teacher.get(&lesson.path("/ai_conversations/999999999")).await.is_refused(404, "Conversation not found");
    lesson.student.get(&lesson.path("/ai_conversations")).await.is_forbidden();
}

#[tokio::test]
async fn a_course_whose_account_has_switched_it_off_has_none() {
    let lesson = Lesson::start().await;
    let flag = format!("/api/v1/accounts/{}/features/flags/ai_experiences", lesson.school.account);
    lesson.school.admin.put(&flag).json(json!({"state": "off"})).await.is(200);
    lesson.student.get(&lesson.path("/conversations")).await.is_refused(404, "Resource Not Found");
    lesson.teacher.get(&lesson.course.path("/ai_experiences")).await.is_refused(404, "Resource Not Found");
    lesson.school.admin.put(&flag).json(json!({"state": "on"})).await.is(200);
    lesson.student.get(&lesson.path("/conversations")).await.is(200);
}
