//! Names of files and folders.

use web::error::{Error, Result};
use web::params;

/// The longest name of a file or folder, in characters.
pub const MAX_NAME_CHARS: usize = 255;

/// The name that a client gives a file or folder. 400 unless it can have it.
pub fn require_name(given: &str) -> Result<&str> {
    let name = given.trim();
    if name.is_empty() {
        return Err(Error::invalid("name", "blank", "can't be blank"));
    }
    if leads_nowhere(name) || name.contains(['/', '\\']) || name.chars().any(char::is_control) {
        return Err(Error::invalid("name", "invalid", "must not contain slashes, and not be a dot or two"));
    }
    params::not_too_long("name", name, MAX_NAME_CHARS)?;
    Ok(name)
}

/// The name of an upload: the last part of what the client calls it, without what no name has. 400 where nothing is left.
pub(super) fn name_of_upload(given: &str) -> Result<String> {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !c.is_control()).collect();
    if leads_nowhere(name.trim()) {
        return Err(Error::missing("name"));
    }
    require_name(&name).map(str::to_owned)
}

/// The names that a path consists of.
pub fn names_of_path(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').map(str::trim).filter(|name| !leads_nowhere(name))
}

/// True for a part of a path that leads to nothing in the folder before it.
fn leads_nowhere(part: &str) -> bool {
    matches!(part, "" | "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_upload_is_no_path() {
        for (given, kept) in [
            ("leaf.png", "leaf.png"),
            ("../../etc/passwd", "passwd"),
            ("C:\\docs\\leaf.png", "leaf.png"),
            (" a\u{0}b\n.txt ", "ab.txt"),
        ] {
            assert_eq!(name_of_upload(given).unwrap(), kept);
        }
        for given in ["", "/", "..", "a/..", "\n"] {
            assert!(name_of_upload(given).is_err(), "{given:?}");
        }
        assert!(name_of_upload(&"x".repeat(300)).is_err());
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_refused() {
        assert_eq!(require_name(" leaf.png ").unwrap(), "leaf.png");
        for given in ["", " ", ".", "..", "a/b", "a\\b", "a\u{0}b"] {
            assert!(require_name(given).is_err(), "{given:?}");
        }
        assert_eq!(require_name(&"x".repeat(MAX_NAME_CHARS)).unwrap().len(), MAX_NAME_CHARS);
        assert!(require_name(&"x".repeat(MAX_NAME_CHARS + 1)).is_err());
    }

    #[test]
    fn a_path_leads_down_alone() {
        assert_eq!(names_of_path("/a/ b /./../c//").collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
