//! The caller's active conversation, as their page shows it.

use serde::Deserialize;
use shared::Timestamp;
use shared::db::Json;
use shared::ids::AiConversationId;
use uuid::Uuid;

use crate::model::conversations::Progress;
use crate::model::prompt;

/// The active conversation of whoever opens the page.
#[derive(Deserialize)]
pub(crate) struct OwnTalk {
    pub(crate) id: AiConversationId,
    /// Oldest first.
    messages: Json<Vec<Said>>,
    pub(crate) progress: Option<Json<Progress>>,
    /// Until then the answer to the last message is being written.
    answering_until: Option<Timestamp>,
}

/// The words of one side, with the caller's vote on them.
#[derive(Deserialize)]
pub(crate) struct Said {
    pub(crate) id: Uuid,
    pub(crate) by_user: bool,
    pub(crate) text: String,
    pub(crate) vote_id: Option<Uuid>,
    /// `liked` or `disliked`.
    pub(crate) vote: Option<String>,
    /// The words that go with the vote.
    pub(crate) vote_words: Option<String>,
}

impl OwnTalk {
    /// What both sides have said. The greeting that stands before the tutor's first words is nobody's.
    pub(crate) fn said(&self) -> &[Said] {
        match self.messages.0.as_slice() {
            [first, rest @ ..] if first.by_user && first.text == prompt::SEED => rest,
            all => all,
        }
    }

    /// The last message, if it has no answer yet.
    pub(crate) fn unanswered(&self) -> Option<&Said> {
        self.said().last().filter(|last| last.by_user)
    }

    /// True if the answer is being written.
    pub(crate) fn is_answering(&self, now: Timestamp) -> bool {
        self.unanswered().is_some() && self.answering_until.is_some_and(|until| now < until)
    }

    /// The message of that id.
    pub(crate) fn message(&self, id: &str) -> Option<&Said> {
        self.said().iter().find(|said| said.id.to_string() == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(texts: &[(bool, &str)]) -> OwnTalk {
        let said = |(by_user, text): &(bool, &str)| Said {
            id: Uuid::nil(),
            by_user: *by_user,
            text: (*text).to_owned(),
            vote_id: None,
            vote: None,
            vote_words: None,
        };
        let messages = Json(texts.iter().map(said).collect());
        OwnTalk { id: AiConversationId(1), messages, progress: None, answering_until: Timestamp::from_unix(100) }
    }

    #[test]
    fn the_seed_is_nobodys_and_the_last_message_may_wait() {
        let texts = [(true, prompt::SEED), (false, "Hello!"), (true, prompt::SEED)];
        let (begun, waiting) = (talk(&texts[..2]), talk(&texts));
        assert_eq!((begun.said().len(), waiting.said().len()), (1, 2));
        assert!(begun.unanswered().is_none() && waiting.unanswered().is_some());
        let at = |second| Timestamp::from_unix(second).unwrap();
        assert!(waiting.is_answering(at(99)) && !waiting.is_answering(at(100)) && !begun.is_answering(at(99)));
    }
}
