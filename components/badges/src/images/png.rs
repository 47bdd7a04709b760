//! PNG: a badge is baked in as one chunk of text, and nothing else is touched.

use std::io::{Cursor, Read};

use bytes::Bytes;
use flate2::read::ZlibDecoder;
use img_parts::png::{Png, PngChunk};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const KEYWORD: &[u8] = b"openbadges";
const TEXT: [u8; 4] = *b"iTXt";
const OLD_TEXT: [u8; 4] = *b"tEXt";
const COMPRESSED_TEXT: [u8; 4] = *b"zTXt";
const HEADER: [u8; 4] = *b"IHDR";

/// Width and height of an image are no more than this: what it takes to decode one is bounded by that.
const MAX_SIDE_PIXELS: u32 = 2048;
const MEMORY: usize = 32 * 1024 * 1024;
/// The most bytes of what is baked in.
const MAX_TEXT_BYTES: u64 = 512 * 1024;

pub(crate) fn has_signature(bytes: &[u8]) -> bool {
    bytes.starts_with(SIGNATURE)
}

/// Checks that it is a PNG from its first byte to its last; an error tells what is wrong with it.
pub(crate) fn check(bytes: &Bytes) -> Result<(), String> {
    let parsed = Png::from_bytes(bytes.clone()).map_err(|error| format!("Invalid PNG: {error}."))?;
    if parsed.len() != bytes.len() {
        return Err("Invalid PNG: there are bytes behind its end.".to_owned());
    }
    decode(bytes)
}

fn decode(bytes: &[u8]) -> Result<(), String> {
    let wrong = |error: png::DecodingError| format!("Invalid PNG: {error}.");
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MEMORY });
    decoder.set_ignore_text_chunk(true);
    let header = decoder.read_header_info().map_err(wrong)?;
    if header.width > MAX_SIDE_PIXELS || header.height > MAX_SIDE_PIXELS {
        return Err(format!("The image is larger than {MAX_SIDE_PIXELS} by {MAX_SIDE_PIXELS} pixels."));
    }
    let mut reader = decoder.read_info().map_err(wrong)?;
    while reader.next_row().map_err(wrong)?.is_some() {}
    reader.finish().map_err(wrong)
}

/// The image with that text baked in, in place of what was baked in before.
pub(crate) fn bake(image: &Bytes, text: &str) -> Result<Bytes, String> {
    let mut png = Png::from_bytes(image.clone()).map_err(|error| error.to_string())?;
    let chunks = png.chunks_mut();
    chunks.retain(|chunk| !is_ours(chunk));
    let header = chunks.iter().position(|chunk| chunk.kind() == HEADER).ok_or("there is no header")?;
    // No compression, no language, no translated keyword.
    let contents = [KEYWORD, &[0, 0, 0, 0, 0], text.as_bytes()].concat();
    chunks.insert(header.saturating_add(1), PngChunk::new(TEXT, contents.into()));
    Ok(png.encoder().bytes())
}

/// The text that is baked into the image: JSON, a signed text, or an address.
pub(crate) fn unbake(image: &Bytes) -> Option<String> {
    let png = Png::from_bytes(image.clone()).ok()?;
    let chunk = png.chunks().iter().find(|chunk| is_ours(chunk))?;
    let rest = chunk.contents().get(KEYWORD.len() + 1..)?;
    let bytes = match chunk.kind() {
        TEXT => {
            let (compressed, rest) = rest.split_first()?;
            let rest = rest.get(1..)?;
            let text = rest.splitn(3, |byte| *byte == 0).nth(2)?;
            if *compressed == 1 { inflated(text)? } else { text.to_vec() }
        }
        COMPRESSED_TEXT => inflated(rest.get(1..)?)?,
        _ => rest.to_vec(),
    };
    String::from_utf8(bytes).ok()
}

fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut inflated = Vec::new();
    ZlibDecoder::new(bytes).take(MAX_TEXT_BYTES).read_to_end(&mut inflated).ok()?;
    Some(inflated)
}

fn is_ours(chunk: &PngChunk) -> bool {
    [TEXT, OLD_TEXT, COMPRESSED_TEXT].contains(&chunk.kind())
        && chunk.contents().strip_prefix(KEYWORD).is_some_and(|rest| rest.first() == Some(&0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Bytes {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 3, 2);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&[7; 18]).unwrap();
        bytes.into()
    }

    #[test]
    fn what_is_baked_in_can_be_read_and_replaced_and_touches_nothing_else() {
        let image = image();
        check(&image).unwrap();
        let baked = bake(&image, "{\"é\": 1}").unwrap();
        check(&baked).unwrap();
        assert_eq!(unbake(&baked).as_deref(), Some("{\"é\": 1}"));
        assert_eq!(bake(&bake(&baked, "other").unwrap(), "{\"é\": 1}").unwrap(), baked);
        let mut parts = Png::from_bytes(baked).unwrap();
        parts.chunks_mut().retain(|chunk| !is_ours(chunk));
        assert_eq!(parts.encoder().bytes(), image);
        assert_eq!(unbake(&image), None);
    }

    #[test]
    fn older_forms_of_text_are_read() {
        let with = |kind: &[u8; 4], contents: Vec<u8>| {
            let mut png = Png::from_bytes(image()).unwrap();
            png.chunks_mut().insert(1, PngChunk::new(*kind, contents.into()));
            unbake(&png.encoder().bytes())
        };
        assert_eq!(with(b"tEXt", b"openbadges\0https://a.test".to_vec()).as_deref(), Some("https://a.test"));
        assert_eq!(with(b"tEXt", b"openbadgesx\0https://a.test".to_vec()), None);
        assert_eq!(with(b"iTXt", b"openbadges\0\x01".to_vec()), None);
    }

    #[test]
    fn what_is_no_whole_image_is_refused() {
        let whole = image();
        for end in 0..whole.len() {
            assert!(check(&whole.slice(..end)).is_err(), "{end}");
        }
        for at in 8..whole.len() {
            let mut broken = whole.to_vec();
            broken[at] ^= 0x10;
            assert!(check(&broken.into()).is_err(), "{at}");
        }
        assert!(check(&[&whole[..], b"x"].concat().into()).is_err());
    }

    #[test]
    fn a_small_file_with_a_large_picture_is_refused() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 4096, 4096);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&vec![0; 4096 * 4096]).unwrap();
        assert!(bytes.len() < 100_000);
        assert!(check(&bytes.into()).unwrap_err().contains("pixels"));
    }
}
