//! Spots in an image.

use super::attribute;
use super::item::Item;
use crate::model::{HotSpot, Shape};
use crate::xml::Element;

/// The spot that is worth most, or the one that is right.
pub(super) fn hot_spot(item: &Item<'_>, own: &Element) -> Option<HotSpot> {
    let response = item.response(own)?;
    let right: std::collections::BTreeSet<_> = response.right().into_iter().collect();
    let area = response.element.find("areaMapEntry").next();
    let choice = own.find("hotspotChoice").find(|own| own.attribute("identifier").is_some_and(|id| right.contains(id)));
    let area = area.or(choice)?;
    let object = own.first("object")?;
    let side = |name: &str| object.attribute(name).and_then(|side| side.parse::<f64>().ok()).filter(|side| *side > 0.0);
    let (width, height) = (side("width"), side("height"));
    let shape = match area.attribute("shape")? {
        "rect" => Shape::Square,
        "poly" => Shape::Polygon,
        "circle" | "ellipse" => Shape::Oval,
        _ => return None,
    };
    let coordinates = attribute(area, "coords");
    // Pixels are parts of the image if its size is known; percents always are.
    let fraction = |text: &str, side: Option<f64>| match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
        None => Some(text.parse::<f64>().ok()? / side?),
    };
    let mut texts: Vec<&str> = coordinates.split(',').map(str::trim).collect();
    // A circle has one radius, which is as wide as it is high.
    if let (Some("circle"), [_, _, radius]) = (area.attribute("shape"), texts.as_slice()) {
        let radius = *radius;
        texts.push(radius);
    }
    let (pairs, rest) = texts.as_chunks::<2>();
    let points = pairs.iter().map(|[x, y]| Some((fraction(x, width)?, fraction(y, height)?)));
    let mut points: Vec<(f64, f64)> = points.collect::<Option<_>>()?;
    if let (Shape::Oval, Some((width, height))) = (shape, points.get_mut(1)) {
        (*width, *height) = (*width * 2.0, *height * 2.0);
    }
    let enough = if shape == Shape::Polygon { points.len() >= 3 } else { points.len() == 2 };
    let inside = points.iter().all(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y));
    (enough && inside && rest.is_empty()).then(|| HotSpot { image: attribute(object, "data"), shape, points })
}
