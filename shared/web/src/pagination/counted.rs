//! The count of a list's rows, without what its columns cost.

use std::rc::Rc;

use database::Derived;
use memchr::memchr3_iter;

thread_local! {
    static COUNTS: Derived = Derived::default();
}

/// The number of rows of a list, as an expression. SQLite works out no columns that nobody asks for, but in a statement that
/// refers to one around it, as lists refer to their caller, it works out all of them, for each row of the list. So a plain
/// statement is counted without its columns and its order, and so is one within another that only gives its rows an order.
pub(super) fn count_sql(sql: &str) -> Rc<str> {
    COUNTS.with(|known| known.of(sql, count))
}

fn count(sql: &str) -> String {
    match source(sql) {
        Some(source) => match only_statement(source) {
            Some(statement) => count(statement),
            None => format!("(SELECT count(*) {source})"),
        },
        None => format!("(SELECT count(*) FROM ({sql}))"),
    }
}

/// The statement in parentheses, where a source is nothing else.
fn only_statement(source: &str) -> Option<&str> {
    let outside: String = outer_texts(source).map(|(_, text)| text).collect();
    let within = source.strip_prefix("FROM")?.trim().strip_prefix('(')?.strip_suffix(')')?;
    (outside.trim() == "FROM" && within.trim_start().starts_with("SELECT")).then_some(within)
}

/// The words after which a statement is no plain one: what it selects decides how many rows it has.
const NOT_PLAIN: [&str; 8] = ["WITH", "DISTINCT", "GROUP", "HAVING", "UNION", "EXCEPT", "INTERSECT", "LIMIT"];

/// The part of a plain statement that stands behind its columns and before its order.
fn source(sql: &str) -> Option<&str> {
    let (mut from, mut order) = (None, sql.len());
    let mut before = "";
    for (at, word) in outer_words(sql) {
        match word {
            // Two values are compared.
            "FROM" if before == "DISTINCT" => {}
            "FROM" if from.is_none() => from = Some(at),
            "ORDER" => order = at,
            _ => {}
        }
        let compares = word == "DISTINCT" && matches!(before, "IS" | "NOT");
        if NOT_PLAIN.contains(&word) && !compares {
            return None;
        }
        before = word;
    }
    sql.get(from?..order)
}

/// The words of a statement that stand in no parentheses and no text, and where they begin.
fn outer_words(sql: &str) -> impl Iterator<Item = (usize, &str)> {
    outer_texts(sql).flat_map(|(mut at, text)| {
        text.split_inclusive(is_between_words).filter_map(move |word| {
            let begins = at;
            at += word.len();
            Some((begins, word.trim_end_matches(is_between_words))).filter(|(_, word)| !word.is_empty())
        })
    })
}

fn is_between_words(character: char) -> bool {
    !character.is_alphanumeric() && character != '_'
}

/// The parts of a statement that stand in no parentheses and no text, and where they begin.
fn outer_texts(sql: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut depth, mut in_text, mut begins) = (0_usize, false, 0);
    memchr3_iter(b'(', b')', b'\'', sql.as_bytes()).chain([sql.len()]).filter_map(move |at| {
        let text = (depth == 0 && !in_text).then(|| Some((begins, sql.get(begins..at)?))).flatten();
        match sql.as_bytes().get(at) {
            Some(b'\'') => in_text = !in_text,
            Some(b'(') if !in_text => depth += 1,
            Some(b')') if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        begins = at + 1;
        text
    })
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn a_plain_list_is_counted_without_columns_and_order() {
        let counted = |columns: &str, source: &str| {
            let sql = format!("SELECT {columns}\n{source} ORDER BY lower(name), id");
            assert_eq!(count(&sql), format!("(SELECT count(*) {source} )"));
        };
        counted("id", "FROM t");
        counted(
            "id, (SELECT name FROM u WHERE u.id = t.id ORDER BY 1 LIMIT 1) AS name",
            "FROM t JOIN u ON u.id = t.id",
        );
        counted("'FROM (', a IS NOT DISTINCT FROM b AS same", "FROM t WHERE c IN (SELECT c FROM u UNION SELECT 1)");
        counted("from_date, t.\"order\"", "FROM (SELECT DISTINCT a FROM t GROUP BY a) t WHERE 'it''s (' = a");
        assert_eq!(count("SELECT a FROM t"), "(SELECT count(*) FROM t)");
    }

    #[test]
    fn a_list_within_another_is_counted_as_if_it_stood_alone() {
        let plain = "(SELECT count(*) FROM t )";
        assert_eq!(count("SELECT * FROM (SELECT a, (SELECT 1) AS b FROM t ORDER BY a) ORDER BY b"), plain);
        assert_eq!(count("SELECT b FROM (SELECT * FROM (SELECT a AS b FROM t ORDER BY a) ORDER BY b)"), plain);
        for source in ["FROM (SELECT a FROM t) WHERE a", "FROM (SELECT a FROM t), (SELECT b FROM u)", "FROM (t)"] {
            assert_eq!(count(&format!("SELECT a {source}")), format!("(SELECT count(*) {source})"));
        }
        assert_eq!(
            count("SELECT a FROM (SELECT DISTINCT a FROM t) ORDER BY a"),
            "(SELECT count(*) FROM (SELECT DISTINCT a FROM t))"
        );
    }

    #[test]
    fn any_other_is_counted_as_it_is() {
        for sql in [
            "SELECT DISTINCT a FROM t ORDER BY a",
            "SELECT a, count(*) FROM t GROUP BY a ORDER BY a",
            "SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY 1",
            "SELECT a FROM t ORDER BY a LIMIT 5",
            "WITH t AS (SELECT 1 AS a) SELECT a FROM t",
            "SELECT 1",
        ] {
            assert_eq!(count(sql), format!("(SELECT count(*) FROM ({sql}))"));
        }
    }
}
