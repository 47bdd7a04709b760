//! What is put into a quiz beside its own questions: stimuli, whole banks, and entries of banks.

use serde::Deserialize;
use shared::{Context, Form, JsonSchema, Patch, Reply, Result, endpoint, endpoints};

use crate::access::ManagedQuiz;
use crate::model::form;
use crate::model::item::{self, QuizItem};
use crate::model::stimulus::{Stimulus, StimulusForm};
use crate::store::items::{self as store, NewEntry, NewItem};

endpoints![create_quiz_stimulus];

/// Where an item goes, and what it is worth.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Place {
    pub(crate) position: Patch<i64>,
    pub(crate) points_possible: Patch<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it tells the description what is read member by member")]
struct StimulusBody {
    /// May be left out: then its fields stand beside `position`.
    stimulus: StimulusForm,
    position: Option<i64>,
}

/// Puts a stimulus into a new quiz.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/stimuli")]
async fn create_quiz_stimulus(cx: Context, quiz: ManagedQuiz, body: Form<StimulusBody>) -> Result<Reply<QuizItem>> {
    let params = form::unwrapped(body.into_params(), &["item"]);
    let place: Place = form::read(params.clone())?;
    let form: StimulusForm = form::read(form::unwrapped(params, &["stimulus", "entry"]))?;
    let stimulus = form.over(Stimulus::default())?;
    let new = NewItem { points_possible: 0.0, ..place.of(NewEntry::Stimulus(stimulus))? };
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, new, cx.now).await?))
}

impl Place {
    pub(crate) fn of(self, entry: NewEntry) -> Result<NewItem> {
        Ok(NewItem {
            position: self.position.into_option().map(item::position).transpose()?,
            points_possible: item::positive(self.points_possible.unwrap_or(1.0))?,
            stimulus: None,
            entry,
        })
    }
}
