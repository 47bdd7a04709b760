//! The files that quizzes and banks become. Paths and identifiers are known before any content is written, so that each
//! file can be written when it is its turn.

use crate::error::Result;
use crate::extension;
use crate::ident;
use crate::links::Links;
use crate::manifest::{Kind, Resource};
use crate::model::{Bank, Entry, Question, Quiz, Report, Stimulus};
use crate::qti12::write as qti12;
use crate::qti21::write::{self as qti21, Test};

/// The form of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// With QTI 1.2 inside.
    CommonCartridge11,
    /// With QTI 1.2 inside.
    CommonCartridge13,
    /// Quizzes in QTI 1.2, in the form that the reference importer understands.
    Qti12,
    /// Quizzes in QTI 2.1, with a file for each question.
    Qti21,
}

impl Format {
    /// True if it may hold more than quizzes.
    pub fn is_common_cartridge(self) -> bool {
        matches!(self, Self::CommonCartridge11 | Self::CommonCartridge13)
    }
}

/// The files of a quiz or of a bank.
pub struct Plan<'q> {
    /// In the order in which they are best written.
    pub files: Vec<Planned<'q>>,
    /// Their type in the manifest.
    pub resources: Vec<Resource>,
    /// The id of the resource that opens the quiz.
    pub main: Option<String>,
}

/// A file that is not written yet.
pub struct Planned<'q> {
    /// Its path in the package.
    pub path: String,
    content: Content<'q>,
}

#[derive(Clone, Copy)]
enum Content<'q> {
    Assessment(&'q Quiz, qti12::Form),
    /// In the form of the reference importer alone.
    OutsideProfile(&'q Quiz),
    Settings(&'q Quiz),
    Bank(&'q Bank),
    /// With the title of the quiz or bank, and its number among the questions there.
    Item(&'q Question, &'q str, usize),
    Stimulus(&'q Stimulus, &'q str),
    Test(&'q Quiz),
    BankTest(&'q Bank),
    Extension(&'q Quiz, Format),
}

impl<'q> Content<'q> {
    /// The title of the quiz or bank that it is of.
    fn title(self) -> &'q str {
        match self {
            Self::Assessment(quiz, _)
            | Self::OutsideProfile(quiz)
            | Self::Settings(quiz)
            | Self::Test(quiz)
            | Self::Extension(quiz, _) => &quiz.title,
            Self::Bank(bank) | Self::BankTest(bank) => &bank.title,
            Self::Item(_, title, _) | Self::Stimulus(_, title) => title,
        }
    }
}

impl Planned<'_> {
    /// The bytes of the file. Losses are told to the report.
    pub fn render(&self, links: &Links<'_>, report: &mut Report) -> Result<Vec<u8>> {
        report.begin(self.content.title());
        if let Content::Item(_, _, number) = self.content {
            report.begin_question(number);
        }
        match self.content {
            Content::Assessment(quiz, form) => qti12::quiz(quiz, form, links, report),
            Content::OutsideProfile(quiz) => {
                let message = "Common Cartridge has no quiz without a question that it knows: \
                               it is only in the form of the reference importer";
                report.note(quiz.title.as_str(), message);
                qti12::quiz(quiz, qti12::Form::Full, links, report)
            }
            Content::Settings(quiz) => qti12::settings(quiz, links),
            Content::Bank(bank) => qti12::bank(bank, links, report),
            Content::Item(question, ..) => qti21::item(question, links, report),
            Content::Stimulus(stimulus, _) => qti21::stimulus(stimulus, links, report),
            Content::Test(quiz) => {
                let Quiz { id, title, description, settings, entries } = quiz;
                qti21::test(&Test { id, title, description, settings: Some(settings), entries }, links, report)
            }
            Content::Extension(quiz, format) => {
                extension::tell(quiz, format, report);
                extension::quiz(quiz, format)
            }
            Content::BankTest(bank) => {
                let Bank { id, title, entries } = bank;
                qti21::test(&Test { id, title, description: "", settings: None, entries }, links, report)
            }
        }
    }
}

impl<'q> Plan<'q> {
    /// The files of a quiz.
    pub fn of_quiz(quiz: &'q Quiz, format: Format) -> Self {
        let id = ident::of(&quiz.id);
        let plan = match format {
            Format::CommonCartridge11 | Format::CommonCartridge13 => Self::cartridge(quiz, &id),
            Format::Qti12 => Self::assessment(quiz, &id),
            Format::Qti21 => {
                let content = Content::Test(quiz);
                Self::test(&quiz.id, &quiz.title, content, &quiz.entries)
            }
        };
        match extension::has_something(quiz, format) {
            true => plan.with_extension(quiz, &id, format),
            false => plan,
        }
    }

    /// The file of ours belongs to the resource that has the settings of the quiz: the last one.
    fn with_extension(mut self, quiz: &'q Quiz, id: &str, format: Format) -> Self {
        let path = format!("{id}/{}", extension::FILE);
        if let Some(resource) = self.resources.last_mut() {
            resource.files.push(path.clone());
        }
        self.files.push(Planned { path, content: Content::Extension(quiz, format) });
        self
    }

    /// The files of a bank.
    pub fn of_bank(bank: &'q Bank, format: Format) -> Self {
        let id = ident::of(&bank.id);
        if format == Format::Qti21 {
            return Self::test(&bank.id, &bank.title, Content::BankTest(bank), &bank.entries);
        }
        let path = format!("non_cc_assessments/{id}.xml.qti");
        Self {
            resources: vec![resource(&bank.id, Kind::Extension, Some(&path), &[&path], &[])],
            files: vec![Planned { path, content: Content::Bank(bank) }],
            main: None,
        }
    }

    /// The profile of the cartridge knows some questions only: all of them stand in a file beside it, which the reference
    /// importer prefers. Where it knows none, there is that file only: the profile takes no quiz without questions.
    fn cartridge(quiz: &'q Quiz, id: &str) -> Self {
        let (plain, meta) = (format!("{id}/assessment_qti.xml"), format!("{id}/assessment_meta.xml"));
        let full = format!("non_cc_assessments/{id}.xml.qti");
        let main = Some(quiz.id.clone());
        let settings = Planned { path: meta.clone(), content: Content::Settings(quiz) };
        if !quiz.questions().any(qti12::is_in_profile) {
            return Self {
                resources: vec![resource(&quiz.id, Kind::Extension, Some(&meta), &[&meta, &full], &[])],
                files: vec![settings, Planned { path: full, content: Content::OutsideProfile(quiz) }],
                main,
            };
        }
        let meta_id = ident::part(&quiz.id, "meta");
        Self {
            resources: vec![
                resource(&quiz.id, Kind::Assessment, None, &[&plain], &[&meta_id]),
                resource(&meta_id, Kind::Extension, Some(&meta), &[&meta, &full], &[]),
            ],
            files: vec![
                Planned { path: plain, content: Content::Assessment(quiz, qti12::Form::Profile) },
                settings,
                Planned { path: full, content: Content::Assessment(quiz, qti12::Form::Full) },
            ],
            main,
        }
    }

    fn assessment(quiz: &'q Quiz, id: &str) -> Self {
        let (full, meta) = (format!("{id}/{id}.xml"), format!("{id}/assessment_meta.xml"));
        let meta_id = ident::part(&quiz.id, "meta");
        Self {
            resources: vec![
                resource(&quiz.id, Kind::Assessment, Some(&full), &[&full], &[&meta_id]),
                resource(&meta_id, Kind::Extension, Some(&meta), &[&meta], &[]),
            ],
            files: vec![
                Planned { path: full, content: Content::Assessment(quiz, qti12::Form::Full) },
                Planned { path: meta, content: Content::Settings(quiz) },
            ],
            main: Some(quiz.id.clone()),
        }
    }

    fn test(id: &str, title: &'q str, content: Content<'q>, entries: &'q [Entry]) -> Self {
        let path = format!("tests/{}.xml", ident::of(id));
        let mut numbers = 1..;
        let mut files = Vec::new();
        let mut resources = Vec::new();
        let mut add = |id: &str, content| {
            let path = qti21::item_path(id);
            resources.push(resource(id, Kind::QtiItem, Some(&path), &[&path], &[]));
            files.push(Planned { path, content });
        };
        for entry in entries {
            if let Entry::Stimulus(stimulus) = entry {
                add(&stimulus.id, Content::Stimulus(stimulus, title));
            }
            for (question, number) in entry.questions().zip(&mut numbers) {
                add(&question.id, Content::Item(question, title, number));
            }
        }
        let items: Vec<_> = resources.iter().map(|resource| resource.id.clone()).collect();
        let items: Vec<_> = items.iter().map(String::as_str).collect();
        resources.push(resource(id, Kind::QtiTest, Some(&path), &[&path], &items));
        files.push(Planned { path, content });
        Self { files, resources, main: Some(id.to_owned()) }
    }
}

fn resource(id: &str, kind: Kind, href: Option<&str>, files: &[&str], dependencies: &[&str]) -> Resource {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Resource {
        id: id.to_owned(),
        kind,
        href: href.map(str::to_owned),
        files: owned(files),
        dependencies: owned(dependencies),
    }
}
