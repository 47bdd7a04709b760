//! The results of a session, and the part of them that a student sees.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use shared::files::File;
use shared::ids::{QuizSessionId, UserId};
use shared::{JsonSchema, Result, Timestamp};
use submissions::quiz_settings::{Qualifier, QuizSettings, ResultViewSettings};

use crate::model::answers::AnswerRow;
use crate::model::items::{AskedQuestion, Content, SessionItem, Sight, session_items};
use crate::model::sessions::SessionRow;

/// The parts of results that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VisibleResults {
    points_awarded: bool,
    points_possible: bool,
    items: bool,
    responses: bool,
    /// Which answers are right.
    correctness: bool,
    /// What would have been right.
    correct_answers: bool,
    /// What the author tells graders, which stands where other questions have what is right.
    notes: bool,
    feedback: bool,
    /// True if something is shown that is shown once.
    pub(crate) is_shown_once: bool,
}

/// What the settings depend on.
#[derive(Debug, Clone, Copy)]
struct Moment {
    now: Timestamp,
    /// True if the student has made the last attempt that is allowed, and makes none now.
    has_none_left: bool,
    /// True if the student was shown what is shown once.
    was_seen: bool,
}

impl VisibleResults {
    /// The view of the staff.
    pub(crate) const ALL: Self = Self {
        points_awarded: true,
        points_possible: true,
        items: true,
        responses: true,
        correctness: true,
        correct_answers: true,
        notes: true,
        feedback: true,
        is_shown_once: false,
    };

    /// The view of students where nothing is restricted.
    const UNRESTRICTED: Self = Self { notes: false, ..Self::ALL };

    /// The view of the student before grades are posted.
    pub(crate) const NONE: Self = Self {
        points_awarded: false,
        points_possible: false,
        items: false,
        responses: false,
        correctness: false,
        correct_answers: false,
        notes: false,
        feedback: false,
        is_shown_once: false,
    };

    /// True if answers are shown.
    pub(crate) fn shows_responses(self) -> bool {
        self.responses
    }

    /// True if what is right is shown; of a question that a person grades that is what graders are told.
    fn shows_right(self, asked: &AskedQuestion) -> bool {
        self.correct_answers && (self.notes || !is_graded_by_person(asked))
    }

    /// True if the student sees the score.
    pub(crate) fn shows_score(settings: &QuizSettings) -> bool {
        settings
            .result_view_settings
            .as_ref()
            .is_none_or(|view| view.result_view_restricted != Some(true) || view.display_points_awarded == Some(true))
    }

    /// The view of the student of a session; `was_seen`: what is shown once was shown already.
    pub(crate) fn to_student(row: &SessionRow, now: Timestamp, was_seen: bool) -> Self {
        match row.is_posted {
            true => {
                let moment = Moment { now, has_none_left: row.has_none_left(), was_seen };
                Self::of_student(&row.quiz_settings.0, moment)
            }
            false => Self::NONE,
        }
    }

    fn of_student(settings: &QuizSettings, moment: Moment) -> Self {
        match settings.result_view_settings.as_ref() {
            Some(settings) if settings.result_view_restricted == Some(true) => Self::restricted(settings, moment),
            _ => Self::UNRESTRICTED,
        }
    }

    fn restricted(settings: &ResultViewSettings, moment: Moment) -> Self {
        let is_on = |setting: Option<bool>| setting == Some(true);
        let items = is_on(settings.display_items);
        let response_times = (settings.show_item_responses_at, settings.hide_item_responses_at);
        let qualifier = settings.display_item_response_qualifier;
        let responses = items && is_on(settings.display_item_response) && moment.shows(qualifier, response_times);
        let times = (settings.show_item_response_correctness_at, settings.hide_item_response_correctness_at);
        let of_correctness = settings.display_item_response_correctness_qualifier;
        let correctness =
            responses && is_on(settings.display_item_response_correctness) && moment.shows(of_correctness, times);
        Self {
            points_awarded: is_on(settings.display_points_awarded),
            points_possible: is_on(settings.display_points_possible),
            items,
            responses,
            correctness,
            correct_answers: correctness && is_on(settings.display_item_correct_answer),
            notes: false,
            feedback: items && is_on(settings.display_item_feedback),
            is_shown_once: (responses && is_once(qualifier)) || (correctness && is_once(of_correctness)),
        }
    }
}

fn is_graded_by_person(asked: &AskedQuestion) -> bool {
    matches!(asked.question.interaction_type_slug.as_str(), "essay" | "file-upload")
}

fn is_once(qualifier: Option<Qualifier>) -> bool {
    matches!(qualifier, Some(Qualifier::OncePerAttempt | Qualifier::OnceAfterLastAttempt))
}

impl Moment {
    fn shows(self, qualifier: Option<Qualifier>, (from, until): (Option<Timestamp>, Option<Timestamp>)) -> bool {
        let is_time = from.is_none_or(|at| at <= self.now) && until.is_none_or(|at| self.now < at);
        is_time
            && match qualifier {
                None | Some(Qualifier::Always) => true,
                Some(Qualifier::OncePerAttempt) => !self.was_seen,
                Some(Qualifier::AfterLastAttempt) => self.has_none_left,
                Some(Qualifier::OnceAfterLastAttempt) => self.has_none_left && !self.was_seen,
            }
    }
}

/// The results of a session, as far as the quiz shows them.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SessionResult {
    id: QuizSessionId,
    attempt: i64,
    /// Left out to the staff while the work is graded anonymously.
    #[serde(skip_serializing_if = "Option::is_none")]
    user_id: Option<UserId>,
    submitted_at: Option<Timestamp>,
    /// `graded`, or `pending_review` while somebody must read an answer.
    workflow_state: &'static str,
    /// 1 more with each grading by a person; 0: there was none.
    version: i64,
    /// Who has graded last, and when; null: nobody but the service.
    grader_id: Option<UserId>,
    pub(crate) graded_at: Option<Timestamp>,
    /// Null where it is hidden.
    pub(crate) score: Option<f64>,
    /// Points beside those of the answers, which the score includes. Null where it is hidden.
    fudge_points: Option<f64>,
    /// Null where it is hidden.
    pub(crate) points_possible: Option<f64>,
    /// In the student's order; null where they are hidden.
    pub(crate) items: Option<Vec<ResultItem>>,
}

/// A question or a stimulus of a session, with what the answer is worth.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ResultItem {
    #[serde(flatten)]
    pub(crate) item: SessionItem,
    /// Null where it is hidden, and while somebody must read the answer.
    pub(crate) points: Option<f64>,
    /// Who has given the points, and when; null: the service, or they are hidden.
    grader_id: Option<UserId>,
    graded_at: Option<Timestamp>,
    /// True if the answer has all points; null like the points.
    pub(crate) correct: Option<bool>,
    /// The pieces of the answer, with `id`, `correct` and `points`; null where they are hidden.
    parts: Option<Value>,
    /// What is right: its shape depends on the type. Null where it is hidden, and to students of what a person grades.
    pub(crate) correct_answer: Option<Value>,
    /// Rich text about the answer; empty where it is hidden.
    feedback: Vec<String>,
    /// Rich text: the words of whoever graded it.
    pub(crate) comment: Option<String>,
    /// The files that are the answer, as far as they are still there; null where it is none of files, or hidden.
    pub(crate) files: Option<Vec<File>>,
}

/// The files that answers consist of, by their items.
pub(crate) type AnswerFiles = BTreeMap<String, Vec<File>>;

impl SessionResult {
    /// The results of a session that is handed in.
    pub(crate) fn new(
        row: &SessionRow,
        content: &Content,
        visible: VisibleResults,
        files: AnswerFiles,
        reader: UserId,
    ) -> Result<Self> {
        let items = if visible.items { Some(items(row, content, visible, files)?) } else { None };
        // Before the grade is posted the student is not told that somebody has graded.
        let shows_grader = row.is_posted || visible == VisibleResults::ALL;
        Ok(Self {
            id: row.id,
            attempt: row.attempt,
            user_id: row.user_seen_by(reader),
            submitted_at: row.submitted_at,
            workflow_state: row.workflow_state().unwrap_or("pending_review"),
            version: if shows_grader { row.grading_version } else { 0 },
            grader_id: row.grader_id.filter(|_| shows_grader),
            graded_at: row.graded_at.filter(|_| shows_grader),
            score: row.score.filter(|_| visible.points_awarded),
            fudge_points: Some(row.fudge_points).filter(|_| visible.points_awarded),
            points_possible: Some(row.points_possible).filter(|_| visible.points_possible),
            items,
        })
    }
}

fn items(
    row: &SessionRow,
    content: &Content,
    visible: VisibleResults,
    mut files: AnswerFiles,
) -> Result<Vec<ResultItem>> {
    let items = session_items(row, content, Sight::All)?;
    let drawn = row.items.0.iter();
    Ok(items
        .into_iter()
        .zip(drawn)
        .map(|(item, drawn)| {
            let (answer, asked) = (content.answer(&drawn.id), content.question(drawn));
            let files = files.remove(&drawn.id).filter(|_| visible.responses);
            ResultItem { files, ..result_item(item, drawn.points, asked, answer, visible) }
        })
        .collect())
}

fn result_item(
    item: SessionItem,
    possible: f64,
    asked: Option<&AskedQuestion>,
    answer: Option<&AnswerRow>,
    visible: VisibleResults,
) -> ResultItem {
    let points = answer.and_then(|answer| answer.points);
    let correct = points.map(|points| points >= possible - f64::EPSILON);
    let feedback = asked.filter(|_| visible.feedback).map(|asked| {
        let response = answer.and_then(|answer| answer.response.as_ref()).map(|response| &response.0);
        feedback(asked, correct.filter(|_| visible.correctness), response.filter(|_| visible.responses))
    });
    let shows_points = visible.correctness && visible.points_awarded;
    ResultItem {
        points: points.filter(|_| shows_points),
        grader_id: answer.and_then(|answer| answer.grader_id).filter(|_| shows_points),
        graded_at: answer.and_then(|answer| answer.graded_at).filter(|_| shows_points),
        correct: correct.filter(|_| visible.correctness),
        parts: answer.and_then(|answer| answer.parts.clone()).map(|parts| parts.0).filter(|_| visible.correctness),
        correct_answer: asked
            .filter(|asked| visible.shows_right(asked))
            .map(|asked| asked.question.scoring_data.0.clone()),
        feedback: feedback.unwrap_or_default(),
        comment: answer.and_then(|answer| answer.comment.clone()).filter(|_| visible.responses),
        files: None,
        item: item.showing(visible.points_possible, visible.responses),
    }
}

/// The feedback on an answer: what is said of every answer, of such a one, and of the choice that was made.
fn feedback(asked: &AskedQuestion, correct: Option<bool>, response: Option<&Value>) -> Vec<String> {
    let all = &asked.question.feedback.0;
    let of_such = correct.map(|correct| if correct { &all.correct } else { &all.incorrect });
    let chosen = response.and_then(Value::as_str).filter(|_| correct.is_some());
    let of_choice = chosen.and_then(|choice| asked.question.answer_feedback.0.get(choice)?.as_str());
    let texts = [Some(all.neutral.as_str()), of_such.map(String::as_str), of_choice];
    texts.into_iter().flatten().filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: i64 = 1_000;

    fn visible(settings: Value, has_none_left: bool, was_seen: bool) -> VisibleResults {
        let settings: QuizSettings = serde_json::from_value(json!({ "result_view_settings": settings })).unwrap();
        let now = Timestamp::from_unix(NOW).unwrap();
        VisibleResults::of_student(&settings, Moment { now, has_none_left, was_seen })
    }

    fn restricted(more: &Value) -> Value {
        let mut settings = json!({
            "result_view_restricted": true, "display_items": true, "display_item_response": true,
            "display_item_response_correctness": true, "display_item_correct_answer": true,
        });
        for (name, value) in more.as_object().unwrap() {
            settings[name] = value.clone();
        }
        settings
    }

    #[test]
    fn nothing_is_hidden_unless_results_are_restricted() {
        assert_eq!(visible(json!(null), false, false), VisibleResults::UNRESTRICTED);
        assert_eq!(
            visible(json!({"result_view_restricted": false, "display_items": false}), false, true),
            VisibleResults::UNRESTRICTED
        );
        let nothing = visible(json!({"result_view_restricted": true}), true, false);
        assert!(!nothing.points_awarded && !nothing.points_possible && !nothing.items && !nothing.feedback);
    }

    #[test]
    fn each_part_needs_the_one_before_it() {
        let all = visible(restricted(&json!({})), false, false);
        assert!(all.responses && all.correctness && all.correct_answers && !all.points_awarded && !all.is_shown_once);
        let no_items =
            visible(restricted(&json!({"display_items": false, "display_item_feedback": true})), false, false);
        assert!(!no_items.responses && !no_items.correctness && !no_items.correct_answers && !no_items.feedback);
        let no_response = visible(restricted(&json!({"display_item_response": false})), false, false);
        assert!(no_response.items && !no_response.correctness && !no_response.correct_answers);
        assert!(
            !visible(restricted(&json!({"display_item_response_correctness": false})), false, false).correct_answers
        );
    }

    #[test]
    fn some_are_shown_once_or_after_the_last_attempt() {
        let qualified = |qualifier: &str, none_left, seen| {
            let visible = visible(restricted(&json!({"display_item_response_qualifier": qualifier})), none_left, seen);
            (visible.responses, visible.is_shown_once)
        };
        assert_eq!(qualified("always", false, true), (true, false));
        assert_eq!(qualified("once_per_attempt", false, false), (true, true));
        assert_eq!(qualified("once_per_attempt", false, true), (false, false));
        assert_eq!(qualified("after_last_attempt", false, false), (false, false));
        assert_eq!(qualified("after_last_attempt", true, true), (true, false));
        assert_eq!(qualified("once_after_last_attempt", false, false), (false, false));
        assert_eq!(qualified("once_after_last_attempt", true, false), (true, true));
        assert_eq!(qualified("once_after_last_attempt", true, true), (false, false));
    }

    #[test]
    fn times_are_kept() {
        let shown = |name: &str, seconds: i64| {
            let at = Timestamp::from_unix(seconds).unwrap();
            let visible = visible(restricted(&json!({ name: at })), false, false);
            (visible.responses, visible.correctness)
        };
        assert_eq!(shown("show_item_responses_at", NOW + 1), (false, false));
        assert_eq!(shown("show_item_responses_at", NOW), (true, true));
        assert_eq!(shown("hide_item_responses_at", NOW), (false, false));
        assert_eq!(shown("show_item_response_correctness_at", NOW + 1), (true, false));
        assert_eq!(shown("hide_item_response_correctness_at", NOW), (true, false));
    }
}
