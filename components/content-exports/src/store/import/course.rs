//! Pages and assignments of a package.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::json;
use shared::db::{self, Bind};

use crate::import::prepare::NewPage;
use crate::import::references::Settled;
use crate::import::rows::Rows;
use crate::import::stop::Stop;
use crate::store::import::{Into, for_all};

/// Pages that have addresses.
#[derive(Default)]
pub(super) struct PlacedPages {
    pages: Vec<NewPage>,
    /// True if the course has a front page already.
    has_front_page: bool,
}

impl PlacedPages {
    /// The last parts of their addresses.
    pub(super) fn urls(&self) -> Vec<String> {
        self.pages.iter().map(|page| page.url.clone()).collect()
    }

    /// Writes the places that are known now into the texts.
    pub(super) fn settle(&mut self, settled: &Settled) {
        for page in &mut self.pages {
            if let Some(body) = settled.text(&page.body) {
                page.body = body;
            }
        }
    }
}

/// Gives each page an address that no other page of the course has.
pub(super) async fn placed(to: &Into<'_>, mut pages: Vec<NewPage>) -> db::Result<PlacedPages> {
    #[derive(Deserialize)]
    struct PageRow {
        url: String,
        front_page: bool,
    }
    if pages.is_empty() {
        return Ok(PlacedPages::default());
    }
    let there = "SELECT url, front_page FROM wiki_pages WHERE course_id = ?1 AND workflow_state <> 'deleted'";
    let there: Vec<PageRow> = to.db.fetch_all(there, (to.course,)).await?;
    let has_front_page = there.iter().any(|page| page.front_page);
    let mut urls = Urls { taken: there.into_iter().map(|page| page.url).collect(), numbers: BTreeMap::new() };
    for page in &mut pages {
        page.url = urls.free(std::mem::take(&mut page.url));
    }
    Ok(PlacedPages { pages, has_front_page })
}

/// Makes the pages, and tells what became of a second front page.
pub(super) async fn pages(to: &Into<'_>, placed: PlacedPages) -> Result<Vec<String>, Stop> {
    let PlacedPages { pages, mut has_front_page } = placed;
    let (mut rows, mut notes) = (Rows::default(), Vec::new());
    for NewPage { url, title, body, published, front_page, editing_roles } in pages {
        if front_page && has_front_page {
            notes.push(format!("{title}: the course has a front page already, which stays the front page"));
        }
        rows.push(json!({
            "url": url, "title": title, "body": body, "roles": editing_roles,
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

/// Makes the assignments, with ids from `first` on.
pub(super) async fn assignments(to: &Into<'_>, rows: Rows, first: i64) -> db::Result<()> {
    let sql = "INSERT INTO assignments (id, root_account_id, course_id, name, description, points_possible, grading_type,
             submission_types, due_at, unlock_at, lock_at, allowed_attempts, anonymous_grading, post_manually,
             workflow_state, created_at, updated_at)
         SELECT ?5 + (value ->> 'n'), ?2, ?3, value ->> 'name', value ->> 'description', CAST(value ->> 'points' AS REAL),
                value ->> 'grading', value -> 'kinds', value ->> 'due_at', value ->> 'unlock_at', value ->> 'lock_at',
                value ->> 'attempts', value ->> 'anonymous', value ->> 'post_manually', value ->> 'state', ?4, ?4
         FROM json_each(?1) ORDER BY key";
    let others = vec![to.root_account.value(), to.course.value(), to.now.value(), first.value()];
    for_all(to.db, rows, sql, others).await
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
