//! Decimals, computed at a cost that their digits bound and their exponents do not: ten characters may stand for a number of
//! three hundred digits.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

/// A number that lies so many digits below another is nothing beside it.
const MAX_GAP: i64 = 128;

/// A whole number, times a power of ten.
#[derive(Debug, Clone)]
pub(crate) struct Decimal {
    digits: BigInt,
    exponent: i32,
}

impl Decimal {
    pub(crate) fn new(digits: BigInt, exponent: i32) -> Self {
        Self { digits, exponent }
    }

    pub(crate) fn exponent(&self) -> i32 {
        self.exponent
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.digits.is_negative()
    }

    /// The exact value: it may have hundreds of digits.
    pub(crate) fn value(&self) -> BigRational {
        let power = BigInt::from(ten_to(self.exponent));
        let unit = if self.exponent < 0 {
            BigRational::new_raw(BigInt::one(), power)
        } else {
            BigRational::from_integer(power)
        };
        BigRational::from_integer(self.digits.clone()) * unit
    }

    /// The value without its sign.
    pub(crate) fn abs(&self) -> Self {
        Self::new(self.digits.abs(), self.exponent)
    }

    /// The difference, to [`MAX_GAP`] digits at least.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        if other.is_nothing_beside(self) {
            return self.clone();
        }
        if self.is_nothing_beside(other) {
            return Self::new(-other.digits.clone(), other.exponent);
        }
        let exponent = self.exponent.min(other.exponent);
        Self::new(self.digits_at(exponent) - other.digits_at(exponent), exponent)
    }

    /// So many percent of another.
    pub(crate) fn percent_of(&self, other: &Self) -> Self {
        Self::new(&self.digits * &other.digits, self.exponent.saturating_add(other.exponent).saturating_sub(2))
    }

    /// The value as a multiple of that power of ten, halves away from zero.
    pub(crate) fn rounded_to(&self, exponent: i32) -> Self {
        let dropped = exponent.saturating_sub(self.exponent);
        if dropped <= 0 {
            return self.clone();
        }
        if self.size() + 1 < i64::from(exponent) {
            return Self::new(BigInt::zero(), exponent);
        }
        let unit = ten_to(dropped);
        let rounded = (self.digits.magnitude() + &unit / 2_u32) / unit;
        Self::new(BigInt::from_biguint(self.digits.sign(), rounded), exponent)
    }

    /// The number of units of that power of ten, rounded; `None` where it has more than 128 bits.
    pub(crate) fn units(&self, exponent: i32) -> Option<i128> {
        let rounded = self.rounded_to(exponent);
        let is_small = rounded.digits.is_zero() || rounded.size() - i64::from(exponent) < MAX_GAP;
        if is_small { rounded.digits_at(exponent).to_i128() } else { None }
    }

    fn is_nothing_beside(&self, other: &Self) -> bool {
        let is_far_below = || !other.digits.is_zero() && other.size() - self.size() > MAX_GAP;
        self.digits.is_zero() || is_far_below()
    }

    /// The logarithm to ten, at most one too small and never too large by a third.
    fn size(&self) -> i64 {
        let digits = self.digits.bits().saturating_mul(30_103) / 100_000;
        i64::from(self.exponent) + i64::try_from(digits).unwrap_or(i64::MAX / 2)
    }

    /// The digits with that exponent, which is no larger than its own.
    fn digits_at(&self, exponent: i32) -> BigInt {
        if self.digits.is_zero() {
            BigInt::zero()
        } else {
            &self.digits * BigInt::from(ten_to(self.exponent - exponent))
        }
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = self.digits.sign().cmp(&other.digits.sign());
        if signs.is_ne() || self.digits.is_zero() {
            return signs;
        }
        let (own, others) = (self.size(), other.size());
        match own.cmp(&others) {
            // Only numbers of about the same size need all their digits.
            _ if own.abs_diff(others) < 2 => {
                let exponent = self.exponent.min(other.exponent);
                self.digits_at(exponent).cmp(&other.digits_at(exponent))
            }
            sizes if self.is_negative() => sizes.reverse(),
            sizes => sizes,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal {}

/// Ten to the power of the exponent without its sign.
fn ten_to(exponent: i32) -> BigUint {
    Pow::pow(BigUint::from(10_u32), exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(digits: i64, exponent: i32) -> Decimal {
        Decimal::new(BigInt::from(digits), exponent)
    }

    /// The most bits that a result may have: those of a few numbers of a hundred digits.
    const FEW_BITS: u64 = 1_000;

    #[test]
    fn no_result_has_more_digits_than_its_numbers_need() {
        let numbers = [(1, 372), (-7, 372), (0, 372), (9, 0), (1, -372), (-3, -372), (0, -372)];
        for one in numbers.map(|(digits, exponent)| decimal(digits, exponent)) {
            for other in numbers.map(|(digits, exponent)| decimal(digits, exponent)) {
                let results = [one.minus(&other), one.percent_of(&other), one.rounded_to(-2), one.rounded_to(40)];
                assert!(results.iter().all(|result| result.digits.bits() < FEW_BITS), "{results:?}");
            }
        }
    }

    #[test]
    fn what_lies_far_below_a_number_is_nothing_beside_it() {
        let (large, small) = (decimal(1, 300), decimal(1, -300));
        assert_eq!(large.minus(&small), large);
        assert_eq!(small.minus(&large), decimal(-1, 300));
        assert_eq!((small.minus(&decimal(0, 300)), decimal(0, 300).minus(&small)), (small, decimal(-1, -300)));
        assert_eq!(decimal(1, 60).minus(&decimal(1, -60)).value(), decimal(1, 60).value() - decimal(1, -60).value());
    }

    #[test]
    fn units_are_counted_where_they_fit() {
        assert_eq!(decimal(12_345, -4).units(-3), Some(1_235));
        assert_eq!((decimal(1, -300).units(-9), decimal(0, 300).units(-9)), (Some(0), Some(0)));
        assert_eq!(decimal(1, 300).units(-9), None);
    }

    proptest! {
        #[test]
        fn decimals_are_what_their_values_are(
            one: i64, places in -400_i32..400, other: i64, off in -40_i32..40, to in -40_i32..40,
        ) {
            let (one, other) = (decimal(one, places), decimal(other, places + off));
            prop_assert_eq!(one.cmp(&other), one.value().cmp(&other.value()));
            prop_assert_eq!(one.minus(&other).value(), one.value() - other.value());
            let percent = one.value() * other.value() / BigInt::from(100);
            prop_assert_eq!(one.percent_of(&other).value(), percent);
            let unit = decimal(1, places + to);
            let rounded = (one.value() / unit.value()).round() * unit.value();
            prop_assert_eq!(one.rounded_to(places + to).value(), if to > 0 { rounded } else { one.value() });
        }
    }
}
