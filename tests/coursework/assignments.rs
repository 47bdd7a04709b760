//! Assignments: what they say, their order, when they are locked, and the work that waits for a grade.

use serde_json::{Value, json};
use support::{Client, School};

use super::new_quiz;

#[tokio::test]
async fn assignments_live() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let path = course.path("/assignments");
    let create = |assignment: Value| teacher.post(&path).json(json!({ "assignment": assignment }));
    let essay = create(json!({ "name": "Essay", "points_possible": 10 })).await.is(201);
    let one = format!("{path}/{}", essay.id());
    student.get(&one).await.is_forbidden();
    let published = teacher.put(&one).json(json!({ "assignment": { "published": true } })).await.is(200);
    assert_eq!((&published["published"], &published["name"]), (&json!(true), &json!("Essay")));
    assert_eq!(student.get(&one).await.is(200)["name"], "Essay");
    for bad in [
        json!({ "name": " " }),
        json!({ "name": "x", "points_possible": -1 }),
        json!({ "name": "x", "grading_type": "luck" }),
    ] {
        let answer = create(bad.clone()).await;
        assert_eq!(answer.status, 400, "{bad} {answer}");
    }
    student.delete(&one).await.is_forbidden();
    teacher.delete(&one).await.is(200);
    teacher.get(&one).await.is_not_found();
}

#[tokio::test]
async fn an_assignment_has_what_clients_of_the_reference_system_read() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let path = course.path("/assignments");
    let form = json!({ "name": "Essay", "published": true, "submission_types": "online_text_entry, online_url" });
    let essay = teacher.post(&path).json(json!({ "assignment": form })).await.is(201);
    assert_eq!(essay["submission_types"], json!(["online_text_entry", "online_url"]));
    let without = ["omit_from_final_grade", "peer_reviews", "muted", "has_overrides", "only_visible_to_overrides"];
    for word in without {
        assert_eq!(essay[word], false, "{word}");
    }
    for word in ["group_category_id", "grading_standard_id", "integration_id"] {
        assert_eq!(essay.json.get(word), Some(&json!(null)), "{word}");
    }
    assert_eq!((&essay["integration_data"], &essay["locked_for_user"]), (&json!({}), &json!(false)));

    let one = format!("{path}/{}", essay.id());
    let change = async |form: &[(&str, &str)]| teacher.put(&one).form(form).await.is(200);
    let upload = change(&[("assignment[submission_types]", "online_upload")]).await;
    assert_eq!(upload["submission_types"], json!(["online_upload"]));
    assert_eq!(change(&[("assignment[submission_types]", "")]).await["submission_types"], json!([]));
    teacher.put(&one).form(&[("assignment[submission_types]", "on_stone")]).await.is_refused(400, "submission_types");

    assert_eq!(change(&[("assignment[post_manually]", "true")]).await["muted"], true);
    let grade = json!({ "submission": { "posted_grade": "7" } });
    teacher.put(&format!("{one}/submissions/{}", student.id)).json(grade).await.is(200);
    assert_eq!(teacher.get(&one).await.is(200)["muted"], true);
    teacher.put(&format!("{one}/post_grades")).await.is(200);
    assert_eq!(teacher.get(&one).await.is(200)["muted"], false);
    let dates = json!({ "student_ids": [student.id], "due_at": "2099-01-01T00:00:00Z" });
    teacher.post(&format!("{one}/overrides")).json(json!({ "assignment_override": dates })).await.is(201);
    assert_eq!(teacher.get(&one).await.is(200)["has_overrides"], true);
}

#[tokio::test]
async fn students_are_told_why_an_assignment_is_locked_in_a_list_and_alone() {
    const PAST: &str = "2020-01-01T00:00:00Z";
    const FUTURE: &str = "2099-01-01T00:00:00Z";
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let path = course.path("/assignments");
    let make = async |dates: Value| {
        let mut form = dates;
        (form["name"], form["published"]) = (json!("Essay"), json!(true));
        teacher.post(&path).json(json!({ "assignment": form })).await.is(201).id()
    };
    let open = make(json!({ "unlock_at": PAST, "lock_at": FUTURE })).await;
    let (soon, over) = (make(json!({ "unlock_at": FUTURE })).await, make(json!({ "lock_at": PAST })).await);
    let reopened = make(json!({ "lock_at": PAST })).await;
    let dates = json!({ "student_ids": [student.id], "lock_at": FUTURE });
    let overrides = format!("{path}/{reopened}/overrides");
    teacher.post(&overrides).json(json!({ "assignment_override": dates })).await.is(201);
    for (id, info, explanation) in [
        (open, json!(null), json!(null)),
        (
            soon,
            json!({ "asset_string": format!("assignment_{soon}"), "unlock_at": FUTURE }),
            json!(format!("This assignment is locked until {FUTURE}.")),
        ),
        (
            over,
            json!({ "asset_string": format!("assignment_{over}"), "lock_at": PAST, "can_view": true }),
            json!(format!("This assignment was locked {PAST}.")),
        ),
        (reopened, json!(null), json!(null)),
    ] {
        let seen = student.get(&format!("{path}/{id}")).await.is(200);
        assert_eq!(seen["locked_for_user"], !info.is_null(), "{seen}");
        assert_eq!((&seen["lock_info"], &seen["lock_explanation"]), (&info, &explanation));
        assert_eq!(teacher.get(&format!("{path}/{id}")).await.is(200)["locked_for_user"], false);
    }
    for client in [&student, &teacher] {
        for query in ["", "?order_by=due_at", "?include[]=submission"] {
            for listed in client.get(&format!("{path}{query}")).await.is(200).json.as_array().unwrap() {
                let alone = client.get(&format!("{path}/{}", listed["id"])).await.is(200);
                assert_eq!(*listed, alone.json, "{query}");
            }
        }
    }
}

#[tokio::test]
async fn each_way_to_hand_something_in_stands_once_and_a_blank_way_of_grading_is_none() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let path = course.path("/assignments");
    let types: Vec<_> = (0..1000).map(|_| "online_url").chain(["online_upload", "online_url"]).collect();
    let form = json!({ "name": "Essay", "submission_types": types, "grading_type": "" });
    let made = teacher.post(&path).json(json!({ "assignment": form })).await.is(201);
    assert_eq!(made["submission_types"], json!(["online_url", "online_upload"]));
    assert_eq!(made["grading_type"], "points");
    let form = json!({ "submission_types": "online_upload,online_upload", "grading_type": "percent" });
    let one = format!("{path}/{}", made.id());
    let changed = teacher.put(&one).json(json!({ "assignment": form })).await.is(200);
    assert_eq!(changed["submission_types"], json!(["online_upload"]));
    let kept = teacher.put(&one).form(&[("assignment[grading_type]", "")]).await.is(200);
    assert_eq!(kept["grading_type"], "percent");
}

#[tokio::test]
async fn graders_ask_how_much_work_waits_for_a_grade() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let section = course.section(&school, "Evening").await;
    let path = course.path("/assignments");
    let form = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
    let essay = teacher.post(&path).json(json!({ "assignment": form })).await.is(201).id();
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "x" } });
    for who in [&student, &section.student] {
        who.post(&format!("{path}/{essay}/submissions")).json(&text).await.is(201);
    }
    let counts = async |who: &Client| {
        let alone = who.get(&format!("{path}/{essay}?include[]=needs_grading_count")).await.is(200);
        let list = who.get(&format!("{path}?include[]=needs_grading_count")).await.is(200);
        assert_eq!(list.json, json!([alone.json]));
        alone.json.get("needs_grading_count").cloned()
    };
    assert_eq!(counts(&teacher).await, Some(json!(2)));
    assert_eq!(counts(&section.teacher).await, Some(json!(1)));
    assert_eq!(counts(&student).await, None);
    let grade = json!({ "submission": { "posted_grade": "7" } });
    teacher.put(&format!("{path}/{essay}/submissions/{}", student.id)).json(grade).await.is(200);
    assert_eq!(counts(&teacher).await, Some(json!(1)));
    assert_eq!(teacher.get(&format!("{path}/{essay}")).await.is(200).json.get("needs_grading_count"), None);
}

#[tokio::test]
async fn assignments_stand_one_behind_the_other_whatever_comes_and_goes() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let path = course.path("/assignments");
    let create = async |name: &str| {
        let made = teacher.post(&path).json(json!({ "assignment": { "name": name } })).await.is(201);
        (made.id(), made["position"].as_i64().unwrap())
    };
    let ((oaks, first), (_, second)) = (create("Oaks").await, create("Elms").await);
    assert_eq!((first, second), (1, 2));
    let quiz = new_quiz(&teacher, &course, json!({ "title": "Leaves", "quiz_type": "assignment" })).await.is(200);
    teacher
        .post(&format!("/api/quiz/v1/courses/{}/quizzes", course.id))
        .json(json!({ "quiz": { "title": "Seeds" } }))
        .await
        .is(200);
    let positions = async || {
        let list = teacher.get(&path).await.is(200);
        list.json
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["name"].clone(), one["position"].clone()))
            .collect::<Vec<_>>()
    };
    let stand = |names: &[&str]| names.iter().zip(1..).map(|(name, at)| (json!(name), json!(at))).collect::<Vec<_>>();
    assert_eq!(positions().await, stand(&["Oaks", "Elms", "Leaves", "Seeds"]));
    for order in ["position", "name", "due_at"] {
        for listed in teacher.get(&format!("{path}?order_by={order}")).await.is(200).json.as_array().unwrap() {
            let alone = teacher.get(&format!("{path}/{}", listed["id"])).await.is(200);
            assert_eq!(*listed, alone.json, "an assignment is the same in a list and alone");
        }
    }
    teacher.delete(&format!("{path}/{oaks}")).await.is(200);
    teacher.delete(&course.path(&format!("/quizzes/{}", quiz.id()))).await.is(200);
    assert_eq!(positions().await, stand(&["Elms", "Seeds"]));
    assert_eq!(create("Ashes").await.1, 3);
}

#[tokio::test]
async fn a_text_of_which_nothing_is_kept_is_not_handed_in() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let form = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
    let id = teacher.post(&course.path("/assignments")).json(json!({ "assignment": form })).await.is(201).id();
    let path = course.path(&format!("/assignments/{id}/submissions"));
    for body in [" ", "<script>a</script>", " <script>a</script>\n"] {
        let work = json!({ "submission": { "submission_type": "online_text_entry", "body": body } });
        student.post(&path).json(work).await.is_refused(400, "Required: submission[body]");
    }
    assert_eq!(teacher.get(&format!("{path}/{}", student.id)).await.is(200)["attempt"], json!(null));
}
