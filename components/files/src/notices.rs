//! News of pages and files for those in a course.

use shared::auth::CourseAccess;
use shared::files::{self, Attachment};
use shared::ids::CourseId;
use shared::notify::{News, Notifier, Recipients};
use shared::{Db, Timestamp, db};

use crate::store::pages::Page;

/// Tells of a page whose title or body is not as it was. `db` is in the transaction of the change.
pub(crate) async fn page_changed(
    db: &Db,
    notifier: &Notifier,
    course: &CourseAccess,
    before: &Page,
    after: &Page,
) -> db::Result<()> {
    let is_same = before.title == after.title && before.body == after.body;
    if is_same || !after.published {
        return Ok(());
    }
    let (title, name) = (&after.title, &course.name);
    let news = News {
        name: "updated_wiki_page",
        recipients: Recipients::Participants { course: course.id },
        subject: &format!("Changed: {title}"),
        body: &format!("The page {title} of {name} has changed."),
        path: &format!("/courses/{}/pages/{}", course.id, after.url),
        asset: Some(&format!("wiki_page_{}", after.page_id)),
    };
    notifier.tell(db, news).await
}

/// Tells of a file that was uploaded to a course, where students see it. `db` is in the transaction that makes the file.
pub(crate) async fn file_added(db: &Db, notifier: &Notifier, file: &Attachment, now: Timestamp) -> db::Result<()> {
    let Some(folder) = file.folder_id.filter(|_| file.context_type == "Course") else { return Ok(()) };
    if !files::students_see(db, folder, now).await? {
        return Ok(());
    }
    let (course, name) = (CourseId(file.context_id), &file.display_name);
    let news = News {
        name: "new_file_added",
        recipients: Recipients::Participants { course },
        subject: &format!("New file: {name}"),
        body: &format!("The file {name} was added."),
        path: &format!("/courses/{course}/files/{}", file.id),
        asset: Some(&format!("attachment_{}", file.id)),
    };
    notifier.tell(db, news).await
}
