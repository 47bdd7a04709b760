//! Import into the backpack: by the address of a badge, by an image with a badge in it, or by the badge itself.

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use shared::clock::HOUR;
use shared::db::OnUnique;
use shared::error::Kind;
use shared::needs;
use shared::session::see;
use shared::throttle::{self, Limit};
use shared::{Context, Created, Error, Form, JsonSchema, LimitKind, Query, Reply, Result, endpoint, endpoints};

use crate::access::BACKPACK;
use crate::images::{self, Image, ImageFormat, png, svg};
use crate::model::entity::{Envelope, decode, new_id};
use crate::model::pages;
use crate::model::pages::import::Problem;
use crate::query::{self, ExpandQuery};
use crate::routes::assertions::Assertion;
use crate::routes::backpack::assertions::find;
use crate::routes::backpack::keeper;
use crate::source::{self, Verified, invalid_badge};
use crate::store;
use crate::store::backpack::AddressedAward;
use crate::store::imports::{MAX_IMPORTS, NewImport};

/// Of one user: an import makes us look at images, and ask others several things.
const BUDGET: Limit = Limit { most: 60, seconds: HOUR };

endpoints![import_badge, get_badge_import_page, import_badge_on_page];

#[derive(Deserialize, JsonSchema)]
struct ImportForm {
    /// The address of the award.
    url: Option<String>,
    /// An image with the award baked in, as a data URI.
    image: Option<String>,
    /// The award's document, or its text.
    assertion: Option<Value>,
}

/// Verifies a badge of another service, and keeps it.
#[endpoint(
    POST "/v2/backpack/import",
    area_scopes(BACKPACK),
    body_limit(images::BODY),
    files_as_data_uris,
    foreigners(400, "keeps what is the caller's own"),
    students(400, "keeps what is the caller's own"),
    throttled("imports of one user"),
)]
async fn import_badge(
    cx: Context,
    body: Form<ImportForm>,
    query: Query<ExpandQuery>,
) -> Result<Created<Envelope<Assertion>>> {
    let expand = query::read(&cx, &query)?;
    let id = import(&cx, decode(body)?).await?;
    let view = find(&cx, &id).await?.view(&cx.base_url().await?, &expand);
    Ok(Envelope::created(&cx, view))
}

/// Asks who is signed in for a badge to import: a page.
#[endpoint(GET "/backpack/import", signed_in, page)]
async fn get_badge_import_page(cx: Context) -> Result<Reply> {
    let base = cx.base_url().await?;
    Ok(pages::import::form(&keeper(&cx, &base), "", None))
}

/// Verifies a badge of another service, keeps it, and leads to its page in the backpack.
#[endpoint(
    POST "/backpack/import",
    signed_in,
    page,
    body_limit(images::BODY),
    files_as_data_uris,
    throttled("imports of one user"),
)]
async fn import_badge_on_page(cx: Context, body: Form<ImportForm>) -> Result<Reply> {
    let form: ImportForm = decode(body)?;
    let url = form.url.clone().unwrap_or_default();
    let error = match import(&cx, form).await {
        Ok(id) => return see(&format!("/backpack/assertions/{id}")).await,
        Err(error) => error,
    };
    let Some(problem) = Problem::of(&error) else { return Err(error) };
    let base = cx.base_url().await?;
    Ok(pages::import::form(&keeper(&cx, &base), &url, Some(&problem)).with_status(StatusCode::BAD_REQUEST))
}

/// Verifies the badge of the form, and keeps it: the entity id of the entry.
async fn import(cx: &Context, form: ImportForm) -> Result<String> {
    let user = cx.caller()?.user;
    throttle::require_turn(cx, LimitKind::BadgeImports, &format!("badge-import/{user}"), BUDGET).await?;
    let (id, image) = named(form)?;
    let base = cx.base_url().await?;
    if let Some(own) = id.strip_prefix(&format!("{base}/public/assertions/")) {
        return accept_own(cx, named_of_ours(own)).await;
    }
    if !store::imports::has_room(&cx.db, user).await? {
        return Err(full());
    }
    let own = store::backpack::own_addresses(&cx.db, user).await?;
    let verified = source::verify(cx, &id, &own).await?;
    // What went to an address that the user has not confirmed is kept, and waits for that.
    let pending = !own.iter().any(|own| own.verified && own.address == verified.recipient_identity);
    let image = match image {
        Some(image) => image,
        None => source::fetch_image(image_address(&verified)?).await?,
    };
    keep(cx, &verified, &image, pending).await
}

fn full() -> Error {
    Error::bad_request(format!("A backpack has no more than {MAX_IMPORTS} imported badges."))
}

/// The address of the award in the form, and the image that it came in.
fn named(form: ImportForm) -> Result<(String, Option<Image>)> {
    let given = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let assertion = form.assertion.filter(|assertion| !assertion.is_null() && assertion.as_str() != Some(""));
    match (given(form.url), given(form.image), assertion) {
        (Some(url), None, None) => Ok((url, None)),
        (None, Some(image), None) => {
            let invalid = |message: &str| Error::invalid("image", "invalid", message);
            let bytes = images::from_data_uri(&image).ok_or_else(|| invalid("A data URI in base64 is expected."))?;
            let image = Image::read(bytes.clone()).map_err(|message| invalid(&message))?;
            // As it came: what is kept of an SVG has no badge in it.
            let text = match image.form {
                ImageFormat::Png => png::unbake(&bytes),
                ImageFormat::Svg => svg::unbake(&bytes),
            };
            let text = text.ok_or_else(|| invalid_badge("IMAGE_NOT_BAKED", "there is no badge in the image"))?;
            Ok((address_in(&text)?, Some(image)))
        }
        (None, None, Some(Value::String(text))) => Ok((address_in(&text)?, None)),
        (None, None, Some(document)) => Ok((address_of(&document)?, None)),
        _ => Err(Error::bad_request("Exactly one of url, image and assertion is required.")),
    }
}

/// The address in a text that was baked in: the text is the document, or only its address.
fn address_in(text: &str) -> Result<String> {
    let text = text.trim();
    match serde_json::from_str::<Value>(text) {
        Ok(document) => address_of(&document),
        Err(_no_json) if text.starts_with("https://") || text.starts_with("http://") => Ok(text.to_owned()),
        Err(_no_json) => Err(invalid_badge("UNABLE_TO_VERIFY", "only badges that are hosted can be imported")),
    }
}

fn address_of(document: &Value) -> Result<String> {
    let id = document.get("id").or_else(|| document.pointer("/verify/url")).and_then(Value::as_str);
    let id = id.filter(|id| id.starts_with("https://") || id.starts_with("http://"));
    id.map(str::to_owned).ok_or_else(|| invalid_badge("UNABLE_TO_VERIFY", "the award does not say where it is hosted"))
}

/// The entity id at the end of an address of ours: of the document, of the page, or of either in a version.
fn named_of_ours(path: &str) -> &str {
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    path.strip_suffix(".json").or_else(|| path.strip_suffix(".html")).unwrap_or(path)
}

/// An award of ours need not be asked for: it is in the backpack of its earner, who accepts it, or gets it back after turning
/// it down.
async fn accept_own(cx: &Context, id: &str) -> Result<String> {
    let award = needs::find(&cx.db, cx.caller()?, AddressedAward::lookup_by_id(id)).await;
    let award: AddressedAward = award.map_err(|error| match error.kind() {
        Kind::NotFound => invalid_badge("RECIPIENT_MISMATCH", "the award went to none of your verified addresses"),
        _ => error,
    })?;
    if award.is_revoked {
        return Err(invalid_badge("ASSERTION_REVOKED", "the award was revoked"));
    }
    // Of several who accept it at the same time one does.
    if !store::backpack::accept_again(&cx.db, award.id).await? {
        return Err(duplicate());
    }
    Ok(award.entity_id)
}

fn duplicate() -> Error {
    invalid_badge("DUPLICATE_BADGE", "You already have this badge in your backpack")
}

fn image_address(verified: &Verified) -> Result<&str> {
    [&verified.assertion, &verified.badge]
        .into_iter()
        .find_map(|document| {
            let image = document.get("image")?;
            image.as_str().or_else(|| image.get("id")?.as_str())
        })
        .ok_or_else(|| invalid_badge("UNABLE_TO_VERIFY", "the badge has no image"))
}

/// Keeps the badge, once: of two who import it at the same time one is told that it is there.
async fn keep(cx: &Context, verified: &Verified, image: &Image, pending: bool) -> Result<String> {
    let (user, entity_id) = (cx.caller()?.user, new_id());
    images::store_with(cx, Some(image), async |db, image| {
        if !store::imports::has_room(db, user).await? {
            return Err(full());
        }
        let new = NewImport {
            entity_id: &entity_id,
            open_badge_id: &verified.id,
            recipient_type: &verified.recipient_type,
            recipient_identity: &verified.recipient_identity,
            assertion: &verified.assertion,
            badge: &verified.badge,
            issuer: &verified.issuer,
            image,
            pending,
        };
        let inserted = store::imports::insert(db, user, &new, cx.now).await;
        inserted.on_unique("badge_imports.user_id, badge_imports.open_badge_id", duplicate)
    })
    .await?;
    Ok(entity_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_award_of_ours_is_named_by_any_address_of_it() {
        for path in
            ["e_-1", "e_-1/", "e_-1.json", "e_-1.html", "e_-1?v=1_1", "e_-1.html?x=/#y", "e_-1/#y", "e_-1.json/"]
        {
            assert_eq!(named_of_ours(path), "e_-1", "{path}");
        }
    }
}
