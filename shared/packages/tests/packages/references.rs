//! Links to other content of the course are written in the words of the reference system, in every format, and read again.

use content_packages::cartridge::{self, Assignment, Page};
use content_packages::import;
use content_packages::links::Link;
use content_packages::model::{Interaction, Question, Quiz, Report};
use content_packages::plan::{Format, Plan};
use content_packages::references::{Reference, Target};

use crate::foreign::read;
use crate::forms::FORMATS;

const ADDRESS: &str = "$CANVAS_OBJECT_REFERENCE$/assignments/assignment-7#top";
const HTML: &str = "<p><a href=\"/courses/1/assignments/7#top\">Draw</a></p>";

fn link(address: &str) -> Option<Link> {
    let rest = address.strip_prefix("/courses/1/assignments/7")?;
    Some(Reference { target: Target::Object { kind: "assignments", id: "assignment-7" }, rest }.into())
}

fn quiz() -> Quiz {
    let mut quiz = crate::sample::classic_quiz();
    let question = quiz.questions().find(|own| matches!(own.interaction, Interaction::Choice(_))).unwrap().clone();
    let question = Question { body: HTML.to_owned(), ..question };
    quiz.entries = vec![content_packages::model::Entry::Question(question)];
    Quiz { description: HTML.to_owned(), ..quiz }
}

/// The files of a quiz, and of a page and an assignment where the format has these.
fn written(format: Format) -> Vec<(String, Vec<u8>)> {
    let quiz = quiz();
    let plan = Plan::of_quiz(&quiz, format);
    let mut report = Report::default();
    let render =
        |file: &content_packages::plan::Planned<'_>| (file.path.clone(), file.render(&link, &mut report).unwrap());
    let mut files: Vec<_> = plan.files.iter().map(render).collect();
    if format.is_common_cartridge() {
        let page = Page { name: "herbs".to_owned(), html: HTML.to_owned(), ..Page::default() };
        files.extend(cartridge::page(&page, &link).files);
        let own = Assignment { id: "assignment-7".to_owned(), description: HTML.to_owned(), ..Assignment::default() };
        files.extend(cartridge::assignment(format, &own, &link).unwrap().files);
    }
    files
}

#[test]
fn a_link_is_written_in_every_format() {
    for format in FORMATS {
        let files = written(format);
        let text = files.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect::<String>();
        let count = if format.is_common_cartridge() { 4 } else { 2 };
        assert!(text.matches(ADDRESS).count() >= count, "{format:?}: {text}");
        assert!(!text.contains("/courses/1"), "{format:?}: {text}");
    }
}

#[tokio::test]
async fn links_stay_as_they_are_and_those_to_files_lead_to_them() {
    let manifest = "<manifest identifier='m'><resources>
        <resource identifier='p' type='webcontent'><file href='wiki_content/herbs.html'/></resource>
        <resource identifier='g7' type='webcontent'><file href='web_resources/img/leaf.png'/></resource></resources></manifest>";
    let kept = [
        "$WIKI_REFERENCE$/pages/trees",
        "%24CANVAS_OBJECT_REFERENCE%24/quizzes/g1?wrap=1",
        "$CANVAS_COURSE_REFERENCE$/modules",
        "$CANVAS_COURSE_REFERENCE$/file_ref/gone",
    ];
    let links = kept.map(|address| format!("<a href='{address}'>x</a>")).concat();
    let page = format!("<html><body>{links}<img src='$CANVAS_COURSE_REFERENCE$/file_ref/g7?wrap=1'></body></html>");
    let import = read(&[
        ("imsmanifest.xml", manifest),
        ("wiki_content/herbs.html", &page),
        ("web_resources/img/leaf.png", "png"),
    ])
    .await;
    let html = &import.pages[0].html;
    assert!(kept.iter().all(|address| html.contains(address)), "{html}");
    let mut image = None;
    import::with_addresses(html, &mut |address| {
        image = image.take().or(import::file_of(address).map(|(path, opening)| (path.to_owned(), opening.end())));
        None
    });
    assert_eq!(image, Some(("web_resources/img/leaf.png".to_owned(), "/preview?wrap=1".to_owned())), "{html}");
    assert!(import.report.is_empty(), "{}", import.report);
}
