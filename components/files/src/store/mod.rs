//! The SQL of the area.

pub(crate) mod attachments;
pub(crate) mod folders;
pub(crate) mod needs;
pub(crate) mod pages;
pub(crate) mod retention;
mod upload_rights;
pub(crate) mod uploads;

/// An expression of what a name or an address that is taken gets: the number behind `number`. Where as many are taken as are tried,
/// a word that nobody can know.
const NEXT_NUMBER: &str = "iif(number < 500, number + 1, lower(hex(randomblob(8))))";
