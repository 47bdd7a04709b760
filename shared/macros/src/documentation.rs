//! A handler's comment, as the API description shows it.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// A comment in two parts.
pub(crate) struct Documentation {
    /// The first paragraph in one line, without the full stop at its end.
    pub(crate) summary: String,
    /// The paragraphs after it.
    pub(crate) description: String,
}

impl Documentation {
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let lines: Vec<_> = attributes.iter().filter_map(line).collect();
        let (first, rest) = match lines.iter().position(String::is_empty) {
            Some(blank) => lines.split_at(blank),
            None => (lines.as_slice(), [].as_slice()),
        };
        let summary = first.join(" ");
        Self { summary: summary.trim_end_matches('.').to_owned(), description: rest.join("\n").trim().to_owned() }
    }
}

/// The text of `#[doc = "…"]`, which is what a comment becomes.
fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if pair.path.is_ident("doc") => {
            Some(text.value().trim().to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn the_first_paragraph_is_the_summary() {
        let handler: syn::ItemFn = parse_quote! {
            /// Reads a quiz group
            /// of a quiz.
            ///
            /// Students read those of published quizzes.
            ///
            /// Others read all.
            fn get() {}
        };
        let Documentation { summary, description } = Documentation::of(&handler.attrs);
        assert_eq!(summary, "Reads a quiz group of a quiz");
        assert_eq!(description, "Students read those of published quizzes.\n\nOthers read all.");
    }
}
