//! Tool proxies: the tools that an administrator has registered, with what they may subscribe to.

use serde::Deserialize;
use serde_json::{Value, json};
use shared::auth::{self, AccountAccess, encryption, secrets};
use shared::clock::DAY;
use shared::error::OrNotFound;
use shared::ids::{AccountId, IdOrAlias};
use shared::needs::Needed;
use shared::prefetch::Prefetched;
use shared::{Context, Created, Error, Form, JsonSchema, Query, Reply, Result, endpoint, endpoints, params};
use uuid::Uuid;

use crate::model::capabilities::MAX_CAPABILITIES;
use crate::model::tool_proxies::{AccountFilter, ToolProxy};
use crate::store::needs::{ListedAccount, Manage, ManagedTool};
use crate::store::tool_proxies::{self as store, Previous};

pub(crate) const MAX_NAME_CHARS: usize = 255;

/// The secret before a new one is good for so many seconds more.
pub(crate) const OVERLAP: i64 = DAY;

endpoints![
    create_tool_proxy,
    list_tool_proxies,
    get_tool_proxy,
    update_tool_proxy,
    rotate_tool_proxy_secret,
    delete_tool_proxy
];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ToolProxyForm {
    /// The account with which it is registered; the caller's root account unless given.
    account_id: Option<IdOrAlias<AccountId>>,
    name: Option<String>,
    capabilities: Option<Vec<String>>,
}

/// Registers a tool, and answers its secret this one time.
#[endpoint(
    POST "/api/lti/tool_proxies",
    foreigners(201, "registers one of the caller's own"),
    answers(404, "There is no such account that the caller may know of."),
)]
async fn create_tool_proxy(cx: Context, body: Form<ToolProxyForm>) -> Result<Created<ToolProxy>> {
    let form = body.decode()?;
    let account = administered(&cx, form.account_id.as_ref()).await?;
    let capabilities = form.capabilities.unwrap_or_default();
    check(form.name.as_deref(), &capabilities)?;
    let secret = secrets::generate();
    let new = store::New {
        root_account: account.root_account,
        account: account.id,
        guid: Uuid::new_v4().to_string(),
        name: form.name,
        sealed_secret: encryption::seal(encryption::TOOL_SECRET, &secret).await?,
        capabilities,
        methods: None,
    };
    let tool = store::insert(&cx.db, new, cx.now).await?;
    Ok(Reply::created(ToolProxy { shared_secret: Some(secret), ..tool }.with_warnings()))
}

/// Lists the tools of an account.
#[endpoint(
    GET "/api/lti/tool_proxies",
    foreigners(200, "lists the caller's own"),
    answers(404, "There is no such account that the caller may know of."),
)]
async fn list_tool_proxies(
    cx: Context,
    account: Prefetched<ListedAccount>,
    body: Query<AccountFilter>,
) -> Result<Reply<Vec<ToolProxy>>> {
    body.decode()?;
    let account = account.record()?.administered()?;
    Ok(Reply::page(store::of_account(&cx.db, account.id, &cx.page().await?).await?))
}

/// Reads a tool.
#[endpoint(GET "/api/lti/tool_proxies/:guid")]
async fn get_tool_proxy(_: Context, tool: Needed<ManagedTool, Manage>) -> Result<Reply<ToolProxy>> {
    Ok(Reply::ok(tool.into_record().tool.0))
}

/// Changes a tool's name or capabilities; what it may not be told of any more is not sent.
#[endpoint(PUT "/api/lti/tool_proxies/:guid")]
async fn update_tool_proxy(
    cx: Context,
    tool: Needed<ManagedTool, Manage>,
    body: Form<ToolProxyForm>,
) -> Result<Reply<ToolProxy>> {
    let tool = &tool.tool.0;
    let form = body.decode()?;
    check(form.name.as_deref(), form.capabilities.as_deref().unwrap_or_default())?;
    let changed = store::update(&cx.db, &tool.guid, form.name, form.capabilities, cx.now).await?;
    Ok(Reply::ok(changed.or_not_found()?.with_warnings()))
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct RotationForm {
    /// True where the secret before has leaked: it and all tokens of the tool are good for nothing from now on.
    revoke_previous: bool,
}

/// Gives a tool a new secret, and answers it this one time; the one before signs for another day.
#[endpoint(POST "/api/lti/tool_proxies/:guid/rotate_secret")]
async fn rotate_tool_proxy_secret(
    cx: Context,
    tool: Needed<ManagedTool, Manage>,
    body: Form<RotationForm>,
) -> Result<Reply<ToolProxy>> {
    let previous = match body.decode()?.revoke_previous {
        true => Previous::Revoked,
        false => Previous::GoodUntil(cx.now.plus_seconds(OVERLAP)),
    };
    let secret = secrets::generate();
    let sealed = encryption::seal(encryption::TOOL_SECRET, &secret).await?;
    let tool = store::rotate(&cx.db, &tool.tool.0.guid, sealed, previous, cx.now).await?.or_not_found()?;
    Ok(Reply::ok(ToolProxy { shared_secret: Some(secret), ..tool }))
}

/// Removes a tool with all its subscriptions.
///
/// Its tokens are good for nothing from now on.
#[endpoint(DELETE "/api/lti/tool_proxies/:guid")]
async fn delete_tool_proxy(cx: Context, tool: Needed<ManagedTool, Manage>) -> Result<Reply<Value>> {
    store::delete(&cx.db, &tool.tool.0.guid, cx.now).await?;
    Ok(Reply::ok(json!({})))
}

/// The account that is named, which the caller must administer.
pub(crate) async fn administered(cx: &Context, account: Option<&IdOrAlias<AccountId>>) -> Result<AccountAccess> {
    let account = auth::account(&cx.db, cx.caller()?, account.unwrap_or(&IdOrAlias::Own)).await?;
    account.require_administrator()?;
    Ok(account)
}

pub(crate) fn check(name: Option<&str>, capabilities: &[String]) -> Result<()> {
    params::not_too_long("name", name.unwrap_or_default(), MAX_NAME_CHARS)?;
    if capabilities.len() > MAX_CAPABILITIES {
        let message = format!("has too many entries (maximum is {MAX_CAPABILITIES})");
        return Err(Error::invalid("capabilities", "too_long", message));
    }
    capabilities.iter().try_for_each(|capability| params::not_too_long("capabilities", capability, MAX_NAME_CHARS))
}
