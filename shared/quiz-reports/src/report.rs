//! Reports as they are asked for and stored.

use serde::{Deserialize, Serialize};
use shared::auth::SectionLimit;
use shared::db::Json;
use shared::ids::{AccountId, AssignmentId, CourseId, ProgressId, QuizId, QuizReportId, SectionId, UserId};
use shared::{JsonSchema, Timestamp};

/// The context of the progress of a report.
pub const CONTEXT: &str = "QuizReport";

/// What a report tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportType {
    /// A row for each attempt, with its answers.
    StudentAnalysis,
    /// A row for each question, with how well it tells students apart.
    ItemAnalysis,
}

impl ReportType {
    /// As the API names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::StudentAnalysis => "student_analysis",
            Self::ItemAnalysis => "item_analysis",
        }
    }

    /// The type of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::StudentAnalysis, Self::ItemAnalysis].into_iter().find(|own| own.name() == name)
    }

    /// As people read it.
    pub fn readable(self) -> &'static str {
        match self {
            Self::StudentAnalysis => "Student Analysis",
            Self::ItemAnalysis => "Item Analysis",
        }
    }
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportFormat {
    /// A table for spreadsheets.
    Csv,
    /// For programs.
    Json,
}

impl ReportFormat {
    /// As the API names it, which is how the names of its files end.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Csv, Self::Json].into_iter().find(|own| own.name() == name)
    }

    /// The media type of its files.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Json => "application/json",
        }
    }
}

/// The quiz of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedQuiz {
    /// A classic quiz.
    Classic(QuizId),
    /// A new quiz.
    New(AssignmentId),
}

impl ReportedQuiz {
    /// The ids as the columns `quiz_id` and `assignment_id` have them.
    pub(crate) fn columns(self) -> (Option<QuizId>, Option<AssignmentId>) {
        match self {
            Self::Classic(id) => (Some(id), None),
            Self::New(id) => (None, Some(id)),
        }
    }
}

/// The reports that somebody sees: those of a quiz that are of the same sections as they see themselves.
#[derive(Debug, Clone)]
pub struct Visible {
    /// The quiz.
    pub quiz: ReportedQuiz,
    /// The sections whose students are in the reports, in the order of their ids; none: all.
    pub sections: SectionLimit,
}

impl Visible {
    /// The reports of a quiz that somebody with such a limit sees.
    pub fn of(quiz: ReportedQuiz, limit: SectionLimit) -> Self {
        Self { quiz, sections: in_order(limit) }
    }
}

/// The sections in the order of their ids, so that the same sections are the same text.
pub fn in_order(limit: SectionLimit) -> SectionLimit {
    limit.map(|Json(sections)| {
        let mut ids: Vec<_> = sections.into_iter().map(|section| section.0).collect();
        ids.sort_unstable();
        Json(ids.into_iter().map(SectionId).collect())
    })
}

/// A report that is asked for.
#[derive(Debug, Clone)]
pub struct NewReport {
    /// The tenant.
    pub root_account: AccountId,
    /// The course of the quiz.
    pub course: CourseId,
    /// Who asks.
    pub user: UserId,
    /// What is in it.
    pub visible: Visible,
    /// What it tells.
    pub report_type: ReportType,
    /// How it is written.
    pub format: ReportFormat,
    /// True if all attempts of each student are in it, and not the last one alone.
    pub includes_all_versions: bool,
    /// True if it tells nobody's name.
    pub is_anonymous: bool,
    /// After this it is removed.
    pub expires_at: Timestamp,
}

/// A report that somebody works on.
#[derive(Debug, Deserialize)]
pub struct Claimed {
    /// The id.
    pub id: QuizReportId,
    /// The tenant.
    pub root_account_id: AccountId,
    /// The course of the quiz.
    pub course_id: CourseId,
    /// The quiz, if it is a classic one.
    pub quiz_id: Option<QuizId>,
    /// The quiz, if it is a new one.
    pub assignment_id: Option<AssignmentId>,
    /// Who asked.
    pub user_id: UserId,
    /// What it tells.
    pub report_type: ReportType,
    /// How it is written.
    pub format: ReportFormat,
    /// See [`NewReport`].
    pub includes_all_versions: bool,
    /// See [`NewReport`].
    pub is_anonymous: bool,
    /// See [`Visible`].
    pub section_limit: SectionLimit,
    /// The progress.
    pub progress_id: ProgressId,
    /// The number of times that it was begun, this time too.
    pub attempts: i64,
    /// The title of the quiz.
    pub title: String,
}

/// A file that is whole.
#[derive(Debug)]
pub struct WrittenReport {
    /// The name under which it is downloaded.
    pub name: String,
    /// The media type.
    pub content_type: &'static str,
    /// The name of its bytes in the blob store.
    pub blob: String,
    /// In bytes.
    pub size: i64,
}

/// True if both limits are to the same sections.
pub fn are_the_same(one: SectionLimit, other: SectionLimit) -> bool {
    let [one, other] = [one, other].map(|limit| in_order(limit).map(|sections| sections.0));
    one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_sections_are_the_same_whatever_their_order() {
        let limit = |ids: &[i64]| Some(Json(ids.iter().copied().map(SectionId).collect::<Vec<_>>()));
        let text = |limit: SectionLimit| serde_json::to_string(&in_order(limit).map(|json| json.0)).unwrap();
        assert_eq!(text(limit(&[9, 10, 2])), text(limit(&[2, 9, 10])));
        assert_eq!(text(None), "null");
        assert!(are_the_same(limit(&[2, 1]), limit(&[1, 2])) && !are_the_same(limit(&[1]), None));
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in [ReportType::StudentAnalysis, ReportType::ItemAnalysis] {
            assert_eq!(ReportType::named(kind.name()), Some(kind));
        }
        assert_eq!((ReportType::named("rankings"), ReportFormat::named("pdf")), (None, None));
        assert_eq!(ReportFormat::named("json"), Some(ReportFormat::Json));
    }
}
