//! The addresses of what content refers to: in a course, in a package, and in the files of a package.

use std::borrow::Cow;

use crate::opening::Opening;
use crate::references::Reference;
use crate::{html, path};

/// What an address of the HTML leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// A file, by its path in the package.
    File(String, Opening),
    /// Something else of the course, in the words of the reference system.
    Reference(String),
}

/// Given an address of the HTML, what it leads to; `None` leaves the address as it is.
pub type Links<'a> = dyn Fn(&str) -> Option<Link> + 'a;

/// The words that the reference importer puts before the paths of a course's files.
const FILE_BASE: &str = "$IMS-CC-FILEBASE$/";
/// The paths at which it expects these files in a package.
pub(crate) const FILES: &str = "web_resources/";

impl From<Reference<'_>> for Link {
    fn from(reference: Reference<'_>) -> Self {
        Self::Reference(reference.to_string())
    }
}

impl Link {
    /// The address as the reference importer reads it.
    pub(crate) fn based(self) -> String {
        match self {
            Self::File(file, opening) => {
                let path = path::encoded(file.strip_prefix(FILES).unwrap_or(&file));
                format!("{FILE_BASE}{path}{}", opening.words())
            }
            Self::Reference(address) => address,
        }
    }

    /// The address with files of the package as seen from a folder at the top of it. Such an address is nothing but a path.
    pub(crate) fn relative(self) -> String {
        match self {
            Self::File(file, _) => format!("../{}", path::encoded(&file)),
            Self::Reference(address) => address,
        }
    }
}

/// The HTML with addresses as the reference importer reads them.
pub(crate) fn with_based<'h>(html: &'h str, links: &Links<'_>) -> Cow<'h, str> {
    html::map_addresses(html, &mut |address| links(address).map(Link::based))
}

/// The paths in the package that an address may mean, which stands in a file of that folder.
pub(crate) fn candidates(folder: &str, address: &str) -> Vec<String> {
    let found = match below_base(address) {
        Some(rest) => {
            let rest = rest.trim_start_matches('/');
            [path::resolved(FILES, rest), path::resolved("", rest)]
        }
        None => [path::resolved(folder, address), path::resolved("", address)],
    };
    found.into_iter().flatten().collect()
}

/// The path after the base of files, which systems write with hyphens or with underscores, and may encode.
fn below_base(address: &str) -> Option<&str> {
    let dollar = |text| str::strip_prefix(text, '$').or_else(|| str::strip_prefix(text, "%24"));
    let dash = |text| str::strip_prefix(text, ['-', '_']);
    let rest = dash(dollar(address)?.strip_prefix("IMS")?)?;
    dollar(dash(rest.strip_prefix("CC")?)?.strip_prefix("FILEBASE")?)
}

/// True if an address can only mean a file beside the text: it names neither a host nor a place on one.
pub(crate) fn is_relative(address: &str) -> bool {
    let scheme = address.split(['/', '?', '#']).next().unwrap_or_default();
    let is_elsewhere = scheme.contains(':') || address.starts_with(['/', '#', '?', '\\']);
    !is_elsewhere && !address.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_of_files_is_known_in_all_its_spellings() {
        for base in ["$IMS-CC-FILEBASE$", "$IMS_CC_FILEBASE$", "%24IMS-CC-FILEBASE%24", "$IMS_CC-FILEBASE$"] {
            assert_eq!(candidates("q", &format!("{base}/a%20b.png")), ["web_resources/a b.png", "a b.png"], "{base}");
        }
        assert_eq!(
            candidates("q", "$IMS.CC.FILEBASE$/a.png"),
            ["q/$IMS.CC.FILEBASE$/a.png", "$IMS.CC.FILEBASE$/a.png"]
        );
    }

    #[test]
    fn an_address_is_relative_if_it_says_no_place() {
        for address in ["a.png", "../a.png", "$WIKI_REFERENCE$/pages/x", "a/b:c.png"] {
            assert!(is_relative(address), "{address}");
        }
        for address in
            ["https://x.test/a", "data:image/png;base64,x", "mailto:a@b.test", "/files/1", "#top", "//x/y", "", " "]
        {
            assert!(!is_relative(address), "{address}");
        }
    }
}
