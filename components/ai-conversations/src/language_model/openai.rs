//! Chat completions, as `OpenAI` made them and Azure, vLLM, Ollama and llama.cpp speak them.

use serde_json::{Value, json};

use crate::language_model::{Model, Question, Reply};
use crate::model::failure::Failure;

pub(crate) fn body(model: &Model, question: &Question) -> Value {
    let mut messages = vec![json!({"role": "system", "content": question.system})];
    messages.extend(question.turns.iter().map(|said| {
        let role = if said.by_user { "user" } else { "assistant" };
        json!({"role": role, "content": said.text})
    }));
    // Its makers have renamed it; the others have not.
    let renamed = model.is_at("api.openai.com") || model.is_at(".azure.com");
    let limit = if renamed { "max_completion_tokens" } else { "max_tokens" };
    let mut body = json!({
        "model": model.name,
        "messages": messages,
        limit: model.max_tokens,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": question.shape, "strict": true, "schema": question.schema},
        },
    });
    if let (Some(temperature), Some(body)) = (model.temperature, body.as_object_mut()) {
        body.insert("temperature".to_owned(), temperature.into());
    }
    body
}

pub(crate) fn reply(body: &Value) -> Result<Reply, Failure> {
    let choice = body.pointer("/choices/0").ok_or(Failure::InvalidResponse)?;
    let refused = choice.pointer("/message/refusal").is_some_and(Value::is_string);
    if refused || choice.get("finish_reason").is_some_and(|reason| reason == "content_filter") {
        return Err(Failure::ContentFiltered);
    }
    let text = choice.pointer("/message/content").and_then(Value::as_str).unwrap_or_default();
    if text.trim().is_empty() {
        return Err(Failure::NoResponse);
    }
    Ok(Reply { text: text.to_owned(), tokens: tokens(body) })
}

/// Adds what one event of a stream brings to the reply.
pub(crate) fn delta(event: &Value, reply: &mut Reply) -> Result<(), Failure> {
    if event.get("error").is_some() {
        return Err(Failure::NoResponse);
    }
    let choice = event.pointer("/choices/0");
    if choice.and_then(|choice| choice.get("finish_reason")).is_some_and(|reason| reason == "content_filter") {
        return Err(Failure::ContentFiltered);
    }
    let text = choice.and_then(|choice| choice.pointer("/delta/content")).and_then(Value::as_str);
    reply.text.push_str(text.unwrap_or_default());
    reply.tokens = tokens(event).or(reply.tokens);
    Ok(())
}

fn tokens(body: &Value) -> Option<i64> {
    body.pointer("/usage/total_tokens")?.as_i64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_the_first_choice() {
        let body = json!({"choices": [{"message": {"content": "{}"}}], "usage": {"total_tokens": 7}});
        assert_eq!(reply(&body).unwrap(), Reply { text: "{}".to_owned(), tokens: Some(7) });
        assert_eq!(reply(&json!({"choices": []})), Err(Failure::InvalidResponse));
        assert_eq!(reply(&json!({"choices": [{"message": {"content": null}}]})), Err(Failure::NoResponse));
        let filtered = json!({"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}]});
        assert_eq!(reply(&filtered), Err(Failure::ContentFiltered));
    }

    #[test]
    fn a_stream_is_put_together() {
        let mut whole = Reply::default();
        for event in [
            json!({"choices": [{"delta": {"role": "assistant"}}]}),
            json!({"choices": [{"delta": {"content": "a"}}]}),
            json!({"choices": [{"delta": {"content": "b"}, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"total_tokens": 3}}),
        ] {
            delta(&event, &mut whole).unwrap();
        }
        assert_eq!(whole, Reply { text: "ab".to_owned(), tokens: Some(3) });
    }
}
