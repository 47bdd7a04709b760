//! Regrades: what is right in a question is corrected after it was answered, or what it is worth.

use questions::form;
use questions::key::corrected;
use questions::question::StoredQuestion;
use serde::Deserialize;
use shared::auth::Right;
use shared::db::Json;
use shared::error::OrNotFound;
use shared::ids::{QuestionItemId, QuizRegradeId};
use shared::needs::{InCourse, NeededInCourse, may};
use shared::{
    Context, Db, Error, Form, JsonSchema, Patch, Path, Reply, Result, Timestamp, background, endpoint, endpoints,
};
use submissions::regrades::store::{self as regrades, require_idle};
use submissions::regrades::{NewRegrade, Regrade, RegradeOption, RegradedAttempt, RegradedQuiz, StoredKey};

use crate::model::regrades::{NamedItem, RegradeForm};
use crate::store::regrades::{self as store, QuizToRegrade, RegradeOfQuiz, RegradedItem};

endpoints![create_quiz_regrade, list_quiz_regrades, get_quiz_regrade, list_regraded_attempts];

#[derive(Deserialize, JsonSchema)]
struct RegradePath {
    regrade_id: QuizRegradeId,
}

/// Corrects what is right in a question of a new quiz, or what it is worth, and regrades the attempts.
///
/// Attempts that are handed in are scored again in the background, and those that run when they are handed in: points, scores and
/// grades follow, but for what a person has given. What was asked stays. The key of a question that a bank has given is corrected
/// in the bank; attempts at other quizzes stay as they are. For graders who may also edit assignments, of the whole course.
#[endpoint(
    POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/regrades",
    answers(409, "A regrade of the quiz is running."),
)]
async fn create_quiz_regrade(
    cx: Context,
    quiz: NeededInCourse<QuizToRegrade, may::ManageGrades>,
    body: Form<RegradeForm>,
) -> Result<Reply<Regrade>> {
    let InCourse { course, record: quiz } = quiz.into_record();
    course.require(Right::ManageAssignments)?;
    course.require_section(None)?;
    let (form, user) = (body.decode()?, cx.caller()?.user);
    let named = NamedItem::read(&form.item_id)?;
    let begun = cx.db.transaction(async |db| {
        let item = store::item(db, quiz.id, named).await?.or_not_found()?;
        require_idle(db, RegradedQuiz::New(quiz.id)).await?;
        let option = form.option;
        let points = new_points(&form.points_possible, named, &item)?;
        let keys = corrected_keys(db, form, &item, points.is_some(), cx.now).await?;
        if let Some([_, points]) = points {
            store::set_points(db, named.item, points).await?;
        }
        let new = NewRegrade {
            quiz: RegradedQuiz::New(quiz.id),
            item: named.name(),
            question: item.question_item_id,
            bank: item.bank_id,
            bank_entry: item.bank_entry_id,
            user,
            option,
            keys,
            points,
        };
        Ok::<_, Error>(regrades::insert(db, new, cx.now).await?)
    });
    let begun = begun.await?;
    background::run_soon();
    Ok(Reply::ok(begun.into()))
}

/// What the item was worth and is from now on; `None`: the same.
fn new_points(form: &Patch<f64>, named: NamedItem, item: &RegradedItem) -> Result<Option<[f64; 2]>> {
    let Patch::Value(points) = *form else { return Ok(None) };
    if named.entry.is_some() {
        let message = "is of the item: name it without the entry";
        return Err(Error::invalid("points_possible", "invalid", message));
    }
    let points = form::points(points)?;
    let is_other = (points - item.points_possible).abs() > f64::EPSILON;
    Ok(is_other.then_some([item.points_possible, points]))
}

/// What was right in the question, and what is from now on, which is kept; `None` of all that a bank gives. `db` is in a
/// transaction.
async fn corrected_keys(
    db: &Db,
    form: RegradeForm,
    item: &RegradedItem,
    has_points: bool,
    now: Timestamp,
) -> Result<Option<[StoredKey; 2]>> {
    let option = form.option;
    let key = form.into_key();
    if option == RegradeOption::NoRegrade && key.is_empty() && !has_points {
        return Err(Error::missing("scoring_data"));
    }
    match (item.question_item_id, &item.question) {
        (Some(id), Some(Json(previous))) => {
            let current = if key.is_empty() { previous.clone() } else { corrected(previous, key)? };
            keep(db, id, (previous, &current), now).await?;
            Ok(Some([previous, &current].map(stored_key)))
        }
        _ if item.bank_id.is_none() || item.bank_entry_id.is_some() => {
            Err(Error::invalid("item_id", "inclusion", "must be a question, and no stimulus"))
        }
        _ if key.is_empty() => Ok(None),
        _ => {
            let message = "must be one question of the bank where its key is corrected: ITEM-ENTRY";
            Err(Error::invalid("item_id", "inclusion", message))
        }
    }
}

async fn keep(
    db: &Db,
    id: QuestionItemId,
    (previous, current): (&StoredQuestion, &StoredQuestion),
    now: Timestamp,
) -> Result<()> {
    if current != previous {
        store::set_key(db, id, current, now).await?;
    }
    Ok(())
}

fn stored_key(question: &StoredQuestion) -> StoredKey {
    StoredKey { algorithm: question.scoring_algorithm.clone(), data: question.scoring_data.clone() }
}

/// Lists the regrades of a new quiz, the newest first.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/regrades")]
async fn list_quiz_regrades(
    cx: Context,
    quiz: NeededInCourse<QuizToRegrade, may::ManageGrades>,
) -> Result<Reply<Vec<Regrade>>> {
    let page = regrades::page(&cx.db, RegradedQuiz::New(quiz.record.id), &cx.page().await?).await?;
    Ok(Reply::page(page.map(Regrade::from)))
}

/// Reads a regrade with its progress.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/regrades/:regrade_id")]
async fn get_quiz_regrade(
    _: Context,
    regrade: NeededInCourse<RegradeOfQuiz, may::ManageGrades>,
) -> Result<Reply<Regrade>> {
    Ok(Reply::ok(regrade.into_record().record.0.into()))
}

/// Lists what a regrade has done to each attempt, as far as it has come.
///
/// Graders who are limited to sections see the attempts of their students.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/regrades/:regrade_id/attempts")]
async fn list_regraded_attempts(
    cx: Context,
    Path(at): Path<RegradePath>,
    regrade: NeededInCourse<RegradeOfQuiz, may::ManageGrades>,
) -> Result<Reply<Vec<RegradedAttempt>>> {
    let page = cx.page().await?;
    let attempts = regrades::attempts(&cx.db, &regrade.course, at.regrade_id, &page).await?;
    Ok(Reply::page(attempts))
}
