//! Writes sanitized HTML down, and stops where that is too much of it or takes too long.
//!
//! For each character that is escaped, or looks as if it might be, the serializer looks through the rest of its run of
//! text: many of them in one long run cost the product of the two.

use std::io::{self, ErrorKind, Write};

use ammonia::Document;

use super::{MAX_BYTES, Refusal};

/// The most bytes that may be looked at to find what is escaped: a component does it in a seventh of a second.
const MAX_LOOKS: usize = 3 << 27;
/// The first byte of a no-break space, and of other characters that are looked at twice for its sake.
const NO_BREAK_SPACE: u8 = 0xC2;

/// The document as HTML. No run of its text has more than `longest_run` bytes.
pub(super) fn html(document: &Document, longest_run: usize) -> Result<String, Refusal> {
    let density = Density { longest_run, ..Density::default() };
    let mut html = Bounded { density, ..Bounded::default() };
    match document.write_to(&mut html) {
        Ok(()) => String::from_utf8(html.written).map_err(|_is_utf8| Refusal::TooLong),
        Err(_) => Err(html.refusal.unwrap_or(Refusal::TooLong)),
    }
}

/// True for HTML, as it is written here, that can be sent and written again: no run of its text has more than
/// `longest_run` bytes.
pub(super) fn is_sparse(html: &str, longest_run: usize) -> bool {
    let mut density = Density { longest_run, ..Density::default() };
    html.bytes().enumerate().all(|(at, byte)| density.note(byte, at))
}

/// The bytes that the serializer has looked at.
#[derive(Default)]
struct Density {
    longest_run: usize,
    /// The run that is being written: its beginning, and the number of its characters that made the serializer look.
    run_start: usize,
    run_stops: usize,
    /// The cost of the runs before it.
    looks: usize,
}

impl Density {
    /// Notes the first byte of a piece that is written at that place; false where the bytes looked at become too many.
    fn note(&mut self, first: u8, at: usize) -> bool {
        match first {
            b'<' => {
                let run = at.saturating_sub(self.run_start).min(self.longest_run);
                self.looks = self.looks.saturating_add(self.run_stops.saturating_mul(run));
                (self.run_start, self.run_stops) = (at, 0);
            }
            b'&' | NO_BREAK_SPACE => self.run_stops += 1,
            _ => {}
        }
        self.looks.saturating_add(self.run_stops.saturating_mul(self.longest_run)) <= MAX_LOOKS
    }
}

#[derive(Default)]
struct Bounded {
    written: Vec<u8>,
    density: Density,
    refusal: Option<Refusal>,
}

impl Bounded {
    fn refused(&mut self, refusal: Refusal) -> io::Error {
        self.refusal = Some(refusal);
        ErrorKind::Other.into()
    }
}

impl Write for Bounded {
    /// Tags come with their bracket first, and text comes in pieces between the characters that stand alone.
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if piece.first().is_some_and(|first| !self.density.note(*first, self.written.len())) {
            return Err(self.refused(Refusal::TooDense));
        }
        if self.written.len().saturating_add(piece.len()) > MAX_BYTES {
            return Err(self.refused(Refusal::TooLong));
        }
        self.written.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
