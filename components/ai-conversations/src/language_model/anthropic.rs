//! Messages, as Anthropic speaks them. The shape of the answer is that of a tool, which the model has to use.

use serde_json::{Value, json};

use crate::language_model::{Model, Question, Reply};
use crate::model::failure::Failure;

pub(crate) fn body(model: &Model, question: &Question) -> Value {
    let messages: Vec<_> = question
        .turns
        .iter()
        .map(|said| {
            let role = if said.by_user { "user" } else { "assistant" };
            json!({"role": role, "content": said.text})
        })
        .collect();
    let mut body = json!({
        "model": model.name,
        "max_tokens": model.max_tokens,
        "system": question.system,
        "messages": messages,
        "tools": [{
            "name": question.shape,
            "description": "Takes the answer.",
            "input_schema": question.schema,
        }],
        "tool_choice": {"type": "tool", "name": question.shape},
    });
    if let (Some(temperature), Some(body)) = (model.temperature, body.as_object_mut()) {
        body.insert("temperature".to_owned(), temperature.into());
    }
    body
}

pub(crate) fn reply(body: &Value) -> Result<Reply, Failure> {
    if body.get("stop_reason").is_some_and(|reason| reason == "refusal") {
        return Err(Failure::ContentFiltered);
    }
    let blocks = body.get("content").and_then(Value::as_array).ok_or(Failure::InvalidResponse)?;
    let used = blocks.iter().find(|block| block.get("type").is_some_and(|kind| kind == "tool_use"));
    let text = match used.and_then(|block| block.get("input")) {
        Some(input) => input.to_string(),
        // A model that did not use the tool may have written the same as text.
        None => blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect(),
    };
    if text.trim().is_empty() {
        return Err(Failure::NoResponse);
    }
    Ok(Reply { text, tokens: tokens(body) })
}

/// Adds what one event of a stream brings to the reply.
pub(crate) fn delta(event: &Value, reply: &mut Reply) -> Result<(), Failure> {
    match event.get("type").and_then(Value::as_str).unwrap_or_default() {
        "error" => return Err(Failure::NoResponse),
        "message_start" => reply.tokens = event.get("message").and_then(tokens),
        "content_block_delta" => {
            let delta = event.get("delta");
            let text = delta.and_then(|delta| delta.get("partial_json").or_else(|| delta.get("text")));
            reply.text.push_str(text.and_then(Value::as_str).unwrap_or_default());
        }
        "message_delta" => {
            if event.pointer("/delta/stop_reason").is_some_and(|reason| reason == "refusal") {
                return Err(Failure::ContentFiltered);
            }
            let output = event.pointer("/usage/output_tokens").and_then(Value::as_i64).unwrap_or_default();
            reply.tokens = Some(reply.tokens.unwrap_or_default().saturating_add(output));
        }
        _ => {}
    }
    Ok(())
}

fn tokens(body: &Value) -> Option<i64> {
    let usage = body.get("usage")?;
    let count = |name: &str| usage.get(name).and_then(Value::as_i64).unwrap_or_default();
    Some(count("input_tokens").saturating_add(count("output_tokens")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_what_the_tool_was_given() {
        let body = json!({
            "content": [{"type": "text", "text": "Well."}, {"type": "tool_use", "input": {"reply": "Hi"}}],
            "usage": {"input_tokens": 3, "output_tokens": 4},
        });
        assert_eq!(reply(&body).unwrap(), Reply { text: r#"{"reply":"Hi"}"#.to_owned(), tokens: Some(7) });
        assert_eq!(reply(&json!({"stop_reason": "refusal"})), Err(Failure::ContentFiltered));
        assert_eq!(reply(&json!({"content": []})), Err(Failure::NoResponse));
        assert_eq!(reply(&json!({})), Err(Failure::InvalidResponse));
    }

    #[test]
    fn a_stream_is_put_together() {
        let mut whole = Reply::default();
        for event in [
            json!({"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 0}}}),
            json!({"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "{\"re"}}),
            json!({"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "ply\":1}"}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}}),
        ] {
            delta(&event, &mut whole).unwrap();
        }
        assert_eq!(whole, Reply { text: r#"{"reply":1}"#.to_owned(), tokens: Some(7) });
    }
}
