//! Spots in an image.

use super::item::Body;
use super::processing::Scoring;
use super::{Cx, RESPONSE, declaration};
use crate::links::Link;
use crate::model::{HotSpot, Shape, Spot};
use crate::xml::Element;

/// The areas are in percent of the image, whose size nobody knows here.
pub(super) fn hot_spot(own: &HotSpot, cx: &Cx<'_>) -> Body {
    let image = (cx.links)(&own.image).map_or_else(|| own.image.clone(), Link::relative);
    let object = Element::new("object").with("type", media_type(&image)).with("data", image);
    let places = own.places.unwrap_or(1);
    // An area counts once, whatever the number of places in it.
    let share = 1.0 / f64::from(u32::try_from(places.max(1)).unwrap_or(u32::MAX));
    let area = |spot: &Spot| {
        Element::new("areaMapEntry")
            .with("shape", shape(spot.shape))
            .with("coords", coordinates(spot))
            .with("mappedValue", share.to_string())
    };
    let mapping = Element::new("areaMapping").with("defaultValue", "0").children(own.spots.iter().map(area));
    let cardinality = if places > 1 { "multiple" } else { "single" };
    let response = declaration("responseDeclaration", RESPONSE, cardinality, "point").child(mapping);
    let interaction = Element::new("selectPointInteraction")
        .with("responseIdentifier", RESPONSE)
        .with("maxChoices", places.to_string())
        .child(object);
    let scoring = if own.whole { Scoring::AllPoints } else { Scoring::MapPoint };
    Body::new(response, interaction, scoring)
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Oval => "ellipse",
        Shape::Square => "rect",
        Shape::Polygon => "poly",
    }
}

fn coordinates(spot: &Spot) -> String {
    let mut points = spot.points.clone();
    // An ellipse has half the width and half the height.
    if let (Shape::Oval, Some((width, height))) = (spot.shape, points.get_mut(1)) {
        (*width, *height) = (*width / 2.0, *height / 2.0);
    }
    points.into_iter().flat_map(|(x, y)| [percent(x), percent(y)]).collect::<Vec<_>>().join(",")
}

/// A part as a percentage, digit by digit: a product would have others.
fn percent(part: f64) -> String {
    let text = part.to_string();
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let digits = format!("{rest:0<2}");
    let (hundredths, rest) = digits.split_at_checked(2).unwrap_or((&digits, ""));
    let number = format!("{whole}{hundredths}");
    let number = match number.trim_start_matches('0') {
        "" => "0",
        number => number,
    };
    if rest.is_empty() { format!("{number}%") } else { format!("{number}.{rest}%") }
}

fn media_type(image: &str) -> &'static str {
    let path = image.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    match path.rsplit_once('.').map(|(_, suffix)| suffix) {
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("svg") => "image/svg+xml",
        Some("webp") => "image/webp",
        _ => "image/png",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_has_the_digits_of_its_part() {
        let parts = [0.0, 1.0, 0.5, 0.05, 0.125, 0.007, 0.000_000_1, 1.0 / 3.0];
        let texts = ["0%", "100%", "50%", "5%", "12.5%", "0.7%", "0.00001%", "33.33333333333333%"];
        assert_eq!(parts.map(percent), texts);
    }
}
