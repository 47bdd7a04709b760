//! Fields of what is imported, as the database has them: those without links.

use shared::Timestamp;

/// A title of no more characters than there is room for.
pub(crate) fn title(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { "Untitled".to_owned() } else { text.chars().take(255).collect() }
}

pub(crate) fn state(published: bool) -> &'static str {
    if published { "published" } else { "unpublished" }
}

/// A moment as the database has it.
pub(crate) fn moment(text: &Option<String>) -> Option<String> {
    text.as_deref().and_then(Timestamp::parse).map(|moment| moment.to_string())
}
