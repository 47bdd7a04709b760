//! The content of a quiz beside its own questions: stimuli, whole banks, and entries of banks.

use serde::Deserialize;
use serde_json::Value;
use shared::db::BuiltJson;
use shared::params::Unread;
use shared::{Context, Form, JsonSchema, Patch, Reply, Result, endpoint, endpoints};

use crate::model::item::{self, QuizItem};
use crate::model::stimulus::{Stimulus, StimulusForm};
use crate::store::items::{self as store, NewEntry, NewItem};
use crate::store::needs::ManagedQuiz;
use questions::form;

endpoints![create_quiz_stimulus];

/// The place and the points of an item.
pub(crate) struct Place {
    pub(crate) position: Patch<i64>,
    pub(crate) points_possible: Patch<f64>,
}

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
    let params = form::unwrapped(body.into_params()?, &["item"]);
    let StimulusBody { stimulus, position, points_possible } = form::read(params.clone())?;
    let place = Place { position, points_possible };
    let form: StimulusForm = form::read(match stimulus.into_option().map(Unread::into_value) {
        Some(Value::Object(stimulus)) => stimulus,
        _ => form::unwrapped(params, &["entry"]),
    })?;
    let stimulus = form.over(Stimulus::default())?;
    let new = NewItem { points_possible: 0.0, ..place.of(NewEntry::Stimulus(stimulus))? };
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, new, cx.now).await?))
}

impl Place {
    pub(crate) fn of(self, entry: NewEntry) -> Result<NewItem> {
        Ok(NewItem {
            position: self.position.into_option().map(item::position).transpose()?,
            points_possible: form::points(self.points_possible.unwrap_or(1.0))?,
            stimulus: None,
            entry,
        })
    }
}
