//! The declaration of an endpoint, on its handler.

mod declaration;
mod documentation;
mod paging;

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{ItemFn, Path, Token, parse_macro_input};

use declaration::Declaration;

/// Declares the endpoint that a handler answers.
///
/// ```text
/// /// Reads a quiz group.
/// ///
/// /// Students read the groups of published quizzes alone.
/// #[endpoint(GET "/api/v1/courses/:course_id/quizzes/:quiz_id/groups/:id")]
/// async fn get_quiz_group(cx: Context, Path(at): Path<GroupPath>) -> Result<Reply<QuizGroup>> { … }
/// ```
///
/// The name of the handler is the operation's id, the first paragraph of its comment the summary, and the rest the
/// description. After the first method and path may stand further ones, each with an id of its own
/// (`GET "/other" as get_other`), and options: the methods of `shared::Endpoint`, such as `public` or `area_scopes(SCOPES)`.
/// A handler's question for a page (`cx.page()`) is seen in it; where a function that it calls does, an option says so.
#[proc_macro_attribute]
pub fn endpoint(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let declaration = parse_macro_input!(arguments as Declaration);
    let handler = parse_macro_input!(item as ItemFn);
    declaration.expand(&handler).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The function `endpoints`, which answers the endpoints of these handlers in this order.
///
/// ```text
/// endpoints![list_quiz_groups, get_quiz_group, media::get_image];
/// ```
#[proc_macro]
pub fn endpoints(handlers: TokenStream) -> TokenStream {
    let handlers = parse_macro_input!(handlers with Punctuated::<Path, Token![,]>::parse_terminated);
    let declarations = handlers.into_iter().map(|mut path| {
        if let Some(last) = path.segments.last_mut() {
            last.ident = format_ident!("{}_endpoints", last.ident);
        }
        quote!(endpoints.extend(#path());)
    });
    quote! {
        /// The endpoints that are declared here.
        pub(crate) fn endpoints() -> ::std::vec::Vec<::shared::Endpoint> {
            let mut endpoints = ::std::vec::Vec::new();
            #(#declarations)*
            endpoints
        }
    }
    .into()
}

/// In a component, a `derive(JsonSchema)` that makes nothing: the API description is made natively.
#[proc_macro_derive(JsonSchema, attributes(schemars))]
pub fn json_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
