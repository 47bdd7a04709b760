//! Terms of a tenant.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shared::auth::AccountAccess;
use shared::db::Changes;
use shared::error::OrNotFound;
use shared::ids::{EnrollmentTermId, IdOrAlias};
use shared::needs::{NeededAccount, may};
use shared::params::SearchTerm;
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::checks::{MAX_CHARS, invalid, moment, optional, required};
use crate::model::enrollments::Role;
use crate::model::filters::AnyOf;
use crate::model::terms::{EnrollmentTerm, TermState};
use crate::store::stickiness::{self, StickyRecord};
use crate::store::terms as store;

endpoints![list_terms, create_term, get_term, update_term, delete_term];

/// Those for whom a term may have dates of their own.
const ROLES_WITH_DATES: [Role; 4] = [Role::Student, Role::Teacher, Role::Ta, Role::Designer];

#[derive(Deserialize, JsonSchema)]
struct TermPath {
    id: IdOrAlias<EnrollmentTermId>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct TermFilter {
    /// `active`, unless given. Several may be given as a list, `workflow_state[]`.
    #[schemars(with = "TermState")]
    workflow_state: AnyOf<TermState>,
    /// A part of the name.
    term_name: Option<String>,
    /// `course_count`; others are passed over.
    include: AnyOf<String>,
}

#[derive(Deserialize, JsonSchema)]
struct NewTermBody {
    enrollment_term: TermForm,
}

#[derive(Deserialize, JsonSchema)]
struct TermBody {
    enrollment_term: TermForm,
    /// True unless given; false leaves the name and the dates that somebody has changed since an import.
    #[serde(default)]
    override_sis_stickiness: Option<bool>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct TermForm {
    name: Patch<String>,
    start_at: Patch<Timestamp>,
    end_at: Patch<Timestamp>,
    sis_term_id: Patch<String>,
    /// Other dates for those who are enrolled as `StudentEnrollment`, `TeacherEnrollment`, `TaEnrollment` or
    /// `DesignerEnrollment`; null takes them away.
    overrides: Option<BTreeMap<String, Option<TermDatesForm>>>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct TermDatesForm {
    start_at: Patch<Timestamp>,
    end_at: Patch<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
struct EnrollmentTerms {
    enrollment_terms: Vec<EnrollmentTerm>,
}

/// Lists the terms of a root account.
#[endpoint(GET "/api/v1/accounts/:account_id/terms")]
async fn list_terms(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Query<TermFilter>,
) -> Result<Reply<EnrollmentTerms>> {
    require_root(&account)?;
    let TermFilter { workflow_state, term_name, include } = body.decode()?;
    let counts = include.names("course_count");
    let name = SearchTerm::read(term_name.as_deref())?;
    let terms = store::terms(&cx.db, account.id, counts, workflow_state, name, &cx.page().await?).await?;
    Ok(Reply::page_in(terms, |enrollment_terms| EnrollmentTerms { enrollment_terms }))
}

/// Creates a term.
#[endpoint(POST "/api/v1/accounts/:account_id/terms")]
async fn create_term(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Form<NewTermBody>,
) -> Result<Reply<EnrollmentTerm>> {
    require_root(&account)?;
    let form = body.decode()?.enrollment_term;
    if !form.name.is_present() {
        return Err(Error::missing("enrollment_term[name]"));
    }
    Ok(Reply::ok(store::insert(&cx.db, account.id, validated(form)?, cx.now).await?))
}

/// Reads a term.
#[endpoint(GET "/api/v1/accounts/:account_id/terms/:id")]
async fn get_term(
    cx: Context,
    Path(at): Path<TermPath>,
    account: NeededAccount<may::Administer>,
) -> Result<Reply<EnrollmentTerm>> {
    require_root(&account)?;
    Ok(Reply::ok(store::term(&cx.db, account.id, &at.id).await?.or_not_found()?))
}

/// Changes a term.
///
/// The default term keeps its name.
#[endpoint(PUT "/api/v1/accounts/:account_id/terms/:id")]
async fn update_term(
    cx: Context,
    Path(at): Path<TermPath>,
    account: NeededAccount<may::Administer>,
    body: Form<TermBody>,
) -> Result<Reply<EnrollmentTerm>> {
    require_root(&account)?;
    let term = store::term(&cx.db, account.id, &at.id).await?.or_not_found()?;
    let TermBody { enrollment_term, override_sis_stickiness } = body.decode()?;
    require_order_over(&enrollment_term, &term)?;
    let record = StickyRecord::EnrollmentTerm(term.id);
    let changes = validated(enrollment_term)?;
    let changes = stickiness::without_sticky(&cx.db, record, override_sis_stickiness, changes).await?;
    let changed = store::update(&cx.db, account.id, term.id, changes, cx.now).await?;
    Ok(Reply::ok(changed.ok_or_else(|| Error::bad_request("The default term cannot be renamed"))?))
}

/// Deletes a term without courses.
///
/// The default term stays.
#[endpoint(DELETE "/api/v1/accounts/:account_id/terms/:id")]
async fn delete_term(
    cx: Context,
    Path(at): Path<TermPath>,
    account: NeededAccount<may::Administer>,
) -> Result<Reply<EnrollmentTerm>> {
    require_root(&account)?;
    let term = store::term(&cx.db, account.id, &at.id).await?.or_not_found()?;
    let deleted = store::delete(&cx.db, account.id, term.id, cx.now).await?;
    let why = "The default term and terms with courses cannot be deleted";
    Ok(Reply::ok(deleted.ok_or_else(|| Error::bad_request(why))?))
}

/// Dates that are not named stay as they are.
fn validated(form: TermForm) -> Result<Changes> {
    let TermForm { name, start_at, end_at, sis_term_id, overrides } = form;
    require_order(&start_at, &end_at)?;
    let mut dates = Map::new();
    for (enrollment_type, form) in overrides.into_iter().flatten() {
        if !ROLES_WITH_DATES.iter().any(|role| role.name() == enrollment_type) {
            return Err(Error::bad_request("Invalid enrollment type in overrides"));
        }
        dates.insert(enrollment_type, form.map_or(Ok(Value::Null), dates_of)?);
    }
    Ok(Changes::default()
        .set("name", required("name", name, MAX_CHARS).map_err(invalid)?)
        .set("start_at", moment(start_at))
        .set("end_at", moment(end_at))
        .set("sis_term_id", optional("sis_term_id", sis_term_id, MAX_CHARS).map_err(invalid)?)
        .set("overrides", if dates.is_empty() { Patch::Absent } else { Patch::Value(Value::Object(dates)) }))
}

fn dates_of(form: TermDatesForm) -> Result<Value> {
    let TermDatesForm { start_at, end_at } = form;
    require_order(&start_at, &end_at)?;
    let mut dates = Map::new();
    for (name, date) in [("start_at", moment(start_at)), ("end_at", moment(end_at))] {
        if date.is_present() {
            dates.insert(name.to_owned(), date.into_option().into());
        }
    }
    Ok(Value::Object(dates))
}

fn require_order(start: &Patch<Timestamp>, end: &Patch<Timestamp>) -> Result<()> {
    match (start, end) {
        (Patch::Value(start), Patch::Value(end)) if end < start => {
            Err(Error::bad_request("End dates cannot be before start dates"))
        }
        _ => Ok(()),
    }
}

/// The same of the dates that a term has afterwards, where one of them changes.
fn require_order_over(form: &TermForm, current: &EnrollmentTerm) -> Result<()> {
    let over = |given: &Patch<Timestamp>, current: Option<Timestamp>| Patch::from(given.over(current));
    if form.start_at.is_present() || form.end_at.is_present() {
        require_order(&over(&form.start_at, current.start_at), &over(&form.end_at, current.end_at))?;
    }
    for (enrollment_type, dates) in form.overrides.iter().flatten() {
        let Some(TermDatesForm { start_at, end_at }) = dates else { continue };
        let current = current.overrides.0.get(enrollment_type);
        let (start, end) = current.map_or((None, None), |current| (current.start_at, current.end_at));
        require_order(&over(start_at, start), &over(end_at, end))?;
    }
    Ok(())
}

/// Terms belong to the tenant as a whole.
fn require_root(account: &AccountAccess) -> Result<()> {
    match account.id == account.root_account {
        true => Ok(()),
        false => Err(Error::bad_request("Terms belong to root accounts only")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use shared::db::Bind;
    use shared::params;

    use super::*;

    fn changes_of(form: Value) -> Result<shared::db::Value> {
        let Value::Object(form) = form else { panic!("not an object") };
        Ok(validated(params::decode::<TermForm>(form)?)?.value())
    }

    #[test]
    fn dates_of_a_type_are_changed_as_they_are_named() {
        let form = json!({ "name": "Autumn", "end_at": "", "overrides": {
            "StudentEnrollment": { "start_at": "2026-09-08T00:00:00Z", "end_at": null }, "TaEnrollment": null,
        } });
        let expected = json!({ "name": "Autumn", "end_at": null, "overrides": {
            "StudentEnrollment": { "start_at": "2026-09-08T00:00:00Z", "end_at": null }, "TaEnrollment": null,
        } });
        let shared::db::Value::Text(changes) = changes_of(form).unwrap() else { panic!("no text") };
        assert_eq!(serde_json::from_str::<Value>(&changes).unwrap(), expected);
    }

    #[test]
    fn dates_in_the_wrong_order_and_other_types_are_refused() {
        let order = json!({ "start_at": "2026-09-08", "end_at": "2026-09-01" });
        for form in [
            order.clone(),
            json!({ "overrides": { "StudentEnrollment": order } }),
            json!({ "overrides": { "ObserverEnrollment": {} } }),
            json!({ "name": " " }),
        ] {
            assert!(changes_of(form.clone()).is_err(), "{form}");
        }
    }
}
