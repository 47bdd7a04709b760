//! Essay: graded by hand.

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::types::parts::{CountText, Nothing};
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct Essay;

/// Limits are kept where they are given. The service's own documentation switches them on without giving any.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EssayInteraction")]
pub(crate) struct Interaction {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rce: Option<bool>,
    #[serde(skip_deserializing)]
    pub(crate) essay: (),
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) word_count: Option<bool>,
    #[serde(skip_deserializing)]
    pub(crate) file_upload: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) spell_check: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) word_limit_enabled: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) word_limit_min: Option<WordLimit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) word_limit_max: Option<WordLimit>,
}

/// A count of words, or an empty text for none.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) enum WordLimit {
    None,
    Words(CountText),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EssayScoring")]
pub(crate) struct Scoring {
    /// Notes for the grader.
    #[serde(default)]
    pub(crate) value: Option<String>,
}

impl QuestionType for Essay {
    const SLUG: &'static str = "essay";
    const ALGORITHMS: &'static [&'static str] = &["None"];
    type Interaction = Interaction;
    type Properties = Nothing;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let Interaction { word_limit_min, word_limit_max, .. } = &draft.interaction_data;
        if let (Some(WordLimit::Words(min)), Some(WordLimit::Words(max))) = (word_limit_min, word_limit_max) {
            let field = "interaction_data[word_limit_max]";
            ensure(min.value() <= max.value(), field, "must be greater than or equal to word_limit_min")?;
        }
        draft.scoring_data.value.get_or_insert_default();
        Ok(())
    }
}

impl TryFrom<String> for WordLimit {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.trim().is_empty() { Ok(Self::None) } else { CountText::try_from(text).map(Self::Words) }
    }
}

impl From<WordLimit> for String {
    fn from(limit: WordLimit) -> Self {
        match limit {
            WordLimit::None => String::new(),
            WordLimit::Words(count) => count.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{Sample, accepts, refuses};

    fn sample() -> Sample {
        Sample {
            interaction_data: json!({"rce": true, "essay": null, "word_count": true, "file_upload": false,
                                     "spell_check": true, "word_limit_enabled": true,
                                     "word_limit_min": "10", "word_limit_max": "200"}),
            scoring_data: json!({"value": "Look for roots"}),
            ..Sample::new("essay", "None")
        }
    }

    #[test]
    fn the_full_form_and_the_short_one_are_accepted() {
        assert_eq!(accepts(sample()).interaction_data.0, sample().interaction_data);
        assert_eq!(accepts(sample()).scoring_data.0, sample().scoring_data);
        let short =
            Sample { interaction_data: json!({"word_limit_enabled": "true"}), scoring_data: json!({}), ..sample() };
        let stored = accepts(short);
        assert_eq!(stored.interaction_data.0["word_limit_enabled"], true);
        assert_eq!(stored.scoring_data.0, json!({"value": ""}));
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let with = |member: &str, value: Value| {
            let mut sample = sample();
            sample.interaction_data[member] = value;
            sample
        };
        refuses([
            (sample().scored("Essay"), "scoring_algorithm must be None"),
            (with("word_limit_min", json!("many")), "interaction_data[word_limit_min] must be a whole number"),
            (with("word_limit_max", json!("-1")), "interaction_data[word_limit_max] must be a whole number"),
            (
                with("word_limit_max", json!("5")),
                "interaction_data[word_limit_max] must be greater than or equal to word_limit_min",
            ),
            (with("rce", json!("perhaps")), "interaction_data[rce] must be true or false"),
        ]);
    }
}
