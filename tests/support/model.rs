//! A model for AI conversations, which says what a test wants it to say.

use std::sync::{Mutex, OnceLock, PoisonError};

use serde_json::{Value, json};

use crate::receiver::{Received, Receiver, Reply};

type Script = Box<dyn Fn(&Received) -> Reply + Send>;

/// Scripts, each under a word that stands in the questions that are meant for it.
static SCRIPTS: Mutex<Vec<(String, Script)>> = Mutex::new(Vec::new());
static MODEL: OnceLock<Receiver> = OnceLock::new();

/// The model, which the first who asks starts at that address.
pub fn model(address: &str) -> &'static Receiver {
    MODEL.get_or_init(|| Receiver::start_at(address, answer))
}

/// From now on questions with that word in them are answered so. The script that was added last counts.
pub fn script(word: &str, script: impl Fn(&Received) -> Reply + Send + 'static) {
    SCRIPTS.lock().unwrap_or_else(PoisonError::into_inner).push((word.to_owned(), Box::new(script)));
}

/// Questions to the model with that word in them, oldest first.
pub fn questions(word: &str) -> Vec<Received> {
    MODEL.get().map(|model| model.received_with(word)).unwrap_or_default()
}

/// An answer in the protocol of chat completions.
pub fn completion(content: &Value) -> Reply {
    let choice = json!({"message": {"role": "assistant", "content": content.to_string()}, "finish_reason": "stop"});
    Reply::new(200, json!({"choices": [choice], "usage": {"total_tokens": 40}}).to_string())
        .header("content-type", "application/json")
}

/// A tutor's answer.
pub fn tutoring(reply: &str, covered: &[usize]) -> Value {
    json!({"reply": reply, "covered_objectives": covered})
}

fn answer(received: &Received) -> Reply {
    let scripts = SCRIPTS.lock().unwrap_or_else(PoisonError::into_inner);
    let text = received.text();
    let meant = scripts.iter().rev().find(|(word, _)| text.contains(word));
    meant.map_or_else(|| completion(&tutoring("Go on.", &[])), |(_, script)| script(received))
}
