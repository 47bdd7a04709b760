//! `token_secret`: what it has signed stays good while it stands beside the new one, and what it has sealed is sealed anew.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use support::{Client, DEVELOPMENT, Receiver, Reply, Subscription, Tool, admin_of};

use super::{NEW, OLD, signature};
use crate::uploads::until;

#[tokio::test]
async fn a_token_is_good_while_the_secret_that_signed_it_is_known() {
    let mut sandbox = support::sandbox(&[("token_secret", OLD)]);
    let app = sandbox.start().await.unwrap();
    let token = admin_of(&sandbox, &app).await.token.unwrap();
    app.stop().await.unwrap();
    sandbox.set("token_secret", NEW);
    for (previous, status) in [(OLD, 200), ("", 401)] {
        sandbox.set("token_secret_previous", previous);
        let app = sandbox.start().await.unwrap();
        Client::new(&app.base_url, Some(&token)).get("/api/v1/users/self").await.is(status);
        admin_of(&sandbox, &app).await.get("/api/v1/users/self").await.is(200);
        app.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_secret_that_nobody_can_open_any_more_stops_no_tick() {
    let mut sandbox = support::sandbox(&DEVELOPMENT);
    sandbox.set("token_secret", OLD);
    let app = sandbox.start().await.unwrap();
    Tool::register(&admin_of(&sandbox, &app).await).await;
    app.stop().await.unwrap();
    sandbox.set("token_secret", NEW);
    sandbox.set("token_secret_previous", &NEW.chars().rev().collect::<String>());
    let app = sandbox.start().await.unwrap();
    let tick = Client::new(&app.base_url, sandbox.variables.get("tick_token").map(String::as_str));
    tick.post("/internal/tick").await.is(200);
    app.stop().await.unwrap();
}

/// The secrets of tools and subscriptions are sealed with `token_secret`: ticks seal anew what the one before it has sealed, and
/// then that one may go.
#[tokio::test]
async fn what_is_sealed_outlives_the_secret_that_sealed_it() {
    let receiver = Receiver::start(|_| Reply::new(200, ""));
    let mut sandbox = support::sandbox(&DEVELOPMENT);
    let mut known: Option<(Tool, Subscription)> = None;
    for (round, (current, previous)) in [(OLD, ""), (NEW, OLD), (NEW, "")].into_iter().enumerate() {
        sandbox.set("token_secret", current);
        sandbox.set("token_secret_previous", previous);
        let app = sandbox.start().await.unwrap();
        let admin = admin_of(&sandbox, &app).await;
        let (tool, subscription) = match known.take() {
            Some((mut tool, subscription)) => {
                tool.client = admin.without_token();
                (tool, subscription)
            }
            None => {
                let tool = Tool::register(&admin).await;
                let subscription = tool.subscribe(&receiver.url).await;
                (tool, subscription)
            }
        };
        tool.exchange(&tool.assertion()).await.is(200);
        admin.post(&format!("/api/lti/subscriptions/{}/test", subscription.id)).await.is(201);
        until("the delivery has come", async || receiver.received().len() > round).await;
        let key = BASE64_STANDARD.decode(subscription.secret.strip_prefix("whsec_").unwrap()).unwrap();
        let received = receiver.received();
        assert_eq!(received[round].header("webhook-signature").unwrap(), signature(&key, &received[round]), "{round}");
        let tick = Client::new(&app.base_url, sandbox.variables.get("tick_token").map(String::as_str));
        while tick.post("/internal/tick").await.is(200)["more"] == true {}
        app.stop().await.unwrap();
        known = Some((tool, subscription));
    }
}
