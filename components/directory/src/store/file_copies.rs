//! The SQL that copies the folders and files of a course. Copies share the bytes of what they are copies of.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use shared::db::{IdRow, Json};
use shared::files::{self, Owner};
use shared::ids::{AccountId, AttachmentId, CourseId, FolderId};
use shared::live_events::{self, Cause};
use shared::{Db, Timestamp, db};

use crate::model::selection::{self, CopiedPart, Place};
use crate::store::last_ids::last_id;

/// The files that are copied.
pub(super) enum FileChoice {
    All,
    Part {
        /// With all that is in them.
        folders: BTreeSet<i64>,
        files: BTreeSet<i64>,
    },
}

impl FileChoice {
    /// Those that are chosen, and those that chosen texts refer to.
    pub(super) fn of(part: &CopiedPart, linked: BTreeSet<i64>) -> Self {
        if part.has_all_files() {
            return Self::All;
        }
        let (folders, mut files) = part.files();
        files.extend(linked);
        Self::Part { folders, files }
    }
}

/// Adds the files of one course to another; what is there by the same name stays. `db` is in a transaction.
pub(super) async fn copy(
    db: &Db,
    source: CourseId,
    to: CourseId,
    choice: &FileChoice,
    now: Timestamp,
) -> db::Result<()> {
    let (whole, files) = copy_folders(db, source, to, choice, now).await?;
    db.execute(
        concat!(
            "INSERT INTO copied_records (kind, old_id, new_id)
         SELECT 'attachments', r.id, ",
            last_id!("attachments"),
            " + row_number() OVER (ORDER BY r.id)
         FROM copied_records f JOIN attachments r ON r.folder_id = f.old_id
         WHERE f.kind = 'folders' AND r.workflow_state = 'available'
           AND (f.old_id IN (SELECT value FROM json_each(?1)) OR r.id IN (SELECT value FROM json_each(?2)))
           AND NOT EXISTS (SELECT 1 FROM attachments o
                           WHERE o.folder_id = f.new_id AND o.display_name = r.display_name COLLATE NOCASE
                             AND o.workflow_state = 'available')"
        ),
        (Json(whole), Json(files)),
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
    .await
}

/// Makes the events of the copied files, when these are as they stay. Tells whether tools are to be told of them.
pub(super) async fn tell_of_copies(db: &Db, to: CourseId, cause: &Cause) -> db::Result<bool> {
    #[derive(Deserialize)]
    struct Copied {
        new_id: AttachmentId,
    }
    let sql = "SELECT new_id FROM copied_records WHERE kind = 'attachments' ORDER BY new_id";
    let copies: Vec<Copied> = db.fetch_all(sql, ()).await?;
    let ids: Vec<_> = copies.into_iter().map(|copy| copy.new_id).collect();
    live_events::attachments_created(db, cause, to, &ids).await
}

/// A folder of the other course is the copy of the one that has its place and name; the rest is made. Tells the folders of which all
/// files are copied, and the files that are copied whatever their folder is.
async fn copy_folders(
    db: &Db,
    source: CourseId,
    to: CourseId,
    choice: &FileChoice,
    now: Timestamp,
) -> db::Result<(Vec<i64>, Vec<i64>)> {
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
    let (places, files) = match choice {
        FileChoice::All => (folders.iter().map(|folder| (folder.id.0, Place::Whole)).collect(), Vec::new()),
        FileChoice::Part { folders: chosen, files } => {
            let files = files_of(db, source, files).await?;
            let tree: Vec<_> = folders.iter().map(|own| (own.id.0, own.parent.map(|parent| parent.0))).collect();
            let places = selection::places(&tree, chosen, files.iter().map(|file| file.folder_id));
            (places, files.into_iter().map(|file| file.id).collect())
        }
    };
    let mut copies = BTreeMap::new();
    for Folder { id, parent, root_account_id } in folders {
        if !places.contains_key(&id.0) {
            continue;
        }
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
    let whole = places.into_iter().filter(|(_, place)| *place == Place::Whole).map(|(id, _)| id);
    Ok((whole.collect(), files))
}

/// A file that is copied whatever its folder is.
#[derive(Deserialize)]
struct ChosenFile {
    id: i64,
    folder_id: i64,
}

/// Those of these files that the course has.
async fn files_of(db: &Db, course: CourseId, files: &BTreeSet<i64>) -> db::Result<Vec<ChosenFile>> {
    let sql = "SELECT r.id, r.folder_id FROM json_each(?1) AS chosen CROSS JOIN attachments r ON r.id = chosen.value
        WHERE r.context_type = 'Course' AND r.context_id = ?2 AND r.workflow_state = 'available' AND r.folder_id IS NOT NULL";
    db.fetch_all(sql, (Json(files), course)).await
}
