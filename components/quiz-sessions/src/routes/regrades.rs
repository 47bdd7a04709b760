//! Regrades: what is right in a question is corrected after it was answered.

use questions::key::corrected;
use questions::question::StoredQuestion;
use serde::Deserialize;
use shared::auth::Right;
use shared::error::OrNotFound;
use shared::ids::QuizRegradeId;
use shared::needs::{InCourse, NeededInCourse, may};
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, background, endpoint, endpoints};

use crate::model::regrades::{Regrade, RegradeForm, RegradeOption, RegradeRow, RegradedAttempt};
use crate::store::regrades::{self as store, NewRegrade, RegradedItem, RegradedQuiz};

endpoints![create_quiz_regrade, list_quiz_regrades, get_quiz_regrade, list_regraded_attempts];

/// The most regrades of a quiz.
const MAX_REGRADES: i64 = 100;

#[derive(Deserialize, JsonSchema)]
struct RegradePath {
    regrade_id: QuizRegradeId,
}

/// Corrects what is right in a question of a new quiz, and regrades the attempts.
///
/// Attempts that are handed in are scored again in the background, and those that run when they are handed in: points, scores and
/// grades follow, but for what a person has given. What was asked stays. For graders who may also edit assignments, of the whole
/// course.
#[endpoint(
    POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/regrades",
    answers(409, "A regrade of the quiz is running."),
)]
async fn create_quiz_regrade(
    cx: Context,
    quiz: NeededInCourse<RegradedQuiz, may::ManageGrades>,
    body: Form<RegradeForm>,
) -> Result<Reply<Regrade>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    course.require(Right::ManageAssignments)?;
    course.require_section(None)?;
    let form = body.decode()?;
    let (user, item, option) = (cx.caller()?.user, form.item_id, form.option);
    let begun = cx.db.transaction(async |db| {
        let known = store::item(db, quiz.id, item).await?.or_not_found()?;
        require_idle(&known)?;
        let (Some(id), Some(previous)) = (known.question_item_id, known.question) else {
            let message = "must be a question of the quiz itself: neither one of a bank nor a stimulus";
            return Err(Error::invalid("item_id", "inclusion", message));
        };
        let previous = previous.0;
        let current = corrected_by(form, &previous)?;
        if current != previous {
            store::set_key(db, id, &current, cx.now).await?;
        }
        let new =
            NewRegrade { quiz: quiz.id, item, question: id, user, option, previous: &previous, current: &current };
        Ok(store::insert(db, new, cx.now).await?)
    });
    let begun: RegradeRow = begun.await?;
    background::run_soon();
    Ok(Reply::ok(begun.into()))
}

/// 409 while another regrade of the quiz has attempts to regrade; 422 where there were too many.
fn require_idle(known: &RegradedItem) -> Result<()> {
    if known.is_regraded {
        return Err(Error::conflict("a regrade of the quiz is running"));
    }
    if known.regrade_count >= MAX_REGRADES {
        let message = format!("has been regraded too often (maximum is {MAX_REGRADES})");
        return Err(Error::invalid("quiz", "too_many", message));
    }
    Ok(())
}

/// The question with the key of the form. Without one there must be something to regrade.
fn corrected_by(form: RegradeForm, question: &StoredQuestion) -> Result<StoredQuestion> {
    let option = form.option;
    let key = form.into_key();
    if !key.is_empty() {
        return corrected(question, key);
    }
    match option {
        RegradeOption::NoRegrade => Err(Error::missing("scoring_data")),
        _ => Ok(question.clone()),
    }
}

/// Lists the regrades of a new quiz, the newest first.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/regrades")]
async fn list_quiz_regrades(
    cx: Context,
    quiz: NeededInCourse<RegradedQuiz, may::ManageGrades>,
) -> Result<Reply<Vec<Regrade>>> {
    let regrades = store::page(&cx.db, quiz.record.id, &cx.page().await?).await?;
    Ok(Reply::page(regrades.map(Regrade::from)))
}

/// Reads a regrade with its progress.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/regrades/:regrade_id")]
async fn get_quiz_regrade(
    _: Context,
    regrade: NeededInCourse<RegradeRow, may::ManageGrades>,
) -> Result<Reply<Regrade>> {
    Ok(Reply::ok(regrade.into_record().record.into()))
}

/// Lists what a regrade has done to each attempt, as far as it has come.
///
/// Graders who are limited to sections see the attempts of their students.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/regrades/:regrade_id/attempts")]
async fn list_regraded_attempts(
    cx: Context,
    Path(at): Path<RegradePath>,
    regrade: NeededInCourse<RegradeRow, may::ManageGrades>,
) -> Result<Reply<Vec<RegradedAttempt>>> {
    let page = cx.page().await?;
    let attempts = store::attempts(&cx.db, &regrade.course, at.regrade_id, &page).await?;
    Ok(Reply::page(attempts))
}
