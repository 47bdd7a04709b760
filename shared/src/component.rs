//! The entry of a component, in one line.

/// Declares a component: its name in the manifest, the form of its errors, the modules whose endpoints it answers,
/// endpoints for other components of the application, to which no route leads, the tokens
/// with scopes of its own, and the requests that it makes itself.
///
/// ```text
/// shared::component!("files", LmsErrors, [files, folders, pages], internal: [background::jobs(retention::run)]);
/// ```
///
/// It makes `api`, the table of the area with the description of its package, and, in WebAssembly, the function that Spin calls.
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the routes are those of the area that calls it")]
macro_rules! component {
    ($name:literal, $format:expr, [$($($module:ident)::+),+ $(,)?]
        $(, internal: [$($internal:expr),+ $(,)?])?
        $(, tokens: $tokens:expr)?
        $(, webhooks: $webhooks:expr)? $(,)?) => {
        /// The endpoints of the area.
        pub fn api() -> $crate::Api {
            let api = $crate::Api::new($name, &$format)
                .description(env!("CARGO_PKG_DESCRIPTION"))
                $(.resource(crate::routes::$($module)::+::endpoints()))+
                $($(.internal($internal))+)?;
            $(
                #[cfg(not(target_arch = "wasm32"))]
                let api = api.tokens($tokens);
            )?
            $(
                #[cfg(not(target_arch = "wasm32"))]
                let api = api.webhooks($webhooks);
            )?
            api
        }

        #[cfg(target_arch = "wasm32")]
        static API: ::std::sync::LazyLock<$crate::Api> = ::std::sync::LazyLock::new(api);

        #[cfg(target_arch = "wasm32")]
        #[spin_sdk::http_service]
        async fn handle(request: $crate::Request) -> $crate::Response {
            $crate::serve(&API, request).await
        }
    };
}
