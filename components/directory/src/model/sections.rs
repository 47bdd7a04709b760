//! Sections: as they are answered, and how lists of them are filtered.

use serde::{Deserialize, Serialize};
use shared::ids::{CourseId, SectionId};
use shared::{JsonSchema, Timestamp};

use crate::model::filters::AnyOf;

/// The parts of sections that are asked for.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct Include {
    /// `students`, `total_students`; others are passed over.
    pub(crate) include: AnyOf<String>,
}

/// The sections of a list.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct SectionFilter {
    /// Part of the name.
    pub(crate) search_term: Option<String>,
    /// `students`, `total_students`; others are passed over.
    pub(crate) include: AnyOf<String>,
}

impl Include {
    pub(crate) fn counts_students(&self) -> bool {
        self.include.names("total_students")
    }
}

/// Those of a course who are taught together.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Section {
    pub(crate) id: SectionId,
    pub(crate) course_id: CourseId,
    pub(crate) name: String,
    pub(crate) sis_section_id: Option<String>,
    pub(crate) integration_id: Option<String>,
    pub(crate) sis_course_id: Option<String>,
    pub(crate) start_at: Option<Timestamp>,
    pub(crate) end_at: Option<Timestamp>,
    pub(crate) restrict_enrollments_to_section_dates: bool,
    /// Sections are not moved between courses, so it is null.
    pub(crate) nonxlist_course_id: Option<CourseId>,
    pub(crate) created_at: Timestamp,
    /// Only where `include[]=total_students` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_students: Option<i64>,
}
