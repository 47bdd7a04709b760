//! Lines of logs that name a secret: the rest of such a line is one.

use crate::scrub::names::{is_exception, is_secret};

/// The words in the place of a secret where there is none.
const NOTHING: [&str; 8] = ["false", "missing", "nil", "none", "null", "true", "undefined", "unset"];

/// The text before the secret of a line such as `Cookie: …`, `"password" => …` or `export API_KEY = …`.
pub(super) fn before_secret(line: &str) -> Option<&str> {
    // Known once, so that the rest of the line is not looked through at every sign.
    let end = line.trim_end().len();
    line.match_indices([':', '=']).find_map(|(at, sign)| {
        let after = line.get(at.checked_add(1)?..end).filter(|after| !after.is_empty())?;
        let before = line.get(..at)?;
        let separates = match sign {
            // `a::b` is a name.
            ":" => !after.starts_with(':') && !before.ends_with(':'),
            // In `a=b` the value ends before the line does.
            _ => after.starts_with(['>', ' ', '"', '\'']),
        };
        if !separates || name_of_secret(before).is_none() {
            return None;
        }
        let value = after.strip_prefix('>').filter(|_| sign == "=").unwrap_or(after);
        if is_nothing(value) {
            return None;
        }
        line.get(..end.checked_sub(value.len())?)
    })
}

/// The name of a secret with which the text before a separator ends.
pub(super) fn name_of_secret(before: &str) -> Option<&str> {
    let before = before.trim_end_matches([' ', '\t', '"', '\'', '\\', '`', ']']);
    let name = before.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).next()?;
    (is_secret(name) && !is_exception(name)).then_some(name)
}

/// True if a value says that there is none.
pub(super) fn is_nothing(value: &str) -> bool {
    let value = value.trim_start_matches([' ', '\t', '"', '\'']);
    let word = value.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let ends =
        value.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',', '}', ']', ')']));
    ends && NOTHING.iter().any(|nothing| word.eq_ignore_ascii_case(nothing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_kept_up_to_its_secret() {
        for (line, before) in [
            ("Cookie: a=1", "Cookie:"),
            ("cookie:a=1", "cookie:"),
            ("token: X", "token:"),
            ("PRIVATE-TOKEN: X", "PRIVATE-TOKEN:"),
            ("{'token': 'X'}", "{'token':"),
            ("{\\\"token\\\":\\\"X\\\"}", "{\\\"token\\\":"),
            ("export AWS_SECRET_ACCESS_KEY = X", "export AWS_SECRET_ACCESS_KEY ="),
            ("\"password\" => \"X\"", "\"password\" =>"),
            ("user[password]: X", "user[password]:"),
            ("token: nil, secret: X", "token: nil, secret:"),
            ("secret: nothingness", "secret:"),
        ] {
            assert_eq!(before_secret(line), Some(before), "{line}");
        }
        for line in [
            "password:",
            "password: \r",
            "password = \t ",
            "a=b",
            "password=X and more",
            "token: null}",
            "InvalidAuthenticityToken: it is stale",
            "JWT::ExpiredSignature: it has expired",
            "io.jsonwebtoken.ExpiredJwtException: it has expired",
            "at session.rb:12:in `call'",
            "KeyError: key not found: :name",
            "12:30 it broke",
            "",
        ] {
            assert_eq!(before_secret(line), None, "{line}");
        }
    }
}
