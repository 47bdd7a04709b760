//! Administrators of accounts.

use serde::Deserialize;
use shared::auth;
use shared::error::OrNotFound;
use shared::ids::{IdOrAlias, UserId};
use shared::needs::{NeededAccount, may};
use shared::notify::Notifier;
use shared::{Context, Error, Form, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::admins::Admin;
use crate::model::filters::AnyOf;
use crate::model::unsupported;
use crate::notices;
use crate::store::admins as store;

const ROLE: &str = "AccountAdmin";

endpoints![list_admins, create_admin, delete_admin];

#[derive(Deserialize, JsonSchema)]
struct AdminPath {
    user_id: IdOrAlias<UserId>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct Filter {
    /// Only these users.
    user_id: AnyOf<UserId>,
}

#[derive(Deserialize, JsonSchema)]
struct AdminForm {
    user_id: IdOrAlias<UserId>,
    /// There is one role: `AccountAdmin`.
    #[serde(default)]
    role: Option<String>,
}

/// Lists the administrators of an account.
#[endpoint(GET "/api/v1/accounts/:account_id/admins", unsupported(unsupported::ADMINS))]
async fn list_admins(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Query<Filter>,
) -> Result<Reply<Vec<Admin>>> {
    let users = body.decode()?.user_id;
    Ok(Reply::page(store::admins(&cx.db, account.id, users, &cx.page().await?).await?))
}

/// Makes a user an administrator of an account.
#[endpoint(POST "/api/v1/accounts/:account_id/admins", unsupported(unsupported::ADMIN))]
async fn create_admin(
    cx: Context,
    account: NeededAccount<may::Administer>,
    body: Form<AdminForm>,
) -> Result<Reply<Admin>> {
    let form = body.decode()?;
    if form.role.is_some_and(|role| !role.is_empty() && role != ROLE) {
        return Err(Error::invalid("role", "inclusion", format!("must be {ROLE}")));
    }
    let user = auth::user(&cx.db, cx.caller()?, &form.user_id).await?;
    let notifier = Notifier::of(&cx).await?;
    let admin = cx.db.transaction(async |db| {
        let was_one = store::administers(db, account.id, user.id).await?;
        let admin = store::insert(db, &account, user.id, cx.now).await?.or_not_found()?;
        if !was_one {
            notices::administers(db, &notifier, account.id, &account.name, user.id, &user.name).await?;
        }
        Ok::<_, Error>(admin)
    });
    Ok(Reply::ok(admin.await?))
}

/// Takes the administration of an account from a user.
#[endpoint(DELETE "/api/v1/accounts/:account_id/admins/:user_id")]
async fn delete_admin(cx: Context, Path(at): Path<AdminPath>, account: NeededAccount) -> Result<Reply<Admin>> {
    let user = auth::user(&cx.db, cx.caller()?, &at.user_id).await?;
    account.require_administrator()?;
    Ok(Reply::ok(store::delete(&cx.db, account.id, user.id).await?.or_not_found()?))
}
