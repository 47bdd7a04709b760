//! The items of a session as its student sees them.

use questions::question::StoredQuestion;
use questions::size::MAX_SESSION_BYTES;
use questions::{Question, QuestionError, for_student, seed_of};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::db::Json;
use shared::ids::{QuestionItemId, StimulusId};
use shared::{Error, JsonSchema, Result};

use crate::model::answers::{Answer, AnswerRow};
use crate::model::drawing::DrawnItem;
use crate::model::fewer_choices;
use crate::model::sessions::SessionRow;

/// A question of a session, as it is stored.
#[derive(Clone, Deserialize)]
pub(crate) struct AskedQuestion {
    pub(crate) id: QuestionItemId,
    pub(crate) question: StoredQuestion,
    /// What was right when the session began, if the question was regraded since and that has a say in what is shown.
    #[serde(default)]
    first_key: Option<Json>,
}

impl AskedQuestion {
    /// The question as it is taken. Questions are checked when they are stored.
    pub(crate) fn parsed(&self) -> Result<Question, QuestionError> {
        Question::parse(self.question.clone().into())
    }
}

/// A stimulus of a session, without what students are not told.
#[derive(Clone, Deserialize)]
pub(crate) struct ShownStimulus {
    id: StimulusId,
    title: Option<String>,
    body: Option<String>,
    instructions: Option<String>,
    orientation: String,
}

/// What stands in a session: its questions and stimuli, and what was answered. Each is in the order of its ids, by which it is
/// found: a quiz may have thousands of items.
pub(crate) struct Content {
    questions: Vec<AskedQuestion>,
    stimuli: Vec<ShownStimulus>,
    answers: Vec<AnswerRow>,
    is_too_large: bool,
}

impl Content {
    pub(crate) fn new(
        mut questions: Vec<AskedQuestion>,
        mut stimuli: Vec<ShownStimulus>,
        mut answers: Vec<AnswerRow>,
    ) -> Self {
        questions.sort_by_key(|asked| asked.id);
        stimuli.sort_by_key(|stimulus| stimulus.id);
        answers.sort_by(|one, other| one.item_id.cmp(&other.item_id));
        Self { questions, stimuli, answers, is_too_large: false }
    }

    /// What is asked is more than anybody could be answered.
    pub(crate) fn too_large(answers: Vec<AnswerRow>) -> Self {
        Self { is_too_large: true, ..Self::new(Vec::new(), Vec::new(), answers) }
    }

    /// 409 where what is asked is not there, because it is too large.
    pub(crate) fn require(&self) -> Result<()> {
        require_size(!self.is_too_large)
    }

    pub(crate) fn question(&self, item: &DrawnItem) -> Option<&AskedQuestion> {
        let place = self.questions.binary_search_by_key(&item.question?, |asked| asked.id).ok()?;
        self.questions.get(place)
    }

    fn stimulus(&self, item: &DrawnItem) -> Option<&ShownStimulus> {
        let place = self.stimuli.binary_search_by_key(&item.stimulus?, |stimulus| stimulus.id).ok()?;
        self.stimuli.get(place)
    }

    pub(crate) fn answer(&self, item: &str) -> Option<&AnswerRow> {
        let place = self.answers.binary_search_by(|answer| answer.item_id.as_str().cmp(item)).ok()?;
        self.answers.get(place)
    }

    /// The versions of all answers together: none of them has changed where it is the same.
    pub(crate) fn versions(&self) -> i64 {
        self.answers.iter().map(|answer| answer.version).sum()
    }
}

/// 409 for a quiz that asks more than a session may have.
pub(crate) fn require_size(fits: bool) -> Result<()> {
    if fits {
        return Ok(());
    }
    let most = MAX_SESSION_BYTES / 1024 / 1024;
    Err(Error::conflict(format!("the questions of the quiz are too large to be taken: {most} MiB is the most")))
}

/// The part of a session's content that somebody may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Everything.
    All,
    /// The question at the position of the session, and the stimulus that it is about.
    Current,
    /// That there are items.
    Nothing,
}

/// A question or a stimulus of a session.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SessionItem {
    /// Unique in the session.
    pub(crate) id: String,
    /// `Item` or `Stimulus`.
    pub(crate) entry_type: &'static str,
    /// The place among the questions, of which the first is 1; of a stimulus that of the question behind it.
    pub(crate) position: i64,
    /// 0 of a stimulus; null where results hide it.
    pub(crate) points_possible: Option<f64>,
    /// The item of the stimulus that it is about.
    pub(crate) stimulus_id: Option<String>,
    /// Null of what is not to be seen now, as all that follows.
    pub(crate) title: Option<String>,
    /// Of a question: rich content.
    pub(crate) item_body: Option<String>,
    /// The type of question.
    pub(crate) interaction_type_slug: Option<String>,
    /// `none`, `basic` or `scientific`.
    pub(crate) calculator_type: Option<String>,
    /// What a student must know to answer: its shape depends on the type.
    pub(crate) interaction_data: Option<Value>,
    /// The way in which the question is shown: its shape depends on the type.
    pub(crate) properties: Option<Value>,
    /// Of a stimulus: rich content.
    pub(crate) body: Option<String>,
    /// Of a stimulus: rich content.
    pub(crate) instructions: Option<String>,
    /// Of a stimulus: `top` or `left` of its questions.
    pub(crate) orientation: Option<String>,
    /// Null: nothing was saved, or the session is handed in.
    pub(crate) answer: Option<Answer>,
}

impl SessionItem {
    /// The item without what results hide.
    pub(crate) fn showing(mut self, points_possible: bool, answer: bool) -> Self {
        self.points_possible = self.points_possible.filter(|_| points_possible);
        self.answer = self.answer.filter(|_| answer);
        self
    }
}

/// The items of a session, in the student's order.
pub(crate) fn session_items(row: &SessionRow, content: &Content, sight: Sight) -> Result<Vec<SessionItem>> {
    if sight != Sight::Nothing {
        content.require()?;
    }
    let current = row.items.0.iter().find(|item| item.question.is_some() && item.position == row.position);
    let is_seen = |item: &DrawnItem| match sight {
        Sight::All => true,
        Sight::Nothing => false,
        Sight::Current => {
            let is_about = current.and_then(|current| current.about.as_ref()) == Some(&item.id);
            item.position == row.position && (item.question.is_some() || is_passage(row, item)) || is_about
        }
    };
    row.items.0.iter().map(|item| session_item(row, item, content, is_seen(item), sight)).collect()
}

/// True if no question is about the stimulus.
fn is_passage(row: &SessionRow, stimulus: &DrawnItem) -> bool {
    !row.items.0.iter().any(|item| item.about.as_ref() == Some(&stimulus.id))
}

fn session_item(
    row: &SessionRow,
    drawn: &DrawnItem,
    content: &Content,
    is_seen: bool,
    sight: Sight,
) -> Result<SessionItem> {
    let item = SessionItem {
        id: drawn.id.clone(),
        entry_type: if drawn.question.is_some() { "Item" } else { "Stimulus" },
        position: drawn.position,
        points_possible: Some(drawn.points),
        stimulus_id: drawn.about.clone(),
        title: None,
        item_body: None,
        interaction_type_slug: None,
        calculator_type: None,
        interaction_data: None,
        properties: None,
        body: None,
        instructions: None,
        orientation: None,
        answer: content.answer(&drawn.id).filter(|_| sight != Sight::Nothing).and_then(AnswerRow::shown),
    };
    if !is_seen {
        return Ok(item);
    }
    if let Some(asked) = content.question(drawn) {
        return with_question(row, drawn, asked, item);
    }
    let Some(stimulus) = content.stimulus(drawn).cloned() else { return Ok(item) };
    Ok(SessionItem {
        title: stimulus.title,
        body: stimulus.body,
        instructions: stimulus.instructions,
        orientation: Some(stimulus.orientation),
        ..item
    })
}

fn with_question(row: &SessionRow, drawn: &DrawnItem, asked: &AskedQuestion, item: SessionItem) -> Result<SessionItem> {
    let question = asked.parsed().map_err(Error::internal)?;
    let view = student_view(row, drawn, asked, &question);
    Ok(SessionItem {
        title: asked.question.title.clone(),
        item_body: Some(view.item_body),
        interaction_type_slug: Some(asked.question.interaction_type_slug.clone()),
        calculator_type: Some(asked.question.calculator_type.clone()),
        interaction_data: Some(view.interaction_data),
        properties: Some(view.properties),
        ..item
    })
}

/// What the student of the session sees of a question.
pub(crate) fn student_view(
    row: &SessionRow,
    drawn: &DrawnItem,
    asked: &AskedQuestion,
    question: &Question,
) -> questions::StudentView {
    let seed = seed_of(row.seed(), asked.id.0.cast_unsigned());
    let mut view = for_student(question, seed, drawn.variant, row.quiz_settings.0.shuffle_answers);
    if row.has_fewer_choices {
        let key = asked.first_key.as_ref().unwrap_or(&asked.question.scoring_data);
        fewer_choices::reduce(&mut view.interaction_data, &asked.question, &key.0, seed);
    }
    view
}
