//! Matching: an answer for each question. Answers are plain text and stand for themselves: they have no ids.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::rich::Rich;
use crate::types::parts::{ShuffledQuestions, are_the_same, are_unique, is_blank, require_few};
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct Matching;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MatchingInteraction")]
pub(crate) struct Interaction {
    pub(crate) answers: Vec<String>,
    pub(crate) questions: Vec<Question>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MatchingQuestion")]
pub(crate) struct Question {
    pub(crate) id: String,
    #[serde(alias = "itemBody")]
    pub(crate) item_body: Rich,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MatchingScoring")]
pub(crate) struct Scoring {
    /// The right answer of each question.
    pub(crate) value: BTreeMap<String, String>,
    /// The author's copy; made from the rest when it is left out.
    #[serde(default)]
    pub(crate) edit_data: Option<EditData>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct EditData {
    pub(crate) matches: Vec<Match>,
    #[serde(default)]
    pub(crate) distractors: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Match {
    pub(crate) answer_body: String,
    pub(crate) question_id: String,
    pub(crate) question_body: Rich,
}

impl QuestionType for Matching {
    const SLUG: &'static str = "matching";
    const ALGORITHMS: &'static [&'static str] = &["DeepEquals", "PartialDeep"];
    type Interaction = Interaction;
    type Properties = ShuffledQuestions;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let interaction = &draft.interaction_data;
        interaction.check()?;
        let Scoring { value, edit_data } = &mut draft.scoring_data;
        let covered = are_the_same(interaction.ids(), value.keys());
        ensure(covered, "scoring_data[value]", "must have the ids of the questions as its keys")?;
        let answers: BTreeSet<_> = interaction.answers.iter().collect();
        let offered = value.values().all(|answer| answers.contains(answer));
        ensure(offered, "scoring_data[value]", "must hold answers of interaction_data")?;
        match edit_data {
            Some(edit_data) => edit_data.check(interaction, value)?,
            None => *edit_data = Some(EditData::of(interaction, value)),
        }
        Ok(())
    }
}

impl Interaction {
    fn check(&self) -> Result<()> {
        let (answers, questions) = ("interaction_data[answers]", "interaction_data[questions]");
        require_few(self.answers.len(), answers)?;
        require_few(self.questions.len(), questions)?;
        ensure(!self.answers.is_empty(), answers, "must have at least one answer")?;
        ensure(!self.answers.iter().any(|answer| is_blank(answer)), answers, "can't be blank")?;
        ensure(!self.questions.is_empty(), questions, "must have at least one question")?;
        ensure(!self.ids().any(|id| is_blank(id)), "interaction_data[questions][][id]", "can't be blank")?;
        ensure(are_unique(self.ids()), questions, "must have ids that differ")?;
        let blank = self.questions.iter().any(|question| question.item_body.is_blank());
        ensure(!blank, "interaction_data[questions][][item_body]", "can't be blank")
    }

    fn ids(&self) -> impl Iterator<Item = &String> + Clone {
        self.questions.iter().map(|question| &question.id)
    }
}

impl EditData {
    fn of(interaction: &Interaction, value: &BTreeMap<String, String>) -> Self {
        let right: BTreeSet<_> = value.values().collect();
        let matches = interaction.questions.iter().filter_map(|question| {
            let (question_id, question_body) = (question.id.clone(), question.item_body.clone());
            Some(Match { answer_body: value.get(&question_id)?.clone(), question_id, question_body })
        });
        let distractors = interaction.answers.iter().filter(|answer| !right.contains(answer));
        Self { matches: matches.collect(), distractors: distractors.cloned().collect() }
    }

    fn check(&self, interaction: &Interaction, value: &BTreeMap<String, String>) -> Result<()> {
        let field = "scoring_data[edit_data][matches]";
        require_few(self.distractors.len(), "scoring_data[edit_data][distractors]")?;
        let named = self.matches.iter().map(|own| &own.question_id);
        ensure(are_the_same(named, interaction.ids()), field, "must name each question once")?;
        let same = self.matches.iter().all(|own| value.get(&own.question_id) == Some(&own.answer_body));
        ensure(same, field, "must have the answers of scoring_data[value]")?;
        let blank = self.distractors.iter().any(|distractor| is_blank(distractor));
        ensure(!blank, "scoring_data[edit_data][distractors]", "can't be blank")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{Sample, accepts, refuses};

    fn sample() -> Sample {
        Sample {
            interaction_data: json!({"answers": ["tree", "R&D", "stone"],
                                     "questions": [{"id": "1", "item_body": "<b>Oak</b>"}, {"id": "2", "item_body": "Lab"}]}),
            properties: json!({"shuffle_rules": {"questions": {"shuffled": false}}}),
            scoring_data: json!({
                "value": {"1": "tree", "2": "R&D"},
                "edit_data": {"matches": [{"answer_body": "tree", "question_id": "1", "question_body": "<b>Oak</b>"},
                                          {"answer_body": "R&D", "question_id": "2", "question_body": "Lab"}],
                              "distractors": ["stone"]},
            }),
            ..Sample::new("matching", "DeepEquals")
        }
    }

    #[test]
    fn it_is_stored_as_it_was_sent() {
        let stored = accepts(sample());
        assert_eq!(stored.interaction_data.0, sample().interaction_data);
        assert_eq!(stored.scoring_data.0, sample().scoring_data);
        accepts(sample().scored("PartialDeep"));
    }

    #[test]
    fn the_authors_copy_is_made_when_it_is_left_out() {
        let mut without = sample();
        without.scoring_data = json!({"value": {"1": "tree", "2": "R&D"}});
        assert_eq!(accepts(without).scoring_data.0, sample().scoring_data);
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let with = |part: &str, value: Value| {
            let mut sample = sample();
            let all = match part.starts_with("interaction") {
                true => &mut sample.interaction_data,
                false => &mut sample.scoring_data,
            };
            *all.pointer_mut(part.trim_start_matches(|c: char| c != '/')).unwrap() = value;
            sample
        };
        refuses([
            (sample().scored("AllOrNothing"), "scoring_algorithm must be one of DeepEquals, PartialDeep"),
            (
                with("interaction/answers", json!(vec!["tree"; 501])),
                "interaction_data[answers] has too many parts (maximum is 500)",
            ),
            (with("interaction/answers", json!([])), "interaction_data[answers] must have at least one answer"),
            (with("interaction/answers", json!(["tree", ""])), "interaction_data[answers] can't be blank"),
            (with("interaction/questions", json!([])), "interaction_data[questions] must have at least one question"),
            (with("interaction/questions/1/id", json!("1")), "interaction_data[questions] must have ids that differ"),
            (with("interaction/questions/1/id", json!("")), "interaction_data[questions][][id] can't be blank"),
            (
                with("interaction/questions/1/item_body", json!("")),
                "interaction_data[questions][][item_body] can't be blank",
            ),
            (
                with("scoring/value", json!({"1": "tree"})),
                "scoring_data[value] must have the ids of the questions as its keys",
            ),
            (with("scoring/value/1", json!("moss")), "scoring_data[value] must hold answers of interaction_data"),
            (
                with("scoring/edit_data/matches", json!([])),
                "scoring_data[edit_data][matches] must name each question once",
            ),
            (
                with("scoring/edit_data/matches/0/answer_body", json!("stone")),
                "scoring_data[edit_data][matches] must have the answers of scoring_data[value]",
            ),
            (
                with("scoring/edit_data/distractors", json!([" "])),
                "scoring_data[edit_data][distractors] can't be blank",
            ),
        ]);
    }
}
