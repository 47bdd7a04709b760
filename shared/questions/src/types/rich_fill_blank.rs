//! Fill in the blank: blanks in a sentence, each typed, chosen from a list of its own, or from a bank of words.
//!
//! The ids of the blanks, of their scoring and of the markers in the sentence are the same.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::rich::Rich;
use crate::types::blank::{AnswerType, Blank, Word, check_words};
use crate::types::blank_scoring::{BlankScoring, Regexes};
use crate::types::parts::{Id, Shuffled, are_the_same, are_unique, none_if_blank, require_few};
use crate::types::{Draft, QuestionType, ensure, markers};

pub(crate) struct RichFillBlank;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RichFillBlankInteraction")]
pub(crate) struct Interaction {
    pub(crate) blanks: Vec<Blank>,
    /// The words that all blanks of type `wordbank` share; left out where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) word_bank_choices: Option<Vec<Word>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reuse_word_bank_choices: Option<bool>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RichFillBlankProperties")]
pub(crate) struct Properties {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shuffle_rules: Option<ShuffleRules>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BlankShuffleRules")]
pub(crate) struct ShuffleRules {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blanks: Option<BlankRules>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct BlankRules {
    /// By the zero-based index of the blank.
    #[serde(default)]
    pub(crate) children: BTreeMap<String, BlankRule>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct BlankRule {
    /// Null where the blank has nothing to shuffle.
    #[serde(default, deserialize_with = "none_if_blank")]
    pub(crate) children: Option<ChoiceRule>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct ChoiceRule {
    pub(crate) choices: Shuffled,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RichFillBlankScoring")]
pub(crate) struct Scoring {
    pub(crate) value: Vec<BlankScoring>,
    /// The author's copy: the answers in back-ticks where the blanks are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) working_item_body: Option<Rich>,
}

impl QuestionType for RichFillBlank {
    const SLUG: &'static str = "rich-fill-blank";
    const ALGORITHMS: &'static [&'static str] = &["MultipleMethods"];
    type Interaction = Interaction;
    type Properties = Properties;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        draft.interaction_data.check()?;
        let scored = draft.scoring_data.value.iter().map(|row| &row.id);
        let all_scored = are_the_same(scored, draft.interaction_data.ids());
        ensure(all_scored, "scoring_data[value]", "must name each blank once")?;
        let blanks: BTreeMap<_, _> = draft.interaction_data.blanks.iter().map(|blank| (&blank.id, blank)).collect();
        let words = draft.interaction_data.word_bank_choices.as_deref().unwrap_or_default();
        let words: BTreeSet<_> = words.iter().map(|word| &word.id).collect();
        let mut regexes = Regexes::new();
        for row in &mut draft.scoring_data.value {
            if let Some(blank) = blanks.get(&row.id) {
                row.check(blank, &words, &mut regexes)?;
                row.settle();
            }
        }
        check_rules(draft)?;
        mark_blanks(draft)
    }
}

impl Properties {
    /// True if the choices of the blank at that place, from 0, are shuffled.
    pub(crate) fn is_shuffled(&self, place: usize) -> bool {
        let rules = self.shuffle_rules.as_ref().and_then(|rules| rules.blanks.as_ref());
        let rule = rules.and_then(|rules| rules.children.get(&place.to_string()));
        rule.and_then(|rule| rule.children.as_ref()).is_some_and(|rule| rule.choices.shuffled)
    }
}

impl Interaction {
    fn check(&mut self) -> Result<()> {
        require_few(self.blanks.len(), "interaction_data[blanks]")?;
        ensure(!self.blanks.is_empty(), "interaction_data[blanks]", "must have at least one blank")?;
        ensure(are_unique(self.ids()), "interaction_data[blanks]", "must have ids that differ")?;
        self.blanks.iter_mut().try_for_each(Blank::check)?;
        if !self.blanks.iter().any(|blank| blank.answer_type == AnswerType::WordBank) {
            (self.word_bank_choices, self.reuse_word_bank_choices) = (None, None);
            return Ok(());
        }
        self.reuse_word_bank_choices.get_or_insert(false);
        check_words(self.word_bank_choices.as_deref().unwrap_or_default(), "interaction_data[word_bank_choices]")
    }

    fn ids(&self) -> impl Iterator<Item = &Id> + Clone {
        self.blanks.iter().map(|blank| &blank.id)
    }
}

fn check_rules(draft: &Draft<RichFillBlank>) -> Result<()> {
    let rules = draft.properties.shuffle_rules.as_ref().and_then(|rules| rules.blanks.as_ref());
    for (key, rule) in rules.iter().flat_map(|rules| &rules.children) {
        let field = "properties[shuffle_rules][blanks][children]";
        let blank = key.parse().ok().and_then(|index: usize| draft.interaction_data.blanks.get(index));
        ensure(blank.is_some(), field, "must have zero-based indexes of blanks as its keys")?;
        let is_typed = blank.is_some_and(|blank| blank.answer_type == AnswerType::OpenEntry);
        ensure(!is_typed || rule.children.is_none(), field, "must be null for a blank without choices")?;
    }
    Ok(())
}

/// Puts markers in the place of back-ticks, unless the sentence has markers already.
fn mark_blanks(draft: &mut Draft<RichFillBlank>) -> Result<()> {
    let blanks: Vec<_> = draft.interaction_data.ids().map(Id::as_str).collect();
    let working = &mut draft.scoring_data.working_item_body;
    if markers::ids(&draft.item_body).is_empty()
        && let Some(placed) = markers::place(&draft.item_body, &blanks)
    {
        if working.is_none() {
            *working = Some(Rich::of("item_body", draft.item_body.clone())?);
        }
        // An answer may have taken half of an element with it.
        draft.item_body = Rich::of("item_body", placed)?.into();
    }
    ensure(are_the_same(markers::ids(&draft.item_body), blanks), "item_body", "must mark each blank once")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{A, B, C, D, Sample, accepts, refuses};

    const E: &str = "0b7c1b8e-1111-4222-8333-44445555666e";
    const F: &str = "0b7c1b8e-1111-4222-8333-44445555666f";
    const G: &str = "0b7c1b8e-1111-4222-8333-444455556660";

    fn body() -> String {
        format!(
            "<p><span id=\"blank_{A}\"></span> orbits the <span id=\"blank_{B}\"></span> with \
             <span id=\"blank_{C}\"></span></p>"
        )
    }

    fn sample() -> Sample {
        Sample {
            item_body: body(),
            interaction_data: json!({
                "blanks": [
                    {"id": A, "answer_type": "openEntry"},
                    {"id": B, "answer_type": "dropdown", "choices": [{"id": D, "position": 1, "item_body": "Sun"},
                                                                     {"id": E, "position": 2, "item_body": "Mars"}]},
                    {"id": C, "answer_type": "wordbank", "choices": null},
                ],
                "word_bank_choices": [{"id": F, "item_body": "gravity"}, {"id": G, "item_body": "magnetism"}],
                "reuse_word_bank_choices": false,
            }),
            properties: json!({"shuffle_rules": {"blanks": {"children": {
                "0": {"children": null},
                "1": {"children": {"choices": {"shuffled": true}}},
                "2": {"children": {"choices": {"shuffled": true}}},
            }}}}),
            scoring_data: json!({
                "value": [
                    {"id": A, "scoring_algorithm": "TextCloseEnough",
                     "scoring_data": {"value": "Earth", "blank_text": "Earth", "ignore_case": true, "edit_distance": 1}},
                    {"id": B, "scoring_algorithm": "Equivalence", "scoring_data": {"value": D, "blank_text": "Sun"}},
                    {"id": C, "scoring_algorithm": "TextEquivalence",
                     "scoring_data": {"value": "gravity", "choice_id": F, "blank_text": "gravity"}},
                ],
                "working_item_body": "<p>`Earth` orbits the `Sun` with `gravity`</p>",
            }),
            ..Sample::new("rich-fill-blank", "MultipleMethods")
        }
    }

    fn with(pointer: &str, value: Value) -> Sample {
        let mut sample = sample();
        let (part, rest) = pointer.split_once('/').unwrap();
        let part = match part {
            "interaction" => &mut sample.interaction_data,
            "properties" => &mut sample.properties,
            _ => &mut sample.scoring_data,
        };
        *part.pointer_mut(&format!("/{rest}")).unwrap() = value;
        sample
    }

    fn typed(algorithm: &str, scoring_data: Value) -> Sample {
        with("scoring/value/0", json!({"id": A, "scoring_algorithm": algorithm, "scoring_data": scoring_data}))
    }

    #[test]
    fn it_is_stored_as_it_was_sent() {
        let stored = accepts(sample());
        assert_eq!(stored.item_body, body());
        assert_eq!(stored.interaction_data.0, sample().interaction_data);
        assert_eq!(stored.properties.0, sample().properties);
        assert_eq!(stored.scoring_data.0, sample().scoring_data);
    }

    #[test]
    fn what_is_null_may_be_blank_in_a_form() {
        let mut sent = sample();
        sent.interaction_data["blanks"][2]["choices"] = json!("");
        sent.properties["shuffle_rules"]["blanks"]["children"]["0"]["children"] = json!("");
        let stored = accepts(sent);
        assert_eq!(stored.interaction_data.0, sample().interaction_data);
        assert_eq!(stored.properties.0, sample().properties);
    }

    #[test]
    fn back_ticks_become_markers() {
        let written = "<p>`Earth` orbits the `Sun` with `gravity`</p>".to_owned();
        let mut sent = Sample { item_body: written, ..sample() };
        sent.scoring_data.as_object_mut().unwrap().remove("working_item_body");
        let stored = accepts(sent);
        assert_eq!(stored.item_body, body());
        assert_eq!(stored.scoring_data.0, sample().scoring_data);
    }

    #[test]
    fn markers_that_make_the_body_too_long_are_told_as_such() {
        let id = |n: usize| format!("0b7c1b8e-1111-4222-8333-{n:012}");
        let (blanks, scores): (Vec<_>, Vec<_>) = (0..500)
            .map(|n| {
                let score = json!({"value": "x", "blank_text": "x"});
                (
                    json!({"id": id(n), "answer_type": "openEntry"}),
                    json!({"id": id(n), "scoring_algorithm": "TextContainsAnswer", "scoring_data": score}),
                )
            })
            .unzip();
        let sent = Sample {
            item_body: format!("{}{}", "`x` ".repeat(500), "word ".repeat(25_000)),
            interaction_data: json!({"blanks": blanks}),
            properties: json!({}),
            scoring_data: json!({"value": scores}),
            ..sample()
        };
        refuses([(sent, "item_body is too long (maximum is 131072 bytes)")]);
    }

    /// A question of so many blanks, each with that regular expression.
    fn with_regexes(count: usize, regex: &str) -> Sample {
        let id = |n: usize| format!("0b7c1b8e-1111-4222-8333-{n:012}");
        let score = |n| json!({"id": id(n), "scoring_algorithm": "TextRegex", "scoring_data": {"value": regex, "blank_text": "x"}});
        Sample {
            item_body: "`x` ".repeat(count),
            interaction_data: json!({
                "blanks": (0..count).map(|n| json!({"id": id(n), "answer_type": "openEntry"})).collect::<Vec<_>>(),
            }),
            properties: json!({}),
            scoring_data: json!({"value": (0..count).map(score).collect::<Vec<_>>()}),
            ..sample()
        }
    }

    #[test]
    fn regular_expressions_are_bounded_together() {
        accepts(with_regexes(500, "^(The )?Sun$"));
        accepts(with_regexes(8, "a?{600}"));
        let message = "scoring_data[value] has regular expressions that are too large together";
        refuses([(with_regexes(9, "a?{600}"), message), (with_regexes(500, "a?{30}"), message)]);
    }

    #[test]
    fn all_ways_to_score_a_typed_answer_are_accepted() {
        accepts(typed("TextContainsAnswer", json!({"value": "Earth", "blank_text": "Earth"})));
        accepts(typed("TextInChoices", json!({"value": ["Earth", "Terra"], "blank_text": "Earth"})));
        accepts(typed("TextRegex", json!({"value": "^(The )?Earth$", "blank_text": "Earth"})));
        let stored = accepts(typed("TextCloseEnough", json!({"value": "Earth", "choice_id": F})));
        let expected = json!({"value": "Earth", "ignore_case": false, "edit_distance": 1});
        assert_eq!(stored.scoring_data.0["value"][0]["scoring_data"], expected);
    }

    #[test]
    fn a_bank_of_words_that_no_blank_uses_is_left_out() {
        let sent = Sample {
            item_body: "`Earth`".to_owned(),
            interaction_data: json!({"blanks": [{"id": A, "answer_type": "openEntry"}], "word_bank_choices": [],
                                     "reuse_word_bank_choices": true}),
            properties: json!({}),
            scoring_data: json!({"value": [sample().scoring_data["value"][0]]}),
            ..sample()
        };
        let stored = accepts(sent);
        assert_eq!(stored.interaction_data.0, json!({"blanks": [{"id": A, "answer_type": "openEntry"}]}));
        assert_eq!(stored.item_body, format!("<span id=\"blank_{A}\"></span>"));
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let body = |item_body: &str| Sample { item_body: item_body.to_owned(), ..sample() };
        let choices = "interaction/blanks/1/choices";
        let value = "scoring_data[value][][scoring_data][value]";
        refuses([
            (with("interaction/blanks", json!([])), "interaction_data[blanks] must have at least one blank"),
            (with("interaction/blanks/0/id", json!("1")), "interaction_data[blanks][][id] must be a UUID"),
            (with("interaction/blanks/0/id", json!(B)), "interaction_data[blanks] must have ids that differ"),
            (
                with("interaction/blanks/0/answer_type", json!("x")),
                "interaction_data[blanks][][answer_type] must be \
                one of openEntry, dropdown, wordbank",
            ),
            (with(choices, json!(null)), "interaction_data[blanks][][choices] must have at least two choices"),
            (
                with(choices, json!([{"id": D, "item_body": "Sun"}])),
                "interaction_data[blanks][][choices] must have at least two choices",
            ),
            (
                with(choices, json!([{"id": D, "item_body": "Sun"}, {"id": E, "item_body": ""}])),
                "interaction_data[blanks][][choices][][item_body] can't be blank",
            ),
            (
                with("interaction/blanks/2/choices", json!([{"id": D, "item_body": "Sun"}])),
                "interaction_data[blanks][][choices] is only for dropdown",
            ),
            (
                with("interaction/word_bank_choices", json!([])),
                "interaction_data[word_bank_choices] must have at least two choices",
            ),
            (with("scoring/value/0/id", json!(G)), "scoring_data[value] must name each blank once"),
            (with("scoring/value", json!([])), "scoring_data[value] must name each blank once"),
            (
                typed("Equivalence", json!({"value": D})),
                "scoring_data[value][][scoring_algorithm] must be one of \
                TextCloseEnough, TextContainsAnswer, TextInChoices, TextRegex",
            ),
            (
                with("scoring/value/1/scoring_algorithm", json!("TextRegex")),
                "scoring_data[value][][scoring_algorithm] must be Equivalence",
            ),
            (
                with("scoring/value/1/scoring_data/value", json!(F)),
                &format!("{value} must be the id of a choice of the blank"),
            ),
            (
                with("scoring/value/2/scoring_data/choice_id", json!(D)),
                "scoring_data[value][][scoring_data][choice_id] must be the id of a word of the bank",
            ),
            (
                typed("TextCloseEnough", json!({"value": "x", "edit_distance": 0})),
                "scoring_data[value][][scoring_data][edit_distance] must be greater than or equal to 1",
            ),
            (typed("TextCloseEnough", json!({"value": " "})), &format!("{value} can't be blank")),
            (typed("TextContainsAnswer", json!({"value": ["x"]})), &format!("{value} must be text")),
            (typed("TextContainsAnswer", json!({"value": {}})), &format!("{value} must be text or a list of texts")),
            (typed("TextInChoices", json!({"value": "x"})), &format!("{value} must be a list of texts")),
            (typed("TextInChoices", json!({"value": []})), &format!("{value} can't be blank")),
            (typed("TextRegex", json!({"value": "("})), &format!("{value} must be a regular expression")),
            (typed("TextRegex", json!({"value": "(a{999}){999}"})), &format!("{value} must be a regular expression")),
            (
                typed("TextRegex", json!({"value": "a".repeat(1_001)})),
                &format!("{value} is too long (maximum is 1000 characters)"),
            ),
            (
                typed("TextInChoices", json!({"value": vec!["a"; 501]})),
                &format!("{value} has too many parts (maximum is 500)"),
            ),
            (typed("TextRegex", json!({})), &format!("{value} is missing")),
            (
                with("properties/shuffle_rules/blanks/children", json!({"3": {}})),
                "properties[shuffle_rules][blanks][children] must have zero-based indexes of blanks as its keys",
            ),
            (
                with("properties/shuffle_rules/blanks/children/0/children", json!({"choices": {"shuffled": true}})),
                "properties[shuffle_rules][blanks][children] must be null for a blank without choices",
            ),
            (body("<p>no blank</p>"), "item_body must mark each blank once"),
            (body("`one` `two`"), "item_body must mark each blank once"),
            (body(&format!("<p><span id=\"blank_{A}\"></span></p>")), "item_body must mark each blank once"),
            (body(&sample().item_body.replace(C, B)), "item_body must mark each blank once"),
        ]);
    }
}
