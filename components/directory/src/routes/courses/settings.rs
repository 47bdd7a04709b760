//! The page on which a person changes a course by hand. A log-in opens it, or a signed link, which a caller of the API asks for.

mod markup;

use http::StatusCode;
use serde::{Deserialize, Serialize};
use shared::auth::{self, Caller, Right};
use shared::db::{Changes, Json};
use shared::error::Kind;
use shared::error_format::sentence;
use shared::ids::CourseId;
use shared::needs::{NeededCourse, may};
use shared::signed_pages::{self, SignedPages};
use shared::texts::ended_link;
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::course_settings::{SettingsFields, SettingsHolder, StateChange, moment_of_input};
use crate::model::courses::Course;
use crate::routes::courses::life_cycle::{self, Step};
use crate::routes::courses::{CourseForm, validated};
use crate::store::courses::{CourseSettings, KnownCourse};

const PAGES: SignedPages = SignedPages { purpose: "course settings", lasts: ended_link::COURSE_SETTINGS };

endpoints![create_course_settings_link, get_course_settings_page, update_course_settings_on_page];

#[derive(Deserialize, JsonSchema)]
struct SettingsPath {
    id: CourseId,
}

/// A link to the page of a course's settings.
#[derive(Serialize, JsonSchema)]
struct CourseSettingsLink {
    url: String,
    /// When the link ends.
    expires_at: Timestamp,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SettingsQuery {
    /// The right to the page.
    ticket: String,
    /// Whether something was changed just now.
    saved: bool,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct CourseSettingsForm {
    /// The right to the page.
    ticket: String,
    /// The fields as they are to be.
    course: SettingsFields,
    /// The fields as the page has shown them: what is still the same is no change.
    shown: SettingsFields,
    /// The new state of the course.
    event: Option<StateChange>,
}

/// The course that a link has opened, and the request with the one who changes it.
struct Settings {
    cx: Context,
    course: Course,
    known: KnownCourse,
}

type Opened = signed_pages::Opened<Settings>;

/// Makes a link to the page on which the caller changes the settings of a course.
#[endpoint(POST "/api/v1/courses/:id/settings_link")]
async fn create_course_settings_link(
    cx: Context,
    course: NeededCourse<may::Manage>,
) -> Result<Reply<CourseSettingsLink>> {
    let caller = cx.caller()?;
    let holder = SettingsHolder { course: course.id, user: caller.user, real_user: caller.real_user };
    let (url, expires_at) = PAGES.link(&cx, (&path(course.id), ""), &holder).await?;
    Ok(Reply::ok(CourseSettingsLink { url, expires_at }))
}

/// Shows the settings of a course: a page.
#[endpoint(
    GET "/courses/:id/settings",
    signed_in_or_linked,
    page,
)]
async fn get_course_settings_page(
    cx: Context,
    Path(at): Path<SettingsPath>,
    query: Query<SettingsQuery>,
) -> Result<Reply> {
    let SettingsQuery { ticket, saved } = query.decode()?;
    let Some(opened) = opened(&cx, at.id, ticket).await? else { return PAGES.ended(&path(at.id)).await };
    let fields = SettingsFields::of(&opened.course);
    let message = saved.then_some(markup::Message::Saved);
    Ok(markup::settings(&opened, opened.cx.caller()?, (&fields, &fields), message))
}

/// Changes the settings or the state of a course, and leads back to its page.
///
/// The form shows that our page sent it, by its ticket or for the session, so that no other site can send it.
#[endpoint(
    POST "/courses/:id/settings",
    signed_in_or_linked,
    page,
    answers(303, "It is done; the page is shown anew."),
)]
async fn update_course_settings_on_page(
    cx: Context,
    Path(at): Path<SettingsPath>,
    form: Form<CourseSettingsForm>,
) -> Result<Reply> {
    let CourseSettingsForm { ticket, course: fields, shown, event } = form.decode()?;
    let Some(opened) = opened(&cx, at.id, ticket).await? else { return PAGES.ended(&path(at.id)).await };
    match change(&opened, &fields, &shown, event).await {
        Ok(()) => {
            let page = opened.address_with("", "saved=true");
            Ok(Reply::redirect(&page).with_status(StatusCode::SEE_OTHER))
        }
        Err(error) if matches!(error.kind(), Kind::Invalid(_)) => {
            let message = Some(markup::Message::Problem(sentence(error.kind())));
            let page = markup::settings(&opened, opened.cx.caller()?, (&fields, &shown), message);
            Ok(page.with_status(StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

fn path(course: CourseId) -> String {
    format!("/courses/{course}/settings")
}

/// The settings that the ticket opens, if its holder still has the right.
async fn opened(cx: &Context, course: CourseId, ticket: String) -> Result<Option<Opened>> {
    let find = async |holder: SettingsHolder| {
        if holder.course != course {
            return Ok(None);
        }
        // Who is signed in is known already.
        let caller = match cx.signed_in().and(cx.known_caller()) {
            Some(caller) => Some(caller.clone()),
            None => auth::of_page(&cx.db, holder.user, holder.real_user).await?,
        };
        let Some(caller) = caller else { return Ok(None) };
        let settings = CourseSettings::find(&cx.db, &caller, course).await?;
        settings.access.0.require(Right::Manage)?;
        let CourseSettings { course: Json(course), known: Json(known), .. } = settings;
        Ok(Some(Settings { cx: cx.called_by(caller), course, known }))
    };
    let signed_in = |caller: &Caller| SettingsHolder { course, user: caller.user, real_user: None };
    PAGES.open(cx, &path(course), ticket, signed_in, find).await
}

async fn change(
    opened: &Opened,
    fields: &SettingsFields,
    shown: &SettingsFields,
    event: Option<StateChange>,
) -> Result<()> {
    let step = event.map(|event| match event {
        StateChange::Offer => Step::Offer,
        StateChange::Claim => Step::Claim,
        StateChange::Conclude => Step::Conclude,
        StateChange::Unconclude => Step::Unconclude,
    });
    life_cycle::change(&opened.cx, opened.course.id, opened.known.clone(), changes(fields, shown)?, step).await?;
    Ok(())
}

/// The fields that are not as the page has shown them, by the rules of the API.
fn changes(fields: &SettingsFields, shown: &SettingsFields) -> Result<Changes> {
    validated(CourseForm {
        name: changed(fields.name.clone(), shown.name.as_ref()),
        course_code: changed(fields.course_code.clone(), shown.course_code.as_ref()),
        start_at: changed_moment("start_at", fields.start_at.as_deref(), shown.start_at.as_deref())?,
        end_at: changed_moment("end_at", fields.end_at.as_deref(), shown.end_at.as_deref())?,
        ..CourseForm::default()
    })
}

fn changed<T: PartialEq>(value: Option<T>, shown: Option<&T>) -> Patch<T> {
    Patch::from(value.filter(|value| Some(value) != shown))
}

/// A browser may write a moment in another way than we do: the moments are compared, and not their texts.
fn changed_moment(field: &str, text: Option<&str>, shown: Option<&str>) -> Result<Patch<Timestamp>> {
    let Some(text) = text.map(str::trim) else { return Ok(Patch::Absent) };
    let moment = Some(text)
        .filter(|text| !text.is_empty())
        .map(|text| moment_of_input(text).ok_or_else(|| Error::invalid(field, "invalid", "is no date and time")));
    let moment = moment.transpose()?;
    if shown.is_some_and(|shown| moment_of_input(shown) == moment) {
        return Ok(Patch::Absent);
    }
    Ok(moment.map_or(Patch::Null, Patch::Value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_as_it_was_shown_is_no_change() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(changed(text("Botany"), text("Botany").as_ref()), Patch::Absent);
        assert_eq!(changed(text("Botany I"), text("Botany").as_ref()), Patch::Value("Botany I".to_owned()));
        assert_eq!(changed(text("Botany"), None), Patch::Value("Botany".to_owned()));
        assert_eq!(changed(None, text("Botany").as_ref()), Patch::Absent);
    }

    #[test]
    fn moments_are_compared_and_not_their_texts() {
        let changed = |text, shown| changed_moment("start_at", text, shown).unwrap();
        let moment = Timestamp::parse("2026-09-01T08:00:00Z").unwrap();
        assert_eq!(changed(Some("2026-09-01T08:00"), Some("2026-09-01T08:00:00")), Patch::Absent);
        assert_eq!(changed(Some(""), Some("")), Patch::Absent);
        assert_eq!(changed(None, Some("2026-09-01T08:00:00")), Patch::Absent);
        assert_eq!(changed(Some("2026-09-01T08:00"), Some("")), Patch::Value(moment));
        assert_eq!(changed(Some(" "), Some("2026-09-01T08:00:00")), Patch::Null);
        assert!(changed_moment("start_at", Some("soon"), None).is_err());
    }
}
