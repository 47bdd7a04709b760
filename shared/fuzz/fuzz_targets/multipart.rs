//! Multipart forms that come in pieces: the same parts are read in whatever pieces they come.

#![no_main]

use std::io;

use bytes::Bytes;
use futures::executor::block_on;
use futures::stream;
use fuzz::{BARE, Frame};
use http_body::Frame as Piece;
use http_body_util::StreamBody;
use libfuzzer_sys::fuzz_target;
use shared::BodyStream;
use shared::multipart::Form;

const LIMIT: usize = 1024 * 1024;
const FRAMES: [Frame; 3] = [
    BARE,
    Frame { before: "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n", after: "\r\n--x--\r\n" },
    Frame { before: "--x\r\nContent-Disposition: form-data; name=\"", after: "\"\r\n\r\n1\r\n--x--\r\n" },
];

/// The names and the data of the parts, or nothing where the form is refused.
fn parts(body: &[u8], piece: usize) -> Option<Vec<(String, Option<String>, Vec<u8>)>> {
    let mut body = Bytes::copy_from_slice(body);
    let pieces = std::iter::from_fn(move || (!body.is_empty()).then(|| body.split_to(piece.min(body.len()))));
    let pieces = pieces.map(|piece| Ok::<_, io::Error>(Piece::data(piece)));
    let body = BodyStream::new(StreamBody::new(stream::iter(pieces)), LIMIT);
    let mut form = Form::new(body, "x".to_owned(), LIMIT);
    block_on(async {
        let mut parts = Vec::new();
        while let Some(part) = form.next_part().await.ok()? {
            let mut data = Vec::new();
            while let Some(bytes) = form.chunk().await.ok()? {
                data.extend_from_slice(&bytes);
            }
            parts.push((part.name, part.file_name, data));
        }
        Some(parts)
    })
}

fuzz_target!(|data: &[u8]| {
    fuzz::check(data, &FRAMES, None, |body| drop(parts(body, 1000)));
    assert_eq!(parts(data, 1), parts(data, usize::MAX), "the form is another in other pieces");
});
