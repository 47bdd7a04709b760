//! The SQL of what is exported.

use content_packages::files_meta::Restriction;
use serde::Deserialize;
use shared::files::Owner;
use shared::selection::{ContentType, Selection};
use shared::{Db, Timestamp, db};

use crate::store::quizzes::{Ids, Media, list};

/// The folders and files that are exported.
pub(crate) struct ContentFilter {
    folders: Ids,
    files: Ids,
    sees_all: bool,
    now: Timestamp,
}

impl ContentFilter {
    pub(crate) fn of(select: &Selection, sees_all: bool, now: Timestamp) -> Self {
        let ids = |kind| select.chosen(kind).ids();
        Self { folders: ids(ContentType::Folders), files: ids(ContentType::Attachments), sees_all, now }
    }
}

impl ContentFilter {
    /// All of them.
    pub(crate) fn everything(sees_all: bool, now: Timestamp) -> Self {
        Self { folders: None, files: None, sees_all, now }
    }
}

/// A folder that is exported.
#[derive(Deserialize)]
pub(crate) struct StoredFolder {
    /// Below the root.
    pub(crate) path: String,
}

/// A file that is exported.
#[derive(Default, Deserialize)]
pub(crate) struct StoredFile {
    pub(crate) id: i64,
    pub(crate) display_name: String,
    /// The path of its folder; blank for the root.
    pub(crate) folder: String,
    pub(crate) content_type: String,
    pub(crate) size: usize,
    pub(crate) blob: String,
    pub(crate) hidden: bool,
    pub(crate) locked: bool,
    pub(crate) unlock_at: Option<String>,
    pub(crate) lock_at: Option<String>,
}

/// A folder that students do not see, or only for a time.
#[derive(Deserialize)]
pub(crate) struct RestrictedFolder {
    /// Below the root; blank for the root.
    pub(crate) path: String,
    hidden: bool,
    locked: bool,
    unlock_at: Option<String>,
    lock_at: Option<String>,
}

impl RestrictedFolder {
    pub(crate) fn into_restriction(self) -> Restriction {
        let Self { hidden, locked, unlock_at, lock_at, .. } = self;
        Restriction { hidden, locked, unlock_at, lock_at }
    }
}

impl StoredFile {
    /// An image of hot-spot questions, which is no file of the course.
    pub(crate) fn of_media(media: Media, name: String) -> Self {
        let Media { blob, content_type, size, .. } = media;
        Self { display_name: name, content_type, size, blob, ..Self::default() }
    }

    /// What keeps it from students, wherever it lies.
    pub(crate) fn restriction(&self) -> Restriction {
        let (unlock_at, lock_at) = (self.unlock_at.clone(), self.lock_at.clone());
        Restriction { hidden: self.hidden, locked: self.locked, unlock_at, lock_at }
    }

    /// The parts of its path.
    pub(crate) fn names(&self) -> Vec<&str> {
        let folders = self.folder.split('/').filter(|name| !name.is_empty());
        folders.chain([self.display_name.as_str()]).collect()
    }

    /// Its path below the root.
    pub(crate) fn path(&self) -> String {
        self.names().join("/")
    }
}

/// The owner's folders: `?1` and `?2` are the owner, `?3` the moment, `?4` the chosen folders or null.
const TREE: &str = "WITH RECURSIVE tree (id, path, closed, chosen) AS (
        SELECT id, '', hidden OR locked OR ifnull(lock_at <= ?3, 0) OR ifnull(unlock_at > ?3, 0),
               ?4 IS NULL OR id IN (SELECT value FROM json_each(?4))
        FROM folders
        WHERE context_type = ?1 AND context_id = ?2 AND parent_folder_id IS NULL AND workflow_state = 'visible'
        UNION ALL
        SELECT f.id, iif(t.path = '', f.name, t.path || '/' || f.name),
               t.closed OR f.hidden OR f.locked OR ifnull(f.lock_at <= ?3, 0) OR ifnull(f.unlock_at > ?3, 0),
               t.chosen OR f.id IN (SELECT value FROM json_each(?4))
        FROM folders f JOIN tree t ON f.parent_folder_id = t.id
        WHERE f.workflow_state = 'visible'
    )";

pub(crate) async fn folders(db: &Db, owner: Owner, which: &ContentFilter) -> db::Result<Vec<StoredFolder>> {
    let sql = format!("{TREE} SELECT path FROM tree WHERE chosen AND path <> '' AND (?5 OR NOT closed) ORDER BY id");
    db.fetch_all(&sql, (owner.kind(), owner.id(), which.now, list(&which.folders), which.sees_all)).await
}

/// The folders that students do not see, or only for a time.
pub(crate) async fn restricted_folders(
    db: &Db,
    owner: Owner,
    which: &ContentFilter,
) -> db::Result<Vec<RestrictedFolder>> {
    let sql = format!(
        "{TREE}
         SELECT t.path, f.hidden, f.locked, f.unlock_at, f.lock_at
         FROM tree t CROSS JOIN folders f ON f.id = t.id
         WHERE f.hidden OR f.locked OR f.unlock_at IS NOT NULL OR f.lock_at IS NOT NULL
         ORDER BY t.id"
    );
    db.fetch_all(&sql, (owner.kind(), owner.id(), which.now, list(&which.folders))).await
}

/// The files in the chosen folders, and those that are chosen themselves. `CROSS JOIN` keeps SQLite from
/// going through all files that there are, in the order of their ids.
pub(crate) async fn files(db: &Db, owner: Owner, which: &ContentFilter) -> db::Result<Vec<StoredFile>> {
    let sql = format!(
        "{TREE}
         SELECT a.id, a.display_name, t.path AS folder, a.content_type, a.size, a.blob, a.hidden, a.locked,
                a.unlock_at, a.lock_at
         FROM tree t CROSS JOIN attachments a ON a.folder_id = t.id
         WHERE a.workflow_state = 'available'
           AND (t.chosen OR ?6 IS NULL OR a.id IN (SELECT value FROM json_each(?6)))
           AND (?5 OR NOT (t.closed OR a.hidden OR a.locked OR ifnull(a.lock_at <= ?3, 0)
                           OR ifnull(a.unlock_at > ?3, 0)))
         ORDER BY a.id"
    );
    let (folders, files) = (list(&which.folders), list(&which.files));
    db.fetch_all(&sql, (owner.kind(), owner.id(), which.now, folders, which.sees_all, files)).await
}
