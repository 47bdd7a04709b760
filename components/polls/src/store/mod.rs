//! The SQL of the area.

pub(crate) mod choices;
pub(crate) mod live;
pub(crate) mod needs;
pub(crate) mod polls;
mod rights;
pub(crate) mod sessions;
pub(crate) mod submissions;
