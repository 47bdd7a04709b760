//! The SQL of terms.

use shared::db::{self, Changes, OnUnique};
use shared::ids::{AccountId, EnrollmentTermId, IdOrAlias};
use shared::pagination::{Key, Page};
use shared::params::SearchTerm;
use shared::{Db, Error, Paged, Result, Timestamp};

use crate::model::checks::already_taken;
use crate::model::filters::AnyOf;
use crate::model::terms::{EnrollmentTerm, TermState};

/// `?2` is whether the courses are counted.
const TERM: &str = "id, name, sis_term_id, sis_import_id, start_at, end_at, workflow_state, overrides, created_at,
    iif(?2, (SELECT count(*) FROM courses c
             WHERE c.enrollment_term_id = enrollment_terms.id AND c.workflow_state <> 'deleted'), NULL) AS course_count";

pub(crate) async fn terms(
    db: &Db,
    root: AccountId,
    counts: bool,
    states: AnyOf<TermState>,
    name: Option<SearchTerm>,
    page: &Page,
) -> Result<Paged<EnrollmentTerm>> {
    let states = if states.contains(&TermState::All) { AnyOf::default() } else { states.or([TermState::Active]) };
    let is_named = SearchTerm::contained_sql(name.as_ref(), &["name"], "?4");
    let sql = format!(
        "SELECT {TERM} FROM enrollment_terms
         WHERE root_account_id = ?1 AND (?3 IS NULL OR workflow_state IN (SELECT value FROM json_each(?3)))
           AND (?4 IS NULL OR {is_named})"
    );
    page.fetch_keyset(db, &sql, (root, counts, states, name.as_ref()), Key::ascending(&["id"])).await
}

/// A term that is not deleted, or the default one; 404 where the name is of another kind.
pub(crate) async fn term(
    db: &Db,
    root: AccountId,
    named: &IdOrAlias<EnrollmentTermId>,
) -> Result<Option<EnrollmentTerm>> {
    let (id, sis_id, is_default) = match named {
        IdOrAlias::Id(id) => (Some(*id), None, false),
        IdOrAlias::Other(prefix, value) if prefix == "sis_term_id" => (None, Some(value.as_str()), false),
        IdOrAlias::Other(word, _) if word == "default" => (None, None, true),
        IdOrAlias::Own | IdOrAlias::Other(..) => return Err(Error::not_found()),
    };
    let sql = format!(
        "SELECT {TERM} FROM enrollment_terms
         WHERE root_account_id = ?1 AND workflow_state = 'active' AND id = CASE
             WHEN ?3 IS NOT NULL THEN ?3
             WHEN ?5 THEN (SELECT id FROM enrollment_terms WHERE root_account_id = ?1 AND is_default = 1)
             ELSE (SELECT id FROM enrollment_terms
                   WHERE root_account_id = ?1 AND sis_term_id = ?4 AND workflow_state = 'active')
         END"
    );
    let found: db::Result<_> = db.fetch(&sql, (root, false, id, sis_id, is_default)).await;
    Ok(found?)
}

const SIS_ID: &str = "enrollment_terms.root_account_id, enrollment_terms.sis_term_id";

pub(crate) async fn insert(db: &Db, root: AccountId, new: Changes, now: Timestamp) -> Result<EnrollmentTerm> {
    let sql = format!(
        "INSERT INTO enrollment_terms
             (root_account_id, name, sis_term_id, start_at, end_at, overrides, created_at, updated_at)
         VALUES (?1, ?3 ->> 'name', ?3 ->> 'sis_term_id', ?3 ->> 'start_at', ?3 ->> 'end_at',
                 json_patch('{{}}', ifnull(?3 ->> 'overrides', '{{}}')), ?4, ?4)
         RETURNING {TERM}"
    );
    db.fetch_one(&sql, (root, false, new, now)).await.on_unique(SIS_ID, || already_taken("sis_term_id"))
}

/// Nothing, if it were to change the name of the default term.
pub(crate) async fn update(
    db: &Db,
    root: AccountId,
    id: EnrollmentTermId,
    changes: Changes,
    now: Timestamp,
) -> Result<Option<EnrollmentTerm>> {
    let assignments = Changes::assignments(4, &["name"], &["start_at", "end_at", "sis_term_id"]);
    let sql = format!(
        "UPDATE enrollment_terms
         SET {assignments}, overrides = json_patch(overrides, ifnull(?4 ->> 'overrides', '{{}}')),
             updated_at = ?5
         WHERE id = ?3 AND root_account_id = ?1 AND workflow_state = 'active'
           AND (is_default = 0 OR ifnull(?4 ->> 'name', name) = name)
         RETURNING {TERM}"
    );
    db.fetch(&sql, (root, false, id, changes, now)).await.on_unique(SIS_ID, || already_taken("sis_term_id"))
}

/// Nothing, if it has courses, or is the default term.
pub(crate) async fn delete(
    db: &Db,
    root: AccountId,
    id: EnrollmentTermId,
    now: Timestamp,
) -> db::Result<Option<EnrollmentTerm>> {
    let sql = format!(
        "UPDATE enrollment_terms SET workflow_state = 'deleted', updated_at = ?4
         WHERE id = ?3 AND root_account_id = ?1 AND workflow_state = 'active' AND is_default = 0
           AND NOT EXISTS (SELECT 1 FROM courses c WHERE c.enrollment_term_id = ?3 AND c.workflow_state <> 'deleted')
         RETURNING {TERM}"
    );
    db.fetch(&sql, (root, false, id, now)).await
}
