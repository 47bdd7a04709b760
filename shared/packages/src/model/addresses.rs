//! Changes all HTML of quizzes, or the addresses in it.

use super::{Bank, BlankAnswer, Choice, Entry, Feedback, Interaction, Question, Quiz, Stimulus, Text};
use crate::html;

/// The change of each HTML.
enum Change<'m> {
    /// Its addresses are replaced: given one, the other, or `None` to keep it.
    Addresses(&'m mut dyn FnMut(&str) -> Option<String>),
    Html(&'m mut dyn FnMut(&mut String)),
}

impl Change<'_> {
    fn html(&mut self, own: &mut String) {
        match self {
            Self::Html(change) => change(own),
            Self::Addresses(map) => {
                if let std::borrow::Cow::Owned(mapped) = html::map_addresses(own, *map) {
                    *own = mapped;
                }
            }
        }
    }

    fn address(&mut self, own: &mut String) {
        if let Self::Addresses(map) = self
            && let Some(mapped) = map(own)
        {
            *own = mapped;
        }
    }
}

impl Quiz {
    /// Replaces addresses in all its HTML: `map` is given one, and gives the other, or `None` to keep it.
    pub fn map_addresses(&mut self, map: &mut dyn FnMut(&str) -> Option<String>) {
        self.change(&mut Change::Addresses(map));
    }

    /// Changes all its HTML.
    pub fn change_html(&mut self, change: &mut dyn FnMut(&mut String)) {
        self.change(&mut Change::Html(change));
    }

    fn change(&mut self, change: &mut Change<'_>) {
        change.html(&mut self.description);
        self.entries.iter_mut().for_each(|own| entry(own, change));
    }
}

impl Entry {
    /// Replaces addresses in all its HTML: `map` is given one, and gives the other, or `None` to keep it.
    pub fn map_addresses(&mut self, map: &mut dyn FnMut(&str) -> Option<String>) {
        entry(self, &mut Change::Addresses(map));
    }

    /// Changes all its HTML.
    pub fn change_html(&mut self, change: &mut dyn FnMut(&mut String)) {
        entry(self, &mut Change::Html(change));
    }
}

impl Bank {
    /// Replaces addresses in all its HTML: `map` is given one, and gives the other, or `None` to keep it.
    pub fn map_addresses(&mut self, map: &mut dyn FnMut(&str) -> Option<String>) {
        self.entries.iter_mut().for_each(|own| entry(own, &mut Change::Addresses(&mut *map)));
    }

    /// Changes all its HTML.
    pub fn change_html(&mut self, change: &mut dyn FnMut(&mut String)) {
        self.entries.iter_mut().for_each(|own| entry(own, &mut Change::Html(&mut *change)));
    }
}

fn entry(own: &mut Entry, change: &mut Change<'_>) {
    match own {
        Entry::Question(own) => question(own, change),
        Entry::Group(group) => group.questions.iter_mut().for_each(|own| question(own, change)),
        Entry::Stimulus(Stimulus { body, instructions, .. }) => {
            change.html(body);
            change.html(instructions);
        }
    }
}

fn question(own: &mut Question, change: &mut Change<'_>) {
    let Feedback { neutral, correct, incorrect } = &mut own.feedback;
    [&mut own.body, neutral, correct, incorrect].into_iter().for_each(|own| change.html(own));
    match &mut own.interaction {
        Interaction::Choice(own) | Interaction::MultipleAnswers(own) | Interaction::TrueFalse(own) => {
            choices(&mut own.options, change);
        }
        Interaction::ShortAnswer(own) => choices(&mut own.accepted, change),
        Interaction::Blanks(own) => {
            choices(&mut own.words, change);
            for blank in &mut own.blanks {
                match &mut blank.answer {
                    BlankAnswer::Typed(own) => choices(&mut own.accepted, change),
                    BlankAnswer::Dropdown(own) => choices(&mut own.options, change),
                    BlankAnswer::Word(_) => {}
                }
            }
        }
        Interaction::Matching(own) => {
            choices(&mut own.right, change);
            for left in &mut own.left {
                text(&mut left.text, change);
                change.html(&mut left.feedback);
            }
        }
        Interaction::Categorization(own) => {
            choices(&mut own.answers, change);
            own.categories.iter_mut().for_each(|category| text(&mut category.text, change));
        }
        Interaction::Ordering(own) => choices(&mut own.items, change),
        Interaction::Numeric(numbers) => numbers.iter_mut().for_each(|number| change.html(&mut number.feedback)),
        Interaction::HotSpot(own) => change.address(&mut own.image),
        Interaction::Formula(_) | Interaction::Essay(_) | Interaction::FileUpload(_) | Interaction::TextOnly => {}
    }
}

fn choices(own: &mut [Choice], change: &mut Change<'_>) {
    for choice in own {
        text(&mut choice.text, change);
        change.html(&mut choice.feedback);
    }
}

fn text(own: &mut Text, change: &mut Change<'_>) {
    if let Text::Html(own) = own {
        change.html(own);
    }
}
