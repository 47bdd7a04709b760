//! Students' ways through classic quizzes.

use std::borrow::Cow;

use ::submissions::grading::Grade;
use ::submissions::posting;
use ::submissions::quiz_options::ScoringPolicy;
use classic_questions::{Answer, QuestionData, QuestionType, sum_of_points};
use serde::Deserialize;
use shared::auth::section_limit::has_student_sql;
use shared::auth::{CourseAccess, SectionLimit};
use shared::db::{self, IdRow, Json};
use shared::ids::{AccountId, AssignmentId, CourseId, QuestionId, QuizId, QuizSubmissionId, SubmissionId, UserId};
use shared::needs::{Lookup, MatchedPath, OfCourse, Record, nested};
use shared::pagination::Page;
use shared::{Db, Paged, Result, Timestamp};

use crate::model::matches;
use crate::model::questions::stored_data;
use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submissions::{Answers, Attempt, EarlierAttempt, Row, Version};
use crate::model::quizzes::Quiz;
use crate::store::quizzes;

/// A submission of a quiz: `s`, `z` and `x`. What an attempt is worth may be a sum from before sums were rounded.
fn select() -> String {
    select_with("")
}

/// The last attempt of a submission that the condition finds, with what was asked and answered.
fn attempt_sql(condition: &str) -> db::Result<String> {
    let (row, found) = (db::json_object::<Row>()?, select_with(", s.questions, s.answers"));
    Ok(format!("SELECT {row} AS record, questions, answers FROM ({found} WHERE {condition})"))
}

fn select_with(columns: &str) -> String {
    format!(
        "SELECT s.id, s.course_id, s.quiz_id, s.user_id, s.submission_id, s.attempt, s.validation_token,
        round(s.quiz_points_possible, 6) AS quiz_points_possible, s.score, s.score_before_regrade, s.kept_score,
        s.fudge_points, s.started_at, s.end_at, s.finished_at, s.workflow_state, s.results_seen_attempt, z.assignment_id, z.version_number,
        x.extra_attempts, x.extra_time, x.manually_unlocked, {} AS is_posted,
        {} AS is_anonymous{columns}
    FROM quiz_submissions s JOIN quizzes z ON z.id = s.quiz_id AND z.workflow_state <> 'deleted'
    LEFT JOIN quiz_extensions x ON x.quiz_id = s.quiz_id AND x.user_id = s.user_id",
        posting::is_posted("z.assignment_id", "s.user_id"),
        is_anonymous("z", "s.user_id")
    )
}

/// True if graders do not see whose the attempts at a quiz are, as an expression of the alias of its table and the student: until the
/// grade is posted, or ever, in a survey.
pub(super) fn is_anonymous(quizzes: &str, user: &str) -> String {
    format!(
        "({} OR ({quizzes}.quiz_type IN ('survey', 'graded_survey')
                 AND ifnull({quizzes}.settings ->> 'anonymous_submissions', 0)))",
        posting::is_anonymous(&format!("{quizzes}.assignment_id"), user)
    )
}

/// A submission of a classic quiz, and the quiz. Who is limited to sections finds the own and those of their students.
#[derive(Deserialize)]
pub(crate) struct SubmissionOfQuiz {
    pub(crate) quiz: Json<Quiz>,
    pub(crate) submission: Json<Row>,
}

impl OfCourse for SubmissionOfQuiz {
    const WORDS: &'static [&'static str] = &["quizzes", "submissions"];

    fn sql() -> Result<Cow<'static, str>> {
        let quiz = nested::<Quiz>(&format!(
            "{} WHERE z.id = ?1 AND z.course_id = course.id AND z.workflow_state <> 'deleted'",
            quizzes::select()
        ))?;
        let is_seen = has_student_sql("course.section_limit", "s.user_id", "course.id");
        let submission = nested::<Row>(&format!(
            "{} WHERE s.id = ?2 AND s.quiz_id = ?1
               AND (course.admin OR s.user_id = caller.user_id OR {is_seen})",
            select()
        ))?;
        // With a limit SQLite makes each of the two once, instead of once for each time that it is mentioned.
        let sql = format!(
            "SELECT * FROM (SELECT {quiz} AS quiz, {submission} AS submission LIMIT 1)
             WHERE quiz IS NOT NULL AND submission IS NOT NULL"
        );
        Ok(sql.into())
    }
}

/// A submission of a classic quiz that a path names by its id alone, with its quiz and its course, which is one of the
/// caller's tenant. Who is limited to sections of it finds the own and those of their students.
#[derive(Deserialize)]
pub(crate) struct NamedSubmission {
    pub(crate) course: Json<CourseAccess>,
    pub(crate) quiz: Json<Quiz>,
    pub(crate) submission: Json<Attempt>,
}

impl Record for NamedSubmission {
    const IDS: &'static [&'static str] = &["quiz_submissions"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: QuizSubmissionId = path.id("quiz_submissions")?;
        let course = nested::<CourseAccess>(&CourseAccess::by_id("named.course_id"))?;
        let quiz = nested::<Quiz>(&format!(
            "{} WHERE z.id = named.quiz_id AND z.course_id = named.course_id AND z.workflow_state <> 'deleted'",
            quizzes::select()
        ))?;
        let submission = nested::<Attempt>(&attempt_sql("s.id = named.id")?)?;
        let is_seen = has_student_sql("(found.course ->> 'section_limit')", "found.user_id", "found.course_id");
        let sql = format!(
            "SELECT * FROM (
                 SELECT {course} AS course, {quiz} AS quiz, {submission} AS submission, named.user_id, named.course_id
                 FROM quiz_submissions named WHERE named.id = ?1 LIMIT 1
             ) found
             WHERE course IS NOT NULL AND quiz IS NOT NULL AND submission IS NOT NULL
               AND (found.course ->> 'admin' OR found.user_id = caller.user_id OR {is_seen})"
        );
        Ok(Lookup::new(sql, (id,)))
    }
}

/// The caller's own submission of the quiz that the path names.
#[derive(Deserialize)]
pub(crate) struct OwnSubmission {
    pub(crate) submission: Json<Row>,
}

impl Record for OwnSubmission {
    const IDS: &'static [&'static str] = &["quizzes"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        own_submission(path, "")
    }
}

/// The caller's own submission of the quiz that the path names, with further columns of it: the row `own`.
fn own_submission(path: MatchedPath<'_>, columns: &str) -> Result<Lookup> {
    let quiz: QuizId = path.id("quizzes")?;
    let submission = nested::<Row>(&format!("{} WHERE s.id = own.id", select()))?;
    let sql = format!(
        "SELECT * FROM (
             SELECT {submission} AS submission{columns}
             FROM quiz_submissions own WHERE own.quiz_id = ?1 AND own.user_id = caller.user_id LIMIT 1
         ) WHERE submission IS NOT NULL"
    );
    Ok(Lookup::new(sql, (quiz,)))
}

/// The same, with the attempts that are completed, unless another one runs.
#[derive(Deserialize)]
pub(crate) struct OwnAttempts {
    pub(crate) submission: Json<Row>,
    pub(crate) versions: Json<Vec<Version>>,
}

/// The completed attempts `v` of the submission `own`. What is given beside the answers is the rest of the score.
const VERSIONS: &str = "SELECT v.attempt, v.score, v.score_before_regrade, v.started_at, v.finished_at,
        round(v.score - (SELECT total(given.value ->> 'points') FROM json_each(v.answers) given), 2) + 0.0 AS fudge_points,
        (SELECT round(total(asked.value ->> 'points_possible'), 6) FROM json_each(v.questions) asked) AS quiz_points_possible,
        NOT EXISTS (
            SELECT 1 FROM json_each(v.questions) asked
            WHERE asked.value ->> 'question_type' <> 'text_only_question'
              AND json_extract(v.answers, concat('$.\"', asked.value ->> 'id', '\".points')) IS NULL) AS is_complete
    FROM quiz_submission_versions v
    WHERE v.quiz_submission_id = own.id AND own.workflow_state <> 'untaken' ORDER BY v.attempt";

impl Record for OwnAttempts {
    const IDS: &'static [&'static str] = OwnSubmission::IDS;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let version = db::json_object::<Version>()?;
        own_submission(path, &format!(", (SELECT json_group_array({version}) FROM ({VERSIONS})) AS versions"))
    }
}

/// An attempt whose time is over, and where it was made.
#[derive(Deserialize)]
pub(crate) struct Overdue {
    pub(crate) user_id: UserId,
    pub(crate) root_account_id: AccountId,
    pub(crate) account_id: AccountId,
    pub(crate) course_id: CourseId,
    pub(crate) assignment_id: Option<AssignmentId>,
}

/// The attempt, if it runs although its time was over before that moment.
pub(crate) async fn overdue(db: &Db, id: QuizSubmissionId, before: Timestamp) -> db::Result<Option<Overdue>> {
    let sql = "SELECT s.user_id, s.root_account_id, c.account_id, s.course_id, z.assignment_id
               FROM quiz_submissions s
               JOIN courses c ON c.id = s.course_id
               JOIN quizzes z ON z.id = s.quiz_id AND z.workflow_state <> 'deleted'
               WHERE s.id = ?1 AND s.workflow_state = 'untaken' AND s.end_at <= ?2";
    db.fetch(sql, (id, before)).await
}

/// The most bytes of questions that an attempt asks.
const MAX_ASKED_BYTES: i64 = 24 * 1024 * 1024;

/// The questions of an attempt that begins now: of each group as many as are picked, each time others. Groups that pick from
/// one bank share what it has, so that no question is asked twice: each goes on where the one before it has stopped. Shuffled
/// choices stand in another order each time; those of true and false do not. Of the solutions of a formula one is drawn, of
/// those that have a result if there are any. None where they are larger than an attempt may be.
pub(crate) async fn questions(db: &Db, quiz: QuizId, are_shuffled: bool) -> db::Result<Vec<AskedQuestion>> {
    #[derive(Deserialize)]
    struct Picked {
        id: QuestionId,
        question_type: QuestionType,
        question_name: String,
        question_text: String,
        points: f64,
        answers: Json<Vec<Answer>>,
        #[serde(deserialize_with = "stored_data")]
        question_data: Json<QuestionData>,
    }
    let picked: Vec<Picked> = db
        .fetch_all(
            "WITH picking AS (
                 SELECT ifnull(assessment_question_bank_id, -id) AS home, question_points, position, max(pick_count, 0) AS picks,
                        sum(max(pick_count, 0)) OVER (
                            PARTITION BY ifnull(assessment_question_bank_id, -id) ORDER BY position, id) AS picked
                 FROM quiz_groups WHERE quiz_id = ?1
             ), offered AS (
                 SELECT id, ifnull(question_bank_id, -quiz_group_id) AS home,
                        row_number() OVER (PARTITION BY question_bank_id, quiz_group_id ORDER BY random()) AS number
                 FROM quiz_questions
                 WHERE workflow_state = 'active' AND question_type <> 'text_only_question' AND (
                     quiz_group_id IN (SELECT -home FROM picking WHERE home < 0)
                     OR question_bank_id IN (SELECT home FROM picking WHERE home > 0))
             )
             SELECT id, question_type, question_name, question_text, max(ifnull(points, 0), 0) AS points,
                    iif(?2 AND question_type IN (
                            'multiple_choice_question', 'multiple_answers_question', 'multiple_dropdowns_question',
                            'matching_question', 'missing_word_question'),
                        (SELECT json_group_array(json(value)) FROM (SELECT value FROM json_each(answers) ORDER BY random())),
                        iif(question_type = 'calculated_question',
                            (SELECT json_group_array(json(value)) FROM (
                                 SELECT value FROM json_each(answers) ORDER BY value ->> 'answer' IS NULL, random() LIMIT 1)),
                            answers)) AS answers,
                    question_data
             FROM (SELECT *, total(octet_length(question_text) + octet_length(answers) + octet_length(question_data)) OVER () AS bytes FROM (
                 SELECT q.*, q.points_possible AS points, q.position AS place, 0 AS number
                 FROM quiz_questions q
                 WHERE q.quiz_id = ?1 AND q.quiz_group_id IS NULL AND q.workflow_state = 'active'
                 UNION ALL
                 SELECT q.*, g.question_points, g.position, o.number
                 FROM picking g
                 JOIN offered o ON o.home = g.home AND o.number > g.picked - g.picks AND o.number <= g.picked
                 JOIN quiz_questions q ON q.id = o.id
             )) WHERE bytes <= ?3 ORDER BY place, number, id",
            (quiz, are_shuffled, MAX_ASKED_BYTES),
        )
        .await?;
    let asked = picked.into_iter().map(|mut one| {
        if one.question_type == QuestionType::Matching {
            matches::number(&mut one.answers.0);
        }
        let mut asked = AskedQuestion {
            id: one.id,
            question_type: one.question_type,
            question_name: one.question_name,
            question_text: one.question_text,
            points_possible: if one.question_type == QuestionType::TextOnly { 0.0 } else { one.points },
            answers: one.answers.0,
            question_data: one.question_data.0,
            matches: None,
            variables: None,
        };
        asked.draw_solution();
        asked
    });
    Ok(asked.collect())
}

/// An attempt that begins.
pub(crate) struct Start {
    pub(crate) validation_token: String,
    pub(crate) questions: Vec<AskedQuestion>,
    pub(crate) end_at: Option<Timestamp>,
    /// The number of times that the quiz may be taken; -1: without end.
    pub(crate) most: i64,
}

/// A student's attempts at a quiz that are kept, however many the quiz allows: so many, and where they are more than a few,
/// so many bytes of questions and answers.
const MAX_ATTEMPTS: i64 = 250;
const MAX_ATTEMPTS_OF_ANY_SIZE: i64 = 10;
const MAX_ATTEMPT_BYTES: i64 = 32 * 1024 * 1024;

/// Begins the next attempt; none while one is running, and where no more are allowed or kept.
pub(crate) async fn start(
    db: &Db,
    course: &CourseAccess,
    quiz: QuizId,
    user: UserId,
    start: Start,
    now: Timestamp,
) -> db::Result<Option<QuizSubmissionId>> {
    let points = sum_of_points(start.questions.iter().map(|question| question.points_possible));
    let made: Option<IdRow<QuizSubmissionId>> = db
        .fetch(
            "INSERT INTO quiz_submissions
                 (root_account_id, course_id, quiz_id, user_id, validation_token, questions, quiz_points_possible,
                  started_at, end_at, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?8, ?8)
             ON CONFLICT (quiz_id, user_id) DO UPDATE SET
                 attempt = attempt + 1, validation_token = excluded.validation_token, questions = excluded.questions,
                 answers = '{}', quiz_points_possible = excluded.quiz_points_possible, score = NULL, score_before_regrade = NULL,
                 fudge_points = 0, hand_in_beginnings = 0, hand_in_begun_at = NULL,
                 started_at = excluded.started_at, end_at = excluded.end_at, finished_at = NULL,
                 workflow_state = 'untaken', updated_at = excluded.updated_at
             WHERE workflow_state <> 'untaken' AND (?10 < 0 OR attempt < ?10) AND attempt < ?11
               AND (attempt < ?12 OR ?13 >= (
                   SELECT total(length(CAST(v.questions AS BLOB)) + length(CAST(v.answers AS BLOB)))
                   FROM quiz_submission_versions v WHERE v.quiz_submission_id = quiz_submissions.id))
             RETURNING id",
            (
                course.root_account,
                course.id,
                quiz,
                user,
                start.validation_token,
                Json(start.questions),
                points,
                now,
                start.end_at,
                start.most,
                MAX_ATTEMPTS,
                MAX_ATTEMPTS_OF_ANY_SIZE,
                MAX_ATTEMPT_BYTES,
            ),
        )
        .await?;
    Ok(made.map(|made| made.id))
}

/// A quiz submission of a quiz.
pub(crate) async fn of_quiz(db: &Db, quiz: QuizId, id: QuizSubmissionId) -> db::Result<Option<Row>> {
    db.fetch(&format!("{} WHERE s.id = ?1 AND s.quiz_id = ?2", select()), (id, quiz)).await
}

/// The last attempt of a quiz submission by its id alone: whose it is and where is for the caller to check.
pub(crate) async fn attempt(db: &Db, id: QuizSubmissionId) -> db::Result<Option<Attempt>> {
    db.fetch(&attempt_sql("s.id = ?1")?, (id,)).await
}

/// The submissions of a quiz, of the students of the sections of the limit.
pub(crate) async fn page(db: &Db, quiz: QuizId, limit: SectionLimit, page: &Page) -> Result<Paged<Row>> {
    let is_seen = has_student_sql("?2", "s.user_id", "s.course_id");
    page.fetch(db, &format!("{} WHERE s.quiz_id = ?1 AND {is_seen} ORDER BY s.id", select()), (quiz, limit)).await
}

/// Notes that the results of the attempt are shown now; false where they were shown before.
pub(crate) async fn see_results(db: &Db, id: QuizSubmissionId, attempt: i64) -> db::Result<bool> {
    let sql = "UPDATE quiz_submissions SET results_seen_attempt = ?2
               WHERE id = ?1 AND attempt = ?2 AND ifnull(results_seen_attempt, 0) <> ?2 RETURNING id";
    db.affects(sql, (id, attempt)).await
}

/// Keeps the answers of the attempt that runs. `db` is in the transaction that has read them.
pub(crate) async fn set_answers(db: &Db, id: QuizSubmissionId, answers: &Answers, now: Timestamp) -> db::Result<()> {
    let sql = "UPDATE quiz_submissions SET answers = ?2, updated_at = ?3 WHERE id = ?1";
    db.execute(sql, (id, Json(answers), now)).await
}

/// The score of an attempt.
pub(crate) struct Graded<'a> {
    pub(crate) answers: &'a Answers,
    pub(crate) score: f64,
    pub(crate) fudge_points: f64,
    pub(crate) is_complete: bool,
    pub(crate) finished_at: Timestamp,
}

/// The score that a quiz keeps of all attempts of a student.
#[derive(Deserialize)]
pub(crate) struct Kept {
    #[serde(rename = "kept_score")]
    pub(crate) score: f64,
    /// When the attempt was handed in that it is of.
    pub(crate) submitted_at: Timestamp,
}

/// Ends an attempt, or grades it anew, and answers what is kept of all attempts, as the quiz's policy chooses it.
/// `db` is in a transaction.
pub(crate) async fn set_graded(
    db: &Db,
    row: &Row,
    graded: &Graded<'_>,
    policy: ScoringPolicy,
    now: Timestamp,
) -> db::Result<Kept> {
    db.execute(
        "INSERT INTO quiz_submission_versions
             (quiz_submission_id, attempt, questions, answers, score, started_at, finished_at)
         SELECT id, attempt, questions, ?2, ?3, started_at, ?4 FROM quiz_submissions WHERE id = ?1
         ON CONFLICT (quiz_submission_id, attempt) DO UPDATE SET answers = excluded.answers, score = excluded.score",
        (row.id, Json(graded.answers), graded.score, graded.finished_at),
    )
    .await?;
    let sql = format!(
        "UPDATE quiz_submissions
         SET answers = ?2, score = ?3, fudge_points = ?4, finished_at = ?5, updated_at = ?6,
             workflow_state = iif(?7, 'complete', 'pending_review'), kept_score = {}
         WHERE id = ?1 RETURNING kept_score, {} AS submitted_at",
        kept_sql(policy, "?1"),
        kept_at_sql(policy, "?1")
    );
    let Graded { score, fudge_points, finished_at, is_complete, .. } = *graded;
    let values = (row.id, Json(graded.answers), score, fudge_points, finished_at, now, is_complete);
    db.fetch_one(&sql, values).await
}

/// The score that is kept of all attempts of a quiz submission, as an expression of its id.
pub(super) fn kept_sql(policy: ScoringPolicy, id: &str) -> String {
    let of_all = format!("FROM quiz_submission_versions v WHERE v.quiz_submission_id = {id}");
    match policy {
        ScoringPolicy::Highest => format!("(SELECT max(v.score) {of_all})"),
        ScoringPolicy::Latest => format!("(SELECT v.score {of_all} ORDER BY v.attempt DESC LIMIT 1)"),
        // Where the points have more than two digits, it is no more than the best and no less than the worst.
        ScoringPolicy::Average => {
            format!("(SELECT max(min(v.score), min(round(avg(v.score), 2), max(v.score))) {of_all})")
        }
    }
}

/// When the attempt was handed in whose lateness counts, as an expression of the id of the quiz submission: the one that is kept, of
/// equal ones the first. An average is as late as the latest.
pub(super) fn kept_at_sql(policy: ScoringPolicy, id: &str) -> String {
    let order = match policy {
        ScoringPolicy::Highest => "v.score DESC, v.attempt",
        ScoringPolicy::Latest | ScoringPolicy::Average => "v.attempt DESC",
    };
    format!(
        "(SELECT v.finished_at FROM quiz_submission_versions v WHERE v.quiz_submission_id = {id} ORDER BY {order} LIMIT 1)"
    )
}

/// An attempt that is completed, and that another one has followed.
pub(crate) async fn earlier(db: &Db, id: QuizSubmissionId, attempt: i64) -> db::Result<Option<EarlierAttempt>> {
    let sql = "SELECT attempt, questions, answers, score, finished_at FROM quiz_submission_versions
               WHERE quiz_submission_id = ?1 AND attempt = ?2";
    db.fetch(sql, (id, attempt)).await
}

/// Grades an earlier attempt anew, and answers what is kept of all. `db` is in a transaction.
pub(crate) async fn set_earlier_graded(
    db: &Db,
    row: &Row,
    attempt: i64,
    (answers, score): (&Answers, f64),
    policy: ScoringPolicy,
    now: Timestamp,
) -> db::Result<Kept> {
    let sql =
        "UPDATE quiz_submission_versions SET answers = ?3, score = ?4 WHERE quiz_submission_id = ?1 AND attempt = ?2";
    db.execute(sql, (row.id, attempt, Json(answers), score)).await?;
    let sql = format!(
        "UPDATE quiz_submissions SET kept_score = {}, updated_at = ?2 WHERE id = ?1
         RETURNING kept_score, {} AS submitted_at",
        kept_sql(policy, "?1"),
        kept_at_sql(policy, "?1")
    );
    db.fetch_one(&sql, (row.id, now)).await
}

/// Tells the kept score in the text of the submission.
pub(crate) async fn set_body(db: &Db, submission: SubmissionId, body: &str) -> db::Result<()> {
    db.execute("UPDATE submissions SET body = ?2 WHERE id = ?1 AND body IS NOT NULL", (submission, body)).await
}

/// The submission that a quiz's grade goes to.
pub(crate) struct HandedIn {
    pub(crate) submission: SubmissionId,
    pub(crate) quiz_submission: QuizSubmissionId,
    pub(crate) attempt: i64,
    pub(crate) submission_type: &'static str,
    pub(crate) body: Option<String>,
    /// The grade of this attempt.
    pub(crate) own: Grade,
    /// The grade that the quiz keeps of all attempts, after what lateness costs.
    pub(crate) kept: Grade,
    /// When the attempt was handed in that it is of.
    pub(crate) kept_submitted_at: Timestamp,
    pub(crate) workflow_state: &'static str,
    pub(crate) grader: Option<UserId>,
}

/// Hands in an attempt at a quiz as what the assignment asks for, with its grade. What a grader gives it later is no grade of who is
/// excused. `db` is in a transaction.
pub(crate) async fn hand_in(db: &Db, result: &HandedIn, submitted_at: Timestamp, now: Timestamp) -> db::Result<()> {
    const STAYS: &str = "excused AND ?8 IS NOT NULL";
    let sql = format!(
        "UPDATE submissions
         SET attempt = ?2, submission_type = ?3, body = ?4, url = NULL, submitted_at = ?5,
             score = iif({STAYS}, score, ?6), grade = iif({STAYS}, grade, ?7),
             points_deducted = iif({STAYS}, points_deducted, ?11),
             kept_submitted_at = iif({STAYS}, kept_submitted_at, ?12), excused = {STAYS},
             grader_id = iif({STAYS}, grader_id, ?8),
             graded_at = iif({STAYS}, graded_at, iif(?6 IS NULL, NULL, ?10)),
             graded_attempt = iif({STAYS}, graded_attempt, ?2),
             workflow_state = iif({STAYS}, workflow_state, ?9), updated_at = ?10
         WHERE id = ?1"
    );
    db.execute(
        &sql,
        (
            result.submission,
            result.attempt,
            result.submission_type,
            result.body.clone(),
            submitted_at,
            result.kept.score,
            result.kept.grade.clone(),
            result.grader,
            result.workflow_state,
            now,
            result.kept.points_deducted,
            result.kept_submitted_at,
        ),
    )
    .await?;
    db.execute(
        "INSERT INTO submission_versions (submission_id, attempt, submission_type, body, submitted_at, score, grade)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (submission_id, attempt) DO UPDATE SET score = excluded.score, grade = excluded.grade",
        (
            result.submission,
            result.attempt,
            result.submission_type,
            result.body.clone(),
            submitted_at,
            result.own.score,
            result.own.grade.clone(),
        ),
    )
    .await?;
    let sql = "UPDATE quiz_submissions SET submission_id = ?2 WHERE id = ?1";
    db.execute(sql, (result.quiz_submission, result.submission)).await
}
