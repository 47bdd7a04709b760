//! Accounts, users, courses, sections and enrollments.

use std::collections::BTreeSet;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, Response, School, enroll, running, unique};

/// Follows the links to the end: every id in its order.
async fn all_pages(client: &Client, path: &str) -> Vec<i64> {
    let (mut ids, mut next) = (Vec::new(), Some(path.to_owned()));
    while let Some(path) = next {
        let page = client.get(&path).await.is(200);
        ids.extend(page.ids());
        next = page.link("next");
    }
    ids
}

async fn create_course(school: &School, course: Value) -> Response {
    school.admin.post("/api/v1/accounts/self/courses").json(json!({ "course": course })).await
}

#[tokio::test]
async fn tenants_are_founded_by_the_site_alone() {
    let school = School::start().await;
    let body = json!({ "account": { "name": "Mine" } });
    school.admin.post("/api/v1/accounts").json(&body).await.is_forbidden();
    let account = running().site_admin().await.post("/api/v1/accounts").json(&body).await.is(200);
    assert_eq!((&account["name"], &account["parent_account_id"]), (&json!("Mine"), &Value::Null));
    let site = running().site_admin().await;
    site.post("/api/v1/accounts").json(json!({ "account": { "name": " " } })).await.is_refused(400, "can't be blank");
}

#[tokio::test]
async fn the_site_administers_every_tenant_and_a_tenant_itself() {
    let (one, other) = (School::start().await, School::start().await);
    let path = |school: &School| format!("/api/v1/accounts/{}", school.account);
    let site = running().site_admin().await;
    site.get(&path(&one)).await.is(200);
    one.admin.get(&path(&one)).await.is(200);
    one.admin.get(&path(&other)).await.is_not_found();
    assert_eq!(one.admin.get("/api/v1/accounts/self").await.is(200).id(), one.account);
    assert_eq!(one.admin.get("/api/v1/accounts").await.is(200).ids(), [one.account]);
    let student = one.person("student").await;
    assert!(student.get("/api/v1/accounts").await.is(200).ids().is_empty());
}

#[tokio::test]
async fn a_sub_account_has_its_own_administrators() {
    let school = School::start().await;
    let create = |name: &str| {
        let body = json!({ "account": { "name": name } });
        school.admin.post("/api/v1/accounts/self/sub_accounts").json(body)
    };
    let (science, arts) = (create("Science").await.is(200).id(), create("Arts").await.is(200).id());
    let dean = school.person("dean").await;
    let admins = format!("/api/v1/accounts/{science}/admins");
    school.admin.post(&admins).json(json!({ "user_id": dean.id })).await.is(200);
    let course = json!({ "course": { "name": "Botany" } });
    let botany = dean.post(&format!("/api/v1/accounts/{science}/courses")).json(&course).await.is(200).id();
    dean.post(&format!("/api/v1/accounts/{arts}/courses")).json(&course).await.is_forbidden();
    dean.post("/api/v1/accounts/self/courses").json(&course).await.is_forbidden();
    dean.get(&format!("/api/v1/courses/{botany}")).await.is(200);
    school.admin.delete(&format!("{admins}/{}", dean.id)).await.is(200);
    dean.get(&format!("/api/v1/courses/{botany}")).await.is_forbidden();
    school.admin.delete(&format!("/api/v1/accounts/self/sub_accounts/{arts}")).await.is(200);
    school.admin.get(&format!("/api/v1/accounts/{arts}")).await.is_not_found();
}

#[tokio::test]
async fn a_user_is_known_by_several_names() {
    let school = School::start().await;
    let (login, sis) = (unique("ada"), unique("sis"));
    let user = json!({
        "user": { "name": "Ada Lovelace" },
        "pseudonym": { "unique_id": login, "sis_user_id": sis, "password": "analytical engine" },
    });
    let user = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200);
    let shape = (&user["name"], &user["sortable_name"], &user["short_name"], &user["login_id"]);
    assert_eq!(shape, (&json!("Ada Lovelace"), &json!("Lovelace, Ada"), &json!("Ada Lovelace"), &json!(login)));
    for name in [user.id().to_string(), format!("sis_login_id:{login}"), format!("sis_user_id:{sis}")] {
        assert_eq!(school.admin.get(&format!("/api/v1/users/{name}")).await.is(200).id(), user.id(), "{name}");
    }
    school.admin.get("/api/v1/users/sis_login_id:nobody").await.is_not_found();
    let other = School::start().await;
    other.admin.get(&format!("/api/v1/users/sis_login_id:{login}")).await.is_not_found();
}

#[tokio::test]
async fn accounts_and_courses_are_known_by_other_names_too() {
    let (school, other) = (School::start().await, School::start().await);
    let account = school.admin.get("/api/v1/accounts/self").await.is(200);
    assert_eq!(school.admin.get("/api/v1/accounts/default").await.is(200).id(), school.account);
    let by_uuid = format!("/api/v1/accounts/uuid:{}", account["uuid"].as_str().unwrap());
    assert_eq!(school.admin.get(&by_uuid).await.is(200).id(), school.account);
    other.admin.get(&by_uuid).await.is_not_found();
    assert_eq!(running().site_admin().await.get("/api/v1/accounts/site_admin").await.is(200).id(), 1);
    let student = school.person("student").await;
    for client in [&school.admin, &student] {
        client.get("/api/v1/accounts/site_admin").await.is_not_found();
    }

    let course = create_course(&school, json!({ "name": "Botany" })).await.is(200);
    let by_context = format!("/api/v1/courses/lti_context_id:{}", course["uuid"].as_str().unwrap());
    assert_eq!(school.admin.get(&by_context).await.is(200).id(), course.id());
    other.admin.get(&by_context).await.is_not_found();
}

#[tokio::test]
async fn an_id_of_the_institution_may_be_written_in_hexadecimal() {
    let school = School::start().await;
    let user = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": "ada", "sis_user_id": "A/1 \u{e4}" } });
    let id = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
    let user = |digits: &str| school.admin.get(&format!("/api/v1/users/hex:sis_user_id:{digits}"));
    assert_eq!(user("412f3120c3a4").await.is(200).id(), id);
    for wrong in ["", "4", "412f", "412f3120c3", "zz", "+4"] {
        user(wrong).await.is_not_found();
    }
}

#[tokio::test]
async fn logins_are_unique_in_a_tenant_and_free_in_another() {
    let (one, other) = (School::start().await, School::start().await);
    let user = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": "ada" } });
    let create = |school: &School| school.admin.post("/api/v1/accounts/self/users").json(&user);
    let id = create(&one).await.is(200).id();
    let refused = create(&one).await.is(400);
    assert!(refused.body.contains("taken"), "{refused}");
    create(&other).await.is(200);
    one.admin.delete(&format!("/api/v1/accounts/self/users/{id}")).await.is(200);
    one.admin.get(&format!("/api/v1/users/{id}")).await.is_not_found();
    create(&one).await.is(200);
}

#[tokio::test]
async fn what_a_new_user_lacks_is_told() {
    let school = School::start().await;
    let create = |body: Value| school.admin.post("/api/v1/accounts/self/users").json(body);
    create(json!({ "user": { "name": "Ada" } })).await.is_refused(400, "pseudonym is missing");
    create(json!({ "pseudonym": { "unique_id": " " } })).await.is(400);
    create(json!({ "pseudonym": { "unique_id": "ada", "password": "short" } })).await.is_refused(400, "too short");
    let long = json!({ "user": { "name": "x".repeat(256) }, "pseudonym": { "unique_id": "ada" } });
    create(long).await.is_refused(400, "too long");
    let student = school.person("student").await;
    let body = json!({ "pseudonym": { "unique_id": "eve" } });
    student.post("/api/v1/accounts/self/users").json(body).await.is_forbidden();
}

#[tokio::test]
async fn users_change_themselves_and_administrators_change_all() {
    let school = School::start().await;
    let (ada, eve) = (school.person("ada").await, school.person("eve").await);
    let path = format!("/api/v1/users/{}", ada.id);
    let rename = |name: &str| json!({ "user": { "name": name } });
    assert_eq!(ada.put("/api/v1/users/self").json(rename("Ada L.")).await.is(200)["name"], "Ada L.");
    eve.put(&path).json(rename("Mine")).await.is_forbidden();
    eve.get(&path).await.is_forbidden();
    assert_eq!(school.admin.put(&path).json(rename("Ada")).await.is(200)["name"], "Ada");
    School::start().await.admin.put(&path).json(rename("Mine")).await.is_not_found();
}

#[tokio::test]
async fn a_list_of_users_has_bookmarks_to_its_end() {
    let school = School::start().await;
    let create = |number: usize| {
        let school = &school;
        async move {
            let body = json!({ "user": { "name": format!("user {number}") }, "pseudonym": { "unique_id": format!("u{number}") } });
            school.admin.post("/api/v1/accounts/self/users").json(body).await.is(200).id()
        }
    };
    let mut created: BTreeSet<i64> = join_all((0..125).map(create)).await.into_iter().collect();
    created.insert(school.admin.id);
    for length in ["100", "7", "5000", "x"] {
        let ids = all_pages(&school.admin, &format!("/api/v1/accounts/self/users?per_page={length}")).await;
        assert_eq!(ids.len(), created.len(), "{length}");
        assert_eq!(ids.iter().copied().collect::<BTreeSet<_>>(), created, "{length}");
    }
    let first = school.admin.get("/api/v1/accounts/self/users?per_page=0").await.is(200);
    assert_eq!(first.ids().len(), 1, "a length below one is one");
    let default = school.admin.get("/api/v1/accounts/self/users").await.is(200);
    assert_eq!(default.ids().len(), 10);
    let numbered = school.admin.get("/api/v1/accounts/self/users?page=2&per_page=100").await.is(200);
    assert_eq!(numbered.ids().len(), 26);
    let beyond = school.admin.get("/api/v1/accounts/self/users?page=9&per_page=100").await.is(200);
    assert_eq!((beyond.ids().len(), beyond.link("next")), (0, None));
    for page in ["0", "-1", "x"] {
        school.admin.get(&format!("/api/v1/accounts/self/users?page={page}")).await.is_not_found();
    }
    let garbled = school.admin.get("/api/v1/accounts/self/users?page=bookmark:garbled").await.is(400);
    assert!(garbled.body.contains("please restart iteration"), "{garbled}");
}

#[tokio::test]
async fn links_repeat_the_query_and_not_the_token() {
    let school = School::start().await;
    school.course("Botany").await;
    school.course("Botany II").await;
    let token = school.admin.token.clone().unwrap();
    let path = format!("/api/v1/accounts/self/courses?per_page=1&search_term=bot&access_token={token}");
    let page = school.admin.without_token().get(&path).await.is(200);
    let next = page.link("next").unwrap();
    assert!(next.contains("search_term=bot") && next.contains("per_page=1"), "{next}");
    assert!(!next.contains(&token), "{next}");
    assert!(next.starts_with(&running().base_url), "{next}");
}

#[tokio::test]
async fn a_course_has_its_default_section_and_its_states() {
    let school = School::start().await;
    let course = create_course(&school, json!({ "name": "Botany" })).await.is(200);
    assert_eq!(course["workflow_state"], "unpublished");
    let path = format!("/api/v1/courses/{}", course.id());
    let sections = school.admin.get(&format!("{path}/sections")).await.is(200);
    assert_eq!(sections.json[0]["name"], "Botany");
    for (event, state) in
        [("offer", "available"), ("claim", "unpublished"), ("conclude", "completed"), ("unconclude", "available")]
    {
        let changed = school.admin.put(&path).json(json!({ "course": { "event": event } })).await.is(200);
        assert_eq!(changed["workflow_state"], state, "{event}");
    }
    school.admin.put(&path).json(json!({ "course": { "event": "delete" } })).await.is(200);
    school.admin.get(&path).await.is_not_found();
    school.admin.put(&path).json(json!({ "course": { "name": "no" } })).await.is_not_found();
    school.admin.put(&path).json(json!({ "course": { "event": "undelete" } })).await.is(200);
    school.admin.get(&path).await.is(200);
    school.admin.put(&path).json(json!({ "course": { "event": "explode" } })).await.is(400);
}

#[tokio::test]
async fn a_course_whose_account_is_deleted_comes_back_to_the_account_above() {
    let school = School::start().await;
    let admin = &school.admin;
    let below = async |account: i64| {
        let made = json!({ "account": { "name": "Science" } });
        admin.post(&format!("/api/v1/accounts/{account}/sub_accounts")).json(made).await.is(200).id()
    };
    let (faculty, dean) = (below(school.account).await, school.person("dean").await);
    let chair = below(faculty).await;
    admin.post(&format!("/api/v1/accounts/{faculty}/admins")).json(json!({ "user_id": dean.id })).await.is(200);
    let course = json!({ "course": { "name": "Botany" } });
    let course = admin.post(&format!("/api/v1/accounts/{chair}/courses")).json(course).await.is(200).id();
    let path = format!("/api/v1/courses/{course}");
    let undelete = json!({ "course": { "event": "undelete" } });
    for (gone, account) in [(chair, faculty), (faculty, school.account)] {
        admin.delete(&path).json(json!({ "event": "delete" })).await.is(200);
        admin.delete(&format!("/api/v1/accounts/{account}/sub_accounts/{gone}")).await.is(200);
        let back = if account == faculty { &dean } else { admin };
        school.person("stranger").await.put(&path).json(&undelete).await.is_not_found();
        assert_eq!(back.put(&path).json(&undelete).await.is(200)["account_id"], account);
        assert!(admin.get(&format!("/api/v1/accounts/{account}/courses")).await.is(200).ids().contains(&course));
    }
}

#[tokio::test]
async fn who_sees_a_course_depends_on_its_state() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let stranger = school.person("stranger").await;
    let path = course.path("");
    student.get(&path).await.is(200);
    stranger.get(&path).await.is_forbidden();
    teacher.put(&path).json(json!({ "course": { "event": "claim" } })).await.is(200);
    student.get(&path).await.is_forbidden();
    teacher.get(&path).await.is(200);
    let ta = course.member(&school, "TaEnrollment").await;
    ta.put(&path).json(json!({ "course": { "name": "Mine" } })).await.is_forbidden();
    student.put(&path).json(json!({ "course": { "name": "Mine" } })).await.is_forbidden();
    let designer = course.member(&school, "DesignerEnrollment").await;
    designer.delete(&format!("{path}?event=delete")).await.is_forbidden();
    assert_eq!(teacher.delete(&path).form(&[("event", "delete")]).await.is(200).json, json!({ "delete": true }));
    teacher.get(&path).await.is_not_found();
}

#[tokio::test]
async fn ids_of_the_institution_are_unique_and_only_for_administrators() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    teacher.put(&course.path("")).json(json!({ "course": { "sis_course_id": "B1" } })).await.is_forbidden();
    school.admin.put(&course.path("")).json(json!({ "course": { "sis_course_id": "B1" } })).await.is(200);
    create_course(&school, json!({ "name": "Other", "sis_course_id": "B1" })).await.is_refused(400, "already in use");
    assert_eq!(teacher.get("/api/v1/courses/sis_course_id:B1").await.is(200).id(), course.id);
    School::start().await.admin.get("/api/v1/courses/sis_course_id:B1").await.is_not_found();
}

#[tokio::test]
async fn sections_are_made_changed_and_deleted_while_empty() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let body = json!({ "course_section": { "name": "Afternoon" } });
    student.post(&course.path("/sections")).json(&body).await.is_forbidden();
    let section = teacher.post(&course.path("/sections")).json(&body).await.is(200);
    assert_eq!((&section["name"], &section["course_id"]), (&json!("Afternoon"), &json!(course.id)));
    let path = format!("/api/v1/sections/{}", section.id());
    let renamed = teacher.put(&path).json(json!({ "course_section": { "name": "Evening" } })).await.is(200);
    assert_eq!(renamed["name"], "Evening");
    let late = school.person("late").await;
    let enrollment = json!({ "enrollment": {
        "user_id": late.id, "type": "StudentEnrollment", "enrollment_state": "active", "course_section_id": section.id(),
    } });
    let enrolled = teacher.post(&course.path("/enrollments")).json(enrollment).await.is(200);
    assert_eq!(enrolled["course_section_id"], section.id());
    teacher.delete(&path).await.is_refused(400, "can't delete a section that has enrollments");
    teacher.delete(&course.path(&format!("/enrollments/{}?task=delete", enrolled.id()))).await.is(200);
    teacher.delete(&path).await.is(200);
    teacher.get(&path).await.is_not_found();
    let elsewhere = school.course("Zoology").await;
    school.admin.get(&elsewhere.path(&format!("/sections/{}", section.id()))).await.is_not_found();
}

#[tokio::test]
async fn an_invitation_is_answered_by_the_one_who_got_it() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let guest = school.person("guest").await;
    let body = json!({ "enrollment": { "user_id": guest.id, "type": "StudentEnrollment" } });
    let invited = teacher.post(&course.path("/enrollments")).json(&body).await.is(200);
    assert_eq!(invited["enrollment_state"], "invited");
    let path = course.path(&format!("/enrollments/{}", invited.id()));
    teacher.post(&format!("{path}/accept")).await.is_forbidden();
    assert_eq!(guest.post(&format!("{path}/accept")).await.is(200).json, json!({ "success": true }));
    guest.get(&course.path("")).await.is(200);
    guest.post(&format!("{path}/reject")).await.is(400);
}

#[tokio::test]
async fn who_rejects_an_invitation_does_not_take_part() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let guest = school.person("guest").await;
    let body = json!({ "enrollment": { "user_id": guest.id, "type": "StudentEnrollment" } });
    let invited = teacher.post(&course.path("/enrollments")).json(&body).await.is(200);
    let path = course.path(&format!("/enrollments/{}", invited.id()));
    teacher.post(&format!("{path}/reject")).await.is_forbidden();
    assert_eq!(guest.post(&format!("{path}/reject")).await.is(200).json, json!({ "success": true }));
    guest.get(&course.path("")).await.is_forbidden();
    guest.post(&format!("{path}/accept")).await.is(400);
    let mine = course.path(&format!("/enrollments?user_id={}&state[]=rejected", guest.id));
    assert_eq!(teacher.get(&mine).await.is(200).json[0]["enrollment_state"], "rejected");
}

#[tokio::test]
async fn an_enrollment_ends_and_begins_again() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let of_student = course.path(&format!("/enrollments?user_id={}", student.id));
    let id = teacher.get(&of_student).await.is(200).ids()[0];
    let path = course.path(&format!("/enrollments/{id}"));
    student.delete(&path).await.is_forbidden();
    for (task, state) in [("inactivate", "inactive"), ("conclude", "completed"), ("delete", "deleted")] {
        let ended = teacher.delete(&format!("{path}?task={task}")).await.is(200);
        assert_eq!(ended["enrollment_state"], state, "{task}");
        student.get(&course.path("/quizzes")).await;
        if task == "inactivate" {
            student.get(&course.path("")).await.is_forbidden();
            teacher.put(&format!("{path}/reactivate")).await.is(200);
            student.get(&course.path("")).await.is(200);
        }
    }
    student.get(&course.path("")).await.is_forbidden();
    assert!(teacher.get(&of_student).await.is(200).ids().is_empty());
}

#[tokio::test]
async fn who_enrolls_whom() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let ta = course.member(&school, "TaEnrollment").await;
    let guest = school.person("guest").await;
    let body = |role: &str, user: i64| json!({ "enrollment": { "user_id": user, "type": role, "enrollment_state": "active" } });
    let path = course.path("/enrollments");
    student.post(&path).json(body("StudentEnrollment", guest.id)).await.is_forbidden();
    ta.post(&path).json(body("TeacherEnrollment", guest.id)).await.is_forbidden();
    ta.post(&path).json(body("StudentEnrollment", guest.id)).await.is(200);
    teacher.post(&path).json(body("TaEnrollment", guest.id)).await.is(200);
    teacher.post(&path).json(body("KingEnrollment", guest.id)).await.is(400);
    teacher.post(&path).json(json!({})).await.is(400);
    let foreigner = School::start().await.person("foreigner").await;
    teacher.post(&path).json(body("StudentEnrollment", foreigner.id)).await.is_not_found();
    school.admin.post(&path).json(body("StudentEnrollment", foreigner.id)).await.is_not_found();
}

#[tokio::test]
async fn the_same_enrollment_is_made_once_however_many_ask() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let guest = school.person("guest").await;
    join_all((0..8).map(|_| enroll(&school.admin, course.id, guest.id, "StudentEnrollment"))).await;
    assert_eq!(school.admin.get(&course.path("/enrollments")).await.is(200).ids().len(), 1);
}

#[tokio::test]
async fn a_course_lists_its_users_by_role() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let users = |query: &str| teacher.get(&course.path(&format!("/users{query}")));
    assert_eq!(users("").await.is(200).ids().len(), 2);
    assert_eq!(users("?enrollment_type[]=student").await.is(200).ids(), [student.id]);
    assert_eq!(users("?enrollment_type=teacher").await.is(200).ids(), [teacher.id]);
    assert_eq!(teacher.get(&course.path("/students")).await.is(200).ids(), [student.id]);
    let seen = student.get(&course.path("/users")).await.is(200);
    assert!(!seen.body.contains("login_id"), "students are not told logins: {seen}");
    school.person("stranger").await.get(&course.path("/users")).await.is_forbidden();
}

#[tokio::test]
async fn a_users_courses_are_those_that_the_user_takes_part_in() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    school.course("Zoology").await;
    assert_eq!(student.get("/api/v1/courses").await.is(200).ids(), [course.id]);
    let path = format!("/api/v1/users/{}/courses", student.id);
    assert_eq!(school.admin.get(&path).await.is(200).ids(), [course.id]);
    teacher.get(&path).await.is_forbidden();
    let enrollments = student.get("/api/v1/courses").await.is(200).json[0]["enrollments"].clone();
    assert_eq!(enrollments[0]["type"], "student");
}

#[tokio::test]
async fn administrators_of_an_account_read_the_users_that_it_lists() {
    let school = School::start().await;
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let (dean, head) = (school.person("dean").await, school.person("head").await);
    for user in [dean.id, head.id] {
        let admins = format!("/api/v1/accounts/{faculty}/admins");
        school.admin.post(&admins).json(json!({ "user_id": user })).await.is(200);
    }
    let courses = format!("/api/v1/accounts/{faculty}/courses");
    let course = dean.post(&courses).json(json!({ "course": { "name": "Botany" } })).await.is(200).id();
    let (student, stranger) = (school.person("student").await, school.person("stranger").await);
    enroll(&school.admin, course, student.id, "StudentEnrollment").await;

    let listed = dean.get(&format!("/api/v1/accounts/{faculty}/users?sort=id")).await.is(200);
    assert_eq!(listed.ids(), [dean.id, head.id, student.id]);
    for user in listed.json.as_array().unwrap() {
        let path = format!("/api/v1/users/{}", user["id"]);
        let read = dean.get(&path).await.is(200);
        for field in ["login_id", "email", "sis_user_id"] {
            assert_eq!(read[field], user[field], "{field}");
        }
        assert_eq!(dean.get(&format!("{path}/profile")).await.is(200)["login_id"], user["login_id"]);
    }
    let foreign = format!("/api/v1/users/{}", stranger.id);
    dean.get(&foreign).await.is_forbidden();
    dean.get(&format!("{foreign}/profile")).await.is_forbidden();
    // They read, and change nothing.
    let path = format!("/api/v1/users/{}", student.id);
    dean.put(&path).json(json!({ "user": { "name": "Other" } })).await.is_forbidden();
    student.get(&format!("/api/v1/users/{}", dean.id)).await.is_forbidden();
    school.admin.delete(&format!("/api/v1/courses/{course}?event=delete")).await.is(200);
    dean.get(&path).await.is_forbidden();
}

#[tokio::test]
async fn the_staff_of_a_course_invite_and_whoever_is_invited_decides() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let ta = course.member(&school, "TaEnrollment").await;
    let path = course.path("/enrollments");
    let enrollment = |user: i64, state: &str| json!({ "enrollment": { "user_id": user, "enrollment_state": state } });
    let login = unique("guest");
    let guest = json!({ "user": { "name": "Guest" }, "pseudonym": { "unique_id": login, "sis_user_id": unique("S") } });
    let guest = school.admin.post("/api/v1/accounts/self/users").json(guest).await.is(200).id();
    let token = school.admin.token_for(guest, json!({ "purpose": "test" })).await.is(200);
    let as_guest = school.admin.with_token(token["visible_token"].as_str().unwrap());

    let mut made = Vec::new();
    for staff in [&ta, &teacher] {
        let invited = staff.post(&path).json(enrollment(guest, "active")).await.is(200);
        assert_eq!(invited["enrollment_state"], "invited");
        assert_eq!((&invited["sis_user_id"], invited["user"].get("login_id")), (&Value::Null, None));
        staff.post(&path).json(enrollment(guest, "inactive")).await.is_forbidden();
        made.push(invited.id());
    }
    let enrollment_path = course.path(&format!("/enrollments/{}", made[0]));
    // Neither does a detour make somebody a participant.
    for task in ["conclude", "inactivate"] {
        ta.delete(&format!("{enrollment_path}?task={task}")).await.is_refused(400, "The invitation is pending");
    }
    ta.put(&format!("{enrollment_path}/reactivate")).await.is(400);
    let known = async |reader: &Client| {
        let shown = reader.get(&course.path(&format!("/users/{guest}"))).await.is(200);
        let listed = reader.get(&course.path(&format!("/enrollments?user_id={guest}"))).await.is(200);
        let told = shown["login_id"] == login;
        assert_eq!(listed.json[0]["user"]["login_id"] == login, told);
        let found = reader.get(&course.path(&format!("/users?search_term={login}"))).await.is(200);
        assert_eq!(!found.ids().is_empty(), told, "what is not told is not found either");
        told
    };
    assert!(!known(&ta).await && !known(&teacher).await);
    assert!(known(&school.admin).await, "administrators know everybody");
    let group = teacher.post(&course.path("/groups")).json(json!({ "name": "Herbarium" })).await.is(200).id();
    teacher.post(&format!("/api/v1/groups/{group}/memberships")).json(json!({ "user_id": guest })).await.is(200);
    let members = teacher.get(&format!("/api/v1/groups/{group}/users")).await.is(200);
    assert!(members.json[0].get("login_id").is_none(), "{members}");

    as_guest.post(&format!("{enrollment_path}/accept")).await.is(200);
    assert!(known(&ta).await && known(&teacher).await);
    let again = ta.post(&path).json(enrollment(guest, "active")).await.is(200);
    assert_eq!((again.id(), &again["enrollment_state"]), (made[0], &json!("active")));
    ta.delete(&format!("{enrollment_path}?task=inactivate")).await.is(200);
    ta.put(&format!("{enrollment_path}/reactivate")).await.is(200);
}

#[tokio::test]
async fn an_account_may_let_the_staff_of_courses_enroll_directly() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let flag = "/api/v1/accounts/self/features/flags/direct_enrollment";
    assert_eq!(school.admin.get(flag).await.is(200)["state"], "off");
    teacher.put(flag).json(json!({ "state": "on" })).await.is_forbidden();
    school.admin.put(flag).json(json!({ "state": "on" })).await.is(200);
    let guest = school.person("guest").await;
    enroll(&teacher, course.id, guest.id, "StudentEnrollment").await;
    guest.get(&course.path("")).await.is(200);
}

#[tokio::test]
async fn the_texts_of_a_course_run_nothing() {
    let school = School::start().await;
    let html = "<p onclick=\"alert(1)\">Oak &amp; elm<img src=x onerror=alert(1)></p><script>alert(1)</script>";
    let clean = "<p>Oak &amp; elm<img src=\"x\"></p>";
    let made =
        create_course(&school, json!({ "name": "Botany", "syllabus_body": html, "public_description": html })).await;
    let path = format!("/api/v1/courses/{}", made.is(200).id());
    let shown = async || {
        let course = school.admin.get(&format!("{path}?include[]=syllabus_body")).await.is(200);
        [course["syllabus_body"].clone(), course["public_description"].clone()]
    };
    assert_eq!(shown().await, [clean, clean]);
    for field in ["syllabus_body", "public_description"] {
        school.admin.put(&path).json(json!({ "course": { field: null } })).await.is(200);
        school.admin.put(&path).json(json!({ "course": { field: html } })).await.is(200);
        let deep = json!({ "course": { field: "<div>".repeat(10_000) } });
        let refused = school.admin.put(&path).json(deep).await.is(400);
        assert_eq!(refused["errors"][field][0]["type"], "too_deep", "{refused}");
    }
    assert_eq!(shown().await, [clean, clean]);
}

#[tokio::test]
async fn texts_that_were_stored_as_they_were_sent_are_cleaned_by_the_tick() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let raw = "<p onclick=alert(1)>old</p>";
    let stored = format!(
        "UPDATE courses SET syllabus_body = '{raw}', public_description = '{raw}' WHERE id = {0};
         INSERT INTO courses_to_sanitize VALUES ({0});",
        course.id
    );
    if !running().change_database(&stored) {
        return;
    }
    let left = format!("SELECT count(*) FROM courses_to_sanitize WHERE course_id = {}", course.id);
    crate::uploads::ticks_until("it is done", async || running().read_database(&left).unwrap()[0][0] == 0).await;
    let shown = school.admin.get(&course.path("?include[]=syllabus_body")).await.is(200);
    assert_eq!((&shown["syllabus_body"], &shown["public_description"]), (&json!("<p>old</p>"), &json!("<p>old</p>")));
}

#[tokio::test]
async fn names_that_follow_the_name_do_not_undo_what_others_change() {
    let school = School::start().await;
    let user = school.person("Ada").await;
    let path = format!("/api/v1/users/{}", user.id);
    for round in 0..8 {
        school.admin.put(&path).json(json!({ "user": { "name": "Ada", "short_name": "Ada" } })).await.is(200);
        let (name, short) = (format!("Ada {round}"), format!("A. {round}"));
        let sent = [json!({ "name": name }), json!({ "short_name": short })].map(|user| {
            let call = school.admin.put(&path).json(json!({ "user": user }));
            async move { call.await.is(200) }
        });
        join_all(sent).await;
        let shown = school.admin.get(&path).await.is(200);
        assert_eq!((&shown["name"], &shown["short_name"]), (&json!(name), &json!(short)), "round {round}");
    }
}
