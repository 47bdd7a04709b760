//! What a quiz of ours says beside the standards: a file in a name space of its own, which an import reads again and other
//! systems pass over.

mod losses;
mod read;
mod write;

pub(crate) use losses::tell;
pub(crate) use read::read;
pub(crate) use write::{has_something, quiz};

/// The name of the file, which a quiz has in a folder of its own.
pub(crate) const FILE: &str = "lectern_quiz.xml";

const NAMESPACE: &str = "urn:lectern:quiz:1";
/// The elements of a list.
const ITEM: &str = "item";
/// A spot of a question, in the order of its areas.
const SPOT: &str = "spot";
/// A typed blank whose answer is shown as another text than what is accepted.
const BLANK: &str = "blank";
