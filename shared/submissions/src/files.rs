//! The files that are handed in: they lie in a folder of their student in which nobody changes them.

use serde::Deserialize;
use serde_json::Value;
use shared::db::Json;
use shared::files::submissions_folder;
use shared::ids::{AccountId, AssignmentId, AttachmentId, FolderId, UserId};
use shared::{Db, Timestamp, db};

/// Who hands files in, for whom, and for which assignment.
#[derive(Clone, Copy)]
pub struct Handing {
    pub assignment: AssignmentId,
    pub student: UserId,
    pub caller: UserId,
}

impl Handing {
    /// Whose uploads for the assignment may be handed in; `None`: it is the student, who hands in all that is theirs.
    fn uploader(self) -> Option<UserId> {
        Some(self.caller).filter(|caller| *caller != self.student)
    }
}

/// Takes files for what is handed in, so that nobody changes them any more. False where one of them may not be handed in. `db`
/// is in a transaction.
pub async fn take(db: &Db, files: &[AttachmentId], handing: Handing, now: Timestamp) -> db::Result<bool> {
    let ids = as_json(files);
    let found = found(db, &ids, handing.student, handing.uploader(), Some(handing.assignment)).await?;
    if found.files != files.len() {
        return Ok(false);
    }
    gather(db, ids, handing.student, found, now).await?;
    Ok(true)
}

/// Takes those of the files that are there and the student's own: somebody may have deleted one before it was handed in. `db` is in
/// a transaction.
pub async fn take_own(db: &Db, files: &[AttachmentId], student: UserId, now: Timestamp) -> db::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let ids = as_json(files);
    let found = found(db, &ids, student, None, None).await?;
    gather(db, ids, student, found, now).await
}

fn as_json(files: &[AttachmentId]) -> Json<Value> {
    Json(Value::from(files.iter().map(|id| id.0).collect::<Vec<_>>()))
}

/// The number of files that may be handed in, and of those that lie where they can be changed the account.
#[derive(Deserialize)]
struct Found {
    files: usize,
    elsewhere: Option<AccountId>,
}

/// Which of these files may be handed in for a student: all of their own, or those of them that somebody else has uploaded for
/// this very assignment.
async fn found(
    db: &Db,
    ids: &Json<Value>,
    student: UserId,
    uploader: Option<UserId>,
    assignment: Option<AssignmentId>,
) -> db::Result<Found> {
    db.fetch_one(
        "SELECT count(*) AS files, max(iif(ifnull(f.for_submissions, 0) = 0, a.root_account_id, NULL)) AS elsewhere
         FROM json_each(?1) j CROSS JOIN attachments a ON a.id = j.value LEFT JOIN folders f ON f.id = a.folder_id
         WHERE a.workflow_state = 'available' AND a.context_type = 'User' AND a.context_id = ?2
           AND (?3 IS NULL OR (a.user_id = ?3 AND a.assignment_id = ?4))",
        (ids.clone(), student, uploader, assignment),
    )
    .await
}

/// Moves those that lie elsewhere to where everything lies that the student has handed in.
async fn gather(db: &Db, ids: Json<Value>, student: UserId, found: Found, now: Timestamp) -> db::Result<()> {
    let Some(account) = found.elsewhere else { return Ok(()) };
    let folder = submissions_folder(db, account, student, now).await?;
    move_to(db, folder, student, ids, now).await
}

/// Moves a student's files to a folder. One whose name another one has there, or is about to have, gets its id before its name,
/// and where somebody has called a file just that, a word that nobody can know.
async fn move_to(db: &Db, folder: FolderId, student: UserId, ids: Json<Value>, now: Timestamp) -> db::Result<()> {
    let is_there = |name: &str| {
        format!(
            "EXISTS (SELECT 1 FROM attachments there
                     WHERE there.folder_id = ?2 AND there.display_name = {name} COLLATE NOCASE
                       AND there.workflow_state = 'available')"
        )
    };
    let comes = |name: &str, others: &str| {
        format!(
            "EXISTS (SELECT 1 FROM json_each(?1) j CROSS JOIN attachments other ON other.id = j.value
                     WHERE other.id {others} attachments.id AND other.display_name = {name} COLLATE NOCASE)"
        )
    };
    let (name, numbered) = ("attachments.display_name", "(attachments.id || '-' || attachments.display_name)");
    let sql = format!(
        "UPDATE attachments
         SET folder_id = ?2, updated_at = ?3,
             display_name = CASE
                 WHEN NOT {} AND NOT {} THEN display_name
                 WHEN NOT {} AND NOT {} THEN {numbered}
                 ELSE id || '-' || lower(hex(randomblob(8))) || '-' || display_name END
         WHERE id IN (SELECT value FROM json_each(?1)) AND folder_id IS NOT ?2
           AND workflow_state = 'available' AND context_type = 'User' AND context_id = ?4",
        is_there(name),
        comes(name, "<"),
        is_there(numbered),
        comes(numbered, "<>"),
    );
    db.execute(&sql, (ids, folder, now, student)).await
}
