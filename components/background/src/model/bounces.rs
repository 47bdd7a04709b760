//! Messages that came back, and notices of providers about them.

use serde::{Deserialize, Serialize};
use shared::clock::DAY;
use shared::{JsonSchema, Timestamp};

/// Notices of what happened longer ago are passed over: an old one that is sent again changes nothing.
const MAX_AGE_SECONDS: i64 = DAY;
/// The most characters of a summary.
pub(crate) const MAX_SUMMARY_CHARS: usize = 1000;

/// The fate of a message after it was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// The address does not exist.
    Permanent,
    /// It could not be delivered this time.
    Transient,
    /// The transport sends nothing there any more, or the recipient has complained.
    Suppression,
}

impl Severity {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Permanent => "permanent",
            Self::Transient => "transient",
            Self::Suppression => "suppression",
        }
    }
}

/// A bounce as it is noted on a channel.
#[derive(Debug, PartialEq)]
pub(crate) struct Bounce {
    pub(crate) severity: Severity,
    pub(crate) at: Timestamp,
    pub(crate) summary: Option<String>,
}

impl Bounce {
    /// The transport refused the address for good.
    pub(crate) fn permanent(at: Timestamp, summary: String) -> Self {
        Self { severity: Severity::Permanent, at, summary: Some(summary) }
    }
}

/// A bounce of an e-mail address that a provider tells of.
#[derive(Debug, PartialEq)]
pub(crate) struct BounceNotice {
    pub(crate) address: String,
    pub(crate) bounce: Bounce,
}

impl BounceNotice {
    pub(crate) fn new(address: &str, severity: Severity, at: Timestamp, summary: &str) -> Self {
        let summary: String = summary.chars().take(MAX_SUMMARY_CHARS).collect();
        let summary = Some(summary).filter(|summary| !summary.is_empty());
        Self { address: address.trim().to_owned(), bounce: Bounce { severity, at, summary } }
    }

    /// The notice as it counts now; `None` where it is too old. From a clock that is ahead, a channel would rest for longer
    /// than it ought to.
    pub(crate) fn counted(mut self, now: Timestamp) -> Option<Self> {
        self.bounce.at = self.bounce.at.min(now);
        (is_fresh(self.bounce.at, now) && !self.address.is_empty()).then_some(self)
    }
}

/// Whether what happened then still counts.
pub(crate) fn is_fresh(at: Timestamp, now: Timestamp) -> bool {
    at >= now.plus_seconds(-MAX_AGE_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_does_not_count_and_nothing_is_of_tomorrow() {
        let now = Timestamp::parse("2026-03-04T05:06:07Z").unwrap();
        let told = |seconds: i64| BounceNotice::new(" a@b.test", Severity::Permanent, now.plus_seconds(seconds), "550");
        assert!(told(-MAX_AGE_SECONDS - 1).counted(now).is_none());
        assert_eq!(told(-10).counted(now), Some(BounceNotice { address: "a@b.test".to_owned(), ..told(-10) }));
        assert_eq!(told(100).counted(now).unwrap().bounce.at, now);
        assert!(BounceNotice::new(" ", Severity::Permanent, now, "").counted(now).is_none());
    }
}
