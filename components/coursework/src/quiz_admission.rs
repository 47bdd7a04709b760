//! Admission to a classic quiz: from where it is taken, and with which code.

use shared::{Context, Result};

use crate::model::quizzes::Quiz;
use ::submissions::access_codes::{CodeOf, require_code};
use ::submissions::address_filter;
use ::submissions::rules::denied;

/// 403 from an address that the quiz does not let in, and without the access code of a quiz that has one.
pub(crate) async fn require_admission(cx: &Context, quiz: &Quiz, code: Option<&str>) -> Result<()> {
    require_address(cx, quiz)?;
    require_code(cx, CodeOf::Quiz(quiz.id), quiz.settings.0.access_code.as_deref(), code).await
}

/// 403 from an address that the quiz does not let in.
pub(crate) fn require_address(cx: &Context, quiz: &Quiz) -> Result<()> {
    match quiz.settings.0.ip_filter.as_deref() {
        Some(filter) if !address_filter::admits(filter, cx.client_address()) => Err(denied("IP address denied")),
        _ => Ok(()),
    }
}
