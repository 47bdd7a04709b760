//! What regrades of classic quizzes have done to attempts.

use ::submissions::regrades::RegradedAttempt;
use ::submissions::regrades::store as regrades;
use serde::Deserialize;
use shared::ids::QuizRegradeId;
use shared::needs::{NeededInCourse, may};
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::store::regrades::RegradeOfQuiz;

endpoints![list_question_regrade_attempts];

#[derive(Deserialize, JsonSchema)]
struct RegradePath {
    regrade_id: QuizRegradeId,
}

/// Lists what a regrade has done to each attempt at a classic quiz, as far as it has come.
///
/// Graders who are limited to sections see the attempts of their students.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/regrades/:regrade_id/attempts")]
async fn list_question_regrade_attempts(
    cx: Context,
    Path(at): Path<RegradePath>,
    regrade: NeededInCourse<RegradeOfQuiz, may::ManageGrades>,
) -> Result<Reply<Vec<RegradedAttempt>>> {
    let page = cx.page().await?;
    Ok(Reply::page(regrades::attempts(&cx.db, &regrade.course, at.regrade_id, &page).await?))
}
