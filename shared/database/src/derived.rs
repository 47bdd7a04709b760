//! Texts that are derived from statements: each once for an instance, which answers many requests with the same statements.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use foldhash::fast::FixedState;

/// The most statements whose texts are kept. A component has fewer; one that makes ever new ones begins anew with this many.
const MAX_KEPT: usize = 512;

/// The texts that were derived in one way, by the statements that they were derived from.
#[derive(Default)]
pub struct Derived(RefCell<HashMap<Box<str>, Rc<str>, FixedState>>);

impl Derived {
    /// The text that `derive` makes of a statement. It is made of that statement alone.
    pub fn of(&self, sql: &str, derive: impl FnOnce(&str) -> String) -> Rc<str> {
        let known = self.0.borrow().get(sql).map(Rc::clone);
        known.unwrap_or_else(|| {
            let derived: Rc<str> = derive(sql).into();
            let mut kept = self.0.borrow_mut();
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            kept.insert(sql.into(), Rc::clone(&derived));
            derived
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_derived_once() {
        let derived = Derived::default();
        assert_eq!(&*derived.of("SELECT 1", |sql| format!("({sql})")), "(SELECT 1)");
        assert_eq!(&*derived.of("SELECT 1", |_| "SELECT 3".to_owned()), "(SELECT 1)");
        assert_eq!(&*derived.of("SELECT 2", |sql| format!("({sql})")), "(SELECT 2)");
    }

    #[test]
    fn ever_new_statements_take_no_more_than_their_room() {
        let derived = Derived::default();
        for number in 0..3 * MAX_KEPT {
            derived.of(&format!("SELECT {number}"), str::to_owned);
        }
        assert!(derived.0.borrow().len() <= MAX_KEPT);
    }
}
