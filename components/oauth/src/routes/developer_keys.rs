//! Developer keys: the clients that an account's administrators register.

use serde::Deserialize;
use shared::auth::audit::{self, Event, EventType};
use shared::auth::{self, AccountAccess, secrets};
use shared::db::Json;
use shared::error::{Kind, OrNotFound};
use shared::ids::{IdOrAlias, UserId};
use shared::needs::{NeededAccount, may};
use shared::params::{self, NoParameters};
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::{Context, Db, Error, Form, JsonSchema, Patch, Query, Reply, Result, endpoint, endpoints};

use crate::model::developer_keys::DeveloperKey;
use crate::model::{redirect, unsupported};
use crate::scopes;
use crate::store::keys::{self, Change, KeyNamed, KeysOfAccount, NeededKey};
use crate::store::tokens::Own;

const MAX_NAME_CHARS: usize = 255;
/// The most that Amazon gives a name of a resource.
const MAX_ARN_CHARS: usize = 2048;

endpoints![list_developer_keys, create_developer_key, get_developer_key, update_developer_key, delete_developer_key];

#[derive(Deserialize, JsonSchema)]
struct KeyForms {
    #[serde(default)]
    developer_key: KeyForm,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct KeyForm {
    /// Required of a new key.
    name: Option<String>,
    user_id: Patch<UserId>,
    scopes: Patch<Vec<String>>,
    redirect_uris: Patch<Addresses>,
    push_topic_arn: Patch<String>,
}

/// A list, or text with one address in each line.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Addresses {
    List(Vec<String>),
    Lines(String),
}

/// Lists the developer keys of an account.
#[endpoint(GET "/api/v1/accounts/:account_id/developer_keys", unsupported(unsupported::DEVELOPER_KEYS))]
async fn list_developer_keys(
    cx: Context,
    _account: NeededAccount<may::Administer>,
    keys: PrefetchedList<KeysOfAccount>,
    query: Query<NoParameters>,
) -> Result<Reply<Vec<DeveloperKey>>> {
    query.decode()?;
    Ok(Reply::page(keys.page(&cx.page().await?)?))
}

/// Reads a developer key.
#[endpoint(GET "/api/v1/developer_keys/:id")]
async fn get_developer_key(_: Context, key: NeededKey) -> Result<Reply<DeveloperKey>> {
    Ok(Reply::ok(key.into_record().developer_key.0))
}

/// Creates a developer key, and shows its secret this once.
#[endpoint(POST "/api/v1/accounts/:account_id/developer_keys", unsupported(unsupported::DEVELOPER_KEY))]
async fn create_developer_key(
    cx: Context,
    account: NeededAccount<may::Administer>,
    own: Prefetched<Own>,
    body: Form<KeyForms>,
) -> Result<Reply<DeveloperKey>> {
    let mut form = body.decode()?.developer_key;
    form.name = Some(form.name.unwrap_or_default());
    let new = validated(&cx, &account, form).await?;
    let scopes = new.scopes.clone().into_option();
    cx.caller()?.require_token()?;
    own.record()?.require_scopes_within(scopes.as_deref())?;
    let secret = secrets::generate();
    let owner = (account.root_account, account.id);
    let transaction = cx.db.transaction(async |db| -> Result<DeveloperKey> {
        let key = keys::insert(db, owner, &secrets::hash(&secret), new, cx.now).await?;
        note(&cx, db, EventType::DeveloperKeyCreated, &account, &key).await?;
        Ok(key)
    });
    let key = transaction.await?;
    Ok(Reply::ok(DeveloperKey { client_secret: Some(secret), ..key }))
}

/// Changes a developer key.
#[endpoint(PUT "/api/v1/developer_keys/:id", unsupported(unsupported::DEVELOPER_KEY))]
async fn update_developer_key(
    cx: Context,
    key: NeededKey,
    own: Prefetched<Own>,
    body: Form<KeyForms>,
) -> Result<Reply<DeveloperKey>> {
    let KeyNamed { developer_key: Json(key), account: Json(account) } = key.into_record();
    let form = body.decode()?.developer_key;
    if let (Some(user), Patch::Absent) = (key.user_id, form.user_id) {
        require_right_to_act_for(&cx, user).await?;
    }
    let change = validated(&cx, &account, form).await?;
    let scopes = change.scopes.clone().over(scopes::limited(key.scopes.0));
    cx.caller()?.require_token()?;
    own.record()?.require_scopes_within(scopes.as_deref())?;
    let transaction = cx.db.transaction(async |db| {
        let key = keys::update(db, key.id, change, cx.now).await?.or_not_found()?;
        note(&cx, db, EventType::DeveloperKeyUpdated, &account, &key).await?;
        Ok::<_, Error>(key)
    });
    Ok(Reply::ok(transaction.await?))
}

/// Deletes a developer key, which ends all its tokens.
#[endpoint(DELETE "/api/v1/developer_keys/:id")]
async fn delete_developer_key(cx: Context, key: NeededKey) -> Result<Reply<DeveloperKey>> {
    let KeyNamed { developer_key: Json(key), account: Json(account) } = key.into_record();
    let transaction = cx.db.transaction(async |db| {
        let key = keys::delete(db, key.id).await?.or_not_found()?;
        note(&cx, db, EventType::DeveloperKeyDeleted, &account, &key).await?;
        Ok::<_, Error>(key)
    });
    Ok(Reply::ok(transaction.await?))
}

/// Writes down what became of a key.
async fn note(cx: &Context, db: &Db, event_type: EventType, account: &AccountAccess, key: &DeveloperKey) -> Result<()> {
    let event = Event::of(event_type, account.root_account, key.user_id).by(cx.caller()?);
    Ok(audit::record(db, cx, Event { developer_key: Some(key.id), ..event }).await?)
}

async fn validated(cx: &Context, account: &AccountAccess, form: KeyForm) -> Result<Change> {
    let name = form.name.map(|name| name.trim().to_owned());
    if name.as_ref().is_some_and(String::is_empty) {
        return Err(Error::invalid("name", "blank", "can't be blank"));
    }
    if let Some(name) = &name {
        params::not_too_long("name", name, MAX_NAME_CHARS)?;
    }
    let scopes = match form.scopes.map(scopes::limited) {
        Patch::Value(Some(scopes)) => Patch::Value(scopes),
        Patch::Value(None) | Patch::Null => Patch::Null,
        Patch::Absent => Patch::Absent,
    };
    if let Patch::Value(scopes) = &scopes {
        scopes::require_scopes(scopes)?;
    }
    let redirect_uris = match form.redirect_uris.map(Addresses::into_list) {
        Patch::Absent => None,
        given => Some(given.unwrap_or(Vec::new())),
    };
    redirect::require_addresses(redirect_uris.as_deref().unwrap_or_default())?;
    if let Patch::Value(user) = form.user_id {
        require_user_of(cx, account, user).await?;
    }
    let push_topic_arn = form.push_topic_arn;
    if let Patch::Value(topic) = &push_topic_arn {
        params::not_too_long("push_topic_arn", topic, MAX_ARN_CHARS)?;
    }
    Ok(Change { name, user: form.user_id, scopes, redirect_uris, push_topic_arn })
}

/// A key may act for its maker, or for whom the maker administers.
async fn require_user_of(cx: &Context, account: &AccountAccess, user: UserId) -> Result<()> {
    let user = auth::user(&cx.db, cx.caller()?, &IdOrAlias::Id(user)).await?;
    if user.root_account != account.root_account {
        return Err(Error::not_found());
    }
    user.require_own_or_administered()
}

/// A key can do what its user can. Who changes it and leaves it that user must be no less.
async fn require_right_to_act_for(cx: &Context, user: UserId) -> Result<()> {
    match auth::user(&cx.db, cx.caller()?, &IdOrAlias::Id(user)).await {
        Ok(user) => user.require_own_or_administered(),
        // The key of a deleted user acts for nobody.
        Err(error) if matches!(error.kind(), Kind::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}

impl Addresses {
    fn into_list(self) -> Vec<String> {
        let list = match self {
            Self::List(list) => list,
            Self::Lines(text) => text.lines().map(str::to_owned).collect(),
        };
        list.into_iter().map(|uri| uri.trim().to_owned()).filter(|uri| !uri.is_empty()).collect()
    }
}
