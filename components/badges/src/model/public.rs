//! Issuers, classes, awards and collections, as anybody may read them.

use serde::Deserialize;
use serde_json::Value;
use shared::Timestamp;
use shared::db::Json;
use shared::ids::{AccountId, IssuerId};

use crate::model::assertions::Evidence;
use crate::model::classes::Alignment;
use crate::model::recipients::Recipient;

#[derive(Deserialize, Clone)]
pub(crate) struct PublicIssuer {
    pub(crate) id: IssuerId,
    pub(crate) root_account_id: AccountId,
    pub(crate) entity_id: String,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) description: String,
    pub(crate) url: String,
    pub(crate) image: Option<String>,
    pub(crate) extensions: Json<Value>,
    pub(crate) next_status_index: i64,
    pub(crate) status_changes: i64,
}

#[derive(Deserialize, Clone)]
pub(crate) struct PublicClass {
    pub(crate) entity_id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) image: String,
    pub(crate) image_alt_text: Option<String>,
    pub(crate) achievement_type: Option<String>,
    pub(crate) criteria_url: Option<String>,
    pub(crate) criteria_narrative: Option<String>,
    pub(crate) alignments: Json<Vec<Alignment>>,
    pub(crate) tags: Json<Vec<String>>,
    pub(crate) extensions: Json<Value>,
    pub(crate) issuer: Json<PublicIssuer>,
}

#[derive(Deserialize, Clone)]
pub(crate) struct PublicAssertion {
    pub(crate) entity_id: String,
    pub(crate) recipient: Json<Recipient>,
    pub(crate) issued_on: Timestamp,
    pub(crate) expires: Option<Timestamp>,
    pub(crate) narrative: Option<String>,
    pub(crate) evidence: Json<Vec<Evidence>>,
    pub(crate) extensions: Json<Value>,
    pub(crate) revoked_at: Option<Timestamp>,
    pub(crate) revocation_reason: Option<String>,
    pub(crate) status_index: i64,
    pub(crate) class: Json<PublicClass>,
}

/// A badge in a list of them.
#[derive(Deserialize)]
pub(crate) struct ListedBadge {
    pub(crate) entity_id: String,
    pub(crate) name: String,
}

/// A published collection, with what is in it, in its order.
#[derive(Deserialize)]
pub(crate) struct PublicCollection {
    pub(crate) name: String,
    pub(crate) description: String,
    /// Without awards that are revoked or not in the earner's backpack, and imports that wait for their user's address.
    pub(crate) badges: Json<Vec<CollectedBadge>>,
}

/// A badge in a collection: an award of ours, or an import.
#[derive(Deserialize)]
pub(crate) struct CollectedBadge {
    pub(crate) entity_id: String,
    pub(crate) name: Option<String>,
    pub(crate) has_image: bool,
    /// Where an import is hosted; none of an award of ours.
    pub(crate) source: Option<String>,
}
