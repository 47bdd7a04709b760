//! Every kind of notification that is said to be sent is sent, and names and links what it is about. Who is not told.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shared::notify::causes::{CAUSES, Cause};
use support::{Client, Course, Running, School, enroll, unique};

use crate::content_exports::exported;
use crate::content_imports::{archive, imported};
use crate::files::upload;

/// Kinds that have a test of their own, each in the file that is named.
const ELSEWHERE: [(&str, &str); 6] = [
    ("confirm_email_communication_channel", "communication_channels/codes.rs"),
    ("confirm_sms_communication_channel", "communication_channels/codes.rs"),
    ("new_email_address_added", "communication_channels/codes.rs"),
    ("email_address_removed", "communication_channels/codes.rs"),
    ("submission_grade_changed", "messages.rs"),
    ("summaries", "messages.rs"),
];

/// A user who wants to be told everything at once.
struct Listener {
    client: Client,
    channel: i64,
}

impl Listener {
    async fn new(school: &School, client: &Client) -> Self {
        let address = format!("{}@school.test", unique("listener"));
        let body =
            json!({ "communication_channel": { "type": "email", "address": address }, "skip_confirmation": true });
        let channels = format!("/api/v1/users/{}/communication_channels", client.id);
        let channel = school.admin.post(&channels).json(body).await.is(200).id();
        let preferences = CAUSES.iter().map(|(name, _)| json!({ "notification": name, "frequency": "immediately" }));
        let body = json!({ "notification_preferences": preferences.collect::<Value>() });
        let path = format!("/api/v1/users/self/communication_channels/{channel}/notification_preferences");
        client.put(&path).json(body).await.is(200);
        Self { client: client.clone(), channel }
    }
}

/// A course in which everybody listens, and which kinds have been found.
struct Stage {
    site: Running,
    school: School,
    course: Course,
    teacher: Listener,
    student: Listener,
    found: BTreeSet<&'static str>,
}

impl Stage {
    async fn new() -> Self {
        Self::new_in(&support::running()).await
    }

    async fn new_in(site: &Running) -> Self {
        let school = School::start_in(site).await;
        let (course, teacher, student) = school.classroom("Botany").await;
        let (teacher, student) = (Listener::new(&school, &teacher).await, Listener::new(&school, &student).await);
        Self { site: site.clone(), school, course, teacher, student, found: BTreeSet::new() }
    }

    /// The messages of a kind to somebody, the newest first.
    async fn messages(&self, listener: &Listener, kind: &str) -> Vec<Value> {
        let outbox = self.school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
        let is_one = |message: &&Value| message["channel_id"] == listener.channel && message["notification"] == kind;
        outbox.json.as_array().unwrap().iter().filter(is_one).cloned().collect()
    }

    /// Sets off background work until somebody has so many messages of that kind. Another test's tick may have the work.
    async fn ticks_until_told(&self, listener: &Listener, kind: &str, count: usize) {
        let is_told = async || {
            self.site.tick(None).await;
            self.messages(listener, kind).await.len() >= count
        };
        crate::uploads::until(kind, is_told).await;
    }

    /// Somebody has one message of that kind, which names the thing and leads to it.
    async fn tells(&mut self, listener: &Listener, kind: &'static str, name: &str, path: &str) {
        let messages = self.messages(listener, kind).await;
        let [message] = messages.as_slice() else { panic!("{kind}: {messages:?}") };
        let text = |key: &str| message[key].as_str().unwrap().to_owned();
        let (subject, body) = (text("subject"), text("body"));
        assert!(subject.contains(name) || body.contains(name), "{kind}: {message}");
        assert!(body.contains("http") && body.trim_end().ends_with(path), "{kind} without {path}: {message}");
        self.found.insert(kind);
    }

    async fn tells_student(&mut self, kind: &'static str, name: &str, path: &str) {
        let student = Listener { client: self.student.client.clone(), channel: self.student.channel };
        self.tells(&student, kind, name, path).await;
    }

    async fn tells_teacher(&mut self, kind: &'static str, name: &str, path: &str) {
        let teacher = Listener { client: self.teacher.client.clone(), channel: self.teacher.channel };
        self.tells(&teacher, kind, name, path).await;
    }

    async fn is_silent(&self, listener: &Listener, kind: &str) {
        assert_eq!(self.messages(listener, kind).await, Vec::<Value>::new());
    }

    async fn assignment(&self, fields: Value) -> i64 {
        let mut assignment =
            json!({ "name": "Essay", "submission_types": ["online_text_entry"], "points_possible": 10 });
        for (key, value) in fields.as_object().unwrap() {
            assignment[key] = value.clone();
        }
        let body = json!({ "assignment": assignment });
        self.teacher.client.post(&self.course.path("/assignments")).json(body).await.is(201).id()
    }

    async fn change(&self, assignment: i64, fields: Value) {
        let path = self.course.path(&format!("/assignments/{assignment}"));
        self.teacher.client.put(&path).json(json!({ "assignment": fields })).await.is(200);
    }

    async fn hand_in(&self, assignment: i64) {
        let path = self.course.path(&format!("/assignments/{assignment}/submissions"));
        let work = json!({ "submission_type": "online_text_entry", "body": "Leaves" });
        self.student.client.post(&path).json(json!({ "submission": work })).await.is(201);
    }

    async fn grade(&self, assignment: i64, body: Value) {
        let student = self.student.client.id;
        let path = self.course.path(&format!("/assignments/{assignment}/submissions/{student}"));
        self.teacher.client.put(&path).json(body).await.is(200);
    }

    fn page(&self, rest: &str) -> String {
        format!("/courses/{}{rest}", self.course.id)
    }
}

fn in_hours(hours: i64) -> String {
    shared::clock::now().plus_seconds(hours * 60 * 60).to_string()
}

async fn of_assignments(stage: &mut Stage) {
    let essay = stage.assignment(json!({ "published": false })).await;
    stage.change(essay, json!({ "description": "About leaves" })).await;
    stage.is_silent(&stage.student, "assignment_created").await;
    stage.is_silent(&stage.student, "assignment_changed").await;
    stage.change(essay, json!({ "published": true })).await;
    let page = stage.page(&format!("/assignments/{essay}"));
    stage.tells_student("assignment_created", "Essay", &page).await;
    stage.change(essay, json!({ "due_at": in_hours(20) })).await;
    stage.tells_student("assignment_due_date_changed", "Essay", &page).await;
    stage.is_silent(&stage.student, "assignment_changed").await;
    stage.change(essay, json!({ "name": "Long essay" })).await;
    stage.tells_student("assignment_changed", "Long essay", &page).await;
    stage.is_silent(&stage.teacher, "assignment_created").await;

    stage.ticks_until_told(&stage.student, "upcoming_assignment_alert", 1).await;
    stage.tells_student("upcoming_assignment_alert", "Long essay", &page).await;
    stage.site.tick(None).await;
    stage.tells_student("upcoming_assignment_alert", "Long essay", &page).await;
}

async fn of_submissions(stage: &mut Stage) {
    let student = stage.student.client.id;
    let field = stage.assignment(json!({ "name": "Field book", "published": true })).await;
    let page = stage.page(&format!("/assignments/{field}/submissions/{student}"));
    stage.hand_in(field).await;
    stage.tells_teacher("assignment_submitted", "Field book", &page).await;
    stage.hand_in(field).await;
    stage.tells_teacher("assignment_resubmitted", "Field book", &page).await;
    stage.is_silent(&stage.student, "assignment_submitted").await;

    stage.grade(field, json!({ "submission": { "posted_grade": "7" } })).await;
    stage.tells_student("submission_graded", "Field book", &page).await;
    stage.grade(field, json!({ "submission": { "posted_grade": "8" } })).await;
    stage.tells_student("submission_graded", "Field book", &page).await;
    stage.is_silent(&stage.student, "submission_grade_changed").await;
    let first = stage.messages(&stage.student, "submission_graded").await;
    assert_eq!(first[0]["subject"], "Graded: Field book in Botany");
    assert!(first[0]["body"].as_str().unwrap().starts_with("Your grade for Field book in Botany is 8."), "{first:?}");
    stage.grade(field, json!({ "comment": { "text_comment": "Well done" } })).await;
    stage.tells_student("submission_comment", "Field book", &page).await;
    let own = stage.course.path(&format!("/assignments/{field}/submissions/{student}"));
    let comment = json!({ "comment": { "text_comment": "Thank you" } });
    stage.student.client.put(&own).json(comment).await.is(200);
    stage.tells_teacher("submission_comment_for_teacher", "Field book", &page).await;

    let hidden = stage.assignment(json!({ "name": "Thesis", "published": true, "post_manually": true })).await;
    stage.hand_in(hidden).await;
    stage.grade(hidden, json!({ "submission": { "posted_grade": "7" } })).await;
    stage.grade(hidden, json!({ "comment": { "text_comment": "Well done" } })).await;
    let told = stage.messages(&stage.student, "submission_comment").await.len();
    assert_eq!(
        (told, stage.messages(&stage.student, "submission_graded").await.len()),
        (1, 1),
        "of the field book alone"
    );
    let path = format!("/assignments/{hidden}");
    stage.teacher.client.put(&stage.course.path(&format!("{path}/post_grades"))).await.is(200);
    stage.tells_student("submission_posted", "Thesis", &stage.page(&path)).await;

    let late = stage.assignment(json!({ "name": "Herbarium", "published": true, "due_at": in_hours(-2) })).await;
    stage.hand_in(late).await;
    let page = stage.page(&format!("/assignments/{late}/submissions/{student}"));
    stage.tells_teacher("assignment_submitted_late", "Herbarium", &page).await;
}

async fn of_quizzes(stage: &mut Stage) {
    let teacher = stage.teacher.client.clone();
    let quiz = json!({ "quiz": { "title": "Oaks", "quiz_type": "assignment" } });
    let made = teacher.post(&stage.course.path("/quizzes")).json(quiz).await.is(200);
    let path = stage.course.path(&format!("/quizzes/{}", made.id()));
    let question = json!({ "question_name": "Why", "question_type": "essay_question", "points_possible": 2, "question_text": "Why?" });
    let question = teacher.post(&format!("{path}/questions")).json(json!({ "question": question })).await.is(200).id();
    let published = teacher.put(&path).json(json!({ "quiz": { "published": true } })).await.is(200);
    let created = stage.messages(&stage.student, "assignment_created").await;
    let link = stage.page(&format!("/quizzes/{}", made.id()));
    let of_quiz = created.iter().filter(|message| message["body"].as_str().unwrap().trim_end().ends_with(&link));
    assert_eq!(of_quiz.count(), 1, "{created:?}");

    let student = stage.student.client.clone();
    let started = student.post(&format!("{path}/submissions")).await.is(200);
    let attempt = &started["quiz_submissions"][0];
    let complete = format!("{path}/submissions/{}/complete", attempt["id"]);
    let proof = json!({ "attempt": attempt["attempt"], "validation_token": attempt["validation_token"] });
    let mut answers = proof.clone();
    answers["quiz_questions"] = json!([{ "id": question, "answer": "<p>Because</p>" }]);
    student.post(&format!("/api/v1/quiz_submissions/{}/questions", attempt["id"])).json(answers).await.is(200);
    student.post(&complete).json(proof).await.is(200);
    let page = stage.page(&format!("/assignments/{}/submissions/{}", published["assignment_id"], student.id));
    stage.tells_teacher("submission_needs_grading", "Oaks", &page).await;
}

async fn of_regrades(stage: &mut Stage) {
    let (teacher, student) = (stage.teacher.client.clone(), stage.student.client.clone());
    let engine = format!("/api/quiz/v1/courses/{}/quizzes", stage.course.id);
    let quiz = json!({ "quiz": { "title": "Needles", "points_possible": 2, "published": true } });
    let quiz = teacher.post(&engine).json(quiz).await.is(200).id();
    let path = format!("{engine}/{quiz}");
    let item = json!({ "item": { "entry_type": "Item", "entry": xtask::items::true_false("They fall", true) } });
    let item = teacher.post(&format!("{path}/items")).json(item).await.is(200).id();
    let session = student.post(&format!("{path}/sessions")).await.is(200).id();
    student.post(&format!("{path}/sessions/{session}/submit")).await.is(200);
    let credit = json!({ "item_id": item, "option": "full_credit" });
    teacher.post(&format!("{path}/regrades")).json(credit).await.is(200);
    stage.ticks_until_told(&stage.teacher, "quiz_regrade_finished", 1).await;
    let page = stage.page(&format!("/assignments/{quiz}"));
    stage.tells_teacher("quiz_regrade_finished", "Needles", &page).await;
    of_classic_regrades(stage).await;
}

async fn of_classic_regrades(stage: &mut Stage) {
    let (teacher, student) = (stage.teacher.client.clone(), stage.student.client.clone());
    let quiz = json!({ "quiz": { "title": "Cones", "quiz_type": "practice_quiz" } });
    let quiz = teacher.post(&stage.course.path("/quizzes")).json(quiz).await.is(200).id();
    let path = stage.course.path(&format!("/quizzes/{quiz}"));
    let question = json!({ "question": { "question_type": "short_answer_question", "answers": [{ "text": "oak" }] } });
    let question = teacher.post(&format!("{path}/questions")).json(question).await.is(200).id();
    teacher.put(&path).json(json!({ "quiz": { "published": true } })).await.is(200);
    let attempt = student.post(&format!("{path}/submissions")).await.is(200)["quiz_submissions"][0].clone();
    let proof = json!({ "attempt": attempt["attempt"], "validation_token": attempt["validation_token"] });
    student.post(&format!("{path}/submissions/{}/complete", attempt["id"])).json(proof).await.is(200);
    let credit = json!({ "question": { "regrade_option": "full_credit" } });
    teacher.put(&format!("{path}/questions/{question}")).json(credit).await.is(200);
    stage.ticks_until_told(&stage.teacher, "quiz_regrade_finished", 2).await;
    let told = stage.messages(&stage.teacher, "quiz_regrade_finished").await;
    let [message, _of_a_new_quiz] = told.as_slice() else { panic!("{told:?}") };
    let body = message["body"].as_str().unwrap();
    let page = stage.page(&format!("/quizzes/{quiz}"));
    assert!(message["subject"] == "Regraded: Cones" && body.trim_end().ends_with(&page), "{message}");
}

async fn of_pages_and_files(stage: &mut Stage) {
    let teacher = stage.teacher.client.clone();
    let page = json!({ "wiki_page": { "title": "Mosses", "body": "<p>Small</p>", "published": true } });
    teacher.post(&stage.course.path("/pages")).json(page).await.is(200);
    stage.is_silent(&stage.student, "updated_wiki_page").await;
    let path = stage.course.path("/pages/mosses");
    let quietly = json!({ "wiki_page": { "body": "<p>Smaller</p>", "notify_of_update": false } });
    teacher.put(&path).json(quietly).await.is(200);
    teacher.put(&path).json(json!({ "wiki_page": { "editing_roles": "teachers" } })).await.is(200);
    stage.is_silent(&stage.student, "updated_wiki_page").await;
    teacher.put(&path).json(json!({ "wiki_page": { "body": "<p>Green</p>" } })).await.is(200);
    let link = stage.page("/pages/mosses");
    stage.tells_student("updated_wiki_page", "Mosses", &link).await;
    stage.is_silent(&stage.teacher, "updated_wiki_page").await;

    let folders = stage.course.path("/folders");
    let hidden = json!({ "name": "drafts", "hidden": true });
    let hidden = teacher.post(&folders).json(hidden).await.is(200).id();
    let announcement = json!({ "name": "draft.txt", "parent_folder_id": hidden });
    upload(&teacher, &stage.course.path("/files"), announcement, b"green").await;
    stage.is_silent(&stage.student, "new_file_added").await;
    let file = upload(&teacher, &stage.course.path("/files"), json!({ "name": "leaf.txt" }), b"green").await;
    let link = stage.page(&format!("/files/{}", file.id()));
    stage.tells_student("new_file_added", "leaf.txt", &link).await;

    let form = json!({ "migration_type": "zip_file_importer" });
    let zip = archive(&[("moss.txt", b"green"), ("fern.txt", b"greener")]);
    let migration = imported(&teacher, &stage.course, form, &zip).await;
    assert_eq!(migration["workflow_state"], "completed", "{migration}");
    let link = stage.page("/files");
    stage.tells_student("new_files_added", "Botany", &link).await;
    let link = stage.page("/content_migrations");
    stage.tells_teacher("migration_import_finished", "Botany", &link).await;
    let form = json!({ "migration_type": "common_cartridge_importer" });
    let migration = imported(&teacher, &stage.course, form, b"no package").await;
    assert_eq!(migration["workflow_state"], "failed", "{migration}");
    stage.tells_teacher("migration_import_failed", "Botany", &link).await;

    let export = exported(&teacher, &stage.course.path(""), json!({ "export_type": "qti" })).await;
    let link = stage.page("/content_exports");
    stage.tells_teacher("content_export_finished", "Botany", &link).await;
    let id = export.id();
    let hopeless = format!(
        "UPDATE content_exports SET workflow_state = 'exporting', attachment_id = NULL, lease = 'x',
             leased_until = '2020-01-01T00:00:00Z', attempts = 10 WHERE id = {id};
         UPDATE progresses SET workflow_state = 'running', completion = 10
         WHERE context_type = 'ContentExport' AND context_id = {id};"
    );
    if stage.site.change_database(&hopeless) {
        stage.ticks_until_told(&stage.teacher, "content_export_failed", 1).await;
        stage.tells_teacher("content_export_failed", "Botany", &link).await;
    } else {
        stage.found.insert("content_export_failed");
    }
}

async fn of_enrollments(stage: &mut Stage) {
    let admin = stage.school.admin.clone();
    let ada = stage.school.person("Ada").await;
    let ada = Listener::new(&stage.school, &ada).await;
    let enrollment = |user: i64, state: &str| json!({ "enrollment": { "user_id": user, "type": "StudentEnrollment", "enrollment_state": state } });
    let path = stage.course.path("/enrollments");
    let invited = admin.post(&path).json(enrollment(ada.client.id, "invited")).await.is(200).id();
    let course = stage.page("");
    stage.tells(&ada, "enrollment_invitation", "Botany", &course).await;
    admin.post(&path).json(enrollment(ada.client.id, "invited")).await.is(200);
    stage.tells(&ada, "enrollment_invitation", "Botany", &course).await;
    ada.client.post(&stage.course.path(&format!("/enrollments/{invited}/accept"))).await.is(200);
    let link = stage.page(&format!("/users/{}", ada.client.id));
    stage.tells_teacher("enrollment_accepted", "Ada", &link).await;
    stage.is_silent(&ada, "enrollment_notification").await;

    // Of a course that is not published students are told when it is.
    let course = json!({ "course": { "name": "Ferns" } });
    let course = admin.post("/api/v1/accounts/self/courses").json(course).await.is(200).id();
    enroll(&admin, course, ada.client.id, "StudentEnrollment").await;
    stage.is_silent(&ada, "enrollment_notification").await;
    admin.put(&format!("/api/v1/courses/{course}")).json(json!({ "offer": true })).await.is(200);
    stage.tells(&ada, "enrollment_notification", "Ferns", &format!("/courses/{course}")).await;
}

async fn of_groups(stage: &mut Stage) {
    let (teacher, student) = (stage.teacher.client.clone(), stage.student.client.clone());
    let group = async |name: &str| {
        let group = json!({ "name": name, "join_level": "parent_context_request" });
        teacher.post(&stage.course.path("/groups")).json(group).await.is(200).id()
    };
    let (put, asked, refused) = (group("Mosses").await, group("Lichens").await, group("Ferns").await);
    let memberships = |group: i64| format!("/api/v1/groups/{group}/memberships");
    teacher.post(&memberships(put)).json(json!({ "user_id": student.id })).await.is(200);
    stage.tells_student("new_context_group_membership", "Mosses", &format!("/groups/{put}")).await;
    for group in [asked, refused] {
        student.post(&memberships(group)).json(json!({ "user_id": "self" })).await.is(200);
    }
    let membership = |group: i64| format!("/api/v1/groups/{group}/users/{}", student.id);
    teacher.put(&membership(asked)).json(json!({ "workflow_state": "accepted" })).await.is(200);
    stage.tells_student("group_membership_accepted", "Lichens", &format!("/groups/{asked}")).await;
    teacher.delete(&membership(refused)).await.is(200);
    stage.tells_student("group_membership_rejected", "Ferns", &format!("/groups/{refused}")).await;
    // Who leaves is told nothing.
    student.delete(&membership(put)).await.is(200);
    assert_eq!(stage.messages(&stage.student, "group_membership_rejected").await.len(), 1);
}

async fn of_accounts(stage: &mut Stage) {
    let admin = stage.school.admin.clone();
    let grace = stage.school.person("Grace").await;
    let grace = Listener::new(&stage.school, &grace).await;
    let admins = "/api/v1/accounts/self/admins";
    let account = format!("/accounts/{}", stage.school.account);
    for _ in 0..2 {
        admin.post(admins).json(json!({ "user_id": grace.client.id })).await.is(200);
        stage.tells(&grace, "account_user_notification", "A school", &account).await;
    }
    stage.is_silent(&grace, "new_account_user").await;
    let linus = stage.school.person("Linus").await;
    let users = format!("{account}/users/{}", linus.id);
    stage.tells(&grace, "new_user", "Linus", &users).await;
    admin.post(admins).json(json!({ "user_id": linus.id })).await.is(200);
    stage.tells(&grace, "new_account_user", "Linus", &account).await;
    let course = stage.school.course("Lichens").await;
    stage.tells(&grace, "new_course", "Lichens", &format!("/courses/{}", course.id)).await;

    // Whoever makes a token is told of it too.
    let before = stage.messages(&grace, "manually_created_access_token_created").await.len();
    grace.client.token_for(grace.client.id, json!({ "purpose": "My script" })).await.is(200);
    let told = stage.messages(&grace, "manually_created_access_token_created").await;
    assert_eq!(told.len(), before + 1);
    let body = told[0]["body"].as_str().unwrap();
    assert!(body.contains("My script") && body.trim_end().ends_with("/profile/settings"), "{body}");
    stage.found.insert("manually_created_access_token_created");

    let login = unique("grace");
    let body = json!({ "user": { "id": grace.client.id }, "login": { "unique_id": login } });
    admin.post("/api/v1/accounts/self/logins").json(body).await.is(200);
    stage.tells(&grace, "pseudonym_registration", &login, "/login").await;
    let email = format!("{}@school.test", unique("new"));
    let body = json!({ "user": { "email": email } });
    admin.put(&format!("/api/v1/users/{}", grace.client.id)).json(body).await.is(200);
    let told = stage.messages(&grace, "default_email_address_changed").await;
    assert!(told.len() == 1 && told[0]["body"].as_str().unwrap().contains(&email), "{told:?}");
    stage.found.insert("default_email_address_changed");
}

async fn of_polls_and_badges(stage: &mut Stage) {
    let teacher = stage.teacher.client.clone();
    let poll = json!({ "polls": [{ "question": "Oak or elm?" }] });
    let poll = teacher.post("/api/v1/polls").json(poll).await.is(200)["polls"][0]["id"].clone();
    let session = json!({ "poll_sessions": [{ "course_id": stage.course.id }] });
    let sessions = format!("/api/v1/polls/{}/poll_sessions", text(&poll));
    let session = teacher.post(&sessions).json(session).await.is(200)["poll_sessions"][0]["id"].clone();
    for _ in 0..2 {
        teacher.get(&format!("{sessions}/{}/open", text(&session))).await.is(200);
    }
    let told = stage.messages(&stage.student, "new_announcement").await;
    let [message] = told.as_slice() else { panic!("{told:?}") };
    let body = message["body"].as_str().unwrap();
    assert!(body.contains("Oak or elm?"), "{body}");
    // The link opens the student's own voting page.
    let link = body.lines().rev().find(|line| !line.is_empty()).unwrap();
    let (_, page) = link.split_once("/polls/").unwrap();
    let page = stage.site.nobody().get(&format!("/polls/{page}")).await.is(200);
    assert!(page.body.contains("Oak or elm?"), "{page}");
    stage.is_silent(&stage.teacher, "new_announcement").await;
    stage.found.insert("new_announcement");

    let room = crate::badges::Room::new_in(&stage.site).await;
    let award = room.award(json!({ "notify": true })).await.is(201);
    let outbox = room.school.admin.get("/api/v1/outbox?per_page=100").await.is(200);
    let told: Vec<_> = outbox.json.as_array().unwrap().iter().filter(|one| one["to"] == room.earner.email).collect();
    let told: Vec<_> = told.iter().filter(|one| one["notification"] == "account_notification").collect();
    let link = format!("/public/assertions/{}", crate::badges::id(&award));
    assert!(told.len() == 1 && told[0]["body"].as_str().unwrap().trim_end().ends_with(&link), "{told:?}");
    stage.found.insert("account_notification");
}

fn text(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

#[tokio::test]
async fn every_kind_that_is_said_to_be_sent_is_sent() {
    let mut stage = Stage::new_in(&Running::own("notices", &[])).await;
    of_assignments(&mut stage).await;
    of_submissions(&mut stage).await;
    of_quizzes(&mut stage).await;
    of_regrades(&mut stage).await;
    of_pages_and_files(&mut stage).await;
    of_enrollments(&mut stage).await;
    of_groups(&mut stage).await;
    of_accounts(&mut stage).await;
    of_polls_and_badges(&mut stage).await;
    let sent = CAUSES.iter().filter(|(_, cause)| matches!(cause, Cause::Sent(_))).map(|(name, _)| *name);
    stage.found.extend(ELSEWHERE.iter().map(|(name, _)| *name));
    assert_eq!(stage.found, sent.collect());
}

#[tokio::test]
async fn of_a_course_that_is_not_open_nobody_is_told() {
    let stage = Stage::new().await;
    let essay = stage.assignment(json!({ "published": true })).await;
    stage.hand_in(essay).await;
    let claim = json!({ "course": { "event": "claim" } });
    stage.teacher.client.put(&stage.course.path("")).json(claim).await.is(200);
    stage.assignment(json!({ "name": "Thesis", "published": true })).await;
    stage.grade(essay, json!({ "submission": { "posted_grade": "7" } })).await;
    stage.is_silent(&stage.student, "submission_graded").await;
    assert_eq!(stage.messages(&stage.student, "assignment_created").await.len(), 1);
}

#[tokio::test]
async fn a_teacher_of_one_section_is_told_of_its_students_alone() {
    let stage = Stage::new().await;
    let section = json!({ "course_section": { "name": "Evening" } });
    let section = stage.school.admin.post(&stage.course.path("/sections")).json(section).await.is(200).id();
    let evening = stage.school.person("Eve").await;
    let enrollment = json!({
        "user_id": evening.id, "type": "TeacherEnrollment", "enrollment_state": "active",
        "limit_privileges_to_course_section": true,
    });
    let path = format!("/api/v1/sections/{section}/enrollments");
    stage.school.admin.post(&path).json(json!({ "enrollment": enrollment })).await.is(200);
    let evening = Listener::new(&stage.school, &evening).await;
    let essay = stage.assignment(json!({ "published": true })).await;
    stage.hand_in(essay).await;
    assert_eq!(stage.messages(&stage.teacher, "assignment_submitted").await.len(), 1);
    stage.is_silent(&evening, "assignment_submitted").await;
}

#[tokio::test]
async fn who_acts_as_somebody_else_is_not_told_and_neither_is_the_other() {
    let stage = Stage::new().await;
    let essay = stage.assignment(json!({ "published": true })).await;
    let path = stage.course.path(&format!("/assignments/{essay}/submissions?as_user_id={}", stage.student.client.id));
    let work = json!({ "submission": { "submission_type": "online_text_entry", "body": "Leaves" } });
    // An administrator who teaches the course.
    let head = stage.school.person("Head").await;
    let body = json!({ "user_id": head.id });
    stage.school.admin.post("/api/v1/accounts/self/admins").json(body).await.is(200);
    enroll(&stage.school.admin, stage.course.id, head.id, "TeacherEnrollment").await;
    let head = Listener::new(&stage.school, &head).await;
    head.client.post(&path).json(work).await.is(201);
    assert_eq!(stage.messages(&stage.teacher, "assignment_submitted").await.len(), 1);
    stage.is_silent(&head, "assignment_submitted").await;
    stage.is_silent(&stage.student, "assignment_submitted").await;
}
