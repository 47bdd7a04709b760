//! Rules of what students see and hand in.

use http::StatusCode;
use serde_json::json;
use shared::auth::{CourseAccess, Right};
use shared::{Error, Result, Timestamp};

/// Staff read everything, students what is published.
pub fn require_read(course: &CourseAccess, published: bool) -> Result<()> {
    course.require(if published { Right::Read } else { Right::ReadAsStaff })
}

/// Why nothing can be handed in: it is not published, not open yet, or closed. `open` is from when on and until when.
pub fn closed(
    what: &str,
    published: bool,
    open: (Option<Timestamp>, Option<Timestamp>),
    now: Timestamp,
) -> Option<String> {
    match open {
        _ if !published => Some(format!("the {what} is not published")),
        (Some(unlock_at), _) if now < unlock_at => Some(format!("the {what} is locked until {unlock_at}")),
        (_, Some(lock_at)) if lock_at <= now => Some(format!("the {what} was locked {lock_at}")),
        _ => None,
    }
}

/// 403 with a reason.
pub fn denied(reason: &str) -> Error {
    Error::own(StatusCode::FORBIDDEN, json!({ "status": "unauthorized", "errors": [{ "message": reason }] }))
}
