//! A record for each parameter of each path, area by area: a path with a parameter that no other path has needs one more.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use support::{Client, Course, School, Tool, enroll, unique};

/// Paths up to a parameter, as `/api/v1/courses/:`, each with what belongs there.
type Places = Vec<(&'static str, String)>;

/// The makers of the records, and their course.
struct Maker<'a> {
    school: &'a School,
    admin: &'a Client,
    course: &'a Course,
    teacher: &'a Client,
    /// A student of the course.
    student: Client,
}

/// One record of each kind.
pub(super) async fn all(
    school: &School,
    course: &Course,
    teacher: &Client,
    tool: &Tool,
) -> BTreeMap<&'static str, String> {
    let student = school.person("enrolled").await;
    enroll(&school.admin, course.id, student.id, "StudentEnrollment").await;
    let maker = Maker { school, admin: &school.admin, course, teacher, student };
    let areas = [
        maker.accounts().await,
        maker.users().await,
        maker.courses().await,
        maker.groups().await,
        maker.quizzes().await,
        maker.question_banks().await,
        maker.new_quizzes().await,
        maker.files().await,
        maker.content().await,
        maker.channels().await,
        maker.polls().await,
        maker.ai_conversations().await,
        maker.webhooks(tool).await,
        maker.error_reports().await,
        maker.mastery().await,
        maker.badges().await,
        names([
            ("/docs/:", "polls"),
            ("/docs/guides/:", "paging"),
            ("/docs/contract/:", "polls"),
            ("/join/:", "ABC234"),
        ]),
        signposts(),
    ];
    areas.into_iter().flatten().collect()
}

fn ids<const N: usize>(places: [(&'static str, i64); N]) -> Places {
    places.into_iter().map(|(place, id)| (place, id.to_string())).collect()
}

/// Pages that say where the API has a record, which need none.
fn signposts() -> Places {
    names([
        ("/accounts/:", "1"),
        ("/accounts/:/users/:", "1"),
        ("/courses/:/:", "quizzes"),
        ("/courses/:/:/:", "1"),
        ("/courses/:/:/:/submissions/:", "1"),
        ("/groups/:", "1"),
        ("/users/:", "1"),
    ])
}

fn names<const N: usize>(places: [(&'static str, &str); N]) -> Places {
    places.into_iter().map(|(place, name)| (place, name.to_owned())).collect()
}

impl Maker<'_> {
    /// The id of a new record, which the administrator makes.
    async fn make(&self, path: &str, body: Value, status: u16) -> i64 {
        self.admin.post(path).json(body).await.is(status).id()
    }

    /// The same in the course.
    async fn make_in_course(&self, path: &str, body: Value, status: u16) -> i64 {
        self.make(&self.course.path(path), body, status).await
    }

    async fn accounts(&self) -> Places {
        let account = self.school.account;
        let faculty = json!({ "account": { "name": "Faculty" } });
        let faculty = self.make(&format!("/api/v1/accounts/{account}/sub_accounts"), faculty, 200).await;
        let key = json!({ "developer_key": { "name": "A client" } });
        let key = self.make(&format!("/api/v1/accounts/{account}/developer_keys"), key, 200).await;
        let import = self.admin.post("/api/v1/accounts/self/sis_imports").body("text/csv", "group_id,user_id,status\n");
        let import = import.await.is(200).id();
        let term = json!({ "enrollment_term": { "name": "Autumn" } });
        let term = self.make(&format!("/api/v1/accounts/{account}/terms"), term, 200).await;
        let mut places = ids([
            ("/api/v1/accounts/:", account),
            ("/api/v1/accounts/:/sis_imports/:", import),
            ("/api/v1/accounts/:/sis_imports/:/csv_attachments/:", self.first_file(import).await),
            ("/api/v1/accounts/:/sub_accounts/:", faculty),
            ("/api/v1/accounts/:/terms/:", term),
            ("/api/v1/audit/course/accounts/:", account),
            ("/api/v1/audit/authentication/accounts/:", account),
            ("/api/v1/developer_keys/:", key),
        ]);
        places.extend(names([("/api/v1/accounts/:/features/flags/:", "ai_experiences")]));
        places
    }

    /// The file of an import, as soon as it is there.
    async fn first_file(&self, import: i64) -> i64 {
        for _ in 0..1_200 {
            let import = self.admin.get(&format!("/api/v1/accounts/self/sis_imports/{import}")).await.is(200);
            if let Some(id) = import["csv_attachments"][0]["id"].as_i64() {
                return id;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the file does not come");
    }

    async fn users(&self) -> Places {
        let user = self.student.id;
        let login = self.admin.get(&format!("/api/v1/users/{user}/logins")).await.is(200).ids()[0];
        let token = self.admin.token_for(user, json!({ "purpose": "x" })).await.is(200).id();
        ids([
            ("/api/v1/accounts/:/admins/:", user),
            ("/api/v1/accounts/:/logins/:", login),
            ("/api/v1/accounts/:/users/:", user),
            ("/api/v1/audit/authentication/logins/:", login),
            ("/api/v1/audit/authentication/users/:", user),
            ("/api/v1/users/:", user),
            ("/api/v1/users/:/logins/:", login),
            ("/api/v1/users/:/tokens/:", token),
        ])
    }

    async fn courses(&self) -> Places {
        let section = json!({ "course_section": { "name": "Afternoon" } });
        let section = self.make_in_course("/sections", section, 200).await;
        let enrollments = self.course.path(&format!("/enrollments?user_id={}", self.student.id));
        let enrollment = self.admin.get(&enrollments).await.is(200).ids()[0];
        let assignment = json!({ "assignment": { "name": "Essay" } });
        let assignment = self.make_in_course("/assignments", assignment, 201).await;
        let anonymous = self.anonymous_id(assignment).await;
        let policy = json!({ "late_policy": {} });
        self.admin.post(&self.course.path("/late_policy")).json(policy).await.is(201);
        let own = json!({ "assignment_override": { "student_ids": [self.student.id] } });
        let own = self.make_in_course(&format!("/assignments/{assignment}/overrides"), own, 201).await;
        let mut places = ids([
            ("/api/v1/accounts/:/courses/:", self.course.id),
            ("/api/v1/accounts/:/enrollments/:", enrollment),
            ("/api/v1/audit/course/courses/:", self.course.id),
            ("/api/v1/courses/:", self.course.id),
            ("/api/v1/courses/:/assignments/:", assignment),
            ("/api/v1/courses/:/assignments/:/overrides/:", own),
            ("/api/v1/courses/:/assignments/:/submissions/:", self.student.id),
            ("/api/v1/courses/:/enrollments/:", enrollment),
            ("/api/v1/courses/:/sections/:", section),
            ("/api/v1/courses/:/users/:", self.student.id),
            ("/api/v1/sections/:", section),
            ("/api/v1/sections/:/assignments/:", assignment),
            ("/courses/:", self.course.id),
        ]);
        places.extend(names([("/api/v1/courses/:/assignments/:/anonymous_submissions/:", &anonymous)]));
        places
    }

    /// The id of the student's work for an assignment, by which it is graded anonymously.
    async fn anonymous_id(&self, assignment: i64) -> String {
        let path = self.course.path(&format!("/assignments/{assignment}"));
        let grade = async |anonymously: bool| {
            let form = json!({ "assignment": { "anonymous_grading": anonymously } });
            self.admin.put(&path).json(form).await.is(200);
        };
        grade(true).await;
        let listed = self.admin.get(&format!("{path}/submissions")).await.is(200);
        grade(false).await;
        listed.json[0]["anonymous_id"].as_str().unwrap().to_owned()
    }

    async fn groups(&self) -> Places {
        let group = self.make_in_course("/groups", json!({ "name": "Herbarium" }), 200).await;
        let membership = json!({ "user_id": self.student.id });
        let membership = self.make(&format!("/api/v1/groups/{group}/memberships"), membership, 200).await;
        let assignment = self.make_in_course("/assignments", json!({ "assignment": { "name": "Leaves" } }), 201).await;
        ids([
            ("/api/v1/groups/:", group),
            ("/api/v1/groups/:/assignments/:", assignment),
            ("/api/v1/groups/:/memberships/:", membership),
            ("/api/v1/groups/:/users/:", self.student.id),
        ])
    }

    /// Classic quizzes, which the student attempts.
    async fn quizzes(&self) -> Places {
        let quiz = self.make_in_course("/quizzes", json!({ "quiz": { "title": "Leaves" } }), 200).await;
        let path = self.course.path(&format!("/quizzes/{quiz}"));
        let question = json!({ "question": { "question_text": "?", "question_type": "true_false_question" } });
        let question = self.make(&format!("{path}/questions"), question, 200).await;
        let regraded = json!({ "question": { "regrade_option": "full_credit" } });
        self.admin.put(&format!("{path}/questions/{question}")).json(regraded).await.is(200);
        let regrade = self.admin.get(&format!("{path}/regrades")).await.is(200).json[0]["id"].as_i64().unwrap();
        let group = self.admin.post(&format!("{path}/groups")).json(json!({ "quiz_groups": [{}] })).await.is(201);
        let group = group["quiz_groups"][0]["id"].as_i64().unwrap();
        self.admin.put(&path).json(json!({ "quiz": { "published": true } })).await.is(200);
        let submission = self.student.post(&format!("{path}/submissions")).await.is(200);
        let submission = submission["quiz_submissions"][0]["id"].as_i64().unwrap();
        let report = json!({ "quiz_report": { "report_type": "item_analysis" } });
        let report = self.make(&format!("{path}/reports"), report, 200).await;
        ids([
            ("/api/v1/courses/:/quizzes/:", quiz),
            ("/api/v1/courses/:/quizzes/:/groups/:", group),
            ("/api/v1/courses/:/quizzes/:/questions/:", question),
            ("/api/v1/courses/:/quizzes/:/regrades/:", regrade),
            ("/api/v1/courses/:/quizzes/:/reports/:", report),
            ("/api/v1/courses/:/quizzes/:/submissions/:", submission),
            ("/api/v1/quiz_submissions/:", submission),
            ("/api/v1/quiz_submissions/:/questions/:", question),
        ])
    }

    async fn question_banks(&self) -> Places {
        let bank = json!({ "question_bank": { "title": "Leaves" } });
        ids([
            (
                "/api/v1/accounts/:/question_banks/:",
                self.make("/api/v1/accounts/self/question_banks", bank.clone(), 200).await,
            ),
            (
                "/api/v1/users/self/question_banks/:",
                self.make("/api/v1/users/self/question_banks", bank.clone(), 200).await,
            ),
            ("/api/v1/courses/:/question_banks/:", self.make_in_course("/question_banks", bank, 200).await),
        ])
    }

    async fn new_quizzes(&self) -> Places {
        let engine = format!("/api/quiz/v1/courses/{}", self.course.id);
        let quiz = self.make(&format!("{engine}/quizzes"), json!({ "quiz": { "title": "Seeds" } }), 200).await;
        let entry = json!({ "entry_type": "Item", "entry": {
            "item_body": "<p>?</p>", "interaction_type_slug": "true-false",
            "interaction_data": { "true_choice": "Yes", "false_choice": "No" },
            "scoring_data": { "value": true }, "scoring_algorithm": "Equivalence",
        } });
        let item = self.make(&format!("{engine}/quizzes/{quiz}/items"), json!({ "item": entry }), 200).await;
        let preview = json!({ "preview": true });
        let session = self.make(&format!("{engine}/quizzes/{quiz}/sessions"), preview, 200).await;
        let key = json!({ "item_id": item, "option": "no_regrade", "scoring_data": { "value": true } });
        let regrade = self.make(&format!("{engine}/quizzes/{quiz}/regrades"), key, 200).await;
        let bank = self.make(&format!("{engine}/banks"), json!({ "bank": { "title": "Trees" } }), 200).await;
        let bank_entry = self.make(&format!("{engine}/banks/{bank}/entries"), entry, 200).await;
        let stimulus = json!({ "title": "A wood", "body": "<p>Trees</p>" });
        let stimulus = self.make(&format!("{engine}/quizzes/{quiz}/stimuli"), stimulus, 200).await;
        let drawn = json!({ "bank_id": bank });
        let drawn = self.make(&format!("{engine}/quizzes/{quiz}/bank_items"), drawn, 200).await;
        let single = json!({ "bank_entry_id": bank_entry });
        let single = self.make(&format!("{engine}/quizzes/{quiz}/bank_entries"), single, 200).await;
        let mut places = ids([
            ("/api/quiz/v1/courses/:", self.course.id),
            ("/api/quiz/v1/courses/:/banks/:", bank),
            ("/api/quiz/v1/courses/:/banks/:/entries/:", bank_entry),
            ("/api/quiz/v1/courses/:/quizzes/:", quiz),
            ("/api/quiz/v1/courses/:/quizzes/:/bank_entries/:", single),
            ("/api/quiz/v1/courses/:/quizzes/:/bank_items/:", drawn),
            ("/api/quiz/v1/courses/:/quizzes/:/items/:", item),
            ("/api/quiz/v1/courses/:/quizzes/:/regrades/:", regrade),
            ("/api/quiz/v1/courses/:/quizzes/:/sessions/:", session),
            ("/api/quiz/v1/courses/:/quizzes/:/stimuli/:", stimulus),
            ("/courses/:/assignments/:", quiz),
            ("/courses/:/assignments/:/grade/:", session),
        ]);
        let upload = self.admin.get(&format!("{engine}/quizzes/{quiz}/items/media_upload_url")).await.is(200);
        let address = upload["url"].as_str().unwrap().split('?').next().unwrap();
        let mut segments = address.rsplit('/');
        let (object, context) = (segments.next().unwrap(), segments.next().unwrap());
        places.extend(names([("/api/quiz/v1/media/:", context), ("/api/quiz/v1/media/:/:", object)]));
        places
    }

    async fn files(&self) -> Places {
        let leaf = json!({ "name": "leaf.txt" });
        let file = crate::files::upload(self.admin, &self.course.path("/files"), leaf, b"green").await;
        let folder = file["folder_id"].as_i64().unwrap();
        let file = file.id();
        let page = json!({ "wiki_page": { "title": "Leaves", "front_page": true } });
        let page = self.admin.post(&self.course.path("/pages")).json(page).await.is(200);
        ids([
            ("/api/v1/courses/:/files/:", file),
            ("/api/v1/courses/:/folders/:", folder),
            ("/api/v1/courses/:/pages/:", page["page_id"].as_i64().unwrap()),
            ("/api/v1/files/:", file),
            ("/api/v1/folders/:", folder),
            ("/api/v1/groups/:/files/:", file),
            ("/api/v1/groups/:/folders/:", folder),
            ("/api/v1/users/:/files/:", file),
            ("/api/v1/users/:/folders/:", folder),
            ("/courses/:/files/:", file),
            ("/files/:", file),
            ("/files_api/:", 1),
        ])
    }

    /// Exports and imports.
    async fn content(&self) -> Places {
        let source = self.school.course("Zoology").await.id;
        let migration = json!({ "migration_type": "course_copy_importer", "settings": { "source_course_id": source } });
        let migration = self.make_in_course("/content_migrations", migration, 200).await;
        let export = json!({ "export_type": "zip" });
        let export = self.admin.post(&self.course.path("/content_exports")).json(export).await.is(200);
        let progress = export["progress_url"].as_str().unwrap().rsplit('/').next().unwrap().parse().unwrap();
        let export = export.id();
        ids([
            ("/api/v1/courses/:/content_exports/:", export),
            ("/api/v1/courses/:/content_migrations/:", migration),
            ("/api/v1/courses/:/content_migrations/:/migration_issues/:", 1),
            ("/api/v1/courses/:/course_copy/:", source),
            ("/api/v1/groups/:/content_exports/:", export),
            ("/api/v1/progress/:", progress),
            ("/api/v1/users/:/content_exports/:", export),
        ])
    }

    /// Communication channels, and what each is told.
    async fn channels(&self) -> Places {
        let (user, address) = (self.student.id, "ada@school.test");
        let channel = json!({ "communication_channel": { "type": "email", "address": address } });
        let channel = self.make(&format!("/api/v1/users/{user}/communication_channels"), channel, 200).await;
        let mut places = ids([
            ("/api/v1/users/:/communication_channels/:", channel),
            ("/api/v1/users/self/communication_channels/:", channel),
            // Who it is of does not matter: nobody comes that far.
            ("/operator/outbox/:", channel),
        ]);
        places.extend(names([
            ("/register/:", "NOSUCHCODE"),
            ("/api/v1/users/:/communication_channels/:/:", address),
            ("/api/v1/users/:/communication_channels/:/notification_preferences/:", "alert"),
            ("/api/v1/users/:/communication_channels/:/:/notification_preferences/:", "alert"),
            ("/api/v1/users/self/communication_channels/:/:", address),
            ("/api/v1/users/self/communication_channels/:/notification_preferences/:", "alert"),
            ("/api/v1/users/self/communication_channels/:/notification_preference_categories/:", "alert"),
            ("/api/v1/users/self/communication_channels/:/:/notification_preferences/:", "alert"),
            ("/api/v1/users/self/communication_channels/:/:/notification_preference_categories/:", "alert"),
        ]));
        places
    }

    /// A poll of the teacher's, with an open session and a vote.
    async fn polls(&self) -> Places {
        let ask = async |path: &str, name: &str, record: Value| {
            let answer = self.teacher.post(path).json(json!({ name: [record] })).await.is(200);
            answer[name][0]["id"].as_i64().unwrap()
        };
        let poll = ask("/api/v1/polls", "polls", json!({ "question": "Ready?" })).await;
        let path = format!("/api/v1/polls/{poll}");
        let choice = ask(&format!("{path}/poll_choices"), "poll_choices", json!({ "text": "Yes" })).await;
        let session = json!({ "course_id": self.course.id });
        let session = ask(&format!("{path}/poll_sessions"), "poll_sessions", session).await;
        self.teacher.get(&format!("{path}/poll_sessions/{session}/open")).await.is(200);
        let submissions = format!("{path}/poll_sessions/{session}/poll_submissions");
        let submission = ask(&submissions, "poll_submissions", json!({ "poll_choice_id": choice })).await;
        ids([
            ("/api/v1/polls/:", poll),
            ("/api/v1/polls/:/poll_choices/:", choice),
            ("/api/v1/polls/:/poll_sessions/:", session),
            ("/api/v1/polls/:/poll_sessions/:/poll_submissions/:", submission),
            ("/polls/:", poll),
            ("/polls/:/sessions/:", session),
        ])
    }

    async fn ai_conversations(&self) -> Places {
        let experience = json!({ "ai_experience": {
            "title": "Leaves", "learning_objectives": ["Name one"], "pedagogical_guidance": "Ask",
            "workflow_state": "published",
        } });
        let experience = self.make_in_course("/ai_experiences", experience, 201).await;
        let conversations = self.course.path(&format!("/ai_experiences/{experience}/conversations"));
        let conversation = self.admin.post(&conversations).json(json!({})).await.is(201);
        let message = conversation["messages"][1]["id"].as_str().unwrap();
        let mut places = ids([
            ("/api/v1/courses/:/ai_experiences/:", experience),
            ("/api/v1/courses/:/ai_experiences/:/ai_conversations/:", conversation.id()),
            ("/api/v1/courses/:/ai_experiences/:/conversations/:", conversation.id()),
            ("/courses/:/ai_experiences/:", experience),
            ("/courses/:/ai_experiences/:/ai_conversations/:", conversation.id()),
        ]);
        places.extend(names([
            ("/api/v1/courses/:/ai_experiences/:/conversations/:/messages/:", message),
            ("/api/v1/courses/:/ai_experiences/:/conversations/:/messages/:/feedback/:", message),
            ("/courses/:/ai_experiences/:/talk/messages/:", message),
        ]));
        places
    }

    async fn webhooks(&self, tool: &Tool) -> Places {
        let subscription = tool.subscribe("https://tool.test/hook").await.id;
        let delivery = self.make(&format!("/api/lti/subscriptions/{subscription}/test"), json!({}), 201).await;
        let invitation = json!({ "initiation_url": "https://tool.test/register", "version": "lti_2" });
        let invited = self.admin.post("/api/lti/tool_registrations").json(invitation).await.is(201);
        let key = invited["invitation"]["parameters"]["reg_key"].as_str().unwrap();
        let mut places = ids([
            ("/api/lti/tool_registrations/:", invited.id()),
            ("/api/lti/accounts/:", self.school.account),
            ("/api/lti/courses/:", self.course.id),
            ("/api/lti/deliveries/:", delivery),
            ("/api/v1/webhook_deliveries/:", delivery),
            ("/webhooks/deliveries/:", delivery),
            ("/webhooks/tool_deliveries/:", delivery),
        ]);
        places.extend(names([
            ("/api/lti/subscriptions/:", &subscription),
            ("/api/lti/tool_proxies/:", &tool.guid),
            ("/api/lti/tool_consumer_profile/:", key),
            ("/api/lti/registrations/:", "none"),
        ]));
        places
    }

    async fn error_reports(&self) -> Places {
        let report = self.admin.post("/api/v1/error_reports").header("x-forwarded-for", unique("address"));
        let report = report.json(json!({ "error": { "subject": "It broke" } })).await.is(200).id();
        ids([("/api/v1/error_reports/:", report), ("/error_reports/:", report)])
    }

    async fn mastery(&self) -> Places {
        let credential = self.admin.post("/api/v1/accounts/self/mastery_credentials").json(json!({})).await.is(201);
        names([("/api/v1/accounts/:/mastery_credentials/:", credential["client_id"].as_str().unwrap())])
    }

    /// An issuer with a badge class, its claim code and an award, and a published collection.
    async fn badges(&self) -> Places {
        let email = format!("{}@school.test", unique("issuer"));
        let channel =
            json!({ "communication_channel": { "address": email, "type": "email" }, "skip_confirmation": true });
        self.make(&format!("/api/v1/users/{}/communication_channels", self.admin.id), channel, 200).await;
        let make = async |path: &str, body: Value| -> Value {
            self.admin.post(path).json(body).await.is(201).only(&["result"]).clone()
        };
        let issuer = make("/v2/issuers", json!({ "name": "A", "email": email, "url": "https://a.test" })).await;
        let picture = BASE64_STANDARD.encode(r#"<svg xmlns="http://www.w3.org/2000/svg" width="1"/>"#);
        let class = json!({
            "issuer": entity_id(&issuer), "name": "B", "description": "b", "criteriaNarrative": "b",
            "image": format!("data:image/svg+xml;base64,{picture}"),
        });
        let class = make("/v2/badgeclasses", class).await;
        let award = json!({ "recipient": { "identity": email } });
        let award = make(&format!("/v2/badgeclasses/{}/assertions", entity_id(&class)), award).await;
        let code = make(&format!("/v2/badgeclasses/{}/claimcodes", entity_id(&class)), json!({})).await;
        let collection = make("/v2/backpack/collections", json!({ "name": "C", "published": true })).await;
        let token = self.admin.get("/v2/auth/tokens").await.is(200)["result"][0].clone();
        let mut places = places_of_issuer(&issuer, &email);
        places.extend(places_of_class(&class));
        places.extend(places_of_award(&award));
        places.extend(names([
            ("/v2/auth/tokens/:", entity_id(&token)),
            ("/v2/badgeclasses/:/claimcodes/:", entity_id(&code)),
            ("/v2/backpack/collections/:", entity_id(&collection)),
            ("/v2/backpack/share/collection/:", entity_id(&collection)),
            ("/public/collections/:", collection["shareHash"].as_str().unwrap()),
            ("/public/images/:", "none.png"),
            ("/public/imports/:", "none"),
            ("/public/keys/:", "none"),
            ("/public/accounts/:", "none"),
            ("/v2/signing_keys/:", "none"),
        ]));
        places
    }
}

fn entity_id(record: &Value) -> &str {
    record["entityId"].as_str().unwrap()
}

/// The public address of a record as paths have it.
fn address(record: &Value) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(record["openBadgeId"].as_str().unwrap())
}

fn places_of_issuer(issuer: &Value, email: &str) -> Places {
    names([
        ("/v2/issuers/:", entity_id(issuer)),
        ("/v2/issuers/:/staff/:", &BASE64_URL_SAFE_NO_PAD.encode(email)),
        ("/v2/issuers/openBadgeId/:", &address(issuer)),
        ("/v2/issuers/ref/:", &address(issuer)),
        ("/v2/users/:", issuer["createdBy"].as_str().unwrap()),
        ("/public/issuers/:", entity_id(issuer)),
        ("/public/issuers/:/status/:", "0"),
    ])
}

fn places_of_class(class: &Value) -> Places {
    names([
        ("/v2/badgeclasses/:", entity_id(class)),
        ("/v2/badgeclasses/reactivate/:", entity_id(class)),
        ("/v2/badgeclasses/reactivate/ref/:", &address(class)),
        ("/public/badges/:", entity_id(class)),
    ])
}

fn places_of_award(award: &Value) -> Places {
    names([
        ("/v2/assertions/:", entity_id(award)),
        ("/v2/backpack/assertions/:", entity_id(award)),
        ("/backpack/assertions/:", entity_id(award)),
        ("/v2/backpack/share/assertion/:", entity_id(award)),
        ("/public/assertions/:", entity_id(award)),
        ("/public/assertions/:/baked/:", "older.svg"),
    ])
}
