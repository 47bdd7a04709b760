//! The order of questions and groups in a classic quiz. Two areas change it: the quiz as a whole, and each group.
//!
//! See "Reorder" in `docs/contract/quiz-groups.md`. A name in an order that the quiz has not is passed over.

use database::{Db, Json};
use serde::Deserialize;
use serde_json::{Value, json};
use types::JsonSchema;
use types::clock::Timestamp;
use types::ids::{GroupId, QuizId};
use web::params;

/// An order, from the first to the last.
#[derive(Deserialize, JsonSchema)]
pub struct Order {
    order: Vec<Entry>,
}

/// A name of nothing in the quiz is passed over.
#[derive(Deserialize, JsonSchema)]
struct Entry {
    #[serde(default)]
    id: Value,
    /// `question` or `group`; in a group, where all are questions, it may be left out.
    #[serde(default)]
    r#type: Option<String>,
}

const QUESTION: &str = "question";
const GROUP: &str = "group";

/// The part of an order that the quiz has, with its positions from 1, each in the order of its first mention.
const RESOLVED: &str = "WITH named AS (
         SELECT value ->> 0 AS type, value ->> 1 AS id, min(key) AS place FROM json_each(?2) GROUP BY 1, 2
     ), resolved AS (
         SELECT type, id, row_number() OVER (ORDER BY place) AS position FROM named
         WHERE (type = 'question' AND id IN (
                    SELECT id FROM quiz_questions WHERE quiz_id = ?1 AND workflow_state = 'active'))
            OR (type = 'group' AND id IN (SELECT id FROM quiz_groups WHERE quiz_id = ?1))
     )";

impl Order {
    /// Puts the quiz in this order. Every question that is named moves into the group, or out of all groups.
    pub async fn apply(self, db: &Db, quiz: QuizId, group: Option<GroupId>, now: Timestamp) -> database::Result<()> {
        let unnamed = group.map(|_| QUESTION.to_owned());
        let named = |entry: Entry| Some((entry.r#type.or_else(|| unnamed.clone())?, params::integer(&entry.id)?));
        let named: Vec<_> = self.order.into_iter().filter_map(named).collect();
        let has_groups = named.iter().any(|(kind, _)| kind == GROUP);
        let named = Json(json!(named));
        if !has_groups {
            return order_questions(db, quiz, &named, group, now).await;
        }
        db.transaction(async |db| {
            order_questions(db, quiz, &named, group, now).await?;
            let groups = format!(
                "{RESOLVED} UPDATE quiz_groups SET position = resolved.position, updated_at = ?3
                 FROM resolved WHERE resolved.type = 'group' AND resolved.id = quiz_groups.id"
            );
            db.execute(&groups, (quiz, named.clone(), now)).await
        })
        .await
    }
}

async fn order_questions(
    db: &Db,
    quiz: QuizId,
    named: &Json<Value>,
    group: Option<GroupId>,
    now: Timestamp,
) -> database::Result<()> {
    let questions = format!(
        "{RESOLVED} UPDATE quiz_questions
         SET position = resolved.position, quiz_group_id = ?3, updated_at = ?4
         FROM resolved WHERE resolved.type = 'question' AND resolved.id = quiz_questions.id"
    );
    db.execute(&questions, (quiz, named.clone(), group, now)).await
}
