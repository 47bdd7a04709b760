//! The rights to a poll and its sessions, as parts of statements: lists ask it for each of their rows.
//! See "Who" in `docs/contract/polls.md`.
//!
//! In them `u` is the user, `p` a poll, `s` one of its sessions and `c` the session's course.

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

/// Joins the user `?1`.
pub(super) const USER: &str = joined!("?1");

/// Joins the caller, in what is looked up with the token.
pub(super) const CALLER: &str = joined!("caller.user_id");

/// True if the user administers the site, or an account above the course.
macro_rules! administers {
    () => {
        "(u.site_admin OR EXISTS (
            WITH RECURSIVE above (id) AS (
                SELECT c.account_id
                UNION ALL
                SELECT parent.parent_account_id FROM accounts parent JOIN above ON parent.id = above.id
                WHERE parent.parent_account_id IS NOT NULL
            )
            SELECT 1 FROM account_admins WHERE user_id = u.id AND account_id IN above))"
    };
}

/// True if the user manages the content of the course: as one of its staff, or as an administrator above it.
macro_rules! manages {
    () => {
        concat!(
            "(EXISTS (
                SELECT 1 FROM enrollments
                WHERE user_id = u.id AND course_id = c.id AND workflow_state = 'active'
                  AND type IN ('TeacherEnrollment', 'TaEnrollment', 'DesignerEnrollment'))
              OR ",
            administers!(),
            ")"
        )
    };
}

/// True if the user is active in the section that is asked, or in the course when all of it is.
macro_rules! is_asked {
    () => {
        "EXISTS (
            SELECT 1 FROM enrollments
            WHERE user_id = u.id AND course_id = c.id AND workflow_state = 'active'
              AND course_section_id = ifnull(s.course_section_id, course_section_id))"
    };
}

pub(super) const IS_ASKED: &str = is_asked!();

/// True if the user may change and delete the poll and its choices, and ask it anywhere: it is the user's own, or asked
/// in a course above which the user administers.
pub(super) const MAY_UPDATE: &str = concat!(
    "(p.user_id = u.id OR EXISTS (
        SELECT 1 FROM poll_sessions asked JOIN courses c ON c.id = asked.course_id AND c.workflow_state <> 'deleted'
        WHERE asked.poll_id = p.id AND ",
    administers!(),
    "))"
);

/// True if the user runs some session of the poll.
pub(super) const RUNS_A_SESSION: &str = concat!(
    "EXISTS (
        SELECT 1 FROM poll_sessions asked JOIN courses c ON c.id = asked.course_id AND c.workflow_state <> 'deleted'
        WHERE asked.poll_id = p.id AND ",
    manages!(),
    ")"
);

/// True if the user runs the session: changes, opens, closes and deletes it, and sees who chose what. That is for those
/// who manage the content of the session's course, whoever owns the poll.
pub(super) const RUNS: &str = concat!("(c.workflow_state <> 'deleted' AND ", manages!(), ")");

/// True if the user may see the session and, while it is open, submit: who can read the course and the section that is
/// asked.
pub(super) const TAKES_PART: &str = concat!(
    "(c.workflow_state <> 'deleted' AND (
        (c.workflow_state IN ('available', 'completed') AND (",
    is_asked!(),
    " OR (c.is_public AND s.course_section_id IS NULL))) OR ",
    manages!(),
    "))"
);
