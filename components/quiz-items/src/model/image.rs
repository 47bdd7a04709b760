//! Images: those that every browser shows and that cannot carry a script.

use shared::{Error, Result};

type Begins = fn(&[u8]) -> bool;

/// The content types, and whether bytes begin like one.
const TYPES: [(&str, Begins); 4] = [
    ("image/png", |bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", |bytes| bytes.starts_with(b"\xff\xd8\xff")),
    ("image/gif", |bytes| bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a")),
    ("image/webp", |bytes| bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")),
];

/// The type that is declared, if it is one of ours and that of the bytes. Where none is declared, as `curl -T` and
/// many libraries send a file, that of the bytes.
pub(crate) fn content_type(declared: Option<&str>, bytes: &[u8]) -> Result<&'static str> {
    let Some(declared) = declared else {
        let known = TYPES.iter().find(|(_, begins)| begins(bytes));
        return known.map(|(name, _)| *name).ok_or_else(|| {
            Error::unsupported_media_type(format!("The bytes must be an image of one of these types: {}.", names()))
        });
    };
    let essence = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let Some((name, begins)) = TYPES.iter().find(|(name, _)| *name == essence) else {
        return Err(Error::unsupported_media_type(format!("The content type must be one of {}.", names())));
    };
    if begins(bytes) { Ok(name) } else { Err(Error::unsupported_media_type(format!("The bytes are no {name}."))) }
}

fn names() -> String {
    TYPES.map(|(name, _)| name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_must_be_of_the_declared_type() {
        let png = b"\x89PNG\r\n\x1a\n\0\0";
        let webp = b"RIFF\x10\0\0\0WEBPVP8 ";
        assert_eq!(content_type(Some("image/png"), png).unwrap(), "image/png");
        assert_eq!(content_type(Some("IMAGE/WEBP; x=y"), webp).unwrap(), "image/webp");
        assert_eq!(content_type(None, webp).unwrap(), "image/webp");
        assert!(content_type(None, b"<svg/>").is_err());
        for (declared, bytes) in [
            ("image/gif", png.as_slice()),
            ("image/webp", b"RIFF"),
            ("image/png", b""),
            ("image/svg+xml", b"<svg onload=\"alert(1)\"/>"),
            ("text/html", b"<script>"),
            ("", png),
        ] {
            assert!(content_type(Some(declared), bytes).is_err(), "{declared}");
        }
    }
}
