//! AI experiences.

use serde::Deserialize;
use shared::auth::Right;
use shared::auth::section_limit::{self, has_section_sql};
use shared::db::{BuiltJson, Json};
use shared::ids::{AccountId, AiExperienceId, CourseId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::{Db, Patch, Result, Timestamp, db};

use crate::model::experiences::{Experience, ListQuery, ListedExperience, Metric, PAGE_LENGTH, PageQuery};

/// The fields of an experience that are set or changed.
pub(crate) struct Change {
    pub(crate) title: Patch<String>,
    pub(crate) description: Patch<String>,
    pub(crate) facts: Patch<String>,
    pub(crate) learning_objectives: Patch<Json<Vec<String>>>,
    pub(crate) pedagogical_guidance: Patch<String>,
    pub(crate) evaluation_metrics: Patch<Json<Vec<Metric>>>,
    pub(crate) workflow_state: Patch<String>,
}

/// A page of the experiences of the course that is needed, oldest first, and what stands around it: of all for those who manage
/// them, with the number of the students whom they see; else of the published ones with the caller's status.
#[derive(Deserialize)]
#[serde(bound = "")]
pub(crate) struct ExperiencePage<T> {
    pub(crate) experiences: BuiltJson<Vec<T>>,
    pub(crate) total: i64,
    pub(crate) students: i64,
}

/// True while no student has talked with the experience. `CROSS JOIN` looks at the conversations first: otherwise each
/// experience would go through all enrollments of its course.
macro_rules! can_unpublish {
    () => {
        "NOT EXISTS (SELECT 1 FROM ai_conversations c CROSS JOIN enrollments n ON n.user_id = c.user_id
                     WHERE c.ai_experience_id = ai_experiences.id AND n.course_id = ai_experiences.course_id
                       AND n.type = 'StudentEnrollment' AND n.workflow_state <> 'deleted')"
    };
}

const CAN_UNPUBLISH: &str = can_unpublish!();

const COLUMNS: &str = concat!(
    "id, course_id, title, description, facts, learning_objectives, pedagogical_guidance,
    evaluation_metrics, workflow_state, version, created_at, updated_at, ",
    can_unpublish!(),
    " AS can_unpublish"
);

/// The progress of a user with an experience.
macro_rules! status {
    ($user:literal) => {
        concat!(
            "CASE
    WHEN EXISTS (SELECT 1 FROM ai_conversations c
                 WHERE c.ai_experience_id = ai_experiences.id AND c.user_id = ",
            $user,
            " AND c.all_objectives_met)
    THEN 'completed'
    WHEN (SELECT c.workflow_state FROM ai_conversations c
          WHERE c.ai_experience_id = ai_experiences.id AND c.user_id = ",
            $user,
            " ORDER BY c.id DESC LIMIT 1) = 'active'
    THEN 'in_progress'
    ELSE 'not_started' END"
        )
    };
}

/// The experience `?1` of the course that is needed, with how far the caller has come.
pub(super) fn experience() -> String {
    const STATUS: &str = status!("caller.user_id");
    format!(
        "SELECT {COLUMNS}, {STATUS} AS submission_status FROM ai_experiences
         WHERE id = ?1 AND course_id = course.id AND workflow_state <> 'deleted'"
    )
}

/// An experience as it is answered to those who manage it where `viewer` says so, and else without what they alone may see.
fn record() -> String {
    const STATUS: &str = status!("caller.user_id");
    format!(
        r#"concat('{{"id":', id, ',"course_id":', course_id, ',"title":', json_quote(title), ',"description":', json_quote(description),
            ',"learning_objectives":', learning_objectives,
            iif(viewer.manages AND facts IS NOT NULL, concat(',"facts":', json_quote(facts)), NULL),
            iif(viewer.manages AND pedagogical_guidance <> '',
                concat(',"pedagogical_guidance":', json_quote(pedagogical_guidance)), NULL),
            ',"evaluation_metrics":', iif(viewer.manages OR evaluation_metrics = '[]', evaluation_metrics, (
                SELECT concat('[', group_concat(value, ','), ']') FROM json_each(evaluation_metrics)
                WHERE value ->> 'enabled' AND value ->> 'visible_to_learners')),
            ',"workflow_state":"', workflow_state, '","can_unpublish":', iif({CAN_UNPUBLISH}, 'true', 'false'),
            iif(viewer.manages, NULL, concat(',"submission_status":"', {STATUS}, '"')),
            ',"created_at":"', substr(created_at, 1, 19), 'Z","updated_at":"', substr(updated_at, 1, 19), 'Z"}}')"#
    )
}

impl Record for ExperiencePage<Experience> {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let query: ListQuery = path.query()?;
        Ok(page(query.number(), query.length()))
    }
}

impl Record for ExperiencePage<ListedExperience> {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(page(path.query::<PageQuery>()?.number(), PAGE_LENGTH))
    }
}

/// The page of that number, of so many experiences.
fn page(number: i64, length: i64) -> Lookup {
    const COURSE: &str = "caller.needed ->> 'course'";
    const SEEN: &str = "course_id = viewer.course_id
        AND (workflow_state = 'published' OR (viewer.manages AND workflow_state = 'unpublished'))";
    let (managers, limit) = (Right::ManageAssignments.roles_sql(), section_limit::of_needed_sql(COURSE));
    let has_section = has_section_sql("viewer.section_limit", "course_section_id");
    let (record, list) = (record(), db::json_list("record"));
    // With a limit SQLite makes the row of the viewer once, instead of anew for each experience.
    let sql = format!(
        "SELECT (SELECT count(*) FROM ai_experiences WHERE {SEEN}) AS total,
                (SELECT count(DISTINCT user_id) FROM enrollments
                 WHERE course_id = viewer.course_id AND type = 'StudentEnrollment' AND workflow_state = 'active'
                   AND {has_section}) AS students,
                (SELECT {list} FROM (
                     SELECT * FROM (SELECT {record} AS record FROM ai_experiences WHERE {SEEN} ORDER BY id)
                     LIMIT ?1 OFFSET ?2)) AS experiences
         FROM (SELECT course_id, manages, iif(manages, section_limit, NULL) AS section_limit FROM (
                   SELECT {COURSE} ->> 'id' AS course_id, {limit} AS section_limit,
                          {COURSE} ->> 'admin' OR EXISTS (
                              SELECT 1 FROM json_each({COURSE} ->> 'roles') WHERE value IN {managers}) AS manages)
               LIMIT 1) viewer"
    );
    Lookup::new(sql, (length, number.saturating_sub(1).saturating_mul(length)))
}

pub(crate) async fn insert(
    db: &Db,
    tenant: AccountId,
    course: CourseId,
    new: Change,
    now: Timestamp,
) -> db::Result<Experience> {
    db.fetch_one(
        "INSERT INTO ai_experiences
             (root_account_id, course_id, title, description, facts, learning_objectives, pedagogical_guidance,
              evaluation_metrics, workflow_state, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ifnull(?8, '[]'), ifnull(?9, 'unpublished'), ?10, ?10)
         RETURNING *, 1 AS can_unpublish",
        (
            tenant,
            course,
            new.title.into_option(),
            new.description.into_option(),
            new.facts.into_option(),
            new.learning_objectives.into_option(),
            new.pedagogical_guidance.into_option(),
            new.evaluation_metrics.into_option(),
            new.workflow_state.into_option(),
            now,
        ),
    )
    .await
}

/// The changed experience; `None` where it is not there, or would be unpublished though a student has talked with it.
///
/// An edit of what is taught makes a new version; publishing makes none, nor does a value that was there before.
pub(crate) async fn update(
    db: &Db,
    course: CourseId,
    id: AiExperienceId,
    change: Change,
    now: Timestamp,
) -> db::Result<Option<Experience>> {
    let (descriptions, facts) = (change.description.is_present(), change.facts.is_present());
    let sql = format!(
        "UPDATE ai_experiences
         SET title = ifnull(?3, title), description = iif(?4, ?5, description), facts = iif(?6, ?7, facts),
             learning_objectives = ifnull(?8, learning_objectives),
             pedagogical_guidance = ifnull(?9, pedagogical_guidance),
             evaluation_metrics = ifnull(?10, evaluation_metrics), workflow_state = ifnull(?11, workflow_state),
             version = version + (
                 title <> ifnull(?3, title) OR (?4 AND description IS NOT ?5) OR (?6 AND facts IS NOT ?7)
                 OR learning_objectives <> ifnull(?8, learning_objectives)
                 OR pedagogical_guidance <> ifnull(?9, pedagogical_guidance)
                 OR evaluation_metrics <> ifnull(?10, evaluation_metrics)),
             updated_at = ?12
         WHERE id = ?1 AND course_id = ?2 AND workflow_state <> 'deleted'
           AND (ifnull(?11, '') <> 'unpublished' OR workflow_state = 'unpublished'
                OR {CAN_UNPUBLISH})
         RETURNING {COLUMNS}"
    );
    db.fetch(
        &sql,
        (
            id,
            course,
            change.title.into_option(),
            descriptions,
            change.description.into_option(),
            facts,
            change.facts.into_option(),
            change.learning_objectives.into_option(),
            change.pedagogical_guidance.into_option(),
            change.evaluation_metrics.into_option(),
            change.workflow_state.into_option(),
            now,
        ),
    )
    .await
}

pub(crate) async fn delete(
    db: &Db,
    course: CourseId,
    id: AiExperienceId,
    now: Timestamp,
) -> db::Result<Option<Experience>> {
    db.fetch(
        "UPDATE ai_experiences SET workflow_state = 'deleted', updated_at = ?3
         WHERE id = ?1 AND course_id = ?2 AND workflow_state <> 'deleted'
         RETURNING *, 0 AS can_unpublish",
        (id, course, now),
    )
    .await
}
