//! File upload: graded by hand.

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::types::parts::CountText;
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct FileUpload;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FileUploadInteraction")]
pub(crate) struct Interaction {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) files_count: Option<CountText>,
    #[serde(default)]
    pub(crate) restrict_count: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FileUploadProperties")]
pub(crate) struct Properties {
    /// Suffixes, with commas between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) allowed_types: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) restrict_types: Option<bool>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FileUploadScoring")]
pub(crate) struct Scoring {
    #[serde(default)]
    pub(crate) value: Option<String>,
}

impl QuestionType for FileUpload {
    const SLUG: &'static str = "file-upload";
    const ALGORITHMS: &'static [&'static str] = &["None"];
    type Interaction = Interaction;
    type Properties = Properties;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let Interaction { files_count, restrict_count } = &draft.interaction_data;
        let is_count = files_count.as_ref().map_or(!restrict_count, |count| count.value() > 0);
        ensure(is_count, "interaction_data[files_count]", "must be greater than 0")?;
        let types = draft.properties.allowed_types.as_deref().unwrap_or_default();
        let restricted = draft.properties.restrict_types == Some(true);
        let field = "properties[allowed_types]";
        ensure(!restricted || !types.trim().is_empty(), field, "can't be blank where types are restricted")?;
        let well_formed = types.trim().is_empty() || types.split(',').all(is_suffix);
        ensure(well_formed, field, "must be suffixes with commas between them")?;
        let value = draft.scoring_data.value.get_or_insert_default();
        ensure(value.is_empty(), "scoring_data[value]", "must be empty")
    }
}

/// `pdf`, `.pdf` or `tar.gz`.
fn is_suffix(text: &str) -> bool {
    let text = text.trim();
    let suffix = text.strip_prefix('.').unwrap_or(text);
    !suffix.is_empty() && suffix.chars().all(|c| c.is_ascii_alphanumeric() || ".-_+".contains(c))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{Sample, accepts, refuses};

    fn sample() -> Sample {
        Sample {
            interaction_data: json!({"files_count": "2", "restrict_count": true}),
            properties: json!({"allowed_types": ".pdf, docx,tar.gz", "restrict_types": true}),
            scoring_data: json!({"value": ""}),
            ..Sample::new("file-upload", "None")
        }
    }

    #[test]
    fn counts_stay_text() {
        let stored = accepts(sample());
        assert_eq!(stored.interaction_data.0, sample().interaction_data);
        assert_eq!(stored.properties.0, sample().properties);
        let number = json!({"files_count": 2, "restrict_count": "true"});
        assert_eq!(accepts(Sample { interaction_data: number, ..sample() }), stored);
        assert_eq!(accepts(Sample { scoring_data: json!({}), ..sample() }), stored);
        accepts(Sample { interaction_data: json!({"restrict_count": false}), properties: json!({}), ..sample() });
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let with = |interaction_data: Value| Sample { interaction_data, ..sample() };
        let typed = |properties: Value| Sample { properties, ..sample() };
        refuses([
            (sample().scored("Equivalence"), "scoring_algorithm must be None"),
            (with(json!({"restrict_count": true})), "interaction_data[files_count] must be greater than 0"),
            (with(json!({"files_count": "0"})), "interaction_data[files_count] must be greater than 0"),
            (with(json!({"files_count": "many"})), "interaction_data[files_count] must be a whole number"),
            (
                typed(json!({"restrict_types": true})),
                "properties[allowed_types] can't be blank where types are restricted",
            ),
            (
                typed(json!({"allowed_types": "pdf,,doc"})),
                "properties[allowed_types] must be suffixes with commas between them",
            ),
            (Sample { scoring_data: json!({"value": "x"}), ..sample() }, "scoring_data[value] must be empty"),
        ]);
    }
}
