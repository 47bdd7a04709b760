//! Names of users in a scenario: templates for many, and patterns that mean many.

use crate::sandbox::pattern;
use crate::sandbox::reply::Problem;

/// The most users that one line of a scenario makes.
pub(super) const MAX_COUNT: u32 = 20_000;

/// The template with the number in it.
pub(super) fn numbered(template: &str, number: u32) -> String {
    template.replace("{n}", &number.to_string())
}

/// The text of a student, whose number among the students it has.
pub(super) fn of_student(template: &str, login: &str, number: usize) -> String {
    template.replace("{login}", login).replace("{n}", &number.to_string())
}

/// The logins that are meant, in the order in which they are known. A pattern has a `*` in it; other names may also be those of
/// users whom the application alone knows, which `elsewhere` tells.
pub(super) fn resolve<'a>(
    wanted: &[String],
    known: &'a [String],
    elsewhere: &'a [String],
    place: &str,
) -> Result<Vec<&'a str>, Problem> {
    let mut found: Vec<&str> = Vec::new();
    for (index, name) in wanted.iter().enumerate() {
        let before = found.len();
        let is_pattern = name.contains('*');
        let known = known.iter().filter(|login| if is_pattern { pattern::fits(name, login) } else { *login == name });
        let elsewhere = elsewhere.iter().filter(|login| !is_pattern && *login == name);
        let meant: Vec<_> = known.chain(elsewhere).map(String::as_str).collect();
        let is_nobody = meant.is_empty();
        for login in meant {
            if !found.contains(&login) {
                found.push(login);
            }
        }
        if is_nobody && found.len() == before {
            let place = format!("{place}[{index}]");
            let words =
                if is_pattern { format!("no login is like {name}") } else { format!("nobody has the login {name}") };
            return Err(Problem::bad_request(words).at(&place));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn patterns_mean_all_who_are_like_them_once_and_in_their_order() {
        let known = owned(&["ada", "student-1", "student-2", "student-10"]);
        let wanted = owned(&["student-2", "student-*", "old"]);
        let elsewhere = owned(&["old"]);
        let found = resolve(&wanted, &known, &elsewhere, "courses[0].students").unwrap();
        assert_eq!(found, ["student-2", "student-1", "student-10", "old"]);
    }

    #[test]
    fn who_is_not_there_is_told_with_the_place() {
        let problem = resolve(&owned(&["ada", "adda"]), &owned(&["ada"]), &[], "courses[0].teachers").unwrap_err();
        assert_eq!(problem.field.as_deref(), Some("courses[0].teachers[1]"));
        assert!(resolve(&owned(&["x*"]), &owned(&["ada"]), &[], "users").is_err());
    }

    #[test]
    fn templates_have_the_number_and_the_login() {
        assert_eq!(numbered("Student {n}", 7), "Student 7");
        assert_eq!(of_student("{login} wrote {n}", "ada", 3), "ada wrote 3");
    }
}
