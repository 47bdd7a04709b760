//! Which requests are meant: a method and a path in which `*` stands for any characters.

use http::Method;
use serde::{Deserialize, Serialize};

/// A method and a path; what is left out fits every request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pattern {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
}

impl Pattern {
    pub(super) fn fits(&self, method: &Method, path: &str) -> bool {
        self.method.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(method.as_str()))
            && self.path.as_deref().is_none_or(|wanted| fits(wanted, path))
    }
}

/// True if the text is as the pattern says, in which `*` stands for any characters.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text) in [
            ("/api/v1/courses", "/api/v1/courses"),
            ("/api/v1/courses/*", "/api/v1/courses/1"),
            ("/api/v1/courses/*", "/api/v1/courses/1/assignments"),
            ("/api/v1/courses/*/assignments", "/api/v1/courses/7/assignments"),
            ("*", "/anything"),
            ("student-*", "student-12"),
            ("a*b*c", "a-b-b-c"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("/api/v1/courses", "/api/v1/courses/1"),
            ("/api/v1/courses/*", "/api/v1/courses"),
            ("/api/v1/courses/*/assignments", "/api/v1/courses/7/quizzes"),
            ("ab*b", "ab"),
            ("student-*", "a-student-1"),
        ] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_left_out_fits_everything() {
        assert!(Pattern::default().fits(&Method::DELETE, "/x"));
        let posts = Pattern { method: Some("post".to_owned()), path: None };
        assert!(posts.fits(&Method::POST, "/x") && !posts.fits(&Method::GET, "/x"));
    }
}
