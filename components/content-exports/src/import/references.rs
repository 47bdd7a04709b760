//! Links of a package to the pages, assignments and quizzes that it brings. These have no places in the course before they are
//! stored, and texts are made ready before that: so a mark stands in a text until the places are known.

use std::collections::{BTreeMap, BTreeSet};

use content_packages::cartridge::{self, Assignment, Page};
use content_packages::model::Quiz;
use content_packages::path;
use content_packages::references::{Reference, Target};
use shared::ids::CourseId;
use shared::wiki_pages as urls;
use uuid::Uuid;

use crate::import::fields::title;

/// The most bytes of the addresses of all links: the titles of pages, which are in them, may be longer than the links.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// The most pages that are looked for in the course.
const MAX_WANTED: usize = 1000;
/// The bytes of the number behind a page's address, if others have it already.
const NUMBER_BYTES: usize = 8;
/// The bytes of an id.
const ID_BYTES: usize = 10;
/// The characters of marks that are drawn. No mark is longer than the shortest address, so that a text that fits with its
/// addresses fits with marks.
const NONCE_CHARS: usize = 10;

/// What a package brings, by its number among those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brought {
    Page(usize),
    Assignment(usize),
    ClassicQuiz(usize),
    NewQuiz(usize),
}

/// The quizzes of a package that become classic ones, and those that become new ones.
pub(crate) struct Kinds<'a> {
    pub(crate) classic: &'a [Quiz],
    pub(crate) new: &'a [Quiz],
    /// The ids of quizzes, by those of their assignments.
    pub(crate) assignments: &'a BTreeMap<String, String>,
}

/// The targets of links.
pub(crate) struct Targets {
    course: CourseId,
    marks: Marks,
    /// The numbers of pages, by the last parts of their addresses where they come from.
    pages: BTreeMap<String, usize>,
    /// By their identifiers in the package.
    objects: BTreeMap<String, Brought>,
    /// The last part of the address of each page, but for a number.
    slugs: Vec<String>,
    /// Those of which there are several, or that the course has already: they get numbers.
    numbered: BTreeSet<String>,
    bytes: usize,
    wanted: BTreeSet<Wanted>,
}

/// A page that a text leads to, and that the package does not bring.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted {
    /// The last part of its address.
    pub(crate) url: String,
    /// The title of what has the text.
    pub(crate) about: String,
}

impl Targets {
    /// `taken` are the last parts of addresses that pages of the course have.
    pub(crate) fn of(
        course: CourseId,
        pages: &[Page],
        mut taken: BTreeSet<String>,
        assignments: &[Assignment],
        quizzes: &Kinds<'_>,
    ) -> Self {
        let ids = |quizzes: &[Quiz]| quizzes.iter().map(|quiz| quiz.id.clone()).collect::<Vec<_>>();
        let brought = (0..).map(Brought::ClassicQuiz).zip(ids(quizzes.classic));
        let brought = brought.chain((0..).map(Brought::NewQuiz).zip(ids(quizzes.new)));
        let brought = brought.chain((0..).map(Brought::Assignment).zip(assignments.iter().map(|own| own.id.clone())));
        let brought = brought.chain((0..).map(Brought::Page).zip(pages.iter().map(|page| page.id.clone())));
        let mut objects = BTreeMap::new();
        for (own, id) in brought {
            objects.entry(id).or_insert(own);
        }
        for (id, quiz) in quizzes.assignments {
            if let Some(own) = objects.get(quiz).copied() {
                objects.entry(id.clone()).or_insert(own);
            }
        }
        let mut names = BTreeMap::new();
        for (number, page) in pages.iter().enumerate() {
            names.entry(page.name.clone()).or_insert(number);
        }
        let slugs: Vec<_> = pages.iter().map(slug).collect();
        let mut once = BTreeSet::new();
        taken.extend(slugs.iter().filter(|slug| !once.insert(slug.as_str())).cloned());
        Self {
            course,
            marks: Marks { course, nonce: nonce() },
            pages: names,
            objects,
            slugs,
            numbered: taken,
            bytes: 0,
            wanted: BTreeSet::new(),
        }
    }

    /// The address that a link becomes; `None` where it leads nowhere. A page may be one that the course has.
    pub(crate) fn address(&mut self, about: &str, reference: &Reference<'_>) -> Option<String> {
        let (course, rest) = (self.course, reference.rest);
        let place = match reference.target {
            Target::Place(_) if reference.file().is_some() => return None,
            Target::Place("") => return Some(format!("/courses/{course}{rest}")),
            Target::Place(place) => place.to_owned(),
            Target::Page(page) => match self.page(page) {
                Some(own) => return self.mark(own, rest),
                None => self.elsewhere(about, page),
            },
            Target::Object { kind, id } => {
                let own = self.object(id).or_else(|| self.page(id).filter(|_| kind == "pages"))?;
                return self.mark(own, rest);
            }
        };
        Some(format!("/courses/{course}/{place}{rest}"))
    }

    /// True if there are so many links that no more are followed.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes > MAX_BYTES
    }

    /// The pages that are not in the package.
    pub(crate) fn wanted(&self) -> &BTreeSet<Wanted> {
        &self.wanted
    }

    /// What texts have to be told when all places are known; `None` where no text has a mark.
    pub(crate) fn into_marks(self) -> Option<Marks> {
        (self.bytes > 0).then_some(self.marks)
    }

    /// The bytes that a text may have when it has places in place of its marks.
    pub(crate) fn length(&self, text: &str) -> usize {
        let pieces = text.split(self.marks.nonce.as_str()).skip(1).filter_map(marked);
        let more = pieces.map(|(own, _)| self.place_bytes(own).saturating_sub(self.marks.of(own).len()));
        more.fold(text.len(), usize::saturating_add)
    }

    fn object(&self, id: &str) -> Option<Brought> {
        self.objects.get(&*path::decoded(id)).copied()
    }

    fn page(&self, page: &str) -> Option<Brought> {
        let name = path::decoded(page).into_owned();
        // The name of its file may be shorter than its address; that of another page may be the same then.
        let has_address = |number: &&usize| self.slugs.get(**number) == Some(&name);
        let shortened = || self.pages.get(&cartridge::file_name(&name)).filter(has_address);
        let found = self.pages.get(&name).or_else(shortened);
        let by_id = || self.object(page).filter(|own| matches!(own, Brought::Page(_)));
        found.copied().map(Brought::Page).or_else(by_id)
    }

    fn elsewhere(&mut self, about: &str, page: &str) -> String {
        if self.wanted.len() < MAX_WANTED {
            self.wanted.insert(Wanted { url: path::decoded(page).into_owned(), about: about.to_owned() });
        }
        format!("pages/{page}")
    }

    /// A mark, and what stands behind it.
    fn mark(&mut self, own: Brought, rest: &str) -> Option<String> {
        self.bytes = self.bytes.saturating_add(self.place_bytes(own)).saturating_add(rest.len());
        (!self.is_full()).then(|| format!("{}{rest}", self.marks.of(own)))
    }

    /// The most bytes of the place that a mark stands for.
    fn place_bytes(&self, own: Brought) -> usize {
        let (place, bytes) = match own {
            Brought::Page(number) => ("pages", self.slugs.get(number).map_or(0, |slug| self.page_bytes(slug))),
            Brought::Assignment(_) | Brought::NewQuiz(_) => ("assignments", ID_BYTES),
            Brought::ClassicQuiz(_) => ("quizzes", ID_BYTES),
        };
        self.marks.place(place, "").len().saturating_add(bytes)
    }

    fn page_bytes(&self, slug: &str) -> usize {
        let number = if self.numbered.contains(slug) { NUMBER_BYTES } else { 0 };
        slug.len().saturating_add(number)
    }
}

/// The last part of a page's address, but for a number.
pub(crate) fn slug(page: &Page) -> String {
    urls::slug(&title(&page.title))
}

/// The beginning of marks. No package knows it, because it is drawn when the package is there.
fn nonce() -> String {
    let mut rest = Uuid::new_v4().as_u128();
    let mut drawn = || {
        let digit = u32::try_from(rest.rem_euclid(36)).ok().and_then(|digit| char::from_digit(digit, 36));
        rest = rest.div_euclid(36);
        digit.unwrap_or_default()
    };
    ['/'].into_iter().chain((0..NONCE_CHARS).map(|_| drawn())).collect()
}

/// What a mark stands for, read behind its beginning, and the text after it.
fn marked(piece: &str) -> Option<(Brought, &str)> {
    let (own, rest) = piece.split_once('-')?;
    let (kind, number) = own.split_at_checked(1)?;
    let number = number.parse().ok()?;
    let own = match kind {
        "p" => Brought::Page(number),
        "a" => Brought::Assignment(number),
        "c" => Brought::ClassicQuiz(number),
        "n" => Brought::NewQuiz(number),
        _ => return None,
    };
    Some((own, rest))
}

/// The marks that stand in texts.
pub(crate) struct Marks {
    course: CourseId,
    nonce: String,
}

impl Marks {
    fn of(&self, own: Brought) -> String {
        let (kind, number) = match own {
            Brought::Page(number) => ('p', number),
            Brought::Assignment(number) => ('a', number),
            Brought::ClassicQuiz(number) => ('c', number),
            Brought::NewQuiz(number) => ('n', number),
        };
        format!("{}{kind}{number}-", self.nonce)
    }

    /// An address in the course.
    fn place(&self, kind: &str, own: &str) -> String {
        format!("/courses/{}/{kind}/{own}", self.course)
    }
}

/// The places in the course of what a package brings.
pub(crate) struct Places {
    /// The last parts of the addresses of the pages.
    pub(crate) pages: Vec<String>,
    /// The first ids of their kinds.
    pub(crate) assignment: i64,
    pub(crate) classic_quiz: i64,
    pub(crate) new_quiz: i64,
}

/// Writes places where marks are.
pub(crate) struct Settled {
    marks: Marks,
    places: Places,
}

impl Settled {
    pub(crate) fn new(marks: Marks, places: Places) -> Self {
        Self { marks, places }
    }

    /// The text with places in place of marks; `None` for one without marks.
    pub(crate) fn text(&self, text: &str) -> Option<String> {
        let mut pieces = text.split(self.marks.nonce.as_str());
        let mut settled = pieces.next()?.to_owned();
        let mut has_marks = false;
        for piece in pieces {
            has_marks = true;
            match self.placed(piece) {
                Some((place, rest)) => settled.extend([place.as_str(), rest]),
                None => settled.push_str(piece),
            }
        }
        has_marks.then_some(settled)
    }

    /// The place that a mark stands for, and the text after it.
    fn placed<'t>(&self, piece: &'t str) -> Option<(String, &'t str)> {
        let (own, rest) = marked(piece)?;
        let id = |first: i64, number| Some(first.saturating_add(i64::try_from(number).ok()?).to_string());
        let (kind, own) = match own {
            Brought::Page(number) => ("pages", self.places.pages.get(number)?.clone()),
            Brought::Assignment(number) => ("assignments", id(self.places.assignment, number)?),
            Brought::NewQuiz(number) => ("assignments", id(self.places.new_quiz, number)?),
            Brought::ClassicQuiz(number) => ("quizzes", id(self.places.classic_quiz, number)?),
        };
        Some((self.marks.place(kind, &own), rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(id: &str, name: &str, title: &str) -> Page {
        Page { id: id.to_owned(), name: name.to_owned(), title: title.to_owned(), ..Page::default() }
    }

    fn targets() -> Targets {
        let quiz = |id: &str| Quiz { id: id.to_owned(), ..Quiz::default() };
        let assignment = Assignment { id: "g3".to_owned(), ..Assignment::default() };
        let (classic, new) = ([quiz("g4"), quiz("g5")], [quiz("g6")]);
        let assignments = [("g5a".to_owned(), "g5".to_owned())].into();
        let kinds = Kinds { classic: &classic, new: &new, assignments: &assignments };
        let pages = [page("g1", "trees", "Trees"), page("g2", "über-bäume", "Über Bäume")];
        Targets::of(CourseId(9), &pages, ["trees".to_owned()].into(), &[assignment], &kinds)
    }

    /// The address that a link has in the end.
    fn settled(address: &str) -> Option<String> {
        let mut targets = targets();
        let address = targets.address("Q", &Reference::of(address)?)?;
        let bytes = targets.length(&address);
        let pages = vec!["trees-2".to_owned(), "über-bäume".to_owned()];
        let places = Places { pages, assignment: 30, classic_quiz: 40, new_quiz: 60 };
        match targets.into_marks() {
            Some(marks) => {
                let settled = Settled::new(marks, places).text(&address);
                let lengths = address.len()..=bytes;
                assert!(settled.as_ref().is_some_and(|own| lengths.contains(&own.len())), "{address}");
                settled
            }
            None => Some(address),
        }
    }

    #[test]
    fn a_link_leads_to_what_the_package_brings() {
        for (address, expected) in [
            ("$WIKI_REFERENCE$/pages/trees#top", "/courses/9/pages/trees-2#top"),
            ("$WIKI_REFERENCE$/pages/%C3%BCber-b%C3%A4ume", "/courses/9/pages/über-bäume"),
            ("$WIKI_REFERENCE$/pages/g1", "/courses/9/pages/trees-2"),
            ("$CANVAS_OBJECT_REFERENCE$/pages/g1", "/courses/9/pages/trees-2"),
            ("$CANVAS_OBJECT_REFERENCE$/pages/trees", "/courses/9/pages/trees-2"),
            ("$CANVAS_OBJECT_REFERENCE$/assignments/g3?wrap=1", "/courses/9/assignments/30?wrap=1"),
            ("$CANVAS_OBJECT_REFERENCE$/quizzes/g5", "/courses/9/quizzes/41"),
            ("$CANVAS_OBJECT_REFERENCE$/assignments/g5a", "/courses/9/quizzes/41"),
            ("$CANVAS_OBJECT_REFERENCE$/assignments/g6", "/courses/9/assignments/60"),
            ("$CANVAS_COURSE_REFERENCE$/grades", "/courses/9/grades"),
            ("$CANVAS_COURSE_REFERENCE$/#top", "/courses/9#top"),
        ] {
            assert_eq!(settled(address).as_deref(), Some(expected), "{address}");
        }
    }

    #[test]
    fn a_link_to_a_page_that_does_not_come_leads_to_its_place() {
        let mut targets = targets();
        let reference = Reference::of("$WIKI_REFERENCE$/pages/herbs?a=1").unwrap();
        assert_eq!(targets.address("Q", &reference).as_deref(), Some("/courses/9/pages/herbs?a=1"));
        let wanted = Wanted { url: "herbs".to_owned(), about: "Q".to_owned() };
        assert_eq!(targets.wanted(), &[wanted].into());
        assert!(targets.into_marks().is_none());
    }

    #[test]
    fn what_does_not_come_leads_nowhere() {
        for address in [
            "$CANVAS_OBJECT_REFERENCE$/assignments/g9",
            "$CANVAS_OBJECT_REFERENCE$/modules/g8",
            "$CANVAS_COURSE_REFERENCE$/file_ref/g7",
        ] {
            assert_eq!(settled(address), None, "{address}");
        }
    }

    #[test]
    fn a_page_whose_file_has_a_shorter_name_is_known_by_its_address_and_no_other_is() {
        let (long, kinds) = ("x".repeat(100), Kinds { classic: &[], new: &[], assignments: &BTreeMap::new() });
        let pages = [page("g1", &long, &format!("{long}a"))];
        let mut targets = Targets::of(CourseId(9), &pages, BTreeSet::new(), &[], &kinds);
        let mut address = |name: &str| {
            let address = format!("$WIKI_REFERENCE$/pages/{long}{name}");
            targets.address("Q", &Reference::of(&address).unwrap()).unwrap()
        };
        assert!(!address("a").contains(&long));
        assert_eq!(address("b"), format!("/courses/9/pages/{long}b"));
    }

    #[test]
    fn a_text_is_as_long_as_with_places() {
        let mut targets = targets();
        let mut link = |name: &str| targets.address("Q", &Reference::of(name).unwrap()).unwrap();
        let text = format!("{} {}", link("$WIKI_REFERENCE$/pages/g2#a"), link("$WIKI_REFERENCE$/pages/trees"));
        assert_eq!(targets.length(&text), "/courses/9/pages/über-bäume#a /courses/9/pages/trees".len() + NUMBER_BYTES);
        assert_eq!(targets.length("none"), 4);
    }

    #[test]
    fn links_have_an_end() {
        let mut targets = targets();
        targets.bytes = MAX_BYTES;
        let reference = Reference::of("$WIKI_REFERENCE$/pages/trees").unwrap();
        assert_eq!(targets.address("Q", &reference), None);
        assert!(targets.is_full());
    }

    #[test]
    fn a_text_has_places_for_all_its_marks_and_is_kept_otherwise() {
        let mut targets = targets();
        let mut address = |address: &str| targets.address("Q", &Reference::of(address).unwrap()).unwrap();
        let text =
            format!("a-b {} c-d {}-", address("$WIKI_REFERENCE$/pages/g2"), address("$CANVAS_OBJECT_REFERENCE$/a/g3"));
        let places =
            Places { pages: vec![String::new(), "b-c".to_owned()], assignment: 3, classic_quiz: 4, new_quiz: 5 };
        let settled = Settled::new(targets.into_marks().unwrap(), places);
        assert_eq!(settled.text(&text).as_deref(), Some("a-b /courses/9/pages/b-c c-d /courses/9/assignments/3-"));
        assert_eq!(settled.text("none"), None);
    }
}
