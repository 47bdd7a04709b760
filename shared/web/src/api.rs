//! The table of an area's endpoints: each is declared once, and the routing, the scope, the 405, the API description and
//! the authorization test all follow from that.

use futures::future::LocalBoxFuture;
use http::Method;

use crate::accept::Reader;
use crate::authentication::Demand;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::error_format::{self, ErrorFormat};
use crate::handler::{Erased, Handle, Handler, Parameters};
use crate::lookup::MatchedPath;
#[cfg(not(target_arch = "wasm32"))]
use crate::operation::{Details, Operation};
use crate::params::{FileParts, Params, Unsupported};
use crate::reads::Reads;
use crate::reply::UntypedReply;
use crate::session;
#[cfg(not(target_arch = "wasm32"))]
use crate::webhook::Webhook;

mod routing;

/// The most bytes of a body that an endpoint takes unless it says otherwise.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

/// The description of a page's answer that is at another address.
const LED_ELSEWHERE: &str = "Who is not signed in is led to the log-in; what is done shows its page anew.";

/// The same of a page that does not open.
const NOT_OPEN: &str = "The link has ended, or who is signed in lacks the right.";

/// Those who may call an endpoint, before its handler looks closer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever has a token with the endpoint's scope.
    Token,
    /// The same, or the script of a page for who is signed in.
    TokenOrPage,
    /// Everybody; a token that is sent is looked at.
    TokenOptional,
    /// Everybody; a token, if there is one, is left alone.
    Public,
    /// Whoever is signed in on our pages. A browser that is not is led to the log-in, and back.
    SignedIn,
    /// The same, or whoever shows the ticket of a signed link, which the handler looks at.
    SignedInOrLinked,
}

impl Access {
    /// True if a token of the header, the query or the body is looked at.
    pub(crate) fn looks_at_tokens(self) -> bool {
        matches!(self, Self::Token | Self::TokenOrPage | Self::TokenOptional)
    }

    /// True if nobody gets further who is not known, by a token or by a page of ours.
    pub fn needs_caller(self) -> bool {
        matches!(self, Self::Token | Self::TokenOrPage)
    }

    /// True if the cookie of a session on our pages is looked at, whatever a request shows.
    pub fn looks_at_cookies(self) -> bool {
        matches!(self, Self::SignedIn | Self::SignedInOrLinked)
    }

    /// True if the cookie is looked at for a request with these parameters.
    pub(crate) fn needs_session(self, params: &Params) -> bool {
        self == Self::SignedIn || (self == Self::SignedInOrLinked && !session::has_ticket(params))
    }
}

/// The credential of callers where it is no token of the service: the token of an area of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credential {
    /// Its name in the API description.
    pub name: &'static str,
    /// Its description, with its source.
    pub description: &'static str,
}

/// The tokens of an area that has scopes of its own, beside those of the paths.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Clone, Copy)]
pub struct AreaTokens {
    /// Their name in the API description.
    pub name: &'static str,
    /// Their description.
    pub description: &'static str,
    /// The path that gives them for a login and its password, and renews them.
    pub token_path: &'static str,
    /// The scopes, each with its meaning.
    pub scopes: &'static [(&'static str, &'static str)],
}

/// A parameter of the query that no type tells.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryParameter {
    /// Its name.
    pub name: String,
    /// Its type in JSON.
    pub kind: &'static str,
    /// Its meaning, in a sentence.
    pub about: String,
}

/// The way in which a list is asked for page by page.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paging {
    /// By number, or by the bookmark of a link: see [`Context::page`].
    Numbered,
    /// The same, and whole where no page is asked for: see [`Context::page_or_whole`].
    NumberedOrWhole,
    /// By the bookmark of a link alone: see [`Context::cursor_page`].
    Bookmarked,
}

/// The form in which the body of a request comes to the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As parameters.
    Parameters,
    /// As bytes.
    Raw,
    /// As bytes that the handler reads piece by piece.
    Streamed,
}

/// Makes an answer of an error, for that reader.
pub(crate) type Refuse = fn(&dyn ErrorFormat, &Error, Reader<'_>) -> UntypedReply;

/// An endpoint: where it is, who may call it, and what answers.
pub struct Endpoint {
    /// The method. `GET` answers `HEAD` too, unless it changes something.
    pub method: Method,
    /// The path, with `:name` for a parameter: so it stands in the scope.
    pub path: &'static str,
    /// Its operation id, unique in the application: the name of its handler.
    pub id: &'static str,
    /// Those who may call it.
    pub access: Access,
    /// Its text in the API description.
    #[cfg(not(target_arch = "wasm32"))]
    pub documentation: Documentation,
    /// The answer to those who may not, where it is another status than usual.
    #[cfg(not(target_arch = "wasm32"))]
    pub expectations: Vec<Expectation>,
    /// The module in which its handler is declared; empty for what is declared without one.
    #[cfg(not(target_arch = "wasm32"))]
    pub module: &'static str,
    /// The types of its parameters and its answer.
    #[cfg(not(target_arch = "wasm32"))]
    pub operation: Operation,
    /// Parameters of its query that no type tells.
    #[cfg(not(target_arch = "wasm32"))]
    pub query: Vec<QueryParameter>,
    /// The way in which its list is asked for page by page, where it has one.
    #[cfg(not(target_arch = "wasm32"))]
    pub paging: Option<Paging>,
    /// The credential of callers where it is no token of the service.
    pub credential: Option<Credential>,
    /// The act that may be done so often only, where it answers 429.
    #[cfg(not(target_arch = "wasm32"))]
    pub throttled: Option<&'static str>,
    /// What else the API description says of it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) details: Details,
    /// The parameters that it refuses, though the reference system documents them.
    pub unsupported: &'static [Unsupported],
    pub(crate) body_limit: usize,
    pub(crate) reading: Reading,
    pub(crate) file_parts: FileParts,
    pub(crate) scoped: bool,
    /// True if a call changes something although it is a `GET`.
    pub changes_state: bool,
    /// True if a call that succeeds leaves no line in the log.
    pub(crate) is_quiet: bool,
    pub(crate) area_scopes: &'static [&'static str],
    pub(crate) error_format: Option<&'static dyn ErrorFormat>,
    pub(crate) refuse: Refuse,
    /// True if a client that would rather have a page may get one.
    pub(crate) sends_page: bool,
    pub(crate) reads: Reads,
    /// The number of parts of its path.
    depth: usize,
    handler: Box<dyn Handle>,
}

/// The work of an endpoint, in words.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Clone, Copy, Default)]
pub struct Documentation {
    /// In one line.
    pub summary: &'static str,
    /// Further text, in Markdown.
    pub description: &'static str,
}

/// A stranger, who calls an endpoint without the right to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stranger {
    /// Somebody without a token.
    Nobody,
    /// An administrator of another tenant.
    Foreigner,
    /// A student of the course.
    Student,
}

/// The status that somebody without the right is answered.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Clone, Copy)]
pub struct Expectation {
    /// The caller.
    pub stranger: Stranger,
    /// The status of the answer.
    pub status: u16,
    /// Why it is this status.
    pub reason: &'static str,
}

/// An area: its endpoints and the shape of its errors.
pub struct Api {
    /// The component's name.
    pub name: &'static str,
    /// The area in one sentence, without a full stop.
    #[cfg(not(target_arch = "wasm32"))]
    pub description: &'static str,
    /// The shape of its errors.
    pub error_format: &'static dyn ErrorFormat,
    endpoints: Vec<Endpoint>,
    internal: Vec<Endpoint>,
    /// The tokens with scopes of its own, where it has some.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) tokens: Option<AreaTokens>,
    /// The requests that it makes.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) webhooks: Vec<Webhook>,
}

impl Endpoint {
    /// An endpoint with that operation id. An area declares its own with `#[endpoint]`, on their handlers.
    pub fn new<A: 'static, H: Handler<A>>(method: Method, path: &'static str, id: &'static str, handler: H) -> Self {
        Self {
            method,
            path,
            id,
            access: Access::Token,
            #[cfg(not(target_arch = "wasm32"))]
            documentation: Documentation::default(),
            #[cfg(not(target_arch = "wasm32"))]
            expectations: Vec::new(),
            #[cfg(not(target_arch = "wasm32"))]
            operation: H::operation(),
            #[cfg(not(target_arch = "wasm32"))]
            module: "",
            #[cfg(not(target_arch = "wasm32"))]
            query: Vec::new(),
            #[cfg(not(target_arch = "wasm32"))]
            paging: None,
            credential: None,
            #[cfg(not(target_arch = "wasm32"))]
            throttled: None,
            #[cfg(not(target_arch = "wasm32"))]
            details: Details::default(),
            unsupported: &[],
            body_limit: BODY_LIMIT,
            reading: Reading::Parameters,
            file_parts: FileParts::Text,
            scoped: true,
            changes_state: false,
            is_quiet: false,
            area_scopes: &[],
            error_format: None,
            refuse: error_format::refuse,
            sends_page: false,
            reads: H::reads(),
            depth: routing::depth(path),
            handler: Box::new(Erased::new(handler)),
        }
    }

    /// Says in one line what it does.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    pub fn summary(mut self, summary: &'static str) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.documentation.summary = summary;
        }
        self
    }

    /// Says in which module its handler is declared.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    pub fn module(mut self, module: &'static str) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.module = module;
        }
        self
    }

    /// Says what else there is to know about it, in Markdown.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    pub fn description(mut self, description: &'static str) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.documentation.description = description;
        }
        self
    }

    /// The status that a caller without a token is answered, with the reason.
    #[must_use]
    pub fn nobody(self, status: u16, reason: &'static str) -> Self {
        self.expect(Stranger::Nobody, status, reason)
    }

    /// The status that an administrator of another tenant is answered where that is not 404, with the reason.
    #[must_use]
    pub fn foreigners(self, status: u16, reason: &'static str) -> Self {
        self.expect(Stranger::Foreigner, status, reason)
    }

    /// The status that a student of the course is answered where that is not 403, with the reason.
    #[must_use]
    pub fn students(self, status: u16, reason: &'static str) -> Self {
        self.expect(Stranger::Student, status, reason)
    }

    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    fn expect(mut self, stranger: Stranger, status: u16, reason: &'static str) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        self.expectations.push(Expectation { stranger, status, reason });
        self
    }

    /// Describes parameters of its query that no type tells.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn query(self, query: impl IntoIterator<Item = QueryParameter>) -> Self {
        Self { query: query.into_iter().collect(), ..self }
    }

    /// Says that it answers a page of a list, see [`Context::page`]. Of a handler that asks for the page itself, its declaration
    /// knows it.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, reason = "components describe nothing"))]
    pub fn numbered_pages(mut self) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.paging = Some(Paging::Numbered);
        }
        self
    }

    /// The same where the list is whole unless a page is asked for, see [`Context::page_or_whole`].
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, reason = "components describe nothing"))]
    pub fn pages_or_whole(mut self) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.paging = Some(Paging::NumberedOrWhole);
        }
        self
    }

    /// The same where the list has bookmarks alone, see [`Context::cursor_page`].
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, reason = "components describe nothing"))]
    pub fn bookmarked_pages(mut self) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.paging = Some(Paging::Bookmarked);
        }
        self
    }

    /// Says what callers show instead of a token of the service. The handler looks at it, before it says what of the parameters
    /// cannot be read.
    #[must_use]
    pub fn takes(self, credential: Credential) -> Self {
        Self { credential: Some(credential), ..self }
    }

    /// Says what may be done so often only: it answers 429 then.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    pub fn throttled(mut self, what: &'static str) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.throttled = Some(what);
        }
        self
    }

    /// Refuses these parameters with their reasons, when the handler reads its [`Query`](crate::Query) or
    /// [`Form`](crate::Form).
    pub fn unsupported(self, unsupported: &'static [Unsupported]) -> Self {
        Self { unsupported, ..self }
    }

    /// Lets everybody call it, and leaves a token alone.
    pub fn public(self) -> Self {
        Self { access: Access::Public, ..self }
    }

    /// Lets everybody call it, and looks at a token that is sent.
    pub fn token_optional(self) -> Self {
        Self { access: Access::TokenOptional, ..self }
    }

    /// Is for who is signed in on our pages: the caller comes from the cookie of the session. Forms that change something must
    /// have been sent by a page of that session. Whoever is not signed in is led to the log-in, and back.
    #[must_use]
    pub fn signed_in(self) -> Self {
        let reason = "who is not signed in is led to the log-in";
        Self { access: Access::SignedIn, ..self }.nobody(303, reason).answers(303, LED_ELSEWHERE)
    }

    /// The same, or for whoever has a signed link: where a ticket is shown, the cookie is left alone, and the handler looks at
    /// the ticket.
    #[must_use]
    pub fn signed_in_or_linked(self) -> Self {
        Self { access: Access::SignedInOrLinked, ..self.signed_in() }.answers(403, NOT_OPEN)
    }

    /// Lets the scripts of our pages call it for who is signed in, too: they have no token, but show the form token of their page
    /// in the header `X-CSRF-Token`. A cookie alone is nobody here.
    #[must_use]
    pub fn token_or_page(self) -> Self {
        Self { access: Access::TokenOrPage, ..self }
    }

    /// Takes a body of up to `limit` bytes as it is, not as parameters: see [`Context::bytes`].
    pub fn raw(self, limit: usize) -> Self {
        Self { body_limit: limit, reading: Reading::Raw, ..self }
    }

    /// Takes a body of up to `limit` bytes, which its handler reads piece by piece: see [`Context::body_stream`].
    pub fn streamed(self, limit: usize) -> Self {
        Self { body_limit: limit, reading: Reading::Streamed, ..self }
    }

    /// Says of a `GET` that it changes something: `HEAD` does not call it then.
    pub fn changes_state(self) -> Self {
        Self { changes_state: true, ..self }
    }

    /// Leaves no line in the log where it succeeds: for what programs call every few seconds.
    pub fn quiet(self) -> Self {
        Self { is_quiet: true, ..self }
    }

    /// Lets every token call it, whatever its scopes.
    pub fn unscoped(self) -> Self {
        Self { scoped: false, ..self }
    }

    /// Lets tokens with one of these scopes call it too, which its area has beside those of the paths.
    pub fn area_scopes(self, area_scopes: &'static [&'static str]) -> Self {
        Self { area_scopes, ..self }
    }

    /// Takes a body of parameters of up to `limit` bytes.
    pub fn body_limit(self, limit: usize) -> Self {
        Self { body_limit: limit, ..self }
    }

    /// Takes files as parts of a multipart form, too: to the handler such a part is a data URI.
    pub fn files_as_data_uris(self) -> Self {
        Self { file_parts: FileParts::DataUri, ..self }
    }

    /// Gives its errors another shape than those of the rest of the area.
    pub fn error_format(self, error_format: &'static dyn ErrorFormat) -> Self {
        Self { error_format: Some(error_format), ..self }
    }

    /// Answers errors with a page too, as it is opened by people in their browsers.
    #[must_use]
    pub fn page(mut self) -> Self {
        self.refuse = crate::html::refuse;
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.details.is_page = true;
        }
        self
    }

    /// The scope that a token needs: `url:<METHOD>|<path>`.
    pub fn scope(&self) -> String {
        format!("url:{}|{}", self.method, self.path)
    }

    /// Its demands on a token, and its reads of the records that the path names.
    pub(crate) fn demand<'a>(&self, path: MatchedPath<'a>) -> Demand<'a> {
        Demand {
            scope: self.scoped.then(|| self.scope()),
            area_scopes: self.area_scopes,
            reads: (!self.reads.is_empty()).then_some((self.reads, path)),
        }
    }

    pub(crate) fn call(&self, cx: Context, parameters: Parameters) -> LocalBoxFuture<'static, Result<UntypedReply>> {
        self.handler.handle(cx, parameters)
    }
}

impl Api {
    /// An area without endpoints yet.
    pub fn new(name: &'static str, error_format: &'static dyn ErrorFormat) -> Self {
        Self {
            name,
            #[cfg(not(target_arch = "wasm32"))]
            description: "",
            error_format,
            endpoints: Vec::new(),
            internal: Vec::new(),
            #[cfg(not(target_arch = "wasm32"))]
            tokens: None,
            #[cfg(not(target_arch = "wasm32"))]
            webhooks: Vec::new(),
        }
    }

    /// Describes the area in one sentence, for the API description.
    #[must_use]
    #[cfg_attr(target_arch = "wasm32", expect(unused_mut, unused_variables, reason = "components describe nothing"))]
    pub fn description(mut self, description: &'static str) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.description = description;
        }
        self
    }

    /// Adds the endpoints of a resource.
    #[must_use]
    pub fn resource(mut self, endpoints: Vec<Endpoint>) -> Self {
        self.endpoints.extend(endpoints);
        self
    }

    /// Adds an endpoint for components of this application, to which no route of the manifest leads.
    pub fn internal(mut self, endpoint: Endpoint) -> Self {
        self.internal.push(endpoint);
        self
    }

    /// Describes the tokens whose scopes the area names with [`Endpoint::area_scopes`].
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn tokens(self, tokens: AreaTokens) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// Describes the requests that the area makes to those who want to be told of something.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn webhooks(self, webhooks: Vec<Webhook>) -> Self {
        Self { webhooks, ..self }
    }

    /// The endpoints, in the order of their declaration.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }
}
