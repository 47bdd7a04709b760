//! Short texts that callers bring along and that were made here: access tokens, and bookmarks of lists.

#![no_main]

use fuzz::{BARE, Frame};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use shared::auth::jwt::{self, Claims};
use shared::pagination::Page;

const KEY: &[u8] = b"a key of the fuzz target";
const ADDRESS: &str = "https://lms.test/api/v1/courses";
const FRAMES: [Frame; 3] = [
    BARE,
    Frame { before: "eyJhbGciOiJIUzI1NiJ9.", after: ".x" },
    Frame { before: "page=bookmark:", after: "&per_page=2" },
];

fn read(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    assert_eq!(jwt::decode::<Value>(text, KEY), None, "nobody has signed it");
    let _claims = jwt::unverified::<Claims>(text);
    // The text is taken for the query, and where it has none for the bookmark itself.
    let query = if text.contains('=') { text.to_owned() } else { format!("page=bookmark:{text}") };
    let _page = (Page::of(ADDRESS, &query), Page::of_cursor(ADDRESS, &query), Page::of_or_whole(ADDRESS, &query));
    // Whatever is signed here is read again as it is. Claims that everybody knows, such as `sub`, have types of their own.
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        let claims = json!({ "claim": value });
        let token = jwt::encode(&claims, KEY).expect("it is signed");
        assert_eq!(jwt::unverified::<Value>(&token), jwt::decode::<Value>(&token, KEY));
        assert!(jwt::decode::<Value>(&token, KEY).is_some());
        assert_eq!(jwt::decode::<Value>(&token, b"another key"), None);
    }
}

fuzz_target!(|data: &[u8]| fuzz::check(data, &FRAMES, None, read));
