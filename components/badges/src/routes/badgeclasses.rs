//! Classes of badges: what is awarded, and for what.

pub(crate) mod issue;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::auth::Caller;
use shared::db::Changes;
use shared::error::{OrNotFound, Violations};
use shared::{
    Context, Created, Db, Error, Form, JsonSchema, NoContent, Patch, Query, Reply, Result, endpoint, endpoints,
};

use crate::access::{self, AsEditor, AsStaff, ISSUER, NeededClass, NeededIssuer, OfIssuer, READ_ISSUER};
use crate::images::{self, Image, ImageChange};
use crate::model::classes::Alignment;
use crate::model::entity::{Envelope, FieldRules, Moment, decode, is_url, new_id, read};
use crate::model::markdown::optional_narrative;
use crate::model::role::Role;
use crate::query::{self, Last, Listing, NEWEST_FIRST, PartQuery, linked, written};
use crate::routes::issuers::{MAX_NAME_CHARS, MAX_TEXT_CHARS, MAX_URL_CHARS, blocked, extensions, with_image};
use crate::store;
use crate::store::classes::{ClassRow, Lifetime};
use crate::store::issuers::IssuerRow;

const MAX_NOTE_CHARS: usize = 1024;
/// The most bytes of both, as JSON.
const MAX_ALIGNMENTS_BYTES: usize = 32 * 1024;
const MAX_TAGS_BYTES: usize = 16 * 1024;
const MAX_ELEMENTS: usize = 100;

endpoints![
    list_badge_classes,
    create_badge_class,
    list_issuer_badge_classes,
    create_issuer_badge_class,
    get_badge_class,
    update_badge_class,
    delete_badge_class,
    duplicate_badge_class,
    reactivate_badge_class
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClassForm {
    /// The issuer's entity id, where the path does not name it.
    issuer: Option<String>,
    #[serde(default)]
    name: Patch<String>,
    #[serde(default)]
    description: Patch<String>,
    /// A PNG or SVG as a data URI; the address of the image leaves it as it is.
    #[serde(default)]
    image: Patch<Value>,
    #[serde(default)]
    image_alt_text: Patch<String>,
    #[serde(default)]
    achievement_type: Patch<String>,
    #[serde(default)]
    criteria_url: Patch<String>,
    #[serde(default)]
    criteria_narrative: Patch<String>,
    #[serde(default)]
    alignments: Patch<Value>,
    #[serde(default)]
    tags: Patch<Value>,
    /// `{"amount": 2, "duration": "years"}`.
    #[serde(default)]
    expires: Patch<Value>,
    #[serde(default)]
    extensions: Patch<Value>,
}

#[derive(Deserialize, JsonSchema)]
struct RemoveForm {
    /// Deletes what can be deleted, and does not put it away.
    hard_delete: Option<bool>,
    #[serde(rename = "archivalNote")]
    archival_note: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct DuplicateForm {
    #[serde(rename = "newName")]
    new_name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BadgeClass {
    entity_type: &'static str,
    entity_id: String,
    /// The address of its public document.
    open_badge_id: String,
    created_at: Moment,
    created_by: String,
    issuer: String,
    issuer_open_badge_id: String,
    name: String,
    image: String,
    image_alt_text: Option<String>,
    description: String,
    achievement_type: Option<String>,
    criteria_url: Option<String>,
    criteria_narrative: Option<String>,
    alignments: Vec<Alignment>,
    tags: Vec<String>,
    expires: Option<Lifetime>,
    extensions: Value,
    archived: bool,
    archived_date: Option<Moment>,
    archival_note: Option<String>,
}

impl BadgeClass {
    pub(crate) fn of(base: &str, row: ClassRow) -> Self {
        let open_badge_id = format!("{base}/public/badges/{}", row.entity_id);
        Self {
            entity_type: "BadgeClass",
            entity_id: row.entity_id,
            image: format!("{open_badge_id}/image"),
            open_badge_id,
            created_at: row.created_at,
            created_by: row.created_by,
            issuer_open_badge_id: format!("{base}/public/issuers/{}", row.issuer),
            issuer: row.issuer,
            name: row.name,
            image_alt_text: row.image_alt_text,
            description: row.description,
            achievement_type: row.achievement_type,
            criteria_url: row.criteria_url,
            criteria_narrative: row.criteria_narrative,
            alignments: row.alignments.0,
            tags: row.tags.0,
            expires: row.expires.map(|expires| expires.0),
            extensions: row.extensions.0,
            archived: row.archived_at.is_some(),
            archived_date: row.archived_at,
            archival_note: row.archival_note,
        }
    }
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ClassesQuery {
    #[serde(flatten)]
    part: PartQuery,
    /// True if archived classes are listed, too.
    #[schemars(with = "bool")]
    include_archived: Last,
}

/// Lists the classes of the caller's issuers.
#[endpoint(
    GET "/v2/badgeclasses",
    area_scopes(READ_ISSUER),
    foreigners(200, "lists the caller's own"),
    students(200, "lists the caller's own"),
)]
async fn list_badge_classes(cx: Context, query: Query<ClassesQuery>) -> Result<Listing<BadgeClass>> {
    let query = query::read(&cx, &query)?;
    let archived = query.include_archived.flag("include_archived")?;
    let (sql, values) = store::classes::listed(cx.caller()?.user, None, archived);
    page(&cx, (&sql, values), &query.part).await
}

/// Lists the classes of an issuer.
#[endpoint(GET "/v2/issuers/:id/badgeclasses", area_scopes(READ_ISSUER))]
async fn list_issuer_badge_classes(
    cx: Context,
    issuer: NeededIssuer<AsStaff>,
    query: Query<ClassesQuery>,
) -> Result<Listing<BadgeClass>> {
    let query = query::read(&cx, &query)?;
    let archived = query.include_archived.flag("include_archived")?;
    let (sql, values) = store::classes::listed(cx.caller()?.user, Some(issuer.id), archived);
    page(&cx, (&sql, values), &query.part).await
}

async fn page(
    cx: &Context,
    statement: (&str, Vec<shared::db::Value>),
    part: &PartQuery,
) -> Result<Listing<BadgeClass>> {
    let base = cx.base_url().await?;
    let view = async |rows: Vec<ClassRow>| rows.into_iter().map(|row| written(&BadgeClass::of(&base, row))).collect();
    linked(cx, part.window(cx).await?.read(&cx.db, statement, NEWEST_FIRST, view).await?)
}

/// Reads a class of badges.
#[endpoint(GET "/v2/badgeclasses/:id", area_scopes(READ_ISSUER))]
async fn get_badge_class(cx: Context, class: NeededClass<AsStaff>) -> Result<Reply<Envelope<BadgeClass>>> {
    Ok(Envelope::one(&cx, BadgeClass::of(&cx.base_url().await?, class.into_record())))
}

/// Makes a class of badges, of the issuer that the body names.
#[endpoint(
    POST "/v2/badgeclasses",
    area_scopes(ISSUER),
    body_limit(images::BODY),
    files_as_data_uris,
    foreigners(400, "it asks for an issuer of the caller's own"),
    students(400, "it asks for an issuer of the caller's own"),
    throttled("images that one user uploads"),
)]
async fn create_badge_class(cx: Context, body: Form<ClassForm>) -> Result<Created<Envelope<BadgeClass>>> {
    let form: ClassForm = decode(body)?;
    let invalid_issuer = |message: &str| Error::invalid("issuer", "invalid", message);
    let Some(issuer) = form.issuer.clone().filter(|id| !id.is_empty()) else {
        return Err(invalid_issuer("This field is required."));
    };
    let issuer = access::find_if_any::<IssuerRow>(&cx.db, cx.caller()?, &issuer, Role::Editor).await?;
    let issuer = issuer.ok_or_else(|| invalid_issuer("You do not have permission to edit badges of this issuer."))?;
    insert(cx, &issuer, form).await
}

/// Makes a class of badges of the issuer.
#[endpoint(
    POST "/v2/issuers/:id/badgeclasses",
    area_scopes(ISSUER),
    body_limit(images::BODY),
    files_as_data_uris,
    throttled("images that one user uploads"),
)]
async fn create_issuer_badge_class(
    cx: Context,
    issuer: NeededIssuer<AsEditor>,
    body: Form<ClassForm>,
) -> Result<Created<Envelope<BadgeClass>>> {
    insert(cx, &issuer, decode(body)?).await
}

async fn insert(cx: Context, issuer: &IssuerRow, form: ClassForm) -> Result<Created<Envelope<BadgeClass>>> {
    images::take_turn(&cx, &form.image).await?;
    let (changes, image) = changes(form, true)?;
    let (caller, id) = (cx.caller()?, new_id());
    let made = images::store_with(&cx, image.as_ref(), async |db, image| {
        let changes = with_image(changes, image);
        match store::classes::insert(db, issuer.id, caller.user, &id, changes).await? {
            Some(made) => Ok(made),
            None => Err(not_made::<IssuerRow>(db, caller, &issuer.entity_id).await),
        }
    });
    Ok(Envelope::created(&cx, BadgeClass::of(&cx.base_url().await?, made.await?)))
}

/// Why an issuer got no class: the caller does not edit it any more, or it has too many.
async fn not_made<T: OfIssuer>(db: &Db, caller: &Caller, id: &str) -> Error {
    let found = access::find::<T>(db, caller, id, Role::Editor).await;
    found.map_or_else(|gone| gone, |_| Error::bad_request("The issuer has too many badge classes."))
}

/// Changes a class of badges.
#[endpoint(
    PUT "/v2/badgeclasses/:id",
    area_scopes(ISSUER),
    body_limit(images::BODY),
    files_as_data_uris,
    throttled("images that one user uploads"),
)]
async fn update_badge_class(
    cx: Context,
    class: NeededClass<AsEditor>,
    body: Form<ClassForm>,
) -> Result<Reply<Envelope<BadgeClass>>> {
    let form: ClassForm = decode(body)?;
    images::take_turn(&cx, &form.image).await?;
    let (changes, image) = changes(form, false)?;
    let user = cx.caller()?.user;
    let changed = images::store_with(&cx, image.as_ref(), async |db, image| {
        store::classes::update(db, class.id, user, with_image(changes, image)).await?.or_not_found()
    });
    Ok(Envelope::one(&cx, BadgeClass::of(&cx.base_url().await?, changed.await?)))
}

/// Puts a class away, or deletes it.
#[endpoint(DELETE "/v2/badgeclasses/:id", area_scopes(ISSUER))]
async fn delete_badge_class(cx: Context, class: NeededClass<AsEditor>, body: Form<RemoveForm>) -> Result<NoContent> {
    let form: RemoveForm = decode(body)?;
    let mut violations = Violations::default();
    let note = violations.optional_text("archivalNote", form.archival_note.as_deref(), MAX_NOTE_CHARS);
    violations.require_none()?;
    let hard = form.hard_delete.unwrap_or(false);
    let caller = cx.caller()?;
    if store::classes::remove(&cx.db, class.id, caller.user, hard, note.as_deref(), cx.now).await? {
        return Ok(Reply::no_content());
    }
    access::find::<ClassRow>(&cx.db, caller, &class.entity_id, Role::Editor).await?;
    Err(blocked("BadgeClass could not be deleted. It has already been issued at least once."))
}

/// Copies a class under a new name.
#[endpoint(POST "/v2/badgeclasses/:id/duplicate", area_scopes(ISSUER))]
async fn duplicate_badge_class(
    cx: Context,
    class: NeededClass<AsEditor>,
    body: Form<DuplicateForm>,
) -> Result<Created<Envelope<BadgeClass>>> {
    let form: DuplicateForm = decode(body)?;
    let mut violations = Violations::default();
    let name = violations.text("newName", form.new_name.as_deref(), MAX_NAME_CHARS);
    violations.require_none()?;
    let (caller, id) = (cx.caller()?, new_id());
    match store::classes::duplicate(&cx.db, class.id, caller.user, &id, &name).await? {
        Some(copy) => Ok(Envelope::created(&cx, BadgeClass::of(&cx.base_url().await?, copy))),
        None => Err(not_made::<ClassRow>(&cx.db, caller, &class.entity_id).await),
    }
}

/// Takes a class out again.
#[endpoint(
    POST "/v2/badgeclasses/reactivate/:id",
    POST "/v2/badgeclasses/reactivate/ref/:address" as reactivate_badge_class_by_ref {
        summary("Takes the class out again whose public address it is, in base64")
    },
    area_scopes(ISSUER),
)]
async fn reactivate_badge_class(cx: Context, class: NeededClass<AsEditor>) -> Result<Reply<Envelope<BadgeClass>>> {
    let class = store::classes::reactivate(&cx.db, class.id, cx.caller()?.user).await?.or_not_found()?;
    Ok(Envelope::one(&cx, BadgeClass::of(&cx.base_url().await?, class)))
}

/// The changes of the form, and a new image. Fields that an update leaves out and that need not be there are gone with it,
/// except the image and its text, the type, the lifetime and the extensions, which clients often do not send.
fn changes(form: ClassForm, is_new: bool) -> Result<(Changes, Option<Image>)> {
    let mut violations = Violations::default();
    let name = violations.text("name", form.name.into_option().as_deref(), MAX_NAME_CHARS);
    let description = violations.text("description", form.description.into_option().as_deref(), MAX_TEXT_CHARS);
    let image_alt_text = optional(&mut violations, "imageAltText", form.image_alt_text);
    let achievement_type = optional(&mut violations, "achievementType", form.achievement_type);
    let criteria_url =
        violations.optional_url("criteriaUrl", form.criteria_url.into_option().as_deref(), MAX_URL_CHARS);
    let narrative = form.criteria_narrative.into_option();
    let criteria_narrative = optional_narrative(&mut violations, "criteriaNarrative", narrative.as_deref());
    if criteria_url.is_none() && criteria_narrative.is_none() {
        violations.refuse("criteriaUrl", "One of criteriaUrl and criteriaNarrative is required.");
    }
    let alignments = alignments(&mut violations, form.alignments.into_option());
    let tags = tags(&mut violations, form.tags.into_option());
    let expires = match form.expires {
        Patch::Absent => Patch::Absent,
        Patch::Null => Patch::Null,
        Patch::Value(value) => {
            lifetime(&mut violations, value).map_or(Patch::Null, |expires| Patch::Value(json!(expires)))
        }
    };
    let extensions = extensions(&mut violations, form.extensions);
    let image = image(&mut violations, &form.image, is_new);
    violations.require_none()?;
    let nullable = |text: Option<String>| text.map_or(Patch::Null, Patch::Value);
    let changes = Changes::default()
        .set("name", Patch::Value(name))
        .set("description", Patch::Value(description))
        .set("image_alt_text", image_alt_text)
        .set("achievement_type", achievement_type)
        .set("criteria_url", nullable(criteria_url))
        .set("criteria_narrative", nullable(criteria_narrative))
        .set("alignments", Patch::Value(json!(alignments)))
        .set("tags", Patch::Value(json!(tags)))
        .set("expires", expires)
        .set("extensions", extensions);
    Ok((changes, image))
}

/// A text that stays where it is left out.
fn optional(violations: &mut Violations, name: &str, field: Patch<String>) -> Patch<String> {
    if !field.is_present() {
        return Patch::Absent;
    }
    violations.optional_text(name, field.into_option().as_deref(), MAX_NAME_CHARS).map_or(Patch::Null, Patch::Value)
}

/// A new image. A class is never without one.
fn image(violations: &mut Violations, field: &Patch<Value>, is_new: bool) -> Option<Image> {
    let given = match field {
        Patch::Absent => Ok(ImageChange::Kept),
        Patch::Null => Ok(ImageChange::Removed),
        Patch::Value(value) => Image::change(Some(value)),
    };
    match given {
        Ok(ImageChange::New(image)) => return Some(image),
        Ok(ImageChange::Kept) if !is_new => {}
        Ok(ImageChange::Kept | ImageChange::Removed) => violations.refuse("image", "This field is required."),
        Err(message) => violations.refuse("image", message),
    }
    None
}

fn alignments(violations: &mut Violations, value: Option<Value>) -> Vec<Alignment> {
    let Some(value) = value else { return Vec::new() };
    violations.require_size("alignments", &value, MAX_ALIGNMENTS_BYTES);
    let Ok(AlignmentList { alignments }) = read::<AlignmentList>(json!({ "alignments": value })) else {
        violations.refuse("alignments", "Each alignment needs a targetName and a targetUrl.");
        return Vec::new();
    };
    if alignments.len() > MAX_ELEMENTS {
        violations.refuse("alignments", format!("Ensure this field has no more than {MAX_ELEMENTS} elements."));
        return Vec::new();
    }
    let mut plain = |text: &str| violations.optional_text("alignments", Some(text), MAX_TEXT_CHARS);
    let alignments = alignments.into_iter().map(|alignment| Alignment {
        target_name: plain(&alignment.target_name).unwrap_or_default(),
        target_description: alignment.target_description.as_deref().and_then(&mut plain),
        target_framework: alignment.target_framework.as_deref().and_then(&mut plain),
        target_code: alignment.target_code.as_deref().and_then(&mut plain),
        target_url: alignment.target_url,
    });
    let alignments: Vec<_> = alignments.collect();
    if alignments.iter().any(|alignment| alignment.target_name.is_empty() || !is_url(&alignment.target_url)) {
        violations.refuse("alignments", "Each alignment needs a targetName and a targetUrl.");
    }
    alignments
}

#[derive(Deserialize)]
struct AlignmentList {
    alignments: Vec<Alignment>,
}

fn tags(violations: &mut Violations, value: Option<Value>) -> Vec<String> {
    let Some(value) = value else { return Vec::new() };
    let tags: Option<Vec<String>> = serde_json::from_value(value).ok();
    let Some(tags) = tags else {
        violations.refuse("tags", "Enter a list of texts.");
        return Vec::new();
    };
    if tags.len() > MAX_ELEMENTS {
        violations.refuse("tags", format!("Ensure this field has no more than {MAX_ELEMENTS} elements."));
        return Vec::new();
    }
    violations.require_size("tags", &tags, MAX_TAGS_BYTES);
    tags.iter().filter_map(|tag| violations.optional_text("tags", Some(tag), MAX_NAME_CHARS)).collect()
}

fn lifetime(violations: &mut Violations, value: Value) -> Option<Lifetime> {
    let lifetime: Option<Lifetime> = read(value).ok();
    let lifetime = lifetime.filter(|lifetime| (1..=lifetime.duration.in_a_hundred_years()).contains(&lifetime.amount));
    if lifetime.is_none() {
        let message =
            "Enter a positive amount, and a duration of days, weeks, months or years: a hundred years at most.";
        violations.refuse("expires", message);
    }
    lifetime
}
