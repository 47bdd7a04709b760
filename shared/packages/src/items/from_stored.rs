//! From what is stored to the model.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{QuestionItem, blanks};
use crate::model::{
    Accepted, Blank, BlankAnswer, Blanks, Categorization, Category, Choice, Choices, Essay, FileUpload, Formula,
    HotSpot, Interaction, Left, Matching, Number, Ordering, Question, Shape, Solution, Spot, Text, TextRule, Typed,
    Variable,
};

impl QuestionItem {
    /// The question; `id` is unique in the package, the points are those of the quiz's item.
    pub fn to_question(&self, id: impl Into<String>, points: f64) -> Question {
        let interaction = self.interaction();
        let body = match &interaction {
            Interaction::Blanks(_) => blanks::to_brackets(&self.body()),
            Interaction::Formula(formula) => {
                blanks::variables_to_brackets(&self.item_body, formula.variables.iter().map(|own| own.name.as_str()))
            }
            _ => self.item_body.clone(),
        };
        Question {
            id: id.into(),
            title: self.title.clone().unwrap_or_default(),
            body,
            points,
            feedback: self.feedback.clone(),
            calculator: Some(self.calculator_type.clone()).filter(|calculator| !calculator.is_empty()),
            stimulus: None,
            interaction,
        }
    }

    /// The sentence of the older type of blanks stands in pieces.
    fn body(&self) -> String {
        let Some(pieces) = at(&self.interaction_data, &["stem_items"]).as_array() else {
            return self.item_body.clone();
        };
        let mut pieces: Vec<_> = pieces.iter().collect();
        pieces.sort_by_key(|piece| at(piece, &["position"]).as_i64());
        let sentence = pieces.into_iter().map(|piece| match at(piece, &["type"]).as_str() {
            Some("blank") => format!("[{}]", text(at(piece, &["blank_id"]))),
            _ => text(at(piece, &["value"])),
        });
        let prompt = text(at(&self.interaction_data, &["prompt"]));
        let prompt = if prompt.is_empty() { self.item_body.as_str() } else { prompt.as_str() };
        format!("{prompt}<p>{}</p>", sentence.collect::<String>())
    }

    fn interaction(&self) -> Interaction {
        match self.interaction_type_slug.as_str() {
            "choice" => Interaction::Choice(self.choices()),
            "multi-answer" => Interaction::MultipleAnswers(self.choices()),
            "true-false" => Interaction::TrueFalse(self.true_false()),
            "matching" => Interaction::Matching(self.matching()),
            "categorization" => Interaction::Categorization(self.categorization()),
            "ordering" => Interaction::Ordering(self.ordering()),
            "numeric" => Interaction::Numeric(items(at(&self.scoring_data, &["value"])).filter_map(number).collect()),
            "formula" => Interaction::Formula(self.formula()),
            "essay" => Interaction::Essay(self.essay()),
            "file-upload" => Interaction::FileUpload(self.file_upload()),
            "hot-spot" => self.hot_spot().map_or(Interaction::TextOnly, Interaction::HotSpot),
            "rich-fill-blank" | "fill-blank" => Interaction::Blanks(self.blanks()),
            _ => Interaction::TextOnly,
        }
    }

    fn choices(&self) -> Choices {
        let value = at(&self.scoring_data, &["value"]);
        let right: BTreeSet<_> = items(value).chain([value]).filter_map(Value::as_str).collect();
        let is_right = |id: &str| right.contains(id);
        let worths = by(at(&self.scoring_data, &["values"]), "value");
        let points = |id: &str| worths.get(id).and_then(|row| at(row, &["points"]).as_f64());
        let varies = self.scoring_algorithm == "VaryPointsByAnswer";
        let rules = at(&self.properties, &["shuffle_rules", "choices"]);
        Choices {
            options: options(at(&self.interaction_data, &["choices"]))
                .map(|(id, body)| Choice {
                    right: is_right(&id),
                    points: points(&id).filter(|_| varies),
                    feedback: self.answer_feedback.get(&id).cloned().unwrap_or_default(),
                    text: Text::Html(body),
                    id,
                })
                .collect(),
            shuffled: at(rules, &["shuffled"]) == true,
            locked: items(at(rules, &["to_lock"])).filter_map(Value::as_i64).collect(),
            partial: self.scoring_algorithm == "PartialScore",
        }
    }

    fn true_false(&self) -> Choices {
        let choice = |id: &str, value: bool| Choice {
            id: id.trim_end_matches("_choice").to_owned(),
            text: Text::Plain(text(at(&self.interaction_data, &[id]))),
            right: at(&self.scoring_data, &["value"]) == value,
            ..Choice::default()
        };
        Choices { options: vec![choice("true_choice", true), choice("false_choice", false)], ..Choices::default() }
    }

    /// Answers are plain text and stand for themselves.
    fn matching(&self) -> Matching {
        let mut texts: Vec<String> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for answer in items(at(&self.interaction_data, &["answers"])).map(text) {
            places.entry(answer).or_insert_with_key(|answer| {
                texts.push(answer.clone());
                texts.len()
            });
        }
        let id = |text: &str| format!("answer-{}", places.get(text).copied().unwrap_or_default());
        let left = items(at(&self.interaction_data, &["questions"])).map(|question| {
            let own = text(at(question, &["id"]));
            Left {
                right: id(&text(at(&self.scoring_data, &["value", &own]))),
                text: Text::Html(text(at(question, &["item_body"]))),
                feedback: String::new(),
                id: own,
            }
        });
        let left = left.collect();
        let right =
            texts.iter().map(|text| Choice { id: id(text), text: Text::Plain(text.clone()), ..Choice::default() });
        Matching {
            left,
            right: right.collect(),
            shuffled: at(&self.properties, &["shuffle_rules", "questions", "shuffled"]) == true,
            partial: self.scoring_algorithm == "PartialDeep",
        }
    }

    fn categorization(&self) -> Categorization {
        let data = &self.interaction_data;
        let rows = by(at(&self.scoring_data, &["value"]), "id");
        let members = |id: &str| {
            rows.get(id).map(|row| items(at(row, &["scoring_data", "value"])).map(text).collect()).unwrap_or_default()
        };
        let named: Vec<String> = items(at(data, &["category_order"])).map(text).collect();
        let mut categories: Vec<_> = options(at(data, &["categories"]))
            .map(|(id, body)| Category { members: members(&id), text: Text::Html(body), id })
            .collect();
        let places = places(&named);
        categories.sort_by_key(|category| places.get(category.id.as_str()).copied());
        Categorization {
            categories,
            answers: options(at(data, &["distractors"])).map(labelled).collect(),
            score_method: at(&self.scoring_data, &["score_method"]).as_str().map(str::to_owned),
            shuffled: at(&self.properties, &["shuffle_rules", "questions", "shuffled"]) == true,
        }
    }

    fn ordering(&self) -> Ordering {
        let order: Vec<String> = items(at(&self.scoring_data, &["value"])).map(text).collect();
        let mut choices: Vec<_> = options(at(&self.interaction_data, &["choices"])).map(labelled).collect();
        let places = places(&order);
        choices.sort_by_key(|item| places.get(item.id.as_str()).copied());
        let label = |name: &str| at(&self.properties, &[name]).as_str().map(str::to_owned);
        Ordering {
            items: choices,
            top_label: label("top_label"),
            bottom_label: label("bottom_label"),
            labelled: at(&self.properties, &["include_labels"]) == true,
            paragraph: at(&self.properties, &["display_answers_paragraph"]) == true,
        }
    }

    fn formula(&self) -> Formula {
        let value = at(&self.scoring_data, &["value"]);
        let variable = |own: &Value| Variable {
            name: text(at(own, &["name"])),
            min: text(at(own, &["min"])),
            max: text(at(own, &["max"])),
            scale: at(own, &["precision"]).as_i64().unwrap_or_default(),
        };
        let solution = |own: &Value| Solution {
            inputs: items(at(own, &["inputs"]))
                .map(|input| (text(at(input, &["name"])), text(at(input, &["value"]))))
                .collect(),
            output: text(at(own, &["output"])),
        };
        let solutions: Vec<_> = items(at(value, &["generated_solutions"])).map(solution).collect();
        let places = |solution: &Solution| solution.output.split_once('.').map_or(0, |(_, places)| places.len());
        Formula {
            formulas: vec![text(at(value, &["formula"]))],
            variables: items(at(value, &["variables"])).map(variable).collect(),
            tolerance: text(at(value, &["numeric", "margin"])),
            percent: at(value, &["numeric", "margin_type"]).as_str() == Some("percent"),
            decimal_places: solutions.iter().map(places).max().and_then(|most| i64::try_from(most).ok()).unwrap_or(0),
            solutions,
        }
    }

    fn essay(&self) -> Essay {
        let data = &self.interaction_data;
        let limit = |name: &str| Some(text(at(data, &[name]))).filter(|limit| !limit.is_empty());
        Essay {
            rich: at(data, &["rce"]).as_bool(),
            word_count: at(data, &["word_count"]).as_bool(),
            spell_check: at(data, &["spell_check"]).as_bool(),
            word_limit: at(data, &["word_limit_enabled"]).as_bool(),
            fewest_words: limit("word_limit_min"),
            most_words: limit("word_limit_max"),
            notes: text(at(&self.scoring_data, &["value"])),
        }
    }

    fn file_upload(&self) -> FileUpload {
        let restricted = at(&self.properties, &["restrict_types"]) == true;
        let types = text(at(&self.properties, &["allowed_types"]));
        let types = types.split(',').map(str::trim).filter(|suffix| restricted && !suffix.is_empty());
        FileUpload {
            count: text(at(&self.interaction_data, &["files_count"]))
                .parse()
                .ok()
                .filter(|_| at(&self.interaction_data, &["restrict_count"]) == true),
            types: types.map(str::to_owned).collect(),
        }
    }

    fn hot_spot(&self) -> Option<HotSpot> {
        let value = at(&self.scoring_data, &["value"]);
        let is_list = value.is_array();
        let spots: Vec<_> = if is_list { items(value).map(spot).collect::<Option<_>>()? } else { vec![spot(value)?] };
        let count = at(&self.properties, &["hotspots_count"]).as_u64().and_then(|count| usize::try_from(count).ok());
        let most = Some(spots.len()).filter(|most| *most > 0)?;
        Some(HotSpot {
            image: text(at(&self.interaction_data, &["image_url"])),
            places: is_list.then(|| count.map_or(most, |count| count.clamp(1, most))),
            whole: is_list && at(&self.scoring_data, &["score_method"]) == "all_or_nothing",
            spots,
        })
    }

    fn blanks(&self) -> Blanks {
        let data = &self.interaction_data;
        let rows = by(at(&self.scoring_data, &["value"]), "id");
        let rules = at(&self.properties, &["shuffle_rules", "blanks", "children"]);
        let is_shuffled = |place: usize| at(rules, &[&place.to_string(), "children", "choices", "shuffled"]) == true;
        let blank = |(place, own): (usize, &Value)| {
            let name = text(at(own, &["id"]));
            let row = rows.get(name.as_str()).copied().unwrap_or(&Value::Null);
            let scoring = at(row, &["scoring_data"]);
            let answer = match at(own, &["answer_type"]).as_str() {
                Some("dropdown") => BlankAnswer::Dropdown(Choices {
                    options: options(at(own, &["choices"]))
                        .map(|(id, body)| Choice {
                            right: at(scoring, &["value"]).as_str() == Some(id.as_str()),
                            id,
                            text: Text::Plain(body),
                            ..Choice::default()
                        })
                        .collect(),
                    shuffled: is_shuffled(place),
                    ..Choices::default()
                }),
                Some("wordbank") => BlankAnswer::Word(text(at(scoring, &["choice_id"]))),
                _ => BlankAnswer::Typed(typed(&name, row)),
            };
            Blank { name, answer }
        };
        let words = options(at(data, &["word_bank_choices"]));
        Blanks {
            blanks: items(at(data, &["blanks"])).enumerate().map(blank).collect(),
            words: words.map(|(id, body)| Choice { id, text: Text::Plain(body), ..Choice::default() }).collect(),
            reuse_words: at(data, &["reuse_word_bank_choices"]) == true,
            in_pieces: self.interaction_type_slug == "fill-blank",
        }
    }
}

fn typed(blank: &str, row: &Value) -> Typed {
    let scoring = at(row, &["scoring_data"]);
    let texts: Vec<String> = match at(scoring, &["value"]) {
        Value::Array(texts) => texts.iter().map(text).collect(),
        one => vec![text(one)],
    };
    let rule = match at(row, &["scoring_algorithm"]).as_str() {
        Some("TextContainsAnswer") => TextRule::Contains,
        Some("TextRegex") => TextRule::Regex,
        Some("TextCloseEnough") => TextRule::CloseEnough {
            ignore_case: at(scoring, &["ignore_case"]) == true,
            distance: at(scoring, &["edit_distance"]).as_i64().unwrap_or(1),
        },
        _ => TextRule::Same,
    };
    let accepted = texts.into_iter().enumerate().map(|(place, text)| Choice {
        id: format!("{blank}-{place}"),
        text: Text::Plain(text),
        right: true,
        ..Choice::default()
    });
    let accepted: Vec<_> = accepted.collect();
    let is_other = |shown: &String| accepted.first().is_none_or(|first| first.text.as_str() != shown);
    let shown = Some(text(at(scoring, &["blank_text"]))).filter(|shown| !shown.is_empty() && is_other(shown));
    Typed { accepted, rule, shown }
}

fn labelled((id, body): (String, String)) -> Choice {
    Choice { id, text: Text::Html(body), ..Choice::default() }
}

fn number(own: &Value) -> Option<Number> {
    let member = |name: &str| text(at(own, &[name]));
    let accepted = match at(own, &["type"]).as_str()? {
        "exactResponse" => Accepted::Exact { value: member("value") },
        "marginOfError" => Accepted::Margin {
            value: member("value"),
            margin: member("margin"),
            percent: at(own, &["margin_type"]).as_str() == Some("percent"),
        },
        "withinARange" => Accepted::Range { start: member("start"), end: member("end") },
        "preciseResponse" => Accepted::Precise {
            value: member("value"),
            precision: member("precision"),
            significant: at(own, &["precision_type"]).as_str() == Some("significantDigits"),
        },
        _ => return None,
    };
    Some(Number { id: member("id"), accepted, feedback: String::new() })
}

/// The ids and bodies of a list by position, or of a map by id.
fn options(value: &Value) -> impl Iterator<Item = (String, String)> {
    let mut list: Vec<_> = match value {
        Value::Object(map) => map.values().collect(),
        value => items(value).collect(),
    };
    list.sort_by_key(|own| at(own, &["position"]).as_i64());
    list.into_iter().map(|own| (text(at(own, &["id"])), text(at(own, &["item_body"]))))
}

/// The rows of a list by one of their members; of several, the first counts.
fn by<'v>(list: &'v Value, name: &str) -> BTreeMap<&'v str, &'v Value> {
    items(list).rev().filter_map(|row| Some((at(row, &[name]).as_str()?, row))).collect()
}

/// The place of each in a list, the first time.
fn places(list: &[String]) -> BTreeMap<&str, usize> {
    list.iter().enumerate().rev().map(|(place, id)| (id.as_str(), place)).collect()
}

fn spot(own: &Value) -> Option<Spot> {
    let point = |point: &Value| Some((at(point, &["x"]).as_f64()?, at(point, &["y"]).as_f64()?));
    Some(Spot {
        id: text(at(own, &["id"])),
        shape: Shape::named(at(own, &["type"]).as_str()?)?,
        points: items(at(own, &["coordinates"])).map(point).collect::<Option<_>>()?,
    })
}

fn items(value: &Value) -> std::slice::Iter<'_, Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

/// The member that the names lead to; null if there is none.
fn at<'v>(value: &'v Value, names: &[&str]) -> &'v Value {
    names.iter().try_fold(value, |value, name| value.get(name)).unwrap_or(&Value::Null)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// An empty object, where a part has nothing to say.
pub(super) fn nothing() -> Value {
    Value::Object(Map::new())
}
