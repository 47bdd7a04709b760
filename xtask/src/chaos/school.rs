//! Who and what is there before anything is killed.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use xtask::client::{Client, id};

use super::caller::Caller;
use crate::classroom::{self, Course, Student};
use crate::receiver::{Mood, Receiver};

const STUDENTS: usize = 4;
const TEACHERS: usize = 2;
/// Users who make channels.
const OWNERS: usize = 6;
/// Courses that are renamed, and quizzes that get groups.
const RENAMED: usize = 2;
const QUIZZES: usize = 2;

type Person = (Student, Caller);

/// A course with its people, a poll and quizzes, and receivers of its submissions.
pub(super) struct School {
    pub(super) admin: Caller,
    pub(super) course: Course,
    pub(super) students: Vec<Person>,
    pub(super) teachers: Vec<Person>,
    pub(super) owners: Vec<Person>,
    pub(super) renamed: Vec<String>,
    /// The paths of the groups of quizzes.
    pub(super) groups: Vec<String>,
    /// The path of a poll, and its choices.
    pub(super) poll: String,
    pub(super) choices: Vec<String>,
    pub(super) receivers: Vec<(Mood, Receiver)>,
}

impl School {
    pub(super) async fn open(admin: &Client) -> Result<Self> {
        let students = classroom::students(admin, STUDENTS).await?;
        let course = classroom::course(admin, &students).await?;
        let teachers = people(admin, "teacher", TEACHERS).await?;
        for teacher in &teachers {
            classroom::enroll(admin, &course.id, teacher, "TeacherEnrollment").await?;
        }
        let owners = people(admin, "owner", OWNERS).await?;
        let (mut renamed, mut groups) = (Vec::new(), Vec::new());
        for _ in 0..RENAMED {
            let course = json!({ "course": { "name": "renamed-first" } });
            renamed.push(id(&admin.post("/api/v1/accounts/1/courses", course).await?)?);
        }
        for _ in 0..QUIZZES {
            let quizzes = format!("/api/v1/courses/{}/quizzes", course.id);
            let quiz = id(&admin.post(&quizzes, json!({ "quiz": { "title": "Leaves" } })).await?)?;
            groups.push(format!("{quizzes}/{quiz}/groups"));
        }
        let teacher = admin.with_token(&teachers.first().context("a teacher")?.token);
        let (poll, choices) = poll(&teacher).await?;
        let tool = classroom::tool(admin, "A tool").await?;
        let mut receivers = Vec::new();
        for mood in [Mood::Willing, Mood::Failing] {
            let receiver = Receiver::start(mood).await?;
            classroom::subscribe(&tool, "account", "1", &receiver.url).await?;
            receivers.push((mood, receiver));
        }
        Ok(Self {
            course,
            students: callers(admin, students)?,
            teachers: callers(admin, teachers)?,
            owners: callers(admin, owners)?,
            renamed,
            groups,
            poll,
            choices,
            receivers,
            admin: Caller::new(admin.base_url(), admin.token())?,
        })
    }
}

async fn people(admin: &Client, role: &str, count: usize) -> Result<Vec<Student>> {
    let mut people = Vec::new();
    for number in 0..count {
        people.push(classroom::person(admin, &format!("{role}-{number}")).await?);
    }
    Ok(people)
}

fn callers(admin: &Client, people: Vec<Student>) -> Result<Vec<Person>> {
    let caller = |person: Student| Ok((Caller::new(admin.base_url(), &person.token)?, person));
    people.into_iter().map(|person| caller(person).map(|(caller, person)| (person, caller))).collect()
}

/// The path of a new poll, and the ids of its choices.
async fn poll(teacher: &Client) -> Result<(String, Vec<String>)> {
    let first = |answer: &Value, list: &str| id(answer.pointer(&format!("/{list}/0")).context("no record")?);
    let poll = teacher.post("/api/v1/polls", json!({ "polls": [{ "question": "Which leaf?" }] })).await?;
    let poll = format!("/api/v1/polls/{}", first(&poll, "polls")?);
    let mut choices = Vec::new();
    for text in ["Oak", "Beech"] {
        let choice = json!({ "poll_choices": [{ "text": text }] });
        choices.push(first(&teacher.post(&format!("{poll}/poll_choices"), choice).await?, "poll_choices")?);
    }
    Ok((poll, choices))
}
