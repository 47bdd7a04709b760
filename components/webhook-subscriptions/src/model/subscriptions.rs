//! A subscription as it is answered.

use serde::Serialize;
use shared::JsonSchema;
use shared::ids::{AccountId, as_text};

use crate::model::form::Parameters;
use crate::store::subscriptions::Subscription as Row;

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

impl From<Row> for Subscription {
    fn from(row: Row) -> Self {
        let Row { uuid, root_account_id, parameters, status, .. } = row;
        Self { id: uuid, root_account_id, parameters: parameters.0, status, signing_secret: None }
    }
}
