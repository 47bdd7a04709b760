//! Subscriptions, as they are kept and as they are answered.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::db::Json;
use shared::ids::{AccountId, SubscriptionId, ToolProxyId, as_text};

use crate::model::form::Parameters;

/// A subscription as it is kept.
#[derive(Deserialize)]
pub(crate) struct KnownSubscription {
    pub(crate) id: SubscriptionId,
    pub(crate) uuid: String,
    pub(crate) root_account_id: AccountId,
    pub(crate) tool_proxy_id: ToolProxyId,
    /// The account of its tool.
    pub(crate) account_id: AccountId,
    pub(crate) parameters: Json<Parameters>,
    pub(crate) status: String,
}

/// A subscription as it is shown.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Subscription {
    id: String,
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    root_account_id: AccountId,
    #[serde(flatten)]
    parameters: Parameters,
    /// `active`, or `disabled` because its receiver failed for days or is gone, or by its tool.
    status: String,
    /// The secret that signs its deliveries, `whsec_…`. Shown only when it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    signing_secret: Option<String>,
}

impl Subscription {
    /// The same with the secret that signs its deliveries.
    pub(crate) fn with_secret(self, secret: &str) -> Self {
        Self { signing_secret: Some(secret.to_owned()), ..self }
    }
}

impl From<KnownSubscription> for Subscription {
    fn from(known: KnownSubscription) -> Self {
        let KnownSubscription { uuid, root_account_id, parameters, status, .. } = known;
        Self { id: uuid, root_account_id, parameters: parameters.0, status, signing_secret: None }
    }
}
