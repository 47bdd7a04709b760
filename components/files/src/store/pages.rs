//! The SQL of pages.

use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::db::{Changes, IdRow};
use shared::error::OrNotFound;
use shared::ids::{CourseId, PageId, UserId};
use shared::{Db, Error, Paged, Patch, Result, Timestamp, db, wiki_pages};

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
    pub(crate) search: Option<String>,
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

const SELECT: &str = "SELECT p.id AS page_id, p.url, p.title, p.body, p.editing_roles, p.front_page,
        p.workflow_state = 'active' AS published, p.last_edited_by, u.name AS editor_name, p.created_at, p.updated_at
    FROM wiki_pages p LEFT JOIN users u ON u.id = p.last_edited_by
    WHERE p.course_id = ?1 AND p.workflow_state <> 'deleted'";

pub(crate) async fn pages(
    db: &Db,
    course: CourseId,
    which: PageFilter,
    page: &shared::pagination::Page,
) -> Result<Paged<Page>> {
    let PageFilter { search, published, order: Order(column, direction) } = which;
    let sql = format!(
        "{SELECT} AND (?2 IS NULL OR instr(lower(p.title), lower(?2)) > 0)
             AND (?3 IS NULL OR (p.workflow_state = 'active') = ?3)
         ORDER BY {column} {direction}, p.id {direction}"
    );
    page.fetch(db, &sql, (course, search, published)).await
}

pub(crate) async fn page(db: &Db, course: CourseId, named: &str) -> db::Result<Option<Page>> {
    let id: Option<PageId> = named.strip_prefix(BY_ID).unwrap_or(named).parse().ok();
    let url = (!named.starts_with(BY_ID)).then_some(named);
    // Digits alone may be an address too, which comes first.
    let sql = format!("{SELECT} AND (p.url = ?2 OR p.id = ?3) ORDER BY p.url IS ?2 DESC LIMIT 1");
    db.fetch(&sql, (course, url, id)).await
}

pub(crate) async fn front(db: &Db, course: CourseId) -> db::Result<Option<Page>> {
    db.fetch(&format!("{SELECT} AND p.front_page"), (course,)).await
}

pub(crate) async fn insert(
    db: &Db,
    course: &CourseAccess,
    new: NewPage,
    user: UserId,
    now: Timestamp,
) -> shared::Result<Page> {
    let work = db.transaction(async |db| {
        let id = inserted(db, course, new, user, now).await?;
        Ok(db.fetch_one(&format!("{SELECT} AND p.id = ?2"), (course.id, id)).await?)
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
) -> shared::Result<Option<Page>> {
    let work = db.transaction(async |db| {
        if front(db, course.id).await?.is_some() {
            return Ok(None);
        }
        insert(db, course, new, user, now).await.map(Some)
    });
    work.await
}

async fn inserted(db: &Db, course: &CourseAccess, new: NewPage, user: UserId, now: Timestamp) -> db::Result<PageId> {
    let NewPage { title, body, editing_roles, front_page, published } = new;
    if front_page {
        no_other_front(db, course.id, None, now).await?;
    }
    let url = wiki_pages::free_url(db, course.id, &wiki_pages::slug(&title), None).await?;
    let inserted: IdRow<PageId> = db
        .fetch_one(
            "INSERT INTO wiki_pages (root_account_id, course_id, url, title, body, editing_roles, front_page,
                 last_edited_by, workflow_state, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, iif(?9, 'active', 'unpublished'), ?10, ?10) RETURNING id",
            (course.root_account, course.id, url, title, body, editing_roles, front_page, user, published, now),
        )
        .await?;
    Ok(inserted.id)
}

/// Changes a page, and calls `tell` with it as it was and as it is, in the same transaction. A field that the request
/// leaves out is judged and kept as it is now, not as it was when the request came.
pub(crate) async fn update(
    db: &Db,
    tell: impl AsyncFn(&Db, &Page, &Page) -> db::Result<()>,
    course: CourseId,
    id: PageId,
    changes: PageChanges,
    user: UserId,
    now: Timestamp,
) -> shared::Result<Page> {
    let one = format!("{SELECT} AND p.id = ?2");
    let assignments = ["url", "title", "body", "editing_roles", "front_page", "workflow_state"];
    let assignments = assignments.map(|column| Changes::required(column, 2)).join(", ");
    let work = db.transaction(async |db| {
        let page: Page = db.fetch(&one, (course, id)).await?.or_not_found()?;
        let front_page = changes.front_page.unwrap_or(page.front_page);
        let published = changes.published.or((changes.front_page == Some(true)).then_some(true));
        if front_page && !published.unwrap_or(page.published) {
            return Err(Error::invalid("published", "invalid", "must be true for the front page"));
        }
        if changes.front_page == Some(true) {
            no_other_front(db, course, Some(id), now).await?;
        }
        // A page keeps its address as long as it keeps its title.
        let url = match changes.title.as_deref().filter(|title| *title != page.title) {
            Some(title) => Some(wiki_pages::free_url(db, course, &wiki_pages::slug(title), Some(id)).await?),
            None => None,
        };
        let changes = Changes::default()
            .set("url", Patch::from(url))
            .set("title", Patch::from(changes.title))
            .set("body", Patch::from(changes.body))
            .set("editing_roles", Patch::from(changes.editing_roles))
            .set("front_page", Patch::from(changes.front_page))
            .set("workflow_state", Patch::from(published.map(|yes| if yes { "active" } else { "unpublished" })));
        let sql = format!("UPDATE wiki_pages SET {assignments}, last_edited_by = ?3, updated_at = ?4 WHERE id = ?1");
        db.execute(&sql, (id, changes, user, now)).await?;
        let after = db.fetch_one(&one, (course, id)).await?;
        tell(db, &page, &after).await?;
        Ok(after)
    });
    work.await
}

pub(crate) async fn delete(db: &Db, id: PageId, now: Timestamp) -> db::Result<()> {
    db.execute("UPDATE wiki_pages SET workflow_state = 'deleted', updated_at = ?2 WHERE id = ?1", (id, now)).await
}

async fn no_other_front(db: &Db, course: CourseId, but: Option<PageId>, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE wiki_pages SET front_page = 0, updated_at = ?2
        WHERE course_id = ?1 AND front_page AND id IS NOT ?3";
    db.execute(sql, (course, now, but)).await
}
