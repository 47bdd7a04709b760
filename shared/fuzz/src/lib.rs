//! The reading of an input by all fuzz targets: once as it is, and a short one also many times over, to see that twice as
//! much takes about twice as long.

use std::cell::Cell;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The longest input that is read many times over, in bytes.
const MAX_PIECE_BYTES: usize = 64;
/// The size of the smaller of two texts whose costs are compared, in bytes.
const SIZE: usize = 16 * 1024;
/// A cost below which nothing is compared.
const CHEAP: Duration = Duration::from_millis(10);
/// The growth of the cost of twice as much: 4 would be quadratic.
const MAX_GROWTH: f64 = 3.0;
const TRIES: usize = 5;
/// The time for comparing costs at first, for the seeds.
const FIRST_BUDGET: Duration = Duration::from_secs(3);
/// The part of all time that goes into comparing costs later: one fourth.
const BUDGET: u32 = 4;

/// The text around a piece that is repeated, so that all of it is read and not only its first occurrence.
pub struct Frame {
    pub before: &'static str,
    pub after: &'static str,
}

/// No text around the piece.
pub const BARE: Frame = Frame { before: "", after: "" };

/// Reads the input, and a short one many times over within one of the frames. Panics where the cost of that grows faster
/// than its length and is above `cheap`, by default [`CHEAP`].
pub fn check(input: &[u8], frames: &[Frame], cheap: Option<Duration>, read: impl Fn(&[u8])) {
    thread_local! {
        static SPENT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }
    read(input);
    if input.is_empty() || input.len() > MAX_PIECE_BYTES {
        return;
    }
    let began = processor_time();
    if SPENT.get() > FIRST_BUDGET + began / BUDGET {
        return;
    }
    let sum: usize = input.iter().map(|byte| usize::from(*byte)).sum();
    if let Some(frame) = frames.get(sum % frames.len().max(1)) {
        compare(input, frame, cheap.unwrap_or(CHEAP), &read);
    }
    SPENT.set(SPENT.get() + processor_time().saturating_sub(began));
}

fn compare(piece: &[u8], frame: &Frame, cheap: Duration, read: &impl Fn(&[u8])) {
    let text =
        |bytes: usize| [frame.before.as_bytes(), &piece.repeat(bytes / piece.len()), frame.after.as_bytes()].concat();
    let twice = text(2 * SIZE);
    if cost(&twice, read) < cheap {
        return;
    }
    let once = text(SIZE);
    let mut costs = (Duration::ZERO, Duration::ZERO);
    for _ in 0..TRIES {
        costs = (least_cost(&once, read), least_cost(&twice, read));
        if costs.1 < cheap || costs.1.as_secs_f64() < MAX_GROWTH * costs.0.as_secs_f64() {
            return;
        }
    }
    panic!(
        "{} bytes cost {:?}, twice as many {:?}: {:?} between {:?} and {:?}, {TRIES} times over",
        once.len(),
        costs.0,
        costs.1,
        String::from_utf8_lossy(piece),
        frame.before,
        frame.after
    );
}

/// The least of three costs: the machine may have been busy with something else.
pub fn least_cost(text: &[u8], read: &impl Fn(&[u8])) -> Duration {
    (0..3).map(|_| cost(text, read)).min().unwrap_or_default()
}

/// The time of the processor that reading takes, so that other programs count little.
fn cost(text: &[u8], read: &impl Fn(&[u8])) -> Duration {
    let began = processor_time();
    read(text);
    processor_time().saturating_sub(began)
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}
