//! Views: what needs neither a request nor the database.

pub(crate) mod channels;
