//! Hot spot: a place `{x, y}` in parts of the image's width and height, or a list of places.

use serde_json::{Value, json};

use crate::decimal::Decimal;
use crate::draw::Showing;
use crate::number::{MAX_CHARS, Number};
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::hot_spot::{HotSpot, Point, Shape, Spot, Spots};
use crate::types::parts::Id;

/// The method that gives all points or none; any other gives each place its share.
const WHOLE: &str = "all_or_nothing";

/// The unit of coordinates, as a power of ten: a billionth of the image's width or height. No image is as fine, and what is computed
/// of so many units fits into 128 bits, however many digits a coordinate is written with.
const UNIT: i32 = -9;

/// A point, in units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place {
    x: i128,
    y: i128,
}

impl Taken for HotSpot {
    type Response<'a> = Vec<Place>;

    /// One place may stand alone, without a list around it.
    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<Vec<Place>>> {
        let places = match response.value {
            Value::Array(_) => response.elements(asked.places().unwrap_or(1))?,
            _ => vec![response.clone()],
        };
        let places: Vec<_> = places.iter().map(read_place).collect::<Read<_>>()?;
        Ok(Some(places).filter(|places| !places.is_empty()))
    }

    fn score(asked: &Draft<Self>, places: Vec<Place>, _: Option<usize>) -> Read<Score> {
        let several = match &asked.scoring_data.value {
            Spots::One(spot) => {
                let area = Area::of(spot);
                return Ok(Score::single("", places.iter().any(|place| area.contains(*place))));
            }
            Spots::Several(several) => several,
        };
        let areas: Vec<_> = several.iter().map(Area::of).collect();
        let reached = places.iter().map(|place| {
            areas.iter().enumerate().filter(|(_, area)| area.contains(*place)).map(|(spot, _)| spot).collect()
        });
        let pieces: Vec<_> = found(&reached.collect::<Vec<_>>(), areas.len())
            .into_iter()
            .map(|spot| {
                let id = spot.and_then(|spot| several.get(spot)?.id.as_ref()).map(Id::as_str);
                (id.unwrap_or_default().to_owned(), spot.is_some())
            })
            .collect();
        let wanted = asked.places().unwrap_or(1);
        let is_whole = pieces.iter().filter(|(_, is_found)| *is_found).count() == wanted;
        let is_shared = asked.scoring_data.score_method.as_deref() != Some(WHOLE);
        Ok(Score::of(pieces, if is_shared || is_whole { wanted } else { 0 }))
    }

    fn show(asked: &Draft<Self>, _: &mut Showing) -> Value {
        json!({"image_url": asked.interaction_data.image_url})
    }

    /// How many places there are to choose, where it may be more than one.
    fn properties(asked: &Draft<Self>) -> Value {
        asked.places().map_or_else(|| json!({}), |places| json!({ "hotspots_count": places }))
    }
}

/// The spot that each place has found, if it has. A spot is found by one place, and a place that lies in several finds the one
/// that lets most be found: a greatest matching, by augmenting paths. `reached` has the spots around each place.
fn found(reached: &[Vec<usize>], spots: usize) -> Vec<Option<usize>> {
    let mut finders = vec![None; spots];
    for place in 0..reached.len() {
        finds(place, reached, &mut finders, &mut vec![false; spots]);
    }
    let spot_of = |place| finders.iter().position(|finder| *finder == Some(place));
    (0..reached.len()).map(spot_of).collect()
}

/// True if the place finds a spot, be it one that another place leaves for a further one.
fn finds(place: usize, reached: &[Vec<usize>], finders: &mut [Option<usize>], seen: &mut [bool]) -> bool {
    for &spot in reached.get(place).into_iter().flatten() {
        let Some(is_seen) = seen.get_mut(spot) else { continue };
        if std::mem::replace(is_seen, true) {
            continue;
        }
        let finder = finders.get(spot).copied().flatten();
        if finder.is_none_or(|other| finds(other, reached, finders, seen)) {
            if let Some(finder) = finders.get_mut(spot) {
                *finder = Some(place);
            }
            return true;
        }
    }
    false
}

fn read_place(place: &Part<'_>) -> Read<Place> {
    let members = place.members(2)?;
    let coordinate = |name: &str| match members.iter().find(|(key, _)| *key == name) {
        Some((_, part)) => read_coordinate(part),
        None => place.refuse(format!("must have {name}")),
    };
    Ok(Place { x: coordinate("x")?, y: coordinate("y")? })
}

fn read_coordinate(part: &Part<'_>) -> Read<i128> {
    let number = match part.value {
        Value::Number(number) => Number::parse(&number.to_string()),
        _ => Number::parse(part.text(MAX_CHARS)?),
    };
    match number.as_ref().and_then(units) {
        Some(units) => Ok(units),
        None => part.refuse("must be a number between 0 and 1"),
    }
}

/// The units of a number between 0 and 1; `None` of any other.
fn units(number: &Number) -> Option<i128> {
    let number = number.decimal();
    let is_in_image = !number.is_negative() && *number <= Decimal::new(1.into(), 0);
    is_in_image.then(|| number.units(UNIT)).flatten()
}

/// A spot, in units.
struct Area<'a> {
    shape: &'a Shape,
    points: Vec<Place>,
}

impl<'a> Area<'a> {
    fn of(spot: &'a Spot) -> Self {
        Self { shape: &spot.r#type, points: spot.coordinates.iter().filter_map(place).collect() }
    }

    /// True if the point lies in the spot or on its edge.
    fn contains(&self, point: Place) -> bool {
        match (self.shape, self.points.as_slice()) {
            (Shape::Oval, [centre, size]) => is_in_oval(*centre, *size, point),
            (Shape::Square, [start, end]) => {
                (start.x..=end.x).contains(&point.x) && (start.y..=end.y).contains(&point.y)
            }
            (Shape::Polygon, vertices) => is_in_polygon(vertices, point),
            _ => false,
        }
    }
}

fn place(point: &Point) -> Option<Place> {
    let coordinate = |number| units(&Number::of_f64(number)?);
    Some(Place { x: coordinate(point.x)?, y: coordinate(point.y)? })
}

/// With the whole width `w` and height `h`: (2·dx/w)² + (2·dy/h)² ≤ 1, without a division. An oval is a unit wide and high at least.
fn is_in_oval(centre: Place, size: Place, point: Place) -> bool {
    let (width, height) = (size.x.max(1), size.y.max(1));
    let across = 2 * (point.x - centre.x) * height;
    let down = 2 * (point.y - centre.y) * width;
    let whole = width * height;
    across * across + down * down <= whole * whole
}

/// By the rule of even and odd crossings: where the polygon crosses itself, what it encloses twice is outside.
fn is_in_polygon(vertices: &[Place], point: Place) -> bool {
    let nexts = vertices.iter().cycle().skip(1);
    let mut is_inside = false;
    for (from, to) in vertices.iter().zip(nexts) {
        let side = (to.x - from.x) * (point.y - from.y) - (point.x - from.x) * (to.y - from.y);
        if side == 0 && is_between(point.x, from.x, to.x) && is_between(point.y, from.y, to.y) {
            return true;
        }
        let (from_is_above, to_is_above) = (from.y > point.y, to.y > point.y);
        if from_is_above != to_is_above {
            let is_left = if to_is_above { side > 0 } else { side < 0 };
            is_inside ^= is_left;
        }
    }
    is_inside
}

fn is_between(number: i128, one: i128, other: i128) -> bool {
    (one.min(other)..=one.max(other)).contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The width of an image.
    const UNITS: i128 = 1_000_000_000;

    /// A spot of these points.
    fn spot(shape: Shape, points: &[(f64, f64)]) -> Spot {
        Spot { id: None, r#type: shape, coordinates: points.iter().map(|&(x, y)| Point { x, y }).collect() }
    }

    fn at(x: i128, y: i128) -> Place {
        Place { x, y }
    }

    #[test]
    fn a_coordinate_is_units_whatever_its_digits_are() {
        let nines = "9".repeat(52);
        for (text, expected) in [
            ("0.25", Some(UNITS / 4)),
            ("1", Some(UNITS)),
            (&format!("0.{nines}"), Some(UNITS)),
            (&format!("0.{nines}e-300"), Some(0)),
            ("1e-308", Some(0)),
            ("0e308", Some(0)),
            ("-0", Some(0)),
            ("1.0000000001", None),
            ("1e308", None),
            ("-1e-308", None),
        ] {
            assert_eq!(units(&Number::parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn a_spot_that_is_smaller_than_a_unit_is_found_at_its_own_place_alone() {
        let tiny = [(0.5, 0.5), (0.5, 0.500_000_000_000_001), (0.500_000_000_000_001, 0.5)];
        for spot in [
            spot(Shape::Oval, &[(0.5, 0.5), (1e-300, 1e-300)]),
            spot(Shape::Square, &tiny[..2]),
            spot(Shape::Polygon, &tiny),
        ] {
            let (area, middle) = (Area::of(&spot), UNITS / 2);
            assert!(area.contains(at(middle, middle)));
            assert!(
                ![at(middle + 1, middle), at(middle, middle - 1), at(0, 0)].iter().any(|place| area.contains(*place))
            );
        }
    }

    #[test]
    fn the_largest_numbers_have_room() {
        let corners = [0, UNITS].map(|x| [0, UNITS].map(|y| at(x, y))).concat();
        let oval = spot(Shape::Oval, &[(1.0, 1.0), (1.0, 1.0)]);
        let triangle = spot(Shape::Polygon, &[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]);
        for (spot, expected) in [(oval, [false, false, false, true]), (triangle, [true, true, true, false])] {
            let area = Area::of(&spot);
            assert_eq!(corners.iter().map(|place| area.contains(*place)).collect::<Vec<_>>(), expected);
        }
    }
}
