//! Hot spot: a student clicks into a part of an image.

use serde::{Deserialize, Serialize};
use shared::{JsonSchema, Result};

use crate::address::is_web_address;
use crate::types::parts::{Nothing, require_few};
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct HotSpot;

const FEWEST_VERTICES: usize = 3;

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HotSpotInteraction")]
pub(crate) struct Interaction {
    /// Nobody checks that the image is there.
    pub(crate) image_url: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HotSpotScoring")]
pub(crate) struct Scoring {
    pub(crate) value: Spot,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Spot {
    pub(crate) r#type: Shape,
    pub(crate) coordinates: Vec<Point>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    /// The centre, and the width with the height.
    Oval,
    /// The top left corner, and the bottom right one.
    Square,
    /// The vertices in their order.
    Polygon,
}

/// A point in fractions of the image's width and height.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl QuestionType for HotSpot {
    const SLUG: &'static str = "hot-spot";
    const ALGORITHMS: &'static [&'static str] = &["HotSpot"];
    type Interaction = Interaction;
    type Properties = Nothing;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let message = "must be an http or https address or a path on this service, without query and fragment";
        ensure(is_image_url(&draft.interaction_data.image_url), "interaction_data[image_url]", message)?;
        draft.scoring_data.value.check()
    }
}

impl Spot {
    fn check(&self) -> Result<()> {
        let field = "scoring_data[value][coordinates]";
        require_few(self.coordinates.len(), field)?;
        let is_fraction = |number: f64| (0.0..=1.0).contains(&number);
        let in_image = self.coordinates.iter().all(|point| is_fraction(point.x) && is_fraction(point.y));
        ensure(in_image, field, "must lie between 0 and 1")?;
        match (&self.r#type, self.coordinates.as_slice()) {
            (Shape::Oval, [_, size]) => {
                ensure(size.x > 0.0 && size.y > 0.0, field, "must have a width and a height that are greater than 0")
            }
            (Shape::Square, [start, end]) => {
                let in_order = start.x < end.x && start.y < end.y;
                ensure(in_order, field, "must be the top left corner and then the bottom right one")
            }
            (Shape::Oval | Shape::Square, _) => ensure(false, field, "must be two points"),
            (Shape::Polygon, vertices) => {
                ensure(vertices.len() >= FEWEST_VERTICES, field, "must be at least three points")
            }
        }
    }
}

/// The type for addresses drops a fragment in silence. What an import brings is a file of the course, which has a path.
fn is_image_url(address: &str) -> bool {
    let is_path = address.starts_with('/') && !address.starts_with("//") && address.bytes().all(is_of_path);
    (is_web_address(address) || is_path) && !address.contains(['?', '#'])
}

fn is_of_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~' | b'%')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::sample::{Sample, accepts, refuses};

    fn sample(kind: &str, coordinates: Value) -> Sample {
        Sample {
            interaction_data: json!({"image_url": "https://store.test/item_media/2b/9c"}),
            scoring_data: json!({"value": {"type": kind, "coordinates": coordinates}}),
            ..Sample::new("hot-spot", "HotSpot")
        }
    }

    fn square() -> Sample {
        sample("square", json!([{"x": 0.25, "y": 0.10}, {"x": 0.60, "y": 0.45}]))
    }

    #[test]
    fn all_three_shapes_are_accepted() {
        assert_eq!(accepts(square()).scoring_data.0, square().scoring_data);
        accepts(Sample { interaction_data: json!({"image_url": "/courses/1/files/2/preview"}), ..square() });
        accepts(sample("oval", json!([{"x": 0.5, "y": 0.5}, {"x": "0.2", "y": "0.1"}])));
        accepts(sample("polygon", json!([{"x": 0, "y": 0}, {"x": 1, "y": 0}, {"x": 1, "y": 1}])));
    }

    #[test]
    fn what_breaks_a_rule_is_refused() {
        let point = || json!({"x": 0.5, "y": 0.5});
        let at = |url: &str| Sample { interaction_data: json!({ "image_url": url }), ..square() };
        let address = "interaction_data[image_url] must be an http or https address or a path on this service, without query and fragment";
        refuses([
            (at("courses/1/files/2"), address),
            (at("//store.test/x"), address),
            (at("/courses/1/files/2?x=1"), address),
            (at("/\\store.test/x"), address),
            (at("ftp://store.test/x"), address),
            (at("javascript:alert(1)"), address),
            (at("https://store.test/x?signature=1"), address),
            (at("https://store.test/x#top"), address),
            (at(""), address),
            (sample("circle", json!([])), "scoring_data[value][type] must be one of oval, square, polygon"),
            (sample("oval", json!([point()])), "scoring_data[value][coordinates] must be two points"),
            (
                sample("oval", json!([point(), {"x": 0, "y": 0.1}])),
                "scoring_data[value][coordinates] must have a width and a height that are greater than 0",
            ),
            (
                sample("square", json!([point(), point(), point()])),
                "scoring_data[value][coordinates] must be two points",
            ),
            (
                sample("square", json!([point(), {"x": 0.1, "y": 0.9}])),
                "scoring_data[value][coordinates] must be the top left corner and then the bottom right one",
            ),
            (
                sample("polygon", json!(vec![point(); 501])),
                "scoring_data[value][coordinates] has too many parts (maximum is 500)",
            ),
            (
                sample("polygon", json!([point(), point()])),
                "scoring_data[value][coordinates] must be at least three points",
            ),
            (
                sample("square", json!([point(), {"x": 1.01, "y": 0.9}])),
                "scoring_data[value][coordinates] must lie between 0 and 1",
            ),
            (
                sample("square", json!([point(), {"x": "wide", "y": 0.9}])),
                "scoring_data[value][coordinates][][x] must be a number",
            ),
            (sample("square", json!([point(), {"x": 1}])), "scoring_data[value][coordinates][][y] is missing"),
        ]);
    }
}
