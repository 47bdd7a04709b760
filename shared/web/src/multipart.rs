//! Multipart forms that are read piece by piece. The head of a part is bounded, and so are the parts and
//! the body as a whole: no form, however it is made, takes more memory than a piece of the body and some headers.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use bytes::Bytes;
use futures::{FutureExt, stream};
use multer::{Field, Multipart};

use crate::body::BodyStream;
use crate::error::{Error, Result};

/// The most bytes before the data of a part: what comes before the first boundary, and the part's headers.
const MAX_HEADER_BYTES: usize = 64 * 1024;
/// The most bytes of a part that is passed over.
const MAX_SKIPPED_BYTES: usize = 64 * 1024;
const MAX_PARTS: usize = 100;
/// Headers are looked at when so many bytes have come, so that a body that comes byte by byte costs no more than another.
const GATHERED_BYTES: usize = 4 * 1024;

/// A form of which one part after another is read.
pub struct Form {
    parts: Multipart<'static>,
    current: Option<Field<'static>>,
    count: usize,
    body: BodyStream,
    given: Arc<Mutex<ParserInput>>,
    received: usize,
    limit: usize,
}

/// The input of the parser: it takes all there is at once, so it gets no more than it should hold.
#[derive(Default)]
struct ParserInput {
    pieces: VecDeque<Bytes>,
    ended: bool,
}

/// The headers of a part before its data.
pub struct Part {
    /// The name of the field.
    pub name: String,
    /// The name of the file, if it is one.
    pub file_name: Option<String>,
}

/// The boundary that the content type of a form names.
pub fn boundary(content_type: &str) -> Option<String> {
    multer::parse_boundary(content_type).ok()
}

impl Form {
    /// A form whose body has no more than `limit` bytes.
    pub fn new(body: BodyStream, boundary: String, limit: usize) -> Self {
        let given = Arc::new(Mutex::new(ParserInput::default()));
        let reading = Arc::clone(&given);
        let pieces = stream::poll_fn(move |_| {
            let mut given = reading.lock().unwrap_or_else(PoisonError::into_inner);
            match given.pieces.pop_front() {
                Some(piece) => Poll::Ready(Some(Ok::<_, io::Error>(piece))),
                None if given.ended => Poll::Ready(None),
                None => Poll::Pending,
            }
        });
        let parts = Multipart::new(pieces, boundary);
        Self { parts, current: None, count: 0, body, given, received: 0, limit }
    }

    /// The next part, whose data is read by [`Form::chunk`]; `None` at the end. The rest of the part before is
    /// passed over.
    pub async fn next_part(&mut self) -> Result<Option<Part>> {
        let mut skipped = 0;
        while let Some(bytes) = self.chunk().await? {
            skipped += bytes.len();
            if skipped > MAX_SKIPPED_BYTES {
                return Err(unreadable("a field is too long"));
            }
        }
        let mut waiting = 0;
        loop {
            match self.parts.next_field().now_or_never() {
                Some(field) => return self.begin(field.map_err(unreadable)?),
                None if waiting > MAX_HEADER_BYTES => return Err(unreadable("the headers are too long")),
                None => waiting += self.give(GATHERED_BYTES).await?,
            }
        }
    }

    fn begin(&mut self, field: Option<Field<'static>>) -> Result<Option<Part>> {
        let Some(field) = field else { return Ok(None) };
        self.count += 1;
        if self.count > MAX_PARTS {
            return Err(unreadable("it has too many fields"));
        }
        let name = field.name().unwrap_or_default().to_owned();
        let part = Part { name, file_name: field.file_name().map(str::to_owned) };
        self.current = Some(field);
        Ok(Some(part))
    }

    /// The next piece of the part's data; `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        while let Some(field) = &mut self.current {
            match field.chunk().now_or_never() {
                Some(Ok(Some(bytes))) => return Ok(Some(bytes)),
                Some(Ok(None)) => self.current = None,
                Some(Err(error)) => return Err(unreadable(error)),
                None => drop(self.give(1).await?),
            }
        }
        Ok(None)
    }

    /// Gives the parser at least so many bytes, or the end, and tells how many.
    async fn give(&mut self, at_least: usize) -> Result<usize> {
        let mut pieces = Vec::new();
        let mut bytes = 0;
        let mut ended = false;
        while bytes < at_least && !ended {
            match self.body.chunk().await? {
                Some(piece) => {
                    bytes += piece.len();
                    self.received = self.received.saturating_add(piece.len());
                    if self.received > self.limit {
                        return Err(Error::too_large(self.limit));
                    }
                    pieces.push(piece);
                }
                None => ended = true,
            }
        }
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        if given.ended {
            return Err(unreadable("it is cut off"));
        }
        given.pieces.extend(pieces);
        given.ended = ended;
        Ok(bytes)
    }
}

fn unreadable(why: impl std::fmt::Display) -> Error {
    Error::bad_request(format!("the form cannot be read: {why}"))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use futures::executor::block_on;
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::*;

    const LIMIT: usize = 64 * 1024 * 1024;

    /// A body that comes in pieces of that length.
    fn form(body: impl Into<Bytes>, piece: usize, limit: usize) -> Form {
        let mut body = body.into();
        let pieces: Vec<_> = std::iter::from_fn(|| (!body.is_empty()).then(|| body.split_to(piece.min(body.len()))))
            .map(|piece| Ok::<_, io::Error>(Frame::data(piece)))
            .collect();
        let body = BodyStream::new(StreamBody::new(stream::iter(pieces)), usize::MAX);
        Form::new(body, "x".to_owned(), limit)
    }

    fn part(headers: &str, data: &[u8]) -> Vec<u8> {
        [format!("--x\r\nContent-Disposition: form-data; {headers}\r\n\r\n").as_bytes(), data, b"\r\n"].concat()
    }

    /// The name of the field, that of the file, and the data.
    type Whole = (String, Option<String>, Vec<u8>);

    fn read(mut form: Form) -> Result<Vec<Whole>> {
        block_on(async {
            let mut parts = Vec::new();
            while let Some(part) = form.next_part().await? {
                let mut data = Vec::new();
                while let Some(bytes) = form.chunk().await? {
                    data.extend_from_slice(&bytes);
                }
                parts.push((part.name, part.file_name, data));
            }
            Ok(parts)
        })
    }

    #[test]
    fn a_form_is_the_same_in_whatever_pieces_it_comes() {
        let data: Vec<u8> = b"\r\n--\r\n--y\r\n-".repeat(5000);
        let body = [part("name=\"a\"", b"1"), part("name=\"f\"; filename=\"n.txt\"", &data), b"--x--\r\n".to_vec()];
        let expected =
            [("a".to_owned(), None, b"1".to_vec()), ("f".to_owned(), Some("n.txt".to_owned()), data.clone())];
        for piece in [1, 2, 7, 4096, 1 << 20] {
            assert_eq!(read(form(body.concat(), piece, LIMIT)).unwrap(), expected, "{piece}");
        }
    }

    #[test]
    fn what_is_not_read_is_passed_over() {
        let body = [part("name=\"a\"", &[b'a'; 1000]), part("name=\"b\"", b"2"), b"--x--".to_vec()].concat();
        let names = |mut form: Form| {
            block_on(async {
                let mut names = Vec::new();
                while let Some(part) = form.next_part().await? {
                    names.push(part.name);
                }
                Ok::<_, Error>(names)
            })
        };
        assert_eq!(names(form(body, 10, LIMIT)).unwrap(), ["a", "b"]);
        let long = [part("name=\"a\"", &vec![b'a'; 100_000]), b"--x--".to_vec()].concat();
        assert!(names(form(long, 5000, LIMIT)).unwrap_err().to_string().contains("too long"));
    }

    #[test]
    fn endless_headers_and_preambles_are_refused_before_they_are_held_and_at_once() {
        let endless = |start: &str| [start.as_bytes(), &vec![b'a'; 4 * 1024 * 1024]].concat();
        for body in [
            endless(""),
            endless("--x\r\nA: "),
            endless("--x "),
            endless("--x\r\n"),
            b"--x\r\n\r\n\r\n".repeat(1 << 20),
        ] {
            for piece in [50, 4096, 256 * 1024] {
                let began = Instant::now();
                let mut form = form(body.clone(), piece, usize::MAX);
                assert!(
                    block_on(async {
                        while form.next_part().await?.is_some() {}
                        Ok::<_, Error>(())
                    })
                    .is_err()
                );
                assert!(form.received <= 1024 * 1024, "{piece}: {} bytes were read", form.received);
                assert!(began.elapsed() < Duration::from_secs(1), "{piece}: {:?}", began.elapsed());
            }
        }
    }

    #[test]
    fn parts_and_bytes_are_counted() {
        let many = [part("name=\"a\"", b"1").repeat(MAX_PARTS + 1), b"--x--".to_vec()].concat();
        assert!(read(form(many, 4096, LIMIT)).unwrap_err().to_string().contains("too many fields"));
        let large = [part("name=\"f\"; filename=\"f\"", &vec![0; 10_000]), b"--x--".to_vec()].concat();
        assert!(matches!(
            read(form(large, 500, 9000)).unwrap_err().kind(),
            crate::error::Kind::TooLarge { limit: 9000 }
        ));
    }

    #[test]
    fn a_form_that_is_cut_off_is_refused() {
        let whole = [part("name=\"f\"; filename=\"f\"", b"data"), b"--x--".to_vec()].concat();
        for length in 0..whole.len() - 1 {
            assert!(read(form(whole[..length].to_vec(), 3, LIMIT)).is_err(), "{length}");
        }
    }
}
