//! The needs of the area's endpoints, and the reads beside them: each is a part of the statement that finds the caller.

use serde::Deserialize;
use shared::auth::Caller;
use shared::db::BuiltRow;
use shared::ids::{PollChoiceId, PollId, PollSessionId, PollSubmissionId};
use shared::needs::{self, Lookup, MatchedPath, Needed, Record, Unjudged};
use shared::prefetch::{List, Pages};
use shared::{Db, Result};

use crate::model::board::Board;
use crate::model::choices::PollChoice;
use crate::model::join_codes;
use crate::model::overview::{Invitation, Overview};
use crate::model::polls::Poll;
use crate::model::sessions::{PollSession, SessionRights};
use crate::model::submissions::PollSubmission;
use crate::store::submissions::{self, Ballot};
use crate::store::{choices, live, polls, sessions};

/// The poll that a path names.
pub(crate) type NeededPoll<R = Unjudged> = Needed<Poll, R>;
/// The session that a path names.
pub(crate) type NeededSession<R = Unjudged> = Needed<PollSession, R>;
/// The caller's rights in the session that a path names.
pub(crate) type NeededBallot<R = Unjudged> = Needed<Ballot, R>;
/// Somebody who wants to ask.
pub(crate) type NeededAsker<R = Unjudged> = Needed<Asker, R>;

/// True if the caller teaches a course.
#[derive(Deserialize)]
pub(crate) struct Asker {
    teaches: bool,
}

impl Record for Asker {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(asker())
    }
}

fn asker() -> Lookup {
    let sql = "SELECT EXISTS (
            SELECT 1 FROM enrollments e JOIN courses c ON c.id = e.course_id AND c.workflow_state <> 'deleted'
            WHERE e.user_id = caller.user_id AND e.type = 'TeacherEnrollment' AND e.workflow_state = 'active'
        ) AS teaches";
    Lookup::new(sql, ())
}

/// True if the caller teaches a course, where that is asked only after something else.
pub(crate) async fn teaches(db: &Db, caller: &Caller) -> Result<bool> {
    Ok(needs::find::<Asker>(db, caller, asker()).await?.teaches)
}

impl Record for Poll {
    const IDS: &'static [&'static str] = &["polls"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(poll(path.id("polls")?))
    }
}

fn poll(id: PollId) -> Lookup {
    Lookup::new(format!("{} WHERE p.id = ?1", polls::select_visible()), (id,))
}

/// The poll, where it is asked for only after something else.
pub(crate) async fn find_poll(db: &Db, caller: &Caller, id: PollId) -> Result<Poll> {
    needs::find(db, caller, poll(id)).await
}

impl Record for PollChoice {
    const IDS: &'static [&'static str] = &["polls", "poll_choices"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (poll, id): (PollId, PollChoiceId) = (path.id("polls")?, path.id("poll_choices")?);
        let which = "WHERE choice.poll_id = ?1 AND choice.id = ?2";
        Ok(Lookup::new(format!("{} {which}", choices::select_visible()), (poll, id)))
    }
}

impl Record for PollSession {
    const IDS: &'static [&'static str] = &["polls", "poll_sessions", "sessions"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(session(path.id("polls")?, session_id(path)?))
    }
}

/// The session that the path of the API or that of a page names.
fn session_id(path: MatchedPath<'_>) -> Result<PollSessionId> {
    match path.behind("poll_sessions")? {
        Some(id) => Ok(id),
        None => path.id("sessions"),
    }
}

fn session(poll: PollId, id: PollSessionId) -> Lookup {
    Lookup::new(sessions::visible(), (poll, id))
}

/// What the caller may do with the session that a path names, which is answered as the database builds it.
pub(crate) type NeededRights<R = Unjudged> = Needed<SessionRights, R>;

impl Record for SessionRights {
    const IDS: &'static [&'static str] = PollSession::IDS;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let ids: (PollId, PollSessionId) = (path.id("polls")?, session_id(path)?);
        Ok(Lookup::new(sessions::rights(), ids))
    }
}

/// The session of the path, alone.
pub(crate) struct SessionOfPath;

impl List for SessionOfPath {
    type Row = BuiltRow<PollSession>;
    const PAGES: Pages = Pages::Whole;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let ids: (PollId, PollSessionId) = (path.id("polls")?, session_id(path)?);
        Ok(Lookup::new(sessions::answered(), ids))
    }
}

/// The session as it is after a change.
pub(crate) async fn find_session(db: &Db, caller: &Caller, poll: PollId, id: PollSessionId) -> Result<PollSession> {
    needs::find(db, caller, session(poll, id)).await
}

impl Record for Ballot {
    const IDS: &'static [&'static str] = &["polls", "poll_sessions"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(ballot(path.id("polls")?, path.id("poll_sessions")?))
    }
}

fn ballot(poll: PollId, session: PollSessionId) -> Lookup {
    Lookup::new(submissions::ballot(), (poll, session))
}

/// The caller's rights in a session, where they are asked for only after something else.
pub(crate) async fn find_ballot(db: &Db, caller: &Caller, poll: PollId, session: PollSessionId) -> Result<Ballot> {
    needs::find(db, caller, ballot(poll, session)).await
}

impl Record for Board {
    const IDS: &'static [&'static str] = &["polls", "sessions"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let (poll, session): (PollId, PollSessionId) = (path.id("polls")?, path.id("sessions")?);
        Ok(Lookup::new(live::board_of_caller(), (poll, session)))
    }
}

impl Record for Overview {
    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new(live::overview(), ()))
    }
}

impl Record for Invitation {
    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let typed: String = path.id("join")?;
        Ok(Lookup::new(live::invitation(), (join_codes::normal(&typed),)))
    }
}

impl Record for PollSubmission {
    const IDS: &'static [&'static str] = &["polls", "poll_sessions", "poll_submissions"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let session: PollSessionId = path.id("poll_sessions")?;
        let id: PollSubmissionId = path.id("poll_submissions")?;
        Ok(Lookup::new(submissions::one(), (session, id)))
    }
}

/// The caller's own polls, the newest first.
pub(crate) struct OwnPolls;

impl List for OwnPolls {
    type Row = BuiltRow<Poll>;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(Lookup::new(polls::own(), ()))
    }
}

/// The choices of a poll, by their position.
pub(crate) struct ChoicesOfPoll;

impl List for ChoicesOfPoll {
    type Row = BuiltRow<PollChoice>;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let poll: PollId = path.id("polls")?;
        Ok(Lookup::new(choices::of_poll(), (poll,)))
    }
}

/// The sessions of a poll: all for those who may change it, for others those that they watch.
pub(crate) struct SessionsOfPoll;

impl List for SessionsOfPoll {
    type Row = BuiltRow<PollSession>;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(sessions::of_poll(path.id("polls")?))
    }
}

/// The sessions in which the caller is asked, of courses that the caller can see: those that are open, or those that are not.
pub(crate) struct OwnSessions<const OPEN: bool>;

impl<const OPEN: bool> List for OwnSessions<OPEN> {
    type Row = BuiltRow<PollSession>;
    const PAGES: Pages = Pages::Numbered;

    fn lookup(_: MatchedPath<'_>) -> Result<Lookup> {
        Ok(sessions::of_caller(OPEN))
    }
}

/// The rights that endpoints ask for.
pub(crate) mod may {
    use shared::needs::Judgement;
    use shared::{Error, Result};

    use super::{Asker, Ballot, Poll, PollSession, SessionRights};

    /// See it.
    pub(crate) struct Read;

    impl Judgement<Poll> for Read {
        const WHO: &'static str = "those who are asked, whoever asks, and those who run a session of the poll.";

        fn judge(poll: &Poll) -> Result<()> {
            poll.require_readable()
        }
    }

    impl Judgement<SessionRights> for Read {
        const WHO: &'static str = "those who are asked, whoever asks, and those who run the session.";

        fn judge(session: &SessionRights) -> Result<()> {
            session.require_readable()
        }
    }

    /// Ask: make polls, or change the poll and ask it.
    pub(crate) struct Ask;

    impl Judgement<Asker> for Ask {
        const WHO: &'static str = "teachers of a course.";

        fn judge(asker: &Asker) -> Result<()> {
            if asker.teaches { Ok(()) } else { Err(Error::forbidden()) }
        }
    }

    impl Judgement<Poll> for Ask {
        const WHO: &'static str = "whoever asks, and administrators of a course that is asked.";

        fn judge(poll: &Poll) -> Result<()> {
            poll.require_changeable()
        }
    }

    /// See the sessions of the poll.
    pub(crate) struct ListSessions;

    impl Judgement<Poll> for ListSessions {
        const WHO: &'static str = "whoever asks, and those who run a session of the poll.";

        fn judge(poll: &Poll) -> Result<()> {
            poll.require_sessions_readable()
        }
    }

    /// Run the session: change, open, close and delete it.
    pub(crate) struct Run;

    impl Judgement<PollSession> for Run {
        const WHO: &'static str = "those who manage the content of the session's course.";

        fn judge(session: &PollSession) -> Result<()> {
            session.require_changeable()
        }
    }

    /// See who chose what in the session, or vote in it.
    pub(crate) struct WatchOrVote;

    impl Judgement<Ballot> for WatchOrVote {
        const WHO: &'static str = "those who are asked, and those who run the session.";

        fn judge(ballot: &Ballot) -> Result<()> {
            if ballot.watches || ballot.takes_part { Ok(()) } else { Err(Error::forbidden()) }
        }
    }
}
