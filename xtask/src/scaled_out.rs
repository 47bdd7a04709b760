//! Contract tests against several processes: what has to hold wherever a request goes.

use anyhow::Result;
use xtask::scaled::PROCESSES;

use crate::moving;
use crate::test::application_tests;
use crate::tool;

/// The main flows of all areas, by the beginnings of their names.
///
/// Left out is what starts an application of its own, which runs on files (limits by variables, transports, crashes,
/// messages, deliveries to receivers that fail, blobs, error reports), what holds the lock of a file (`reads`, `writers`), and
/// what is long and no different here (`authorization`, `input_cost`, `service`).
const TESTS: [&str; 27] = [
    "ai_conversations::talks",
    "badge_races",
    "badges::awards",
    "badges::documents",
    "badges::earners",
    "communication_channels::codes",
    "content_exports",
    "content_imports",
    "course_audit",
    "coursework::",
    "coursework_updates",
    "directory",
    "files::",
    "groups::",
    "live_events",
    "mastery::loading",
    "notification_preferences",
    "oauth",
    "polls::sessions",
    "polls::votes",
    "quiz_groups",
    "quiz_items",
    "quiz_sessions",
    "quiz_submissions",
    "sis_imports::effects",
    "submissions::",
    "uploads",
];

/// Of these, the ones that cannot hold here, with the reason.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("content_exports::work::after_a_crash_every_export_ends", "it kills an application of its own"),
    ("uploads::what_is_announced_is_set_aside", "it starts an application of its own"),
];

/// Runs them, and moves data between one process and servers; or only those that are named.
pub(crate) async fn run(filter: &[String]) -> Result<()> {
    let mut command = application_tests();
    if filter.is_empty() {
        command.args(TESTS);
        for (test, _) in EXCEPTIONS {
            command.args(["--skip", test]);
        }
    } else {
        command.args(filter);
    }
    tool::run(command.env(PROCESSES, "3")).await?;
    if filter.is_empty() { moving::rehearse().await } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of the tests with that beginning, or the folder of them.
    fn path(test: &str) -> std::path::PathBuf {
        let mut segments = test.split("::");
        let mut module = xtask::root().join("tests").join(segments.next().unwrap());
        for segment in segments {
            let part = module.join(segment);
            if part.with_extension("rs").is_file() {
                module = part;
            }
        }
        let file = module.with_extension("rs");
        if file.is_file() { file } else { module }
    }

    #[test]
    fn each_name_is_that_of_a_test() {
        for test in TESTS {
            assert!(path(test).exists(), "{test}");
        }
        for (test, _) in EXCEPTIONS {
            let name = test.rsplit("::").next().unwrap();
            assert!(TESTS.iter().any(|chosen| test.starts_with(chosen)), "{test}");
            let text = std::fs::read_to_string(path(test)).unwrap();
            assert!(text.contains(&format!("fn {name}(")), "{test}");
        }
    }
}
