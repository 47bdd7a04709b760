//! Spots in an image.

use super::item::{Body, part, score};
use super::{Cx, field, material};
use crate::ident;
use crate::links::Link;
use crate::model::{HotSpot, Question, Spot};
use crate::xml::Element;

const RESPONSE: &str = "response1";

pub(super) fn hot_spot(own: &HotSpot, question: &Question, cx: &mut Cx<'_>) -> Body {
    tell(own, question, cx);
    let image = (cx.links)(&own.image).map_or_else(|| own.image.clone(), Link::based);
    let image = Element::new("material").child(Element::new("matimage").with("uri", image));
    let places = own.places.map(|places| places.to_string());
    let areas = Element::new("render_hotspot").with_some("maxnumber", places.clone()).child(image);
    let cardinality = if own.places.is_some_and(|places| places > 1) { "Multiple" } else { "Single" };
    let response = Element::new("response_xy")
        .with("ident", RESPONSE)
        .with("rcardinality", cardinality)
        .with("rtiming", "No")
        .child(material(&cx.html(&question.body)))
        .child(areas.children(own.spots.iter().map(|spot| label(spot, own.places.is_some()))));
    // The reference system writes one spot, and so has no names for these.
    let fields = [("hotspots_count", places), ("score_method", own.whole.then(|| "all_or_nothing".to_owned()))];
    Body {
        kind: "hot_spot_question",
        fields: fields.into_iter().filter_map(|(name, value)| Some(field(name, value?))).collect(),
        presentation: vec![Element::new("flow").child(response)],
        scoring: scoring(own),
        ..Body::default()
    }
}

/// Tells what other systems do not read.
fn tell(own: &HotSpot, question: &Question, cx: &mut Cx<'_>) {
    let is_choice = own.places.is_some_and(|places| (2..own.spots.len()).contains(&places));
    if is_choice && own.whole {
        let message = "QTI 1.2 cannot say that some of several spots earn all points or none: in other systems each place has its share";
        cx.report.note(question.title.as_str(), message);
    }
}

/// One that stands alone has a name that the reference system gives it.
fn label(spot: &Spot, is_in_list: bool) -> Element {
    let id = if is_in_list { ident::of(&spot.id) } else { RESPONSE.to_owned() };
    Element::new("response_label").with("ident", id).with("rarea", spot.shape.name()).text(area(spot))
}

fn area(spot: &Spot) -> String {
    spot.points.iter().flat_map(|(x, y)| [x.to_string(), y.to_string()]).collect::<Vec<_>>().join(",")
}

/// One place is right in any spot; of several each has its share, or all are right together.
fn scoring(own: &HotSpot) -> Vec<Element> {
    let inside = |spot: &Spot| {
        Element::new("varinside").with("respident", RESPONSE).with("areatype", spot.shape.name()).text(area(spot))
    };
    let right = |conditions: Vec<Element>| {
        Element::new("respcondition")
            .with("continue", "No")
            .child(Element::new("conditionvar").children(conditions))
            .child(score("Set", "100"))
    };
    match own.places.unwrap_or(1) {
        1 => own.spots.iter().map(|spot| right(vec![inside(spot)])).collect(),
        places if own.whole && places == own.spots.len() => vec![right(own.spots.iter().map(inside).collect())],
        places => own.spots.iter().map(|spot| part([inside(spot)], places)).collect(),
    }
}
