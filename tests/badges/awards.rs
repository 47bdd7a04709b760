//! Awards: one, many, revoked, and told to their recipients.

use serde_json::{Value, json};
use support::running;

use super::{Room, at_once, field_error, id, ids, merge, new_class, new_issuer, only};

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
async fn an_award_is_sent_back_as_it_was_read() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let fields = json!({ "expires": "2999-01-01T00:00:00Z", "evidence": [{ "url": "https://e.test" }] });
    let key = id(&room.award(fields).await.is(201));
    let path = format!("/v2/assertions/{key}");
    let kept = format!("/v2/backpack/assertions/{key}");
    room.earner.client.put(&kept).json(json!({ "acceptance": "Accepted" })).await.is(200);
    let read = owner.get(&path).await.is(200);
    let award = only(&read);
    assert_eq!((&award["acceptance"], &award["recipient"]["hashed"]), (&json!("Accepted"), &json!(true)));
    assert_eq!(only(&owner.put(&path).json(award).await.is(200)), award);

    let recipient = |name: &str, value: Value| {
        let mut recipient = award["recipient"].clone();
        recipient[name] = value;
        owner.put(&path).json(json!({ "recipient": recipient }))
    };
    // The hash of somebody else names nobody.
    field_error(recipient("identity", json!(format!("sha256${}", "0".repeat(64)))).await, "recipient");
    field_error(recipient("type", json!("url")).await, "recipient");
    let plain = recipient("hashed", json!(false)).await.is(200);
    assert_eq!(only(&plain)["recipient"]["identity"], room.earner.email.as_str());
    assert_eq!(only(&plain)["acceptance"], "Accepted");
    let other = recipient("identity", json!("other@school.test")).await.is(200);
    assert_eq!(only(&other)["recipient"]["plaintextIdentity"], "other@school.test");
    assert_eq!(only(&other)["acceptance"], "Unaccepted");
    // The record that was read before is not this recipient's any more.
    field_error(owner.put(&path).json(award).await, "recipient");
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

    let none = owner.post(&path).json(json!({ "assertions": [null, 7, row("d")] })).await.is(400);
    let no_object = json!({ "nonFieldErrors": ["must be an object"] });
    assert_eq!(none["fieldErrors"], json!([no_object, no_object, {}]));

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
        { "entityId": one, "revocationReason": "la\0te" },
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
async fn a_recipient_is_told_if_the_issuer_says_so() {
    let room = Room::new().await;
    room.award(json!({ "notify": true })).await.is(201);
    room.award(json!({})).await.is(201);
    if let Some(told) = letters(&room.earner.email) {
        assert_eq!(told.len(), 1, "{told:?}");
    }
}

/// The subjects and bodies of what the address was told.
fn letters(address: &str) -> Option<Vec<(String, String)>> {
    let sql = format!(
        "SELECT subject, body FROM messages WHERE recipient = '{address}' AND notification = 'account_notification' ORDER BY id"
    );
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Some(running().read_database(&sql)?.iter().map(|row| (text(&row[0]), text(&row[1]))).collect())
}

#[tokio::test]
async fn an_earner_is_told_of_a_revocation_and_why() {
    let room = Room::new().await;
    let one = room.awarded().await;
    room.revoke(&one).await.is(200);
    let Some(told) = letters(&room.earner.email) else { return };
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].0.starts_with("A badge of yours was revoked: "), "{told:?}");
    assert!(told[0].1.contains("a mistake") && told[0].1.contains(&format!("/public/assertions/{one}")), "{told:?}");

    // Several at once, one of them revoked already, one turned down, and one to an address that nobody has verified.
    let (next, unwanted) = (room.awarded().await, room.awarded().await);
    room.earner.client.delete(&format!("/v2/backpack/assertions/{unwanted}")).await.is(204);
    let stranger = id(&room.award(json!({ "recipient": { "identity": "nobody@elsewhere.test" } })).await.is(201));
    let rows =
        [&one, &next, &unwanted, &stranger].map(|award| json!({ "entityId": award, "revocationReason": "late" }));
    let outcomes = room.owner.client.post("/v2/assertions/revoke").json(rows).await.is(200);
    let revoked: Vec<_> = outcomes["result"].as_array().unwrap().iter().map(|row| row["revoked"].clone()).collect();
    assert_eq!(revoked, [json!(false), json!(true), json!(true), json!(true)]);
    let told = letters(&room.earner.email).unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].1.contains("late") && told[1].1.contains(&next), "{told:?}");
    assert_eq!(letters("nobody@elsewhere.test").unwrap(), []);
}
