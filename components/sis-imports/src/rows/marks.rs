//! The import that has named a record last, which tells what an import in batch mode does not name.

use shared::Result;
use shared::csv::Row;
use shared::db::Json;

use crate::model::kind::Kind;
use crate::rows::Target;

/// Marks the records that these rows name. Outside of batch mode those are left that another import has named, because
/// nobody asks which it was. Enrollments are marked where they are written.
pub(super) async fn mark(into: &Target<'_>, kind: Kind, rows: &[&Row]) -> Result<()> {
    match kind {
        Kind::Terms => marked(into, rows, "term_id", TERMS).await,
        Kind::Courses => marked(into, rows, "course_id", COURSES).await,
        Kind::Sections => marked(into, rows, "section_id", SECTIONS).await,
        Kind::Xlists => {
            marked(into, rows, "xlist_course_id", COURSES).await?;
            marked(into, rows, "section_id", SECTIONS).await
        }
        Kind::Accounts | Kind::Users | Kind::Enrollments | Kind::Groups | Kind::GroupMemberships => Ok(()),
    }
}

const TERMS: &str = "UPDATE enrollment_terms SET sis_import_id = ?2
     WHERE root_account_id = ?1 AND sis_term_id IN (SELECT value FROM json_each(?3))
       AND (sis_import_id IS NULL OR ?4 AND sis_import_id <> ?2)";
const COURSES: &str = "UPDATE courses SET sis_import_id = ?2
     WHERE root_account_id = ?1 AND sis_course_id IN (SELECT value FROM json_each(?3))
       AND (sis_import_id IS NULL OR ?4 AND sis_import_id <> ?2)";
const SECTIONS: &str = "UPDATE course_sections SET sis_import_id = ?2
     WHERE root_account_id = ?1 AND sis_section_id IN (SELECT value FROM json_each(?3))
       AND (sis_import_id IS NULL OR ?4 AND sis_import_id <> ?2)";

async fn marked(into: &Target<'_>, rows: &[&Row], column: &str, sql: &str) -> Result<()> {
    let ids: Vec<_> = rows.iter().filter_map(|row| row.get(column)).collect();
    if ids.is_empty() {
        return Ok(());
    }
    Ok(into.db.execute(sql, (into.root, into.import, Json(ids), into.options.batch_mode == Some(true))).await?)
}
