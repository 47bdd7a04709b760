//! File upload: a list of ids of the student's files, which wait for a person.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::draw::Showing;
use crate::response::{Part, Read};
use crate::score::Score;
use crate::taken::Taken;
use crate::types::Draft;
use crate::types::file_upload::FileUpload;

/// The most files of an answer, where the question sets no limit or a higher one.
const MAX_FILES: usize = 50;
const MAX_ID_CHARS: usize = 64;

impl Taken for FileUpload {
    type Response<'a> = Vec<String>;

    fn read<'a>(asked: &Draft<Self>, response: &Part<'a>) -> Read<Option<Vec<String>>> {
        let mut ids = BTreeSet::new();
        for part in response.elements(max_files(asked))? {
            let id = match part.value {
                Value::Number(number) if number.is_u64() => number.to_string(),
                _ => part.text(MAX_ID_CHARS)?.trim().to_owned(),
            };
            if id.is_empty() {
                return part.refuse("must be the id of a file");
            }
            if !ids.insert(id) {
                return part.refuse("names a file twice");
            }
        }
        Ok(Some(ids.into_iter().collect()).filter(|ids: &Vec<_>| !ids.is_empty()))
    }

    fn score(_: &Draft<Self>, _: Vec<String>, _: Option<usize>) -> Read<Score> {
        Ok(Score::waiting())
    }

    fn show(asked: &Draft<Self>, _: &mut Showing) -> Value {
        let (own, properties) = (&asked.interaction_data, &asked.properties);
        json!({
            "files_count": own.files_count.clone().map(String::from),
            "restrict_count": own.restrict_count,
            "allowed_types": properties.allowed_types.as_deref().unwrap_or_default(),
            "restrict_types": properties.restrict_types.unwrap_or_default(),
        })
    }
}

fn max_files(asked: &Draft<FileUpload>) -> usize {
    let own = &asked.interaction_data;
    let count = own.files_count.as_ref().filter(|_| own.restrict_count);
    count.and_then(|count| usize::try_from(count.value()).ok()).map_or(MAX_FILES, |count| count.min(MAX_FILES))
}
