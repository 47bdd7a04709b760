//! A quiz as systems exchange it: what classic quizzes and new quizzes have in common, and what only one of them has.
//!
//! It is made of what is stored ([`crate::classic`], [`crate::items`]) or read from a package, and turned into the other.

#![expect(missing_docs, reason = "fields of records; those that are not obvious are described")]

mod addresses;
mod quiz;
mod report;

use std::borrow::Cow;

pub use report::{Note, Report};

use crate::html;

/// A quiz with all that its students may be asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quiz {
    /// Unique in the package: the identifiers in its files are derived from it.
    pub id: String,
    /// In plain text.
    pub title: String,
    /// Instructions in HTML.
    pub description: String,
    pub settings: Settings,
    pub entries: Vec<Entry>,
}

/// The settings of a quiz. A package does not say those that are `None`.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Settings {
    /// `practice_quiz`, `assignment`, `graded_survey`, or `survey`.
    pub quiz_type: Option<String>,
    /// In minutes.
    pub time_limit: Option<i64>,
    /// -1 is without limit.
    pub allowed_attempts: Option<i64>,
    /// `keep_highest`, `keep_latest`, or `keep_average`.
    pub scoring_policy: Option<String>,
    pub shuffle_answers: Option<bool>,
    pub shuffle_questions: Option<bool>,
    pub show_correct_answers: Option<bool>,
    pub show_correct_answers_last_attempt: Option<bool>,
    pub show_correct_answers_at: Option<String>,
    pub hide_correct_answers_at: Option<String>,
    /// True if students see their results once after each attempt.
    pub one_time_results: Option<bool>,
    pub one_question_at_a_time: Option<bool>,
    pub cant_go_back: Option<bool>,
    pub hide_results: Option<String>,
    pub access_code: Option<String>,
    /// Addresses and networks, separated by commas.
    pub ip_filter: Option<String>,
    pub anonymous_submissions: Option<bool>,
    /// True if it is only for students who have dates of their own.
    pub only_visible_to_overrides: Option<bool>,
    pub due_at: Option<String>,
    pub unlock_at: Option<String>,
    pub lock_at: Option<String>,
    /// True if students see it.
    pub published: Option<bool>,
    /// The way in which its assignment is graded, such as `points` or `percent`.
    #[serde(skip)]
    pub grading_type: Option<String>,
    /// The points of its assignment, where they are not those of its questions.
    #[serde(skip)]
    pub points_possible: Option<f64>,
    /// True if graders of its assignment do not see whose work they grade.
    #[serde(skip)]
    pub anonymous_grading: Option<bool>,
    /// True if grades of its assignment are hidden until they are posted; `None` leaves that to the course.
    #[serde(skip)]
    pub post_manually: Option<bool>,
    /// The number of attempts that its assignment names, and the quiz does not ask for; `None` is without limit.
    #[serde(skip)]
    pub attempts_of_assignment: Option<i64>,
    /// All settings of a new quiz, as its API names them. Of a package that is read, numbers and truth are texts.
    #[serde(skip)]
    pub new_quiz: Option<serde_json::Map<String, serde_json::Value>>,
}

/// The entry at one position of a quiz.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    Question(Question),
    Group(Group),
    Stimulus(Stimulus),
}

/// Questions of which each student gets some, each worth the same. A whole bank in a quiz is a group, too.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    pub id: String,
    pub title: String,
    /// The number of those that are picked; `None`: all.
    pub pick_count: Option<u32>,
    /// The points of each; `None`: as the question says.
    pub points: Option<f64>,
    /// The id of the bank that the questions come from. The package has it as a [`Bank`], unless it has `questions`.
    pub bank: Option<String>,
    /// The title of that bank, where it is not told elsewhere.
    pub bank_title: String,
    /// The number of questions of that bank, if it is known.
    pub bank_size: Option<u32>,
    pub questions: Vec<Question>,
}

/// Questions kept for use in quizzes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bank {
    /// Unique in the package.
    pub id: String,
    pub title: String,
    pub entries: Vec<Entry>,
}

/// A text or picture that several questions are about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stimulus {
    pub id: String,
    pub title: String,
    /// HTML.
    pub body: String,
    /// HTML.
    pub instructions: String,
    pub source_url: String,
    /// `top` or `left`.
    pub orientation: String,
    /// True if it is text without questions.
    pub passage: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Unique in the package, for example `question-17` of a classic quiz and `item-17` of a new one.
    pub id: String,
    /// In plain text.
    pub title: String,
    /// HTML. Blanks are their names in brackets: `The [planet] orbits`.
    pub body: String,
    pub points: f64,
    pub feedback: Feedback,
    /// `none`, `basic`, or `scientific`.
    pub calculator: Option<String>,
    /// The id of the stimulus it is about.
    pub stimulus: Option<String>,
    pub interaction: Interaction,
}

/// The texts for students afterwards, in HTML. Empty: nothing.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Feedback {
    /// Whatever the answer was.
    pub neutral: String,
    pub correct: String,
    pub incorrect: String,
}

/// The interaction with students, and the right answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Interaction {
    /// One of the options is right.
    Choice(Choices),
    MultipleAnswers(Choices),
    /// The true one stands first.
    TrueFalse(Choices),
    /// One typed answer.
    ShortAnswer(Typed),
    Blanks(Blanks),
    Matching(Matching),
    Categorization(Categorization),
    Ordering(Ordering),
    Numeric(Vec<Number>),
    Formula(Formula),
    Essay(Essay),
    FileUpload(FileUpload),
    HotSpot(HotSpot),
    TextOnly,
}

/// Something to read.
#[derive(Debug, Clone, PartialEq)]
pub enum Text {
    Plain(String),
    Html(String),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    pub options: Vec<Choice>,
    /// True if each student sees them in another order.
    pub shuffled: bool,
    /// The zero-based places that keep their option all the same.
    pub locked: Vec<i64>,
    /// True if some of the right options are worth some of the points.
    pub partial: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    /// Unique in the question.
    pub id: String,
    pub text: Text,
    /// HTML.
    pub feedback: String,
    pub right: bool,
    /// The points of this option where each has its own.
    pub points: Option<f64>,
}

/// Answers that are accepted as typed text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Typed {
    /// In plain text; the first is the one to show.
    pub accepted: Vec<Choice>,
    pub rule: TextRule,
    /// The text to show in its place, in plain text, where that is not the first accepted one: nobody reads an expression.
    pub shown: Option<String>,
}

/// When a typed text is as good as an accepted one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum TextRule {
    /// It is the same.
    #[default]
    Same,
    Contains,
    CloseEnough {
        ignore_case: bool,
        /// Levenshtein's.
        distance: i64,
    },
    /// The accepted one is a regular expression.
    Regex,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Blanks {
    /// In the order of the body.
    pub blanks: Vec<Blank>,
    /// The words that blanks share which are filled from a bank of them; plain text.
    pub words: Vec<Choice>,
    /// True if a word may fill several blanks.
    pub reuse_words: bool,
    /// True for the older type of new quizzes, whose sentence stands in pieces: the last paragraph of the body.
    pub in_pieces: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Blank {
    /// The name that marks it in the body.
    pub name: String,
    pub answer: BlankAnswer,
}

#[derive(Debug, Clone, PartialEq)]
pub enum BlankAnswer {
    Typed(Typed),
    Dropdown(Choices),
    /// The id of a word.
    Word(String),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matching {
    pub left: Vec<Left>,
    /// The choices: the right halves and the distractors, in plain text; `right` has no meaning.
    pub right: Vec<Choice>,
    pub shuffled: bool,
    /// True if some of the matches are worth some of the points.
    pub partial: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Left {
    pub id: String,
    pub text: Text,
    /// HTML.
    pub feedback: String,
    /// The id of its other half.
    pub right: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Categorization {
    /// In the order in which they are shown.
    pub categories: Vec<Category>,
    /// All answers, those of no category too; `right` has no meaning.
    pub answers: Vec<Choice>,
    /// The way in which the categories make up the score, as new quizzes name it.
    pub score_method: Option<String>,
    pub shuffled: bool,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Category {
    pub id: String,
    pub text: Text,
    /// The ids of the answers that belong into it.
    pub members: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ordering {
    /// In the right order; `right` has no meaning.
    pub items: Vec<Choice>,
    pub top_label: Option<String>,
    pub bottom_label: Option<String>,
    /// True if the labels are shown.
    pub labelled: bool,
    /// True if they stand side by side.
    pub paragraph: bool,
}

/// A number that is accepted. Numbers are texts, so that they stay as they were written.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    pub id: String,
    pub accepted: Accepted,
    /// HTML.
    pub feedback: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Accepted {
    Exact { value: String },
    Margin { value: String, margin: String, percent: bool },
    Range { start: String, end: String },
    Precise { value: String, precision: String, significant: bool },
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Formula {
    /// The last gives the result; those before it give names to steps.
    pub formulas: Vec<String>,
    pub variables: Vec<Variable>,
    pub tolerance: String,
    /// True if the tolerance is a part of the result.
    pub percent: bool,
    pub decimal_places: i64,
    pub solutions: Vec<Solution>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variable {
    pub name: String,
    pub min: String,
    pub max: String,
    /// Decimal places.
    pub scale: i64,
}

/// The result of a formula for some values of its variables.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solution {
    /// Names and values.
    pub inputs: Vec<(String, String)>,
    pub output: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Essay {
    /// True if it is written in the rich editor.
    pub rich: Option<bool>,
    pub word_count: Option<bool>,
    pub spell_check: Option<bool>,
    pub word_limit: Option<bool>,
    pub fewest_words: Option<String>,
    pub most_words: Option<String>,
    /// For whoever grades it.
    pub notes: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileUpload {
    /// The most files.
    pub count: Option<u32>,
    /// Suffixes.
    pub types: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct HotSpot {
    /// Its address.
    pub image: String,
    /// At least one.
    pub spots: Vec<Spot>,
    /// The number of places that are chosen among a list of spots; `None`: there is one spot, which stands alone.
    pub places: Option<usize>,
    /// True if a list earns all points or none; otherwise each place has its share.
    pub whole: bool,
}

/// A part of an image that is right.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Empty of one that stands alone.
    pub id: String,
    pub shape: Shape,
    /// In fractions of the image's width and height. Of an oval: its centre, and its width with its height.
    pub points: Vec<(f64, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    Oval,
    Square,
    Polygon,
}

impl Default for Text {
    fn default() -> Self {
        Self::Plain(String::new())
    }
}

impl Text {
    /// As it was written, whichever it is.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Html(text) => text,
        }
    }
}

impl Text {
    /// As HTML.
    pub fn html(&self) -> Cow<'_, str> {
        match self {
            Self::Plain(text) => html::escaped(text).into(),
            Self::Html(text) => text.into(),
        }
    }

    /// True if it shows something that is lost where it becomes plain text.
    pub(crate) fn has_media(&self) -> bool {
        matches!(self, Self::Html(text) if html::has_media(text))
    }

    /// As plain text.
    pub fn plain(&self) -> Cow<'_, str> {
        match self {
            Self::Plain(text) => text.into(),
            Self::Html(text) => html::plain(text).into(),
        }
    }
}

impl Shape {
    pub(crate) const NAMES: [(Self, &'static str); 3] =
        [(Self::Oval, "oval"), (Self::Square, "square"), (Self::Polygon, "polygon")];

    pub(crate) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(shape, _)| *shape == self).map_or("", |(_, name)| name)
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, own)| *own == name).map(|(shape, _)| *shape)
    }
}
