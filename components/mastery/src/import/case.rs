//! Frameworks of standards in CASE 1.0: the document becomes a subject, its items become objectives.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Entry;

/// A package of one framework, as the exchange gives it out.
#[derive(Deserialize)]
pub(crate) struct Package {
    #[serde(rename = "CFDocument")]
    document: Document,
    #[serde(rename = "CFItems", default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Document {
    identifier: String,
    title: String,
}

#[derive(Deserialize)]
struct Item {
    identifier: String,
    #[serde(rename = "humanCodingScheme", default)]
    code: Option<String>,
    #[serde(rename = "fullStatement", default)]
    statement: Option<String>,
    #[serde(rename = "educationLevel", default)]
    levels: Vec<String>,
    #[serde(rename = "lastChangeDateTime", default)]
    changed: Option<String>,
}

impl Package {
    /// The subject.
    pub(crate) fn subject(&self) -> Vec<Entry> {
        vec![entry(0, json!({"id": self.document.identifier, "name": self.document.title}))]
    }

    /// The objectives. One without a code is called by its statement.
    pub(crate) fn objectives(self) -> Vec<Entry> {
        let subject = self.document.identifier;
        let items = self.items.into_iter().enumerate().map(|(place, item)| {
            let name = item.code.filter(|code| !code.trim().is_empty()).or_else(|| item.statement.clone());
            entry(
                place,
                json!({
                    "id": item.identifier, "subject_id": subject, "name": name, "description": item.statement,
                    "grade": item.levels.join(","), "updated_at": item.changed,
                }),
            )
        });
        items.collect()
    }
}

fn entry(place: usize, value: Value) -> Entry {
    let fields = match value {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    Entry { place, fields }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_a_subject_with_objectives() {
        let package: Package = serde_json::from_value(json!({
            "CFDocument": {"identifier": "d1", "title": "Math", "creator": "x"},
            "CFItems": [
                {"identifier": "i1", "humanCodingScheme": "4.NF.A.1", "fullStatement": "Explain", "educationLevel": ["04"]},
                {"identifier": "i2", "fullStatement": "Number and Operations"},
            ],
        }))
        .unwrap();
        assert_eq!(package.subject()[0].fields["name"], "Math");
        let objectives = package.objectives();
        assert_eq!(objectives[0].fields["name"], "4.NF.A.1");
        assert_eq!(objectives[0].fields["grade"], "04");
        assert_eq!(objectives[1].fields["name"], "Number and Operations");
    }
}
