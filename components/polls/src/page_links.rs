//! The links to the pages of a session: each opens one of them for one user.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use shared::ids::{PollId, PollSessionId, UserId};
use shared::signed_pages::SignedPages;
use shared::texts::ended_link;
use shared::{JsonSchema, Result};

pub(crate) const PAGES: SignedPages = SignedPages { purpose: "poll session", lasts: ended_link::POLL };

/// A session as the paths of its pages name it.
#[derive(Deserialize, Clone, Copy, JsonSchema)]
pub(crate) struct SessionPath {
    pub(crate) poll_id: PollId,
    pub(crate) id: PollSessionId,
}

impl SessionPath {
    /// The path behind which the session's pages stand.
    pub(crate) fn pages(self) -> String {
        format!("/polls/{}/sessions/{}", self.poll_id, self.id)
    }

    /// The path of one of them.
    pub(crate) fn page(self, rest: &str) -> String {
        format!("{}{rest}", self.pages())
    }
}

/// Whom a page is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Audience {
    /// The live page.
    Teacher,
    /// The voting page.
    Student,
}

/// The pages, and those who may see them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pass {
    pub(crate) audience: Audience,
    pub(crate) session: PollSessionId,
    pub(crate) user: UserId,
}

impl Pass {
    /// True if it is for that page of that session.
    pub(crate) fn opens(self, session: PollSessionId, audience: Audience) -> bool {
        self.session == session && self.audience == audience
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { audience, session, user } = self;
        let audience = match audience {
            Audience::Teacher => "teacher",
            Audience::Student => "student",
        };
        write!(f, "{audience}.{session}.{user}")
    }
}

impl FromStr for Pass {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (audience, ids) = text.split_once('.').ok_or(())?;
        let (session, user) = ids.split_once('.').ok_or(())?;
        let audience = match audience {
            "teacher" => Audience::Teacher,
            "student" => Audience::Student,
            _ => return Err(()),
        };
        Ok(Self { audience, session: session.parse().map_err(drop)?, user: user.parse().map_err(drop)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_read_as_it_was_written() {
        for audience in [Audience::Teacher, Audience::Student] {
            let pass = Pass { audience, session: PollSessionId(31), user: UserId(66) };
            assert_eq!(pass.to_string().parse(), Ok(pass));
        }
        for text in ["", "teacher", "teacher.1", "teacher.1.x", "admin.1.2"] {
            assert_eq!(text.parse::<Pass>(), Err(()), "{text}");
        }
    }
}
