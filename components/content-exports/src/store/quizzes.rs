//! The SQL of quizzes, banks, pages and assignments that are exported.

use std::collections::BTreeSet;

use content_packages::classic::ClassicQuestion;
use content_packages::items::{QuestionItem, StimulusItem};
use serde::Deserialize;
use serde_json::Value;
use shared::db::{IdRow, Json};
use shared::ids::{CourseId, UserId};
use shared::{Db, administers_account, db};
use submissions::quiz_settings::QuizSettings;

/// Ids of what is exported; `None`: all there is.
pub(crate) type Ids = Option<BTreeSet<i64>>;

/// The same as a parameter of a statement.
pub(crate) fn list(ids: &Ids) -> Option<Json<&BTreeSet<i64>>> {
    ids.as_ref().map(Json)
}

/// The records of one kind that are exported. Only ids are listed: the records come one by one, because each may be large.
pub(crate) struct Kind(&'static str);

impl Kind {
    pub(crate) const NEW_QUIZZES: Self = Self(
        "assignments c WHERE c.workflow_state <> 'deleted'
         AND EXISTS (SELECT 1 FROM new_quizzes n WHERE n.assignment_id = c.id)",
    );
    /// Those that stand for no quiz.
    pub(crate) const ASSIGNMENTS: Self = Self(
        "assignments c WHERE c.workflow_state <> 'deleted'
         AND NOT EXISTS (SELECT 1 FROM new_quizzes n WHERE n.assignment_id = c.id)
         AND NOT EXISTS (SELECT 1 FROM quizzes q WHERE q.assignment_id = c.id AND q.workflow_state <> 'deleted')",
    );
}

/// The ids of what is exported of a kind, the oldest first.
pub(crate) async fn ids(db: &Db, kind: Kind, course: CourseId, chosen: &Ids) -> db::Result<Vec<i64>> {
    let sql = format!(
        "SELECT c.id FROM {} AND c.course_id = ?1 AND (?2 IS NULL OR c.id IN (SELECT value FROM json_each(?2)))
         ORDER BY c.id",
        kind.0
    );
    let found: Vec<IdRow<i64>> = db.fetch_all(&sql, (course, list(chosen))).await?;
    Ok(found.into_iter().map(|found| found.id).collect())
}

/// The ids of the pages that are exported, and the last parts of their addresses, the oldest first.
pub(crate) async fn pages(db: &Db, course: CourseId, chosen: &Ids) -> db::Result<Vec<(i64, String)>> {
    #[derive(Deserialize)]
    struct Row {
        id: i64,
        url: String,
    }
    let found: Vec<Row> = db
        .fetch_all(
            "SELECT id, url FROM wiki_pages
             WHERE course_id = ?1 AND workflow_state <> 'deleted'
               AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2)))
             ORDER BY id",
            (course, list(chosen)),
        )
        .await?;
    Ok(found.into_iter().map(|page| (page.id, page.url)).collect())
}

/// The ids of a classic quiz and, if it has one, of its assignment.
#[derive(Deserialize)]
pub(crate) struct QuizId {
    pub(crate) id: i64,
    pub(crate) assignment_id: Option<i64>,
}

/// The ids of the classic quizzes that are exported, be they chosen by their own ids or by those of their assignments.
pub(crate) async fn quiz_ids(db: &Db, course: CourseId, quizzes: &Ids, assignments: &Ids) -> db::Result<Vec<QuizId>> {
    db.fetch_all(
        "SELECT id, assignment_id FROM quizzes
             WHERE course_id = ?1 AND workflow_state <> 'deleted'
               AND (?2 IS NULL OR id IN (SELECT value FROM json_each(?2))
                    OR (assignment_id IS NOT NULL
                        AND (?3 IS NULL OR assignment_id IN (SELECT value FROM json_each(?3)))))
             ORDER BY id",
        (course, list(quizzes), list(assignments)),
    )
    .await
}

/// A classic quiz.
#[derive(Deserialize)]
pub(crate) struct ClassicQuiz {
    pub(crate) id: i64,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) quiz_type: String,
    pub(crate) settings: Json<Value>,
    pub(crate) due_at: Option<String>,
    pub(crate) unlock_at: Option<String>,
    pub(crate) lock_at: Option<String>,
    pub(crate) workflow_state: String,
    /// Of its assignment; `None` where it has none.
    pub(crate) grading_type: Option<String>,
    pub(crate) anonymous_grading: Option<bool>,
    pub(crate) post_manually: Option<bool>,
    /// `None` is without limit.
    pub(crate) attempts_of_assignment: Option<i64>,
    pub(crate) left_out: Json<LeftOut>,
}

/// What concerns single people, and no package has.
#[derive(Deserialize)]
pub(crate) struct LeftOut {
    /// The number of students who have them.
    pub(crate) accommodations: i64,
    /// The number of dates for some.
    pub(crate) overrides: i64,
}

pub(crate) async fn classic(db: &Db, id: i64) -> db::Result<ClassicQuiz> {
    db.fetch_one(
        "SELECT q.id, q.title, q.description, q.quiz_type, q.settings, q.due_at, q.unlock_at, q.lock_at, q.workflow_state,
                a.grading_type, a.anonymous_grading, a.post_manually,
                nullif(a.allowed_attempts, -1) AS attempts_of_assignment,
                json_object(
                    'accommodations', (SELECT count(*) FROM quiz_extensions e WHERE e.quiz_id = q.id),
                    'overrides', (SELECT count(*) FROM assignment_overrides o WHERE o.assignment_id = q.assignment_id)
                ) AS left_out
         FROM quizzes q LEFT JOIN assignments a ON a.id = q.assignment_id WHERE q.id = ?1",
        (id,),
    )
    .await
}

/// A group of questions of a classic quiz.
#[derive(Deserialize)]
pub(crate) struct QuestionGroup {
    pub(crate) id: i64,
    pub(crate) name: Option<String>,
    pub(crate) pick_count: i64,
    pub(crate) question_points: Option<f64>,
    /// The bank that its questions come from, if the reader may read it.
    pub(crate) bank_id: Option<i64>,
    /// True if there is a bank that the reader may not read.
    pub(crate) is_closed: bool,
    pub(crate) position: i64,
}

/// True if the user `?2` may read the bank `b` in an export of the course: those who export may read the course's own,
/// their own are theirs alone, and those of an account are for whoever administers it, an account above it, or the
/// site.
fn is_readable(course: &str) -> String {
    const ADMINISTERS: &str = administers_account!("?2", "b.account_id");
    format!(
        "ifnull(b.course_id = {course} OR b.user_id = ?2
            OR (b.account_id IS NOT NULL AND (
                EXISTS (SELECT 1 FROM users u WHERE u.id = ?2 AND u.site_admin)
                OR {ADMINISTERS})), FALSE)"
    )
}

/// The groups of a quiz. One whose bank was deleted draws from it all the same.
pub(crate) async fn groups(db: &Db, quiz: i64, reader: UserId) -> db::Result<Vec<QuestionGroup>> {
    let readable = is_readable("(SELECT course_id FROM quizzes WHERE id = ?1)");
    let sql = format!(
        "SELECT g.id, g.name, g.pick_count, g.question_points, iif({readable}, b.id, NULL) AS bank_id,
                b.id IS NOT NULL AND NOT {readable} AS is_closed, g.position
         FROM quiz_groups g
         LEFT JOIN question_banks b ON b.id = g.assessment_question_bank_id
         WHERE g.quiz_id = ?1 ORDER BY g.position, g.id"
    );
    db.fetch_all(&sql, (quiz, reader)).await
}

/// A question of a classic quiz, or of a bank.
#[derive(Deserialize)]
pub(crate) struct Question {
    pub(crate) id: i64,
    pub(crate) group_id: Option<i64>,
    pub(crate) position: Option<i64>,
    pub(crate) question: Json<ClassicQuestion>,
}

const QUESTION: &str = "SELECT id, quiz_group_id AS group_id, position, json_object(
        'question_name', question_name, 'question_type', question_type, 'question_text', question_text,
        'points_possible', points_possible, 'correct_comments', correct_comments, 'incorrect_comments',
        incorrect_comments, 'neutral_comments', neutral_comments, 'answers', json(answers), 'question_data',
        json(question_data)) AS question
    FROM quiz_questions WHERE workflow_state = 'active'";

pub(crate) async fn questions(db: &Db, quiz: i64) -> db::Result<Vec<Question>> {
    db.fetch_all(&format!("{QUESTION} AND quiz_id = ?1 ORDER BY position, id"), (quiz,)).await
}

pub(crate) async fn questions_of_bank(db: &Db, bank: i64) -> db::Result<Vec<Question>> {
    db.fetch_all(&format!("{QUESTION} AND question_bank_id = ?1 ORDER BY id"), (bank,)).await
}

/// The number of students who have accommodations at all new quizzes of a course.
pub(crate) async fn accommodations(db: &Db, course: CourseId) -> db::Result<i64> {
    #[derive(Deserialize)]
    struct Accommodated {
        count: i64,
    }
    let sql = "SELECT count(*) AS count FROM quiz_accommodations WHERE course_id = ?1 AND assignment_id IS NULL";
    let found: Accommodated = db.fetch_one(sql, (course,)).await?;
    Ok(found.count)
}

/// A bank, of either kind.
#[derive(Deserialize)]
pub(crate) struct Bank {
    pub(crate) id: i64,
    pub(crate) title: String,
    /// True if all who see exports of the course may read it.
    pub(crate) is_of_course: bool,
}

/// The course's banks of classic questions if `all`, and those that are named, deleted ones too; none that the reader may not read.
pub(crate) async fn question_banks(
    db: &Db,
    course: CourseId,
    reader: UserId,
    all: bool,
    named: Vec<i64>,
) -> db::Result<Vec<Bank>> {
    let readable = is_readable("?1");
    let sql = format!(
        "SELECT b.id, b.title, ifnull(b.course_id = ?1, FALSE) AS is_of_course FROM question_banks b
         WHERE b.root_account_id = (SELECT root_account_id FROM courses WHERE id = ?1) AND {readable}
           AND ((?3 AND b.course_id = ?1 AND b.workflow_state = 'active') OR b.id IN (SELECT value FROM json_each(?4)))
         ORDER BY b.id"
    );
    db.fetch_all(&sql, (course, reader, all, Json(named))).await
}

/// The course's banks of items if `all`, and those of them that are named.
pub(crate) async fn item_banks(db: &Db, course: CourseId, all: bool, named: Vec<i64>) -> db::Result<Vec<Bank>> {
    db.fetch_all(
        "SELECT id, title, TRUE AS is_of_course FROM item_banks
         WHERE course_id = ?1 AND ((?2 AND NOT archived) OR id IN (SELECT value FROM json_each(?3)))
         ORDER BY id",
        (course, all, Json(named)),
    )
    .await
}

/// A new quiz.
#[derive(Deserialize)]
pub(crate) struct NewQuiz {
    /// Its assignment's.
    pub(crate) id: i64,
    pub(crate) title: String,
    pub(crate) instructions: Option<String>,
    pub(crate) settings: Json<QuizSettings>,
    pub(crate) due_at: Option<String>,
    pub(crate) unlock_at: Option<String>,
    pub(crate) lock_at: Option<String>,
    pub(crate) published: bool,
    pub(crate) grading_type: String,
    pub(crate) points_possible: Option<f64>,
    pub(crate) anonymous_grading: bool,
    pub(crate) post_manually: Option<bool>,
    /// `None` is without limit.
    pub(crate) attempts_of_assignment: Option<i64>,
    pub(crate) left_out: Json<LeftOut>,
}

pub(crate) async fn new_quiz(db: &Db, id: i64) -> db::Result<NewQuiz> {
    db.fetch_one(
        "SELECT a.id, a.name AS title, a.description AS instructions, n.quiz_settings AS settings, a.due_at,
                a.unlock_at, a.lock_at, a.workflow_state = 'published' AS published, a.grading_type, a.points_possible,
                a.anonymous_grading, a.post_manually, nullif(a.allowed_attempts, -1) AS attempts_of_assignment,
                json_object(
                    'accommodations', (SELECT count(*) FROM quiz_accommodations c WHERE c.assignment_id = a.id),
                    'overrides', (SELECT count(*) FROM assignment_overrides o WHERE o.assignment_id = a.id)
                ) AS left_out
         FROM new_quizzes n JOIN assignments a ON a.id = n.assignment_id WHERE a.id = ?1",
        (id,),
    )
    .await
}

/// The content of one position of a new quiz, or of a bank.
#[derive(Deserialize)]
pub(crate) struct Entry {
    pub(crate) id: i64,
    pub(crate) points: f64,
    pub(crate) question: Option<Json<QuestionItem>>,
    pub(crate) stimulus: Option<Json<StimulusItem>>,
    /// The stimulus that a question is about.
    pub(crate) about: Option<i64>,
    pub(crate) bank_id: Option<i64>,
    pub(crate) bank_title: Option<String>,
    /// The number of questions of that bank.
    pub(crate) bank_size: Option<i64>,
    pub(crate) sample_num: Option<i64>,
    /// The bank that a single question comes from.
    pub(crate) copied_from: Option<String>,
}

/// `q` is a question, `s` a stimulus, `b` a bank.
const CONTENT: &str = "iif(q.id IS NULL, NULL, json_object(
            'title', q.title, 'item_body', q.item_body, 'calculator_type', q.calculator_type, 'feedback',
            json(q.feedback), 'interaction_type_slug', q.interaction_type_slug, 'interaction_data',
            json(q.interaction_data), 'properties', json(q.properties), 'scoring_data', json(q.scoring_data),
            'answer_feedback', json(q.answer_feedback), 'scoring_algorithm', q.scoring_algorithm)) AS question,
        iif(s.id IS NULL, NULL, json_object(
            'title', s.title, 'body', s.body, 'instructions', s.instructions, 'source_url', s.source_url,
            'orientation', s.orientation, 'passage', json(iif(s.passage, 'true', 'false')))) AS stimulus";

pub(crate) async fn entries(db: &Db, quiz: i64) -> db::Result<Vec<Entry>> {
    let sql = format!(
        "SELECT i.id, i.points_possible AS points, {CONTENT}, i.stimulus_quiz_entry_id AS about, b.id AS bank_id,
                b.title AS bank_title,
                iif(b.id IS NULL, NULL, (SELECT count(*) FROM bank_entries d
                    WHERE d.bank_id = b.id AND NOT d.archived AND d.question_item_id IS NOT NULL)) AS bank_size,
                i.sample_num, (SELECT c.title FROM item_banks c WHERE c.id = e.bank_id) AS copied_from
         FROM quiz_items i
         LEFT JOIN bank_entries e ON e.id = i.bank_entry_id
         LEFT JOIN question_items q ON q.id = ifnull(i.question_item_id, e.question_item_id)
         LEFT JOIN stimuli s ON s.id = ifnull(i.stimulus_id, e.stimulus_id)
         LEFT JOIN item_banks b ON b.id = i.bank_id
         WHERE i.assignment_id = ?1 ORDER BY i.position"
    );
    db.fetch_all(&sql, (quiz,)).await
}

pub(crate) async fn entries_of_bank(db: &Db, bank: i64) -> db::Result<Vec<Entry>> {
    let sql = format!(
        "SELECT e.id, 1.0 AS points, {CONTENT}, NULL AS about, NULL AS bank_id, NULL AS bank_title,
                NULL AS bank_size, NULL AS sample_num, NULL AS copied_from
         FROM bank_entries e
         LEFT JOIN question_items q ON q.id = e.question_item_id
         LEFT JOIN stimuli s ON s.id = e.stimulus_id
         WHERE e.bank_id = ?1 AND NOT e.archived ORDER BY e.id"
    );
    db.fetch_all(&sql, (bank,)).await
}

/// A page.
#[derive(Deserialize)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) editing_roles: String,
    pub(crate) front_page: bool,
    pub(crate) published: bool,
}

pub(crate) async fn page(db: &Db, id: i64) -> db::Result<Page> {
    let sql = "SELECT title, body, editing_roles, front_page, workflow_state = 'active' AS published
         FROM wiki_pages WHERE id = ?1";
    db.fetch_one(sql, (id,)).await
}

/// An assignment that is no new quiz.
#[derive(Deserialize)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) points_possible: Option<f64>,
    pub(crate) grading_type: String,
    pub(crate) submission_types: Json<Vec<String>>,
    pub(crate) due_at: Option<String>,
    pub(crate) unlock_at: Option<String>,
    pub(crate) lock_at: Option<String>,
    pub(crate) allowed_attempts: i64,
    pub(crate) anonymous_grading: bool,
    pub(crate) post_manually: Option<bool>,
    pub(crate) workflow_state: String,
    /// The number of its dates for some.
    pub(crate) overrides: i64,
}

pub(crate) async fn assignment(db: &Db, id: i64) -> db::Result<Assignment> {
    db.fetch_one(
        "SELECT name, description, points_possible, grading_type, submission_types, due_at, unlock_at, lock_at,
                allowed_attempts, anonymous_grading, post_manually, workflow_state,
                (SELECT count(*) FROM assignment_overrides o WHERE o.assignment_id = assignments.id) AS overrides
         FROM assignments WHERE id = ?1",
        (id,),
    )
    .await
}

/// An image of hot-spot questions.
#[derive(Deserialize)]
pub(crate) struct Media {
    /// The end of its address.
    pub(crate) id: String,
    pub(crate) blob: String,
    pub(crate) content_type: String,
    pub(crate) size: usize,
}

pub(crate) async fn media(db: &Db, course: CourseId) -> db::Result<Vec<Media>> {
    let sql = "SELECT id, blob, content_type, size FROM media_objects WHERE course_id = ?1 ORDER BY id";
    db.fetch_all(sql, (course,)).await
}
