//! Statistics of a new quiz: of the sessions that are handed in, and of the answers to each of their questions.
//!
//! They are summed up session by session, from the scores that are stored, so that no more than a few are in memory.

mod responses;
mod shapes;

use std::collections::BTreeMap;

use quiz_reports::attempts::{AttemptFigures, AttemptTally, SubmissionStatistics};
use quiz_reports::item_analysis::Ranks;
use quiz_reports::item_report::AnalyzedItem;
use quiz_reports::plain::plain_text;
use quiz_reports::questions::{QuestionFigures, QuestionTally, Shape};
use quiz_reports::reliability::Reliability;
use quiz_reports::student_analysis::{AnalyzedAttempt, Column, Columns};
use quiz_reports::students::Student;
use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{QuizSessionId, UserId};
use shared::{JsonSchema, Timestamp};

use self::responses::ScoredAnswer;
use self::shapes::{has_item_analysis, shape};
use crate::model::drawing::DrawnItem;
use crate::model::items::AskedQuestion;

/// The score of a session that is handed in.
#[derive(Deserialize)]
pub(crate) struct SessionScore {
    pub(crate) id: QuizSessionId,
    pub(crate) score: f64,
    /// The size of its items and answers.
    pub(crate) bytes: i64,
}

/// A session that is handed in.
#[derive(Deserialize)]
pub(crate) struct ScoredSession {
    pub(crate) id: QuizSessionId,
    attempt: i64,
    user_id: UserId,
    /// Nobody, unless it was asked for.
    student: Option<Json<Student>>,
    items: Json<Vec<DrawnItem>>,
    answers: Json<Vec<ScoredAnswer>>,
    score: f64,
    points_possible: f64,
    started_at: Timestamp,
    submitted_at: Timestamp,
}

/// The questions that sessions ask, with what there is to answer.
pub(crate) struct Questions(BTreeMap<i64, KnownQuestion>);

struct KnownQuestion {
    asked: AskedQuestion,
    shape: Shape,
}

impl KnownQuestion {
    fn slug(&self) -> &str {
        &self.asked.question.interaction_type_slug
    }
}

impl Questions {
    pub(crate) fn new(asked: Vec<AskedQuestion>) -> Self {
        let known = |asked: AskedQuestion| (asked.id.0, KnownQuestion { shape: shape(&asked.question), asked });
        Self(asked.into_iter().map(known).collect())
    }

    fn of(&self, item: &DrawnItem) -> Option<&KnownQuestion> {
        self.0.get(&item.question?.0)
    }
}

impl ScoredSession {
    /// The questions of the session with what was answered to each.
    fn asked<'a>(
        &'a self,
        questions: &'a Questions,
    ) -> impl Iterator<Item = (&'a DrawnItem, &'a KnownQuestion, &'a ScoredAnswer)> {
        let answers: BTreeMap<_, _> = self.answers.0.iter().map(|answer| (answer.item_id.as_str(), answer)).collect();
        let asked = move |item: &'a DrawnItem| Some((item, questions.of(item)?, *answers.get(item.id.as_str())?));
        self.items.0.iter().filter_map(asked)
    }

    /// Adds the columns of its questions.
    pub(crate) fn add_columns(&self, questions: &Questions, columns: &mut Columns) {
        for (item, known, _) in self.asked(questions) {
            if columns.has(&item.id) {
                continue;
            }
            let text = plain_text(&known.asked.question.item_body);
            columns.add(Column { id: item.id.clone(), text, points_possible: item.points });
        }
    }

    /// The session as a report has it.
    pub(crate) fn analyzed(self, questions: &Questions) -> AnalyzedAttempt {
        let answered = self
            .asked(questions)
            .map(|(item, known, answer)| (item.id.clone(), answer.answered(known.slug(), &known.shape, item.points)));
        let answers = answered.collect();
        AnalyzedAttempt {
            student: self.student.map(|student| student.0),
            submitted_at: self.submitted_at,
            attempt: self.attempt,
            score: self.score,
            answers,
        }
    }
}

/// The answers to a question.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ItemStatistics {
    /// The id that the question has in sessions: that of the quiz's item, and of a bank also that of the entry.
    pub(crate) id: String,
    question_type: String,
    /// Rich text.
    question_text: String,
    /// The place where it stood first.
    position: i64,
    /// In points.
    points_possible: f64,
    /// Of questions that are right or wrong there is item analysis.
    #[serde(flatten)]
    figures: QuestionFigures,
    /// Of questions of which answers are chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    point_biserials: Option<Vec<ChoiceBiserial>>,
    #[serde(skip)]
    title: Option<String>,
}

/// The correlation of an answer with the score of the session.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ChoiceBiserial {
    answer_id: String,
    /// From -1 to 1; null where all or none chose it, or all had the same score.
    point_biserial: Option<f64>,
    correct: bool,
    distractor: bool,
}

impl ItemStatistics {
    /// The question as a row of the report; none of a question that is not right or wrong.
    pub(crate) fn analyzed(self) -> Option<AnalyzedItem> {
        let biserials = self.point_biserials.unwrap_or_default();
        let biserials: Vec<_> = biserials.iter().map(|one| (one.correct, one.point_biserial)).collect();
        let title = self.title.unwrap_or_else(|| plain_text(&self.question_text));
        Some(AnalyzedItem::new(self.id, title, self.figures.item?, &biserials))
    }
}

/// The statistics so far.
#[derive(Default)]
pub(crate) struct Tally {
    ranks: Ranks<i64>,
    attempts: AttemptTally,
    /// By the id of the item.
    reliability: Reliability<String>,
    /// By the id of the item.
    questions: BTreeMap<String, AskedTally>,
}

struct AskedTally {
    item: DrawnItem,
    tally: QuestionTally,
}

impl Tally {
    /// Statistics of these sessions, which are still to be added.
    pub(crate) fn of(scores: &[SessionScore]) -> Self {
        Self { ranks: Ranks::of(scores.iter().map(|one| (one.id.0, one.score)).collect()), ..Self::default() }
    }

    pub(crate) fn add(&mut self, session: &ScoredSession, questions: &Questions) {
        let rank = self.ranks.rank(&session.id.0);
        let (mut correct, mut incorrect, mut points) = (0, 0, Vec::new());
        for (item, known, answer) in session.asked(questions) {
            let given = answer.given(known.slug(), &known.shape, item.points);
            match given.is_right() {
                Some(true) => correct += 1,
                Some(false) => incorrect += 1,
                None => {}
            }
            if item.points > 0.0 {
                points.push((item.id.clone(), given.points.filter(|_| given.is_given)));
            }
            let new = || AskedTally { item: item.clone(), tally: QuestionTally::default() };
            self.questions.entry(item.id.clone()).or_insert_with(new).tally.add(&given, rank, session.score);
        }
        self.reliability.add(points);
        self.attempts.add(AttemptFigures {
            user: session.user_id,
            score: session.score,
            points_possible: session.points_possible,
            seconds: session.submitted_at.unix() - session.started_at.unix(),
            correct,
            incorrect,
        });
    }

    pub(crate) fn finish(self, questions: &Questions) -> (SubmissionStatistics, Vec<ItemStatistics>) {
        let alpha = self.reliability.alpha();
        let finished = self.questions.into_values().filter_map(|one| one.finish(questions, alpha));
        let mut finished: Vec<_> = finished.collect();
        finished.sort_by(|one, other| one.position.cmp(&other.position).then_with(|| one.id.cmp(&other.id)));
        (self.attempts.finish(), finished)
    }
}

impl AskedTally {
    fn finish(self, questions: &Questions, alpha: Option<f64>) -> Option<ItemStatistics> {
        let Self { item, tally } = self;
        let known = questions.of(&item)?;
        let question = &known.asked.question;
        let biserials = match &known.shape {
            Shape::Answers(answers) => Some(answers.iter().map(|answer| ChoiceBiserial {
                point_biserial: tally.point_biserial(&answer.id),
                answer_id: answer.id.clone(),
                correct: answer.correct,
                distractor: !answer.correct,
            })),
            _ => None,
        };
        Some(ItemStatistics {
            id: item.id,
            question_type: question.interaction_type_slug.clone(),
            question_text: question.item_body.clone(),
            position: item.position,
            points_possible: item.points,
            figures: tally.figures(&known.shape, has_item_analysis(question), alpha),
            point_biserials: biserials.map(Iterator::collect),
            title: question.title.clone().filter(|title| !title.trim().is_empty()),
        })
    }
}
