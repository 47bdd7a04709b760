//! The rights to a poll and its sessions, as parts of statements: lists ask it for each of their rows.
//! See "Who" in `docs/contract/polls.md`.
//!
//! In them `u` is the user, `p` a poll, `s` one of its sessions and `c` the session's course.

use std::borrow::Cow;

use shared::auth::{Right, open_states_sql};
use shared::{administers_account, may_come_in, section_limit};

/// Joins a user to the polls of the user's tenant; those who administer the site know every tenant's.
macro_rules! joined {
    ($id:literal) => {
        concat!(
            "
    JOIN users u ON u.id = ",
            $id,
            " AND u.workflow_state <> 'deleted' AND (u.site_admin OR u.root_account_id = p.root_account_id)
    JOIN accounts tenant ON tenant.id = u.root_account_id AND tenant.workflow_state = 'active'"
        )
    };
}

/// Joins the user `?1`, who comes without a token.
pub(super) const USER: &str = concat!(joined!("?1"), " AND ", may_come_in!("u"));

/// Joins the caller, in what is looked up with the token.
pub(super) const CALLER: &str = joined!("caller.user_id");

/// True if the user administers the site, or an account above the course.
const ADMINISTERS: &str = concat!("(u.site_admin OR ", administers_account!("u.id", "c.account_id"), ")");

/// True if the user is one of the staff of the course, who manage its content.
fn is_staff() -> String {
    format!(
        "EXISTS (
            SELECT 1 FROM enrollments
            WHERE user_id = u.id AND course_id = c.id AND workflow_state = 'active' AND type IN {})",
        Right::ManageAssignments.roles_sql()
    )
}

/// True if the user is active in the section that is asked, or in the course when all of it is.
pub(super) const IS_ASKED: &str = "EXISTS (
    SELECT 1 FROM enrollments
    WHERE user_id = u.id AND course_id = c.id AND workflow_state = 'active'
      AND course_section_id = ifnull(s.course_section_id, course_section_id))";

/// The sections of the course that the user's enrollments limit the user to, as a list in JSON, or null.
const ENROLLED_LIMIT: &str = section_limit!("u.id", "c.id");

/// The facts that rights to a session follow from, each as an expression.
pub(super) struct Facts {
    pub(super) user: &'static str,
    /// The section that is asked; null: the whole course.
    section: &'static str,
    course: &'static str,
    /// The state of the course.
    course_state: &'static str,
    is_public: &'static str,
    /// True if the poll is the user's own.
    is_own: &'static str,
    is_asked: &'static str,
    enrolled_limit: &'static str,
    administers: &'static str,
    is_staff: Cow<'static, str>,
}

/// The facts where they stand: each right looks up those that it needs.
pub(super) fn facts() -> Facts {
    Facts {
        user: "u.id",
        section: "s.course_section_id",
        course: "c.id",
        course_state: "c.workflow_state",
        is_public: "c.is_public",
        is_own: "p.user_id = u.id",
        is_asked: IS_ASKED,
        enrolled_limit: ENROLLED_LIMIT,
        administers: ADMINISTERS,
        is_staff: is_staff().into(),
    }
}

/// The facts as columns of the table that [`found`] makes: each is looked up once, however much follows from it.
pub(super) const FOUND: Facts = Facts {
    user: "seen.reader",
    section: "seen.course_section_id",
    course: "seen.course_id",
    course_state: "seen.course_state",
    is_public: "seen.is_public",
    is_own: "seen.is_own",
    is_asked: "seen.is_asked",
    enrolled_limit: "seen.enrolled_limit",
    administers: "seen.administers",
    is_staff: Cow::Borrowed("seen.is_staff"),
};

/// Of the sessions of these tables a table `seen`, which has their columns, these and the [facts](FOUND). It is made before
/// anything is asked of it, so that SQLite does not put the statements in the place of its columns.
pub(super) fn found(columns: &str, tables: &str) -> String {
    let is_staff = is_staff();
    format!(
        "WITH seen AS MATERIALIZED (
             SELECT s.*, u.id AS reader, c.workflow_state AS course_state, c.is_public, p.user_id = u.id AS is_own,
                    {IS_ASKED} AS is_asked, {ENROLLED_LIMIT} AS enrolled_limit, {ADMINISTERS} AS administers,
                    {is_staff} AS is_staff{columns}
             FROM {tables})"
    )
}

impl Facts {
    /// True if the user manages the content of the course: as one of its staff, or as an administrator above it.
    fn manages(&self) -> String {
        format!("({} OR {})", self.is_staff, self.administers)
    }

    /// The sections of the course that the user is limited to, where it counts: whoever administers the course is not limited.
    pub(super) fn section_limit(&self) -> String {
        let Self { enrolled_limit, administers, .. } = self;
        format!("iif({enrolled_limit} IS NULL OR {administers}, NULL, {enrolled_limit})")
    }

    /// True if the user reaches the session: is not limited to sections, or is active in the one that is asked, or in the course
    /// when all of it is.
    pub(super) fn reaches(&self) -> String {
        format!("({} IS NULL OR {} OR {})", self.enrolled_limit, self.is_asked, self.administers)
    }

    /// True if the user sees some votes of the session alone: all sections are asked, and the user is limited to some.
    pub(super) fn sees_part(&self) -> String {
        let Self { section, enrolled_limit, administers, .. } = self;
        format!("({section} IS NULL AND {enrolled_limit} IS NOT NULL AND NOT {administers})")
    }

    /// True if such a user sees the vote `x`: it is the user's own, or one of the sections that the user is limited to. Who is
    /// limited is limited to the sections of all enrollments.
    pub(super) fn is_own_vote(&self) -> String {
        let Self { user, course, .. } = self;
        format!(
            "(x.user_id = {user} OR EXISTS (
                SELECT 1 FROM enrollments part, enrollments own
                WHERE part.user_id = x.user_id AND part.course_id = {course} AND part.workflow_state NOT IN ('rejected', 'deleted')
                  AND own.user_id = {user} AND own.course_id = {course} AND own.workflow_state = 'active'
                  AND own.course_section_id = part.course_section_id))"
        )
    }

    /// The votes for a choice that the user may count, of its row `r` of the results: all, but for those who see some alone.
    pub(super) fn counted(&self) -> String {
        format!(
            "iif({}, (
                SELECT count(*) FROM poll_submissions x
                WHERE x.poll_session_id = r.poll_session_id AND x.poll_choice_id = r.poll_choice_id AND {}
             ), r.submissions)",
            self.sees_part(),
            self.is_own_vote()
        )
    }

    /// True if the user watches the session: sees who chose what, of the sections that the user may see. That is for those who
    /// manage the content of the session's course, whoever owns the poll.
    pub(super) fn watches(&self) -> String {
        format!("({} <> 'deleted' AND {} AND {})", self.course_state, self.manages(), self.reaches())
    }

    /// True if the user runs the session, too: changes, opens, closes and deletes it. Who is limited to sections does not run one
    /// that asks others as well. In a deleted course nobody is left but the poll's owner.
    pub(super) fn runs(&self) -> String {
        let (watches, sees_part) = (self.watches(), self.sees_part());
        format!("({watches} AND NOT {sees_part} OR {} = 'deleted' AND {})", self.course_state, self.is_own)
    }

    /// True if the user may see the session and, while it is open, submit: who can read the course and the section that is
    /// asked.
    pub(super) fn takes_part(&self) -> String {
        let Self { section, course_state, is_asked, is_public, .. } = self;
        format!(
            "({course_state} <> 'deleted' AND (
                ({course_state} IN {}
                 AND ({is_asked} OR ({is_public} AND {section} IS NULL)))
                OR {} AND {}))",
            open_states_sql(),
            self.manages(),
            self.reaches()
        )
    }
}

/// True if the user may change and delete the poll and its choices, and ask it anywhere: it is the user's own, or asked
/// in a course above which the user administers.
pub(super) fn may_update() -> String {
    format!(
        "(p.user_id = u.id OR EXISTS (
            SELECT 1 FROM poll_sessions asked JOIN courses c ON c.id = asked.course_id AND c.workflow_state <> 'deleted'
            WHERE asked.poll_id = p.id AND {ADMINISTERS}))"
    )
}

/// True if the user watches some session of the poll.
pub(super) fn watches_a_session() -> String {
    format!(
        "EXISTS (
            SELECT 1 FROM poll_sessions s JOIN courses c ON c.id = s.course_id
            WHERE s.poll_id = p.id AND {})",
        facts().watches()
    )
}
