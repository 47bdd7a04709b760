//! Reports as administrators work through them.

use serde_json::{Value, json};
use support::{School, running, unique};

use super::{REPORTS, filed, link, read, ticket_of};

#[tokio::test]
async fn what_is_listed_is_what_is_read_alone() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    let closed = filed(&student, json!({ "subject": "It \"broke\" \\ \u{1e}", "url": "https://lms.test/a?b" })).await;
    filed(
        &student,
        json!({ "subject": "é", "email": "ada@school.test", "user_perceived_severity": "blocks_what_i_need_to_do" }),
    )
    .await;
    let close = json!({ "workflow_state": "closed" });
    school.admin.put(&format!("{REPORTS}/{closed}")).json(close).await.is(200);
    let list = school.admin.get(REPORTS).await.is(200);
    let reports = list.json.as_array().unwrap();
    assert_eq!(reports.len(), 2);
    for report in reports {
        let alone = school.admin.get(&format!("{REPORTS}/{}", report["id"])).await.is(200);
        for (name, value) in report.as_object().unwrap() {
            assert_eq!((name, value), (name, &alone[name.as_str()]));
        }
        assert_eq!(report.as_object().unwrap().len(), 14, "{report}");
    }
}

#[tokio::test]
async fn administrators_see_the_reports_of_their_tenant_and_nobody_else_does() {
    let (school, other) = (School::start().await, School::start().await);
    let student = school.person("Ada").await;
    let id = filed(&student, json!({ "subject": "It broke" })).await;
    let of_nobody = filed(&student.without_token(), json!({ "subject": unique("It broke for somebody") })).await;
    let path = format!("{REPORTS}/{id}");
    let close = || json!({ "workflow_state": "closed" });

    assert_eq!(school.admin.get(REPORTS).await.is(200).ids(), [id]);
    assert!(other.admin.get(REPORTS).await.is(200).ids().is_empty());
    other.admin.get(&path).await.is_not_found();
    other.admin.put(&path).json(close()).await.is_not_found();
    school.admin.get(&format!("{REPORTS}/{of_nobody}")).await.is_not_found();
    school.admin.get(&format!("{REPORTS}/none")).await.is_not_found();

    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let dean = school.person("Dean").await;
    school.admin.post(&format!("/api/v1/accounts/{faculty}/admins")).json(json!({ "user_id": dean.id })).await.is(200);
    for client in [&student, &dean] {
        client.get(REPORTS).await.is_forbidden();
        client.get(&path).await.is_forbidden();
        client.put(&path).json(close()).await.is_forbidden();
        client.post(&format!("{REPORTS}/live_link")).await.is_forbidden();
        client.get(&format!("{REPORTS}/999999999")).await.is_not_found();
    }
    let nobody = student.without_token();
    for call in
        [nobody.get(REPORTS), nobody.get(&path), nobody.put(&path), nobody.post(&format!("{REPORTS}/live_link"))]
    {
        call.await.is_unauthenticated("user authorization required");
    }
    let site_admin = running().site_admin().await;
    for id in [id, of_nobody] {
        assert_eq!(read(&site_admin, id).await.id(), id);
    }
    assert_eq!(read(&site_admin, of_nobody).await["account_id"], 1);
    site_admin.put(&format!("{REPORTS}/{of_nobody}")).json(close()).await.is(200);
    school.admin.delete(&path).await.is(405);
}

#[tokio::test]
async fn what_nobody_in_particular_has_filed_is_for_the_sites_administrators_alone() {
    let site_admin = running().site_admin().await;
    // They administer the account to which such reports belong, and not the site.
    let user = json!({ "user": { "name": "Deputy" }, "pseudonym": { "unique_id": unique("deputy") } });
    let user = site_admin.post("/api/v1/accounts/1/users").json(user).await.is(200).id();
    site_admin.post("/api/v1/accounts/1/admins").json(json!({ "user_id": user })).await.is(200);
    let token = site_admin.token_for(user, json!({ "purpose": "test" })).await.is(200);
    let deputy = site_admin.with_token(token["visible_token"].as_str().unwrap());
    let subject = unique("It broke for somebody");
    let of_nobody = filed(&deputy.without_token(), json!({ "subject": subject })).await;
    let own = filed(&deputy, json!({ "subject": subject })).await;

    let listed = format!("{REPORTS}?search_term={subject}");
    assert_eq!(site_admin.get(&listed).await.is(200).ids(), [own, of_nobody]);
    assert_eq!(deputy.get(&listed).await.is(200).ids(), [own]);
    assert_eq!(deputy.get(&format!("{listed}&workflow_state=open")).await.is(200).ids(), [own]);
    let close = || json!({ "workflow_state": "closed" });
    deputy.get(&format!("{REPORTS}/{own}")).await.is(200);
    deputy.get(&format!("{REPORTS}/{of_nobody}")).await.is_not_found();
    deputy.put(&format!("{REPORTS}/{of_nobody}")).json(close()).await.is_not_found();
    let link = link(&deputy).await;
    let page = deputy.without_token().get(&format!("{link}&search_term={subject}")).await.is(200).body;
    assert_eq!(page.matches(&format!("<td>{subject}</td>")).count(), 1, "{page}");
    let path = format!("/error_reports/{of_nobody}");
    let nobody = deputy.without_token();
    nobody.get(&format!("{path}?ticket={}", ticket_of(&link))).await.is_page(404, "There is nothing here");
    let form = [("ticket", ticket_of(&link)), ("workflow_state", "closed")];
    nobody.post(&path).form(&form).await.is_page(404, "There is nothing here");
    assert_eq!(read(&site_admin, of_nobody).await["workflow_state"], "open");
}

#[tokio::test]
async fn lists_are_filtered() {
    let school = School::start().await;
    let (ada, alan) = (school.person("Ada").await, school.person("Alan").await);
    let severe = json!({ "subject": "100% broken_", "user_perceived_severity": "extreme_critical_emergency" });
    let (first, second) = (filed(&ada, severe).await, filed(&ada, json!({ "subject": "A question" })).await);
    let third = filed(&alan, json!({ "subject": "Another QUESTION" })).await;
    school.admin.put(&format!("{REPORTS}/{second}")).json(json!({ "workflow_state": "closed" })).await.is(200);
    let of_ada = format!("user_id={}", ada.id);
    for (query, expected) in [
        ("", vec![third, second, first]),
        ("workflow_state=open", vec![third, first]),
        ("workflow_state=closed", vec![second]),
        ("user_perceived_severity=extreme_critical_emergency", vec![first]),
        ("user_perceived_severity=none_of_these", vec![]),
        (&of_ada, vec![second, first]),
        (&format!("{of_ada}&workflow_state=open"), vec![first]),
        ("search_term=question", vec![third, second]),
        ("search_term=100%25", vec![first]),
        ("search_term=n_", vec![first]),
        ("search_term=%25A", vec![]),
        ("since=2000-01-01", vec![third, second, first]),
        ("since=2100-01-01", vec![]),
        ("until=2100-01-01T00:00:00Z", vec![third, second, first]),
        ("until=2000-01-01", vec![]),
    ] {
        assert_eq!(school.admin.get(&format!("{REPORTS}?{query}")).await.is(200).ids(), expected, "{query}");
    }
    for (query, words) in [
        ("workflow_state=gone", "workflow_state must be one of open, closed"),
        ("user_id=x", "user_id is not an id"),
        ("since=soon", "since is not an ISO 8601 date and time"),
    ] {
        school.admin.get(&format!("{REPORTS}?{query}")).await.is_refused(400, words);
    }
    let long = format!("search_term={}", "x".repeat(256));
    school.admin.get(&format!("{REPORTS}?{long}")).await.is_refused(400, "too_long");
    school
        .admin
        .without_token()
        .get(&format!("{}&{long}", link(&school.admin).await))
        .await
        .is_page(400, "is too long");
    let subject = "ä".repeat(2000);
    let id = filed(&alan, json!({ "subject": subject })).await;
    let listed = school.admin.get(&format!("{REPORTS}?search_term={}", "%C3%A4".repeat(100))).await.is(200);
    assert_eq!((listed.ids(), listed.json[0]["subject"].as_str()), (vec![id], Some("ä".repeat(1024).as_str())));
    assert_eq!(read(&school.admin, id).await["subject"], subject);
    let listed = school.admin.get(&format!("{REPORTS}?per_page=1")).await.is(200);
    assert!(listed.json[0].get("http_env").is_none(), "lists leave out what is long");
}

#[tokio::test]
async fn lists_are_paged_to_the_end() {
    let school = School::start().await;
    let student = school.person("Ada").await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.insert(0, filed(&student, json!({ "subject": "It broke" })).await);
    }
    let (mut seen, mut next) = (Vec::new(), Some(format!("{REPORTS}?per_page=2&workflow_state=open")));
    while let Some(path) = next {
        let page = school.admin.get(&path).await.is(200);
        assert!(page.ids().len() <= 2);
        seen.extend(page.ids());
        next = page.link("next");
    }
    assert_eq!(seen, ids);
    school.admin.get(&format!("{REPORTS}?page=bookmark:none")).await.is_refused(400, "Invalid page");
}

#[tokio::test]
async fn a_report_is_closed_noted_and_opened_again() {
    let school = School::start().await;
    let id = filed(&school.person("Ada").await, json!({ "subject": "It broke" })).await;
    let path = format!("{REPORTS}/{id}");
    let put = async |body: Value| school.admin.put(&path).json(body).await.is(200);
    let closed = put(json!({ "workflow_state": "closed", "note": "Works again" })).await;
    assert_eq!((&closed["workflow_state"], &closed["note"]), (&json!("closed"), &json!("Works again")));
    assert_eq!(closed["updated_by_id"], school.admin.id);
    let closed_at = closed["closed_at"].clone();
    assert!(closed_at.is_string());
    // Nothing is lost by what is left out, or said again.
    assert_eq!(put(json!({ "note": null })).await["note"], Value::Null);
    let again = put(json!({ "workflow_state": "closed" })).await;
    assert_eq!((&again["workflow_state"], &again["closed_at"]), (&json!("closed"), &closed_at));
    let opened = put(json!({ "workflow_state": "open" })).await;
    assert_eq!((&opened["workflow_state"], &opened["closed_at"]), (&json!("open"), &Value::Null));
    assert_eq!(read(&school.admin, id).await.json, opened.json);
    let form = school.admin.put(&path).form(&[("workflow_state", "closed")]).await.is(200);
    assert_eq!(form["workflow_state"], "closed");

    let refused = async |body: Value| school.admin.put(&path).json(body).await;
    refused(json!({ "workflow_state": "gone" })).await.is_refused(400, "must be one of open, closed");
    refused(json!({ "note": "x".repeat(65_536) })).await.is_refused(400, "too_long");
    refused(json!({ "note": {} })).await.is_refused(400, "note must be text");
}
