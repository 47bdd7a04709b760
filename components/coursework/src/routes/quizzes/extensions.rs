//! Extensions: extra attempts and time for single students, and quizzes that are unlocked for them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shared::auth::CourseAccess;
use shared::ids::QuizId;
use shared::needs::{NeededInCourse, may};
use shared::{Context, Error, Form, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::model::quiz_extensions::{ExtensionForm, QuizExtension};
use crate::model::quizzes::Quiz;
use crate::store::quiz_extensions::{self as store, Extent};

/// The most students of a request, and the most extensions that follow from one.
const MAX_STUDENTS: usize = 1000;
const MAX_EXTENSIONS: usize = 10_000;

endpoints![extend_quiz];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ExtensionForms {
    /// One for each student, 1,000 at most.
    quiz_extensions: Vec<ExtensionForm>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct QuizExtensions {
    quiz_extensions: Vec<QuizExtension>,
}

/// Gives students extra attempts or time for a quiz, or unlocks it for them.
#[endpoint(POST "/api/v1/courses/:course_id/quizzes/:quiz_id/extensions")]
async fn extend_quiz(
    cx: Context,
    quiz: NeededInCourse<Quiz, may::ManageGrades>,
    body: Form<ExtensionForms>,
) -> Result<Reply<QuizExtensions>> {
    extend(&cx, &quiz.course, Some(quiz.record.id), body).await
}

/// Keeps extensions of a quiz, or of all quizzes that the course has now: all of them or none.
pub(crate) async fn extend(
    cx: &Context,
    course: &CourseAccess,
    quiz: Option<QuizId>,
    body: Form<ExtensionForms>,
) -> Result<Reply<QuizExtensions>> {
    let forms = body.decode()?.quiz_extensions;
    require_valid(&forms)?;
    let quiz_extensions = cx.db.transaction(async |db| {
        let Extent { quizzes, students } = store::extent(db, course, quiz, &forms).await?;
        if students < forms.len() {
            return Err(Error::invalid("user_id", "invalid", "is not a student of the course"));
        }
        if quizzes.saturating_mul(students) > MAX_EXTENSIONS {
            return Err(Error::bad_request(format!("quiz_extensions are too many (maximum is {MAX_EXTENSIONS})")));
        }
        Ok(store::extend(db, course, quiz, &forms, cx.now).await?)
    });
    Ok(Reply::ok(QuizExtensions { quiz_extensions: quiz_extensions.await? }))
}

fn require_valid(forms: &[ExtensionForm]) -> Result<()> {
    if forms.is_empty() {
        return Err(Error::bad_request("quiz_extensions is missing"));
    }
    if forms.len() > MAX_STUDENTS {
        return Err(Error::bad_request(format!("quiz_extensions are too many (maximum is {MAX_STUDENTS})")));
    }
    let mut students = BTreeSet::new();
    for form in forms {
        form.require_valid()?;
        if !students.insert(form.user_id) {
            return Err(Error::invalid("user_id", "taken", "is named twice"));
        }
    }
    Ok(())
}
