//! Users of a tenant.

use serde::{Deserialize, Serialize};
use shared::auth;
use shared::background;
use shared::channels::Kind;
use shared::db::BuiltJson;
use shared::error::OrNotFound;
use shared::ids::{IdOrAlias, UserId};
use shared::needs::{NeededAccount, NeededUser, may};
use shared::notify::Notifier;
use shared::people::is_email;
use shared::prefetch::{Prefetched, PrefetchedBuiltList};
use shared::{Context, Error, Form, JsonSchema, Patch, Path, Query, Reply, Result, Timestamp, endpoint, endpoints};

use crate::model::courses::Calendar;
use crate::model::unsupported;
use crate::model::user_form::{UserForm, email, named, renamed};
use crate::model::users::{FirstChannel, NewUser, Row, UserFilter};
use crate::notices;
use crate::routes::logins::{self, LoginForm};
use crate::store::stickiness::{self, StickyRecord};
use crate::store::users::{self as store, KnownUser, UsersOfTenant};

endpoints![list_account_users, create_user, delete_user, get_user, update_user, get_user_profile];

#[derive(Deserialize, JsonSchema)]
struct AccountUserPath {
    user_id: IdOrAlias<UserId>,
}

/// Somebody who learns, teaches or administers.
#[derive(Serialize, JsonSchema)]
pub(crate) struct User {
    pub(crate) id: UserId,
    name: String,
    created_at: Timestamp,
    /// The name by which lists are sorted: the family name first.
    sortable_name: String,
    short_name: String,
    /// The part of the sortable name behind the comma.
    first_name: String,
    /// The part of the sortable name before the comma.
    last_name: String,
    #[serde(flatten)]
    details: Option<UserDetails>,
    #[serde(flatten)]
    own: Option<OwnDetails>,
}

/// The fields that only users who read themselves see.
#[derive(Serialize, JsonSchema)]
struct OwnDetails {
    /// The language of the pages that the user is shown.
    effective_locale: &'static str,
    permissions: UserPermissions,
}

/// The things that users may change of themselves.
#[derive(Serialize, JsonSchema)]
struct UserPermissions {
    /// Users change their own names, so it is true.
    can_update_name: bool,
    /// Users have no picture, so it is false.
    can_update_avatar: bool,
    /// There are no accounts of parents, so it is false.
    limit_parent_app_web_access: bool,
}

/// The fields that only the user, administrators and the staff of the user's courses see.
#[derive(Serialize, JsonSchema)]
struct UserDetails {
    sis_user_id: Option<String>,
    integration_id: Option<String>,
    login_id: Option<String>,
    email: Option<String>,
    locale: Option<String>,
    time_zone: Option<String>,
}

/// The fields that users tell of themselves.
#[derive(Serialize, JsonSchema)]
struct Profile {
    id: UserId,
    name: String,
    short_name: String,
    sortable_name: String,
    title: Option<String>,
    bio: Option<String>,
    primary_email: Option<String>,
    login_id: Option<String>,
    sis_user_id: Option<String>,
    integration_id: Option<String>,
    locale: Option<String>,
    /// The language of the pages that the user is shown. Only for the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_locale: Option<&'static str>,
    time_zone: Option<String>,
    calendar: Calendar,
}

#[derive(Deserialize, JsonSchema)]
struct NewUserForm {
    #[serde(default)]
    user: UserForm,
    pseudonym: LoginForm,
    #[serde(default)]
    communication_channel: ChannelForm,
}

#[derive(Deserialize, JsonSchema)]
struct UserBody {
    user: UserForm,
    /// True unless given; false leaves the names that somebody has changed since an import.
    #[serde(default)]
    override_sis_stickiness: Option<bool>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ChannelForm {
    /// The address at which the user is told things; an e-mail address unless the type is another.
    address: Patch<String>,
    /// `email` or `sms`.
    r#type: Patch<String>,
    /// True if the address needs no confirmation.
    skip_confirmation: Patch<bool>,
}

/// Lists the users of an account.
#[endpoint(GET "/api/v1/accounts/:account_id/users", unsupported(unsupported::ACCOUNT_USERS))]
async fn list_account_users(
    cx: Context,
    account: NeededAccount<may::Administer>,
    users: PrefetchedBuiltList<UsersOfTenant>,
    body: Query<UserFilter>,
) -> Result<Reply<Vec<BuiltJson<User>>>> {
    let (filter, page) = (body.decode()?, cx.page().await?);
    let users = match filter.is_plain() && account.id == account.root_account {
        true => users.page(&page)?,
        false => store::of_account(&cx.db, &account, filter, &page).await?,
    };
    Ok(Reply::built_page(users.described_as()))
}

/// Creates a user with a login.
#[endpoint(POST "/api/v1/accounts/:account_id/users", unsupported(unsupported::NEW_USER))]
async fn create_user(cx: Context, account: NeededAccount, body: Form<NewUserForm>) -> Result<Reply<User>> {
    // Users belong to the tenant as a whole.
    let root = account.root_account;
    match account.id == root {
        true => account.require_administrator()?,
        false => auth::account(&cx.db, cx.caller()?, &IdOrAlias::Id(root)).await?.require_administrator()?,
    }
    let NewUserForm { user, pseudonym, communication_channel } = body.decode()?;
    let login = logins::validated_new(pseudonym).map_err(logins::refused_in_pseudonym)?;
    let channel = first_channel(&cx, communication_channel).await?;
    let address = channel.as_ref().filter(|channel| channel.kind == Kind::Email).map(|channel| channel.address.clone());
    let address = address.or_else(|| Some(login.unique_id.clone()).filter(|login| is_email(login)));
    let new = NewUser { channel, ..named(user, login.unique_id.clone(), address)? };
    let is_asked = new.channel.as_ref().is_some_and(|channel| channel.asked_from.is_some());
    let notifier = Notifier::of(&cx).await?;
    let row = cx.db.transaction(async |db| {
        let row = store::insert(db, root, new, login, cx.now).await?;
        notices::new_user(db, &notifier, root, &row).await?;
        Ok::<_, Error>(row)
    });
    let row = row.await?;
    if is_asked {
        background::run_soon();
    }
    Ok(Reply::ok(User::of(row, true)))
}

/// The channel that a new user is given, if there is an address for it.
async fn first_channel(cx: &Context, form: ChannelForm) -> Result<Option<FirstChannel>> {
    let kind = match form.r#type.into_option().as_deref() {
        None | Some("" | "email") => Kind::Email,
        Some("sms") => Kind::Sms,
        Some(_) => return Err(Error::invalid("type", "inclusion", "is not included in the list")),
    };
    let address = match kind {
        Kind::Email => email("address", form.address)?,
        Kind::Sms | Kind::Push => form.address,
    };
    let Some(address) = address.into_option().filter(|address| !address.trim().is_empty()) else { return Ok(None) };
    let address = kind.address(&address)?;
    let asked_from = if form.skip_confirmation.unwrap_or(false) { None } else { Some(cx.lasting_base_url().await?) };
    Ok(Some(FirstChannel { kind, address, asked_from }))
}

/// Reads a user.
#[endpoint(GET "/api/v1/users/:id", students(200, "those in a course know each other by name"))]
async fn get_user(cx: Context, user: NeededUser, known: Prefetched<KnownUser>) -> Result<Reply<User>> {
    let KnownUser { user: row, is_seen, is_of_account } = known.record()?;
    let closely = user.own || user.administered || is_of_account;
    if !closely && !is_seen {
        return Err(Error::forbidden());
    }
    let own = user.own.then(|| OwnDetails::of(&cx));
    Ok(Reply::ok(User { own, ..User::of(row.or_not_found()?.0, closely) }))
}

/// Changes a user.
#[endpoint(PUT "/api/v1/users/:id", unsupported(unsupported::USER))]
async fn update_user(cx: Context, user: NeededUser<may::ActFor>, body: Form<UserBody>) -> Result<Reply<User>> {
    let UserBody { user: form, override_sis_stickiness } = body.decode()?;
    if form.email.is_present() && !user.administered {
        return Err(Error::forbidden());
    }
    let has_email = form.email.is_present();
    // Which names follow the name is seen where nobody else changes them.
    let changed = cx.db.transaction(async |db| {
        let current = store::user(db, user.id).await?.or_not_found()?;
        let (record, changes) = (StickyRecord::User(user.id), renamed(form, &current)?);
        let changes = stickiness::without_sticky(db, record, override_sis_stickiness, changes).await?;
        store::update(db, user.id, changes, has_email, cx.now).await?.or_not_found()
    });
    Ok(Reply::ok(User::of(changed.await?, true)))
}

/// Deletes a user, with the user's logins and enrollments.
#[endpoint(DELETE "/api/v1/accounts/:account_id/users/:user_id")]
async fn delete_user(cx: Context, Path(at): Path<AccountUserPath>, account: NeededAccount) -> Result<Reply<User>> {
    let user = auth::user(&cx.db, cx.caller()?, &at.user_id).await?;
    if user.root_account != account.root_account {
        return Err(Error::not_found());
    }
    account.require_administrator()?;
    if !user.administered {
        return Err(Error::forbidden());
    }
    if user.own {
        return Err(Error::bad_request("You can't delete yourself"));
    }
    Ok(Reply::ok(User::of(store::delete(&cx.db, user.id, cx.now).await?.or_not_found()?, true)))
}

/// Reads a user's profile.
#[endpoint(GET "/api/v1/users/:user_id/profile")]
async fn get_user_profile(cx: Context, user: NeededUser, known: Prefetched<KnownUser>) -> Result<Reply<Profile>> {
    let KnownUser { user: row, is_of_account, .. } = known.record()?;
    if !(user.own || user.administered || is_of_account) {
        return Err(Error::forbidden());
    }
    let effective_locale = user.own.then(|| cx.language().tag());
    let user = row.or_not_found()?.0;
    Ok(Reply::ok(Profile {
        id: user.id,
        name: user.name,
        short_name: user.short_name,
        sortable_name: user.sortable_name,
        title: None,
        bio: None,
        primary_email: user.email,
        login_id: user.login_id,
        sis_user_id: user.sis_user_id,
        integration_id: user.integration_id,
        locale: user.locale,
        effective_locale,
        time_zone: user.time_zone,
        calendar: Calendar::default(),
    }))
}

impl OwnDetails {
    fn of(cx: &Context) -> Self {
        let permissions =
            UserPermissions { can_update_name: true, can_update_avatar: false, limit_parent_app_web_access: false };
        Self { effective_locale: cx.language().tag(), permissions }
    }
}

impl User {
    /// The record as somebody sees it who knows the user closely, or only by name.
    pub(crate) fn of(row: Row, closely: bool) -> Self {
        let Row { id, name, created_at, sortable_name, short_name, first_name, last_name, .. } = row;
        let details = closely.then_some(UserDetails {
            sis_user_id: row.sis_user_id,
            integration_id: row.integration_id,
            login_id: row.login_id,
            email: row.email,
            locale: row.locale,
            time_zone: row.time_zone,
        });
        Self { id, name, created_at, sortable_name, short_name, first_name, last_name, details, own: None }
    }
}
