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

use crate::model::checks::{MAX_CHARS, invalid, moment, optional, require_order, required};
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
    Ok(Reply::ok(store::insert(&cx.db, account.id, validated(form, None)?, cx.now).await?))
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
    let record = StickyRecord::EnrollmentTerm(term.id);
    let changes = validated(enrollment_term, Some(&term))?;
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
fn validated(form: TermForm, current: Option<&EnrollmentTerm>) -> Result<Changes> {
    let TermForm { name, start_at, end_at, sis_term_id, overrides } = form;
    let mut of_types = Map::new();
    for (enrollment_type, form) in overrides.into_iter().flatten() {
        if !ROLES_WITH_DATES.iter().any(|role| role.name() == enrollment_type) {
            return Err(Error::bad_request("Invalid enrollment type in overrides"));
        }
        let known = current.and_then(|term| term.overrides.0.get(&enrollment_type));
        let known = known.map_or((None, None), |dates| (dates.start_at, dates.end_at));
        let dates = form.map(|TermDatesForm { start_at, end_at }| dates(start_at, end_at, known)).transpose()?;
        of_types.insert(enrollment_type, dates.map_or(Value::Null, Value::from));
    }
    let known = current.map_or((None, None), |term| (term.start_at, term.end_at));
    Ok(dates(start_at, end_at, known)?
        .set("name", required("name", name, MAX_CHARS).map_err(invalid)?)
        .set("sis_term_id", optional("sis_term_id", sis_term_id, MAX_CHARS).map_err(invalid)?)
        .set("overrides", if of_types.is_empty() { Patch::Absent } else { Patch::Value(Value::Object(of_types)) }))
}

/// The changes of dates, where those that are known are in order afterwards.
fn dates(
    start_at: Patch<Timestamp>,
    end_at: Patch<Timestamp>,
    known: (Option<Timestamp>, Option<Timestamp>),
) -> Result<Changes> {
    let changes = Changes::default().set("start_at", moment(start_at)).set("end_at", moment(end_at));
    require_order(&changes, known)?;
    Ok(changes)
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
        Ok(validated(params::decode::<TermForm>(form)?, None)?.value())
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
