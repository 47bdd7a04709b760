//! Lists that are put in order, page after page, and lists that are chosen by ids of the SIS.

use serde_json::{Value, json};
use support::{Client, Response, School, enroll, unique};

/// The ids of a list that is read one record at a time, following its links.
async fn ids_one_by_one(client: &Client, path: &str) -> Vec<i64> {
    let join = if path.contains('?') { '&' } else { '?' };
    let (mut ids, mut next) = (Vec::new(), Some(format!("{path}{join}per_page=1")));
    while let Some(path) = next {
        let page = client.get(&path).await.is(200);
        ids.extend(page.ids());
        next = page.link("next");
    }
    ids
}

fn user_ids(enrollments: &Response) -> Vec<i64> {
    enrollments.json.as_array().unwrap().iter().map(|one| one["user_id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn the_users_of_a_course_are_put_in_order() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let make = async |name: &str, sis_user_id: &str| {
        let user = json!({
            "user": { "name": name },
            "pseudonym": { "unique_id": unique("user"), "sis_user_id": sis_user_id },
        });
        let id = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
        enroll(&school.admin, course.id, id, "StudentEnrollment").await;
        id
    };
    let (zora, adam, bela) = (make("Zora", "3").await, make("adam", "1").await, make("Bela", "2").await);
    let students = |sort: &str| course.path(&format!("/users?enrollment_type=student{sort}"));
    assert_eq!(ids_one_by_one(&teacher, &students("")).await, [student.id, zora, adam, bela]);
    let by_name = [adam, bela, student.id, zora];
    assert_eq!(ids_one_by_one(&teacher, &students("&sort=username")).await, by_name);
    assert_eq!(ids_one_by_one(&student, &students("&sort=username")).await, by_name);
    assert_eq!(ids_one_by_one(&teacher, &students("&sort=sis_id")).await, [student.id, adam, bela, zora]);
    // Students are told no SIS ids, not by the order either.
    assert_eq!(ids_one_by_one(&student, &students("&sort=sis_id")).await, [student.id, zora, adam, bela]);
    teacher.get(&students("&sort=last_login")).await.is_refused(400, "sort must be one of username, email, sis_id");
}

#[tokio::test]
async fn the_users_of_an_account_are_put_in_order() {
    let school = School::start().await;
    let (zora, adam, bela) =
        (school.person("Plant-Zora").await, school.person("Plant-adam").await, school.person("Plant-Bela").await);
    let (zora, adam, bela) = (zora.id, adam.id, bela.id);
    for (query, expected) in [
        ("", [zora, adam, bela]),
        ("&order=desc", [bela, adam, zora]),
        ("&sort=id", [zora, adam, bela]),
        ("&sort=username", [adam, bela, zora]),
        ("&sort=username&order=asc", [adam, bela, zora]),
        ("&sort=username&order=desc", [zora, bela, adam]),
    ] {
        let path = format!("/api/v1/accounts/self/users?search_term=plant{query}");
        assert_eq!(ids_one_by_one(&school.admin, &path).await, expected, "{query}");
    }
    let users = school.admin.get("/api/v1/accounts/self/users?sort=email").await;
    users.is_refused(400, "sort must be one of username, id");
}

#[tokio::test]
async fn the_courses_of_an_account_are_put_in_order_and_chosen_by_accounts_and_enrollments() {
    let school = School::start().await;
    let below = json!({ "account": { "name": "Faculty" } });
    let below = school.admin.post("/api/v1/accounts/self/sub_accounts").json(below).await.is(200).id();
    let lower = json!({ "account": { "name": "Department" } });
    let lower = school.admin.post(&format!("/api/v1/accounts/{below}/sub_accounts")).json(lower).await.is(200).id();
    let make = async |account: i64, course: Value| {
        let course = json!({ "course": course });
        school.admin.post(&format!("/api/v1/accounts/{account}/courses")).json(course).await.is(200).id()
    };
    let zoology = make(school.account, json!({ "name": "Zoology", "sis_course_id": "1" })).await;
    let algebra = make(lower, json!({ "name": "algebra" })).await;
    let botany = make(below, json!({ "name": "Botany", "sis_course_id": "0" })).await;
    enroll(&school.admin, botany, school.person("one").await.id, "StudentEnrollment").await;
    for (query, expected) in [
        ("", vec![zoology, algebra, botany]),
        ("?order=desc", vec![botany, algebra, zoology]),
        ("?sort=course_name", vec![algebra, botany, zoology]),
        ("?sort=course_name&order=desc", vec![zoology, botany, algebra]),
        ("?sort=sis_course_id", vec![algebra, botany, zoology]),
        ("?sort=sis_course_id&order=desc", vec![zoology, botany, algebra]),
        (&format!("?by_subaccounts[]={below}"), vec![algebra, botany]),
        (&format!("?by_subaccounts[]={lower}"), vec![algebra]),
        ("?enrollment_workflow_state[]=active", vec![botany]),
        ("?enrollment_workflow_state[]=completed", vec![]),
    ] {
        let path = format!("/api/v1/accounts/self/courses{query}");
        assert_eq!(ids_one_by_one(&school.admin, &path).await, expected, "{query}");
    }
}

#[tokio::test]
async fn the_accounts_under_an_account_are_put_in_order_and_counted() {
    let school = School::start().await;
    let make = async |name: &str| {
        let account = json!({ "account": { "name": name } });
        school.admin.post("/api/v1/accounts/self/sub_accounts").json(account).await.is(200).id()
    };
    let (sciences, arts) = (make("Sciences").await, make("arts").await);
    let course = json!({ "course": { "name": "Botany" } });
    school.admin.post(&format!("/api/v1/accounts/{sciences}/courses")).json(course).await.is(200);
    let list =
        async |query: &str| school.admin.get(&format!("/api/v1/accounts/self/sub_accounts{query}")).await.is(200);
    assert_eq!(list("").await.ids(), [sciences, arts]);
    assert_eq!(list("?order=name").await.ids(), [arts, sciences]);
    let counted = list("?include[]=course_count&include[]=sub_account_count").await;
    assert_eq!((&counted.json[0]["course_count"], &counted.json[0]["sub_account_count"]), (&json!(1), &json!(0)));
    assert!(list("").await.json[0].get("course_count").is_none());
}

#[tokio::test]
async fn enrollments_are_chosen_by_ids_of_the_sis() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let user = json!({ "user": { "name": "late" }, "pseudonym": { "unique_id": unique("late"), "sis_user_id": "S7" } });
    let late = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
    let section = json!({ "course_section": { "name": "Late", "sis_section_id": "SEC" } });
    let section = school.admin.post(&course.path("/sections")).json(section).await.is(200).id();
    let enrollment = json!({ "enrollment": { "user_id": late, "enrollment_state": "active" } });
    school.admin.post(&format!("/api/v1/sections/{section}/enrollments")).json(enrollment).await.is(200);
    let named = json!({ "course": { "sis_course_id": "BOT" } });
    school.admin.put(&course.path("")).json(named).await.is(200);
    let list = async |client: &Client, query: &str| {
        user_ids(&client.get(&course.path(&format!("/enrollments?{query}"))).await.is(200))
    };
    for query in ["sis_user_id[]=S7", "sis_user_id=S7", "sis_section_id[]=SEC", "sis_section_id[]=SEC&sis_user_id[]=S7"]
    {
        assert_eq!(list(&teacher, query).await, [late], "{query}");
        assert!(list(&student, query).await.is_empty(), "{query}: students are told no SIS ids");
    }
    assert!(list(&teacher, "sis_user_id[]=S8").await.is_empty());
    assert!(list(&teacher, "sis_account_id[]=none").await.is_empty());
    assert_eq!(list(&teacher, "sis_course_id[]=BOT").await, [teacher.id, student.id, late]);
    let own = student.get("/api/v1/users/self/enrollments?sis_course_id[]=BOT").await.is(200);
    assert_eq!(user_ids(&own), [student.id]);
    let of_section = teacher.get(&format!("/api/v1/sections/{section}/enrollments?sis_user_id[]=S7")).await.is(200);
    assert_eq!(user_ids(&of_section), [late]);
    // Who was only invited has not agreed that staff are told SIS ids.
    let user = json!({ "user": { "name": "new" }, "pseudonym": { "unique_id": unique("new"), "sis_user_id": "S9" } });
    let invited = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
    let enrollment = json!({ "enrollment": { "user_id": invited, "enrollment_state": "invited" } });
    school.admin.post(&format!("/api/v1/sections/{section}/enrollments")).json(enrollment).await.is(200);
    assert!(list(&teacher, "sis_user_id[]=S9").await.is_empty());
    assert_eq!(list(&school.admin, "sis_user_id[]=S9").await, [invited]);
}

#[tokio::test]
async fn the_submissions_of_a_course_are_put_in_order() {
    let school = School::start().await;
    let (course, teacher, one) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let assignment = json!({ "assignment": { "name": "Essay", "published": true, "points_possible": 10 } });
    let assignment = teacher.post(&course.path("/assignments")).json(assignment).await.is(201).id();
    // The submission of the other is made and graded first.
    for student in [&other, &one] {
        let path = course.path(&format!("/assignments/{assignment}/submissions/{}", student.id));
        teacher.put(&path).json(json!({ "submission": { "posted_grade": "7" } })).await.is(200);
    }
    let list = async |query: &str| {
        let path = course.path(&format!("/students/submissions?student_ids[]=all{query}"));
        user_ids(&teacher.get(&path).await.is(200))
    };
    for (query, expected) in [
        ("", [one.id, other.id]),
        ("&order_direction=descending", [other.id, one.id]),
        ("&order=id", [other.id, one.id]),
        ("&order=id&order_direction=descending", [one.id, other.id]),
        ("&order=graded_at", [other.id, one.id]),
        ("&order=graded_at&order_direction=descending", [one.id, other.id]),
    ] {
        assert_eq!(list(query).await, expected, "{query}");
    }
    assert_eq!(list("&order=graded_at&per_page=1&page=2").await, [one.id]);
}
