//! AI experiences of a course: what students talk with. See `docs/contract/ai-conversations.md`.

mod markup;

use std::collections::HashSet;

pub(crate) use markup::status_words;
use serde::{Deserialize, Serialize};
use shared::db::{BuiltJson, Json};
use shared::prefetch::Prefetched;
use shared::{Context, Created, Error, Form, JsonSchema, Patch, Query, Reply, Result, endpoint, endpoints, params};

use crate::access::{self, not_found};
use crate::model::experiences::{Experience, ListQuery, ListedExperience, Metric, PAGE_LENGTH, PageQuery};
use crate::model::unsupported;
use crate::routes::talk;
use crate::store::experiences::{self as store, ExperiencePage};
use crate::store::needs::{NeededClassroom, NeededExperience};

const MAX_TITLE_CHARS: usize = 255;
const MAX_TEXT_CHARS: usize = 10_000;
const MAX_OBJECTIVES: usize = 10;
const MAX_METRICS: usize = 5;

endpoints![
    list_ai_experiences,
    create_ai_experience,
    get_ai_experience,
    update_ai_experience,
    delete_ai_experience,
    get_ai_experiences_page,
    open_ai_experience,
];

#[derive(Serialize, JsonSchema)]
struct Experiences {
    experiences: BuiltJson<Vec<Experience>>,
    /// True if the caller may change them.
    can_manage: bool,
    total_students: i64,
    total_pages: i64,
    current_page: i64,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Forms {
    ai_experience: Option<ExperienceForm>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ExperienceForm {
    title: Patch<String>,
    description: Patch<String>,
    facts: Patch<String>,
    learning_objectives: Patch<Vec<String>>,
    /// The older name: one objective as a text.
    learning_objective: Patch<String>,
    pedagogical_guidance: Patch<String>,
    /// Null is none.
    evaluation_metrics: Patch<Vec<Metric>>,
    /// `published` or `unpublished`.
    workflow_state: Patch<String>,
}

/// Lists the AI experiences of a course.
#[endpoint(
    GET "/api/v1/courses/:course_id/ai_experiences",
    students(200, "students see what is published"),
    unsupported(unsupported::EXPERIENCES),
)]
async fn list_ai_experiences(
    _: Context,
    classroom: NeededClassroom,
    page: Prefetched<ExperiencePage<Experience>>,
    query: Query<ListQuery>,
) -> Result<Reply<Experiences>> {
    let classroom = access::classroom(classroom)?;
    let query = query.decode()?;
    let ExperiencePage { experiences, total, students } = page.record()?;
    let length = query.length();
    Ok(Reply::ok(Experiences {
        experiences,
        can_manage: classroom.manager,
        total_students: students,
        total_pages: total.saturating_add(length).saturating_sub(1).div_euclid(length).max(1),
        current_page: query.number(),
    }))
}

/// Shows who is signed in the AI experiences of a course: a page.
#[endpoint(GET "/courses/:course_id/ai_experiences", signed_in, page, answers(403, "The caller is no member of the course."))]
async fn get_ai_experiences_page(
    cx: Context,
    classroom: NeededClassroom,
    page: Prefetched<ExperiencePage<ListedExperience>>,
    query: Query<PageQuery>,
) -> Result<Reply> {
    let classroom = access::classroom(classroom).map_err(access::on_page)?;
    let number = query.decode()?.number();
    let found = page.record()?;
    let has_more = found.total > number.saturating_mul(PAGE_LENGTH);
    Ok(markup::experiences(&cx, &classroom, &found.experiences.read()?, (number, has_more)))
}

/// Leads to the page on which who is signed in talks with an AI experience.
#[endpoint(GET "/courses/:course_id/ai_experiences/:id", signed_in, page, answers(403, "The caller is no member of the course."))]
async fn open_ai_experience(_: Context, experience: NeededExperience) -> Result<Reply> {
    let (_, experience) = access::readable_experience(experience).map_err(access::on_page)?;
    talk::lead_to(&experience).await
}

/// Creates an AI experience.
#[endpoint(POST "/api/v1/courses/:course_id/ai_experiences", unsupported(unsupported::EXPERIENCE))]
async fn create_ai_experience(
    cx: Context,
    classroom: NeededClassroom,
    body: Form<Forms>,
) -> Result<Created<Experience>> {
    let classroom = access::classroom(classroom)?;
    classroom.require_manage()?;
    let form = body.decode()?.ai_experience.ok_or_else(|| Error::missing("ai_experience"))?;
    let change = form.validated()?;
    let missing = |field, there: bool| if there { Ok(()) } else { Err(blank(field)) };
    missing("title", matches!(change.title, Patch::Value(_)))?;
    missing("learning_objectives", matches!(change.learning_objectives, Patch::Value(_)))?;
    missing("pedagogical_guidance", matches!(change.pedagogical_guidance, Patch::Value(_)))?;
    let course = &classroom.course;
    Ok(Reply::created(store::insert(&cx.db, course.root_account, course.id, change, cx.now).await?))
}

/// Reads an AI experience.
#[endpoint(GET "/api/v1/courses/:course_id/ai_experiences/:id", students(200, "students see what is published"))]
async fn get_ai_experience(_: Context, experience: NeededExperience) -> Result<Reply<Experience>> {
    let (classroom, mut experience) = access::readable_experience(experience)?;
    if !classroom.manager {
        experience.hide();
    } else {
        experience.submission_status = None;
    }
    Ok(Reply::ok(experience))
}

/// Changes or publishes an AI experience.
#[endpoint(PUT "/api/v1/courses/:course_id/ai_experiences/:id", unsupported(unsupported::EXPERIENCE))]
async fn update_ai_experience(
    cx: Context,
    experience: NeededExperience,
    body: Form<Forms>,
) -> Result<Reply<Experience>> {
    let (classroom, experience) = access::experience(experience)?;
    classroom.require_manage()?;
    let form = body.decode()?.ai_experience.ok_or_else(|| Error::missing("ai_experience"))?;
    let change = form.validated()?;
    let is_unpublished = matches!(&change.workflow_state, Patch::Value(state) if state == "unpublished");
    match store::update(&cx.db, classroom.course.id, experience.id, change, cx.now).await? {
        Some(experience) => Ok(Reply::ok(experience)),
        // It was there a moment ago: what kept it is the rule.
        None if is_unpublished => {
            Err(Error::invalid("workflow_state", "invalid", "can't be unpublished once a student has a conversation"))
        }
        None => Err(not_found()),
    }
}

/// Deletes an AI experience.
#[endpoint(DELETE "/api/v1/courses/:course_id/ai_experiences/:id")]
async fn delete_ai_experience(cx: Context, experience: NeededExperience) -> Result<Reply<Experience>> {
    let (classroom, experience) = access::experience(experience)?;
    classroom.require_manage()?;
    let deleted = store::delete(&cx.db, classroom.course.id, experience.id, cx.now).await?;
    deleted.map(Reply::ok).ok_or_else(not_found)
}

impl ExperienceForm {
    /// The change that the form asks for. A text that must not be blank is refused where it is given as blank.
    fn validated(self) -> Result<store::Change> {
        let objectives = match (self.learning_objectives, self.learning_objective) {
            (Patch::Absent, Patch::Value(one)) => Patch::Value(vec![one]),
            (Patch::Absent, Patch::Null) => Patch::Null,
            (objectives, _) => objectives,
        };
        let objectives = objectives.map(|all| {
            all.into_iter().map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect::<Vec<_>>()
        });
        required("title", &self.title, MAX_TITLE_CHARS)?;
        required("pedagogical_guidance", &self.pedagogical_guidance, MAX_TEXT_CHARS)?;
        optional("description", &self.description)?;
        optional("facts", &self.facts)?;
        objectives_fit(&objectives)?;
        let metrics = match self.evaluation_metrics {
            Patch::Null => Patch::Value(Vec::new()),
            metrics => metrics,
        };
        metrics_fit(&metrics)?;
        if let Patch::Value(state) = &self.workflow_state
            && !matches!(state.as_str(), "published" | "unpublished")
        {
            return Err(Error::invalid("workflow_state", "inclusion", "is not included in the list"));
        }
        Ok(store::Change {
            title: self.title,
            description: self.description,
            facts: self.facts,
            learning_objectives: objectives.map(Json),
            pedagogical_guidance: self.pedagogical_guidance,
            evaluation_metrics: metrics.map(Json),
            workflow_state: self.workflow_state,
        })
    }
}

fn blank(field: &str) -> Error {
    Error::invalid(field, "blank", "can't be blank")
}

fn required(field: &str, text: &Patch<String>, longest: usize) -> Result<()> {
    match text {
        Patch::Absent => Ok(()),
        Patch::Value(text) if !text.trim().is_empty() => params::not_too_long(field, text, longest),
        Patch::Null | Patch::Value(_) => Err(blank(field)),
    }
}

fn optional(field: &str, text: &Patch<String>) -> Result<()> {
    match text {
        Patch::Value(text) => params::not_too_long(field, text, MAX_TEXT_CHARS),
        Patch::Absent | Patch::Null => Ok(()),
    }
}

fn objectives_fit(objectives: &Patch<Vec<String>>) -> Result<()> {
    const FIELD: &str = "learning_objectives";
    match objectives {
        Patch::Absent => Ok(()),
        Patch::Value(all) if all.len() > MAX_OBJECTIVES => {
            Err(Error::invalid(FIELD, "too_long", format!("may have no more than {MAX_OBJECTIVES} entries")))
        }
        Patch::Value(all) if all.iter().collect::<HashSet<_>>().len() < all.len() => {
            Err(Error::invalid(FIELD, "taken", "names an objective twice"))
        }
        Patch::Value(all) if !all.is_empty() => {
            all.iter().try_for_each(|one| params::not_too_long(FIELD, one, MAX_TEXT_CHARS))
        }
        Patch::Null | Patch::Value(_) => Err(blank(FIELD)),
    }
}

fn metrics_fit(metrics: &Patch<Vec<Metric>>) -> Result<()> {
    const FIELD: &str = "evaluation_metrics";
    let Patch::Value(metrics) = metrics else { return Ok(()) };
    if metrics.len() > MAX_METRICS {
        return Err(Error::invalid(FIELD, "too_long", format!("may have no more than {MAX_METRICS} entries")));
    }
    metrics.iter().try_for_each(|metric| {
        if metric.name.trim().is_empty() {
            return Err(Error::invalid(FIELD, "blank", "must each have a name"));
        }
        params::not_too_long(FIELD, &metric.name, MAX_TITLE_CHARS)?;
        params::not_too_long(FIELD, &metric.description, MAX_TEXT_CHARS)
    })
}
