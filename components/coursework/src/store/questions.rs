//! Questions of classic quizzes and of their banks.

use classic_questions::{Answer, QuestionData, QuestionType};
use serde::Deserialize;
use shared::db::{self, Json};
use shared::ids::{GroupId, QuestionBankId, QuestionId, QuizId};
use shared::needs::{Lookup, MatchedPath, Record};
use shared::prefetch::{List, Pages};
use shared::{Db, Result, Timestamp};

use crate::model::questions::stored_data;
use crate::store::word;

const COLUMNS: &str =
    "id, quiz_id, question_bank_id, quiz_group_id, position, question_name, question_type, question_text,
    points_possible, correct_comments, incorrect_comments, neutral_comments, answers, question_data";

/// The place where a question is kept.
#[derive(Clone, Copy)]
pub(crate) enum Home {
    Quiz(QuizId),
    Bank(QuestionBankId),
}

impl Home {
    fn column(self) -> &'static str {
        match self {
            Self::Quiz(_) => "quiz_id",
            Self::Bank(_) => "question_bank_id",
        }
    }

    fn id(self) -> i64 {
        match self {
            Self::Quiz(id) => id.0,
            Self::Bank(id) => id.0,
        }
    }
}

/// A question as it is stored.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) id: QuestionId,
    pub(crate) quiz_id: Option<QuizId>,
    pub(crate) question_bank_id: Option<QuestionBankId>,
    pub(crate) quiz_group_id: Option<GroupId>,
    pub(crate) position: Option<i64>,
    pub(crate) question_name: String,
    pub(crate) question_type: QuestionType,
    pub(crate) question_text: String,
    pub(crate) points_possible: Option<f64>,
    pub(crate) correct_comments: String,
    pub(crate) incorrect_comments: String,
    pub(crate) neutral_comments: String,
    pub(crate) answers: Json<Vec<Answer>>,
    #[serde(deserialize_with = "stored_data")]
    pub(crate) question_data: Json<QuestionData>,
}

/// The columns of a question that are set.
#[derive(Clone)]
pub(crate) struct Fields {
    pub(crate) question_name: String,
    pub(crate) question_type: QuestionType,
    pub(crate) question_text: String,
    pub(crate) quiz_group_id: Option<GroupId>,
    pub(crate) position: Option<i64>,
    pub(crate) points_possible: Option<f64>,
    pub(crate) correct_comments: String,
    pub(crate) incorrect_comments: String,
    pub(crate) neutral_comments: String,
    pub(crate) answers: Json<Vec<Answer>>,
    pub(crate) question_data: Json<QuestionData>,
}

impl Default for Fields {
    fn default() -> Self {
        Self {
            question_name: "Question".to_owned(),
            question_type: QuestionType::default(),
            question_text: String::new(),
            quiz_group_id: None,
            position: None,
            points_possible: None,
            correct_comments: String::new(),
            incorrect_comments: String::new(),
            neutral_comments: String::new(),
            answers: Json::default(),
            question_data: Json::default(),
        }
    }
}

impl From<Row> for Fields {
    fn from(row: Row) -> Self {
        Self {
            question_name: row.question_name,
            question_type: row.question_type,
            question_text: row.question_text,
            quiz_group_id: row.quiz_group_id,
            position: row.position,
            points_possible: row.points_possible,
            correct_comments: row.correct_comments,
            incorrect_comments: row.incorrect_comments,
            neutral_comments: row.neutral_comments,
            answers: row.answers,
            question_data: row.question_data,
        }
    }
}

/// The questions of the quiz that is needed, in their order.
pub(crate) struct QuestionsOfQuiz;

impl List for QuestionsOfQuiz {
    type Row = Row;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(questions(Home::Quiz(path.id("quizzes")?)))
    }
}

/// The questions of the bank that is needed, in their order.
pub(crate) struct QuestionsOfBank;

impl List for QuestionsOfBank {
    type Row = Row;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(questions(Home::Bank(path.id("question_banks")?)))
    }
}

fn questions(home: Home) -> Lookup {
    let sql = format!(
        "SELECT {COLUMNS} FROM quiz_questions WHERE {} = ?1 AND workflow_state = 'active' ORDER BY position, id",
        home.column()
    );
    Lookup::new(sql, (home.id(),))
}

/// A question of the quiz that is needed.
impl Record for Row {
    const IDS: &'static [&'static str] = &["quizzes", "questions"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (quiz, id): (QuizId, QuestionId) = (path.id("quizzes")?, path.id("questions")?);
        let sql = format!(
            "SELECT {COLUMNS} FROM quiz_questions WHERE id = ?1 AND quiz_id = ?2 AND workflow_state = 'active'"
        );
        Ok(Lookup::new(sql, (id, quiz)))
    }
}

pub(crate) async fn question(db: &Db, home: Home, id: QuestionId) -> db::Result<Option<Row>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM quiz_questions WHERE id = ?1 AND {} = ?2 AND workflow_state = 'active'",
        home.column()
    );
    db.fetch(&sql, (id, home.id())).await
}

/// The most questions of a user's own banks together, and of their bytes, because anybody may make some.
const MAX_OWN: i64 = 10_000;
const MAX_OWN_BYTES: i64 = 32 * 1024 * 1024;

/// The most questions of a quiz with those of its groups, and of their bytes: an attempt keeps what it was asked.
const MAX_IN_QUIZ: i64 = 5_000;
const MAX_IN_QUIZ_BYTES: i64 = 16 * 1024 * 1024;

/// The condition that a question may be added to the home `?1`: quizzes and banks of a user's own are not without end. Of texts only
/// the lengths are read.
fn has_room(home: Home) -> String {
    let texts = [
        "question_name",
        "question_text",
        "answers",
        "question_data",
        "correct_comments",
        "incorrect_comments",
        "neutral_comments",
    ];
    let bytes = texts.map(|text| format!("octet_length(q.{text})")).join(" + ");
    if matches!(home, Home::Quiz(_)) {
        return format!(
            "(SELECT count(*) < {MAX_IN_QUIZ} AND total({bytes}) < {MAX_IN_QUIZ_BYTES}
              FROM quiz_questions q WHERE q.quiz_id = ?1 AND q.workflow_state = 'active')"
        );
    }
    format!(
        "EXISTS (
             SELECT 1 FROM question_banks own
             WHERE own.id = ?1 AND (own.user_id IS NULL OR (
                 SELECT count(*) < {MAX_OWN} AND total({bytes}) < {MAX_OWN_BYTES}
                 FROM question_banks b JOIN quiz_questions q ON q.question_bank_id = b.id WHERE b.user_id = own.user_id)))"
    )
}

/// A new question stands behind the others of its group, or else behind all groups and all questions that are in none.
/// None is made where the group is none of the quiz, or the bank has no room.
pub(crate) async fn insert(db: &Db, home: Home, new: Fields, now: Timestamp) -> db::Result<Option<Row>> {
    let home_column = home.column();
    let sql = format!(
        "INSERT INTO quiz_questions
             ({home_column}, quiz_group_id, position, question_name, question_type, question_text, points_possible,
              correct_comments, incorrect_comments, neutral_comments, answers, question_data, created_at, updated_at)
         SELECT ?1, ?2, ifnull(?3, 1 + max(
                 (SELECT ifnull(max(position), 0) FROM quiz_questions
                  WHERE {home_column} = ?1 AND quiz_group_id IS ?2 AND workflow_state = 'active'),
                 (SELECT ifnull(max(position), 0) FROM quiz_groups
                  WHERE quiz_id = ?1 AND ?2 IS NULL AND '{home_column}' = 'quiz_id')
             )), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13
         WHERE {} AND (?2 IS NULL
            OR ('{home_column}' = 'quiz_id' AND EXISTS (SELECT 1 FROM quiz_groups WHERE id = ?2 AND quiz_id = ?1)))
         RETURNING {COLUMNS}",
        has_room(home)
    );
    db.fetch(
        &sql,
        (
            home.id(),
            new.quiz_group_id,
            new.position,
            new.question_name,
            word(new.question_type),
            new.question_text,
            new.points_possible,
            new.correct_comments,
            new.incorrect_comments,
            new.neutral_comments,
            new.answers,
            new.question_data,
            now,
        ),
    )
    .await
}

/// True if the group is one of the quiz.
pub(crate) async fn has_group(db: &Db, quiz: QuizId, group: GroupId) -> db::Result<bool> {
    db.affects("SELECT id FROM quiz_groups WHERE id = ?1 AND quiz_id = ?2", (group, quiz)).await
}

/// A question that comes into another group stands at its end. Nothing is changed where the group is none of the quiz.
pub(crate) async fn update(
    db: &Db,
    home: Home,
    id: QuestionId,
    fields: Fields,
    now: Timestamp,
) -> db::Result<Option<Row>> {
    let home_column = home.column();
    let sql = format!(
        "UPDATE quiz_questions
         SET quiz_group_id = ?3,
             position = iif(?3 IS NULL OR ?3 IS quiz_group_id, ?4, (
                 SELECT 1 + ifnull(max(other.position), 0) FROM quiz_questions other
                 WHERE other.quiz_group_id = ?3 AND other.workflow_state = 'active')),
             question_name = ?5, question_type = ?6, question_text = ?7, points_possible = ?8, correct_comments = ?9,
             incorrect_comments = ?10, neutral_comments = ?11, answers = ?12, question_data = ?13, updated_at = ?14
         WHERE id = ?1 AND {home_column} = ?2 AND workflow_state = 'active'
           AND (?3 IS NULL OR EXISTS (SELECT 1 FROM quiz_groups g WHERE g.id = ?3 AND g.quiz_id = quiz_questions.quiz_id))
         RETURNING {COLUMNS}"
    );
    db.fetch(
        &sql,
        (
            id,
            home.id(),
            fields.quiz_group_id,
            fields.position,
            fields.question_name,
            word(fields.question_type),
            fields.question_text,
            fields.points_possible,
            fields.correct_comments,
            fields.incorrect_comments,
            fields.neutral_comments,
            fields.answers,
            fields.question_data,
            now,
        ),
    )
    .await
}

pub(crate) async fn delete(db: &Db, home: Home, id: QuestionId, now: Timestamp) -> db::Result<bool> {
    let sql = format!(
        "UPDATE quiz_questions SET workflow_state = 'deleted', updated_at = ?3
         WHERE id = ?1 AND {} = ?2 AND workflow_state = 'active' RETURNING id",
        home.column()
    );
    db.affects(&sql, (id, home.id(), now)).await
}
