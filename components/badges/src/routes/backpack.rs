//! The backpack: what an earner keeps, and its page.

pub(crate) mod assertions;
pub(crate) mod claim;
pub(crate) mod collections;
pub(crate) mod import;
pub(crate) mod share;

use std::collections::HashMap;

use serde::Deserialize;
use shared::prefetch::PrefetchedList;
use shared::{Context, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::model::pages;
use crate::model::pages::backpack::{Keeper, KeptBadge, KeptCollection};
use crate::query::{self, Last, NEWEST_FIRST, PartQuery};
use crate::store;
use crate::store::backpack::{BackpackEntry, BackpackFilter, KeptList, KeptRow};
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
    let KeptList { sql, columns, values } =
        store::backpack::listed(caller.user, caller.root_account, &EVERYTHING, cx.now)?;
    let view = async |rows: Vec<KeptRow>| kept(&cx, rows).await;
    let part = window.read_with(&cx.db, &columns, (&sql, values), NEWEST_FIRST, view).await?;
    let collections: Vec<_> = collections.rows()?.into_iter().map(kept_collection).collect();
    Ok(pages::backpack::list(&keeper(&cx, &base), &part, is_newest, &collections))
}

/// Who is signed in, as the pages know them.
fn keeper<'a>(cx: &'a Context, base: &'a str) -> Keeper<'a> {
    Keeper { language: cx.language(), signed_in: cx.signed_in(), base, now: cx.now }
}

/// The badges of the rows, in their order.
async fn kept(cx: &Context, rows: Vec<KeptRow>) -> Result<Vec<Option<KeptBadge>>> {
    let entries: Vec<_> = rows.into_iter().map(KeptRow::entry).collect();
    let own = entries.iter().filter_map(|entry| match entry {
        Some(BackpackEntry::Own(own)) => Some(own.entity_id.clone()),
        _ => None,
    });
    let own: Vec<_> = own.collect();
    let awards = if own.is_empty() { Vec::new() } else { store::public::these_assertions(&cx.db, &own).await? };
    let awards: HashMap<_, _> = awards.into_iter().map(|award| (award.entity_id.clone(), award)).collect();
    let badge = |entry| match entry {
        BackpackEntry::Own(own) => awards.get(&own.entity_id).map(|award| KeptBadge::of_award(award, cx.now)),
        BackpackEntry::Import(import) => Some(KeptBadge::of_import(&import, cx.now)),
    };
    Ok(entries.into_iter().map(|entry| entry.and_then(badge)).collect())
}

fn kept_collection(row: CollectionRow) -> KeptCollection {
    let page = row.share_hash.map(|hash| format!("/public/collections/{hash}.html"));
    KeptCollection { name: row.name, badges: row.assertions.0.len(), page }
}
