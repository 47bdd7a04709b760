//! What statements of many areas ask stands in one place: who may do what, and which accounts stand above one.

use crate::rooms::code;

/// The names of two types of enrollments side by side, as a list has them.
fn lists_roles(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    ['\'', '"'].into_iter().any(|quote| {
        let between = format!("Enrollment{quote},{quote}");
        let mut parts = text.split(&between);
        parts.next();
        parts.any(|rest| rest.split(quote).next().is_some_and(|name| name.ends_with("Enrollment")))
    })
}

/// A statement that goes from account to account.
fn climbs_accounts(text: &str) -> bool {
    let words: Vec<_> = text.split_whitespace().collect();
    let beginnings =
        words.windows(2).enumerate().filter(|(_, pair)| pair[0].ends_with("WITH") && pair[1] == "RECURSIVE");
    beginnings.into_iter().any(|(at, _)| {
        let mut pairs = words[at..].windows(2).take(40);
        pairs.any(|pair| matches!(pair, ["FROM" | "JOIN", "accounts"]))
    })
}

fn offenders(is_wrong: impl Fn(&str) -> bool, home: &str) -> Vec<String> {
    let modules = code();
    assert!(modules.iter().any(|(name, _)| name == home), "{home} is not there");
    modules.into_iter().filter(|(name, text)| name != home && is_wrong(text)).map(|(name, _)| name).collect()
}

#[test]
fn statements_take_the_roles_that_have_a_right_from_the_table_of_rights() {
    let wrong = offenders(lists_roles, "shared/domain::auth::course");
    assert!(wrong.is_empty(), "shared::auth::Right::roles_sql has the list for {wrong:?}");
}

#[test]
fn statements_take_the_accounts_above_and_below_one_from_the_tree() {
    let wrong = offenders(climbs_accounts, "shared/domain::account_tree");
    assert!(wrong.is_empty(), "shared::accounts_above! and accounts_below! are for {wrong:?}");
}

#[test]
fn lists_of_roles_and_trees_of_accounts_are_seen() {
    for text in ["type IN ('TeacherEnrollment',\n 'TaEnrollment')", r#"["StudentEnrollment", "ObserverEnrollment"]"#] {
        assert!(lists_roles(text), "{text}");
    }
    for text in
        ["type = 'StudentEnrollment', 'a'", "CASE type WHEN 'StudentEnrollment' THEN 2 WHEN 'TaEnrollment' THEN 1"]
    {
        assert!(!lists_roles(text), "{text}");
    }
    let tree = "(WITH RECURSIVE up (id) AS (SELECT ?1 UNION ALL SELECT a.parent_account_id FROM accounts a JOIN up)";
    assert!(climbs_accounts(tree));
    assert!(!climbs_accounts(&tree.replace("accounts", "folders")));
}
