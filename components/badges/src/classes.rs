//! Classes of badges: what is awarded, and for what.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::error::OrNotFound;
use shared::{Body, Context, Endpoint, Error, Patch, Reply, Result, delete, get, post, put};

use crate::access::{self, ISSUER, READ_ISSUER, Role};
use crate::entity::{AddressPath, Answer, EntityPath, Moment, NoPath, Problems, decode, is_url, new_id, read};
use crate::images::{self, Given, Image, Stored};
use crate::issuers::{LONGEST_NAME, LONGEST_TEXT, LONGEST_URL, blocked};
use crate::paging::{self, Window};
use crate::store;
use crate::store::classes::{Alignment, ClassFields, ClassRow, Lifetime};

const LONGEST_NOTE: usize = 1024;
const MOST: usize = 100;
/// A hundred years.
const LONGEST_LIFETIME: i64 = 36_500;

pub(crate) fn endpoints() -> [Endpoint; 10] {
    [
        get("/v2/badgeclasses", list).area_scopes(READ_ISSUER).about("Lists the classes of the caller's issuers"),
        post("/v2/badgeclasses", create)
            .area_scopes(ISSUER)
            .up_to(images::BODY)
            .about("Makes a class of badges, of the issuer that the body names"),
        get("/v2/issuers/:id/badgeclasses", list_of_issuer)
            .area_scopes(READ_ISSUER)
            .about("Lists the classes of an issuer"),
        post("/v2/issuers/:id/badgeclasses", create_in)
            .area_scopes(ISSUER)
            .up_to(images::BODY)
            .about("Makes a class of badges of the issuer"),
        get("/v2/badgeclasses/:id", show).area_scopes(READ_ISSUER).about("Reads a class of badges"),
        put("/v2/badgeclasses/:id", update).area_scopes(ISSUER).up_to(images::BODY).about("Changes a class of badges"),
        delete("/v2/badgeclasses/:id", destroy).area_scopes(ISSUER).about("Puts a class away, or deletes it"),
        post("/v2/badgeclasses/:id/duplicate", duplicate).area_scopes(ISSUER).about("Copies a class under a new name"),
        post("/v2/badgeclasses/reactivate/:id", reactivate).area_scopes(ISSUER).about("Takes a class out again"),
        post("/v2/badgeclasses/reactivate/ref/:address", reactivate_by_address)
            .area_scopes(ISSUER)
            .about("Takes the class out again whose public address it is, in base64"),
    ]
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
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

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct RemoveForm {
    /// Deletes what can be deleted, and does not put it away.
    hard_delete: Option<bool>,
    #[serde(rename = "archivalNote")]
    archival_note: Option<String>,
}

#[derive(Deserialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
struct DuplicateForm {
    #[serde(rename = "newName")]
    new_name: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(schemars::JsonSchema))]
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

async fn list(cx: Context) -> Result<Reply<Answer<BadgeClass>>> {
    let (sql, values) = store::classes::listed(cx.caller()?.user, None, paging::flag(&cx, "include_archived")?);
    page(&cx, &sql, values).await
}

async fn list_of_issuer(cx: Context, at: EntityPath) -> Result<Reply<Answer<BadgeClass>>> {
    let issuer = access::issuer(&cx, &at.id, Role::Staff).await?;
    let archived = paging::flag(&cx, "include_archived")?;
    let (sql, values) = store::classes::listed(cx.caller()?.user, Some(issuer.id), archived);
    page(&cx, &sql, values).await
}

async fn page(cx: &Context, sql: &str, values: Vec<shared::db::Value>) -> Result<Reply<Answer<BadgeClass>>> {
    let base = cx.base_url().await?;
    let listed = Window::of(cx).await?.read::<ClassRow>(cx, sql, values).await?;
    listed.reply(cx, |row| BadgeClass::of(&base, row)).await
}

/// The class of that entity id, of whose issuer's staff the caller is in at least that role.
pub(crate) async fn find(cx: &Context, id: &str, least: Role) -> Result<ClassRow> {
    let class = store::classes::find(&cx.db, cx.caller()?.user, id).await?.or_not_found()?;
    class.role.must_be(least)?;
    Ok(class)
}

async fn show(cx: Context, at: EntityPath) -> Result<Reply<Answer<BadgeClass>>> {
    let class = find(&cx, &at.id, Role::Staff).await?;
    Ok(Answer::one(&cx, BadgeClass::of(&cx.base_url().await?, class)))
}

async fn create(cx: Context, _: NoPath, body: Body<ClassForm>) -> Result<Reply<Answer<BadgeClass>>> {
    let form: ClassForm = decode(body)?;
    let refused = |message: &str| Error::invalid("issuer", "invalid", message);
    let Some(issuer) = form.issuer.clone().filter(|id| !id.is_empty()) else {
        return Err(refused("This field is required."));
    };
    let issuer = access::issuer(&cx, &issuer, Role::Editor).await;
    let issuer = issuer.map_err(|_hidden| refused("You do not have permission to edit badges of this issuer."))?;
    insert(cx, issuer.id, form).await
}

async fn create_in(cx: Context, at: EntityPath, body: Body<ClassForm>) -> Result<Reply<Answer<BadgeClass>>> {
    let issuer = access::issuer(&cx, &at.id, Role::Editor).await?;
    insert(cx, issuer.id, decode(body)?).await
}

async fn insert(cx: Context, issuer: shared::ids::IssuerId, form: ClassForm) -> Result<Reply<Answer<BadgeClass>>> {
    let (fields, image) = fields(form, None).await?;
    let (user, id) = (cx.caller()?.user, new_id());
    cx.db
        .transaction(async |db| {
            if let Some(image) = &image {
                store::images::insert(db, image, cx.now).await?;
            }
            store::classes::insert(db, issuer, user, &id, fields, cx.now).await
        })
        .await?;
    let class = find(&cx, &id, Role::Staff).await?;
    Ok(Answer::created(&cx, BadgeClass::of(&cx.base_url().await?, class)))
}

async fn update(cx: Context, at: EntityPath, body: Body<ClassForm>) -> Result<Reply<Answer<BadgeClass>>> {
    let class = find(&cx, &at.id, Role::Editor).await?;
    let id = class.id;
    let (fields, image) = fields(decode(body)?, Some(class)).await?;
    cx.db
        .transaction(async |db| {
            if let Some(image) = &image {
                store::images::insert(db, image, cx.now).await?;
            }
            store::classes::update(db, id, fields, cx.now).await
        })
        .await?;
    show(cx, at).await
}

async fn destroy(cx: Context, at: EntityPath, body: Body<RemoveForm>) -> Result<Reply> {
    let class = find(&cx, &at.id, Role::Editor).await?;
    let form: RemoveForm = decode(body)?;
    let mut problems = Problems::default();
    let note = problems.optional_text("archivalNote", form.archival_note.as_deref(), LONGEST_NOTE);
    problems.none()?;
    let hard = form.hard_delete.unwrap_or(false);
    let removed =
        cx.db.transaction(async |db| store::classes::remove(db, class.id, hard, note.as_deref(), cx.now).await);
    match removed.await? {
        true => Ok(Reply::no_content()),
        false => Err(blocked("BadgeClass could not be deleted. It has already been issued at least once.")),
    }
}

async fn duplicate(cx: Context, at: EntityPath, body: Body<DuplicateForm>) -> Result<Reply<Answer<BadgeClass>>> {
    let class = find(&cx, &at.id, Role::Editor).await?;
    let form: DuplicateForm = decode(body)?;
    let mut problems = Problems::default();
    let name = problems.text("newName", form.new_name.as_deref(), LONGEST_NAME);
    problems.none()?;
    let (user, id, issuer) = (cx.caller()?.user, new_id(), class.issuer_id);
    // The image is shared: what is stored under a name is never changed.
    let fields = ClassFields { name, ..ClassFields::from(class) };
    store::classes::insert(&cx.db, issuer, user, &id, fields, cx.now).await?;
    let class = find(&cx, &id, Role::Staff).await?;
    Ok(Answer::created(&cx, BadgeClass::of(&cx.base_url().await?, class)))
}

async fn reactivate(cx: Context, at: EntityPath) -> Result<Reply<Answer<BadgeClass>>> {
    let class = find(&cx, &at.id, Role::Editor).await?;
    store::classes::reactivate(&cx.db, class.id, cx.now).await?;
    show(cx, at).await
}

async fn reactivate_by_address(cx: Context, at: AddressPath) -> Result<Reply<Answer<BadgeClass>>> {
    let at = at.entity(&cx, "badges").await?;
    reactivate(cx, at).await
}

impl From<ClassRow> for ClassFields {
    fn from(row: ClassRow) -> Self {
        Self {
            name: row.name,
            description: row.description,
            image: row.image,
            image_alt_text: row.image_alt_text,
            achievement_type: row.achievement_type,
            criteria_url: row.criteria_url,
            criteria_narrative: row.criteria_narrative,
            alignments: row.alignments.0,
            tags: row.tags.0,
            expires: row.expires.map(|expires| expires.0),
            extensions: row.extensions.0,
        }
    }
}

/// What the class says, and a new image that is stored already. What an update leaves out and need not be there is gone
/// with it, except the image, the lifetime and the extensions, which clients often do not send.
async fn fields(form: ClassForm, own: Option<ClassRow>) -> Result<(ClassFields, Option<Stored>)> {
    let mut problems = Problems::default();
    let name = problems.text("name", form.name.into_option().as_deref(), LONGEST_NAME);
    let description = problems.text("description", form.description.into_option().as_deref(), LONGEST_TEXT);
    let alt = form.image_alt_text.over(own.as_ref().and_then(|own| own.image_alt_text.clone()));
    let image_alt_text = problems.optional_text("imageAltText", alt.as_deref(), LONGEST_NAME);
    let kind = form.achievement_type.over(own.as_ref().and_then(|own| own.achievement_type.clone()));
    let achievement_type = problems.optional_text("achievementType", kind.as_deref(), LONGEST_NAME);
    let criteria_url = problems.optional_url("criteriaUrl", form.criteria_url.into_option().as_deref(), LONGEST_URL);
    let narrative = form.criteria_narrative.into_option();
    let criteria_narrative = problems.optional_text("criteriaNarrative", narrative.as_deref(), LONGEST_TEXT);
    if criteria_url.is_none() && criteria_narrative.is_none() {
        problems.add("criteriaUrl", "One of criteriaUrl and criteriaNarrative is required.");
    }
    let alignments = alignments(&mut problems, form.alignments.into_option());
    let tags = tags(&mut problems, form.tags.into_option());
    let expires = match form.expires {
        Patch::Absent => own.as_ref().and_then(|own| own.expires.clone()).map(|expires| expires.0),
        Patch::Null => None,
        Patch::Value(value) => lifetime(&mut problems, value),
    };
    let own_extensions = own.as_ref().map(|own| own.extensions.0.clone());
    let extensions = form.extensions.over(own_extensions);
    let extensions = problems.extensions(extensions).unwrap_or_else(|| json!({}));
    let given = match &form.image {
        Patch::Absent => Ok(Given::Kept),
        Patch::Null => Ok(Given::Removed),
        Patch::Value(value) => Image::given(Some(value)),
    };
    let new = match given {
        Ok(Given::New(image)) => Some(image),
        Ok(Given::Kept) if own.is_some() => None,
        Ok(Given::Kept | Given::Removed) => {
            problems.add("image", "This field is required.");
            None
        }
        Err(message) => {
            problems.add("image", message);
            None
        }
    };
    problems.none()?;
    let stored = match new {
        Some(image) => Some(image.store().await?),
        None => None,
    };
    let image = stored.as_ref().map(|stored| stored.name.clone()).or(own.map(|own| own.image)).unwrap_or_default();
    let fields = ClassFields {
        name,
        description,
        image,
        image_alt_text,
        achievement_type,
        criteria_url,
        criteria_narrative,
        alignments,
        tags,
        expires,
        extensions,
    };
    Ok((fields, stored))
}

fn alignments(problems: &mut Problems, value: Option<Value>) -> Vec<Alignment> {
    let Some(value) = value else { return Vec::new() };
    let Ok(Listed { alignments }) = read::<Listed>(json!({ "alignments": value })) else {
        problems.add("alignments", "Each alignment needs a targetName and a targetUrl.");
        return Vec::new();
    };
    if alignments.len() > MOST {
        problems.add("alignments", format!("Ensure this field has no more than {MOST} elements."));
    }
    if alignments.iter().any(|alignment| alignment.target_name.trim().is_empty() || !is_url(&alignment.target_url)) {
        problems.add("alignments", "Each alignment needs a targetName and a targetUrl.");
    }
    alignments
}

#[derive(Deserialize)]
struct Listed {
    alignments: Vec<Alignment>,
}

fn tags(problems: &mut Problems, value: Option<Value>) -> Vec<String> {
    let Some(value) = value else { return Vec::new() };
    let tags: Option<Vec<String>> = serde_json::from_value(value).ok();
    let Some(tags) = tags else {
        problems.add("tags", "Enter a list of texts.");
        return Vec::new();
    };
    if tags.len() > MOST {
        problems.add("tags", format!("Ensure this field has no more than {MOST} elements."));
    }
    tags.iter().filter_map(|tag| problems.optional_text("tags", Some(tag), LONGEST_NAME)).collect()
}

fn lifetime(problems: &mut Problems, value: Value) -> Option<Lifetime> {
    let lifetime: Option<Lifetime> = read(value).ok();
    let lifetime = lifetime.filter(|lifetime| (1..=LONGEST_LIFETIME).contains(&lifetime.amount));
    if lifetime.is_none() {
        problems.add("expires", "Enter a positive amount, and a duration of days, weeks, months or years.");
    }
    lifetime
}
