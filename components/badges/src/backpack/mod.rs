//! The backpack: what an earner keeps. The earner is whoever has verified the address that a badge was awarded to.

pub(crate) mod collections;
pub(crate) mod import;
pub(crate) mod share;
pub(crate) mod source;

use serde::Deserialize;
use serde_json::Value;
use shared::error::OrNotFound;
use shared::{Body, Context, Endpoint, Error, Reply, Result, Timestamp, delete, get, put};

use crate::access::{BACKPACK, READ_BACKPACK};
use crate::assertions::{Assertion, Imported};
use crate::entity::{Answer, EntityPath, decode};
use crate::paging::{all_given, flag};
use crate::public::documents::{Depth, Version, Writer};
use crate::public::find_assertion;
use crate::public::images::must_be_known_form;
use crate::store;
use crate::store::assertions::AssertionRow;
use crate::store::backpack::ImportRow;

pub(crate) fn endpoints() -> [Endpoint; 5] {
    [
        get("/v2/backpack/assertions", list)
            .area_scopes(READ_BACKPACK)
            .about("Lists what the caller has earned or imported"),
        get("/v2/backpack/assertions/:id", show).area_scopes(READ_BACKPACK).about("Reads an award to the caller"),
        put("/v2/backpack/assertions/:id", accept).area_scopes(BACKPACK).about("Accepts an award"),
        delete("/v2/backpack/assertions/:id", remove)
            .area_scopes(BACKPACK)
            .about("Turns an award down, or forgets an import"),
        get("/v2/backpack/assertions/:id/image", image)
            .area_scopes(READ_BACKPACK)
            .about("Leads to the image of an award"),
    ]
}

/// What an earner keeps.
pub(crate) enum Kept {
    Own(AssertionRow),
    Import(ImportRow),
}

pub(crate) async fn find(cx: &Context, id: &str) -> Result<Kept> {
    let caller = cx.caller()?;
    if let Some(own) = store::backpack::find(&cx.db, caller.user, caller.root_account, id).await? {
        return Ok(Kept::Own(own));
    }
    store::backpack::import(&cx.db, caller.user, id).await?.map(Kept::Import).or_not_found()
}

impl Kept {
    fn created(&self) -> crate::entity::Moment {
        match self {
            Self::Own(row) => row.created_at,
            Self::Import(row) => row.created_at,
        }
    }

    /// The record, with what the query asks to see in it.
    pub(super) async fn view(self, cx: &Context, base: &str) -> Result<Assertion> {
        let expanded = all_given(cx, "expand");
        let asks = |name: &str| expanded.iter().any(|asked| asked == name);
        match self {
            Self::Import(row) => Ok(imported(base, row, asks("badgeclass"), asks("issuer"))),
            Self::Own(row) => {
                let id = row.entity_id.clone();
                let mut view = Assertion::of(base, row);
                if asks("badgeclass") || asks("issuer") {
                    let class = find_assertion(cx, &id).await?.class.0;
                    let writer = Writer { base, version: Version::Two };
                    if asks("badgeclass") {
                        view.badgeclass = writer.class(&class, Depth::Address);
                    }
                    if asks("issuer") {
                        view.issuer = writer.issuer(&class.issuer.0);
                    }
                }
                Ok(view)
            }
        }
    }
}

fn imported(base: &str, row: ImportRow, with_badge: bool, with_issuer: bool) -> Assertion {
    let id = |document: &Value| document.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let moment = |name: &str| row.assertion.0.get(name).and_then(Value::as_str).and_then(Timestamp::parse);
    let (badge_url, issuer_url) = (id(&row.badge.0), id(&row.issuer.0));
    Assertion::of_import(Imported {
        recipient: row.recipient(),
        issued_on: moment("issuedOn"),
        expires: moment("expires"),
        narrative: row.assertion.0.get("narrative").and_then(Value::as_str).map(str::to_owned),
        image: row.image.as_ref().map(|_| format!("{base}/public/imports/{}/image", row.entity_id)),
        badge: if with_badge { row.badge.0 } else { badge_url.clone().into() },
        issuer: if with_issuer { row.issuer.0 } else { issuer_url.clone().into() },
        badge_url,
        issuer_url,
        entity_id: row.entity_id,
        source_url: row.open_badge_id,
        created_at: row.created_at,
        acceptance: row.acceptance,
    })
}

async fn list(cx: Context) -> Result<Reply<Answer<Assertion>>> {
    let (caller, base) = (cx.caller()?, cx.base_url().await?);
    let (expired, revoked) = (flag(&cx, "include_expired")?, flag(&cx, "include_revoked")?);
    flag(&cx, "include_pending")?;
    let own = store::backpack::list(&cx.db, caller.user, caller.root_account, expired, revoked, cx.now).await?;
    let imports = store::backpack::imports(&cx.db, caller.user).await?;
    let is_over = |row: &ImportRow| {
        let end = row.assertion.0.get("expires").and_then(Value::as_str).and_then(Timestamp::parse);
        end.is_some_and(|end| end <= cx.now)
    };
    let imports = imports.into_iter().filter(|row| expired || !is_over(row)).map(Kept::Import);
    let mut kept: Vec<_> = own.into_iter().map(Kept::Own).chain(imports).collect();
    kept.sort_by_key(|kept| std::cmp::Reverse(kept.created()));
    let mut views = Vec::with_capacity(kept.len());
    for kept in kept {
        views.push(kept.view(&cx, &base).await?);
    }
    Ok(Reply::ok(Answer::of(&cx, views)))
}

async fn show(cx: Context, at: EntityPath) -> Result<Reply<Answer<Assertion>>> {
    let view = find(&cx, &at.id).await?.view(&cx, &cx.base_url().await?).await?;
    Ok(Answer::one(&cx, view))
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct AcceptForm {
    /// `Accepted`.
    acceptance: Option<String>,
}

async fn accept(cx: Context, at: EntityPath, body: Body<AcceptForm>) -> Result<Reply<Answer<Assertion>>> {
    let kept = find(&cx, &at.id).await?;
    let form: AcceptForm = decode(body)?;
    if form.acceptance.as_deref() != Some("Accepted") {
        return Err(Error::invalid("acceptance", "inclusion", "Must be Accepted."));
    }
    match kept {
        Kept::Own(own) => store::backpack::set_acceptance(&cx.db, own.id, "Accepted", cx.now).await?,
        Kept::Import(import) => store::backpack::accept_import(&cx.db, import.id).await?,
    }
    show(cx, at).await
}

async fn remove(cx: Context, at: EntityPath) -> Result<Reply> {
    let (kept, user) = (find(&cx, &at.id).await?, cx.caller()?.user);
    match kept {
        Kept::Import(import) => store::backpack::delete_import(&cx.db, import.id).await?,
        Kept::Own(own) => {
            cx.db
                .transaction(async |db| {
                    store::backpack::leave_collections(db, user, own.id).await?;
                    store::backpack::set_acceptance(db, own.id, "Rejected", cx.now).await
                })
                .await?;
        }
    }
    Ok(Reply::no_content())
}

async fn image(cx: Context, at: EntityPath) -> Result<Reply> {
    let kept = find(&cx, &at.id).await?;
    must_be_known_form(&cx)?;
    let base = cx.base_url().await?;
    match kept {
        Kept::Own(own) if own.revoked_at.is_none() => {
            Ok(Reply::redirect(&format!("{base}/public/assertions/{}/image", own.entity_id)))
        }
        Kept::Import(import) if import.image.is_some() => {
            Ok(Reply::redirect(&format!("{base}/public/imports/{}/image", import.entity_id)))
        }
        _ => Err(Error::not_found()),
    }
}
