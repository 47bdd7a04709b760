//! Questions of a bank.

use shared::auth::{AccountAccess, CourseAccess};
use shared::needs::Needed;
use shared::prefetch::PrefetchedList;
use shared::{Context, Form, Reply, Result, endpoint, endpoints};

use crate::routes::quizzes::questions::{Question, QuestionForms, create_in};
use crate::store::question_banks::{BankOwner, CallerAsOwner, ChangeBank, OwnedBank, ReadBank};
use crate::store::questions::{Home, QuestionsOfBank};

endpoints![list_questions, create_question];

/// Lists the questions of a bank.
#[endpoint(
    GET "/api/v1/courses/:course_id/question_banks/:id/questions" as list_course_question_bank_questions::<CourseAccess>,
    GET "/api/v1/accounts/:account_id/question_banks/:id/questions" as list_account_question_bank_questions::<AccountAccess> { summary("Lists the questions of a bank of an account") },
    GET "/api/v1/users/self/question_banks/:id/questions" as list_user_question_bank_questions::<CallerAsOwner> { summary("Lists the questions of a bank of the caller's own") },
)]
async fn list_questions<O: BankOwner>(
    cx: Context,
    _: Needed<OwnedBank<O>, ReadBank>,
    questions: PrefetchedList<QuestionsOfBank>,
) -> Result<Reply<Vec<Question>>> {
    Ok(Reply::page(questions.page(&cx.page().await?)?.map(Question::from)))
}

/// Creates a question in a bank.
#[endpoint(
    POST "/api/v1/courses/:course_id/question_banks/:id/questions" as create_course_question_bank_question::<CourseAccess>,
    POST "/api/v1/accounts/:account_id/question_banks/:id/questions" as create_account_question_bank_question::<AccountAccess> { summary("Creates a question in a bank of an account") },
    POST "/api/v1/users/self/question_banks/:id/questions" as create_user_question_bank_question::<CallerAsOwner> { summary("Creates a question in a bank of the caller's own") },
)]
async fn create_question<O: BankOwner>(
    cx: Context,
    bank: Needed<OwnedBank<O>, ChangeBank>,
    body: Form<QuestionForms>,
) -> Result<Reply<Question>> {
    create_in(&cx, Home::Bank(bank.bank.0.id), body).await
}
