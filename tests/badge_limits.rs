//! Digital badges: what they may cost, and what becomes of what nobody uses any more.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use support::{Running, running};

use crate::badges::{PNG, Room, SVG, at_once, elsewhere, field_error, id, ids, merge, new_class, only, png, svg};

#[tokio::test]
async fn long_texts_are_refused_at_once() {
    let room = Room::new().await;
    let (owner, earner) = (&room.owner.client, &room.earner.client);
    let began = Instant::now();
    for text in ["<a".repeat(450_000), "<".repeat(900_000), "<b>".repeat(300_000), "< ".repeat(450_000)] {
        let path = format!("/v2/issuers/{}", room.issuer);
        field_error(earner.post("/v2/backpack/collections").json(json!({ "name": text })).await, "name");
        field_error(owner.patch(&path).json(json!({ "description": text })).await, "description");
        field_error(room.award(json!({ "narrative": text })).await, "narrative");
        field_error(earner.put("/v2/users/self").json(json!({ "firstName": text })).await, "firstName");
    }
    assert!(began.elapsed().as_secs() < 30, "it took {:?}", began.elapsed());
}

#[tokio::test]
async fn no_tag_is_made_by_taking_another_out() {
    let room = Room::new().await;
    let text = "<<b>script>alert(1)<<b>/script> and 1 < 2";
    let path = format!("/v2/issuers/{}", room.issuer);
    let issuer = room.owner.client.patch(&path).json(json!({ "description": text })).await.is(200);
    assert_eq!(only(&issuer)["description"], "< script>alert(1)< /script> and 1 < 2");
    let alignment = json!([{ "targetName": "<b>A</b>", "targetUrl": "https://a.test" }]);
    let class = new_class(&room.owner.client, &room.issuer, json!({ "alignments": alignment })).await;
    let class = room.owner.client.get(&format!("/v2/badgeclasses/{class}")).await.is(200);
    assert_eq!(only(&class)["alignments"][0]["targetName"], "A");
}

#[tokio::test]
async fn what_a_record_holds_is_bounded() {
    let room = Room::new().await;
    let long = "x".repeat(40_000);
    let path = format!("/v2/issuers/{}/badgeclasses", room.issuer);
    let alignment = json!([{ "targetName": "A", "targetUrl": "https://a.test", "targetDescription": long }]);
    for (field, value) in [
        ("alignments", alignment),
        ("tags", json!(vec!["x".repeat(1000); 40])),
        ("extensions", json!({ "extensions:x": { "y": long } })),
    ] {
        let mut body = json!({ "name": "n", "description": "d", "criteriaNarrative": "c", "image": png() });
        body[field] = value;
        field_error(room.owner.client.post(&path).json(body).await, field);
    }
    let evidence = json!(vec![json!({ "narrative": "x".repeat(1000) }); 80]);
    field_error(room.award(json!({ "evidence": evidence })).await, "evidence");
}

#[tokio::test]
async fn a_page_of_large_rows_has_fewer_of_them_and_leads_on() {
    let room = Room::new().await;
    let narrative = "ä".repeat(16_000);
    let rows: Vec<_> = (0..50)
        .map(|n| json!({ "recipient": { "identity": format!("{n}@school.test") }, "narrative": narrative }))
        .collect();
    let mut made = Vec::new();
    for _ in 0..4 {
        let issue = format!("/v2/badgeclasses/{}/issue", room.class);
        made.extend(ids(&room.owner.client.post(&issue).json(json!({ "assertions": rows })).await.is(201)));
    }
    let path = format!("/v2/issuers/{}/assertions", room.issuer);
    let (mut seen, mut next) = (Vec::new(), Some(path.clone()));
    while let Some(path) = next {
        let page = room.owner.client.get(&path).await.is(200);
        assert!(page.body.len() < 5 * 1024 * 1024, "{} bytes", page.body.len());
        seen.extend(ids(&page));
        next = page.link("next");
    }
    made.reverse();
    assert_eq!(seen, made);
    let mut feed = vec![room.owner.client.get("/v2/assertions/changed?num=500").await.is(200)];
    while let Some(next) = feed.last().unwrap()["pagination"]["nextResults"].as_str() {
        let part = room.owner.client.get(next).await.is(200);
        feed.push(part);
    }
    assert!(feed.len() > 1, "a feed is bounded as well");
    assert_eq!(feed.iter().map(|part| ids(part).len()).sum::<usize>(), 200);
}

#[tokio::test]
async fn the_backpack_has_pages() {
    let room = Room::new().await;
    let mut awards = Vec::new();
    for _ in 0..5 {
        awards.push(room.awarded().await);
    }
    let there = elsewhere(|_| {}, &room.earner.email);
    let url = format!("{}/assertion", there.url.trim_end_matches('/'));
    let earner = &room.earner.client;
    awards.push(id(&earner.post("/v2/backpack/import").json(json!({ "url": url })).await.is(201)));
    awards.reverse();
    let first = earner.get("/v2/backpack/assertions?num=2&expand=badgeclass").await.is(200);
    let second = earner.get(&first.link("next").unwrap()).await.is(200);
    let third = earner.get(&second.link("next").unwrap()).await.is(200);
    assert_eq!([ids(&first), ids(&second), ids(&third)].concat(), awards);
    assert_eq!((first.link("prev"), third.link("next")), (None, None));
    assert_eq!(second["result"][0]["badgeclass"]["name"], "Knot tying I");
    assert_eq!(first["result"][0]["badgeclass"]["name"], "Elsewhere");
    assert_eq!(ids(&earner.get(&third.link("prev").unwrap()).await.is(200)), ids(&second));
    assert_eq!(ids(&earner.get("/v2/backpack/assertions").await.is(200)), awards);
}

#[tokio::test]
async fn imports_are_few_and_their_documents_small() {
    let room = Room::new().await;
    let earner = &room.earner.client;
    let import = |url: &str| {
        earner.post("/v2/backpack/import").json(json!({ "url": format!("{}/assertion", url.trim_end_matches('/')) }))
    };
    let long = elsewhere(|all| all["/badge"]["description"] = json!("x".repeat(300 * 1024)), &room.earner.email);
    let refused = import(&long.url).await.is(400);
    assert_eq!(refused["validationErrors"][0]["name"], "FETCH_HTTP_NODE", "{refused}");
    let user = earner.id;
    let kept = format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 200)
         INSERT INTO badge_imports (user_id, entity_id, open_badge_id, recipient_type, recipient_identity, assertion, badge,
             issuer, created_at)
         SELECT {user}, 'import-{user}-' || n, 'https://a.test/' || n, 'email', 'x', '{{}}', '{{}}', '{{}}', '2026' FROM n"
    );
    if running().change_database(&kept) {
        let there = elsewhere(|_| {}, &room.earner.email);
        import(&there.url).await.is_refused(400, "no more than 200");
        assert!(there.received().is_empty(), "nobody is asked for what there is no room for");
    }
}

/// Another picture each time.
fn picture(n: usize) -> String {
    svg(&SVG.replace("width=\"9\"", &format!("width=\"{}\"", n + 10)))
}

fn count(site: &Running, sql: &str) -> Option<i64> {
    site.read_database(sql).map(|rows| rows[0][0].as_i64().unwrap())
}

/// True if the key-value store has bytes of the image.
fn has_bytes(site: &Running, name: &str) -> bool {
    const SCRIPT: &str = "import sqlite3, sys
rows = sqlite3.connect(sys.argv[1], timeout=5).execute('SELECT key FROM spin_key_value WHERE key LIKE ?', ('%' + sys.argv[2] + '%',))
print(len(rows.fetchall()))";
    let place = site.read_database("SELECT file FROM pragma_database_list WHERE name = 'main'").unwrap();
    let store = PathBuf::from(place[0][0].as_str().unwrap()).with_file_name("sqlite_key_value.db");
    let output = Command::new("python3").args(["-c", SCRIPT]).arg(store).arg(name).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim() != "0"
}

#[tokio::test]
async fn images_that_nobody_uses_go() {
    // Ticks of other tests would let them go at another time.
    let site = Running::own("badge-images", &[]);
    let room = Room::new_in(&site).await;
    let (owner, nobody) = (&room.owner.client, room.nobody());
    let award = room.awarded().await;
    let baked = nobody.get(&format!("/public/assertions/{award}/image")).await.is(302);
    let baked = baked.header("location").unwrap().to_owned();
    let path = format!("/v2/issuers/{}", room.issuer);
    let address = async || {
        let to = nobody.get(&format!("/public/issuers/{}/image", room.issuer)).await.is(302);
        to.header("location").unwrap().to_owned()
    };
    let mut older = Vec::new();
    for n in 0..3 {
        owner.patch(&path).json(json!({ "image": picture(n) })).await.is(200);
        older.push(address().await);
    }
    let current = older.pop().unwrap();
    let class_image = nobody.get(&format!("/public/badges/{}/image", room.class)).await.is(302);
    older.push(class_image.header("location").unwrap().to_owned());
    let mut class = json!({ "name": "Knots", "description": "d", "criteriaNarrative": "n" });
    merge(&mut class, json!({ "image": picture(9) }));
    let copy =
        owner.post(&format!("/v2/badgeclasses/{}/duplicate", room.class)).json(json!({ "newName": "Copy" })).await;
    let copy = id(&copy.is(201));
    owner.put(&format!("/v2/badgeclasses/{}", room.class)).json(&class).await.is(200);
    // The copy still shows the image that it shares.
    nobody.get(older.last().unwrap()).await.is(200);
    owner.delete(&format!("/v2/badgeclasses/{copy}")).await.is(204);
    for gone in &older {
        nobody.get(gone).await.is(404);
    }
    let shown = nobody.get(&current).await.is(200);
    nobody.get(&current).header("if-none-match", shown.header("etag").unwrap()).await.is(304);
    // The address of the older baked file leads to that of the newer one.
    let newer = nobody.get(&baked).await.is(302);
    let file = nobody.get(newer.header("location").unwrap()).await.is(200);
    nobody.get(newer.header("location").unwrap()).header("if-none-match", file.header("etag").unwrap()).await.is(304);

    let name = |address: &str| address.rsplit('/').next().unwrap().to_owned();
    let rows = || count(&site, &format!("SELECT count(*) FROM badge_images WHERE user_id = {}", owner.id));
    let Some(before) = rows() else { return };
    site.tick(None).await;
    assert_eq!(rows(), Some(before), "they stay for a day");
    assert!(has_bytes(&site, &name(&older[0])));
    site.tick(Some(&in_two_days())).await;
    assert_eq!(rows(), Some(before - 3));
    assert!(!has_bytes(&site, &name(&older[0])) && has_bytes(&site, &name(&current)));
    nobody.get(newer.header("location").unwrap()).await.is(200);

    room.revoke(&award).await.is(200);
    owner.delete(&path).await.is(204);
    nobody.get(&current).await.is(404);
    site.tick(Some(&in_two_days())).await;
    assert_eq!(rows(), Some(0));
    assert!(!has_bytes(&site, &name(&current)));
}

fn in_two_days() -> String {
    let output = Command::new("python3")
        .args([
            "-c",
            "import datetime as d; print((d.datetime.now(d.UTC) + d.timedelta(days=2)).strftime('%Y-%m-%dT%H:%M:%SZ'))",
        ])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn a_change_that_fails_leaves_no_image() {
    let room = Room::new().await;
    let path = format!("/v2/issuers/{}", room.issuer);
    let unnamed = "SELECT count(*) FROM blobs b WHERE b.name GLOB 'badge-images/*'
                       AND NOT EXISTS (SELECT 1 FROM badge_images WHERE name = substr(b.name, 14))";
    let unnamed = || count(&running(), unnamed);
    let owned =
        || count(&running(), &format!("SELECT count(*) FROM badge_images WHERE user_id = {}", room.owner.client.id));
    let before = owned();
    let body = json!({ "image": picture(1), "staff": [{ "user": "nobody", "role": "owner" }] });
    room.owner.client.patch(&path).json(body).await.is(400);
    assert_eq!(owned(), before);
    let issuer = room.owner.client.get(&path).await.is(200);
    assert_eq!(only(&issuer)["image"], Value::Null);
    // Others may be writing at this moment: their bytes get a name as well.
    for _ in 0..300 {
        if unnamed().is_none_or(|unnamed| unnamed == 0) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    panic!("{:?} images are left that nothing names", unnamed());
}

#[tokio::test]
async fn a_user_stores_so_many_images_and_so_often() {
    let room = Room::new().await;
    let path = format!("/v2/issuers/{}", room.issuer);
    let user = room.owner.client.id;
    let images = format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 500)
         INSERT INTO badge_images (name, content_type, size, created_at, user_id)
         SELECT 'filler-{user}-' || n, 'image/png', 9, '2026', {user} FROM n"
    );
    if !running().change_database(&images) {
        return;
    }
    let refused = room.owner.client.patch(&path).json(json!({ "image": png() })).await;
    assert!(field_error(refused, "image").contains("no room"));
    running().change_database(&format!("DELETE FROM badge_images WHERE name LIKE 'filler-{user}-%'"));
    room.owner.client.patch(&path).json(json!({ "image": png() })).await.is(200);
    running().use_up(&format!("badge-images/{user}"), 200, 3600);
    let refused = room.owner.client.patch(&path).json(json!({ "image": png() })).await.is(429);
    assert!(refused.header("retry-after").is_some());
    room.owner.client.patch(&path).json(json!({ "description": "without an image" })).await.is(200);
}

#[tokio::test]
async fn issuers_send_so_much_mail_and_no_more() {
    let room = Room::new().await;
    let owner = room.owner.client.id;
    if !running().use_up(&format!("badge-notices/owner/{owner}"), 999, 3600) {
        return;
    }
    room.award(json!({ "notify": true })).await.is(201);
    let refused = room.award(json!({ "notify": true })).await.is(429);
    assert!(refused.header("retry-after").is_some());
    room.award(json!({})).await.is(201);
    let list = room.owner.client.get(&format!("/v2/issuers/{}/assertions", room.issuer)).await.is(200);
    assert_eq!(ids(&list).len(), 2, "what cannot be told is not awarded");
    // A member of the staff has no share of its own.
    let editor = room.member("editor").await;
    let body = json!({ "recipient": { "identity": room.earner.email }, "notify": true });
    editor.client.post(&format!("/v2/badgeclasses/{}/assertions", room.class)).json(body).await.is(429);
}

#[tokio::test]
async fn a_batch_with_many_who_have_the_badge_is_looked_through_quickly() {
    let room = Room::new().await;
    let path = format!("/v2/badgeclasses/{}/issue", room.class);
    let row = |n: usize| {
        json!({
            "recipient": { "identity": format!("{n}@school.test") }, "allowDuplicateAwards": false,
            "narrative": "x".repeat(3000),
        })
    };
    let began = Instant::now();
    let rows: Vec<_> = (0..500).map(|n| row(n / 2)).collect();
    let refused = room.owner.client.post(&path).json(json!({ "assertions": rows })).await.is(400);
    let wrong = refused["fieldErrors"].as_array().unwrap().iter().filter(|row| **row != json!({})).count();
    assert_eq!(wrong, 250);
    assert!(began.elapsed().as_secs() < 30, "it took {:?}", began.elapsed());
}

#[tokio::test]
async fn a_published_collection_holds_so_many_bytes_of_documents() {
    let room = Room::new().await;
    let narrative = "ä".repeat(16_000);
    let class = new_class(&room.owner.client, &room.issuer, json!({ "description": narrative })).await;
    let row = json!({ "recipient": { "identity": room.earner.email }, "narrative": narrative });
    let issue = format!("/v2/badgeclasses/{class}/issue");
    let mut awards = Vec::new();
    for _ in 0..4 {
        let body = json!({ "assertions": vec![row.clone(); 50] });
        awards.extend(ids(&room.owner.client.post(&issue).json(body).await.is(201)));
    }
    let collection = json!({ "name": "All", "published": true, "assertions": awards });
    let made = room.earner.client.post("/v2/backpack/collections").json(collection).await.is(201);
    let document = room.nobody().get(only(&made)["share_url"].as_str().unwrap()).await.is(200);
    assert!(document.body.len() < 9 * 1024 * 1024, "{} bytes", document.body.len());
    let badges = document["badges"].as_array().unwrap();
    assert_eq!(badges.len(), 200);
    assert!(badges[0].is_object() && badges[199].is_string(), "what finds no room stands as its address");
    assert_eq!(badges[199], format!("{}/public/assertions/{}", room.nobody().base_url(), awards[199]));
    let page = room.nobody().get(&format!("{}.html", only(&made)["share_url"].as_str().unwrap())).await.is(200);
    assert!(page.body.contains(&awards[199]));
}

#[tokio::test]
async fn images_that_are_none_cost_little() {
    let room = Room::new().await;
    let path = format!("/v2/issuers/{}", room.issuer);
    let namespaces: String = (0..40).map(|n| format!(" xmlns:a{n}='urn:{n}'")).collect();
    let whole = BASE64_STANDARD.decode(PNG).unwrap();
    let pictures = [
        format!("<svg xmlns='http://www.w3.org/2000/svg'{namespaces}>{}</svg>", "<g/>".repeat(200_000)),
        format!("<svg xmlns='http://www.w3.org/2000/svg'><style>{}</style></svg>", "a(".repeat(400_000)),
        format!("<svg xmlns='http://www.w3.org/2000/svg'>{}", "<g>".repeat(300_000)),
        String::from_utf8_lossy(&whole).repeat(5000),
    ];
    let began = Instant::now();
    let calls = pictures.iter().map(|picture| room.owner.client.patch(&path).json(json!({ "image": svg(picture) })));
    for answer in at_once(calls).await {
        field_error(answer, "image");
    }
    assert!(began.elapsed().as_secs() < 30, "it took {:?}", began.elapsed());
}

#[tokio::test]
async fn a_feed_and_a_list_of_one_recipient_cost_the_same_among_many_awards() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let (first, last) = (room.awarded().await, room.awarded().await);
    let many = format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 60000)
         INSERT INTO badge_assertions
             (class_id, issuer_id, created_by, entity_id, recipient_type, recipient_identity, recipient_hashed, salt, issued_on,
              status_index, created_at, updated_at)
         SELECT class_id, issuer_id, created_by, concat(entity_id, n), 'email', concat(n, '@many.test'), 1, salt, issued_on,
                status_index + n + 1000, created_at, updated_at
         FROM badge_assertions, n WHERE entity_id = '{first}'"
    );
    if !running().change_database(&many) {
        return;
    }
    let best = async |path: &str| {
        let mut times = Vec::new();
        for _ in 0..10 {
            let began = Instant::now();
            let page = owner.get(path).await.is(200);
            times.push((began.elapsed(), ids(&page)));
        }
        times.into_iter().min().unwrap()
    };
    let class = format!("/v2/badgeclasses/{}/assertions?num=1", room.class);
    let issuer = format!("/v2/issuers/{}/assertions?num=1", room.issuer);
    let (plain, newest) = best(&class).await;
    assert_eq!(newest, [last]);
    let some = "recipient=59999@many.test";
    for path in ["/v2/assertions/changed?num=1".to_owned(), format!("{class}&{some}"), format!("{issuer}&{some}")] {
        let (time, found) = best(&path).await;
        assert_eq!(found.len(), 1, "{path}");
        assert!(time < plain * 8, "{path} takes {time:?}, and a list {plain:?}");
    }
}
