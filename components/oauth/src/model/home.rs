//! The home of who is signed in: rows.

use serde::Deserialize;
use shared::db::Json;
use shared::ids::CourseId;

/// The number of courses that the home shows.
pub(crate) const MAX_COURSES: i64 = 100;

/// What somebody may open.
#[derive(Deserialize)]
pub(crate) struct Home {
    pub(crate) name: String,
    /// True for administrators of the site or of the root account.
    pub(crate) is_administrator: bool,
    /// The courses in which the user is active, by their names.
    pub(crate) courses: Json<Vec<Course>>,
}

/// A course on the home.
#[derive(Deserialize)]
pub(crate) struct Course {
    pub(crate) id: CourseId,
    pub(crate) name: String,
    /// True if the user may change its settings.
    pub(crate) manages: bool,
    /// True if it has AI experiences that students see.
    pub(crate) has_experiences: bool,
}
