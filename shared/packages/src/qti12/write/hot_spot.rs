//! Spots in an image.

use super::item::{Body, score};
use super::{Cx, material};
use crate::links;
use crate::model::{HotSpot, Question};
use crate::xml::Element;

pub(super) fn hot_spot(own: &HotSpot, question: &Question, cx: &Cx<'_>) -> Body {
    let image = (cx.links)(&own.image).map_or_else(|| own.image.clone(), |file| links::based(&file));
    let image = Element::new("material").child(Element::new("matimage").with("uri", image));
    let points: Vec<_> = own.points.iter().flat_map(|(x, y)| [x.to_string(), y.to_string()]).collect();
    let spot = Element::new("response_label").with("ident", "response1").with("rarea", own.shape.name());
    let response = Element::new("response_xy")
        .with("ident", "response1")
        .with("rcardinality", "Single")
        .with("rtiming", "No")
        .child(material(&cx.html(&question.body)))
        .child(Element::new("render_hotspot").child(image).child(spot.text(points.join(","))));
    let inside = Element::new("varinside")
        .with("respident", "response1")
        .with("areatype", own.shape.name())
        .text(points.join(","));
    let right = Element::new("respcondition")
        .with("continue", "No")
        .child(Element::new("conditionvar").child(inside))
        .child(score("Set", "100"));
    Body {
        kind: "hot_spot_question",
        presentation: vec![Element::new("flow").child(response)],
        scoring: vec![right],
        ..Body::default()
    }
}
