//! The stimuli of a new quiz: texts or pictures that its questions are about.

use serde::Deserialize;
use serde_json::Value;
use shared::db::BuiltJson;
use shared::params::{Params, Unread};
use shared::prefetch::Prefetched;
use shared::{Context, Form, JsonSchema, Patch, Reply, Result, endpoint, endpoints};

use crate::changes::{self, Place};
use crate::model::item::QuizItem;
use crate::model::stimulus::{Stimulus, StimulusForm};
use crate::store::content::Content;
use crate::store::items::{self as store, ItemToChange, NewEntry, NewItem};
use crate::store::needs::ManagedQuiz;
use questions::form;

endpoints![create_quiz_stimulus, update_quiz_stimulus, delete_quiz_stimulus];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct StimulusBody {
    /// May be left out: then its fields stand beside `position`.
    stimulus: Patch<Unread<StimulusForm>>,
    position: Patch<i64>,
    /// More than 0, as of every item; a stimulus is worth no points all the same.
    points_possible: Patch<f64>,
}

/// Puts a stimulus into a new quiz.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/stimuli")]
async fn create_quiz_stimulus(
    cx: Context,
    quiz: ManagedQuiz,
    body: Form<StimulusBody>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    let (place, form) = read(body.into_params()?)?;
    let stimulus = form.over(Stimulus::default())?;
    let new = NewItem { points_possible: 0.0, ..place.of(NewEntry::Stimulus(stimulus))? };
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, new, cx.now).await?))
}

/// Changes or moves a stimulus of a new quiz.
///
/// All of it may change once the quiz has been attempted: nothing is scored by it.
#[endpoint(PATCH "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/stimuli/:id")]
async fn update_quiz_stimulus(
    cx: Context,
    quiz: ManagedQuiz,
    item: Prefetched<ItemToChange>,
    body: Form<StimulusBody>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    let item = item.record()?;
    let (place, form) = read(body.into_params()?)?;
    let changed = changes::change(&cx, quiz.id, item.id, |current, content| {
        let changed = place.over(current)?;
        match content {
            Some(Content::Stimulus(stimulus)) if form.names_any() => {
                Ok((changed, Some(Content::Stimulus(form.over(stimulus)?))))
            }
            _ => Ok((changed, None)),
        }
    });
    Ok(Reply::ok(changed.await?))
}

/// Takes a stimulus out of a new quiz, and answers what it was. Its questions stay, and belong to none.
#[endpoint(
    DELETE "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/stimuli/:id",
    answers(422, "The quiz has been attempted."),
)]
async fn delete_quiz_stimulus(
    cx: Context,
    quiz: ManagedQuiz,
    item: Prefetched<ItemToChange>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    Ok(Reply::ok(changes::delete(&cx, quiz.id, item.record()?.id).await?))
}

fn read(params: Params) -> Result<(Place, StimulusForm)> {
    let params = form::unwrapped(params, &["item"]);
    let StimulusBody { stimulus, position, points_possible } = form::read(params.clone())?;
    let form: StimulusForm = form::read(match stimulus.into_option().map(Unread::into_value) {
        Some(Value::Object(stimulus)) => stimulus,
        _ => form::unwrapped(params, &["entry"]),
    })?;
    Ok((Place { position, points_possible }, form))
}
