//! Clients of the OAuth2 endpoint: the one that a new installation is set up with, and those with a developer key.

use shared::auth::{self, Basic, secrets};
use shared::config;
use shared::error::Kind;
use shared::ids::{AccountId, ClientId, UserId};
use shared::throttle::{self, Limit};
use shared::{Context, Error, LimitKind, Result};

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
    /// The scopes that it may ask for; `None`: everything.
    pub(crate) scopes: Option<Vec<String>>,
}

/// The failures of a client from one network. Secrets are too long to be guessed: counting what failed keeps the load down,
/// and a good client is never counted.
const FAILURES: Limit = Limit { most: 30, seconds: 60 };
/// The same where the network is not known, so that all who show that client's id share it.
const FAILURES_FROM_ANYWHERE: Limit = Limit { most: 300, seconds: 60 };

/// The client that asks for a token: its id and secret, in the two readings that HTTP Basic has.
pub(crate) struct Credentials {
    id: String,
    secret: String,
    other: Option<Basic>,
}

/// The number of times that a client may fail: taken before its secret is looked at.
pub(crate) struct FailureLimit {
    key: String,
    limit: Limit,
}

impl Credentials {
    /// Those of the parameters, or else of HTTP Basic. 401 where there are none.
    pub(crate) fn shown(cx: &Context, id: Option<String>, secret: Option<String>) -> Result<Self> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let (basic, other) = match auth::basic(cx) {
            Some((basic, other)) => (Some(basic), other),
            None => (None, None),
        };
        let (basic_id, basic_secret) = basic.map(|basic| (basic.id, basic.secret)).unzip();
        let (id, secret) = (given(id), given(secret));
        // The parameters are not mixed with the other reading.
        let other = other.filter(|_| id.is_none() && secret.is_none());
        let id = id.or(basic_id).ok_or_else(unknown)?;
        Ok(Self { id, secret: secret.or(basic_secret).unwrap_or_default(), other })
    }

    /// 429 where the client has failed too often from that network.
    pub(crate) async fn require_few_failures(&self, cx: &Context) -> Result<FailureLimit> {
        let network = cx.client_network();
        // As a hash, because nobody has looked yet how long the id is.
        let key = format!("oauth-failures/{}/{network}", secrets::hash(&self.id));
        let limit = if network.is_empty() { FAILURES_FROM_ANYWHERE } else { FAILURES };
        throttle::look(&cx.db, &key, limit, cx.now).await?.require(LimitKind::ClientSecrets)?;
        Ok(FailureLimit { key, limit })
    }

    /// The client. 401 where it is unknown or its secret is wrong.
    pub(crate) async fn client(self, cx: &Context) -> Result<Client> {
        match (authenticate(cx, &self.id, &self.secret).await, self.other) {
            (Err(error), Some(other)) if matches!(error.kind(), Kind::OAuth { .. }) => {
                authenticate(cx, &other.id, &other.secret).await
            }
            (answer, _) => answer,
        }
    }
}

impl FailureLimit {
    /// The answer, which counts if it refuses what was shown.
    pub(crate) async fn count<T>(self, cx: &Context, answer: Result<T>) -> Result<T> {
        if let Err(error) = &answer
            && matches!(error.kind(), Kind::OAuth { error: "invalid_client" | "invalid_grant", .. })
        {
            throttle::take(&cx.db, &self.key, self.limit, cx.now).await?;
        }
        answer
    }
}

async fn authenticate(cx: &Context, id: &str, secret: &str) -> Result<Client> {
    if let Some(bootstrap) = bootstrap(id, secret).await? {
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
    if config::get("admin_client_id").await?.is_none_or(|known_id| id != known_id) {
        return Ok(None);
    }
    match secrets::is_own("admin_client_secret", secret).await? {
        None => Ok(None),
        Some(false) => Err(Error::oauth("invalid_client", "invalid client")),
        Some(true) => Ok(Some(Client { key: None, root_account: FIRST_TENANT, user: Some(FIRST_ADMIN), scopes: None })),
    }
}

fn unknown() -> Error {
    Error::oauth("invalid_client", "unknown client")
}
