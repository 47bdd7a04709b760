//! The awards that earners keep, of ours and of others.

use serde_json::{Value, json};
use support::{Client, School};

use super::{Room, at_once, elsewhere, field_error, id, ids, is_hidden, only, person, png, verified};
use crate::directory_races::Begun;

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

#[tokio::test]
async fn a_collection_shows_what_is_in_the_backpack_now() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let other = format!("{}@school.test", support::unique("earner"));
    verified(&room.school, earner, &other).await;
    let (moved, kept) = (room.awarded().await, room.awarded().await);
    let collection = json!({ "name": "Mine", "published": true, "assertions": [moved, kept] });
    let made = earner.post("/v2/backpack/collections").json(collection).await.is(201);
    let own = format!("/v2/backpack/collections/{}", id(&made));
    let share = only(&made)["share_url"].as_str().unwrap().to_owned();
    let shows = async |awards: &[&String]| {
        assert_eq!(only(&earner.get(&own).await.is(200))["assertions"], json!(awards));
        assert_eq!(room.nobody().get(&share).await.is(200)["badges"].as_array().unwrap().len(), awards.len());
        let page = room.nobody().get(&format!("{share}.html")).await.is(200);
        for award in [&moved, &kept] {
            assert_eq!(page.body.contains(award), awards.contains(&award), "{award}: {page}");
        }
    };
    let correct = async |address: &str| {
        let recipient = json!({ "recipient": { "identity": address } });
        room.owner.client.put(&format!("/v2/assertions/{moved}")).json(recipient).await.is(200)
    };
    let award = |id: &str| earner.get(&format!("/v2/backpack/assertions/{id}"));
    // At another address of the same person it stays.
    correct(&other).await;
    shows(&[&moved, &kept]).await;
    correct("somebody@elsewhere.test").await;
    is_hidden(award(&moved).await);
    shows(&[&kept]).await;
    field_error(earner.put(&own).json(json!({ "assertions": [moved, kept] })).await, "assertions");
    let read = earner.get(&own).await.is(200);
    assert_eq!(only(&earner.put(&own).json(only(&read)).await.is(200)), only(&read));

    // Without the address the award is out of sight, and with it back again.
    let channels = "/api/v1/users/self/communication_channels";
    let listed = earner.get(channels).await.is(200);
    let is_own = |channel: &&Value| channel["address"] == room.earner.email.as_str();
    let channel = listed.json.as_array().unwrap().iter().find(is_own).unwrap()["id"].clone();
    earner.delete(&format!("{channels}/{channel}")).await.is(200);
    is_hidden(award(&kept).await);
    shows(&[]).await;
    earner.put(&own).json(json!({ "name": "Ours" })).await.is(200);
    verified(&room.school, earner, &room.earner.email).await;
    shows(&[&kept]).await;
}

#[tokio::test]
async fn badges_of_others_are_verified_before_they_are_kept() {
    type Change = fn(&mut Value);
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
    let public = format!("/public/imports/{kept}");
    is_hidden(room.nobody().get(&public).await);
    let collection = json!({ "name": "Mine", "published": true, "assertions": [kept] });
    earner.post("/v2/backpack/collections").json(collection).await.is(201);
    assert_eq!(room.nobody().get(&public).await.is(200)["badge"]["name"], "Elsewhere");
    room.nobody().get(&format!("{public}/image")).await.is(302);
    earner.delete(&format!("/v2/backpack/assertions/{kept}")).await.is(204);
    is_hidden(room.nobody().get(&public).await);
    import(json!({ "assertion": { "id": url } })).await.is(201);

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
async fn an_import_has_the_evidence_and_the_extensions_of_its_award() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let import = async |evidence: Value| {
        let change = move |all: &mut Value| {
            all["/assertion"]["evidence"] = evidence.clone();
            all["/assertion"]["extensions:place"] = json!({ "name": "Harbor" });
        };
        let there = elsewhere(change, &room.earner.email);
        let url = format!("{}/assertion", there.url.trim_end_matches('/'));
        let kept = earner.post("/v2/backpack/import").json(json!({ "url": url })).await.is(201);
        let shown = earner.get(&format!("/v2/backpack/assertions/{}", id(&kept))).await.is(200);
        assert_eq!(only(&shown)["extensions"], json!({ "extensions:place": { "name": "Harbor" } }));
        only(&shown)["evidence"].clone()
    };
    let deed = json!({ "type": "Evidence", "id": "https://i.test/1", "narrative": "Six knots", "name": "Knots" });
    let shown = json!({ "url": "https://i.test/1", "narrative": "Six knots", "name": "Knots" });
    assert_eq!(import(deed.clone()).await, json!([shown]));
    let address = json!({ "url": "https://i.test/2", "narrative": null });
    assert_eq!(import(json!("https://i.test/2")).await, json!([address]));
    let odd = json!([deed, "https://i.test/2", "javascript:x()", 7, { "name": "Nothing" }]);
    assert_eq!(import(odd).await, json!([shown, address]));
    assert_eq!(import(Value::Null).await, json!([]));
}

#[tokio::test]
async fn services_elsewhere_may_hash_their_recipients_with_md5() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    verified(&room.school, earner, "ada@elder.test").await;
    let import = async |identity: &'static str| {
        let recipient = json!({ "type": "email", "hashed": true, "salt": "deadsea", "identity": identity });
        let there = elsewhere(move |all| all["/assertion"]["recipient"] = recipient.clone(), "");
        let url = format!("{}/assertion", there.url.trim_end_matches('/'));
        earner.post("/v2/backpack/import").json(json!({ "url": url })).await
    };
    for identity in ["md5$668b1a0618892c66e7478a502aa0351a", "md5$", "sha1$f9e7c8ba38ca2ce667e331c29bb2e9ac"] {
        let refused = import(identity).await.is(400);
        assert_eq!(refused["validationErrors"][0]["name"], "RECIPIENT_MISMATCH", "{identity}: {refused}");
    }
    // Of ada@elder.test, and the salt behind it.
    let kept = import("md5$f9e7c8ba38ca2ce667e331c29bb2e9ac").await.is(201);
    assert_eq!(only(&kept)["recipient"]["plaintextIdentity"], "ada@elder.test");
}

#[tokio::test]
async fn services_elsewhere_may_hash_an_address_as_it_is_spelled() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    verified(&room.school, earner, "Ada@Spelled.test").await;
    // With the salt behind it: as it is spelled, in lower case, and in capitals.
    let (spelled, lower, other) = (
        "sha256$696d5549d45ed5751e44aabf297b398ad5809cce5906a2b5c87505dae1292b00",
        "sha256$c52de2102a2358b9535d0cf6806e8adc010201443ed81e86faa0aad6d69cc7d6",
        "sha256$ff3adbc03ede3ccdcb3f42d2b81241af4e44fab938b807b867781ab6c48cef13",
    );
    let hashed = |identity: &str| {
        let recipient = json!({ "type": "email", "hashed": true, "salt": "deadsea", "identity": identity });
        elsewhere(move |all| all["/assertion"]["recipient"] = recipient.clone(), "")
    };
    for (identity, is_own) in
        [(spelled, true), (lower, true), ("md5$6db8d7916d8f0ffcefdacf042f9bf3bb", true), (other, false)]
    {
        let there = hashed(identity);
        let url = format!("{}/assertion", there.url.trim_end_matches('/'));
        let answer = earner.post("/v2/backpack/import").json(json!({ "url": url })).await;
        if !is_own {
            assert_eq!(answer.is(400)["validationErrors"][0]["name"], "RECIPIENT_MISMATCH", "{identity}");
            continue;
        }
        let kept = answer.is(201);
        assert_eq!((&only(&kept)["pending"], &only(&kept)["acceptance"]), (&json!(false), &json!("Accepted")));
        room.nobody().post("/public/verify").json(json!({ "entity_id": id(&kept) })).await.is(200);
    }
}

#[tokio::test]
async fn the_case_of_other_alphabets_is_a_part_of_an_address() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let address = format!("Änne-{}@School.test", support::unique("x"));
    verified(&room.school, earner, &address).await;
    let award = id(&room.award(json!({ "recipient": { "identity": address } })).await.is(201));
    assert_eq!(ids(&earner.get("/v2/backpack/assertions").await.is(200)), std::slice::from_ref(&award));
    let there = elsewhere(|_| {}, &address);
    let url = format!("{}/assertion", there.url.trim_end_matches('/'));
    earner.post("/v2/backpack/import").json(json!({ "url": url })).await.is(201);
    let list = reqwest::Url::parse_with_params(
        &format!("{}/v2/badgeclasses/{}/assertions", earner.base_url(), room.class),
        [("recipient", &address)],
    );
    assert_eq!(ids(&room.owner.client.get(list.unwrap().as_str()).await.is(200)), [award]);
}

#[tokio::test]
async fn a_published_collection_keeps_the_order_of_its_earner() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let (first, last) = (room.awarded().await, room.awarded().await);
    let there = elsewhere(|_| {}, &room.earner.email);
    let url = format!("{}/assertion", there.url.trim_end_matches('/'));
    let import = id(&earner.post("/v2/backpack/import").json(json!({ "url": url })).await.is(201));
    let address = |award: &String| match *award == import {
        true => url.clone(),
        false => format!("{}/public/assertions/{award}", earner.base_url()),
    };
    let collection = json!({ "name": "Mine", "published": true });
    let made = earner.post("/v2/backpack/collections").json(collection).await.is(201);
    let (own, share) = (id(&made), only(&made)["share_url"].as_str().unwrap().to_owned());
    for order in [[&first, &import, &last], [&import, &last, &first], [&last, &first, &import]] {
        let changed = earner.put(&format!("/v2/backpack/collections/{own}")).json(json!({ "assertions": order })).await;
        assert_eq!(only(&changed.is(200))["assertions"], json!(order));
        let document = room.nobody().get(&share).await.is(200);
        let shown: Vec<_> = document["badges"].as_array().unwrap().iter().map(|badge| badge["id"].clone()).collect();
        assert_eq!(json!(shown), json!(order.map(address)));
        let page = room.nobody().get(&format!("{share}.html")).await.is(200);
        let list = page.body.split("<ul class=\"badges\">").nth(1).unwrap();
        let places = order.map(|award| list.find(&format!("href=\"{}", address(award))).unwrap());
        assert!(places.is_sorted(), "{order:?}: {page}");
    }
}

#[tokio::test]
async fn an_award_that_was_turned_down_is_imported_again() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let award = room.awarded().await;
    let public = format!("{}/public/assertions/{award}", earner.base_url());
    let own = format!("/v2/backpack/assertions/{award}");
    let import = |client: &Client, body: Value| client.post("/v2/backpack/import").json(body);
    for behind in ["", "/", ".json", ".html", "?v=1_1", "#top", ".html?lang=en#top", ".json/"] {
        earner.delete(&own).await.is(204);
        is_hidden(earner.put(&own).json(json!({ "acceptance": "Accepted" })).await);
        let url = json!({ "url": format!("{public}{behind}") });
        let refused = import(&room.owner.client, url.clone()).await.is(400);
        assert_eq!(refused["validationErrors"][0]["name"], "RECIPIENT_MISMATCH", "{behind}");
        let back = import(earner, url.clone()).await.is(201);
        assert_eq!((id(&back), &only(&back)["acceptance"]), (award.clone(), &json!("Accepted")), "{behind}");
        assert_eq!(import(earner, url).await.is(400)["validationErrors"][0]["name"], "DUPLICATE_BADGE", "{behind}");
    }
    for version in ["", "?v=2_0", "?v=1_1"] {
        earner.delete(&own).await.is(204);
        let document = room.nobody().get(&format!("{public}{version}")).await.is(200);
        assert_eq!(id(&import(earner, json!({ "assertion": document.json })).await.is(201)), award, "{version}");
    }
    assert_eq!(ids(&earner.get("/v2/backpack/assertions").await.is(200)), std::slice::from_ref(&award));
    // Whoever turned it down may be awarded the badge anew.
    let only_once = || room.award(json!({ "allowDuplicateAwards": false }));
    only_once().await.is_refused(400, "Previous award exists");
    earner.delete(&own).await.is(204);
    only_once().await.is(201);
    only_once().await.is_refused(400, "Previous award exists");
    room.revoke(&award).await.is(200);
    let revoked = import(earner, json!({ "url": public })).await.is(400);
    assert_eq!(revoked["validationErrors"][0]["name"], "ASSERTION_REVOKED");
}

#[tokio::test]
async fn an_award_that_goes_to_somebody_else_meanwhile_is_theirs_to_accept_and_to_turn_down() {
    let room = Room::new().await;
    let (former, other) = (&room.earner, person(&room.school, "other").await);
    let browser = room.school.in_browser(&former.client).await;
    let award = room.awarded().await;
    let (kept, page) = (format!("/v2/backpack/assertions/{award}"), format!("/backpack/assertions/{award}"));
    let give_to = async |email: &str| {
        let recipient = json!({ "recipient": { "identity": email } });
        room.owner.client.put(&format!("/v2/assertions/{award}")).json(recipient).await.is(200);
    };
    let is_untouched = async || {
        let award = other.client.get(&kept).await.is(200);
        assert_eq!(only(&award)["acceptance"], "Unaccepted");
    };
    let begun = Begun::json(&former.client, "PUT", &kept, json!({ "acceptance": "Accepted" })).await;
    give_to(&other.email).await;
    assert_eq!(begun.status().await, "404");
    is_untouched().await;

    give_to(&former.email).await;
    let token = browser.get(&page).await.is(200).field("authenticity_token");
    let form = format!("action=remove&authenticity_token={}", token.replace('+', "%2B"));
    let begun = Begun::new(&browser, "POST", &page, "application/x-www-form-urlencoded", form).await;
    give_to(&other.email).await;
    assert_eq!(begun.status().await, "404");
    is_untouched().await;
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
async fn an_import_waits_until_its_address_is_confirmed() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let address = format!("{}@later.test", support::unique("earner"));
    let channel = json!({ "communication_channel": { "address": address, "type": "email" } });
    let own = "/api/v1/users/self/communication_channels";
    let made = earner.post(own).json(channel).await.is(200);
    assert_eq!(made["workflow_state"], "unconfirmed");
    let there = elsewhere(|_| {}, &address);
    let url = format!("{}/assertion", there.url.trim_end_matches('/'));
    let import = earner.post("/v2/backpack/import").json(json!({ "url": url })).await.is(201);
    let kept = id(&import);
    assert_eq!(only(&import)["pending"], true);
    let list = async |query: &str| ids(&earner.get(&format!("/v2/backpack/assertions{query}")).await.is(200));
    assert!(list("").await.is_empty() && list("?include_pending=false").await.is_empty());
    assert_eq!(list("?include_pending=true").await, [kept.as_str()]);
    let collection = || {
        let collection = json!({ "name": "Mine", "published": true, "assertions": [kept] });
        earner.post("/v2/backpack/collections").json(collection)
    };
    field_error(collection().await, "assertions");
    is_hidden(room.nobody().post("/public/verify").json(json!({ "entity_id": kept })).await);
    // Taking the address away confirms nothing.
    earner.delete(&format!("{own}/{}", made.id())).await.is(200);
    assert!(list("").await.is_empty());

    verified(&room.school, earner, &address).await;
    assert_eq!(list("").await, [kept.as_str()]);
    assert_eq!(only(&earner.get(&format!("/v2/backpack/assertions/{kept}")).await.is(200))["pending"], false);
    let shared = collection().await.is(201);
    let shared = only(&shared)["share_url"].as_str().unwrap().to_owned();
    assert_eq!(room.nobody().get(&shared).await.is(200)["badges"].as_array().unwrap().len(), 1);
}
