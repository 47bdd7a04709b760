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

/// An endpoint: where it is, who may call it, and what answers.
pub struct Endpoint {
    /// The method. `GET` answers `HEAD` too.
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
    pub(crate) body_limit: usize,
    pub(crate) raw: bool,
    pub(crate) scoped: bool,
    pub(crate) envelope: Option<Envelope>,
    handler: Box<dyn Handle>,
}

/// An area: its endpoints and the envelope of its errors.
pub struct Api {
    /// The component's name.
    pub name: &'static str,
    /// The shape of its errors.
    pub envelope: Envelope,
    endpoints: Vec<Endpoint>,
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
            body_limit: BODY_LIMIT,
            raw: false,
            scoped: true,
            envelope: None,
            handler: Box::new(Erased { handler, arguments: std::marker::PhantomData }),
        }
    }

    /// Tells in one sentence what it does.
    pub fn about(self, summary: &'static str) -> Self {
        Self { summary, ..self }
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
        Self { body_limit: limit, raw: true, ..self }
    }

    /// Lets every token call it, whatever its scopes.
    pub fn unscoped(self) -> Self {
        Self { scoped: false, ..self }
    }

    /// Gives its errors another shape than those of the rest of the area.
    pub fn envelope(self, envelope: Envelope) -> Self {
        Self { envelope: Some(envelope), ..self }
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
        Self { name, envelope, endpoints: Vec::new(), routes: matchit::Router::new() }
    }

    /// Adds the endpoints of a resource.
    pub fn resource<const N: usize>(mut self, endpoints: [Endpoint; N]) -> Self {
        self.endpoints.extend(endpoints);
        self.routes = routes(&self.endpoints);
        self
    }

    /// The endpoints, in the order of their declaration.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// The endpoint that answers, with the parameters of its path; 404 where the path is unknown, 405 where the method is.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Result<(&Endpoint, Params)> {
        let path = normal(path);
        let route = self.routes.at(&path).map_err(|_unknown| Error::not_found())?;
        let wanted = if method == Method::HEAD { Method::GET.as_str() } else { method.as_str() };
        let endpoint = route.value.get(wanted).and_then(|index| self.endpoints.get(*index));
        let endpoint = endpoint.ok_or_else(|| Error::method_not_allowed(allow(route.value)))?;
        let params = names(endpoint.path).zip(route.params.iter()).map(|(name, (_, text))| Ok((name, decoded(text)?)));
        Ok((endpoint, params.collect::<Result<_>>()?))
    }
}

/// All endpoints of a path share a route, whatever they call its parameters.
fn routes(endpoints: &[Endpoint]) -> matchit::Router<Route> {
    let mut paths: BTreeMap<String, Route> = BTreeMap::new();
    for (index, endpoint) in endpoints.iter().enumerate() {
        paths.entry(pattern(endpoint.path)).or_default().insert(method_name(&endpoint.method), index);
    }
    let mut router = matchit::Router::new();
    for (path, route) in paths {
        // Two patterns that differ cannot clash: their parameters have the same names.
        let inserted = router.insert(path, route);
        debug_assert!(inserted.is_ok(), "{inserted:?}");
    }
    router
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

fn names(path: &'static str) -> impl Iterator<Item = String> {
    path.split('/').filter_map(|segment| segment.strip_prefix(':')).map(str::to_owned)
}

/// Slashes at the end are not part of a path.
fn normal(path: &str) -> String {
    format!("/{}", path.trim_matches('/'))
}

fn decoded(text: &str) -> Result<Value> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_not_text| Error::not_found())?;
    if text.is_empty() || text.contains('\0') { Err(Error::not_found()) } else { Ok(Value::String(text.into_owned())) }
}

fn allow(route: &Route) -> String {
    let mut methods: Vec<_> = route.keys().copied().collect();
    if route.contains_key("GET") {
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
