//! A tenant of its own for each test.

use serde_json::json;

use crate::{Client, Running, running, unique};

/// A tenant: a root account and its administrator.
pub struct School {
    /// The root account's id.
    pub account: i64,
    /// Its administrator, who is nobody in other tenants.
    pub admin: Client,
}

/// A published course.
pub struct Course {
    /// Its id.
    pub id: i64,
    admin: Client,
}

/// A section of a course, with those who are enrolled in it alone.
pub struct Section {
    /// Its id.
    pub id: i64,
    /// A teacher whose privileges are limited to the section.
    pub teacher: Client,
    /// A student.
    pub student: Client,
}

impl School {
    /// Founds a school.
    pub async fn start() -> Self {
        Self::start_in(&running()).await
    }

    /// Founds a school in an application that a test has of its own.
    pub async fn start_in(site: &Running) -> Self {
        let account = json!({ "account": { "name": "A school" } });
        let account = site.site_admin().await.post("/api/v1/accounts").json(account).await.is(200);
        let text = |key: &str| account[key].as_str().expect("credentials").to_owned();
        let admin = site.nobody().with_credentials(&text("client_id"), &text("client_secret")).await;
        Self { account: account.id(), admin }
    }

    /// A user with a token that may call everything.
    pub async fn person(&self, name: &str) -> Client {
        let user = json!({ "user": { "name": name }, "pseudonym": { "unique_id": unique(name) } });
        let user = self.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
        let token = self.admin.token_for(user, json!({ "purpose": "test" })).await.is(200);
        self.admin.with_token(token["visible_token"].as_str().expect("a token")).with_id(user)
    }

    /// Suspends all logins of a person, or lets them in again: that is the state.
    pub async fn set_logins(&self, person: &Client, state: &str) {
        let logins = self.admin.get(&format!("/api/v1/users/{}/logins", person.id)).await.is(200).ids();
        assert!(!logins.is_empty());
        for login in logins {
            let change = json!({ "login": { "workflow_state": state } });
            self.admin.put(&format!("/api/v1/accounts/self/logins/{login}")).json(change).await.is(200);
        }
    }

    /// A published course.
    pub async fn course(&self, name: &str) -> Course {
        let course = json!({ "course": { "name": name }, "offer": true });
        let id = self.admin.post("/api/v1/accounts/self/courses").json(course).await.is(200).id();
        Course { id, admin: self.admin.clone() }
    }

    /// A course with a teacher and a student.
    pub async fn classroom(&self, name: &str) -> (Course, Client, Client) {
        let course = self.course(name).await;
        let teacher = course.member(self, "TeacherEnrollment").await;
        let student = course.member(self, "StudentEnrollment").await;
        (course, teacher, student)
    }
}

impl Course {
    /// The path of the course, and of what is in it.
    pub fn path(&self, rest: &str) -> String {
        format!("/api/v1/courses/{}{rest}", self.id)
    }

    /// A new user who is enrolled in that role.
    pub async fn member(&self, school: &School, role: &str) -> Client {
        let person = school.person(role).await;
        enroll(&self.admin, self.id, person.id, role).await;
        person
    }
}

impl Course {
    /// Another section, with a student and a teacher who is limited to it.
    pub async fn section(&self, school: &School, name: &str) -> Section {
        let section = json!({ "course_section": { "name": name } });
        let id = self.admin.post(&self.path("/sections")).json(section).await.is(200).id();
        let (teacher, student) = (school.person(name).await, school.person(name).await);
        self.limit_to(id, &teacher, "TeacherEnrollment").await;
        let enrollment = json!({ "user_id": student.id, "enrollment_state": "active" });
        let path = format!("/api/v1/sections/{id}/enrollments");
        self.admin.post(&path).json(json!({ "enrollment": enrollment })).await.is(200);
        Section { id, teacher, student }
    }

    /// Enrolls the user in the section, or changes the enrollment there is: it limits the user's privileges to the section.
    pub async fn limit_to(&self, section: i64, user: &Client, role: &str) {
        let enrollment = json!({
            "user_id": user.id, "type": role, "enrollment_state": "active", "limit_privileges_to_course_section": true,
        });
        let path = format!("/api/v1/sections/{section}/enrollments");
        self.admin.post(&path).json(json!({ "enrollment": enrollment })).await.is(200);
    }

    /// The section that users are enrolled in where none is named.
    pub async fn default_section(&self, member: &Client) -> i64 {
        let enrollments = self.admin.get(&self.path(&format!("/enrollments?user_id={}", member.id))).await.is(200);
        enrollments.json[0]["course_section_id"].as_i64().expect("a section")
    }
}

/// Enrolls the user; the enrollment is active at once.
pub async fn enroll(admin: &Client, course: i64, user: i64, role: &str) {
    let enrollment = json!({ "user_id": user, "type": role, "enrollment_state": "active" });
    let path = format!("/api/v1/courses/{course}/enrollments");
    admin.post(&path).json(json!({ "enrollment": enrollment })).await.is(200);
}
