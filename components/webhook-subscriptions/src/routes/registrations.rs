//! Dynamic registration of LTI 1.3: a tool that an administrator has invited says what it is and asks for capabilities. See
//! "Tools that register themselves" in `docs/contract/webhook-subscriptions.md`.

use http::header::{CACHE_CONTROL, HeaderName};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::auth::{self, encryption, secrets};
use shared::error::TokenProblem;
use shared::{
    Context, Created, Credential, Error, Form, JsonSchema, OAuthErrors, Path, Query, Reply, Result, config, endpoint,
    endpoints,
};
use uuid::Uuid;

use crate::access;
use crate::model::lti_1_3::ClientMetadata;
use crate::model::tool_registrations::Registering;
use crate::store::tool_registrations as store;

const MAX_BODY_BYTES: usize = 64 * 1024;
const NOT_KEPT: (HeaderName, &str) = (CACHE_CONTROL, "no-store");

const REGISTRATION_TOKEN: Credential = Credential {
    name: "registration_token",
    description: "The `registration_token` of the address to which an administrator invites a tool.",
};
const REGISTRATION_ACCESS_TOKEN: Credential = Credential {
    name: "registration_access_token",
    description: "The `registration_access_token` that a tool got when it registered.",
};

endpoints![register_tool, get_own_tool_registration];

#[derive(Deserialize, JsonSchema)]
struct RegistrationPath {
    client_id: String,
}

/// A tool that has registered.
#[derive(Serialize, JsonSchema)]
struct RegisteredClient {
    client_id: String,
    /// Seconds since 1970.
    client_id_issued_at: i64,
    registration_client_uri: String,
    /// The token that reads this. Shown only when the tool registers.
    #[serde(skip_serializing_if = "Option::is_none")]
    registration_access_token: Option<String>,
    /// `pending` until an administrator has decided, then `approved`
    registration_status: String,
    /// The capabilities that the tool has, with spaces between: none until an administrator has approved them.
    scope: String,
    /// The rest of its metadata.
    #[serde(flatten)]
    metadata: Map<String, Value>,
}

/// Registers a tool that was invited. It gets its capabilities when an administrator approves them.
#[endpoint(
    POST "/api/lti/registrations",
    public,
    error_format(&OAuthErrors),
    nobody(401, "an invited tool has a registration token"),
    takes(REGISTRATION_TOKEN),
    body_limit(MAX_BODY_BYTES),
)]
async fn register_tool(cx: Context, body: Form<ClientMetadata>) -> Result<Created<RegisteredClient>> {
    let params = body.into_params();
    let token = auth::presented(&cx, access::readable(&params)).ok_or_else(missing)?;
    let invited = store::invited_by_token(&cx.db, &secrets::hash(token), cx.now).await?.ok_or_else(invalid)?;
    let metadata: ClientMetadata = shared::params::decode(params?)?;
    let configuration = metadata.checked(config::flag("development").await?)?;
    let base = cx.lasting_base_url().await?;
    let (guid, access_token) = (Uuid::new_v4().to_string(), secrets::generate());
    let registering = Registering {
        capabilities: metadata.capabilities(),
        name: metadata.client_name,
        configuration: configuration.clone(),
        // It signs with its own key: nobody knows this one.
        sealed_secret: encryption::seal(encryption::TOOL_SECRET, &secrets::generate()).await?,
        methods: None,
        access_token_hash: Some(secrets::hash(&access_token)),
    };
    if !store::register(&cx.db, &invited, &guid, registering, cx.now).await? {
        return Err(invalid());
    }
    let registered = store::OwnRegistration {
        status: "pending".to_owned(),
        guid,
        registered_at: cx.now,
        configuration: shared::db::Json(configuration),
        capabilities: shared::db::Json(Vec::new()),
    };
    let client = client(&base, registered, Some(access_token));
    Ok(Reply::created(client).header(NOT_KEPT.0, NOT_KEPT.1))
}

/// Reads the registration of a tool, as the tool itself.
#[endpoint(
    GET "/api/lti/registrations/:client_id",
    public,
    error_format(&OAuthErrors),
    nobody(401, "a tool that has registered has a token for it"),
    takes(REGISTRATION_ACCESS_TOKEN),
)]
async fn get_own_tool_registration(
    cx: Context,
    Path(at): Path<RegistrationPath>,
    body: Query<Value>,
) -> Result<Reply<RegisteredClient>> {
    let params = body.into_params();
    let token = auth::presented(&cx, access::readable(&params)).ok_or_else(missing)?;
    let own = store::own(&cx.db, &at.client_id, &secrets::hash(token)).await?.ok_or_else(invalid)?;
    params?;
    let base = cx.lasting_base_url().await?;
    Ok(Reply::ok(client(&base, own, None)).header(NOT_KEPT.0, NOT_KEPT.1))
}

fn client(base: &str, own: store::OwnRegistration, access_token: Option<String>) -> RegisteredClient {
    let mut metadata = match own.configuration.0 {
        Value::Object(metadata) => metadata,
        _ => Map::new(),
    };
    // What it has asked for is not what it has.
    metadata.remove("scope");
    RegisteredClient {
        client_id_issued_at: own.registered_at.unix(),
        registration_client_uri: format!("{base}/api/lti/registrations/{}", own.guid),
        registration_access_token: access_token,
        registration_status: own.status,
        scope: own.capabilities.0.join(" "),
        metadata,
        client_id: own.guid,
    }
}

fn missing() -> Error {
    Error::token(TokenProblem::Missing)
}

fn invalid() -> Error {
    Error::token(TokenProblem::Invalid)
}
