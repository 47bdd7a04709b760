//! The page of reports.

use serde_json::{Value, json};
use support::{School, running};

use super::{filed, link, read, ticket_of};

#[tokio::test]
async fn the_page_lists_filters_and_shows_reports() {
    let (school, other) = (School::start().await, School::start().await);
    let student = school.person("Ada").await;
    let report = json!({
        "subject": "<script>alert(1)</script>", "comments": "It & that", "url": "javascript:alert(1)", "email": "ada@school.test",
        "user_perceived_severity": "not_urgent", "http_env": { "<b>": "<i>", "deep": { "a": 1 } },
    });
    let first = filed(&student, report).await;
    let second = filed(&student, json!({ "subject": "A question" })).await;
    let foreign = filed(&other.person("Eve").await, json!({ "subject": "Foreign" })).await;
    let (nobody, link) = (student.without_token(), link(&school.admin).await);
    let page = nobody.get(&link).await.is(200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").unwrap().contains("form-action 'self'"));
    assert!(page.body.contains("&lt;script&gt;alert(1)") && !page.body.contains("<script>"));
    assert!(page.body.contains("A question") && !page.body.contains("Foreign"));
    let filtered =
        nobody.get(&format!("{link}&user_perceived_severity=not_urgent&user_id=&since=&search_term=")).await.is(200);
    assert!(filtered.body.contains("alert(1)") && !filtered.body.contains("A question"));
    let none = nobody.get(&format!("{link}&since=2100-01-01")).await.is(200);
    assert!(none.body.contains("There are none.") && none.body.contains("value=\"2100-01-01\""));
    for (query, words) in [
        ("workflow_state=gone", "must be one of open, closed"),
        ("since=junk", "since is not an ISO 8601 date and time"),
        ("user_id=x", "user_id is not an id"),
        ("before=99999999999999999999", "before is not an id"),
        ("search_term[a]=b", "search_term must be text"),
    ] {
        nobody.get(&format!("{link}&{query}")).await.is_page(400, words);
    }

    let of = |id: i64| format!("/error_reports/{id}?ticket={}", ticket_of(&link));
    assert!(page.body.contains(&of(first)) && page.body.contains(&of(second)));
    let shown = nobody.get(&of(first)).await.is(200).body;
    for words in
        ["It &amp; that", "&lt;b&gt;", "&lt;i&gt;", "mailto:ada%40school%2Etest", "not urgent", "Close the report"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(!shown.contains("href=\"javascript"));
    nobody.get(&of(foreign)).await.is_page(404, "There is nothing here");
    nobody.get(&format!("/error_reports/junk?ticket={}", ticket_of(&link))).await.is_page(404, "There is nothing here");

    let site = self::link(&running().site_admin().await).await;
    let of_site = format!("/error_reports/{foreign}?ticket={}", ticket_of(&site));
    assert!(nobody.get(&of_site).await.is(200).body.contains("Foreign"));
}

#[tokio::test]
async fn the_page_leads_from_the_newest_to_the_oldest() {
    let school = School::start().await;
    let made = running().change_database(&format!(
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 51)
         INSERT INTO error_reports (root_account_id, user_id, subject, http_env, created_at, updated_at)
         SELECT {}, {}, 'Report number ' || number || '.', '{{}}', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM numbers",
        school.account, school.admin.id
    ));
    if !made {
        return;
    }
    let (nobody, link) = (running().nobody(), link(&school.admin).await);
    let newest = nobody.get(&format!("{link}&search_term=number&until=2026-02-01")).await.is(200).body;
    assert!(newest.contains("Report number 51.") && !newest.contains("Report number 1."));
    let (before, _) = newest.split_once("\" rel=\"next\"").expect("a link to older reports");
    let older = before.rsplit_once("href=\"").unwrap().1.replace("&amp;", "&");
    let oldest = nobody.get(&older).await.is(200).body;
    assert!(oldest.contains("Report number 1.") && !oldest.contains("Report number 2."));
    assert!(!oldest.contains("rel=\"next\""));
}

#[tokio::test]
async fn a_note_that_is_saved_has_its_lines_and_leaves_the_state() {
    let school = School::start().await;
    let id = filed(&school.person("Ada").await, json!({ "subject": "It broke" })).await;
    let (nobody, link) = (running().nobody(), link(&school.admin).await);
    let (path, ticket) = (format!("/error_reports/{id}"), ticket_of(&link));
    let page = nobody.get(&format!("{path}?ticket={ticket}")).await.is(200);
    let api = format!("/api/v1{path}");
    school.admin.put(&api).json(json!({ "workflow_state": "closed" })).await.is(200);
    // The button that closes the report names a state; the one that saves the note does not.
    assert_eq!(page.body.matches("name=\"workflow_state\"").count(), 1, "{page}");
    nobody.post(&path).form(&[("ticket", ticket), ("note", "Looked at.\r\nWorks.")]).await.is(303);
    let report = read(&school.admin, id).await;
    assert_eq!((&report["workflow_state"], &report["note"]), (&json!("closed"), &json!("Looked at.\nWorks.")));
}

#[tokio::test]
async fn the_page_closes_reports_and_only_its_link_does() {
    let (school, other) = (School::start().await, School::start().await);
    let student = school.person("Ada").await;
    let id = filed(&student, json!({ "subject": "It broke" })).await;
    let foreign = filed(&other.person("Eve").await, json!({ "subject": "It broke" })).await;
    let (nobody, link) = (student.without_token(), link(&school.admin).await);
    let ticket = ticket_of(&link);
    let path = format!("/error_reports/{id}");
    let closed =
        nobody.post(&path).form(&[("ticket", ticket), ("workflow_state", "closed"), ("note", "Works again")]).await;
    let back = closed.is(303).header("location").unwrap().to_owned();
    assert_eq!(back, format!("{path}?ticket={ticket}"));
    let shown = nobody.get(&back).await.is(200).body;
    assert!(shown.contains("Open it again") && shown.contains("Works again"));
    let report = read(&school.admin, id).await;
    assert_eq!((&report["workflow_state"], &report["updated_by_id"]), (&json!("closed"), &json!(school.admin.id)));
    nobody.post(&path).form(&[("ticket", ticket), ("workflow_state", "open"), ("note", "")]).await.is(303);
    let report = read(&school.admin, id).await;
    assert_eq!((&report["workflow_state"], &report["note"]), (&json!("open"), &Value::Null));
    let gone = [("ticket", ticket), ("workflow_state", "gone")];
    nobody.post(&path).form(&gone).await.is_page(400, "must be one of open, closed");
    let foreign = format!("/error_reports/{foreign}");
    let close = [("ticket", ticket), ("workflow_state", "closed")];
    nobody.post(&foreign).form(&close).await.is_page(404, "There is nothing here");

    // Neither without the ticket, nor with one of ours for something else, nor with a token.
    let deliveries = school.admin.post("/api/v1/webhook_deliveries/live_link").await.is(200);
    let of_another_kind = ticket_of(deliveries["url"].as_str().unwrap());
    let forged = format!("{}x", ticket.strip_suffix(|_| true).unwrap());
    for ticket in ["x", "x.y", of_another_kind, &forged] {
        nobody.get(&format!("/error_reports?ticket={ticket}")).await.is_refused(403, "This link has ended");
        nobody.get(&format!("{path}?ticket={ticket}")).await.is_refused(403, "This link has ended");
        let form = [("ticket", ticket), ("workflow_state", "closed")];
        school.admin.post(&path).form(&form).await.is_refused(403, "This link has ended");
    }
    nobody.get("/error_reports").await.leads_to("/login?return_to=%2Ferror_reports");
    assert_eq!(read(&school.admin, id).await["workflow_state"], "open");
}

#[tokio::test]
async fn a_link_ends_with_its_holders_right() {
    let school = School::start().await;
    let deputy = school.person("Deputy").await;
    let admins = format!("/api/v1/accounts/{}/admins", school.account);
    school.admin.post(&admins).json(json!({ "user_id": deputy.id })).await.is(200);
    let link = link(&deputy).await;
    running().nobody().get(&link).await.is(200);
    school.set_logins(&deputy, "suspended").await;
    running().nobody().get(&link).await.is_refused(403, "This link has ended");
    school.set_logins(&deputy, "active").await;
    running().nobody().get(&link).await.is(200);
    school.admin.delete(&format!("{admins}/{}", deputy.id)).await.is(200);
    running().nobody().get(&link).await.is_refused(403, "This link has ended");
}
