//! What belongs to the students of a course.

pub(crate) mod submissions;
