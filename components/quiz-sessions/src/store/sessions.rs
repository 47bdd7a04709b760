//! Sessions: found with their quiz and their content, begun, and moved on.

use std::borrow::Cow;

use serde::Deserialize;
use shared::auth::CourseAccess;
use shared::auth::section_limit::has_student_sql;
use shared::db::{self, IdRow, Json};
use shared::ids::{AssignmentId, QuizSessionId, UserId};
use shared::needs::{OfCourse, nested};
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result, Timestamp};
use submissions::accommodations::given_sql;
use submissions::attempts::is_taken;
use submissions::posting::{is_anonymous, is_posted};

use crate::model::answers::AnswerRow;
use crate::model::drawing::Drawn;
use crate::model::items::{AskedQuestion, Content, ShownStimulus};
use crate::model::sessions::SessionRow;
use crate::store::quizzes::VARIANTS;
use questions::size::{MAX_SESSION_BYTES, QUESTION_BYTES, STIMULUS_BYTES};

/// A session with its quiz: `s`, `a` and `n`.
fn select() -> String {
    select_with("s.items")
}

/// The same with that expression for the items that were drawn.
fn select_with(items: &str) -> String {
    let extra_attempts = given_sql("extra_attempts", "s.course_id", "s.assignment_id", "s.user_id");
    let is_posted = is_posted("s.assignment_id", "s.user_id");
    let is_quiz_taken = is_taken("s.assignment_id", "s.user_id");
    format!(
        "SELECT s.id, c.root_account_id, c.account_id, s.course_id, s.assignment_id, s.user_id, s.is_preview, s.attempt,
                s.state, s.seed, {items} AS items, s.item_count, s.points_possible, s.position, s.has_fewer_choices, s.started_at,
                s.end_at, s.submitted_at, s.score, s.is_scored, s.grading_version, s.fudge_points, s.grader_id, s.graded_at,
                s.results_seen_at, a.name AS title,
                a.description AS instructions, n.quiz_settings,
                (SELECT count(*) FROM quiz_attempts t
                 WHERE t.assignment_id = s.assignment_id AND t.user_id = s.user_id) AS attempts_made,
                {is_quiz_taken} AS is_quiz_taken, {extra_attempts} AS extra_attempts, {is_posted} AS is_posted, a.anonymous_grading,
                (SELECT count(*) FROM quiz_session_answers w
                 WHERE w.session_id = s.id AND w.response IS NOT NULL) AS answered_count
         FROM quiz_sessions s
         JOIN courses c ON c.id = s.course_id
         JOIN assignments a ON a.id = s.assignment_id
         JOIN new_quizzes n ON n.assignment_id = a.id"
    )
}

/// The question of the table `question_items`, or of an alias of it, as an expression of JSON.
pub(super) fn question_json(table: &str) -> String {
    const FIELDS: [(&str, bool); 10] = [
        ("title", false),
        ("item_body", false),
        ("calculator_type", false),
        ("feedback", true),
        ("interaction_type_slug", false),
        ("interaction_data", true),
        ("properties", true),
        ("scoring_data", true),
        ("answer_feedback", true),
        ("scoring_algorithm", false),
    ];
    let field = |(name, is_json): (&str, bool)| match is_json {
        true => format!("'{name}', json({table}.{name})"),
        false => format!("'{name}', {table}.{name}"),
    };
    format!("json_object({})", FIELDS.map(field).join(", "))
}

/// The questions `q` of that condition, as an expression of JSON.
pub(super) fn questions_sql(condition: &str) -> String {
    questions_with("", condition)
}

/// The same with more members.
fn questions_with(members: &str, condition: &str) -> String {
    let question = question_json("q");
    format!(
        "(SELECT json_group_array(json_object('id', q.id, 'question', {question}{members}))
          FROM question_items q WHERE {condition})"
    )
}

/// What was right in the question `q` when the session `taken` began, where that was regraded since. It tells which choice the
/// student does not see.
const FIRST_KEY: &str = ", 'first_key', json(ifnull((
    SELECT r.previous_scoring_data FROM quiz_regrades r
    WHERE r.question_item_id = q.id AND taken.has_fewer_choices AND r.created_at > taken.started_at
    ORDER BY r.id LIMIT 1), 'null'))";

/// The answers `w` of that condition, as an expression of JSON.
pub(super) fn answers_sql(condition: &str) -> db::Result<String> {
    let answer = db::json_object::<AnswerRow>()?;
    Ok(format!("(SELECT json_group_array({answer}) FROM quiz_session_answers w WHERE {condition})"))
}

/// A session with its content.
#[derive(Deserialize)]
pub(crate) struct TakenSession {
    session: Json<SessionRow>,
    /// `None`: they are too large.
    questions: Option<Json<Vec<AskedQuestion>>>,
    stimuli: Option<Json<Vec<ShownStimulus>>>,
    answers: Json<Vec<AnswerRow>>,
    /// True if the student is one of the sections that the reader is limited to.
    pub(crate) is_in_sections: bool,
}

impl TakenSession {
    pub(crate) fn row(&self) -> &SessionRow {
        &self.session.0
    }

    pub(crate) fn into_parts(self) -> (SessionRow, Content) {
        let content = match (self.questions, self.stimuli) {
            (Some(questions), Some(stimuli)) => Content::new(questions.0, stimuli.0, self.answers.0),
            _ => Content::too_large(self.answers.0),
        };
        (self.session.0, content)
    }
}

/// The sessions `taken` of that condition, without what they ask where that is more than so many bytes.
fn taken_sql(condition: &str, is_in_sections: &str, most: i64) -> Result<String> {
    let session = nested::<SessionRow>(&format!("{} WHERE s.id = taken.id", select()))?;
    let is_asked = "q.id IN (SELECT part.value ->> 'question' FROM json_each(taken.items) part)";
    let questions = questions_with(FIRST_KEY, is_asked);
    let shown = "stimuli s WHERE s.id IN (SELECT part.value ->> 'stimulus' FROM json_each(taken.items) part)";
    let answers = answers_sql("w.session_id = taken.id")?;
    let stimulus = db::json_object::<ShownStimulus>()?;
    Ok(format!(
        "SELECT {session} AS session,
                iif((SELECT total({QUESTION_BYTES}) FROM question_items q WHERE {is_asked}) <= {most},
                    {questions}, NULL) AS questions,
                iif((SELECT total({STIMULUS_BYTES}) FROM {shown}) <= {most},
                    (SELECT json_group_array({stimulus}) FROM {shown}), NULL) AS stimuli,
                {answers} AS answers, {is_in_sections} AS is_in_sections
         FROM quiz_sessions taken {condition}"
    ))
}

/// A session of a quiz that is not deleted, in its course.
const OF_QUIZ: &str = "JOIN assignments named ON named.id = taken.assignment_id AND named.workflow_state <> 'deleted'
         WHERE taken.id = ?2 AND taken.assignment_id = ?1 AND taken.course_id = course.id";

fn is_in_sections_sql() -> String {
    has_student_sql("course.section_limit", "taken.user_id", "course.id")
}

impl OfCourse for TakenSession {
    const WORDS: &'static [&'static str] = &["quizzes", "sessions"];

    fn sql() -> Result<Cow<'static, str>> {
        Ok(taken_sql(OF_QUIZ, &is_in_sections_sql(), MAX_SESSION_BYTES)?.into())
    }
}

/// The same, as a page names it.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct SessionToGrade(pub(crate) TakenSession);

impl OfCourse for SessionToGrade {
    const WORDS: &'static [&'static str] = &["assignments", "grade"];

    fn sql() -> Result<Cow<'static, str>> {
        TakenSession::sql()
    }
}

/// A session without its content.
#[derive(Deserialize)]
pub(crate) struct KnownSession {
    pub(crate) session: Json<SessionRow>,
    /// See [`TakenSession`].
    pub(crate) is_in_sections: bool,
}

impl OfCourse for KnownSession {
    const WORDS: &'static [&'static str] = &["quizzes", "sessions"];

    fn sql() -> Result<Cow<'static, str>> {
        let session = nested::<SessionRow>(&format!("{} WHERE s.id = taken.id", select()))?;
        let is_in_sections = is_in_sections_sql();
        let sql = format!(
            "SELECT {session} AS session, {is_in_sections} AS is_in_sections FROM quiz_sessions taken {OF_QUIZ}"
        );
        Ok(sql.into())
    }
}

/// A session with its content, by its id alone: whose it is and where is for the caller to know.
pub(crate) async fn taken(db: &Db, id: QuizSessionId) -> Result<Option<TakenSession>> {
    Ok(db.fetch(&taken_sql("WHERE taken.id = ?1", "TRUE", MAX_SESSION_BYTES)?, (id,)).await?)
}

/// The same with all that it asks, however large that is: what was answered is scored.
pub(crate) async fn taken_whole(db: &Db, id: QuizSessionId) -> Result<Option<TakenSession>> {
    Ok(db.fetch(&taken_sql("WHERE taken.id = ?1", "TRUE", i64::MAX)?, (id,)).await?)
}

/// A session by its id alone.
pub(crate) async fn session(db: &Db, id: QuizSessionId) -> db::Result<Option<SessionRow>> {
    db.fetch(&format!("{} WHERE s.id = ?1", select()), (id,)).await
}

/// The sessions that a list shows.
pub(crate) struct SessionFilter {
    pub(crate) quiz: AssignmentId,
    /// Who reads the list: own sessions are in it, previews too.
    pub(crate) reader: UserId,
    /// True if the sessions of all students are in it, in the sections of the course that the reader is limited to.
    pub(crate) sees_all: bool,
    /// Only those of this user.
    pub(crate) user: Option<UserId>,
    /// Only those in which an answer waits for a person.
    pub(crate) needs_grading: bool,
}

/// A page of sessions, without what was drawn for them.
pub(crate) async fn page(
    db: &Db,
    course: &CourseAccess,
    filter: &SessionFilter,
    page: &Page,
) -> Result<Paged<SessionRow>> {
    let is_in_sections = has_student_sql("?4", "s.user_id", "?5");
    let waits = if filter.needs_grading { "AND s.is_scored = 0 AND s.is_preview = 0" } else { "" };
    let is_anonymous = is_anonymous("s.assignment_id", "s.user_id");
    let sql = format!(
        "{} WHERE s.assignment_id = ?1 AND (s.user_id = ?2 OR (?3 AND s.is_preview = 0 AND {is_in_sections}))
           AND (?6 IS NULL OR s.user_id = ?6 AND (s.user_id = ?2 OR NOT {is_anonymous})) {waits}",
        select_with("'[]'")
    );
    let SessionFilter { quiz, reader, sees_all, user, .. } = *filter;
    let binds = (quiz, reader, sees_all, course.section_limit(), course.id, user);
    page.fetch_keyset(db, &sql, binds, Key::ascending(&["id"])).await
}

/// A session that begins.
pub(crate) struct Start {
    pub(crate) quiz: AssignmentId,
    pub(crate) user: UserId,
    pub(crate) is_preview: bool,
    pub(crate) attempt: i64,
    /// The number of attempts on which the start was judged.
    pub(crate) attempts_made: i64,
    pub(crate) seed: i64,
    pub(crate) drawn: Drawn,
    pub(crate) has_fewer_choices: bool,
    pub(crate) started_at: Timestamp,
    pub(crate) end_at: Option<Timestamp>,
}

/// Begins a session; none where one runs, or the student has made another attempt since, or an item that was drawn is gone,
/// worth something else, or has not the numbers of a formula that were drawn: nobody would see what is asked, or the points would be
/// others than the quiz says.
pub(crate) async fn start(db: &Db, course: &CourseAccess, start: Start) -> db::Result<Option<QuizSessionId>> {
    let made: Option<IdRow<QuizSessionId>> = db
        .fetch(
            &format!(
                "INSERT INTO quiz_sessions
                 (course_id, assignment_id, user_id, is_preview, attempt, seed, items, item_count, points_possible,
                  has_fewer_choices, started_at, end_at)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
             WHERE (?4 OR ?13 = (SELECT count(*) FROM quiz_attempts WHERE assignment_id = ?2 AND user_id = ?3))
               AND NOT EXISTS (
                 SELECT 1 FROM json_each(?7) drawn
                 LEFT JOIN quiz_items i ON i.id = CAST(drawn.value ->> 'id' AS INTEGER)
                 LEFT JOIN question_items q ON q.id = drawn.value ->> 'question'
                 WHERE i.id IS NULL
                    OR drawn.value ->> 'question' IS NOT NULL AND abs(i.points_possible - (drawn.value ->> 'points')) > 1e-9
                    OR (drawn.value ->> 'variant' IS NULL) <> (nullif({VARIANTS}, 0) IS NULL)
                    OR drawn.value ->> 'variant' >= {VARIANTS})
             ON CONFLICT DO NOTHING
             RETURNING id"
            ),
            (
                course.id,
                start.quiz,
                start.user,
                start.is_preview,
                start.attempt,
                start.seed,
                Json(start.drawn.items),
                start.drawn.item_count,
                start.drawn.points_possible,
                start.has_fewer_choices,
                start.started_at,
                start.end_at,
                start.attempts_made,
            ),
        )
        .await?;
    Ok(made.map(|made| made.id))
}

/// Deletes the previews that the user has ended: they count nowhere.
pub(crate) async fn delete_ended_previews(db: &Db, quiz: AssignmentId, user: UserId) -> db::Result<()> {
    let sql = "DELETE FROM quiz_sessions
               WHERE assignment_id = ?1 AND user_id = ?2 AND is_preview = 1 AND state = 'submitted'";
    db.execute(sql, (quiz, user)).await
}

/// Moves a session that runs to another question. Where it only goes forward, it goes to the next one or stays: false where
/// it is elsewhere by now.
pub(crate) async fn set_position(db: &Db, id: QuizSessionId, position: i64, only_forward: bool) -> db::Result<bool> {
    let sql = "UPDATE quiz_sessions SET position = ?2
               WHERE id = ?1 AND state = 'taking' AND (NOT ?3 OR position BETWEEN ?2 - 1 AND ?2) RETURNING id";
    db.affects(sql, (id, position, only_forward)).await
}

/// Notes that results that are shown once are shown now; false where they were shown before.
pub(crate) async fn see_results(db: &Db, id: QuizSessionId, now: Timestamp) -> db::Result<bool> {
    let sql = "UPDATE quiz_sessions SET results_seen_at = ?2 WHERE id = ?1 AND results_seen_at IS NULL RETURNING id";
    db.affects(sql, (id, now)).await
}
