//! The SQL of fields that somebody has changed since an import: whoever asks for it leaves them as they are.

use serde::Deserialize;
use shared::Db;
use shared::db::{self, Changes};
use shared::ids::{AccountId, CourseId, EnrollmentTermId, SectionId, UserGroupId, UserId};

/// A record whose fields may stick.
#[derive(Clone, Copy)]
pub(crate) enum StickyRecord {
    Account(AccountId),
    EnrollmentTerm(EnrollmentTermId),
    User(UserId),
    Login(i64),
    Course(CourseId),
    Section(SectionId),
    Group(UserGroupId),
}

impl StickyRecord {
    /// As the triggers name it that note the fields.
    fn key(self) -> (&'static str, i64) {
        match self {
            Self::Account(id) => ("Account", id.0),
            Self::EnrollmentTerm(id) => ("EnrollmentTerm", id.0),
            Self::User(id) => ("User", id.0),
            Self::Login(id) => ("Pseudonym", id),
            Self::Course(id) => ("Course", id.0),
            Self::Section(id) => ("CourseSection", id.0),
            Self::Group(id) => ("Group", id.0),
        }
    }
}

/// The changes without those of fields that stick, where the request is not to override these.
pub(crate) async fn without_sticky(
    db: &Db,
    record: StickyRecord,
    overrides: Option<bool>,
    changes: Changes,
) -> db::Result<Changes> {
    #[derive(Deserialize)]
    struct FieldRow {
        field: String,
    }
    if overrides != Some(false) {
        return Ok(changes);
    }
    let sql = "SELECT field FROM sis_sticky_fields WHERE record_type = ?1 AND record_id = ?2";
    let sticky: Vec<FieldRow> = db.fetch_all(sql, record.key()).await?;
    Ok(sticky.iter().fold(changes, |changes, sticky| changes.without(&sticky.field)))
}
