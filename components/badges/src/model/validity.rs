//! Whether a badge is good at a moment, and why.

use serde::Serialize;
use shared::Timestamp;

use crate::model::imports::ImportRow;
use crate::model::public::PublicAssertion;

/// The state of a badge, as pages say it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) enum Validity {
    /// An award of ours that is neither revoked nor over.
    Good,
    /// An award of another service, which was verified at that moment and is not over.
    Verified(Timestamp),
    /// It was taken back, for that reason; an empty one was not told.
    Revoked(String),
    /// It was good until that moment.
    Expired(Timestamp),
    /// It waits until its earner has confirmed that address.
    Unconfirmed(String),
}

impl Validity {
    /// The state of an award of ours.
    pub(crate) fn of_award(assertion: &PublicAssertion, now: Timestamp) -> Self {
        match (&assertion.revoked_at, assertion.expires) {
            (Some(_), _) => Self::Revoked(assertion.revocation_reason.clone().unwrap_or_default()),
            (None, Some(end)) if end <= now => Self::Expired(end),
            (None, _) => Self::Good,
        }
    }

    /// The state of an import.
    pub(crate) fn of_import(import: &ImportRow, now: Timestamp) -> Self {
        match import.moment("expires") {
            Some(end) if end <= now => Self::Expired(end),
            _ if import.pending => Self::Unconfirmed(import.recipient_identity.clone()),
            _ => Self::Verified(import.created_at.0),
        }
    }

    /// True if nothing speaks against the badge.
    pub(crate) fn is_good(&self) -> bool {
        matches!(self, Self::Good | Self::Verified(_))
    }
}
