//! The causes of notifications; of those kinds that are never sent, the reason.

/// True if a kind is ever sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It is, when this happens.
    Sent(&'static str),
    /// It is not, because there is no such thing here.
    Absent(&'static str),
}

use Cause::{Absent, Sent};

const NO_ANNOTATIONS: Cause = Absent("there are no annotations");
const NO_APPOINTMENTS: Cause = Absent("there are no appointments");
const NO_CALENDAR: Cause = Absent("there is no calendar");
const NO_CONVERSATIONS: Cause = Absent("users do not write to each other");
const NO_DISCUSSIONS: Cause = Absent("there are no discussions");
const NO_PEER_REVIEWS: Cause = Absent("there are no rubrics and no peer reviews");
const NO_REMINDERS: Cause = Absent("the reference system does not send it any more");
const NO_REPORTS: Cause = Absent("accounts have no reports");
const NO_SELF_REGISTRATION: Cause = Absent("administrators and imports make users, who are registered from then on");
const NO_BLUEPRINTS: Cause = Absent("there are no blueprint courses");
const ONE_BY_ONE: Cause = Absent("each student is told of the own grade");

/// Every kind of the [`catalogue`](super::catalogue::CATALOGUE), in its order.
pub static CAUSES: &[(&str, Cause)] = &[
    ("added_to_conversation", NO_CONVERSATIONS),
    ("conversation_created", NO_CONVERSATIONS),
    ("alert", Absent("there are no alerts about students")),
    ("assignment_submitted", Sent("work is handed in for the first time, and in time")),
    ("assignment_resubmitted", Sent("work is handed in again, and in time")),
    ("submission_needs_grading", Sent("an attempt at a classic quiz is handed in of which somebody must read answers")),
    ("new_announcement", Sent("a session of a poll is opened")),
    ("announcement_created_by_you", Absent("there are no announcements but opened polls")),
    ("announcement_reply", NO_DISCUSSIONS),
    ("appointment_group_published", NO_APPOINTMENTS),
    ("appointment_group_updated", NO_APPOINTMENTS),
    ("appointment_deleted_for_user", NO_APPOINTMENTS),
    ("appointment_group_deleted", NO_APPOINTMENTS),
    ("appointment_reserved_for_user", NO_APPOINTMENTS),
    ("new_event_created", NO_CALENDAR),
    ("event_date_changed", NO_CALENDAR),
    ("conversation_message", NO_CONVERSATIONS),
    ("assignment_changed", Sent("a published assignment or quiz is changed otherwise than in its due date")),
    ("updated_wiki_page", Sent("title or body of a published page are changed")),
    ("assignment_publishing_reminder", NO_REMINDERS),
    ("assignment_grading_reminder", NO_REMINDERS),
    ("assignment_due_date_reminder", NO_REMINDERS),
    ("new_discussion_topic", NO_DISCUSSIONS),
    ("new_discussion_entry", NO_DISCUSSIONS),
    ("assignment_due_date_changed", Sent("the due date of a published assignment or quiz is changed")),
    ("assignment_created", Sent("an assignment or quiz is published")),
    ("assignment_due_date_override_changed", Absent("an assignment has one due date for all")),
    ("new_file_added", Sent("a file is uploaded to a course, where students see it")),
    ("new_files_added", Sent("an archive of files is imported into a course, where students see them")),
    ("assignment_graded", Absent("each submission is told of by itself")),
    ("assignment_unmuted", ONE_BY_ONE),
    ("submission_graded", Sent("a submission is graded for the first time")),
    ("submission_grade_changed", Sent("the grade of a submission is changed")),
    ("submission_posted", Sent("a grade is posted by hand")),
    ("submissions_posted", ONE_BY_ONE),
    ("quiz_regrade_finished", Sent("all attempts at a quiz that were handed in are regraded")),
    ("grade_weight_changed", Absent("groups of assignments have no weights")),
    ("collaboration_invitation", Absent("there are no collaborations")),
    ("web_conference_invitation", Absent("there are no web conferences")),
    ("new_context_group_membership_invitation", Absent("nobody is invited to a group: users are put in, or ask")),
    ("rubric_assessment_submission_reminder", NO_PEER_REVIEWS),
    ("rubric_assessment_invitation", NO_PEER_REVIEWS),
    ("rubric_association_created", NO_PEER_REVIEWS),
    ("peer_review_invitation", NO_PEER_REVIEWS),
    ("assignment_submitted_late", Sent("work is handed in after the due date")),
    ("group_assignment_submitted_late", Absent("there are no assignments for groups")),
    ("new_context_group_membership", Sent("a user is put into a group")),
    ("group_membership_accepted", Sent("a user who asked is let into a group")),
    ("group_membership_rejected", Sent("a user who asked is not let into a group")),
    ("migration_export_ready", Absent("exports are told of as content exports")),
    ("migration_import_finished", Sent("a package has been imported into a course")),
    ("migration_import_failed", Sent("a package could not be imported into a course")),
    ("content_export_finished", Sent("an export of a course can be downloaded")),
    ("content_export_failed", Sent("an export of a course could not be made")),
    ("new_account_user", Sent("a user becomes an administrator of an account; its other administrators are told")),
    ("new_course", Sent("a course is made; the administrators of its account are told")),
    ("report_generated", NO_REPORTS),
    ("report_generation_failed", NO_REPORTS),
    ("new_user", Sent("a user is made; the administrators of the root account are told")),
    ("new_student_organized_group", Absent("students make no groups")),
    ("enrollment_accepted", Sent("an invitation to a course is accepted; its teachers are told")),
    ("confirm_email_communication_channel", Sent("an e-mail address is to be confirmed")),
    ("merge_email_communication_channel", Absent("users are not merged")),
    ("confirm_sms_communication_channel", Sent("a telephone is to be confirmed")),
    ("pseudonym_registration", Sent("a user gets one more login")),
    ("pseudonym_registration_done", NO_SELF_REGISTRATION),
    ("confirm_registration", NO_SELF_REGISTRATION),
    ("forgot_password", Absent("administrators set passwords anew")),
    ("account_user_registration", NO_SELF_REGISTRATION),
    ("account_user_notification", Sent("a user becomes an administrator of an account; the user is told")),
    ("enrollment_invitation", Sent("a user is invited to a course, or the course of an invitation is published")),
    ("enrollment_registration", NO_SELF_REGISTRATION),
    ("enrollment_notification", Sent("a user is enrolled in a course, or the course of an enrollment is published")),
    ("appointment_canceled_by_user", NO_APPOINTMENTS),
    ("appointment_reserved_by_user", NO_APPOINTMENTS),
    (
        "submission_comment",
        Sent("a comment is made on a submission, or on an answer to a new quiz; the student is told"),
    ),
    ("submission_comment_for_teacher", Sent("a student comments on the own submission; the teachers are told")),
    ("summaries", Sent("a digest is due")),
    ("web_conference_recording_ready", Absent("there are no web conferences")),
    ("blueprint_content_added", NO_BLUEPRINTS),
    ("blueprint_sync_complete", NO_BLUEPRINTS),
    ("content_link_error", Absent("links in contents are not followed")),
    ("account_notification", Sent("a badge is awarded, and its issuer wants that told; a badge is revoked")),
    ("discussion_mention", NO_DISCUSSIONS),
    ("reported_reply", NO_DISCUSSIONS),
    ("annotation_notification", NO_ANNOTATIONS),
    ("annotation_teacher_notification", NO_ANNOTATIONS),
    ("upcoming_assignment_alert", Sent("work is due within a day, and the student has not handed it in")),
    ("manually_created_access_token_created", Sent("a personal token is made for a user, by the user too")),
    ("new_email_address_added", Sent("an e-mail address is added; the first one is told")),
    ("email_address_removed", Sent("an e-mail address is removed; the first one is told")),
    ("default_email_address_changed", Sent("an administrator sets another first address; the one before is told")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notify::catalogue::CATALOGUE;

    #[test]
    fn every_kind_has_its_cause() {
        let catalogue: Vec<_> = CATALOGUE.iter().map(|kind| kind.name).collect();
        let causes: Vec<_> = CAUSES.iter().map(|(name, _)| *name).collect();
        assert_eq!(causes, catalogue);
    }

    #[test]
    fn the_contract_has_the_same_causes() {
        let page = include_str!("../../../../docs/contract/notification-preferences.md");
        let (_, section) = page.split_once("## What is sent when\n").expect("the section");
        let rows: Vec<_> = section.lines().filter(|line| line.starts_with("| `")).collect();
        let expected = CAUSES.iter().map(|(name, cause)| match cause {
            Sent(cause) => format!("| `{name}` | {cause} | |"),
            Absent(reason) => format!("| `{name}` | | {reason} |"),
        });
        assert_eq!(rows, expected.collect::<Vec<_>>());
    }
}
