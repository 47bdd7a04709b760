//! Answers that are typed, and blanks in a sentence.

use std::collections::{BTreeMap, BTreeSet};

use super::attribute;
use super::body::text;
use super::declarations::Response;
use super::item::{Item, options};
use crate::model::{Blank, BlankAnswer, Blanks, Choice, Choices, Interaction, Text, TextRule, Typed};
use crate::xml::Element;

/// True if an interaction stands in a line of text.
pub(super) fn is_inline(own: &Element) -> bool {
    ["textEntryInteraction", "inlineChoiceInteraction"].contains(&own.name.as_str())
}

/// Stands for the blank while the text around it is looked at.
const MARK: &str = "\u{e000}";

/// The text with a line in the place of its only blank; without it, where it stands in no sentence.
pub(super) fn emptied(item: &Item<'_>) -> String {
    let mut html = text(item.element, &|own| is_inline(own).then(|| MARK.to_owned()));
    while let Some(without) = without_alone(&html) {
        html = without;
    }
    let is_alone = html.ends_with(MARK) && html.trim_end_matches(MARK).trim_end().ends_with('>');
    html.replace(MARK, if is_alone { "" } else { " _____ " }).trim().to_owned()
}

/// The text without the element in which the blank stands alone; `None` if there is none.
fn without_alone(html: &str) -> Option<String> {
    let (before, after) = html.split_once(MARK)?;
    let (before, after) = (before.trim_end(), after.trim_start());
    if after.is_empty() && !before.ends_with('>') {
        return None;
    }
    let (outside, tag) = before.rsplit_once('<')?;
    let name = tag.strip_suffix('>')?.split_whitespace().next()?;
    let rest = after.strip_prefix(&format!("</{name}>"))?;
    Some([outside, MARK, rest].concat()).filter(|_| !name.starts_with('/'))
}

/// The texts that are accepted where one is typed.
pub(super) fn typed(item: &Item<'_>, response: &Response<'_>) -> Typed {
    let (rule, mut texts) = rule(item, response);
    if texts.is_empty() {
        texts = response.accepted();
    }
    let accepted = (1..).zip(texts).map(|(id, text): (i64, _)| Choice {
        id: id.to_string(),
        feedback: item.feedback_of(&format!("{}-{id}", response.id)),
        text: Text::Plain(text),
        right: true,
        ..Choice::default()
    });
    Typed { accepted: accepted.collect(), rule, shown: None }
}

/// With what the processing compares the texts of responses, by the identifiers of these.
pub(super) struct Rules {
    contained: BTreeMap<String, Vec<Option<String>>>,
    patterns: BTreeMap<String, Vec<Option<String>>>,
}

impl Rules {
    pub(super) fn of(item: &Element) -> Self {
        let contained = compared(item, "substring", |own| own.content_at(&["baseValue"]));
        Self { contained, patterns: compared(item, "patternMatch", |own| Some(attribute(own, "pattern"))) }
    }
}

/// The values that comparisons of a kind compare with, by the responses that they are about.
fn compared(
    item: &Element,
    kind: &str,
    text: impl Fn(&Element) -> Option<String>,
) -> BTreeMap<String, Vec<Option<String>>> {
    let mut compared: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    for test in item.first("responseProcessing").into_iter().flat_map(|own| own.outermost(kind)) {
        let about: BTreeSet<_> = test.find("variable").filter_map(|own| own.attribute("identifier")).collect();
        // A comparison is about one response.
        if let Some(id) = about.first() {
            compared.entry((*id).to_owned()).or_default().push(text(test));
        }
    }
    compared
}

/// The comparison of a text by the processing, with the texts that it compares it with.
fn rule(item: &Item<'_>, response: &Response<'_>) -> (TextRule, Vec<String>) {
    let texts = |own: &[Option<String>]| own.iter().flatten().cloned().collect();
    match (item.rules.contained.get(&response.id), item.rules.patterns.get(&response.id)) {
        (Some(contained), _) => (TextRule::Contains, texts(contained)),
        (None, Some(patterns)) => (TextRule::Regex, texts(patterns)),
        (None, None) => (TextRule::Same, Vec::new()),
    }
}

/// Several blanks, or one that has a name.
pub(super) fn blanks(item: &Item<'_>) -> (Interaction, String) {
    let mut own = Blanks::default();
    for interaction in &item.interactions {
        let Some(response) = item.response(interaction) else { continue };
        let answer = match interaction.name.as_str() {
            "inlineChoiceInteraction" => {
                let right: BTreeSet<_> = response.right().into_iter().collect();
                let mut options = options(interaction, "inlineChoice");
                for option in &mut options {
                    option.right = right.contains(&option.id);
                    option.feedback = item.feedback_of(&format!("{}-{}", response.id, option.id));
                }
                let shuffled = interaction.attribute("shuffle") == Some("true");
                BlankAnswer::Dropdown(Choices { options, shuffled, ..Choices::default() })
            }
            _ => BlankAnswer::Typed(typed(item, response)),
        };
        own.blanks.push(Blank { name: name(interaction), answer });
    }
    let body = text(item.element, &|own| is_inline(own).then(|| format!("[{}]", name(own))));
    (Interaction::Blanks(own), body)
}

fn name(interaction: &Element) -> String {
    let label = interaction.attribute("label").filter(|label| !label.trim().is_empty() && !label.contains(['[', ']']));
    label.map_or_else(|| attribute(interaction, "responseIdentifier"), str::to_owned)
}

/// Gaps that are filled from words.
pub(super) fn gaps(item: &Item<'_>, interaction: &Element) -> Option<(Interaction, String)> {
    let response = item.response(interaction)?;
    let right = response.right();
    let pairs = right.iter().rev().filter_map(|pair| pair.split_once(' '));
    let words: BTreeMap<_, _> = pairs.map(|(word, gap)| (gap, word)).collect();
    let word = |gap: &str| words.get(gap).map(|word| (*word).to_owned());
    let gaps = interaction.find("gap").map(|gap| attribute(gap, "identifier"));
    let blanks: Vec<_> =
        gaps.map(|gap| Blank { answer: BlankAnswer::Word(word(&gap).unwrap_or_default()), name: gap }).collect();
    let reuse_words = interaction.find("gapText").any(|own| own.attribute("matchMax") != Some("1"));
    let offered = options(interaction, "gapText");
    if offered.is_empty() || blanks.is_empty() {
        return None;
    }
    let body = text(item.element, &|own| (own.name == "gap").then(|| format!("[{}]", attribute(own, "identifier"))));
    Some((Interaction::Blanks(Blanks { blanks, words: offered, reuse_words, in_pieces: false }), body))
}
