//! The needs of the area's endpoints, and the reads beside them: each is a part of the statement that finds the caller.

use std::borrow::Cow;

use serde::Deserialize;
use shared::db::BuiltRow;
use shared::ids::{GroupId, QuizId};
use shared::needs::{Lookup, MatchedPath, OfCourse, Record};
use shared::prefetch::{List, Pages};
use shared::{Result, db};
use submissions::student_dates::is_quiz_for;

use crate::model::groups::QuizGroup;

/// The quiz that the groups belong to.
#[derive(Deserialize)]
pub(crate) struct Quiz {
    pub(crate) id: QuizId,
    workflow_state: String,
    is_assigned: bool,
}

impl Quiz {
    pub(crate) fn is_seen_by_students(&self) -> bool {
        self.workflow_state == "available" && self.is_assigned
    }
}

impl OfCourse for Quiz {
    const WORDS: &'static [&'static str] = &["quizzes"];

    fn sql() -> Result<Cow<'static, str>> {
        let sql = format!(
            "SELECT z.id, z.workflow_state, {} AS is_assigned FROM quizzes z
             WHERE z.id = ?1 AND z.course_id = course.id AND z.workflow_state <> 'deleted'",
            is_quiz_for(Some("caller.user_id"))
        );
        Ok(sql.into())
    }
}

/// A group of the quiz that is needed.
impl Record for QuizGroup {
    const IDS: &'static [&'static str] = &["quizzes", "groups"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let ids: (QuizId, GroupId) = (path.id("quizzes")?, path.id("groups")?);
        Ok(Lookup::new(
            "SELECT id, quiz_id, name, pick_count, question_points, assessment_question_bank_id, position
             FROM quiz_groups WHERE quiz_id = ?1 AND id = ?2",
            ids,
        ))
    }
}

/// The same, as it is answered.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct GroupOfQuiz(pub(crate) BuiltRow<QuizGroup>);

impl Record for GroupOfQuiz {
    const IDS: &'static [&'static str] = QuizGroup::IDS;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let ids: (QuizId, GroupId) = (path.id("quizzes")?, path.id("groups")?);
        let group = db::json_object::<QuizGroup>()?;
        Ok(Lookup::new(format!("SELECT {group} AS record FROM quiz_groups WHERE quiz_id = ?1 AND id = ?2"), ids))
    }
}

/// The groups of the quiz that is needed.
pub(crate) struct GroupsOfQuiz;

impl List for GroupsOfQuiz {
    type Row = BuiltRow<QuizGroup>;
    const PAGES: Pages = Pages::Whole;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let quiz: QuizId = path.id("quizzes")?;
        let group = db::json_object::<QuizGroup>()?;
        let sql = format!("SELECT {group} AS record FROM quiz_groups WHERE quiz_id = ?1 ORDER BY position, id");
        Ok(Lookup::new(sql, (quiz,)))
    }
}
