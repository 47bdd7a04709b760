//! Where the ids of copies begin.

/// The last id of a table that was ever given, also to a record that is gone or that somebody has yet to make, where the table
/// remembers that.
macro_rules! last_id {
    ($table:literal) => {
        concat!(
            "max(ifnull((SELECT seq FROM sqlite_sequence WHERE name = '",
            $table,
            "'), 0), (SELECT ifnull(max(id), 0) FROM ",
            $table,
            "))"
        )
    };
}
pub(super) use last_id;
