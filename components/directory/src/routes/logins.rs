//! Logins: under which names a user comes in.

use serde::Deserialize;
use shared::auth::audit::{self, Event, EventType};
use shared::auth::login::{self, MAX_LOGIN_CHARS, Outcome};
use shared::auth::{self, AccountAccess, UserAccess, password};
use shared::db::{Changes, Json};
use shared::error::{Kind, OrNotFound, Violation};
use shared::ids::{AccountId, IdOrAlias, UserId};
use shared::needs::{NeededAccount, NeededUser, may};
use shared::notify::Notifier;
use shared::prefetch::Prefetched;
use shared::{Context, Db, Error, Form, JsonSchema, LimitKind, Patch, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::checks::{MAX_CHARS, invalid, optional, required};
use crate::model::logins::{Login, LoginState, in_pseudonym};
use crate::model::unsupported;
use crate::notices;
use crate::store::logins::{self as store, LoginNamed, NewLogin};
use crate::store::stickiness::{self, StickyRecord};

endpoints![list_account_logins, create_login, update_login, list_user_logins, delete_login];

#[derive(Deserialize, JsonSchema)]
struct AccountLoginPath {
    #[serde(rename = "account_id")]
    _account_id: IdOrAlias<AccountId>,
    #[serde(rename = "id")]
    _id: i64,
}

#[derive(Deserialize, JsonSchema)]
struct LoginPath {
    id: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Whose {
    /// The user whose logins are listed, as `user[id]`.
    user: UserName,
}

#[derive(Deserialize, JsonSchema)]
struct UserName {
    id: IdOrAlias<UserId>,
}

#[derive(Deserialize, JsonSchema)]
struct NewLoginBody {
    user: UserName,
    login: LoginForm,
}

#[derive(Deserialize, JsonSchema)]
struct LoginBody {
    login: LoginForm,
    /// True unless given; false leaves the name that somebody has changed since an import.
    #[serde(default)]
    override_sis_stickiness: Option<bool>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct LoginForm {
    /// The name itself; no two logins of a tenant have the same, in whatever case it is written.
    unique_id: Patch<String>,
    password: Patch<String>,
    /// The password so far: without it nobody changes their own.
    old_password: Option<String>,
    sis_user_id: Patch<String>,
    integration_id: Patch<String>,
    /// A suspended login lets nobody in. A new one is active.
    workflow_state: Patch<LoginState>,
}

/// Lists the logins of a user.
#[endpoint(GET "/api/v1/users/:user_id/logins")]
async fn list_user_logins(cx: Context, user: NeededUser<may::ActFor>) -> Result<Reply<Vec<Login>>> {
    Ok(Reply::page(store::logins(&cx.db, user.id, &cx.page().await?).await?))
}

/// Lists the logins of a user of the account.
#[endpoint(GET "/api/v1/accounts/:account_id/logins")]
async fn list_account_logins(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Query<Whose>,
) -> Result<Reply<Vec<Login>>> {
    let user = administered(&cx, &account, &body.decode()?.user.id).await?;
    Ok(Reply::page(store::logins(&cx.db, user.id, &cx.page().await?).await?))
}

/// Gives a user one more login.
#[endpoint(POST "/api/v1/accounts/:account_id/logins", unsupported(unsupported::LOGIN))]
async fn create_login(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Form<NewLoginBody>,
) -> Result<Reply<Login>> {
    let NewLoginBody { user, login } = body.decode()?;
    let user = administered(&cx, &account, &user.id).await?;
    let new = validated_new(login).map_err(Refused::plainly)?;
    let notifier = Notifier::of(&cx).await?;
    let login = cx.db.transaction(async |db| {
        let login = store::insert(db, user.id, new, cx.now).await?;
        notices::new_login(db, &notifier, user.id, &login.unique_id).await?;
        Ok::<_, Error>(login)
    });
    Ok(Reply::ok(login.await?))
}

/// Changes a login.
#[endpoint(
    PUT "/api/v1/accounts/:account_id/logins/:id",
    throttled("wrong old passwords"),
    unsupported(unsupported::LOGIN),
)]
async fn update_login(
    cx: Context,
    _: Path<AccountLoginPath>,
    account: NeededAccount,
    named: Prefetched<LoginNamed>,
    body: Form<LoginBody>,
) -> Result<Reply<Login>> {
    let caller = cx.caller()?;
    let LoginNamed { login: Json(login), has_password: had_password, user } = named.record()?;
    let is_own = login.user_id == caller.user;
    if !is_own {
        account.require_administrator()?;
    }
    let user = user.map(|Json(user)| user).or_not_found()?;
    let is_administered = match require_administered(&account, &user) {
        Ok(()) => account.admin,
        Err(error) if is_own && matches!(error.kind(), Kind::Forbidden) => false,
        Err(error) => return Err(error),
    };
    let LoginBody { login: form, override_sis_stickiness } = body.decode()?;
    if !is_administered && !form.is_of_password_alone() {
        return Err(Error::forbidden());
    }
    if is_own && form.workflow_state == Patch::Value(LoginState::Suspended) {
        return Err(Error::bad_request("You can't suspend a login of your own"));
    }
    let is_password_given = matches!(&form.password, Patch::Value(password) if !password.is_empty());
    if is_own && is_password_given && (had_password || !is_administered) {
        require_password(&cx, &login, form.old_password.as_deref().unwrap_or_default()).await?;
    }
    let (record, changes) = (StickyRecord::Login(login.id), validated(form).map_err(Refused::plainly)?);
    let work = async |db: &Db| {
        let changes = stickiness::without_sticky(db, record, override_sis_stickiness, changes).await?;
        let changed = store::update(db, login.id, changes).await?.or_not_found()?;
        if is_password_given {
            if had_password {
                auth::revoke_all_but(db, &[login.user_id], caller.token.filter(|_| is_own), cx.now).await?;
            }
            let event = Event::of(EventType::PasswordChanged, account.root_account, Some(login.user_id)).by(caller);
            audit::record(db, &cx, Event { login: Some(login.id), ..event }).await?;
        }
        Ok::<_, Error>(changed)
    };
    let is_several = is_password_given || override_sis_stickiness == Some(false);
    Ok(Reply::ok(cx.db.transaction_if(is_several, work).await?))
}

/// 400 unless that is the password of the login. Wrong ones count as they do where people log in.
async fn require_password(cx: &Context, own: &Login, old_password: &str) -> Result<()> {
    match login::check(cx, own.account_id, &own.unique_id, old_password).await? {
        Outcome::User(_) => Ok(()),
        Outcome::Wrong => Err(Error::invalid("old_password", "invalid", "is not the password of the login")),
        Outcome::TooMany => Err(Error::throttled(LimitKind::LogIns, login::WINDOW)),
    }
}

impl LoginForm {
    fn is_of_password_alone(&self) -> bool {
        !self.unique_id.is_present()
            && !self.sis_user_id.is_present()
            && !self.integration_id.is_present()
            && !self.workflow_state.is_present()
    }
}

/// Deletes a login.
#[endpoint(DELETE "/api/v1/users/:user_id/logins/:id")]
async fn delete_login(cx: Context, Path(at): Path<LoginPath>, user: NeededUser) -> Result<Reply<Login>> {
    let login = store::login(&cx.db, user.root_account, at.id).await?.or_not_found()?;
    if login.user_id != user.id {
        return Err(Error::not_found());
    }
    if !user.administered {
        return Err(Error::forbidden());
    }
    let deleted = store::delete(&cx.db, user.id, at.id).await?;
    Ok(Reply::ok(deleted.ok_or_else(|| Error::bad_request("You can't delete the last login of a user"))?))
}

/// The user of the account's tenant, whom the caller administers.
async fn administered(cx: &Context, account: &AccountAccess, user: &IdOrAlias<UserId>) -> Result<UserAccess> {
    let user = auth::user(&cx.db, cx.caller()?, user).await?;
    require_administered(account, &user)?;
    Ok(user)
}

/// 404 for a user of another tenant than the account's, 403 for one whom the caller does not administer.
fn require_administered(account: &AccountAccess, user: &UserAccess) -> Result<()> {
    if user.root_account != account.root_account {
        return Err(Error::not_found());
    }
    if user.administered { Ok(()) } else { Err(Error::forbidden()) }
}

/// Why a login is refused: for a rule of its fields, or for another reason.
pub(crate) enum Refused {
    Rule(Violation),
    Other(Error),
}

impl Refused {
    fn plainly(self) -> Error {
        match self {
            Self::Rule(violation) => invalid(violation),
            Self::Other(error) => error,
        }
    }
}

/// The rules of a new user's login are told under `pseudonym`.
pub(crate) fn refused_in_pseudonym(why: Refused) -> Error {
    match why {
        Refused::Rule(violation) => in_pseudonym(violation),
        Refused::Other(error) => error,
    }
}

/// A new login: it needs a name.
pub(crate) fn validated_new(form: LoginForm) -> Result<NewLogin, Refused> {
    let rule = Refused::Rule;
    if form.workflow_state == Patch::Value(LoginState::Suspended) {
        return Err(rule(Violation::new("workflow_state", "invalid", "of a new login is active")));
    }
    let unique_id = required("unique_id", form.unique_id, MAX_LOGIN_CHARS).map_err(rule)?.into_option();
    Ok(NewLogin {
        unique_id: unique_id
            .ok_or_else(|| rule(Violation::new("unique_id", "blank", "can't be blank")))?
            .trim()
            .to_owned(),
        password_hash: hashed(form.password)?.into_option(),
        sis_user_id: optional("sis_user_id", form.sis_user_id, MAX_CHARS).map_err(rule)?.into_option(),
        integration_id: optional("integration_id", form.integration_id, MAX_CHARS).map_err(rule)?.into_option(),
    })
}

fn validated(form: LoginForm) -> Result<Changes, Refused> {
    let rule = Refused::Rule;
    let unique_id = required("unique_id", form.unique_id, MAX_LOGIN_CHARS).map_err(rule)?;
    Ok(Changes::default()
        .set("unique_id", unique_id.map(|name| name.trim().to_owned()))
        .set("password_hash", hashed(form.password)?)
        .set("sis_user_id", optional("sis_user_id", form.sis_user_id, MAX_CHARS).map_err(rule)?)
        .set("integration_id", optional("integration_id", form.integration_id, MAX_CHARS).map_err(rule)?)
        .set("workflow_state", form.workflow_state.map(LoginState::word)))
}

/// A blank password is none.
fn hashed(given: Patch<String>) -> Result<Patch<String>, Refused> {
    let Patch::Value(password) = optional("password", given, MAX_CHARS).map_err(Refused::Rule)? else {
        return Ok(Patch::Absent);
    };
    if password.chars().count() < password::MIN_CHARS {
        let message = format!("is too short (minimum is {} characters)", password::MIN_CHARS);
        return Err(Refused::Rule(Violation::new("password", "too_short", message)));
    }
    password::hash(&password).map(Patch::Value).map_err(Refused::Other)
}
