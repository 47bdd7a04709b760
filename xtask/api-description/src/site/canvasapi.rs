//! The operations that the Python library `canvasapi` has, with its calls.

use serde_json::Value;

use super::samples::python_value;
use crate::members::object;

/// An operation and its call. Each `(1)` stands for an id of the path, in their order; `{name}` for that member of the
/// body, `{*}` for the body as keyword arguments.
const CALLS: [(&str, &str); 102] = [
    ("abort_pending_sis_imports", "canvas.get_account(1).abort_sis_imports_pending()"),
    ("abort_sis_import", "canvas.get_account(1).get_sis_import(1).abort()"),
    (
        "answer_quiz_submission_questions",
        "canvas.get_course(1).get_quiz(1).get_quiz_submission(1).answer_submission_questions({*})",
    ),
    ("close_poll_session", "canvas.get_poll(1).get_session(1).close()"),
    ("complete_quiz_submission", "canvas.get_course(1).get_quiz(1).get_quiz_submission(1).complete({*})"),
    ("create_admin", "canvas.get_account(1).create_admin({user_id})"),
    ("create_assignment", "canvas.get_course(1).create_assignment({assignment})"),
    ("create_communication_channel", "canvas.get_user(1).create_communication_channel({*})"),
    ("create_content_migration", "canvas.get_course(1).create_content_migration({migration_type})"),
    ("create_course", "canvas.get_account(1).create_course({*})"),
    ("create_course_content_export", "canvas.get_course(1).export_content({export_type})"),
    ("create_course_folder", "canvas.get_course(1).create_folder({name})"),
    ("create_group_membership", "canvas.get_group(1).create_membership({user_id})"),
    ("create_new_quiz", "canvas.get_course(1).create_new_quiz({*})"),
    ("create_page", "canvas.get_course(1).create_page({wiki_page})"),
    ("create_poll", "canvas.create_poll({polls})"),
    ("create_poll_choice", "canvas.get_poll(1).create_choice({poll_choices})"),
    ("create_poll_session", "canvas.get_poll(1).create_session({poll_sessions})"),
    ("create_poll_submission", "canvas.get_poll(1).get_session(1).create_submission({poll_submissions})"),
    ("create_quiz", "canvas.get_course(1).create_quiz({quiz})"),
    ("create_quiz_group", "canvas.get_course(1).get_quiz(1).create_question_group({quiz_groups})"),
    ("create_quiz_question", "canvas.get_course(1).get_quiz(1).create_question({*})"),
    ("create_section", "canvas.get_course(1).create_course_section({*})"),
    ("create_sub_account", "canvas.get_account(1).create_subaccount({account})"),
    ("create_term", "canvas.get_account(1).create_enrollment_term({*})"),
    ("create_user", "canvas.get_account(1).create_user({pseudonym})"),
    ("delete_assignment", "canvas.get_course(1).get_assignment(1).delete()"),
    ("delete_file", "canvas.get_file(1).delete()"),
    ("delete_folder", "canvas.get_folder(1).delete()"),
    ("delete_group", "canvas.get_group(1).delete()"),
    ("delete_new_quiz", "canvas.get_course(1).get_new_quiz(1).delete()"),
    ("delete_page", "canvas.get_course(1).get_page(\"welcome\").delete()"),
    ("delete_poll", "canvas.get_poll(1).delete()"),
    ("delete_quiz", "canvas.get_course(1).get_quiz(1).delete()"),
    ("delete_quiz_group", "canvas.get_course(1).get_quiz(1).get_quiz_group(1).delete()"),
    ("delete_section", "canvas.get_section(1).delete()"),
    ("delete_user", "canvas.get_account(1).delete_user(1)"),
    ("get_account", "canvas.get_account(1)"),
    ("get_assignment", "canvas.get_course(1).get_assignment(1)"),
    ("get_content_migration", "canvas.get_course(1).get_content_migration(1)"),
    ("get_course", "canvas.get_course(1)"),
    ("get_course_content_export", "canvas.get_course(1).get_content_export(1)"),
    ("get_course_file", "canvas.get_course(1).get_file(1)"),
    ("get_course_file_quota", "canvas.get_course(1).get_file_quota()"),
    ("get_course_folder", "canvas.get_course(1).get_folder(1)"),
    ("get_course_front_page", "canvas.get_course(1).show_front_page()"),
    ("get_course_section", "canvas.get_course(1).get_section(1)"),
    ("get_course_user", "canvas.get_course(1).get_user(1)"),
    ("get_enrollment", "canvas.get_account(1).get_enrollment(1)"),
    ("get_file", "canvas.get_file(1)"),
    ("get_folder", "canvas.get_folder(1)"),
    ("get_group", "canvas.get_group(1)"),
    ("get_new_quiz", "canvas.get_course(1).get_new_quiz(1)"),
    ("get_page", "canvas.get_course(1).get_page(\"welcome\")"),
    ("get_poll", "canvas.get_poll(1)"),
    ("get_poll_choice", "canvas.get_poll(1).get_choice(1)"),
    ("get_poll_session", "canvas.get_poll(1).get_session(1)"),
    ("get_poll_submission", "canvas.get_poll(1).get_session(1).get_submission(1)"),
    ("get_progress", "canvas.get_progress(1)"),
    ("get_quiz", "canvas.get_course(1).get_quiz(1)"),
    ("get_quiz_group", "canvas.get_course(1).get_quiz(1).get_quiz_group(1)"),
    ("get_quiz_question", "canvas.get_course(1).get_quiz(1).get_question(1)"),
    ("get_quiz_submission", "canvas.get_course(1).get_quiz(1).get_quiz_submission(1)"),
    ("get_section", "canvas.get_section(1)"),
    ("get_sis_import", "canvas.get_account(1).get_sis_import(1)"),
    ("get_submission", "canvas.get_course(1).get_assignment(1).get_submission(1)"),
    ("get_term", "canvas.get_account(1).get_enrollment_term(1)"),
    ("get_user", "canvas.get_user(1)"),
    ("get_user_profile", "canvas.get_user(1).get_profile()"),
    ("grade_submission", "canvas.get_course(1).get_assignment(1).get_submission(1).edit({*})"),
    ("list_account_course_events", "list(canvas.get_account(1).query_audit_by_account())"),
    ("list_account_courses", "list(canvas.get_account(1).get_courses())"),
    ("list_account_users", "list(canvas.get_account(1).get_users())"),
    ("list_accounts", "list(canvas.get_accounts())"),
    ("list_assignments", "list(canvas.get_course(1).get_assignments())"),
    ("list_communication_channels", "list(canvas.get_user(1).get_communication_channels())"),
    ("list_content_migrations", "list(canvas.get_course(1).get_content_migrations())"),
    ("list_course_content_exports", "list(canvas.get_course(1).get_content_exports())"),
    ("list_course_enrollments", "list(canvas.get_course(1).get_enrollments())"),
    ("list_course_events", "list(canvas.get_course(1).query_audit_by_course())"),
    ("list_course_files", "list(canvas.get_course(1).get_files())"),
    ("list_course_folders", "list(canvas.get_course(1).get_folders())"),
    ("list_course_groups", "list(canvas.get_course(1).get_groups())"),
    ("list_course_users", "list(canvas.get_course(1).get_users())"),
    ("list_group_users", "list(canvas.get_group(1).get_users())"),
    ("list_new_quizzes", "list(canvas.get_course(1).get_new_quizzes())"),
    ("list_notification_preferences", "canvas.get_user(1).get_communication_channels()[0].get_preferences()"),
    ("list_own_courses", "list(canvas.get_courses())"),
    ("list_pages", "list(canvas.get_course(1).get_pages())"),
    ("list_polls", "list(canvas.get_polls())"),
    ("list_quiz_questions", "list(canvas.get_course(1).get_quiz(1).get_questions())"),
    ("list_quiz_submissions", "list(canvas.get_course(1).get_quiz(1).get_submissions())"),
    ("list_quizzes", "list(canvas.get_course(1).get_quizzes())"),
    ("list_sections", "list(canvas.get_course(1).get_sections())"),
    ("list_sis_imports", "list(canvas.get_account(1).get_sis_imports())"),
    ("list_sub_accounts", "list(canvas.get_account(1).get_subaccounts())"),
    ("list_submissions", "list(canvas.get_course(1).get_assignment(1).get_submissions())"),
    ("list_terms", "list(canvas.get_account(1).get_enrollment_terms())"),
    ("list_user_courses", "list(canvas.get_user(1).get_courses())"),
    ("open_poll_session", "canvas.get_poll(1).get_session(1).open()"),
    ("reset_course_content", "canvas.get_course(1).reset()"),
    ("submit_assignment", "canvas.get_course(1).get_assignment(1).submit({submission})"),
];

/// The call for an operation, with the ids of its path and what stands in the body; nothing where there is none, or the
/// body does not fit it.
pub(crate) fn call(operation: &str, ids: &[String], body: Option<&Value>) -> Option<String> {
    let (_, call) = CALLS.iter().find(|(id, _)| *id == operation)?;
    let call = with_ids(call, ids);
    let Some((before, rest)) = call.split_once('{') else { return Some(call) };
    let (name, after) = rest.split_once('}')?;
    let arguments = match name {
        "*" => {
            let arguments: Vec<_> =
                object(body).map(|(name, value)| format!("{name}={}", python_value(value, 0))).collect();
            arguments.join(", ")
        }
        name => python_value(body?.get(name)?, 0),
    };
    Some(format!("{before}{arguments}{after}"))
}

/// The call with these ids, where it has as many; the words of others stay as they are.
fn with_ids(call: &str, ids: &[String]) -> String {
    let parts: Vec<_> = call.split("(1)").collect();
    let is_number = |id: &String| id.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() != ids.len() + 1 || !ids.iter().all(is_number) {
        return call.to_owned();
    }
    let ids = ids.iter().map(|id| format!("({id})")).chain([String::new()]);
    parts.into_iter().zip(ids).flat_map(|(part, id)| [part.to_owned(), id]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_call_is_that_of_an_operation() {
        let areas = crate::areas();
        let ids: Vec<_> = areas.iter().flat_map(|area| area.endpoints().iter().map(|endpoint| endpoint.id)).collect();
        for (id, call) in CALLS {
            assert!(ids.contains(&id), "{id} is no operation");
            assert!(call.contains("canvas.") && call.matches('{').count() <= 1, "{call}");
        }
    }

    #[test]
    fn a_call_has_what_the_body_has() {
        let body = json!({ "quiz": { "title": "Leaves", "published": true } });
        let expected = "canvas.get_course(1).create_quiz({\n    \"published\": True,\n    \"title\": \"Leaves\",\n})";
        assert_eq!(call("create_quiz", &[], Some(&body)).as_deref(), Some(expected));
        assert_eq!(call("create_quiz", &[], Some(&json!({}))), None);
        assert_eq!(call("get_poll", &[], None).as_deref(), Some("canvas.get_poll(1)"));
        let expected = "canvas.get_course(1).get_quiz(1).get_quiz_submission(1).complete(attempt=1)";
        assert_eq!(call("complete_quiz_submission", &[], Some(&json!({ "attempt": 1 }))).as_deref(), Some(expected));
        assert_eq!(call("get_openapi", &[], None), None);
        let ids = ["4", "2"].map(str::to_owned);
        assert_eq!(call("get_quiz", &ids, None).as_deref(), Some("canvas.get_course(4).get_quiz(2)"));
        assert_eq!(call("get_poll", &["self".to_owned()], None).as_deref(), Some("canvas.get_poll(1)"));
    }
}
