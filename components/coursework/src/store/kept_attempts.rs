//! The attempts at a quiz that are scored already, where a grade is to follow from them.

use ::submissions::grading::Grade;
use ::submissions::kept_attempts::{Kept, scores};
use ::submissions::quiz_options::{QuizOptions, ScoringPolicy};
use ::submissions::quiz_settings::QuizSettings;
use ::submissions::store::Row;
use serde::Deserialize;
use shared::db::Json;
use shared::{Db, Timestamp, db};

use crate::store::quiz_submissions::kept_at_sql;

/// The grade that a quiz keeps of a student's attempts.
pub(crate) struct KeptGrade {
    /// Before what lateness costs.
    pub(crate) grade: Grade,
    /// When the attempt was handed in that it is of.
    pub(crate) submitted_at: Timestamp,
    /// The latest of the attempts, and its grade.
    pub(crate) latest: i64,
    pub(crate) own: Grade,
    /// False: there are answers that somebody must read.
    pub(crate) is_complete: bool,
}

/// What the quiz keeps whose grade the submission holds; `None`: it is of no quiz, or there is no attempt.
pub(crate) async fn kept(db: &Db, row: &Row) -> db::Result<Option<KeptGrade>> {
    match row.quiz {
        Some(_) => of_classic_quiz(db, row).await,
        None => of_new_quiz(db, row).await,
    }
}

async fn of_classic_quiz(db: &Db, row: &Row) -> db::Result<Option<KeptGrade>> {
    #[derive(Deserialize)]
    struct Found {
        settings: Json<QuizOptions>,
        kept_score: f64,
        best_at: Timestamp,
        latest_at: Timestamp,
        latest: i64,
        own_score: f64,
        is_complete: bool,
    }
    let sql = format!(
        "SELECT z.settings, q.kept_score, {} AS best_at, {} AS latest_at, v.attempt AS latest, v.score AS own_score,
                q.workflow_state <> 'pending_review' AS is_complete
         FROM quizzes z JOIN quiz_submissions q ON q.quiz_id = z.id JOIN quiz_submission_versions v ON v.quiz_submission_id = q.id
         WHERE z.assignment_id = ?1 AND q.user_id = ?2 AND z.workflow_state <> 'deleted' AND q.kept_score IS NOT NULL
         ORDER BY v.attempt DESC LIMIT 1",
        kept_at_sql(ScoringPolicy::Highest, "q.id"),
        kept_at_sql(ScoringPolicy::Latest, "q.id")
    );
    let found: Option<Found> = db.fetch(&sql, (row.assignment_id, row.user_id)).await?;
    Ok(found.map(|found| KeptGrade {
        grade: row.scale().grade(found.kept_score),
        submitted_at: match found.settings.0.scoring_policy {
            ScoringPolicy::Highest => found.best_at,
            ScoringPolicy::Latest | ScoringPolicy::Average => found.latest_at,
        },
        latest: found.latest,
        own: row.scale().grade(found.own_score),
        is_complete: found.is_complete,
    }))
}

async fn of_new_quiz(db: &Db, row: &Row) -> db::Result<Option<KeptGrade>> {
    #[derive(Deserialize)]
    struct Found {
        quiz_settings: Json<QuizSettings>,
    }
    let sql = "SELECT quiz_settings FROM new_quizzes WHERE assignment_id = ?1";
    let Some(Found { quiz_settings }) = db.fetch(sql, (row.assignment_id,)).await? else { return Ok(None) };
    let scores = scores(db, row.assignment_id, row.user_id).await?;
    let Kept { grade, submitted_at } = Kept::of(row, &scores, &quiz_settings.0);
    Ok(scores.last().zip(submitted_at).map(|(latest, submitted_at)| KeptGrade {
        grade,
        submitted_at,
        latest: latest.attempt,
        own: row.scale().grade(latest.of_assignment(row.points_possible)),
        is_complete: scores.iter().all(|score| score.is_scored),
    }))
}
