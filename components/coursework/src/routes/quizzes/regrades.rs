//! Regrades of classic quizzes: each is begun by a change of a question (`question[regrade_option]`).

pub(crate) mod attempts;

use ::submissions::regrades::store as regrades;
use ::submissions::regrades::{Regrade, RegradedQuiz};
use shared::needs::{NeededInCourse, may};
use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::model::quizzes::Quiz;
use crate::store::regrades::RegradeOfQuiz;

endpoints![list_question_regrades, get_question_regrade];

/// Lists the regrades of a classic quiz, the newest first.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/regrades")]
async fn list_question_regrades(
    cx: Context,
    quiz: NeededInCourse<Quiz, may::ManageGrades>,
) -> Result<Reply<Vec<Regrade>>> {
    let page = regrades::page(&cx.db, RegradedQuiz::Classic(quiz.id), &cx.page().await?).await?;
    Ok(Reply::page(page.map(Regrade::from)))
}

/// Reads a regrade of a classic quiz with its progress.
#[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/regrades/:regrade_id")]
async fn get_question_regrade(
    _: Context,
    regrade: NeededInCourse<RegradeOfQuiz, may::ManageGrades>,
) -> Result<Reply<Regrade>> {
    Ok(Reply::ok(regrade.into_record().record.0.into()))
}
