//! A package that is written is read: as many questions, worth as much, with the same answers right.

use content_packages::archive::{Archive, Limits};
use content_packages::classic::{ClassicQuestion, QuestionData};
use content_packages::import::{self, Import};
use content_packages::items::QuestionItem;
use content_packages::model::{BlankAnswer, Choice, Entry, Group, Interaction, Question, Quiz, Report, Stimulus};
use content_packages::plan::{Format, Plan};
use serde_json::Value;

use crate::forms::{FORMATS, package};
use crate::sample;

pub(crate) async fn imported(bytes: Vec<u8>) -> Import {
    let archive = Archive::open(bytes, Limits::default()).await.unwrap();
    import::read(&archive).await.unwrap()
}

async fn returned(format: Format) -> Import {
    imported(package(format).zipped()).await
}

fn quiz<'a>(import: &'a Import, own: &Quiz) -> &'a Quiz {
    let mut quizzes = import.quizzes.iter();
    quizzes
        .find(|quiz| quiz.title == own.title)
        .unwrap_or_else(|| panic!("{} is missing: {}", own.title, import.report))
}

/// The right answers, and what else there is, in words.
fn essence(question: &Question) -> Vec<String> {
    let texts = |choices: &[Choice]| -> Vec<String> {
        choices.iter().map(|choice| format!("{}{}", if choice.right { "*" } else { "" }, choice.text.plain())).collect()
    };
    let named = |choices: &[Choice], id: &str| {
        choices.iter().find(|choice| choice.id == id).map(|choice| choice.text.plain().into_owned()).unwrap_or_default()
    };
    match &question.interaction {
        Interaction::Choice(own) | Interaction::TrueFalse(own) | Interaction::MultipleAnswers(own) => {
            texts(&own.options)
        }
        Interaction::ShortAnswer(own) => texts(&own.accepted),
        Interaction::Blanks(own) => own
            .blanks
            .iter()
            .flat_map(|blank| match &blank.answer {
                BlankAnswer::Typed(typed) => texts(&typed.accepted),
                BlankAnswer::Dropdown(choices) => texts(&choices.options),
                BlankAnswer::Word(id) => own
                    .words
                    .iter()
                    .map(|word| format!("{}{}", if word.id == *id { "*" } else { "" }, word.text.plain()))
                    .collect(),
            })
            .collect(),
        Interaction::Matching(own) => {
            let pairs =
                own.left.iter().map(|left| format!("{} = {}", left.text.plain(), named(&own.right, &left.right)));
            pairs.chain(texts(&own.right)).collect()
        }
        Interaction::Categorization(own) => {
            let categories = own.categories.iter().map(|category| {
                let members: Vec<_> = category.members.iter().map(|id| named(&own.answers, id)).collect();
                format!("{}: {}", category.text.plain(), members.join(", "))
            });
            categories.chain(texts(&own.answers)).collect()
        }
        Interaction::Ordering(own) => texts(&own.items),
        Interaction::Numeric(numbers) => numbers.iter().map(|number| format!("{:?}", number.accepted)).collect(),
        Interaction::Formula(own) => {
            let solutions = own.solutions.iter().map(|own| format!("{:?} = {}", own.inputs, own.output));
            own.formulas
                .iter()
                .cloned()
                .chain(solutions)
                .chain([format!("{} {}", own.tolerance, own.percent)])
                .collect()
        }
        Interaction::HotSpot(own) => {
            let spots = own.spots.iter().map(|spot| format!("{:?} {:?}", spot.shape, spot.points));
            spots.chain([format!("{:?} {}", own.places, own.whole)]).collect()
        }
        Interaction::Essay(own) => vec![own.notes.clone()],
        Interaction::FileUpload(_) | Interaction::TextOnly => Vec::new(),
    }
}

fn without_addresses(mut quiz: Quiz) -> Quiz {
    quiz.map_addresses(&mut |_| Some("address".to_owned()));
    quiz
}

#[tokio::test]
async fn the_form_of_the_reference_importer_brings_everything_back() {
    for format in [Format::Qti12, Format::CommonCartridge11, Format::CommonCartridge13] {
        let import = returned(format).await;
        for own in [sample::classic_quiz(), sample::new_quiz()] {
            let read = without_addresses(quiz(&import, &own).clone());
            let own = without_addresses(own);
            assert_eq!(read.description, own.description);
            assert_eq!(read.settings.time_limit, own.settings.time_limit);
            assert_eq!(read.settings.shuffle_answers, own.settings.shuffle_answers);
            assert_eq!(read.entries.len(), own.entries.len());
            for (read, own) in read.questions().zip(own.questions()) {
                assert_eq!(essence(read), essence(own), "{}", own.title);
                let same = Question {
                    interaction: own.interaction.clone(),
                    calculator: own.calculator.clone(),
                    ..read.clone()
                };
                assert_eq!(same, *own);
            }
        }
        assert_eq!(import.banks.len(), 1);
        assert_eq!(import.banks[0].title, "Spare ones");
        assert_eq!(import.banks[0].entries.len(), 4);
        assert!(import.report.is_empty(), "{}", import.report);
    }
}

#[tokio::test]
async fn qti_2_1_brings_questions_points_and_answers_back() {
    let import = returned(Format::Qti21).await;
    assert_eq!(import.quizzes.len(), 3, "two quizzes and a bank");
    for own in [sample::classic_quiz(), sample::new_quiz()] {
        let read = quiz(&import, &own);
        assert_eq!(read.questions().count(), own.questions().count());
        assert!((read.points_possible() - own.points_possible()).abs() < 1e-9);
        for (read, own) in read.questions().zip(own.questions()) {
            assert_eq!(read.title, own.title);
            assert_eq!(read.feedback.neutral, own.feedback.neutral);
            let graded =
                !matches!(own.interaction, Interaction::Essay(_) | Interaction::FileUpload(_) | Interaction::TextOnly);
            if graded {
                assert_eq!(read.feedback.correct, own.feedback.correct, "{}", own.title);
            }
            assert_eq!(essence(read), essence(own), "{}", own.title);
        }
    }
    assert!(import.report.is_empty(), "{}", import.report);
}

#[tokio::test]
async fn groups_and_stimuli_come_back() {
    for format in FORMATS {
        let import = returned(format).await;
        let own = sample::classic_quiz();
        let Some(Entry::Group(group)) = quiz(&import, &own).entries.last() else { panic!("{format:?}") };
        assert_eq!((group.pick_count, group.points, group.questions.len()), (Some(2), Some(4.0), 3));
        assert_eq!(group.title, "Some of them");
        let own = sample::new_quiz();
        let Some(Entry::Stimulus(Stimulus { title, body, .. })) = quiz(&import, &own).entries.first() else {
            panic!("{format:?}")
        };
        assert_eq!(title, "A text");
        assert!(body.contains("Once upon a time"));
    }
}

#[tokio::test]
async fn addresses_lead_to_files_of_the_package() {
    for format in FORMATS {
        let mut import = returned(format).await;
        let mut addresses = Vec::new();
        for quiz in &mut import.quizzes {
            quiz.map_addresses(&mut |address| {
                addresses.push(address.to_owned());
                None
            });
        }
        assert!(addresses.len() >= 3, "{format:?}: {addresses:?}");
        let expected = format!("{}{}", import::PACKAGE, "web_resources/a leaf.png");
        assert!(addresses.iter().all(|address| *address == expected), "{format:?}: {addresses:?}");
        assert_eq!(import.files, ["web_resources/a leaf.png"], "{format:?}");
    }
}

#[tokio::test]
async fn the_rest_of_a_course_comes_back() {
    for format in [Format::CommonCartridge11, Format::CommonCartridge13] {
        let import = returned(format).await;
        assert_eq!(import.title.as_deref(), Some("Botany"));
        assert_eq!(import.pages[0].title, "A page");
        assert!(import.pages[0].html.contains("package:web_resources/a leaf.png"), "{}", import.pages[0].html);
        assert_eq!(
            (import.topics[0].title.as_str(), import.topics[0].html.as_str()),
            ("Talk", "<p>Which <b>leaf</b>?</p>")
        );
        assert_eq!(import.web_links[0].address, "https://leaf.test/?a=1&b=2");
        let assignment = &import.assignments[0];
        assert_eq!((assignment.title.as_str(), assignment.points), ("Draw", Some(10.0)));
        assert_eq!(assignment.submission_types, ["online_upload", "online_url"]);
        assert_eq!(import.items[0].title, "Week 1");
        assert_eq!(import.items[0].items.len(), 6);
    }
}

/// Through the package and back to what is stored.
#[tokio::test]
async fn classic_questions_are_stored_as_they_were() {
    let import = returned(Format::Qti12).await;
    let mut report = Report::default();
    let own = sample::classic_quiz();
    for (read, stored) in quiz(&import, &own).questions().zip(sample::classic()) {
        let again = ClassicQuestion::of(read, &mut report).unwrap();
        assert_eq!(again.question_type, stored.question_type);
        assert_eq!(again.points_possible, stored.points_possible);
        assert_eq!(again.answers.len(), stored.answers.len(), "{again:?}");
        for (again, stored) in again.answers.iter().zip(&stored.answers) {
            assert_eq!((&again.left, &again.right, again.match_id), (&stored.left, &stored.right, stored.match_id));
            assert_eq!((&again.text, &again.html, &again.blank_id), (&stored.text, &stored.html, &stored.blank_id));
            assert_eq!((again.exact, again.start, again.end), (stored.exact, stored.start, stored.end));
            assert_eq!((again.approximate, again.precision), (stored.approximate, stored.precision));
            assert_eq!(
                (again.weight, again.answer, &again.variables),
                (stored.weight, stored.answer, &stored.variables)
            );
        }
        // A comment with more than text is one of HTML, whichever it was.
        let correct_comments_html = Some(stored.correct_comments.clone());
        assert_eq!(again.question_data, QuestionData { correct_comments_html, ..stored.question_data });
    }
    assert!(report.is_empty(), "{report}");
}

/// The categories of a question stand in any order.
fn sorted(scoring: &Value) -> Value {
    let mut scoring = scoring.clone();
    if let Some(rows) = scoring["value"].as_array_mut()
        && rows.iter().all(|row| row["scoring_algorithm"] == "AllOrNothing")
    {
        rows.sort_by_key(|row| row["id"].to_string());
    }
    scoring
}

#[tokio::test]
async fn items_of_new_quizzes_are_stored_as_they_were() {
    let import = returned(Format::Qti12).await;
    let mut report = Report::default();
    let own = sample::new_quiz();
    for (read, stored) in quiz(&import, &own).questions().zip(sample::items()) {
        let again = QuestionItem::of(read, &mut report).unwrap();
        if stored.interaction_type_slug == "fill-blank" {
            assert_eq!(again.interaction_type_slug, "fill-blank");
            assert_eq!(again.item_body, "<p>Name her</p>");
            assert_eq!(again.interaction_data["prompt"], stored.interaction_data["prompt"]);
            assert_eq!(again.interaction_data["blanks"], stored.interaction_data["blanks"]);
            assert_eq!(again.scoring_data, stored.scoring_data);
            let stem = |item: &QuestionItem| {
                let pieces = item.interaction_data["stem_items"].as_array().unwrap().clone();
                pieces
                    .iter()
                    .map(|own| [own["type"].clone(), own["value"].clone(), own["blank_id"].clone()])
                    .collect::<Vec<_>>()
            };
            assert_eq!(stem(&again), stem(&stored));
            continue;
        }
        assert_eq!(again.interaction_type_slug, stored.interaction_type_slug);
        assert_eq!(again.scoring_algorithm, stored.scoring_algorithm);
        assert_eq!(sorted(&again.scoring_data), sorted(&stored.scoring_data), "{}", stored.interaction_type_slug);
        assert_eq!(again.answer_feedback, stored.answer_feedback);
        if stored.interaction_type_slug != "hot-spot" {
            assert_eq!(again.interaction_data, stored.interaction_data);
        }
        assert_eq!(again.item_body, stored.item_body);
    }
    assert!(report.is_empty(), "{report}");
}

#[tokio::test]
async fn groups_that_draw_from_a_bank_keep_it_or_get_its_questions() {
    let group = Group {
        id: "g".into(),
        title: "Drawn".into(),
        pick_count: Some(1),
        bank: Some("bank-1".into()),
        ..Group::default()
    };
    let mut own = Quiz { id: "q".into(), title: "Q".into(), entries: vec![Entry::Group(group)], ..Quiz::default() };
    let mut report = Report::default();
    let bytes = Plan::of_quiz(&own, Format::Qti12).files[0].render(&|_: &str| None, &mut report).unwrap();
    assert!(String::from_utf8(bytes).unwrap().contains("<sourcebank_ref>bank-1</sourcebank_ref>"));
    assert!(report.is_empty());
    for format in [Format::Qti21, Format::CommonCartridge13] {
        let mut report = Report::default();
        for file in Plan::of_quiz(&own, format).files {
            file.render(&|_: &str| None, &mut report).unwrap();
        }
        let told = "Q: Common Cartridge has no quiz without a question that it knows: it is only in the form of the reference importer\n";
        assert_eq!(report.to_string() == told, format == Format::CommonCartridge13, "{report}");
        assert!(!report.is_empty());
    }
    own.draw_from(&[sample::bank()], &mut Report::default());
    assert_eq!(own.questions().count(), 4);
    let plan = Plan::of_quiz(&own, Format::Qti21);
    assert_eq!(plan.files.len(), 6, "four questions, the test, and the file of Lectern");
    assert_eq!(plan.files[0].path, "items/g-question-200.xml");
}
