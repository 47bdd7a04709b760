//! From the model to what is stored.

mod fill;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::from_stored::nothing;
use super::{QuestionItem, blanks};
use crate::ident;
use crate::model::{
    Accepted, Blank, BlankAnswer, Categorization, Choice, Choices, Essay, FileUpload, Formula, HotSpot, Interaction,
    Matching, Number, Ordering, Question, Report, Spot, Text,
};

/// The most spots of a question.
const MAX_SPOTS: usize = 50;

/// The parts that depend on the type of a question.
struct Parts {
    slug: &'static str,
    algorithm: &'static str,
    interaction: Value,
    properties: Value,
    scoring: Value,
    body: Option<String>,
    answer_feedback: BTreeMap<String, String>,
}

impl Parts {
    fn new(slug: &'static str, algorithm: &'static str, interaction: Value, scoring: Value) -> Self {
        let (properties, body, answer_feedback) = (nothing(), None, BTreeMap::new());
        Self { slug, algorithm, interaction, properties, scoring, body, answer_feedback }
    }
}

impl QuestionItem {
    /// The question as a new quiz has it; `None` if it has none that is like it. The report tells what is different.
    pub fn of(question: &Question, report: &mut Report) -> Option<Self> {
        let parts = parts(question, report)?;
        tell_lost(question, report);
        Some(Self {
            title: Some(question.title.clone()).filter(|title| !title.is_empty()),
            item_body: parts.body.unwrap_or_else(|| question.body.clone()),
            calculator_type: calculator_type(question, report).to_owned(),
            feedback: question.feedback.clone(),
            interaction_type_slug: parts.slug.to_owned(),
            interaction_data: parts.interaction,
            properties: parts.properties,
            scoring_data: parts.scoring,
            answer_feedback: parts.answer_feedback,
            scoring_algorithm: parts.algorithm.to_owned(),
        })
    }
}

/// Tells what no new quiz has a place for.
fn tell_lost(question: &Question, report: &mut Report) {
    let are_told = |options: &[Choice]| options.iter().any(|choice| !choice.feedback.is_empty());
    let of_blank = |blank: &Blank| match &blank.answer {
        BlankAnswer::Typed(own) => are_told(&own.accepted),
        BlankAnswer::Dropdown(own) => are_told(&own.options),
        BlankAnswer::Word(_) => false,
    };
    let (comments, pictures) = match &question.interaction {
        Interaction::MultipleAnswers(own) | Interaction::TrueFalse(own) => (are_told(&own.options), false),
        Interaction::ShortAnswer(own) => (are_told(&own.accepted), false),
        Interaction::Blanks(own) => {
            let lists = own.blanks.iter().filter_map(|blank| match &blank.answer {
                BlankAnswer::Dropdown(own) => Some(own.options.as_slice()),
                BlankAnswer::Typed(_) | BlankAnswer::Word(_) => None,
            });
            let mut words = lists.chain([own.words.as_slice()]).flatten();
            (own.blanks.iter().any(of_blank), words.any(|choice| choice.text.has_media()))
        }
        Interaction::Matching(own) => {
            let comments = own.left.iter().any(|left| !left.feedback.is_empty());
            (comments, own.right.iter().any(|choice| choice.text.has_media()))
        }
        Interaction::Numeric(own) => (own.iter().any(|number| !number.feedback.is_empty()), false),
        _ => (false, false),
    };
    let mut note = |is_lost: bool, message: &str| {
        if is_lost {
            report.note(question.title.as_str(), message);
        }
    };
    note(comments, "its comments on single answers are left out: in new quizzes only multiple choice has them");
    note(pictures, "pictures, formulas and the like in its answers are left out: these are plain text in new quizzes");
}

/// A calculator that a new quiz may have.
fn calculator_type<'q>(question: &'q Question, report: &mut Report) -> &'q str {
    match question.calculator.as_deref() {
        None | Some("none") => "none",
        Some(known @ ("basic" | "scientific")) => known,
        Some(_) => {
            report.note(
                question.title.as_str(),
                "its calculator is left out: new quizzes have a basic and a scientific one",
            );
            "none"
        }
    }
}

fn parts(question: &Question, report: &mut Report) -> Option<Parts> {
    Some(match &question.interaction {
        Interaction::Choice(choices) => choice(question, choices),
        Interaction::MultipleAnswers(choices) => multi_answer(question, choices),
        Interaction::TrueFalse(choices) => true_false(choices),
        Interaction::ShortAnswer(typed) => fill::short_answer(question, typed),
        Interaction::Blanks(own) => {
            let in_pieces = own.in_pieces.then(|| fill::fill_blank(question, own)).flatten();
            in_pieces.unwrap_or_else(|| fill::rich_fill_blank(question, own))
        }
        Interaction::Matching(own) => matching(own),
        Interaction::Categorization(own) => categorization(question, own),
        Interaction::Ordering(own) => ordering(question, own),
        Interaction::Numeric(numbers) => numeric(numbers),
        Interaction::Formula(own) => formula(question, own, report),
        Interaction::Essay(own) => essay(own),
        Interaction::FileUpload(own) => file_upload(own),
        Interaction::HotSpot(own) => hot_spot(question, own, report),
        Interaction::TextOnly => {
            report.note(question.title.as_str(), "new quizzes have no text without a question");
            return None;
        }
    })
}

/// Gives an object a member.
fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

fn choice(question: &Question, choices: &Choices) -> Parts {
    let id = |choice: &Choice| ident::uuid(&question.id, &choice.id);
    let best =
        choices.options.iter().max_by(|a, b| a.points.unwrap_or_default().total_cmp(&b.points.unwrap_or_default()));
    let right = choices.options.iter().find(|choice| choice.right).or(best).map(id);
    // One is right here: where several are, each has all points.
    let are_several = choices.options.iter().filter(|choice| choice.right).count() > 1;
    let has_points = choices.options.iter().any(|choice| choice.points.is_some());
    let varies = has_points || are_several;
    let worth = |choice: &Choice| {
        if has_points { choice.points.unwrap_or_default() } else { f64::from(u8::from(choice.right)) }
    };
    let mut scoring = json!({"value": right});
    let properties = json!({"shuffle_rules": shuffle_rules(choices), "vary_points_by_answer": varies});
    let mut algorithm = "Equivalence";
    if varies {
        let row = |choice: &Choice| json!({"value": id(choice), "points": worth(choice)});
        set(&mut scoring, "values", choices.options.iter().map(row).collect());
        algorithm = "VaryPointsByAnswer";
    }
    let feedback = choices.options.iter().filter(|choice| !choice.feedback.is_empty());
    Parts {
        properties,
        answer_feedback: feedback.map(|choice| (id(choice), choice.feedback.clone())).collect(),
        ..Parts::new("choice", algorithm, json!({"choices": options(question, &choices.options)}), scoring)
    }
}

fn multi_answer(question: &Question, choices: &Choices) -> Parts {
    let right = choices.options.iter().filter(|choice| choice.right);
    let right: Vec<_> = right.map(|choice| ident::uuid(&question.id, &choice.id)).collect();
    let algorithm = if choices.partial { "PartialScore" } else { "AllOrNothing" };
    let interaction = json!({"choices": options(question, &choices.options)});
    Parts {
        properties: json!({"shuffle_rules": shuffle_rules(choices)}),
        ..Parts::new("multi-answer", algorithm, interaction, json!({"value": right}))
    }
}

fn shuffle_rules(choices: &Choices) -> Value {
    json!({"choices": {"to_lock": choices.locked, "shuffled": choices.shuffled}})
}

fn options(question: &Question, options: &[Choice]) -> Vec<Value> {
    (1_i64..)
        .zip(options)
        .map(|(position, choice)| {
            json!({"id": ident::uuid(&question.id, &choice.id), "position": position, "item_body": choice.text.html()})
        })
        .collect()
}

fn true_false(choices: &Choices) -> Parts {
    let label = |place: usize, default: &str| {
        let text = choices.options.get(place).map(|choice| choice.text.plain().into_owned());
        text.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| default.to_owned())
    };
    let value = choices.options.first().is_some_and(|choice| choice.right);
    let interaction = json!({"true_choice": label(0, "True"), "false_choice": label(1, "False")});
    Parts::new("true-false", "Equivalence", interaction, json!({"value": value}))
}

fn matching(own: &Matching) -> Parts {
    // Of several halves with an id, the first counts.
    let halves: BTreeMap<_, _> = own.right.iter().rev().map(|choice| (choice.id.as_str(), choice)).collect();
    let text = |id: &str| halves.get(id).map(|choice| choice.text.plain());
    let question = |left: &crate::model::Left| json!({"id": left.id, "item_body": left.text.html()});
    let value: Map<_, _> = own.left.iter().map(|left| (left.id.clone(), json!(text(&left.right)))).collect();
    let answers: Vec<_> = own.right.iter().map(|choice| choice.text.plain()).collect();
    let interaction = json!({"answers": answers, "questions": own.left.iter().map(question).collect::<Value>()});
    let matches = own.left.iter().map(
        |left| json!({"answer_body": text(&left.right), "question_id": left.id, "question_body": left.text.html()}),
    );
    let matched: BTreeSet<_> = own.left.iter().map(|left| left.right.as_str()).collect();
    let is_distractor = |choice: &&Choice| !matched.contains(choice.id.as_str());
    let distractors = own.right.iter().filter(is_distractor).map(|choice| json!(choice.text.plain()));
    let edit_data = json!({"matches": matches.collect::<Value>(), "distractors": distractors.collect::<Value>()});
    let algorithm = if own.partial { "PartialDeep" } else { "DeepEquals" };
    Parts {
        properties: json!({"shuffle_rules": {"questions": {"shuffled": own.shuffled}}}),
        ..Parts::new("matching", algorithm, interaction, json!({"value": value, "edit_data": edit_data}))
    }
}

/// Texts by their ids.
fn labelled<'a>(question: &Question, items: impl Iterator<Item = (&'a String, &'a Text)>) -> Value {
    let entry = |(id, text): (&String, &Text)| {
        let id = ident::uuid(&question.id, id);
        (id.clone(), json!({"id": id, "item_body": text.html()}))
    };
    Value::Object(items.map(entry).collect())
}

fn categorization(question: &Question, own: &Categorization) -> Parts {
    let id = |id: &String| ident::uuid(&question.id, id);
    let order: Vec<_> = own.categories.iter().map(|category| id(&category.id)).collect();
    let interaction = json!({
        "categories": labelled(question, own.categories.iter().map(|category| (&category.id, &category.text))),
        "distractors": labelled(question, own.answers.iter().map(|answer| (&answer.id, &answer.text))),
        "category_order": order,
    });
    let rows = own.categories.iter().map(|category| {
        let members: Vec<_> = category.members.iter().map(id).collect();
        json!({"id": id(&category.id), "scoring_data": {"value": members}, "scoring_algorithm": "AllOrNothing"})
    });
    let mut scoring = json!({"value": rows.collect::<Value>()});
    if let Some(method) = &own.score_method {
        set(&mut scoring, "score_method", json!(method));
    }
    Parts {
        properties: json!({"shuffle_rules": {"questions": {"shuffled": own.shuffled}}}),
        ..Parts::new("categorization", "Categorization", interaction, scoring)
    }
}

fn ordering(question: &Question, own: &Ordering) -> Parts {
    let order: Vec<_> = own.items.iter().map(|item| ident::uuid(&question.id, &item.id)).collect();
    let choices = labelled(question, own.items.iter().map(|item| (&item.id, &item.text)));
    Parts {
        properties: json!({
            "top_label": own.top_label, "bottom_label": own.bottom_label, "include_labels": own.labelled,
            "display_answers_paragraph": own.paragraph, "shuffle_rules": null,
        }),
        ..Parts::new("ordering", "DeepEquals", json!({ "choices": choices }), json!({ "value": order }))
    }
}

fn numeric(numbers: &[Number]) -> Parts {
    let response = |number: &Number| {
        let mut response = match &number.accepted {
            Accepted::Exact { value } => json!({"type": "exactResponse", "value": value}),
            Accepted::Margin { value, margin, percent } => {
                let kind = if *percent { "percent" } else { "absolute" };
                json!({"type": "marginOfError", "value": value, "margin": margin, "margin_type": kind})
            }
            Accepted::Range { start, end } => json!({"type": "withinARange", "start": start, "end": end}),
            Accepted::Precise { value, precision, significant } => {
                let kind = if *significant { "significantDigits" } else { "decimals" };
                json!({"type": "preciseResponse", "value": value, "precision": precision, "precision_type": kind})
            }
        };
        set(&mut response, "id", json!(number.id));
        response
    };
    Parts::new("numeric", "Numeric", nothing(), json!({"value": numbers.iter().map(response).collect::<Value>()}))
}

fn formula(question: &Question, own: &Formula, report: &mut Report) -> Parts {
    if own.formulas.len() > 1 {
        report.note(question.title.as_str(), "only the last of its formulas is kept");
    }
    let variable = |own: &crate::model::Variable| json!({"name": own.name, "min": own.min, "max": own.max, "precision": own.scale});
    let solution = |own: &crate::model::Solution| {
        let inputs = own.inputs.iter().map(|(name, value)| json!({"name": name, "value": value}));
        json!({"inputs": inputs.collect::<Value>(), "output": own.output})
    };
    let margin = if own.tolerance.is_empty() { "0" } else { &own.tolerance };
    let kind = if own.percent { "percent" } else { "absolute" };
    let value = json!({
        "formula": own.formulas.last(),
        "numeric": {"type": "marginOfError", "margin": margin, "margin_type": kind},
        "variables": own.variables.iter().map(variable).collect::<Value>(),
        "answer_count": own.solutions.len().to_string(),
        "generated_solutions": own.solutions.iter().map(solution).collect::<Value>(),
    });
    let names = own.variables.iter().map(|variable| variable.name.as_str());
    Parts {
        body: Some(blanks::variables_to_ticks(&question.body, names)),
        ..Parts::new("formula", "Numeric", nothing(), json!({ "value": value }))
    }
}

fn essay(own: &Essay) -> Parts {
    let mut interaction = json!({"essay": null, "file_upload": false});
    let members = [
        ("rce", own.rich.map(Value::from)),
        ("word_count", own.word_count.map(Value::from)),
        ("spell_check", own.spell_check.map(Value::from)),
        ("word_limit_enabled", own.word_limit.map(Value::from)),
        ("word_limit_min", own.fewest_words.clone().map(Value::from)),
        ("word_limit_max", own.most_words.clone().map(Value::from)),
    ];
    for (name, value) in members {
        if let Some(value) = value {
            set(&mut interaction, name, value);
        }
    }
    Parts::new("essay", "None", interaction, json!({"value": own.notes}))
}

fn file_upload(own: &FileUpload) -> Parts {
    let mut interaction = json!({"restrict_count": own.count.is_some()});
    if let Some(count) = own.count {
        set(&mut interaction, "files_count", json!(count.to_string()));
    }
    let restricted = !own.types.is_empty();
    Parts {
        properties: json!({"allowed_types": own.types.join(","), "restrict_types": restricted}),
        ..Parts::new("file-upload", "None", interaction, json!({"value": ""}))
    }
}

/// A spot that stands alone, or a list of spots with ids.
fn hot_spot(question: &Question, own: &HotSpot, report: &mut Report) -> Parts {
    let interaction = json!({"image_url": own.image});
    let (spots, places) = match (own.places, own.spots.as_slice()) {
        (None, [only]) => return Parts::new("hot-spot", "HotSpot", interaction, json!({"value": spot(only)})),
        (places, spots) => (spots.get(..MAX_SPOTS).unwrap_or(spots), places),
    };
    if spots.len() < own.spots.len() {
        report.note(question.title.as_str(), format!("of its spots the first {MAX_SPOTS} are kept"));
    }
    let mut known = BTreeSet::new();
    let with_id = |(number, own): (usize, &Spot)| {
        let id = ident::uuid(&question.id, &own.id);
        let is_own = !own.id.is_empty() && known.insert(id.clone());
        let mut spot = spot(own);
        let id = if is_own { id } else { ident::uuid(&question.id, &format!("spot-{number}")) };
        set(&mut spot, "id", json!(id));
        spot
    };
    let mut scoring = json!({"value": (1..).zip(spots).map(with_id).collect::<Vec<_>>()});
    if own.whole {
        set(&mut scoring, "score_method", json!("all_or_nothing"));
    }
    let places = places.unwrap_or(spots.len()).clamp(1, spots.len().max(1));
    Parts { properties: json!({"hotspots_count": places}), ..Parts::new("hot-spot", "HotSpot", interaction, scoring) }
}

fn spot(own: &Spot) -> Value {
    let points: Vec<_> = own.points.iter().map(|(x, y)| json!({"x": x, "y": y})).collect();
    json!({"type": own.shape.name(), "coordinates": points})
}
