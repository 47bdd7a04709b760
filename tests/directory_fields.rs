//! Fields of the directory that clients of the reference system read, and other ways to say which records are meant.

use serde_json::{Value, json};
use support::{Client, Course, School, unique};

/// A course with a teacher and a student, in which everything has an id of the institution.
async fn classroom_with_sis_ids(school: &School) -> (Course, Client, Client) {
    let (course, teacher, student) = school.classroom("Botany").await;
    let admin = &school.admin;
    admin.put("/api/v1/accounts/self").json(json!({ "account": { "sis_account_id": "SCHOOL" } })).await.is(200);
    admin.put(&course.path("")).json(json!({ "course": { "sis_course_id": "B1" } })).await.is(200);
    let section = course.default_section(&student).await;
    let ids = json!({ "course_section": { "sis_section_id": "B1-A", "integration_id": "I-A" } });
    admin.put(&format!("/api/v1/sections/{section}")).json(ids).await.is(200);
    (course, teacher, student)
}

#[tokio::test]
async fn an_enrollment_has_its_addresses_and_null_for_what_is_not_kept() {
    let school = School::start().await;
    let (course, teacher, student) = classroom_with_sis_ids(&school).await;
    let in_course = |rest: &str| format!("{}/courses/{}/{rest}", school.admin.base_url(), course.id);
    let of = async |reader: &Client, user: &Client| {
        let all = reader.get(&course.path("/enrollments")).await.is(200);
        let all = all.json.as_array().unwrap().clone();
        all.into_iter().find(|enrollment| enrollment["user_id"] == user.id).unwrap()
    };
    let students = of(&teacher, &student).await;
    assert_eq!(students["html_url"], in_course(&format!("users/{}", student.id)));
    let grades = json!({
        "html_url": in_course(&format!("grades/{}", student.id)),
        "current_score": null, "current_grade": null, "final_score": null, "final_grade": null,
    });
    assert_eq!(students["grades"], grades);
    for field in ["last_activity_at", "last_attended_at", "course_integration_id"] {
        assert_eq!(students.get(field), Some(&Value::Null), "{field}");
    }
    assert_eq!(students["total_activity_time"], 0);
    assert_eq!(students["limit_privileges_to_course_section"], false);
    assert!(of(&teacher, &teacher).await.get("grades").is_none(), "who teaches has no grades");

    let ids = |enrollment: &Value| {
        ["sis_account_id", "sis_course_id", "sis_section_id", "section_integration_id"]
            .map(|field| enrollment.get(field).unwrap().clone())
    };
    assert_eq!(ids(&students), ["SCHOOL", "B1", "B1-A", "I-A"]);
    assert_eq!(ids(&of(&student, &student).await), [Value::Null, Value::Null, Value::Null, Value::Null]);
}

#[tokio::test]
async fn an_enrollment_is_the_same_wherever_it_is_read() {
    let school = School::start().await;
    let (course, _, student) = classroom_with_sis_ids(&school).await;
    let (admin, section) = (&school.admin, course.default_section(&student).await);
    let named = course.path(&format!("/enrollments?user_id={}", student.id));
    let expected = admin.get(&named).await.is(200).json[0].clone();
    let id = &expected["id"];
    for list in [
        course.path("/enrollments?type[]=StudentEnrollment"),
        format!("/api/v1/sections/{section}/enrollments?type[]=StudentEnrollment"),
        format!("/api/v1/users/{}/enrollments", student.id),
    ] {
        assert_eq!(admin.get(&list).await.is(200).json, json!([expected]), "{list}");
    }
    let one = admin.get(&format!("/api/v1/accounts/self/enrollments/{id}")).await.is(200);
    assert_eq!(one.json, expected);
    let user = admin.get(&course.path(&format!("/users/{}?include[]=enrollments", student.id))).await.is(200);
    assert_eq!(user["enrollments"], json!([expected]));

    let path = course.path(&format!("/enrollments/{id}"));
    let ended = admin.delete(&format!("{path}?task=inactivate")).await.is(200);
    let again = admin.put(&format!("{path}/reactivate")).await.is(200);
    let body = json!({ "enrollment": { "user_id": student.id, "enrollment_state": "active" } });
    let once_more = admin.post(&course.path("/enrollments")).json(body).await.is(200);
    for (answer, state) in [(ended, "inactive"), (again, "active"), (once_more, "active")] {
        let mut expected = expected.clone();
        expected["enrollment_state"] = state.into();
        expected["updated_at"] = answer["updated_at"].clone();
        assert_eq!(answer.json, expected);
    }
}

#[tokio::test]
async fn a_course_says_what_there_is_not() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let account = format!("/api/v1/accounts/{}/courses", school.account);
    let one = student.get(&course.path("")).await.is(200).json;
    let listed = student.get("/api/v1/courses").await.is(200).json[0].clone();
    let of_account = school.admin.get(&account).await.is(200).json[0].clone();
    let changed = teacher.put(&course.path("")).json(json!({ "course": { "name": "Mosses" } })).await.is(200).json;
    for shown in [one, listed, of_account, changed] {
        assert_eq!(shown["calendar"], json!({ "ics": null }));
        for field in [
            "apply_assignment_group_weights",
            "blueprint",
            "hide_final_grades",
            "is_public_to_auth_users",
            "public_syllabus",
            "public_syllabus_to_auth",
            "restrict_enrollments_to_course_dates",
        ] {
            assert_eq!(shown[field], false, "{field}");
        }
        for field in
            ["course_format", "grade_passback_setting", "grading_standard_id", "integration_id", "storage_quota_mb"]
        {
            assert_eq!(shown.get(field), Some(&Value::Null), "{field}");
        }
    }
}

#[tokio::test]
async fn the_teachers_of_a_course_have_addresses() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let address = format!("{}/courses/{}/users/{}", student.base_url(), course.id, teacher.id);
    let expected = json!([{ "id": teacher.id, "display_name": "TeacherEnrollment", "html_url": address }]);
    let one = student.get(&course.path("?include[]=teachers")).await.is(200);
    assert_eq!(one["teachers"], expected);
    let listed = student.get("/api/v1/courses?include[]=teachers").await.is(200);
    assert_eq!(listed.json[0]["teachers"], expected);
}

#[tokio::test]
async fn a_user_has_a_given_and_a_family_name() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let names = json!({ "user": { "name": "Ada Lovelace", "sortable_name": "King Lovelace, Ada" } });
    student.put("/api/v1/users/self").json(names).await.is(200);
    let path = format!("/api/v1/users/{}", student.id);
    let by_course = teacher.get(&course.path(&format!("/users/{}", student.id))).await.is(200);
    for shown in [student.get(&path).await.is(200), teacher.get(&path).await.is(200), by_course] {
        assert_eq!((&shown["first_name"], &shown["last_name"]), (&json!("Ada"), &json!("King Lovelace")));
    }
}

#[tokio::test]
async fn a_sortable_name_is_taken_apart_by_its_comma_or_its_last_blank() {
    let school = School::start().await;
    let admin = &school.admin;
    for (sortable, given, family) in [
        ("Lovelace, Ada", "Ada", "Lovelace"),
        ("King Lovelace ,Ada  Byron", "Ada Byron", "King Lovelace"),
        ("Ho, Chi,   Minh", "Chi Minh", "Ho"),
        ("Ada  Byron   Lovelace", "Ada Byron", "Lovelace"),
        ("Żółć, Łucja", "Łucja", "Żółć"),
        ("Łucja Żółć", "Łucja", "Żółć"),
        ("Plato", "Plato", ""),
        ("Plato,", "", "Plato"),
        ("\"O'Neil\" \\", "\"O'Neil\"", "\\"),
    ] {
        let names = json!({ "name": "A name", "sortable_name": sortable });
        let new = json!({ "user": names, "pseudonym": { "unique_id": unique("user") } });
        let made = admin.post("/api/v1/accounts/self/users").json(new).await.is(200).json;
        let parts = [&made["sortable_name"], &made["first_name"], &made["last_name"]];
        assert_eq!(parts, [sortable, given, family]);
    }
}

#[tokio::test]
async fn a_user_is_the_same_in_every_list() {
    let school = School::start().await;
    let admin = &school.admin;
    let user = json!({ "name": "Ada \"King\" Lovelace", "locale": "de", "time_zone": "Europe/Berlin" });
    let ids = json!({ "unique_id": unique("ada"), "sis_user_id": "U1", "integration_id": "I1" });
    let new = json!({ "user": user, "pseudonym": ids, "communication_channel": { "address": "ada@school.test" } });
    let made = admin.post("/api/v1/accounts/self/users").json(new).await.is(200).json;
    let users = "/api/v1/accounts/self/users";
    for query in ["", "?search_term=King", "?sort=username", "?order=desc", "?search_term=", "?search_term=U1"] {
        let listed = admin.get(&format!("{users}{query}")).await.is(200).json;
        let one = listed.as_array().unwrap().iter().find(|user| user["id"] == made["id"]);
        assert_eq!(one, Some(&made), "{query}");
    }
    let own = admin.get(&format!("/api/v1/users/{}", made["id"])).await.is(200).json;
    assert_eq!(own, made);
    let (texts, id) = ("application/json+canvas-string-ids", made["id"].to_string());
    let listed = admin.get(users).header("accept", texts).await.is(200).json;
    assert!(listed.as_array().unwrap().iter().any(|user| user["id"] == id.as_str()));
}

#[tokio::test]
async fn users_are_told_their_own_language_and_what_they_may_change() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let own = async |path: &str| ada.get(path).header("accept-language", "fr").await.is(200);
    for path in ["/api/v1/users/self", "/api/v1/users/self/profile"] {
        assert_eq!(own(path).await["effective_locale"], "fr", "{path}");
    }
    ada.put("/api/v1/users/self").json(json!({ "user": { "locale": "de-AT" } })).await.is(200);
    for path in ["/api/v1/users/self", "/api/v1/users/self/profile"] {
        assert_eq!(own(path).await["effective_locale"], "de", "{path}");
    }
    let permissions =
        json!({ "can_update_name": true, "can_update_avatar": false, "limit_parent_app_web_access": false });
    assert_eq!(own("/api/v1/users/self").await["permissions"], permissions);
    assert_eq!(own("/api/v1/users/self/profile").await["calendar"], json!({ "ics": null }));

    let of_another = school.admin.get(&format!("/api/v1/users/{}", ada.id)).await.is(200);
    for field in ["effective_locale", "permissions", "avatar_url"] {
        assert!(of_another.json.get(field).is_none(), "{field}: {of_another}");
    }
    let profile = school.admin.get(&format!("/api/v1/users/{}/profile", ada.id)).await.is(200);
    assert!(profile.json.get("effective_locale").is_none(), "{profile}");
}

#[tokio::test]
async fn terms_are_listed_by_several_states() {
    let school = School::start().await;
    let terms = "/api/v1/accounts/self/terms";
    for name in ["Autumn", "Spring"] {
        school.admin.post(terms).json(json!({ "enrollment_term": { "name": name } })).await.is(200);
    }
    let names = async |query: &str| -> Vec<Value> {
        let list = school.admin.get(&format!("{terms}{query}")).await.is(200);
        list["enrollment_terms"].as_array().unwrap().iter().map(|term| term["name"].clone()).collect()
    };
    let all = school.admin.get(terms).await.is(200);
    let spring = all["enrollment_terms"][2]["id"].clone();
    school.admin.delete(&format!("{terms}/{spring}")).await.is(200);
    let everything = ["Default Term", "Autumn", "Spring"];
    assert_eq!(names("?workflow_state[]=all").await, everything);
    assert_eq!(names("?workflow_state[]=active&workflow_state[]=deleted").await, everything);
    assert_eq!(names("?workflow_state[]=deleted").await, ["Spring"]);
    assert_eq!(names("?workflow_state[]=active").await, ["Default Term", "Autumn"]);
    assert_eq!(names("?workflow_state=deleted").await, ["Spring"]);
    school.admin.get(&format!("{terms}?workflow_state[]=lost")).await.is(400);
}

#[tokio::test]
async fn nobody_is_a_test_student() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    for list in [
        "/users?enrollment_type[]=student_view",
        "/users?enrollment_type=student_view",
        "/search_users?enrollment_role=StudentViewEnrollment",
        "/enrollments?type[]=StudentViewEnrollment",
        "/enrollments?role[]=StudentViewEnrollment",
    ] {
        assert_eq!(teacher.get(&course.path(list)).await.is(200).ids(), [0; 0], "{list}");
    }
    let both = course.path("/users?enrollment_type[]=student_view&enrollment_type[]=student");
    assert_eq!(teacher.get(&both).await.is(200).ids(), [student.id]);
    let made = json!({ "enrollment": { "user_id": student.id, "type": "StudentViewEnrollment" } });
    school.admin.post(&course.path("/enrollments")).json(made).await.is(400);
}

#[tokio::test]
async fn the_courses_of_an_account_are_chosen_by_sis_ids_of_accounts() {
    let (school, other) = (School::start().await, School::start().await);
    let found = async |school: &School| {
        let science = json!({ "account": { "name": "Science", "sis_account_id": "SCI" } });
        let science = school.admin.post("/api/v1/accounts/self/sub_accounts").json(science).await.is(200).id();
        let course = json!({ "course": { "name": "Botany" } });
        let path = format!("/api/v1/accounts/{science}/courses");
        (science, school.admin.post(&path).json(course).await.is(200).id())
    };
    let ((science, botany), (_, elsewhere)) = (found(&school).await, found(&other).await);
    let law = school.course("Law").await.id;
    let list =
        async |query: &str| school.admin.get(&format!("/api/v1/accounts/self/courses?{query}")).await.is(200).ids();
    assert_eq!(list("by_subaccounts[]=sis_account_id:SCI").await, [botany]);
    assert_eq!(list("by_subaccounts[]=hex:sis_account_id:534349").await, [botany]);
    assert_eq!(list(&format!("by_subaccounts[]={science}&by_subaccounts[]=sis_account_id:ART")).await, [botany]);
    assert_eq!(list("by_subaccounts[]=self").await, [botany, law]);
    for unknown in ["sis_account_id:ART", "sis_course_id:SCI"] {
        assert_eq!(list(&format!("by_subaccounts[]={unknown}")).await, [0; 0], "{unknown}");
    }
    let own = other.admin.get("/api/v1/accounts/self/courses?by_subaccounts[]=sis_account_id:SCI").await.is(200);
    assert_eq!(own.ids(), [elsewhere]);
}

#[tokio::test]
async fn the_users_of_a_course_are_chosen_by_sis_ids() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let (login, sis) = (unique("Ada"), unique("S"));
    let ada = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": login, "sis_user_id": sis } });
    let ada = school.admin.post("/api/v1/accounts/self/users").json(ada).await.is(200).id();
    let chosen =
        async |reader: &Client, query: &str| reader.get(&course.path(&format!("/users?{query}"))).await.is(200).ids();
    let by_sis_id = format!("user_ids[]=sis_user_id:{sis}");
    assert_eq!(chosen(&teacher, &by_sis_id).await, [0; 0], "who is not in the course is not found");
    let enrollment = |state: &str| json!({ "enrollment": { "user_id": ada, "enrollment_state": state } });
    school.admin.post(&course.path("/enrollments")).json(enrollment("invited")).await.is(200);
    assert_eq!(chosen(&teacher, &by_sis_id).await, [0; 0], "the staff is not told the id of who was only invited");
    assert_eq!(chosen(&school.admin, &by_sis_id).await, [ada]);
    school.admin.post(&course.path("/enrollments")).json(enrollment("active")).await.is(200);
    assert_eq!(chosen(&teacher, &by_sis_id).await, [ada]);
    let by_login = format!("user_ids[]=sis_login_id:{}", login.to_lowercase());
    assert_eq!(chosen(&teacher, &by_login).await, [ada]);
    let mut both = vec![ada, student.id];
    both.sort_unstable();
    assert_eq!(chosen(&teacher, &format!("{by_sis_id}&user_ids[]={}", student.id)).await, both);
    assert_eq!(chosen(&teacher, "user_ids[]=self").await, [teacher.id]);
    assert_eq!(chosen(&teacher, "user_ids[]=sis_user_id:nobody").await, [0; 0]);
    assert_eq!(chosen(&student, &by_sis_id).await, [0; 0], "students are not told SIS ids");
    assert_eq!(chosen(&student, &format!("user_ids[]={ada}")).await, [ada]);
}

#[tokio::test]
async fn a_course_and_a_section_do_not_end_before_they_start() {
    let school = School::start().await;
    let (admin, words) = (&school.admin, "End dates cannot be before start dates");
    let (early, late) = ("2026-09-01T00:00:00Z", "2027-02-01T00:00:00Z");
    let reversed = json!({ "name": "Botany", "start_at": late, "end_at": early });
    admin.post("/api/v1/accounts/self/courses").json(json!({ "course": reversed })).await.is_refused(400, words);
    let (course, teacher, _) = school.classroom("Botany").await;
    let sections = course.path("/sections");
    teacher.post(&sections).json(json!({ "course_section": reversed })).await.is_refused(400, words);
    let section = teacher.post(&sections).json(json!({ "course_section": { "name": "A" } })).await.is(200).id();
    for (path, form) in [(course.path(""), "course"), (format!("/api/v1/sections/{section}"), "course_section")] {
        let change = |fields: Value| teacher.put(&path).json(json!({ form: fields }));
        change(json!({ "start_at": late, "end_at": early })).await.is_refused(400, words);
        change(json!({ "start_at": late })).await.is(200);
        change(json!({ "end_at": early })).await.is_refused(400, words);
        assert_eq!(teacher.get(&path).await.is(200)["end_at"], Value::Null);
        change(json!({ "start_at": early, "end_at": late })).await.is(200);
        change(json!({ "start_at": "2027-02-01T00:00:01Z" })).await.is_refused(400, words);
        let unnamed = change(json!({ "name": "Botany I" })).await.is(200);
        assert_eq!((&unnamed["start_at"], &unnamed["end_at"]), (&json!(early), &json!(late)));
        change(json!({ "start_at": "", "end_at": early })).await.is(200);
    }
}
