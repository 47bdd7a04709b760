//! Properties of quizzes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Bank, Blank, BlankAnswer, Blanks, Entry, Group, Interaction, Question, Quiz, Report, Settings, TextRule};

/// The most questions of a quiz, those that its groups draw from banks too: a quiz is made in memory.
const MAX_QUESTIONS: usize = 20_000;
/// The most options of a question, where each of its parts lists all of them.
const MAX_OPTIONS: usize = 20_000;
/// The most parts of a question: some formats look for each of them in the whole text.
const MAX_PARTS: usize = 2_000;

impl Quiz {
    /// All its questions, those of groups too.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.entries.iter().flat_map(Entry::questions)
    }

    /// Gives the groups that draw from a bank the questions of that bank, for formats that have no banks. Each question
    /// gets an id of its own, because several groups may draw from one bank. A question too many is left out, and told.
    pub fn draw_from(&mut self, banks: &[Bank], report: &mut Report) {
        let banks: BTreeMap<_, _> = banks.iter().map(|bank| (bank.id.as_str(), bank)).collect();
        let mut left = MAX_QUESTIONS.saturating_sub(self.questions().count());
        report.begin(&self.title);
        for entry in &mut self.entries {
            let Entry::Group(group) = entry else { continue };
            let bank = group.bank.as_deref().filter(|_| group.questions.is_empty());
            let Some(bank) = bank.and_then(|id| banks.get(id)) else { continue };
            let count: usize = bank.entries.iter().map(|entry| entry.questions().count()).sum();
            let Some(rest) = left.checked_sub(count) else {
                let message = format!("its questions are left out: the quiz would have more than {MAX_QUESTIONS}");
                report.note(group.title.as_str(), message);
                group.bank = None;
                continue;
            };
            left = rest;
            let questions = bank.entries.iter().flat_map(Entry::questions);
            let own =
                |question: &Question| Question { id: format!("{}-{}", group.id, question.id), ..question.clone() };
            group.questions = questions.map(own).collect();
            group.bank_title.clone_from(&bank.title);
            if bank.entries.iter().any(|entry| matches!(entry, Entry::Stimulus(_))) {
                let message = "the texts beside questions of the bank are left out: nobody draws them";
                report.note(group.title.as_str(), message);
            }
        }
    }

    /// True if a classic quiz can ask all of it as it is; only a new quiz has the other types of questions.
    pub fn is_classic(&self) -> bool {
        let asks_classically = |question: &Question| match &question.interaction {
            Interaction::Categorization(_) | Interaction::Ordering(_) | Interaction::HotSpot(_) => false,
            Interaction::Choice(own) => own.options.iter().all(|choice| choice.points.is_none()),
            Interaction::Blanks(own) => own.words.is_empty() && own.is_of_one_kind(),
            _ => true,
        };
        let is_stimulus = |entry: &Entry| matches!(entry, Entry::Stimulus(_));
        !self.entries.iter().any(is_stimulus) && self.questions().all(asks_classically)
    }

    /// The points that a student can reach.
    pub fn points_possible(&self) -> f64 {
        self.entries.iter().map(Entry::points_possible).sum()
    }
}

impl Question {
    /// True if it has so many parts or options that no format holds it within reason.
    pub fn is_too_large(&self) -> bool {
        let (parts, options) = match &self.interaction {
            Interaction::Choice(own) | Interaction::MultipleAnswers(own) | Interaction::TrueFalse(own) => {
                (own.options.len(), own.options.len())
            }
            Interaction::ShortAnswer(own) => (own.accepted.len(), own.accepted.len()),
            Interaction::Blanks(own) => (own.blanks.len(), own.options()),
            Interaction::Matching(own) => (own.left.len(), own.left.len().saturating_mul(own.right.len())),
            Interaction::Categorization(own) => {
                (own.categories.len(), own.categories.len().saturating_mul(own.answers.len()))
            }
            Interaction::Ordering(own) => (own.items.len(), own.items.len()),
            Interaction::Numeric(own) => (own.len(), own.len()),
            Interaction::Formula(own) => {
                let inputs = own.solutions.iter().map(|solution| solution.inputs.len());
                (own.variables.len(), inputs.sum())
            }
            Interaction::Essay(_) | Interaction::FileUpload(_) | Interaction::HotSpot(_) | Interaction::TextOnly => {
                (0, 0)
            }
        };
        parts > MAX_PARTS || options > MAX_OPTIONS
    }
}

impl Blanks {
    /// The number of options where each blank has its own list.
    fn options(&self) -> usize {
        let of = |blank: &Blank| match &blank.answer {
            BlankAnswer::Typed(own) => own.accepted.len(),
            BlankAnswer::Dropdown(own) => own.options.len(),
            BlankAnswer::Word(_) => self.words.len(),
        };
        self.blanks.iter().map(of).fold(0, usize::saturating_add)
    }

    /// True if all blanks are typed as they are in classic quizzes, or all are chosen.
    fn is_of_one_kind(&self) -> bool {
        let is_typed =
            |blank: &Blank| matches!(&blank.answer, BlankAnswer::Typed(typed) if typed.rule == TextRule::Same);
        let is_chosen = |blank: &Blank| matches!(blank.answer, BlankAnswer::Dropdown(_));
        self.blanks.iter().all(is_typed) || self.blanks.iter().all(is_chosen)
    }
}

impl Entry {
    /// Its questions: none, one, or those of the group.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        let (one, many) = match self {
            Self::Question(question) => (Some(question), [].as_slice()),
            Self::Group(group) => (None, group.questions.as_slice()),
            Self::Stimulus(_) => (None, [].as_slice()),
        };
        one.into_iter().chain(many)
    }

    fn points_possible(&self) -> f64 {
        match self {
            Self::Question(question) => question.points,
            Self::Group(group) => group.points_possible(),
            Self::Stimulus(_) => 0.0,
        }
    }
}

impl Settings {
    /// The time limit in seconds: new quizzes have one that is no number of whole minutes.
    pub fn seconds(&self) -> Option<i64> {
        let own = self.new_quiz.as_ref().and_then(|own| own.get("session_time_limit_in_seconds"));
        let limit = self.time_limit?;
        own.and_then(Value::as_i64).or_else(|| limit.checked_mul(60))
    }
}

impl Group {
    /// The number of the questions that are drawn from.
    pub fn all(&self) -> u32 {
        let own = u32::try_from(self.questions.len()).unwrap_or(u32::MAX);
        self.bank_size.filter(|_| self.questions.is_empty()).unwrap_or(own)
    }

    fn points_possible(&self) -> f64 {
        let count = self.pick_count.unwrap_or_else(|| self.all());
        let each = self.points.or_else(|| self.questions.first().map(|question| question.points));
        f64::from(count) * each.unwrap_or_default()
    }
}
