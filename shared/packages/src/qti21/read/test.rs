//! A test: which items it has, in which groups, and what each is worth.

use super::attribute;
use super::body;
use crate::model::{Report, Settings};
use crate::points;
use crate::xml::Element;

/// A quiz whose questions are in other files.
#[derive(Debug, Default)]
pub(crate) struct Test {
    pub(crate) id: String,
    pub(crate) title: String,
    /// HTML.
    pub(crate) description: String,
    pub(crate) settings: Settings,
    pub(crate) placed: Vec<TestEntry>,
}

/// An entry of it.
#[derive(Debug)]
pub(crate) enum TestEntry {
    Item(ItemRef),
    Group { id: String, title: String, pick_count: Option<u32>, items: Vec<ItemRef> },
}

#[derive(Debug)]
pub(crate) struct ItemRef {
    /// As it is written.
    pub(crate) href: String,
    pub(crate) points: Option<f64>,
}

/// The test as such. What no quiz has is noted.
pub(crate) fn test(root: &Element, report: &mut Report) -> Test {
    let mut test = Test { id: attribute(root, "identifier"), title: attribute(root, "title"), ..Test::default() };
    // Whole minutes are all that a quiz can say.
    test.settings.time_limit = time_limit(root)
        .filter(|seconds| *seconds >= 1.0)
        .and_then(|seconds| format!("{:.0}", (seconds / 60.0).ceil()).parse().ok());
    test.settings.shuffle_questions = is_shuffled(root).then_some(true);
    see_results(root, &mut test.settings);
    tell_unknown(root, &test.title, report);
    let linear = root.all("testPart").any(|part| part.attribute("navigationMode") == Some("linear"));
    test.settings.cant_go_back = linear.then_some(true);
    test.settings.one_question_at_a_time = linear.then_some(true);
    for section in root.all("testPart").flat_map(|part| part.all("assessmentSection")) {
        let rubrics = section.all("rubricBlock").filter(|rubric| is_for_students(rubric));
        test.description.push_str(&rubrics.map(body::content).collect::<Vec<_>>().join(""));
        place(section, &mut test.placed, report);
    }
    test
}

/// The time limit of the whole test in seconds: its own, or that of its only part or section.
fn time_limit(root: &Element) -> Option<f64> {
    let limit = |own: &Element| own.first("timeLimits")?.attribute("maxTime")?.parse::<f64>().ok();
    let part = only(root, "testPart");
    limit(root).or_else(|| limit(part?)).or_else(|| limit(only(part?, "assessmentSection")?))
}

/// The only element of that name, if there is no other.
fn only<'a>(own: &'a Element, name: &'a str) -> Option<&'a Element> {
    let mut all = own.all(name);
    all.next().filter(|_| all.next().is_none())
}

/// True if the only section that holds everything is shuffled.
fn is_shuffled(root: &Element) -> bool {
    let section = only(root, "testPart").and_then(|part| only(part, "assessmentSection"));
    section.is_some_and(|own| own.first("selection").is_none() && has_shuffle(own))
}

fn has_shuffle(section: &Element) -> bool {
    section.first("ordering").and_then(|own| own.attribute("shuffle")) == Some("true")
}

/// What students see afterwards, if the only part says it.
fn see_results(root: &Element, settings: &mut Settings) {
    let control = only(root, "testPart").and_then(|part| part.first("itemSessionControl"));
    let said = |name: &str| control.and_then(|own| own.attribute(name)).map(|value| value == "true");
    settings.show_correct_answers = said("showSolution");
    if said("allowReview") == Some(false) {
        settings.hide_results = Some("always".to_owned());
    }
}

fn tell_unknown(root: &Element, title: &str, report: &mut Report) {
    let has = |names: &[&str]| root.descendants().any(|own| names.contains(&own.name.as_str()));
    if has(&["preCondition", "branchRule"]) {
        report.note(title, "the rules by which questions are left out or passed over are not imported: all are asked");
    }
    if root.find("selection").any(|own| own.attribute("withReplacement") == Some("true")) {
        report.note(title, "a question is drawn once: that it may be drawn again is not imported");
    }
    let limits = root.find("timeLimits").filter(|own| own.attribute("maxTime").is_some()).count();
    if limits > usize::from(time_limit(root).is_some()) {
        report.note(title, "time limits of parts, sections and questions are not imported: the whole quiz has one");
    }
    let is_part = |own: &&Element| own.first("selection").is_none() && has_shuffle(own);
    if root.find("assessmentSection").filter(is_part).count() > usize::from(is_shuffled(root)) {
        report.note(title, "a section stays in its order: only a whole quiz is shuffled, or a section drawn from");
    }
}

fn is_for_students(rubric: &Element) -> bool {
    rubric.attribute("view").is_none_or(|view| view.split_whitespace().any(|who| who == "candidate"))
}

/// A section of which only some items are picked is a group; another one only holds items.
fn place(section: &Element, placed: &mut Vec<TestEntry>, report: &mut Report) {
    let pick_count = section.first("selection").and_then(|own| own.attribute("select")?.parse().ok());
    if pick_count.is_some() {
        let mut items = Vec::new();
        section.find("assessmentItemRef").for_each(|own| items.push(item_ref(own, report)));
        placed.push(TestEntry::Group {
            id: attribute(section, "identifier"),
            title: attribute(section, "title"),
            pick_count,
            items,
        });
        return;
    }
    for element in section.elements() {
        match element.name.as_str() {
            "assessmentItemRef" => placed.push(TestEntry::Item(item_ref(element, report))),
            "assessmentSection" => place(element, placed, report),
            _ => {}
        }
    }
}

fn item_ref(own: &Element, report: &mut Report) -> ItemRef {
    let href = attribute(own, "href");
    let weights: Vec<_> = own.all("weight").filter_map(|weight| weight.attribute("value")).collect();
    let points = weights.iter().find_map(|text| points::read(text));
    if points.is_none() {
        points::tell(weights, "it is worth 1", &href, report);
    }
    ItemRef { href, points }
}
