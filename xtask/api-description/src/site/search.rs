//! The list that the search of the pages goes through.

use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::guides::Guide;

/// Each entry: the title, the words beside it, and the address from the top of the service. An entry has a line.
pub(crate) fn list(catalogue: &Catalogue<'_>, guides: &[Guide]) -> String {
    let operations = catalogue.operations().map(|(part, operation)| {
        let method = operation.method.to_ascii_uppercase();
        let address = format!("{}#{}", part.page, operation.id);
        json!([operation.summary(), format!("{method} {}", operation.path), operation.id, address])
    });
    let guides = guides.iter().flat_map(|guide| {
        let parts = guide
            .headings()
            .into_iter()
            .map(|(id, title)| json!([title, guide.short, "guide", format!("{}#{id}", guide.page())]));
        std::iter::once(json!([guide.title, "Guide", "guide", guide.page()])).chain(parts).collect::<Vec<_>>()
    });
    let areas = catalogue.areas.iter().map(|area| json!([area.title, area.about, area.name, area.page]));
    let entries: Vec<_> = guides.chain(areas).chain(operations).map(|entry: Value| entry.to_string()).collect();
    format!("[\n{}\n]\n", entries.join(",\n"))
}
