//! Frameworks of standards in CASE 1.0: the document becomes a subject, its items become objectives.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::import::Entry;

/// The document of a package, as the exchange gives it out.
#[derive(Deserialize)]
pub(crate) struct Document {
    identifier: String,
    title: String,
}

/// An item of a package.
#[derive(Deserialize)]
pub(crate) struct Item {
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

impl Document {
    /// The subject.
    pub(crate) fn subject(&self) -> Entry {
        entry(0, json!({"id": self.identifier, "name": self.title}))
    }
}

impl Item {
    /// The objective. One without a code is called by its statement.
    pub(crate) fn objective(self, place: usize, document: &Document) -> Entry {
        let name = self.code.filter(|code| !code.trim().is_empty()).or_else(|| self.statement.clone());
        entry(
            place,
            json!({
                "id": self.identifier, "subject_id": document.identifier, "name": name, "description": self.statement,
                "grade": self.levels.join(","), "updated_at": self.changed,
            }),
        )
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
        let document = json!({"identifier": "d1", "title": "Math", "creator": "x"});
        let document: Document = serde_json::from_value(document).unwrap();
        assert_eq!(document.subject().fields["name"], "Math");
        let objective = |item: Value| serde_json::from_value::<Item>(item).unwrap().objective(7, &document);
        let coded = objective(json!({
            "identifier": "i1", "humanCodingScheme": "4.NF.A.1", "fullStatement": "Explain", "educationLevel": ["04"],
        }));
        assert_eq!((coded.place, &coded.fields["name"], &coded.fields["grade"]), (7, &json!("4.NF.A.1"), &json!("04")));
        let told = objective(json!({"identifier": "i2", "fullStatement": "Number and Operations"}));
        assert_eq!((&told.fields["name"], &told.fields["subject_id"]), (&json!("Number and Operations"), &json!("d1")));
    }
}
