//! Pages and feeds of lists that change.

use std::time::Duration;

use chrono::{SecondsFormat, Utc};
use serde_json::{Value, json};
use support::Running;

use super::{Room, field_error, id, ids, is_hidden, only};
use crate::directory_races::Begun;
use crate::round_trips::statements;

#[tokio::test]
async fn what_is_listed_is_what_is_read_alone() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let quoted = "\"well\" \\ done\u{1e}\u{1d} sha256$";
    for fields in [
        json!({ "recipient": { "identity": "ada@school.test", "hashed": false }, "narrative": quoted }),
        json!({ "recipient": { "identity": "https://school.test/sha256$", "type": "url", "hashed": true } }),
        json!({ "expires": "2999-01-01T00:00:00Z", "evidence": [
            { "url": "https://e.test", "narrative": quoted, "name": "Film" },
            { "narrative": "seen", "description": quoted, "genre": "film", "audience": "all" },
        ] }),
        json!({ "evidence": [{ "url": "https://e.test" }], "extensions": { "extensions:Hours": {
            "@context": "https://e.test/context.json", "type": ["Extension", "extensions:Hours"], "hours": 1.5,
        } } }),
    ] {
        room.award(fields).await.is(201);
    }
    let changed = room.awarded().await;
    let change = json!({ "narrative": quoted, "evidence": [{ "narrative": "after", "url": "https://e.test" }] });
    owner.put(&format!("/v2/assertions/{changed}")).json(change).await.is(200);
    room.revoke(&room.awarded().await).await.is(200);
    let class = format!("/v2/badgeclasses/{}/assertions?include_revoked=true", room.class);
    let issuer = format!("/v2/issuers/{}/assertions?include_revoked=true", room.issuer);
    for list in [issuer, class, "/v2/assertions/changed".to_owned()] {
        let list = owner.get(&list).await.is(200);
        let records = list["result"].as_array().unwrap();
        assert_eq!(records.len(), 6, "{list}");
        for record in records {
            let id = record["entityId"].as_str().unwrap();
            let alone = owner.get(&format!("/v2/assertions/{id}")).await.is(200);
            assert_eq!((record, record.to_string()), (only(&alone), only(&alone).to_string()));
        }
    }
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
    let (since, present) = (rest["timestamp"].as_str().unwrap().to_owned(), present());
    room.revoke(&made[0]).await.is(200);
    assert_eq!(ids(&owner.get(&format!("/v2/assertions/changed?since={present}")).await.is(200)), made[..1]);
    let told = ids(&owner.get(&format!("/v2/assertions/changed?since={since}")).await.is(200));
    assert_eq!(told.last(), Some(&made[0]), "what was told before may be told once more");
    for feed in ["issuers", "badgeclasses", "assertions"] {
        field_error(owner.get(&format!("/v2/{feed}/changed?since=2026-01-01T00:00:00")).await, "since");
        owner.get(&format!("/v2/{feed}/changed?since=2026-01-01T00:00%2B0100")).await.is(200);
    }
    assert_eq!(ids(&owner.get("/v2/issuers/changed").await.is(200)), [room.issuer.as_str()]);
    assert_eq!(ids(&owner.get("/v2/badgeclasses/changed").await.is(200)), [room.class.as_str()]);
    assert!(ids(&room.earner.client.get("/v2/assertions/changed").await.is(200)).is_empty());
}

/// The present moment, as feeds are asked from it on.
fn present() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true)
}

#[tokio::test]
async fn feeds_tell_what_waits_to_be_written_while_they_are_read() {
    let site = Running::own("feeds", &[]);
    let room = Room::new_in(&site).await;
    let owner = &room.owner.client;
    let Some(lock) = site.hold_writes() else { return };
    let path = format!("/v2/badgeclasses/{}/assertions", room.class);
    let award = owner.post(&path).json(json!({ "recipient": { "identity": room.earner.email } }));
    let waiting = tokio::spawn(award.into_future());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let feed = owner.get("/v2/assertions/changed").await.is(200);
    assert_eq!((ids(&feed), waiting.is_finished()), (Vec::<String>::new(), false));
    drop(lock);
    let made = id(&waiting.await.unwrap().is(201));
    let since = feed["timestamp"].as_str().unwrap();
    assert_eq!(ids(&owner.get(&format!("/v2/assertions/changed?since={since}")).await.is(200)), [made]);
}

#[tokio::test]
async fn feeds_tell_what_was_begun_before_others_and_written_behind_them() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let class = format!("/v2/badgeclasses/{}", room.class);
    let slow = [
        ("assertions", "POST", format!("{class}/assertions"), json!({ "recipient": { "identity": "slow@e.test" } })),
        ("badgeclasses", "PUT", class.clone(), super::class(json!({ "name": "Slow" }))),
        ("issuers", "PATCH", format!("/v2/issuers/{}", room.issuer), json!({ "description": "Slow" })),
    ];
    for (feed, method, path, body) in slow {
        let begun = Begun::json(owner, method, &path, body).await;
        room.awarded().await;
        let since = present();
        let status = begun.status().await;
        assert!(["200", "201"].contains(&status.as_str()), "{feed}: {status}");
        let told = owner.get(&format!("/v2/{feed}/changed?since={since}")).await.is(200);
        assert_eq!(ids(&told).len(), 1, "{feed}: {told}");
    }
}

#[tokio::test]
async fn a_feed_of_several_issuers_is_in_the_order_of_their_changes() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let mut classes = vec![room.class.clone()];
    for _ in 0..2 {
        let issuer = super::new_issuer(&room.owner).await;
        classes.push(super::new_class(owner, &issuer, json!({})).await);
    }
    let body = json!({ "recipient": { "identity": room.earner.email } });
    let mut made = Vec::new();
    // The first has several in a row.
    for class in [0, 0, 0, 1, 0, 2, 1, 0, 2, 2, 2, 0] {
        let path = format!("/v2/badgeclasses/{}/assertions", classes[class]);
        made.push(id(&owner.post(&path).json(&body).await.is(201)));
    }
    room.revoke(&made[1]).await.is(200);
    let changed = made.remove(1);
    made.push(changed);
    for num in [1, 2, 5, 11, 12, 500] {
        let (mut seen, mut next) = (Vec::new(), Some(format!("/v2/assertions/changed?num={num}")));
        while let Some(path) = next {
            let page = owner.get(&path).await.is(200);
            let found = ids(&page);
            let rest = made.len() - seen.len();
            assert_eq!(
                (found.len(), page["pagination"]["hasNext"].clone()),
                (rest.min(num), json!(rest > num)),
                "{num}"
            );
            seen.extend(found);
            next = page["pagination"]["nextResults"].as_str().map(str::to_owned);
        }
        assert_eq!(seen, made, "{num}");
    }
    field_error(owner.get("/v2/assertions/changed?after=x").await, "after");
}

#[tokio::test]
async fn a_list_of_some_recipients_has_theirs_alone() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let other_class = super::new_class(owner, &room.issuer, json!({})).await;
    let other_issuer = super::new_issuer(&room.owner).await;
    let elsewhere = super::new_class(owner, &other_issuer, json!({})).await;
    let (mut of_class, mut of_issuer) = (Vec::new(), Vec::new());
    for round in 0..3 {
        for (class, name) in [(&room.class, "ada"), (&room.class, "eve"), (&other_class, "ada"), (&elsewhere, "ada")] {
            let body = json!({ "recipient": { "identity": format!("{name}@school.test") } });
            let award = id(&owner.post(&format!("/v2/badgeclasses/{class}/assertions")).json(body).await.is(201));
            if name == "ada" && *class == room.class {
                of_class.insert(0, award.clone());
            }
            if name == "ada" && *class != elsewhere {
                of_issuer.insert(0, award.clone());
            }
            if round == 1 && name == "eve" {
                room.revoke(&award).await.is(200);
            }
        }
    }
    for (list, expected) in [
        (format!("/v2/badgeclasses/{}/assertions", room.class), &of_class),
        (format!("/v2/issuers/{}/assertions", room.issuer), &of_issuer),
    ] {
        for num in [1, 2, 500] {
            let (mut seen, mut next) =
                (Vec::new(), Some(format!("{list}?num={num}&recipient=Ada@school.test&recipient=x")));
            while let Some(path) = next {
                let page = owner.get(&path).await.is(200);
                seen.extend(ids(&page));
                next = page.link("next");
            }
            assert_eq!(&seen, expected, "{list} {num}");
        }
        let eve = owner.get(&format!("{list}?recipient[]=eve@school.test")).await.is(200);
        assert_eq!(ids(&eve).len(), 2, "{eve}");
        let all = owner.get(&format!("{list}?recipient=eve@school.test&include_revoked=true")).await.is(200);
        assert_eq!(ids(&all).len(), 3, "{all}");
        is_hidden(room.earner.client.get(&format!("{list}?recipient=ada@school.test")).await);
    }
}

#[tokio::test]
async fn what_is_kept_costs_as_many_statements_for_one_award_as_for_three() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let browser = room.school.in_browser(earner).await;
    let collection = json!({ "name": "Mine", "published": true });
    let collection = earner.post("/v2/backpack/collections").json(collection).await.is(201);
    let (own, shared) = (id(&collection), only(&collection)["share_url"].as_str().unwrap().to_owned());
    let (mut kept, mut costs) = (Vec::new(), Vec::new());
    for count in [1, 3] {
        while kept.len() < count {
            kept.push(room.awarded().await);
        }
        let assertions = json!({ "assertions": kept });
        earner.put(&format!("/v2/backpack/collections/{own}")).json(assertions).await.is(200);
        let list = earner.get("/v2/backpack/assertions?expand=badgeclass&expand=issuer").await.is(200);
        let expanded = list.records(&["result"]).iter().filter(|award| award["issuer"]["name"] == "Harbor College");
        assert_eq!(expanded.count(), count, "{list}");
        let page = browser.get("/backpack").await.is(200);
        let document = room.nobody().get(&shared).await.is(200);
        assert_eq!(document["badges"].as_array().unwrap().len(), count, "{document}");
        costs.push([&list, &page, &document].map(statements));
    }
    assert_eq!(costs, [[2; 3]; 2]);
}
