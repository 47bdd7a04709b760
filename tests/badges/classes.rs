//! Classes of badges.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use support::running;

use super::{PNG, Room, SVG, class, field_error, id, ids, is_hidden, only, svg};

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
    owner.delete(&path).await.is(204);
    let address = BASE64_URL_SAFE_NO_PAD.encode(format!("{}/public/badges/{}", owner.base_url(), room.class));
    let again = owner.post(&format!("/v2/badgeclasses/reactivate/ref/{address}")).await.is(200);
    assert_eq!((id(&again), &only(&again)["archived"]), (room.class.clone(), &json!(false)));
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
        ("expires", json!({ "amount": 36_501, "duration": "days" })),
        ("expires", json!({ "amount": 5201, "duration": "weeks" })),
        ("expires", json!({ "amount": 1201, "duration": "months" })),
        ("expires", json!({ "amount": 101, "duration": "years" })),
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
async fn an_award_is_good_for_a_hundred_years_at_most() {
    let room = Room::new().await;
    for (amount, duration) in [(36_500, "days"), (5200, "weeks"), (1200, "months"), (100, "years")] {
        let fields = json!({ "expires": { "amount": amount, "duration": duration } });
        let longest = super::new_class(&room.owner.client, &room.issuer, fields).await;
        let body = json!({ "recipient": { "identity": room.earner.email }, "issuedOn": "2024-02-01T00:00:00Z" });
        let path = format!("/v2/badgeclasses/{longest}/assertions");
        let award = room.owner.client.post(&path).json(body).await.is(201);
        let end = only(&award)["expires"].as_str().unwrap().to_owned();
        assert!(end.starts_with("2124-01") || end.starts_with("2123-") || end.starts_with("2124-02-01"), "{end}");
    }
    // Of a time when more was taken.
    let kept = format!(
        r#"UPDATE badge_classes SET expires = '{{"amount":7974,"duration":"years"}}' WHERE entity_id = '{}'"#,
        room.class
    );
    if running().change_database(&kept) {
        let award = room.award(json!({ "issuedOn": "2026-01-31T10:00:00Z" })).await.is(201);
        assert_eq!(only(&award)["expires"], "2126-01-31T10:00:00.000Z");
        let codes = format!("/v2/badgeclasses/{}/claimcodes", room.class);
        let code = only(&room.owner.client.post(&codes).json(json!({})).await.is(201))["code"].clone();
        let late = super::person(&room.school, "late").await.client;
        late.post("/v2/backpack/claim").json(json!({ "code": code })).await.is(201);
    }
}
