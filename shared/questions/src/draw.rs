//! Draws from a seed: the same seed gives the same draw on every machine, today and in later versions.
//!
//! The generator is `SplitMix64` (Steele, Lea and Flood, 2014). A number below `n` is the remainder of the first output that is
//! not below `2^64 mod n`, so that none is likelier than another. A list is shuffled as Fisher and Yates do, from its last
//! place to its second: each place swaps with one of those up to itself.

use std::collections::BTreeSet;

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A generator of numbers that its seed repeats.
#[derive(Debug, Clone)]
pub struct Draw {
    state: u64,
}

impl Draw {
    /// The draw of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number of 64 bits.
    pub fn next_number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below the limit, all equally likely; 0 where the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let Some(limit) = u64::try_from(limit).ok().filter(|limit| *limit > 0) else { return 0 };
        let uneven = limit.wrapping_neg() % limit;
        let drawn = loop {
            let number = self.next_number();
            if number >= uneven {
                break number % limit;
            }
        };
        usize::try_from(drawn).unwrap_or_default()
    }

    /// Shuffles the list, every order equally likely.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }

    /// Shuffles the list, but for what stands at the places that are locked, counted from 0.
    pub fn shuffle_but<T>(&mut self, list: Vec<T>, locked: &BTreeSet<usize>) -> Vec<T> {
        let count = list.len();
        let (fixed, free): (Vec<_>, Vec<_>) =
            list.into_iter().enumerate().partition(|(place, _)| locked.contains(place));
        let mut free: Vec<_> = free.into_iter().map(|(_, own)| own).collect();
        self.shuffle(&mut free);
        let (mut fixed, mut free) = (fixed.into_iter().map(|(_, own)| own), free.into_iter());
        (0..count).filter_map(|place| if locked.contains(&place) { fixed.next() } else { free.next() }).collect()
    }

    /// So many of the list, in the order in which they were drawn; all of them where it has no more.
    pub fn sample<T>(&mut self, mut list: Vec<T>, count: usize) -> Vec<T> {
        self.shuffle(&mut list);
        list.truncate(count);
        list
    }
}

/// A seed of its own for a part of what the seed draws, such as an item of a session, whose draw then tells nothing about
/// that of another.
pub fn seed_of(seed: u64, part: u64) -> u64 {
    let key = Draw::new(part).next_number();
    Draw::new(seed ^ key).next_number()
}

/// What decides how a question is shown.
pub(crate) struct Showing {
    pub(crate) draw: Draw,
    pub(crate) variant: Option<usize>,
    pub(crate) shuffle_answers: bool,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_numbers_are_those_that_are_published() {
        let mut draw = Draw::new(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        for number in published {
            assert_eq!(draw.next_number(), number);
        }
    }

    #[test]
    fn a_seed_draws_the_same_for_ever() {
        let mut list: Vec<_> = (0..10).collect();
        Draw::new(7).shuffle(&mut list);
        assert_eq!(list, [8, 1, 5, 9, 0, 4, 3, 2, 6, 7]);
        assert_eq!(Draw::new(7).sample((0..10).collect(), 3), [8, 1, 5]);
        assert_eq!((seed_of(7, 1), seed_of(7, 2)), (8_581_286_081_765_471_666, 1_988_111_358_474_182_198));
    }

    #[test]
    fn every_order_is_as_likely_as_another() {
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..6_000 {
            let mut list = [0, 1, 2];
            Draw::new(seed).shuffle(&mut list);
            *counts.entry(list).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }

    proptest! {
        #[test]
        fn what_is_locked_stays_and_nothing_is_lost(seed: u64, count in 0_usize..40, places in prop::collection::btree_set(0_usize..50, 0..10)) {
            let list: Vec<_> = (0..count).collect();
            let mut shuffled = Draw::new(seed).shuffle_but(list.clone(), &places);
            for place in places.iter().filter(|place| **place < count) {
                prop_assert_eq!(shuffled.get(*place), Some(place));
            }
            shuffled.sort_unstable();
            prop_assert_eq!(shuffled, list);
        }
    }
}
