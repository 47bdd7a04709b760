//! Places on an image that a student has chosen, and the spots that are right: drawn, and in words.

use std::slice;

use maud::{Markup, html};
use serde_json::Value;
use shared::texts::{Language, quiz_grading as words};

/// The radius of the mark at a place, in pixels.
const MARK: i64 = 10;

/// The image of a question with the places of an answer and the spots of its scoring data, and both in words.
pub(super) fn shown(
    language: Language,
    (data, properties): (&Value, &Value),
    response: Option<&Value>,
    scoring: Option<&Value>,
) -> Markup {
    let places: Vec<_> = response.into_iter().flat_map(one_or_several).map(Point::of).collect();
    let spots: Vec<_> =
        scoring.into_iter().flat_map(|scoring| one_or_several(&scoring["value"])).map(Spot::of).collect();
    let place = |Point { x, y }: &Point| words::SPOT.fill(language, &[("x", &percent(*x)), ("y", &percent(*y))]);
    html! {
        div class="spot" {
            img src=(data["image_url"].as_str().unwrap_or_default()) alt="";
            svg aria-hidden="true" {
                svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%" {
                    @for spot in &spots { (spot.shape) }
                }
                @for (number, Point { x, y }) in (1..).zip(&places) {
                    circle class="mark" cx={ (percent(*x)) "%" } cy={ (percent(*y)) "%" } r=(MARK) {}
                    @if places.len() > 1 {
                        text class="number" x={ (percent(*x)) "%" } y={ (percent(*y)) "%" } dy=".35em" { (number) }
                    }
                }
            }
        }
        (numbered(&places, place))
        @if !spots.is_empty() {
            p class="soft" { (name(language, properties, spots.len())) }
            ul { @for spot in &spots { li { (spot.bounds.said(language)) } } }
        }
    }
}

/// Whether all of the spots are to be found, or how many of them.
fn name(language: Language, properties: &Value, spots: usize) -> String {
    match properties["hotspots_count"].as_u64().filter(|most| usize::try_from(*most).is_ok_and(|most| most < spots)) {
        Some(most) => words::RIGHT_SPOTS_OF.fill(language, &[("most", &most), ("all", &spots)]),
        None => words::RIGHT_SPOTS.get(language).to_owned(),
    }
}

/// A sentence for each place: with its number where there are several.
fn numbered(all: &[Point], said: impl Fn(&Point) -> String) -> Markup {
    html! {
        @match all {
            [] => {},
            [one] => p { (said(one)) },
            several => ol { @for one in several { li { (said(one)) } } },
        }
    }
}

/// A point in percent of the width and the height of the image.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}

impl Point {
    fn of(point: &Value) -> Self {
        Self { x: hundredths(&point["x"]), y: hundredths(&point["y"]) }
    }
}

/// A spot that is right.
struct Spot {
    shape: Markup,
    bounds: Bounds,
}

/// The rectangle around a spot, in percent.
#[derive(Debug, PartialEq)]
struct Bounds {
    start: Point,
    end: Point,
}

impl Spot {
    fn of(spot: &Value) -> Self {
        let points: Vec<_> = one_or_several(&spot["coordinates"]).iter().map(Point::of).collect();
        match (spot["type"].as_str(), points.as_slice()) {
            (Some("oval"), [centre, size]) => {
                let (rx, ry) = (size.x / 2.0, size.y / 2.0);
                let start = Point { x: centre.x - rx, y: centre.y - ry };
                let end = Point { x: centre.x + rx, y: centre.y + ry };
                let shape = html! { ellipse class="area" cx=(centre.x) cy=(centre.y) rx=(rx) ry=(ry) {} };
                Self { shape, bounds: Bounds { start, end } }
            }
            (Some("square"), [start, end]) => {
                let (width, height) = (end.x - start.x, end.y - start.y);
                let shape = html! { rect class="area" x=(start.x) y=(start.y) width=(width) height=(height) {} };
                Self { shape, bounds: Bounds { start: *start, end: *end } }
            }
            (_, points) => {
                let corners: Vec<_> = points.iter().map(|Point { x, y }| format!("{x},{y}")).collect();
                let shape = html! { polygon class="area" points=(corners.join(" ")) {} };
                Self { shape, bounds: Bounds::around(points) }
            }
        }
    }
}

impl Bounds {
    fn around(points: &[Point]) -> Self {
        let start = points.iter().copied().reduce(|one, other| Point { x: one.x.min(other.x), y: one.y.min(other.y) });
        let end = points.iter().copied().reduce(|one, other| Point { x: one.x.max(other.x), y: one.y.max(other.y) });
        let none = Point { x: 0.0, y: 0.0 };
        Self { start: start.unwrap_or(none), end: end.unwrap_or(none) }
    }

    fn said(&self, language: Language) -> String {
        let Self { start, end } = self;
        words::SPOT_AREA.fill(
            language,
            &[
                ("left", &percent(start.x)),
                ("right", &percent(end.x)),
                ("top", &percent(start.y)),
                ("bottom", &percent(end.y)),
            ],
        )
    }
}

/// What stands alone, or in a list.
fn one_or_several(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        Value::Array(several) => several,
        one => slice::from_ref(one),
    }
}

/// A part of a width or height, as a number or as text, in percent.
fn hundredths(part: &Value) -> f64 {
    let part = part.as_f64().or_else(|| part.as_str()?.parse().ok()).unwrap_or_default();
    (part * 10_000.0).round() / 100.0
}

/// A percentage to a hundredth.
fn percent(number: f64) -> String {
    ((number * 100.0).round() / 100.0).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const IMAGE: &str = "/courses/1/files/2/preview";

    fn page(response: Value, spots: Value) -> String {
        let (data, properties) = (json!({ "image_url": IMAGE }), json!({ "hotspots_count": 1 }));
        let scoring = json!({ "value": spots });
        shown(Language::default(), (&data, &properties), Some(&response), Some(&scoring)).into_string()
    }

    #[test]
    fn one_place_and_one_spot_are_drawn_and_said() {
        let oval = json!({"type": "oval", "coordinates": [{"x": 0.5, "y": 0.5}, {"x": 0.2, "y": 0.1}]});
        let page = page(json!({"x": "0.25", "y": 0.5}), oval);
        assert!(page.contains(r#"<ellipse class="area" cx="50" cy="50" rx="10" ry="5">"#), "{page}");
        assert!(
            page.contains(r#"<circle class="mark" cx="25%" cy="50%" r="10">"#) && !page.contains("<text"),
            "{page}"
        );
        assert!(page.contains("<p>25 % from the left, 50 % from the top</p>"), "{page}");
        assert!(
            page.contains("Right spots</p><ul><li>40 % to 60 % from the left, 45 % to 55 % from the top</li>"),
            "{page}"
        );
    }

    #[test]
    fn several_places_and_spots_have_numbers() {
        let square = json!({"id": "a", "type": "square", "coordinates": [{"x": 0.1, "y": 0.2}, {"x": 0.3, "y": 0.4}]});
        let corners = json!([{"x": 0.5, "y": 0.6}, {"x": 0.7, "y": 0.5}, {"x": 0.9, "y": 1}]);
        let polygon = json!({"id": "b", "type": "polygon", "coordinates": corners});
        let page = page(json!([{"x": 0.1, "y": 0.1}, {"x": 0.8, "y": 0.9}]), json!([square, polygon]));
        assert!(page.contains(r#"<rect class="area" x="10" y="20" width="20" height="20">"#), "{page}");
        assert!(page.contains(r#"<polygon class="area" points="50,60 70,50 90,100">"#), "{page}");
        assert!(page.contains("<li>50 % to 90 % from the left, 50 % to 100 % from the top</li>"), "{page}");
        assert!(page.contains("Right are any 1 of these 2 spots"), "{page}");
        assert_eq!((page.matches("class=\"mark\"").count(), page.matches("class=\"number\"").count()), (2, 2));
    }

    #[test]
    fn an_image_may_have_neither() {
        let data = json!({ "image_url": IMAGE });
        let page = shown(Language::default(), (&data, &Value::Null), None, None).into_string();
        assert!(page.contains(IMAGE) && !page.contains("mark") && !page.contains("<p"), "{page}");
    }
}
