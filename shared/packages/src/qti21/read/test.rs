//! A test: which items it has, in which groups, and what each is worth.

use super::attribute;
use super::body;
use crate::model::Settings;
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

pub(crate) fn test(root: &Element) -> Test {
    let mut test = Test { id: attribute(root, "identifier"), title: attribute(root, "title"), ..Test::default() };
    let seconds = root.find("timeLimits").next().and_then(|own| own.attribute("maxTime")?.parse::<f64>().ok());
    // Whole minutes are all that a quiz can say.
    test.settings.time_limit = seconds
        .filter(|seconds| *seconds >= 1.0)
        .and_then(|seconds| format!("{:.0}", (seconds / 60.0).ceil()).parse().ok());
    let linear = root.all("testPart").any(|part| part.attribute("navigationMode") == Some("linear"));
    test.settings.cant_go_back = linear.then_some(true);
    test.settings.one_question_at_a_time = linear.then_some(true);
    for section in root.all("testPart").flat_map(|part| part.all("assessmentSection")) {
        let rubrics = section.all("rubricBlock").filter(|rubric| is_for_students(rubric));
        test.description.push_str(&rubrics.map(body::content).collect::<Vec<_>>().join(""));
        place(section, &mut test.placed);
    }
    test
}

fn is_for_students(rubric: &Element) -> bool {
    rubric.attribute("view").is_none_or(|view| view.split_whitespace().any(|who| who == "candidate"))
}

/// A section of which only some items are picked is a group; another one only holds items.
fn place(section: &Element, placed: &mut Vec<TestEntry>) {
    let pick_count = section.first("selection").and_then(|own| own.attribute("select")?.parse().ok());
    if pick_count.is_some() {
        let mut items = Vec::new();
        section.find("assessmentItemRef").for_each(|own| items.push(item_ref(own)));
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
            "assessmentItemRef" => placed.push(TestEntry::Item(item_ref(element))),
            "assessmentSection" => place(element, placed),
            _ => {}
        }
    }
}

fn item_ref(own: &Element) -> ItemRef {
    let weight = own.all("weight").find_map(|weight| weight.attribute("value")?.parse().ok());
    ItemRef { href: attribute(own, "href"), points: weight.filter(|points: &f64| points.is_finite() && *points >= 0.0) }
}
