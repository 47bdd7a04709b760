//! What is put into a quiz beside its own questions: stimuli, whole banks, and entries of banks. Beside the spec.

use serde::Deserialize;
use shared::ids::{BankEntryId, BankId};
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::access::{self, QuizPath};
use crate::model::form;
use crate::model::item::{self, QuizItem};
use crate::model::stimulus::{Stimulus, StimulusForm};
use crate::store::banks;
use crate::store::items::{self as store, NewEntry, NewItem};

endpoints![create_quiz_stimulus, add_quiz_bank, add_quiz_bank_entry];

/// Where an item goes, and what it is worth.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Place {
    position: Patch<i64>,
    points_possible: Patch<f64>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it tells the description what is read member by member")]
struct StimulusBody {
    /// May be left out: then its fields stand beside `position`.
    stimulus: StimulusForm,
    position: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
struct BankForm {
    #[serde(default)]
    bank_id: Patch<BankId>,
    /// How many items are drawn; all when left out.
    #[serde(default)]
    sample_num: Patch<i64>,
    #[serde(default)]
    position: Patch<i64>,
    /// Of each item that is drawn; 1 when left out.
    #[serde(default)]
    points_possible: Patch<f64>,
}

#[derive(Deserialize, JsonSchema)]
struct BankEntryForm {
    #[serde(default)]
    bank_entry_id: Patch<BankEntryId>,
    #[serde(default)]
    position: Patch<i64>,
    /// 1 when left out; a stimulus has none.
    #[serde(default)]
    points_possible: Patch<f64>,
}

/// Puts a stimulus into a new quiz.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/stimuli")]
async fn create_quiz_stimulus(
    cx: Context,
    Path(at): Path<QuizPath>,
    body: Form<StimulusBody>,
) -> Result<Reply<QuizItem>> {
    let quiz = access::managed(&cx, &at.course_id, at.assignment_id).await?;
    let params = form::unwrapped(body.into_params(), &["item"]);
    let place: Place = form::read(params.clone())?;
    let form: StimulusForm = form::read(form::unwrapped(params, &["stimulus", "entry"]))?;
    let stimulus = form.over(Stimulus::default())?;
    let new = NewItem { points_possible: 0.0, ..place.of(NewEntry::Stimulus(stimulus))? };
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, new, cx.now).await?))
}

/// Puts a bank into a new quiz, from which items are drawn for each student.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_items")]
async fn add_quiz_bank(cx: Context, Path(at): Path<QuizPath>, body: Form<BankForm>) -> Result<Reply<QuizItem>> {
    let quiz = access::managed(&cx, &at.course_id, at.assignment_id).await?;
    let form: BankForm = form::read(form::unwrapped(body.into_params(), &["item"]))?;
    let id = form::required(form.bank_id, "bank_id")?;
    if !banks::is_in_use(&cx.db, quiz.course.id, id).await? {
        return Err(Error::invalid("bank_id", "invalid", "must be the id of a bank of the course"));
    }
    let sample_num = form.sample_num.into_option();
    if sample_num.is_some_and(|count| count < 1) {
        return Err(Error::invalid("sample_num", "greater_than", "must be greater than 0"));
    }
    let place = Place { position: form.position, points_possible: form.points_possible };
    let new = place.of(NewEntry::Bank { id, sample_num })?;
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, new, cx.now).await?))
}

/// Puts an entry of a bank into a new quiz.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/bank_entries")]
async fn add_quiz_bank_entry(
    cx: Context,
    Path(at): Path<QuizPath>,
    body: Form<BankEntryForm>,
) -> Result<Reply<QuizItem>> {
    let quiz = access::managed(&cx, &at.course_id, at.assignment_id).await?;
    let form: BankEntryForm = form::read(form::unwrapped(body.into_params(), &["item"]))?;
    let id = form::required(form.bank_entry_id, "bank_entry_id")?;
    let Some(entry) = banks::entry_in_use(&cx.db, quiz.course.id, id).await? else {
        return Err(Error::invalid("bank_entry_id", "invalid", "must be the id of an entry of a bank of the course"));
    };
    let place = Place { position: form.position, points_possible: form.points_possible };
    let new = place.of(NewEntry::BankEntry(id))?;
    let points_possible = if entry.is_question { new.points_possible } else { 0.0 };
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, NewItem { points_possible, ..new }, cx.now).await?))
}

impl Place {
    fn of(self, entry: NewEntry) -> Result<NewItem> {
        Ok(NewItem {
            position: self.position.into_option().map(item::position).transpose()?,
            points_possible: item::positive(self.points_possible.unwrap_or(1.0))?,
            stimulus: None,
            entry,
        })
    }
}
