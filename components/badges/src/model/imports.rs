//! Awards of other services, with the documents by which they were verified. Whoever wrote these may have put anything into them.

use serde::Deserialize;
use serde_json::{Value, json};
use shared::Timestamp;
use shared::db::Json;

use crate::model::assertions::Evidence;
use crate::model::entity::{Moment, is_extension_name, is_url};
use crate::model::recipients::Recipient;

/// The most deeds of an award that are shown.
const MAX_EVIDENCE: usize = 100;

/// An award of another service.
#[derive(Deserialize, Clone)]
pub(crate) struct ImportRow {
    pub(crate) id: i64,
    pub(crate) entity_id: String,
    pub(crate) open_badge_id: String,
    pub(crate) recipient_type: String,
    pub(crate) recipient_identity: String,
    pub(crate) assertion: Json<Value>,
    pub(crate) badge: Json<Value>,
    pub(crate) issuer: Json<Value>,
    pub(crate) image: Option<String>,
    pub(crate) acceptance: String,
    pub(crate) pending: bool,
    pub(crate) created_at: Moment,
}

impl ImportRow {
    /// The document as it came, with what it refers to in it.
    pub(crate) fn document(&self) -> Value {
        let mut badge = self.badge.0.clone();
        if let Some(badge) = badge.as_object_mut() {
            badge.insert("issuer".to_owned(), self.issuer.0.clone());
        }
        let mut document = self.assertion.0.clone();
        if let Some(document) = document.as_object_mut() {
            document.insert("badge".to_owned(), badge);
            document.insert("sourceUrl".to_owned(), json!(self.open_badge_id));
        }
        document
    }

    /// A moment in the award's document, such as `issuedOn`.
    pub(crate) fn moment(&self, name: &str) -> Option<Timestamp> {
        text(&self.assertion.0, name).and_then(Timestamp::parse)
    }

    /// The name of the badge; the address of the award where it has none.
    pub(crate) fn title(&self) -> &str {
        text(&self.badge.0, "name").unwrap_or(&self.open_badge_id)
    }

    /// The description of the badge.
    pub(crate) fn description(&self) -> Option<&str> {
        text(&self.badge.0, "description")
    }

    /// The name of who awarded it; the address of the award where there is none.
    pub(crate) fn issuer_name(&self) -> &str {
        text(&self.issuer.0, "name").unwrap_or(&self.open_badge_id)
    }

    /// What one had to do for the badge, in words.
    pub(crate) fn criteria_narrative(&self) -> Option<&str> {
        self.badge.0.pointer("/criteria/narrative").and_then(Value::as_str)
    }

    /// The page that says it, if that is an address of the web.
    pub(crate) fn criteria_url(&self) -> Option<&str> {
        let criteria = self.badge.0.get("criteria")?;
        criteria.as_str().or_else(|| text(criteria, "id")).filter(|url| is_url(url))
    }

    /// The evidence of the award: one deed or several, each an address or a record.
    pub(crate) fn evidence(&self) -> Vec<Evidence> {
        let deeds = match self.assertion.0.get("evidence") {
            Some(Value::Array(deeds)) => deeds.as_slice(),
            Some(deed) => std::slice::from_ref(deed),
            None => &[],
        };
        deeds.iter().take(MAX_EVIDENCE).filter_map(deed).collect()
    }

    /// The extensions of the award.
    pub(crate) fn extensions(&self) -> Value {
        let members = self.assertion.0.as_object().into_iter().flatten();
        let own = members.filter(|(name, value)| is_extension_name(name) && value.is_object());
        Value::Object(own.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    pub(crate) fn recipient(&self) -> Recipient {
        let text = |name: &str| self.assertion.0.pointer(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let hashed = self.assertion.0.pointer("/recipient/hashed").and_then(Value::as_bool).unwrap_or(false);
        Recipient {
            r#type: self.recipient_type.clone(),
            identity: self.recipient_identity.clone(),
            hashed,
            salt: text("/recipient/salt"),
        }
    }
}

/// A deed of an award, as far as it says where it is or what it is.
fn deed(own: &Value) -> Option<Evidence> {
    let said = |name: &str| text(own, name).map(str::to_owned);
    let url = own.as_str().map(str::to_owned).or_else(|| said("id")).filter(|url| is_url(url));
    let evidence = Evidence {
        url,
        narrative: said("narrative"),
        name: said("name"),
        description: said("description"),
        genre: said("genre"),
        audience: said("audience"),
    };
    Some(evidence).filter(|own| own.url.is_some() || own.narrative.is_some())
}

/// The member of a document, where it is a text that says something.
fn text<'a>(document: &'a Value, name: &str) -> Option<&'a str> {
    document.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(badge: Value) -> ImportRow {
        let moment = Moment(Timestamp::parse("2026-03-04T05:06:07Z").unwrap());
        ImportRow {
            id: 1,
            entity_id: "e".to_owned(),
            open_badge_id: "https://a.test/award".to_owned(),
            recipient_type: "email".to_owned(),
            recipient_identity: "ada@school.test".to_owned(),
            assertion: Json(json!({ "issuedOn": "2024-01-01T00:00:00Z", "expires": 7 })),
            badge: Json(badge),
            issuer: Json(json!({ "name": "" })),
            image: None,
            acceptance: "Accepted".to_owned(),
            pending: false,
            created_at: moment,
        }
    }

    #[test]
    fn a_document_of_a_stranger_is_read_as_far_as_it_can_be_shown() {
        let odd = import(json!({ "name": { "en": "Knots" }, "criteria": "javascript:alert(1)" }));
        assert_eq!((odd.title(), odd.issuer_name()), ("https://a.test/award", "https://a.test/award"));
        assert_eq!((odd.description(), odd.criteria_url(), odd.criteria_narrative()), (None, None, None));
        assert!(odd.moment("issuedOn").is_some() && odd.moment("expires").is_none());
        let usual = json!({ "name": "Knots", "criteria": { "id": "https://a.test/c", "narrative": "Six" } });
        let usual = import(usual);
        assert_eq!((usual.title(), usual.criteria_url()), ("Knots", Some("https://a.test/c")));
        assert_eq!(usual.criteria_narrative(), Some("Six"));
    }
}
