//! The items of a new quiz. See `docs/contract/quiz-items.md`.
//!
//! Only questions are written here: stimuli, banks and their entries are read, and have endpoints of their own.

use serde::Deserialize;
use shared::db::BuiltJson;
use shared::ids::ItemId;
use shared::params::Unread;
use shared::prefetch::{Prefetched, PrefetchedBuiltList};
use shared::{Context, Error, Form, JsonSchema, Patch, Reply, Result, endpoint, endpoints};

use crate::changes::{self, Place, immutable, is_answered_like};
use crate::model::item::{self, QuizItem};
use crate::store::content::Content;
use crate::store::items::{self as store, Current, ItemOfQuiz, ItemToChange, ItemsOfQuiz, NewEntry, NewItem};
use crate::store::needs::ManagedQuiz;
use questions::form;
use questions::question::{QuestionForm, StoredQuestion};

endpoints![list_quiz_items, get_quiz_item, create_quiz_item, update_quiz_item, delete_quiz_item];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ItemBody {
    item: Patch<Unread<ItemForm>>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ItemForm {
    /// From 1; a position that is taken moves what stands there and behind it; the last when left out.
    position: Patch<i64>,
    /// More than 0; 1 when left out.
    points_possible: Patch<f64>,
    /// `Item`.
    entry_type: Patch<String>,
    /// The stimulus of the quiz that the question belongs to.
    stimulus_quiz_entry_id: Patch<ItemId>,
    #[schemars(with = "Option<questions::described::ByType<QuestionForm>>")]
    entry: Patch<QuestionForm>,
}

impl ItemForm {
    /// The points, where it names nothing else that would change. What is wrong with them is told when it is known what the item is.
    fn points_alone(&self) -> Option<f64> {
        let Self { position: _, points_possible: _, entry_type: _, stimulus_quiz_entry_id, entry } = self;
        let names_more = stimulus_quiz_entry_id.is_present() || entry.is_present();
        self.place().points_alone().filter(|_| !names_more)
    }

    fn place(&self) -> Place {
        Place { position: self.position, points_possible: self.points_possible }
    }
}

/// Lists the items of a new quiz in their order, all of them unless a page is asked for.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/items")]
async fn list_quiz_items(
    cx: Context,
    _quiz: ManagedQuiz,
    items: PrefetchedBuiltList<ItemsOfQuiz>,
) -> Result<Reply<Vec<BuiltJson<QuizItem>>>> {
    Ok(Reply::built_page(items.page(&cx.page_or_whole().await?)?))
}

/// Reads an item.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/items/:item_id")]
async fn get_quiz_item(
    _: Context,
    _quiz: ManagedQuiz,
    item: Prefetched<ItemOfQuiz>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    Ok(Reply::ok(item.record()?.0.into_record()))
}

/// Puts a question into a new quiz.
#[endpoint(POST "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/items")]
async fn create_quiz_item(cx: Context, quiz: ManagedQuiz, body: Form<ItemBody>) -> Result<Reply<BuiltJson<QuizItem>>> {
    let form: ItemForm = form::member(body.decode()?.item, "item")?;
    Ok(Reply::ok(store::insert(&cx.db, quiz.id, new_item(form)?, cx.now).await?))
}

/// The rules of an item come before those of what it holds.
fn new_item(form: ItemForm) -> Result<NewItem> {
    require_question(&form::required(form.entry_type, "item[entry_type]")?)?;
    let question = form::required(form.entry, "item[entry]")?.begin("item[entry]")?;
    Ok(NewItem {
        points_possible: form::points(form.points_possible.unwrap_or(1.0))?,
        position: form.position.into_option().map(item::position).transpose()?,
        stimulus: form.stimulus_quiz_entry_id.into_option(),
        entry: NewEntry::Question(Box::new(questions::checked(question)?)),
    })
}

/// Changes or moves a question.
#[endpoint(PATCH "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/items/:item_id")]
async fn update_quiz_item(
    cx: Context,
    quiz: ManagedQuiz,
    item: Prefetched<ItemToChange>,
    body: Form<ItemBody>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    let item = item.record()?;
    let form: ItemForm = form::member(body.decode()?.item, "item")?;
    if let Patch::Value(entry_type) = &form.entry_type {
        require_question(entry_type)?;
    }
    require_question(&item.entry_type)?;
    if let Some(points) = form.points_alone()
        && let Some(changed) = store::set_points(&cx.db, quiz.id, item.id, points).await?
    {
        return Ok(Reply::ok(changed));
    }
    let changed = changes::change(&cx, quiz.id, item.id, |current, content| {
        let Some(Content::Question(question)) = content else { return Err(Error::not_found()) };
        let (changed, question) = apply(form, current, *question)?;
        Ok((changed, question.map(|question| Content::Question(Box::new(question)))))
    });
    Ok(Reply::ok(changed.await?))
}

/// The item as it is to be, and its question if that is to change. An attempt relies on what was asked and on what is
/// right: once there is one, only the words around it may change.
fn apply(form: ItemForm, current: &Current, question: StoredQuestion) -> Result<(Current, Option<StoredQuestion>)> {
    let changed = Current {
        stimulus_quiz_entry_id: form.stimulus_quiz_entry_id.over(current.stimulus_quiz_entry_id),
        ..form.place().over(current)?
    };
    let changed_question = form.entry.into_option().map(|entry| entry.over(question.clone())).transpose()?;
    let is_same = || {
        changed.is_asked_like(current)
            && changed_question.as_ref().is_none_or(|changed| is_answered_like(changed, &question))
    };
    if current.attempted && !is_same() {
        return Err(immutable());
    }
    Ok((changed, changed_question.map(questions::checked).transpose()?))
}

/// Deletes a question, and answers what it was.
#[endpoint(
    DELETE "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/items/:item_id",
    answers(422, "The item is no question, or the quiz has been attempted."),
)]
async fn delete_quiz_item(
    cx: Context,
    quiz: ManagedQuiz,
    item: Prefetched<ItemToChange>,
) -> Result<Reply<BuiltJson<QuizItem>>> {
    let item = item.record()?;
    require_question(&item.entry_type)?;
    Ok(Reply::ok(changes::delete(&cx, quiz.id, item.id).await?))
}

fn require_question(entry_type: &str) -> Result<()> {
    if entry_type == "Item" {
        return Ok(());
    }
    let message = "must be Item: stimuli, banks and bank entries are changed by endpoints of their own";
    Err(Error::invalid("entry_type", "inclusion", message))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn form(fields: Value) -> ItemForm {
        shared::params::coerce::from_value(fields).unwrap()
    }

    fn stored() -> (Current, StoredQuestion) {
        let current = Current {
            id: ItemId(2),
            position: 1,
            points_possible: 1.0,
            stimulus_quiz_entry_id: None,
            attempted: true,
            is_stimulus: false,
            sample_num: None,
            question_item_id: None,
            stimulus_id: None,
            own_bytes: 0,
        };
        let entry = json!({
            "item_body": "Is it?", "interaction_type_slug": "true-false", "scoring_algorithm": "Equivalence",
            "interaction_data": {"true_choice": "Yes", "false_choice": "No"}, "scoring_data": {"value": true},
        });
        (current, form(json!({ "entry": entry })).entry.into_option().unwrap().create("item[entry]").unwrap())
    }

    #[test]
    fn points_come_before_the_question() {
        let entry = json!({
            "item_body": "", "interaction_type_slug": "riddle", "scoring_algorithm": "x", "calculator_type": "abacus",
            "interaction_data": {}, "scoring_data": {},
        });
        let error = new_item(form(json!({"entry_type": "Item", "points_possible": 0, "entry": entry}))).err().unwrap();
        assert!(error.to_string().contains("points_possible"), "{error}");
        let error = new_item(form(json!({"entry_type": "Item", "entry": entry}))).err().unwrap();
        assert!(error.to_string().contains("interaction_type_slug"), "{error}");
    }

    #[test]
    fn points_are_alone_where_nothing_else_would_change() {
        for (fields, points) in [
            (json!({"points_possible": 2}), Some(2.0)),
            (json!({"points_possible": 2, "entry_type": "Item"}), Some(2.0)),
            (json!({"points_possible": 2, "position": 1}), None),
            (json!({"points_possible": 2, "stimulus_quiz_entry_id": null}), None),
            (json!({"points_possible": 0}), None),
            (json!({"points_possible": null}), None),
            (json!({"position": 1}), None),
        ] {
            assert_eq!(form(fields.clone()).points_alone(), points, "{fields}");
        }
    }

    #[test]
    fn a_question_is_judged_only_when_it_is_sent() {
        let (current, mut question) = stored();
        question.interaction_type_slug = "fill-blank".to_owned();
        let (moved, changed) = apply(form(json!({"position": 3})), &current, question.clone()).unwrap();
        assert_eq!((moved.position, changed), (3, None));
        assert!(apply(form(json!({"entry": {"title": "New"}})), &current, question).is_err());
    }

    #[test]
    fn an_attempt_binds_points_and_answers() {
        let (current, question) = stored();
        assert!(apply(form(json!({"points_possible": 2})), &current, question.clone()).is_err());
        let scored = json!({"entry": {"scoring_data": {"value": false}}});
        assert!(apply(form(scored), &current, question.clone()).is_err());
        let (_, changed) = apply(form(json!({"entry": {"title": "New"}})), &current, question).unwrap();
        assert_eq!(changed.unwrap().title.as_deref(), Some("New"));
    }

    #[test]
    fn the_same_may_be_written_otherwise() {
        let (current, question) = stored();
        let as_of_a_form = json!({"entry": {"title": "New", "scoring_data": {"value": "true"}, "properties": "",
            "interaction_data": {"true_choice": "Yes", "false_choice": "No", "colour": "red"}}});
        let (_, changed) = apply(form(as_of_a_form), &current, question.clone()).unwrap();
        let changed = changed.unwrap();
        assert_eq!(
            (&changed.scoring_data, &changed.interaction_data),
            (&question.scoring_data, &question.interaction_data)
        );
        let other = json!({"entry": {"scoring_data": {"value": "false"}}});
        assert!(apply(form(other), &current, question.clone()).is_err());
        let unfit = json!({"entry": {"scoring_data": {"value": "perhaps"}}});
        assert!(apply(form(unfit), &current, question).err().unwrap().to_string().contains("immutable"));
    }
}
