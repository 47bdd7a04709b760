//! Folders, files, pages and assignments of a package.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};
use shared::db::{self, Bind, Json};
use shared::files::{self, Owner};
use shared::ids::FolderId;
use uuid::Uuid;

use crate::import::places::Folder;
use crate::import::prepare::{NewFile, NewPage};
use crate::import::rows::Rows;
use crate::import::stop::Stop;
use crate::store::import::{Into, for_all};

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

/// Makes the folders that are not there, level by level, and tells the ids of all.
pub(super) async fn folders(to: &Into<'_>, top: FolderId, folders: &[Folder]) -> db::Result<Vec<FolderId>> {
    #[derive(Deserialize)]
    struct FolderRow {
        place: usize,
        id: FolderId,
    }
    const MAKE: &str = "INSERT INTO folders (root_account_id, context_type, context_id, parent_folder_id, name,
             created_at, updated_at)
         SELECT ?2, 'Course', ?3, value ->> 'parent', value ->> 'name', ?4, ?4 FROM json_each(?1) WHERE true
         ON CONFLICT (parent_folder_id, name COLLATE NOCASE)
         WHERE parent_folder_id IS NOT NULL AND workflow_state <> 'deleted' DO NOTHING";
    const FIND: &str = "SELECT j.value ->> 'place' AS place, f.id
         FROM json_each(?1) j
         CROSS JOIN folders f ON f.parent_folder_id = j.value ->> 'parent' AND f.name = j.value ->> 'name' COLLATE NOCASE
         WHERE f.workflow_state <> 'deleted'";
    let mut ids = vec![top; folders.len()];
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
            let parent = folder.parent.and_then(|parent| ids.get(parent)).copied().unwrap_or(top);
            Some(json!({ "place": place, "parent": parent, "name": folder.name }))
        };
        let rows: Value = part.iter().filter_map(row).collect();
        to.db.execute(MAKE, (Json(&rows), to.root_account, to.course, to.now)).await?;
        let found: Vec<FolderRow> = to.db.fetch_all(FIND, (Json(&rows),)).await?;
        for FolderRow { place, id } in found {
            if let Some(own) = ids.get_mut(place) {
                *own = id;
            }
        }
    }
    Ok(ids)
}

/// Makes the files, with ids from `first` on. Files of the same names in the course give way.
pub(super) async fn files(
    to: &Into<'_>,
    top: FolderId,
    folders: &[FolderId],
    files: Vec<NewFile>,
    first: i64,
) -> db::Result<()> {
    const GIVE_WAY: &str = "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?2
         WHERE id IN (SELECT a.id FROM json_each(?1) j
                      CROSS JOIN attachments a ON a.folder_id = j.value ->> 'folder'
                          AND a.display_name = j.value ->> 'name' COLLATE NOCASE
                      WHERE a.workflow_state = 'available')";
    const MAKE: &str = "INSERT INTO attachments (id, root_account_id, context_type, context_id, folder_id, user_id,
             filename, display_name, content_type, size, blob, uuid, created_at, modified_at, updated_at)
         SELECT value ->> 'id', ?2, 'Course', ?3, value ->> 'folder', ?4, value ->> 'name', value ->> 'name',
                value ->> 'type', value ->> 'size', value ->> 'blob', value ->> 'uuid', ?5, ?5, ?5
         FROM json_each(?1) ORDER BY key";
    let row = |(id, file): (i64, NewFile)| {
        let folder = file.place.folder.and_then(|place| folders.get(place)).copied().unwrap_or(top);
        json!({
            "id": id, "folder": folder, "name": file.place.name, "type": file.content_type, "size": file.size,
            "blob": file.blob, "uuid": Uuid::new_v4().simple().to_string(),
        })
    };
    let rows: Vec<_> = (first..).zip(files).map(row).collect();
    for part in rows.chunks(ROWS) {
        to.db.execute(GIVE_WAY, (Json(part), to.now)).await?;
        to.db.execute(MAKE, (Json(part), to.root_account, to.course, to.user, to.now)).await?;
    }
    Ok(())
}

/// Makes the pages. Students see them. Each has an address that no other page of the course has.
pub(super) async fn pages(to: &Into<'_>, pages: Vec<NewPage>) -> Result<(), Stop> {
    #[derive(Deserialize)]
    struct UrlRow {
        url: String,
    }
    if pages.is_empty() {
        return Ok(());
    }
    let taken = "SELECT url FROM wiki_pages WHERE course_id = ?1 AND workflow_state <> 'deleted'";
    let taken: Vec<UrlRow> = to.db.fetch_all(taken, (to.course,)).await?;
    let mut urls = Urls { taken: taken.into_iter().map(|page| page.url).collect(), numbers: BTreeMap::new() };
    let mut rows = Rows::default();
    for NewPage { slug, title, body } in pages {
        rows.push(json!({ "url": urls.free(slug), "title": title, "body": body }))?;
    }
    let sql = "INSERT INTO wiki_pages (root_account_id, course_id, url, title, body, last_edited_by, workflow_state,
             created_at, updated_at)
         SELECT ?2, ?3, value ->> 'url', value ->> 'title', value ->> 'body', ?4, 'active', ?5, ?5
         FROM json_each(?1) ORDER BY key";
    let others = vec![to.root_account.value(), to.course.value(), to.user.value(), to.now.value()];
    Ok(for_all(to.db, rows, sql, others).await?)
}

/// Addresses of pages, each given out once.
struct Urls {
    taken: BTreeSet<String>,
    /// The last number that was put behind an address.
    numbers: BTreeMap<String, u64>,
}

impl Urls {
    /// The address, or the first of `part-2`, `part-3`, … that is free.
    fn free(&mut self, slug: String) -> String {
        if self.taken.insert(slug.clone()) {
            return slug;
        }
        let number = self.numbers.entry(slug.clone()).or_insert(1);
        loop {
            *number = number.saturating_add(1);
            let url = format!("{slug}-{number}");
            if self.taken.insert(url.clone()) {
                return url;
            }
        }
    }
}

/// Makes the assignments.
pub(super) async fn assignments(to: &Into<'_>, rows: Rows) -> db::Result<()> {
    let sql = "INSERT INTO assignments (root_account_id, course_id, name, description, points_possible, grading_type,
             submission_types, due_at, unlock_at, lock_at, workflow_state, created_at, updated_at)
         SELECT ?2, ?3, value ->> 'name', value ->> 'description', CAST(value ->> 'points' AS REAL),
                value ->> 'grading', value -> 'kinds', value ->> 'due_at', value ->> 'unlock_at', value ->> 'lock_at',
                value ->> 'state', ?4, ?4
         FROM json_each(?1) ORDER BY key";
    for_all(to.db, rows, sql, vec![to.root_account.value(), to.course.value(), to.now.value()]).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_given_out_once() {
        let mut urls = Urls { taken: BTreeSet::from(["a".to_owned(), "a-3".to_owned()]), numbers: BTreeMap::new() };
        let given: Vec<_> = ["a", "a", "b", "a-2", "a"].into_iter().map(|slug| urls.free(slug.to_owned())).collect();
        assert_eq!(given, ["a-2", "a-4", "b", "a-2-2", "a-5"]);
    }
}
