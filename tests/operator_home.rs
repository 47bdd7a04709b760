//! The operator's home: who sees what, and messages that were given up and are sent again.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use rsa::sha2::Sha256;
use serde_json::json;
use support::model::script;
use support::{Client, Reply, School, running, unique};

/// The link to the page.
async fn link(admin: &Client) -> String {
    admin.post("/api/v1/operator/live_link").await.is(200)["url"].as_str().unwrap().to_owned()
}

fn ticket_of(link: &str) -> &str {
    link.split_once("?ticket=").unwrap().1
}

/// The link to the messages that were given up.
fn outbox(link: &str) -> String {
    format!("/operator/outbox?ticket={}", ticket_of(link))
}

/// A ticket as the service makes them, for whatever purpose, user and end.
fn ticket(purpose: &str, user: i64, ends: i64) -> String {
    let content = BASE64_URL_SAFE_NO_PAD.encode(format!("{ends}.{user}"));
    let mac = Hmac::<Sha256>::new_from_slice(running().variables["token_secret"].as_bytes()).unwrap();
    let mac = mac.chain_update(purpose).chain_update([0]).chain_update(&content);
    format!("{content}.{}", BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

/// The value of the first form's hidden field.
fn field<'a>(page: &'a str, name: &str) -> &'a str {
    let after = page.split_once(&format!("name=\"{name}\" value=\"")).expect("the field").1;
    after.split_once('"').unwrap().0
}

/// Messages of a school that were given up.
struct GivenUp<'a> {
    school: &'a School,
    channel: i64,
}

impl<'a> GivenUp<'a> {
    async fn new(school: &'a School) -> Self {
        let user = school.person("Ada").await;
        let address = format!("{}@school.test", unique("ada"));
        let body =
            json!({ "communication_channel": { "type": "email", "address": address }, "skip_confirmation": true });
        let path = format!("/api/v1/users/{}/communication_channels", user.id);
        Self { school, channel: school.admin.post(&path).json(body).await.is(200).id() }
    }

    /// So many, each with that subject and body. False where we cannot write to the database.
    fn insert(&self, number: usize, subject: &str, confidential_and_body: (bool, &str)) -> bool {
        let (confidential, body) = confidential_and_body;
        running().change_database(&format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {number})
             INSERT INTO messages (root_account_id, channel_id, type, recipient, notification, asset, subject, body,
                 confidential, state, due_at, attempts, failure, created_at)
             SELECT {}, {}, 'email', '<i>ada</i>@school.test', 'new_announcement', 'asset', '{subject} ' || n || '.',
                 '{body}', {confidential}, 'dead', '2026-01-01T00:00:00Z', 9, '550 <b>No such user</b>',
                 '2026-01-01T00:00:00Z' FROM n",
            self.school.account, self.channel
        ))
    }

    /// The ids of those that were given up, the oldest first.
    fn ids(&self) -> Vec<i64> {
        let sql = format!("SELECT id FROM messages WHERE channel_id = {} AND state = 'dead' ORDER BY id", self.channel);
        running().read_database(&sql).unwrap().iter().map(|row| row[0].as_i64().unwrap()).collect()
    }
}

#[tokio::test]
async fn the_page_is_for_administrators_and_ends() {
    let school = School::start().await;
    let (_, teacher, student) = school.classroom("Botany").await;
    for person in [&teacher, &student] {
        person.post("/api/v1/operator/live_link").await.is_forbidden();
    }
    let nobody = running().nobody();
    nobody.post("/api/v1/operator/live_link").await.is_unauthenticated("user authorization required");
    let link = link(&school.admin).await;
    let page = nobody.get(&link).await.is(200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").unwrap().contains("form-action 'self'"));

    let now = shared::clock::now().unix();
    let of_another_kind = ticket("error reports", school.admin.id, now + 60);
    nobody.get(&format!("/error_reports?ticket={of_another_kind}")).await.is(200);
    let forged = format!("{}x", ticket_of(&link).strip_suffix(|_| true).unwrap());
    let old = ticket("operator", school.admin.id, now - 1);
    let of_teacher = ticket("operator", teacher.id, now + 60);
    let of_somebody = ticket("operator", i64::MAX, now + 60);
    for ticket in ["x", "x.y", &of_another_kind, &forged, &old, &of_teacher, &of_somebody] {
        for path in ["/operator", "/operator/outbox"] {
            nobody.get(&format!("{path}?ticket={ticket}")).await.is_page(403, "This link has ended");
        }
        for path in ["/operator/outbox/replay", "/operator/outbox/1/replay"] {
            let form = [("ticket", ticket), ("authenticity_token", "")];
            school.admin.post(path).form(&form).await.is_page(403, "This link has ended");
        }
    }
    nobody.get("/operator").await.leads_to("/login?return_to=%2Foperator");
}

#[tokio::test]
async fn the_link_ends_with_the_right_of_its_holder() {
    let school = School::start().await;
    let deputy = school.person("Deputy").await;
    let admins = format!("/api/v1/accounts/{}/admins", school.account);
    school.admin.post(&admins).json(json!({ "user_id": deputy.id })).await.is(200);
    let link = link(&deputy).await;
    let nobody = running().nobody();
    let page = nobody.get(&link).await.is(200).body;
    let mut links = vec![link];
    for path in ["/operator/outbox", "/webhooks/deliveries", "/error_reports"] {
        let found = page.split("href=\"").find(|link| link.starts_with(&format!("{path}?"))).expect("a link");
        links.push(found.split_once('"').unwrap().0.to_owned());
    }
    for link in &links {
        nobody.get(link).await.is(200);
        school.set_logins(&deputy, "suspended").await;
        nobody.get(link).await.is_page(403, "This link has ended");
        school.set_logins(&deputy, "active").await;
    }
    school.admin.delete(&format!("{admins}/{}", deputy.id)).await.is(200);
    for link in &links {
        nobody.get(link).await.is_page(403, "This link has ended");
    }
}

#[tokio::test]
async fn the_page_leads_to_the_others_of_the_same_tenant_until_its_own_link_ends() {
    let school = School::start().await;
    let nobody = running().nobody();
    let ends = shared::clock::now().unix() + 600;
    let page =
        nobody.get(&format!("/operator?ticket={}", ticket("operator", school.admin.id, ends))).await.is(200).body;
    for path in ["/operator/outbox", "/webhooks/deliveries", "/error_reports"] {
        let link = page.split("href=\"").find(|link| link.starts_with(&format!("{path}?"))).expect("a link");
        let link = link.split_once('"').unwrap().0;
        nobody.get(link).await.is(200);
        let content = ticket_of(link).split_once('.').unwrap().0;
        let content = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(content).unwrap()).unwrap();
        assert!(content.starts_with(&format!("{ends}.")), "{content}");
    }
}

#[tokio::test]
async fn a_tenant_sees_its_own_and_the_site_sees_all() {
    let (school, other) = (School::start().await, School::start().await);
    let course = school.course("Botany").await;
    crate::files::upload(&school.admin, &course.path("/files"), json!({ "name": "leaf.txt" }), &[b'x'; 3000]).await;
    let nobody = running().nobody();
    // Later the package of the export counts, too.
    let own = nobody.get(&link(&school.admin).await).await.is(200).body;
    assert!(own.contains("<td>1</td><td>2.9 KiB</td>"), "{own}");
    let ends = shared::clock::now().plus_seconds(9 * 24 * 3600).to_string();
    let purpose = unique("<b>gradebook");
    let wanted = json!({ "purpose": purpose, "expires_at": ends });
    school.admin.token_for(school.admin.id, wanted).await.is(200);
    let later = shared::clock::now().plus_seconds(40 * 24 * 3600).to_string();
    let lasting = unique("lasting");
    school.admin.token_for(school.admin.id, json!({ "purpose": lasting, "expires_at": later })).await.is(200);
    let key = unique("<i>gradebook");
    let wanted = json!({ "developer_key": { "name": key, "scopes": ["url:GET|/api/v1/courses"] } });
    school.admin.post("/api/v1/accounts/self/developer_keys").json(wanted).await.is(200);
    let package = json!({ "migration_type": "common_cartridge_importer", "pre_attachment": { "name": "oaks.imscc" } });
    let package = school.admin.post(&course.path("/content_migrations")).json(package).await.is(200).id();
    let import = school.admin.post("/api/v1/accounts/self/sis_imports?extension=csv");
    let import = import.body("text/csv", "user_id,login_id,status\nu1,,active\n").await.is(200).id();
    let export = json!({ "export_type": "common_cartridge" });
    let export = school.admin.post(&course.path("/content_exports")).json(export).await.is(200).id();

    let own = nobody.get(&link(&school.admin).await).await.is(200).body;
    assert!(own.contains(&purpose.replace("<b>", "&lt;b&gt;")) && !own.contains("<b>gradebook"), "{own}");
    assert!(!own.contains(&lasting) && !own.contains("The whole installation"), "{own}");
    assert!(own.contains(&format!("<td>{import}</td>")), "{own}");
    assert!(own.contains(&format!("<td>{export}</td>")) && own.contains("common cartridge"), "{own}");
    let into = format!("<td>{package}</td><td>common cartridge importer</td><td>Course {}</td>", course.id);
    assert!(own.contains(&into), "{own}");
    assert!(own.contains(&key.replace("<i>", "&lt;i&gt;")) && own.contains("<td>users who allow it</td><td>1</td>"));

    let theirs = nobody.get(&link(&other.admin).await).await.is(200).body;
    assert!(!theirs.contains("gradebook") && theirs.contains("<td>0</td><td>0 bytes</td>"), "{theirs}");
    assert_eq!(theirs.matches("There are none.").count(), 3, "neither imports nor exports: {theirs}");
    assert!(theirs.contains("There were none in this month and the one before."), "{theirs}");

    let site = nobody.get(&link(&running().site_admin().await).await).await.is(200).body;
    for words in
        ["The whole installation", "Last tick", "Store of bytes", "Root account", "Language model", "Limits hit"]
    {
        assert!(site.contains(words), "{words}: {site}");
    }
}

#[tokio::test]
async fn a_tenant_sees_what_its_conversations_take_of_the_model() {
    let (school, other) = (School::start().await, School::start().await);
    let (course, teacher, student) = school.classroom("History").await;
    let word = unique("Treaties");
    let experience = json!({ "ai_experience": {
        "title": word, "learning_objectives": ["Name two causes"], "pedagogical_guidance": "Ask back.",
        "workflow_state": "published",
    } });
    let experience = teacher.post(&course.path("/ai_experiences")).json(experience).await.is(201).id();
    let conversations = course.path(&format!("/ai_experiences/{experience}/conversations"));
    let conversation = student.post(&conversations).await.is(201).id();
    let month: String = shared::clock::now().to_string().chars().take("2026-03".len()).collect();
    let nobody = running().nobody();
    let own = nobody.get(&link(&school.admin).await).await.is(200).body;
    let used = format!("<td>{month}</td><td>1</td><td>1</td><td>0</td><td>40</td>");
    assert!(own.contains(&used), "{used}: {own}");
    // One that fails keeps what was set aside for it.
    script(&word, |_| Reply::new(429, "slow down"));
    let message = format!("{conversations}/{conversation}/messages");
    student.post(&message).json(json!({ "message": "Why?" })).await.is(503);
    let own = nobody.get(&link(&school.admin).await).await.is(200).body;
    let used = format!("<td>{month}</td><td>1</td><td>2</td><td>1, the latest: rate limited</td>");
    assert!(own.contains(&used), "{used}: {own}");
    let theirs = nobody.get(&link(&other.admin).await).await.is(200).body;
    assert!(!theirs.contains("rate limited"), "{theirs}");
}

#[tokio::test]
async fn storage_is_counted_until_the_bytes_are_gone() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let stored = || {
        let sql = format!("SELECT files, bytes FROM tenant_storage WHERE root_account_id = {}", school.account);
        running().read_database(&sql).map(|rows| rows.first().map_or(json!([0, 0]), |row| json!(row)))
    };
    let Some(before) = stored() else { return };
    assert_eq!(before, json!([0, 0]));
    let file = crate::files::upload(&school.admin, &course.path("/files"), json!({ "name": "a.txt" }), b"12345").await;
    crate::files::upload(&school.admin, &course.path("/files"), json!({ "name": "b.txt" }), b"123").await;
    assert_eq!(stored(), Some(json!([2, 8])));
    // What is deleted keeps its bytes for a while; then they are taken away.
    school.admin.delete(&format!("/api/v1/files/{}", file.id())).await.is(200);
    assert_eq!(stored(), Some(json!([2, 8])));
    running().change_database(&format!("UPDATE attachments SET blob = '' WHERE id = {}", file.id()));
    assert_eq!(stored(), Some(json!([1, 3])));
    running().change_database(&format!("UPDATE attachments SET size = 4 WHERE id = {}", file.id()));
    assert_eq!(stored(), Some(json!([1, 3])));
}

#[tokio::test]
async fn messages_that_were_given_up_are_listed_with_their_reason_and_sent_again() {
    let school = School::start().await;
    let given_up = GivenUp::new(&school).await;
    if !given_up.insert(2, "<script>alert(1)</script> Leaves", (false, "Hello")) {
        return;
    }
    let (nobody, link) = (running().nobody(), link(&school.admin).await);
    let home = nobody.get(&link).await.is(200).body;
    assert!(home.contains("2 messages given up."), "{home}");
    let page = nobody.get(&outbox(&link)).await.is(200).body;
    for words in ["&lt;script&gt;alert(1)", "&lt;i&gt;ada", "550 &lt;b&gt;No such user", "Send all again"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains("<script>") && !page.contains("<b>No"), "{page}");

    let [first, second] = given_up.ids()[..] else { panic!("two messages") };
    let form = [("ticket", ticket_of(&link)), ("authenticity_token", field(&page, "authenticity_token"))];
    let path = format!("/operator/outbox/{first}/replay");
    let back = nobody.post(&path).form(&form).await.is(303).header("location").unwrap().to_owned();
    assert_eq!(back, format!("{}&replayed=true", outbox(&link)));
    assert!(nobody.get(&back).await.is(200).body.contains("Due again"));
    assert_eq!(given_up.ids(), [second]);
    // A second time does nothing.
    let back = nobody.post(&path).form(&form).await.is(303).header("location").unwrap().to_owned();
    assert!(nobody.get(&back).await.is(200).body.contains("Nothing was to be sent again."));
    let states = format!("SELECT state <> 'dead', attempts FROM messages WHERE id = {first}");
    assert_eq!(running().read_database(&states).unwrap()[0][0], 1);

    let back = nobody.post("/operator/outbox/replay").form(&form).await.is(303);
    assert!(back.header("location").unwrap().ends_with("&replayed=true"));
    assert_eq!(given_up.ids(), Vec::<i64>::new());
    assert!(nobody.get(&outbox(&link)).await.is(200).body.contains("There are none."));
}

#[tokio::test]
async fn nobody_sends_the_messages_of_others_again() {
    let (school, other) = (School::start().await, School::start().await);
    let given_up = GivenUp::new(&school).await;
    if !given_up.insert(1, "Leaves", (false, "Hello")) {
        return;
    }
    let theirs = GivenUp::new(&other).await;
    theirs.insert(1, "Roots", (false, "Hello"));
    let (nobody, link) = (running().nobody(), link(&school.admin).await);
    let page = nobody.get(&outbox(&link)).await.is(200).body;
    assert!(page.contains("Leaves 1.") && !page.contains("Roots 1."), "{page}");
    let token = field(&page, "authenticity_token");
    let form = [("ticket", ticket_of(&link)), ("authenticity_token", token)];
    let [foreign] = theirs.ids()[..] else { panic!("one message") };
    let replay = nobody.post(&format!("/operator/outbox/{foreign}/replay")).form(&form);
    replay.await.is_page(404, "There is nothing here");
    nobody.post("/operator/outbox/junk/replay").form(&form).await.is_page(404, "There is nothing here");
    nobody.post("/operator/outbox/replay").form(&form).await.is(303);
    assert_eq!((given_up.ids(), theirs.ids()), (vec![], vec![foreign]));

    // Neither without the form of the page, nor with that of somebody else, nor from another site.
    let their_link = self::link(&other.admin).await;
    let path = format!("/operator/outbox/{foreign}/replay");
    for token in ["", "x", "1.2.3", token] {
        let form = [("ticket", ticket_of(&their_link)), ("authenticity_token", token)];
        nobody.post(&path).form(&form).await.is_page(403, "This form has ended");
        nobody.post("/operator/outbox/replay").form(&form).await.is_page(403, "This form has ended");
    }
    let page = nobody.get(&outbox(&their_link)).await.is(200).body;
    let form = [("ticket", ticket_of(&their_link)), ("authenticity_token", field(&page, "authenticity_token"))];
    let from_elsewhere = nobody.post(&path).header("sec-fetch-site", "cross-site").form(&form);
    from_elsewhere.await.is_page(403, "This form has ended");
    assert_eq!(theirs.ids(), [foreign]);
    nobody.post(&path).header("sec-fetch-site", "same-origin").form(&form).await.is(303);
    assert_eq!(theirs.ids(), Vec::<i64>::new());
}

#[tokio::test]
async fn what_cannot_be_sent_any_more_stays_and_says_why() {
    let school = School::start().await;
    let (lost, taken_away) = (GivenUp::new(&school).await, GivenUp::new(&school).await);
    if !lost.insert(1, "A code", (true, "")) {
        return;
    }
    taken_away.insert(1, "To nobody", (false, "Hello"));
    let retired =
        format!("UPDATE communication_channels SET workflow_state = 'retired' WHERE id = {}", taken_away.channel);
    running().change_database(&retired);
    let (nobody, link) = (running().nobody(), link(&school.admin).await);
    let page = nobody.get(&outbox(&link)).await.is(200).body;
    assert!(page.contains("It held a secret, which is not kept.") && page.contains("The address was taken away."));
    let form = [("ticket", ticket_of(&link)), ("authenticity_token", field(&page, "authenticity_token"))];
    for path in ["/replay".to_owned(), format!("/{}/replay", lost.ids()[0])] {
        let back = nobody.post(&format!("/operator/outbox{path}")).form(&form).await.is(303);
        assert!(back.header("location").unwrap().ends_with("&replayed=false"));
    }
    assert_eq!((lost.ids().len(), taken_away.ids().len()), (1, 1));
}

#[tokio::test]
async fn the_outbox_leads_from_the_newest_to_the_oldest() {
    let school = School::start().await;
    let given_up = GivenUp::new(&school).await;
    if !given_up.insert(51, "Number", (false, "Hello")) {
        return;
    }
    let (nobody, link) = (running().nobody(), link(&school.admin).await);
    let newest = nobody.get(&outbox(&link)).await.is(200).body;
    assert!(newest.contains("Number 51.") && !newest.contains("Number 1."));
    let (before, _) = newest.split_once("\" rel=\"next\"").expect("a link to older messages");
    let older = before.rsplit_once("href=\"").unwrap().1.replace("&amp;", "&");
    let oldest = nobody.get(&older).await.is(200).body;
    assert!(oldest.contains("Number 1.") && !oldest.contains("Number 2.") && !oldest.contains("rel=\"next\""));
    for (query, words) in [("before=x", "before is not an id"), ("before[a]=1", "before"), ("replayed=x", "replayed")] {
        nobody.get(&format!("{}&{query}", outbox(&link))).await.is_page(400, words);
    }
}
