//! Who is there, and in which courses.

use std::time::Duration;

use anyhow::{Result, ensure};
use xtask::client::{Client, id, text};

use super::Outcome::{self, Made, There};

const USERS: &str = include_str!("../../demo/users.csv");
/// In the order in which they are imported.
const FILES: [&str; 7] = [
    include_str!("../../demo/accounts.csv"),
    USERS,
    include_str!("../../demo/courses.csv"),
    include_str!("../../demo/sections.csv"),
    include_str!("../../demo/enrollments.csv"),
    include_str!("../../demo/groups.csv"),
    include_str!("../../demo/groups_membership.csv"),
];
const IMPORTS: &str = "/api/v1/accounts/self/sis_imports";
/// The number of looks at an import that has not ended, and the time between them.
const LOOKS: usize = 1200;
const PAUSE: Duration = Duration::from_millis(50);
/// The number of people of each of whom something is told where all would be too many: who teaches, assists, designs,
/// observes and studies.
const MAIN: usize = 5;

/// The logins and passwords of the people who stand for a role each.
pub(crate) fn logins() -> impl Iterator<Item = (&'static str, &'static str)> {
    all().take(MAIN)
}

/// Logins and passwords, as the file has them.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    USERS.lines().skip(1).filter_map(|line| {
        let mut cells = line.split(',').skip(1);
        Some((cells.next()?, cells.next()?))
    })
}

/// Those who take part in the course as students.
pub(super) fn students() -> impl Iterator<Item = &'static str> {
    all().skip(MAIN - 1).map(|(login, _)| login)
}

pub(super) async fn load(admin: &Client) -> Result<Outcome> {
    // What is imported last, so that a start that was broken off is made up for.
    let group = admin.find("/api/v1/groups/sis_group_id:HERBARIUM/users?per_page=100").await?;
    if group.is_some_and(|members| members.as_array().is_some_and(|members| !members.is_empty())) {
        return Ok(There);
    }
    for file in FILES {
        import(admin, file).await?;
    }
    Ok(Made(format!("{} people, 2 courses, 2 sections, a group", all().count())))
}

/// Imports a file, all of whose rows must be taken.
async fn import(admin: &Client, csv: &'static str) -> Result<()> {
    let import = format!("{IMPORTS}/{}", id(&admin.upload(IMPORTS, "text/csv", csv).await?)?);
    for _ in 0..LOOKS {
        let found = admin.get(&import).await?;
        match text(&found, "workflow_state")? {
            "created" | "importing" => tokio::time::sleep(PAUSE).await,
            state => {
                ensure!(state == "imported", "{import} is {state}: {found}");
                return Ok(());
            }
        }
    }
    anyhow::bail!("{import} does not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_somebody() {
        let logins: Vec<_> = logins().map(|(login, _)| login).collect();
        assert_eq!(logins, ["teacher", "ta", "designer", "observer", "student"]);
        assert_eq!(students().next(), Some("student"));
        assert!(students().count() > 5);
    }
}
