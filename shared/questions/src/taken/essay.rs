//! Essay: a text, which waits for a person.

use serde_json::{Value, json};

use crate::draw::Showing;
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::essay::Essay;

/// The most bytes of an essay with its HTML.
pub(crate) const MAX_BYTES: usize = 64 * 1024;

impl Taken for Essay {
    type Response<'a> = &'a str;

    fn read<'a>(_: &Draft<Self>, response: &Part<'a>) -> Read<Option<&'a str>> {
        let text = response.text(MAX_BYTES)?;
        if text.len() > MAX_BYTES {
            return response.refuse(format!("is too long (maximum is {MAX_BYTES} bytes)"));
        }
        Ok(Some(text).filter(|text| !text.trim().is_empty()))
    }

    fn score(_: &Draft<Self>, _: &str, _: Option<usize>) -> Read<Score> {
        Ok(Score::waiting())
    }

    fn show(asked: &Draft<Self>, _: &mut Showing) -> Value {
        let own = &asked.interaction_data;
        let limit = |limit: &Option<_>| limit.clone().map(String::from).filter(|limit| !limit.trim().is_empty());
        json!({
            "rce": own.rce.unwrap_or_default(),
            "word_count": own.word_count.unwrap_or_default(),
            "spell_check": own.spell_check.unwrap_or_default(),
            "word_limit_enabled": own.word_limit_enabled.unwrap_or_default(),
            "word_limit_min": limit(&own.word_limit_min),
            "word_limit_max": limit(&own.word_limit_max),
        })
    }
}
