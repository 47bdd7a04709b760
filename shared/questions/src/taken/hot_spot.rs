//! Hot spot: a place `{x, y}` in parts of the image's width and height, or a list of places.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use serde_json::{Value, json};

use crate::draw::Showing;
use crate::number::{MAX_CHARS, Number, is_positive_or_zero};
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::hot_spot::{HotSpot, Point, Shape, Spot, Spots};
use crate::types::parts::Id;

/// The method that gives all points or none; any other gives each place its share.
const WHOLE: &str = "all_or_nothing";

/// A point, exact.
pub(crate) struct Exact {
    x: BigRational,
    y: BigRational,
}

impl Taken for HotSpot {
    type Response<'a> = Vec<Exact>;

    /// One place may stand alone, without a list around it.
    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<Vec<Exact>>> {
        let places = match response.value {
            Value::Array(_) => response.elements(asked.places().unwrap_or(1))?,
            _ => vec![response.clone()],
        };
        let places: Vec<_> = places.iter().map(read_place).collect::<Read<_>>()?;
        Ok(Some(places).filter(|places| !places.is_empty()))
    }

    fn score(asked: &Draft<Self>, places: Vec<Exact>, _: Option<usize>) -> Read<Score> {
        let several = match &asked.scoring_data.value {
            Spots::One(spot) => {
                let area = Area::of(spot);
                return Ok(Score::single("", places.iter().any(|place| area.contains(place))));
            }
            Spots::Several(several) => several,
        };
        let areas: Vec<_> = several.iter().map(Area::of).collect();
        let reached = places.iter().map(|place| {
            areas.iter().enumerate().filter(|(_, area)| area.contains(place)).map(|(spot, _)| spot).collect()
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

fn read_place(place: &Part<'_>) -> Read<Exact> {
    let members = place.members(2)?;
    let coordinate = |name: &str| match members.iter().find(|(key, _)| *key == name) {
        Some((_, part)) => read_coordinate(part),
        None => place.refuse(format!("must have {name}")),
    };
    Ok(Exact { x: coordinate("x")?, y: coordinate("y")? })
}

fn read_coordinate(part: &Part<'_>) -> Read<BigRational> {
    let number = match part.value {
        Value::Number(number) => Number::parse(&number.to_string()),
        _ => Number::parse(part.text(MAX_CHARS)?),
    };
    let number = number.filter(is_positive_or_zero).map(|number| number.value());
    match number.filter(|number| *number <= BigRational::from_integer(BigInt::from(1))) {
        Some(number) => Ok(number),
        None => part.refuse("must be a number between 0 and 1"),
    }
}

/// A spot, exact.
struct Area<'a> {
    shape: &'a Shape,
    points: Vec<Exact>,
}

impl<'a> Area<'a> {
    fn of(spot: &'a Spot) -> Self {
        Self { shape: &spot.r#type, points: spot.coordinates.iter().filter_map(exact).collect() }
    }

    /// True if the point lies in the spot or on its edge.
    fn contains(&self, point: &Exact) -> bool {
        match (self.shape, self.points.as_slice()) {
            (Shape::Oval, [centre, size]) => is_in_oval(centre, size, point),
            (Shape::Square, [start, end]) => {
                (&start.x..=&end.x).contains(&&point.x) && (&start.y..=&end.y).contains(&&point.y)
            }
            (Shape::Polygon, vertices) => is_in_polygon(vertices, point),
            _ => false,
        }
    }
}

fn exact(point: &Point) -> Option<Exact> {
    Some(Exact { x: Number::of_f64(point.x)?.value(), y: Number::of_f64(point.y)?.value() })
}

/// With the whole width `w` and height `h`: (2·dx/w)² + (2·dy/h)² ≤ 1, without a division.
fn is_in_oval(centre: &Exact, size: &Exact, point: &Exact) -> bool {
    let two = BigInt::from(2);
    let across = (&point.x - &centre.x) * &size.y * &two;
    let down = (&point.y - &centre.y) * &size.x * &two;
    let whole = &size.x * &size.y;
    &across * &across + &down * &down <= &whole * &whole
}

/// By the rule of even and odd crossings: where the polygon crosses itself, what it encloses twice is outside.
fn is_in_polygon(vertices: &[Exact], point: &Exact) -> bool {
    let nexts = vertices.iter().cycle().skip(1);
    let mut is_inside = false;
    for (from, to) in vertices.iter().zip(nexts) {
        let side = (&to.x - &from.x) * (&point.y - &from.y) - (&point.x - &from.x) * (&to.y - &from.y);
        if side.is_zero() && is_between(&point.x, &from.x, &to.x) && is_between(&point.y, &from.y, &to.y) {
            return true;
        }
        let (from_is_above, to_is_above) = (from.y > point.y, to.y > point.y);
        if from_is_above != to_is_above {
            let is_left = if to_is_above { side > BigRational::zero() } else { side < BigRational::zero() };
            is_inside ^= is_left;
        }
    }
    is_inside
}

fn is_between(number: &BigRational, one: &BigRational, other: &BigRational) -> bool {
    (one.min(other)..=one.max(other)).contains(&number)
}
