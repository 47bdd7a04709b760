//! Pages and assignments of a package.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::json;
use shared::db::{self, Bind};

use crate::import::prepare::NewPage;
use crate::import::rows::Rows;
use crate::import::stop::Stop;
use crate::store::import::{Into, for_all};

/// Makes the pages, and tells what became of a second front page. Each has an address that no other page of the course
/// has.
pub(super) async fn pages(to: &Into<'_>, pages: Vec<NewPage>) -> Result<Vec<String>, Stop> {
    #[derive(Deserialize)]
    struct PageRow {
        url: String,
        front_page: bool,
    }
    if pages.is_empty() {
        return Ok(Vec::new());
    }
    let there = "SELECT url, front_page FROM wiki_pages WHERE course_id = ?1 AND workflow_state <> 'deleted'";
    let there: Vec<PageRow> = to.db.fetch_all(there, (to.course,)).await?;
    let mut has_front_page = there.iter().any(|page| page.front_page);
    let mut urls = Urls { taken: there.into_iter().map(|page| page.url).collect(), numbers: BTreeMap::new() };
    let (mut rows, mut notes) = (Rows::default(), Vec::new());
    for NewPage { slug, title, body, published, front_page, editing_roles } in pages {
        if front_page && has_front_page {
            notes.push(format!("{title}: the course has a front page already, which stays the front page"));
        }
        rows.push(json!({
            "url": urls.free(slug), "title": title, "body": body, "roles": editing_roles,
            "front": front_page && !has_front_page, "state": if published { "active" } else { "unpublished" },
        }))?;
        has_front_page |= front_page;
    }
    let sql = "INSERT INTO wiki_pages (root_account_id, course_id, url, title, body, editing_roles, front_page,
             last_edited_by, workflow_state, created_at, updated_at)
         SELECT ?2, ?3, value ->> 'url', value ->> 'title', value ->> 'body', value ->> 'roles', value ->> 'front', ?4,
                value ->> 'state', ?5, ?5
         FROM json_each(?1) ORDER BY key";
    let others = vec![to.root_account.value(), to.course.value(), to.user.value(), to.now.value()];
    for_all(to.db, rows, sql, others).await?;
    Ok(notes)
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
             submission_types, due_at, unlock_at, lock_at, allowed_attempts, anonymous_grading, post_manually,
             workflow_state, created_at, updated_at)
         SELECT ?2, ?3, value ->> 'name', value ->> 'description', CAST(value ->> 'points' AS REAL),
                value ->> 'grading', value -> 'kinds', value ->> 'due_at', value ->> 'unlock_at', value ->> 'lock_at',
                value ->> 'attempts', value ->> 'anonymous', value ->> 'post_manually', value ->> 'state', ?4, ?4
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
