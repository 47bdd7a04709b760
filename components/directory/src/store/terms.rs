//! The SQL of terms.

use shared::db;
use shared::ids::{AccountId, EnrollmentTermId, IdOrAlias};
use shared::pagination::{Key, Page};
use shared::{Db, Error, Paged, Result};

use crate::model::terms::{EnrollmentTerm, TermState};

/// `?2` is whether the courses are counted.
const TERM: &str = "id, name, sis_term_id, sis_import_id, start_at, end_at, workflow_state, overrides, created_at,
    iif(?2, (SELECT count(*) FROM courses c
             WHERE c.enrollment_term_id = enrollment_terms.id AND c.workflow_state <> 'deleted'), NULL) AS course_count";

pub(crate) async fn terms(
    db: &Db,
    root: AccountId,
    counts: bool,
    state: TermState,
    name: Option<String>,
    page: &Page,
) -> Result<Paged<EnrollmentTerm>> {
    let state = match state {
        TermState::Active => Some("active"),
        TermState::Deleted => Some("deleted"),
        TermState::All => None,
    };
    let sql = format!(
        "SELECT {TERM} FROM enrollment_terms
         WHERE root_account_id = ?1 AND (?3 IS NULL OR workflow_state = ?3)
           AND (?4 IS NULL OR instr(lower(name), lower(?4)))"
    );
    page.fetch_keyset(db, &sql, (root, counts, state, name), Key::ascending(&["id"])).await
}

/// A term that is not deleted; 404 where the name is of another kind.
pub(crate) async fn term(
    db: &Db,
    root: AccountId,
    named: &IdOrAlias<EnrollmentTermId>,
) -> Result<Option<EnrollmentTerm>> {
    let (id, sis_id) = match named {
        IdOrAlias::Id(id) => (Some(*id), None),
        IdOrAlias::Other(prefix, value) if prefix == "sis_term_id" => (None, Some(value.as_str())),
        IdOrAlias::Own | IdOrAlias::Other(..) => return Err(Error::not_found()),
    };
    let sql = format!(
        "SELECT {TERM} FROM enrollment_terms
         WHERE root_account_id = ?1 AND workflow_state = 'active' AND id = CASE WHEN ?3 IS NOT NULL THEN ?3 ELSE (
             SELECT id FROM enrollment_terms
             WHERE root_account_id = ?1 AND sis_term_id = ?4 AND workflow_state = 'active') END"
    );
    let found: db::Result<_> = db.fetch(&sql, (root, false, id, sis_id)).await;
    Ok(found?)
}
