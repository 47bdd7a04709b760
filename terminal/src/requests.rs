//! The log of the components as a person reads it. The files of the log keep every field.

use std::borrow::Cow;

use anstyle::Style;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{ERROR, FAINT, GOOD, LINK, WARNING, styled};

/// A request, as far as it is shown.
#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    area: Cow<'a, str>,
    method: Cow<'a, str>,
    /// With the names of its parameters, not their values: these may be secrets. Empty: the area has no such path.
    route: Cow<'a, str>,
    status: u16,
    milliseconds: u64,
    cause: Option<Cow<'a, str>>,
}

/// A line of the log in short: `200 GET /api/v1/courses 12 ms` for a request, with what was behind it on a line of
/// its own where it failed. `None`: the line is none of the log, and is shown as it is.
pub fn describe(line: &str) -> Option<String> {
    let line = line.trim();
    if !line.starts_with('{') {
        return None;
    }
    match serde_json::from_str::<Request<'_>>(line) {
        Ok(request) => Some(in_short(&request)),
        Err(_another) => serde_json::from_str(line).ok().map(|event| fields(&event)),
    }
}

fn in_short(request: &Request<'_>) -> String {
    let Request { area, method, route, status, milliseconds, cause } = request;
    let path = match route.is_empty() {
        true => Cow::Owned(format!("a path that {area} does not have")),
        false => Cow::Borrowed(&**route),
    };
    let status = styled(style(*status), &status.to_string());
    let time = styled(FAINT, &format!("{milliseconds} ms"));
    let cause = cause.as_ref().map(|cause| format!("\n    {}", styled(ERROR, cause))).unwrap_or_default();
    format!("{status} {method} {path} {time}{cause}")
}

fn style(status: u16) -> Style {
    match status {
        ..300 => GOOD,
        300..400 => LINK,
        400..500 => WARNING,
        500.. => ERROR,
    }
}

/// What an area says beside its requests: why a delivery failed, for example.
fn fields(event: &Map<String, Value>) -> String {
    let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let fields: Vec<_> = event.iter().map(|(name, field)| format!("{name} {}", value(field))).collect();
    styled(WARNING, &fields.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(line: &str) -> Option<String> {
        describe(line).map(|shown| crate::plain(&shown))
    }

    #[test]
    fn a_request_is_one_short_line() {
        let line = r#"{"area":"directory","method":"GET","route":"/api/v1/courses","status":200,"milliseconds":12,
            "statements":1,"user":1,"request":"b8f3"}"#;
        assert_eq!(plain(line).unwrap(), "200 GET /api/v1/courses 12 ms");
        let line = r#"{"area":"polls","method":"GET","route":"","status":404,"milliseconds":0,"request":"b8f3"}"#;
        assert_eq!(plain(line).unwrap(), "404 GET a path that polls does not have 0 ms");
    }

    #[test]
    fn what_failed_inside_is_told() {
        let line = r#"{"area":"files","method":"POST","route":"/api/v1/folders","status":500,"milliseconds":3,
            "request":"b8f3","cause":"the disk is \"full\""}"#;
        assert_eq!(plain(line).unwrap(), "500 POST /api/v1/folders 3 ms\n    the disk is \"full\"");
        assert!(describe(line).unwrap().starts_with(&ERROR.render().to_string()));
    }

    #[test]
    fn other_events_are_told_too_and_what_is_no_log_is_left_alone() {
        let event = r#"{"delivery":5,"failure":"connection refused"}"#;
        assert_eq!(plain(event).unwrap(), "delivery 5, failure connection refused");
        assert_eq!(describe("thread 'main' panicked"), None);
        assert_eq!(describe("{ no JSON"), None);
    }
}
