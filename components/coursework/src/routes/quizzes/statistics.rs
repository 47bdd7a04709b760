//! Statistics of a classic quiz.

use quiz_reports::attempts::SubmissionStatistics;
use quiz_reports::limits::{MAX_ATTEMPTS, require_few};
use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::QuizId;
use shared::needs::{NeededInCourse, may};
use shared::{Context, JsonSchema, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::quiz_statistics::{QuestionStatistics, Tally};
use crate::model::quizzes::Quiz;
use crate::store::quiz_statistics::{self as store, Beginning, Scope, WithStudents};

endpoints![get_quiz_statistics];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct StatisticsQuery {
    /// True: of all attempts. Otherwise of each student's last one.
    all_versions: bool,
}

#[derive(Serialize, JsonSchema)]
struct Statistics {
    quiz_statistics: Vec<QuizStatistics>,
}

/// What the completed attempts at a quiz tell of it.
#[derive(Serialize, JsonSchema)]
struct QuizStatistics {
    /// The id of the quiz.
    id: QuizId,
    quiz_id: QuizId,
    url: String,
    html_url: String,
    /// True if a student has completed more than one attempt.
    multiple_attempts_exist: bool,
    /// True if they are of all attempts.
    includes_all_versions: bool,
    generated_at: Timestamp,
    points_possible: f64,
    question_statistics: Vec<QuestionStatistics>,
    submission_statistics: SubmissionStatistics,
}

/// Reads the statistics of a quiz: of its attempts, and of the answers to each of its questions.
///
/// They are of completed attempts, and of the questions as these were when the attempts began.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/statistics")]
async fn get_quiz_statistics(
    cx: Context,
    quiz: NeededInCourse<Quiz, may::ManageGrades>,
    query: Query<StatisticsQuery>,
) -> Result<Reply<Statistics>> {
    let (course, quiz) = (&quiz.course, &quiz.record);
    let all_versions = query.decode()?.all_versions;
    let scope = Scope { quiz: quiz.id, all_versions, section_limit: course.section_limit() };
    let Beginning { scores: Json(scores), attempts: Json(mut attempts), has_several_attempts } =
        store::beginning(&cx.db, &scope, MAX_ATTEMPTS + 1).await?;
    require_few(scores.iter().map(|score| score.bytes), "attempts")?;
    let mut tally = Tally::of(&scores);
    while let Some(last) = attempts.last().map(|attempt| (attempt.id, attempt.attempt)) {
        for attempt in attempts {
            tally.add(attempt);
        }
        if scores.last().is_none_or(|score| (score.id, score.attempt) <= last) {
            break;
        }
        attempts = store::attempts_after(&cx.db, &scope, last, WithStudents::No).await?;
    }
    let (submission_statistics, question_statistics) = tally.finish();
    let (base_url, course) = (cx.base_url().await?, course.id);
    let statistics = QuizStatistics {
        id: quiz.id,
        quiz_id: quiz.id,
        url: format!("{base_url}/api/v1/courses/{course}/quizzes/{}/statistics", quiz.id),
        html_url: format!("{base_url}/courses/{course}/quizzes/{}/statistics", quiz.id),
        multiple_attempts_exist: has_several_attempts,
        includes_all_versions: all_versions,
        generated_at: cx.now,
        points_possible: quiz.points_possible,
        question_statistics,
        submission_statistics,
    };
    Ok(Reply::ok(Statistics { quiz_statistics: vec![statistics] }))
}
