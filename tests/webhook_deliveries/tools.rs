//! What the rights and the end of a tool mean for what is still to be sent to it.

use super::*;

#[tokio::test]
async fn the_subscriptions_of_a_tool_are_tested_only_so_often() {
    let scene = Scene::new(|_| Reply::new(200, "")).await;
    let tool = format!("SELECT id FROM tool_proxies WHERE guid = '{}'", scene.tool.guid);
    let Some(tool) = scene.site.read_database(&tool) else { return };
    scene.site.use_up(&format!("tests of webhook subscriptions of tool {}", tool[0][0]), 299, 3600);
    scene.test().await;
    // Another subscription is tested no more often.
    for subscription in [&scene.subscription, &scene.tool.subscribe(&scene.receiver.url).await] {
        let path = format!("/api/lti/subscriptions/{}/test", subscription.id);
        scene.tool.client.post(&path).await.is_refused(429, "Rate Limit Exceeded");
    }
}

#[tokio::test]
async fn what_a_tool_may_not_know_of_any_more_is_not_sent() {
    let scene = Scene::with_clock(|_| Reply::new(500, "")).await;
    let id = waiting(&scene).await;
    let proxy = format!("/api/lti/tool_proxies/{}", scene.tool.guid);
    let holds = async |capabilities: Value| {
        scene.admin().put(&proxy).json(json!({ "capabilities": capabilities })).await.is(200);
    };
    // It loses another one.
    holds(json!([
        "vnd.vendor.webhooks.root_account.submission_created",
        "vnd.vendor.webhooks.root_account.grade_change"
    ]))
    .await;
    assert_eq!(scene.delivery(id).await["status"], "pending");
    holds(json!(["vnd.vendor.webhooks.root_account.grade_change"])).await;
    assert_eq!(scene.delivery(id).await["status"], "dead");
    scene.admin().post(&format!("{DELIVERIES}/{id}/replay")).await.is_refused(409, "may not know of this any more");
    let since = shared::clock::now().plus_seconds(-DAY).to_string();
    let replayed = scene.admin().post(&format!("{DELIVERIES}/replay")).form(&[("since", &since)]).await.is(200);
    assert_eq!(replayed["replayed"], 0);
    let received = scene.receiver.received().len();
    // Nor what happens from now on.
    let (course, teacher, student) = scene.school.classroom("Zoology").await;
    let essay = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
    let essay = teacher.post(&course.path("/assignments")).json(json!({ "assignment": essay })).await.is(201).id();
    let submissions = course.path(&format!("/assignments/{essay}/submissions"));
    let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "Oaks" } });
    student.post(&submissions).json(&text).await.is(201);
    scene.tick_at(shared::clock::now().plus_seconds(3600)).await;
    assert_eq!(scene.receiver.received().len(), received);
    assert_eq!(scene.admin().get(DELIVERIES).await.is(200).ids(), [id]);
    // It shows what it has asked for, and gets it when it may again.
    let shown = scene.tool.client.get(&format!("/api/lti/subscriptions/{}", scene.subscription.id)).await.is(200);
    assert_eq!(shown["EventTypes"], json!(["SUBMISSION_CREATED"]));
    holds(json!(["vnd.vendor.webhooks.root_account.all"])).await;
    student.post(&submissions).json(&text).await.is(201);
    assert_eq!(scene.admin().get(DELIVERIES).await.is(200).ids().len(), 2);
}

#[tokio::test]
async fn nothing_is_sent_to_a_tool_that_is_gone() {
    for of_account in [false, true] {
        let scene = Scene::with_clock(|_| Reply::new(500, "")).await;
        let id = waiting(&scene).await;
        let received = scene.receiver.received().len();
        if of_account {
            let gone = format!("UPDATE accounts SET workflow_state = 'deleted' WHERE id = {}", scene.school.account);
            if !scene.site.change_database(&gone) {
                return;
            }
        } else {
            scene.admin().delete(&format!("/api/lti/tool_proxies/{}", scene.tool.guid)).await.is(200);
        }
        scene.tick_at(shared::clock::now().plus_seconds(3600)).await;
        assert_eq!(scene.receiver.received().len(), received);
        let ended = scene.site.read_database(&format!("SELECT status FROM webhook_deliveries WHERE id = {id}"));
        assert_eq!(ended, Some(vec![vec![json!("dead")]]));
    }
}

#[tokio::test]
async fn an_attempt_counts_though_what_it_is_for_ends_meanwhile() {
    for ends_tool in [false, true] {
        let ready = Arc::new(AtomicBool::new(false));
        let answers = Arc::clone(&ready);
        let scene = Scene::new(move |_| Reply::new(500, "").once(Arc::clone(&answers))).await;
        let id = scene.test().await;
        crate::uploads::until("the receiver is asked", async || !scene.receiver.received().is_empty()).await;
        match ends_tool {
            true => scene.admin().delete(&format!("/api/lti/tool_proxies/{}", scene.tool.guid)).await.is(200),
            false => {
                let path = format!("/api/lti/subscriptions/{}", scene.subscription.id);
                scene.tool.client.delete(&path).await.is(200)
            }
        };
        ready.store(true, Ordering::SeqCst);
        let ended = scene.after_attempts(id, 1).await;
        assert_eq!((&ended["status"], &ended["response_status"]), (&json!("dead"), &json!(500)));
        // Nobody holds it any more, so that no alarm tells of a sender that was lost.
        let lease = format!("SELECT lease FROM webhook_deliveries WHERE id = {id}");
        let Some(rows) = scene.site.read_database(&lease) else { return };
        assert_eq!(rows[0][0], Value::Null);
    }
}
