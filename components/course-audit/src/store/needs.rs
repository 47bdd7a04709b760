//! Whose events a path asks for, and who reads them: only who administers the whole tenant reads its log.

use serde::Deserialize;
use shared::Result;
use shared::auth::AccountAccess;
use shared::db::Json;
use shared::error::Error;
use shared::ids::{AccountId, CourseId, IdOrAlias};
use shared::needs::{HasTenant, Lookup, MatchedPath, Needed, Record, may};

/// The course that a path names, whose tenant the caller administers.
pub(crate) type NeededCourse = Needed<AuditedCourse, may::AdministerTenant>;
/// The account that a path names, whose tenant the caller administers.
pub(crate) type NeededAccount = Needed<AuditedAccount, may::AdministerTenant>;

/// A course, be it deleted.
#[derive(Deserialize)]
pub(crate) struct AuditedCourse {
    #[expect(dead_code, reason = "the statement of the events reads it")]
    id: CourseId,
    tenant: Json<AccountAccess>,
}

/// An account.
#[derive(Deserialize)]
pub(crate) struct AuditedAccount {
    #[expect(dead_code, reason = "the statement of the events reads it")]
    id: AccountId,
    tenant: Json<AccountAccess>,
}

impl HasTenant for AuditedCourse {
    fn tenant(&self) -> &AccountAccess {
        &self.tenant.0
    }
}

impl HasTenant for AuditedAccount {
    fn tenant(&self) -> &AccountAccess {
        &self.tenant.0
    }
}

impl Record for AuditedCourse {
    /// Of several courses that had the same SIS id, the one that has it now, or else had it last.
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (kind, value) = match path.id::<IdOrAlias<CourseId>>("courses")? {
            IdOrAlias::Own => return Err(Error::not_found()),
            IdOrAlias::Id(id) => ("id".to_owned(), id.to_string()),
            IdOrAlias::Other(kind, value) => (kind, value),
        };
        let courses = "
            SELECT id, root_account_id AS root_account FROM courses
            WHERE (caller.site_admin OR root_account_id = caller.root_account_id) AND id = CASE ?1
                WHEN 'id' THEN CAST(?2 AS INTEGER)
                WHEN 'uuid' THEN (SELECT id FROM courses WHERE uuid = ?2)
                WHEN 'sis_course_id' THEN ifnull(
                    (SELECT id FROM courses
                     WHERE sis_course_id = ?2 AND root_account_id = caller.root_account_id AND workflow_state <> 'deleted'),
                    (SELECT id FROM courses WHERE sis_course_id = ?2 AND root_account_id = caller.root_account_id
                     ORDER BY updated_at DESC, id DESC LIMIT 1))
            END";
        AccountAccess::with_tenant(courses, (kind, value))
    }
}

impl Record for AuditedAccount {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (accounts, values) = AccountAccess::lookup(path)?.into_parts();
        AccountAccess::with_tenant(&accounts, values)
    }
}
