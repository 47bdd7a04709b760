//! The backpack: what an earner keeps. The earner is whoever has verified the address that a badge was awarded to.

use serde::Deserialize;
use serde_json::Value;
use shared::error::OrNotFound;
use shared::ids::{AccountId, UserId};
use shared::needs;
use shared::prefetch::Prefetched;
use shared::session::see;
use shared::{Context, Error, Form, JsonSchema, NoContent, Path, Query, Reply, Result, endpoint, endpoints};

use crate::access::{BACKPACK, READ_BACKPACK};
use crate::model::documents::{Depth, Version, Writer};
use crate::model::entity::{EntityPath, Envelope, decode};
use crate::model::imports::ImportRow;
use crate::model::pages;
use crate::query::{self, ExpandQuery, Last, Listing, NEWEST_FIRST, PartQuery, linked, written};
use crate::routes::assertions::{Assertion, Imported};
use crate::routes::backpack::keeper;
use crate::routes::public::image::{ImageQuery, require_known_form};
use crate::store;
use crate::store::backpack::{BackpackEntry, BackpackFilter, Extent, KeptList, KeptRow};

endpoints![
    list_backpack_assertions,
    get_backpack_assertion,
    accept_backpack_assertion,
    remove_backpack_assertion,
    get_backpack_assertion_image,
    get_backpack_assertion_page,
    update_backpack_on_page
];

/// The acceptance of an award to which its earner has said nothing yet.
const UNACCEPTED: &str = "Unaccepted";
/// The related records that may stand in an award itself.
const BADGE_CLASS: &str = "badgeclass";
const ISSUER: &str = "issuer";

/// The entry as it is after a change.
pub(crate) async fn find(cx: &Context, id: &str) -> Result<BackpackEntry> {
    let kept: KeptRow = needs::find(&cx.db, cx.caller()?, store::backpack::lookup(id)?).await?;
    kept.entry().or_not_found()
}

fn entry(kept: Prefetched<KeptRow>) -> Result<BackpackEntry> {
    kept.record()?.entry().or_not_found()
}

impl BackpackEntry {
    /// The record, with what the query asks to see in it.
    pub(crate) fn view(self, base: &str, expand: &ExpandQuery) -> Assertion {
        let (with_badge, with_issuer) = (expand.asks_for(BADGE_CLASS), expand.asks_for(ISSUER));
        match self {
            Self::Import(row) => imported(base, row, with_badge, with_issuer),
            Self::Own(row, award) => {
                let mut view = Assertion::of(base, row);
                let writer = Writer { base, version: Version::Two };
                if let Some(award) = award.as_ref().filter(|_| with_badge) {
                    view.badgeclass = writer.class(&award.class.0, Depth::Address);
                }
                if let Some(award) = award.as_ref().filter(|_| with_issuer) {
                    view.issuer = writer.issuer(&award.class.0.issuer.0);
                }
                view
            }
        }
    }
}

fn imported(base: &str, row: ImportRow, with_badge: bool, with_issuer: bool) -> Assertion {
    let id = |document: &Value| document.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (badge_url, issuer_url) = (id(&row.badge.0), id(&row.issuer.0));
    Assertion::of_import(Imported {
        recipient: row.recipient(),
        issued_on: row.moment("issuedOn"),
        expires: row.moment("expires"),
        narrative: row.assertion.0.get("narrative").and_then(Value::as_str).map(str::to_owned),
        evidence: row.evidence(),
        extensions: row.extensions(),
        image: row.image.as_ref().map(|_| format!("{base}/public/imports/{}/image", row.entity_id)),
        badge: if with_badge { row.badge.0 } else { badge_url.clone().into() },
        issuer: if with_issuer { row.issuer.0 } else { issuer_url.clone().into() },
        badge_url,
        issuer_url,
        entity_id: row.entity_id,
        source_url: row.open_badge_id,
        created_at: row.created_at,
        acceptance: row.acceptance,
        pending: row.pending,
    })
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct BackpackQuery {
    #[serde(flatten)]
    part: PartQuery,
    #[serde(flatten)]
    expand: ExpandQuery,
    /// True if awards that have ended are listed, too.
    #[schemars(with = "bool")]
    include_expired: Last,
    /// True if awards that were taken back are listed, too.
    #[schemars(with = "bool")]
    include_revoked: Last,
    /// True if imports to an address of the caller's that is not confirmed yet are listed, too.
    #[schemars(with = "bool")]
    include_pending: Last,
}

/// Lists what the caller has earned or imported.
#[endpoint(
    GET "/v2/backpack/assertions",
    area_scopes(READ_BACKPACK),
    foreigners(200, "lists the caller's own"),
    students(200, "lists the caller's own"),
)]
async fn list_backpack_assertions(cx: Context, query: Query<BackpackQuery>) -> Result<Listing<Assertion>> {
    let (caller, base) = (cx.caller()?, cx.base_url().await?);
    let query = query::read(&cx, &query)?;
    let expired = query.include_expired.flag("include_expired")?;
    let revoked = query.include_revoked.flag("include_revoked")?;
    let pending = query.include_pending.flag("include_pending")?;
    let filter = BackpackFilter { expired, revoked, pending };
    let expand = &query.expand;
    let is_expanded = expand.asks_for(BADGE_CLASS) || expand.asks_for(ISSUER);
    let extent = if is_expanded { Extent::WithDocuments } else { Extent::Record };
    let owner = (caller.user, caller.root_account);
    let KeptList { sql, columns, values } = store::backpack::listed(owner, &filter, extent, cx.now)?;
    let is_over = |row: &ImportRow| row.moment("expires").is_some_and(|end| end <= cx.now);
    // The end of an import stands in its document.
    let view = |row: KeptRow| match row.entry() {
        None => Ok(None),
        Some(BackpackEntry::Import(import)) if !expired && is_over(&import) => Ok(None),
        Some(kept) => written(&kept.view(&base, expand)),
    };
    let view = async |rows: Vec<KeptRow>| rows.into_iter().map(view).collect();
    let window = query.part.window(&cx).await?;
    linked(&cx, window.read_with(&cx.db, &columns, (&sql, values), NEWEST_FIRST, view).await?)
}

/// Reads an award to the caller.
#[endpoint(GET "/v2/backpack/assertions/:id", area_scopes(READ_BACKPACK))]
async fn get_backpack_assertion(
    cx: Context,
    _: Path<EntityPath>,
    kept: Prefetched<KeptRow>,
    query: Query<ExpandQuery>,
) -> Result<Reply<Envelope<Assertion>>> {
    let expand = query::read(&cx, &query)?;
    let view = entry(kept)?.view(&cx.base_url().await?, &expand);
    Ok(Envelope::one(&cx, view))
}

#[derive(Deserialize, JsonSchema)]
struct AcceptForm {
    /// `Accepted`.
    acceptance: Option<String>,
}

/// Accepts an award.
#[endpoint(PUT "/v2/backpack/assertions/:id", area_scopes(BACKPACK))]
async fn accept_backpack_assertion(
    cx: Context,
    Path(at): Path<EntityPath>,
    kept: Prefetched<KeptRow>,
    body: Form<AcceptForm>,
    query: Query<ExpandQuery>,
) -> Result<Reply<Envelope<Assertion>>> {
    let kept = entry(kept)?;
    let form: AcceptForm = decode(body)?;
    if form.acceptance.as_deref() != Some("Accepted") {
        return Err(Error::invalid("acceptance", "inclusion", "Must be Accepted."));
    }
    accept(&cx, kept).await?;
    let expand = query::read(&cx, &query)?;
    let view = find(&cx, &at.id).await?.view(&cx.base_url().await?, &expand);
    Ok(Envelope::one(&cx, view))
}

/// Turns an award down, or forgets an import.
#[endpoint(DELETE "/v2/backpack/assertions/:id", area_scopes(BACKPACK))]
async fn remove_backpack_assertion(cx: Context, _: Path<EntityPath>, kept: Prefetched<KeptRow>) -> Result<NoContent> {
    remove(&cx, entry(kept)?).await?;
    Ok(Reply::no_content())
}

/// Accepts an entry. Accepting what is accepted changes nothing.
async fn accept(cx: &Context, kept: BackpackEntry) -> Result<()> {
    let earner = earner(cx)?;
    match kept {
        BackpackEntry::Own(own, _) => drop(store::backpack::accept(&cx.db, own.id, earner).await?),
        BackpackEntry::Import(import) => store::imports::accept(&cx.db, import.id).await?,
    }
    Ok(())
}

/// Turns an award of ours down, and forgets one of another service.
async fn remove(cx: &Context, kept: BackpackEntry) -> Result<()> {
    let earner = earner(cx)?;
    match kept {
        BackpackEntry::Import(import) => Ok(store::imports::delete(&cx.db, import.id).await?),
        BackpackEntry::Own(own, _) => {
            cx.db
                .transaction(async |db| {
                    store::backpack::leave_collections(db, earner.0, own.id).await?;
                    let is_turned_down = store::backpack::reject(db, own.id, earner).await?;
                    is_turned_down.then_some(()).or_not_found()
                })
                .await
        }
    }
}

/// The caller, to whose addresses in the caller's tenant awards go.
fn earner(cx: &Context) -> Result<(UserId, AccountId)> {
    let caller = cx.caller()?;
    Ok((caller.user, caller.root_account))
}

/// Leads to the image of an award.
#[endpoint(
    GET "/v2/backpack/assertions/:id/image",
    area_scopes(READ_BACKPACK),
    redirects(302),
)]
async fn get_backpack_assertion_image(
    cx: Context,
    _: Path<EntityPath>,
    kept: Prefetched<KeptRow>,
    query: Query<ImageQuery>,
) -> Result<Reply> {
    let kept = entry(kept)?;
    require_known_form(&query::read(&cx, &query)?)?;
    let base = cx.base_url().await?;
    match kept {
        BackpackEntry::Own(own, _) if own.revoked_at.is_none() => {
            Ok(Reply::redirect(&format!("{base}/public/assertions/{}/image", own.entity_id)))
        }
        BackpackEntry::Import(import) if import.image.is_some() => {
            Ok(Reply::redirect(&format!("{base}/public/imports/{}/image", import.entity_id)))
        }
        _ => Err(Error::not_found()),
    }
}

/// Shows who is signed in a badge of their backpack, with ways to share it: a page.
#[endpoint(GET "/backpack/assertions/:id", signed_in, page)]
async fn get_backpack_assertion_page(cx: Context, _: Path<EntityPath>, kept: Prefetched<KeptRow>) -> Result<Reply> {
    let (kept, base) = (entry(kept)?, cx.base_url().await?);
    let keeper = keeper(&cx, &base);
    Ok(match kept {
        BackpackEntry::Import(import) => pages::backpack::import(&keeper, &import),
        BackpackEntry::Own(own, award) => {
            pages::backpack::award(&keeper, award.as_deref().or_not_found()?, own.acceptance == UNACCEPTED)
        }
    })
}

/// The changes on the page of a badge.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum BackpackAction {
    /// An award is accepted.
    Accept,
    /// An award is turned down, an import forgotten.
    Remove,
}

#[derive(Deserialize, JsonSchema)]
struct BackpackActionForm {
    action: BackpackAction,
}

/// Accepts an award, turns it down or forgets an import, and leads back to the page or to the backpack.
#[endpoint(POST "/backpack/assertions/:id", signed_in, page)]
async fn update_backpack_on_page(
    cx: Context,
    Path(at): Path<EntityPath>,
    kept: Prefetched<KeptRow>,
    form: Form<BackpackActionForm>,
) -> Result<Reply> {
    let kept = entry(kept)?;
    match form.decode()?.action {
        BackpackAction::Accept => {
            accept(&cx, kept).await?;
            see(&format!("/backpack/assertions/{}", at.id)).await
        }
        BackpackAction::Remove => {
            remove(&cx, kept).await?;
            see("/backpack").await
        }
    }
}
