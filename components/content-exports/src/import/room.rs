//! How much a quiz may ask, as the API takes it: what is beyond is left out, and told.

use crate::import::texts::Texts;

/// The most questions and stimuli of a new quiz, with what it draws from banks, and the most bytes of them.
const MAX_ITEMS: usize = 1_000;
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The size of something that a quiz asks.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    pub(super) items: usize,
    pub(super) bytes: usize,
}

/// The size of a bank.
#[derive(Clone, Copy, Default)]
pub(super) struct BankSize {
    all: Size,
    largest: usize,
}

impl BankSize {
    pub(super) fn add(&mut self, bytes: usize) {
        self.all.items = self.all.items.saturating_add(1);
        self.all.bytes = self.all.bytes.saturating_add(bytes);
        self.largest = self.largest.max(bytes);
    }

    /// What is drawn of it at most; without a number all.
    pub(super) fn drawn(self, sample: Option<u32>) -> Size {
        let all = self.all;
        let items = sample.and_then(|sample| usize::try_from(sample).ok()).unwrap_or(all.items).min(all.items);
        Size { items: items.max(1), bytes: items.saturating_mul(self.largest).min(all.bytes) }
    }
}

/// What a quiz has room for.
#[derive(Default)]
pub(super) struct Room {
    taken: Size,
}

impl Room {
    /// True if there is room, which is taken then. What has none is told.
    pub(super) fn takes(&mut self, size: Size, about: &str, texts: &mut Texts<'_>) -> bool {
        if self.has(size) {
            return true;
        }
        let most = MAX_BYTES / 1024 / 1024;
        let message = format!(
            "it is left out: with what it draws from banks, a new quiz asks {MAX_ITEMS} questions and texts at most, \
             and {most} MiB of them"
        );
        texts.report.note(about, message);
        false
    }

    fn has(&mut self, size: Size) -> bool {
        let items = self.taken.items.saturating_add(size.items);
        let bytes = self.taken.bytes.saturating_add(size.bytes);
        let has = items <= MAX_ITEMS && bytes <= MAX_BYTES;
        if has {
            self.taken = Size { items, bytes };
        }
        has
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_quiz_has_no_room_for_takes_none() {
        let mut room = Room::default();
        assert!(room.has(Size { items: MAX_ITEMS - 1, bytes: MAX_BYTES - 10 }));
        assert!(!room.has(Size { items: 1, bytes: 11 }) && !room.has(Size { items: 2, bytes: 1 }));
        assert!(room.has(Size { items: 1, bytes: 10 }) && !room.has(Size { items: 1, bytes: 0 }));
    }

    #[test]
    fn a_draw_may_be_of_the_largest() {
        let mut bank = BankSize::default();
        [10, 50, 20].into_iter().for_each(|bytes| bank.add(bytes));
        for (sample, items, bytes) in [(None, 3, 80), (Some(1), 1, 50), (Some(2), 2, 80), (Some(9), 3, 80)] {
            let drawn = bank.drawn(sample);
            assert_eq!((drawn.items, drawn.bytes), (items, bytes), "{sample:?}");
        }
        let nothing = BankSize::default().drawn(None);
        assert_eq!((nothing.items, nothing.bytes), (1, 0));
    }
}
