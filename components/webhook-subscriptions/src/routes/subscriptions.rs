//! Subscriptions of a tool. See `docs/contract/webhook-subscriptions.md`.
//!
//! All endpoints but the test are for tools alone: they take the access token of [`crate::access`], and a tool knows of
//! no other tool's subscriptions.

pub(crate) mod form;

use http::HeaderName;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::auth::{self, encryption};
use shared::clock::HOUR;
use shared::db::BuiltJson;
use shared::error::{OrNotFound, TokenProblem};
use shared::ids::SubscriptionId;
use shared::params::Params;
use shared::standard_webhooks as signing;
use shared::throttle::{self, Limit};
use shared::{
    Context, Created, Error, Form, JsonSchema, LimitKind, Path, Query, Reply, Result, background, config, endpoint,
    endpoints,
};
use uuid::Uuid;

use crate::access::{self, Call, unknown};
use crate::model::deliveries::Delivery;
use crate::model::form::Parameters;
use crate::model::subscriptions::{KnownSubscription, Subscription};
use crate::model::tools::Tool;
use crate::routes::tool_proxies::OVERLAP;
use crate::store::deliveries;
use crate::store::subscriptions::{self as store, Updated};

const START_KEY: &str = "startkey";
const END_KEY: HeaderName = HeaderName::from_static("endkey");
/// The number of subscriptions that a set has.
const SET: i64 = 100;
/// The number of subscriptions that a tool may have: each event costs the change that causes it a delivery to each of them.
const MAX_SUBSCRIPTIONS: &str = "webhook_subscriptions_per_tool";
/// The number of times that a tool's subscriptions may be tested: every test is kept with what was answered.
const TESTS: Limit = Limit { most: 300, seconds: HOUR };
const TEST_SCOPE: &str = "url:POST|/api/lti/subscriptions/:id/test";

endpoints![
    create_subscription,
    list_subscriptions,
    get_subscription,
    update_subscription,
    delete_subscription,
    rotate_subscription_secret,
    test_subscription
];

#[derive(Deserialize, JsonSchema)]
struct SubscriptionPath {
    id: String,
}

/// The body is read by hand, because the order of its checks is fixed.
#[derive(Deserialize, JsonSchema)]
struct SubscriptionForm {
    #[serde(rename = "subscription")]
    _subscription: Parameters,
}

/// The same of a change.
#[derive(Deserialize, JsonSchema)]
struct SubscriptionChangeForm {
    #[serde(rename = "subscription")]
    _subscription: ChangedParameters,
}

#[derive(Deserialize, JsonSchema)]
struct ChangedParameters {
    #[serde(flatten)]
    _parameters: Parameters,
    /// `active` unless given, or `disabled`
    #[serde(rename = "Status")]
    _status: Option<String>,
}

/// The place where the next set begins.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SetKey {
    id: String,
    developer_key: String,
}

/// Subscribes, and answers the signing secret this one time.
#[endpoint(
    POST "/api/lti/subscriptions",
    public,
    nobody(401, "tools have tokens of their own"),
    takes(access::TOOL_TOKEN),
)]
async fn create_subscription(cx: Context, body: Form<SubscriptionForm>) -> Result<Reply<Subscription>> {
    let Call { tool, params } = access::call(&cx, body.into_params()).await?;
    let wanted = form::subscription_fields(&cx, &tool, &params).await?;
    let secret = signing::new_secret();
    let sealed = encryption::seal(encryption::SIGNING_SECRET, secret.expose()).await?;
    let uuid = Uuid::new_v4().to_string();
    let most = config::number(MAX_SUBSCRIPTIONS).await?;
    let Some(subscription) = store::insert(&cx.db, &tool, uuid, &wanted, sealed, most, cx.now).await? else {
        return Err(match store::has_as_many(&cx.db, tool.id, most).await? {
            true => Error::invalid("subscription", "too_many", format!("limit exceeded (a tool has at most {most})")),
            // Its capabilities were taken away in this moment.
            false => form::unauthorized(),
        });
    };
    Ok(Reply::ok(Subscription::from(subscription).with_secret(secret.expose())))
}

/// Lists the tool's subscriptions, 100 in a set.
#[endpoint(
    GET "/api/lti/subscriptions",
    public,
    nobody(401, "tools have tokens of their own"),
    takes(access::TOOL_TOKEN),
)]
async fn list_subscriptions(cx: Context, body: Query<Value>) -> Result<Reply<Vec<BuiltJson<Subscription>>>> {
    let Call { tool, .. } = access::call(&cx, body.into_params()).await?;
    let after = match cx.parts().headers.get(START_KEY) {
        Some(key) => Some(start(&cx, &tool, key.to_str().unwrap_or_default()).await?),
        None => None,
    };
    let (list, last) = store::of_tool(&cx.db, tool.id, after, SET).await?;
    let reply = Reply::built_list(list);
    Ok(match last {
        Some(id) => {
            let end = SetKey { id, developer_key: tool.developer_key() };
            reply.header(END_KEY, &serde_json::to_string(&end).map_err(Error::internal)?)
        }
        None => reply,
    })
}

/// The subscription behind which the set begins. It may have ended in the meantime.
async fn start(cx: &Context, tool: &Tool, text: &str) -> Result<SubscriptionId> {
    let key: SetKey = serde_json::from_str(text)
        .map_err(|_other| Error::bad_request("StartKey must be a JSON object with the texts Id and DeveloperKey"))?;
    let unknown = || Error::bad_request("StartKey is not the EndKey of a list of yours");
    if key.developer_key != tool.developer_key() {
        return Err(unknown());
    }
    store::place(&cx.db, tool.id, &key.id).await?.ok_or_else(unknown)
}

/// Reads a subscription.
#[endpoint(
    GET "/api/lti/subscriptions/:id",
    public,
    nobody(401, "tools have tokens of their own"),
    takes(access::TOOL_TOKEN),
)]
async fn get_subscription(
    cx: Context,
    Path(at): Path<SubscriptionPath>,
    body: Query<Value>,
) -> Result<Reply<Subscription>> {
    let (_, subscription) = access::subscription(&cx, body.into_params(), &at.id).await?;
    Ok(Reply::ok(subscription.into()))
}

/// Changes a subscription, and enables it again, or disables it with the `Status` `disabled`.
///
/// What happened while it was disabled is kept, and sent when an administrator asks for it.
#[endpoint(
    PUT "/api/lti/subscriptions/:id",
    public,
    nobody(401, "tools have tokens of their own"),
    takes(access::TOOL_TOKEN),
)]
async fn update_subscription(
    cx: Context,
    Path(at): Path<SubscriptionPath>,
    body: Form<SubscriptionChangeForm>,
) -> Result<Reply<Subscription>> {
    let (Call { tool, params }, subscription) = access::subscription(&cx, body.into_params(), &at.id).await?;
    let wanted = form::subscription_fields(&cx, &tool, &params).await?;
    let enabled = form::is_enabled(&params)?;
    let updated = store::update(&cx.db, &tool, subscription.id, &wanted, enabled, cx.now).await?;
    let Updated { subscription, has_pending } = updated.ok_or_else(unknown)?;
    if has_pending {
        background::run_soon();
    }
    Ok(Reply::ok(subscription.0.into()))
}

/// Ends a subscription.
#[endpoint(
    DELETE "/api/lti/subscriptions/:id",
    public,
    nobody(401, "tools have tokens of their own"),
    takes(access::TOOL_TOKEN),
)]
async fn delete_subscription(cx: Context, Path(at): Path<SubscriptionPath>, body: Form<Value>) -> Result<Reply<Value>> {
    let (_, subscription) = access::subscription(&cx, body.into_params(), &at.id).await?;
    match store::delete(&cx.db, subscription.id, cx.now).await? {
        true => Ok(Reply::ok(json!({}))),
        false => Err(unknown()),
    }
}

/// Gives a subscription a new signing secret; the one before signs for another day.
#[endpoint(
    POST "/api/lti/subscriptions/:id/rotate_secret",
    public,
    nobody(401, "tools have tokens of their own"),
    takes(access::TOOL_TOKEN),
)]
async fn rotate_subscription_secret(
    cx: Context,
    Path(at): Path<SubscriptionPath>,
    body: Form<Value>,
) -> Result<Reply<Subscription>> {
    let (_, subscription) = access::subscription(&cx, body.into_params(), &at.id).await?;
    let secret = signing::new_secret();
    let sealed = encryption::seal(encryption::SIGNING_SECRET, secret.expose()).await?;
    let until = cx.now.plus_seconds(OVERLAP);
    let subscription = store::rotate(&cx.db, subscription.id, sealed, until, cx.now).await?.ok_or_else(unknown)?;
    Ok(Reply::ok(Subscription::from(subscription).with_secret(secret.expose())))
}

/// Sends a test to the subscription's receiver.
///
/// Open to the tool and to the administrators of its account. A disabled subscription can be tested too: by that its
/// operator sees whether it is time to enable it.
#[endpoint(
    POST "/api/lti/subscriptions/:id/test",
    public,
    nobody(401, "for the tool's token or an administrator's"),
    throttled("tests of one tool's subscriptions"),
    takes(access::TOOL_TOKEN),
)]
async fn test_subscription(
    cx: Context,
    Path(at): Path<SubscriptionPath>,
    body: Form<Value>,
) -> Result<Created<Delivery>> {
    let subscription = tested(&cx, &at.id, body.into_params()).await?;
    let tests = format!("tests of webhook subscriptions of tool {}", subscription.tool_proxy_id);
    throttle::require_turn(&cx, LimitKind::WebhookTests, &tests, TESTS).await?;
    let id = deliveries::insert_test(&cx.db, &subscription, cx.now).await?;
    background::run_soon();
    Ok(Reply::created(deliveries::find(&cx.db, Some(subscription.root_account_id), id).await?.or_not_found()?))
}

async fn tested(cx: &Context, id: &str, params: Result<Params>) -> Result<KnownSubscription> {
    let given = access::readable(&params);
    if let Some((_, subscription)) = access::known_subscription(cx, given, id).await? {
        params?;
        return subscription.ok_or_else(unknown);
    }
    let token = auth::presented(cx, given).ok_or_else(|| Error::token(TokenProblem::Missing))?;
    let caller = auth::of_token(cx, &token, Some(TEST_SCOPE), given).await?;
    params?;
    let subscription = store::of_tenant(&cx.db, caller.tenant(), id).await?.or_not_found()?;
    auth::account(&cx.db, &caller, &shared::ids::IdOrAlias::Id(subscription.account_id))
        .await?
        .require_administrator()?;
    Ok(subscription)
}
