//! The rights to a poll and its sessions, as parts of statements: lists ask it for each of their rows.
//! See "Who" in `docs/contract/polls.md`.
//!
//! In them `u` is the user, `p` a poll, `s` one of its sessions and `c` the session's course.

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

/// True if the user manages the content of the course: as one of its staff, or as an administrator above it.
fn manages() -> String {
    format!(
        "(EXISTS (
            SELECT 1 FROM enrollments
            WHERE user_id = u.id AND course_id = c.id AND workflow_state = 'active' AND type IN {})
          OR {ADMINISTERS})",
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

/// The same, where it counts: whoever administers the course is not limited.
pub(super) fn section_limit() -> String {
    format!("iif({ENROLLED_LIMIT} IS NULL OR {ADMINISTERS}, NULL, {ENROLLED_LIMIT})")
}

/// True if the user reaches the session: is not limited to sections, or is active in the one that is asked, or in the course
/// when all of it is.
pub(super) fn reaches() -> String {
    format!("({ENROLLED_LIMIT} IS NULL OR {IS_ASKED} OR {ADMINISTERS})")
}

/// True if the user sees some votes of the session alone: all sections are asked, and the user is limited to some.
pub(super) fn sees_part() -> String {
    format!("(s.course_section_id IS NULL AND {ENROLLED_LIMIT} IS NOT NULL AND NOT {ADMINISTERS})")
}

/// True if such a user sees the vote `x`: it is the user's own, or one of the sections that the user is limited to. Who is
/// limited is limited to the sections of all enrollments.
pub(super) const IS_OWN_VOTE: &str = "(x.user_id = u.id OR EXISTS (
    SELECT 1 FROM enrollments part, enrollments own
    WHERE part.user_id = x.user_id AND part.course_id = c.id AND part.workflow_state NOT IN ('rejected', 'deleted')
      AND own.user_id = u.id AND own.course_id = c.id AND own.workflow_state = 'active'
      AND own.course_section_id = part.course_section_id))";

/// The votes for a choice that the user may count, of its row `r` of the results: all, but for those who see some alone.
pub(super) fn counted() -> String {
    format!(
        "iif({}, (
            SELECT count(*) FROM poll_submissions x
            WHERE x.poll_session_id = r.poll_session_id AND x.poll_choice_id = r.poll_choice_id AND {IS_OWN_VOTE}
         ), r.submissions)",
        sees_part()
    )
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
        watches()
    )
}

/// True if the user watches the session: sees who chose what, of the sections that the user may see. That is for those who
/// manage the content of the session's course, whoever owns the poll.
pub(super) fn watches() -> String {
    format!("(c.workflow_state <> 'deleted' AND {} AND {})", manages(), reaches())
}

/// True if the user runs the session, too: changes, opens, closes and deletes it. Who is limited to sections does not run one
/// that asks others as well. In a deleted course nobody is left but the poll's owner.
pub(super) fn runs() -> String {
    format!("({} AND NOT {} OR c.workflow_state = 'deleted' AND p.user_id = u.id)", watches(), sees_part())
}

/// True if the user may see the session and, while it is open, submit: who can read the course and the section that is
/// asked.
pub(super) fn takes_part() -> String {
    format!(
        "(c.workflow_state <> 'deleted' AND (
            (c.workflow_state IN {}
             AND ({IS_ASKED} OR (c.is_public AND s.course_section_id IS NULL)))
            OR {} AND {}))",
        open_states_sql(),
        manages(),
        reaches()
    )
}
