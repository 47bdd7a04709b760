//! The platform as a tool reads it that is about to register: `OpenID` Connect Discovery with the claim
//! `lti-platform-configuration`.

use serde::Serialize;
use serde_json::Value;
use shared::{Context, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::model::capabilities;
use crate::model::lti_1_3::PRIVATE_KEY_JWT;

pub(crate) const PATH: &str = "/api/lti/security/openid-configuration";

endpoints![get_openid_configuration];

/// The platform, as tools that register themselves read it.
#[derive(Serialize, JsonSchema)]
struct OpenIdConfiguration {
    issuer: String,
    authorization_endpoint: String,
    registration_endpoint: String,
    /// Keys of ours: no message is signed with them.
    jwks_uri: String,
    token_endpoint: String,
    token_endpoint_auth_methods_supported: Vec<&'static str>,
    token_endpoint_auth_signing_alg_values_supported: Vec<&'static str>,
    /// The capabilities that a tool may ask for.
    scopes_supported: Vec<String>,
    response_types_supported: Vec<&'static str>,
    subject_types_supported: Vec<&'static str>,
    id_token_signing_alg_values_supported: Vec<&'static str>,
    claims_supported: Vec<&'static str>,
    #[serde(rename = "https://purl.imsglobal.org/spec/lti-platform-configuration")]
    platform: PlatformConfiguration,
}

/// The claim `lti-platform-configuration`.
#[derive(Serialize, JsonSchema)]
struct PlatformConfiguration {
    product_family_code: &'static str,
    version: &'static str,
    /// Empty: tools are not launched.
    messages_supported: Vec<Value>,
    variables: Vec<String>,
}

/// Describes the platform to tools that register themselves.
#[endpoint(
    GET "/api/lti/security/openid-configuration",
    public,
    nobody(200, "tools read it before they have registered"),
)]
async fn get_openid_configuration(cx: Context) -> Result<Reply<OpenIdConfiguration>> {
    let base = cx.lasting_base_url().await?;
    Ok(Reply::ok(OpenIdConfiguration {
        authorization_endpoint: format!("{base}/login/oauth2/auth"),
        registration_endpoint: format!("{base}/api/lti/registrations"),
        jwks_uri: format!("{base}/.well-known/jwks.json"),
        token_endpoint: format!("{base}{}", super::token::PATH),
        token_endpoint_auth_methods_supported: vec![PRIVATE_KEY_JWT],
        token_endpoint_auth_signing_alg_values_supported: vec!["RS256"],
        scopes_supported: capabilities::offered(),
        response_types_supported: vec!["id_token"],
        subject_types_supported: vec!["public"],
        id_token_signing_alg_values_supported: vec!["RS256"],
        claims_supported: Vec::new(),
        platform: PlatformConfiguration {
            product_family_code: "lectern",
            version: env!("CARGO_PKG_VERSION"),
            messages_supported: Vec::new(),
            variables: Vec::new(),
        },
        issuer: base,
    }))
}
