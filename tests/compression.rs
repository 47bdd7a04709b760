//! Large responses are compressed for clients that take it.

use std::io::Read;

use flate2::read::GzDecoder;
use support::{Call, Client, School};

const LIST: &str = "/api/v1/accounts/self/courses?per_page=100";

/// An administrator of an institution with so many courses that a list of them is long.
async fn administrator() -> Client {
    let school = School::start().await;
    for number in 0..30 {
        school.course(&format!("Course {number}")).await;
    }
    school.admin
}

fn list(client: &Client, accepted: &str) -> Call {
    client.get(LIST).header("accept-encoding", accepted)
}

#[tokio::test]
async fn a_long_list_is_compressed_for_who_takes_it() {
    let admin = administrator().await;
    let whole = admin.get(LIST).await.is(200);
    assert!(whole.bytes.len() > 8192, "{}", whole.bytes.len());
    assert_eq!((whole.header("content-encoding"), whole.header("vary")), (None, Some("accept-encoding")));
    let compressed = list(&admin, "br, gzip;q=0.8").await.is(200);
    assert_eq!(compressed.header("content-encoding"), Some("gzip"));
    assert_eq!(compressed.header("link"), whole.header("link"));
    assert!(compressed.bytes.len() * 4 < whole.bytes.len(), "{}", compressed.bytes.len());
    let mut text = String::new();
    GzDecoder::new(&compressed.bytes[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, whole.body);
    for accepted in ["identity", "gzip;q=0", "br"] {
        assert_eq!(list(&admin, accepted).await.is(200).header("content-encoding"), None, "{accepted}");
    }
    let short = admin.get("/api/v1/users/self").header("accept-encoding", "gzip").await.is(200);
    assert_eq!((short.header("content-encoding"), short.header("vary")), (None, None));
}

#[tokio::test]
async fn a_response_names_all_headers_that_it_depends_on() {
    let admin = administrator().await;
    let list = list(&admin, "gzip").header("origin", "https://other.example").await.is(200);
    let vary: Vec<_> = list.headers.get_all("vary").iter().map(|value| value.to_str().unwrap()).collect();
    assert_eq!(vary, ["origin", "accept-encoding"]);
}
