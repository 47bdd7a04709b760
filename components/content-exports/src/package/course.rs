//! A course, or its quizzes, as a package with a manifest: Common Cartridge or QTI.

use std::collections::{BTreeMap, BTreeSet};

use content_packages::cartridge;
use content_packages::model::{Bank, Quiz};
use content_packages::plan::{Format, Plan};
use shared::files::Owner;
use shared::ids::CourseId;
use shared::selection::ContentType;
use shared::{Db, Error, Result};

use crate::model::exports::{ExportType, Settings};
use crate::package::contents::Contents;
use crate::package::library::Library;
use crate::package::names;
use crate::package::quizzes::{self, Drawn};
use crate::package::references::{self, Objects};
use crate::package::sink::{EACH, Sink};
use crate::store::content::ContentFilter;
use crate::store::jobs::Claimed;
use crate::store::quizzes::{self as store, Ids, LeftOut, QuizId};

/// Writes what was chosen of a course.
pub(crate) async fn write(sink: &mut Sink<'_>, export: &Claimed) -> Result<()> {
    let Some(Owner::Course(course)) = export.owner() else { return Err(Error::not_found()) };
    let settings = &export.settings.0;
    let format = format(export.export_type, settings);
    let work = sink.work;
    let chosen = ContentFilter::of(&settings.select, settings.sees_all, work.now());
    let chosen = format.is_common_cartridge().then_some(&chosen);
    let content = Chosen::of(sink, course, format, settings).await?;
    let library = Library::of(work, course, settings, chosen, content.objects(course)).await?;
    sink.expect(library.chosen_bytes(), content.weight())?;
    let mut contents = Contents::new(format, sink, library, export.user_id);
    content.write(&mut contents, course).await?;
    contents.finish(&format!("course-{course}"), &export.course_name).await
}

fn format(export_type: ExportType, settings: &Settings) -> Format {
    match (export_type, settings.old_cartridge, settings.old_qti) {
        (ExportType::CommonCartridge, true, _) => Format::CommonCartridge11,
        (ExportType::CommonCartridge, false, _) => Format::CommonCartridge13,
        (_, _, true) => Format::Qti12,
        (_, _, false) => Format::Qti21,
    }
}

/// The ids of what is exported, of pages with the last parts of their addresses.
struct Chosen {
    pages: Vec<(i64, String)>,
    /// The names of the files of pages, by their ids.
    page_names: BTreeMap<i64, String>,
    assignments: Vec<i64>,
    quizzes: Vec<QuizId>,
    new_quizzes: Vec<i64>,
    /// True if all banks are exported, and not only those that quizzes draw from.
    all_banks: bool,
}

impl Chosen {
    async fn of(sink: &Sink<'_>, course: CourseId, format: Format, settings: &Settings) -> Result<Self> {
        let db = &sink.work.db;
        let chosen = |kind| settings.select.chosen(kind).ids();
        let (quizzes, assignments) = (chosen(ContentType::Quizzes), chosen(ContentType::Assignments));
        let whole = format.is_common_cartridge();
        // A new quiz is known by its assignment, and chosen as either.
        let new_quizzes = if whole { either(&quizzes, &assignments) } else { quizzes.clone() };
        let nothing = Some(BTreeSet::new());
        let pages = if whole { chosen(ContentType::WikiPages) } else { nothing.clone() };
        let assignments = if whole { assignments } else { nothing };
        let pages = store::pages(db, course, &pages).await?;
        Ok(Self {
            page_names: names::pages(&pages),
            pages,
            assignments: store::ids(db, store::Kind::ASSIGNMENTS, course, &assignments).await?,
            quizzes: store::quiz_ids(db, course, &quizzes, &assignments).await?,
            new_quizzes: store::ids(db, store::Kind::NEW_QUIZZES, course, &new_quizzes).await?,
            all_banks: whole && settings.select.is_everything(),
        })
    }

    /// What links in its texts may lead to.
    fn objects(&self, course: CourseId) -> Objects {
        let named =
            self.pages.iter().filter_map(|(id, url)| Some((*id, url.as_str(), self.page_names.get(id)?.as_str())));
        Objects::of(course, named, &self.assignments, &self.quizzes, &self.new_quizzes)
    }

    /// Its worth in the progress.
    fn weight(&self) -> u64 {
        let things = self.pages.len() + self.assignments.len() + self.quizzes.len() + self.new_quizzes.len();
        u64::try_from(things).unwrap_or_default().saturating_mul(EACH)
    }

    async fn write(&self, contents: &mut Contents<'_, '_>, course: CourseId) -> Result<()> {
        contents.heading("pages", "Pages");
        for (id, name) in &self.page_names {
            contents.page(*id, name).await?;
        }
        contents.heading("assignments", "Assignments");
        for id in &self.assignments {
            contents.assignment(*id).await?;
        }
        contents.heading("quizzes", "Quizzes");
        let mut drawn = Drawn::default();
        for quiz in &self.quizzes {
            contents.quiz(course, quiz.id, &mut drawn).await?;
        }
        for id in &self.new_quizzes {
            contents.new_quiz(course, *id, &mut drawn).await?;
        }
        if !self.new_quizzes.is_empty() {
            let left_out =
                LeftOut { accommodations: store::accommodations(contents.db(), course).await?, overrides: 0 };
            quizzes::tell_left_out("All new quizzes", &left_out, contents.report());
        }
        contents.banks(course, self.all_banks, drawn).await
    }
}

/// The records of either of two lists; all, where one of them is all.
fn either(one: &Ids, other: &Ids) -> Ids {
    let (one, other) = (one.as_ref()?, other.as_ref()?);
    Some(one | other)
}

impl Contents<'_, '_> {
    async fn page(&mut self, id: i64, name: &str) -> Result<()> {
        let own = store::page(self.db(), id).await?;
        let page = cartridge::Page {
            id: references::page_id(id),
            name: name.to_owned(),
            title: own.title,
            html: own.body,
            published: own.published,
            front_page: own.front_page,
            editing_roles: Some(own.editing_roles),
        };
        let make = |_, library: &Library| Ok(cartridge::page(&page, &|address| library.link(address)));
        self.content(&page.title, make).await
    }

    async fn assignment(&mut self, id: i64) -> Result<()> {
        let own = store::assignment(self.db(), id).await?;
        let left_out = LeftOut { accommodations: 0, overrides: own.overrides };
        quizzes::tell_left_out(&own.name, &left_out, self.report());
        let assignment = cartridge::Assignment {
            id: references::assignment_id(id),
            title: own.name,
            description: own.description.unwrap_or_default(),
            points: own.points_possible,
            submission_types: own.submission_types.0,
            grading_type: Some(own.grading_type),
            due_at: own.due_at,
            unlock_at: own.unlock_at,
            lock_at: own.lock_at,
            allowed_attempts: Some(own.allowed_attempts),
            anonymous_grading: own.anonymous_grading,
            post_manually: own.post_manually,
            published: own.workflow_state == "published",
        };
        let make =
            |format, library: &Library| cartridge::assignment(format, &assignment, &|address| library.link(address));
        self.content(&assignment.title, make).await
    }

    async fn quiz(&mut self, course: CourseId, id: i64, drawn: &mut Drawn) -> Result<()> {
        let quiz = store::classic(self.db(), id).await?;
        let (db, reader) = (self.db().clone(), self.reader);
        let quiz = quizzes::classic(&db, quiz, reader, drawn, self.report()).await?;
        self.add_quiz(course, quiz, drawn).await
    }

    async fn new_quiz(&mut self, course: CourseId, id: i64, drawn: &mut Drawn) -> Result<()> {
        let quiz = store::new_quiz(self.db(), id).await?;
        let db = self.db().clone();
        let quiz = quizzes::new(&db, quiz, drawn, self.report()).await?;
        self.add_quiz(course, quiz, drawn).await
    }

    /// QTI 2.1 has no banks: what a quiz draws from them is in the quiz.
    async fn add_quiz(&mut self, course: CourseId, mut quiz: Quiz, drawn: &mut Drawn) -> Result<()> {
        if self.format == Format::Qti21 {
            let banks = self.drawn(course, std::mem::take(drawn)).await?;
            quiz.draw_from(&banks, self.report());
        }
        self.plan(&quiz.title, Plan::of_quiz(&quiz, self.format)).await
    }

    async fn drawn(&mut self, course: CourseId, drawn: Drawn) -> Result<Vec<Bank>> {
        let Drawn { question_banks, item_banks } = drawn;
        let (db, reader) = (self.db().clone(), self.reader);
        let mut banks = Vec::new();
        for bank in store::question_banks(&db, course, reader, false, question_banks.into_iter().collect()).await? {
            banks.push(self.question_bank(&db, bank).await?);
        }
        for bank in store::item_banks(&db, course, false, item_banks.into_iter().collect()).await? {
            banks.push(quizzes::item_bank(&db, bank, self.report()).await?);
        }
        Ok(banks)
    }

    async fn question_bank(&mut self, db: &Db, bank: store::Bank) -> Result<Bank> {
        if !bank.is_of_course {
            self.becomes_private();
        }
        quizzes::question_bank(db, bank, self.report()).await
    }

    /// The banks that quizzes draw from, or all of them.
    async fn banks(&mut self, course: CourseId, all: bool, drawn: Drawn) -> Result<()> {
        let Drawn { question_banks, item_banks } = drawn;
        let named = question_banks.into_iter().collect();
        let (db, reader) = (self.db().clone(), self.reader);
        for bank in store::question_banks(&db, course, reader, all, named).await? {
            let bank = self.question_bank(&db, bank).await?;
            self.plan(&bank.title, Plan::of_bank(&bank, self.format)).await?;
        }
        let named = item_banks.into_iter().collect();
        for bank in store::item_banks(&db, course, all, named).await? {
            let bank = quizzes::item_bank(&db, bank, self.report()).await?;
            self.plan(&bank.title, Plan::of_bank(&bank, self.format)).await?;
        }
        Ok(())
    }
}
