//! Tenants: root accounts, each with an administrator and an OAuth2 client of its own.

use serde::Serialize;
use shared::auth::secrets;
use shared::{Context, Error, Form, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::model::accounts::Account;
use crate::routes::accounts::{AccountBody, validated_new};
use crate::store::tenants as store;

endpoints![create_account];

/// A new root account, and the client whose tokens are its administrator's.
#[derive(Serialize, JsonSchema)]
struct Tenant {
    #[serde(flatten)]
    account: Account,
    /// The id as the OAuth2 endpoint takes it.
    client_id: String,
    /// Shown this once.
    client_secret: String,
}

/// Creates a tenant: a root account with its administrator and client.
#[endpoint(POST "/api/v1/accounts", foreigners(403, "tenants are founded by the site's administrator"))]
async fn create_account(cx: Context, body: Form<AccountBody>) -> Result<Reply<Tenant>> {
    if !cx.caller()?.site_admin {
        return Err(Error::forbidden());
    }
    let new = validated_new(body.decode()?.account)?;
    let client_secret = secrets::generate();
    let (account, client) = store::insert(&cx.db, new, secrets::hash(&client_secret), cx.now).await?;
    Ok(Reply::ok(Tenant { account, client_id: client.to_string(), client_secret }))
}
