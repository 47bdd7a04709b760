//! The SQL of pages.

use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::db::{Changes, change_known};
use shared::error::OrNotFound;
use shared::ids::{CourseId, PageId, UserId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::params::SearchTerm;
use shared::{Db, Error, Paged, Patch, Result, Timestamp, db, wiki_pages};

use crate::store::NEXT_NUMBER;

/// The form in which a page is named by its id, where it could be named by its address.
pub(crate) const BY_ID: &str = "page_id:";

/// A page, and the name of who changed it last.
#[derive(Deserialize)]
pub(crate) struct Page {
    pub(crate) page_id: PageId,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) editing_roles: String,
    pub(crate) front_page: bool,
    pub(crate) published: bool,
    pub(crate) last_edited_by: Option<UserId>,
    pub(crate) editor_name: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// The pages of a course that are listed.
pub(crate) struct PageFilter {
    pub(crate) search: Option<SearchTerm>,
    pub(crate) published: Option<bool>,
    pub(crate) order: Order,
}

/// The column that pages are sorted by, and the direction.
pub(crate) struct Order(&'static str, &'static str);

impl Order {
    /// A parameter that is not known is left as it is: by title, upwards.
    pub(crate) fn of(sort: Option<&str>, order: Option<&str>) -> Self {
        let column = match sort {
            Some("created_at") => "p.created_at",
            Some("updated_at") => "p.updated_at",
            _ => "p.title COLLATE NOCASE",
        };
        Self(column, if order == Some("desc") { "DESC" } else { "ASC" })
    }
}

/// The fields of a new page.
pub(crate) struct NewPage {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) editing_roles: String,
    pub(crate) front_page: bool,
    pub(crate) published: bool,
}

/// The changes of a page that a request names; all else stays.
pub(crate) struct PageChanges {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) editing_roles: Option<String>,
    pub(crate) front_page: Option<bool>,
    pub(crate) published: Option<bool>,
}

/// Pages of the course that is `{course}`, an expression.
fn select(course: &str) -> String {
    format!(
        "SELECT p.id AS page_id, p.url, p.title, p.body, p.editing_roles, p.front_page,
             p.workflow_state = 'active' AS published, p.last_edited_by, u.name AS editor_name, p.created_at, p.updated_at
         FROM wiki_pages p LEFT JOIN users u ON u.id = p.last_edited_by
         WHERE p.course_id = {course} AND p.workflow_state <> 'deleted'"
    )
}

/// The page that a statement has written, see [`Db::write_and_read`].
fn the_written() -> String {
    format!("{} AND p.id = wiki_pages.id", select("wiki_pages.course_id"))
}

/// The course that an endpoint needs, in what it prefetches.
const NEEDED_COURSE: &str = "(caller.needed ->> 'id')";

impl Record for Page {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let named: String = path.id("pages")?;
        let id: Option<PageId> = named.strip_prefix(BY_ID).unwrap_or(&named).parse().ok();
        let url = (!named.starts_with(BY_ID)).then_some(named);
        // Digits alone may be an address too, which comes first.
        let which = "AND (p.url = ?1 OR p.id = ?2) ORDER BY p.url IS ?1 DESC LIMIT 1";
        Ok(Lookup::new(format!("{} {which}", select(NEEDED_COURSE)), (url, id)))
    }
}

/// The front page of a course.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct FrontPage(pub(crate) Page);

impl Record for FrontPage {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new(format!("{} AND p.front_page", select(NEEDED_COURSE)), ()))
    }
}

pub(crate) async fn pages(
    db: &Db,
    course: CourseId,
    which: PageFilter,
    page: &shared::pagination::Page,
) -> Result<Paged<Page>> {
    let PageFilter { search, published, order: Order(column, direction) } = which;
    let is_named = SearchTerm::contained_sql(search.as_ref(), &["p.title"], "?2");
    let sql = format!(
        "{} AND (?2 IS NULL OR {is_named})
             AND (?3 IS NULL OR (p.workflow_state = 'active') = ?3)
         ORDER BY {column} {direction}, p.id {direction}",
        select("?1")
    );
    page.fetch(db, &sql, (course, search.as_ref(), published)).await
}

async fn page(db: &Db, course: CourseId, id: PageId) -> db::Result<Option<Page>> {
    db.fetch(&format!("{} AND p.id = ?2", select("?1")), (course, id)).await
}

pub(crate) async fn front(db: &Db, course: CourseId) -> db::Result<Option<Page>> {
    db.fetch(&format!("{} AND p.front_page", select("?1")), (course,)).await
}

pub(crate) async fn insert(
    db: &Db,
    course: &CourseAccess,
    new: NewPage,
    user: UserId,
    now: Timestamp,
) -> db::Result<Page> {
    let work = db.transaction_if(new.front_page, async |db| {
        if new.front_page {
            no_other_front(db, course.id, None, now).await?;
        }
        inserted(db, course, new, user, now).await
    });
    work.await
}

/// Makes the front page of a course; nothing where it has one, which another request may just have made.
pub(crate) async fn insert_front(
    db: &Db,
    course: &CourseAccess,
    new: NewPage,
    user: UserId,
    now: Timestamp,
) -> db::Result<Option<Page>> {
    let work = db.transaction(async |db| match front(db, course.id).await? {
        Some(_) => Ok(None),
        None => insert(db, course, new, user, now).await.map(Some),
    });
    work.await
}

async fn inserted(db: &Db, course: &CourseAccess, new: NewPage, user: UserId, now: Timestamp) -> db::Result<Page> {
    let NewPage { title, body, editing_roles, front_page, published } = new;
    let sql = format!(
        "INSERT INTO wiki_pages (root_account_id, course_id, url, title, body, editing_roles, front_page,
             last_edited_by, workflow_state, created_at, updated_at)
         VALUES (?1, ?2, {}, ?4, ?5, ?6, ?7, ?8, iif(?9, 'active', 'unpublished'), ?10, ?10)",
        free_url_sql("?2", "?3", "NULL")
    );
    let slug = wiki_pages::slug(&title);
    let binds = (course.root_account, course.id, slug, title, body, editing_roles, front_page, user, published, now);
    db.write_and_read(&sql, &the_written(), binds).await?.ok_or(db::Error::NoRow)
}

/// Changes a page that was read before, and calls `tell` with it as it was and as it is, in the same transaction. A field
/// that the request leaves out is judged and kept as it is now, not as it was when the request came.
pub(crate) async fn update(
    db: &Db,
    tell: impl AsyncFn(&Db, &Page, &Page) -> db::Result<()>,
    course: CourseId,
    known: Page,
    changes: PageChanges,
    user: UserId,
    now: Timestamp,
) -> Result<Page> {
    let is_alone = changes.front_page != Some(true) && !changes.is_news(&known);
    if is_alone && let Some(after) = updated(db, course, &known, &changes, user, now).await? {
        return Ok(after);
    }
    let work = db.transaction(async |db| {
        let id = known.page_id;
        let change = async |before: Page| {
            if changes.front_page == Some(true) {
                no_other_front(db, course, Some(id), now).await?;
            }
            let Some(after) = updated(db, course, &before, &changes, user, now).await? else { return Ok(None) };
            tell(db, &before, &after).await?;
            Ok::<_, Error>(Some(after))
        };
        change_known(known, async || page(db, course, id).await?.or_not_found(), change).await
    });
    work.await
}

/// Changes a page, if it is still what it was before; nothing where it is not.
async fn updated(
    db: &Db,
    course: CourseId,
    before: &Page,
    changes: &PageChanges,
    user: UserId,
    now: Timestamp,
) -> Result<Option<Page>> {
    let columns = changes.columns(before)?;
    // A page keeps its address as long as it keeps its title.
    let slug = changes.title.as_deref().filter(|title| *title != before.title).map(wiki_pages::slug);
    let url = match slug {
        Some(_) => free_url_sql("?5", "?6", "wiki_pages.id"),
        None => "url".to_owned(),
    };
    let required = ["title", "body", "editing_roles", "front_page", "workflow_state"];
    let assignments = Changes::assignments(2, &required, &[]);
    let sql = format!(
        "UPDATE wiki_pages SET url = {url}, {assignments}, last_edited_by = ?3, updated_at = ?4
         WHERE id = ?1 AND course_id = ?5 AND title = ?7 AND ifnull(body = ?8, 1) AND front_page = ?9
           AND workflow_state = iif(?10, 'active', 'unpublished')"
    );
    // A body that stays as it is was not judged.
    let body = changes.body.is_some().then_some(before.body.as_str());
    let Page { page_id, title, front_page, published, .. } = before;
    let binds = (*page_id, columns, user, now, course, slug, title, body, *front_page, *published);
    Ok(db.write_and_read(&sql, &the_written(), binds).await?)
}

impl PageChanges {
    /// Whether the page is to be published: who makes it the front page publishes it.
    fn published(&self) -> Option<bool> {
        self.published.or((self.front_page == Some(true)).then_some(true))
    }

    /// True if those in the course are told of the change: where the page is published and its text is another one.
    fn is_news(&self, before: &Page) -> bool {
        let is_published = self.published().unwrap_or(before.published);
        let is_other = |new: &Option<String>, old: &String| new.as_ref().is_some_and(|new| new != old);
        is_published && (is_other(&self.title, &before.title) || is_other(&self.body, &before.body))
    }

    /// The same as columns of the page; 400 where it would be a front page that is not published.
    fn columns(&self, before: &Page) -> Result<Changes> {
        let published = self.published();
        if self.front_page.unwrap_or(before.front_page) && !published.unwrap_or(before.published) {
            return Err(Error::invalid("published", "invalid", "must be true for the front page"));
        }
        Ok(Changes::default()
            .set("title", Patch::from(self.title.clone()))
            .set("body", Patch::from(self.body.clone()))
            .set("editing_roles", Patch::from(self.editing_roles.clone()))
            .set("front_page", Patch::from(self.front_page))
            .set("workflow_state", Patch::from(published.map(|yes| if yes { "active" } else { "unpublished" }))))
    }
}

/// Deletes a page; false if it has become the front page, or somebody else has deleted it.
pub(crate) async fn delete(db: &Db, id: PageId, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE wiki_pages SET workflow_state = 'deleted', updated_at = ?2
        WHERE id = ?1 AND NOT front_page AND workflow_state <> 'deleted' RETURNING id";
    db.affects(sql, (id, now)).await
}

async fn no_other_front(db: &Db, course: CourseId, but: Option<PageId>, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE wiki_pages SET front_page = 0, updated_at = ?2
        WHERE course_id = ?1 AND front_page AND id IS NOT ?3";
    db.execute(sql, (course, now, but)).await
}

/// An expression of the part of an address, or of the first of `part-2`, `part-3`, … that no other page of the course has: of
/// expressions of the course, of the part and of the id of the page that is not counted.
fn free_url_sql(course: &str, url: &str, but: &str) -> String {
    format!(
        "(WITH RECURSIVE tried (number, url) AS (
              SELECT 1, {url}
              UNION ALL
              SELECT number + 1, {url} || '-' || {NEXT_NUMBER} FROM tried
              WHERE EXISTS (SELECT 1 FROM wiki_pages p WHERE p.course_id = {course} AND p.url = tried.url
                            AND p.workflow_state <> 'deleted' AND p.id IS NOT {but})
          )
          SELECT url FROM tried ORDER BY number DESC LIMIT 1)"
    )
}
