//! Spots in an image.

use std::collections::BTreeSet;

use super::attribute;
use super::item::Item;
use crate::model::{HotSpot, Shape, Spot};
use crate::xml::Element;

/// The spots that are worth something, or else those that are right.
pub(super) fn hot_spot(item: &Item<'_>, own: &Element) -> Option<HotSpot> {
    let response = item.response(own)?;
    let object = own.first("object")?;
    let size = Size::of(object);
    let worthy: Vec<_> = response.element.find("areaMapEntry").filter(|area| is_worth_something(area)).collect();
    let (areas, whole) = match worthy.is_empty() {
        false => (worthy, is_mapped_as_a_whole(item)),
        true => {
            let right: BTreeSet<_> = response.right().into_iter().collect();
            let choices = own.find("hotspotChoice");
            let choices = choices.filter(|own| own.attribute("identifier").is_some_and(|id| right.contains(id)));
            (choices.collect(), response.mapping.is_empty())
        }
    };
    let spots: Vec<_> = areas.into_iter().map(|area| size.spot(area)).collect::<Option<_>>()?;
    let most = own.attribute("maxChoices").and_then(|most| most.parse().ok()).unwrap_or(1);
    let places = match (spots.len(), most) {
        (0, _) => return None,
        (1, _) => None,
        // As many as one likes.
        (count, 0) => Some(count),
        (count, most) => Some(count.min(most)),
    };
    Some(HotSpot { image: attribute(object, "data"), spots, places, whole })
}

fn is_worth_something(area: &Element) -> bool {
    area.attribute("mappedValue").and_then(|worth| worth.parse::<f64>().ok()).is_none_or(|worth| worth > 0.0)
}

/// True if the processing compares what the areas are worth together.
fn is_mapped_as_a_whole(item: &Item<'_>) -> bool {
    item.element.find("gte").any(|own| own.first("mapResponsePoint").is_some())
}

/// The width and the height of an image in pixels, as far as they are known.
struct Size {
    width: Option<f64>,
    height: Option<f64>,
}

impl Size {
    fn of(image: &Element) -> Self {
        let side = |name: &str| image.attribute(name)?.parse::<f64>().ok().filter(|side| *side > 0.0);
        Self { width: side("width"), height: side("height") }
    }

    fn spot(&self, area: &Element) -> Option<Spot> {
        let shape = match area.attribute("shape")? {
            "rect" => Shape::Square,
            "poly" => Shape::Polygon,
            "circle" | "ellipse" => Shape::Oval,
            _ => return None,
        };
        let coordinates = attribute(area, "coords");
        let mut texts: Vec<&str> = coordinates.split(',').map(str::trim).collect();
        // A circle has one radius, which is as wide as it is high.
        if let (Some("circle"), [_, _, radius]) = (area.attribute("shape"), texts.as_slice()) {
            let radius = *radius;
            texts.push(radius);
        }
        let (pairs, rest) = texts.as_chunks::<2>();
        let points = pairs.iter().map(|[x, y]| Some((fraction(x, self.width)?, fraction(y, self.height)?)));
        let mut points: Vec<(f64, f64)> = points.collect::<Option<_>>()?;
        if let (Shape::Oval, Some((width, height))) = (shape, points.get_mut(1)) {
            (*width, *height) = (*width * 2.0, *height * 2.0);
        }
        let enough = if shape == Shape::Polygon { points.len() >= 3 } else { points.len() == 2 };
        let inside = points.iter().all(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y));
        let is_whole = enough && inside && rest.is_empty();
        is_whole.then(|| Spot { id: area.attribute("identifier").unwrap_or_default().to_owned(), shape, points })
    }
}

/// Pixels are parts of the image if its size is known; percents always are.
fn fraction(text: &str, side: Option<f64>) -> Option<f64> {
    match text.strip_suffix('%') {
        // The digits stay those that were written: a quotient would have others.
        Some(percent) if percent.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => {
            format!("{percent}e-2").parse().ok()
        }
        Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
        None => Some(text.parse::<f64>().ok()? / side?),
    }
}
