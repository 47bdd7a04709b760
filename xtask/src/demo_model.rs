//! A stand-in for a model: it speaks the protocol of chat completions, word by word where that is asked for,
//! understands nothing, and says so.
//!
//! `cargo xtask up --demo-model` starts it, so that AI conversations can be tried where there is no model.

use std::convert::Infallible;
use std::time::Duration;

use anyhow::Result;
use http_body_util::channel::Channel;
use http_body_util::{BodyExt, Either, Full};
use hyper::body::Bytes;
use hyper::{Request, Response};
use serde_json::{Value, json};
use serving::{Limits, RequestBody};
use tokio::net::TcpListener;

const MARK: &str = "[Demonstration, no real model]";
/// Long enough that it comes in several pieces: the application keeps the last 160 characters of an answer back until
/// it has seen more.
const EXPLANATION: &str = "This demonstration understands nothing. It repeats what you write, and counts each of your answers as \
    one objective that is reached. A real model would tell you whether your answer fits what it knows of the subject, and lead you \
    to the next objective of this experience, one question at a time, until you have reached them all.";
/// The time between two words.
const PAUSE: Duration = Duration::from_millis(40);

type Body = Either<Full<Bytes>, Channel<Bytes>>;

/// Starts it on a free port of the loopback, and answers its address.
pub(crate) async fn start() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}/v1", listener.local_addr()?);
    tokio::spawn(serving::serve(listener, Limits::DEVELOPMENT, serve, std::future::pending()));
    Ok(address)
}

async fn serve(request: Request<RequestBody>) -> Result<Response<Body>, Infallible> {
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let question: Value = serde_json::from_slice(&body).unwrap_or_default();
    let content = answer(&question).to_string();
    let (kind, body) = match question.get("stream").is_some_and(|stream| stream == true) {
        true => ("text/event-stream", Either::Right(word_by_word(events(&content)))),
        false => ("application/json", Either::Left(Full::new(completion(&content).to_string().into()))),
    };
    let mut response = Response::new(body);
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    Ok(response)
}

fn completion(content: &str) -> Value {
    let message = json!({"role": "assistant", "content": content});
    json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"total_tokens": 0}})
}

/// An event for each word.
fn events(content: &str) -> Vec<String> {
    let words = content.split_inclusive(' ').map(|word| json!({"choices": [{"delta": {"content": word}}]}).to_string());
    words.chain(["[DONE]".to_owned()]).map(|event| format!("data: {event}\n\n")).collect()
}

fn word_by_word(events: Vec<String>) -> Channel<Bytes> {
    let (mut sender, body) = Channel::new(1);
    tokio::spawn(async move {
        for event in events {
            // Whoever asked has gone.
            if sender.send_data(event.into()).await.is_err() {
                return;
            }
            tokio::time::sleep(PAUSE).await;
        }
    });
    body
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
        _ => format!("{MARK} You said: {last} {EXPLANATION} Can you say more about it?"),
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

    #[tokio::test]
    async fn a_streamed_answer_comes_word_by_word() {
        let question = json!({"stream": true, "messages": [{"role": "user", "content": "Hi"}]});
        let address = format!("{}/chat/completions", start().await.unwrap());
        let mut response = reqwest::Client::new().post(address).json(&question).send().await.unwrap();
        let mut pieces = Vec::new();
        while let Some(piece) = response.chunk().await.unwrap() {
            pieces.push(String::from_utf8(piece.to_vec()).unwrap());
        }
        assert!(pieces.len() > 5, "{pieces:?}");
        assert!(pieces.concat().ends_with("data: [DONE]\n\n"));
    }
}
