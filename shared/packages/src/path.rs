//! Paths inside of packages.

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
    let decoded = decoded(reference)?;
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
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b'(' | b')' | b',' => {
                encoded.push(char::from(byte));
            }
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// The reference without `%20` and the like; `None` where that is no text.
pub fn decoded(reference: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(reference.len());
    let mut rest = reference.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
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
        for reference in ["../../x", "%2e%2e/%2e%2e/x", "/x", "https://x.test/y", "%zz", "a%00b", ""] {
            assert_eq!(
                resolved("items", reference),
                None.or((reference.is_empty()).then(|| "items".to_owned())),
                "{reference}"
            );
        }
    }

    #[test]
    fn what_is_encoded_is_resolved_to_the_same() {
        let path = "web_resources/ä & b%.png";
        assert_eq!(resolved("", &encoded(path)).as_deref(), Some(path));
    }
}
