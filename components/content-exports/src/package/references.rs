//! Links to other content of the course, as its packages have them: a course that a package is imported into has other ids.

use std::collections::BTreeMap;

use content_packages::links::Link;
use content_packages::path;
use content_packages::references::{Reference, Target};
use shared::ids::CourseId;

use crate::package::quizzes::{NEW_QUIZ, quiz_id};
use crate::store::quizzes::QuizId;

/// The words of addresses for pages, assignments and quizzes.
const PAGES: &str = "pages";
const ASSIGNMENTS: &str = "assignments";
const QUIZZES: &str = "quizzes";

/// The assignments and quizzes that go into a package.
pub(crate) struct Objects {
    /// The beginning of the course's addresses.
    course: String,
    /// The ids in the package of the pages whose addresses are no names of files, by these.
    pages: BTreeMap<String, String>,
    /// By the ids of assignments, those of quizzes too: the word, and the id in the package.
    assignments: BTreeMap<i64, (&'static str, String)>,
    /// The ids in the package of classic quizzes.
    quizzes: BTreeMap<i64, String>,
}

impl Objects {
    /// Of pages their ids, the last parts of their addresses, and the names of their files.
    pub(crate) fn of<'p>(
        course: CourseId,
        pages: impl Iterator<Item = (i64, &'p str, &'p str)>,
        assignments: &[i64],
        quizzes: &[QuizId],
        new_quizzes: &[i64],
    ) -> Self {
        let renamed = pages.filter(|(_, url, name)| url != name);
        let graded = quizzes.iter().filter_map(|quiz| Some((quiz.assignment_id?, (QUIZZES, quiz_id(quiz.id)))));
        let new = new_quizzes.iter().map(|id| (*id, (ASSIGNMENTS, format!("{NEW_QUIZ}{id}"))));
        let own = assignments.iter().map(|id| (*id, (ASSIGNMENTS, assignment_id(*id))));
        Self {
            course: format!("/courses/{course}"),
            pages: renamed.map(|(id, url, _)| (url.to_owned(), page_id(id))).collect(),
            assignments: graded.chain(new).chain(own).collect(),
            quizzes: quizzes.iter().map(|quiz| (quiz.id, quiz_id(quiz.id))).collect(),
        }
    }

    /// What a path on this service leads to, if that is in the course and may be told without its ids. A page has the same
    /// address in each course; one whose file is named otherwise is told by its id in the package.
    pub(crate) fn link(&self, path: &str) -> Option<Link> {
        let path = path.strip_prefix(&self.course)?;
        let (path, rest) = path.split_at_checked(path.find(['?', '#']).unwrap_or(path.len()))?;
        if !path.is_empty() && !path.starts_with('/') {
            return None;
        }
        let path = path.trim_matches('/');
        let is_id = |part: &str| part.parse::<u64>().is_ok();
        let target = match path.split_once('/') {
            Some((PAGES | "wiki", page)) if !page.contains('/') => match self.renamed(page) {
                Some(id) => Target::Object { kind: PAGES, id },
                None => Target::Page(page),
            },
            Some((ASSIGNMENTS, id)) if is_id(id) => {
                let (kind, id) = self.assignments.get(&id.parse().ok()?)?;
                Target::Object { kind, id }
            }
            Some((QUIZZES, id)) if is_id(id) => {
                let id = self.quizzes.get(&id.parse().ok()?)?;
                Target::Object { kind: QUIZZES, id }
            }
            // Who else has an id of this course is somebody else in another one.
            _ if path.split('/').any(is_id) => return None,
            _ => Target::Place(path),
        };
        Some(Reference { target, rest }.into())
    }

    fn renamed(&self, page: &str) -> Option<&str> {
        self.pages.get(&*path::decoded(page)).map(String::as_str)
    }
}

/// The id in packages of a page.
pub(crate) fn page_id(id: i64) -> String {
    format!("page-{id}")
}

/// The id in packages of an assignment that stands for no quiz.
pub(crate) fn assignment_id(id: i64) -> String {
    format!("assignment-{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(path: &str) -> Option<String> {
        let quizzes = [QuizId { id: 4, assignment_id: Some(5) }, QuizId { id: 6, assignment_id: None }];
        let pages = [(1, "leaves", "leaves"), (2, "i\u{307}stanbul", "i-stanbul-2")].into_iter();
        match Objects::of(CourseId(3), pages, &[7], &quizzes, &[8]).link(path)? {
            Link::Reference(address) => Some(address),
            Link::File(..) => None,
        }
    }

    #[test]
    fn a_link_to_what_goes_into_the_package_has_no_ids_of_the_course() {
        for (path, expected) in [
            ("/courses/3/pages/leaves#top", "$WIKI_REFERENCE$/pages/leaves#top"),
            ("/courses/3/pages/i\u{307}stanbul#top", "$CANVAS_OBJECT_REFERENCE$/pages/page-2#top"),
            ("/courses/3/pages/i%CC%87stanbul", "$CANVAS_OBJECT_REFERENCE$/pages/page-2"),
            ("/courses/3/pages/i-stanbul", "$WIKI_REFERENCE$/pages/i-stanbul"),
            ("/courses/3/assignments/7?x=1", "$CANVAS_OBJECT_REFERENCE$/assignments/assignment-7?x=1"),
            ("/courses/3/assignments/8", "$CANVAS_OBJECT_REFERENCE$/assignments/new-quiz-8"),
            ("/courses/3/assignments/5", "$CANVAS_OBJECT_REFERENCE$/quizzes/quiz-4"),
            ("/courses/3/quizzes/6/", "$CANVAS_OBJECT_REFERENCE$/quizzes/quiz-6"),
            ("/courses/3/modules", "$CANVAS_COURSE_REFERENCE$/modules"),
            ("/courses/3", "$CANVAS_COURSE_REFERENCE$/"),
        ] {
            assert_eq!(link(path).as_deref(), Some(expected), "{path}");
        }
    }

    #[test]
    fn a_link_to_something_else_stays_as_it_is() {
        for path in [
            "/courses/33/pages/leaves",
            "/courses/3x",
            "/courses/4",
            "/courses/3/assignments/9",
            "/courses/3/assignments/7/submissions/2",
            "/courses/3/quizzes/8",
            "/courses/3/discussion_topics/1",
            "/users/3",
            "courses/3",
        ] {
            assert_eq!(link(path), None, "{path}");
        }
    }
}
