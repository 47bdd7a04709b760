//! Registrations of tools that register themselves: an administrator invites a tool, and approves what it asks for. See
//! "Tools that register themselves" in `docs/contract/webhook-subscriptions.md`.

use std::collections::BTreeMap;

use form_urlencoded::Serializer;
use serde::{Deserialize, Serialize};
use shared::auth::{encryption, secrets};
use shared::clock::DAY;
use shared::error::OrNotFound;
use shared::ids::{AccountId, IdOrAlias, ToolRegistrationId};
use shared::needs::Needed;
use shared::outbound::address;
use shared::prefetch::Prefetched;
use shared::{Context, Created, Error, Form, JsonSchema, Query, Reply, Result, config, endpoint, endpoints};
use uuid::Uuid;

use crate::model::tool_registrations::{Filter, LTI_1_3, LTI_2, ToolRegistration};
use crate::routes::{openid_configuration, tool_consumer_profile, tool_proxies};
use crate::store::needs::{ListedAccount, Manage, ManagedRegistration};
use crate::store::tool_registrations as store;

/// The time in which an invited tool must have registered, in seconds.
const INVITED_FOR: i64 = DAY;
/// The number of registrations of a tenant that may wait, for a tool or for an administrator.
const MAX_OPEN: i64 = 100;
const STATUSES: [&str; 4] = ["invited", "pending", "approved", "refused"];

endpoints![
    create_tool_registration,
    list_tool_registrations,
    get_tool_registration,
    approve_tool_registration,
    refuse_tool_registration
];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ToolRegistrationForm {
    /// The account with which the tool is to register; the caller's root account unless given.
    account_id: Option<IdOrAlias<AccountId>>,
    /// The address at which the tool begins to register: its initiation url, or that for registration requests of LTI 2.
    initiation_url: Option<String>,
    /// `lti_1_3` unless given, or `lti_2`
    version: Option<String>,
}

/// An invitation, and what the administrator's browser is to do with it.
#[derive(Serialize, JsonSchema)]
struct InvitedTool {
    #[serde(flatten)]
    registration: ToolRegistration,
    /// Shown this once.
    invitation: ToolInvitation,
}

/// The address that the administrator opens, with what must be sent there.
#[derive(Serialize, JsonSchema)]
struct ToolInvitation {
    /// `GET` of LTI 1.3, `POST` of a form of LTI 2
    method: &'static str,
    url: String,
    /// The fields of the form.
    parameters: BTreeMap<&'static str, String>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ApprovalForm {
    /// Those of the capabilities asked for that the tool gets; all of them unless given.
    capabilities: Option<Vec<String>>,
}

/// Invites a tool to register itself, and answers this one time the address that leads the administrator to it.
#[endpoint(
    POST "/api/lti/tool_registrations",
    foreigners(400, "invites to the caller's own account; it asks for an address"),
    answers(404, "There is no such account that the caller may know of."),
)]
async fn create_tool_registration(cx: Context, body: Form<ToolRegistrationForm>) -> Result<Created<InvitedTool>> {
    let form = body.decode()?;
    let account = tool_proxies::administered(&cx, form.account_id.as_ref()).await?;
    let initiation_url = initiation_url(form.initiation_url).await?;
    let base = cx.lasting_base_url().await?;
    let (uuid, secret) = (Uuid::new_v4().to_string(), secrets::generate());
    let (version, token_hash, sealed_password, invitation) = match form.version.as_deref() {
        None | Some(LTI_1_3) => {
            let invitation = dynamic(&base, &initiation_url, &secret);
            (LTI_1_3, Some(secrets::hash(&secret)), None, invitation)
        }
        Some(LTI_2) => {
            let sealed = encryption::seal(encryption::TOOL_SECRET, &secret).await?;
            (LTI_2, None, Some(sealed), registration_request(&base, &initiation_url, &uuid, secret))
        }
        Some(_) => return Err(Error::invalid("version", "inclusion", "must be lti_1_3 or lti_2")),
    };
    let (invited_by, until) = (cx.caller()?.user, cx.now.plus_seconds(INVITED_FOR));
    let new = store::Invitation { version, initiation_url, uuid, token_hash, sealed_password, invited_by, until };
    let id = store::invite(&cx.db, &account, new, MAX_OPEN, cx.now).await?.ok_or_else(too_many)?;
    let registration = find(&cx, id).await?;
    Ok(Reply::created(InvitedTool { registration, invitation }))
}

/// Lists the registrations of tools with an account.
#[endpoint(GET "/api/lti/tool_registrations", foreigners(200, "lists the caller's own"))]
async fn list_tool_registrations(
    cx: Context,
    account: Prefetched<ListedAccount>,
    body: Query<Filter>,
) -> Result<Reply<Vec<ToolRegistration>>> {
    let Filter { status, .. } = body.decode()?;
    let account = account.record()?.administered()?;
    if status.as_deref().is_some_and(|status| !STATUSES.contains(&status)) {
        return Err(Error::invalid("status", "inclusion", "must be invited, pending, approved or refused"));
    }
    Ok(Reply::page(store::of_account(&cx.db, account.id, status.as_deref(), &cx.page().await?).await?))
}

/// Reads the registration of a tool.
#[endpoint(GET "/api/lti/tool_registrations/:id")]
async fn get_tool_registration(
    _: Context,
    registration: Needed<ManagedRegistration, Manage>,
) -> Result<Reply<ToolRegistration>> {
    Ok(Reply::ok(registration.into_record().registration.0))
}

/// Approves a tool: from now on it has these capabilities.
#[endpoint(
    POST "/api/lti/tool_registrations/:id/approve",
    answers(409, "The tool has not registered yet, or it was decided before."),
)]
async fn approve_tool_registration(
    cx: Context,
    registration: Needed<ManagedRegistration, Manage>,
    body: Form<ApprovalForm>,
) -> Result<Reply<ToolRegistration>> {
    let registration = registration.into_record().registration.0;
    let asked = &registration.capabilities.0;
    let approved = body.decode()?.capabilities.unwrap_or_else(|| asked.clone());
    tool_proxies::check(None, &approved)?;
    if !approved.iter().all(|capability| asked.contains(capability)) {
        return Err(Error::invalid("capabilities", "inclusion", "must be among those that the tool asks for"));
    }
    if !store::approve(&cx.db, &registration, approved, cx.caller()?.user, cx.now).await? {
        return Err(Error::conflict("Only a tool that has registered and waits can be approved."));
    }
    Ok(Reply::ok(find(&cx, registration.id).await?))
}

/// Refuses a tool, or takes back its invitation.
#[endpoint(
    POST "/api/lti/tool_registrations/:id/refuse",
    answers(409, "It was decided before."),
)]
async fn refuse_tool_registration(
    cx: Context,
    registration: Needed<ManagedRegistration, Manage>,
) -> Result<Reply<ToolRegistration>> {
    let registration = registration.into_record().registration.0;
    if !store::refuse(&cx.db, &registration, cx.caller()?.user, cx.now).await? {
        return Err(Error::conflict("It was decided before. A tool that was approved can be removed."));
    }
    Ok(Reply::ok(find(&cx, registration.id).await?))
}

async fn find(cx: &Context, id: ToolRegistrationId) -> Result<ToolRegistration> {
    store::find(&cx.db, id).await?.or_not_found()
}

/// The address is opened by the administrator's browser, and never by us.
async fn initiation_url(named: Option<String>) -> Result<String> {
    let url = named.ok_or_else(|| Error::missing("initiation_url"))?;
    let refused = |rule| Error::invalid("initiation_url", "invalid", rule);
    address::check(&url, config::flag("development").await?).map_err(refused)?;
    if url.contains('#') { Err(refused("must not have a fragment")) } else { Ok(url) }
}

/// The initiation of dynamic registration.
fn dynamic(base: &str, initiation_url: &str, token: &str) -> ToolInvitation {
    let separator = if initiation_url.contains('?') { '&' } else { '?' };
    let query = Serializer::new(String::new())
        .append_pair("openid_configuration", &format!("{base}{}", openid_configuration::PATH))
        .append_pair("registration_token", token)
        .finish();
    ToolInvitation { method: "GET", url: format!("{initiation_url}{separator}{query}"), parameters: BTreeMap::new() }
}

/// The registration request of LTI 2.
fn registration_request(base: &str, initiation_url: &str, key: &str, password: String) -> ToolInvitation {
    let parameters = BTreeMap::from([
        ("lti_message_type", "ToolProxyRegistrationRequest".to_owned()),
        ("lti_version", "LTI-2p0".to_owned()),
        ("reg_key", key.to_owned()),
        ("reg_password", password),
        ("tc_profile_url", tool_consumer_profile::address(base, key)),
    ]);
    ToolInvitation { method: "POST", url: initiation_url.to_owned(), parameters }
}

fn too_many() -> Error {
    let message = format!("limit exceeded (at most {MAX_OPEN} may wait)");
    Error::invalid("tool_registration", "too_many", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_keeps_the_parameters_that_are_there() {
        let url = dynamic("https://lms.test", "https://tool.test/register?a=1", "x y").url;
        let configuration = "https%3A%2F%2Flms.test%2Fapi%2Flti%2Fsecurity%2Fopenid-configuration";
        assert_eq!(
            url,
            format!("https://tool.test/register?a=1&openid_configuration={configuration}&registration_token=x+y")
        );
        assert!(dynamic("https://lms.test", "https://tool.test", "x").url.starts_with("https://tool.test?openid_"));
    }
}
