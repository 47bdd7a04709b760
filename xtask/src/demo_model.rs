//! A stand-in for a model: it speaks the protocol of chat completions, understands nothing, and says so.
//!
//! `cargo xtask up --demo-model` starts it, so that AI conversations can be tried where there is no model.

use std::convert::Infallible;

use anyhow::Result;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;

const MARK: &str = "[Demonstration, no real model]";

/// Starts it on a free port of the loopback, and answers its address.
pub(crate) async fn start() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}/v1", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // A client that breaks off is its own affair.
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(serve)));
        }
    });
    Ok(address)
}

async fn serve(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let question: Value = serde_json::from_slice(&body).unwrap_or_default();
    let content = answer(&question).to_string();
    let (kind, body) = match question.get("stream").is_some_and(|stream| stream == true) {
        true => ("text/event-stream", events(&content)),
        false => ("application/json", completion(&content).to_string()),
    };
    let mut response = Response::new(Full::new(body.into()));
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    Ok(response)
}

fn completion(content: &str) -> Value {
    let message = json!({"role": "assistant", "content": content});
    json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"total_tokens": 0}})
}

fn events(content: &str) -> String {
    let words = content.split_inclusive(' ').map(|word| json!({"choices": [{"delta": {"content": word}}]}));
    let events: String = words.map(|event| format!("data: {event}\n\n")).collect();
    format!("{events}data: [DONE]\n\n")
}

/// The script: each answer of the student reaches one objective more.
fn answer(question: &Value) -> Value {
    match question.pointer("/response_format/json_schema/name").and_then(Value::as_str) {
        Some("evaluation") => return evaluation(),
        Some("notes") => return json!({"notes": format!("{MARK} The student answered.")}),
        _ => {}
    }
    let messages = question.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let by_user = |message: &&Value| message.get("role").is_some_and(|role| role == "user");
    let said = messages.iter().filter(by_user).count().saturating_sub(1);
    let last = messages.last().and_then(|message| message.get("content")?.as_str()).unwrap_or_default();
    let reply = match said {
        0 => format!("{MARK} Hello! What do you know about the subject already?"),
        _ => format!("{MARK} You said: {last} Can you say more about it?"),
    };
    json!({"reply": reply, "covered_objectives": (1..=said).collect::<Vec<_>>()})
}

fn evaluation() -> Value {
    json!({
        "summary": format!("{MARK} The student answered."),
        "overall_assessment": "Nothing was judged.",
        "overall_score": 50,
        "learning_objectives_evaluation": [],
        "strengths": [],
        "areas_for_improvement": [],
        "key_moments": [],
        "custom_metrics": [],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_that_it_is_none() {
        let question = json!({"messages": [
            {"role": "system", "content": "x"}, {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "?"}, {"role": "user", "content": "Oak."},
        ]});
        let answer = answer(&question);
        assert!(answer.get("reply").and_then(Value::as_str).unwrap().starts_with(MARK));
        assert_eq!(answer.get("covered_objectives"), Some(&json!([1])));
    }
}
