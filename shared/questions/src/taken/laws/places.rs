//! Answers that are places on an image. Coordinates are hundredths, so that what lies in a shape is found by whole numbers.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{asked, earned, id, whole_if};
use crate::sample::Sample;
use crate::{Fraction, Question};

type Point = (i32, i32);

fn point((x, y): Point) -> Value {
    json!({"x": f64::from(x) / 100.0, "y": f64::from(y) / 100.0})
}

fn shape(kind: &str, points: &[Point]) -> Value {
    json!({"type": kind, "coordinates": points.iter().copied().map(point).collect::<Vec<_>>()})
}

fn hot_spot(scoring_data: Value, properties: Value) -> Question {
    asked(Sample {
        interaction_data: json!({"image_url": "/courses/1/files/2/preview"}),
        scoring_data,
        properties,
        ..Sample::new("hot-spot", "HotSpot")
    })
}

fn one(spot: Value) -> Question {
    hot_spot(json!({ "value": spot }), json!({}))
}

fn any_point() -> impl Strategy<Value = Point> {
    (0..=100, 0..=100)
}

/// True if an odd number of edges lies above the place, or one goes through it. Edges begin and end at even numbers, and the
/// place is at an odd one, so that no edge ends right above it.
fn is_inside(vertices: &[Point], (x, y): Point) -> bool {
    let mut above = 0;
    for (from, to) in vertices.iter().zip(vertices.iter().cycle().skip(1)) {
        let ((left, left_y), (right, right_y)) = if from.0 < to.0 { (*from, *to) } else { (*to, *from) };
        if (left..right).contains(&x) {
            match (left_y * (right - left) + (x - left) * (right_y - left_y)).cmp(&(y * (right - left))) {
                std::cmp::Ordering::Less => above += 1,
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Greater => {}
            }
        }
    }
    above % 2 == 1
}

proptest! {
    #[test]
    fn a_square_has_its_edges(start in (0_i32..99, 0_i32..99), size in (1_i32..60, 1_i32..60), place in any_point()) {
        let end = ((start.0 + size.0).min(100), (start.1 + size.1).min(100));
        let is_in = (start.0..=end.0).contains(&place.0) && (start.1..=end.1).contains(&place.1);
        prop_assert_eq!(earned(&one(shape("square", &[start, end])), &point(place)), whole_if(is_in));
    }

    #[test]
    fn an_oval_is_as_wide_and_high_as_it_says(centre in any_point(), size in (1..100, 1..100), place in any_point()) {
        let part = |off: i32, whole: i32| (2.0 * f64::from(off) / f64::from(whole)).powi(2);
        let distance = part(place.0 - centre.0, size.0) + part(place.1 - centre.1, size.1);
        prop_assume!((distance - 1.0).abs() > 1e-9);
        prop_assert_eq!(earned(&one(shape("oval", &[centre, size])), &point(place)), whole_if(distance < 1.0));
        let right_end = (centre.0 * 2 + size.0, centre.1 * 2);
        if right_end.0 <= 200 {
            let edge = json!({"x": f64::from(right_end.0) / 200.0, "y": f64::from(right_end.1) / 200.0});
            prop_assert_eq!(earned(&one(shape("oval", &[centre, size])), &edge), whole_if(true));
        }
    }

    #[test]
    fn a_polygon_is_inside_of_an_odd_number_of_edges(
        half in prop::collection::vec((0..=50, 0..=50), 3..9), place in (0..50, 0..=100),
    ) {
        let vertices: Vec<_> = half.into_iter().map(|(x, y)| (2 * x, 2 * y)).collect();
        let place = (2 * place.0 + 1, place.1);
        let question = one(shape("polygon", &vertices));
        prop_assert_eq!(earned(&question, &point(place)), whole_if(is_inside(&vertices, place)), "{:?} {:?}", vertices, place);
        let mut turned = vertices.clone();
        turned.rotate_left(1);
        turned.reverse();
        prop_assert_eq!(earned(&one(shape("polygon", &turned)), &point(place)), earned(&question, &point(place)));
    }

    /// Spots are squares of ten hundredths in a row that do not touch; places are in one of them, or in none.
    #[test]
    fn each_spot_is_found_once(
        (spots, wanted, places) in (1_usize..9).prop_flat_map(|spots| {
            (Just(spots), 1..=spots).prop_flat_map(|(spots, wanted)| {
                let place = prop::option::of(0..spots);
                (Just(spots), Just(wanted), prop::collection::vec(place, 1..=wanted))
            })
        }),
    ) {
        let at = |number: usize| 11 * i32::try_from(number).unwrap();
        let spot = |number: usize| {
            let mut spot = shape("square", &[(at(number), 10), (at(number) + 10, 20)]);
            spot["id"] = json!(id(number));
            spot
        };
        let spots: Vec<_> = (0..spots).map(spot).collect();
        let mut response: Vec<_> =
            places.iter().map(|place| point(place.map_or((50, 90), |number| (at(number) + 3, 15)))).collect();
        let distinct: std::collections::BTreeSet<_> = places.iter().flatten().collect();
        let properties = json!({"hotspots_count": wanted});
        let shared = hot_spot(json!({"value": spots}), properties.clone());
        let whole = hot_spot(json!({"value": spots, "score_method": "all_or_nothing"}), properties);
        for _ in 0..2 {
            prop_assert_eq!(earned(&shared, &json!(response)), Fraction::of_parts(distinct.len(), wanted));
            prop_assert_eq!(earned(&whole, &json!(response)), whole_if(distinct.len() == wanted));
            response.reverse();
        }
    }

    /// Each spot is a square around those behind it, so that a place is in all spots up to its own: the best is that as many
    /// are found as there are different depths, whichever spots they are.
    #[test]
    fn a_place_in_several_spots_leaves_one_to_the_others(depths in prop::collection::vec(0_i32..5, 1..6)) {
        let spot = |depth: i32| {
            let mut spot = shape("square", &[(10 * depth, 10 * depth), (100, 100)]);
            spot["id"] = json!(id(usize::try_from(depth).unwrap()));
            spot
        };
        let question = hot_spot(json!({"value": (0..5).map(spot).collect::<Vec<_>>()}), json!({}));
        let places: Vec<_> = depths.iter().map(|depth| point((10 * depth + 5, 10 * depth + 5))).collect();
        let mut sorted = depths.clone();
        sorted.sort_unstable();
        // The shallowest place takes a spot first; each further one finds one more, if its depth has room.
        let found = sorted.iter().fold(0, |found, depth| if found <= *depth { found + 1 } else { found });
        prop_assert_eq!(earned(&question, &json!(places)), Fraction::of_parts(usize::try_from(found).unwrap(), 5));
    }
}
