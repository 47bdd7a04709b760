//! Fields of what is imported, as the database has them: those without links.

use content_packages::model::Report;
use shared::Timestamp;

/// A title of no more characters than there is room for.
pub(crate) fn title(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() { "Untitled".to_owned() } else { text.chars().take(255).collect() }
}

pub(crate) fn state(published: bool) -> &'static str {
    if published { "published" } else { "unpublished" }
}

/// A moment of something, by its name there. One that cannot be read is left out, and told.
pub(crate) fn dated(text: &Option<String>, name: &str, about: &str, report: &mut Report) -> Option<String> {
    let moment = moment(text);
    if moment.is_none() && text.as_deref().is_some_and(|text| !text.trim().is_empty()) {
        report.note(about, format!("its date \u{201c}{name}\u{201d} cannot be read, and is left out"));
    }
    moment
}

/// A moment as the database has it.
pub(crate) fn moment(text: &Option<String>) -> Option<String> {
    text.as_deref().and_then(Timestamp::parse).map(|moment| moment.to_string())
}
