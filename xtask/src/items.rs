//! An item of each of the twelve types that can be created in a new quiz: for the demo data, and for the tests.

use serde_json::{Value, json};

const A: &str = "0b7c1b8e-1111-4222-8333-444455556661";
const B: &str = "0b7c1b8e-1111-4222-8333-444455556662";
const C: &str = "0b7c1b8e-1111-4222-8333-444455556663";
const D: &str = "0b7c1b8e-1111-4222-8333-444455556664";
const E: &str = "0b7c1b8e-1111-4222-8333-444455556665";

/// One entry of each type.
pub fn all() -> [Value; 12] {
    [
        true_false("Mosses have roots.", false),
        choice(),
        multi_answer(),
        matching(),
        categorization(),
        ordering(),
        rich_fill_blank(),
        numeric(),
        formula(),
        hot_spot(),
        essay(),
        file_upload(),
    ]
}

/// A statement to judge.
pub fn true_false(statement: &str, is_true: bool) -> Value {
    json!({
        "title": statement,
        "item_body": format!("<p>{statement}</p>"),
        "interaction_type_slug": "true-false",
        "interaction_data": { "true_choice": "True", "false_choice": "False" },
        "scoring_data": { "value": is_true },
        "scoring_algorithm": "Equivalence",
    })
}

fn choice() -> Value {
    json!({
        "title": "Sunflower",
        "item_body": "<p>Which family does the sunflower belong to?</p>",
        "interaction_type_slug": "choice",
        "interaction_data": { "choices": [
            { "id": A, "position": 1, "item_body": "<p>Asteraceae</p>" },
            { "id": B, "position": 2, "item_body": "<p>Rosaceae</p>" },
        ] },
        "properties": { "shuffle_rules": { "choices": { "to_lock": [], "shuffled": false } }, "vary_points_by_answer": false },
        "scoring_data": { "value": A },
        "answer_feedback": { A: "<p>Yes: the daisy's family.</p>" },
        "scoring_algorithm": "Equivalence",
    })
}

fn multi_answer() -> Value {
    json!({
        "title": "Conifers",
        "item_body": "<p>Which of these are conifers?</p>",
        "interaction_type_slug": "multi-answer",
        "interaction_data": { "choices": [
            { "id": A, "position": 1, "item_body": "<p>Pine</p>" },
            { "id": B, "position": 2, "item_body": "<p>Larch</p>" },
            { "id": C, "position": 3, "item_body": "<p>Birch</p>" },
        ] },
        "properties": { "shuffle_rules": { "choices": { "to_lock": [2], "shuffled": true } } },
        "scoring_data": { "value": [A, B] },
        "scoring_algorithm": "PartialScore",
    })
}

fn matching() -> Value {
    json!({
        "title": "Fruits",
        "item_body": "<p>Match each plant with its fruit.</p>",
        "interaction_type_slug": "matching",
        "interaction_data": {
            "answers": ["acorn", "cone", "berry"],
            "questions": [{ "id": "1", "item_body": "Oak" }, { "id": "2", "item_body": "Pine" }],
        },
        "properties": { "shuffle_rules": { "questions": { "shuffled": false } } },
        "scoring_data": {
            "value": { "1": "acorn", "2": "cone" },
            "edit_data": {
                "matches": [
                    { "answer_body": "acorn", "question_id": "1", "question_body": "Oak" },
                    { "answer_body": "cone", "question_id": "2", "question_body": "Pine" },
                ],
                "distractors": ["berry"],
            },
        },
        "scoring_algorithm": "PartialDeep",
    })
}

fn categorization() -> Value {
    json!({
        "title": "Trees and herbs",
        "item_body": "<p>Sort the plants.</p>",
        "interaction_type_slug": "categorization",
        "interaction_data": {
            "categories": {
                A: { "id": A, "item_body": "Trees" },
                B: { "id": B, "item_body": "Herbs" },
            },
            "distractors": {
                C: { "id": C, "item_body": "Elm" },
                D: { "id": D, "item_body": "Mint" },
                E: { "id": E, "item_body": "Granite" },
            },
            "category_order": [A, B],
        },
        "properties": { "shuffle_rules": { "questions": { "shuffled": false } } },
        "scoring_data": {
            "value": [
                { "id": A, "scoring_data": { "value": [C] }, "scoring_algorithm": "AllOrNothing" },
                { "id": B, "scoring_data": { "value": [D] }, "scoring_algorithm": "AllOrNothing" },
            ],
            "score_method": "all_or_nothing",
        },
        "scoring_algorithm": "Categorization",
    })
}

fn ordering() -> Value {
    json!({
        "title": "The life of a plant",
        "item_body": "<p>Put in order.</p>",
        "interaction_type_slug": "ordering",
        "interaction_data": { "choices": {
            A: { "id": A, "item_body": "<p>Seed</p>" },
            B: { "id": B, "item_body": "<p>Seedling</p>" },
            C: { "id": C, "item_body": "<p>Flower</p>" },
        } },
        "properties": {
            "top_label": "first", "bottom_label": "last", "include_labels": true, "display_answers_paragraph": false,
            "shuffle_rules": null,
        },
        "scoring_data": { "value": [A, B, C] },
        "scoring_algorithm": "DeepEquals",
    })
}

fn rich_fill_blank() -> Value {
    json!({
        "title": "Photosynthesis",
        "item_body": format!("<p>Leaves are <span id=\"blank_{A}\"></span> because of <span id=\"blank_{B}\"></span>.</p>"),
        "interaction_type_slug": "rich-fill-blank",
        "interaction_data": { "blanks": [
            { "id": A, "answer_type": "openEntry" },
            { "id": B, "answer_type": "dropdown", "choices": [
                { "id": C, "position": 1, "item_body": "chlorophyll" },
                { "id": D, "position": 2, "item_body": "carotene" },
            ] },
        ] },
        "properties": { "shuffle_rules": { "blanks": { "children": {
            "0": { "children": null },
            "1": { "children": { "choices": { "shuffled": true } } },
        } } } },
        "scoring_data": {
            "value": [
                { "id": A, "scoring_algorithm": "TextCloseEnough",
                  "scoring_data": { "value": "green", "blank_text": "green", "ignore_case": true, "edit_distance": 1 } },
                { "id": B, "scoring_algorithm": "Equivalence",
                  "scoring_data": { "value": C, "blank_text": "chlorophyll" } },
            ],
            "working_item_body": "<p>Leaves are `green` because of `chlorophyll`.</p>",
        },
        "scoring_algorithm": "MultipleMethods",
    })
}

fn numeric() -> Value {
    json!({
        "title": "Petals",
        "item_body": "<p>How many petals has a buttercup?</p>",
        "interaction_type_slug": "numeric",
        "calculator_type": "basic",
        "interaction_data": {},
        "scoring_data": { "value": [
            { "id": "1", "type": "exactResponse", "value": "5" },
            { "id": "2", "type": "withinARange", "start": "4.5", "end": "5.5" },
        ] },
        "scoring_algorithm": "Numeric",
    })
}

fn formula() -> Value {
    json!({
        "title": "Growth",
        "item_body": "<p>A shoot grows `x` cm a day. How many in a week?</p>",
        "interaction_type_slug": "formula",
        "calculator_type": "scientific",
        "interaction_data": {},
        "properties": {},
        "scoring_data": { "value": {
            "formula": "7 * x",
            "numeric": { "type": "marginOfError", "margin": "0", "margin_type": "absolute" },
            "variables": [{ "name": "x", "min": "1", "max": "3", "precision": 0 }],
            "answer_count": "3",
            "generated_solutions": [
                { "inputs": [{ "name": "x", "value": "1" }], "output": "7" },
                { "inputs": [{ "name": "x", "value": "2" }], "output": "14" },
                { "inputs": [{ "name": "x", "value": "3" }], "output": "21" },
            ],
        } },
        "scoring_algorithm": "Numeric",
    })
}

fn hot_spot() -> Value {
    json!({
        "title": "The stamen",
        "item_body": "<p>Where is the stamen?</p>",
        "interaction_type_slug": "hot-spot",
        "interaction_data": { "image_url": "https://images.example/flower.png" },
        "scoring_data": { "value": {
            "type": "square", "coordinates": [{ "x": 0.25, "y": 0.1 }, { "x": 0.6, "y": 0.45 }],
        } },
        "scoring_algorithm": "HotSpot",
    })
}

fn essay() -> Value {
    json!({
        "title": "In your own words",
        "item_body": "<p>Why do trees lose their leaves in autumn?</p>",
        "interaction_type_slug": "essay",
        "interaction_data": {
            "rce": true, "essay": null, "word_count": true, "file_upload": false, "spell_check": true,
            "word_limit_enabled": true, "word_limit_min": "50", "word_limit_max": "300",
        },
        "scoring_data": { "value": "" },
        "scoring_algorithm": "None",
    })
}

fn file_upload() -> Value {
    json!({
        "title": "Drawing",
        "item_body": "<p>Draw a leaf that you have found.</p>",
        "interaction_type_slug": "file-upload",
        "interaction_data": { "files_count": "1", "restrict_count": true },
        "properties": { "allowed_types": "png,jpg,pdf", "restrict_types": true },
        "scoring_data": { "value": "" },
        "scoring_algorithm": "None",
    })
}
