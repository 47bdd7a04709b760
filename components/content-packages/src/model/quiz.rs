//! What can be told of quizzes.

use super::{Bank, Blank, BlankAnswer, Blanks, Entry, Group, Interaction, Question, Quiz, TextRule};

impl Quiz {
    /// All its questions, those of groups too.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.entries.iter().flat_map(Entry::questions)
    }

    /// Gives the groups that draw from a bank the questions of that bank, for formats that have no banks. Each question
    /// gets an id of its own, because several groups may draw from one bank.
    pub fn draw_from(&mut self, banks: &[Bank]) {
        for entry in &mut self.entries {
            let Entry::Group(group) = entry else { continue };
            let bank = group.bank.as_ref().filter(|_| group.questions.is_empty());
            let Some(bank) = bank.and_then(|id| banks.iter().find(|bank| bank.id == *id)) else { continue };
            let questions = bank.entries.iter().flat_map(Entry::questions);
            let own =
                |question: &Question| Question { id: format!("{}-{}", group.id, question.id), ..question.clone() };
            group.questions = questions.map(own).collect();
            group.bank = None;
        }
    }

    /// Whether a classic quiz can ask all of it as it is; only a new quiz has the other types of questions.
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

    /// What a student can reach.
    pub fn points_possible(&self) -> f64 {
        self.entries.iter().map(Entry::points_possible).sum()
    }
}

impl Blanks {
    /// Whether all blanks are typed as they are in classic quizzes, or all are chosen.
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

impl Group {
    fn points_possible(&self) -> f64 {
        let count = self.pick_count.unwrap_or_else(|| u32::try_from(self.questions.len()).unwrap_or(u32::MAX));
        let each = self.points.or_else(|| self.questions.first().map(|question| question.points));
        f64::from(count) * each.unwrap_or_default()
    }
}
