//! What a package keeps of points, comments and shown texts, and what its report calls a question without a title.

use content_packages::classic::ClassicQuestion;
use content_packages::items::QuestionItem;
use content_packages::model::{Bank, BlankAnswer, Entry, Feedback, Group, Interaction, Question, Quiz, Report};
use content_packages::plan::{Format, Plan};
use serde_json::json;

use crate::foreign::read;
use crate::forms::FORMATS;
use crate::round_trips::imported;
use crate::sample;
use crate::settings::{package, zipped};

/// The first question of a kind.
fn sampled(is_kind: impl Fn(&Interaction) -> bool) -> Question {
    let quiz = sample::classic_quiz();
    quiz.questions().find(|own| is_kind(&own.interaction)).unwrap().clone()
}

fn essay(id: &str, points: f64) -> Question {
    let essay = sampled(|own| matches!(own, Interaction::Essay(_)));
    Question { id: id.to_owned(), title: String::new(), points, ..essay }
}

fn quiz(entries: Vec<Entry>) -> Quiz {
    Quiz { id: "quiz-1".to_owned(), title: "Trees".to_owned(), entries, ..Quiz::default() }
}

/// The text of all files, and what is told of them.
fn written(quiz: &Quiz, format: Format) -> (String, Report) {
    let mut report = Report::default();
    let files = Plan::of_quiz(quiz, format).files;
    let texts = files.iter().map(|file| String::from_utf8(file.render(&|_| None, &mut report).unwrap()).unwrap());
    (texts.collect(), report)
}

#[test]
fn a_question_of_a_group_weighs_what_the_group_says() {
    let group = Group { points: Some(4.0), questions: vec![essay("question-1", 0.0)], ..Group::default() };
    let quiz = quiz(vec![Entry::Group(group), Entry::Question(essay("question-2", 0.0))]);
    let (text, report) = written(&quiz, Format::CommonCartridge13);
    let weight = |points: u8| format!("<fieldlabel>cc_weighting</fieldlabel><fieldentry>{points}</fieldentry>");
    let text: String = text.split('\n').map(str::trim).collect();
    assert!(text.contains(&weight(4)) && text.contains(&weight(1)), "{text}");
    let told = report.to_string();
    assert!(told.contains("Trees, question 2: in Common Cartridge a question weighs at least one point"), "{told}");
    assert!(!told.contains("Trees, question 1") && !told.contains("rounded"), "{told}");
}

#[test]
fn a_question_without_a_title_is_told_by_its_place_in_every_format() {
    let html = "<p><math><mi>x</mi></math></p>".to_owned();
    let numbers = sampled(|own| matches!(own, Interaction::Numeric(_)));
    let untitled = Question { title: String::new(), body: html, ..numbers };
    let group = Group { questions: vec![essay("question-1", 1.0)], pick_count: Some(1), ..Group::default() };
    let quiz = quiz(vec![Entry::Group(group), Entry::Question(untitled)]);
    for format in FORMATS {
        let (_, report) = written(&quiz, format);
        let about: Vec<_> = report.notes.iter().map(|note| note.about.as_str()).collect();
        let expected: &[&str] = match format {
            Format::CommonCartridge11 | Format::CommonCartridge13 => &["Trees", "Trees, question 2"],
            Format::Qti12 => &[],
            Format::Qti21 => &["Trees, question 1", "Trees, question 2"],
        };
        assert_eq!(about, expected, "{format:?}: {report}");
    }
}

/// A quiz after an export and an import.
async fn brought(quiz: &Quiz, format: Format) -> Quiz {
    let bank = Bank { id: "bank-1".to_owned(), title: "Spare ones".to_owned(), ..Bank::default() };
    let files = package(quiz, &bank, format, &mut Report::default());
    let import = imported(zipped(&files)).await;
    import.quizzes.iter().find(|own| own.title == quiz.title).unwrap().clone()
}

/// The only question of a quiz after an export and an import.
async fn returned(quiz: &Quiz, format: Format) -> Question {
    brought(quiz, format).await.questions().next().unwrap().clone()
}

#[tokio::test]
async fn groups_that_pick_none_or_more_than_they_have_stay_groups() {
    let group = |id: &str, pick_count, questions| {
        let questions = (0..questions).map(|number| essay(&format!("question-{id}-{number}"), 1.0)).collect();
        Entry::Group(Group {
            id: format!("group-{id}"),
            pick_count: Some(pick_count),
            points: Some(1.0),
            questions,
            ..Group::default()
        })
    };
    let quiz =
        quiz(vec![group("1", 0, 2), group("2", 9, 1), group("3", 2, 0), Entry::Question(essay("question-9", 1.0))]);
    for format in FORMATS {
        let own = brought(&quiz, format).await;
        let told = own.entries.iter().map(|entry| match entry {
            Entry::Group(group) => Some((group.pick_count, group.questions.len())),
            Entry::Question(_) | Entry::Stimulus(_) => None,
        });
        let kept = [Some((Some(0), 2)), Some((Some(9), 1)), Some((Some(2), 0)), None];
        assert_eq!(told.collect::<Vec<_>>(), kept, "{format:?}");
    }
}

#[tokio::test]
async fn each_of_several_right_choices_stays_right() {
    let mut question = sampled(|own| matches!(own, Interaction::Choice(_)));
    let Interaction::Choice(choices) = &mut question.interaction else { panic!("{question:?}") };
    choices.options.iter_mut().take(2).for_each(|choice| choice.right = true);
    choices.options.iter_mut().skip(2).for_each(|choice| choice.right = false);
    let rights: Vec<_> = choices.options.iter().map(|choice| choice.right).collect();
    let worths: Vec<_> = rights.iter().map(|right| json!(f64::from(u8::from(*right)))).collect();
    let quiz = quiz(vec![Entry::Question(question)]);
    for format in FORMATS {
        let question = returned(&quiz, format).await;
        let Interaction::Choice(choices) = &question.interaction else { panic!("{format:?}: {question:?}") };
        assert_eq!(choices.options.iter().map(|choice| choice.right).collect::<Vec<_>>(), rights, "{format:?}");
        let new = QuestionItem::of(&question, &mut Report::default()).unwrap();
        let values = new.scoring_data["values"].as_array().unwrap();
        let points: Vec<_> = values.iter().map(|value| value["points"].clone()).collect();
        assert_eq!((new.scoring_algorithm.as_str(), points), ("VaryPointsByAnswer", worths.clone()), "{format:?}");
    }
}

#[tokio::test]
async fn the_choices_of_a_blank_stay_shuffled() {
    let choices =
        json!([{ "id": "c1", "position": 1, "item_body": "Oak" }, { "id": "c2", "position": 2, "item_body": "Elm" }]);
    let rules = json!({ "shuffle_rules": { "blanks": { "children": { "0": { "children": { "choices": { "shuffled": true } } } } } } });
    let scoring = json!({ "id": "b1", "scoring_algorithm": "Equivalence", "scoring_data": { "value": "c2", "blank_text": "Elm" } });
    let item = QuestionItem {
        item_body: "<p>Say <span id=\"blank_b1\"></span></p>".to_owned(),
        interaction_type_slug: "rich-fill-blank".to_owned(),
        interaction_data: json!({ "blanks": [{ "id": "b1", "answer_type": "dropdown", "choices": choices }] }),
        properties: rules.clone(),
        scoring_data: json!({ "value": [scoring] }),
        scoring_algorithm: "MultipleMethods".to_owned(),
        ..QuestionItem::default()
    };
    let quiz = quiz(vec![Entry::Question(item.to_question("item-1", 1.0))]);
    for format in FORMATS {
        let back = QuestionItem::of(&returned(&quiz, format).await, &mut Report::default()).unwrap();
        assert_eq!(back.properties, rules, "{format:?}");
    }
}

#[tokio::test]
async fn a_file_of_the_course_in_a_folder_of_pages_is_a_file() {
    let resource = |id: &str, path: &str| {
        format!("<resource identifier='{id}' type='webcontent' href='{path}'><file href='{path}'/></resource>")
    };
    let (page, file) = ("wiki_content/herbs.html", "web_resources/wiki_content/key.html");
    let manifest = format!(
        "<manifest identifier='m'><resources>{}{}</resources></manifest>",
        resource("p", page),
        resource("f", file)
    );
    let import =
        read(&[("imsmanifest.xml", &manifest), (page, "<html><body>x</body></html>"), (file, "<p>y</p>")]).await;
    assert_eq!((import.pages.len(), import.files), (1, vec![file.to_owned()]));
}

#[tokio::test]
async fn comments_are_kept_as_text_and_as_what_they_are() {
    let feedback = Feedback {
        correct: "<p>Well <b>done</b> &amp; &lt;so&gt;</p>".to_owned(),
        incorrect: "1 &lt; 2".to_owned(),
        neutral: "Fine".to_owned(),
    };
    let typed = sampled(|own| matches!(own, Interaction::ShortAnswer(_)));
    let question = Question { feedback: feedback.clone(), ..typed };
    let quiz = quiz(vec![Entry::Question(question)]);
    for format in FORMATS {
        let question = returned(&quiz, format).await;
        let own = ClassicQuestion::of(&question, &mut Report::default()).unwrap();
        let data = &own.question_data;
        assert_eq!(own.correct_comments, "Well done &amp; &lt;so&gt;", "{format:?}");
        assert_eq!(data.correct_comments_html.as_ref(), Some(&feedback.correct), "{format:?}");
        assert_eq!((own.incorrect_comments.as_str(), &data.incorrect_comments_html), ("1 &lt; 2", &None), "{format:?}");
        assert_eq!((own.neutral_comments.as_str(), &data.neutral_comments_html), ("Fine", &None), "{format:?}");
        assert_eq!(own.to_question("question-1").feedback, feedback, "{format:?}");
    }
}

#[tokio::test]
async fn the_text_that_stands_for_an_expression_comes_back_in_every_format() {
    let scoring = json!({ "value": "^a[0-9]+<$", "blank_text": "a1 \"<" });
    let item = QuestionItem {
        item_body: "<p>Say <span id=\"blank_b1\"></span></p>".to_owned(),
        interaction_type_slug: "rich-fill-blank".to_owned(),
        interaction_data: json!({ "blanks": [{ "id": "b1", "answer_type": "openEntry" }] }),
        scoring_data: json!({ "value": [{ "id": "b1", "scoring_algorithm": "TextRegex", "scoring_data": scoring }] }),
        scoring_algorithm: "MultipleMethods".to_owned(),
        ..QuestionItem::default()
    };
    let quiz = quiz(vec![Entry::Question(item.to_question("item-1", 1.0))]);
    for format in FORMATS {
        let question = &returned(&quiz, format).await;
        let Interaction::Blanks(blanks) = &question.interaction else { panic!("{format:?}: {question:?}") };
        let BlankAnswer::Typed(typed) = &blanks.blanks[0].answer else { panic!("{format:?}: {blanks:?}") };
        assert_eq!(typed.shown.as_deref(), Some("a1 \"<"), "{format:?}");
        let back = QuestionItem::of(question, &mut Report::default()).unwrap();
        assert_eq!(back.scoring_data["value"][0]["scoring_data"], scoring, "{format:?}");
    }
}
