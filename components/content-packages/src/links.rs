//! The addresses of what content refers to: in a course, in a package, and in the files of a package.

use std::borrow::Cow;

use crate::{html, path};

/// Given an address of the HTML, the path of that file in the package; `None` leaves the address as it is.
pub type Links<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// What the reference importer puts before the paths of a course's files.
const FILE_BASE: &str = "$IMS-CC-FILEBASE$/";
/// Where it expects these files in a package.
pub(crate) const FILES: &str = "web_resources/";

/// The address of a file of the package as the reference importer reads it.
pub(crate) fn based(file: &str) -> String {
    format!("{FILE_BASE}{}", path::encoded(file.strip_prefix(FILES).unwrap_or(file)))
}

/// The address of a file of the package as seen from a folder at the top of it.
pub(crate) fn relative(file: &str) -> String {
    format!("../{}", path::encoded(file))
}

/// The HTML with the addresses of files of the package, as the reference importer reads them.
pub(crate) fn with_based<'h>(html: &'h str, links: &Links<'_>) -> Cow<'h, str> {
    html::map_addresses(html, &mut |address| links(address).map(|file| based(&file)))
}

/// The paths in the package that an address may mean, which stands in a file of that folder.
pub(crate) fn candidates(folder: &str, address: &str) -> Vec<String> {
    let based = address.strip_prefix("$IMS-CC-FILEBASE$").or_else(|| address.strip_prefix("%24IMS-CC-FILEBASE%24"));
    let found = match based {
        Some(rest) => {
            let rest = rest.trim_start_matches('/');
            [path::resolved(FILES, rest), path::resolved("", rest)]
        }
        None => [path::resolved(folder, address), path::resolved("", address)],
    };
    found.into_iter().flatten().collect()
}
