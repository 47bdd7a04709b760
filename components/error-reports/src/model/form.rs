//! The fields of a report: those that are kept, and the limits of each.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};
use shared::db::Json;
use shared::params::not_too_long;
use shared::{Context, Error, JsonSchema, Result};

use crate::model::environment;
use crate::model::environment::cut;
use crate::scrub;

const MAX_MESSAGE_CHARS: usize = 1024;
const MAX_TEXT_CHARS: usize = 65_535;
const MAX_ADDRESS_CHARS: usize = 2048;
const MAX_WORD_CHARS: usize = 255;
const MAX_ENVIRONMENT_BYTES: usize = 65_535;
/// The multiple of the text that is kept which is scrubbed: what is taken out may be long.
const SCRUBBED_TIMES: usize = 4;

pub(crate) const SEVERITIES: [&str; 5] =
    ["just_a_comment", "not_urgent", "workaround_possible", "blocks_what_i_need_to_do", "extreme_critical_emergency"];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct ReportForm {
    error: Option<Fields>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Fields {
    /// The problem in one line. Required.
    subject: Option<String>,
    /// The problem in the words of the program that met it; cut after 1024 characters.
    message: Option<String>,
    /// The problem in the reporter's words.
    comments: Option<String>,
    backtrace: Option<String>,
    category: Option<String>,
    /// The page on which it was met.
    url: Option<String>,
    /// The address of the reporter; the user's own address unless given.
    email: Option<String>,
    /// `just_a_comment`, `not_urgent`, `workaround_possible`, `blocks_what_i_need_to_do` or `extreme_critical_emergency`
    user_perceived_severity: Option<String>,
    /// Its subject, as `course_12`.
    context_asset_string: Option<String>,
    /// Text with commas, a list, or a hash, of at most 255 characters; what the user is here unless given.
    user_roles: Option<Value>,
    /// A hash of at most 65,535 bytes of JSON; what the request tells unless given.
    http_env: Option<Value>,
}

/// A report as it is stored.
pub(crate) struct NewReport {
    pub(crate) subject: String,
    pub(crate) message: Option<String>,
    pub(crate) comments: Option<String>,
    pub(crate) backtrace: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) user_perceived_severity: Option<String>,
    pub(crate) context_asset_string: Option<String>,
    pub(crate) user_roles: Option<String>,
    pub(crate) http_env: Json<Map<String, Value>>,
}

/// A report within its limits, whose secrets are still in it.
pub(crate) struct UnscrubbedReport(NewReport);

impl ReportForm {
    /// The report within its limits. A text that is long because a program wrote it is cut; one that should be short is
    /// refused.
    pub(crate) fn read(self, cx: &Context) -> Result<UnscrubbedReport> {
        let form = self.error.unwrap_or_default();
        let subject = form.subject.ok_or_else(|| Error::missing("error[subject]"))?;
        if subject.trim().is_empty() {
            return Err(Error::invalid("subject", "blank", "can't be blank"));
        }
        let within = |text, kept| non_empty(text).map(|text| beginning(text, kept));
        Ok(UnscrubbedReport(NewReport {
            subject: beginning(subject, MAX_TEXT_CHARS),
            message: within(form.message, MAX_MESSAGE_CHARS),
            comments: within(form.comments, MAX_TEXT_CHARS),
            backtrace: within(form.backtrace, MAX_TEXT_CHARS),
            category: word("category", form.category)?,
            url: within(form.url, MAX_ADDRESS_CHARS),
            email: word("email", form.email)?,
            user_perceived_severity: severity(form.user_perceived_severity)?,
            context_asset_string: asset(form.context_asset_string)?,
            user_roles: roles(form.user_roles)?,
            http_env: Json(http_env(cx, form.http_env)?),
        }))
    }
}

impl UnscrubbedReport {
    /// The report without its secrets, as it is stored. This is the work that a report costs.
    pub(crate) fn scrub(self) -> NewReport {
        let report = self.0;
        let text = |text: String| scrub::text(&text);
        NewReport {
            subject: cut(&scrub::text(&report.subject), MAX_TEXT_CHARS),
            message: report.message.map(|message| cut(&scrub::log(&message), MAX_MESSAGE_CHARS)),
            comments: report.comments.map(|comments| cut(&scrub::text(&comments), MAX_TEXT_CHARS)),
            backtrace: report.backtrace.map(|backtrace| cut(&scrub::log(&backtrace), MAX_TEXT_CHARS)),
            category: report.category.map(text),
            url: report.url.map(|url| cut(&scrub::text(&url), MAX_ADDRESS_CHARS)),
            email: report.email.map(text),
            user_perceived_severity: report.user_perceived_severity,
            context_asset_string: report.context_asset_string,
            user_roles: report.user_roles.map(text),
            http_env: Json(scrub::environment(report.http_env.0)),
        }
    }
}

impl NewReport {
    /// About how many bytes it takes where it is stored.
    pub(crate) fn bytes(&self) -> usize {
        let texts = [
            &self.message,
            &self.comments,
            &self.backtrace,
            &self.category,
            &self.url,
            &self.email,
            &self.user_perceived_severity,
            &self.context_asset_string,
            &self.user_roles,
        ];
        let texts = texts.into_iter().flatten().map(String::len);
        let environment = serde_json::to_string(&self.http_env.0).map_or(MAX_ENVIRONMENT_BYTES, |json| json.len());
        texts.fold(self.subject.len().saturating_add(environment), usize::saturating_add)
    }
}

/// As much of a text as is scrubbed before it is cut to what is kept. A word that would be cut in two is left out: half a
/// secret is not known for one.
fn beginning(mut text: String, kept: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(kept.saturating_mul(SCRUBBED_TIMES)) else { return text };
    text.truncate(end);
    if let Some(end) = text.rfind(char::is_whitespace) {
        text.truncate(end);
    }
    text
}

fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn word(field: &str, text: Option<String>) -> Result<Option<String>> {
    let Some(text) = non_empty(text) else { return Ok(None) };
    not_too_long(field, &text, MAX_WORD_CHARS)?;
    Ok(Some(text.trim().to_owned()))
}

fn severity(text: Option<String>) -> Result<Option<String>> {
    match non_empty(text) {
        Some(text) if !SEVERITIES.contains(&text.as_str()) => {
            let message = format!("must be one of {}", SEVERITIES.join(", "));
            Err(Error::invalid("user_perceived_severity", "inclusion", message))
        }
        text => Ok(text),
    }
}

fn asset(text: Option<String>) -> Result<Option<String>> {
    let Some(text) = word("context_asset_string", text)? else { return Ok(None) };
    let is_asset = text.rsplit_once('_').is_some_and(|(kind, id)| {
        !kind.is_empty()
            && kind.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '/')
            && !id.is_empty()
            && id.chars().all(|c| c.is_ascii_digit())
    });
    match is_asset {
        true => Ok(Some(text)),
        false => Err(Error::invalid("context_asset_string", "invalid", "must be a type and an id, as course_12")),
    }
}

/// The roles, each once, with commas between them.
fn roles(value: Option<Value>) -> Result<Option<String>> {
    let values = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => vec![Value::String(text)],
        Some(Value::Array(list)) => list,
        Some(Value::Object(hash)) => hash.into_iter().map(|(_, role)| role).collect(),
        Some(_) => return Err(unfit_roles()),
    };
    let mut seen = BTreeSet::new();
    let mut roles = String::new();
    for value in &values {
        for role in value.as_str().ok_or_else(unfit_roles)?.split(',').map(str::trim) {
            if role.is_empty() || !seen.insert(role) {
                continue;
            }
            if !roles.is_empty() {
                roles.push(',');
            }
            roles.push_str(role);
            // At the first that is too much, so that the set stays small.
            not_too_long("user_roles", &roles, MAX_WORD_CHARS)?;
        }
    }
    Ok(non_empty(Some(roles)))
}

fn unfit_roles() -> Error {
    Error::invalid("user_roles", "invalid", "must be text, or a list or hash of texts")
}

fn http_env(cx: &Context, value: Option<Value>) -> Result<Map<String, Value>> {
    let environment = match value {
        None | Some(Value::Null) => environment::collect(cx),
        Some(Value::Object(environment)) => environment,
        Some(Value::String(text)) if text.trim().is_empty() => environment::collect(cx),
        Some(Value::String(text)) if text.len() > MAX_ENVIRONMENT_BYTES => return Err(too_long_environment()),
        // A hash that was written as JSON before it was put into a form.
        Some(Value::String(text)) => serde_json::from_str(&text).map_err(|_no_hash| unfit_environment())?,
        Some(_) => return Err(unfit_environment()),
    };
    let length = serde_json::to_string(&environment).map_err(Error::internal)?.len();
    if length > MAX_ENVIRONMENT_BYTES { Err(too_long_environment()) } else { Ok(environment) }
}

fn unfit_environment() -> Error {
    Error::invalid("http_env", "invalid", "must be a hash")
}

fn too_long_environment() -> Error {
    let message = format!("is too long (maximum is {MAX_ENVIRONMENT_BYTES} bytes of JSON)");
    Error::invalid("http_env", "too_long", message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_more_is_scrubbed_than_some_times_what_is_kept() {
        assert_eq!(beginning("ä".repeat(100), 25), "ä".repeat(100));
        assert_eq!(beginning("ä".repeat(101), 25), "ä".repeat(100));
        // Of the token only a part would be left, which nobody would know for one.
        let text = format!("{} ghp_16C7e42F292c6912E7710c838347Ae178B4a", "x".repeat(90));
        assert_eq!(beginning(text, 25), "x".repeat(90));
    }

    #[test]
    fn roles_are_each_there_once_and_not_too_many() {
        let of = |value| roles(Some(value)).unwrap();
        assert_eq!(of(json!("user, student,user")).as_deref(), Some("user,student"));
        assert_eq!(of(json!(["user", "", "student,user"])).as_deref(), Some("user,student"));
        assert_eq!(of(json!({ "0": "user", "1": "student" })).as_deref(), Some("user,student"));
        assert_eq!(of(json!(" , ")), None);
        // However often the same one comes, it counts once.
        assert_eq!(of(json!("user,".repeat(200_000))).as_deref(), Some("user"));
        let many: Vec<_> = (0..100_000).map(|number| format!("{number:06}")).collect();
        assert!(roles(Some(json!(many))).is_err());
        assert!(roles(Some(json!("x".repeat(256)))).is_err());
    }
}
