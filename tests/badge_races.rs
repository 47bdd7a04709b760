//! Digital badges when several write at the same moment: nothing is lost, and what there is one of stays one.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use support::{Client, Response};

use crate::badges::{Room, at_once, id, only, person, png, svg};

const ROUNDS: usize = 20;

/// Sends two changes of the same record at once, again and again, and sees that both have taken effect.
async fn both_are_kept(
    client: &Client,
    method: reqwest::Method,
    path: &str,
    change: impl Fn(usize) -> [Value; 2],
    fields: [&str; 2],
) {
    for round in 0..ROUNDS {
        let [one, other] = change(round);
        let calls = [&one, &other].map(|body| client.call(method.clone(), path).json(body));
        for answer in at_once(calls).await {
            answer.is(200);
        }
        let record = client.get(path).await.is(200);
        for (body, field) in [(&one, fields[0]), (&other, fields[1])] {
            assert_eq!(only(&record)[field], body[field], "{method} {path}, round {round}: {record}");
        }
    }
}

fn with(whole: &Value, field: &str, value: Value) -> Value {
    let mut whole = whole.clone();
    whole[field] = value;
    whole
}

fn extension(round: usize) -> Value {
    json!({ "extensions:round": { "round": round } })
}

#[tokio::test]
async fn changes_of_different_fields_of_an_issuer_are_all_kept() {
    let room = Room::new().await;
    let path = format!("/v2/issuers/{}", room.issuer);
    let parts = |round| [json!({ "name": format!("n{round}") }), json!({ "description": format!("d{round}") })];
    both_are_kept(&room.owner.client, reqwest::Method::PATCH, &path, parts, ["name", "description"]).await;
    // A whole record leaves the extensions and the staff as they are unless it names them.
    let whole = json!({ "name": "Harbor", "email": room.owner.email, "url": "https://harbor.test" });
    let member = room.member("editor").await;
    let issuer = room.owner.client.get(&path).await.is(200);
    let entry = |role: &str| json!({ "user": only(&issuer)["createdBy"], "role": role });
    let editor = only(&issuer)["staff"].as_array().unwrap().iter().find(|one| one["role"] == "editor").unwrap();
    let staff = |role: &str| json!([entry("owner"), { "user": editor["user"], "role": role }]);
    for round in 0..ROUNDS {
        let role = ["staff", "editor"][round % 2];
        let bodies = [with(&whole, "extensions", extension(round)), with(&whole, "staff", staff(role))];
        for answer in at_once(bodies.iter().map(|body| room.owner.client.put(&path).json(body))).await {
            answer.is(200);
        }
        let record = room.owner.client.get(&path).await.is(200);
        assert_eq!(only(&record)["extensions"], extension(round), "{record}");
        assert!(only(&record)["staff"].to_string().contains(role), "{record}");
    }
    drop(member);
}

#[tokio::test]
async fn changes_of_different_fields_of_a_class_are_all_kept() {
    let room = Room::new().await;
    let path = format!("/v2/badgeclasses/{}", room.class);
    let whole = json!({ "name": "Knots", "description": "d", "criteriaNarrative": "n" });
    let parts = |round| {
        let lifetime = json!({ "amount": round + 1, "duration": "days" });
        [with(&whole, "imageAltText", json!(format!("a{round}"))), with(&whole, "expires", lifetime)]
    };
    both_are_kept(&room.owner.client, reqwest::Method::PUT, &path, parts, ["imageAltText", "expires"]).await;
    let parts = |round: usize| {
        [with(&whole, "achievementType", json!(format!("t{round}"))), with(&whole, "extensions", extension(round))]
    };
    both_are_kept(&room.owner.client, reqwest::Method::PUT, &path, parts, ["achievementType", "extensions"]).await;
}

#[tokio::test]
async fn changes_of_different_fields_of_an_award_are_all_kept() {
    let room = Room::new().await;
    let path = format!("/v2/assertions/{}", room.awarded().await);
    let parts = |round: usize| {
        let end = format!("29{:02}-01-01T00:00:00.000Z", round + 10);
        [json!({ "narrative": format!("n{round}") }), json!({ "expires": end })]
    };
    both_are_kept(&room.owner.client, reqwest::Method::PATCH, &path, parts, ["narrative", "expires"]).await;
    let parts = |round: usize| {
        let evidence = json!([{ "url": "https://e.test", "narrative": format!("e{round}") }]);
        [json!({ "evidence": evidence }), json!({ "extensions": extension(round) })]
    };
    both_are_kept(&room.owner.client, reqwest::Method::PUT, &path, parts, ["evidence", "extensions"]).await;
    // Each end is looked at with the beginning as it is then: the award never ends before it begins.
    let moves = |round: usize| {
        let year = 2000 + round;
        [
            json!({ "issuedOn": format!("{year}-06-01T00:00:00Z") }),
            json!({ "expires": format!("{year}-03-01T00:00:00Z") }),
        ]
    };
    for round in 0..ROUNDS {
        let calls = moves(round).map(|body| room.owner.client.patch(&path).json(body));
        at_once(calls).await;
        let award = room.owner.client.get(&path).await.is(200);
        assert!(only(&award)["issuedOn"].as_str() < only(&award)["expires"].as_str(), "{award}");
    }
}

#[tokio::test]
async fn changes_of_both_names_of_a_user_are_kept() {
    let room = Room::new().await;
    let parts =
        |round: usize| [json!({ "firstName": format!("F{round}") }), json!({ "lastName": format!("L{round}") })];
    let client = &room.earner.client;
    both_are_kept(client, reqwest::Method::PUT, "/v2/users/self", parts, ["firstName", "lastName"]).await;
    both_are_kept(client, reqwest::Method::PATCH, "/v2/users/self", parts, ["firstName", "lastName"]).await;
    let profile = client.get("/api/v1/users/self").await.is(200);
    assert_eq!((&profile["name"], &profile["sortable_name"]), (&json!("F19 L19"), &json!("L19, F19")));
}

#[tokio::test]
async fn changes_of_different_fields_of_a_collection_are_all_kept() {
    let room = Room::new().await;
    let awards = [room.awarded().await, room.awarded().await];
    let client = &room.earner.client;
    let path = format!(
        "/v2/backpack/collections/{}",
        id(&client.post("/v2/backpack/collections").json(json!({ "name": "Mine" })).await.is(201))
    );
    let parts = |round: usize| [json!({ "name": format!("n{round}") }), json!({ "description": format!("d{round}") })];
    both_are_kept(client, reqwest::Method::PUT, &path, parts, ["name", "description"]).await;
    let parts =
        |round: usize| [json!({ "published": round.is_multiple_of(2) }), json!({ "assertions": [awards[round % 2]] })];
    both_are_kept(client, reqwest::Method::PUT, &path, parts, ["published", "assertions"]).await;
}

#[tokio::test]
async fn who_is_taken_off_the_staff_changes_nothing_afterwards() {
    let room = Room::new().await;
    let path = format!("/v2/issuers/{}", room.issuer);
    for round in 0..5 {
        let editor = room.member("editor").await;
        let member = base64::Engine::encode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, &editor.email);
        let changes = (0..4)
            .map(|n| editor.client.patch(&path).json(json!({ "description": format!("{round}.{n}"), "image": png() })));
        let removal = room.owner.client.delete(&format!("{path}/staff/{member}"));
        let (changes, removal) = futures::future::join(at_once(changes), removal.into_future()).await;
        removal.is(204);
        assert!(changes.iter().all(|answer| matches!(answer.status, 200 | 404)), "{changes:?}");
        editor.client.patch(&path).json(json!({ "description": "afterwards" })).await.is(404);
        let issuer = room.owner.client.get(&path).await.is(200);
        assert_ne!(only(&issuer)["description"], "afterwards");
    }
}

#[tokio::test]
async fn an_award_of_ours_is_imported_once() {
    let room = Room::new().await;
    let url = format!("{}/public/assertions/{}", room.owner.client.base_url(), room.awarded().await);
    let imports = (0..16).map(|_| room.earner.client.post("/v2/backpack/import").json(json!({ "url": url })));
    let answers = at_once(imports).await;
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status != 201).collect();
    assert_eq!(refused.len(), 15, "{answers:?}");
    assert!(refused.iter().all(|answer| answer["validationErrors"][0]["name"] == "DUPLICATE_BADGE"), "{refused:?}");
}

/// The name of the key that signed a credential.
fn key_of(credential: &Response) -> String {
    let head = credential.body.split('.').next().unwrap();
    let head = base64::Engine::decode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, head).unwrap();
    serde_json::from_slice::<Value>(&head).unwrap()["kid"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_first_who_need_a_signing_key_all_get_the_same() {
    let room = Room::new().await;
    let path = format!("/public/assertions/{}/credential", room.awarded().await);
    let nobody = room.nobody();
    let answers = at_once((0..16).map(|_| nobody.get(&path))).await;
    let keys: BTreeSet<_> = answers.into_iter().map(|answer| key_of(&answer.is(200))).collect();
    assert_eq!(keys.len(), 1, "{keys:?}");
    let listed = room.school.admin.get("/v2/signing_keys").await.is(200);
    let own = listed["result"].as_array().unwrap().iter().filter(|key| key["retiredAt"].is_null());
    assert_eq!(own.map(|key| key["kid"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>(), keys);
}

#[tokio::test]
async fn a_key_that_is_replaced_still_verifies_until_it_is_taken_back() {
    let room = Room::new().await;
    let (nobody, admin) = (room.nobody(), &room.school.admin);
    let path = format!("/public/assertions/{}/credential", room.awarded().await);
    let before = key_of(&nobody.get(&path).await.is(200));
    person(&room.school, "somebody").await.client.post("/v2/signing_keys").await.is(404);
    let replaced = admin.post("/v2/signing_keys").await.is(201);
    let after = key_of(&nobody.get(&path).await.is(200));
    assert_ne!(before, after);
    assert_eq!(only(&replaced)["kid"], after.as_str());
    let published = nobody.get("/.well-known/jwks.json").await.is(200).body;
    assert!(published.contains(&before) && published.contains(&after), "{published}");
    nobody.get(&before).await.is(200);

    let thumbprint = before.rsplit('/').next().unwrap();
    Room::new().await.school.admin.delete(&format!("/v2/signing_keys/{thumbprint}")).await.is(404);
    admin.delete(&format!("/v2/signing_keys/{thumbprint}")).await.is(204);
    nobody.get(&before).await.is(404);
    assert!(!nobody.get("/.well-known/jwks.json").await.is(200).body.contains(&before));
    // An owner who takes back the key that signs gets another one.
    admin.delete(&format!("/v2/signing_keys/{}", after.rsplit('/').next().unwrap())).await.is(204);
    assert_ne!(key_of(&nobody.get(&path).await.is(200)), after);
}

#[tokio::test]
async fn each_tenant_signs_with_a_key_of_its_own() {
    let (one, other) = (Room::new().await, Room::new().await);
    let mut keys = Vec::new();
    for room in [&one, &other] {
        let path = format!("/public/assertions/{}/credential", room.awarded().await);
        keys.push(key_of(&room.nobody().get(&path).await.is(200)));
    }
    assert_ne!(keys[0], keys[1]);
    for (room, own, foreign) in [(&one, &keys[0], &keys[1]), (&other, &keys[1], &keys[0])] {
        let account = room.school.admin.get("/api/v1/accounts/self").await.is(200);
        let path = format!("/public/accounts/{}", account["uuid"].as_str().unwrap());
        let (set, did) = (format!("{path}/jwks.json"), format!("{path}/did.json"));
        for answer in [room.nobody().get(&set).await.is(200), room.nobody().get(&did).await.is(200)] {
            assert!(answer.body.contains(own.as_str()) && !answer.body.contains(foreign.as_str()), "{answer}");
        }
        let did = room.nobody().get(&did).await.is(200);
        assert_eq!(did["verificationMethod"][0]["controller"], did["id"]);
        let all = room.nobody().get("/.well-known/jwks.json").await.is(200).body;
        assert!(all.contains(own.as_str()) && all.contains(foreign.as_str()), "{all}");
    }
}

#[tokio::test]
async fn a_status_list_is_signed_when_it_changes() {
    let room = Room::new().await;
    let nobody = room.nobody();
    let (award, path) = (room.awarded().await, format!("/public/issuers/{}/status/0", room.issuer));
    let first = nobody.get(&path).await.is(200);
    let tag = first.header("etag").unwrap().to_owned();
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    assert_eq!(nobody.get(&path).await.is(200).body, first.body, "nothing has changed");
    nobody.get(&path).header("if-none-match", &tag).await.is(304);
    for change in 0..3 {
        let before = nobody.get(&path).await.is(200);
        match change {
            0 => drop(room.awarded().await),
            1 => drop(room.revoke(&award).await.is(200)),
            _ => {
                let patch = json!({ "name": "Another name", "image": svg(crate::badges::SVG) });
                room.owner.client.patch(&format!("/v2/issuers/{}", room.issuer)).json(patch).await.is(200);
            }
        }
        let after = nobody.get(&path).header("if-none-match", before.header("etag").unwrap()).await.is(200);
        assert_ne!(after.body, before.body, "change {change}");
    }
}
