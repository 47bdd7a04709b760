//! Video, sound and frames in questions come back from every format, and what a format has no words for is told.

use content_packages::import::Import;
use content_packages::manifest::{Manifest, PATH};
use content_packages::model::{Choice, Choices, Entry, Feedback, Interaction, Question, Quiz, Report, Text};
use content_packages::pack::Packer;
use content_packages::plan::{Format, Plan};

use crate::forms::FORMATS;
use crate::round_trips::imported;

const VIDEO: &str = "<video controls=\"\" src=\"https://films.test/moss.webm\" width=\"320\"></video>";
const SOUND: &str = "<audio controls=\"\" src=\"https://films.test/wind.ogg\"></audio>";
const FRAME: &str = "<iframe src=\"https://frames.test/1\" height=\"90\"></iframe>";

fn quiz(body: &str) -> Quiz {
    let option = |id: &str, text: String| Choice { id: id.into(), text: Text::Html(text), ..Choice::default() };
    let options =
        vec![Choice { right: true, ..option("1", format!("<p>{SOUND}</p>")) }, option("2", "<b>no</b>".into())];
    let question = Question {
        id: "q-1".into(),
        title: "Moss".into(),
        body: body.into(),
        points: 1.0,
        feedback: Feedback { neutral: format!("<p>{FRAME}</p>"), ..Feedback::default() },
        calculator: None,
        stimulus: None,
        interaction: Interaction::Choice(Choices { options, ..Choices::default() }),
    };
    let entries = vec![Entry::Question(question)];
    Quiz { id: "quiz-1".into(), title: "Mosses".into(), entries, ..Quiz::default() }
}

async fn through(quiz: &Quiz, format: Format) -> (Import, Report) {
    let (plan, mut packer, mut report) = (Plan::of_quiz(quiz, format), Packer::new(), Report::default());
    for file in &plan.files {
        packer.add(&file.path, &file.render(&|_: &str| None, &mut report).unwrap()).unwrap();
    }
    let (id, title, items) = ("course-1".to_owned(), "Botany".to_owned(), Vec::new());
    let mut manifest = Vec::new();
    Manifest { format, id, title, items, resources: plan.resources }.write(&mut manifest).unwrap();
    packer.add(PATH, &manifest).unwrap();
    (imported(packer.finish().unwrap()).await, report)
}

#[tokio::test]
async fn media_come_back_from_every_format() {
    let own = quiz(&format!("<p>Look {VIDEO} and {FRAME}</p>"));
    for format in FORMATS {
        let (import, report) = through(&own, format).await;
        assert!(report.is_empty(), "{format:?}: {report}");
        let question = import.quizzes.iter().flat_map(Quiz::questions).next().unwrap();
        let Interaction::Choice(choices) = &question.interaction else { panic!("{format:?}: {question:?}") };
        let option = choices.options[0].text.html().into_owned();
        for (text, medium, address) in [
            (&question.body, "<video", "https://films.test/moss.webm"),
            (&question.body, "<iframe", "https://frames.test/1"),
            (&question.feedback.neutral, "<iframe", "https://frames.test/1"),
            (&option, "<audio", "https://films.test/wind.ogg"),
        ] {
            assert!(text.contains(medium) && text.contains(address), "{format:?}: {text}");
        }
        assert!(question.body.contains("width=\"320\""), "{format:?}: {}", question.body);
    }
}

#[tokio::test]
async fn media_that_are_left_out_are_told_with_the_question() {
    let own = quiz(&format!("<pre>{VIDEO}</pre><p>Look</p>"));
    for format in FORMATS {
        let (_, report) = through(&own, format).await;
        let told = report.to_string();
        match format {
            Format::Qti21 => assert!(told.starts_with("Moss: images, video, sound or frames"), "{told}"),
            _ => assert!(report.is_empty(), "{format:?} keeps it as it is: {told}"),
        }
    }
}
