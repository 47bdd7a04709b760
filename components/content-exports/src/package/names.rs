//! Names of files in packages: such as every system takes, and each only once.

use std::collections::{BTreeMap, BTreeSet};

use content_packages::cartridge::file_name;

/// The longest part of a path, and the longest path, in bytes.
const MAX_PART_BYTES: usize = 120;
const MAX_PATH_BYTES: usize = 800;

/// Gives out paths, each once: some systems do not tell `A` from `a`.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// A path below `folder` that is made of these names. Where it would be taken or too long, `id` makes it another.
    pub(crate) fn path(&mut self, folder: &str, names: &[&str], id: i64) -> String {
        let parts: Vec<_> = names.iter().map(|name| part(name)).collect();
        let path = joined(folder, &parts.join("/"));
        if path.len() <= MAX_PATH_BYTES && self.taken.insert(path.to_lowercase()) {
            return path;
        }
        let last = parts.last().map(String::as_str).unwrap_or_default();
        let path = joined(folder, &format!("_{id}/{last}"));
        self.taken.insert(path.to_lowercase());
        path
    }

    /// The path of a folder: it may be taken by itself, as often as it likes.
    pub(crate) fn folder(&mut self, folder: &str, names: &[&str]) -> Option<String> {
        let parts: Vec<_> = names.iter().map(|name| part(name)).collect();
        let path = joined(folder, &parts.join("/"));
        let fits = path.len() <= MAX_PATH_BYTES && !self.taken.contains(&path.to_lowercase());
        fits.then(|| {
            self.taken.insert(path.to_lowercase());
            path
        })
    }
}

/// The names of the files of pages, by the ids of these. A page whose address is no name of a file has its id behind: nobody
/// takes it for a page that has this address.
pub(crate) fn pages(pages: &[(i64, String)]) -> BTreeMap<i64, String> {
    let (plain, others): (Vec<_>, Vec<_>) = pages.iter().partition(|(_, url)| file_name(url) == *url);
    let mut taken = BTreeSet::new();
    let plain = plain.into_iter().map(|(id, url)| (*id, url.clone()));
    let others = others.into_iter().map(|(id, url)| (*id, format!("{}-{id}", file_name(url))));
    let once = |(id, mut name): (i64, String)| {
        while !taken.insert(name.to_lowercase()) {
            name = format!("{name}-{id}");
        }
        (id, name)
    };
    plain.chain(others).map(once).collect()
}

/// The path of a folder, of names that every system takes.
pub(crate) fn folder_path(path: &str) -> String {
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

fn joined(folder: &str, rest: &str) -> String {
    if folder.is_empty() { rest.to_owned() } else { format!("{folder}/{rest}") }
}

/// A name without what some system does not take, and not too long. The suffix stays.
fn part(name: &str) -> String {
    let clean = |c: char| if c.is_control() || r#"\/:*?"<>|"#.contains(c) { '_' } else { c };
    let name: String = name.chars().map(clean).collect();
    let name = name.trim().trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    if name.is_empty() {
        return "_".to_owned();
    }
    if name.len() <= MAX_PART_BYTES {
        return name.to_owned();
    }
    let (stem, suffix) = match name.rsplit_once('.') {
        Some((stem, suffix)) if suffix.len() <= 16 => (stem, format!(".{suffix}")),
        _ => (name, String::new()),
    };
    format!("{}{suffix}", up_to(stem, MAX_PART_BYTES.saturating_sub(suffix.len())))
}

/// As many of the first characters as there is room for.
fn up_to(text: &str, bytes: usize) -> &str {
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= bytes).last();
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

/// A name as part of a package's own name: small letters, digits and dashes.
pub(crate) fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-");
    if slug.is_empty() { "course".to_owned() } else { up_to(&slug, MAX_PART_BYTES).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_given_out_once() {
        let mut names = Names::default();
        assert_eq!(names.path("web", &["a", "Leaf.png"], 1), "web/a/Leaf.png");
        assert_eq!(names.path("web", &["a", "leaf.png"], 2), "web/_2/leaf.png");
        assert_eq!(names.folder("web", &["b"]).as_deref(), Some("web/b"));
        assert_eq!(names.path("web", &["b"], 3), "web/_3/b");
    }

    #[test]
    fn a_name_is_one_that_every_system_takes() {
        assert_eq!(part("a:b\\c?.txt"), "a_b_c_.txt");
        assert_eq!((part(".."), part("  ")), ("_".to_owned(), "_".to_owned()));
        let long = part(&format!("{}.jpeg", "ü".repeat(300)));
        assert!(long.len() <= MAX_PART_BYTES && long.ends_with("ü.jpeg"), "{long}");
    }

    #[test]
    fn a_path_that_is_too_long_is_shortened() {
        let name = "x".repeat(100);
        let path = Names::default().path("", &[name.as_str(); 20], 7);
        assert_eq!(path, format!("_7/{name}"));
    }

    #[test]
    fn each_page_has_a_file_of_its_own_and_the_name_of_its_address_where_that_may_be_one() {
        let long = "x".repeat(100);
        let urls = ["i\u{307}stanbul", "i-stanbul", &format!("{long}a"), &format!("{long}b"), &long, "i-stanbul-1"];
        let named = pages(&(1..).zip(urls.map(str::to_owned)).collect::<Vec<_>>());
        let long_names = [3, 4].map(|id| format!("{long}-{id}"));
        let expected = ["i-stanbul-1-1", "i-stanbul", &long_names[0], &long_names[1], &long, "i-stanbul-1"];
        assert_eq!(named.into_values().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_course_is_named_in_plain_letters() {
        assert_eq!(slug("Algebra II: Über-Kurs"), "algebra-ii-ber-kurs");
        assert_eq!(slug("数学"), "course");
    }
}
