//! The content of the pages, and the changes since.

use serde::{Deserialize, Serialize};
use shared::JsonSchema;
use shared::db::Json;
use shared::ids::PollChoiceId;
use shared::texts::{Language, poll as texts};

use crate::page_links::Audience;

/// A session as somebody sees it.
#[derive(Deserialize)]
pub(crate) struct Board {
    pub(crate) question: String,
    pub(crate) description: Option<String>,
    pub(crate) is_published: bool,
    has_public_results: bool,
    /// True if the pages keep the results back until the session is closed.
    pub(crate) hides_results: bool,
    /// The code by which a class joins it while it is open.
    pub(crate) join_code: Option<String>,
    watches: bool,
    /// True if the user may open and close it.
    pub(crate) runs: bool,
    takes_part: bool,
    /// The choice of the user.
    own_choice: Option<PollChoiceId>,
    choices: Json<Vec<Bar>>,
}

/// A choice, and how many took it.
#[derive(Deserialize)]
pub(crate) struct Bar {
    pub(crate) id: PollChoiceId,
    pub(crate) text: String,
    votes: i64,
}

/// The changes since a page was shown.
#[derive(Serialize, JsonSchema)]
pub(crate) struct News {
    /// The page is shown anew when it was made in another one.
    state: &'static str,
    /// The number of votes, and whether more are taken: for people.
    summary: String,
    /// One for each choice, where the page shows them.
    bars: Vec<Length>,
}

/// The length of a bar.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Length {
    id: PollChoiceId,
    /// In percent of all votes.
    pub(crate) percent: i64,
    /// The same for people.
    pub(crate) label: String,
}

impl Board {
    /// True if its user has the right to that page.
    pub(crate) fn is_for(&self, audience: Audience) -> bool {
        match audience {
            Audience::Teacher => self.watches,
            Audience::Student => self.takes_part,
        }
    }

    pub(crate) fn choices(&self) -> &[Bar] {
        &self.choices.0
    }

    pub(crate) fn takes_votes(&self) -> bool {
        self.is_published && self.own_choice.is_none()
    }

    /// The text that the user has chosen.
    pub(crate) fn own_answer(&self) -> Option<&str> {
        let own = self.own_choice?;
        self.choices().iter().find(|bar| bar.id == own).map(|bar| bar.text.as_str())
    }

    /// True if the page shows how the votes are spread. Who has not voted yet is not told, so as to be free to choose.
    pub(crate) fn shows_bars(&self, audience: Audience) -> bool {
        let may_see = match audience {
            Audience::Teacher => true,
            Audience::Student => (self.has_public_results || self.watches) && !self.takes_votes(),
        };
        may_see && !self.keeps_results_back()
    }

    /// True as long as nobody is to see how the votes are spread.
    pub(crate) fn keeps_results_back(&self) -> bool {
        self.hides_results && self.is_published
    }

    pub(crate) fn state(&self) -> &'static str {
        match (self.is_published, self.keeps_results_back(), self.own_choice.is_some()) {
            (true, false, false) => "open",
            (true, false, true) => "open, voted",
            (true, true, false) => "open, hidden",
            (true, true, true) => "open, hidden, voted",
            (false, _, false) => "closed",
            (false, _, true) => "closed, voted",
        }
    }

    /// The number of votes, where the page tells it, and whether more are taken.
    pub(crate) fn summary(&self, audience: Audience, language: Language) -> String {
        let state = if self.is_published { texts::IS_OPEN } else { texts::IS_CLOSED }.get(language);
        match audience == Audience::Teacher || self.shows_bars(audience) {
            true => format!("{}. {state}", votes(self.total(), language)),
            false => state.to_owned(),
        }
    }

    pub(crate) fn news(&self, audience: Audience, language: Language) -> News {
        let bars = match self.shows_bars(audience) {
            true => self.choices().iter().map(|bar| self.length(bar, language)).collect(),
            false => Vec::new(),
        };
        News { state: self.state(), summary: self.summary(audience, language), bars }
    }

    pub(crate) fn length(&self, bar: &Bar, language: Language) -> Length {
        let percent = percent(bar.votes, self.total());
        Length { id: bar.id, percent, label: format!("{}, {percent} %", votes(bar.votes, language)) }
    }

    fn total(&self) -> i64 {
        self.choices().iter().map(|bar| bar.votes).sum()
    }
}

fn votes(count: i64, language: Language) -> String {
    match count {
        0 => texts::NO_VOTES.get(language).to_owned(),
        some => texts::VOTES.get(language, some),
    }
}

/// Rounded to the nearest.
fn percent(part: i64, whole: i64) -> i64 {
    part.saturating_mul(100).saturating_add(whole / 2).checked_div(whole).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(is_published: bool, has_public_results: bool, own_choice: Option<PollChoiceId>) -> Board {
        let bar = |id, votes| Bar { id: PollChoiceId(id), text: id.to_string(), votes };
        let choices = Json(vec![bar(1, 2), bar(2, 1)]);
        let question = "Which leaf?".to_owned();
        let (watches, takes_part) = (false, true);
        Board {
            question,
            description: None,
            is_published,
            has_public_results,
            hides_results: false,
            join_code: None,
            watches,
            runs: false,
            takes_part,
            own_choice,
            choices,
        }
    }

    #[test]
    fn parts_are_rounded_and_nothing_of_nothing_is_nothing() {
        assert_eq!([percent(2, 3), percent(1, 3), percent(1, 2), percent(0, 7), percent(0, 0)], [67, 33, 50, 0, 0]);
    }

    fn news(board: Board, audience: Audience) -> News {
        board.news(audience, Language::English)
    }

    #[test]
    fn results_are_kept_back_until_the_session_is_closed() {
        let hiding = |is_published| Board { hides_results: true, ..board(is_published, true, Some(PollChoiceId(1))) };
        for audience in [Audience::Teacher, Audience::Student] {
            let (open, closed) = (news(hiding(true), audience), news(hiding(false), audience));
            assert!(open.bars.is_empty() && closed.bars.len() == 2 && open.state != closed.state);
            assert_eq!(open.summary.contains("votes"), audience == Audience::Teacher, "{}", open.summary);
        }
        assert_ne!(hiding(true).state(), board(true, true, Some(PollChoiceId(1))).state());
    }

    #[test]
    fn votes_are_told_in_the_readers_language() {
        let shown = board(true, true, Some(PollChoiceId(1)));
        let summary = |language| shown.summary(Audience::Teacher, language);
        assert_eq!(summary(Language::English), "3 votes. The poll is open.");
        assert_eq!(summary(Language::German), "3 Stimmen. Die Umfrage ist offen.");
        let bar = shown.choices().last().unwrap();
        assert_eq!(shown.length(bar, Language::Spanish).label, "1 voto, 33 %");
        assert_eq!(votes(0, Language::French), "Aucun vote");
    }

    #[test]
    fn students_see_public_results_once_they_cannot_vote_any_more() {
        let own = Some(PollChoiceId(1));
        for (is_published, has_public_results, own_choice, shown) in [
            (true, true, None, false),
            (true, true, own, true),
            (false, true, None, true),
            (true, false, own, false),
            (false, false, own, false),
        ] {
            let board = board(is_published, has_public_results, own_choice);
            assert_eq!(board.shows_bars(Audience::Student), shown);
            let summary = board.summary(Audience::Student, Language::English);
            assert_eq!(summary.contains("votes"), shown);
            assert!(board.shows_bars(Audience::Teacher));
            assert_eq!(news(board, Audience::Student).bars.is_empty(), !shown);
        }
    }
}
