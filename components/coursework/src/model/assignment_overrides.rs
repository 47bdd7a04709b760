//! Overrides: dates of an assignment that are others for a section, a group, or single students.

use serde::{Deserialize, Serialize};
use shared::db::Json;
use shared::ids::{AssignmentId, AssignmentOverrideId, QuizId, SectionId, UserGroupId, UserId};
use shared::{Error, JsonSchema, Patch, Result, Timestamp};

use crate::model::assignments::Assignment;
use crate::model::rules;

/// The most students whom an override names.
const MAX_STUDENTS: usize = 1000;

/// An override as it is stored.
#[derive(Deserialize, Clone)]
pub(crate) struct OverrideRow {
    pub(crate) id: AssignmentOverrideId,
    pub(crate) assignment_id: AssignmentId,
    /// The name of the section or the group, or what it was given.
    pub(crate) title: Option<String>,
    pub(crate) course_section_id: Option<SectionId>,
    pub(crate) group_id: Option<UserGroupId>,
    pub(crate) student_ids: Json<Vec<UserId>>,
    pub(crate) has_due_at: bool,
    pub(crate) due_at: Option<Timestamp>,
    pub(crate) has_unlock_at: bool,
    pub(crate) unlock_at: Option<Timestamp>,
    pub(crate) has_lock_at: bool,
    pub(crate) lock_at: Option<Timestamp>,
}

/// A date of an override; null: none.
#[derive(Serialize, JsonSchema, Clone, Copy)]
#[serde(transparent)]
pub(crate) struct OverrideDate(Option<Timestamp>);

/// An override as it is answered. Dates that are left out are those of the assignment.
#[derive(Serialize, JsonSchema, Clone)]
pub(crate) struct AssignmentOverride {
    id: AssignmentOverrideId,
    assignment_id: AssignmentId,
    title: String,
    /// Of an override for single students.
    #[serde(skip_serializing_if = "Option::is_none")]
    student_ids: Option<Vec<UserId>>,
    /// Of an override for a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<UserGroupId>,
    /// Of an override for a section.
    #[serde(skip_serializing_if = "Option::is_none")]
    course_section_id: Option<SectionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_at: Option<OverrideDate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unlock_at: Option<OverrideDate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_at: Option<OverrideDate>,
}

impl OverrideRow {
    /// True if it names single students.
    pub(crate) fn names_students(&self) -> bool {
        self.course_section_id.is_none() && self.group_id.is_none()
    }

    /// The title that it was given; those of sections and groups have the names of these.
    pub(crate) fn own_title(&self) -> Option<String> {
        self.title.clone().filter(|_| self.names_students())
    }

    fn shown_title(&self) -> String {
        let students = || match self.student_ids.0.len() {
            1 => "1 student".to_owned(),
            many => format!("{many} students"),
        };
        self.title.clone().unwrap_or_else(students)
    }
}

impl From<OverrideRow> for AssignmentOverride {
    fn from(row: OverrideRow) -> Self {
        let date = |has: bool, date: Option<Timestamp>| has.then_some(OverrideDate(date));
        Self {
            id: row.id,
            assignment_id: row.assignment_id,
            title: row.shown_title(),
            due_at: date(row.has_due_at, row.due_at),
            unlock_at: date(row.has_unlock_at, row.unlock_at),
            lock_at: date(row.has_lock_at, row.lock_at),
            group_id: row.group_id,
            course_section_id: row.course_section_id,
            student_ids: row.names_students().then_some(row.student_ids.0),
        }
    }
}

/// The dates of an assignment, for everybody else or for those whom an override is for.
#[derive(Serialize, JsonSchema, Clone)]
pub(crate) struct AssignmentDates {
    /// Of an override.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<AssignmentOverrideId>,
    /// True of the dates of the assignment itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    due_at: Option<Timestamp>,
    unlock_at: Option<Timestamp>,
    lock_at: Option<Timestamp>,
}

impl AssignmentDates {
    /// Those of an assignment or a quiz itself.
    pub(crate) fn base(due_at: Option<Timestamp>, unlock_at: Option<Timestamp>, lock_at: Option<Timestamp>) -> Self {
        Self { id: None, base: Some(true), title: None, due_at, unlock_at, lock_at }
    }

    /// Those that the caller has, as a student.
    pub(crate) fn own(due_at: Option<Timestamp>, unlock_at: Option<Timestamp>, lock_at: Option<Timestamp>) -> Self {
        Self { base: None, ..Self::base(due_at, unlock_at, lock_at) }
    }

    /// Those of the assignment itself, and then of its overrides.
    pub(crate) fn with_overrides(self, overrides: &[OverrideRow]) -> Vec<Self> {
        let of_overrides: Vec<_> = overrides.iter().map(|own| self.overridden(own)).collect();
        std::iter::once(self).chain(of_overrides).collect()
    }

    /// What an override does not say is as the assignment has it.
    fn overridden(&self, own: &OverrideRow) -> Self {
        Self {
            id: Some(own.id),
            base: None,
            title: Some(own.shown_title()),
            due_at: if own.has_due_at { own.due_at } else { self.due_at },
            unlock_at: if own.has_unlock_at { own.unlock_at } else { self.unlock_at },
            lock_at: if own.has_lock_at { own.lock_at } else { self.lock_at },
        }
    }
}

/// An override that is asked for: whom it is for, and its dates. Dates that are left out are those of the assignment; null is none.
#[derive(Clone, Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct OverrideForm {
    /// Of an override for single students.
    title: Patch<String>,
    /// The students: 1,000 at most, none of whom another override of the assignment names.
    pub(crate) student_ids: Patch<Vec<UserId>>,
    pub(crate) group_id: Patch<UserGroupId>,
    pub(crate) course_section_id: Patch<SectionId>,
    due_at: Patch<Timestamp>,
    unlock_at: Patch<Timestamp>,
    lock_at: Patch<Timestamp>,
}

/// One of several overrides that are asked for at once. Its fields are repeated, because what is flattened would be read
/// without the types by which a form's texts become numbers.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct NewOverride {
    pub(crate) assignment_id: AssignmentId,
    #[serde(default)]
    title: Patch<String>,
    #[serde(default)]
    student_ids: Patch<Vec<UserId>>,
    #[serde(default)]
    group_id: Patch<UserGroupId>,
    #[serde(default)]
    course_section_id: Patch<SectionId>,
    #[serde(default)]
    due_at: Patch<Timestamp>,
    #[serde(default)]
    unlock_at: Patch<Timestamp>,
    #[serde(default)]
    lock_at: Patch<Timestamp>,
}

impl NewOverride {
    pub(crate) fn form(&self) -> OverrideForm {
        let Self { group_id, course_section_id, due_at, unlock_at, lock_at, .. } = *self;
        let (title, student_ids) = (self.title.clone(), self.student_ids.clone());
        OverrideForm { title, student_ids, group_id, course_section_id, due_at, unlock_at, lock_at }
    }
}

/// One of several overrides that are changed at once.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ChangedOverride {
    pub(crate) assignment_id: AssignmentId,
    pub(crate) id: AssignmentOverrideId,
    #[serde(default)]
    title: Patch<String>,
    #[serde(default)]
    student_ids: Patch<Vec<UserId>>,
    #[serde(default)]
    due_at: Patch<Timestamp>,
    #[serde(default)]
    unlock_at: Patch<Timestamp>,
    #[serde(default)]
    lock_at: Patch<Timestamp>,
}

impl ChangedOverride {
    pub(crate) fn form(&self) -> OverrideForm {
        let Self { due_at, unlock_at, lock_at, .. } = *self;
        let (title, student_ids) = (self.title.clone(), self.student_ids.clone());
        OverrideForm { title, student_ids, due_at, unlock_at, lock_at, ..OverrideForm::default() }
    }
}

/// The dates of a quiz.
#[derive(Serialize, JsonSchema)]
pub(crate) struct QuizDates {
    pub(crate) quiz_id: QuizId,
    /// To students their own; to staff the same as `all_dates`.
    pub(crate) due_dates: Vec<AssignmentDates>,
    /// To staff: those of the quiz, and those of its overrides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) all_dates: Option<Vec<AssignmentDates>>,
}

/// Whom an override is for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Target {
    Section(SectionId),
    Group(UserGroupId),
    Students(Vec<UserId>),
}

/// The title and the dates of an override.
pub(crate) struct OverrideFields {
    pub(crate) title: Option<String>,
    pub(crate) due_at: Patch<Timestamp>,
    pub(crate) unlock_at: Patch<Timestamp>,
    pub(crate) lock_at: Patch<Timestamp>,
}

impl OverrideForm {
    /// Whom it is for: one section, one group, or students; 400 where it says so not at all or twice.
    pub(crate) fn target(&self) -> Result<Target> {
        let section = self.course_section_id.into_option().map(Target::Section);
        let group = self.group_id.into_option().map(Target::Group);
        let students = self.students()?.map(Target::Students);
        let mut targets = section.into_iter().chain(group).chain(students);
        match (targets.next(), targets.next()) {
            (Some(target), None) => Ok(target),
            (Some(_), Some(_)) => Err(invalid_target("is for students, a group or a section, and not for two of them")),
            (None, _) => Err(invalid_target("one of student_ids, group_id or course_section_id is required")),
        }
    }

    /// The students, each once; `None` where they are not named.
    pub(crate) fn students(&self) -> Result<Option<Vec<UserId>>> {
        let Some(mut students) = self.student_ids.clone().into_option() else { return Ok(None) };
        students.sort_unstable();
        students.dedup();
        match students.len() {
            0 => Err(invalid_target("student_ids is empty")),
            1..=MAX_STUDENTS => Ok(Some(students)),
            _ => Err(invalid_target(&format!("student_ids are too many (maximum is {MAX_STUDENTS})"))),
        }
    }

    /// Its fields. The dates that its students have then must follow one another.
    pub(crate) fn fields(&self, assignment: &Assignment, title: Option<String>) -> Result<OverrideFields> {
        let title = self.title.clone().over(title).filter(|title| !title.trim().is_empty());
        rules::not_too_long("title", title.as_deref().unwrap_or_default())?;
        let date = |own: Patch<Timestamp>, base: Option<Timestamp>| own.over(base);
        rules::in_order(
            date(self.unlock_at, assignment.unlock_at),
            date(self.due_at, assignment.due_at),
            date(self.lock_at, assignment.lock_at),
        )?;
        Ok(OverrideFields { title, due_at: self.due_at, unlock_at: self.unlock_at, lock_at: self.lock_at })
    }
}

pub(crate) fn invalid_target(message: &str) -> Error {
    Error::invalid("assignment_override", "invalid", message)
}
