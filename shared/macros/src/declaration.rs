//! The arguments of `#[endpoint(…)]`: methods with paths, then options.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{AngleBracketedGenericArguments, Error, Expr, Ident, ItemFn, LitStr, Result, Token, braced, parenthesized};

use crate::documentation::Documentation;
use crate::paging;

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// The arguments of the attribute.
pub(crate) struct Declaration {
    routes: Vec<Route>,
    options: Options,
}

/// `GET "/path" as id::<Type> { option, … }`: all but method and path may be missing.
struct Route {
    method: Ident,
    path: LitStr,
    id: Option<Ident>,
    handled_as: Option<AngleBracketedGenericArguments>,
    options: Options,
}

/// A method of `shared::Endpoint` with its arguments.
struct Choice {
    name: Ident,
    arguments: Punctuated<Expr, Token![,]>,
}

type Options = Punctuated<Choice, Token![,]>;

enum Part {
    Route(Route),
    Choice(Choice),
}

impl Parse for Declaration {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut declaration = Self { routes: Vec::new(), options: Options::new() };
        for part in Punctuated::<Part, Token![,]>::parse_terminated(input)? {
            match part {
                Part::Route(route) => declaration.routes.push(route),
                Part::Choice(choice) => declaration.options.push(choice),
            }
        }
        if declaration.routes.is_empty() {
            return Err(input.error("an endpoint has a method and a path: GET \"/api/v1/…\""));
        }
        Ok(declaration)
    }
}

impl Parse for Part {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let is_method = input.fork().parse::<Ident>().is_ok_and(|name| METHODS.iter().any(|method| name == method));
        if is_method { input.parse().map(Self::Route) } else { input.parse().map(Self::Choice) }
    }
}

impl Parse for Route {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (method, path) = (input.parse()?, input.parse()?);
        let id = input.parse::<Option<Token![as]>>()?.map(|_as| input.parse()).transpose()?;
        let handled_as = input.peek(Token![::]).then(|| input.parse()).transpose()?;
        let options = if input.peek(syn::token::Brace) {
            let content;
            braced!(content in input);
            Options::parse_terminated(&content)?
        } else {
            Options::new()
        };
        Ok(Self { method, path, id, handled_as, options })
    }
}

impl Parse for Choice {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.parse()?;
        let arguments = if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            content.parse_terminated(Expr::parse, Token![,])?
        } else {
            Punctuated::new()
        };
        Ok(Self { name, arguments })
    }
}

impl Declaration {
    /// The handler as it is, and beside it the function that `endpoints!` asks.
    pub(crate) fn expand(&self, handler: &ItemFn) -> Result<TokenStream> {
        let name = &handler.sig.ident;
        let declared = format_ident!("{name}_endpoints");
        let comment = format!("The endpoints of [`{name}`].");
        let documentation = Documentation::of(&handler.attrs);
        if documentation.summary.is_empty() {
            return Err(Error::new(
                name.span(),
                "an endpoint has a comment: its first paragraph is the public summary",
            ));
        }
        let paging = paging::of(&handler.block);
        let options = calls(&self.options);
        let shared = quote!(#paging #options);
        let endpoints = self.routes.iter().map(|route| route.expand(name, &documentation, &shared));
        Ok(quote! {
            #handler

            #[doc = #comment]
            pub(crate) fn #declared() -> ::std::vec::Vec<::shared::Endpoint> {
                ::std::vec![#(#endpoints),*]
            }
        })
    }
}

impl Route {
    fn expand(&self, handler: &Ident, documentation: &Documentation, shared: &TokenStream) -> TokenStream {
        let Self { method, path, id, handled_as, options } = self;
        let id = id.as_ref().unwrap_or(handler).to_string();
        let Documentation { summary, description } = documentation;
        let own = calls(options);
        quote! {
            ::shared::Endpoint::new(::shared::Method::#method, #path, #id, #handler #handled_as)
                .summary(#summary).description(#description).module(::core::module_path!()) #shared #own
        }
    }
}

fn calls(options: &Options) -> TokenStream {
    let calls = options.iter().map(|Choice { name, arguments }| quote!(.#name(#arguments)));
    quote!(#(#calls)*)
}
