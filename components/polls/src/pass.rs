//! What a link says: which page of which session it opens, and for whom.

use serde::Deserialize;
use shared::ids::{PollSessionId, UserId};
use shared::{JsonSchema, Result, Timestamp, signed_links};

const PURPOSE: &str = "poll session";
/// A link lasts as long as a long lecture.
const SECONDS: i64 = 2 * 60 * 60;

/// Whom a page is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Audience {
    /// The live page.
    Teacher,
    /// The voting page.
    Student,
}

/// Who may see which page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pass {
    pub(crate) audience: Audience,
    pub(crate) session: PollSessionId,
    pub(crate) user: UserId,
}

impl Pass {
    /// A ticket, and when it ends.
    pub(crate) async fn issue(self, now: Timestamp) -> Result<(String, Timestamp)> {
        let expires = now.plus_seconds(SECONDS);
        Ok((signed_links::issue(PURPOSE, &self.written(), expires).await?, expires))
    }

    pub(crate) async fn open(ticket: &str, now: Timestamp) -> Result<Option<Self>> {
        Ok(signed_links::open(PURPOSE, ticket, now).await?.as_deref().and_then(Self::read))
    }

    /// Whether it is for that page of that session.
    pub(crate) fn opens(self, session: PollSessionId, audience: Audience) -> bool {
        self.session == session && self.audience == audience
    }

    fn written(self) -> String {
        let Self { audience, session, user } = self;
        let audience = match audience {
            Audience::Teacher => "teacher",
            Audience::Student => "student",
        };
        format!("{audience}.{session}.{user}")
    }

    fn read(text: &str) -> Option<Self> {
        let (audience, ids) = text.split_once('.')?;
        let (session, user) = ids.split_once('.')?;
        let audience = match audience {
            "teacher" => Audience::Teacher,
            "student" => Audience::Student,
            _ => return None,
        };
        Some(Self { audience, session: session.parse().ok()?, user: user.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_read_as_it_was_written() {
        for audience in [Audience::Teacher, Audience::Student] {
            let pass = Pass { audience, session: PollSessionId(31), user: UserId(66) };
            assert_eq!(Pass::read(&pass.written()), Some(pass));
        }
        for text in ["", "teacher", "teacher.1", "teacher.1.x", "admin.1.2"] {
            assert_eq!(Pass::read(text), None, "{text}");
        }
    }
}
