//! The parameters of a statement: `?` or `?1`, wherever they stand outside its texts.
//!
//! Each request of an endpoint joins the same statements anew, so what is made of each is kept. They hold no comment with an
//! apostrophe.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use memchr::{memchr, memchr_iter};

use super::derived::Derived;

/// What stands around a parameter that the planner is not to see. Neither its value nor its type is changed.
const BEFORE: &str = "ifnull(";
const AFTER: &str = ", NULL)";

thread_local! {
    static HIDDEN: Derived = Derived::default();
    /// By the number that was added.
    static RENUMBERED: RefCell<BTreeMap<usize, Derived>> = const { RefCell::new(BTreeMap::new()) };
}

/// The statement with each of its parameters in an expression.
///
/// SQLite keeps a prepared statement, but plans it anew when a parameter is bound on which the plan might depend: one that
/// is the limit, or is compared with a column of a table with an index `WHERE … IS NOT NULL`. That is most of them, and
/// Spin and our host clear all parameters after each run: planning took forty times as long as running. In an expression
/// a parameter tells the planner nothing, and the plan stays.
pub(super) fn hidden(sql: &str) -> Rc<str> {
    HIDDEN.with(|known| known.of(sql, hide))
}

fn hide(sql: &str) -> String {
    with_parameters(sql, |statement, digits| statement.extend([BEFORE, "?", digits, AFTER]))
}

/// The statement with each `?1`, `?2`, … numbered by so many more, to stand behind one with so many values.
pub fn renumbered(sql: &str, by: usize) -> Rc<str> {
    RENUMBERED.with_borrow_mut(|known| known.entry(by).or_default().of(sql, |sql| renumber(sql, by)))
}

fn renumber(sql: &str, by: usize) -> String {
    with_parameters(sql, |statement, digits| {
        let number = digits.parse::<usize>().unwrap_or_default() + by;
        statement.push('?');
        statement.push_str(&number.to_string());
    })
}

/// The statement, whose parameters `push` writes, each from its digits.
fn with_parameters(sql: &str, mut push: impl FnMut(&mut String, &str)) -> String {
    let mut statement = String::with_capacity(sql.len() + sql.len() / 2);
    let (mut rest, mut in_text) = (sql, false);
    while let Some((before, after)) = split_at_mark(rest) {
        statement.push_str(before);
        // An apostrophe that is doubled ends a text and begins the next.
        in_text ^= memchr_iter(b'\'', before.as_bytes()).count() % 2 == 1;
        if in_text {
            statement.push('?');
            rest = after;
        } else {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let (digits, after) = after.split_at(digits);
            push(&mut statement, digits);
            rest = after;
        }
    }
    statement.push_str(rest);
    statement
}

/// The texts before and behind the next question mark.
fn split_at_mark(sql: &str) -> Option<(&str, &str)> {
    let (before, from_mark) = sql.split_at(memchr(b'?', sql.as_bytes())?);
    Some((before, from_mark.strip_prefix('?')?))
}

#[cfg(test)]
mod tests {
    use super::{hide, renumber};

    #[test]
    fn parameters_stand_in_expressions() {
        assert_eq!(hide("SELECT 1"), "SELECT 1");
        assert_eq!(hide("a = ? AND b = ?12"), "a = ifnull(?, NULL) AND b = ifnull(?12, NULL)");
        assert_eq!(hide("(?1,?2) LIMIT ?3"), "(ifnull(?1, NULL),ifnull(?2, NULL)) LIMIT ifnull(?3, NULL)");
    }

    #[test]
    fn texts_stay_as_they_are() {
        assert_eq!(hide("a GLOB 'x?1*' || ?1"), "a GLOB 'x?1*' || ifnull(?1, NULL)");
        assert_eq!(hide("'it''s ?' = ?1 || '?'"), "'it''s ?' = ifnull(?1, NULL) || '?'");
        assert_eq!(hide("'é?' = ?1"), "'é?' = ifnull(?1, NULL)");
    }

    #[test]
    fn parameters_are_numbered_on_and_texts_are_left_alone() {
        let sql = "SELECT ?1, '?2', ifnull(?12, 'it''s ?3') FROM t WHERE a = ?2";
        assert_eq!(renumber(sql, 3), "SELECT ?4, '?2', ifnull(?15, 'it''s ?3') FROM t WHERE a = ?5");
        assert_eq!(renumber(sql, 0), sql);
    }
}
