//! Answers that are numbers. They are made of whole numbers, so that what is right is found by whole numbers alone.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{asked, earned, earned_of, whole_if};
use crate::Question;
use crate::sample::Sample;

fn numeric(accepted: &[Value]) -> Question {
    let rows = accepted.iter().enumerate().map(|(number, row)| {
        let mut row = row.clone();
        row["id"] = json!(number.to_string());
        row
    });
    asked(Sample { scoring_data: json!({"value": rows.collect::<Vec<_>>()}), ..Sample::new("numeric", "Numeric") })
}

/// So many hundredths, as text.
fn hundredths(count: i64) -> String {
    format!("{count}e-2")
}

fn exactly(value: i64) -> Value {
    json!({"type": "exactResponse", "value": hundredths(value)})
}

/// The whole number, divided by a power of ten and rounded, halves away from zero.
fn rounded(number: i64, by: i64) -> i64 {
    let half = if number < 0 { -by / 2 } else { by / 2 };
    (number + half) / by
}

/// That many units of so many decimals, written with all of them.
fn written(units: i64, decimals: u32) -> String {
    let (sign, units) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    let one = 10_u64.pow(decimals);
    let width = usize::try_from(decimals).unwrap();
    match decimals {
        0 => format!("{sign}{units}"),
        _ => format!("{sign}{}.{:0width$}", units / one, units % one),
    }
}

proptest! {
    #[test]
    fn any_of_the_accepted_numbers_is_right(keys in prop::collection::vec(-500_i64..500, 1..5), answer in -500_i64..500) {
        let question = numeric(&keys.iter().map(|key| exactly(*key)).collect::<Vec<_>>());
        let is_right = keys.contains(&answer);
        for text in [hundredths(answer), written(answer, 2), format!("{answer}0e-3")] {
            prop_assert_eq!(earned(&question, &json!(text)), whole_if(is_right));
        }
    }

    #[test]
    fn a_margin_of_a_number_has_its_ends(value in -900_i64..900, margin in 0_i64..200, off in -300_i64..300) {
        let of = |kind: &str| json!({"type": "marginOfError", "value": hundredths(value), "margin_type": kind});
        let (mut absolute, mut percent) = (of("absolute"), of("percent"));
        absolute["margin"] = json!(hundredths(margin));
        percent["margin"] = json!(margin.to_string());
        let answer = json!(hundredths(value + off));
        prop_assert_eq!(earned(&numeric(&[absolute]), &answer), whole_if(off.abs() <= margin));
        prop_assert_eq!(earned(&numeric(&[percent]), &answer), whole_if(off.abs() * 100 <= margin * value.abs()));
    }

    #[test]
    fn a_range_has_its_ends(start in -300_i64..300, width in 0_i64..300, answer in -400_i64..700) {
        let end = start + width;
        let range = json!({"type": "withinARange", "start": hundredths(start), "end": hundredths(end)});
        let is_right = start <= answer && answer <= end;
        prop_assert_eq!(earned(&numeric(&[range]), &json!(written(answer, 2))), whole_if(is_right));
    }

    /// The value has four decimals; the answer is the rounded one, or one unit of the last place off.
    #[test]
    fn decimals_are_rounded_and_written(value in -999_999_i64..999_999, decimals in 0_u32..4, off in -1_i64..=1) {
        let precise = json!({"type": "preciseResponse", "value": written(value, 4), "precision": decimals.to_string(),
                             "precision_type": "decimals"});
        let question = numeric(&[precise]);
        let units = rounded(value, 10_i64.pow(4 - decimals)) + off;
        prop_assert_eq!(earned(&question, &json!(written(units, decimals))), whole_if(off == 0));
        let longer = written(units * 10, decimals + 1);
        prop_assert_eq!(earned(&question, &json!(longer)), whole_if(false), "one decimal more is another precision");
    }

    #[test]
    fn significant_digits_are_rounded(value in 10_000_i64..99_999, digits in 1_u32..5, off in -1_i64..=1) {
        let precise = json!({"type": "preciseResponse", "value": value.to_string(), "precision": digits.to_string(),
                             "precision_type": "significantDigits"});
        let unit = 10_i64.pow(5 - digits);
        let answer = (rounded(value, unit) + off) * unit;
        prop_assume!(answer != 0);
        prop_assert_eq!(earned(&numeric(&[precise]), &json!(answer.to_string())), whole_if(off == 0));
    }

    #[test]
    fn a_formula_is_held_against_the_result_of_its_variant(
        results in prop::collection::vec(-500_i64..500, 1..5), drawn: prop::sample::Index, margin in 0_i64..50, off in -80_i64..80,
    ) {
        let solution = |result: &i64| json!({"inputs": [{"name": "x", "value": "1"}], "output": hundredths(*result)});
        let question = asked(Sample {
            scoring_data: json!({"value": {
                "formula": "x", "numeric": {"type": "marginOfError", "margin": hundredths(margin), "margin_type": "absolute"},
                "variables": [{"name": "x", "min": "1", "max": "9", "precision": 0}], "answer_count": "1",
                "generated_solutions": results.iter().map(solution).collect::<Vec<_>>(),
            }}),
            ..Sample::new("formula", "Numeric")
        });
        let variant = drawn.index(results.len());
        let answer = json!(hundredths(results[variant] + off));
        prop_assert_eq!(earned_of(&question, &answer, Some(variant)), whole_if(off.abs() <= margin));
    }
}
