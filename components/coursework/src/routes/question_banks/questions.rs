//! Questions of a bank.

use shared::{Context, Form, Path, Reply, Result, endpoint, endpoints};

use crate::routes::question_banks::{OfAccount, OfCaller, OfCourse, One, Owned, find};
use crate::routes::quizzes::questions::{Question, QuestionForms, create_in};
use crate::store::questions::{self, Home};

endpoints![list_questions, create_question];

/// Lists the questions of a bank.
#[endpoint(
    GET "/api/v1/courses/:course_id/question_banks/:id/questions" as list_course_question_bank_questions::<OfCourse>,
    GET "/api/v1/accounts/:account_id/question_banks/:id/questions" as list_account_question_bank_questions::<OfAccount> { summary("Lists the questions of a bank of an account") },
    GET "/api/v1/users/self/question_banks/:id/questions" as list_user_question_bank_questions::<OfCaller> { summary("Lists the questions of a bank of the caller's own") },
)]
async fn list_questions<P: Owned>(cx: Context, Path(at): Path<One<P>>) -> Result<Reply<Vec<Question>>> {
    let (_, _, access) = find(&cx, &at).await?;
    access.require_read()?;
    let questions = questions::page(&cx.db, Home::Bank(at.id), &cx.page().await?).await?;
    Ok(Reply::page(questions.map(Question::from)))
}

/// Creates a question in a bank.
#[endpoint(
    POST "/api/v1/courses/:course_id/question_banks/:id/questions" as create_course_question_bank_question::<OfCourse>,
    POST "/api/v1/accounts/:account_id/question_banks/:id/questions" as create_account_question_bank_question::<OfAccount> { summary("Creates a question in a bank of an account") },
    POST "/api/v1/users/self/question_banks/:id/questions" as create_user_question_bank_question::<OfCaller> { summary("Creates a question in a bank of the caller's own") },
)]
async fn create_question<P: Owned>(
    cx: Context,
    Path(at): Path<One<P>>,
    body: Form<QuestionForms>,
) -> Result<Reply<Question>> {
    let (_, _, access) = find(&cx, &at).await?;
    access.require_write()?;
    create_in(&cx, Home::Bank(at.id), body).await
}
