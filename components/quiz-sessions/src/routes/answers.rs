//! Answers of a session, saved while it runs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use shared::needs::{InCourse, NeededInCourse};
use shared::{Context, Error, Form, JsonSchema, Patch, Reply, Result, endpoint, endpoints, rich_text};

use crate::model::answers::{Answer, AnswerForm, AnswersForm, MAX_RESPONSE_BYTES, Saving, invalid, stale};
use crate::model::items::AskedQuestion;
use crate::model::session_view::SessionProgress;
use crate::model::sessions::{GRACE, SessionRow};
use crate::routes::sessions::{require_running, require_taker, submitted};
use crate::store::answers::{self as store, Asked};
use crate::store::files;
use crate::store::sessions::{self, KnownSession};

endpoints![answer_quiz_session];

/// The answers of a request as they are now.
#[derive(Serialize, JsonSchema)]
struct SavedAnswers {
    answers: Vec<Answer>,
    session: SessionProgress,
}

/// Saves answers of the session that runs: all of them or none.
///
/// Each names the version that the client knows. Where somebody else has changed one of them since, nothing is saved, and the
/// error has the `answers` that stand. For 10 seconds after the end what was on its way is taken.
#[endpoint(
    PUT "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/sessions/:session_id/answers",
    token_or_page,
    answers(409, "An answer was changed since, its question was left, or the session is handed in."),
)]
async fn answer_quiz_session(
    cx: Context,
    session: NeededInCourse<KnownSession>,
    body: Form<AnswersForm>,
) -> Result<Reply<SavedAnswers>> {
    let InCourse { course, record } = session.into_record();
    let row = record.session.0;
    require_taker(&cx, &course, &row)?;
    require_running(&cx, &row).await?;
    let forms = body.decode()?.into_answers()?;
    let items: Vec<_> = forms.iter().map(|form| form.item_id.clone()).collect();
    let items: Vec<_> = items.iter().map(String::as_str).collect();
    require_answerable(&row, &items)?;
    let Some(asked) = store::asked(&cx.db, row.id, &items).await? else { return Err(Error::not_found()) };
    let forms = checked(&cx, &row, forms, &asked.questions.0).await?;
    let Some(saving) = Saving::of(forms, &asked.answers.0, cx.now) else { return Err(stale(&asked.answers.0)) };
    if asked.other_bytes.saturating_add(saving.response_bytes()) > MAX_RESPONSE_BYTES {
        return Err(invalid(&format!("are too long together (maximum is {MAX_RESPONSE_BYTES} bytes)")));
    }
    let position = row.only_goes_forward().then_some(row.position);
    let ended_before = cx.now.plus_seconds(-GRACE);
    let is_saved = saving.changes.is_empty()
        || store::save(&cx.db, row.id, &saving.changes, ended_before, position, cx.now).await?;
    if !is_saved {
        return Err(refusal(&cx, &row, &items).await?);
    }
    Ok(Reply::ok(saved(&cx, &row, &asked, saving)))
}

fn saved(cx: &Context, row: &SessionRow, asked: &Asked, saving: Saving) -> SavedAnswers {
    let count = saving.answers.iter().filter(|answer| answer.response.is_some()).count();
    let session = SessionProgress {
        state: row.state,
        end_at: row.end_at,
        time_left: row.end_at.map(|end| (end.unix() - cx.now.unix()).max(0)),
        item_count: row.item_count,
        answered_count: i64::try_from(count).unwrap_or(i64::MAX).saturating_add(asked.other_count),
    };
    SavedAnswers { answers: saving.answers, session }
}

/// 422 for what is no question of the session; 409 for one that the student has left, or has not come to.
fn require_answerable(row: &SessionRow, items: &[&str]) -> Result<()> {
    for id in items {
        let item = row.item(id).filter(|item| item.question.is_some());
        let Some(item) = item else { return Err(invalid("must be to questions of the session")) };
        if row.only_goes_forward() && item.position != row.position {
            return Err(left());
        }
    }
    Ok(())
}

fn left() -> Error {
    Error::conflict("only the question that is looked at can be answered")
}

/// Why nothing was saved.
async fn refusal(cx: &Context, before: &SessionRow, items: &[&str]) -> Result<Error> {
    let row = sessions::session(&cx.db, before.id).await?;
    let Some(row) = row.filter(SessionRow::is_taking) else { return Ok(submitted()) };
    if row.only_goes_forward() && row.position != before.position {
        return Ok(left());
    }
    Ok(stale(&store::saved(&cx.db, row.id, items).await?))
}

/// The answers as they are kept: 422 for one that does not fit its question.
async fn checked(
    cx: &Context,
    row: &SessionRow,
    forms: Vec<AnswerForm>,
    questions: &[AskedQuestion],
) -> Result<Vec<AnswerForm>> {
    let questions: BTreeMap<_, _> = questions.iter().map(|asked| (asked.id, asked)).collect();
    let mut kept = Vec::with_capacity(forms.len());
    for form in forms {
        let asked = row.item(&form.item_id).and_then(|item| questions.get(&item.question?));
        let response = match form.response {
            Patch::Value(response) => Patch::Value(match asked {
                Some(asked) => fitting(cx, row, &form.item_id, response, asked).await?,
                None => return Err(invalid("must be to questions of the session")),
            }),
            other => other,
        };
        kept.push(AnswerForm { response, ..form });
    }
    Ok(kept)
}

async fn fitting(cx: &Context, row: &SessionRow, item: &str, response: Value, asked: &AskedQuestion) -> Result<Value> {
    let question = asked.parsed().map_err(Error::internal)?;
    let unfit = |message: String| Error::invalid(&format!("answers[{item}]"), "invalid", message);
    questions::check_response(&question, &response).map_err(|error| unfit(error.to_string()))?;
    match (asked.question.interaction_type_slug.as_str(), response) {
        ("essay", Value::String(text)) => {
            let refused = |refusal: rich_text::Refusal| {
                Error::invalid(&format!("answers[{item}]"), refusal.code(), refusal.to_string())
            };
            let kept = Value::String(rich_text::sanitize(&text).map_err(refused)?);
            // Escapes make a text longer: what is kept must fit, too, so that it can be sent again and is read.
            questions::check_response(&question, &kept).map_err(|error| unfit(error.to_string()))?;
            Ok(kept)
        }
        ("file-upload", response) => {
            require_own_files(cx, row, item, &response, asked).await?;
            Ok(response)
        }
        (_, response) => Ok(response),
    }
}

/// 422 for a file that is not the student's own, or of a type that the question does not take.
async fn require_own_files(
    cx: &Context,
    row: &SessionRow,
    item: &str,
    response: &Value,
    asked: &AskedQuestion,
) -> Result<()> {
    let unfit = |message: String| Error::invalid(&format!("answers[{item}]"), "invalid", message);
    let named: Option<Vec<i64>> = response.as_array().into_iter().flatten().map(file_id).collect();
    let Some(ids) = named else { return Err(unfit("names what is no file".to_owned())) };
    let own = files::own(&cx.db, row.user_id, &ids).await?;
    if let Some(missing) = ids.iter().find(|id| !own.iter().any(|file| file.id == **id)) {
        return Err(unfit(format!("names file {missing}, which is none of the student's")));
    }
    let refused = own.iter().find(|file| !takes_file(&asked.question.properties.0, &file.name));
    match refused {
        Some(file) => Err(unfit(format!("names {}, whose type the question does not take", file.name))),
        None => Ok(()),
    }
}

/// An id as a number, or as text.
fn file_id(id: &Value) -> Option<i64> {
    id.as_i64().or_else(|| id.as_str()?.parse().ok())
}

/// True if the question takes a file of that name.
fn takes_file(properties: &Value, name: &str) -> bool {
    if properties["restrict_types"].as_bool() != Some(true) {
        return true;
    }
    let (name, types) = (name.to_lowercase(), properties["allowed_types"].as_str().unwrap_or_default().to_lowercase());
    types.split(',').any(|suffix| name.ends_with(&format!(".{}", suffix.trim().trim_start_matches('.'))))
}
