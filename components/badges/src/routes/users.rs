//! Users as the area knows them, and their tokens.

use serde::{Deserialize, Serialize};
use shared::db::Changes;
use shared::error::{OrNotFound, Violations};
use shared::params::Unsupported;
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::access::{PROFILE, READ_PROFILE};
use crate::model::entity::{EntityPath, Envelope, FieldRules, decode};
use crate::model::staff::names;
use crate::store;
use crate::store::users::BadgeUser;

const MAX_FIRST_NAME_CHARS: usize = 30;
const MAX_LAST_NAME_CHARS: usize = 150;

/// Whoever believes that the password is another one has a reason to.
const ELSEWHERE: &[Unsupported] = &[Unsupported::new(
    "passwords are changed at /api/v1/accounts/:account_id/logins/:id",
    &["password", "currentPassword"],
)];

endpoints![get_badge_profile, update_badge_profile, get_badge_user];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UserForm {
    first_name: Option<String>,
    last_name: Option<String>,
    marketing_opt_in: Option<bool>,
    agreed_terms_version: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct User {
    entity_type: &'static str,
    entity_id: String,
    first_name: String,
    last_name: String,
    /// Of the caller alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    emails: Option<Vec<Email>>,
    url: Vec<String>,
    telephone: Vec<String>,
    agreed_terms_version: Option<i64>,
    has_agreed_to_latest_terms_version: bool,
    marketing_opt_in: bool,
    has_password_set: bool,
    /// By what badges know the user.
    recipient: Option<Recipient>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Email {
    entity_type: &'static str,
    email: String,
    verified: bool,
    primary: bool,
    case_variants: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Recipient {
    r#type: &'static str,
    identity: String,
}

impl User {
    fn of(user: BadgeUser, own: bool) -> Self {
        let (first_name, last_name) = names(&user.name);
        let first = user.emails.0.iter().find(|email| email.verified).map(|email| email.address.clone());
        let emails = user.emails.0.into_iter().map(|email| Email {
            entity_type: "BadgeUserEmail",
            primary: Some(&email.address) == first.as_ref(),
            email: email.address,
            verified: email.verified,
            case_variants: Vec::new(),
        });
        let emails = own.then(|| emails.collect());
        Self {
            entity_type: "BadgeUser",
            entity_id: user.entity_id,
            first_name,
            last_name,
            emails,
            url: Vec::new(),
            telephone: Vec::new(),
            agreed_terms_version: user.agreed_terms_version,
            has_agreed_to_latest_terms_version: true,
            marketing_opt_in: user.marketing_opt_in,
            has_password_set: user.has_password,
            recipient: first.filter(|_| own).map(|identity| Recipient { r#type: "email", identity }),
        }
    }
}

/// Reads the caller.
#[endpoint(
    GET "/v2/users/self",
    area_scopes(READ_PROFILE),
    foreigners(200, "reads the caller"),
    students(200, "reads the caller"),
)]
async fn get_badge_profile(cx: Context, user: Prefetched<BadgeUser>) -> Result<Reply<Envelope<User>>> {
    let user = match user.into_option()? {
        Some(known) => known,
        None => store::users::update(&cx.db, cx.caller()?.user, Changes::default()).await?,
    };
    Ok(Envelope::one(&cx, User::of(user, true)))
}

/// Reads the caller, or somebody of the same staff.
#[endpoint(GET "/v2/users/:id", area_scopes(READ_PROFILE))]
async fn get_badge_user(cx: Context, Path(at): Path<EntityPath>) -> Result<Reply<Envelope<User>>> {
    let user = store::users::colleague(&cx.db, cx.caller()?.user, &at.id).await?.or_not_found()?;
    let own = user.user_id == cx.caller()?.user;
    Ok(Envelope::one(&cx, User::of(user, own)))
}

/// Changes the caller.
///
/// Addresses and passwords belong to the platform, which has its own ways to change them.
#[endpoint(
    PUT "/v2/users/self",
    PATCH "/v2/users/self" as patch_badge_profile,
    area_scopes(PROFILE),
    unsupported(ELSEWHERE),
    foreigners(200, "changes the caller"),
    students(200, "changes the caller"),
)]
async fn update_badge_profile(cx: Context, body: Form<UserForm>) -> Result<Reply<Envelope<User>>> {
    let id = cx.caller()?.user;
    let form: UserForm = decode(body)?;
    let mut violations = Violations::default();
    let mut part = |name: &str, text: Option<String>, max_chars: usize| {
        // A part that is empty is taken away; one that is left out stays.
        text.map(|text| violations.optional_text(name, Some(&text), max_chars).unwrap_or_default())
    };
    let first = part("firstName", form.first_name, MAX_FIRST_NAME_CHARS);
    let last = part("lastName", form.last_name, MAX_LAST_NAME_CHARS);
    violations.require_none()?;
    let changes = Changes::default()
        .set("marketing_opt_in", form.marketing_opt_in.map_or(Patch::Absent, Patch::Value))
        .set("agreed_terms_version", form.agreed_terms_version.map_or(Patch::Absent, Patch::Value));
    let is_renamed = first.is_some() || last.is_some();
    let user = cx.db.transaction_if(is_renamed, async |db| -> Result<BadgeUser> {
        let user = store::users::update(db, id, changes).await?;
        if !is_renamed {
            return Ok(user);
        }
        // The platform keeps a name as one: the part that is named is put into the name as it is now.
        let name = renamed(&user.name, first, last)?;
        store::users::rename(db, id, &user.name, &name).await?;
        Ok(BadgeUser { name, ..user })
    });
    Ok(Envelope::one(&cx, User::of(user.await?, true)))
}

/// The name with other parts.
fn renamed(name: &str, first: Option<String>, last: Option<String>) -> Result<String> {
    let (own_first, own_last) = names(name);
    let parts = [first.unwrap_or(own_first), last.unwrap_or(own_last)];
    let name = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(Error::invalid("firstName", "invalid", "A user needs a name."));
    }
    Ok(name)
}
