//! The files that answers of a session consist of, as those see them who may see the answers.

use serde_json::Value;
use shared::files::{self, Attachment, File, Owner};
use shared::ids::AttachmentId;
use shared::{Context, Result, Timestamp};

use crate::model::items::Content;
use crate::model::results::AnswerFiles;
use crate::model::sessions::SessionRow;

const FILE_UPLOAD: &str = "file-upload";

/// The files by their items. Those that the student has deleted since are left out.
pub(crate) async fn answer_files(cx: &Context, row: &SessionRow, content: &Content) -> Result<AnswerFiles> {
    let named: Vec<_> = named_files(row, content).collect();
    let ids: Vec<_> = named.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
    if ids.is_empty() {
        return Ok(AnswerFiles::new());
    }
    let found = files::attachments(&cx.db, &ids).await?;
    let base = cx.base_url().await?;
    let is_anonymous = row.user_seen_by(cx.caller()?.user).is_none();
    let mut by_item = AnswerFiles::new();
    for (item, ids) in named {
        let mut files = Vec::with_capacity(ids.len());
        for id in ids {
            let own = |file: &&files::Attachment| file.id == id && file.owner() == Some(Owner::User(row.user_id));
            let Some(file) = found.iter().find(own) else { continue };
            let file = match is_anonymous {
                true => &anonymous_file(file, row.submitted_at.unwrap_or(cx.now)),
                false => file,
            };
            files.push(File::of(&base, file, cx.now).await?);
        }
        by_item.insert(item.clone(), files);
    }
    Ok(by_item)
}

/// A file without what a student's files have in common, or what else the student did with it.
fn anonymous_file(file: &Attachment, handed_in_at: Timestamp) -> Attachment {
    Attachment {
        folder_id: None,
        uuid: String::new(),
        locked: false,
        hidden: false,
        lock_at: None,
        unlock_at: None,
        created_at: handed_in_at,
        modified_at: handed_in_at,
        updated_at: handed_in_at,
        ..file.clone()
    }
}

/// The ids of the files that answer the items of a session, which may be none.
pub(crate) fn named_files<'a>(
    row: &'a SessionRow,
    content: &'a Content,
) -> impl Iterator<Item = (&'a String, Vec<AttachmentId>)> {
    let id = |id: &Value| id.as_i64().or_else(|| id.as_str()?.parse().ok()).map(AttachmentId);
    row.items.0.iter().filter_map(move |item| {
        let is_upload = content.question(item)?.question.interaction_type_slug == FILE_UPLOAD;
        let response = is_upload.then(|| content.answer(&item.id)?.response.as_ref()?.0.as_array()).flatten()?;
        Some((&item.id, response.iter().filter_map(id).collect()))
    })
}
