//! The SQL that copies the folders and files of a course. Copies share the bytes of what they are copies of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::db::{IdRow, Json};
use shared::files::{self, Owner};
use shared::ids::{AccountId, AttachmentId, CourseId, FolderId};
use shared::live_events::{self, Cause};
use shared::{Db, Timestamp, db};

/// The most pages that are changed in one go.
const PAGES_AT_ONCE: i64 = 100;

/// Adds the files of one course to another, and lets the copied pages refer to them; what is there by the same name stays.
/// `db` is in a transaction in which the pages are copied already. Tells whether tools are to be told of the copies.
pub(super) async fn copy(
    db: &Db,
    source: CourseId,
    to: CourseId,
    cause: Option<&Cause>,
    now: Timestamp,
) -> db::Result<bool> {
    copy_folders(db, source, to, now).await?;
    db.execute(
        "INSERT INTO copied_records (kind, old_id, new_id)
         SELECT 'attachments', r.id, (SELECT ifnull(max(id), 0) FROM attachments) + row_number() OVER (ORDER BY r.id)
         FROM copied_records f JOIN attachments r ON r.folder_id = f.old_id
         WHERE f.kind = 'folders' AND r.workflow_state = 'available'
           AND NOT EXISTS (SELECT 1 FROM attachments o
                           WHERE o.folder_id = f.new_id AND o.display_name = r.display_name COLLATE NOCASE
                             AND o.workflow_state = 'available')",
        (),
    )
    .await?;
    db.execute(
        "INSERT INTO attachments (id, root_account_id, context_type, context_id, folder_id, user_id, filename,
             display_name, content_type, size, blob, uuid, locked, hidden, lock_at, unlock_at, created_at, modified_at,
             updated_at)
         SELECT m.new_id, r.root_account_id, 'Course', ?1, f.new_id, r.user_id, r.filename, r.display_name,
                r.content_type, r.size, r.blob, lower(hex(randomblob(16))), r.locked, r.hidden, r.lock_at, r.unlock_at,
                ?2, r.modified_at, ?2
         FROM copied_records m
         JOIN attachments r ON r.id = m.old_id
         JOIN copied_records f ON f.kind = 'folders' AND f.old_id = r.folder_id
         WHERE m.kind = 'attachments'",
        (to, now),
    )
    .await?;
    refer_to_copies(db, source, to).await?;
    match cause {
        Some(cause) => tell_of_copies(db, to, cause).await,
        None => Ok(false),
    }
}

async fn tell_of_copies(db: &Db, to: CourseId, cause: &Cause) -> db::Result<bool> {
    #[derive(Deserialize)]
    struct Copied {
        new_id: AttachmentId,
    }
    let sql = "SELECT new_id FROM copied_records WHERE kind = 'attachments' ORDER BY new_id";
    let copies: Vec<Copied> = db.fetch_all(sql, ()).await?;
    let ids: Vec<_> = copies.into_iter().map(|copy| copy.new_id).collect();
    live_events::attachments_created(db, cause, to, &ids).await
}

/// A folder of the other course is the copy of the one that has its place and name; the rest is made.
async fn copy_folders(db: &Db, source: CourseId, to: CourseId, now: Timestamp) -> db::Result<()> {
    #[derive(Deserialize)]
    struct Folder {
        id: FolderId,
        parent: Option<FolderId>,
        root_account_id: AccountId,
    }
    let folders: Vec<Folder> = db
        .fetch_all(
            "WITH RECURSIVE tree (id, depth) AS (
                 SELECT id, 0 FROM folders
                 WHERE context_type = 'Course' AND context_id = ?1 AND parent_folder_id IS NULL
                   AND workflow_state = 'visible'
                 UNION ALL
                 SELECT f.id, t.depth + 1 FROM tree t CROSS JOIN folders f ON f.parent_folder_id = t.id
                 WHERE f.workflow_state = 'visible'
             )
             SELECT f.id, f.parent_folder_id AS parent, f.root_account_id
             FROM tree t CROSS JOIN folders f ON f.id = t.id ORDER BY t.depth, f.id",
            (source,),
        )
        .await?;
    let mut copies = BTreeMap::new();
    for Folder { id, parent, root_account_id } in folders {
        let copy = match parent.and_then(|parent| copies.get(&parent).copied()) {
            None => files::root_folder(db, root_account_id, Owner::Course(to), now).await?,
            Some(parent) => {
                let made: IdRow<FolderId> = db
                    .fetch_one(
                        "INSERT INTO folders (root_account_id, context_type, context_id, parent_folder_id, name,
                             position, locked, hidden, lock_at, unlock_at, created_at, updated_at)
                         SELECT root_account_id, 'Course', ?2, ?3, name, position, locked, hidden, lock_at, unlock_at,
                                ?4, ?4
                         FROM folders WHERE id = ?1
                         ON CONFLICT (parent_folder_id, name COLLATE NOCASE)
                         WHERE parent_folder_id IS NOT NULL AND workflow_state <> 'deleted'
                         DO UPDATE SET name = folders.name RETURNING id",
                        (id, to, parent, now),
                    )
                    .await?;
                made.id
            }
        };
        copies.insert(id, copy);
        db.execute("INSERT INTO copied_records (kind, old_id, new_id) VALUES ('folders', ?1, ?2)", (id, copy)).await?;
    }
    Ok(())
}

/// Lets the pages of the course refer to the copies of files, each page in one go: there may be many of both.
async fn refer_to_copies(db: &Db, source: CourseId, to: CourseId) -> db::Result<()> {
    #[derive(Deserialize)]
    struct Pair {
        old_id: i64,
        new_id: i64,
    }
    let pairs: Vec<Pair> =
        db.fetch_all("SELECT old_id, new_id FROM copied_records WHERE kind = 'attachments'", ()).await?;
    if pairs.is_empty() {
        return Ok(());
    }
    let copies: BTreeMap<_, _> = pairs.into_iter().map(|Pair { old_id, new_id }| (old_id, new_id)).collect();
    let (before, after) = (format!("/courses/{source}/files/"), format!("/courses/{to}/files/"));
    let mut behind = 0;
    loop {
        let pages = pages_with(db, to, &before, behind).await?;
        let Some(PageBody { id, .. }) = pages.last() else { return Ok(()) };
        behind = *id;
        let changed = pages.into_iter().filter_map(|PageBody { id, body }| {
            let body = referring_to_copies(&body, &before, &after, &copies)?;
            Some(PageBody { id, body })
        });
        let changed: Vec<_> = changed.collect();
        if !changed.is_empty() {
            let sql = "UPDATE wiki_pages SET body = new.value ->> 'body' FROM json_each(?1) AS new
                WHERE wiki_pages.id = new.value ->> 'id'";
            db.execute(sql, (Json(changed),)).await?;
        }
    }
}

#[derive(Deserialize, Serialize)]
struct PageBody {
    id: i64,
    body: String,
}

/// The next pages of a course behind one that have that text.
async fn pages_with(db: &Db, course: CourseId, text: &str, behind: i64) -> db::Result<Vec<PageBody>> {
    let sql = "SELECT id, body FROM wiki_pages WHERE course_id = ?1 AND id > ?3 AND instr(body, ?2) > 0
        ORDER BY id LIMIT ?4";
    db.fetch_all(sql, (course, text, behind, PAGES_AT_ONCE)).await
}

/// The text with the addresses of copies, if it has addresses of what they are copies of: these begin with `before`, then comes
/// the id and a slash.
fn referring_to_copies(text: &str, before: &str, after: &str, copies: &BTreeMap<i64, i64>) -> Option<String> {
    let mut parts = text.split(before);
    let (mut changed, mut is_changed) = (parts.next()?.to_owned(), false);
    for part in parts {
        let copy = part.split_once('/').and_then(|(id, rest)| Some((copies.get(&id.parse().ok()?)?, rest)));
        let (address, rest) = match copy {
            Some((id, rest)) => (format!("{after}{id}/"), rest),
            None => (before.to_owned(), part),
        };
        is_changed |= copy.is_some();
        changed.extend([address.as_str(), rest]);
    }
    is_changed.then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files_become_those_of_their_copies() {
        let copies = BTreeMap::from([(7, 70), (8, 80)]);
        let change = |text: &str| referring_to_copies(text, "/courses/1/files/", "/courses/2/files/", &copies);
        let text = "<img src=\"/courses/1/files/7/preview\"> /courses/1/files/9/ /courses/1/files/8/download";
        let copied = "<img src=\"/courses/2/files/70/preview\"> /courses/1/files/9/ /courses/2/files/80/download";
        assert_eq!(change(text).as_deref(), Some(copied));
        for other in ["", "/courses/11/files/7/", "/courses/1/files/7", "/courses/1/files/x/", "/courses/1/files/77/"] {
            assert_eq!(change(other), None, "{other}");
        }
    }
}
