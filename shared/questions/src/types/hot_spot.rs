//! Hot spot: a student clicks into a part of an image, or into several.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use shared::{JsonSchema, Result};

use crate::address::is_web_address;
use crate::types::parts::{Id, are_unique, require_few};
use crate::types::{Draft, QuestionType, ensure};

pub(crate) struct HotSpot;

const FEWEST_VERTICES: usize = 3;
const MAX_SPOTS: usize = 50;
const COORDINATES: &str = "scoring_data[value][coordinates]";

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HotSpotInteraction")]
pub(crate) struct Interaction {
    /// Nobody checks that the image is there.
    pub(crate) image_url: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HotSpotProperties")]
pub(crate) struct Properties {
    /// How many places the student chooses, where there are several spots; as many as there are spots unless it is given.
    #[serde(default, alias = "hotspotsCount", skip_serializing_if = "Option::is_none")]
    pub(crate) hotspots_count: Option<i64>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "HotSpotScoring")]
pub(crate) struct Scoring {
    pub(crate) value: Spots,
    /// Of several spots: with `all_or_nothing` all points or none are earned; else each place has its share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) score_method: Option<String>,
}

/// The spots of the image.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Spots {
    One(Spot),
    /// Each with its id.
    Several(Vec<Spot>),
}

impl<'de> Deserialize<'de> for Spots {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnySpots)
    }
}

/// Reads an object as one spot, and a list as several.
struct AnySpots;

impl<'de> Visitor<'de> for AnySpots {
    type Value = Spots;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Spots, A::Error> {
        Spot::deserialize(MapAccessDeserializer::new(map)).map(Spots::One)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Spots, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Spots::Several)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl schemars::JsonSchema for Spots {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SpotOrSpots".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (one, several) = (generator.subschema_for::<Spot>(), generator.subschema_for::<Vec<Spot>>());
        schemars::json_schema!({ "anyOf": [one, several] })
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Spot {
    /// Of one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<Id>,
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
    type Properties = Properties;
    type Scoring = Scoring;

    fn check(draft: &mut Draft<Self>) -> Result<()> {
        let message = "must be an http or https address or a path on this service, without query and fragment";
        ensure(is_image_url(&draft.interaction_data.image_url), "interaction_data[image_url]", message)?;
        let Draft { scoring_data, properties, .. } = draft;
        scoring_data.value.check()?;
        match &scoring_data.value {
            Spots::One(_) => (properties.hotspots_count, scoring_data.score_method) = (None, None),
            Spots::Several(spots) => {
                let most = i64::try_from(spots.len()).unwrap_or(i64::MAX);
                let count = *properties.hotspots_count.get_or_insert(most);
                let message = format!("must be between 1 and {most}");
                ensure((1..=most).contains(&count), "properties[hotspots_count]", &message)?;
            }
        }
        Ok(())
    }
}

impl Draft<HotSpot> {
    /// How many places a student chooses of several spots; `None`: there is one spot.
    pub(crate) fn places(&self) -> Option<usize> {
        match &self.scoring_data.value {
            Spots::One(_) => None,
            Spots::Several(spots) => {
                let count = self.properties.hotspots_count.and_then(|count| usize::try_from(count).ok());
                Some(count.map_or(spots.len(), |count| count.clamp(1, spots.len().max(1))))
            }
        }
    }
}

impl Spots {
    fn check(&mut self) -> Result<()> {
        let field = "scoring_data[value]";
        match self {
            Self::One(spot) => {
                spot.id = None;
                require_few(spot.coordinates.len(), COORDINATES)?;
                spot.check()
            }
            Self::Several(spots) => {
                ensure(!spots.is_empty(), field, "must have at least one spot")?;
                ensure(spots.len() <= MAX_SPOTS, field, "has too many spots (maximum is 50)")?;
                ensure(spots.iter().all(|spot| spot.id.is_some()), field, "must have an id for each spot")?;
                ensure(are_unique(spots.iter().map(|spot| &spot.id)), field, "must have ids that differ")?;
                require_few(spots.iter().map(|spot| spot.coordinates.len()).sum(), COORDINATES)?;
                spots.iter().try_for_each(Spot::check)
            }
        }
    }
}

impl Spot {
    fn check(&self) -> Result<()> {
        let field = COORDINATES;
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

    use crate::sample::{A, B, Sample, accepts, refuses};

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

    fn several(spots: Value, properties: Value) -> Sample {
        Sample { scoring_data: json!({ "value": spots }), properties, ..square() }
    }

    fn spot(id: &str) -> Value {
        json!({"id": id, "type": "square", "coordinates": [{"x": 0.25, "y": 0.10}, {"x": 0.60, "y": 0.45}]})
    }

    #[test]
    fn several_spots_have_ids_and_a_count_of_places() {
        let stored = accepts(several(json!([spot(A), spot(B)]), json!({})));
        assert_eq!(stored.scoring_data.0, json!({"value": [spot(A), spot(B)]}));
        assert_eq!(stored.properties.0, json!({"hotspots_count": 2}));
        let stored = accepts(several(json!([spot(A), spot(B)]), json!({"hotspotsCount": "1"})));
        assert_eq!(stored.properties.0, json!({"hotspots_count": 1}));
        let one = Sample { properties: json!({"hotspots_count": 3}), ..square() };
        assert_eq!(accepts(one).properties.0, json!({}), "one spot has one place");
        let count = "properties[hotspots_count] must be between 1 and 2";
        let many: Vec<_> = (0..51).map(|number| spot(&format!("0b7c1b8e-1111-4222-8333-{number:012}"))).collect();
        let ragged = json!({"id": B, "type": "polygon", "coordinates": vec![json!({"x": 0.1, "y": 0.1}); 499]});
        refuses([
            (several(json!([]), json!({})), "scoring_data[value] must have at least one spot"),
            (several(json!(many), json!({})), "scoring_data[value] has too many spots (maximum is 50)"),
            (several(json!([spot(A), spot(A)]), json!({})), "scoring_data[value] must have ids that differ"),
            (
                several(json!([square().scoring_data["value"]]), json!({})),
                "scoring_data[value] must have an id for each spot",
            ),
            (
                several(json!([spot(A), ragged]), json!({})),
                "scoring_data[value][coordinates] has too many parts (maximum is 500)",
            ),
            (several(json!([spot(A), spot(B)]), json!({"hotspots_count": 3})), count),
            (several(json!([spot(A), spot(B)]), json!({"hotspots_count": 0})), count),
            (several(json!("here"), json!({})), "scoring_data[value] must be an object or a list of objects"),
        ]);
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
