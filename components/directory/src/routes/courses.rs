//! Courses: made, read, changed, ended.

pub(crate) mod life_cycle;
pub(crate) mod lists;
pub(crate) mod settings;
pub(crate) mod students;
pub(crate) mod users;

use serde::Deserialize;
use serde_json::{Value, json};
use shared::auth::{self, CourseAccess, Right};
use shared::db::Changes;
use shared::error::{Kind, OrNotFound};
use shared::ids::{AccountId, CourseId, EnrollmentTermId, IdOrAlias};
use shared::needs::{InCourse, Needed, NeededAccount, NeededCourse, NeededInCourse, may};
use shared::prefetch::Prefetched;
use shared::{
    Context, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, Timestamp, endpoint, endpoints, rich_text,
};

use crate::model::checks::{MAX_CHARS, invalid, moment, optional, require_order, required, time_zone};
use crate::model::courses::{Course, Include};
use crate::model::unsupported;
use crate::routes::content_migrations::take_turn;
use crate::routes::courses::life_cycle::Step;
use crate::store::courses::{self as store, CourseOfAccount, KnownCourse};
use crate::store::stickiness::{self, StickyRecord};
use crate::store::terms;

const VIEWS: [&str; 5] = ["feed", "wiki", "modules", "assignments", "syllabus"];
const MAX_TEXT_CHARS: usize = 65_535;
const UNNAMED: &str = "Unnamed Course";

endpoints![create_course, get_account_course, get_course, update_course, delete_course, reset_course_content];

#[derive(Deserialize, JsonSchema)]
struct CoursePath {
    id: IdOrAlias<CourseId>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct NewCourseBody {
    course: CourseForm,
    /// True if the course is available at once.
    offer: bool,
    /// True if the caller becomes its teacher.
    enroll_me: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct CourseBody {
    course: CourseForm,
    /// True unless given; false leaves the name, the code, the dates, the account and the term that somebody has changed since
    /// an import.
    override_sis_stickiness: Option<bool>,
    /// The same as the event `offer`.
    offer: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct CourseForm {
    name: Patch<String>,
    course_code: Patch<String>,
    /// The account to which a course that exists moves. Only for administrators of both accounts.
    account_id: Patch<IdOrAlias<AccountId>>,
    /// Only for administrators.
    sis_course_id: Patch<String>,
    /// An id, `sis_term_id:X` or `default`; null is the default term. Only for administrators.
    term_id: Patch<IdOrAlias<EnrollmentTermId>>,
    start_at: Patch<Timestamp>,
    end_at: Patch<Timestamp>,
    is_public: Patch<bool>,
    public_description: Patch<String>,
    syllabus_body: Patch<String>,
    license: Patch<String>,
    default_view: Patch<String>,
    time_zone: Patch<String>,
    /// True if students see grades when somebody posts them: of assignments that say nothing else.
    post_manually: Patch<bool>,
    /// Only for a course that exists.
    event: Patch<Step>,
}

#[derive(Deserialize, JsonSchema)]
struct EndCourse {
    event: Ending,
}

/// The end of a course.
#[derive(Deserialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Ending {
    Delete,
    Conclude,
}

/// Creates a course with a section.
#[endpoint(POST "/api/v1/accounts/:account_id/courses", unsupported(unsupported::COURSE))]
async fn create_course(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Form<NewCourseBody>,
) -> Result<Reply<Course>> {
    let NewCourseBody { mut course, offer, enroll_me } = body.decode()?;
    if !course.name.is_present() {
        course.name = Patch::Value(UNNAMED.to_owned());
    }
    let caller = cx.caller()?;
    if enroll_me && caller.root_account != account.root_account {
        return Err(Error::bad_request("enroll_me is for users of the course's root account"));
    }
    let term = term(&cx, account.root_account, std::mem::take(&mut course.term_id)).await?;
    let new = validated(course)?.set("enrollment_term_id", term.map(|term| term.0));
    require_order(&new, (None, None))?;
    let course = life_cycle::create(&cx, &account, new, offer, enroll_me).await?;
    Ok(Reply::ok(course.shown(true)))
}

/// Reads a course.
#[endpoint(GET "/api/v1/courses/:id", students(200, "a student is in the course"))]
async fn get_course(
    cx: Context,
    _course: NeededCourse<may::Read>,
    course: Prefetched<Course>,
    body: Query<Include>,
) -> Result<Reply<Course>> {
    let include = body.decode()?.include;
    let course = course.record()?.shown(include.names("syllabus_body"));
    Ok(Reply::ok(course.with_addresses(&cx.base_url().await?)))
}

/// Reads a course of an account.
#[endpoint(GET "/api/v1/accounts/:account_id/courses/:id", students(200, "a student is in the course"))]
async fn get_account_course(
    cx: Context,
    _course: Needed<CourseOfAccount, may::Read>,
    course: Prefetched<Course>,
    body: Query<Include>,
) -> Result<Reply<Course>> {
    let include = body.decode()?.include;
    let course = course.record()?.shown(include.names("syllabus_body"));
    Ok(Reply::ok(course.with_addresses(&cx.base_url().await?)))
}

/// Changes a course or its state.
#[endpoint(PUT "/api/v1/courses/:id", unsupported(unsupported::COURSE))]
async fn update_course(
    cx: Context,
    Path(at): Path<CoursePath>,
    course: Prefetched<InCourse<KnownCourse>>,
    body: Form<CourseBody>,
) -> Result<Reply<Course>> {
    match course.record() {
        Ok(InCourse { course, record: known }) => change(&cx, &course, known, body).await,
        Err(error) if matches!(error.kind(), Kind::NotFound) => undelete(&cx, &at.id, body).await,
        Err(error) => Err(error),
    }
}

async fn change(
    cx: &Context,
    course: &CourseAccess,
    known: KnownCourse,
    body: Form<CourseBody>,
) -> Result<Reply<Course>> {
    course.require(Right::Manage)?;
    let CourseBody { course: mut form, override_sis_stickiness, offer } = body.decode()?;
    let step = form.event.into_option().or(offer.then_some(Step::Offer));
    if (form.sis_course_id.is_present() || form.term_id.is_present()) && !course.admin {
        return Err(Error::forbidden());
    }
    if step == Some(Step::Delete) {
        require_delete(course)?;
    }
    let account = destination(cx, course, std::mem::take(&mut form.account_id)).await?;
    let term = term(cx, course.root_account, std::mem::take(&mut form.term_id)).await?;
    let changes = validated(form)?.set("account_id", account.map(|account| account.0));
    let changes = changes.set("enrollment_term_id", term.map(|term| term.0));
    let record = StickyRecord::Course(course.id);
    let changes = stickiness::without_sticky(&cx.db, record, override_sis_stickiness, changes).await?;
    let changed = life_cycle::change(cx, course.id, known, changes, step).await?;
    Ok(Reply::ok(changed.shown(true)))
}

/// The account to which the course moves: another one of its institution, which the caller administers as well.
async fn destination(
    cx: &Context,
    course: &CourseAccess,
    named: Patch<IdOrAlias<AccountId>>,
) -> Result<Patch<AccountId>> {
    let Patch::Value(named) = named else { return Ok(Patch::Absent) };
    let account = auth::account(&cx.db, cx.caller()?, &named).await?;
    if account.id == course.account {
        return Ok(Patch::Absent);
    }
    if !course.admin || !account.admin {
        return Err(Error::forbidden());
    }
    if account.root_account != course.root_account {
        return Err(Error::invalid("account_id", "invalid", "belongs to another institution"));
    }
    Ok(Patch::Value(account.id))
}

/// The term of the institution that is named.
async fn term(
    cx: &Context,
    root: AccountId,
    named: Patch<IdOrAlias<EnrollmentTermId>>,
) -> Result<Patch<EnrollmentTermId>> {
    Ok(match named {
        Patch::Absent => Patch::Absent,
        Patch::Null => Patch::Null,
        Patch::Value(named) => Patch::Value(terms::term(&cx.db, root, &named).await?.or_not_found()?.id),
    })
}

/// A deleted course is known to administrators only, and only to bring it back.
async fn undelete(cx: &Context, named: &IdOrAlias<CourseId>, body: Form<CourseBody>) -> Result<Reply<Course>> {
    let caller = cx.caller()?;
    let deleted = store::deleted(&cx.db, caller, named).await?.or_not_found()?;
    let account = auth::account(&cx.db, caller, &IdOrAlias::Id(deleted.account_id)).await?;
    if !account.admin {
        return Err(Error::not_found());
    }
    match body.decode()?.course.event {
        Patch::Value(Step::Undelete) => Ok(Reply::ok(life_cycle::restore(cx, deleted).await?.shown(true))),
        _ => Err(Error::not_found()),
    }
}

/// Deletes or concludes a course.
#[endpoint(DELETE "/api/v1/courses/:id")]
async fn delete_course(
    cx: Context,
    course: NeededInCourse<KnownCourse, may::Manage>,
    body: Form<EndCourse>,
) -> Result<Reply<Value>> {
    let InCourse { course, record: known } = course.into_record();
    let (step, answer) = match body.decode()?.event {
        Ending::Delete => {
            require_delete(&course)?;
            (Step::Delete, json!({"delete": true}))
        }
        Ending::Conclude => (Step::Conclude, json!({"conclude": true})),
    };
    life_cycle::change(&cx, course.id, known, Changes::default(), Some(step)).await?;
    Ok(Reply::ok(answer))
}

/// Puts an empty course with the same members in the place of a course.
#[endpoint(POST "/api/v1/courses/:id/reset_content", throttled("packages that one user announces, and courses that one user copies or resets"))]
async fn reset_course_content(cx: Context, course: NeededCourse) -> Result<Reply<Course>> {
    require_delete(&course)?;
    take_turn(&cx.db, cx.caller()?.user, cx.now).await?;
    Ok(Reply::ok(life_cycle::reset(&cx, course.id).await?.shown(true)))
}

/// Designers change courses, but do not delete them.
fn require_delete(course: &CourseAccess) -> Result<()> {
    course.require(Right::Delete)
}

fn validated(form: CourseForm) -> Result<Changes> {
    let short = |field, text| optional(field, text, MAX_CHARS).map_err(invalid);
    Ok(Changes::default()
        .set("name", required("name", form.name, MAX_CHARS).map_err(invalid)?)
        .set("course_code", required("course_code", form.course_code, MAX_CHARS).map_err(invalid)?)
        .set("sis_course_id", short("sis_course_id", form.sis_course_id)?)
        .set("start_at", moment(form.start_at))
        .set("end_at", moment(form.end_at))
        .set("is_public", form.is_public)
        .set("public_description", rich("public_description", form.public_description)?)
        .set("syllabus_body", rich("syllabus_body", form.syllabus_body)?)
        .set("license", short("license", form.license)?)
        .set("default_view", view(form.default_view)?)
        .set("post_manually", form.post_manually)
        .set("time_zone", time_zone("time_zone", form.time_zone).map_err(invalid)?))
}

/// HTML without what would run in the browser of whoever reads it.
fn rich(field: &str, html: Patch<String>) -> Result<Patch<String>> {
    match optional(field, html, MAX_TEXT_CHARS).map_err(invalid)? {
        Patch::Value(html) => {
            let clean = rich_text::sanitize(&html);
            clean.map(Patch::Value).map_err(|refusal| Error::invalid(field, refusal.code(), refusal.to_string()))
        }
        none => Ok(none),
    }
}

fn view(view: Patch<String>) -> Result<Patch<String>> {
    match view {
        Patch::Value(view) if !VIEWS.contains(&view.as_str()) => {
            Err(Error::invalid("default_view", "inclusion", format!("must be one of {}", VIEWS.join(", "))))
        }
        view => Ok(view),
    }
}
