//! An item as a question: its type from its metadata, or else from its form.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::Conditions;
use super::{attribute, blanks, hot_spot, materials, metadata, numbers, pairs};
use crate::model::{
    Choice, Choices, Entry, Essay, FileUpload, Interaction, Question, Report, Stimulus, Text, TextRule, Typed,
};
use crate::points;
use crate::xml::Element;

/// The most elements of an item: what it becomes is read as a whole.
const MAX_ELEMENTS: usize = 10_000;

/// An item with its parts at hand.
pub(super) struct Item<'a> {
    pub(super) element: &'a Element,
    pub(super) presentation: &'a Element,
    pub(super) conditions: Conditions<'a>,
}

impl<'a> Item<'a> {
    /// The responses of a kind, in their order.
    pub(super) fn responses(&self, name: &'a str) -> Vec<&'a Element> {
        self.presentation.find(name).collect()
    }

    fn body(&self) -> String {
        let text = materials(self.presentation).html().into_owned();
        match self.presentation.find("response_xy").next() {
            // The text of a hot spot stands inside of it.
            Some(spot) if text.is_empty() => materials(spot).html().into_owned(),
            _ => text,
        }
    }
}

/// The entry that an item is; `None`, and a note, if it cannot be one.
pub(super) fn read(element: &Element, report: &mut Report) -> Option<Entry> {
    let title = attribute(element, "title");
    let about = if title.is_empty() { attribute(element, "ident") } else { title.clone() };
    if element.descendants().nth(MAX_ELEMENTS).is_some() {
        report.note(about, format!("this question is too large (maximum is {MAX_ELEMENTS} elements)"));
        return None;
    }
    let empty = Element::default();
    let presentation = element.first("presentation").unwrap_or(&empty);
    let item = Item { element, presentation, conditions: Conditions::of(element) };
    let kind = kind(&item);
    if kind == "text_only_question" && is_stimulus(&item) {
        return Some(Entry::Stimulus(stimulus(&item)));
    }
    let Some((interaction, body)) = interaction(&item, &kind, &about, report) else {
        report.note(about, format!("a question of the type \u{201c}{kind}\u{201d} cannot be imported"));
        return None;
    };
    Some(Entry::Question(Question {
        id: attribute(element, "ident"),
        title,
        body: body.unwrap_or_else(|| item.body()),
        points: points(element, &about, report),
        feedback: item.conditions.general(),
        calculator: metadata(element, "calculator_type").filter(|calculator| calculator != "none"),
        stimulus: metadata(element, "parent_stimulus_item_ident"),
        interaction,
    }))
}

/// The points that an item is worth: 1 where it says none, or none that are a number, which is told.
fn points(item: &Element, about: &str, report: &mut Report) -> f64 {
    let named = ["points_possible", "cc_weighting", "qmd_weighting", "qmd_maximumscore"];
    let named: Vec<_> = named.into_iter().filter_map(|label| metadata(item, label)).collect();
    if let Some(points) = named.iter().find_map(|text| points::read(text)) {
        return points;
    }
    let declared = item.find("decvar").next().and_then(|own| own.attribute("maxvalue"));
    // Most systems score in percent.
    let most = declared.and_then(points::read).filter(|most| *most > 0.0 && (*most - 100.0).abs() > f64::EPSILON);
    let worth = most.unwrap_or(1.0);
    let said = named.iter().map(String::as_str).chain(declared);
    points::tell(said, &format!("it is worth {worth}"), about, report);
    worth
}

/// The type as the reference exporter names it.
fn kind(item: &Item<'_>) -> String {
    let named = metadata(item.element, "question_type").or_else(|| metadata(item.element, "qmd_itemtype"));
    let profile = metadata(item.element, "cc_profile");
    let profiled = profile.as_deref().map(|profile| match profile.split(".v0").next().unwrap_or_default() {
        "cc.multiple_choice" => "multiple_choice_question",
        "cc.multiple_response" => "multiple_answers_question",
        "cc.true_false" => "true_false_question",
        "cc.fib" | "cc.pattern_match" => "short_answer_question",
        "cc.essay" => "essay_question",
        _ => "",
    });
    match (named.filter(|kind| kind.ends_with("_question")), profiled.filter(|kind| !kind.is_empty())) {
        (Some(kind), _) => kind,
        (None, Some(kind)) => kind.to_owned(),
        (None, None) => guessed(item).to_owned(),
    }
}

/// The type that the form of an item tells.
fn guessed(item: &Item<'_>) -> &'static str {
    let lids = item.responses("response_lid");
    let written = item.responses("response_str").len() + item.responses("response_num").len();
    let cardinality = lids.first().and_then(|own| own.attribute("rcardinality")).unwrap_or("Single");
    let is_number = item.presentation.find("render_fib").any(|own| {
        own.attribute("fibtype")
            .is_some_and(|kind| ["decimal", "integer", "scientific"].contains(&kind.to_lowercase().as_str()))
    });
    match (lids.len(), cardinality.to_lowercase().as_str()) {
        _ if item.presentation.find("response_xy").next().is_some() => "hot_spot_question",
        _ if item.element.find("calculated").next().is_some() => "calculated_question",
        (0, _) if written == 0 => "text_only_question",
        (0, _) if is_number || !item.responses("response_num").is_empty() => "numerical_question",
        (0, _) if item.conditions.scoring().all(|own| own.given.is_empty() && own.contained.is_empty()) => {
            "essay_question"
        }
        (0, _) if written > 1 => "fill_in_multiple_blanks_question",
        (0, _) => "short_answer_question",
        (_, "ordered") => "ordering_question",
        (1, "multiple") => "multiple_answers_question",
        (1, _) => "multiple_choice_question",
        (_, "multiple") => "categorization_question",
        (_, _) => "matching_question",
    }
}

type Interactive = (Interaction, Option<String>);

/// The interaction; with the body, where the type changes it.
fn interaction(item: &Item<'_>, kind: &str, about: &str, report: &mut Report) -> Option<Interactive> {
    let interaction = match kind {
        "multiple_choice_question" => Interaction::Choice(choices(item)?),
        "missing_word_question" => Interaction::Choice(choices(item)?),
        "multiple_answers_question" => Interaction::MultipleAnswers(choices(item)?),
        "true_false_question" => {
            let mut choices = choices(item)?;
            let is_false =
                |choice: &Choice| choice.text.plain().trim().eq_ignore_ascii_case("false") || choice.id == "false";
            if choices.options.first().is_some_and(is_false) {
                choices.options.reverse();
            }
            Interaction::TrueFalse(choices)
        }
        "short_answer_question" => Interaction::ShortAnswer(short_answer(item)),
        "fill_in_multiple_blanks_question" | "multiple_dropdowns_question" => {
            let (mut blanks, body) = blanks::read(item, kind);
            blanks.in_pieces = metadata(item.element, "interaction_type").as_deref() == Some("fill-blank");
            return Some((Interaction::Blanks(blanks), body));
        }
        "matching_question" => Interaction::Matching(pairs::matching(item)),
        "categorization_question" => Interaction::Categorization(pairs::categorization(item)),
        "ordering_question" => Interaction::Ordering(pairs::ordering(item)?),
        "numerical_question" => Interaction::Numeric(numbers::numeric(item, about, report)),
        "calculated_question" => Interaction::Formula(numbers::formula(item)?),
        "essay_question" => Interaction::Essay(essay(item)),
        "file_upload_question" => Interaction::FileUpload(file_upload(item)),
        "hot_spot_question" => Interaction::HotSpot(hot_spot::read(item)?),
        "text_only_question" => Interaction::TextOnly,
        _ => {
            let guessed = guessed(item);
            report.note(about, format!("the type \u{201c}{kind}\u{201d} is unknown: it is read as {guessed}"));
            return interaction(item, guessed, about, report);
        }
    };
    Some((interaction, None))
}

/// The options below an element, in their order.
pub(super) fn labels(response: &Element) -> Vec<Choice> {
    let label = |label: &Element| Choice { id: attribute(label, "ident"), text: materials(label), ..Choice::default() };
    response.outermost("response_label").map(label).collect()
}

fn choices(item: &Item<'_>) -> Option<Choices> {
    let response = item.responses("response_lid").into_iter().next()?;
    let ident = attribute(response, "ident");
    let right: BTreeSet<_> = item.conditions.right(&ident).iter().collect();
    let points = varying_points(item);
    let mut options = labels(response);
    for option in &mut options {
        option.right = right.contains(&option.id);
        option.feedback = item.conditions.feedback_of(&ident, &option.id);
        option.points = points.as_ref().map(|points| points.get(&option.id).copied().unwrap_or_default());
    }
    if points.is_some() {
        let most = options.iter().filter_map(|option| option.points).fold(0.0, f64::max);
        options.iter_mut().for_each(|option| option.right = option.points == Some(most));
    }
    let locked =
        response.outermost("response_label").zip(0..).filter(|(label, _)| label.attribute("rshuffle") == Some("No"));
    let locked: Vec<i64> = locked.map(|(_, place)| place).collect();
    let render = response.find("render_choice").next();
    let shuffled = render.and_then(|own| own.attribute("shuffle")) == Some("Yes");
    Some(Choices {
        shuffled,
        locked: if shuffled { locked } else { Vec::new() },
        partial: metadata(item.element, "scoring_algorithm").as_deref() == Some("PartialScore"),
        options,
    })
}

/// The points of each option, if they are worth different things.
fn varying_points(item: &Item<'_>) -> Option<BTreeMap<String, f64>> {
    let scoring: Vec<_> = item.conditions.scoring().collect();
    let worth = scoring.iter().map(|condition| match (condition.given.as_slice(), condition.adds) {
        ([(_, id)], false) => Some((id.clone(), condition.score?)),
        _ => None,
    });
    let worth: Vec<_> = worth.collect::<Option<_>>()?;
    let (_, first) = worth.first()?;
    let varies = worth.iter().any(|(_, points)| (points - first).abs() > f64::EPSILON);
    // Of several, the first counts.
    varies.then(|| worth.into_iter().rev().collect())
}

fn short_answer(item: &Item<'_>) -> Typed {
    let mut typed = Typed::default();
    let mut known = BTreeSet::new();
    let mut add = |text: &str, feedback: String| {
        let id = (typed.accepted.len() + 1).to_string();
        if known.insert(text.to_owned()) {
            typed.accepted.push(Choice { id, text: Text::Plain(text.to_owned()), right: true, feedback, points: None });
        }
    };
    let mut contains = false;
    for condition in item.conditions.scoring() {
        for (response, text) in &condition.given {
            add(text, item.conditions.feedback_of(response, text));
        }
        for text in &condition.contained {
            contains = true;
            add(text, String::new());
        }
    }
    if contains {
        typed.rule = TextRule::Contains;
    }
    typed
}

fn essay(item: &Item<'_>) -> Essay {
    let response = item.responses("response_str").into_iter().next();
    // Other systems write attributes.
    let attribute = |name: &str| response.and_then(|own| own.attribute(name)).map(str::to_owned);
    let option = |name: &str| metadata(item.element, name).or_else(|| attribute(name));
    let flag = |name: &str| option(name).map(|value| value.eq_ignore_ascii_case("yes"));
    Essay {
        rich: flag("rce"),
        word_count: flag("word_count"),
        spell_check: flag("spell_check"),
        word_limit: flag("word_limit_enabled"),
        fewest_words: option("word_limit_min"),
        most_words: option("word_limit_max"),
        notes: metadata(item.element, "grading_notes").unwrap_or_default(),
    }
}

fn file_upload(item: &Item<'_>) -> FileUpload {
    let types = item.presentation.attribute("allowed_types").unwrap_or_default();
    FileUpload {
        count: item.presentation.attribute("files_count").and_then(|count| count.parse().ok()),
        types: types.split(',').map(str::trim).filter(|suffix| !suffix.is_empty()).map(str::to_owned).collect(),
    }
}

/// A text beside questions says where it stands; one of a classic quiz does not.
fn is_stimulus(item: &Item<'_>) -> bool {
    let material = item.presentation.first("material");
    item.element.attribute("instructions").is_some()
        || material.is_some_and(|own| own.attribute("orientation").is_some())
}

fn stimulus(item: &Item<'_>) -> Stimulus {
    let material = item.presentation.first("material");
    let orientation = material.and_then(|own| own.attribute("orientation")).unwrap_or("left");
    Stimulus {
        id: attribute(item.element, "ident"),
        title: attribute(item.element, "title"),
        body: item.body(),
        instructions: attribute(item.element, "instructions"),
        source_url: metadata(item.element, "source_url").unwrap_or_default(),
        orientation: orientation.to_owned(),
        passage: metadata(item.element, "passage").as_deref() == Some("true"),
    }
}
