//! Hot spot: a point `{x, y}` in parts of the image's width and height.

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
use crate::types::hot_spot::{HotSpot, Point, Shape, Spot};

/// A point, exact.
pub(crate) struct Exact {
    x: BigRational,
    y: BigRational,
}

impl Taken for HotSpot {
    type Response<'a> = Exact;

    fn read<'a>(_: &Draft<Self>, response: &Part<'a>) -> Read<Option<Exact>> {
        let members = response.members(2)?;
        let coordinate = |name: &str| match members.iter().find(|(key, _)| *key == name) {
            Some((_, part)) => read_coordinate(part),
            None => response.refuse(format!("must have {name}")),
        };
        Ok(Some(Exact { x: coordinate("x")?, y: coordinate("y")? }))
    }

    fn score(asked: &Draft<Self>, point: Exact, _: Option<usize>) -> Read<Score> {
        Ok(Score::single("", contains(&asked.scoring_data.value, &point)))
    }

    fn show(asked: &Draft<Self>, _: &mut Showing) -> Value {
        json!({"image_url": asked.interaction_data.image_url})
    }
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

/// True if the point lies in the spot or on its edge.
fn contains(spot: &Spot, point: &Exact) -> bool {
    let points: Vec<_> = spot.coordinates.iter().filter_map(exact).collect();
    match (&spot.r#type, points.as_slice()) {
        (Shape::Oval, [centre, size]) => is_in_oval(centre, size, point),
        (Shape::Square, [start, end]) => {
            (&start.x..=&end.x).contains(&&point.x) && (&start.y..=&end.y).contains(&&point.y)
        }
        (Shape::Polygon, vertices) => is_in_polygon(vertices, point),
        _ => false,
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
