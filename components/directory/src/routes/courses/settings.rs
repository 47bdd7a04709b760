//! The page on which a person changes a course by hand. A signed link opens it, which a caller of the API asks for, or who
//! logs in on the page itself.

mod markup;

use http::StatusCode;
use http::header::RETRY_AFTER;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::auth::login::{self, Outcome};
use shared::auth::{self, Right};
use shared::db::Changes;
use shared::error::{Kind, OrNotFound};
use shared::error_format::sentence;
use shared::ids::{CourseId, IdOrAlias};
use shared::needs::{NeededCourse, may};
use shared::signed_forms::SignedForms;
use shared::signed_pages::{self, SignedPages};
use shared::{
    Context, Error, Form, JsonSchema, LimitKind, Patch, Path, Query, Reply, Result, Timestamp, endpoint, endpoints,
    limits_hit,
};

use crate::model::course_settings::{SettingsFields, SettingsHolder, StateChange, moment_of_input};
use crate::model::courses::{Course, Parts};
use crate::routes::courses::life_cycle::{self, Step};
use crate::routes::courses::settings::markup::LoginPage;
use crate::routes::courses::{CourseForm, validated};
use crate::store::courses as store;

const PAGES: SignedPages =
    SignedPages { purpose: "course settings", shows: "the settings of a course", readers: "the one who asked for it" };
const FORMS: SignedForms = SignedForms { purpose: "course-settings-login" };

endpoints![
    create_course_settings_link,
    get_course_settings_page,
    update_course_settings_on_page,
    open_course_settings_page,
];

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

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct SettingsLoginForm {
    login: String,
    password: String,
    authenticity_token: String,
}

/// The course that a link has opened, and the request with the one who changes it.
struct Settings {
    cx: Context,
    course: Course,
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

/// Shows the settings of a course, or asks for a log-in: a page.
#[endpoint(
    GET "/courses/:id/settings",
    public,
    page,
    nobody(200, "it asks for login and password"),
    answers(403, "The link has ended; the page asks for login and password."),
)]
async fn get_course_settings_page(
    cx: Context,
    Path(at): Path<SettingsPath>,
    query: Query<SettingsQuery>,
) -> Result<Reply> {
    let SettingsQuery { ticket, saved } = query.decode()?;
    if ticket.is_empty() {
        return login_page(&cx, at.id, "", None).await;
    }
    let Some(opened) = opened(&cx, at.id, ticket).await? else { return link_ended_page(&cx, at.id).await };
    let fields = SettingsFields::of(&opened.course);
    let message = saved.then_some(markup::Message::Saved);
    Ok(markup::settings(&opened, opened.cx.caller()?, (&fields, &fields), message))
}

/// Changes the settings or the state of a course, and leads back to its page.
///
/// The ticket is the right, so that no other site can send this form.
#[endpoint(
    POST "/courses/:id/settings",
    public,
    page,
    nobody(403, "the link must be signed"),
    answers(303, "It is done; the page is shown anew."),
)]
async fn update_course_settings_on_page(
    cx: Context,
    Path(at): Path<SettingsPath>,
    form: Form<CourseSettingsForm>,
) -> Result<Reply> {
    let CourseSettingsForm { ticket, course: fields, shown, event } = form.decode()?;
    let Some(opened) = opened(&cx, at.id, ticket).await? else { return link_ended_page(&cx, at.id).await };
    match change(&opened, &fields, &shown, event).await {
        Ok(()) => {
            let page = format!("{}&saved=true", opened.address(""));
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

/// Opens the page of a course's settings to a person with a login and its password.
#[endpoint(
    POST "/courses/:id/settings/login",
    public,
    page,
    nobody(400, "it takes the form of our own page"),
    throttled("wrong passwords"),
    answers(303, "It is done; the page is shown anew."),
    answers(403, "The login or the password is wrong; the page asks again."),
)]
async fn open_course_settings_page(
    cx: Context,
    Path(at): Path<SettingsPath>,
    form: Form<SettingsLoginForm>,
) -> Result<Reply> {
    let SettingsLoginForm { login, password, authenticity_token } = form.decode()?;
    let login = login.trim();
    let again = async |status, problem| {
        let page = login_page(&cx, at.id, login, Some(problem)).await?;
        Ok(page.with_status(status))
    };
    let Some(sent) = FORMS.verify(&cx, &json!(at.id), &authenticity_token).await? else {
        return again(StatusCode::BAD_REQUEST, "This page was open for too long. Please try again.").await;
    };
    if !sent.take(&cx.db, cx.now).await? {
        return again(StatusCode::BAD_REQUEST, "This page was sent before. Please try again.").await;
    }
    let outcome = match store::tenant(&cx.db, at.id).await? {
        Some(tenant) => login::check(&cx, tenant, login, &password).await?,
        None => Outcome::Wrong,
    };
    match outcome {
        Outcome::User(user) => {
            let holder = SettingsHolder { course: at.id, user, real_user: None };
            let (page, _ends) = PAGES.path(&cx, (&path(at.id), ""), &holder).await?;
            Ok(Reply::redirect(&page).with_status(StatusCode::SEE_OTHER))
        }
        Outcome::Wrong => again(StatusCode::FORBIDDEN, "The login or the password is wrong.").await,
        Outcome::TooMany => {
            limits_hit::note(LimitKind::LogIns);
            let problem = "There were too many wrong passwords. Please try again in a quarter of an hour.";
            let page = again(StatusCode::TOO_MANY_REQUESTS, problem).await?;
            Ok(page.header(RETRY_AFTER, &login::WINDOW.to_string()))
        }
    }
}

fn path(course: CourseId) -> String {
    format!("/courses/{course}/settings")
}

async fn login_page(cx: &Context, course: CourseId, login: &str, problem: Option<&str>) -> Result<Reply> {
    let authenticity_token = FORMS.issue(cx, &json!(course)).await?;
    let action = format!("{}/login", path(course));
    Ok(markup::login(&LoginPage { action: &action, authenticity_token: &authenticity_token, login, problem }))
}

/// The page for a link that opens nothing any more: who has a login goes on with that.
async fn link_ended_page(cx: &Context, course: CourseId) -> Result<Reply> {
    let page = login_page(cx, course, "", Some("This link has ended. You can log in instead.")).await?;
    Ok(page.with_status(StatusCode::FORBIDDEN))
}

/// The settings that the ticket opens, if its holder still has the right.
async fn opened(cx: &Context, course: CourseId, ticket: String) -> Result<Option<Opened>> {
    let find = async |holder: SettingsHolder| {
        if holder.course != course {
            return Ok(None);
        }
        let Some(caller) = auth::of_page(&cx.db, holder.user, holder.real_user).await? else { return Ok(None) };
        auth::course(&cx.db, &caller, &IdOrAlias::Id(course)).await?.require(Right::Manage)?;
        let shown = store::Shown { of: caller.user, parts: Parts::default() };
        let course = store::course(&cx.db, shown, course).await?.or_not_found()?;
        Ok(Some(Settings { cx: cx.called_by(caller), course }))
    };
    PAGES.open(cx, path(course), ticket, find).await
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
    life_cycle::change(&opened.cx, opened.course.id, changes(fields, shown)?, step).await?;
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
