//! Submissions as the API answers them.

use std::collections::{BTreeMap, BTreeSet};

use ::submissions::grading::Grade;
use ::submissions::late_policy::LatePolicyStatus;
use ::submissions::lateness::Lateness;
use serde::Serialize;
use shared::auth::{CourseAccess, Right};
use shared::files::{self, Attachment, File};
use shared::ids::{AssignmentId, AttachmentId, SubmissionId, UserId};
use shared::{Context, JsonSchema, Result, Timestamp};

use crate::model::assignments::AssignmentView;
use crate::model::courses::CourseSummary;
use crate::model::submission_includes::Include;
use crate::store::submission_contents::{self as contents, Version};
use crate::store::submissions::Row;
use crate::store::{assignments, courses};

/// The work of a student for an assignment, and its grade.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Submission {
    /// Null to graders while the work is graded anonymously, because ids tell who came into the course when.
    id: Option<SubmissionId>,
    pub(crate) assignment_id: AssignmentId,
    /// Left out to graders while the work is graded anonymously.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) user_id: Option<UserId>,
    /// By what graders know work that is graded anonymously.
    #[serde(skip_serializing_if = "Option::is_none")]
    anonymous_id: Option<String>,
    /// 1 is the first; null: nothing was handed in yet.
    attempt: Option<i64>,
    /// `online_text_entry`, `online_url`, `online_upload` or `online_quiz`.
    submission_type: Option<String>,
    /// Rich content.
    body: Option<String>,
    url: Option<String>,
    submitted_at: Option<Timestamp>,
    /// Null to students, with the grade, where a quiz hides its results.
    score: Option<f64>,
    /// As the assignment shows grades.
    grade: Option<String>,
    /// Before lateness cost points.
    entered_score: Option<f64>,
    entered_grade: Option<String>,
    excused: bool,
    /// Null: nobody, or the service itself.
    grader_id: Option<UserId>,
    graded_at: Option<Timestamp>,
    /// When the student could see the grade; null: not yet.
    posted_at: Option<Timestamp>,
    /// True if the grade is of the attempt that was handed in last.
    grade_matches_current_submission: bool,
    /// `unsubmitted`, `submitted`, `pending_review` or `graded`.
    workflow_state: String,
    late: bool,
    missing: bool,
    seconds_late: i64,
    /// What a grader says about lateness; null: the dates tell.
    late_policy_status: Option<LatePolicyStatus>,
    /// What lateness has cost of the entered score.
    points_deducted: Option<f64>,
    /// When it is due for the student. Null to graders while the work is graded anonymously, because dates tell whose it is.
    cached_due_date: Option<Timestamp>,
    /// False: nobody asks students to hand in anew.
    redo_request: bool,
    /// Null: assignments allow all students as many attempts.
    extra_attempts: Option<i64>,
    /// True: an assignment is for all students.
    assignment_visible: bool,
    preview_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    attachments: Option<Vec<File>>,
    /// Null where those of the submissions before are megabytes already: see that submission by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    submission_history: Option<Option<Vec<Submission>>>,
    /// Likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    submission_comments: Option<Option<Vec<Comment>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<Person>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignment: Option<Box<AssignmentView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    course: Option<CourseSummary>,
}

/// A comment on a submission.
#[derive(Serialize, JsonSchema)]
struct Comment {
    id: i64,
    /// Left out, with `author`, to graders of the student whose work is graded anonymously.
    #[serde(skip_serializing_if = "Option::is_none")]
    author_id: Option<UserId>,
    author_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<Author>,
    comment: String,
    /// The attempt that it is about.
    attempt: Option<i64>,
    created_at: Timestamp,
    edited_at: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
struct Author {
    id: UserId,
    display_name: String,
    html_url: String,
}

#[derive(Serialize, Clone, JsonSchema)]
struct Person {
    id: UserId,
    name: String,
    sortable_name: String,
    short_name: String,
}

/// The records of one submission: see [`views`].
pub(crate) async fn view(cx: &Context, course: &CourseAccess, row: Row, include: &Include) -> Result<Submission> {
    let mut views = views(cx, course, vec![row], include).await?;
    views.pop().ok_or_else(shared::Error::not_found)
}

/// A submission with these comments on it, which are known already.
pub(crate) async fn view_with_comments(
    cx: &Context,
    course: &CourseAccess,
    row: Row,
    comments: Vec<contents::Comment>,
) -> Result<Submission> {
    let base_url = cx.base_url().await?;
    let comments = seen_comments(cx.caller()?.user, course, &row, comments, &base_url);
    Ok(Submission { submission_comments: Some(Some(comments)), ..view(cx, course, row, &Include::default()).await? })
}

/// The submissions with what is asked for beside them, in as many statements as there are kinds of it.
pub(crate) async fn views(
    cx: &Context,
    course: &CourseAccess,
    mut rows: Vec<Row>,
    include: &Include,
) -> Result<Vec<Submission>> {
    let base_url = cx.base_url().await?;
    add_texts(cx, &mut rows).await?;
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    let mut versions = match include.history() {
        true => Beside::of(contents::versions(&cx.db, &ids).await?, |version| version.submission_id),
        false => Beside::default(),
    };
    let mut comments = match include.comments() {
        true => Beside::of(contents::comments(&cx.db, &ids).await?, |comment| comment.submission_id),
        false => Beside::default(),
    };
    let mut people = BTreeMap::new();
    if include.user() {
        let users = rows.iter().map(|row| row.user_id.0).collect();
        people
            .extend(contents::names(&cx.db, users).await?.into_iter().map(|person| (person.id, Person::from(person))));
    }
    let mut assignments = BTreeMap::new();
    if include.assignment() {
        let ids = rows.iter().map(|row| row.assignment_id.0).collect();
        for assignment in assignments::with_ids(&cx.db, ids, cx.caller()?.user).await? {
            assignments.insert(assignment.id, AssignmentView::new(assignment, course, &base_url, cx.now));
        }
    }
    let summary = match include.course() && !rows.is_empty() {
        true => Some(courses::summary(&cx.db, course.id).await?),
        false => None,
    };
    let files = files_of(cx, &rows, versions.all()).await?;
    let caller = cx.caller()?.user;
    let view = View { cx, course, caller, base_url: &base_url, files: &files };
    let mut views = Vec::with_capacity(rows.len());
    for row in rows {
        let submission_history = match include.history() {
            true => Some(view.history(&row, versions.take(row.id)).await?),
            false => None,
        };
        let submission_comments = include.comments().then(|| {
            let all = comments.take(row.id)?;
            Some(seen_comments(caller, course, &row, all, &base_url))
        });
        let assignment = assignments.get(&row.assignment_id).cloned().map(Box::new);
        let submission = view.submission(row).await?;
        let user = submission.user_id.and_then(|user| people.get(&user)).cloned();
        let course = summary.clone();
        views.push(Submission { submission_history, submission_comments, user, assignment, course, ..submission });
    }
    Ok(views)
}

/// Adds the texts of submissions that were read without, the first of these as far as they are not too many bytes.
async fn add_texts(cx: &Context, rows: &mut [Row]) -> Result<()> {
    const TEXTS: [&str; 2] = ["online_text_entry", "online_quiz"];
    let lacks_text =
        |row: &Row| row.body.is_none() && row.submission_type.as_deref().is_some_and(|kind| TEXTS.contains(&kind));
    let ids: Vec<_> = rows.iter().filter(|row| lacks_text(row)).map(|row| row.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let texts = contents::texts(&cx.db, &ids).await?;
    let mut texts: BTreeMap<_, _> = texts.into_iter().map(|text| (text.id, text.body)).collect();
    for row in rows {
        row.body = row.body.take().or_else(|| texts.remove(&row.id));
    }
    Ok(())
}

/// What is answered beside submissions, by these.
struct Beside<T> {
    items: BTreeMap<SubmissionId, Vec<T>>,
    left_out: BTreeSet<SubmissionId>,
}

impl<T> Default for Beside<T> {
    fn default() -> Self {
        Self { items: BTreeMap::new(), left_out: BTreeSet::new() }
    }
}

impl<T> Beside<T> {
    fn of(found: contents::Beside<T>, submission: impl Fn(&T) -> SubmissionId) -> Self {
        let mut items: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for item in found.items.0 {
            items.entry(submission(&item)).or_default().push(item);
        }
        Self { items, left_out: found.left_out.0 }
    }

    fn all(&self) -> impl Iterator<Item = &T> {
        self.items.values().flatten()
    }

    /// Those of a submission; `None` where there was no room for them.
    fn take(&mut self, submission: SubmissionId) -> Option<Vec<T>> {
        let has_room = !self.left_out.contains(&submission);
        has_room.then(|| self.items.remove(&submission).unwrap_or_default())
    }
}

async fn files_of(
    cx: &Context,
    rows: &[Row],
    versions: impl Iterator<Item = &Version>,
) -> Result<BTreeMap<AttachmentId, Attachment>> {
    let now = rows.iter().flat_map(|row| row.attachment_ids.0.iter());
    let before = versions.flat_map(|version| version.attachment_ids.0.iter());
    let mut ids: Vec<_> = now.chain(before).copied().collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    Ok(files::attachments(&cx.db, &ids).await?.into_iter().map(|file| (file.id, file)).collect())
}

/// The things that all submissions of an answer have in common.
struct View<'a> {
    cx: &'a Context,
    course: &'a CourseAccess,
    caller: UserId,
    base_url: &'a str,
    files: &'a BTreeMap<AttachmentId, Attachment>,
}

impl View<'_> {
    async fn submission(&self, row: Row) -> Result<Submission> {
        let is_grader = self.course.can(Right::ManageGrades);
        let sees_score = is_grader || row.shows_score(self.cx.now);
        let row = if is_grader || row.is_posted() { row } else { row.without_grading() };
        let Lateness { late, missing, seconds } = Lateness::of(&row, row.submitted_at, self.cx.now);
        let entered = if sees_score { row.entered() } else { Grade::default() };
        let is_anonymous = is_anonymous_to(self.caller, self.course, &row);
        let posted_at = row.shown_posted_at();
        let attachments = self.attachments(&row, is_anonymous).await?;
        let anonymous_id = row.anonymous_id.filter(|_| is_grader && row.anonymous_grading);
        let work = match &anonymous_id {
            Some(id) if is_anonymous => format!("anonymous_submissions/{id}"),
            _ => format!("submissions/{}", row.user_id),
        };
        let preview_url = format!(
            "{}/courses/{}/assignments/{}/{work}?preview=1&version={}",
            self.base_url,
            self.course.id,
            row.assignment_id,
            row.attempt.unwrap_or_default()
        );
        Ok(Submission {
            id: (!is_anonymous).then_some(row.id),
            assignment_id: row.assignment_id,
            user_id: (!is_anonymous).then_some(row.user_id),
            anonymous_id,
            attempt: row.attempt,
            submission_type: row.submission_type,
            // The body for a quiz tells the score, and whose it is.
            body: row.body.filter(|_| row.quiz.is_none() || (sees_score && !is_anonymous)),
            url: row.url,
            submitted_at: row.submitted_at,
            score: row.score.filter(|_| sees_score),
            grade: row.grade.filter(|_| sees_score),
            entered_score: entered.score,
            entered_grade: entered.grade,
            excused: row.excused,
            grader_id: row.grader_id,
            graded_at: row.graded_at,
            posted_at,
            grade_matches_current_submission: row.graded_at.is_none() || row.graded_attempt == row.attempt,
            workflow_state: row.workflow_state,
            late,
            missing,
            seconds_late: seconds,
            late_policy_status: row.late_policy_status,
            points_deducted: row.points_deducted.filter(|_| sees_score),
            cached_due_date: row.due_at.filter(|_| !is_anonymous),
            redo_request: false,
            extra_attempts: None,
            assignment_visible: true,
            preview_url,
            attachments,
            submission_history: None,
            submission_comments: None,
            user: None,
            assignment: None,
            course: None,
        })
    }

    /// The attempts of a submission, each as it was; the last is the submission itself.
    async fn history(&self, row: &Row, versions: Option<Vec<Version>>) -> Result<Option<Vec<Submission>>> {
        let Some(versions) = versions else { return Ok(None) };
        if versions.is_empty() {
            return Ok(Some(vec![self.submission(row.clone()).await?]));
        }
        let mut history = Vec::with_capacity(versions.len());
        for version in versions {
            let mut then = row.clone();
            match row.attempt == Some(version.attempt) {
                // In the list there may have been no room for the text.
                true => then.body = then.body.or(version.body),
                false => then = version.of(then),
            }
            history.push(self.submission(then).await?);
        }
        Ok(Some(history))
    }

    async fn attachments(&self, row: &Row, is_anonymous: bool) -> Result<Option<Vec<File>>> {
        let ids = &row.attachment_ids.0;
        if ids.is_empty() {
            return Ok(None);
        }
        let mut files = Vec::with_capacity(ids.len());
        for file in ids.iter().filter_map(|id| self.files.get(id)) {
            let file = match is_anonymous {
                true => &anonymous_file(file, row.submitted_at.unwrap_or(self.cx.now)),
                false => file,
            };
            files.push(File::of(self.base_url, file, self.cx.now).await?);
        }
        Ok(Some(files))
    }
}

/// A file without what a student's files have in common, or what else the student did with it.
fn anonymous_file(file: &Attachment, handed_in_at: Timestamp) -> Attachment {
    Attachment {
        folder_id: None,
        uuid: String::new(),
        locked: false,
        hidden: false,
        lock_at: None,
        unlock_at: None,
        created_at: handed_in_at,
        modified_at: handed_in_at,
        updated_at: handed_in_at,
        ..file.clone()
    }
}

/// The name of a student whose work is graded anonymously.
const ANONYMOUS: &str = "Anonymous";

/// True if the caller is one of those who do not see whose work it is.
pub(crate) fn is_anonymous_to(caller: UserId, course: &CourseAccess, row: &Row) -> bool {
    row.is_anonymous() && row.user_id != caller && course.can(Right::ManageGrades)
}

/// The comments that the caller sees.
fn seen_comments(
    caller: UserId,
    course: &CourseAccess,
    row: &Row,
    comments: Vec<contents::Comment>,
    base_url: &str,
) -> Vec<Comment> {
    let is_anonymous = is_anonymous_to(caller, course, row);
    let seen = comments.into_iter().filter(|comment| sees_comment(course, row, comment));
    let of = |comment: contents::Comment| {
        let is_of_student = comment.author_id == row.user_id;
        Comment::new(comment, base_url, is_anonymous && is_of_student)
    };
    seen.map(of).collect()
}

/// True if the caller sees what was said about the work. Students see what others than they say when the grade is posted.
fn sees_comment(course: &CourseAccess, row: &Row, comment: &contents::Comment) -> bool {
    course.can(Right::ManageGrades) || row.is_posted() || comment.author_id == row.user_id
}

impl Version {
    /// The submission as it was when this was handed in.
    fn of(self, row: Row) -> Row {
        Row {
            attempt: Some(self.attempt),
            submission_type: Some(self.submission_type),
            body: self.body,
            url: self.url,
            submitted_at: Some(self.submitted_at),
            workflow_state: if self.score.is_some() { "graded" } else { "submitted" }.to_owned(),
            graded_at: row.graded_at.filter(|_| self.score.is_some()),
            graded_attempt: Some(self.attempt),
            score: self.score,
            grade: self.grade,
            points_deducted: None,
            kept_submitted_at: None,
            attachment_ids: self.attachment_ids,
            ..row
        }
    }
}

impl Comment {
    fn new(comment: contents::Comment, base_url: &str, is_anonymous: bool) -> Self {
        let author = || Author {
            id: comment.author_id,
            display_name: comment.author_name.clone(),
            html_url: format!("{base_url}/users/{}", comment.author_id),
        };
        let author = (!is_anonymous).then(author);
        Self {
            id: comment.id,
            author_id: (!is_anonymous).then_some(comment.author_id),
            author_name: if is_anonymous { ANONYMOUS.to_owned() } else { comment.author_name },
            author,
            comment: comment.comment,
            attempt: comment.attempt,
            created_at: comment.created_at,
            edited_at: None,
        }
    }
}

impl From<contents::Person> for Person {
    fn from(person: contents::Person) -> Self {
        let contents::Person { id, name, sortable_name, short_name } = person;
        Self { id, name, sortable_name, short_name }
    }
}
