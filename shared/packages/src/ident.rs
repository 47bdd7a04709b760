//! Identifiers of the files of a package, made of the ids of what is in them.

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The identifier of something: its id if it may be one, or else one that always is the same for that id.
pub fn of(id: &str) -> String {
    let prefixed = format!("i{id}");
    match (is_name(id), is_name(&prefixed)) {
        (true, _) => id.to_owned(),
        (false, true) if !id.is_empty() => prefixed,
        _ => format!("i{}", hex(id)),
    }
}

/// The identifier of something that belongs to a thing: unlike those of other parts and other things.
pub(crate) fn part(id: &str, part: &str) -> String {
    format!("{}-{part}", of(id))
}

/// An id that the items of new quizzes may have: the id itself if it is one, or else always the same for it and the
/// question that it belongs to.
pub(crate) fn uuid(question: &str, id: &str) -> String {
    let is_uuid = |id: &&str| id.len() == uuid::fmt::Hyphenated::LENGTH && Uuid::try_parse(id).is_ok();
    // One that begins with a digit is no name: the identifier of it has a letter more.
    if let Some(own) = [Some(id), id.strip_prefix('i')].into_iter().flatten().find(is_uuid) {
        return own.to_owned();
    }
    let mut bytes = [0; 16];
    let digest = Sha256::new().chain_update(question).chain_update([0]).chain_update(id).finalize();
    bytes.iter_mut().zip(digest).for_each(|(byte, own)| *byte = own);
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

/// True if it is a name without colon, as XML knows them, in ASCII.
fn is_name(id: &str) -> bool {
    let mut chars = id.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts && id.len() <= 200 && chars.all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

/// The first half of a hash, in hexadecimal digits.
fn hex(text: &str) -> String {
    format!("{:.32}", format!("{:x}", Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_a_name() {
        assert_eq!(of("quiz-12"), "quiz-12");
        for id in ["12", "", "a b", "\u{e4}", "a:b", "../x"] {
            let ident = of(id);
            assert!(is_name(&ident), "{ident}");
            assert_eq!(of(id), ident);
        }
        assert_ne!(of("1"), of("2"));
    }

    #[test]
    fn a_uuid_is_kept_or_made() {
        let own = "0b7c1b8e-1111-4222-8333-44445555666a";
        assert_eq!(uuid("q", own), own);
        assert_eq!(uuid("q", &of(own)), own);
        let made = uuid("q", "17");
        assert!(Uuid::try_parse(&made).is_ok());
        assert_eq!(made, uuid("q", "17"));
        assert_ne!(made, uuid("r", "17"));
    }
}
