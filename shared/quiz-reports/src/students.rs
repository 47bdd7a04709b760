//! Students as reports name them.

use serde::{Deserialize, Serialize};
use shared::auth::section_limit::has_section_sql;
use shared::ids::{SectionId, UserId};

/// A student, with the sections of the course that the reader sees.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Student {
    /// The id.
    pub id: UserId,
    /// The name.
    pub name: String,
    /// As the institution knows the student.
    pub sis_id: Option<String>,
    /// In the order of their ids.
    pub sections: Vec<Section>,
}

/// A section of a student.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Section {
    /// The id.
    pub id: SectionId,
    /// The name.
    pub name: String,
    /// As the institution knows it.
    pub sis_id: Option<String>,
}

impl Student {
    /// The names, ids and SIS ids of the sections, each as one text.
    pub fn section_texts(&self) -> [String; 3] {
        let joined = |of: &dyn Fn(&Section) -> Option<String>| {
            self.sections.iter().filter_map(of).collect::<Vec<_>>().join(", ")
        };
        [
            joined(&|section| Some(section.name.clone())),
            joined(&|section| Some(section.id.to_string())),
            joined(&|section| section.sis_id.clone()),
        ]
    }
}

/// A [`Student`] as JSON: of the user and in the course of these expressions, in the sections of a limit.
pub fn student_sql(user: &str, course: &str, limit: &str) -> String {
    let is_seen = has_section_sql(limit, "c.id");
    format!(
        "(SELECT json_object('id', u.id, 'name', u.name,
             'sis_id', (SELECT p.sis_user_id FROM pseudonyms p
                        WHERE p.user_id = u.id AND p.workflow_state = 'active' AND p.sis_user_id IS NOT NULL
                        ORDER BY p.id LIMIT 1),
             'sections', json((
                 SELECT json_group_array(json_object('id', part.id, 'name', part.name, 'sis_id', part.sis_section_id))
                 FROM (SELECT DISTINCT c.id, c.name, c.sis_section_id
                       FROM enrollments e JOIN course_sections c ON c.id = e.course_section_id
                       WHERE e.user_id = u.id AND e.course_id = {course} AND e.type = 'StudentEnrollment'
                         AND e.workflow_state IN ('active', 'completed', 'inactive') AND {is_seen}
                       ORDER BY c.id) part)))
          FROM users u WHERE u.id = {user})"
    )
}
