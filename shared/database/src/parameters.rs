//! Parameters as SQLite gets to see them.
//!
//! SQLite keeps a prepared statement, but plans it anew when a parameter is bound on which the plan might depend: one that
//! is the limit, or is compared with a column of a table with an index `WHERE … IS NOT NULL`. That is most of them, and
//! Spin and our host clear all parameters after each run: planning took forty times as long as running. In an expression
//! a parameter tells the planner nothing, and the plan stays.

use std::borrow::Cow;

/// What stands around each parameter. Neither its value nor its type is changed.
const BEFORE: &str = "ifnull(";
const AFTER: &str = ", NULL)";

/// The statement with each of its parameters, `?` or `?1`, in an expression. It holds no comment with an apostrophe.
pub(super) fn hidden(sql: &str) -> Cow<'_, str> {
    if !sql.contains('?') {
        return sql.into();
    }
    let mut hidden = String::with_capacity(sql.len() * 2);
    // Every other piece stands between apostrophes. One that is doubled ends a text and begins the next.
    for (number, piece) in sql.split('\'').enumerate() {
        if number > 0 {
            hidden.push('\'');
        }
        if number % 2 == 0 { hide_in(piece, &mut hidden) } else { hidden.push_str(piece) }
    }
    hidden.into()
}

fn hide_in(piece: &str, hidden: &mut String) {
    let mut pieces = piece.split('?');
    hidden.extend(pieces.next());
    for piece in pieces {
        let rest = piece.trim_start_matches(|character: char| character.is_ascii_digit());
        let digits = piece.strip_suffix(rest).unwrap_or_default();
        hidden.extend([BEFORE, "?", digits, AFTER, rest]);
    }
}

#[cfg(test)]
mod tests {
    use super::hidden;

    #[test]
    fn parameters_stand_in_expressions() {
        assert_eq!(hidden("SELECT 1"), "SELECT 1");
        assert_eq!(hidden("a = ? AND b = ?12"), "a = ifnull(?, NULL) AND b = ifnull(?12, NULL)");
        assert_eq!(hidden("(?1,?2) LIMIT ?3"), "(ifnull(?1, NULL),ifnull(?2, NULL)) LIMIT ifnull(?3, NULL)");
    }

    #[test]
    fn texts_stay_as_they_are() {
        assert_eq!(hidden("a GLOB 'x?1*' || ?1"), "a GLOB 'x?1*' || ifnull(?1, NULL)");
        assert_eq!(hidden("'it''s ?' = ?1 || '?'"), "'it''s ?' = ifnull(?1, NULL) || '?'");
        assert_eq!(hidden("'é?' = ?1"), "'é?' = ifnull(?1, NULL)");
    }
}
