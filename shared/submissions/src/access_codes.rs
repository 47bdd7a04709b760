//! Access codes of quizzes, classic and new: told by the teacher, typed by students, and guessed by nobody.

use shared::auth::secrets;
use shared::clock::MINUTE;
use shared::ids::{AssignmentId, QuizId};
use shared::throttle::{self, Limit};
use shared::{Context, Error, LimitKind, Result};

use crate::rules::denied;

/// The number of times that somebody may be wrong about the code of a quiz.
const WRONG_CODES: Limit = Limit { most: 10, seconds: 15 * MINUTE };

/// The quiz that a code is for.
#[derive(Debug, Clone, Copy)]
pub enum CodeOf {
    Quiz(QuizId),
    NewQuiz(AssignmentId),
}

impl CodeOf {
    fn key(self, cx: &Context) -> Result<String> {
        let user = cx.caller()?.user;
        Ok(match self {
            Self::Quiz(id) => format!("quiz-code/{id}/{user}"),
            Self::NewQuiz(id) => format!("new-quiz-code/{id}/{user}"),
        })
    }
}

/// 403 without the code of a quiz that has one, 429 after too many wrong ones. A try counts before it is compared, so that
/// many at once are no more than one after the other; a right one is taken back.
pub async fn require_code(cx: &Context, of: CodeOf, code: Option<&str>, given: Option<&str>) -> Result<()> {
    let Some(code) = code else { return Ok(()) };
    let Some(given) = given.filter(|given| !given.is_empty()) else { return Err(wrong()) };
    let key = of.key(cx)?;
    throttle::require_turn(cx, LimitKind::AccessCodes, &key, WRONG_CODES).await?;
    if !secrets::same(given, code) {
        return Err(wrong());
    }
    throttle::give_back(&cx.db, &key).await?;
    Ok(())
}

fn wrong() -> Error {
    denied("invalid access code")
}
