//! The late policy of a course.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::needs::{NeededCourse, may};
use shared::{Context, Created, Error, Form, JsonSchema, NoContent, Reply, Result, background, endpoint, endpoints};

use crate::model::form;
use crate::model::late_policies::{CourseLatePolicy, LatePolicyForm};
use crate::store::late_policies as store;

endpoints![get_late_policy, create_late_policy, update_late_policy];

#[derive(Serialize, JsonSchema)]
struct LatePolicyAnswer {
    late_policy: CourseLatePolicy,
}

#[derive(Deserialize, JsonSchema)]
struct LatePolicyForms {
    #[serde(rename = "late_policy")]
    _late_policy: LatePolicyForm,
}

/// Reads the late policy of a course.
#[endpoint(GET "/api/v1/courses/:id/late_policy")]
async fn get_late_policy(cx: Context, course: NeededCourse<may::ManageGrades>) -> Result<Reply<LatePolicyAnswer>> {
    let late_policy = store::of_course(&cx.db, course.id).await?.or_not_found()?;
    Ok(Reply::ok(LatePolicyAnswer { late_policy }))
}

/// Gives a course a late policy.
///
/// Late work that is graded already loses points by it, and missing work gets a grade, soon after.
#[endpoint(POST "/api/v1/courses/:id/late_policy")]
async fn create_late_policy(
    cx: Context,
    course: NeededCourse<may::ManageGrades>,
    body: Form<LatePolicyForms>,
) -> Result<Created<LatePolicyAnswer>> {
    let form: LatePolicyForm = form::optional(body, "late_policy")?;
    form.require_valid()?;
    let late_policy = store::insert(&cx.db, course.id, &form, cx.now).await?;
    let late_policy = late_policy.ok_or_else(|| Error::bad_request("the course has a late policy"))?;
    background::run_soon();
    Ok(Reply::created(LatePolicyAnswer { late_policy }))
}

/// Changes the late policy of a course.
///
/// The grades of late work follow soon after, and so does the grade of work that is missing without one.
#[endpoint(PATCH "/api/v1/courses/:id/late_policy")]
async fn update_late_policy(
    cx: Context,
    course: NeededCourse<may::ManageGrades>,
    body: Form<LatePolicyForms>,
) -> Result<NoContent> {
    let form: LatePolicyForm = form::optional(body, "late_policy")?;
    form.require_valid()?;
    match store::update(&cx.db, course.id, &form, cx.now).await? {
        true => {
            background::run_soon();
            Ok(Reply::no_content())
        }
        false => Err(Error::not_found()),
    }
}
