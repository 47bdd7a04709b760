//! The SQL of pages to which the texts of a package lead.

use std::collections::BTreeSet;

use serde::Deserialize;
use shared::db::Json;
use shared::ids::CourseId;
use shared::{Db, db};

/// Of pages by their addresses those that the course has.
pub(crate) async fn known(db: &Db, course: CourseId, urls: BTreeSet<&str>) -> db::Result<BTreeSet<String>> {
    #[derive(Deserialize)]
    struct PageRow {
        url: String,
    }
    let sql = "SELECT p.url FROM json_each(?2) j CROSS JOIN wiki_pages p ON p.course_id = ?1 AND p.url = j.value
         WHERE p.workflow_state <> 'deleted'";
    let known: Vec<PageRow> = db.fetch_all(sql, (course, Json(urls))).await?;
    Ok(known.into_iter().map(|page| page.url).collect())
}
