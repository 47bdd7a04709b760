//! The handlers that answer a page of a list: one does where it asks the context for the page.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// The option that describes how the list of this handler is asked for page by page; nothing where it asks for no page.
pub(crate) fn of(body: &impl ToTokens) -> TokenStream {
    match paging_method(body.to_token_stream()) {
        Some("page") => quote!(.numbered_pages()),
        Some("page_or_whole") => quote!(.pages_or_whole()),
        Some("cursor_page") => quote!(.bookmarked_pages()),
        _ => TokenStream::new(),
    }
}

/// The first of the context's methods that give pages which is called in here: `cx.page()`.
fn paging_method(tokens: TokenStream) -> Option<&'static str> {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let called = tokens.windows(4).find_map(|window| match window {
        [TokenTree::Ident(context), TokenTree::Punct(dot), TokenTree::Ident(method), TokenTree::Group(arguments)]
            if context == "cx"
                && dot.as_char() == '.'
                && arguments.delimiter() == Delimiter::Parenthesis
                && arguments.stream().is_empty() =>
        {
            ["page", "page_or_whole", "cursor_page"].into_iter().find(|name| method == name)
        }
        _ => None,
    });
    called.or_else(|| {
        tokens.into_iter().find_map(|token| match token {
            TokenTree::Group(group) => paging_method(group.stream()),
            _ => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_asked_for_anywhere_in_a_handler() {
        for (body, found) in [
            (quote!({ Ok(Reply::page(store::of(&cx.db, &cx.page().await?).await?)) }), Some("page")),
            (
                quote!({
                    let page = cx.cursor_page().await?;
                }),
                Some("cursor_page"),
            ),
            (
                quote!({
                    if all {
                        read(&cx.page_or_whole().await?)
                    }
                }),
                Some("page_or_whole"),
            ),
            (
                quote!({
                    let page = store::page(&cx.db, course.id, &at.url);
                    other.page()
                }),
                None,
            ),
        ] {
            assert_eq!(paging_method(body), found);
        }
    }
}
