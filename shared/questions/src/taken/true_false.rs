//! True or false: a boolean.

use serde_json::{Value, json};

use crate::draw::Showing;
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::true_false::TrueFalse;

impl Taken for TrueFalse {
    type Response<'a> = bool;

    fn read<'a>(_: &Draft<Self>, response: &Part<'a>) -> Read<Option<bool>> {
        match response.value {
            Value::Bool(picked) => Ok(Some(*picked)),
            _ => response.refuse("must be true or false"),
        }
    }

    fn score(asked: &Draft<Self>, picked: bool, _: Option<usize>) -> Read<Score> {
        Ok(Score::single(picked.to_string(), picked == asked.scoring_data.value))
    }

    fn show(asked: &Draft<Self>, _: &mut Showing) -> Value {
        let own = &asked.interaction_data;
        json!({"true_choice": own.true_choice, "false_choice": own.false_choice})
    }
}
