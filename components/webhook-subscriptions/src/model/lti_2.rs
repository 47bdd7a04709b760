//! A tool proxy of LTI 2: the profile of a tool that registers, and the contract by which it is known.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::{Error, JsonSchema, Result};

use crate::model::capabilities;

/// The service of subscriptions, as profiles and contracts name it behind the address of the profile.
pub(crate) const WEBHOOKS: &str = "vnd.Canvas.webhooksSubscription";
pub(crate) const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];

const MAX_NAME_CHARS: usize = 255;
/// The length of half a split secret: 64 bytes in hexadecimal digits.
const HALF_SECRET_CHARS: usize = 128;
const MIN_SECRET_CHARS: usize = 32;
const MAX_SECRET_CHARS: usize = 512;
const MAX_SERVICES: usize = 100;
/// The most bytes of what is kept of the profile.
const MAX_BYTES: usize = 32 * 1024;

/// A tool proxy as a tool sends it.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct ToolProxySent {
    /// `LTI-2p0` or `LTI-2p1`
    lti_version: String,
    /// The address of the profile by which it registers.
    pub(crate) tool_consumer_profile: String,
    /// Capabilities; others than those of the profile are passed over.
    enabled_capability: Vec<String>,
    tool_profile: Value,
    security_contract: SecurityContract,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SecurityContract {
    /// The tool's half of the secret, 128 hexadecimal digits.
    tp_half_shared_secret: Option<String>,
    /// The whole secret, where it is not split.
    shared_secret: Option<String>,
    tool_service: Vec<ToolService>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ToolService {
    /// The address of the profile, `#`, and the name of the service.
    service: String,
    /// Methods.
    action: Vec<String>,
}

/// A tool proxy that was registered.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RegisteredToolProxy {
    #[serde(rename = "@context")]
    pub(crate) context: &'static str,
    #[serde(rename = "@type")]
    pub(crate) kind: &'static str,
    #[serde(rename = "@id")]
    pub(crate) id: String,
    pub(crate) tool_proxy_guid: String,
    /// Our half of the secret, which stands before the tool's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tc_half_shared_secret: Option<String>,
}

/// A secret that the tool signs with, or its half of it.
pub(crate) enum SharedSecret {
    Whole(String),
    Half(String),
}

impl ToolProxySent {
    pub(crate) fn capabilities(&self) -> Vec<String> {
        capabilities::asked_for(self.enabled_capability.iter().map(String::as_str))
    }

    /// The name of the product.
    pub(crate) fn name(&self) -> Result<String> {
        let name = self.tool_profile.pointer("/product_instance/product_info/product_name/default_value");
        let name = name.and_then(Value::as_str).map(str::trim).unwrap_or_default();
        match name.is_empty() || name.chars().nth(MAX_NAME_CHARS).is_some() {
            false => Ok(name.to_owned()),
            true => Err(refused("tool_profile.product_instance.product_info.product_name.default_value", "is missing")),
        }
    }

    /// Its part that is kept: nothing of the contract, in which its secret stands.
    pub(crate) fn checked(&self) -> Result<Value> {
        if !matches!(self.lti_version.as_str(), "LTI-2p0" | "LTI-2p1") {
            return Err(refused("lti_version", "must be LTI-2p0 or LTI-2p1"));
        }
        let kept = json!({
            "lti_version": self.lti_version, "tool_profile": self.tool_profile, "enabled_capability": self.capabilities(),
        });
        match shared::params::json_bytes(&kept) <= MAX_BYTES {
            true => Ok(kept),
            false => Err(refused("tool_profile", "is too long (maximum is 32768 bytes)")),
        }
    }

    pub(crate) fn secret(&self) -> Result<SharedSecret> {
        let contract = &self.security_contract;
        if let Some(half) = &contract.tp_half_shared_secret {
            let is_half = half.len() == HALF_SECRET_CHARS && half.bytes().all(|byte| byte.is_ascii_hexdigit());
            return match is_half {
                true => Ok(SharedSecret::Half(half.clone())),
                false => Err(refused("tp_half_shared_secret", "must have 128 hexadecimal digits")),
            };
        }
        match &contract.shared_secret {
            Some(whole) if (MIN_SECRET_CHARS..=MAX_SECRET_CHARS).contains(&whole.len()) => {
                Ok(SharedSecret::Whole(whole.clone()))
            }
            Some(_) => Err(refused("shared_secret", "must have 32 to 512 characters")),
            None => Err(refused("security_contract", "must have tp_half_shared_secret or shared_secret")),
        }
    }

    /// The methods with which the contract lets the tool call the service of subscriptions.
    pub(crate) fn methods(&self) -> Result<Vec<String>> {
        let services = &self.security_contract.tool_service;
        if services.len() > MAX_SERVICES {
            return Err(refused("tool_service", "has too many entries (maximum is 100)"));
        }
        let named = |service: &&ToolService| service.service.rsplit('#').next() == Some(WEBHOOKS);
        let has = |method: &str| {
            services.iter().filter(named).any(|service| service.action.iter().any(|action| action == method))
        };
        let methods: Vec<_> = METHODS.into_iter().filter(|method| has(method)).map(str::to_owned).collect();
        match methods.is_empty() {
            false => Ok(methods),
            true => Err(refused("tool_service", "must name #vnd.Canvas.webhooksSubscription with its actions")),
        }
    }
}

fn refused(field: &str, message: &str) -> Error {
    Error::invalid(field, "invalid", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(contract: Value) -> ToolProxySent {
        serde_json::from_value(json!({
            "lti_version": "LTI-2p1", "security_contract": contract,
            "enabled_capability": ["OAuth.splitSecret", "vnd.vendor.webhooks.root_account.all"],
            "tool_profile": { "product_instance": { "product_info": { "product_name": { "default_value": "Checker" } } } },
        }))
        .unwrap()
    }

    #[test]
    fn a_contract_names_a_secret_and_methods() {
        let service =
            json!([{ "service": "https://lms.test/p#vnd.Canvas.webhooksSubscription", "action": ["POST", "GET"] }]);
        let proxy = sent(json!({ "tp_half_shared_secret": "ab".repeat(64), "tool_service": service }));
        assert!(matches!(proxy.secret(), Ok(SharedSecret::Half(_))));
        assert_eq!(proxy.methods().unwrap(), ["GET", "POST"]);
        assert_eq!(proxy.capabilities(), ["vnd.vendor.webhooks.root_account.all"]);
        assert_eq!(proxy.name().unwrap(), "Checker");
        assert!(!proxy.checked().unwrap().to_string().contains("abab"), "the secret is not kept in the open");
    }

    #[test]
    fn each_rule_refuses() {
        for contract in [
            json!({}),
            json!({ "tp_half_shared_secret": "ab" }),
            json!({ "tp_half_shared_secret": "x".repeat(128) }),
            json!({ "shared_secret": "x".repeat(31) }),
            json!({ "shared_secret": "x".repeat(513) }),
        ] {
            assert!(sent(contract.clone()).secret().is_err(), "{contract}");
        }
        assert!(sent(json!({})).methods().is_err());
        let other = json!({ "tool_service": [{ "service": "x#other", "action": ["GET"] }] });
        assert!(sent(other).methods().is_err());
        let mut proxy = sent(json!({}));
        proxy.lti_version = "LTI-1p0".to_owned();
        assert!(proxy.checked().is_err());
    }
}
