//! Groups of users: of a course, or of an account.

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, Course, Response, School, enroll, recent, unique};

use crate::files::{send, upload};

async fn make_group(client: &Client, course: &Course, group: Value) -> Response {
    client.post(&course.path("/groups")).json(group).await
}

async fn add(client: &Client, group: i64, user: i64) -> Response {
    client.post(&format!("/api/v1/groups/{group}/memberships")).json(json!({ "user_id": user })).await
}

async fn join(client: &Client, group: i64) -> Response {
    client.post(&format!("/api/v1/groups/{group}/memberships")).json(json!({ "user_id": "self" })).await
}

#[tokio::test]
async fn a_group_has_exactly_the_documented_keys() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let made = make_group(&teacher, &course, json!({ "name": "Herbarium", "description": "We press leaves" })).await;
    let made = made.is(200);
    let expected = json!({
        "id": made.id(), "name": "Herbarium", "description": "We press leaves", "is_public": false,
        "followed_by_user": false, "join_level": "invitation_only", "members_count": 0, "max_membership": null,
        "avatar_url": null, "context_type": "Course", "context_name": "Botany", "course_id": course.id, "role": null,
        "group_category_id": null, "sis_group_id": null, "concluded": false, "created_at": recent(&made["created_at"]),
    });
    assert_eq!(made.json, expected);
    assert_eq!(teacher.get(&format!("/api/v1/groups/{}", made.id())).await.is(200).json, expected);

    let of_account = school.admin.post("/api/v1/accounts/self/groups").json(json!({ "name": "Council" }));
    let of_account = of_account.await.is(200);
    assert_eq!(of_account["account_id"], school.account);
    assert_eq!(of_account["context_type"], "Account");
    assert!(of_account.json.get("course_id").is_none());
}

#[tokio::test]
async fn teachers_manage_groups_and_students_see_them() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assistant = course.member(&school, "TaEnrollment").await;
    let group = make_group(&assistant, &course, json!({ "name": "Mosses" })).await.is(200).id();
    let path = format!("/api/v1/groups/{group}");

    teacher.put(&path).json(json!({ "name": "Ferns" })).await.is(200);
    assert_eq!(student.get(&path).await.is(200)["name"], "Ferns");
    assert_eq!(student.get(&course.path("/groups")).await.is(200).ids(), [group]);
    student.put(&path).json(json!({ "name": "Ours" })).await.is_forbidden();
    student.delete(&path).await.is_forbidden();
    make_group(&student, &course, json!({ "name": "Ours" })).await.is_forbidden();
    add(&student, group, teacher.id).await.is_forbidden();

    let outsider = school.person("outsider").await;
    outsider.get(&path).await.is_forbidden();
    outsider.get(&format!("{path}/users")).await.is_forbidden();
    outsider.get(&format!("{path}/memberships")).await.is_forbidden();
    School::start().await.admin.get(&path).await.is_not_found();

    teacher.delete(&path).await.is(200);
    teacher.get(&path).await.is_not_found();
    assert!(teacher.get(&course.path("/groups")).await.is(200).ids().is_empty());
}

#[tokio::test]
async fn members_are_put_in_once_and_taken_out() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let group = make_group(&teacher, &course, json!({ "name": "Mosses" })).await.is(200).id();
    let path = format!("/api/v1/groups/{group}");

    let membership = add(&teacher, group, student.id).await.is(200);
    let expected = json!({
        "id": membership.id(), "group_id": group, "user_id": student.id, "workflow_state": "accepted",
        "moderator": false, "created_at": recent(&membership["created_at"]),
    });
    assert_eq!(membership.json, expected);
    assert_eq!(add(&teacher, group, student.id).await.is(200).id(), membership.id());
    assert_eq!(student.get(&path).await.is(200)["members_count"], 1);
    assert_eq!(student.get("/api/v1/users/self/groups").await.is(200).ids(), [group]);
    assert_eq!(teacher.get(&format!("{path}/users")).await.is(200).ids(), [student.id]);
    assert_eq!(student.get(&format!("{path}/memberships/self")).await.is(200).id(), membership.id());
    assert_eq!(student.get(&format!("{path}/users/{}", student.id)).await.is(200).id(), membership.id());
    assert_eq!(student.get(&course.path("/groups?only_own_groups=true")).await.is(200).ids(), [group]);
    assert!(teacher.get(&course.path("/groups?only_own_groups=true")).await.is(200).ids().is_empty());

    let moderated = json!({ "moderator": true });
    student.put(&format!("{path}/memberships/self")).json(&moderated).await.is_forbidden();
    let changed = teacher.put(&format!("{path}/users/{}", student.id)).json(&moderated).await.is(200);
    assert_eq!(changed["moderator"], true);

    assert_eq!(student.delete(&format!("{path}/memberships/self")).await.is(200).json, json!({ "ok": true }));
    student.delete(&format!("{path}/memberships/self")).await.is_not_found();
    assert!(student.get("/api/v1/users/self/groups").await.is(200).ids().is_empty());
    let again = add(&teacher, group, student.id).await.is(200);
    assert_eq!((again.id(), &again["moderator"]), (membership.id(), &json!(false)));
    teacher.delete(&format!("{path}/memberships/{}", again.id())).await.is(200);
}

#[tokio::test]
async fn only_those_of_the_course_come_into_its_groups() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let group = make_group(&teacher, &course, json!({ "name": "Mosses" })).await.is(200).id();
    let outsider = school.person("outsider").await;
    add(&teacher, group, outsider.id).await.is_refused(400, "does not take part in the course");
    let foreigner = School::start().await.admin;
    add(&teacher, group, foreigner.id).await.is_not_found();
    add(&foreigner, group, foreigner.id).await.is_not_found();

    let council = json!({ "name": "Council" });
    let council = school.admin.post("/api/v1/accounts/self/groups").json(council).await.is(200).id();
    add(&school.admin, council, outsider.id).await.is(200);
    outsider.get(&format!("/api/v1/groups/{council}")).await.is(200);
    student.get(&format!("/api/v1/groups/{council}")).await.is_forbidden();
    let own = |context: &str| format!("/api/v1/users/self/groups?context_type={context}");
    assert_eq!(outsider.get(&own("Account")).await.is(200).ids(), [council]);
    assert!(outsider.get(&own("Course")).await.is(200).ids().is_empty());
}

#[tokio::test]
async fn who_may_join_is_said_by_the_join_level() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let with_level = async |level: &str| {
        make_group(&teacher, &course, json!({ "name": level, "join_level": level })).await.is(200).id()
    };
    let open = with_level("parent_context_auto_join").await;
    assert_eq!(join(&student, open).await.is(200)["workflow_state"], "accepted");
    join(&student, with_level("invitation_only").await).await.is_forbidden();

    let asked = with_level("parent_context_request").await;
    let membership = join(&student, asked).await.is(200);
    assert_eq!(membership["workflow_state"], "requested");
    assert_eq!(student.get("/api/v1/users/self/groups").await.is(200).ids(), [open]);
    let path = format!("/api/v1/groups/{asked}/memberships");
    assert_eq!(teacher.get(&format!("{path}?filter_states[]=requested")).await.is(200).ids(), [membership.id()]);
    assert!(teacher.get(&format!("{path}?filter_states[]=accepted")).await.is(200).ids().is_empty());
    let accepted = json!({ "workflow_state": "accepted" });
    let path = format!("{path}/{}", membership.id());
    student.put(&path).json(&accepted).await.is_forbidden();
    assert_eq!(teacher.put(&path).json(&accepted).await.is(200)["workflow_state"], "accepted");

    let refused = json!({ "name": "x", "join_level": "whoever" });
    make_group(&teacher, &course, refused).await.is_refused(400, "must be one of");
}

#[tokio::test]
async fn a_full_group_takes_nobody_more() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let group = json!({ "name": "Two", "join_level": "parent_context_auto_join", "max_membership": 2 });
    let group = make_group(&teacher, &course, group).await.is(200).id();
    let mut students = Vec::new();
    for _ in 0..4 {
        students.push(course.member(&school, "StudentEnrollment").await);
    }
    let joined = join_all(students.iter().map(|student| join(student, group))).await;
    assert_eq!(joined.iter().filter(|answer| answer.status == 200).count(), 2);
    for refused in joined.into_iter().filter(|answer| answer.status != 200) {
        refused.is_refused(400, "The group is full");
    }
    assert_eq!(teacher.get(&format!("/api/v1/groups/{group}")).await.is(200)["members_count"], 2);
}

#[tokio::test]
async fn groups_are_named_by_institutions_too() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let sis = unique("G");
    let named = json!({ "name": "Mosses", "sis_group_id": sis });
    make_group(&teacher, &course, named.clone()).await.is_forbidden();
    let group = make_group(&school.admin, &course, named.clone()).await.is(200).id();
    make_group(&school.admin, &course, named).await.is_refused(400, "is already in use");
    assert_eq!(teacher.get(&format!("/api/v1/groups/sis_group_id:{sis}")).await.is(200).id(), group);
    School::start().await.admin.get(&format!("/api/v1/groups/sis_group_id:{sis}")).await.is_not_found();
}

#[tokio::test]
async fn what_a_group_cannot_be_is_said() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    for (group, words) in [
        (json!({}), "name is missing"),
        (json!({ "name": " " }), "can't be blank"),
        (json!({ "name": "x".repeat(256) }), "too long"),
        (json!({ "name": "x", "max_membership": 0 }), "must be greater than 0"),
        (json!({ "name": "x", "description": "x".repeat(10_001) }), "too long"),
    ] {
        make_group(&teacher, &course, group).await.is_refused(400, words);
    }
    let missing = teacher.post("/api/v1/groups/999999999/memberships").json(json!({ "user_id": 1 })).await;
    missing.is_not_found();
}

#[tokio::test]
async fn groups_of_a_course_come_in_pages() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let mut made = Vec::new();
    for number in 0..5 {
        made.push(make_group(&teacher, &course, json!({ "name": format!("Group {number}") })).await.is(200).id());
    }
    let (mut ids, mut next) = (Vec::new(), Some(course.path("/groups?per_page=2")));
    while let Some(path) = next {
        let page = teacher.get(&path).await.is(200);
        ids.extend(page.ids());
        next = page.link("next");
    }
    assert_eq!(ids, made);
}

#[tokio::test]
async fn who_leaves_the_course_leaves_its_groups_and_their_files() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let stays = course.member(&school, "StudentEnrollment").await;
    let group = make_group(&teacher, &course, json!({ "name": "Herbarium" })).await.is(200).id();
    let council =
        school.admin.post("/api/v1/accounts/self/groups").json(json!({ "name": "Council" })).await.is(200).id();
    for member in [student.id, stays.id] {
        add(&teacher, group, member).await.is(200);
    }
    add(&school.admin, council, student.id).await.is(200);
    let files = format!("/api/v1/groups/{group}/files");
    let file = upload(&student, &files, json!({ "name": "ours.txt" }), b"ours").await;
    let announced = student.post(&files).json(json!({ "name": "late.txt" })).await.is(200).json;
    let enrollments = student.get("/api/v1/users/self/enrollments").await.is(200);
    let enrollment = course.path(&format!("/enrollments/{}", enrollments.ids()[0]));
    let path = format!("/api/v1/files/{}", file.id());
    let is_out = async || {
        student.get(&files).await.is_forbidden();
        student.post(&files).json(json!({ "name": "x" })).await.is_forbidden();
        student.get(&path).await.is_forbidden();
        student.get(&format!("/files/{}/download", file.id())).await.is_forbidden();
        student.put(&path).json(json!({ "name": "x" })).await.is_forbidden();
        student.delete(&path).await.is_forbidden();
        student.get(&format!("/api/v1/groups/{group}/folders")).await.is_forbidden();
    };

    // A member who is inactive for a while is back in the group afterwards.
    teacher.delete(&format!("{enrollment}?task=inactivate")).await.is(200);
    is_out().await;
    send(&student, &announced, b"late").await.is_forbidden();
    teacher.put(&format!("{enrollment}/reactivate")).await.is(200);
    student.get(&path).await.is(200);

    teacher.delete(&format!("{enrollment}?task=delete")).await.is(200);
    is_out().await;
    let members = async || teacher.get(&format!("/api/v1/groups/{group}/users")).await.is(200).ids();
    assert_eq!(members().await, [stays.id]);
    student.get(&format!("/api/v1/groups/{council}/files")).await.is(200);
    enroll(&school.admin, course.id, student.id, "StudentEnrollment").await;
    assert_eq!(members().await, [stays.id], "a new enrollment is no way back into the group");
    stays.get(&path).await.is(200);

    // As long as one enrollment is left, so is the membership.
    enroll(&school.admin, course.id, stays.id, "ObserverEnrollment").await;
    let enrollments = stays.get("/api/v1/users/self/enrollments").await.is(200);
    let [first, second] = enrollments.ids()[..] else { panic!("{enrollments}") };
    for (enrollment, left) in [(first, vec![stays.id]), (second, vec![])] {
        let enrollment = course.path(&format!("/enrollments/{enrollment}?task=delete"));
        school.admin.delete(&enrollment).await.is(200);
        assert_eq!(members().await, left);
    }
}

#[tokio::test]
async fn staff_who_are_limited_to_a_section_see_and_add_its_members_alone() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let late = course.section(&school, "Late").await;
    let group = make_group(&teacher, &course, json!({ "name": "Herbarium" })).await.is(200).id();
    for user in [student.id, late.student.id] {
        add(&teacher, group, user).await.is(200);
    }
    let path = format!("/api/v1/groups/{group}");
    let members = async |client: &Client| client.get(&format!("{path}/users")).await.is(200).ids();
    assert_eq!(members(&late.teacher).await, [late.student.id]);
    assert_eq!(members(&teacher).await, [student.id, late.student.id]);
    // Who is in the group sees all of it.
    assert_eq!(members(&late.student).await, [student.id, late.student.id]);
    assert_eq!(members(&school.admin).await, [student.id, late.student.id]);
    let memberships = late.teacher.get(&format!("{path}/memberships")).await.is(200);
    assert_eq!(memberships.ids().len(), 1, "{memberships}");
    assert_eq!(memberships.json[0]["user_id"], late.student.id);
    let of_other = format!("{path}/users/{}", student.id);
    late.teacher.get(&of_other).await.is_not_found();
    late.teacher.delete(&of_other).await.is_not_found();
    late.teacher.get(&format!("{path}/users/{}", late.student.id)).await.is(200);

    let other = make_group(&late.teacher, &course, json!({ "name": "Late ones" })).await.is(200).id();
    add(&late.teacher, other, student.id).await.is_refused(400, "does not take part in the course");
    add(&late.teacher, other, late.student.id).await.is(200);
}

#[tokio::test]
async fn members_whose_enrollments_are_inactive_are_left_out_where_that_is_asked_for() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let group = make_group(&teacher, &course, json!({ "name": "Herbarium" })).await.is(200).id();
    for user in [student.id, other.id] {
        add(&teacher, group, user).await.is(200);
    }
    let enrollment = course.path(&format!("/enrollments?user_id={}", other.id));
    let enrollment = school.admin.get(&enrollment).await.is(200).ids()[0];
    school.admin.delete(&course.path(&format!("/enrollments/{enrollment}?task=inactivate"))).await.is(200);
    let members = async |query: &str| teacher.get(&format!("/api/v1/groups/{group}/users{query}")).await.is(200).ids();
    assert_eq!(members("").await, [student.id, other.id]);
    assert_eq!(members("?exclude_inactive=false").await, [student.id, other.id]);
    assert_eq!(members("?exclude_inactive=true").await, [student.id]);
}

#[tokio::test]
async fn the_groups_of_an_account_are_narrowed_to_the_callers_own() {
    let school = School::start().await;
    let path = "/api/v1/accounts/self/groups";
    let make = async |name: &str| school.admin.post(path).json(json!({ "name": name })).await.is(200).id();
    let (council, choir) = (make("Council").await, make("Choir").await);
    add(&school.admin, choir, school.admin.id).await.is(200);
    assert_eq!(school.admin.get(path).await.is(200).ids(), [council, choir]);
    assert_eq!(school.admin.get(&format!("{path}?only_own_groups=true")).await.is(200).ids(), [choir]);
}

#[tokio::test]
async fn groups_go_from_the_lists_of_their_members_with_their_account() {
    let school = School::start().await;
    let account = json!({ "account": { "name": "Science" } });
    let account = school.admin.post("/api/v1/accounts/self/sub_accounts").json(account).await.is(200).id();
    let path = format!("/api/v1/accounts/{account}/groups");
    let group = school.admin.post(&path).json(json!({ "name": "Council" })).await.is(200).id();
    let ada = school.person("ada").await;
    add(&school.admin, group, ada.id).await.is(200);
    assert_eq!(ada.get("/api/v1/users/self/groups").await.is(200).ids(), [group]);
    school.admin.delete(&format!("/api/v1/accounts/self/sub_accounts/{account}")).await.is(200);
    ada.get(&format!("/api/v1/groups/{group}")).await.is_not_found();
    assert_eq!(ada.get("/api/v1/users/self/groups").await.is(200).ids(), [0; 0]);
}

#[tokio::test]
async fn a_reset_of_the_course_ends_the_memberships_of_its_groups() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let group = make_group(&teacher, &course, json!({ "name": "Mosses" })).await.is(200).id();
    add(&teacher, group, student.id).await.is(200);
    let files = format!("/api/v1/groups/{group}/files");
    let announced = student.post(&files).json(json!({ "name": "late.txt" })).await.is(200).json;
    teacher.post(&course.path("/reset_content")).await.is(200);
    send(&student, &announced, b"late").await.is_forbidden();
    // The old course comes back with its groups, and without its people.
    school.admin.put(&course.path("")).json(json!({ "course": { "event": "undelete" } })).await.is(200);
    let memberships = school.admin.get(&format!("/api/v1/groups/{group}/memberships")).await.is(200);
    assert_eq!(memberships.ids(), [0; 0]);
    send(&student, &announced, b"late").await.is_forbidden();
}
