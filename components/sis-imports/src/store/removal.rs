//! The SQL of batch mode: what an import does not name in a term.

use serde::Deserialize;
use shared::db::{self, IdRow, Json};
use shared::ids::{AccountId, CourseId, EnrollmentTermId, SisImportId};
use shared::{Db, Timestamp};

use crate::model::comparison::is_more_than;
use crate::model::kind::Kind;
use crate::store::sis_imports::{Claimed, count};

/// The part of the records of a kind that would go.
#[derive(Deserialize)]
pub(crate) struct Share {
    pub(crate) kind: Kind,
    /// All that there are.
    records: i64,
    /// Those that the import does not name.
    pub(crate) unnamed: i64,
}

impl Share {
    /// True if more percent of them would go.
    pub(crate) fn exceeds(&self, threshold: u32) -> bool {
        is_more_than(threshold, self.unnamed, self.records)
    }
}

/// A course of a term.
#[derive(Deserialize)]
pub(crate) struct TermCourse {
    pub(crate) id: CourseId,
    /// True if it goes.
    pub(crate) is_unnamed: bool,
}

/// The numbers of records that have gone.
#[derive(Default)]
pub(crate) struct Removed {
    pub(crate) courses: usize,
    pub(crate) sections: usize,
    pub(crate) enrollments: usize,
}

/// The term that somebody named: 400 where there is none, unless it is deleted.
pub(crate) async fn active_term(
    db: &Db,
    root: AccountId,
    id: Option<EnrollmentTermId>,
    sis_id: Option<&str>,
) -> db::Result<Option<EnrollmentTermId>> {
    let sql = "SELECT id FROM enrollment_terms
         WHERE root_account_id = ?1 AND workflow_state = 'active' AND id = CASE WHEN ?2 IS NOT NULL THEN ?2 ELSE (
             SELECT id FROM enrollment_terms
             WHERE root_account_id = ?1 AND sis_term_id = ?3 AND workflow_state = 'active') END";
    let found: Option<IdRow<EnrollmentTermId>> = db.fetch(sql, (root, id, sis_id)).await?;
    Ok(found.map(|found| found.id))
}

/// The terms of an import in their order: the one that was asked for, or those that the import names itself.
pub(crate) async fn terms(db: &Db, import: &Claimed) -> db::Result<Vec<EnrollmentTermId>> {
    if let Some(term) = import.options.0.batch_mode_term_id {
        return Ok(vec![term]);
    }
    let sql = "SELECT id FROM enrollment_terms WHERE root_account_id = ?1 AND sis_import_id = ?2 ORDER BY id";
    let terms: Vec<IdRow<EnrollmentTermId>> = db.fetch_all(sql, (import.root_account_id, import.id)).await?;
    Ok(terms.into_iter().map(|term| term.id).collect())
}

/// The parts that would go. A read of all that is in the terms, which keeps nobody from writing.
pub(crate) async fn shares(db: &Db, import: SisImportId, terms: &[EnrollmentTermId]) -> db::Result<Vec<Share>> {
    let sql = "SELECT 'courses' AS kind, count(*) AS records,
                ifnull(sum(c.sis_import_id IS NOT NULL AND c.sis_import_id <> ?2), 0) AS unnamed
         FROM json_each(?1) t CROSS JOIN courses c
         WHERE c.enrollment_term_id = t.value AND c.workflow_state <> 'deleted'
         UNION ALL
         SELECT 'sections', count(*), ifnull(sum(s.sis_import_id IS NOT NULL AND s.sis_import_id <> ?2), 0)
         FROM json_each(?1) t CROSS JOIN courses c CROSS JOIN course_sections s
         WHERE c.enrollment_term_id = t.value AND s.course_id = c.id AND s.workflow_state = 'active'
         UNION ALL
         SELECT 'enrollments', count(*), ifnull(sum(e.sis_import_id IS NOT NULL AND e.sis_import_id <> ?2), 0)
         FROM json_each(?1) t CROSS JOIN courses c CROSS JOIN enrollments e
         WHERE c.enrollment_term_id = t.value AND e.course_id = c.id AND e.workflow_state NOT IN ('deleted', 'rejected')";
    db.fetch_all(sql, (Json(terms), import)).await
}

/// The removal has begun.
pub(crate) async fn begin(db: &Db, import: SisImportId, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE sis_imports SET stage = 'cleanup_batch', attempts = 0, updated_at = ?2 WHERE id = ?1";
    db.execute(sql, (import, now)).await
}

/// The next courses of a term, behind that of an id.
pub(crate) async fn courses(
    db: &Db,
    import: &Claimed,
    term: EnrollmentTermId,
    after: i64,
    most: usize,
) -> db::Result<Vec<TermCourse>> {
    let sql =
        "SELECT id, workflow_state <> 'deleted' AND sis_import_id IS NOT NULL AND sis_import_id <> ?4 AS is_unnamed
         FROM courses WHERE enrollment_term_id = ?1 AND id > ?2 AND root_account_id = ?3 ORDER BY id LIMIT ?5";
    db.fetch_all(sql, (term, after, import.root_account_id, import.id, count(most))).await
}

/// Deletes courses, and ends the enrollments in them.
pub(crate) async fn remove_courses(db: &Db, courses: &[CourseId], now: Timestamp) -> db::Result<()> {
    if courses.is_empty() {
        return Ok(());
    }
    for sql in [
        "UPDATE courses SET workflow_state = 'deleted', updated_at = ?2 WHERE id IN (SELECT value FROM json_each(?1))",
        "UPDATE enrollments SET workflow_state = 'deleted', updated_at = ?2
         WHERE course_id IN (SELECT value FROM json_each(?1)) AND workflow_state NOT IN ('deleted', 'rejected')",
    ] {
        db.execute(sql, (Json(courses), now)).await?;
    }
    Ok(())
}

/// Deletes the sections of these courses that the import does not name, and ends the enrollments in them.
pub(crate) async fn remove_sections(
    db: &Db,
    import: SisImportId,
    courses: &[CourseId],
    now: Timestamp,
) -> db::Result<usize> {
    let sql = "SELECT id FROM course_sections
         WHERE course_id IN (SELECT value FROM json_each(?1)) AND workflow_state = 'active'
           AND sis_import_id IS NOT NULL AND sis_import_id <> ?2";
    let sections: Vec<IdRow<i64>> = db.fetch_all(sql, (Json(courses), import)).await?;
    let sections: Vec<_> = sections.into_iter().map(|section| section.id).collect();
    if sections.is_empty() {
        return Ok(0);
    }
    let delete = "UPDATE course_sections SET workflow_state = 'deleted', updated_at = ?2
         WHERE id IN (SELECT value FROM json_each(?1))";
    db.execute(delete, (Json(&sections), now)).await?;
    let end = "UPDATE enrollments SET workflow_state = 'deleted', updated_at = ?3
         WHERE course_id IN (SELECT value FROM json_each(?1)) AND course_section_id IN (SELECT value FROM json_each(?2))
           AND workflow_state NOT IN ('deleted', 'rejected')";
    db.execute(end, (Json(courses), Json(&sections), now)).await?;
    Ok(sections.len())
}

/// Ends the enrollments in these courses that the import does not name.
pub(crate) async fn remove_enrollments(
    db: &Db,
    import: SisImportId,
    courses: &[CourseId],
    status: &str,
    now: Timestamp,
) -> db::Result<usize> {
    #[derive(Deserialize)]
    struct EndedEnrollments {
        ended: usize,
    }
    // How many there are is asked first, because a write tells of one row alone.
    let sql = "SELECT count(*) AS ended FROM enrollments
         WHERE course_id IN (SELECT value FROM json_each(?1)) AND workflow_state NOT IN ('deleted', 'rejected', ?3)
           AND sis_import_id IS NOT NULL AND sis_import_id <> ?2";
    let EndedEnrollments { ended } = db.fetch_one(sql, (Json(courses), import, status)).await?;
    if ended > 0 {
        let sql = "UPDATE enrollments SET workflow_state = ?3, updated_at = ?4
             WHERE course_id IN (SELECT value FROM json_each(?1)) AND workflow_state NOT IN ('deleted', 'rejected', ?3)
               AND sis_import_id IS NOT NULL AND sis_import_id <> ?2";
        db.execute(sql, (Json(courses), import, status, now)).await?;
    }
    Ok(ended)
}

/// Notes how far the removal has come, and how many records have gone.
pub(crate) async fn advance(
    db: &Db,
    import: SisImportId,
    term: EnrollmentTermId,
    course: CourseId,
    removed: Removed,
) -> db::Result<()> {
    // A number of null is left out.
    let sql = "UPDATE sis_imports
         SET removal_term_id = ?2, removal_course_id = ?3,
             counts = json_patch(counts, json_object(
                 'batch_courses_deleted', nullif(ifnull(counts ->> 'batch_courses_deleted', 0) + ?4, 0),
                 'batch_sections_deleted', nullif(ifnull(counts ->> 'batch_sections_deleted', 0) + ?5, 0),
                 'batch_enrollments_deleted', nullif(ifnull(counts ->> 'batch_enrollments_deleted', 0) + ?6, 0)))
         WHERE id = ?1";
    let Removed { courses, sections, enrollments } = removed;
    db.execute(sql, (import, term, course, count(courses), count(sections), count(enrollments))).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_a_part_of_the_records() {
        let share = |records, unnamed| Share { kind: Kind::Enrollments, records, unnamed };
        assert!(!share(200, 20).exceeds(10));
        assert!(share(200, 21).exceeds(10));
        assert!(share(1, 1).exceeds(0));
        assert!(!share(0, 0).exceeds(0));
    }
}
