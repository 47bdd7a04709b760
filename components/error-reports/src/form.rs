//! What a report may say: what is kept of it, and how much.

use serde::Deserialize;
use serde_json::{Map, Value};
use shared::db::Json;
use shared::params::not_too_long;
use shared::{Context, Error, Result};

use crate::{environment, scrub};

const LONGEST_MESSAGE: usize = 1024;
const LONGEST_TEXT: usize = 65_535;
const LONGEST_ADDRESS: usize = 2048;
const LONGEST_WORD: usize = 255;
/// In bytes of JSON.
const LARGEST_ENVIRONMENT: usize = 65_535;

pub(crate) const SEVERITIES: [&str; 5] =
    ["just_a_comment", "not_urgent", "workaround_possible", "blocks_what_i_need_to_do", "extreme_critical_emergency"];

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
#[serde(default)]
pub(crate) struct Form {
    error: Option<Fields>,
}

#[derive(Deserialize, Default)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
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
    /// Where the reporter can be reached; the user's own address unless given.
    email: Option<String>,
    /// `just_a_comment`, `not_urgent`, `workaround_possible`, `blocks_what_i_need_to_do` or `extreme_critical_emergency`
    user_perceived_severity: Option<String>,
    /// What it is about, as `course_12`.
    context_asset_string: Option<String>,
    /// Text with commas, a list, or a hash; what the user is here unless given.
    user_roles: Option<Value>,
    /// A hash; what the request tells unless given.
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

impl Form {
    /// The report, scrubbed and within its limits. What is long because a program wrote it is cut, what should be short is
    /// refused.
    pub(crate) fn report(self, cx: &Context) -> Result<NewReport> {
        let form = self.error.unwrap_or_default();
        let subject = form.subject.ok_or_else(|| Error::missing("error[subject]"))?;
        if subject.trim().is_empty() {
            return Err(Error::invalid("subject", "blank", "can't be blank"));
        }
        Ok(NewReport {
            subject: cut(&scrub::text(&subject), LONGEST_TEXT),
            message: given(form.message).map(|message| cut(&scrub::log(&message), LONGEST_MESSAGE)),
            comments: given(form.comments).map(|comments| cut(&scrub::text(&comments), LONGEST_TEXT)),
            backtrace: given(form.backtrace).map(|backtrace| cut(&scrub::log(&backtrace), LONGEST_TEXT)),
            category: word("category", form.category)?,
            url: given(form.url).map(|url| cut(&scrub::text(&url), LONGEST_ADDRESS)),
            email: word("email", form.email)?,
            user_perceived_severity: severity(form.user_perceived_severity)?,
            context_asset_string: asset(form.context_asset_string)?,
            user_roles: word("user_roles", roles(form.user_roles)?)?,
            http_env: Json(http_env(cx, form.http_env)?),
        })
    }
}

/// The beginning of a text, of so many characters.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}

fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn word(field: &str, text: Option<String>) -> Result<Option<String>> {
    let Some(text) = given(text) else { return Ok(None) };
    not_too_long(field, &text, LONGEST_WORD)?;
    Ok(Some(scrub::text(text.trim())))
}

fn severity(text: Option<String>) -> Result<Option<String>> {
    match given(text) {
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

/// The roles, each once.
fn roles(value: Option<Value>) -> Result<Option<String>> {
    let values = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => vec![Value::String(text)],
        Some(Value::Array(list)) => list,
        Some(Value::Object(hash)) => hash.into_iter().map(|(_, role)| role).collect(),
        Some(_) => return Err(unfit_roles()),
    };
    let mut roles: Vec<&str> = Vec::new();
    for value in &values {
        for role in value.as_str().ok_or_else(unfit_roles)?.split(',').map(str::trim) {
            if !role.is_empty() && !roles.contains(&role) {
                roles.push(role);
            }
        }
    }
    Ok(Some(roles.join(",")))
}

fn unfit_roles() -> Error {
    Error::invalid("user_roles", "invalid", "must be text, or a list or hash of texts")
}

fn http_env(cx: &Context, value: Option<Value>) -> Result<Map<String, Value>> {
    let environment = match value {
        None | Some(Value::Null) => environment::collect(cx),
        Some(Value::Object(environment)) => environment,
        Some(Value::String(text)) if text.trim().is_empty() => environment::collect(cx),
        // A hash that was written as JSON before it was put into a form.
        Some(Value::String(text)) => serde_json::from_str(&text).map_err(|_no_hash| unfit_environment())?,
        Some(_) => return Err(unfit_environment()),
    };
    let environment = scrub::environment(environment);
    let length = serde_json::to_string(&environment).map_err(Error::internal)?.len();
    if length > LARGEST_ENVIRONMENT {
        let message = format!("is too long (maximum is {LARGEST_ENVIRONMENT} bytes of JSON)");
        return Err(Error::invalid("http_env", "too_long", message));
    }
    Ok(environment)
}

fn unfit_environment() -> Error {
    Error::invalid("http_env", "invalid", "must be a hash")
}
