//! Lists that are narrowed and put in order, and what is shown with a course.

use serde_json::{Value, json};
use support::{School, enroll};

use super::afternoon;

#[tokio::test]
async fn assignments_are_searched_chosen_and_put_in_order() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let path = course.path("/assignments");
    let make = async |assignment: Value| {
        let assignment = json!({ "assignment": assignment });
        teacher.post(&path).json(assignment).await.is(201).id()
    };
    let leaves = make(json!({ "name": "Leaves", "due_at": "2030-02-01T00:00:00Z", "published": true })).await;
    let bark = make(json!({ "name": "bark", "published": true })).await;
    let roots = make(json!({ "name": "Roots and leaves", "due_at": "2030-01-01T00:00:00Z" })).await;
    let list = async |query: &str| teacher.get(&format!("{path}{query}")).await.is(200).ids();
    assert_eq!(list("").await, [leaves, bark, roots]);
    assert_eq!(list("?order_by=position").await, [leaves, bark, roots]);
    assert_eq!(list("?order_by=name").await, [bark, leaves, roots]);
    assert_eq!(list("?order_by=due_at").await, [roots, leaves, bark]);
    assert_eq!(list("?search_term=LEAVES").await, [leaves, roots]);
    assert_eq!(list(&format!("?assignment_ids[]={roots}&assignment_ids[]={bark}")).await, [bark, roots]);
    assert_eq!(list("?order_by=due_at&per_page=1&page=2").await, [leaves]);
    teacher.get(&format!("{path}?order_by=luck")).await.is_refused(400, "order_by");
    let seen = student.get(&format!("{path}?search_term=leaves")).await.is(200).ids();
    assert_eq!(seen, [leaves], "a search shows students nothing that is not published");
}

#[tokio::test]
async fn sections_are_searched_by_name() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let section = json!({ "course_section": { "name": "Afternoon" } });
    let afternoon = school.admin.post(&course.path("/sections")).json(section).await.is(200).id();
    let list = async |query: &str| teacher.get(&course.path(&format!("/sections{query}"))).await;
    assert_eq!(list("").await.is(200).ids().len(), 2);
    let found = list("?search_term=NOON&include[]=total_students").await.is(200);
    assert_eq!((found.ids(), &found.json[0]["total_students"]), (vec![afternoon], &json!(0)));
    list("?search_term=n").await.is_refused(400, "search_term");
}

#[tokio::test]
async fn the_users_of_a_course_are_chosen_by_their_sections() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let (section, late) = afternoon(&school, &course).await;
    for list in ["users", "search_users"] {
        let found = teacher.get(&course.path(&format!("/{list}?section_ids[]={section}"))).await.is(200);
        assert_eq!(found.ids(), [late.id], "{list}");
    }
}

#[tokio::test]
async fn the_users_of_an_account_are_chosen_by_what_they_are_in_courses() {
    let school = School::start().await;
    let (_, teacher, student) = school.classroom("Botany").await;
    let users =
        async |query: &str| school.admin.get(&format!("/api/v1/accounts/self/users{query}")).await.is(200).ids();
    assert_eq!(users("?enrollment_type=teacher").await, [teacher.id]);
    assert_eq!(users("?enrollment_type[]=student&enrollment_type[]=teacher").await, [teacher.id, student.id]);
    assert!(users("?enrollment_type=designer").await.is_empty());
    assert!(users("").await.contains(&school.admin.id));
}

#[tokio::test]
async fn a_users_courses_are_chosen_by_role() {
    let school = School::start().await;
    let (botany, teacher, _) = school.classroom("Botany").await;
    let zoology = school.course("Zoology").await;
    enroll(&school.admin, zoology.id, teacher.id, "StudentEnrollment").await;
    let courses =
        async |role: &str| teacher.get(&format!("/api/v1/courses?enrollment_role={role}")).await.is(200).ids();
    assert_eq!(courses("TeacherEnrollment").await, [botany.id]);
    assert_eq!(courses("StudentEnrollment").await, [zoology.id]);
}

#[tokio::test]
async fn the_courses_of_an_account_are_chosen_by_state_dates_and_teachers() {
    let school = School::start().await;
    let (taught, teacher, _) = school.classroom("Botany").await;
    let make = async |course: Value, offer: bool| {
        let course = json!({ "course": course, "offer": offer });
        school.admin.post("/api/v1/accounts/self/courses").json(course).await.is(200).id()
    };
    let (early, late) = ("2030-01-01T00:00:00Z", "2030-06-01T00:00:00Z");
    let draft = make(json!({ "name": "Draft", "start_at": late }), false).await;
    let done = make(json!({ "name": "Done", "end_at": early, "is_public": true }), true).await;
    let conclude = json!({ "course": { "event": "conclude" } });
    school.admin.put(&format!("/api/v1/courses/{done}")).json(conclude).await.is(200);
    let list =
        async |query: &str| school.admin.get(&format!("/api/v1/accounts/self/courses?{query}")).await.is(200).ids();
    let middle = "2030-03-01T00:00:00Z";
    for (query, expected) in [
        ("", vec![taught.id, draft, done]),
        ("published=true", vec![taught.id, done]),
        ("published=false", vec![draft]),
        ("completed=true", vec![done]),
        ("completed=false", vec![taught.id, draft]),
        ("published=true&completed=false", vec![taught.id]),
        ("published=false&completed=true", vec![]),
        ("state[]=available&completed=true", vec![]),
        ("public=true", vec![done]),
        ("public=false", vec![taught.id, draft]),
        ("hide_enrollmentless_courses=true", vec![taught.id]),
        (&format!("starts_before={middle}"), vec![taught.id, done]),
        (&format!("starts_before={late}"), vec![taught.id, draft, done]),
        (&format!("ends_after={middle}"), vec![taught.id, draft]),
        (&format!("by_teachers[]={}", teacher.id), vec![taught.id]),
        ("search_by=teacher&search_term=teacherenroll", vec![taught.id]),
        ("search_by=course&search_term=teacherenroll", vec![]),
        ("search_by=course&search_term=dra", vec![draft]),
    ] {
        assert_eq!(list(query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn a_course_is_shown_with_what_is_asked_for() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let asked = "include[]=account&include[]=concluded&include[]=sections&include[]=teachers";
    let account = school.admin.get("/api/v1/accounts/self").await.is(200);
    let section = school.admin.get(&course.path("/sections")).await.is(200).ids()[0];
    let one = student.get(&course.path(&format!("?{asked}"))).await.is(200).json;
    let listed = student.get(&format!("/api/v1/courses?{asked}")).await.is(200).json[0].clone();
    for shown in [one, listed] {
        assert_eq!(shown["account"], json!({ "id": school.account, "name": account["name"] }));
        assert_eq!(shown["concluded"], false);
        let html_url = format!("{}/courses/{}/users/{}", school.admin.base_url(), course.id, teacher.id);
        let own = json!({ "id": teacher.id, "display_name": "TeacherEnrollment", "html_url": html_url });
        assert_eq!(shown["teachers"], json!([own]));
        let own = json!({
            "id": section, "name": "Botany", "start_at": null, "end_at": null, "enrollment_role": "StudentEnrollment",
        });
        assert_eq!(shown["sections"], json!([own]));
    }
    let plain = student.get(&course.path("")).await.is(200);
    for name in ["account", "concluded", "sections", "teachers", "total_students"] {
        assert!(plain.json.get(name).is_none(), "{name} is there without being asked for: {plain}");
    }
}
