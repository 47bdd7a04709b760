//! Folders and files of a package.

use content_packages::files_meta::Restriction;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::db::{self, Json};
use shared::files::{self, Owner};
use shared::ids::FolderId;
use uuid::Uuid;

use crate::import::places::Folder;
use crate::import::prepare::NewFile;
use crate::import::stop::Stop;
use crate::store::import::Into;

/// The number of rows made here that a statement takes.
const ROWS: usize = 1000;

/// The folder into which everything goes: the root, or that one, if it is still there.
pub(super) async fn top(to: &Into<'_>, folder: Option<FolderId>, owner: Owner) -> Result<FolderId, Stop> {
    let Some(folder) = folder else { return Ok(files::root_folder(to.db, to.root_account, owner, to.now).await?) };
    let sql = "SELECT 1 AS found FROM folders WHERE id = ?1 AND workflow_state = 'visible'";
    match to.db.affects(sql, (folder,)).await? {
        true => Ok(folder),
        false => Err(Stop::refused("The folder has been deleted")),
    }
}

/// A folder of the package, as it is in the course.
#[derive(Clone)]
pub(super) struct MadeFolder {
    id: FolderId,
    /// What its files keep from students by themselves: the folder was there already, and does not.
    owed: Restriction,
}

impl MadeFolder {
    fn of(id: FolderId) -> Self {
        Self { id, owed: Restriction::default() }
    }
}

/// A folder of the course at the place of one of the package.
#[derive(Deserialize)]
struct FolderRow {
    place: usize,
    id: FolderId,
    hidden: bool,
    locked: bool,
    unlock_at: Option<String>,
    lock_at: Option<String>,
}

impl FolderRow {
    fn made(&self, folder: &Folder, above: Option<&MadeFolder>) -> MadeFolder {
        let (unlock_at, lock_at) = (self.unlock_at.clone(), self.lock_at.clone());
        let own = Restriction { hidden: self.hidden, locked: self.locked, unlock_at, lock_at };
        let mut owed = above.map(|above| above.owed.clone()).unwrap_or_default();
        if own != folder.restriction {
            owed.add(&folder.restriction);
        }
        MadeFolder { id: self.id, owed }
    }
}

/// Makes the folders that are not there, level by level, and tells the ids of all. Those that are there stay as they are.
pub(super) async fn folders(to: &Into<'_>, top: FolderId, folders: &[Folder]) -> db::Result<Vec<MadeFolder>> {
    const MAKE: &str = "INSERT INTO folders (root_account_id, context_type, context_id, parent_folder_id, name, hidden,
             locked, unlock_at, lock_at, created_at, updated_at)
         SELECT ?2, 'Course', ?3, value ->> 'parent', value ->> 'name', value ->> 'hidden', value ->> 'locked',
                value ->> 'unlock_at', value ->> 'lock_at', ?4, ?4
         FROM json_each(?1) WHERE true
         ON CONFLICT (parent_folder_id, name COLLATE NOCASE)
         WHERE parent_folder_id IS NOT NULL AND workflow_state <> 'deleted' DO NOTHING";
    const FIND: &str = "SELECT j.value ->> 'place' AS place, f.id, f.hidden, f.locked, f.unlock_at, f.lock_at
         FROM json_each(?1) j
         CROSS JOIN folders f ON f.parent_folder_id = j.value ->> 'parent' AND f.name = j.value ->> 'name' COLLATE NOCASE
         WHERE f.workflow_state <> 'deleted'";
    let mut made = vec![MadeFolder::of(top); folders.len()];
    let levels = folders.iter().map(|folder| folder.level).max().map_or(0, |deepest| deepest.saturating_add(1));
    let mut by_level: Vec<Vec<usize>> = vec![Vec::new(); levels];
    for (place, folder) in folders.iter().enumerate() {
        if let Some(level) = by_level.get_mut(folder.level) {
            level.push(place);
        }
    }
    for part in by_level.iter().flat_map(|level| level.chunks(ROWS)) {
        let row = |place: &usize| {
            let folder = folders.get(*place)?;
            let parent = above(folder, &made).map_or(top, |parent| parent.id);
            let own = &folder.restriction;
            Some(json!({
                "place": place, "parent": parent, "name": folder.name, "hidden": own.hidden, "locked": own.locked,
                "unlock_at": own.unlock_at, "lock_at": own.lock_at,
            }))
        };
        let rows: Value = part.iter().filter_map(row).collect();
        to.db.execute(MAKE, (Json(&rows), to.root_account, to.course, to.now)).await?;
        let found: Vec<FolderRow> = to.db.fetch_all(FIND, (Json(&rows),)).await?;
        for row in found {
            let Some(folder) = folders.get(row.place) else { continue };
            let own = row.made(folder, above(folder, &made));
            if let Some(made) = made.get_mut(row.place) {
                *made = own;
            }
        }
    }
    Ok(made)
}

/// The folder of the package that one of it is in.
fn above<'m>(folder: &Folder, made: &'m [MadeFolder]) -> Option<&'m MadeFolder> {
    made.get(folder.parent?)
}

/// Makes the files, with ids from `first` on. Files of the same names in the course give way.
pub(super) async fn files(
    to: &Into<'_>,
    top: FolderId,
    folders: &[MadeFolder],
    files: Vec<NewFile>,
    first: i64,
) -> db::Result<()> {
    const GIVE_WAY: &str = "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?2
         WHERE id IN (SELECT a.id FROM json_each(?1) j
                      CROSS JOIN attachments a ON a.folder_id = j.value ->> 'folder'
                          AND a.display_name = j.value ->> 'name' COLLATE NOCASE
                      WHERE a.workflow_state = 'available')";
    const MAKE: &str = "INSERT INTO attachments (id, root_account_id, context_type, context_id, folder_id, user_id,
             filename, display_name, content_type, size, blob, uuid, hidden, locked, unlock_at, lock_at, created_at,
             modified_at, updated_at)
         SELECT value ->> 'id', ?2, 'Course', ?3, value ->> 'folder', ?4, value ->> 'name', value ->> 'name',
                value ->> 'type', value ->> 'size', value ->> 'blob', value ->> 'uuid', value ->> 'hidden',
                value ->> 'locked', value ->> 'unlock_at', value ->> 'lock_at', ?5, ?5, ?5
         FROM json_each(?1) ORDER BY key";
    let row = |(id, file): (i64, NewFile)| {
        let folder = file.place.folder.and_then(|place| folders.get(place)).cloned();
        let MadeFolder { id: folder, owed: mut own } = folder.unwrap_or_else(|| MadeFolder::of(top));
        own.add(&file.restriction);
        json!({
            "id": id, "folder": folder, "name": file.place.name, "type": file.content_type, "size": file.size,
            "blob": file.blob, "uuid": Uuid::new_v4().simple().to_string(), "hidden": own.hidden,
            "locked": own.locked, "unlock_at": own.unlock_at, "lock_at": own.lock_at,
        })
    };
    let rows: Vec<_> = (first..).zip(files).map(row).collect();
    for part in rows.chunks(ROWS) {
        to.db.execute(GIVE_WAY, (Json(part), to.now)).await?;
        to.db.execute(MAKE, (Json(part), to.root_account, to.course, to.user, to.now)).await?;
    }
    Ok(())
}
