//! Numbers of telephones.

/// The fewest and the most digits of a number with its country code, by E.164.
const MIN_DIGITS: usize = 7;
const MAX_DIGITS: usize = 15;
/// The characters that people write between the digits.
const BETWEEN: [char; 6] = [' ', '-', '.', '/', '(', ')'];

/// The number as E.164 writes it; none where the text is no number with its country code.
pub fn dialled(text: &str) -> Option<String> {
    let number: String = text.strip_prefix('+')?.chars().filter(|c| !BETWEEN.contains(c)).collect();
    let is_number = number.bytes().all(|digit| digit.is_ascii_digit()) && !number.starts_with('0');
    (is_number && (MIN_DIGITS..=MAX_DIGITS).contains(&number.len())).then(|| format!("+{number}"))
}

/// The text without what people write between the digits: of a number the same as [`dialled`].
pub(super) fn undivided(text: &str) -> String {
    text.chars().filter(|c| !BETWEEN.contains(c)).collect()
}

/// [`undivided`] of a column, as an expression.
pub(super) fn undivided_sql(column: &str) -> String {
    BETWEEN.iter().fold(column.to_owned(), |text, between| format!("replace({text}, '{between}', '')"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_however_it_is_spaced() {
        for text in ["+15550100", "+1 555 0100", "+1 (555) 01-00", "+1.555.01/00"] {
            assert_eq!(dialled(text).as_deref(), Some("+15550100"), "{text}");
            assert_eq!(undivided(text), "+15550100");
        }
        for text in
            ["", "+", "15550100", "+1 555", "+0155501000", "+1555010a", "+1234567890123456", "++15550100", "+１5550100"]
        {
            assert_eq!(dialled(text), None, "{text}");
        }
    }
}
