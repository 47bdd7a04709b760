//! Rules that more than one kind of work obeys.

use shared::auth::{CourseAccess, Right, SectionLimit};
use shared::{Error, Patch, Result, Timestamp, params, rich_text};

const MAX_TITLE_CHARS: usize = 255;
const MAX_POINTS: f64 = 999_999_999.0;

/// The sections that the caller is limited to as a grader. Others see no work but their own and that of whom they watch over.
pub(crate) fn graders_limit(course: &CourseAccess) -> SectionLimit {
    course.section_limit().filter(|_| course.can(Right::ManageGrades))
}

/// The title a record has afterwards.
pub(crate) fn title(field: &str, given: Patch<String>, current: String) -> Result<String> {
    let title = given.unwrap_or(current);
    if title.trim().is_empty() {
        return Err(Error::invalid(field, "blank", "can't be blank"));
    }
    not_too_long(field, &title)?;
    Ok(title)
}

pub(crate) fn not_too_long(field: &str, text: &str) -> Result<()> {
    params::not_too_long(field, text, MAX_TITLE_CHARS)
}

/// Rich content as it is kept: sanitized.
pub(crate) fn rich(field: &str, html: &str) -> Result<String> {
    rich_text::sanitize(html).map_err(|refusal| Error::invalid(field, refusal.code(), refusal.to_string()))
}

/// The rich content a record has afterwards.
pub(crate) fn rich_over(field: &str, given: Patch<String>, current: Option<String>) -> Result<Option<String>> {
    match given {
        Patch::Value(html) => rich(field, &html).map(Some),
        given => Ok(given.over(current)),
    }
}

pub(crate) fn points(points: Option<f64>) -> Result<()> {
    let field = "points_possible";
    match points {
        Some(points) if points < 0.0 => {
            Err(Error::invalid(field, "greater_than_or_equal_to", "must be greater than or equal to 0"))
        }
        Some(points) if points > MAX_POINTS => {
            let message = format!("must be less than or equal to {MAX_POINTS}");
            Err(Error::invalid(field, "less_than_or_equal_to", message))
        }
        _ => Ok(()),
    }
}

/// Work is unlocked before it is due, and due before it is locked.
pub(crate) fn in_order(
    unlock_at: Option<Timestamp>,
    due_at: Option<Timestamp>,
    lock_at: Option<Timestamp>,
) -> Result<()> {
    let after = |later: Option<Timestamp>, earlier: Option<Timestamp>| matches!((later, earlier), (Some(later), Some(earlier)) if later < earlier);
    if after(due_at, unlock_at) || after(lock_at, due_at) {
        return Err(Error::invalid("due_at", "invalid", "must be between unlock_at and lock_at"));
    }
    if after(lock_at, unlock_at) {
        return Err(Error::invalid("lock_at", "invalid", "must not be before unlock_at"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_one_another() {
        let day = |day: i64| Timestamp::from_unix(day * 86_400);
        assert!(in_order(day(1), day(2), day(3)).is_ok());
        assert!(in_order(day(1), day(1), day(1)).is_ok());
        assert!(in_order(None, None, None).is_ok());
        assert!(in_order(day(2), day(1), None).is_err());
        assert!(in_order(None, day(3), day(2)).is_err());
        assert!(in_order(day(3), None, day(2)).is_err());
    }

    #[test]
    fn rich_content_is_refused_with_the_reason() {
        assert_eq!(rich("description", "<b>x").unwrap(), "<b>x</b>");
        for (html, reason) in [
            ("x".repeat(rich_text::MAX_BYTES + 1), "is too long (maximum is 131072 bytes)"),
            ("<div>".repeat(10_000), "is nested too deeply"),
        ] {
            let error = rich("description", &html).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn a_title_is_kept_unless_given() {
        assert_eq!(title("title", Patch::Null, "a".to_owned()).unwrap(), "a");
        assert_eq!(title("title", Patch::Value("b".to_owned()), "a".to_owned()).unwrap(), "b");
        assert!(title("title", Patch::Value(" ".to_owned()), "a".to_owned()).is_err());
        assert!(title("title", Patch::Value("x".repeat(256)), "a".to_owned()).is_err());
    }
}
