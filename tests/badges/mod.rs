//! Digital badges: issuers, classes, awards, their documents, and what earners keep.

mod awards;
mod backpack_pages;
mod claims;
mod classes;
mod documents;
mod earners;
mod issuers;
mod lists;
mod tokens;
mod uploads;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use support::{Call, Client, Receiver, Reply, Response, Running, School, running, unique};

/// One pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub(crate) const SVG: &str =
    r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>"#;

pub(crate) fn png() -> String {
    format!("data:image/png;base64,{PNG}")
}

pub(crate) fn svg(picture: &str) -> String {
    format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(picture))
}

/// A user with a verified address.
pub(crate) struct Person {
    pub(crate) client: Client,
    pub(crate) email: String,
}

pub(crate) async fn person(school: &School, name: &str) -> Person {
    let client = school.person(name).await;
    let email = format!("{}@school.test", unique(name));
    verified(school, &client, &email).await;
    Person { client, email }
}

/// One who teaches somewhere, and so may make issuers.
pub(crate) async fn teacher(school: &School) -> Person {
    let person = person(school, "owner").await;
    let course = school.course("Knots").await;
    support::enroll(&school.admin, course.id, person.client.id, "TeacherEnrollment").await;
    person
}

pub(crate) async fn verified(school: &School, client: &Client, email: &str) {
    let path = format!("/api/v1/users/{}/communication_channels", client.id);
    let channel = json!({ "communication_channel": { "address": email, "type": "email" }, "skip_confirmation": true });
    school.admin.post(&path).json(channel).await.is(200);
}

/// An issuer with its owner and a class of badges, and somebody to award them to.
pub(crate) struct Room {
    pub(crate) school: School,
    pub(crate) owner: Person,
    pub(crate) earner: Person,
    pub(crate) issuer: String,
    pub(crate) class: String,
}

impl Room {
    pub(crate) async fn new() -> Self {
        Self::new_in(&running()).await
    }

    pub(crate) async fn new_in(site: &Running) -> Self {
        let school = School::start_in(site).await;
        let (owner, earner) = (teacher(&school).await, person(&school, "earner").await);
        let issuer = new_issuer(&owner).await;
        let class = new_class(&owner.client, &issuer, json!({})).await;
        Self { school, owner, earner, issuer, class }
    }

    pub(crate) async fn award(&self, fields: Value) -> Response {
        let mut body = json!({ "recipient": { "identity": self.earner.email } });
        merge(&mut body, fields);
        self.owner.client.post(&format!("/v2/badgeclasses/{}/assertions", self.class)).json(body).await
    }

    pub(crate) async fn awarded(&self) -> String {
        id(&self.award(json!({})).await.is(201))
    }

    /// A new member of the staff.
    pub(crate) async fn member(&self, role: &str) -> Person {
        let person = person(&self.school, role).await;
        let body = json!({ "email": person.email, "role": role });
        self.owner.client.post(&format!("/v2/issuers/{}/staff", self.issuer)).json(body).await.is(201);
        person
    }

    pub(crate) async fn revoke(&self, award: &str) -> Response {
        let body = json!({ "revocation_reason": "a mistake" });
        self.owner.client.delete(&format!("/v2/assertions/{award}")).json(body).await
    }

    pub(crate) fn nobody(&self) -> Client {
        self.owner.client.without_token()
    }
}

pub(crate) fn merge(into: &mut Value, fields: Value) {
    for (name, value) in fields.as_object().unwrap() {
        into[name] = value.clone();
    }
}

pub(crate) async fn new_issuer(owner: &Person) -> String {
    let issuer = json!({ "name": "Harbor College", "email": owner.email, "url": "https://harbor.test" });
    id(&owner.client.post("/v2/issuers").json(issuer).await.is(201))
}

pub(crate) async fn new_class(client: &Client, issuer: &str, fields: Value) -> String {
    id(&client.post(&format!("/v2/issuers/{issuer}/badgeclasses")).json(class(fields)).await.is(201))
}

pub(crate) fn class(fields: Value) -> Value {
    let mut class = json!({
        "name": "Knot tying I", "description": "Ties six knots unaided", "image": png(),
        "criteriaNarrative": "Pass the practical test.",
    });
    merge(&mut class, fields);
    class
}

#[track_caller]
pub(crate) fn only(answer: &Response) -> &Value {
    answer.only(&["result"])
}

#[track_caller]
pub(crate) fn id(answer: &Response) -> String {
    only(answer)["entityId"].as_str().unwrap_or_else(|| panic!("no id: {answer}")).to_owned()
}

#[track_caller]
pub(crate) fn ids(answer: &Response) -> Vec<String> {
    answer.records(&["result"]).iter().map(|record| record["entityId"].as_str().unwrap().to_owned()).collect()
}

/// 404 that hides whether it is the record that is lacking or the right.
#[track_caller]
pub(crate) fn is_hidden(answer: Response) {
    let answer = answer.is(404);
    assert_eq!(
        answer["status"],
        json!({ "success": false, "description": "entity not found or insufficient privileges" })
    );
    assert_eq!(
        (&answer["result"], &answer["fieldErrors"], &answer["validationErrors"]),
        (&json!([]), &json!({}), &json!([]))
    );
}

#[track_caller]
pub(crate) fn field_error(answer: Response, field: &str) -> String {
    let answer = answer.is(400);
    assert_eq!(answer["status"], json!({ "success": false, "description": "bad request" }));
    answer["fieldErrors"][field][0].as_str().unwrap_or_else(|| panic!("no error of {field}: {answer}")).to_owned()
}

/// The answers to requests that are made at the same time.
pub(crate) async fn at_once(calls: impl IntoIterator<Item = Call>) -> Vec<Response> {
    futures::future::join_all(calls.into_iter().map(IntoFuture::into_future)).await
}

fn class_of(issuer: &str) -> Value {
    class(json!({ "issuer": issuer }))
}

/// A service elsewhere that has awarded a badge.
pub(crate) fn elsewhere(change: impl Fn(&mut Value) + Send + Sync + 'static, to: &str) -> Receiver {
    let to = to.to_owned();
    Receiver::start(move |request| {
        let base = format!("http://{}", request.header("host").unwrap_or_default());
        let mut all = json!({
            "/assertion": {
                "@context": "https://w3id.org/openbadges/v2", "type": "Assertion", "id": format!("{base}/assertion"),
                "badge": format!("{base}/badge"), "image": svg(SVG), "verification": { "type": "HostedBadge" },
                "issuedOn": "2024-01-01T00:00:00Z",
                "recipient": { "type": "email", "hashed": false, "identity": to },
            },
            "/badge": {
                "type": "BadgeClass", "id": format!("{base}/badge"), "name": "Elsewhere", "description": "d",
                "criteria": { "narrative": "n" }, "image": svg(SVG), "issuer": format!("{base}/issuer"),
            },
            "/issuer": {
                "type": "Issuer", "id": format!("{base}/issuer"), "name": "I", "url": "https://i.test", "email": "i@i.test",
            },
        });
        change(&mut all);
        match all.get(&request.path) {
            Some(document) => Reply::new(200, document.to_string()).header("content-type", "application/ld+json"),
            None => Reply::new(404, ""),
        }
    })
}
