//! Pages of a course. A page is known by the part of an address that is made of its title, or by
//! `page_id:` and its id.

use serde::{Deserialize, Serialize};
use shared::auth::{CourseAccess, Right};
use shared::ids::{PageId, UserId};
use shared::needs::{NeededCourse, may};
use shared::notify::Notifier;
use shared::params::SearchTerm;
use shared::prefetch::Prefetched;
use shared::{
    Context, Db, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, Timestamp, endpoint, endpoints, params,
    rich_text,
};

use crate::model::unsupported;
use crate::notices;
use crate::store::pages as store;

const MAX_TITLE_CHARS: usize = 255;
const MAX_EDITING_ROLES_CHARS: usize = 255;
endpoints![list_pages, get_page, create_page, update_page, delete_page];

#[derive(Deserialize, JsonSchema)]
struct PagePath {
    url: String,
}

/// A page of a course.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WikiPage {
    page_id: PageId,
    /// Its title as a part of addresses.
    url: String,
    title: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Those who may change it: `teachers`, `students`, `members`, `public`.
    editing_roles: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_edited_by: Option<Editor>,
    published: bool,
    hide_from_students: bool,
    front_page: bool,
    html_url: String,
    locked_for_user: bool,
    /// HTML. Lists leave it out unless it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

/// The user who changed a page last.
#[derive(Serialize, JsonSchema)]
struct Editor {
    id: UserId,
    display_name: String,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ListForm {
    /// Part of the title.
    search_term: Option<String>,
    /// Only those that are published, or only those that are not.
    published: Option<bool>,
    /// `title`, `created_at` or `updated_at`.
    sort: Option<String>,
    /// `asc` or `desc`.
    order: Option<String>,
    /// `body`.
    include: Vec<String>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct PageForms {
    pub(crate) wiki_page: Option<PageForm>,
}

#[derive(Deserialize, Default, Clone, JsonSchema)]
#[serde(default)]
pub(crate) struct PageForm {
    pub(crate) title: Option<String>,
    pub(crate) body: Patch<String>,
    pub(crate) editing_roles: Option<String>,
    pub(crate) published: Option<bool>,
    pub(crate) front_page: Option<bool>,
    /// True if those in the course are told of a change: they are unless this is false.
    pub(crate) notify_of_update: Option<bool>,
}

/// Lists the pages of a course.
#[endpoint(GET "/api/v1/courses/:course_id/pages", students(200, "students see what is published"))]
async fn list_pages(
    cx: Context,
    course: NeededCourse<may::Read>,
    body: Query<ListForm>,
) -> Result<Reply<Vec<WikiPage>>> {
    let form = body.decode()?;
    let which = store::PageFilter {
        search: SearchTerm::read(form.search_term.as_deref())?,
        published: if course.can(Right::ReadAsStaff) { form.published } else { Some(true) },
        order: store::Order::of(form.sort.as_deref(), form.order.as_deref()),
    };
    let with_body = form.include.iter().any(|name| name == "body");
    let pages = store::pages(&cx.db, course.id, which, &cx.page().await?).await?;
    let base = cx.base_url().await?;
    Ok(Reply::page(pages.map(|page| {
        let page = view(&base, &course, page);
        WikiPage { body: page.body.filter(|_| with_body), ..page }
    })))
}

/// Reads a page.
#[endpoint(GET "/api/v1/courses/:course_id/pages/:url", students(200, "students see what is published"))]
async fn get_page(
    cx: Context,
    course: NeededCourse<may::Read>,
    page: Prefetched<store::Page>,
) -> Result<Reply<WikiPage>> {
    shown(&cx, &course, page.record()?).await
}

pub(crate) async fn shown(cx: &Context, course: &CourseAccess, page: store::Page) -> Result<Reply<WikiPage>> {
    if !page.published {
        course.require(Right::ReadAsStaff)?;
    }
    Ok(Reply::ok(view(&cx.base_url().await?, course, page)))
}

/// Creates a page.
#[endpoint(POST "/api/v1/courses/:course_id/pages", unsupported(unsupported::PAGE))]
async fn create_page(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
    body: Form<PageForms>,
) -> Result<Reply<WikiPage>> {
    let form = body.decode()?.wiki_page.ok_or_else(|| Error::missing("wiki_page"))?;
    created(&cx, &course, form, None).await
}

/// Changes a page, or creates it.
#[endpoint(PUT "/api/v1/courses/:course_id/pages/:url", unsupported(unsupported::PAGE))]
async fn update_page(
    cx: Context,
    Path(at): Path<PagePath>,
    course: NeededCourse<may::ManageAssignments>,
    page: Prefetched<store::Page>,
    body: Form<PageForms>,
) -> Result<Reply<WikiPage>> {
    let page = page.into_option()?;
    let form = body.decode()?.wiki_page.unwrap_or_default();
    match page {
        Some(page) => updated(&cx, &course, page, form).await,
        // As in the reference system a page that is not there is made.
        None if at.url.starts_with(store::BY_ID) => Err(Error::not_found()),
        None => created(&cx, &course, form, Some(&at.url)).await,
    }
}

/// Deletes a page.
#[endpoint(DELETE "/api/v1/courses/:course_id/pages/:url")]
async fn delete_page(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
    page: Prefetched<store::Page>,
) -> Result<Reply<WikiPage>> {
    let page = page.record()?;
    if page.front_page {
        return Err(Error::bad_request("The front page cannot be deleted"));
    }
    if !store::delete(&cx.db, page.page_id, cx.now).await? {
        return Err(Error::conflict("Somebody else has just changed the page"));
    }
    Ok(Reply::ok(view(&cx.base_url().await?, &course, page)))
}

/// A new page. Of one that was asked for by its address the address is the title, unless there is another.
async fn created(cx: &Context, course: &CourseAccess, form: PageForm, url: Option<&str>) -> Result<Reply<WikiPage>> {
    let new = new_page(form, url.map(|url| url.replace('-', " ")))?;
    let page = store::insert(&cx.db, course, new, cx.caller()?.user, cx.now).await?;
    Ok(Reply::ok(view(&cx.base_url().await?, course, page)))
}

pub(crate) fn new_page(form: PageForm, default_title: Option<String>) -> Result<store::NewPage> {
    let blank = || Error::invalid("title", "blank", "can't be blank");
    let title = match title(form.title.as_deref())? {
        Some(title) => title,
        None => title(default_title.as_deref())?.ok_or_else(blank)?,
    };
    let front_page = form.front_page.unwrap_or_default();
    let published = form.published.unwrap_or(front_page);
    if front_page && !published {
        return Err(Error::invalid("published", "invalid", "must be true for the front page"));
    }
    Ok(store::NewPage {
        title,
        body: rich(form.body.into_option())?.unwrap_or_default(),
        editing_roles: editing_roles(form.editing_roles)?.unwrap_or_else(|| "teachers".to_owned()),
        front_page,
        published,
    })
}

pub(crate) async fn updated(
    cx: &Context,
    course: &CourseAccess,
    page: store::Page,
    form: PageForm,
) -> Result<Reply<WikiPage>> {
    let changes = store::PageChanges {
        title: title(form.title.as_deref())?,
        body: match form.body {
            Patch::Absent => None,
            Patch::Null => Some(String::new()),
            Patch::Value(body) => rich(Some(body))?,
        },
        editing_roles: editing_roles(form.editing_roles)?,
        front_page: form.front_page,
        published: form.published,
    };
    let (notifier, is_told) = (Notifier::of(cx).await?, form.notify_of_update.unwrap_or(true));
    let tell = async |db: &Db, before: &store::Page, after: &store::Page| match is_told {
        true => notices::page_changed(db, &notifier, course, before, after).await,
        false => Ok(()),
    };
    let page = store::update(&cx.db, tell, course.id, page, changes, cx.caller()?.user, cx.now).await?;
    Ok(Reply::ok(view(&cx.base_url().await?, course, page)))
}

fn title(given: Option<&str>) -> Result<Option<String>> {
    match given.map(str::trim) {
        None => Ok(None),
        Some("") => Err(Error::invalid("title", "blank", "can't be blank")),
        Some(title) => {
            params::not_too_long("title", title, MAX_TITLE_CHARS)?;
            Ok(Some(title.to_owned()))
        }
    }
}

fn rich(html: Option<String>) -> Result<Option<String>> {
    let refused = |refusal: rich_text::Refusal| Error::invalid("body", refusal.code(), refusal.to_string());
    html.map(|html| rich_text::sanitize(&html).map_err(refused)).transpose()
}

fn editing_roles(given: Option<String>) -> Result<Option<String>> {
    let known = |role: &str| matches!(role.trim(), "teachers" | "students" | "members" | "public");
    params::not_too_long("editing_roles", given.as_deref().unwrap_or_default(), MAX_EDITING_ROLES_CHARS)?;
    match given {
        Some(roles) if roles.split(',').all(known) => Ok(Some(roles)),
        Some(_) => Err(Error::invalid("editing_roles", "inclusion", "is not included in the list")),
        None => Ok(None),
    }
}

pub(crate) fn view(base: &str, course: &CourseAccess, page: store::Page) -> WikiPage {
    WikiPage {
        page_id: page.page_id,
        html_url: format!("{base}/courses/{}/pages/{}", course.id, page.url),
        url: page.url,
        title: page.title,
        created_at: page.created_at,
        updated_at: page.updated_at,
        editing_roles: page.editing_roles,
        last_edited_by: page.last_edited_by.map(|id| Editor { id, display_name: page.editor_name.unwrap_or_default() }),
        published: page.published,
        hide_from_students: !page.published,
        front_page: page.front_page,
        locked_for_user: false,
        body: Some(page.body),
    }
}
