//! Limits that were hit: how often something was refused because it was done too often, counted for who runs the
//! installation.
//!
//! An instance adds up what it refuses, and hands the sums out to be written once a second at most. So whoever hits a limit
//! again and again neither waits for it nor keeps others waiting. What was not written yet goes with a later request of the
//! instance; an instance that ends takes its last second with it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The time between two writes of an instance.
const PAUSE: Duration = Duration::from_secs(1);

/// How often each limit was hit.
pub type Hits = BTreeMap<LimitKind, i64>;

/// Declares the limits with the names by which they are counted.
macro_rules! limits {
    ($($(#[doc = $meaning:literal])+ $limit:ident = $name:literal,)+) => {
        /// A limit of how often something may be done.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum LimitKind { $($(#[doc = $meaning])+ $limit,)+ }

        impl LimitKind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$limit,)+];

            /// The name by which it is counted.
            pub fn name(self) -> &'static str {
                match self { $(Self::$limit => $name,)+ }
            }
        }
    };
}

limits! {
    /// Wrong access codes of a quiz.
    AccessCodes = "access_codes",
    /// Conversations that one user starts in a day.
    AiConversations = "ai_conversations",
    /// Evaluations that one user asks for in a day.
    AiEvaluations = "ai_evaluations",
    /// Messages of one user in a day.
    AiMessages = "ai_messages",
    /// The month's tokens of an institution.
    AiTokens = "ai_tokens",
    /// Wrong claim codes of badges.
    BadgeClaims = "badge_claims",
    /// Images that one user uploads.
    BadgeImages = "badge_images",
    /// Badges of others that one user imports.
    BadgeImports = "badge_imports",
    /// New signing keys of one account.
    BadgeKeys = "badge_keys",
    /// Notices about awards.
    BadgeNotices = "badge_notices",
    /// Verifications of one imported badge.
    BadgeVerifications = "badge_verifications",
    /// New channels of one user.
    Channels = "channels",
    /// Wrong secrets of a client of the token endpoint.
    ClientSecrets = "client_secrets",
    /// Notices about comments of one user.
    Comments = "comments",
    /// Confirmation codes for one channel.
    ConfirmationCodes = "confirmation_codes",
    /// Exports of one user.
    ContentExports = "content_exports",
    /// Packages that one user announces, and courses that one user copies or resets.
    ContentImports = "content_imports",
    /// Error reports from one network, of one user, and in all.
    ErrorReports = "error_reports",
    /// Wrong passwords, and more passwords at once than are checked.
    LogIns = "log_ins",
    /// Requests with the tokens of one district.
    MasteryRequests = "mastery_requests",
    /// Tokens for one client of a district.
    MasteryTokens = "mastery_tokens",
    /// New tokens of one user: personal ones, and those that renew a badge token.
    PersonalTokens = "personal_tokens",
    /// Wrong codes of polls.
    PollCodes = "poll_codes",
    /// Reads of a tool's keys.
    ToolKeys = "tool_keys",
    /// Files that one user announces, and folders that one owner gets.
    Uploads = "uploads",
    /// Deliveries that one tool has sent again.
    WebhookReplays = "webhook_replays",
    /// Tests of the webhook subscriptions of one tool.
    WebhookTests = "webhook_tests",
}

thread_local! {
    static UNWRITTEN: RefCell<Hits> = const { RefCell::new(BTreeMap::new()) };
    static WRITTEN_AT: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Counts a refusal, which is written when the response is on its way. The service itself counts each error that tells its
/// limit; this is for answers that are no errors, such as a page that is shown again.
pub fn note(limit: LimitKind) {
    put_back([(limit, 1)]);
}

/// Adds hits that could not be written to those that are to be written.
pub fn put_back(hits: impl IntoIterator<Item = (LimitKind, i64)>) {
    UNWRITTEN.with_borrow_mut(|unwritten| {
        for (limit, number) in hits {
            let sum = unwritten.entry(limit).or_default();
            *sum = sum.saturating_add(number);
        }
    });
}

/// What is to be written at that moment; nothing where there is nothing, or where the instance has just written.
pub fn take_due(now: Instant) -> Option<Hits> {
    let is_early = WRITTEN_AT.get().is_some_and(|written| now.saturating_duration_since(written) < PAUSE);
    if is_early || UNWRITTEN.with_borrow(BTreeMap::is_empty) {
        return None;
    }
    WRITTEN_AT.set(Some(now));
    Some(UNWRITTEN.take())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_limit_has_a_name_of_its_own() {
        let names: BTreeSet<_> = LimitKind::ALL.iter().map(|limit| limit.name()).collect();
        assert_eq!(names.len(), LimitKind::ALL.len());
        let is_plain = |name: &&str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(names.iter().all(is_plain), "{names:?}");
    }

    #[test]
    fn an_instance_adds_up_and_writes_once_a_second() {
        let now = Instant::now();
        assert_eq!(take_due(now), None);
        note(LimitKind::LogIns);
        assert_eq!(take_due(now), Some(BTreeMap::from([(LimitKind::LogIns, 1)])));
        note(LimitKind::LogIns);
        note(LimitKind::Uploads);
        note(LimitKind::LogIns);
        assert_eq!(take_due(now + PAUSE / 2), None);
        let both = BTreeMap::from([(LimitKind::LogIns, 2), (LimitKind::Uploads, 1)]);
        assert_eq!(take_due(now + PAUSE), Some(both.clone()));
        assert_eq!(take_due(now + PAUSE * 3), None, "nothing is written twice");
        // What could not be written is written with the next.
        put_back(both);
        note(LimitKind::Uploads);
        assert_eq!(take_due(now + PAUSE * 3).unwrap()[&LimitKind::Uploads], 2);
    }
}
