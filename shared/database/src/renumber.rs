//! Two statements as one: the values of the second are numbered after those of the first.

/// The statement with each `?1`, `?2`, … numbered by so many more.
pub fn renumbered(sql: &str, by: usize) -> String {
    let mut renumbered = String::with_capacity(sql.len() + 16);
    // Text between quotation marks is no parameter: the parts of even place stand outside.
    for (place, part) in sql.split('\'').enumerate() {
        if place > 0 {
            renumbered.push('\'');
        }
        match place % 2 {
            0 => push_renumbered(&mut renumbered, part, by),
            _ => renumbered.push_str(part),
        }
    }
    renumbered
}

fn push_renumbered(text: &mut String, part: &str, by: usize) {
    let mut pieces = part.split('?');
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let digits = piece.len() - piece.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = piece.split_at(digits);
        let number = number.parse::<usize>().unwrap_or_default();
        text.push_str(&format!("?{}{rest}", number + by));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_on_and_texts_are_left_alone() {
        let sql = "SELECT ?1, '?2', ifnull(?12, 'it''s ?3') FROM t WHERE a = ?2";
        assert_eq!(renumbered(sql, 3), "SELECT ?4, '?2', ifnull(?15, 'it''s ?3') FROM t WHERE a = ?5");
        assert_eq!(renumbered(sql, 0), sql);
    }
}
