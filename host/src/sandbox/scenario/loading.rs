//! The loading of a scenario: request by request into the application, as an administrator would do it.

use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};

use http::Method;
use serde_json::{Value, json};

use super::model::{Assignment, Course, CourseState, Page, Question, Quiz, Submissions, given};
use super::names::of_student;
use super::plan::{Plan, Roster};
use super::times::When;
use super::{Loaded, webhooks};
use crate::sandbox::Sandbox;
use crate::sandbox::inside::{number, text};
use crate::sandbox::people::{Person, shown_login};
use crate::sandbox::reply::Problem;

/// The time between two words about what has been done.
const WORD: Duration = Duration::from_secs(2);

/// A scenario that is being loaded.
pub(super) struct Loading<'a> {
    pub(super) sandbox: &'a Sandbox,
    pub(super) loaded: Loaded,
    /// The ids of users, by institution and login.
    users: HashMap<(Option<String>, String), i64>,
    requests: usize,
    told: Instant,
}

/// A course that is being filled.
struct Place<'a> {
    course: &'a Course,
    roster: &'a Roster,
    /// The path of the course, and where it stands in the file.
    path: String,
    file: String,
}

impl<'a> Loading<'a> {
    pub(super) fn new(sandbox: &'a Sandbox) -> Self {
        Self { sandbox, loaded: Loaded::default(), users: HashMap::new(), requests: 0, told: Instant::now() }
    }

    /// Loads everything.
    pub(super) async fn run(mut self, plan: &Plan) -> Result<Loaded, Problem> {
        for (index, account) in plan.scenario.accounts.iter().enumerate() {
            self.account(&account.name, &format!("accounts[{index}]")).await?;
        }
        self.users(plan).await?;
        for (index, (course, roster)) in plan.scenario.courses.iter().zip(&plan.rosters).enumerate() {
            Box::pin(self.course(course, roster, format!("courses[{index}]"))).await?;
        }
        for (index, webhook) in plan.scenario.webhooks.iter().enumerate() {
            webhooks::subscribe(&mut self, webhook, &format!("webhooks[{index}]")).await?;
        }
        Ok(self.loaded)
    }

    async fn account(&mut self, name: &str, place: &str) -> Result<(), Problem> {
        let made = self.send(None, "/api/v1/accounts", &json!({ "account": { "name": name } }), place).await?;
        let id = number(&made, "id")?;
        let (client, secret) = (text(&made, "client_id")?, text(&made, "client_secret")?);
        let sandbox = self.sandbox;
        sandbox.registry.admit(&sandbox.inside, Some((name.to_owned(), id)), &client, &secret).await?;
        self.loaded.accounts.insert(name.to_owned(), id);
        Ok(())
    }

    async fn users(&mut self, plan: &Plan) -> Result<(), Problem> {
        for person in &plan.known {
            self.users.insert((person.account.clone(), person.login.clone()), person.id);
        }
        for user in &plan.users {
            let channel = user.email.as_ref().map(|email| json!({ "address": email, "skip_confirmation": true }));
            let name = user.name.clone().unwrap_or_else(|| user.login.clone());
            let body = given([
                ("user", Some(json!({ "name": name }))),
                (
                    "pseudonym",
                    Some(given([
                        ("unique_id", Some(json!(user.login))),
                        ("password", user.password.as_ref().map(|password| json!(password))),
                    ])),
                ),
                ("communication_channel", channel),
            ]);
            let made = self.send(user.account.as_deref(), "/api/v1/accounts/self/users", &body, &user.place).await?;
            let id = number(&made, "id")?;
            let person = Person { login: user.login.clone(), account: user.account.clone(), id };
            self.users.insert((person.account.clone(), person.login.clone()), id);
            self.loaded.users.insert(shown_login(&person.login, person.account.as_deref()), id);
            self.sandbox.registry.change(|people| people.persons.push(person));
        }
        Ok(())
    }

    async fn course(&mut self, course: &'a Course, roster: &'a Roster, file: String) -> Result<(), Problem> {
        let fields = given([
            ("name", Some(json!(course.name))),
            ("course_code", course.code.as_ref().map(|code| json!(code))),
            ("start_at", self.time(course.start_at)),
            ("end_at", self.time(course.end_at)),
        ]);
        let body = json!({ "course": fields, "offer": course.state == CourseState::Available });
        let made = self.send(course.account.as_deref(), "/api/v1/accounts/self/courses", &body, &file).await?;
        let id = number(&made, "id")?;
        self.loaded.courses.insert(course.name.clone(), id);
        let place = Place { course, roster, path: format!("/api/v1/courses/{id}"), file };
        self.enroll(&place).await?;
        for (index, assignment) in course.assignments.iter().enumerate() {
            self.assignment(&place, assignment, index).await?;
        }
        for (index, quiz) in course.quizzes.iter().enumerate() {
            self.quiz(&place, quiz, &format!("{}.quizzes[{index}]", place.file)).await?;
        }
        for (index, page) in course.pages.iter().enumerate() {
            self.page(&place, page, &format!("{}.pages[{index}]", place.file)).await?;
        }
        Ok(())
    }

    /// Sections, and who takes part.
    async fn enroll(&mut self, place: &Place<'_>) -> Result<(), Problem> {
        let (path, roster, file) = (&place.path, place.roster, &place.file);
        let roles = [
            ("TeacherEnrollment", &roster.teachers, "teachers"),
            ("TaEnrollment", &roster.tas, "tas"),
            ("StudentEnrollment", &roster.students, "students"),
        ];
        for (role, logins, key) in roles {
            for login in logins {
                self.enroll_one(place, &format!("{path}/enrollments"), role, login, &format!("{file}.{key}")).await?;
            }
        }
        for (index, (section, students)) in place.course.sections.iter().zip(&roster.sections).enumerate() {
            let file = format!("{file}.sections[{index}]");
            let body = json!({ "course_section": { "name": section.name } });
            let made = self.send(place.account(), &format!("{path}/sections"), &body, &file).await?;
            let id = number(&made, "id")?;
            self.loaded.sections.insert(place.named(&section.name), id);
            let path = format!("/api/v1/sections/{id}/enrollments");
            for login in students {
                self.enroll_one(place, &path, "StudentEnrollment", login, &format!("{file}.students")).await?;
            }
        }
        Ok(())
    }

    async fn enroll_one(
        &mut self,
        place: &Place<'_>,
        path: &str,
        role: &str,
        login: &str,
        file: &str,
    ) -> Result<(), Problem> {
        let user = self.user(place, login)?;
        let body = json!({ "enrollment": { "user_id": user, "type": role, "enrollment_state": "active" } });
        self.send(place.account(), path, &body, file).await.map(drop)
    }

    async fn assignment(&mut self, place: &Place<'_>, assignment: &Assignment, index: usize) -> Result<(), Problem> {
        let file = format!("{}.assignments[{index}]", place.file);
        let types = assignment.submission_types.clone().unwrap_or_else(|| vec!["online_text_entry".to_owned()]);
        let fields = given([
            ("name", Some(json!(assignment.name))),
            ("description", assignment.description.as_ref().map(|text| json!(text))),
            ("points_possible", assignment.points.map(|points| json!(points))),
            ("due_at", self.time(assignment.due_at)),
            ("unlock_at", self.time(assignment.unlock_at)),
            ("lock_at", self.time(assignment.lock_at)),
            ("grading_type", assignment.grading_type.as_ref().map(|kind| json!(kind))),
            ("submission_types", Some(json!(types))),
            ("published", Some(json!(assignment.published.unwrap_or(true)))),
        ]);
        let path = format!("{}/assignments", place.path);
        let made = self.send(place.account(), &path, &json!({ "assignment": fields }), &file).await?;
        let id = number(&made, "id")?;
        self.loaded.assignments.insert(place.named(&assignment.name), id);
        if let Some(submissions) = &assignment.submissions {
            let students = place.roster.submissions.get(index).map(Vec::as_slice).unwrap_or_default();
            let path = format!("{path}/{id}/submissions");
            self.submissions(place, submissions, students, &path, &format!("{file}.submissions")).await?;
        }
        Ok(())
    }

    async fn submissions(
        &mut self,
        place: &Place<'_>,
        submissions: &Submissions,
        students: &[String],
        path: &str,
        file: &str,
    ) -> Result<(), Problem> {
        let submitted_at = self.time(submissions.submitted_at);
        for (index, login) in students.iter().enumerate() {
            let user = self.user(place, login)?;
            let filled = |template: &Option<String>| {
                template.as_deref().map(|template| json!(of_student(template, login, index.saturating_add(1))))
            };
            let (body, url) = (filled(&submissions.body), filled(&submissions.url));
            if body.is_some() || url.is_some() {
                let kind = if url.is_some() { "online_url" } else { "online_text_entry" };
                let work = given([
                    ("user_id", Some(json!(user))),
                    ("submission_type", Some(json!(kind))),
                    ("body", body),
                    ("url", url),
                    ("submitted_at", submitted_at.clone()),
                ]);
                self.send(place.account(), path, &json!({ "submission": work }), file).await?;
            }
            if let Some(grade) = &submissions.grade {
                let grade = json!({ "submission": { "posted_grade": grade.0 } });
                self.ask(Method::PUT, place.account(), &format!("{path}/{user}"), &grade, file).await?;
            }
        }
        Ok(())
    }

    /// Students may take a quiz when all its questions are there.
    async fn quiz(&mut self, place: &Place<'_>, quiz: &Quiz, file: &str) -> Result<(), Problem> {
        let fields = given([
            ("title", Some(json!(quiz.title))),
            ("description", quiz.description.as_ref().map(|text| json!(text))),
            ("quiz_type", Some(json!(quiz.quiz_type.as_deref().unwrap_or("assignment")))),
            ("due_at", self.time(quiz.due_at)),
            ("time_limit", quiz.time_limit.map(|minutes| json!(minutes))),
            ("allowed_attempts", quiz.allowed_attempts.map(|attempts| json!(attempts))),
        ]);
        let path = format!("{}/quizzes", place.path);
        let made = self.send(place.account(), &path, &json!({ "quiz": fields }), file).await?;
        let id = number(&made, "id")?;
        self.loaded.quizzes.insert(place.named(&quiz.title), id);
        let path = format!("{path}/{id}");
        for (index, question) in quiz.questions.iter().enumerate() {
            let body = json!({ "question": fields_of(question) });
            let file = format!("{file}.questions[{index}]");
            self.send(place.account(), &format!("{path}/questions"), &body, &file).await?;
        }
        if quiz.published {
            let publish = json!({ "quiz": { "published": true } });
            self.ask(Method::PUT, place.account(), &path, &publish, file).await?;
        }
        Ok(())
    }

    async fn page(&mut self, place: &Place<'_>, page: &Page, file: &str) -> Result<(), Problem> {
        let fields = given([
            ("title", Some(json!(page.title))),
            ("body", page.body.as_ref().map(|body| json!(body))),
            ("published", Some(json!(page.published.unwrap_or(true)))),
            ("front_page", page.front_page.map(|is_first| json!(is_first))),
        ]);
        let path = format!("{}/pages", place.path);
        let made = self.send(place.account(), &path, &json!({ "wiki_page": fields }), file).await?;
        self.loaded.pages.insert(place.named(&page.title), text(&made, "url")?);
        Ok(())
    }

    fn user(&self, place: &Place<'_>, login: &str) -> Result<i64, Problem> {
        let key = (place.course.account.clone(), login.to_owned());
        let user = self.users.get(&key).copied();
        user.ok_or_else(|| Problem::bad_request(format!("nobody has the login {login}")).at(&place.file))
    }

    fn time(&self, when: Option<When>) -> Option<Value> {
        when.map(|when| json!(when.from(self.sandbox.clock.moment())))
    }

    /// Posts something that must be taken.
    pub(super) async fn send(
        &mut self,
        account: Option<&str>,
        path: &str,
        body: &Value,
        file: &str,
    ) -> Result<Value, Problem> {
        self.ask(Method::POST, account, path, body, file).await
    }

    async fn ask(
        &mut self,
        method: Method,
        account: Option<&str>,
        path: &str,
        body: &Value,
        file: &str,
    ) -> Result<Value, Problem> {
        let token = self.sandbox.registry.admin_token(account);
        let answer = self.sandbox.inside.call(method, path, &token, Some(body)).await;
        self.tell();
        answer.map_err(|problem| problem.at(file))
    }

    /// Says now and then how far it has come.
    fn tell(&mut self) {
        self.requests = self.requests.saturating_add(1);
        if self.told.elapsed() >= WORD {
            self.told = Instant::now();
            // A closed terminal is no reason to fail.
            let _closed = writeln!(std::io::stderr(), "Loading the scenario: {} requests so far", self.requests);
        }
    }
}

impl Place<'_> {
    fn account(&self) -> Option<&str> {
        self.course.account.as_deref()
    }

    /// A name among those of other courses.
    fn named(&self, name: &str) -> String {
        format!("{}/{name}", self.course.name)
    }
}

fn fields_of(question: &Question) -> Value {
    let answers: Vec<_> =
        question.answers.iter().map(|answer| json!({ "text": answer.text, "weight": answer.weight })).collect();
    given([
        ("question_name", question.name.as_ref().map(|name| json!(name))),
        ("question_type", question.r#type.as_ref().map(|kind| json!(kind))),
        ("question_text", Some(json!(question.text))),
        ("points_possible", question.points.map(|points| json!(points))),
        ("answers", (!answers.is_empty()).then(|| json!(answers))),
    ])
}
