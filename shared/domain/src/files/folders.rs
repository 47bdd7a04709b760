//! Folders: each owner has one tree of them. The root is made with a course or a group (triggers), and of a user when it is
//! needed first.

use database::{Db, IdRow};
use types::clock::Timestamp;
use types::ids::{AccountId, FolderId, UserId};

use super::Owner;
use super::names::names_of_path;

/// The root of the owner's folders.
pub async fn root_folder(db: &Db, root_account: AccountId, owner: Owner, now: Timestamp) -> database::Result<FolderId> {
    if let Some(IdRow { id }) = db.fetch(&root_folder_sql("?1", "?2"), (owner.kind(), owner.id())).await? {
        return Ok(id);
    }
    // Another request may make it at the same time: then its row is answered.
    let found: IdRow<FolderId> = db
        .fetch_one(
            "INSERT INTO folders (root_account_id, context_type, context_id, name, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5)
             ON CONFLICT (context_type, context_id) WHERE parent_folder_id IS NULL AND workflow_state <> 'deleted'
             DO UPDATE SET name = name RETURNING id",
            (root_account, owner.kind(), owner.id(), root_name(owner), now),
        )
        .await?;
    Ok(found.id)
}

/// The statement that finds the id of that root, of an owner whose kind and id are expressions.
pub fn root_folder_sql(kind: &str, id: &str) -> String {
    format!(
        "SELECT id FROM folders
         WHERE context_type = {kind} AND context_id = {id} AND parent_folder_id IS NULL AND workflow_state <> 'deleted'"
    )
}

/// The folder at a path below the owner's root. Missing folders are made.
pub async fn folder_at(
    db: &Db,
    root_account: AccountId,
    owner: Owner,
    path: &str,
    now: Timestamp,
) -> database::Result<FolderId> {
    let mut folder = root_folder(db, root_account, owner, now).await?;
    let mut names = names_of_path(path).peekable();
    // A path may begin with the root's own name.
    names.next_if(|name| *name == root_name(owner));
    for name in names {
        folder = folder_in(db, folder, name, false, now).await?;
    }
    Ok(folder)
}

/// The folder of the files that a user hands in. Nobody changes them by hand, even if the user had made the folder.
pub async fn submissions_folder(
    db: &Db,
    root_account: AccountId,
    user: UserId,
    now: Timestamp,
) -> database::Result<FolderId> {
    let root = root_folder(db, root_account, Owner::User(user), now).await?;
    folder_in(db, root, "Submissions", true, now).await
}

/// The folder of that name in another, which is made if need be.
async fn folder_in(
    db: &Db,
    parent: FolderId,
    name: &str,
    for_submissions: bool,
    now: Timestamp,
) -> database::Result<FolderId> {
    let found: IdRow<FolderId> = db
        .fetch_one(
            "INSERT INTO folders (root_account_id, context_type, context_id, parent_folder_id, name, for_submissions,
                 created_at, updated_at)
             SELECT root_account_id, context_type, context_id, id, ?2, ?3, ?4, ?4 FROM folders WHERE id = ?1
             ON CONFLICT (parent_folder_id, name COLLATE NOCASE)
             WHERE parent_folder_id IS NOT NULL AND workflow_state <> 'deleted'
             DO UPDATE SET for_submissions = max(folders.for_submissions, excluded.for_submissions) RETURNING id",
            (parent, name, for_submissions, now),
        )
        .await?;
    Ok(found.id)
}

/// True if students see what is in the folder: neither it nor one above it is closed to them.
pub async fn students_see(db: &Db, folder: FolderId, now: Timestamp) -> database::Result<bool> {
    let closed = "WITH RECURSIVE up (id) AS (
             SELECT ?1
             UNION ALL
             SELECT f.parent_folder_id FROM up CROSS JOIN folders f ON f.id = up.id
             WHERE f.parent_folder_id IS NOT NULL
         )
         SELECT 1 AS found FROM up CROSS JOIN folders f ON f.id = up.id
         WHERE f.workflow_state <> 'visible' OR f.hidden OR f.locked
            OR ifnull(f.lock_at <= ?2, 0) OR ifnull(f.unlock_at > ?2, 0)
         LIMIT 1";
    Ok(!db.affects(closed, (folder, now)).await?)
}

/// The names of the roots in the reference system.
fn root_name(owner: Owner) -> &'static str {
    match owner {
        Owner::Course(_) => "course files",
        Owner::User(_) => "my files",
        Owner::Group(_) | Owner::Export(_) | Owner::Migration(_) => "files",
    }
}
