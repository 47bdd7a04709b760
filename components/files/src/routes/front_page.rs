//! The front page of a course.

use shared::error::OrNotFound;
use shared::needs::{NeededCourse, may};
use shared::prefetch::Prefetched;
use shared::{Context, Form, Reply, Result, endpoint, endpoints};

use crate::model::unsupported;
use crate::routes::pages::{PageForm, PageForms, WikiPage, new_page, shown, updated, view};
use crate::store::pages as store;

endpoints![get_course_front_page, update_course_front_page];

/// The name of a front page whose maker gives it no title, as in the reference system.
const FRONT_PAGE_TITLE: &str = "Front Page";

/// Reads the front page of a course.
#[endpoint(GET "/api/v1/courses/:course_id/front_page", students(200, "students see what is published"))]
async fn get_course_front_page(
    cx: Context,
    course: NeededCourse<may::Read>,
    page: Prefetched<store::FrontPage>,
) -> Result<Reply<WikiPage>> {
    let store::FrontPage(page) = page.record()?;
    shown(&cx, &course, page).await
}

/// Changes the front page of a course, or creates it.
#[endpoint(PUT "/api/v1/courses/:course_id/front_page", unsupported(unsupported::PAGE))]
async fn update_course_front_page(
    cx: Context,
    course: NeededCourse<may::ManageAssignments>,
    page: Prefetched<store::FrontPage>,
    body: Form<PageForms>,
) -> Result<Reply<WikiPage>> {
    let form = body.decode()?.wiki_page.unwrap_or_default();
    let page = match page.into_option()? {
        Some(store::FrontPage(page)) => page,
        None => {
            let form = PageForm { front_page: Some(true), ..form.clone() };
            let new = new_page(form, Some(FRONT_PAGE_TITLE.to_owned()))?;
            if let Some(page) = store::insert_front(&cx.db, &course, new, cx.caller()?.user, cx.now).await? {
                return Ok(Reply::ok(view(&cx.base_url().await?, &course, page)));
            }
            store::front(&cx.db, course.id).await?.or_not_found()?
        }
    };
    updated(&cx, &course, page, form).await
}
