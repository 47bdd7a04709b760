//! The limits of questions to lists: every value costs a look at every record.

use shared::{Error, Result, params};

const MAX_LIST_VALUES: usize = 100;
const MAX_VALUE_CHARS: usize = 255;

/// Refuses more values, or longer ones, than anybody filters by.
pub(crate) fn filter(name: &str, values: &[String]) -> Result<()> {
    if values.len() > MAX_LIST_VALUES {
        return Err(Error::bad_request(format!("{name} has more than {MAX_LIST_VALUES} values")));
    }
    values.iter().try_for_each(|value| params::not_too_long(name, value, MAX_VALUE_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_has_a_hundred_values_of_the_length_of_a_name() {
        assert!(filter("content_types", &vec!["image".to_owned(); 100]).is_ok());
        assert!(filter("content_types", &vec!["image".to_owned(); 101]).is_err());
        assert!(filter("content_types", &["x".repeat(256)]).is_err());
    }
}
