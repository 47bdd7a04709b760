//! Deliveries of a subscription that is disabled: they are kept, and sent when somebody asks.

use super::*;

/// A student who hands in an essay again and again.
struct Writer {
    student: Client,
    submissions: String,
}

impl Writer {
    async fn new(scene: &Scene) -> Self {
        let (course, teacher, student) = scene.school.classroom("Botany").await;
        let essay = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
        let essay = teacher.post(&course.path("/assignments")).json(json!({ "assignment": essay })).await.is(201).id();
        Self { student, submissions: course.path(&format!("/assignments/{essay}/submissions")) }
    }

    async fn hand_in(&self) {
        let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "Oaks" } });
        self.student.post(&self.submissions).json(text).await.is(201);
    }
}

async fn kept(scene: &Scene) -> Vec<i64> {
    scene.admin().get(&format!("{DELIVERIES}?status=kept")).await.is(200).ids()
}

#[tokio::test]
async fn what_happens_while_a_subscription_is_disabled_is_sent_when_somebody_asks() {
    let scene = Scene::new(|_| Reply::new(200, "")).await;
    let since = shared::clock::now().plus_seconds(-60).to_string();
    let replay = async |more: &[(&str, &str)]| {
        let form = [&[("since", since.as_str())][..], more].concat();
        scene.admin().post(&format!("{DELIVERIES}/replay")).form(&form).await
    };
    scene.disable().await;
    let writer = Writer::new(&scene).await;
    for _ in 0..3 {
        writer.hand_in().await;
    }
    let waiting = kept(&scene).await;
    assert_eq!(waiting.len(), 3);
    let one = scene.delivery(waiting[0]).await;
    assert_eq!((&one["status"], &one["event_type"]), (&json!("kept"), &json!("SUBMISSION_CREATED")));
    assert_eq!((&one["next_attempt_at"], &one["attempts"]), (&json!(null), &json!(0)));
    let of_subscription = format!("{DELIVERIES}?subscription_id={}", scene.subscription.id);
    assert_eq!(scene.admin().get(&format!("{of_subscription}&status=kept")).await.is(200).ids(), waiting);
    assert_eq!(scene.admin().get(&format!("{of_subscription}&status=dead")).await.is(200).json, json!([]));
    assert_eq!(scene.admin().get(&format!("{DELIVERIES}?status=dead")).await.is(200).json, json!([]));
    let again = format!("{DELIVERIES}/{}/replay", waiting[0]);
    scene.admin().post(&again).await.is_refused(409, "has ended or is disabled");
    assert_eq!(replay(&[]).await.is(200)["replayed"], 0);

    scene.enable().await;
    scene.site.tick(None).await;
    assert!(scene.receiver.received().is_empty(), "nothing is sent by itself");
    replay(&[("status", "pending")]).await.is_refused(400, "must be dead or kept");
    assert_eq!(replay(&[("status", "dead")]).await.is(200)["replayed"], 0);
    let more = [("status", "kept"), ("subscription_id", scene.subscription.id.as_str())];
    assert_eq!(replay(&more).await.is(200)["replayed"], 3);
    assert_eq!(replay(&more).await.is(200)["replayed"], 0, "it is queued once");
    for id in waiting {
        assert_eq!(scene.after_attempts(id, 1).await["status"], "delivered");
    }
    assert_eq!(kept(&scene).await, Vec::<i64>::new());
    assert_eq!(replay(&[]).await.is(200)["replayed"], 0);
    let mut attempts: Vec<_> =
        scene.receiver.received().iter().map(|received| received.json()["body"]["attempt"].to_string()).collect();
    attempts.sort();
    assert_eq!(attempts.len(), 3);
    attempts.dedup();
    assert_eq!(attempts.len(), 3, "each once");
}

#[tokio::test]
async fn a_tool_disables_what_waits_too() {
    let scene = Scene::with_clock(|_| Reply::new(500, "")).await;
    let id = waiting(&scene).await;
    let path = format!("/api/lti/subscriptions/{}", scene.subscription.id);
    let mut wanted = scene.tool.wanted(&scene.receiver.url);
    wanted["Status"] = json!("gone");
    scene.tool.client.put(&path).json(json!({ "subscription": wanted })).await.is_refused(400, "active or disabled");
    scene.disable().await;
    assert_eq!(scene.delivery(id).await["status"], "dead");
    scene.enable().await;
    assert_eq!(scene.delivery(id).await["status"], "dead", "it is not sent by itself");
    scene.admin().post(&format!("{DELIVERIES}/{id}/replay")).await.is(200);
    scene.after_attempts(id, 2).await;
}

#[tokio::test]
async fn only_so_much_is_kept_and_the_oldest_goes_first() {
    let scene = Scene::new(|_| Reply::new(200, "")).await;
    scene.disable().await;
    let writer = Writer::new(&scene).await;
    writer.hand_in().await;
    writer.hand_in().await;
    let events = |ids: &[i64]| {
        let ids = ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let sql = format!("SELECT event_id FROM webhook_deliveries WHERE id IN ({ids}) ORDER BY id DESC");
        scene.site.read_database(&sql)
    };
    let counted = |table: &str, number: i64| {
        format!("UPDATE {table} SET kept_deliveries = {number} WHERE root_account_id = {}", scene.school.account)
    };
    for (table, most) in [("webhook_subscriptions", 1000), ("tool_proxies", 10_000)] {
        let before = kept(&scene).await;
        let Some(known) = events(&before) else { return };
        assert!(scene.site.change_database(&counted(table, most)));
        writer.hand_in().await;
        let after = kept(&scene).await;
        assert_eq!(after[1..], before[..before.len() - 1], "the oldest has gone for the newest");
        let oldest = known.last().unwrap()[0].as_i64().unwrap();
        let sql = format!("SELECT count(*) FROM live_events WHERE id = {oldest}");
        assert_eq!(scene.site.read_database(&sql).unwrap()[0][0], 0, "its event with it");
        let sql = format!("SELECT kept_deliveries FROM {table} WHERE root_account_id = {}", scene.school.account);
        assert_eq!(scene.site.read_database(&sql).unwrap()[0][0], most);
        assert!(scene.site.change_database(&counted("webhook_subscriptions", 2)));
    }
    // With the subscription goes what was kept for it.
    scene.tool.client.delete(&format!("/api/lti/subscriptions/{}", scene.subscription.id)).await.is(200);
    assert_eq!(kept(&scene).await, Vec::<i64>::new());
}
