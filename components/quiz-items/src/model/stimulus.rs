//! Stimuli: a text or picture that several questions are about. See `StimulusItem` in
//! `docs/contract/quiz-items.md`.

use questions::address::is_web_address;
use questions::form;
use questions::rich::Rich;
use serde::{Deserialize, Serialize};
use shared::ids::StimulusId;
use shared::{Error, JsonSchema, Patch, Result, Timestamp};

const ORIENTATIONS: [&str; 2] = ["top", "left"];

/// The subject of questions.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct StimulusItem {
    #[serde(serialize_with = "shared::ids::as_text")]
    #[schemars(with = "String")]
    id: StimulusId,
    title: Option<String>,
    /// Rich text.
    body: Option<String>,
    /// Rich text.
    instructions: Option<String>,
    /// Its source; hidden from students.
    source_url: Option<String>,
    /// Its place beside its questions: `top` or `left`.
    orientation: String,
    /// True if it is text without questions.
    passage: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A stimulus as it is stored.
#[derive(Deserialize)]
pub(crate) struct Stimulus {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) source_url: Option<String>,
    pub(crate) orientation: String,
    pub(crate) passage: bool,
}

impl Default for Stimulus {
    fn default() -> Self {
        let orientation = "left".to_owned();
        Self { title: None, body: None, instructions: None, source_url: None, orientation, passage: false }
    }
}

/// The fields of a stimulus that is made or changed.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct StimulusForm {
    title: Patch<String>,
    /// Rich text.
    body: Patch<String>,
    /// Rich text.
    instructions: Patch<String>,
    /// An absolute http or https address.
    source_url: Patch<String>,
    /// `top` or `left`.
    orientation: Patch<String>,
    passage: Patch<bool>,
}

impl StimulusForm {
    /// True if it names a field.
    pub(crate) fn names_any(&self) -> bool {
        let Self { title, body, instructions, source_url, orientation, passage } = self;
        let texts = [title, body, instructions, source_url, orientation];
        texts.into_iter().any(Patch::is_present) || passage.is_present()
    }

    /// The stimulus with the fields of the form.
    pub(crate) fn over(self, stimulus: Stimulus) -> Result<Stimulus> {
        let rich = |name, html: Option<String>| html.map(|html| Rich::of(name, html)).transpose();
        let body = rich("body", self.body.over(stimulus.body))?;
        let instructions = rich("instructions", self.instructions.over(stimulus.instructions))?;
        if body.as_ref().is_none_or(Rich::is_blank) {
            return Err(Error::invalid("body", "blank", "can't be blank"));
        }
        let orientation = self.orientation.unwrap_or(stimulus.orientation);
        if !ORIENTATIONS.contains(&orientation.as_str()) {
            return Err(Error::invalid("orientation", "inclusion", "must be one of top, left"));
        }
        let source_url = self.source_url.over(stimulus.source_url).filter(|address| !address.trim().is_empty());
        if source_url.as_deref().is_some_and(|address| !is_web_address(address)) {
            return Err(Error::invalid("source_url", "invalid", "must be an absolute http or https address"));
        }
        let title = self.title.over(stimulus.title);
        form::line("title", title.as_deref().unwrap_or_default())?;
        Ok(Stimulus {
            title,
            body: body.map(String::from),
            instructions: instructions.map(String::from),
            source_url,
            orientation,
            passage: self.passage.unwrap_or(stimulus.passage),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn stimulus_of(fields: Value) -> Result<Stimulus> {
        shared::params::coerce::from_value::<StimulusForm>(fields).unwrap().over(Stimulus::default())
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let stimulus = stimulus_of(json!({"body": "<p>A poem</p><script>x</script>", "passage": "true"})).unwrap();
        assert_eq!(stimulus.body.as_deref(), Some("<p>A poem</p>"));
        assert_eq!((stimulus.orientation.as_str(), stimulus.passage), ("left", true));
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        for (fields, field) in [
            (json!({"title": "x"}), "body"),
            (json!({"title": "x".repeat(256), "body": "x"}), "title"),
            (json!({"body": "<p></p>"}), "body"),
            (json!({"body": "x", "orientation": "right"}), "orientation"),
            (json!({"body": "x", "source_url": "javascript:alert(1)"}), "source_url"),
        ] {
            let error = stimulus_of(fields).err().unwrap();
            assert!(error.to_string().contains(field), "{error}");
        }
    }
}
