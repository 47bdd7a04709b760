//! The page of deliveries: what it shows, and who sends again from it.

use super::*;

#[tokio::test]
async fn the_page_leads_from_the_newest_deliveries_to_the_oldest() {
    let scene = Scene::new(|_| Reply::new(200, "")).await;
    let insert = format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 51)
         INSERT INTO webhook_deliveries (root_account_id, subscription_id, status, next_at, created_at, ended_at)
         SELECT s.root_account_id, s.id, 'dead', s.created_at, s.created_at, s.created_at
         FROM n, webhook_subscriptions s WHERE s.uuid = '{}'",
        scene.subscription.id
    );
    if !scene.site.change_database(&insert) {
        return;
    }
    let link = scene.admin().post(&format!("{DELIVERIES}/live_link")).await.is(200)["url"].as_str().unwrap().to_owned();
    let browser = scene.admin().without_token();
    let deliveries = |page: &str| page.matches("<td>TEST</td>").count();
    let older = |page: &str| {
        let (before, _) = page.split_once("\" rel=\"next\"")?;
        Some(before.rsplit_once("href=\"").unwrap().1.replace("&amp;", "&"))
    };
    for filter in [String::new(), "&status=dead".to_owned(), format!("&subscription_id={}", scene.subscription.id)] {
        let newest = browser.get(&format!("{link}{filter}")).await.is(200).body;
        assert_eq!(deliveries(&newest), 50);
        let next = older(&newest).expect("a link to older deliveries");
        assert!(next.contains(&filter), "the filter stays: {next}");
        let oldest = browser.get(&next).await.is(200).body;
        assert_eq!((deliveries(&oldest), older(&oldest)), (1, None));
    }
    browser.get(&format!("{link}&before=x")).await.is_page(400, "before is not an id");
    let junk = browser.get(&format!("{link}&subscription_id=%22%3E%3Cscript%3E%26status=dead")).await.is(200).body;
    assert!(!junk.contains("<script>"), "{junk}");
}

#[tokio::test]
async fn the_page_shows_deliveries_and_sends_them_again() {
    let scene = Scene::new(|_| Reply::new(500, "<script>alert(1)</script>")).await;
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    let teacher = scene.school.person("teacher").await;
    teacher.post(&format!("{DELIVERIES}/live_link")).await.is_forbidden();
    let link = scene.admin().post(&format!("{DELIVERIES}/live_link")).await.is(200);
    let url = link["url"].as_str().unwrap();
    let browser = scene.admin().without_token();
    let page = browser.get(url).await.is(200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert!(page.body.contains(&scene.receiver.url) && page.body.contains("the receiver answered 500"), "{page}");
    let (path, ticket) = url.split_once("?ticket=").unwrap();
    let one = browser.get(&format!("{path}/{id}?ticket={ticket}")).await.is(200);
    assert!(one.body.contains("&lt;script&gt;") && !one.body.contains("<script>"), "what was answered is text");
    let sent = scene.receiver.received();
    for words in
        [sent[0].header("webhook-signature").unwrap(), "webhook-timestamp", "&quot;event_name&quot;:&quot;test&quot;"]
    {
        assert!(one.body.contains(words), "{words} was sent: {one}");
    }
    assert!(!one.body.contains(scene.subscription.secret.trim_start_matches("whsec_")), "{one}");
    let back = browser.post(&format!("{path}/{id}/replay")).form(&[("ticket", ticket)]).await.is(303);
    assert!(back.header("location").unwrap().ends_with(&format!("/{id}?ticket={ticket}")));
    scene.after_attempts(id, 2).await;
    for status in ["pending", "delivered", "dead"] {
        browser.get(&format!("{url}&status={status}")).await.is(200);
    }
    browser.get(&format!("{url}&subscription_id={}", scene.subscription.id)).await.is(200);

    browser.get(path).await.is(303);
    for wrong in ["x".to_owned(), format!("{ticket}x")] {
        browser.get(&format!("{path}?ticket={wrong}")).await.is_refused(403, "This link has ended");
        browser.post(&format!("{path}/{id}/replay")).form(&[("ticket", &wrong)]).await.is(403);
        browser.post(&format!("{path}/replay")).form(&[("ticket", &wrong)]).await.is(403);
    }
    let foreign = scene.beside(|_| Reply::new(200, "")).await;
    let link = foreign.admin().post(&format!("{DELIVERIES}/live_link")).await.is(200);
    let theirs = link["url"].as_str().unwrap().split_once("?ticket=").unwrap().1;
    browser.get(&format!("{path}/{id}?ticket={theirs}")).await.is_page(404, "There is nothing here");
    let replay = browser.post(&format!("{path}/{id}/replay")).form(&[("ticket", theirs)]);
    replay.await.is_page(404, "There is nothing here");
    browser.get(&format!("{url}&status=junk")).await.is_page(400, "must be pending, delivered, dead or kept");
    browser.get(&format!("{url}&subscription_id[a]=b")).await.is_page(400, "subscription_id must be text");
}
