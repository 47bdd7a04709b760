//! The table of an area's endpoints: each is declared once, and the routing, the scope, the 405, the API description and
//! the authorization test all follow from that.

use std::collections::BTreeMap;

use futures::future::LocalBoxFuture;
use http::Method;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Described;
use crate::context::Context;
#[cfg(not(target_arch = "wasm32"))]
use crate::describe::Shape;
use crate::envelope::Envelope;
use crate::error::{Error, Result};
use crate::params::{Body, Params, lenient};
use crate::reply::{Answer, Reply};
use crate::service;

/// The most bytes of a body that an endpoint takes unless it says otherwise.
const BODY_LIMIT: usize = 1024 * 1024;

/// Who may call an endpoint, before its handler looks closer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever has a token with the endpoint's scope.
    Token,
    /// Everybody; a token that is sent is looked at.
    TokenOptional,
    /// Everybody; a token, if there is one, is left alone.
    Public,
}

/// How the body of a request comes to the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As parameters.
    Parameters,
    /// As bytes.
    Raw,
    /// As bytes that the handler reads piece by piece.
    Streamed,
}

/// Makes an answer of an error.
pub(crate) type Refuse = fn(Envelope, &Error) -> Answer;

/// An endpoint: where it is, who may call it, and what answers.
pub struct Endpoint {
    /// The method. `GET` answers `HEAD` too, unless it changes something.
    pub method: Method,
    /// The path, with `:name` for a parameter: so it stands in the scope.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// One sentence for the API description.
    pub summary: &'static str,
    /// The types of its parameters and its answer.
    #[cfg(not(target_arch = "wasm32"))]
    pub shape: Shape,
    /// Parameters of its query that no type tells, each with its type in JSON.
    #[cfg(not(target_arch = "wasm32"))]
    pub query: Vec<(String, &'static str)>,
    pub(crate) body_limit: usize,
    pub(crate) reading: Reading,
    pub(crate) scoped: bool,
    /// Whether a call changes something although it is a `GET`.
    pub changes_state: bool,
    pub(crate) area_scopes: &'static [&'static str],
    pub(crate) envelope: Option<Envelope>,
    pub(crate) refuse: Refuse,
    handler: Box<dyn Handle>,
}

/// An area: its endpoints and the envelope of its errors.
pub struct Api {
    /// The component's name.
    pub name: &'static str,
    /// The shape of its errors.
    pub envelope: Envelope,
    endpoints: Vec<Endpoint>,
    internal: Vec<Endpoint>,
    routes: matchit::Router<Route>,
}

type Route = BTreeMap<&'static str, usize>;

/// An endpoint of `GET`.
pub fn get<A: 'static>(path: &'static str, handler: impl Handler<A>) -> Endpoint {
    Endpoint::new(Method::GET, path, handler)
}

/// An endpoint of `POST`.
pub fn post<A: 'static>(path: &'static str, handler: impl Handler<A>) -> Endpoint {
    Endpoint::new(Method::POST, path, handler)
}

/// An endpoint of `PUT`.
pub fn put<A: 'static>(path: &'static str, handler: impl Handler<A>) -> Endpoint {
    Endpoint::new(Method::PUT, path, handler)
}

/// An endpoint of `PATCH`.
pub fn patch<A: 'static>(path: &'static str, handler: impl Handler<A>) -> Endpoint {
    Endpoint::new(Method::PATCH, path, handler)
}

/// An endpoint of `DELETE`.
pub fn delete<A: 'static>(path: &'static str, handler: impl Handler<A>) -> Endpoint {
    Endpoint::new(Method::DELETE, path, handler)
}

impl Endpoint {
    fn new<A: 'static, H: Handler<A>>(method: Method, path: &'static str, handler: H) -> Self {
        Self {
            method,
            path,
            access: Access::Token,
            summary: "",
            #[cfg(not(target_arch = "wasm32"))]
            shape: H::shape(),
            #[cfg(not(target_arch = "wasm32"))]
            query: Vec::new(),
            body_limit: BODY_LIMIT,
            reading: Reading::Parameters,
            scoped: true,
            changes_state: false,
            area_scopes: &[],
            envelope: None,
            refuse: service::refuse,
            handler: Box::new(Erased { handler, arguments: std::marker::PhantomData }),
        }
    }

    /// Tells in one sentence what it does.
    pub fn about(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Describes parameters of its query that no type tells: names, and their types in JSON.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn query(self, query: impl IntoIterator<Item = (String, &'static str)>) -> Self {
        Self { query: query.into_iter().collect(), ..self }
    }

    /// Lets everybody call it, and leaves a token alone.
    pub fn public(self) -> Self {
        Self { access: Access::Public, ..self }
    }

    /// Lets everybody call it, and looks at a token that is sent.
    pub fn token_optional(self) -> Self {
        Self { access: Access::TokenOptional, ..self }
    }

    /// Takes a body of up to so many bytes as it is, not as parameters: see [`Context::bytes`].
    pub fn raw(self, limit: usize) -> Self {
        Self { body_limit: limit, reading: Reading::Raw, ..self }
    }

    /// Takes a body of up to so many bytes, which its handler reads piece by piece: see [`Context::body_stream`].
    pub fn streamed(self, limit: usize) -> Self {
        Self { body_limit: limit, reading: Reading::Streamed, ..self }
    }

    /// Says of a `GET` that it changes something: `HEAD` does not call it then.
    pub fn changes_state(self) -> Self {
        Self { changes_state: true, ..self }
    }

    /// Lets every token call it, whatever its scopes.
    pub fn unscoped(self) -> Self {
        Self { scoped: false, ..self }
    }

    /// Lets tokens with one of these scopes call it too, which its area has beside those of the paths.
    pub fn area_scopes(self, area_scopes: &'static [&'static str]) -> Self {
        Self { area_scopes, ..self }
    }

    /// Takes a body of parameters of up to so many bytes.
    pub fn up_to(self, limit: usize) -> Self {
        Self { body_limit: limit, ..self }
    }

    /// Gives its errors another shape than those of the rest of the area.
    pub fn envelope(self, envelope: Envelope) -> Self {
        Self { envelope: Some(envelope), ..self }
    }

    /// Answers errors with a page too, as it is opened by people in their browsers.
    #[cfg(feature = "html")]
    pub fn page(self) -> Self {
        Self { refuse: crate::html::refuse, ..self }
    }

    /// The scope that a token needs: `url:<METHOD>|<path>`.
    pub fn scope(&self) -> String {
        format!("url:{}|{}", self.method, self.path)
    }

    pub(crate) fn call(&self, cx: Context, path: Params, body: Params) -> LocalBoxFuture<'static, Result<Answer>> {
        self.handler.handle(cx, path, body)
    }
}

impl Api {
    /// An area without endpoints yet.
    pub fn new(name: &'static str, envelope: Envelope) -> Self {
        Self { name, envelope, endpoints: Vec::new(), internal: Vec::new(), routes: matchit::Router::new() }
    }

    /// Adds the endpoints of a resource.
    pub fn resource<const N: usize>(mut self, endpoints: [Endpoint; N]) -> Self {
        self.endpoints.extend(endpoints);
        self.routes = routes(&self.endpoints);
        self
    }

    /// Adds endpoints whose number is not known beforehand.
    pub fn resources(mut self, endpoints: Vec<Endpoint>) -> Self {
        self.endpoints.extend(endpoints);
        self.routes = routes(&self.endpoints);
        self
    }

    /// Adds an endpoint for components of this application, to which no route of the manifest leads.
    pub fn internal(mut self, endpoint: Endpoint) -> Self {
        self.internal.push(endpoint);
        self
    }

    /// The endpoints, in the order of their declaration.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// The endpoint that answers, with the parameters of its path; 404 where the path is unknown, 405 where the method is.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Result<(&Endpoint, Params)> {
        let path = normal(path);
        let own = self.internal.iter().find(|endpoint| endpoint.path == path && endpoint.method == *method);
        if let Some(endpoint) = own {
            return Ok((endpoint, Params::new()));
        }
        let route = self.routes.at(&path).map_err(|_unknown| Error::not_found())?;
        let wanted = if method == Method::HEAD { Method::GET.as_str() } else { method.as_str() };
        let of = |method: &str| route.value.get(method).and_then(|index| self.endpoints.get(*index));
        let endpoint = of(wanted).filter(|endpoint| method != Method::HEAD || !endpoint.changes_state);
        let may_head = of(Method::GET.as_str()).is_some_and(|endpoint| !endpoint.changes_state);
        let endpoint = endpoint.ok_or_else(|| Error::method_not_allowed(allow(route.value, may_head)))?;
        Ok((endpoint, params(endpoint.path, &path)?))
    }
}

/// All endpoints of a path share a route, whatever they call its parameters. Where a path has a word in the place of
/// another's parameter, as `self` in that of an id, it leads to what the other has besides.
fn routes(endpoints: &[Endpoint]) -> matchit::Router<Route> {
    let mut paths: BTreeMap<String, Route> = BTreeMap::new();
    for (index, endpoint) in endpoints.iter().enumerate() {
        paths.entry(pattern(endpoint.path)).or_default().insert(method_name(&endpoint.method), index);
    }
    let mut router = matchit::Router::new();
    for (path, own) in &paths {
        let wider = paths.iter().filter(|(other, _)| *other != path && includes(other, path));
        let mut route = own.clone();
        for (method, index) in wider.flat_map(|(_, other)| other) {
            route.entry(method).or_insert(*index);
        }
        // Two patterns that differ cannot clash: their parameters have the same names.
        let inserted = router.insert(path, route);
        debug_assert!(inserted.is_ok(), "{inserted:?}");
    }
    router
}

/// Whether whatever fits the pattern `narrow` fits `wide` too.
fn includes(wide: &str, narrow: &str) -> bool {
    wide.split('/').count() == narrow.split('/').count()
        && wide.split('/').zip(narrow.split('/')).all(|(wide, narrow)| wide == narrow || wide.starts_with('{'))
}

fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        _ => "DELETE",
    }
}

fn pattern(path: &str) -> String {
    let segments = path.split('/').enumerate().map(|(position, segment)| match segment.starts_with(':') {
        true => format!("{{p{position}}}"),
        false => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

/// What stands in `path` where the endpoint's path has parameters.
fn params(endpoint: &'static str, path: &str) -> Result<Params> {
    let places = endpoint.split('/').zip(path.split('/'));
    places
        .filter_map(|(place, text)| Some((place.strip_prefix(':')?.to_owned(), text)))
        .map(|(name, text)| Ok((name, decoded(text)?)))
        .collect()
}

/// Slashes at the end are not part of a path.
fn normal(path: &str) -> String {
    format!("/{}", path.trim_matches('/'))
}

fn decoded(text: &str) -> Result<Value> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_not_text| Error::not_found())?;
    if text.is_empty() || text.contains('\0') { Err(Error::not_found()) } else { Ok(Value::String(text.into_owned())) }
}

fn allow(route: &Route, may_head: bool) -> String {
    let mut methods: Vec<_> = route.keys().copied().collect();
    if may_head {
        methods.push("HEAD");
    }
    methods.push("OPTIONS");
    methods.join(", ")
}

/// A function that answers requests: of the context alone, of the context and the path's parameters, or of these and
/// the [`Body`].
pub trait Handler<Arguments>: Send + Sync + 'static {
    /// The types of the parameters and the answer.
    #[cfg(not(target_arch = "wasm32"))]
    fn shape() -> Shape;

    /// Reads the arguments, and answers.
    fn handle(&self, cx: Context, path: Params, body: Params) -> LocalBoxFuture<'static, Result<Answer>>;
}

impl<F, Fut, T> Handler<()> for F
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply<T>>> + 'static,
    T: Serialize + Described + 'static,
{
    #[cfg(not(target_arch = "wasm32"))]
    fn shape() -> Shape {
        Shape::of::<(), (), T>()
    }

    fn handle(&self, cx: Context, _: Params, _: Params) -> LocalBoxFuture<'static, Result<Answer>> {
        answer(cx.string_ids(), self(cx))
    }
}

impl<F, Fut, P, T> Handler<(P,)> for F
where
    F: Fn(Context, P) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply<T>>> + 'static,
    P: DeserializeOwned + Described + 'static,
    T: Serialize + Described + 'static,
{
    #[cfg(not(target_arch = "wasm32"))]
    fn shape() -> Shape {
        Shape::of::<P, (), T>()
    }

    fn handle(&self, cx: Context, path: Params, _: Params) -> LocalBoxFuture<'static, Result<Answer>> {
        match read_path(path) {
            Ok(path) => answer(cx.string_ids(), self(cx, path)),
            Err(error) => Box::pin(async { Err(error) }),
        }
    }
}

impl<F, Fut, P, B, T> Handler<(P, B)> for F
where
    F: Fn(Context, P, Body<B>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply<T>>> + 'static,
    P: DeserializeOwned + Described + 'static,
    B: DeserializeOwned + Described + 'static,
    T: Serialize + Described + 'static,
{
    #[cfg(not(target_arch = "wasm32"))]
    fn shape() -> Shape {
        Shape::of::<P, B, T>()
    }

    fn handle(&self, cx: Context, path: Params, body: Params) -> LocalBoxFuture<'static, Result<Answer>> {
        match read_path(path) {
            Ok(path) => answer(cx.string_ids(), self(cx, path, Body::new(body))),
            Err(error) => Box::pin(async { Err(error) }),
        }
    }
}

/// A path whose parameters do not fit their types names nothing.
fn read_path<P: DeserializeOwned>(path: Params) -> Result<P> {
    lenient::from_value(Value::Object(path)).map_err(|_names_nothing| Error::not_found())
}

fn answer<T: Serialize + 'static>(
    string_ids: bool,
    reply: impl Future<Output = Result<Reply<T>>> + 'static,
) -> LocalBoxFuture<'static, Result<Answer>> {
    Box::pin(async move { reply.await?.into_answer(string_ids) })
}

/// A handler without its types, so that the endpoints of an area stand in one table.
trait Handle: Send + Sync {
    fn handle(&self, cx: Context, path: Params, body: Params) -> LocalBoxFuture<'static, Result<Answer>>;
}

struct Erased<H, A> {
    handler: H,
    arguments: std::marker::PhantomData<fn() -> A>,
}

impl<H: Handler<A>, A: 'static> Handle for Erased<H, A> {
    fn handle(&self, cx: Context, path: Params, body: Params) -> LocalBoxFuture<'static, Result<Answer>> {
        self.handler.handle(cx, path, body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn nothing(_: Context) -> Result<Reply> {
        Ok(Reply::no_content())
    }

    fn api() -> Api {
        Api::new("test", Envelope::Lms).resource([
            get("/users/:user_id/channels", nothing),
            get("/users/:user_id/channels/:id", nothing),
            put("/users/self/channels/:id", nothing),
            delete("/users/self/channels/push", nothing),
            delete("/users/:user_id/channels/:type/:address", nothing),
            post("/users/:user_id/channels/:id/confirm", nothing),
            get("/users/:user_id/close", nothing).changes_state(),
        ])
    }

    fn found(method: Method, path: &str) -> Result<(&'static str, Value)> {
        let api = api();
        api.find(&method, path).map(|(endpoint, params)| (endpoint.path, Value::Object(params)))
    }

    #[test]
    fn a_word_in_the_place_of_a_parameter_hides_nothing() {
        let ids = |user: &str| serde_json::json!({"user_id": user, "id": "7"});
        for (user, path) in [("8", "/users/8/channels/7"), ("self", "/users/self/channels/7")] {
            assert_eq!(found(Method::GET, path).unwrap(), ("/users/:user_id/channels/:id", ids(user)));
        }
        let (path, params) = found(Method::PUT, "/users/self/channels/7").unwrap();
        assert_eq!((path, params), ("/users/self/channels/:id", serde_json::json!({"id": "7"})));
        assert_eq!(found(Method::GET, "/users/self/channels").unwrap().0, "/users/:user_id/channels");
        assert_eq!(found(Method::DELETE, "/users/self/channels/push").unwrap().0, "/users/self/channels/push");
        let (path, params) = found(Method::DELETE, "/users/8/channels/sms/confirm").unwrap();
        let expected = serde_json::json!({"user_id": "8", "type": "sms", "address": "confirm"});
        assert_eq!((path, params), ("/users/:user_id/channels/:type/:address", expected));
    }

    #[test]
    fn what_a_path_says_is_decoded() {
        let (_, params) = found(Method::DELETE, "/users/8/channels/email/a%2Bb%40c.test").unwrap();
        assert_eq!(params["address"], "a+b@c.test");
    }

    #[test]
    fn head_does_not_call_what_changes_something() {
        assert!(found(Method::GET, "/users/8/close").is_ok() && found(Method::HEAD, "/users/8/channels").is_ok());
        let refused = found(Method::HEAD, "/users/8/close").unwrap_err();
        assert!(matches!(refused.kind(), crate::error::Kind::MethodNotAllowed(allow) if allow == "GET, OPTIONS"));
    }

    #[test]
    fn a_method_that_a_path_lacks_is_told_with_those_it_has() {
        let refused = found(Method::PUT, "/users/8/channels/7").unwrap_err();
        assert!(matches!(refused.kind(), crate::error::Kind::MethodNotAllowed(allow) if allow == "GET, HEAD, OPTIONS"));
        assert!(matches!(found(Method::GET, "/nowhere").unwrap_err().kind(), crate::error::Kind::NotFound));
    }
}
