//! The endpoints: whoever knows the last words of a path knows its file.

pub(crate) mod ai_conversations;
pub(crate) mod ai_experiences;
pub(crate) mod conversations;
pub(crate) mod evaluation;
pub(crate) mod feedback;
pub(crate) mod messages;
pub(crate) mod talk;
