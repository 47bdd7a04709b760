//! Pages of courses: the part of an address that is made of a title.

/// The title as a part of addresses: letters and digits, in small letters, with dashes between the words.
pub fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let words = words.map(|word| word.replace('\'', "").to_lowercase()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    if slug.is_empty() { "page".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_part_of_an_address() {
        for (title, url) in [
            ("Leaves & Seeds", "leaves-seeds"),
            ("  Don't panic!  ", "dont-panic"),
            ("Über Bäume", "über-bäume"),
            ("???", "page"),
            ("a/../b", "a-b"),
        ] {
            assert_eq!(slug(title), url);
        }
    }
}
