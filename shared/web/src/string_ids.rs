//! Ids as text, for clients whose numbers are too small for them.

use memchr::memchr2;

/// The word in `Accept` that asks for it.
pub(crate) const ACCEPT: &str = "application/json+canvas-string-ids";

/// The JSON with each number that is an `id`, an `…_id` or an element of `ids` or `…_ids` as text. All else keeps its words.
pub(crate) fn as_text(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() + json.len() / 8);
    let mut place = Place::default();
    let mut rest = json;
    while let Some((&first, _)) = rest.split_first() {
        let (token, after) = rest.split_at(token_length(first, rest));
        if place.is_id && is_number(first) {
            out.push(b'"');
            out.extend_from_slice(token);
            out.push(b'"');
        } else {
            out.extend_from_slice(token);
        }
        place.pass(first, token);
        rest = after;
    }
    out
}

/// Where in the JSON we are.
#[derive(Default)]
struct Place<'a> {
    /// The last text, which is the name of a member where a colon follows it.
    name: &'a [u8],
    /// Whether a number is an id here.
    is_id: bool,
    /// Whether the elements of a list are ids here.
    is_ids: bool,
    /// The lists and records around it, and whether their elements are ids.
    around: Vec<bool>,
}

impl<'a> Place<'a> {
    fn pass(&mut self, first: u8, token: &'a [u8]) {
        match first {
            b'"' => self.name = token,
            b':' => {
                self.is_id = self.name == b"\"id\"" || self.name.ends_with(b"_id\"");
                self.is_ids = self.name == b"\"ids\"" || self.name.ends_with(b"_ids\"");
            }
            b'[' => self.enter(self.is_ids),
            b'{' => self.enter(false),
            b']' | b'}' => {
                self.around.pop();
            }
            b',' => self.expect_element(),
            _ => {}
        }
    }

    fn enter(&mut self, of_ids: bool) {
        self.around.push(of_ids);
        self.expect_element();
    }

    fn expect_element(&mut self) {
        self.is_id = self.around.last() == Some(&true);
        self.is_ids = false;
    }
}

/// The length of a text with its quotes, of a number or a word; 1 for what stands between them.
fn token_length(first: u8, json: &[u8]) -> usize {
    match first {
        b'"' => text_length(json),
        b'-' | b'0'..=b'9' | b'a'..=b'z' => json.iter().position(|&byte| ends_word(byte)).unwrap_or(json.len()),
        _ => 1,
    }
}

fn text_length(json: &[u8]) -> usize {
    let mut end = 1;
    while let Some(found) = json.get(end..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        end += found;
        if json.get(end) == Some(&b'"') {
            return end + 1;
        }
        end += 2;
    }
    json.len()
}

fn ends_word(byte: u8) -> bool {
    matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t')
}

fn is_number(first: u8) -> bool {
    matches!(first, b'-' | b'0'..=b'9')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stringified(json: &str) -> String {
        String::from_utf8(as_text(json.as_bytes())).unwrap()
    }

    #[test]
    fn ids_become_text_and_nothing_else_does() {
        let json = r#"{"id":1,"course_id":null,"user_ids":[2,"3",[4]],"position":4,"list":[{"quiz_id":-5}],"identity":6,"ids":[7]}"#;
        let expected = r#"{"id":"1","course_id":null,"user_ids":["2","3",[4]],"position":4,"list":[{"quiz_id":"-5"}],"identity":6,"ids":["7"]}"#;
        assert_eq!(stringified(json), expected);
    }

    #[test]
    fn what_follows_a_list_or_a_record_is_what_its_place_says() {
        let json = r#"[{"ids":[1,{"id":2,"n":3},4],"a":5},{"x_id":{"n":6},"n":7},8,{"user_id":[9],"b":[10]}]"#;
        let expected =
            r#"[{"ids":["1",{"id":"2","n":3},"4"],"a":5},{"x_id":{"n":6},"n":7},8,{"user_id":[9],"b":[10]}]"#;
        assert_eq!(stringified(json), expected);
    }

    #[test]
    fn texts_and_numbers_keep_their_words() {
        let json =
            r#" { "id" : 1.50e3 , "text" : "\"id\": 2, \\" , "é_id": 20000000000000000001, "n": [true, -0.10] }"#;
        let expected =
            r#" { "id" : "1.50e3" , "text" : "\"id\": 2, \\" , "é_id": "20000000000000000001", "n": [true, -0.10] }"#;
        assert_eq!(stringified(json), expected);
    }

    #[test]
    fn what_is_cut_off_goes_through() {
        for json in ["", "\"", "\"a\\", "{\"id\":", "[tru", "]]"] {
            assert_eq!(stringified(json), json);
        }
    }
}
