//! Blanks in a sentence: an object with a text, or the id of a choice or word, by the id of the blank.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::compare::{composed, is_close, normal, without_case};
use crate::draw::Showing;
use crate::form;
use crate::response::{Part, Read};
use crate::rich::Rich;
use crate::score::{Score, ScoreState};
use crate::taken::{Asked, QuestionColumns, QuestionError, Taken, parse_as};
use crate::types::blank::{AnswerType, Blank, Word};
use crate::types::blank_scoring::{Algorithm, BlankScoring, Regexes};
use crate::types::fill_blank::{FillBlank, Interaction as OlderInteraction, StemItem};
use crate::types::parts::is_blank;
use crate::types::rich_fill_blank::{Interaction, RichFillBlank};
use crate::types::{Draft, QuestionType, markers};

/// The most characters that are typed into a blank.
const MAX_TYPED_CHARS: usize = 1_000;

pub(super) const OLDER_SLUG: &str = FillBlank::SLUG;

impl Taken for RichFillBlank {
    type Response<'a> = BTreeMap<&'a str, &'a str>;

    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<Self::Response<'a>>> {
        let own = &asked.interaction_data;
        let blanks: BTreeMap<_, _> = own.blanks.iter().map(|blank| (blank.id.as_str(), blank)).collect();
        let mut filled = BTreeMap::new();
        let mut used = BTreeSet::new();
        for (id, part) in response.members(blanks.len())? {
            let Some(blank) = blanks.get(id) else { return part.refuse("is not a blank of it") };
            if part.is_nothing() {
                continue;
            }
            let answer = own.read(blank, &part)?;
            let is_word = blank.answer_type == AnswerType::WordBank;
            if is_word && own.reuse_word_bank_choices != Some(true) && !used.insert(answer) {
                return part.refuse("has a word that another blank has");
            }
            filled.insert(id, answer);
        }
        Ok(Some(filled).filter(|filled| !filled.is_empty()))
    }

    /// Blanks weigh the same.
    fn score(asked: &Draft<Self>, filled: Self::Response<'_>, _: Option<usize>) -> Read<Score> {
        let own = &asked.interaction_data;
        let rows: BTreeMap<_, _> = asked.scoring_data.value.iter().map(|row| (row.id.as_str(), row)).collect();
        let mut waits = false;
        let mut regexes = Regexes::new();
        let pieces = own.blanks.iter().map(|blank| {
            let id = blank.id.as_str();
            let matched = match (filled.get(id), rows.get(id)) {
                (Some(answer), Some(row)) => is_right(own, row, answer, &mut regexes),
                _ => Some(false),
            };
            waits |= matched.is_none();
            (id.to_owned(), matched.unwrap_or(false))
        });
        let score = Score::by_parts(pieces.collect());
        Ok(if waits { Score { state: ScoreState::WaitsForPerson, ..score } } else { score })
    }

    /// The bank of words is always shuffled: as it is written it often stands in the order of the blanks.
    fn show(asked: &Draft<Self>, showing: &mut Showing) -> Value {
        let own = &asked.interaction_data;
        let blanks = own.blanks.iter().enumerate().map(|(place, blank)| {
            let mut shown = Map::new();
            shown.insert("id".to_owned(), json!(blank.id));
            shown.insert("answer_type".to_owned(), json!(blank.answer_type));
            if blank.answer_type == AnswerType::Dropdown {
                let mut choices = blank.in_order();
                if showing.shuffle_answers || asked.properties.is_shuffled(place) {
                    showing.draw.shuffle(&mut choices);
                }
                shown.insert("choices".to_owned(), choices.into_iter().map(shown_word).collect());
            }
            Value::Object(shown)
        });
        let mut shown = json!({"blanks": blanks.collect::<Vec<_>>()});
        if let (Some(words), Value::Object(shown)) = (&own.word_bank_choices, &mut shown) {
            let mut words: Vec<_> = words.iter().collect();
            showing.draw.shuffle(&mut words);
            shown.insert("word_bank_choices".to_owned(), words.into_iter().map(shown_word).collect());
            shown.insert("reuse_word_bank_choices".to_owned(), json!(own.reuse_word_bank_choices == Some(true)));
        }
        shown
    }

    fn body(asked: &Draft<Self>, _: &Showing) -> String {
        markers::emptied(&asked.item_body)
    }

    /// A sentence that does not mark its blanks could show the answers that stand in their places.
    fn check_stored(asked: &Draft<Self>) -> Result<(), QuestionError> {
        let marked: BTreeSet<_> = markers::ids(&asked.item_body).into_iter().collect();
        if asked.interaction_data.blanks.iter().all(|blank| marked.contains(blank.id.as_str())) {
            return Ok(());
        }
        Err(QuestionError("item_body must mark each blank once".to_owned()))
    }
}

impl Interaction {
    fn read<'a>(&self, blank: &Blank, part: &Part<'a>) -> Read<&'a str> {
        let ids =
            |words: &'_ [Word]| -> BTreeSet<String> { words.iter().map(|word| word.id.as_str().to_owned()).collect() };
        let (known, kind) = match blank.answer_type {
            AnswerType::OpenEntry => return part.text(MAX_TYPED_CHARS),
            AnswerType::Dropdown => (ids(blank.words()), "a choice of the blank"),
            AnswerType::WordBank => (ids(self.word_bank_choices.as_deref().unwrap_or_default()), "a word of the bank"),
        };
        part.id(&known.iter().map(String::as_str).collect(), kind)
    }
}

fn shown_word(word: &Word) -> Value {
    json!({"id": word.id, "item_body": word.item_body})
}

/// Whether the answer to a blank is right; `None` where a person must tell, because the regular expression is none that can
/// be run, or those of the question are too large together.
fn is_right(own: &Interaction, row: &BlankScoring, answer: &str, regexes: &mut Regexes) -> Option<bool> {
    let accepted = row.scoring_data.texts();
    let is_any = |fits: &dyn Fn(&str) -> bool| accepted.iter().any(|text| fits(text));
    let typed = normal(answer);
    Some(match row.scoring_algorithm {
        Algorithm::Equivalence => is_any(&|id| id == answer),
        Algorithm::TextEquivalence => {
            let is_named = row.scoring_data.choice_id.as_ref().is_some_and(|id| id.as_str() == answer);
            let word = own.word_bank_choices.iter().flatten().find(|word| word.id.as_str() == answer);
            is_named || word.is_some_and(|word| is_any(&|text| normal(text) == normal(&word.item_body)))
        }
        Algorithm::TextInChoices => is_any(&|text| without_case(&normal(text)) == without_case(&typed)),
        Algorithm::TextContainsAnswer => {
            let typed = without_case(&typed);
            is_any(&|text| !is_blank(text) && typed.contains(&without_case(&normal(text))))
        }
        Algorithm::TextCloseEnough => {
            let distance = usize::try_from(row.scoring_data.edit_distance.unwrap_or(1)).unwrap_or_default();
            let ignores_case = row.scoring_data.ignore_case == Some(true);
            let cased = |text: &str| if ignores_case { without_case(text) } else { text.to_owned() };
            is_any(&|text| is_close(&cased(&normal(text)), &cased(&typed), distance))
        }
        Algorithm::TextRegex => {
            let compiled: Vec<_> = accepted.iter().map(|regex| regexes.compile(regex)).collect::<Option<_>>()?;
            let typed = composed(answer.trim());
            compiled.iter().any(|regex| regex.is_match(&typed))
        }
    })
}

/// A question of the older type, whose sentence stands in pieces.
pub(super) fn parse_older(mut columns: QuestionColumns) -> Result<Box<dyn Asked + Send + Sync>, QuestionError> {
    let unfit = |error: shared::Error| QuestionError(error.to_string());
    let own: OlderInteraction =
        form::read_named("interaction_data", columns.interaction_data.0.clone()).map_err(unfit)?;
    if let Some(mut pieces) = own.stem_items {
        pieces.sort_by_key(|piece| piece.position);
        let prompt = own.prompt.filter(|prompt| !prompt.trim().is_empty()).unwrap_or(columns.item_body);
        let sentence: String = pieces.iter().map(StemItem::html).collect();
        columns.item_body = Rich::of("item_body", format!("{prompt}<p>{sentence}</p>")).map_err(unfit)?.into();
    }
    columns.properties.0 = json!({});
    parse_as::<RichFillBlank>(columns)
}

impl StemItem {
    fn html(&self) -> String {
        match (&self.blank_id, &self.value) {
            (Some(blank), _) if self.r#type == "blank" => {
                format!("<span id=\"blank_{}\"></span>", blank.replace(['"', '<', '>', '&'], ""))
            }
            (_, text) => text.clone().unwrap_or_default(),
        }
    }
}
