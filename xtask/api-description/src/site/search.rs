//! The list that the search of the pages goes through.

use serde_json::{Value, json};

use super::articles::{Article, Articles};
use super::catalogue::Catalogue;

/// Each entry: the title, the words beside it, and the address from the top of the service. An entry has a line.
pub(crate) fn list(catalogue: &Catalogue<'_>, articles: &Articles) -> String {
    let operations = catalogue.operations().map(|(part, operation)| {
        let method = operation.method.to_ascii_uppercase();
        let address = format!("{}#{}", part.page, operation.id);
        json!([operation.summary(), format!("{method} {}", operation.path), operation.id, address])
    });
    let guides = articles.guides.iter().flat_map(|guide| entries(guide, "Guide"));
    let contract = articles.contract.iter().flat_map(|article| entries(article, "Contract"));
    let quirks = entries(&articles.quirks, "Quirks");
    let areas = catalogue.areas.iter().map(|area| json!([area.title, area.about, area.name, area.page]));
    let entries: Vec<_> = guides
        .chain(areas)
        .chain(operations)
        .chain(contract)
        .chain(quirks)
        .map(|entry: Value| entry.to_string())
        .collect();
    format!("[\n{}\n]\n", entries.join(",\n"))
}

/// The article, and each of its parts.
fn entries(article: &Article, kind: &str) -> Vec<Value> {
    let part = |(id, title): (String, String)| {
        json!([title, article.short, kind.to_lowercase(), format!("{}#{id}", article.page)])
    };
    let whole = json!([article.title, kind, kind.to_lowercase(), article.page]);
    std::iter::once(whole).chain(article.headings().into_iter().map(part)).collect()
}
