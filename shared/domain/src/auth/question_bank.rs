//! Banks of classic questions: who may read one. Areas that name or copy the questions of a bank ask here.

use std::collections::BTreeSet;

use database::{Db, Json};
use serde::Deserialize;
use serde_json::json;
use types::ids::{QuestionBankId, UserId};

use super::Right;
use crate::administers_account;

/// Those of the banks that the user may read: the user's own, those of courses in which the user is staff, and those of
/// accounts and courses that the user administers.
pub async fn readable_question_banks(
    db: &Db,
    user: UserId,
    banks: &[QuestionBankId],
) -> database::Result<BTreeSet<QuestionBankId>> {
    #[derive(Deserialize)]
    struct Bank {
        id: QuestionBankId,
    }
    let banks: Vec<_> = banks.iter().map(|bank| bank.0).collect();
    let sql = format!(
        "SELECT b.id FROM question_banks b
         JOIN users u ON u.id = ?1 AND (u.site_admin OR u.root_account_id = b.root_account_id)
         LEFT JOIN courses c ON c.id = b.course_id
         WHERE b.id IN (SELECT value FROM json_each(?2)) AND b.workflow_state = 'active'
           AND u.workflow_state <> 'deleted' AND ifnull(c.workflow_state, '') <> 'deleted'
           AND (b.user_id = u.id
                OR (b.user_id IS NULL AND (
                    u.site_admin
                    OR EXISTS (SELECT 1 FROM enrollments e
                               WHERE e.user_id = u.id AND e.course_id = b.course_id AND e.workflow_state = 'active'
                                 AND e.type IN {})
                    OR {})))",
        Right::ReadAsStaff.roles_sql(),
        administers_account!("u.id", "ifnull(b.account_id, c.account_id)"),
    );
    let readable: Vec<Bank> = db.fetch_all(&sql, (user, Json(json!(banks)))).await?;
    Ok(readable.into_iter().map(|bank| bank.id).collect())
}
