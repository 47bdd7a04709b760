//! Which capability allows a tool to subscribe to which type of event. See
//! `docs/contract/webhook-subscriptions.md`.

use std::fmt;

/// A type of event, as subscriptions name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventType {
    QuizSubmitted,
    GradeChange,
    AttachmentCreated,
    SubmissionCreated,
    SubmissionUpdated,
    PlagiarismResubmit,
}

impl EventType {
    pub(crate) const ALL: [Self; 6] = [
        Self::QuizSubmitted,
        Self::GradeChange,
        Self::AttachmentCreated,
        Self::SubmissionCreated,
        Self::SubmissionUpdated,
        Self::PlagiarismResubmit,
    ];

    /// The type of that name, in capitals or in small letters.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::QuizSubmitted => "QUIZ_SUBMITTED",
            Self::GradeChange => "GRADE_CHANGE",
            Self::AttachmentCreated => "ATTACHMENT_CREATED",
            Self::SubmissionCreated => "SUBMISSION_CREATED",
            Self::SubmissionUpdated => "SUBMISSION_UPDATED",
            Self::PlagiarismResubmit => "PLAGIARISM_RESUBMIT",
        }
    }

    /// Grades of a whole account only: there is no capability for those of one assignment.
    fn is_allowed_by(self, scope: &str, event: &str) -> bool {
        let scoped = scope == "root_account" || (scope == "assignment" && self != Self::GradeChange);
        scoped && event == self.name().to_ascii_lowercase()
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The most capabilities that a tool may have, and ask for.
pub(crate) const MAX_CAPABILITIES: usize = 100;

/// All capabilities that allow something, as they are offered to tools.
pub(crate) fn offered() -> Vec<String> {
    let events = EventType::ALL.map(|kind| kind.name().to_ascii_lowercase());
    let each = |scope: &'static str| {
        let of_scope = move |event: &String| capability(scope, event);
        events.iter().map(of_scope).filter(|capability| allows_something(capability)).collect::<Vec<_>>()
    };
    [vec![capability("root_account", "all")], each("root_account"), each("assignment")].concat()
}

fn capability(scope: &str, event: &str) -> String {
    format!("vnd.vendor.webhooks.{scope}.{event}")
}

/// True if a tool that has this capability may subscribe to anything by it.
pub(crate) fn allows_something(capability: &str) -> bool {
    !Capabilities(&[capability.to_owned()]).allowed().is_empty()
}

/// A sentence about each that allows nothing: it was mistyped, or is one of another system.
pub(crate) fn warnings(capabilities: &[String]) -> Vec<String> {
    let useless = capabilities.iter().filter(|capability| !allows_something(capability));
    let example = capability("root_account", "submission_created");
    useless.map(|capability| format!("{capability} allows nothing: a capability is one like {example}")).collect()
}

/// The capabilities among these words, each once and in their order; the rest a tool may ask for, and does not get.
pub(crate) fn asked_for<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut asked = Vec::new();
    for word in words {
        if asked.len() < MAX_CAPABILITIES && allows_something(word) && !asked.iter().any(|known| known == word) {
            asked.push(word.to_owned());
        }
    }
    asked
}

/// The capabilities that a tool was given.
pub(crate) struct Capabilities<'a>(pub(crate) &'a [String]);

impl Capabilities<'_> {
    /// True if every event may be subscribed to.
    pub(crate) fn allow_all(&self) -> bool {
        self.webhooks().any(|capability| capability == ("root_account", "all"))
    }

    /// True if events of that type may be subscribed to. One capability is enough, be it for an account or an assignment.
    pub(crate) fn allow(&self, kind: EventType) -> bool {
        self.allow_all() || self.webhooks().any(|(scope, event)| kind.is_allowed_by(scope, event))
    }

    /// The names of all types of events that may be subscribed to.
    pub(crate) fn allowed(&self) -> Vec<&'static str> {
        EventType::ALL.into_iter().filter(|kind| self.allow(*kind)).map(EventType::name).collect()
    }

    /// Scope and event of `vnd.<vendor>.webhooks.<scope>.<event>`, whoever the vendor is.
    fn webhooks(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|capability| {
            let (vendor, rest) = capability.strip_prefix("vnd.")?.split_once(".webhooks.")?;
            let is_one_word = !vendor.is_empty() && !vendor.contains('.');
            rest.split_once('.').filter(|_| is_one_word)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(capability: &str) -> Vec<&'static str> {
        let held = [capability.to_owned()];
        Capabilities(&held).allowed()
    }

    #[test]
    fn each_capability_allows_its_own_events() {
        for kind in EventType::ALL {
            let event = kind.name().to_ascii_lowercase();
            assert_eq!(allowed(&format!("vnd.vendor.webhooks.root_account.{event}")), [kind.name()]);
            assert_eq!(allowed(&format!("vnd.instructure.webhooks.root_account.{event}")), [kind.name()]);
            let of_assignment = allowed(&format!("vnd.vendor.webhooks.assignment.{event}"));
            assert_eq!(of_assignment.is_empty(), kind == EventType::GradeChange, "{event}: {of_assignment:?}");
        }
    }

    #[test]
    fn one_capability_allows_all() {
        assert_eq!(allowed("vnd.vendor.webhooks.root_account.all").len(), 6);
        for capability in [
            "vnd.vendor.webhooks.assignment.all",
            "vnd.vendor.webhooks.course.submission_created",
            "vnd.vendor.webhooks.root_account.*",
            "vnd.vendor.webhooks.root_account",
            "vnd..webhooks.root_account.all",
            "vnd.a.b.webhooks.root_account.all",
            "vendor.webhooks.root_account.all",
            "vnd.vendor.webhooks.root_account.SUBMISSION_CREATED",
            "",
        ] {
            assert_eq!(allowed(capability), Vec::<&str>::new(), "{capability}");
        }
    }

    #[test]
    fn whatever_is_offered_allows_something() {
        let offered = offered();
        assert_eq!(offered.len(), 12);
        assert!(offered.iter().all(|capability| allows_something(capability)));
        let words = ["openid", "vnd.a.webhooks.root_account.all", "vnd.a.webhooks.root_account.all"];
        assert_eq!(asked_for(words.into_iter()), ["vnd.a.webhooks.root_account.all"]);
    }

    #[test]
    fn events_are_named_in_either_case() {
        assert_eq!(EventType::named("submission_created"), Some(EventType::SubmissionCreated));
        assert_eq!(EventType::named("SUBMISSION_CREATED"), Some(EventType::SubmissionCreated));
        assert_eq!(EventType::named("assignment_created"), None);
    }
}
