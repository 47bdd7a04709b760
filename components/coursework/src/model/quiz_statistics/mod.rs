//! Statistics of a classic quiz: of the attempts as a whole, and of the answers to each question.
//!
//! They are summed up attempt by attempt, so that no more than a few of them are in memory.

mod choices;
mod parts;
mod question;
mod shown;

use std::collections::BTreeMap;

use classic_questions::sum_of_points;
use quiz_reports::attempts::{AttemptFigures, AttemptTally, SubmissionStatistics};
use quiz_reports::item_analysis::Ranks;
use quiz_reports::reliability::Reliability;
use quiz_reports::student_analysis::{AnalyzedAttempt, Column, Columns};
use quiz_reports::students::Student;
use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;
use shared::ids::{QuizSubmissionId, UserId};

use self::question::AskedTally;
use crate::model::quiz_scoring::AskedQuestion;
use crate::model::quiz_submissions::Answers;

pub(crate) use self::question::QuestionStatistics;

/// The score of a completed attempt.
#[derive(Deserialize)]
pub(crate) struct AttemptScore {
    pub(crate) id: QuizSubmissionId,
    pub(crate) attempt: i64,
    pub(crate) score: f64,
    /// The size of its questions and answers.
    pub(crate) bytes: i64,
}

/// A completed attempt.
#[derive(Deserialize)]
pub(crate) struct CompletedAttempt {
    pub(crate) id: QuizSubmissionId,
    pub(crate) attempt: i64,
    user_id: UserId,
    /// Nobody, unless it was asked for.
    student: Option<Json<Student>>,
    questions: Json<Vec<AskedQuestion>>,
    answers: Json<Answers>,
    score: f64,
    started_at: Timestamp,
    finished_at: Timestamp,
}

impl CompletedAttempt {
    /// Adds the columns of its questions.
    pub(crate) fn add_columns(&self, columns: &mut Columns) {
        for asked in self.questions.0.iter().filter(|asked| asked.is_question()) {
            let id = asked.id.to_string();
            if !columns.has(&id) {
                columns.add(Column { id, text: asked.title(), points_possible: asked.points_possible });
            }
        }
    }

    /// The attempt as a report has it.
    pub(crate) fn analyzed(self) -> AnalyzedAttempt {
        let Self { student, questions, answers, .. } = self;
        let answered = questions.0.iter().filter(|asked| asked.is_question()).map(|asked| {
            let id = asked.id.to_string();
            let given = answers.0.get(&id).cloned().unwrap_or_default();
            (id, asked.answered(&given))
        });
        AnalyzedAttempt {
            student: student.map(|student| student.0),
            submitted_at: self.finished_at,
            attempt: self.attempt,
            score: self.score,
            answers: answered.collect(),
        }
    }
}

/// The statistics so far.
#[derive(Default)]
pub(crate) struct Tally {
    ranks: Ranks<(i64, i64)>,
    attempts: AttemptTally,
    /// By the id of the question.
    reliability: Reliability<i64>,
    /// By the id of the question.
    questions: BTreeMap<i64, AskedTally>,
}

impl Tally {
    /// Statistics of these attempts, which are still to be added.
    pub(crate) fn of(scores: &[AttemptScore]) -> Self {
        let ranked = scores.iter().map(|one| ((one.id.0, one.attempt), one.score)).collect();
        Self { ranks: Ranks::of(ranked), ..Self::default() }
    }

    /// The number of questions that were asked.
    pub(crate) fn question_count(&self) -> usize {
        self.questions.len()
    }

    pub(crate) fn add(&mut self, attempt: CompletedAttempt) {
        let CompletedAttempt {
            id, attempt: number, user_id, questions, answers, score, started_at, finished_at, ..
        } = attempt;
        let rank = self.ranks.rank(&(id.0, number));
        let points_possible = sum_of_points(questions.0.iter().map(|asked| asked.points_possible));
        let (mut correct, mut incorrect, mut points) = (0, 0, Vec::new());
        for (place, asked) in questions.0.into_iter().enumerate().filter(|(_, asked)| asked.is_question()) {
            let given = answers.0.get(&asked.id.to_string()).cloned().unwrap_or_default();
            let (id, is_worth_something) = (asked.id.0, asked.points_possible > 0.0);
            // Each attempt has a solution of its own.
            let part = asked.part(&given);
            let question = self.questions.entry(id).or_insert_with(|| AskedTally::new(place + 1, asked));
            let given = question.add(&given, part, rank, score);
            if is_worth_something {
                points.push((id, given.points.filter(|_| given.is_given)));
            }
            match given.is_right() {
                Some(true) => correct += 1,
                Some(false) => incorrect += 1,
                None => {}
            }
        }
        self.reliability.add(points);
        let seconds = finished_at.unix() - started_at.unix();
        self.attempts.add(AttemptFigures { user: user_id, score, points_possible, seconds, correct, incorrect });
    }

    pub(crate) fn finish(self) -> (SubmissionStatistics, Vec<QuestionStatistics>) {
        let alpha = self.reliability.alpha();
        let mut questions: Vec<_> = self.questions.into_values().map(|question| question.finish(alpha)).collect();
        questions.sort_by_key(|question| (question.position, question.id));
        (self.attempts.finish(), questions)
    }
}
