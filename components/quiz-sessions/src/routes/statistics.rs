//! Statistics of a new quiz.

use quiz_reports::attempts::SubmissionStatistics;
use quiz_reports::limits::{MAX_ATTEMPTS, require_few};
use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::AssignmentId;
use shared::needs::{NeededInCourse, may};
use shared::{Context, JsonSchema, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::statistics::{ItemStatistics, Questions, Tally};
use crate::store::statistics::{self as store, AnalyzedQuiz, Beginning, Scope, WithStudents};

endpoints![get_new_quiz_statistics];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct NewQuizStatisticsQuery {
    /// True: of all sessions. Otherwise of each student's last one.
    all_versions: bool,
}

#[derive(Serialize, JsonSchema)]
struct NewQuizStatisticsList {
    quiz_statistics: Vec<NewQuizStatistics>,
}

/// What the sessions of a quiz tell of it.
#[derive(Serialize, JsonSchema)]
struct NewQuizStatistics {
    /// The id of the quiz.
    id: AssignmentId,
    quiz_id: AssignmentId,
    url: String,
    /// True if a student has handed in more than one session.
    multiple_attempts_exist: bool,
    /// True if they are of all sessions.
    includes_all_versions: bool,
    generated_at: Timestamp,
    points_possible: Option<f64>,
    question_statistics: Vec<ItemStatistics>,
    submission_statistics: SubmissionStatistics,
}

/// Reads the statistics of a new quiz: of its sessions, and of the answers to each of its questions.
///
/// They are of sessions that are handed in, with the scores that these have now.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/statistics")]
async fn get_new_quiz_statistics(
    cx: Context,
    quiz: NeededInCourse<AnalyzedQuiz, may::ManageGrades>,
    query: Query<NewQuizStatisticsQuery>,
) -> Result<Reply<NewQuizStatisticsList>> {
    let (course, quiz) = (&quiz.course, &quiz.record);
    let all_versions = query.decode()?.all_versions;
    let scope = Scope { quiz: quiz.id, all_versions, section_limit: course.section_limit() };
    let Beginning { scores: Json(scores), questions: Json(questions), sessions: Json(mut sessions) } =
        store::beginning(&cx.db, &scope, MAX_ATTEMPTS + 1).await?;
    require_few(scores.iter().map(|score| score.bytes), "sessions")?;
    let questions = Questions::new(questions);
    let mut tally = Tally::of(&scores);
    while let Some(last) = sessions.last().map(|session| session.id) {
        for session in &sessions {
            tally.add(session, &questions);
        }
        if scores.last().is_none_or(|score| score.id <= last) {
            break;
        }
        sessions = store::sessions_after(&cx.db, &scope, last, WithStudents::No).await?;
    }
    let (submission_statistics, question_statistics) = tally.finish(&questions);
    let base_url = cx.base_url().await?;
    let statistics = NewQuizStatistics {
        id: quiz.id,
        quiz_id: quiz.id,
        url: format!("{base_url}/api/quiz/v1/courses/{}/quizzes/{}/statistics", course.id, quiz.id),
        multiple_attempts_exist: quiz.has_several_attempts,
        includes_all_versions: all_versions,
        generated_at: cx.now,
        points_possible: quiz.points_possible,
        question_statistics,
        submission_statistics,
    };
    Ok(Reply::ok(NewQuizStatisticsList { quiz_statistics: vec![statistics] }))
}
