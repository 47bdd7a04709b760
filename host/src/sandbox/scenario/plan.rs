//! The plan of a scenario: who is meant by its names. Whatever can be known to be wrong is told before anything is made.

use std::collections::BTreeSet;

use super::model::{Course, Scenario, User};
use super::names::{MAX_COUNT, numbered, resolve};
use crate::sandbox::Sandbox;
use crate::sandbox::people::Person;
use crate::sandbox::reply::Problem;

/// A scenario whose names are known.
pub(super) struct Plan {
    pub(super) scenario: Scenario,
    pub(super) users: Vec<NewUser>,
    /// Users who are there already and are named.
    pub(super) known: Vec<Person>,
    /// Whom each course has.
    pub(super) rosters: Vec<Roster>,
}

/// A user who is to be made.
pub(super) struct NewUser {
    /// The line of the scenario.
    pub(super) place: String,
    pub(super) account: Option<String>,
    pub(super) login: String,
    pub(super) name: Option<String>,
    pub(super) email: Option<String>,
    pub(super) password: Option<String>,
}

/// The logins of a course, each once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Roster {
    pub(super) teachers: Vec<String>,
    pub(super) tas: Vec<String>,
    /// Those in none of the sections below.
    pub(super) students: Vec<String>,
    pub(super) sections: Vec<Vec<String>>,
    /// Who has handed in, for each assignment.
    pub(super) submissions: Vec<Vec<String>>,
}

impl Plan {
    pub(super) async fn of(scenario: Scenario, sandbox: &Sandbox) -> Result<Self, Problem> {
        let people = sandbox.registry.people();
        let mut accounts: BTreeSet<&str> = people.accounts.keys().map(String::as_str).collect();
        for (index, account) in scenario.accounts.iter().enumerate() {
            if !accounts.insert(&account.name) {
                let words = format!("there is an account {} already", account.name);
                return Err(Problem::bad_request(words).at(&format!("accounts[{index}].name")));
            }
        }
        let users = new_users(&scenario.users, &accounts)?;
        let mut known = people.persons.clone();
        for (index, webhook) in scenario.webhooks.iter().enumerate() {
            require_account(webhook.account.as_deref(), &accounts, &format!("webhooks[{index}]"))?;
        }
        let mut rosters = Vec::new();
        for (index, course) in scenario.courses.iter().enumerate() {
            let place = format!("courses[{index}]");
            let account = course.account.as_deref();
            require_account(account, &accounts, &place)?;
            if scenario.courses.iter().take(index).any(|other| other.name == course.name) {
                let words = format!("there is a course {} above", course.name);
                return Err(Problem::bad_request(words).at(&format!("{place}.name")));
            }
            let known_logins = known.iter().filter(|person| person.account.as_deref() == account);
            let new_logins = users.iter().filter(|user| user.account.as_deref() == account);
            let logins: Vec<_> =
                known_logins.map(|person| &person.login).chain(new_logins.map(|user| &user.login)).cloned().collect();
            let found = elsewhere(sandbox, course, &logins).await?;
            let names: Vec<_> = found.iter().map(|person| person.login.clone()).collect();
            rosters.push(Roster::of(course, &logins, &names, &place)?);
            known.extend(found);
        }
        Ok(Self { scenario, users, known, rosters })
    }
}

/// The users of all lines.
fn new_users(users: &[User], accounts: &BTreeSet<&str>) -> Result<Vec<NewUser>, Problem> {
    let (mut new, mut logins) = (Vec::new(), BTreeSet::new());
    for (index, user) in users.iter().enumerate() {
        let place = format!("users[{index}]");
        let wrong = |words: &str, key: &str| Err(Problem::bad_request(words).at(&format!("{place}.{key}")));
        require_account(user.account.as_deref(), accounts, &place)?;
        match user.count {
            Some(count) if !(1..=MAX_COUNT).contains(&count) => {
                return wrong(&format!("count is from 1 to {MAX_COUNT}"), "count");
            }
            Some(_) if !user.login.contains("{n}") => return wrong("many users need {n} in their login", "login"),
            _ => {}
        }
        let text = |template: &str, number: u32| match user.count {
            Some(_) => numbered(template, number),
            None => template.to_owned(),
        };
        for number in 1..=user.count.unwrap_or(1) {
            let login = text(&user.login, number);
            if !logins.insert((user.account.clone(), login.clone())) {
                return wrong(&format!("there is a user {login} above"), "login");
            }
            let filled = |template: &Option<String>| template.as_deref().map(|template| text(template, number));
            new.push(NewUser {
                place: place.clone(),
                account: user.account.clone(),
                login,
                name: filled(&user.name),
                email: filled(&user.email),
                password: filled(&user.password),
            });
        }
    }
    Ok(new)
}

fn require_account(account: Option<&str>, accounts: &BTreeSet<&str>, place: &str) -> Result<(), Problem> {
    match account {
        Some(name) if !accounts.contains(name) => {
            Err(Problem::bad_request(format!("there is no account {name}")).at(&format!("{place}.account")))
        }
        _ => Ok(()),
    }
}

/// Those whom the course names and only the application knows.
async fn elsewhere(sandbox: &Sandbox, course: &Course, logins: &[String]) -> Result<Vec<Person>, Problem> {
    let named = course.teachers.iter().chain(&course.tas).chain(&course.students);
    let named = named.chain(course.sections.iter().flat_map(|section| &section.students));
    let mut found: Vec<Person> = Vec::new();
    for login in named.filter(|login| !login.contains('*') && !logins.contains(login)) {
        if found.iter().any(|person| person.login == *login) {
            continue;
        }
        // Who is not found is told later, with the place.
        let account = course.account.as_deref();
        if let Some(id) = sandbox.registry.find_in(&sandbox.inside, login, account).await? {
            found.push(Person { login: login.clone(), account: course.account.clone(), id });
        }
    }
    Ok(found)
}

impl Roster {
    fn of(course: &Course, logins: &[String], elsewhere: &[String], place: &str) -> Result<Self, Problem> {
        let resolved = |wanted: &[String], key: &str| -> Result<Vec<String>, Problem> {
            let found = resolve(wanted, logins, elsewhere, &format!("{place}.{key}"))?;
            Ok(found.into_iter().map(str::to_owned).collect())
        };
        let (teachers, tas) = (resolved(&course.teachers, "teachers")?, resolved(&course.tas, "tas")?);
        let mut students = resolved(&course.students, "students")?;
        let mut sections: Vec<Vec<String>> = Vec::new();
        for (index, section) in course.sections.iter().enumerate() {
            sections.push(resolved(&section.students, &format!("sections[{index}].students"))?);
        }
        students.retain(|student| !sections.iter().flatten().any(|other| other == student));
        let mut all = students.clone();
        for student in sections.iter().flatten() {
            if !all.contains(student) {
                all.push(student.clone());
            }
        }
        let mut submissions = Vec::new();
        for (index, assignment) in course.assignments.iter().enumerate() {
            let mut handed_in = Vec::new();
            if let Some(wanted) = &assignment.submissions {
                let place = format!("{place}.assignments[{index}].submissions.students");
                handed_in = resolve(&wanted.students, &all, &[], &place)?.into_iter().map(str::to_owned).collect();
            }
            submissions.push(handed_in);
        }
        Ok(Self { teachers, tas, students, sections, submissions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(course: &str, logins: &[&str]) -> Result<Roster, Problem> {
        let scenario = Scenario::read(&format!("courses: [{course}]")).unwrap();
        let logins: Vec<_> = logins.iter().map(|login| (*login).to_owned()).collect();
        Roster::of(&scenario.courses[0], &logins, &[], "courses[0]")
    }

    #[test]
    fn students_of_a_section_are_in_it_alone() {
        let course = "{name: B, teachers: [ada], students: ['s-*'], sections: [{name: A, students: [s-2, t-1]}], \
                      assignments: [{name: E, submissions: {students: ['*-1'], body: x}}, {name: F}]}";
        let roster = roster(course, &["ada", "s-1", "s-2", "t-1"]).unwrap();
        assert_eq!(roster.students, ["s-1"]);
        assert_eq!(roster.sections, [["s-2", "t-1"]]);
        assert_eq!(roster.submissions, [vec!["s-1", "t-1"], vec![]]);
    }

    #[test]
    fn only_students_of_the_course_hand_in() {
        let course = "{name: B, students: [s-1], assignments: [{name: E, submissions: {students: [s-2], body: x}}]}";
        let problem = roster(course, &["s-1", "s-2"]).unwrap_err();
        assert_eq!(problem.field.as_deref(), Some("courses[0].assignments[0].submissions.students[0]"));
    }

    #[test]
    fn users_are_as_many_as_the_line_says() {
        let users = |text: &str| new_users(&Scenario::read(text).unwrap().users, &BTreeSet::new());
        let three = users("users: [{login: 's-{n}', name: 'S {n}', count: 3}, {login: 'a{n}'}]").unwrap();
        let logins: Vec<_> = three.iter().map(|user| user.login.as_str()).collect();
        assert_eq!(logins, ["s-1", "s-2", "s-3", "a{n}"]);
        assert_eq!(three[1].name.as_deref(), Some("S 2"));
        for (wrong, field) in [
            ("users: [{login: s, count: 2}]", "users[0].login"),
            ("users: [{login: 's{n}', count: 0}]", "users[0].count"),
            ("users: [{login: s}, {login: s}]", "users[1].login"),
            ("users: [{login: s, account: B}]", "users[0].account"),
        ] {
            assert_eq!(users(wrong).err().unwrap().field.as_deref(), Some(field));
        }
    }
}
