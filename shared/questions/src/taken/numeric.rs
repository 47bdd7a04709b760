//! Numeric: a number, as text or as a number of JSON.

use serde_json::{Value, json};

use crate::draw::Showing;
use crate::number::{MAX_CHARS, Number, is_within};
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::formula::MarginType;
use crate::types::numeric::{Numeric, PrecisionType, Response, ResponseType};

impl Taken for Numeric {
    type Response<'a> = Number;

    fn read<'a>(_: &Draft<Self>, response: &Part<'a>) -> Read<Option<Number>> {
        read_number(response)
    }

    fn score(asked: &Draft<Self>, answer: Number, _: Option<usize>) -> Read<Score> {
        let matched = asked.scoring_data.value.iter().find(|accepted| accepted.matches(&answer));
        Ok(Score::single(matched.map_or("", |accepted| accepted.id.as_str()), matched.is_some()))
    }

    fn show(_: &Draft<Self>, _: &mut Showing) -> Value {
        json!({})
    }
}

/// The number that a response is; `None` where it is blank.
pub(super) fn read_number(response: &Part<'_>) -> Read<Option<Number>> {
    if response.is_nothing() {
        return Ok(None);
    }
    let number = match response.value {
        Value::Number(number) => Number::parse(&number.to_string()),
        _ => Number::parse(response.text(MAX_CHARS)?),
    };
    match number {
        Some(number) => Ok(Some(number)),
        None => response.refuse("must be a number, such as 12, -0.5 or 1.2e-3"),
    }
}

impl Response {
    fn matches(&self, answer: &Number) -> bool {
        let (value, start, end) = (&self.value, &self.start, &self.end);
        match (self.r#type, value, start, end) {
            (ResponseType::ExactResponse, Some(value), _, _) => answer == value.number(),
            (ResponseType::MarginOfError, Some(value), _, _) => {
                let is_percent = matches!(self.margin_type, Some(MarginType::Percent));
                self.margin
                    .as_ref()
                    .is_some_and(|margin| is_within(answer, value.number(), margin.number(), is_percent))
            }
            (ResponseType::WithinARange, _, Some(start), Some(end)) => {
                (start.number()..=end.number()).contains(&answer)
            }
            (ResponseType::PreciseResponse, Some(value), _, _) => self
                .precision
                .as_ref()
                .is_some_and(|precision| self.is_precise(answer, value.number(), precision.value())),
            _ => false,
        }
    }

    /// True if the answer is the value, rounded to the precision, and is given at that precision.
    fn is_precise(&self, answer: &Number, value: &Number, precision: u32) -> bool {
        match self.precision_type {
            Some(PrecisionType::Decimals) => {
                answer.has_decimals(precision) && *answer.decimal() == value.rounded_to_decimals(precision)
            }
            Some(PrecisionType::SignificantDigits) => {
                answer.has_significant_digits(precision) && *answer.decimal() == value.rounded_to_digits(precision)
            }
            None => false,
        }
    }
}
