//! The catalogue of what users can be told of: every notification, its category, and how often a channel is told of it
//! unless its user says otherwise.

use std::fmt;

use database::{Bind, Value};
use serde::{Deserialize, Serialize};
use types::JsonSchema;

/// The frequency at which a channel is told of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Frequency {
    /// As soon as it happens.
    Immediately,
    /// Once a day, together with all else.
    Daily,
    /// Once a week, together with all else.
    Weekly,
    /// Not at all.
    Never,
}

impl Frequency {
    /// The frequency of that name.
    pub fn named(text: &str) -> Option<Self> {
        [Self::Immediately, Self::Daily, Self::Weekly, Self::Never].into_iter().find(|known| known.as_str() == text)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Immediately => "immediately",
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Never => "never",
        }
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Bind for Frequency {
    fn value(self) -> Value {
        Value::Text(self.as_str().to_owned())
    }
}

/// A kind of event that users can be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Its name in the API: `new_announcement`.
    pub name: &'static str,
    /// Its category.
    pub category: &'static Category,
    /// The seconds for which the first message waits, so that changes in quick succession become one.
    pub delay: i64,
}

/// Notifications that a user decides on together.
#[derive(Debug, PartialEq, Eq)]
pub struct Category {
    /// Its name: `Course Content`.
    pub title: &'static str,
    /// Its name in notifications.
    pub name: &'static str,
    /// Its name in the list of categories.
    pub listed: &'static str,
    /// The frequency for the channel that is told by default, unless the user says otherwise; others are not told.
    pub default: Frequency,
}

/// The spellings of a category differ only where its name is not made of plain words.
const fn category(title: &'static str, name: &'static str, default: Frequency) -> Category {
    Category { title, name, listed: name, default }
}

impl Category {
    const fn kind(&'static self, name: &'static str, delay: i64) -> Kind {
        Kind { name, category: self, delay }
    }
}

macro_rules! catalogue {
    ($($category:ident = $made:expr => [$($name:literal $(($delay:literal))?),* $(,)?];)*) => {
        $(static $category: Category = $made;)*

        /// Every kind, in the order in which lists have them.
        pub static CATALOGUE: &[Kind] = &[
            $($($category.kind($name, 0 $(+ $delay)?),)*)*
            // Those that came later stand at the end, as they do for channels that existed before them.
            SUBMISSION_COMMENT.kind("annotation_notification", 0),
            SUBMISSION_COMMENT.kind("annotation_teacher_notification", 0),
            DUE_DATE.kind("upcoming_assignment_alert", 0),
            REGISTRATION.kind("manually_created_access_token_created", 0),
            REGISTRATION.kind("new_email_address_added", 0),
            REGISTRATION.kind("email_address_removed", 0),
            REGISTRATION.kind("default_email_address_changed", 0),
        ];
    };
}

use Frequency::{Daily, Immediately, Never, Weekly};

catalogue! {
    ADDED_TO_CONVERSATION = category("Added To Conversation", "added_to_conversation", Immediately) => [
        "added_to_conversation",
    ];
    CONVERSATION_CREATED = category("Conversation Created", "conversation_created", Never) => ["conversation_created"];
    ALERT = category("Alert", "alert", Daily) => ["alert"];
    ALL_SUBMISSIONS = category("All Submissions", "all_submissions", Never) => [
        "assignment_submitted", "assignment_resubmitted", "submission_needs_grading",
    ];
    ANNOUNCEMENT = category("Announcement", "announcement", Immediately) => ["new_announcement"];
    ANNOUNCEMENT_CREATED_BY_YOU = category("Announcement Created By You", "announcement_created_by_you", Never) => [
        "announcement_created_by_you", "announcement_reply",
    ];
    APPOINTMENT_AVAILABILITY = category("Appointment Availability", "appointment_availability", Immediately) => [
        "appointment_group_published", "appointment_group_updated",
    ];
    APPOINTMENT_CANCELATIONS = category("Appointment Cancelations", "appointment_cancelations", Immediately) => [
        "appointment_deleted_for_user", "appointment_group_deleted",
    ];
    APPOINTMENT_SIGNUPS = category("Appointment Signups", "appointment_signups", Immediately) => [
        "appointment_reserved_for_user",
    ];
    CALENDAR = category("Calendar", "calendar", Never) => ["new_event_created", "event_date_changed" (900)];
    CONVERSATION_MESSAGE = category("Conversation Message", "conversation_message", Immediately) => [
        "conversation_message",
    ];
    COURSE_CONTENT = category("Course Content", "course_content", Never) => [
        "assignment_changed" (1800), "updated_wiki_page" (900),
    ];
    REMINDER = Category {
        title: "DEPRECATED - Reminder",
        name: "deprecated___reminder",
        listed: "deprecated__reminder",
        default: Daily,
    } => ["assignment_publishing_reminder", "assignment_grading_reminder", "assignment_due_date_reminder"];
    DISCUSSION = category("Discussion", "discussion", Never) => ["new_discussion_topic"];
    DISCUSSION_ENTRY = Category {
        title: "DiscussionEntry",
        name: "discussion_entry",
        listed: "discussionentry",
        default: Daily,
    } => ["new_discussion_entry"];
    DUE_DATE = category("Due Date", "due_date", Weekly) => [
        "assignment_due_date_changed" (300), "assignment_created", "assignment_due_date_override_changed" (120),
    ];
    FILES = category("Files", "files", Never) => ["new_file_added" (120), "new_files_added" (120)];
    GRADING = category("Grading", "grading", Immediately) => [
        "assignment_graded" (900), "assignment_unmuted", "submission_graded" (3600), "submission_grade_changed" (300),
        "submission_posted", "submissions_posted", "quiz_regrade_finished",
    ];
    GRADING_POLICIES = category("Grading Policies", "grading_policies", Weekly) => ["grade_weight_changed" (300)];
    INVITATION = category("Invitation", "invitation", Immediately) => [
        "collaboration_invitation", "web_conference_invitation", "new_context_group_membership_invitation",
        "rubric_assessment_submission_reminder", "rubric_assessment_invitation", "rubric_association_created",
        "peer_review_invitation",
    ];
    LATE_GRADING = category("Late Grading", "late_grading", Daily) => [
        "assignment_submitted_late", "group_assignment_submitted_late",
    ];
    MEMBERSHIP_UPDATE = category("Membership Update", "membership_update", Daily) => [
        "new_context_group_membership", "group_membership_accepted", "group_membership_rejected",
    ];
    MIGRATION = category("Migration", "migration", Immediately) => [
        "migration_export_ready", "migration_import_finished", "migration_import_failed", "content_export_finished",
        "content_export_failed",
    ];
    OTHER = category("Other", "other", Daily) => [
        "new_account_user", "new_course", "report_generated", "report_generation_failed", "new_user",
        "new_student_organized_group", "enrollment_accepted",
    ];
    REGISTRATION = category("Registration", "registration", Immediately) => [
        "confirm_email_communication_channel", "merge_email_communication_channel",
        "confirm_sms_communication_channel", "pseudonym_registration", "pseudonym_registration_done",
        "confirm_registration", "forgot_password", "account_user_registration", "account_user_notification",
        "enrollment_invitation", "enrollment_registration", "enrollment_notification",
    ];
    STUDENT_APPOINTMENT_SIGNUPS = category("Student Appointment Signups", "student_appointment_signups", Never) => [
        "appointment_canceled_by_user", "appointment_reserved_by_user",
    ];
    SUBMISSION_COMMENT = category("Submission Comment", "submission_comment", Daily) => [
        "submission_comment", "submission_comment_for_teacher",
    ];
    SUMMARIES = category("Summaries", "summaries", Daily) => ["summaries"];
    RECORDING_READY = category("Recording Ready", "recording_ready", Immediately) => ["web_conference_recording_ready"];
    BLUEPRINT = category("Blueprint", "blueprint", Daily) => ["blueprint_content_added", "blueprint_sync_complete"];
    CONTENT_LINK_ERROR = category("Content Link Error", "content_link_error", Daily) => ["content_link_error"];
    ACCOUNT_NOTIFICATION = category("Account Notification", "account_notification", Immediately) => [
        "account_notification",
    ];
    DISCUSSION_MENTION = Category {
        title: "DiscussionMention",
        name: "discussion_mention",
        listed: "discussionmention",
        default: Immediately,
    } => ["discussion_mention"];
    REPORTED_REPLY = Category {
        title: "ReportedReply",
        name: "reported_reply",
        listed: "reportedreply",
        default: Immediately,
    } => ["reported_reply"];
}

impl Kind {
    /// The kind of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        CATALOGUE.iter().find(|known| known.name == name)
    }

    /// The kind that a path names: in words or with underscores, in whatever case.
    pub fn of_path(text: &str) -> Option<&'static Self> {
        Self::named(&underscored(text))
    }
}

impl Category {
    /// The category that a path names, as lists or records spell it, or in words.
    pub fn of_path(text: &str) -> Option<&'static Self> {
        let name = underscored(text);
        let is_named = |known: &&'static Self| [known.name, known.listed].contains(&name.as_str());
        CATALOGUE.iter().map(|kind| kind.category).find(is_named)
    }

    /// The kinds that it holds.
    pub fn kinds(&'static self) -> impl Iterator<Item = &'static Kind> {
        CATALOGUE.iter().filter(move |kind| kind.category == self)
    }
}

/// `new_announcement` for `New Announcement`, `NewAnnouncement` and `new-announcement`.
fn underscored(text: &str) -> String {
    let mut underscored = String::with_capacity(text.len());
    let mut follows_small = false;
    for character in text.chars() {
        if follows_small && character.is_uppercase() {
            underscored.push('_');
        }
        follows_small = character.is_lowercase() || character.is_ascii_digit();
        underscored.push(match character {
            ' ' | '-' => '_',
            other => other.to_ascii_lowercase(),
        });
    }
    underscored
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_notification_has_a_name_of_its_own() {
        let names: BTreeSet<_> = CATALOGUE.iter().map(|known| known.name).collect();
        assert_eq!(names.len(), CATALOGUE.len());
        assert_eq!(CATALOGUE.len(), 92);
        let categories: BTreeSet<_> = CATALOGUE.iter().map(|known| known.category.title).collect();
        assert_eq!(categories.len(), 34);
    }

    #[test]
    fn a_notification_is_named_in_words_or_with_underscores() {
        for text in ["new_announcement", "New Announcement", "NEW_ANNOUNCEMENT", "NewAnnouncement", "new-announcement"]
        {
            assert_eq!(Kind::of_path(text).map(|found| found.name), Some("new_announcement"), "{text}");
        }
        for text in ["", "new announcement ", "newannouncement"] {
            assert_eq!(Kind::of_path(text), None, "{text}");
        }
        for text in ["confirm_sms_communication_channel", "Confirm SMS Communication Channel"] {
            let found = Kind::of_path(text).map(|found| found.name);
            assert_eq!(found, Some("confirm_sms_communication_channel"));
        }
        for kind in CATALOGUE {
            assert_eq!(Kind::of_path(kind.name), Some(kind));
        }
    }

    #[test]
    fn a_category_is_found_by_every_spelling_that_lists_and_records_have() {
        for category in CATALOGUE.iter().map(|kind| kind.category) {
            for text in [category.title, category.name, category.listed] {
                assert_eq!(Category::of_path(text), Some(category), "{text}");
            }
        }
        assert_eq!(Category::of_path("courseContent").map(|found| found.title), Some("Course Content"));
        for text in ["", "coursecontent", "nothing", "reminder"] {
            assert_eq!(Category::of_path(text), None, "{text}");
        }
    }
}
