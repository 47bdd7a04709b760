//! Files, pages and assignments of a package.

use std::collections::BTreeMap;

use content_packages::cartridge::Assignment;
use content_packages::import::Page;
use serde::Deserialize;
use serde_json::Value;
use shared::db::{self, Json};
use shared::files::{self, Owner};
use shared::{Timestamp, blob, pages as urls};
use uuid::Uuid;

use super::{Into, NewFile};
use crate::import::texts::{Texts, title};

#[derive(Deserialize)]
pub(super) struct Made {
    pub(super) id: i64,
}

/// Makes the files of the course; a file of the same name gives way. Answers their addresses, by their paths in the package.
pub(super) async fn files(to: &Into<'_>, files: BTreeMap<String, NewFile>) -> db::Result<BTreeMap<String, String>> {
    let owner = Owner::Course(to.course);
    let mut addresses = BTreeMap::new();
    for (path, file) in files {
        let folder = files::folder_at(to.db, to.root_account, owner, &file.folder, to.now).await?;
        to.db
            .execute(
                "UPDATE attachments SET workflow_state = 'deleted', updated_at = ?3
                 WHERE folder_id = ?1 AND display_name = ?2 COLLATE NOCASE AND workflow_state = 'available'",
                (folder, &file.name, to.now),
            )
            .await?;
        let uuid = Uuid::new_v4().simple().to_string();
        let binds = (
            to.root_account,
            to.course,
            folder,
            to.user,
            &file.name,
            file.content_type,
            file.size,
            &file.blob,
            uuid,
            to.now,
        );
        let made: Made = to
            .db
            .fetch_one(
                "INSERT INTO attachments (root_account_id, context_type, context_id, folder_id, user_id, filename,
                     display_name, content_type, size, blob, uuid, created_at, modified_at, updated_at)
                 VALUES (?1, 'Course', ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?10) RETURNING id",
                binds,
            )
            .await?;
        blob::keep(to.db, &file.blob).await?;
        addresses.insert(path, format!("/courses/{}/files/{}/preview", to.course, made.id));
    }
    Ok(addresses)
}

/// Makes the pages of the course. Students see them.
pub(super) async fn pages(to: &Into<'_>, pages: Vec<Page>, texts: &mut Texts<'_>) -> db::Result<()> {
    for page in pages {
        let name = title(&page.title);
        let body = texts.html(&name, page.html);
        let url = urls::free_url(to.db, to.course, &urls::slug(&name), None).await?;
        to.db
            .execute(
                "INSERT INTO wiki_pages (root_account_id, course_id, url, title, body, last_edited_by, workflow_state,
                     created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'active', ?7, ?7)",
                (to.root_account, to.course, url, name, body, to.user, to.now),
            )
            .await?;
    }
    Ok(())
}

/// Makes the assignments of the course.
pub(super) async fn assignments(to: &Into<'_>, assignments: Vec<Assignment>, texts: &mut Texts<'_>) -> db::Result<()> {
    const GRADING: [&str; 6] = ["pass_fail", "percent", "letter_grade", "gpa_scale", "points", "not_graded"];
    const SUBMISSIONS: [&str; 6] =
        ["media_recording", "none", "on_paper", "online_text_entry", "online_upload", "online_url"];
    for own in assignments {
        let name = title(&own.title);
        let description = texts.html(&name, own.description);
        let grading = own.grading_type.filter(|kind| GRADING.contains(&kind.as_str()));
        let mut kinds: Vec<_> =
            own.submission_types.into_iter().filter(|kind| SUBMISSIONS.contains(&kind.as_str())).collect();
        if kinds.is_empty() {
            kinds.push("none".to_owned());
        }
        let moment = |text: Option<String>| text.as_deref().and_then(Timestamp::parse);
        let points = own.points.filter(|points| points.is_finite() && *points >= 0.0);
        let binds = (
            to.root_account,
            to.course,
            name,
            description,
            points,
            grading.unwrap_or_else(|| "points".to_owned()),
            Json(Value::from(kinds)),
            moment(own.due_at),
            moment(own.unlock_at),
            moment(own.lock_at),
            own.published,
            to.now,
        );
        to.db
            .execute(
                "INSERT INTO assignments (root_account_id, course_id, name, description, points_possible,
                     grading_type, submission_types, due_at, unlock_at, lock_at, workflow_state, created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, iif(?11, 'published', 'unpublished'), ?12, ?12)",
                binds,
            )
            .await?;
    }
    Ok(())
}
