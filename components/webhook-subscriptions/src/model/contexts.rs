//! The place that a subscription is about: an account, a course or an assignment.

/// A context as deliveries look for it.
pub(crate) struct Place {
    /// `account`, `course` or `assignment`.
    pub(crate) context_type: &'static str,
    pub(crate) id: i64,
}
