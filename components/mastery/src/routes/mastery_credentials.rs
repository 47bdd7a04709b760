//! Credentials of a district, given out and revoked by its administrators. They answer as the LMS does.

use serde::Deserialize;
use shared::auth::secrets;
use shared::error::OrNotFound;
use shared::needs::{NeededAccount, may};
use shared::{
    Context, Created, Error, Form, JsonSchema, LmsErrors, Path, Reply, Result, Timestamp, endpoint, endpoints,
};

use crate::model::credentials::Credential;
use crate::routes::resources::RESOURCES;
use crate::routes::{assessments, reports};
use crate::store::credentials as store;

endpoints![list_mastery_credentials, create_mastery_credential, revoke_mastery_credential];

#[derive(Deserialize, JsonSchema)]
struct CredentialPath {
    client_id: String,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct CredentialForm {
    /// All by default.
    scopes: Option<Vec<String>>,
    /// The only schools that it reads of.
    school_ids: Option<Vec<i64>>,
    expires_at: Option<Timestamp>,
}

/// Lists the credentials by which the data of a district are read.
#[endpoint(GET "/api/v1/accounts/:account_id/mastery_credentials", error_format(&LmsErrors))]
async fn list_mastery_credentials(
    cx: Context,
    district: NeededAccount<may::Administer>,
) -> Result<Reply<Vec<Credential>>> {
    Ok(Reply::page(store::page(&cx.db, district.id, &cx.page().await?).await?))
}

/// Gives a credential for a district out; its secret is shown this once.
#[endpoint(POST "/api/v1/accounts/:account_id/mastery_credentials", error_format(&LmsErrors))]
async fn create_mastery_credential(
    cx: Context,
    district: NeededAccount<may::Administer>,
    body: Form<CredentialForm>,
) -> Result<Created<Credential>> {
    let form = body.decode()?;
    let known = scopes();
    let scopes = form.scopes.unwrap_or_else(|| known.iter().map(|scope| (*scope).to_owned()).collect());
    if let Some(unknown) = scopes.iter().find(|scope| !known.contains(&scope.as_str())) {
        return Err(Error::invalid("scopes", "inclusion", format!("has {unknown}, which is no scope")));
    }
    let secret = secrets::generate();
    let new = store::New { scopes, school_ids: form.school_ids, expires_at: form.expires_at };
    let credential = store::insert(&cx.db, district.id, new, &secrets::hash(&secret), cx.now).await?.or_not_found()?;
    Ok(Reply::created(Credential { client_secret: Some(secret), ..credential }))
}

/// Revokes a credential and its tokens.
#[endpoint(DELETE "/api/v1/accounts/:account_id/mastery_credentials/:client_id", error_format(&LmsErrors))]
async fn revoke_mastery_credential(
    cx: Context,
    Path(at): Path<CredentialPath>,
    district: NeededAccount<may::Administer>,
) -> Result<Reply<Credential>> {
    Ok(Reply::ok(store::revoke(&cx.db, district.id, &at.client_id, cx.now).await?.or_not_found()?))
}

/// All scopes that there are: those of the resources, of trackers and of reports.
fn scopes() -> Vec<&'static str> {
    let mut scopes: Vec<_> = RESOURCES.iter().map(|resource| resource.scope).collect();
    scopes.extend([assessments::SCOPE, reports::SCOPE]);
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_sixteen_scopes() {
        let scopes = scopes();
        assert_eq!(scopes.len(), 16);
        assert!(scopes.iter().all(|scope| scope.ends_with(":read")));
    }
}
