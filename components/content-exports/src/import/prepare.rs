//! The content of a package, made ready to be stored: nobody else writes while it is, so that all that can be done
//! before is.

use std::collections::{BTreeMap, BTreeSet};

use content_packages::cartridge::{Assignment, Page};
use content_packages::files_meta::Restriction;
use content_packages::import::Import;
use content_packages::model::Report;
use serde_json::json;
use shared::Result;
use shared::ids::CourseId;

use crate::import::fields::{Dates, state, title};
use crate::import::places::Place;
use crate::import::quizzes::{self, Quizzes};
use crate::import::references::{Kinds, Marks, Targets, slug};
use crate::import::rows::Rows;
use crate::import::texts::{MAX_SHOWN_CHARS, Texts};
use crate::store::import_jobs::Claimed;
use crate::store::pages;
use crate::work::Work;

/// The most issues that are kept of a package.
const MAX_ISSUES: usize = 500;

/// A file that was unpacked.
pub(crate) struct NewFile {
    /// In the package.
    pub(crate) path: String,
    pub(crate) place: Place,
    pub(crate) content_type: String,
    pub(crate) blob: String,
    pub(crate) size: i64,
    /// What keeps it from students.
    pub(crate) restriction: Restriction,
}

/// A page.
pub(crate) struct NewPage {
    /// The last part of its address, or what it is made of.
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) published: bool,
    /// True if the course opens with it, unless there is another page that it opens with.
    pub(crate) front_page: bool,
    pub(crate) editing_roles: String,
}

/// All that is stored.
pub(crate) struct Prepared {
    /// With ids in their order, from the first on.
    pub(crate) files: Vec<NewFile>,
    pub(crate) first_file: i64,
    pub(crate) pages: Vec<NewPage>,
    pub(crate) assignments: Rows,
    pub(crate) quizzes: Quizzes,
    /// What stands in the texts where places are not known yet.
    pub(crate) marks: Option<Marks>,
    /// The problems, and the parts that were left out.
    pub(crate) notes: Vec<String>,
}

/// Makes ready what a package brings. Its files have ids already, because texts refer to them.
pub(crate) async fn prepare(
    work: &Work,
    migration: &Claimed,
    import: Import,
    files: Vec<NewFile>,
    first_file: i64,
    mut report: Report,
) -> Result<Prepared> {
    let addresses = addresses(migration.course_id, &files, first_file);
    let Import { quizzes, banks, pages, assignments, assignments_of_quizzes, topics, web_links, report: notes, .. } =
        import;
    let (classic, new) = quizzes::divided(migration.settings.0.as_new_quizzes, quizzes, banks);
    let kinds = Kinds { classic: &classic.quizzes, new: &new.quizzes, assignments: &assignments_of_quizzes };
    let taken = taken(work, migration.course_id, &pages).await?;
    let mut targets = Targets::of(migration.course_id, &pages, taken, &assignments, &kinds);
    let mut texts = Texts { addresses: &addresses, targets: &mut targets, report: &mut report };
    let quizzes = quizzes::rows(work, classic, new, &mut texts).await?;
    let mut new_pages = Vec::with_capacity(pages.len());
    for own in pages {
        new_pages.push(page(own, &mut texts));
        work.advance(0).await?;
    }
    let mut rows = Rows::default();
    for own in assignments {
        assignment(own, &mut texts, &mut rows)?;
        work.advance(0).await?;
    }
    for title in topics.into_iter().map(|topic| topic.title).chain(web_links.into_iter().map(|link| link.title)) {
        report.note(title, "Discussion topics and web links are not imported");
    }
    tell_missing_pages(work, migration.course_id, &targets, &mut report).await?;
    let notes = notes.notes.iter().chain(&report.notes).take(MAX_ISSUES).map(ToString::to_string).collect();
    let marks = targets.into_marks();
    Ok(Prepared { files, first_file, pages: new_pages, assignments: rows, quizzes, marks, notes })
}

/// The last parts of addresses that both pages of the package and pages of the course have.
async fn taken(work: &Work, course: CourseId, pages: &[Page]) -> Result<BTreeSet<String>> {
    if pages.is_empty() {
        return Ok(BTreeSet::new());
    }
    let slugs: Vec<_> = pages.iter().map(slug).collect();
    Ok(pages::known(&work.db, course, slugs.iter().map(String::as_str).collect()).await?)
}

/// Notes the links to pages that neither the package brings nor the course has.
async fn tell_missing_pages(work: &Work, course: CourseId, targets: &Targets, report: &mut Report) -> Result<()> {
    let wanted = targets.wanted();
    if wanted.is_empty() {
        return Ok(());
    }
    let there = pages::known(&work.db, course, wanted.iter().map(|page| page.url.as_str()).collect()).await?;
    for page in wanted.iter().filter(|page| !there.contains(&page.url)) {
        let shown: String = page.url.chars().take(MAX_SHOWN_CHARS).collect();
        let message = format!("it has a link to the page \u{201c}{shown}\u{201d}, which does not exist in the course");
        report.note(page.about.as_str(), message);
    }
    Ok(())
}

/// The addresses of the files, but for what a link does with them, by their paths in the package.
fn addresses(course: CourseId, files: &[NewFile], first: i64) -> BTreeMap<String, String> {
    let address = |(id, file): (i64, &NewFile)| (file.path.clone(), format!("/courses/{course}/files/{id}"));
    (first..).zip(files).map(address).collect()
}

fn page(own: Page, texts: &mut Texts<'_>) -> NewPage {
    let (url, title) = (slug(&own), title(&own.title));
    let body = texts.html(&title, &own.html);
    let editing_roles = editing_roles(own.editing_roles, &title, texts.report);
    // Students see the front page, or it is none.
    let front_page = own.front_page && own.published;
    NewPage { url, title, body, published: own.published, front_page, editing_roles }
}

/// Those who may change a page: teachers, where the package says nothing that is known.
fn editing_roles(named: Option<String>, about: &str, report: &mut Report) -> String {
    const TEACHERS: &str = "teachers";
    const MAX_CHARS: usize = 255;
    let is_known = |role: &str| matches!(role.trim(), TEACHERS | "students" | "members" | "public");
    match named {
        Some(roles) if roles.len() <= MAX_CHARS && roles.split(',').all(is_known) => roles,
        Some(_) => {
            report.note(about, "those who may change it are none that are known here: teachers may");
            TEACHERS.to_owned()
        }
        None => TEACHERS.to_owned(),
    }
}

fn assignment(own: Assignment, texts: &mut Texts<'_>, rows: &mut Rows) -> Result<()> {
    let name = title(&own.title);
    let description = texts.html(&name, &own.description);
    let given = Dates { due_at: own.due_at, unlock_at: own.unlock_at, lock_at: own.lock_at };
    let dates = Dates::of(&given, &name, texts.report);
    let row = json!({
        "name": name,
        "description": description,
        "points": own.points.filter(|points| points.is_finite() && *points >= 0.0),
        "grading": quizzes::grading_type(own.grading_type.as_deref()),
        "kinds": submission_types(own.submission_types, &name, texts.report),
        "due_at": dates.due_at,
        "unlock_at": dates.unlock_at,
        "lock_at": dates.lock_at,
        "attempts": own.allowed_attempts.filter(|attempts| *attempts > 0).unwrap_or(-1),
        "anonymous": own.anonymous_grading,
        "post_manually": own.post_manually,
        "state": state(own.published),
    });
    rows.push(row).map(drop)
}

/// The ways in which an assignment may be handed in: none, where the package says none that there is here.
fn submission_types(named: Vec<String>, about: &str, report: &mut Report) -> Vec<String> {
    const KNOWN: [&str; 6] =
        ["media_recording", "none", "on_paper", "online_text_entry", "online_upload", "online_url"];
    let (mut known, others): (Vec<_>, Vec<_>) = named.into_iter().partition(|kind| KNOWN.contains(&kind.as_str()));
    for kind in others.iter().filter(|kind| !kind.is_empty()) {
        report.note(about, format!("it cannot be handed in as \u{201c}{kind}\u{201d} here"));
    }
    if known.is_empty() {
        known.push("none".to_owned());
    }
    known
}
