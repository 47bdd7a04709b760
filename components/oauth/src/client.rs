//! Clients of the OAuth2 endpoint: the one that a new installation is set up with, and those with a developer key.

use shared::auth::{self, secrets};
use shared::config;
use shared::ids::{AccountId, ClientId, UserId};
use shared::{Context, Error, Result};

use crate::store;

/// The tenant and the administrator that a new database begins with.
const FIRST_TENANT: AccountId = AccountId(1);
const FIRST_ADMIN: UserId = UserId(1);

/// A client that has proved who it is.
pub(crate) struct Client {
    /// Its developer key; `None` for the client of the installation.
    pub(crate) key: Option<ClientId>,
    pub(crate) root_account: AccountId,
    /// Whom it acts for with its own credentials.
    pub(crate) user: Option<UserId>,
    /// What it may ask for; `None`: everything.
    pub(crate) scopes: Option<Vec<String>>,
}

/// The client that calls: by the parameters, or else by HTTP Basic. 401 where it is unknown or its secret is wrong.
pub(crate) async fn authenticate(cx: &Context, id: Option<String>, secret: Option<String>) -> Result<Client> {
    let (basic_id, basic_secret) = auth::basic(cx).unzip();
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let id = given(id).or(basic_id).ok_or_else(unknown)?;
    let secret = given(secret).or(basic_secret).unwrap_or_default();
    if let Some(bootstrap) = bootstrap(&id, &secret).await? {
        return Ok(bootstrap);
    }
    let id = id.parse().map_err(|_not_ours| unknown())?;
    let key = store::keys::of_client(&cx.db, id).await?.ok_or_else(unknown)?;
    if !secrets::same(&secrets::hash(secret), &key.secret_hash) {
        return Err(Error::oauth("invalid_client", "invalid client"));
    }
    Ok(Client {
        key: Some(key.id),
        root_account: key.root_account_id,
        user: key.user_id,
        scopes: key.scopes.map(|scopes| scopes.0),
    })
}

/// The client of the installation, unless the id is another's. Its variables may be taken away once it has served.
async fn bootstrap(id: &str, secret: &str) -> Result<Option<Client>> {
    let (Some(known_id), Some(known_secret)) =
        (config::get("admin_client_id").await?, config::secret("admin_client_secret").await?)
    else {
        return Ok(None);
    };
    if id != known_id {
        return Ok(None);
    }
    if !secrets::same(secret, known_secret.expose()) {
        return Err(Error::oauth("invalid_client", "invalid client"));
    }
    Ok(Some(Client { key: None, root_account: FIRST_TENANT, user: Some(FIRST_ADMIN), scopes: None }))
}

fn unknown() -> Error {
    Error::oauth("invalid_client", "unknown client")
}
