//! The SQL of trackers.

use shared::db::Bind;

use crate::store::readings::{Reading, SCHOOL_OF_CLASSROOM, school_row};

/// The tree of a tracker, which is a classroom of the district: its standards, their assessments, and the items of these.
pub(crate) fn tree(id: i64) -> Reading {
    Reading {
        parent: Some(school_row(SCHOOL_OF_CLASSROOM)),
        data: format!("(SELECT {TREE} FROM mastery_classrooms c WHERE c.id = ?1 AND c.district_id = reader.district)"),
        values: vec![id.value()],
        ..Reading::default()
    }
}

const TREE: &str = "json_object(
         'id', CAST(c.id AS TEXT), 'type', 'tracker', 'attributes', json_object(
             'name', c.title, 'subject', c.subject,
             'teacher', (SELECT trim(ifnull(t.first_name, '') || ' ' || t.last_name)
                         FROM mastery_teachers t WHERE t.id = c.teacher_id),
             'school', (SELECT s.name FROM mastery_schools s WHERE s.id = c.school_id),
             'archived', json(iif(c.archived, 'true', 'false')),
             'created_at', c.created_at, 'updated_at', c.updated_at,
             'standards', json((
                 SELECT json_group_array(json_object(
                     'id', CAST(o.id AS TEXT), 'name', o.name, 'assessments', json((
                         SELECT json_group_array(json_object(
                             'id', CAST(a.id AS TEXT), 'title', a.title, 'assessment_items', json((
                                 SELECT json_group_array(json_object(
                                     'id', CAST(i.id AS TEXT), 'item_type', i.item_type, 'points', i.points))
                                 FROM (SELECT * FROM mastery_items WHERE material_id = a.material_id
                                       ORDER BY position, id) i))))
                         FROM (SELECT a.id, ifnull(a.title, m.title) AS title, a.material_id
                               FROM mastery_assessments a JOIN mastery_materials m ON m.id = a.material_id
                               WHERE a.classroom_id = c.id AND a.objective_id = o.id ORDER BY a.id) a))))
                 FROM (SELECT o.id, o.name FROM mastery_objectives o
                       WHERE o.id IN (SELECT objective_id FROM mastery_class_objectives
                                      WHERE classroom_id = c.id
                                      UNION
                                      SELECT objective_id FROM mastery_assessments WHERE classroom_id = c.id)
                       ORDER BY o.name, o.id) o))))";
