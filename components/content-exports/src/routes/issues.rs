//! What the package of an export could not say, or not as it was.

use shared::error::OrNotFound;
use shared::files::{Names, Of, OfCourse, OfGroup, OfUser};
use shared::ids::ContentExportId;
use shared::needs::Needed;
use shared::prefetch::PrefetchedList;
use shared::{Context, Error, Path, Reply, Result, endpoint, endpoints};

use crate::model::exports::ExportIssue;
use crate::routes::content_exports::require_read;
use crate::store::exports::{self as store, Issues};

endpoints![list_content_export_issues];

/// Lists what the package of a course's export could not say, or not as it was.
///
/// The package has the same list in `export-report.txt`. There is none before the export has ended.
#[endpoint(
    GET "/api/v1/courses/:course_id/content_exports/:id/issues" as list_course_content_export_issues::<OfCourse>,
    GET "/api/v1/groups/:group_id/content_exports/:id/issues" as list_group_content_export_issues::<OfGroup> { summary("Lists what the package of a group's export could not say, or not as it was") },
    GET "/api/v1/users/:user_id/content_exports/:id/issues" as list_user_content_export_issues::<OfUser> { summary("Lists what the package of a user's export could not say, or not as it was") },
)]
async fn list_content_export_issues<P: Names>(
    cx: Context,
    Path(at): Path<Of<P, ContentExportId>>,
    owner: Needed<P::Access>,
    issues: PrefetchedList<Issues>,
) -> Result<Reply<Vec<ExportIssue>>> {
    let area = P::area_of(&owner);
    let export = store::export(&cx.db, area.owner, at.id).await?.or_not_found()?;
    let user = cx.caller()?.user;
    require_read(&area, &export, user)?;
    if !export.may_have(user) {
        return Err(Error::forbidden());
    }
    Ok(Reply::page(issues.page(&cx.page().await?)?))
}
