//! Exact fractions: what an answer earns of the points of a question.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use crate::number::Number;

/// The decimals of points that count: more have no effect on a score, and would make each fraction of it long.
const POINT_DECIMALS: u32 = 20;

/// An exact number: a part of a question's points, or points.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fraction(BigRational);

impl Fraction {
    /// Nothing.
    pub fn zero() -> Self {
        Self(BigRational::zero())
    }

    /// The whole.
    pub fn one() -> Self {
        Self(BigRational::one())
    }

    /// So many parts of so many; nothing where there are none.
    pub fn of_parts(count: usize, all: usize) -> Self {
        if all == 0 { Self::zero() } else { Self(BigRational::new(BigInt::from(count), BigInt::from(all))) }
    }

    /// The number that a column or a field of JSON has, as it is written: 0.1 is a tenth. Nothing for what is no number.
    pub fn of_number(number: f64) -> Self {
        Number::of_f64(number).map_or_else(Self::zero, |number| Self(number.value()))
    }

    /// This part of a question's points, which count to twenty decimals, exact: add such parts up before you round.
    pub fn of_points(&self, possible: f64) -> Self {
        let possible = Number::of_f64(possible).map(|number| number.rounded_to_decimals(POINT_DECIMALS).value());
        self.clone() * possible.map_or_else(Self::zero, Self)
    }

    /// The nearest number of 64 bits.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().unwrap_or_default()
    }

    /// True if it is nothing.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// This as a part of another; nothing where that is nothing.
    pub(crate) fn over(self, whole: &Self) -> Self {
        if whole.is_zero() { Self::zero() } else { Self(self.0 / &whole.0) }
    }

    /// This, or zero where it is less.
    pub(crate) fn not_negative(self) -> Self {
        self.max(Self::zero())
    }
}

impl Add for Fraction {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Fraction {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul for Fraction {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl Sum for Fraction {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::zero(), Add::add)
    }
}

/// `1/3`, or `2` for a whole number.
impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_make_a_whole() {
        let third = Fraction::of_parts(1, 3).of_points(0.1);
        let whole: Fraction = [third.clone(), third.clone(), third].into_iter().sum();
        assert_eq!(whole, Fraction::of_parts(1, 10));
        assert!((whole.to_f64() - 0.1).abs() < f64::EPSILON);
        assert_eq!(whole.to_string(), "1/10");
    }

    #[test]
    fn nothing_of_nothing_is_nothing() {
        assert!(Fraction::of_parts(3, 0).is_zero());
        assert!(Fraction::one().over(&Fraction::zero()).is_zero());
        assert!(Fraction::of_number(f64::NAN).is_zero());
        assert_eq!(Fraction::of_number(1e-300).of_points(1e300), Fraction::one());
    }

    #[test]
    fn points_count_to_twenty_decimals() {
        assert!(Fraction::of_parts(1, 3).of_points(1e-300).is_zero());
        assert_eq!(Fraction::one().of_points(1.5e-20), Fraction::of_number(2e-20));
        assert_eq!(Fraction::one().of_points(0.1 + 0.2), Fraction::of_number(0.1 + 0.2));
    }
}
