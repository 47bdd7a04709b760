//! Service chaining: a component calls another one of the application as `http://<id>.spin.internal`, without a network.

use std::sync::{Arc, OnceLock, Weak};

use http::{Request, Response, header};
use wasmtime_wasi_http::{Error, WasiBody};

use crate::passing::Passing;
use crate::served::Served;
use crate::traces::Trace;

const SUFFIX: &str = ".spin.internal";

/// The components of the application, which are known when all of them are loaded.
#[derive(Clone, Default)]
pub(crate) struct Neighbours(Arc<OnceLock<Weak<Served>>>);

impl Neighbours {
    /// Tells who the others are. They hold this value themselves, so that it must not hold them.
    pub(crate) fn introduce(&self, served: &Arc<Served>) {
        // Once for each application, and nobody has called another before.
        let _known = self.0.set(Arc::downgrade(served));
    }

    /// Lets the component of that name answer. `trace` is that of the call.
    pub(crate) async fn call(
        &self,
        id: &str,
        mut request: Request<WasiBody>,
        trace: &Trace,
    ) -> Result<Response<WasiBody>, Error> {
        let served = self.0.get().and_then(Weak::upgrade).ok_or(Error::DestinationUnavailable)?;
        let component = served.get(id).ok_or(Error::DestinationNotFound)?;
        request.headers_mut().remove(header::HOST);
        let handler = component.handler().await.map_err(internal)?;
        let span = trace.chained(request.method(), id);
        let response = handler.handle((span.trace(), Passing::default()), request).await.map_err(internal)?;
        span.answered(response.status());
        Ok(response)
    }
}

fn internal(error: impl std::fmt::Display) -> Error {
    Error::InternalError(Some(format!("{error:#}")))
}

/// The component that a host name names, if it names one.
pub(crate) fn component(host: &str) -> Option<&str> {
    host.strip_suffix(SUFFIX).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_below_the_suffix_are_components() {
        assert_eq!(component("background.spin.internal"), Some("background"));
        for other in [".spin.internal", "spin.internal", "background.spin.internal.example.com"] {
            assert_eq!(component(other), None, "{other}");
        }
    }
}
