//! Parameters of the reference system that this area refuses, and why.

use shared::params::Unsupported;

/// Of an AI experience that is made or changed.
pub(crate) const EXPERIENCE: &[Unsupported] = &[Unsupported::new(
    "it stands under ai_experience",
    &["title", "description", "facts", "learning_objective", "pedagogical_guidance", "workflow_state"],
)];

/// Of the list of AI experiences.
pub(crate) const EXPERIENCES: &[Unsupported] =
    &[Unsupported::new("the list has those of each state that the caller may see", &["workflow_state"])];
