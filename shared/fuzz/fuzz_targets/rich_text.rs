//! Texts of authors: what is kept is taken again, and runs nothing.

#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use fuzz::{BARE, Frame};
use libfuzzer_sys::fuzz_target;
use shared::rich_text::{self, sanitize};

/// The host whose frames are kept.
const FRAME_HOST: &str = "frames.example";

const FRAMES: [Frame; 4] = [
    BARE,
    Frame { before: "<p>", after: "</p>" },
    Frame { before: "<p title='", after: "'>x</p>" },
    Frame { before: "<table><tr><td>", after: "</td></tr></table>" },
];

/// A text that costs as much as one may: the escaping of a long run grows faster than its length up to that.
static DEAREST: LazyLock<Duration> = LazyLock::new(|| {
    let text = "&amp;".repeat(3_000) + &"x".repeat(rich_text::MAX_BYTES - 24_000);
    assert!(sanitize(&text).is_ok());
    2 * fuzz::least_cost(text.as_bytes(), &read)
});

fn read(text: &[u8]) {
    rich_text::set_frame_hosts(FRAME_HOST);
    let text = String::from_utf8_lossy(text);
    let Ok(kept) = sanitize(&text) else { return };
    assert!(sanitize(&kept).is_ok(), "it is refused when it is sent again: {kept}");
    let lower = kept.to_ascii_lowercase();
    assert!(!lower.contains("<script"), "{kept}");
    for frame in lower.split("<iframe").skip(1) {
        let is_of_host = frame.contains(&format!(" src=\"https://{FRAME_HOST}"));
        assert!(is_of_host && frame.contains(" sandbox=\"allow-forms ") && frame.contains("></iframe>"), "{kept}");
    }
}

fuzz_target!(|data: &[u8]| fuzz::check(data, &FRAMES, Some(*DEAREST), read));
