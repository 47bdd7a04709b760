//! Issuers, and the roles of those who work for them.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use support::School;

use super::{Room, at_once, class_of, field_error, id, ids, is_hidden, only, person, png, teacher};

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
    owner.patch(&path).json(json!({ "email": "stranger@school.test" })).await.is_refused(400, "verified addresses");
    let same = room.owner.email.to_uppercase();
    assert_eq!(only(&owner.patch(&path).json(json!({ "email": same })).await.is(200))["email"], same);

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
async fn an_issuer_is_sent_back_as_it_was_read() {
    let room = Room::new().await;
    let editor = room.member("editor").await.client;
    let owner = &room.owner.client;
    let path = format!("/v2/issuers/{}", room.issuer);
    let whole = owner.get(&path).await.is(200);
    for client in [&editor, owner] {
        for query in ["", "?include_staff=false"] {
            let read = client.get(&format!("{path}{query}")).await.is(200);
            assert_eq!(only(&read)["staff"].as_array().unwrap().is_empty(), !query.is_empty(), "{read}");
            let saved = client.put(&path).json(only(&read)).await.is(200);
            assert_eq!(only(&saved)["staff"], only(&whole)["staff"], "{query}");
        }
    }
    // What changes the staff is for owners, of whom one stays.
    let staff = only(&whole)["staff"].as_array().unwrap();
    let (owners, others): (Vec<_>, Vec<_>) = staff.iter().partition(|member| member["role"] == "owner");
    is_hidden(editor.patch(&path).json(json!({ "staff": owners })).await);
    owner.patch(&path).json(json!({ "staff": others })).await.is_refused(400, "must keep an owner");
    let changed = owner.patch(&path).json(json!({ "staff": owners })).await.is(200);
    assert_eq!(only(&changed)["staff"], json!(owners));
}

#[tokio::test]
async fn an_issuer_is_changed_and_deleted_by_its_address() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    for form in ["openBadgeId", "ref"] {
        let issuer = super::new_issuer(&room.owner).await;
        let address = BASE64_URL_SAFE_NO_PAD.encode(format!("{}/public/issuers/{issuer}", owner.base_url()));
        let path = format!("/v2/issuers/{form}/{address}");
        let whole = json!({ "name": "Harbor School", "email": room.owner.email, "url": "https://h.test" });
        let changed = owner.put(&path).json(whole).await.is(200);
        assert_eq!((id(&changed), &only(&changed)["name"]), (issuer.clone(), &json!("Harbor School")));
        is_hidden(room.earner.client.delete(&path).await);
        owner.delete(&path).await.is(204);
        is_hidden(owner.get(&format!("/v2/issuers/{issuer}")).await);
    }
}

#[tokio::test]
async fn who_is_invited_is_of_the_staff_at_once() {
    let room = Room::new().await;
    let (owner, guest) = (&room.owner.client, person(&room.school, "guest").await);
    let staff = format!("/v2/issuers/{}/staff", room.issuer);
    let invitation = json!({ "email": guest.email, "role": "staff" });
    is_hidden(guest.client.post(&format!("{staff}/invitations")).json(&invitation).await);
    let invited = owner.post(&format!("{staff}/invitations")).json(&invitation).await.is(201);
    assert_eq!(only(&invited)["role"], "staff");
    guest.client.get(&format!("/v2/issuers/{}", room.issuer)).await.is(200);
    let promoted = owner.patch(&staff).json(json!({ "email": guest.email, "role": "editor" })).await.is(200);
    assert_eq!(only(&promoted)["role"], "editor");
    is_hidden(guest.client.patch(&staff).json(json!({ "email": guest.email, "role": "owner" })).await);
}

#[tokio::test]
async fn an_owner_who_is_deleted_owns_nothing() {
    let room = Room::new().await;
    let other = room.member("owner").await;
    let owner = &room.owner.client;
    let path = format!("/v2/issuers/{}", room.issuer);
    room.school.admin.delete(&format!("/api/v1/accounts/self/users/{}", other.client.id)).await.is(200);
    let issuer = owner.get(&path).await.is(200);
    assert_eq!(only(&issuer)["staff"].as_array().unwrap().len(), 1, "{issuer}");
    let staff = format!("{path}/staff");
    let member = format!("{staff}/{}", BASE64_URL_SAFE_NO_PAD.encode(&room.owner.email));
    owner.delete(&member).await.is_refused(400, "must keep an owner");
    let set = json!({ "email": room.owner.email, "role": "editor" });
    owner.put(&staff).json(set).await.is_refused(400, "must keep an owner");
    owner.put(&path).json(only(&issuer)).await.is(200);
}

#[tokio::test]
async fn a_list_of_the_staff_names_nobody_twice() {
    let room = Room::new().await;
    room.member("editor").await;
    let owner = &room.owner.client;
    let path = format!("/v2/issuers/{}", room.issuer);
    let whole = owner.get(&path).await.is(200);
    let staff = only(&whole)["staff"].as_array().unwrap();
    let own = staff.iter().find(|member| member["role"] == "owner").unwrap();
    let as_role = |role: &str| json!({ "user": own["user"], "role": role });
    for list in [
        json!([as_role("owner"), as_role("staff")]),
        json!([as_role("staff"), as_role("owner")]),
        json!([as_role("owner"), as_role("owner")]),
        json!([staff[0], staff[1], staff[0]]),
    ] {
        field_error(owner.patch(&path).json(json!({ "staff": list })).await, "staff");
        let mut changed = only(&whole).clone();
        changed["staff"] = list;
        field_error(owner.put(&path).json(changed).await, "staff");
        assert_eq!(only(&owner.get(&path).await.is(200))["staff"], only(&whole)["staff"]);
    }
    owner.delete(&path).await.is(204);
}

#[tokio::test]
async fn an_issuer_whose_last_owner_is_deleted_gets_one_from_an_administrator() {
    let room = Room::new().await;
    let editor = room.member("editor").await;
    let admin = &room.school.admin;
    let (path, staff) = (format!("/v2/issuers/{}", room.issuer), format!("/v2/issuers/{}/staff", room.issuer));
    let set = |email: &str, role: &str| json!({ "email": email, "role": role });
    let member = format!("{staff}/{}", BASE64_URL_SAFE_NO_PAD.encode(&editor.email));
    // As long as somebody owns it, it is none of their business.
    is_hidden(admin.put(&staff).json(set(&editor.email, "owner")).await);
    is_hidden(admin.post(&staff).json(set(&room.earner.email, "owner")).await);
    is_hidden(admin.delete(&member).await);
    admin.delete(&format!("/api/v1/accounts/self/users/{}", room.owner.client.id)).await.is(200);

    let foreigner = School::start().await.admin;
    for other in [&editor.client, &room.earner.client, &foreigner] {
        is_hidden(other.put(&staff).json(set(&editor.email, "owner")).await);
    }
    is_hidden(admin.get(&path).await);
    is_hidden(admin.delete(&path).await);
    admin.put(&staff).json(set(&editor.email, "staff")).await.is_refused(400, "must keep an owner");
    admin.post(&staff).json(set(&room.earner.email, "editor")).await.is_refused(400, "must keep an owner");
    admin.delete(&member).await.is_refused(400, "must keep an owner");
    let named = admin.put(&staff).json(set(&editor.email, "owner")).await.is(200);
    assert_eq!((&only(&named)["role"], only(&named)["user"].is_string()), (&json!("owner"), true));
    is_hidden(admin.put(&staff).json(set(&room.earner.email, "owner")).await);
    editor.client.patch(&path).json(json!({ "description": "Ropes" })).await.is(200);

    // The next one is not of the staff before.
    admin.delete(&format!("/api/v1/accounts/self/users/{}", editor.client.id)).await.is(200);
    let added = admin.post(&staff).json(set(&room.earner.email, "owner")).await.is(201);
    assert_eq!(only(&added)["userProfile"]["emails"][0]["email"], room.earner.email.as_str());
    room.earner.client.delete(&path).await.is(204);
}
