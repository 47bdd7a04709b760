//! The documents of Open Badges 2.0, and their older form of 1.1.

use serde_json::{Map, Value, json};

use crate::model::assertions::Evidence;
use crate::model::classes::Alignment;
use crate::model::entity::is_extension_name;
use crate::model::public::{PublicAssertion, PublicClass, PublicIssuer};
use crate::model::recipients::Recipient;

const CONTEXT: &str = "https://w3id.org/openbadges/v2";
const OLD_CONTEXT: &str = "https://w3id.org/openbadges/v1";

/// Which version of the specification a document follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Two,
    OnePointOne,
}

impl Version {
    pub(crate) fn named(text: &str) -> Option<Self> {
        match text {
            "2_0" => Some(Self::Two),
            "1_1" => Some(Self::OnePointOne),
            _ => None,
        }
    }

    fn context(self) -> &'static str {
        match self {
            Self::Two => CONTEXT,
            Self::OnePointOne => OLD_CONTEXT,
        }
    }

    /// An address of a document, which leads to the same version.
    fn address(self, address: String) -> String {
        match self {
            Self::Two => address,
            Self::OnePointOne => format!("{address}?v=1_1"),
        }
    }
}

/// The depth to which documents that a document refers to stand in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    Address,
    Class,
    Issuer,
}

/// Writes documents with absolute addresses.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    pub(crate) base: &'a str,
    pub(crate) version: Version,
}

impl Writer<'_> {
    pub(crate) fn issuer_address(&self, id: &str) -> String {
        self.version.address(format!("{}/public/issuers/{id}", self.base))
    }

    pub(crate) fn class_address(&self, id: &str) -> String {
        self.version.address(format!("{}/public/badges/{id}", self.base))
    }

    pub(crate) fn assertion_address(&self, id: &str) -> String {
        self.version.address(format!("{}/public/assertions/{id}", self.base))
    }

    pub(crate) fn issuer(&self, issuer: &PublicIssuer) -> Value {
        let plain = format!("{}/public/issuers/{}", self.base, issuer.entity_id);
        let mut document = json!({
            "@context": self.version.context(),
            "type": "Issuer",
            "id": self.issuer_address(&issuer.entity_id),
            "name": issuer.name,
            "url": issuer.url,
            "email": issuer.email,
        });
        set(&mut document, "description", Some(&issuer.description).filter(|text| !text.is_empty()));
        set(&mut document, "image", issuer.image.as_ref().map(|_| format!("{plain}/image")));
        set(&mut document, "revocationList", Some(format!("{plain}/revocations")));
        extend(document, &issuer.extensions.0)
    }

    pub(crate) fn class(&self, class: &PublicClass, depth: Depth) -> Value {
        let plain = format!("{}/public/badges/{}", self.base, class.entity_id);
        let image = format!("{plain}/image");
        let image = match (&class.image_alt_text, self.version) {
            (Some(caption), Version::Two) => json!({ "id": image, "caption": caption }),
            _ => json!(image),
        };
        let criteria = match self.version {
            Version::Two => {
                let mut criteria = json!({});
                set(&mut criteria, "id", class.criteria_url.as_ref());
                set(&mut criteria, "narrative", class.criteria_narrative.as_ref());
                criteria
            }
            Version::OnePointOne => json!(class.criteria_url.clone().unwrap_or_else(|| format!("{plain}/criteria"))),
        };
        let issuer = match depth {
            Depth::Issuer => self.issuer(&class.issuer.0),
            Depth::Class | Depth::Address => json!(self.issuer_address(&class.issuer.0.entity_id)),
        };
        let mut document = json!({
            "@context": self.version.context(),
            "type": "BadgeClass",
            "id": self.class_address(&class.entity_id),
            "name": class.name,
            "description": class.description,
            "issuer": issuer,
            "image": image,
            "criteria": criteria,
        });
        let list = |list: Value| Some(list).filter(|list| list.as_array().is_some_and(|list| !list.is_empty()));
        let alignments = match self.version {
            Version::Two => json!(class.alignments),
            Version::OnePointOne => class.alignments.0.iter().map(older_alignment).collect(),
        };
        set(&mut document, "alignment", list(alignments));
        set(&mut document, "tags", list(json!(class.tags)));
        extend(document, &class.extensions.0)
    }

    pub(crate) fn assertion(&self, assertion: &PublicAssertion, depth: Depth) -> Value {
        let plain = format!("{}/public/assertions/{}", self.base, assertion.entity_id);
        let id = self.assertion_address(&assertion.entity_id);
        if assertion.revoked_at.is_some() {
            return json!({
                "@context": self.version.context(),
                "type": "Assertion",
                "id": id,
                "revoked": true,
                "revocationReason": assertion.revocation_reason,
            });
        }
        let class = &assertion.class.0;
        let badge = match depth {
            Depth::Address => json!(self.class_address(&class.entity_id)),
            depth => self.class(class, depth),
        };
        let mut document = json!({
            "@context": self.version.context(),
            "type": "Assertion",
            "id": id,
            "badge": badge,
            "image": format!("{plain}/image"),
            "recipient": recipient(&assertion.recipient.0),
            "issuedOn": assertion.issued_on,
        });
        match self.version {
            Version::Two => {
                set(&mut document, "verification", Some(json!({ "type": "HostedBadge" })));
                let evidence: Vec<_> =
                    assertion.evidence.0.iter().map(|one| evidence(one, json!("Evidence"))).collect();
                set(&mut document, "evidence", Some(evidence).filter(|evidence| !evidence.is_empty()));
            }
            Version::OnePointOne => {
                set(&mut document, "uid", Some(&assertion.entity_id));
                set(&mut document, "verify", Some(json!({ "type": "hosted", "url": id })));
                set(&mut document, "evidence", assertion.evidence.0.iter().find_map(|evidence| evidence.url.as_ref()));
            }
        }
        set(&mut document, "narrative", assertion.narrative.as_ref());
        set(&mut document, "expires", assertion.expires);
        extend(document, &assertion.extensions.0)
    }

    pub(crate) fn collection(&self, address: &str, name: &str, description: &str, badges: Vec<Value>) -> Value {
        json!({
            "@context": self.version.context(),
            "type": "Collection",
            "id": address,
            "name": name,
            "description": description,
            "badges": badges,
        })
    }
}

/// An alignment by the names that version 1.1 has for it.
fn older_alignment(own: &Alignment) -> Value {
    let mut document = json!({ "name": own.target_name, "url": own.target_url });
    set(&mut document, "description", own.target_description.as_ref());
    document
}

/// The recipient without what the public must not see.
fn recipient(recipient: &Recipient) -> Value {
    // A validator knows no other name for the address of a profile.
    let kind = if recipient.r#type == "openBadgeId" { "id" } else { &recipient.r#type };
    let mut document = json!({ "hashed": recipient.hashed, "type": kind, "identity": recipient.public_identity() });
    set(&mut document, "salt", recipient.hashed.then_some(&recipient.salt));
    document
}

/// The evidence of an award, without what is blank; `kind` is its type, as the document has it.
pub(crate) fn evidence(evidence: &Evidence, kind: Value) -> Value {
    let mut document = json!({ "type": kind });
    let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    for (name, value) in [
        ("id", &evidence.url),
        ("narrative", &evidence.narrative),
        ("name", &evidence.name),
        ("description", &evidence.description),
        ("genre", &evidence.genre),
        ("audience", &evidence.audience),
    ] {
        set(&mut document, name, text(value));
    }
    document
}

/// Sets a member where there is something to set.
pub(crate) fn set(document: &mut Value, name: &str, value: Option<impl serde::Serialize>) {
    if let (Some(map), Some(value)) = (document.as_object_mut(), value) {
        map.insert(name.to_owned(), json!(value));
    }
}

/// Extensions stand beside the members of the document, under names that no other member has.
fn extend(mut document: Value, extensions: &Value) -> Value {
    let none = Map::new();
    if let Some(map) = document.as_object_mut() {
        let extensions = extensions.as_object().unwrap_or(&none);
        for (name, extension) in extensions.iter().filter(|(name, _)| is_extension_name(name)) {
            map.entry(name.clone()).or_insert_with(|| extension.clone());
        }
    }
    document
}
