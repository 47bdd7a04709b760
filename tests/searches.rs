//! What lists find by `search_term`.

use serde_json::{Value, json};
use support::{Client, Course, School, enroll, unique};

use crate::files::upload;

/// A course that is named in capitals of several alphabets, as everything in it is.
struct Library {
    school: School,
    course: Course,
    teacher: Client,
    reader: i64,
}

const NAME: &str = "ÉTUDE ΣΟΦΟΣ 50%_[*] Ñ";
/// Parts of it in other cases: `étude`, `σοφος` with the sigma of a word's end, `50%_[*] ñ`.
const PARTS: [&str; 3] = ["%C3%A9tude", "%CF%83%CE%BF%CF%86%CE%BF%CF%82", "50%25_%5B%2A%5D%20%C3%B1"];
/// What is like it: `etude`, `50__`, `50%*`, `[é]tude`.
const OTHERS: [&str; 4] = ["etude", "50__", "50%25%2A", "%5B%C3%A9%5Dtude"];

impl Library {
    async fn open() -> Self {
        let school = School::start().await;
        let course = school.course(NAME).await;
        let teacher = course.member(&school, "TeacherEnrollment").await;
        let user = json!({ "user": { "name": NAME }, "pseudonym": { "unique_id": unique("reader") } });
        let reader = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
        enroll(&school.admin, course.id, reader, "StudentEnrollment").await;
        Self { school, course, teacher, reader }
    }

    /// Makes a record of the course, and answers the path of its list.
    async fn make(&self, kind: &str, body: Value) -> String {
        let path = self.course.path(&format!("/{kind}"));
        let status = if kind == "assignments" { 201 } else { 200 };
        self.teacher.post(&path).json(body).await.is(status);
        path
    }

    /// The lists that have something of that name, each with who reads it.
    async fn lists(&self) -> Vec<(&Client, String)> {
        let (admin, teacher) = (&self.school.admin, &self.teacher);
        self.school
            .admin
            .post("/api/v1/accounts/self/terms")
            .json(json!({ "enrollment_term": { "name": NAME } }))
            .await
            .is(200);
        upload(teacher, &self.course.path("/files"), json!({ "name": NAME }), b"text").await;
        let group = teacher.post(&self.course.path("/groups")).json(json!({ "name": "Readers" })).await.is(200).id();
        let members = format!("/api/v1/groups/{group}");
        admin.post(&format!("{members}/memberships")).json(json!({ "user_id": self.reader })).await.is(200);
        vec![
            (admin, "/api/v1/accounts/self/users".to_owned()),
            (admin, "/api/v1/accounts/self/courses".to_owned()),
            (teacher, self.course.path("/users")),
            (teacher, format!("{members}/users")),
            (teacher, self.course.path("/files")),
            // A course has a section of its name.
            (teacher, self.course.path("/sections")),
            (teacher, self.make("assignments", json!({ "assignment": { "name": NAME } })).await),
            (teacher, self.make("quizzes", json!({ "quiz": { "title": NAME } })).await),
            (teacher, self.make("pages", json!({ "wiki_page": { "title": NAME } })).await),
        ]
    }
}

async fn found(reader: &Client, list: &str, term: &str) -> usize {
    reader.get(&format!("{list}?search_term={term}")).await.is(200).json.as_array().unwrap().len()
}

#[tokio::test]
async fn letters_are_found_in_either_case_whatever_the_alphabet() {
    let library = Library::open().await;
    for (reader, list) in library.lists().await {
        for part in PARTS {
            assert_eq!(found(reader, &list, part).await, 1, "{part} in {list}");
        }
        for other in OTHERS {
            assert_eq!(found(reader, &list, other).await, 0, "{other} in {list}");
        }
    }
    let terms = "/api/v1/accounts/self/terms?term_name=%C3%A9tude";
    let terms = library.school.admin.get(terms).await.is(200);
    assert_eq!(terms["enrollment_terms"].as_array().unwrap().len(), 1, "{terms}");
    let report = json!({ "error": { "subject": NAME } });
    library.teacher.post("/api/v1/error_reports").json(report).await.is(200);
    assert_eq!(found(&library.school.admin, "/api/v1/error_reports", PARTS[0]).await, 1);
    assert_eq!(found(&library.school.admin, "/api/v1/error_reports", OTHERS[0]).await, 0);
}

#[tokio::test]
async fn a_course_is_found_by_its_teachers_and_by_its_id() {
    let library = Library::open().await;
    let admin = &library.school.admin;
    enroll(admin, library.course.id, library.reader, "TeacherEnrollment").await;
    let courses = "/api/v1/accounts/self/courses";
    for part in PARTS {
        let by_teacher = admin.get(&format!("{courses}?search_by=teacher&search_term={part}")).await.is(200);
        assert_eq!(by_teacher.ids(), [library.course.id], "{part}");
    }
    // An id is one as a whole: that of the course is not looked for in others.
    let by_id = admin.get(&format!("{courses}?search_term=0{}", library.course.id)).await.is(200);
    assert!(by_id.ids().is_empty(), "{by_id}");
    let users = format!("/api/v1/accounts/self/users?search_term=00{}", library.reader);
    assert!(admin.get(&users).await.is(200).ids().is_empty());
}

#[tokio::test]
async fn a_term_is_as_long_as_a_name() {
    let library = Library::open().await;
    let (long, longer) = ("x".repeat(255), "x".repeat(256));
    for (reader, list) in library.lists().await {
        assert_eq!(found(reader, &list, &long).await, 0, "{list}");
        reader.get(&format!("{list}?search_term={longer}")).await.is(400);
    }
}
