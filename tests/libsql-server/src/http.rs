//! The two calls of Hrana over HTTP.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http_body_util::{BodyExt, Collected, Full};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use libsql_hrana::proto;
use tokio::net::TcpListener;

use crate::streams::{Refusal, Streams};
use crate::{cursor, pipeline};

pub(crate) async fn serve(listener: TcpListener, streams: Arc<Streams>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file handles, most likely: others have to finish first.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let _slower = stream.set_nodelay(true);
        let streams = streams.clone();
        let service = service_fn(move |request| {
            let streams = streams.clone();
            async move { Ok::<_, Infallible>(respond(request, streams).await) }
        });
        // A client that breaks off is its own affair.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn respond(request: Request<Incoming>, streams: Arc<Streams>) -> Response<Full<Bytes>> {
    streams.counts.calls.fetch_add(1, Ordering::Relaxed);
    tokio::time::sleep(streams.options.delay).await;
    let shown = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
    if !streams.options.tokens.allow(shown) {
        return response(StatusCode::UNAUTHORIZED, "text/plain", "the token is not right");
    }
    let work = match (request.method(), request.uri().path()) {
        (&Method::POST, "/v3/pipeline") => pipeline::answer,
        (&Method::POST, "/v3/cursor") => cursor::answer,
        (&Method::GET, "/v3") => return response(StatusCode::OK, "text/plain", "Hrana 3"),
        _ => return response(StatusCode::NOT_FOUND, "text/plain", "there is nothing here"),
    };
    let body = request.into_body().collect().await.map(Collected::to_bytes).unwrap_or_default();
    // SQLite blocks, and so does whoever waits for the lock.
    match tokio::task::spawn_blocking(move || work(&streams, &body)).await {
        Ok(Ok(body)) => response(StatusCode::OK, "application/json", body),
        Ok(Err(refusal)) => refused(&refusal),
        Err(panicked) => response(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", panicked.to_string()),
    }
}

fn refused(refusal: &Refusal) -> Response<Full<Bytes>> {
    match refusal {
        Refusal::Expired => {
            let error = proto::Error { message: refusal.to_string(), code: "STREAM_EXPIRED".to_owned() };
            let error = serde_json::to_vec(&error).unwrap_or_default();
            response(StatusCode::BAD_REQUEST, "application/json", error)
        }
        Refusal::BadRequest(_) => response(StatusCode::BAD_REQUEST, "text/plain", refusal.to_string()),
        Refusal::Failed(_) => response(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", refusal.to_string()),
    }
}

fn response(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
