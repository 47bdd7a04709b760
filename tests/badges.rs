//! Digital badges: issuers, classes, awards, their documents, and what earners keep.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use support::{Answer, Call, Client, Given, Receiver, Running, School, running, unique};

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

    pub(crate) async fn award(&self, fields: Value) -> Answer {
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

    pub(crate) async fn revoke(&self, award: &str) -> Answer {
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
pub(crate) fn only(answer: &Answer) -> &Value {
    match answer["result"].as_array().map(Vec::as_slice) {
        Some([record]) => record,
        _ => panic!("not one record: {answer}"),
    }
}

#[track_caller]
pub(crate) fn id(answer: &Answer) -> String {
    only(answer)["entityId"].as_str().unwrap_or_else(|| panic!("no id: {answer}")).to_owned()
}

#[track_caller]
pub(crate) fn ids(answer: &Answer) -> Vec<String> {
    let records = answer["result"].as_array().unwrap_or_else(|| panic!("no list: {answer}"));
    records.iter().map(|record| record["entityId"].as_str().unwrap().to_owned()).collect()
}

/// 404 that hides whether it is the record that is lacking or the right.
#[track_caller]
pub(crate) fn is_hidden(answer: Answer) {
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
pub(crate) fn field_error(answer: Answer, field: &str) -> String {
    let answer = answer.is(400);
    assert_eq!(answer["status"], json!({ "success": false, "description": "bad request" }));
    answer["fieldErrors"][field][0].as_str().unwrap_or_else(|| panic!("no error of {field}: {answer}")).to_owned()
}

/// The answers to requests that are made at the same time.
pub(crate) async fn at_once(calls: impl IntoIterator<Item = Call>) -> Vec<Answer> {
    futures::future::join_all(calls.into_iter().map(IntoFuture::into_future)).await
}

#[tokio::test]
async fn an_issuer_from_its_beginning_to_its_end() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let base = owner.base_url();
    let answer = owner.get(&format!("/v2/issuers/{}", room.issuer)).await.is(200);
    assert_eq!(answer["status"], json!({ "success": true, "description": "ok" }));
    assert!(answer["timestamp"].as_str().unwrap().ends_with('Z'));
    let issuer = only(&answer);
    assert_eq!(room.issuer.len(), 22);
    assert_eq!(issuer["entityType"], "Issuer");
    assert_eq!(issuer["openBadgeId"], format!("{base}/public/issuers/{}", room.issuer));
    assert_eq!(issuer["badgrDomain"], "harbor.test");
    assert_eq!(issuer["image"], Value::Null);
    assert_eq!(issuer["staff"][0]["role"], "owner");
    assert_eq!(issuer["staff"][0]["user"], issuer["createdBy"]);
    assert_eq!(ids(&owner.get("/v2/issuers?include_staff=false").await.is(200)), [room.issuer.as_str()]);

    let path = format!("/v2/issuers/{}", room.issuer);
    let whole =
        json!({ "name": "Harbor <b>School</b>", "email": room.owner.email, "url": "https://h.test", "image": png() });
    let changed = owner.put(&path).json(&whole).await.is(200);
    assert_eq!(only(&changed)["name"], "Harbor School");
    let image = only(&changed)["image"].as_str().unwrap().to_owned();
    let mut again = whole.clone();
    again["image"] = image.clone().into();
    assert_eq!(only(&owner.put(&path).json(again).await.is(200))["image"], image);
    let part = owner.patch(&path).json(json!({ "description": "Ropes" })).await.is(200);
    assert_eq!((&only(&part)["description"], &only(&part)["name"]), (&json!("Ropes"), &json!("Harbor School")));

    let address = BASE64_URL_SAFE_NO_PAD.encode(format!("{base}/public/issuers/{}", room.issuer));
    for form in ["openBadgeId", "ref"] {
        assert_eq!(id(&owner.get(&format!("/v2/issuers/{form}/{address}")).await.is(200)), room.issuer);
    }
    is_hidden(owner.get("/v2/issuers/ref/eA").await);

    let award = room.awarded().await;
    let blocked = owner.delete(&path).await.is(400);
    assert_eq!(blocked["status"]["description"], "issuer has unrevoked assertions and cannot be deleted");
    room.revoke(&award).await.is(200);
    owner.delete(&path).await.is(204);
    is_hidden(owner.get(&path).await);
    is_hidden(room.nobody().get(&format!("/public/issuers/{}", room.issuer)).await);
}

#[tokio::test]
async fn what_an_issuer_must_say() {
    let school = School::start().await;
    let owner = teacher(&school).await;
    let refused = owner.client.post("/v2/issuers").json(json!({})).await;
    let refused = refused.is(400);
    for field in ["name", "email", "url"] {
        assert_eq!(refused["fieldErrors"][field], json!(["This field is required."]), "{field}");
    }
    let with = |field: &str, value: Value| {
        let mut issuer = json!({ "name": "A", "email": owner.email, "url": "https://a.test" });
        issuer[field] = value;
        owner.client.post("/v2/issuers").json(issuer)
    };
    for (field, value) in [
        ("name", json!("x".repeat(1025))),
        ("email", json!("nobody")),
        ("url", json!("a.test")),
        ("description", json!("x".repeat(16_385))),
        ("image", json!("data:image/png;base64,AAAA")),
        ("image", json!(7)),
        ("extensions", json!([])),
        ("name", json!({ "a": 1 })),
    ] {
        field_error(with(field, value).await, field);
    }
    let stranger = with("email", json!("stranger@school.test")).await.is(400);
    assert!(stranger["validationErrors"][0].as_str().unwrap().contains("verified addresses"), "{stranger}");
    let broken = owner.client.post("/v2/issuers").body("application/json", "{").await.is(400);
    assert_eq!(broken["fieldErrors"], json!({}));
    assert!(broken["validationErrors"][0].is_string(), "{broken}");
    owner.client.post("/v2/issuers").body("application/json", vec![b' '; 3 * 1024 * 1024]).await.is(413);
    let unknown = owner.client.without_token().get("/v2/issuers").await.is_unauthenticated("no valid auth token found");
    assert_eq!(unknown["result"], json!([]));
}

#[tokio::test]
async fn roles_say_who_may_do_what() {
    let room = Room::new().await;
    let (editor, staff) = (room.member("editor").await.client, room.member("staff").await.client);
    let stranger = person(&room.school, "stranger").await.client;
    let foreigner = person(&School::start().await, "foreigner").await.client;
    let award = room.awarded().await;
    let (issuer, class) = (&room.issuer, &room.class);
    for reader in [&editor, &staff, &room.owner.client] {
        for path in [
            format!("/v2/issuers/{issuer}"),
            format!("/v2/issuers/{issuer}/badgeclasses"),
            format!("/v2/issuers/{issuer}/assertions"),
            format!("/v2/badgeclasses/{class}"),
            format!("/v2/badgeclasses/{class}/assertions"),
            format!("/v2/assertions/{award}"),
        ] {
            reader.get(&path).await.is(200);
            is_hidden(stranger.get(&path).await);
            is_hidden(foreigner.get(&path).await);
        }
    }
    let recipient = json!({ "recipient": { "identity": "a@b.test" } });
    for (may, client) in [(true, &editor), (true, &staff), (false, &stranger)] {
        let answer = client.post(&format!("/v2/badgeclasses/{class}/assertions")).json(&recipient).await;
        if may { drop(answer.is(201)) } else { is_hidden(answer) }
    }
    for path in [format!("/v2/issuers/{issuer}/badgeclasses"), "/v2/badgeclasses".to_owned()] {
        let body = class_of(issuer);
        editor.post(&path).json(&body).await.is(201);
        match path.contains("issuers") {
            true => is_hidden(staff.post(&path).json(&body).await),
            false => drop(field_error(staff.post(&path).json(&body).await, "issuer")),
        }
    }
    is_hidden(staff.put(&format!("/v2/badgeclasses/{class}")).json(class_of(issuer)).await);
    is_hidden(staff.put(&format!("/v2/assertions/{award}")).json(json!({ "narrative": "x" })).await);
    is_hidden(staff.delete(&format!("/v2/assertions/{award}")).json(json!({ "revocation_reason": "x" })).await);
    is_hidden(staff.put(&format!("/v2/issuers/{issuer}")).json(json!({})).await);
    is_hidden(staff.delete(&format!("/v2/badgeclasses/{class}")).await);
    is_hidden(editor.delete(&format!("/v2/issuers/{issuer}")).await);
    let member = json!({ "email": room.owner.email, "role": "staff" });
    is_hidden(editor.post(&format!("/v2/issuers/{issuer}/staff")).json(member).await);
    editor.patch(&format!("/v2/issuers/{issuer}")).json(json!({ "description": "by an editor" })).await.is(200);
    editor.put(&format!("/v2/assertions/{award}")).json(json!({ "narrative": "x" })).await.is(200);
}

fn class_of(issuer: &str) -> Value {
    class(json!({ "issuer": issuer }))
}

#[tokio::test]
async fn an_issuer_keeps_an_owner() {
    let room = Room::new().await;
    let editor = room.member("editor").await;
    let owner = &room.owner.client;
    let path = format!("/v2/issuers/{}/staff", room.issuer);
    let member = |email: &str| format!("{path}/{}", BASE64_URL_SAFE_NO_PAD.encode(email));
    let set = |email: &str, role: &str| json!({ "email": email, "role": role });
    owner.put(&path).json(set(&room.owner.email, "staff")).await.is_refused(400, "must keep an owner");
    owner.delete(&member(&room.owner.email)).await.is_refused(400, "must keep an owner");
    field_error(owner.put(&path).json(set(&editor.email, "king")).await, "role");
    field_error(owner.put(&path).json(set(&room.earner.email, "staff")).await, "email");
    field_error(owner.post(&path).json(set("nobody@school.test", "staff")).await, "email");
    field_error(owner.post(&path).json(json!({})).await, "role");
    let changed = owner.put(&path).json(set(&editor.email, "owner")).await.is(200);
    assert_eq!(
        (&only(&changed)["role"], &only(&changed)["userProfile"]["entityType"]),
        (&json!("owner"), &json!("BadgeUser"))
    );

    // Two owners who take each other away at the same time: one stays.
    let removals = [owner.delete(&member(&editor.email)), editor.client.delete(&member(&room.owner.email))];
    let statuses: Vec<_> = at_once(removals).await.into_iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 204).count(), 1, "{statuses:?}");
    owner.delete(&member("nobody@school.test")).await.is(404);
}

#[tokio::test]
async fn a_class_from_its_beginning_to_its_end() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let path = format!("/v2/badgeclasses/{}", room.class);
    let shown = owner.get(&path).await.is(200);
    assert_eq!(only(&shown)["issuer"], room.issuer.as_str());
    assert_eq!(only(&shown)["image"], format!("{}/public/badges/{}/image", owner.base_url(), room.class));
    let fields = json!({
        "name": "Knots", "description": "More", "criteriaUrl": "https://k.test", "criteriaNarrative": null, "tags": ["a"],
        "alignments": [{ "targetName": "RW", "targetUrl": "https://std.test/rw" }],
        "expires": { "amount": 2, "duration": "years" }, "image": svg(SVG),
    });
    let changed = owner.put(&path).json(class(fields)).await.is(200);
    assert_eq!(only(&changed)["alignments"][0]["targetName"], "RW");
    assert_eq!(only(&changed)["expires"], json!({ "amount": 2, "duration": "years" }));
    let award = room.award(json!({ "issuedOn": "2026-01-31T10:00:00Z" })).await.is(201);
    assert_eq!(only(&award)["expires"], "2028-01-31T10:00:00.000Z");

    let copy = owner.post(&format!("{path}/duplicate")).json(json!({ "newName": "Knots II" })).await.is(201);
    assert_eq!((&only(&copy)["name"], &only(&copy)["tags"]), (&json!("Knots II"), &json!(["a"])));
    field_error(owner.post(&format!("{path}/duplicate")).json(json!({})).await, "newName");
    owner.delete(&format!("/v2/badgeclasses/{}", id(&copy))).await.is(204);
    is_hidden(owner.get(&format!("/v2/badgeclasses/{}", id(&copy))).await);

    owner.delete(&path).json(json!({ "hard_delete": true })).await.is_refused(400, "already been issued");
    owner.delete(&path).json(json!({ "archivalNote": "old" })).await.is(204);
    let away = owner.get(&path).await.is(200);
    assert_eq!((&only(&away)["archived"], &only(&away)["archivalNote"]), (&json!(true), &json!("old")));
    let list = format!("/v2/issuers/{}/badgeclasses", room.issuer);
    assert!(ids(&owner.get(&list).await.is(200)).is_empty());
    assert_eq!(ids(&owner.get(&format!("{list}?include_archived=true")).await.is(200)), [room.class.as_str()]);
    field_error(room.award(json!({})).await, "badgeclass");
    owner.post(&format!("/v2/badgeclasses/reactivate/{}", room.class)).await.is(200);
    room.award(json!({})).await.is(201);
}

#[tokio::test]
async fn what_a_class_must_say_and_images_that_are_none() {
    let room = Room::new().await;
    let path = format!("/v2/issuers/{}/badgeclasses", room.issuer);
    let with = |fields: Value| room.owner.client.post(&path).json(class(fields));
    for (field, value) in [
        ("name", json!("")),
        ("description", json!(null)),
        ("criteriaUrl", json!("nowhere")),
        ("image", json!(null)),
        ("image", json!("https://a.test/x.png")),
        ("tags", json!("x")),
        ("alignments", json!([{ "targetName": "x" }])),
        ("expires", json!({ "amount": 0, "duration": "days" })),
        ("expires", json!({ "amount": 1, "duration": "aeons" })),
    ] {
        field_error(with(json!({ field: value })).await, field);
    }
    field_error(with(json!({ "criteriaNarrative": null })).await, "criteriaUrl");
    let whole = BASE64_STANDARD.decode(PNG).unwrap();
    let cut = &whole[..whole.len() - 20];
    let longer = [&whole[..], b"<script>"].concat();
    let mut broken = whole.clone();
    broken[45] ^= 1;
    for bytes in
        [b"GIF89a".to_vec(), b"\xff\xd8\xff\xe0".to_vec(), cut.to_vec(), longer, broken, vec![0; 1024 * 1024 + 1]]
    {
        let image = format!("data:image/png;base64,{}", BASE64_STANDARD.encode(bytes));
        field_error(with(json!({ "image": image })).await, "image");
    }
    let active = |inner: &str| svg(&format!(r#"<svg xmlns="http://www.w3.org/2000/svg">{inner}</svg>"#));
    for image in [
        active("<script>alert(1)</script>"),
        active("<g onload='alert(1)'/>"),
        active("<image href='https://evil.test/x'/>"),
        active(&"<g>".repeat(1000)),
        svg("<!DOCTYPE svg [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><svg xmlns='http://www.w3.org/2000/svg'>&b;</svg>"),
        svg("<html/>"),
    ] {
        field_error(with(json!({ "image": image })).await, "image");
    }
    with(json!({ "image": svg(SVG) })).await.is(201);
}

#[tokio::test]
async fn an_award_from_its_beginning_to_its_end() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let base = owner.base_url();
    let evidence = json!([{ "url": "https://e.test", "narrative": "a film" }]);
    let answer =
        room.award(json!({ "narrative": "Well done", "evidence": evidence, "expires": "2999-01-01T00:00:00Z" })).await;
    let answer = answer.is(201);
    let (award, key) = (only(&answer), id(&answer));
    assert_eq!(award["openBadgeId"], format!("{base}/public/assertions/{key}"));
    assert_eq!(award["image"], format!("{base}/public/assertions/{key}/image"));
    assert_eq!((&award["badgeclass"], &award["issuer"]), (&json!(room.class), &json!(room.issuer)));
    assert_eq!((&award["acceptance"], &award["revoked"]), (&json!("Unaccepted"), &json!(false)));
    let recipient = &award["recipient"];
    assert!(recipient["identity"].as_str().unwrap().starts_with("sha256$"));
    assert_eq!(recipient["salt"].as_str().unwrap().len(), 32);
    assert_eq!(recipient["plaintextIdentity"], room.earner.email.as_str());

    let path = format!("/v2/assertions/{key}");
    let changed = owner.put(&path).json(json!({ "narrative": "Better", "revoked": true })).await.is(200);
    assert_eq!((&only(&changed)["narrative"], &only(&changed)["revoked"]), (&json!("Better"), &json!(false)));
    assert_eq!(only(&changed)["recipient"], *recipient);

    field_error(owner.delete(&path).await, "revocation_reason");
    let revoked = room.revoke(&key).await.is(200);
    assert_eq!((&only(&revoked)["revoked"], &only(&revoked)["revocationReason"]), (&json!(true), &json!("a mistake")));
    room.revoke(&key).await.is_refused(400, "already revoked");
    owner.put(&path).json(json!({ "narrative": "x" })).await.is_refused(400, "already revoked");
}

#[tokio::test]
async fn what_an_award_must_say() {
    let room = Room::new().await;
    for (field, fields) in [
        ("recipient", json!({ "recipient": null })),
        ("recipient", json!({ "recipient": { "identity": "nobody" } })),
        ("recipient", json!({ "recipient": { "identity": "030", "type": "telephone" } })),
        ("recipient", json!({ "recipient": { "identity": "x", "type": "fax" } })),
        ("issuedOn", json!({ "issuedOn": "2999-01-01T00:00:00Z" })),
        ("issuedOn", json!({ "issuedOn": "1582-01-01T00:00:00Z" })),
        ("issuedOn", json!({ "issuedOn": "soon" })),
        ("expires", json!({ "issuedOn": "2020-01-01T00:00:00Z", "expires": "2019-01-01T00:00:00Z" })),
        ("evidence", json!({ "evidence": [{}] })),
        ("evidence", json!({ "evidence": [{ "url": "javascript:x()" }] })),
        ("extensions", json!({ "extensions": { "a": 1 } })),
    ] {
        field_error(room.award(fields).await, field);
    }
    let path = format!("/v2/issuers/{}/assertions", room.issuer);
    let by = |fields: Value| {
        let mut body = json!({ "recipient": { "identity": "url@school.test" } });
        merge(&mut body, fields);
        room.owner.client.post(&path).json(body)
    };
    let address = format!("{}/public/badges/{}", room.owner.client.base_url(), room.class);
    for good in [
        json!({ "badgeclass": room.class }),
        json!({ "badgeclassOpenBadgeId": address }),
        json!({ "badgeclassName": "Knot tying I" }),
    ] {
        assert_eq!(only(&by(good).await.is(201))["badgeclass"], room.class.as_str());
    }
    field_error(by(json!({})).await, "badgeclass");
    by(json!({ "badgeclass": room.class, "badgeclassName": "Knot tying I" })).await.is_refused(400, "Only one of");
    let other = new_issuer(&room.owner).await;
    let foreign = new_class(&room.owner.client, &other, json!({})).await;
    field_error(by(json!({ "badgeclass": foreign })).await, "badgeclass");
    let plain = json!({ "recipient": { "identity": "https://ada.test/", "type": "openBadgeId" } });
    let plain = room.award(plain).await.is(201);
    let document = room.nobody().get(&format!("/public/assertions/{}", id(&plain))).await.is(200);
    assert_eq!(document["recipient"], json!({ "hashed": false, "type": "id", "identity": "https://ada.test/" }));
}

#[tokio::test]
async fn a_batch_is_awarded_whole_or_not_at_all() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let path = format!("/v2/badgeclasses/{}/issue", room.class);
    let row = |name: &str| json!({ "recipient": { "identity": format!("{name}@school.test") }, "allowDuplicateAwards": false });
    let good = json!({ "assertions": [row("a"), row("b"), row("c")] });
    let made = owner.post(&path).json(&good).await.is(201);
    let names: Vec<_> =
        made["result"].as_array().unwrap().iter().map(|row| row["recipient"]["plaintextIdentity"].clone()).collect();
    assert_eq!(names, ["a@school.test", "b@school.test", "c@school.test"]);

    let bad = json!({ "assertions": [row("d"), { "recipient": { "identity": "x" } }, { "issuedOn": "x" }] });
    let refused = owner.post(&path).json(bad).await.is(400);
    let errors = refused["fieldErrors"].as_array().unwrap();
    assert_eq!((errors.len(), &errors[0]), (3, &json!({})));
    assert!(errors[1]["recipient"].is_array() && errors[2]["issuedOn"].is_array(), "{refused}");
    let again = owner.post(&path).json(json!({ "assertions": [row("e"), row("a")] })).await.is(400);
    assert!(again["fieldErrors"][0] == json!({}) && again["fieldErrors"][1]["recipient"].is_array(), "{again}");
    owner.post(&path).json(json!({ "assertions": [row("f"), row("F")] })).await.is(400);
    let many: Vec<_> = (0..501).map(|n| row(&n.to_string())).collect();
    field_error(owner.post(&path).json(json!({ "assertions": many })).await, "assertions");
    let list = owner.get(&format!("/v2/badgeclasses/{}/assertions", room.class)).await.is(200);
    assert_eq!(ids(&list).len(), 3);

    let batches = (0..4).map(|_| owner.post(&path).json(json!({ "assertions": [row("g"), row("h")] })));
    let statuses: Vec<_> = at_once(batches).await.into_iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    let list = owner.get(&format!("/v2/badgeclasses/{}/assertions?recipient=G@school.test", room.class)).await.is(200);
    assert_eq!(ids(&list).len(), 1);
}

#[tokio::test]
async fn several_are_revoked_each_for_itself() {
    let room = Room::new().await;
    let (one, other) = (room.awarded().await, room.awarded().await);
    room.revoke(&other).await.is(200);
    let rows = json!([
        { "entityId": one, "revocationReason": "late" },
        { "id": other, "revocationReason": "late" },
        { "entityId": "nothing", "revocationReason": "late" },
        { "entityId": one },
    ]);
    let answer = room.owner.client.post("/v2/assertions/revoke").json(&rows).await.is(200);
    assert_eq!(answer["status"]["description"], "revoked badges");
    assert_eq!(answer["result"][0], json!({ "entityId": one, "revocationReason": "late", "revoked": true }));
    let rest = &answer["result"].as_array().unwrap()[1..];
    assert!(rest.iter().all(|row| row["revoked"] == json!(false) && row["reason"].is_string()), "{answer}");
    room.owner.client.post("/v2/assertions/revoke").json(json!({})).await.is_refused(400, "list");
    room.owner.client.post("/v2/assertions/revoke").body("application/json", "[").await.is(400);
}

#[tokio::test]
async fn pages_lead_to_the_end_and_back_while_awards_come_and_go() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let row = |n: i32| json!({ "recipient": { "identity": format!("{n}@school.test") } });
    let rows: Vec<_> = (0..25).map(row).collect();
    let issue = format!("/v2/badgeclasses/{}/issue", room.class);
    let made = ids(&owner.post(&issue).json(json!({ "assertions": rows })).await.is(201));
    let newest_first: Vec<_> = made.iter().rev().cloned().collect();
    let list = format!("/v2/issuers/{}/assertions", room.issuer);
    let whole = owner.get(&list).await.is(200);
    assert_eq!((ids(&whole), whole.header("link")), (newest_first.clone(), None));
    assert_eq!(owner.get(&format!("{list}?num=25")).await.is(200).header("link"), None);

    let first = owner.get(&format!("{list}?include_revoked=false&num=10")).await.is(200);
    assert_eq!(first.link("prev"), None);
    let next = first.link("next").unwrap();
    assert!(next.contains("num=10") && next.contains("after=") && next.contains("include_revoked=false"), "{next}");
    // Between two pages something is awarded, and something that was there is revoked.
    room.awarded().await;
    room.revoke(&newest_first[9]).await.is(200);
    let second = owner.get(&next).await.is(200);
    let header = second.header("link").unwrap();
    assert!(header.find("rel=\"prev\"").unwrap() < header.find("rel=\"next\"").unwrap(), "{header}");
    let third = owner.get(&second.link("next").unwrap()).await.is(200);
    assert_eq!(third.link("next"), None);
    assert_eq!([ids(&first), ids(&second), ids(&third)].concat(), newest_first);
    let back = owner.get(&third.link("prev").unwrap()).await.is(200);
    assert_eq!(ids(&back), ids(&second));
    let before = owner.get(&back.link("prev").unwrap()).await.is(200);
    assert_eq!(ids(&before)[1..], ids(&first)[..9]);
    assert_eq!(before.link("prev"), None);

    for (query, field) in
        [("num=0", "num"), ("num=x", "num"), ("num=", "num"), ("after=x", "after"), ("before=x.y", "before")]
    {
        field_error(owner.get(&format!("{list}?{query}")).await, field);
    }
    owner.get(&format!("{list}?before=x&after=y")).await.is_refused(400, "Only one of");
    let cursor = next.split("after=").nth(1).unwrap();
    field_error(owner.get(&format!("/v2/badgeclasses/{}/assertions?after={cursor}", room.class)).await, "after");
    owner.get(&format!("{list}?num=99999999999999")).await.is(200);
    let classes = owner.get("/v2/badgeclasses?num=1").await.is(200);
    assert_eq!((ids(&classes).len(), classes.header("link")), (1, None));
}

#[tokio::test]
async fn feeds_of_changes_miss_nothing() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(room.awarded().await);
    }
    let first = owner.get("/v2/assertions/changed?num=2").await.is(200);
    assert_eq!((ids(&first), &first["pagination"]["hasNext"]), (made[..2].to_vec(), &json!(true)));
    let rest = owner.get(first["pagination"]["nextResults"].as_str().unwrap()).await.is(200);
    assert_eq!((ids(&rest), &rest["pagination"]["nextResults"]), (made[2..].to_vec(), &Value::Null));
    let since = rest["timestamp"].as_str().unwrap().to_owned();
    room.revoke(&made[0]).await.is(200);
    assert_eq!(ids(&owner.get(&format!("/v2/assertions/changed?since={since}")).await.is(200)), made[..1]);
    for feed in ["issuers", "badgeclasses", "assertions"] {
        field_error(owner.get(&format!("/v2/{feed}/changed?since=2026-01-01T00:00:00")).await, "since");
    }
    assert_eq!(ids(&owner.get("/v2/issuers/changed").await.is(200)), [room.issuer.as_str()]);
    assert_eq!(ids(&owner.get("/v2/badgeclasses/changed").await.is(200)), [room.class.as_str()]);
    assert!(ids(&room.earner.client.get("/v2/assertions/changed").await.is(200)).is_empty());
}

#[tokio::test]
async fn the_public_reads_documents_pages_and_images() {
    let room = Room::new().await;
    let nobody = room.nobody();
    let award = room.awarded().await;
    let path = format!("/public/assertions/{award}");
    let document = nobody.get(&path).await.is(200);
    assert_eq!(document.header("content-type"), Some("application/ld+json"));
    assert_eq!(document.header("access-control-allow-origin"), Some("*"));
    assert_eq!(document["verification"], json!({ "type": "HostedBadge" }));
    assert!(!document.body.contains(&room.earner.email), "{document}");
    let whole = nobody.get(&format!("{path}?expand=badge.issuer")).await.is(200);
    assert_eq!(whole["badge"]["issuer"]["name"], "Harbor College");
    let old = nobody.get(&format!("{path}?v=1_1")).await.is(200);
    assert_eq!((&old["@context"], &old["uid"]), (&json!("https://w3id.org/openbadges/v1"), &json!(award)));
    field_error(nobody.get(&format!("{path}?v=9")).await, "v");

    let browser = nobody.get(&path).header("accept", "text/html").await.is(302);
    let page = nobody.get(browser.header("location").unwrap()).await.is(200);
    assert!(page.body.contains("og:title") && page.body.contains("og:image") && page.body.contains("Harbor College"));
    let preview = nobody.get(&path).header("user-agent", "LinkedInBot/1.0").await.is(200);
    assert!(preview.header("content-type").unwrap().starts_with("text/html"));
    nobody.get(&format!("{path}.json")).header("accept", "text/html").await.is(200);
    for kind in [format!("/public/badges/{}.html", room.class), format!("/public/issuers/{}.html", room.issuer)] {
        assert!(nobody.get(&kind).await.is(200).body.contains("Knot tying I"));
    }

    let image = nobody.get(&format!("{path}/image")).await.is(302);
    let file = nobody.get(image.header("location").unwrap()).await.is(200);
    assert_eq!(file.header("content-type"), Some("image/png"));
    assert!(file.body.contains("openbadges"));
    assert_eq!(nobody.get(&format!("{path}/baked")).await.is(301).header("location"), image.header("location"));
    field_error(nobody.get(&format!("{path}/image?type=jpeg")).await, "type");
    nobody.get(&format!("/public/badges/{}/criteria", room.class)).await.is(302);
    let oembed = nobody.get(&format!("/public/oembed?format=json&url={}{path}", nobody.base_url())).await.is(200);
    assert_eq!((&oembed["type"], &oembed["title"]), (&json!("rich"), &json!("Knot tying I")));
    let verified = nobody.post("/public/verify").json(json!({ "entity_id": award })).await.is(200);
    assert_eq!(only(&verified)["badge"]["issuer"]["type"], "Issuer");

    room.revoke(&award).await.is(200);
    let gone = nobody.get(&path).await.is(410);
    assert_eq!((&gone["revoked"], &gone["revocationReason"]), (&json!(true), &json!("a mistake")));
    assert_eq!(gone.json.as_object().unwrap().len(), 5);
    for rest in ["/image", "/baked"] {
        nobody.get(&format!("{path}{rest}")).await.is(404);
    }
    nobody.get(image.header("location").unwrap()).await.is(404);
    nobody.get(&format!("{path}/credential")).await.is(410);
    let list = nobody.get(&format!("/public/issuers/{}/revocations", room.issuer)).await.is(200);
    assert_eq!(list["revokedAssertions"][0]["id"], format!("{}{path}", nobody.base_url()));
    let refused = nobody.post("/public/verify").json(json!({ "entity_id": award })).await.is(400);
    assert_eq!(refused["validationErrors"][0]["name"], "ASSERTION_REVOKED");
    is_hidden(nobody.get("/public/assertions/nothing").await);
}

#[tokio::test]
async fn credentials_name_their_key_and_their_place_in_the_status_list() {
    let room = Room::new().await;
    let nobody = room.nobody();
    room.awarded().await;
    let award = room.awarded().await;
    let credential = nobody.get(&format!("/public/assertions/{award}/credential")).await.is(200);
    assert_eq!(credential.header("content-type"), Some("application/vc+jwt"));
    let part = |n: usize| -> Value {
        let part = credential.body.split('.').nth(n).unwrap();
        serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    };
    let (header, claims) = (part(0), part(1));
    assert_eq!((&header["alg"], &header["typ"]), (&json!("EdDSA"), &json!("vc+jwt")));
    assert_eq!(claims["credentialStatus"]["statusListIndex"], "1");
    assert!(!claims.to_string().contains(&room.earner.email));
    let keys = nobody.get("/.well-known/jwks.json").await.is(200);
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]).unwrap();
    assert_eq!(nobody.get(header["kid"].as_str().unwrap()).await.is(200).json, *key);
    assert!(key.get("d").is_none());
    let did = nobody.get("/.well-known/did.json").await.is(200);
    assert!(did["id"].as_str().unwrap().starts_with("did:web:"));
    assert!(did["verificationMethod"].as_array().unwrap().iter().any(|method| method["publicKeyJwk"] == *key));
    let list = claims["credentialStatus"]["statusListCredential"].as_str().unwrap();
    assert_eq!(nobody.get(list).await.is(200).header("content-type"), Some("application/vc+jwt"));
    is_hidden(nobody.get(&format!("/public/issuers/{}/status/1", room.issuer)).await);
    is_hidden(nobody.get(&format!("/public/issuers/{}/status/-1", room.issuer)).await);
    is_hidden(nobody.get("/public/keys/x").await);
}

#[tokio::test]
async fn an_earner_keeps_turns_down_and_shows_awards() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let (kept, refused) = (room.awarded().await, room.awarded().await);
    let list = earner.get("/v2/backpack/assertions?expand=badgeclass&expand=issuer").await.is(200);
    assert_eq!(ids(&list), [refused.clone(), kept.clone()]);
    assert_eq!(list["result"][0]["badgeclass"]["name"], "Knot tying I");
    assert_eq!(list["result"][0]["issuer"]["name"], "Harbor College");
    let path = |id: &str| format!("/v2/backpack/assertions/{id}");
    field_error(earner.put(&path(&kept)).json(json!({ "acceptance": "Rejected" })).await, "acceptance");
    let accepted = earner.put(&path(&kept)).json(json!({ "acceptance": "Accepted" })).await.is(200);
    assert_eq!(only(&accepted)["acceptance"], "Accepted");
    earner.get(&format!("{}/image", path(&kept))).await.is(302);

    let collection = json!({ "name": "Mine", "published": true, "assertions": [refused, kept] });
    let made = earner.post("/v2/backpack/collections").json(collection).await.is(201);
    let own = format!("/v2/backpack/collections/{}", id(&made));
    let share = only(&made)["share_url"].as_str().unwrap().to_owned();
    assert_eq!(only(&made)["shareHash"].as_str().unwrap().len(), 32);
    assert_eq!(room.nobody().get(&share).await.is(200)["badges"].as_array().unwrap().len(), 2);
    assert!(room.nobody().get(&format!("{share}.html")).await.is(200).body.contains("Mine"));
    earner.delete(&path(&refused)).await.is(204);
    is_hidden(earner.get(&path(&refused)).await);
    assert_eq!(only(&earner.get(&own).await.is(200))["assertions"], json!([kept]));
    let facebook = format!("/v2/backpack/share/collection/{}?provider=facebook&redirect=0", id(&made));
    assert!(room.nobody().get(&facebook).await.is(200)["url"].as_str().unwrap().contains("facebook.com"));
    room.nobody().get(&format!("/v2/backpack/share/assertion/{kept}?provider=linkedin")).await.is(302);
    room.nobody().get(&format!("/v2/backpack/share/assertion/{kept}")).await.is_refused(400, "provider");
    let hidden = earner.put(&own).json(json!({ "published": false })).await.is(200);
    assert_eq!((&only(&hidden)["share_url"], &only(&hidden)["name"]), (&Value::Null, &json!("Mine")));
    is_hidden(room.nobody().get(&share).await);

    let stranger = person(&room.school, "stranger").await.client;
    is_hidden(stranger.get(&path(&kept)).await);
    is_hidden(stranger.put(&path(&kept)).json(json!({ "acceptance": "Accepted" })).await);
    is_hidden(stranger.get(&own).await);
    field_error(
        stranger.post("/v2/backpack/collections").json(json!({ "name": "x", "assertions": [kept] })).await,
        "assertions",
    );
    field_error(earner.post("/v2/backpack/collections").json(json!({})).await, "name");
    // The same address in another school is another person.
    let elsewhere = School::start().await;
    let twin = elsewhere.person("twin").await;
    verified(&elsewhere, &twin, &room.earner.email).await;
    assert!(ids(&twin.get("/v2/backpack/assertions").await.is(200)).is_empty());
    is_hidden(twin.delete(&path(&kept)).await);
    earner.delete(&own).await.is(204);
    is_hidden(earner.get(&own).await);
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
            Some(document) => Given::new(200, document.to_string()).header("content-type", "application/ld+json"),
            None => Given::new(404, ""),
        }
    })
}

#[tokio::test]
async fn badges_of_others_are_verified_before_they_are_kept() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let import = |body: Value| earner.post("/v2/backpack/import").json(body);
    let there = elsewhere(|_| {}, &room.earner.email);
    let url = format!("{}/assertion", there.url.trim_end_matches('/'));
    let copies = at_once((0..3).map(|_| import(json!({ "url": url })))).await;
    let mut statuses: Vec<_> = copies.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400, 400], "{copies:?}");
    let refused = copies.iter().find(|answer| answer.status == 400).unwrap();
    assert_eq!(refused["validationErrors"][0]["name"], "DUPLICATE_BADGE");
    let kept = ids(&earner.get("/v2/backpack/assertions").await.is(200));
    let [kept] = kept.as_slice() else { panic!("{kept:?}") };
    let shown = earner.get(&format!("/v2/backpack/assertions/{kept}?expand=badgeclass")).await.is(200);
    assert_eq!((&only(&shown)["sourceUrl"], &only(&shown)["badgeclass"]["name"]), (&json!(url), &json!("Elsewhere")));
    earner.get(&format!("/v2/backpack/assertions/{kept}/image")).await.is(302);
    let verified = room.nobody().post("/public/verify").json(json!({ "entity_id": kept })).await.is(200);
    assert_eq!(only(&verified)["badge"]["name"], "Elsewhere");
    earner.delete(&format!("/v2/backpack/assertions/{kept}")).await.is(204);
    import(json!({ "assertion": { "id": url } })).await.is(201);

    type Change = fn(&mut Value);
    let changes: [(&str, Change); 9] = [
        ("UNABLE_TO_VERIFY", |all| all["/assertion"]["id"] = json!("https://other.test/assertion")),
        ("UNABLE_TO_VERIFY", |all| all["/assertion"]["verification"] = json!({ "type": "SignedBadge" })),
        ("UNABLE_TO_VERIFY", |all| all["/assertion"]["issuedOn"] = json!("2999-01-01T00:00:00Z")),
        ("UNABLE_TO_VERIFY", |all| drop(all["/badge"].as_object_mut().unwrap().remove("criteria"))),
        ("UNABLE_TO_VERIFY", |all| all["/issuer"]["id"] = json!("https://other.test/issuer")),
        ("ASSERTION_REVOKED", |all| all["/assertion"]["revoked"] = json!(true)),
        ("ASSERTION_EXPIRED", |all| all["/assertion"]["expires"] = json!("2024-02-01T00:00:00Z")),
        ("RECIPIENT_MISMATCH", |all| all["/assertion"]["recipient"]["identity"] = json!("eve@school.test")),
        ("FETCH_HTTP_NODE", |all| all["/assertion"]["badge"] = json!("http://10.0.0.1/badge")),
    ];
    for (name, change) in changes {
        let there = elsewhere(change, &room.earner.email);
        let refused = import(json!({ "url": format!("{}/assertion", there.url.trim_end_matches('/')) })).await.is(400);
        assert_eq!(refused["validationErrors"][0]["name"], name, "{refused}");
    }
    for url in ["http://169.254.169.254/x", "https://localhost.internal/x", "file:///etc/passwd", "http://a.test/x"] {
        let refused = import(json!({ "url": url })).await.is(400);
        assert_eq!(refused["validationErrors"][0]["name"], "FETCH_HTTP_NODE", "{refused}");
    }
    for body in [json!({}), json!({ "url": url, "assertion": {} })] {
        import(body).await.is_refused(400, "Exactly one of");
    }
    let plain = import(json!({ "image": png() })).await.is(400);
    assert_eq!(plain["validationErrors"][0]["name"], "IMAGE_NOT_BAKED");
    field_error(import(json!({ "image": "x" })).await, "image");
}

#[tokio::test]
async fn an_award_of_ours_is_imported_by_accepting_it() {
    let room = Room::new().await;
    let award = room.awarded().await;
    let url = format!("{}/public/assertions/{award}", room.owner.client.base_url());
    let import = |client: &Client| client.post("/v2/backpack/import").json(json!({ "url": url }));
    let refused = import(&room.owner.client).await.is(400);
    assert_eq!(refused["validationErrors"][0]["name"], "RECIPIENT_MISMATCH");
    assert_eq!(only(&import(&room.earner.client).await.is(201))["acceptance"], "Accepted");
    assert_eq!(import(&room.earner.client).await.is(400)["validationErrors"][0]["name"], "DUPLICATE_BADGE");
}

#[tokio::test]
async fn tokens_for_a_login_and_its_password() {
    let school = School::start().await;
    let login = unique("ada");
    let user = json!({ "user": { "name": "Ada Lovelace" }, "pseudonym": { "unique_id": login, "password": "difference-engine" } });
    school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200);
    let nobody = school.admin.without_token();
    let ask = |pairs: &[(&'static str, &str)]| nobody.post("/o/token").form(pairs);
    let given = ask(&[("username", &login), ("password", "difference-engine")]).await.is(200);
    assert_eq!((&given["token_type"], &given["expires_in"]), (&json!("Bearer"), &json!(86_400)));
    let client = nobody.with_token(given["access_token"].as_str().unwrap());
    let own = client.get("/v2/users/self").await.is(200);
    assert_eq!((&only(&own)["firstName"], &only(&own)["lastName"]), (&json!("Ada"), &json!("Lovelace")));
    let renamed =
        client.put("/v2/users/self").json(json!({ "lastName": "King", "marketingOptIn": true })).await.is(200);
    assert_eq!((&only(&renamed)["lastName"], &only(&renamed)["marketingOptIn"]), (&json!("King"), &json!(true)));
    field_error(client.put("/v2/users/self").json(json!({ "firstName": "x".repeat(31) })).await, "firstName");
    client.get(&format!("/v2/users/{}", id(&own))).await.is(200);
    is_hidden(school.admin.get(&format!("/v2/users/{}", id(&own))).await);

    let refresh = given["refresh_token"].as_str().unwrap().to_owned();
    let renewals = (0..3).map(|_| ask(&[("grant_type", "refresh_token"), ("refresh_token", &refresh)]));
    let answers = at_once(renewals).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1, "{answers:?}");
    client.get("/v2/users/self").await.is(401);
    let limited = ask(&[("username", &login), ("password", "difference-engine"), ("scope", "r:profile")]).await.is(200);
    let limited = nobody.with_token(limited["access_token"].as_str().unwrap());
    limited.get("/v2/users/self").await.is(200);
    is_hidden(limited.get("/v2/issuers").await);
    is_hidden(limited.get("/v2/backpack/assertions").await);
    ask(&[("username", &login), ("password", "difference-engine"), ("scope", "rw:everything")])
        .await
        .is_refused(400, "invalid scope requested");
    ask(&[("grant_type", "magic")]).await.is(400);
    ask(&[("username", &login), ("password", "x"), ("client_id", "0")]).await.is_refused(400, "invalid client_id");
    nobody.post(&format!("/o/token?username={login}&password=difference-engine")).await.is(400);
    let tokens = school.admin.get("/v2/auth/tokens").await.is(200);
    let own = ids(&tokens);
    school.admin.get(&format!("/v2/auth/tokens/{}", own[0])).await.is(200);
    is_hidden(limited.get(&format!("/v2/auth/tokens/{}", own[0])).await);

    let wrong = ask(&[("username", &login), ("password", "wrong")]);
    wrong.await.is_refused(401, "invalid_grant");
    let mut last = 401;
    for _ in 0..12 {
        last = ask(&[("username", &login), ("password", "wrong")]).await.status;
    }
    assert_eq!(last, 429);
    ask(&[("username", &login), ("password", "difference-engine")]).await.is_refused(429, "expires");
}

#[tokio::test]
async fn scopes_of_the_area_are_as_good_as_those_of_the_paths() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let with = async |scope: &str| {
        let token = json!({ "purpose": "test", "scopes": [scope] });
        let token = owner.token_for(owner.id, token).await.is(200);
        owner.with_token(token["visible_token"].as_str().unwrap())
    };
    let path = format!("/v2/issuers/{}", room.issuer);
    for scope in ["r:issuer", "rw:issuer", "url:GET|/v2/issuers/:id"] {
        with(scope).await.get(&path).await.is(200);
    }
    is_hidden(with("rw:backpack").await.get(&path).await);
    is_hidden(with("r:issuer").await.patch(&path).json(json!({ "description": "x" })).await);
}

#[tokio::test]
async fn a_recipient_is_told_if_the_issuer_says_so() {
    let room = Room::new().await;
    room.award(json!({ "notify": true })).await.is(201);
    room.award(json!({})).await.is(201);
    let sql = format!("SELECT count(*) FROM messages WHERE recipient = '{}'", room.earner.email);
    if let Some(rows) = running().read_database(&sql) {
        assert_eq!(rows, [[json!(1)]]);
    }
}
