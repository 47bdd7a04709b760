//! Those who are kept to their own sections: they see and change nobody else's enrollments.

use shared::auth::CourseAccess;
use shared::ids::{SectionId, UserId};
use shared::{Context, Error, Result};

use crate::model::filters::AnyOf;
use crate::store::enrollments as store;

/// The caller as one who may see nobody but those in the own sections, for statements that find out; none where the caller
/// administers the course.
pub(crate) fn viewer(cx: &Context, course: &CourseAccess) -> Result<Option<UserId>> {
    Ok(if course.admin { None } else { Some(cx.caller()?.user) })
}

/// The sections that the caller is kept to; none, where the caller is not.
async fn kept_to(cx: &Context, course: &CourseAccess) -> Result<AnyOf<SectionId>> {
    if course.admin {
        return Ok(AnyOf::default());
    }
    let own = store::own_sections(&cx.db, course.id, cx.caller()?.user).await?;
    if !own.iter().all(|section| section.limit_privileges_to_course_section) {
        return Ok(AnyOf::default());
    }
    Ok(AnyOf::default().or(own.into_iter().map(|section| section.course_section_id)))
}

/// 403 where the caller is kept to other sections.
pub(crate) async fn require_own_section(cx: &Context, course: &CourseAccess, section: SectionId) -> Result<()> {
    let own = kept_to(cx, course).await?;
    if own.is_empty() || own.contains(&section) { Ok(()) } else { Err(Error::forbidden()) }
}

/// True if a new enrollment keeps its user to the section. Who is kept there lets nobody out.
pub(crate) async fn limit(cx: &Context, course: &CourseAccess, asked: Option<bool>) -> Result<Option<bool>> {
    match asked {
        asked if kept_to(cx, course).await?.is_empty() => Ok(asked),
        Some(false) => Err(Error::forbidden()),
        _ => Ok(Some(true)),
    }
}
