//! The keys that verify credentials: all of them, those of a tenant, and how administrators replace theirs.

use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::clock::DAY;
use shared::error::OrNotFound;
use shared::needs::{NeededAccount, may};
use shared::prefetch::PrefetchedList;
use shared::throttle::{self, Limit};
use shared::{
    Context, Created, Error, Form, JsonSchema, LimitKind, NoContent, Path, Reply, Result, endpoint, endpoints,
};

use crate::model::credential_form::{Algorithm, key_address};
use crate::model::documents::set;
use crate::model::entity::{EntityPath, Envelope, Moment, decode, lasting_base};
use crate::signing::Signature;
use crate::store;
use crate::store::keys::{KeyRow, KeysOfTenant};

/// The number of times that a tenant replaces its key.
const REPLACEMENTS: Limit = Limit { most: 10, seconds: DAY };

endpoints![list_signing_keys, create_signing_key, delete_signing_key];

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Key {
    entity_type: &'static str,
    /// The thumbprint (RFC 7638).
    entity_id: String,
    /// Its address, which signatures name.
    kid: String,
    algorithm: Algorithm,
    created_at: Moment,
    /// Since when another signs in its place.
    retired_at: Option<Moment>,
    /// Since when it is published no more.
    withdrawn_at: Option<Moment>,
}

impl Key {
    fn of(base: &str, row: KeyRow) -> Self {
        Self {
            entity_type: "SigningKey",
            kid: key_address(base, &row.thumbprint),
            algorithm: row.algorithm,
            entity_id: row.thumbprint,
            created_at: Moment(row.created_at),
            retired_at: row.retired_at.map(Moment),
            withdrawn_at: row.withdrawn_at.map(Moment),
        }
    }
}

/// The whole tenant of the caller, who administers it.
type Tenant = NeededAccount<may::Administer>;

/// Lists the keys by which credentials of the caller's account are signed.
#[endpoint(GET "/v2/signing_keys", foreigners(200, "lists those of the caller's own account"))]
async fn list_signing_keys(cx: Context, _: Tenant, keys: PrefetchedList<KeysOfTenant>) -> Result<Reply<Envelope<Key>>> {
    let base = lasting_base(&cx).await?;
    let keys = keys.rows()?;
    Ok(Reply::ok(Envelope::of(&cx, keys.into_iter().map(|row| Key::of(&base, row)).collect())))
}

#[derive(Deserialize, JsonSchema)]
struct SigningKeyForm {
    /// `EdDSA`, which is the default, or `RS256`.
    algorithm: Option<String>,
}

/// Lets a new key sign; the one of the same algorithm before it still verifies.
#[endpoint(
    POST "/v2/signing_keys",
    foreigners(201, "replaces that of the caller's own account"),
    throttled("new keys of one account"),
    answers(409, "Somebody else has just replaced the key."),
)]
async fn create_signing_key(cx: Context, tenant: Tenant, body: Form<SigningKeyForm>) -> Result<Created<Envelope<Key>>> {
    let form: SigningKeyForm = decode(body)?;
    let algorithm = Algorithm::named("algorithm", form.algorithm.as_deref())?;
    let tenant = tenant.root_account;
    throttle::require_turn(&cx, LimitKind::BadgeKeys, &format!("badge-keys/{tenant}"), REPLACEMENTS).await?;
    let new = Signature::generate(algorithm)?;
    let before = store::keys::current(&cx.db, tenant, algorithm).await?.map(|row| row.id);
    if !new.replace(&cx.db, tenant, before, cx.now).await? {
        return Err(Error::conflict("Somebody else has just replaced the key."));
    }
    let row = store::keys::find(&cx.db, &new.thumbprint).await?.or_not_found()?;
    Ok(Envelope::created(&cx, Key::of(&lasting_base(&cx).await?, row)))
}

/// Takes a key back: what it has signed verifies no more.
#[endpoint(DELETE "/v2/signing_keys/:id")]
async fn delete_signing_key(cx: Context, _: Tenant, Path(at): Path<EntityPath>) -> Result<NoContent> {
    let caller = cx.caller()?;
    match store::keys::withdraw(&cx.db, caller.root_account, caller.site_admin, &at.id, cx.now).await? {
        true => Ok(Reply::no_content()),
        false => Err(Error::not_found()),
    }
}

pub(crate) fn public_json(content_type: &str, body: &Value) -> Reply {
    Reply::bytes(content_type, body.to_string())
        .header(CONTENT_TYPE, content_type)
        .header(CACHE_CONTROL, "public, max-age=300")
        .header(ACCESS_CONTROL_ALLOW_ORIGIN, "*")
}

pub(crate) fn jwk(base: &str, row: &KeyRow) -> Value {
    let mut key = row.algorithm.key_members(&row.public_key);
    set(&mut key, "alg", Some(row.algorithm));
    set(&mut key, "use", Some("sig"));
    set(&mut key, "kid", Some(key_address(base, &row.thumbprint)));
    key
}

/// The keys of an account, which is known by its uuid; 404 where none was ever needed.
pub(crate) async fn keys_of(cx: &Context, account: &str) -> Result<Vec<KeyRow>> {
    let keys = store::keys::published_of(&cx.db, account).await?;
    let is_known = keys.iter().any(|row| row.account.is_some());
    Some(keys).filter(|_| is_known).or_not_found()
}
