//! Handlers: functions of the context and of what they take from the request, which answer a [`Reply`].

use std::marker::PhantomData;

use futures::future::LocalBoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use types::Described;
use types::coerce;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::lookup::{self, Need, Record};
#[cfg(not(target_arch = "wasm32"))]
use crate::operation::Operation;
use crate::params::{self, Params, Unsupported};
use crate::reads::{Prefetch, ReadResults, Reads};
use crate::reply::{Reply, UntypedReply};

/// The parameters of a request: those of its path, and those of its query and body, which are one thing to the LMS.
pub struct Parameters {
    pub(crate) path: Params,
    /// An error where they cannot be read, and the endpoint looks at a credential of its own before it says so.
    pub(crate) others: Result<Params>,
    /// The parameters that the endpoint refuses.
    pub(crate) unsupported: &'static [Unsupported],
    /// The record that the endpoint needs, and what its handler reads next.
    pub(crate) results: ReadResults,
}

impl Parameters {
    /// The record that the endpoint needs; 404 where there is none.
    pub fn take_needed<T: Record>(&mut self) -> Result<T> {
        lookup::read(self.results.needed.take())
    }

    /// The read that was prefetched, as JSON.
    pub(crate) fn take_prefetched(&mut self) -> Result<Option<String>> {
        std::mem::replace(&mut self.results.prefetched, Ok(None))
    }
}

/// An argument that a handler takes from the request.
pub trait Argument: Sized + 'static {
    /// Adds it to the description of the endpoint.
    #[cfg(not(target_arch = "wasm32"))]
    fn describe(operation: Operation) -> Operation;

    /// The record that it is, where it is one.
    fn need() -> Option<Need> {
        None
    }

    /// The read that it is, where it is one.
    fn prefetch() -> Option<Prefetch> {
        None
    }

    /// Takes it from the parameters.
    fn take(parameters: &mut Parameters) -> Result<Self>;
}

/// The parameters of the path. A path whose parameters do not fit their types names nothing: 404.
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Described + 'static> Argument for Path<T> {
    #[cfg(not(target_arch = "wasm32"))]
    fn describe(operation: Operation) -> Operation {
        operation.with_path::<T>()
    }

    fn take(parameters: &mut Parameters) -> Result<Self> {
        let path = Value::Object(std::mem::take(&mut parameters.path));
        coerce::from_value(path).map(Self).map_err(|_names_nothing| Error::not_found())
    }
}

/// The parameters of the query, which the handler reads when it has found the records and checked the rights.
pub struct Query<T>(Undecoded<T>);

impl<T: DeserializeOwned> Query<T> {
    /// The parameters as a `T`, or 400 with the name of the parameter that does not fit.
    pub fn decode(self) -> Result<T> {
        params::decode_query(self.into_params()?)
    }

    /// The parameters as they came, or 400 with the name of one that the endpoint does not support.
    pub fn into_params(self) -> Result<Params> {
        self.0.into_params()
    }
}

impl<T: DeserializeOwned + Described + 'static> Argument for Query<T> {
    #[cfg(not(target_arch = "wasm32"))]
    fn describe(operation: Operation) -> Operation {
        operation.with_query::<T>()
    }

    fn take(parameters: &mut Parameters) -> Result<Self> {
        Ok(Self(Undecoded::take(parameters)))
    }
}

/// The fields of the body, be it a form, multipart or JSON, which the handler reads when it has found the records and
/// checked the rights. A field that stands in the query instead is as good.
pub struct Form<T>(Undecoded<T>);

impl<T: DeserializeOwned> Form<T> {
    /// The fields as a `T`, or 400 with the name of the field that does not fit.
    pub fn decode(self) -> Result<T> {
        params::decode(self.into_params()?)
    }

    /// The fields as they came, or 400 with the name of one that the endpoint does not support.
    pub fn into_params(self) -> Result<Params> {
        self.0.into_params()
    }
}

impl<T: DeserializeOwned + Described + 'static> Argument for Form<T> {
    #[cfg(not(target_arch = "wasm32"))]
    fn describe(operation: Operation) -> Operation {
        operation.with_form::<T>()
    }

    fn take(parameters: &mut Parameters) -> Result<Self> {
        Ok(Self(Undecoded::take(parameters)))
    }
}

/// Parameters that will be a `T`.
struct Undecoded<T> {
    params: Result<Params>,
    unsupported: &'static [Unsupported],
    read_as: PhantomData<T>,
}

impl<T> Undecoded<T> {
    fn take(parameters: &mut Parameters) -> Self {
        let params = std::mem::replace(&mut parameters.others, Ok(Params::new()));
        Self { params, unsupported: parameters.unsupported, read_as: PhantomData }
    }

    fn into_params(self) -> Result<Params> {
        let params = self.params?;
        params::refuse_unsupported(self.unsupported, &params)?;
        Ok(params)
    }
}

/// A function that answers requests: of the context alone, or of it and of up to four [`Argument`]s.
pub trait Handler<Arguments>: Send + Sync + 'static {
    /// The types of what it takes and answers.
    #[cfg(not(target_arch = "wasm32"))]
    fn operation() -> Operation;

    /// The record that it needs, if it needs one, and what it reads next.
    fn reads() -> Reads;

    /// Takes the arguments, and answers.
    fn handle(&self, cx: Context, parameters: Parameters) -> LocalBoxFuture<'static, Result<UntypedReply>>;
}

macro_rules! handlers {
    ($($argument:ident)*) => {
        impl<F, Fut, $($argument,)* T, const STATUS: u16> Handler<($($argument,)*)> for F
        where
            F: Fn(Context, $($argument),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Result<Reply<T, STATUS>>> + 'static,
            $($argument: Argument,)*
            T: Serialize + Described + 'static,
        {
            #[cfg(not(target_arch = "wasm32"))]
            fn operation() -> Operation {
                let operation = Operation::of_reply::<T>(STATUS);
                $(let operation = $argument::describe(operation);)*
                operation
            }

            fn reads() -> Reads {
                let (need, prefetch) = (None, None);
                $(let (need, prefetch) = (need.or_else($argument::need), prefetch.or_else($argument::prefetch));)*
                Reads { need, prefetch }
            }

            #[expect(non_snake_case, reason = "the types' names serve as the arguments' names")]
            fn handle(&self, cx: Context, mut parameters: Parameters) -> LocalBoxFuture<'static, Result<UntypedReply>> {
                $(let $argument = match $argument::take(&mut parameters) {
                    Ok(argument) => argument,
                    Err(error) => return Box::pin(async { Err(error) }),
                };)*
                answer(cx.string_ids(), self(cx, $($argument),*))
            }
        }
    };
}

handlers!(A);
handlers!(A B);
handlers!(A B C);
handlers!(A B C D);

impl<F, Fut, T, const STATUS: u16> Handler<()> for F
where
    F: Fn(Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Reply<T, STATUS>>> + 'static,
    T: Serialize + Described + 'static,
{
    #[cfg(not(target_arch = "wasm32"))]
    fn operation() -> Operation {
        Operation::of_reply::<T>(STATUS)
    }

    fn reads() -> Reads {
        Reads::default()
    }

    fn handle(&self, cx: Context, _: Parameters) -> LocalBoxFuture<'static, Result<UntypedReply>> {
        answer(cx.string_ids(), self(cx))
    }
}

fn answer<T: Serialize + 'static, const STATUS: u16>(
    string_ids: bool,
    reply: impl Future<Output = Result<Reply<T, STATUS>>> + 'static,
) -> LocalBoxFuture<'static, Result<UntypedReply>> {
    Box::pin(async move { reply.await?.into_answer(string_ids) })
}

/// A handler without its types, so that the endpoints of an area stand in one table.
pub(crate) trait Handle: Send + Sync {
    fn handle(&self, cx: Context, parameters: Parameters) -> LocalBoxFuture<'static, Result<UntypedReply>>;
}

pub(crate) struct Erased<H, A> {
    handler: H,
    arguments: PhantomData<fn() -> A>,
}

impl<H, A> Erased<H, A> {
    pub(crate) fn new(handler: H) -> Self {
        Self { handler, arguments: PhantomData }
    }
}

impl<H: Handler<A>, A: 'static> Handle for Erased<H, A> {
    fn handle(&self, cx: Context, parameters: Parameters) -> LocalBoxFuture<'static, Result<UntypedReply>> {
        self.handler.handle(cx, parameters)
    }
}
