//! Issuers: who awards badges.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::db::Changes;
use shared::error::{Violation, Violations};
use shared::ids::UserId;
use shared::{
    Context, Created, Db, Error, Form, JsonSchema, NoContent, Patch, Query, Reply, Result, endpoint, endpoints,
};

use crate::access::{self, AsEditor, AsOwner, AsStaff, ISSUER, NeededIssuer, READ_ISSUER};
use crate::images::{self, Image, ImageChange};
use crate::model::entity::{Envelope, FieldRules, Moment, decode, new_id};
use crate::model::error_format::error_body;
use crate::model::role::Role;
use crate::model::staff::{IssuerStaff, StaffEntry};
use crate::query::{self, Last};
use crate::routes::staff::{self, is_as_it_is};
use crate::store::issuers::IssuerRow;
use crate::{signing, store};

pub(crate) const MAX_NAME_CHARS: usize = 1024;
pub(crate) const MAX_TEXT_CHARS: usize = 16_384;
pub(crate) const MAX_URL_CHARS: usize = 1024;
const MAX_EMAIL_CHARS: usize = 255;

endpoints![list_issuers, create_issuer, get_issuer, update_issuer, delete_issuer];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuerForm {
    #[serde(default)]
    name: Patch<String>,
    /// One of the caller's verified addresses.
    #[serde(default)]
    email: Patch<String>,
    #[serde(default)]
    description: Patch<String>,
    #[serde(default)]
    url: Patch<String>,
    /// A data URI; the address of the image leaves it as it is, and null takes it away.
    #[serde(default)]
    image: Patch<Value>,
    #[serde(default)]
    extensions: Patch<Value>,
    /// The roles of the staff; it must keep an owner. Only an owner may change it, and only where the issuer is there
    /// already. The staff as it is and an empty list leave it.
    #[serde(default)]
    staff: Option<Vec<StaffEntry>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Issuer {
    entity_type: &'static str,
    entity_id: String,
    /// The address of its public document.
    open_badge_id: String,
    created_at: Moment,
    created_by: String,
    name: String,
    image: Option<String>,
    email: String,
    description: String,
    url: String,
    staff: Vec<IssuerStaff>,
    extensions: Value,
    /// The host of its address.
    badgr_domain: Option<String>,
}

impl Issuer {
    pub(crate) fn of(base: &str, row: IssuerRow, with_staff: bool) -> Self {
        let open_badge_id = format!("{base}/public/issuers/{}", row.entity_id);
        let staff = row.staff.0.into_iter().filter(|_| with_staff).map(IssuerStaff::of).collect();
        let host = row.url.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
        Self {
            entity_type: "Issuer",
            entity_id: row.entity_id,
            image: row.image.map(|_| format!("{open_badge_id}/image")),
            open_badge_id,
            created_at: row.created_at,
            created_by: row.created_by,
            name: row.name,
            email: row.email,
            description: row.description,
            url: row.url,
            staff,
            extensions: row.extensions.0,
            badgr_domain: host,
        }
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct StaffQuery {
    /// True if the staff is shown; yes by default.
    #[schemars(with = "bool")]
    include_staff: Last,
}

fn with_staff(cx: &Context, query: &Query<StaffQuery>) -> Result<bool> {
    let StaffQuery { include_staff } = query::read(cx, query)?;
    if include_staff.0.is_none() { Ok(true) } else { include_staff.flag("include_staff") }
}

/// Lists the issuers of whose staff the caller is.
#[endpoint(
    GET "/v2/issuers",
    area_scopes(READ_ISSUER),
    foreigners(200, "lists the caller's own"),
    students(200, "lists the caller's own"),
)]
async fn list_issuers(cx: Context, query: Query<StaffQuery>) -> Result<Reply<Envelope<Issuer>>> {
    let (base, with_staff) = (cx.base_url().await?, with_staff(&cx, &query)?);
    let rows = store::issuers::list(&cx.db, cx.caller()?.user).await?;
    let issuers = rows.into_iter().map(|row| Issuer::of(&base, row, with_staff)).collect();
    Ok(Reply::ok(Envelope::of(&cx, issuers)))
}

/// Reads an issuer.
#[endpoint(
    GET "/v2/issuers/:id",
    GET "/v2/issuers/openBadgeId/:address" as get_issuer_by_open_badge_id { summary("Reads the issuer whose public address it is, in base64") },
    GET "/v2/issuers/ref/:address" as get_issuer_by_ref { summary("Reads the issuer whose public address it is, in base64") },
    area_scopes(READ_ISSUER),
)]
async fn get_issuer(
    cx: Context,
    issuer: NeededIssuer<AsStaff>,
    query: Query<StaffQuery>,
) -> Result<Reply<Envelope<Issuer>>> {
    let with_staff = with_staff(&cx, &query)?;
    Ok(Envelope::one(&cx, Issuer::of(&cx.base_url().await?, issuer.into_record(), with_staff)))
}

/// Makes an issuer of the caller's.
#[endpoint(
    POST "/v2/issuers",
    area_scopes(ISSUER),
    body_limit(images::BODY),
    files_as_data_uris,
    foreigners(400, "makes one of the caller's own"),
    throttled("images that one user uploads"),
)]
async fn create_issuer(cx: Context, body: Form<IssuerForm>) -> Result<Created<Envelope<Issuer>>> {
    let (user, tenant) = (cx.caller()?.user, cx.caller()?.root_account);
    access::require_issuer_maker(&cx.db, user, tenant).await?;
    let form: IssuerForm = decode(body)?;
    images::take_turn(&cx, &form.image).await?;
    let (changes, email, image) = changes(form, Whole::IS_WHOLE)?;
    let id = new_id();
    signing::have_key(&cx, tenant).await?;
    let insert = async |db: &Db, changes: Changes| {
        access::require_issuer_maker(db, user, tenant).await?;
        require_own_address(db, user, email.as_deref()).await?;
        store::users::ensure_profile(db, user).await?;
        match store::issuers::insert(db, tenant, user, &id, changes).await? {
            true => Ok(()),
            false => Err(Error::bad_request("You own too many issuers.")),
        }
    };
    images::store_with(&cx, image.as_ref(), async |db, image| {
        db.transaction(async |db| insert(db, with_image(changes, image)).await).await
    })
    .await?;
    let issuer = access::find(&cx.db, cx.caller()?, &id, Role::Owner).await?;
    Ok(Envelope::created(&cx, Issuer::of(&cx.base_url().await?, issuer, true)))
}

/// Replaces what an issuer says of itself.
#[endpoint(
    PUT "/v2/issuers/:id" as update_issuer::<Whole>,
    PUT "/v2/issuers/openBadgeId/:address" as update_issuer_by_open_badge_id::<Whole> {
        summary("Replaces what the issuer says of itself whose public address it is")
    },
    PUT "/v2/issuers/ref/:address" as update_issuer_by_ref::<Whole> {
        summary("Replaces what the issuer says of itself whose public address it is")
    },
    PATCH "/v2/issuers/:id" as patch_issuer::<Part> { summary("Changes what an issuer says of itself") },
    area_scopes(ISSUER),
    body_limit(images::BODY),
    files_as_data_uris,
    throttled("images that one user uploads"),
)]
async fn update_issuer<E: Extent>(
    cx: Context,
    issuer: NeededIssuer<AsEditor>,
    body: Form<IssuerForm>,
    query: Query<StaffQuery>,
) -> Result<Reply<Envelope<Issuer>>> {
    let mut form: IssuerForm = decode(body)?;
    images::take_turn(&cx, &form.image).await?;
    let staff = form.staff.take().filter(|staff| !is_as_it_is(&issuer.staff.0, staff));
    let (changes, _, image) = changes(form, E::IS_WHOLE)?;
    let (caller, id) = (cx.caller()?, issuer.entity_id.as_str());
    let update = async |db: &Db, changes: Changes| {
        let Some(changed) = store::issuers::update(db, issuer.id, caller.user, changes).await? else {
            access::find::<IssuerRow>(db, caller, id, Role::Editor).await?;
            return Err(not_own_address());
        };
        if let Some(staff) = &staff {
            staff::replace(db, changed.id, changed.role, staff).await?;
        }
        Ok(changed)
    };
    let mut changed = images::store_with(&cx, image.as_ref(), async |db, image| {
        db.transaction_if(staff.is_some(), async |db| update(db, with_image(changes, image)).await).await
    })
    .await?;
    if staff.is_some() {
        changed = access::find(&cx.db, caller, id, Role::Staff).await?;
    }
    let with_staff = with_staff(&cx, &query)?;
    Ok(Envelope::one(&cx, Issuer::of(&cx.base_url().await?, changed, with_staff)))
}

/// Deletes an issuer without living awards.
#[endpoint(
    DELETE "/v2/issuers/:id",
    DELETE "/v2/issuers/openBadgeId/:address" as delete_issuer_by_open_badge_id {
        summary("Deletes the issuer whose public address it is")
    },
    DELETE "/v2/issuers/ref/:address" as delete_issuer_by_ref {
        summary("Deletes the issuer whose public address it is")
    },
    area_scopes(ISSUER),
)]
async fn delete_issuer(cx: Context, issuer: NeededIssuer<AsOwner>) -> Result<NoContent> {
    let caller = cx.caller()?;
    let deleted = cx.db.transaction(async |db| -> Result<bool> {
        let issuer: IssuerRow = access::find(db, caller, &issuer.entity_id, Role::Owner).await?;
        Ok(store::issuers::delete(db, issuer.id, cx.now).await?)
    });
    match deleted.await? {
        true => Ok(Reply::no_content()),
        false => Err(blocked("issuer has unrevoked assertions and cannot be deleted")),
    }
}

/// 400 whose description is the reason.
pub(crate) fn blocked(reason: &str) -> Error {
    let body = error_body(reason, serde_json::Map::new(), Vec::new());
    Error::own(http::StatusCode::BAD_REQUEST, body)
}

/// The part of an issuer that a form tells: all that it says of itself, or a part of it. A field that is left out of
/// the whole must be there or is empty; what is left out of a part stays as it is.
trait Extent: 'static {
    const IS_WHOLE: bool;
}

struct Whole;

impl Extent for Whole {
    const IS_WHOLE: bool = true;
}

struct Part;

impl Extent for Part {
    const IS_WHOLE: bool = false;
}

/// The changes of the form, its address, and a new image. Image, extensions and staff stay where they are left out.
fn changes(form: IssuerForm, is_whole: bool) -> Result<(Changes, Option<String>, Option<Image>)> {
    let mut violations = Violations::default();
    let is_told = |field: &Patch<String>| is_whole || field.is_present();
    let told = |told: bool, text: String| if told { Patch::Value(text) } else { Patch::Absent };
    let required = |violations: &mut Violations, name: &str, field: Patch<String>, max_chars: usize| {
        let is_told = is_told(&field);
        let text = is_told.then(|| violations.text(name, field.into_option().as_deref(), max_chars));
        told(is_told, text.unwrap_or_default())
    };
    let name = required(&mut violations, "name", form.name, MAX_NAME_CHARS);
    let email = required(&mut violations, "email", form.email, MAX_EMAIL_CHARS);
    let is_url_told = is_told(&form.url);
    let url = violations.optional_url("url", form.url.into_option().as_deref(), MAX_URL_CHARS);
    if is_url_told && url.is_none() {
        violations.refuse("url", "This field is required.");
    }
    let is_description_told = is_told(&form.description);
    let description =
        violations.optional_text("description", form.description.into_option().as_deref(), MAX_TEXT_CHARS);
    let extensions = extensions(&mut violations, form.extensions);
    let change = match &form.image {
        Patch::Absent => Ok(ImageChange::Kept),
        Patch::Null => Ok(ImageChange::Removed),
        Patch::Value(value) => Image::change(Some(value)),
    };
    let change = change.unwrap_or_else(|message| {
        violations.refuse("image", message);
        ImageChange::Kept
    });
    let email = email.into_option();
    if email.as_deref().is_some_and(|email| !email.is_empty() && !shared::people::is_email(email)) {
        violations.refuse("email", "Enter a valid email address.");
    }
    violations.require_none()?;
    let changes = Changes::default()
        .set("name", name)
        .set("email", email.clone().map_or(Patch::Absent, Patch::Value))
        .set("url", told(is_url_told, url.unwrap_or_default()))
        .set("description", told(is_description_told, description.unwrap_or_default()))
        .set("extensions", extensions);
    Ok(match change {
        ImageChange::Kept => (changes, email, None),
        ImageChange::Removed => (changes.set("image", Patch::<String>::Null), email, None),
        ImageChange::New(image) => (changes, email, Some(image)),
    })
}

/// The extensions that a form gives; null takes all of them away.
pub(crate) fn extensions(violations: &mut Violations, field: Patch<Value>) -> Patch<Value> {
    if !field.is_present() {
        return Patch::Absent;
    }
    Patch::Value(violations.extensions(field.into_option()).unwrap_or_else(|| json!({})))
}

/// The changes with the image that was stored for them.
pub(crate) fn with_image(changes: Changes, image: Option<&str>) -> Changes {
    changes.set("image", image.map_or(Patch::Absent, Patch::Value))
}

/// Refuses an address of an issuer that is none of the user's own that are verified.
async fn require_own_address(db: &Db, user: UserId, email: Option<&str>) -> Result<()> {
    let Some(email) = email else { return Ok(()) };
    if store::users::owns_email(db, user, email).await? {
        return Ok(());
    }
    Err(not_own_address())
}

fn not_own_address() -> Error {
    let message = "Issuer email must be one of your verified addresses. Add this email to your profile (POST \
                   /api/v1/users/self/communication_channels), confirm it and try again.";
    Error::violations(vec![Violation { field: None, code: "invalid", message: message.into() }])
}
