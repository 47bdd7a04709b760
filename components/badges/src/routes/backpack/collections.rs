//! Collections: what an earner shows together.

use serde::{Deserialize, Serialize};
use shared::db::Changes;
use shared::error::Violations;
use shared::needs;
use shared::prefetch::{Prefetched, PrefetchedList};
use shared::{
    Context, Created, Db, Error, Form, JsonSchema, NoContent, Patch, Path, Reply, Result, endpoint, endpoints,
};
use uuid::Uuid;

use crate::access::{BACKPACK, READ_BACKPACK};
use crate::model::entity::{EntityPath, Envelope, FieldRules, Moment, decode, new_id};
use crate::store;
use crate::store::collections::{CollectionRow, OwnCollections};

const MAX_NAME_CHARS: usize = 128;
const MAX_DESCRIPTION_CHARS: usize = 255;
const MAX_ASSERTIONS: usize = 500;

endpoints![list_collections, create_collection, get_collection, update_collection, delete_collection];

#[derive(Deserialize, JsonSchema)]
struct CollectionForm {
    #[serde(default)]
    name: Patch<String>,
    #[serde(default)]
    description: Patch<String>,
    /// True if everybody who has its address sees it.
    #[serde(default)]
    published: Patch<bool>,
    /// Entity ids of awards in the caller's backpack.
    #[serde(default)]
    assertions: Patch<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
struct Collection {
    #[serde(rename = "entityType")]
    entity_type: &'static str,
    #[serde(rename = "entityId")]
    entity_id: String,
    #[serde(rename = "createdAt")]
    created_at: Moment,
    name: String,
    description: String,
    owner: String,
    share_url: Option<String>,
    #[serde(rename = "shareHash")]
    share_hash: Option<String>,
    published: bool,
    assertions: Vec<String>,
}

impl Collection {
    fn of(base: &str, row: CollectionRow) -> Self {
        Self {
            entity_type: "BackpackCollection",
            entity_id: row.entity_id,
            created_at: row.created_at,
            name: row.name,
            description: row.description,
            owner: row.owner,
            share_url: row.share_hash.as_ref().map(|hash| format!("{base}/public/collections/{hash}")),
            published: row.share_hash.is_some(),
            share_hash: row.share_hash,
            assertions: row.assertions.0,
        }
    }
}

/// Lists the caller's collections.
#[endpoint(
    GET "/v2/backpack/collections",
    area_scopes(READ_BACKPACK),
    foreigners(200, "lists the caller's own"),
    students(200, "lists the caller's own"),
)]
async fn list_collections(
    cx: Context,
    collections: PrefetchedList<OwnCollections>,
) -> Result<Reply<Envelope<Collection>>> {
    let base = cx.base_url().await?;
    let rows = collections.rows()?;
    Ok(Reply::ok(Envelope::of(&cx, rows.into_iter().map(|row| Collection::of(&base, row)).collect())))
}

/// The collection as it is after a change.
async fn changed(cx: &Context, id: &str) -> Result<Collection> {
    let row = needs::find(&cx.db, cx.caller()?, store::collections::lookup(id)).await?;
    Ok(Collection::of(&cx.base_url().await?, row))
}

/// Reads a collection of the caller's.
#[endpoint(GET "/v2/backpack/collections/:id", area_scopes(READ_BACKPACK))]
async fn get_collection(
    cx: Context,
    _: Path<EntityPath>,
    collection: Prefetched<CollectionRow>,
) -> Result<Reply<Envelope<Collection>>> {
    let row = collection.record()?;
    Ok(Envelope::one(&cx, Collection::of(&cx.base_url().await?, row)))
}

/// Makes a collection.
#[endpoint(
    POST "/v2/backpack/collections",
    area_scopes(BACKPACK),
    foreigners(400, "makes one of the caller's own"),
    students(400, "makes one of the caller's own"),
)]
async fn create_collection(cx: Context, body: Form<CollectionForm>) -> Result<Created<Envelope<Collection>>> {
    let (user, id) = (cx.caller()?.user, new_id());
    let (changes, assertions) = changes(decode(body)?, true)?;
    cx.db
        .transaction(async |db| -> Result<()> {
            store::users::ensure_profile(db, user).await?;
            if !store::collections::insert(db, user, &id, changes, cx.now).await? {
                return Err(Error::bad_request("You have too many collections."));
            }
            fill(&cx, db, &id, assertions).await
        })
        .await?;
    Ok(Envelope::created(&cx, changed(&cx, &id).await?))
}

/// Changes a collection of the caller's.
#[endpoint(PUT "/v2/backpack/collections/:id", area_scopes(BACKPACK))]
async fn update_collection(
    cx: Context,
    Path(at): Path<EntityPath>,
    collection: Prefetched<CollectionRow>,
    body: Form<CollectionForm>,
) -> Result<Reply<Envelope<Collection>>> {
    collection.record()?;
    let (changes, assertions) = changes(decode(body)?, false)?;
    let user = cx.caller()?.user;
    cx.db
        .transaction(async |db| -> Result<()> {
            if !store::collections::update(db, user, &at.id, changes).await? {
                return Err(Error::not_found());
            }
            fill(&cx, db, &at.id, assertions).await
        })
        .await?;
    Ok(Envelope::one(&cx, changed(&cx, &at.id).await?))
}

/// The changes of the form, and the awards that it names. Fields that are left out stay as they are.
fn changes(form: CollectionForm, is_new: bool) -> Result<(Changes, Option<Vec<String>>)> {
    let mut violations = Violations::default();
    let name = match form.name {
        Patch::Absent if !is_new => Patch::Absent,
        field => Patch::Value(violations.text("name", field.into_option().as_deref(), MAX_NAME_CHARS)),
    };
    let description = match form.description {
        Patch::Absent => Patch::Absent,
        field => {
            let text = violations.optional_text("description", field.into_option().as_deref(), MAX_DESCRIPTION_CHARS);
            Patch::Value(text.unwrap_or_default())
        }
    };
    // Nobody can guess the address of what is published.
    let share_hash = match form.published.into_option() {
        None => Patch::Absent,
        Some(false) => Patch::Null,
        Some(true) => Patch::Value(Uuid::new_v4().simple().to_string()),
    };
    let assertions = match form.assertions {
        Patch::Absent => None,
        field => Some(field.into_option().unwrap_or_default()),
    };
    if assertions.as_ref().is_some_and(|assertions| assertions.len() > MAX_ASSERTIONS) {
        violations.refuse("assertions", format!("Ensure this field has no more than {MAX_ASSERTIONS} elements."));
    }
    violations.require_none()?;
    let changes = Changes::default().set("name", name).set("description", description).set("share_hash", share_hash);
    Ok((changes, assertions))
}

/// Puts the awards into the collection, each of them once, as part of a transaction.
async fn fill(cx: &Context, db: &Db, collection: &str, assertions: Option<Vec<String>>) -> Result<()> {
    let Some(mut assertions) = assertions else { return Ok(()) };
    let mut seen = std::collections::HashSet::new();
    assertions.retain(|assertion| seen.insert(assertion.clone()));
    let caller = cx.caller()?;
    match store::collections::fill(db, collection, caller.user, caller.root_account, &assertions).await? {
        true => Ok(()),
        false => Err(Error::invalid("assertions", "invalid", "An award is not in your backpack.")),
    }
}

/// Deletes a collection of the caller's.
#[endpoint(DELETE "/v2/backpack/collections/:id", area_scopes(BACKPACK))]
async fn delete_collection(
    cx: Context,
    _: Path<EntityPath>,
    collection: Prefetched<CollectionRow>,
) -> Result<NoContent> {
    store::collections::delete(&cx.db, collection.record()?.id).await?;
    Ok(Reply::no_content())
}
