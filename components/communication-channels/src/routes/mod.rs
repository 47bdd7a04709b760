//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod communication_channels;
pub(crate) mod push;
pub(crate) mod register;
