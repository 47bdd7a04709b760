//! Paths of the students of a course.

pub(crate) mod submissions;
