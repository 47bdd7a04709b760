//! Quizzes with questions of all types, as they are stored.

use content_packages::classic::ClassicQuestion;
use content_packages::items::{QuestionItem, StimulusItem};
use content_packages::model::{Bank, Entry, Group, Question, Quiz, Settings};
use serde_json::{Value, json};

pub(crate) const A: &str = "0b7c1b8e-1111-4222-8333-44445555666a";
pub(crate) const B: &str = "0b7c1b8e-1111-4222-8333-44445555666b";
pub(crate) const C: &str = "0b7c1b8e-1111-4222-8333-44445555666c";
pub(crate) const D: &str = "0b7c1b8e-1111-4222-8333-44445555666d";
pub(crate) const E: &str = "7d2f0a11-1111-4222-8333-44445555666e";
pub(crate) const F: &str = "7d2f0a11-1111-4222-8333-44445555666f";
pub(crate) const G: &str = "7d2f0a11-1111-4222-8333-444455556660";

/// The questions of a classic quiz, one of each type.
pub(crate) fn classic() -> Vec<ClassicQuestion> {
    let question = |kind: &str, text: &str, answers: Value, data: Value| {
        let question = json!({
            "question_name": kind.replace('_', " "), "question_type": kind, "question_text": text,
            "points_possible": 2.5, "correct_comments": "<p>Yes &amp; more</p>", "incorrect_comments": "No",
            "neutral_comments": "", "answers": answers, "question_data": data,
        });
        serde_json::from_value(question).unwrap()
    };
    let right = |id: i64, text: &str| json!({"id": id, "text": text, "weight": 100.0, "comments": ""});
    let wrong = |id: i64, text: &str| json!({"id": id, "text": text, "weight": 0.0, "comments": "not <it>"});
    let blank = |id: i64, blank: &str, text: &str, weight: f64| json!({"id": id, "text": text, "weight": weight, "comments": "", "blank_id": blank});
    let html = json!({"id": 3, "text": "elm", "html": "<b>elm</b>", "weight": 0.0, "comments": ""});
    vec![
        question(
            "multiple_choice_question",
            "<p>Which leaf? <img src=\"/courses/1/files/2/preview\"></p>",
            json!([right(1, "oak < elm"), wrong(2, "ash"), html]),
            json!({}),
        ),
        question("true_false_question", "Is it?", json!([wrong(1, "True"), right(2, "False")]), json!({})),
        question(
            "multiple_answers_question",
            "Which <u>ones</u>?",
            json!([right(1, "oak"), wrong(2, "fern"), right(3, "elm")]),
            json!({}),
        ),
        question("short_answer_question", "Name it", json!([right(1, "oak"), right(2, "Oak tree")]), json!({})),
        question("essay_question", "<ul><li>Why?</li></ul>", json!([]), json!({})),
        question("file_upload_question", "Send it", json!([]), json!({})),
        question("text_only_question", "<table><tr><td>Read</td></tr></table>", json!([]), json!({})),
        question(
            "fill_in_multiple_blanks_question",
            "<p>Roses are [c1], violets [c2]</p>",
            json!([blank(1, "c1", "red", 100.0), blank(2, "c1", "Red", 100.0), blank(3, "c2", "blue", 100.0)]),
            json!({}),
        ),
        question(
            "multiple_dropdowns_question",
            "<p>Roses are [c1], violets [c2]</p>",
            json!([
                blank(1, "c1", "red", 100.0),
                blank(2, "c1", "green", 0.0),
                blank(3, "c2", "pink", 0.0),
                blank(4, "c2", "blue", 100.0),
            ]),
            json!({}),
        ),
        question(
            "matching_question",
            "Match",
            json!([
                {"id": 1, "text": "Utah", "left": "Utah", "right": "Salt Lake City", "match_id": 1, "weight": 100.0, "comments": ""},
                {"id": 2, "text": "Oregon", "left": "Oregon", "right": "Salem", "match_id": 2, "weight": 100.0, "comments": ""},
                {"id": 3, "text": "Massachusetts", "left": "Massachusetts", "right": "Salem", "match_id": 2, "weight": 100.0, "comments": ""},
            ]),
            json!({"matching_answer_incorrect_matches": "Boise"}),
        ),
        question(
            "numerical_question",
            "How many?",
            json!([
                {"id": 1, "weight": 100.0, "numerical_answer_type": "exact_answer", "exact": 42.0, "margin": 0.5, "comments": "close"},
                {"id": 2, "weight": 100.0, "numerical_answer_type": "range_answer", "start": -1.5, "end": 3.0, "comments": ""},
                {"id": 3, "weight": 100.0, "numerical_answer_type": "precision_answer", "approximate": 1234.0, "precision": 2, "comments": ""},
            ]),
            json!({}),
        ),
        question(
            "calculated_question",
            "What is [x] and [y]?",
            json!([{"id": 1, "weight": 100.0, "answer": 3.5, "comments": "",
                    "variables": [{"name": "x", "value": 3.0}, {"name": "y", "value": 0.5}]}]),
            json!({"variables": [{"name": "x", "min": 1.0, "max": 9.0, "scale": 0}, {"name": "y", "min": 0.0, "max": 2.0, "scale": 1}],
                   "formulas": [{"formula": "x + y"}], "answer_tolerance": "5%", "formula_decimal_places": 1}),
        ),
    ]
}

/// The items of a new quiz, of all thirteen types.
pub(crate) fn items() -> Vec<QuestionItem> {
    let choices = json!({"choices": [{"id": A, "position": 1, "item_body": "<p>Oak</p>"},
                                     {"id": B, "position": 2, "item_body": "<p>Elm</p>"}]});
    let map = |entries: &[(&str, &str)]| -> Value {
        entries.iter().map(|(id, body)| ((*id).to_owned(), json!({"id": id, "item_body": body}))).collect()
    };
    let spot = json!({"value": {"type": "oval", "coordinates": [{"x": 0.5, "y": 0.25}, {"x": 0.2, "y": 0.1}]}});
    let spots = json!({"score_method": "all_or_nothing", "value": [
        {"id": A, "type": "square", "coordinates": [{"x": 0.1, "y": 0.2}, {"x": 0.3, "y": 0.4}]},
        {"id": B, "type": "polygon", "coordinates": [{"x": 0.5, "y": 0.5}, {"x": 0.75, "y": 0.5}, {"x": 0.5, "y": 1.0}]},
    ]});
    let fill = json!({"value": [
        {"id": A, "scoring_algorithm": "TextCloseEnough",
         "scoring_data": {"value": "Earth", "blank_text": "Earth", "ignore_case": true, "edit_distance": 2}},
        {"id": B, "scoring_algorithm": "Equivalence", "scoring_data": {"value": D, "blank_text": "Sun"}},
        {"id": C, "scoring_algorithm": "TextEquivalence", "scoring_data": {"value": "gravity", "choice_id": F, "blank_text": "gravity"}},
    ]});
    let formula = json!({"value": {
        "formula": "x + y", "numeric": {"type": "marginOfError", "margin": "0.5", "margin_type": "absolute"},
        "variables": [{"name": "x", "min": "1", "max": "9", "precision": 0}, {"name": "y", "min": "-1.5", "max": "2", "precision": 1}],
        "answer_count": "2",
        "generated_solutions": [
            {"inputs": [{"name": "x", "value": "3"}, {"name": "y", "value": "0.5"}], "output": "3.5"},
            {"inputs": [{"name": "x", "value": "4"}, {"name": "y", "value": "-1"}], "output": "3"},
        ],
    }});
    let numbers = json!({"value": [
        {"id": "1", "type": "exactResponse", "value": "12"},
        {"id": "2", "type": "marginOfError", "value": "12", "margin": "5", "margin_type": "percent"},
        {"id": "3", "type": "withinARange", "start": "11", "end": "13"},
        {"id": "4", "type": "preciseResponse", "value": "12.50", "precision": "2", "precision_type": "decimals"},
    ]});
    let matching = json!({
        "value": {"1": "Salem", "2": "Boise"},
        "edit_data": {"matches": [{"answer_body": "Salem", "question_id": "1", "question_body": "<b>Oregon</b>"},
                                  {"answer_body": "Boise", "question_id": "2", "question_body": "Idaho"}],
                      "distractors": ["Utah"]},
    });
    let row = |id: &str, members: &[&str]| json!({"id": id, "scoring_data": {"value": members}, "scoring_algorithm": "AllOrNothing"});
    let shuffle = json!({"shuffle_rules": {"choices": {"to_lock": [1], "shuffled": true}}});
    vec![
        item("choice", "Equivalence", choices.clone(), json!({"value": A}), shuffle.clone()),
        item(
            "choice",
            "VaryPointsByAnswer",
            choices.clone(),
            json!({"value": A, "values": [{"value": A, "points": 2.0}, {"value": B, "points": 0.5}]}),
            json!({"vary_points_by_answer": true}),
        ),
        item("multi-answer", "PartialScore", choices, json!({"value": [A]}), shuffle),
        item(
            "true-false",
            "Equivalence",
            json!({"true_choice": "Wahr", "false_choice": "Falsch"}),
            json!({"value": false}),
            json!({}),
        ),
        item(
            "matching",
            "PartialDeep",
            json!({"answers": ["Salem", "Boise", "Utah"], "questions": [{"id": "1", "item_body": "<b>Oregon</b>"}, {"id": "2", "item_body": "Idaho"}]}),
            matching,
            json!({"shuffle_rules": {"questions": {"shuffled": true}}}),
        ),
        item(
            "categorization",
            "Categorization",
            json!({"categories": map(&[(A, "Trees"), (B, "Birds")]), "category_order": [B, A],
                   "distractors": map(&[(C, "<p>Oak</p>"), (D, "Owl"), (E, "Stone")])}),
            json!({"value": [row(A, &[C]), row(B, &[D])], "score_method": "all_or_nothing"}),
            json!({"shuffle_rules": {"questions": {"shuffled": false}}}),
        ),
        item(
            "ordering",
            "DeepEquals",
            json!({"choices": map(&[(A, "<p>seed</p>"), (E, "<p>tree</p>"), (C, "wood")])}),
            json!({"value": [E, A, C]}),
            json!({"top_label": "first", "bottom_label": "last", "include_labels": true,
                   "display_answers_paragraph": false, "shuffle_rules": null}),
        ),
        item("numeric", "Numeric", json!({}), numbers, json!({})),
        QuestionItem {
            item_body: "<p>What is `x` and `y`?</p>".to_owned(),
            ..item("formula", "Numeric", json!({}), formula, json!({}))
        },
        item(
            "essay",
            "None",
            json!({"rce": true, "essay": null, "word_count": true, "file_upload": false, "spell_check": false,
                   "word_limit_enabled": true, "word_limit_min": "10", "word_limit_max": "500"}),
            json!({"value": "Look for <reasons>"}),
            json!({}),
        ),
        item(
            "file-upload",
            "None",
            json!({"files_count": "2", "restrict_count": true}),
            json!({"value": ""}),
            json!({"allowed_types": "pdf,tar.gz", "restrict_types": true}),
        ),
        item("hot-spot", "HotSpot", json!({"image_url": "https://store.test/item_media/2b/9c"}), spot, json!({})),
        item(
            "hot-spot",
            "HotSpot",
            json!({"image_url": "https://store.test/item_media/2b/9c"}),
            spots,
            json!({"hotspots_count": 2}),
        ),
        QuestionItem {
            item_body: format!(
                "<p><span id=\"blank_{A}\"></span> orbits the <span id=\"blank_{B}\"></span> with <span id=\"blank_{C}\"></span></p>"
            ),
            ..item(
                "rich-fill-blank",
                "MultipleMethods",
                json!({
                    "blanks": [
                        {"id": A, "answer_type": "openEntry"},
                        {"id": B, "answer_type": "dropdown", "choices": [{"id": D, "position": 1, "item_body": "Sun"}, {"id": E, "position": 2, "item_body": "Mars"}]},
                        {"id": C, "answer_type": "wordbank", "choices": null},
                    ],
                    "word_bank_choices": [{"id": F, "item_body": "gravity"}, {"id": G, "item_body": "magnetism"}],
                    "reuse_word_bank_choices": false,
                }),
                fill,
                json!({}),
            )
        },
        item(
            "fill-blank",
            "MultipleMethods",
            json!({"prompt": "<p>Name her</p>", "blanks": [{"id": A, "answer_type": "openEntry"}],
                   "stem_items": [{"id": "s1", "type": "text", "value": "It is ", "position": 1},
                                  {"id": "s2", "type": "blank", "blank_id": A, "position": 2}]}),
            json!({"value": [{"id": A, "scoring_algorithm": "TextContainsAnswer", "scoring_data": {"value": "Ada", "blank_text": "Ada"}}]}),
            json!({}),
        ),
    ]
}

fn item(slug: &str, algorithm: &str, interaction: Value, scoring: Value, properties: Value) -> QuestionItem {
    let feedback = if slug == "choice" { json!({A: "<p>Right <i>so</i></p>"}) } else { json!({}) };
    let item = json!({
        "title": format!("{slug} item"), "item_body": "<p>Which one?</p>", "calculator_type": "none",
        "feedback": {"neutral": "<p>Well</p>", "correct": "Good", "incorrect": ""},
        "interaction_type_slug": slug, "interaction_data": interaction, "properties": properties,
        "scoring_data": scoring, "answer_feedback": feedback, "scoring_algorithm": algorithm,
    });
    serde_json::from_value(item).unwrap()
}

fn classic_questions() -> Vec<Question> {
    (1..).zip(classic()).map(|(n, question): (i64, _)| question.to_question(format!("question-{n}"))).collect()
}

fn item_questions() -> Vec<Question> {
    (1..).zip(items()).map(|(n, item): (i64, _)| item.to_question(format!("item-{n}"), 3.0)).collect()
}

/// A classic quiz with a group.
pub(crate) fn classic_quiz() -> Quiz {
    let mut entries: Vec<_> = classic_questions().into_iter().map(Entry::Question).collect();
    let grouped = classic().into_iter().take(3);
    let questions = (100..).zip(grouped).map(|(n, question): (i64, _)| question.to_question(format!("question-{n}")));
    entries.push(Entry::Group(Group {
        id: "group-1".to_owned(),
        title: "Some of them".to_owned(),
        pick_count: Some(2),
        points: Some(4.0),
        questions: questions.collect(),
        ..Group::default()
    }));
    Quiz {
        id: "quiz-1".to_owned(),
        title: "Leaves & roots".to_owned(),
        description: "<p>Read <a href=\"/courses/1/files/2\">this</a></p>".to_owned(),
        settings: Settings {
            quiz_type: Some("assignment".to_owned()),
            time_limit: Some(30),
            allowed_attempts: Some(-1),
            shuffle_answers: Some(true),
            ..Settings::default()
        },
        entries,
    }
}

/// A new quiz with a stimulus.
pub(crate) fn new_quiz() -> Quiz {
    let stimulus = StimulusItem {
        title: Some("A text".to_owned()),
        body: Some("<p>Once upon a time</p>".to_owned()),
        instructions: Some("<p>Read it</p>".to_owned()),
        source_url: Some("https://source.test/".to_owned()),
        orientation: "top".to_owned(),
        passage: false,
    };
    let mut entries = vec![Entry::Stimulus(stimulus.to_stimulus("stimulus-1"))];
    entries.extend(item_questions().into_iter().map(Entry::Question));
    if let Some(Entry::Question(question)) = entries.get_mut(1) {
        question.stimulus = Some("stimulus-1".to_owned());
    }
    Quiz {
        id: "new-quiz-7".to_owned(),
        title: "All types".to_owned(),
        description: String::new(),
        settings: Settings::default(),
        entries,
    }
}

pub(crate) fn bank() -> Bank {
    let questions = classic().into_iter().take(4);
    let questions = (200..).zip(questions).map(|(n, question): (i64, _)| question.to_question(format!("question-{n}")));
    Bank { id: "bank-1".to_owned(), title: "Spare ones".to_owned(), entries: questions.map(Entry::Question).collect() }
}

/// A new quiz that draws twice from a bank, once all of it, with all its settings; and the bank.
pub(crate) fn drawing_quiz() -> (Quiz, Bank) {
    let questions = (1..).zip(items()).take(3);
    let questions = questions.map(|(n, item): (i64, _)| item.to_question(format!("bank-entry-{n}"), 1.0));
    let entries: Vec<_> = questions.map(Entry::Question).collect();
    let bank = Bank { id: "item-bank-4".to_owned(), title: "Trees & shrubs".to_owned(), entries };
    let draw = |id: &str, pick_count, points| {
        Entry::Group(Group {
            id: id.to_owned(),
            title: bank.title.clone(),
            pick_count,
            points: Some(points),
            bank: Some(bank.id.clone()),
            bank_size: Some(3),
            ..Group::default()
        })
    };
    let item = items().swap_remove(0).to_question("item-1", 2.5);
    let question = Question { calculator: Some("scientific".to_owned()), ..item };
    let new_quiz = json!({
        "calculator_type": "basic", "filter_ip_address": true, "allow_backtracking": false, "shuffle_questions": true,
        "filters": {"ips": [["10.0.0.1", "10.0.0.9"], ["10.1.0.1"]]}, "has_time_limit": true,
        "session_time_limit_in_seconds": 95, "student_access_code": "leaf & <bark>",
        "multiple_attempts": {"multiple_attempts_enabled": true, "attempt_limit": true, "max_attempts": 3,
                              "score_to_keep": "first", "cooling_period": true, "cooling_period_seconds": 3600},
        "result_view_settings": {"result_view_restricted": true, "display_items": false},
    });
    let settings = Settings {
        quiz_type: Some("assignment".to_owned()),
        time_limit: Some(2),
        allowed_attempts: Some(3),
        shuffle_answers: Some(true),
        shuffle_questions: Some(true),
        show_correct_answers: Some(false),
        show_correct_answers_last_attempt: Some(true),
        show_correct_answers_at: Some("2026-03-01T00:00:00Z".to_owned()),
        hide_correct_answers_at: Some("2026-04-01T00:00:00Z".to_owned()),
        one_time_results: Some(true),
        hide_results: Some("until_after_last_attempt".to_owned()),
        one_question_at_a_time: Some(true),
        cant_go_back: Some(true),
        access_code: Some("leaf & <bark>".to_owned()),
        ip_filter: Some("10.0.0.0/8".to_owned()),
        anonymous_submissions: Some(false),
        due_at: Some("2026-02-01T00:00:00Z".to_owned()),
        unlock_at: Some("2026-01-01T00:00:00Z".to_owned()),
        lock_at: Some("2026-02-02T00:00:00Z".to_owned()),
        published: Some(true),
        grading_type: Some("percent".to_owned()),
        points_possible: Some(20.0),
        new_quiz: new_quiz.as_object().cloned(),
        anonymous_grading: Some(true),
        post_manually: Some(true),
        attempts_of_assignment: Some(4),
        ..Settings::default()
    };
    let entries = vec![
        draw("item-7", Some(2), 1.5),
        Entry::Question(question),
        draw("item-8", None, 3.0),
        draw("item-9", Some(3), 1.0),
    ];
    let (id, title) = ("new-quiz-9".to_owned(), "Drawn".to_owned());
    (Quiz { id, title, description: "<p>Take care</p>".to_owned(), settings, entries }, bank)
}

/// A quiz of which nothing is as one would like it: its ids, its titles, and its HTML.
pub(crate) fn odd_quiz() -> Quiz {
    let bodies = [
        "1 < 2 & <b>bold <p>paragraph</b></p><ul>text<li>one<ul><li>two</li></ul></li><p>no item</p></ul>",
        "<table><caption>c</caption><colgroup><col></colgroup><tr><th scope=row colspan=x>a<td rowspan=2><table><tr><td>b</table></table>",
        "<span><div><h1>x<table><tr></tr></table></h1></div></span><a name=x>y</a><a href='https://x.test/?a=1&b=2'>z</a><a href='a b'>w</a>",
        "<pre>a <img src=x><sup>2</sup>\n b</pre><blockquote>q<p>r</p></blockquote><dl><dt>t<dd>d</dl><address>a<p>b</address>",
        "<script>x</script><iframe src=x></iframe><math><mi>x</mi></math><svg><g/></svg><video src=x></video><u>u</u><font color=red>f</font>",
        "\u{0}\u{b}\u{1f600} ]]> &amp;lt; &nbsp; <img> <img src='a' width='10px' height=5 alt='\"'><hr><br><img src='x y'> [a]",
        "<p class=' '>x</p><p style='color:red' onclick=x id=y title=z dir=rtl>y</p><div class='a b'>z</div><li>alone</li><td>cell</td>",
        "",
    ];
    let mut entries = Vec::new();
    let all = classic_questions().into_iter().chain(item_questions()).zip(bodies.into_iter().cycle());
    for (number, (question, body)) in all.enumerate() {
        let mut question =
            Question { id: format!("{number} \u{e4}:/.. <&>"), title: format!("<{number}> & \u{1}\""), ..question };
        question.body = format!("{body}{}", question.body);
        question.feedback.neutral = body.to_owned();
        if let content_packages::model::Interaction::Choice(choices) = &mut question.interaction {
            for choice in &mut choices.options {
                choice.text = content_packages::model::Text::Html(body.to_owned());
                choice.feedback = body.to_owned();
            }
        }
        entries.push(Entry::Question(question));
    }
    let (id, title, description) = ("..//\u{e4}".to_owned(), String::new(), bodies.concat());
    Quiz { id, title, description, settings: Settings::default(), entries }
}
