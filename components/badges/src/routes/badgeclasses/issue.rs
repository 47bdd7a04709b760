//! Awards of one badge to many.

use serde::Deserialize;
use serde_json::{Map, Value};
use shared::error::{Violation, Violations};
use shared::{Context, Created, Error, Form, JsonSchema, Result, endpoint, endpoints};

use crate::access::{AsStaff, ISSUER, NeededClass};
use crate::images;
use crate::model::entity::{Envelope, decode, read};
use crate::model::error_format::error_body;
use crate::routes::assertions::issuing::{HAS_IT, IssueError, NewAssertion, issue, require_in_use};
use crate::routes::assertions::{Assertion, AssertionForm, fields};

endpoints![award_badges];

const MAX_BATCH: usize = 500;

#[derive(Deserialize, JsonSchema)]
struct BatchForm {
    assertions: Vec<Value>,
    /// True if all are told, unless one says otherwise.
    create_notification: Option<bool>,
}

/// Awards badges of the class to many at once.
#[endpoint(
    POST "/v2/badgeclasses/:id/issue",
    area_scopes(ISSUER),
    body_limit(images::BODY),
    throttled("notices about awards"),
)]
async fn award_badges(
    cx: Context,
    class: NeededClass<AsStaff>,
    body: Form<BatchForm>,
) -> Result<Created<Envelope<Assertion>>> {
    let BatchForm { assertions, create_notification } = decode(body)?;
    if assertions.len() > MAX_BATCH {
        let message = format!("Ensure this field has no more than {MAX_BATCH} elements.");
        return Err(Error::invalid("assertions", "too_long", message));
    }
    let mut violations = Violations::default();
    require_in_use(&mut violations, &class);
    violations.require_none()?;
    let mut new = Vec::with_capacity(assertions.len());
    let mut rows = Vec::with_capacity(assertions.len());
    for row in assertions {
        let mut violations = Violations::default();
        match read::<AssertionForm>(row) {
            Ok(form) => {
                let notify = form.notify.or(create_notification).unwrap_or(false);
                let lifetime = class.expires.as_ref().map(|expires| &expires.0);
                new.extend(
                    fields(&mut violations, form, lifetime, cx.now).map(|fields| NewAssertion { fields, notify }),
                );
                rows.push(violations.into_vec());
            }
            Err(error) => rows.push(violations_of(&error)),
        }
    }
    if rows.iter().any(|row| !row.is_empty()) {
        return Err(invalid_rows(&rows));
    }
    if new.is_empty() {
        return Ok(Created::created(Envelope::of(&cx, Vec::new())));
    }
    let made = issue(&cx, &class, &new).await.map_err(|error| match error {
        IssueError::Duplicates(places) => {
            let violation = Violation::new("recipient", "taken", HAS_IT);
            let row = |place| if places.contains(&place) { vec![violation.clone()] } else { Vec::new() };
            invalid_rows(&(0..new.len()).map(row).collect::<Vec<_>>())
        }
        IssueError::Other(error) => error,
    })?;
    Ok(Created::created(Envelope::of(&cx, made)))
}

fn violations_of(error: &Error) -> Vec<Violation> {
    match error.kind() {
        shared::error::Kind::Invalid(violations) => violations.clone(),
        other => {
            let message = format!("The row cannot be read: {other:?}.");
            vec![Violation { field: None, code: "invalid", message }]
        }
    }
}

/// 400 that tells of each row what is wrong with it.
fn invalid_rows(rows: &[Vec<Violation>]) -> Error {
    let map = |row: &Vec<Violation>| {
        let mut fields: Map<String, Value> = Map::new();
        for Violation { field, message, .. } in row {
            let field = field.clone().unwrap_or_else(|| "nonFieldErrors".to_owned());
            if let Value::Array(messages) = fields.entry(field).or_insert_with(|| Value::Array(Vec::new())) {
                messages.push(message.clone().into());
            }
        }
        Value::Object(fields)
    };
    let mut body = error_body("bad request", Map::new(), Vec::new());
    if let Some(fields) = body.get_mut("fieldErrors") {
        *fields = rows.iter().map(map).collect();
    }
    Error::own(http::StatusCode::BAD_REQUEST, body)
}
