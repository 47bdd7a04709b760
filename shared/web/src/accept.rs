//! The header `Accept`: which of several forms of an answer the client would rather have.

/// True if one of the `wanted` media types is worth more to the client than each of the `others`. A range (`*/*`) names none.
pub fn prefers(accept: &str, wanted: &[&str], others: &[&str]) -> bool {
    worth(accept, wanted) > worth(accept, others)
}

/// The greatest quality that one of the types has; 0 where none is named.
fn worth(accept: &str, types: &[&str]) -> f64 {
    let worths = accept.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|named| types.iter().any(|one| named.eq_ignore_ascii_case(one)));
        let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse::<f64>().ok());
        quality.filter(|_| is_named)
    });
    worths.fold(0.0, f64::max)
}
