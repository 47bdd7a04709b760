//! Numbers as people write them: exact, with the precision at which they are given, and of a bounded size.

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;

use crate::decimal::Decimal;

/// The most characters of a number. Whoever needs more digits writes an exponent.
pub(crate) const MAX_CHARS: usize = 64;
/// The largest exponent, below zero and above: that of a number of 64 bits.
const MAX_EXPONENT: i32 = 308;

/// A decimal number, as it is written.
#[derive(Debug, Clone)]
pub(crate) struct Number {
    decimal: Decimal,
    /// How many digits there are behind leading zeros.
    count: u32,
    /// How many of the digits are zeros at the end of a whole number, which may be significant or not.
    open_zeros: u32,
}

impl Number {
    /// A number such as `-12.50`, `.5`, `1e-7` or `+3`; a typographic minus is one too. `None` for anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.chars().count() > MAX_CHARS {
            return None;
        }
        let (sign, unsigned) = match text.strip_prefix(['-', '\u{2212}']) {
            Some(rest) => (Sign::Minus, rest),
            None => (Sign::Plus, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{decimals}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let significant = all.trim_start_matches('0');
        let is_whole = !mantissa.contains('.');
        let open_zeros = if is_whole { significant.len() - significant.trim_end_matches('0').len() } else { 0 };
        // Of a zero, the decimals tell how precise it is.
        let count = if significant.is_empty() { decimals.len().max(1) } else { significant.len() };
        let digits = BigInt::from_biguint(sign, all.parse().ok()?);
        Some(Self {
            decimal: Decimal::new(digits, exponent - i32::try_from(decimals.len()).ok()?),
            count: u32::try_from(count).ok()?,
            open_zeros: u32::try_from(open_zeros).ok()?,
        })
    }

    /// The number that a JSON number or a column stands for: the shortest decimal that reads as it.
    pub(crate) fn of_f64(number: f64) -> Option<Self> {
        Self::parse(&format!("{number:e}"))
    }

    /// The number, to compute with it.
    pub(crate) fn decimal(&self) -> &Decimal {
        &self.decimal
    }

    /// The exact value. To compute with it may cost as much as hundreds of digits do.
    pub(crate) fn value(&self) -> BigRational {
        self.decimal.value()
    }

    /// True if it is written with that many decimals.
    pub(crate) fn has_decimals(&self, places: u32) -> bool {
        self.decimal.exponent().min(0).unsigned_abs() == places
    }

    /// True if it may have been given with that many significant digits. Zeros at the end of a whole number may be
    /// significant or not.
    pub(crate) fn has_significant_digits(&self, digits: u32) -> bool {
        (self.count.saturating_sub(self.open_zeros)..=self.count).contains(&digits)
    }

    /// The value, rounded to that many decimals, halves away from zero.
    pub(crate) fn rounded_to_decimals(&self, places: u32) -> Decimal {
        self.decimal.rounded_to(i32::try_from(places).unwrap_or(i32::MAX).saturating_neg())
    }

    /// The value, rounded to that many significant digits, halves away from zero.
    pub(crate) fn rounded_to_digits(&self, digits: u32) -> Decimal {
        let dropped = i32::try_from(self.count.saturating_sub(digits)).unwrap_or(i32::MAX);
        self.decimal.rounded_to(self.decimal.exponent().saturating_add(dropped))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.decimal == other.decimal
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.decimal.partial_cmp(&other.decimal)
    }
}

fn parse_exponent(text: &str) -> Option<i32> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_plain = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    let exponent: i32 = text.parse().ok().filter(|_| is_plain)?;
    (-MAX_EXPONENT..=MAX_EXPONENT).contains(&exponent).then_some(exponent)
}

/// True if the answer lies within a margin of the value, the ends included. A margin of percent is one of the value without
/// its sign.
pub(crate) fn is_within(answer: &Number, value: &Number, margin: &Number, is_percent: bool) -> bool {
    let (answer, value, margin) = (&answer.decimal, &value.decimal, &margin.decimal);
    let distance = answer.minus(value).abs();
    if is_percent { distance <= margin.percent_of(&value.abs()) } else { distance <= *margin }
}

/// True if the number is none or more.
pub(crate) fn is_positive_or_zero(number: &Number) -> bool {
    !number.decimal.is_negative()
}

#[cfg(test)]
mod tests {
    use num_traits::Pow;
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn what_is_written_otherwise_is_the_same_number() {
        for (one, other) in [
            ("12.5", "12.50"),
            ("12.5", "+12.5"),
            ("12.5", " 1.25e1 "),
            ("-0.5", "\u{2212}.5"),
            ("0", "-0.000"),
            ("1e3", "1000."),
            ("1E-2", "0.01"),
        ] {
            assert_eq!(number(one), number(other), "{one} {other}");
        }
        assert!(number("0.1") < number("0.10000000000000000000000000001"));
    }

    #[test]
    fn what_is_no_number_is_none() {
        let long = "1".repeat(MAX_CHARS + 1);
        for text in
            ["", ".", "-", "e5", "1e", "1e309", "1e-309", "1,5", "1 000", "0x1f", "inf", "NaN", "1.2.3", "--1", "1e+-3"]
        {
            assert!(Number::parse(text).is_none(), "{text}");
        }
        assert!(Number::parse(&long).is_none());
    }

    #[test]
    fn precision_is_that_of_the_writing() {
        assert!(number("12.50").has_decimals(2) && !number("12.5").has_decimals(2));
        assert!(number("1.250e1").has_decimals(2) && number("1200").has_decimals(0));
        for (text, digits) in
            [("12.50", 4..=4), ("0.0012", 2..=2), ("1200", 2..=4), ("1200.", 4..=4), ("0", 1..=1), ("0.00", 2..=2)]
        {
            for count in 0..9 {
                assert_eq!(number(text).has_significant_digits(count), digits.contains(&count), "{text} {count}");
            }
        }
    }

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (text, places, rounded) in
            [("2.345", 2, "2.35"), ("-2.345", 2, "-2.35"), ("2.3449", 2, "2.34"), ("7", 3, "7")]
        {
            assert_eq!(&number(text).rounded_to_decimals(places), number(rounded).decimal(), "{text}");
        }
        for (text, digits, rounded) in
            [("1250", 2, "1300"), ("0.001249", 2, "0.0012"), ("9.99", 2, "10"), ("5", 9, "5")]
        {
            assert_eq!(&number(text).rounded_to_digits(digits), number(rounded).decimal(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_digit_is_lost(digits in any::<i64>(), places in 0_u32..19) {
            let text = format!("{digits}e-{places}");
            let expected = BigRational::new(BigInt::from(digits), Pow::pow(BigInt::from(10), places));
            prop_assert_eq!(number(&text).value(), expected);
        }

        #[test]
        fn every_text_is_judged_without_a_panic(text in "\\PC{0,80}") {
            let _ = Number::parse(&text);
        }

        #[test]
        fn both_ends_of_a_margin_are_inside(value in -10_000_i64..10_000, margin in 0_i64..1_000) {
            let [value_of, margin_of] = [value, margin].map(|number| Number::parse(&number.to_string()).unwrap());
            for (answer, is_in) in [(value + margin, true), (value - margin, true), (value + margin + 1, false)] {
                prop_assert_eq!(is_within(&number(&answer.to_string()), &value_of, &margin_of, false), is_in);
            }
        }
    }
}
