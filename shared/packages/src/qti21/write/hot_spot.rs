//! Spots in an image.

use super::item::Body;
use super::processing::Scoring;
use super::{Cx, RESPONSE, declaration};
use crate::links;
use crate::model::{HotSpot, Shape};
use crate::xml::Element;

/// The areas are in percent of the image, whose size nobody knows here.
pub(super) fn hot_spot(own: &HotSpot, cx: &Cx<'_>) -> Body {
    let image = (cx.links)(&own.image).map_or_else(|| own.image.clone(), |file| links::relative(&file));
    let object = Element::new("object").with("type", media_type(&image)).with("data", image);
    let area = Element::new("areaMapEntry")
        .with("shape", shape(own.shape))
        .with("coords", coordinates(own))
        .with("mappedValue", "1");
    let mapping = Element::new("areaMapping").with("defaultValue", "0").child(area);
    let response = declaration("responseDeclaration", RESPONSE, "single", "point").child(mapping);
    let interaction = Element::new("selectPointInteraction")
        .with("responseIdentifier", RESPONSE)
        .with("maxChoices", "1")
        .child(object);
    Body::new(response, interaction, Scoring::MapPoint)
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::Oval => "ellipse",
        Shape::Square => "rect",
        Shape::Polygon => "poly",
    }
}

fn coordinates(own: &HotSpot) -> String {
    let mut points = own.points.clone();
    // An ellipse has half the width and half the height.
    if let (Shape::Oval, Some((width, height))) = (own.shape, points.get_mut(1)) {
        (*width, *height) = (*width / 2.0, *height / 2.0);
    }
    let percent = |part: f64| format!("{}%", (part * 1e8).round() / 1e6);
    points.into_iter().flat_map(|(x, y)| [percent(x), percent(y)]).collect::<Vec<_>>().join(",")
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
