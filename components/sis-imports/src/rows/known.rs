//! The record that is known by a SIS id: of several that have had the id, the one that is not deleted, else the latest;
//! and where a record cannot come back.
//!
//! Who writes a row and who asks which of its fields stick must mean the same record.

/// The id of the record of a type with a SIS id, an expression; the tenant is `?1`. Null where there is none. With `deleted_if`
/// a deleted record is found only where that expression is true.
macro_rules! record_known_as {
    (Account, $($id:tt)+) => {
        $crate::rows::known::record_known_as!("accounts", "sis_account_id", "workflow_state = 'active'", $($id)+)
    };
    (EnrollmentTerm, $($id:tt)+) => {
        $crate::rows::known::record_known_as!("enrollment_terms", "sis_term_id", "workflow_state = 'active'", $($id)+)
    };
    (Pseudonym, $($id:tt)+) => {
        $crate::rows::known::record_known_as!("pseudonyms", "sis_user_id", "workflow_state = 'active'", $($id)+)
    };
    (Course, $($id:tt)+) => {
        $crate::rows::known::record_known_as!("courses", "sis_course_id", "workflow_state <> 'deleted'", $($id)+)
    };
    (CourseSection, $($id:tt)+) => {
        $crate::rows::known::record_known_as!("course_sections", "sis_section_id", "workflow_state = 'active'", $($id)+)
    };
    (Group, $($id:tt)+) => {
        $crate::rows::known::record_known_as!("groups", "sis_group_id", "workflow_state <> 'deleted'", $($id)+)
    };
    ($table:literal, $column:literal, $is_there:literal, $id:literal $(, deleted_if $condition:literal)?) => {
        concat!(
            "(SELECT id FROM ",
            $table,
            " WHERE root_account_id = ?1 AND ",
            $column,
            " = ",
            $id,
            $(" AND (", $is_there, " OR ", $condition, ")",)?
            " ORDER BY ",
            $is_there,
            " DESC, id DESC LIMIT 1)"
        )
    };
}

/// The id of the login that the row `r` of a user means: by its SIS id, else an active one of its name that has none.
macro_rules! login_of_row {
    () => {
        concat!(
            "ifnull(",
            $crate::rows::known::record_known_as!(Pseudonym, "r.value ->> 'id'"),
            ",
             (SELECT id FROM pseudonyms
              WHERE root_account_id = ?1 AND unique_id = r.value ->> 'login' AND workflow_state = 'active'
                AND sis_user_id IS NULL))"
        )
    };
}

/// The name of an account, an expression of its id, where it is deleted: its SIS id, else its id. Null where it is there.
macro_rules! lost_account {
    ($id:literal) => {
        concat!(
            "(SELECT ifnull(lost.sis_account_id, CAST(lost.id AS TEXT)) FROM accounts lost
              WHERE lost.id = ",
            $id,
            " AND lost.workflow_state = 'deleted')"
        )
    };
}

pub(super) use {login_of_row, lost_account, record_known_as};
