//! The backpack: what an earner keeps, and its page.

pub(crate) mod assertions;
pub(crate) mod claim;
pub(crate) mod collections;
pub(crate) mod import;
pub(crate) mod share;

use serde::Deserialize;
use shared::prefetch::PrefetchedList;
use shared::{Context, JsonSchema, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::pages;
use crate::model::pages::backpack::{Keeper, KeptBadge, KeptCollection};
use crate::query::{self, Last, NEWEST_FIRST, PartQuery};
use crate::store;
use crate::store::backpack::{BackpackEntry, BackpackFilter, Extent, KeptList, KeptRow};
use crate::store::collections::{CollectionRow, OwnCollections};

/// The number of badges on a page.
const PAGE_LENGTH: usize = 24;
/// Nothing that somebody keeps goes by itself.
const EVERYTHING: BackpackFilter = BackpackFilter { expired: true, revoked: true, pending: true };

endpoints![get_backpack_page];

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct PageQuery {
    /// Those before that place: as a link of the page says.
    #[schemars(with = "Option<String>")]
    before: Last,
    /// Those after that place: as a link of the page says.
    #[schemars(with = "Option<String>")]
    after: Last,
}

/// Shows who is signed in the badges that they keep, and their collections: a page.
///
/// What was revoked or has expired stays, and says so.
#[endpoint(GET "/backpack", signed_in, page)]
async fn get_backpack_page(
    cx: Context,
    collections: PrefetchedList<OwnCollections>,
    query: Query<PageQuery>,
) -> Result<Reply> {
    let (caller, base) = (cx.caller()?, cx.base_url().await?);
    let PageQuery { before, after } = query::read(&cx, &query)?;
    let is_newest = before.0.is_none() && after.0.is_none();
    let window = PartQuery { num: Last(Some(PAGE_LENGTH.to_string())), before, after }.window(&cx).await?;
    let owner = (caller.user, caller.root_account);
    let KeptList { sql, columns, values } = store::backpack::listed(owner, &EVERYTHING, Extent::WithDocuments, cx.now)?;
    let view = async |rows: Vec<KeptRow>| Ok(rows.into_iter().map(|row| kept(row, cx.now)).collect());
    let part = window.read_with(&cx.db, &columns, (&sql, values), NEWEST_FIRST, view).await?;
    let collections: Vec<_> = collections.rows()?.into_iter().map(kept_collection).collect();
    Ok(pages::backpack::list(&keeper(&cx, &base), &part, is_newest, &collections))
}

/// Who is signed in, as the pages know them.
fn keeper<'a>(cx: &'a Context, base: &'a str) -> Keeper<'a> {
    Keeper { language: cx.language(), signed_in: cx.signed_in(), base, now: cx.now }
}

/// What the page shows of an entry.
fn kept(row: KeptRow, now: Timestamp) -> Option<KeptBadge> {
    match row.entry()? {
        BackpackEntry::Own(_, award) => Some(KeptBadge::of_award(award.as_deref()?, now)),
        BackpackEntry::Import(import) => Some(KeptBadge::of_import(&import, now)),
    }
}

fn kept_collection(row: CollectionRow) -> KeptCollection {
    let page = row.share_hash.map(|hash| format!("/public/collections/{hash}.html"));
    KeptCollection { name: row.name, badges: row.assertions.0.len(), page }
}
