//! The examples of `docs/contract/scoring.md`: each question is read, and each response scored as the page says.

use crate::{Question, QuestionColumns, ScoreState, check_response, score};
use serde_json::{Value, json};
use shared::db::Json;

const PAGE: &str = include_str!("../../../docs/contract/scoring.md");
const TYPES: [&str; 12] = [
    "true-false",
    "choice",
    "multi-answer",
    "matching",
    "categorization",
    "ordering",
    "numeric",
    "formula",
    "hot-spot",
    "rich-fill-blank",
    "essay",
    "file-upload",
];

fn question(example: &Value) -> Question {
    let text = |name: &str| example[name].as_str().unwrap_or_default().to_owned();
    let object = |name: &str| Json(example.get(name).cloned().unwrap_or_else(|| json!({})));
    Question::parse(QuestionColumns {
        interaction_type_slug: text("interaction_type_slug"),
        item_body: text("item_body"),
        interaction_data: object("interaction_data"),
        properties: object("properties"),
        scoring_data: object("scoring_data"),
        scoring_algorithm: text("scoring_algorithm"),
    })
    .unwrap_or_else(|error| panic!("{error}: {example}"))
}

/// The questions of the page, each with the variant that its responses are to.
pub(crate) fn examples() -> Vec<(Question, Option<usize>)> {
    pieces().map(|(example, _)| (question(&example), variant(&example))).collect()
}

/// The examples of the page, each with the text behind it.
fn pieces() -> impl Iterator<Item = (Value, &'static str)> {
    PAGE.split("```json\n").skip(1).map(|piece| {
        let (example, after) = piece.split_once("```").unwrap();
        (serde_json::from_str(example).unwrap_or_else(|error| panic!("{error}: {example}")), after)
    })
}

fn variant(example: &Value) -> Option<usize> {
    example["variant"].as_u64().and_then(|variant| usize::try_from(variant).ok())
}

fn told(question: &Question, response: &Value, variant: Option<usize>) -> String {
    match score(question, Some(response), variant) {
        Err(error) => {
            assert_eq!(check_response(question, response), Err(error.clone()));
            error.to_string()
        }
        Ok(score) => {
            check_response(question, response).unwrap();
            match score.state {
                ScoreState::Scored => score.fraction.to_string(),
                ScoreState::WaitsForPerson => "waits".to_owned(),
                ScoreState::Unanswered => "unanswered".to_owned(),
            }
        }
    }
}

#[test]
fn the_page_tells_what_is_scored() {
    let mut seen = Vec::new();
    let mut count = 0;
    for (example, after) in pieces() {
        let (question, variant) = (question(&example), variant(&example));
        for row in after.lines().filter_map(|line| line.strip_prefix("| `")) {
            let Some((response, expected)) = row.split_once("` | ") else { continue };
            let Ok(response) = serde_json::from_str::<Value>(response) else { continue };
            let expected = expected.trim_end_matches('|').trim();
            assert_eq!(told(&question, &response, variant), expected, "{} {response}", question.slug());
            count += 1;
        }
        seen.push(question.slug());
    }
    assert!(TYPES.iter().all(|slug| seen.contains(slug)), "{seen:?}");
    assert!(count > 50, "{count} examples were found");
}
