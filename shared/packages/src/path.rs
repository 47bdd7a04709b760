//! Paths inside of packages.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What does not stand in a reference as it is.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'(')
    .remove(b')')
    .remove(b',');

/// The longest path in bytes.
const MAX_PATH_BYTES: usize = 1024;

/// True if the path leads to a place inside of the package, on every system.
pub fn is_inside(path: &str) -> bool {
    let is_name = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.chars().any(char::is_control);
    path.len() <= MAX_PATH_BYTES && !path.contains(['\\', ':']) && path.split('/').all(is_name)
}

/// The path that a reference means in a file of the package: without query, `%20` and the like decoded, `.` and `..`
/// resolved. `None` if it leads out of the package or to another place altogether.
pub fn resolved(folder: &str, reference: &str) -> Option<String> {
    let reference = reference.split(['?', '#']).next().unwrap_or_default();
    let decoded = decoded(reference);
    if decoded.starts_with('/') || decoded.contains([':', '\\']) {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in decoded.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    is_inside(&path).then_some(path)
}

/// The folder of a file.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path as a reference: what may not stand in an address is encoded.
pub(crate) fn encoded(path: &str) -> String {
    utf8_percent_encode(path, RESERVED).to_string()
}

/// The reference without `%20` and the like.
pub fn decoded(reference: &str) -> Cow<'_, str> {
    percent_decode_str(reference).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        for path in ["imsmanifest.xml", "web_resources/a leaf.png", "a/b.c/..d"] {
            assert!(is_inside(path), "{path}");
        }
        for path in ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", "C:\\x", "a\\b", "a/./b", "a\0b", "c:x"] {
            assert!(!is_inside(path), "{path}");
        }
    }

    #[test]
    fn references_are_resolved() {
        assert_eq!(resolved("items", "../media/a%20leaf.png?x=1").as_deref(), Some("media/a leaf.png"));
        assert_eq!(resolved("", "./a.png").as_deref(), Some("a.png"));
        // What is no code stands for itself.
        assert_eq!(resolved("items", "%zz").as_deref(), Some("items/%zz"));
        assert_eq!(resolved("items", "").as_deref(), Some("items"));
        for reference in ["../../x", "%2e%2e/%2e%2e/x", "/x", "https://x.test/y", "a%00b"] {
            assert_eq!(resolved("items", reference), None, "{reference}");
        }
    }

    #[test]
    fn what_is_encoded_is_resolved_to_the_same() {
        let path = "web_resources/ä & b%.png";
        assert_eq!(resolved("", &encoded(path)).as_deref(), Some(path));
    }
}
