//! Terms of a tenant, which SIS imports bring.

use serde::{Deserialize, Serialize};
use shared::auth::AccountAccess;
use shared::error::OrNotFound;
use shared::ids::{EnrollmentTermId, IdOrAlias};
use shared::needs::{NeededAccount, may};
use shared::{Context, Error, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::filters::AnyOf;
use crate::model::terms::{EnrollmentTerm, TermState};
use crate::store::terms as store;

endpoints![list_terms, get_term];

#[derive(Deserialize, JsonSchema)]
struct TermPath {
    id: IdOrAlias<EnrollmentTermId>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct TermFilter {
    /// `active`, unless given.
    workflow_state: TermState,
    /// A part of the name.
    term_name: Option<String>,
    /// `course_count`; others are passed over.
    include: AnyOf<String>,
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
    let terms = store::terms(&cx.db, account.id, counts, workflow_state, term_name, &cx.page().await?).await?;
    Ok(Reply::page_in(terms, |enrollment_terms| EnrollmentTerms { enrollment_terms }))
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

/// Terms belong to the tenant as a whole.
fn require_root(account: &AccountAccess) -> Result<()> {
    match account.id == account.root_account {
        true => Ok(()),
        false => Err(Error::bad_request("Terms belong to root accounts only")),
    }
}
