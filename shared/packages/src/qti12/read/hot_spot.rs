//! Spots in an image.

use std::collections::BTreeSet;

use super::item::Item;
use super::{attribute, metadata};
use crate::model::{HotSpot, Shape, Spot};
use crate::xml::Element;

/// The spots that give points; the first one, where none is said to.
pub(super) fn read(item: &Item<'_>) -> Option<HotSpot> {
    let response = item.presentation.find("response_xy").next()?;
    let image = attribute(response.find("matimage").next()?, "uri");
    let labels: Vec<_> = response.find("response_label").collect();
    let ident = attribute(response, "ident");
    let named: BTreeSet<_> = item.conditions.right(&ident).iter().map(String::as_str).collect();
    let areas = areas_with_points(item);
    let is_right = |label: &&Element| {
        areas.contains(&numbers(label)) || label.attribute("ident").is_some_and(|id| named.contains(id))
    };
    let mut right: Vec<_> = labels.iter().copied().filter(|label| is_right(label)).collect();
    if right.is_empty() {
        right.extend(labels.first());
    }
    let places = places(item, response, right.len());
    let spots = right.into_iter().map(|label| spot(label, places.is_some())).collect::<Option<Vec<_>>>()?;
    let whole = places.is_some() && metadata(item.element, "score_method").as_deref() == Some("all_or_nothing");
    (!spots.is_empty()).then_some(HotSpot { image, spots, places, whole })
}

/// The number of places of a list of spots: as exports of ours have it, or as others say how many there may be.
fn places(item: &Item<'_>, response: &Element, spots: usize) -> Option<usize> {
    let own = metadata(item.element, "hotspots_count").and_then(|count| count.parse::<usize>().ok());
    let most = response.find("render_hotspot").find_map(|own| own.attribute("maxnumber")?.parse::<usize>().ok());
    let is_single = response.attribute("rcardinality").is_none_or(|kind| kind.eq_ignore_ascii_case("single"));
    let of_several = || most.unwrap_or(if is_single { 1 } else { spots });
    let places = own.or_else(|| (spots > 1).then(of_several))?;
    Some(places.clamp(1, spots.max(1)))
}

/// The areas in which a place gives points.
fn areas_with_points(item: &Item<'_>) -> Vec<Vec<f64>> {
    let gives = |condition: &&Element| {
        condition.find("setvar").any(|own| own.content().parse::<f64>().is_ok_and(|points| points > 0.0))
    };
    let conditions = item.element.find("respcondition").filter(gives);
    conditions.flat_map(|own| own.find("varinside")).map(numbers).collect()
}

fn numbers(area: &Element) -> Vec<f64> {
    let text = area.content();
    text.split([',', ' ']).filter(|text| !text.is_empty()).map(|text| text.parse().unwrap_or(f64::NAN)).collect()
}

fn spot(label: &Element, is_in_list: bool) -> Option<Spot> {
    let shape = match label.attribute("rarea")?.to_lowercase().as_str() {
        "ellipse" | "oval" => Shape::Oval,
        "rectangle" | "square" => Shape::Square,
        "bounded" | "polygon" => Shape::Polygon,
        _ => return None,
    };
    let numbers = numbers(label);
    // Fractions of the image: what is in points cannot be known.
    let (pairs, rest) = numbers.as_chunks::<2>();
    let is_fraction = numbers.iter().all(|number| (0.0..=1.0).contains(number));
    let enough = if shape == Shape::Polygon { pairs.len() >= 3 } else { pairs.len() == 2 };
    let id = if is_in_list { attribute(label, "ident") } else { String::new() };
    let is_whole = is_fraction && enough && rest.is_empty();
    is_whole.then(|| Spot { id, shape, points: pairs.iter().map(|[x, y]| (*x, *y)).collect() })
}
