//! The rights to an issuer: its staff has them, by three roles. Whoever has not the role is told that there is no such
//! record.

use http::StatusCode;
use serde_json::Map;
#[cfg(not(target_arch = "wasm32"))]
use shared::api::AreaTokens;
use shared::auth::Caller;
use shared::error::{Kind, OrNotFound};
use shared::ids::{AccountId, UserId};

use shared::needs::{self, Judgement, Lookup, MatchedPath, Needed, Record};
use shared::{Db, Error, Result};

use crate::model::entity::from_base64;
use crate::model::error_format::error_body;
use crate::model::role::Role;
use crate::store::assertions::{self, AssertionRow};
use crate::store::classes::{self, ClassRow};
use crate::store::issuers::{self, IssuerRow, StaffedIssuer};

/// Scopes of tokens, beside those of the paths.
pub(crate) const ISSUER: &[&str] = &["rw:issuer"];
pub(crate) const READ_ISSUER: &[&str] = &["r:issuer", "rw:issuer"];
pub(crate) const BACKPACK: &[&str] = &["rw:backpack"];
pub(crate) const READ_BACKPACK: &[&str] = &["r:backpack", "rw:backpack"];
pub(crate) const PROFILE: &[&str] = &["rw:profile"];
pub(crate) const READ_PROFILE: &[&str] = &["r:profile", "rw:profile"];
/// All of them, each with its meaning.
pub(crate) const SCOPES: [(&str, &str); 6] = [
    ("r:issuer", "Reads issuers with their classes, awards and staff"),
    ("rw:issuer", "Reads and changes them, and awards badges"),
    ("r:backpack", "Reads the badges and collections of a user"),
    ("rw:backpack", "Reads and changes them, and imports badges"),
    ("r:profile", "Reads the profile of a user"),
    ("rw:profile", "Reads and changes it, and ends tokens"),
];

/// The tokens that have these scopes.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) const BADGE_TOKENS: AreaTokens = AreaTokens {
    name: "badge_token",
    description: "A token with scopes of the badges, from `POST /o/token` or by the flow of `/login/oauth2`. It has one of the \
                  scopes that are named. A token of the service with the scope of the path, or without a limit, does as well.",
    token_path: "/o/token",
    scopes: &SCOPES,
};

/// The issuer of the path, in whose staff the caller has that role.
pub(crate) type NeededIssuer<R> = Needed<IssuerRow, R>;
/// The issuer of the path, of which the caller says who its staff is.
pub(crate) type NeededStaff = Needed<StaffedIssuer, AsStaffKeeper>;
/// The class of the path, in the staff of whose issuer the caller has that role.
pub(crate) type NeededClass<R> = Needed<ClassRow, R>;
/// The assertion of the path, in the staff of whose issuer the caller has that role.
pub(crate) type NeededAssertion<R> = Needed<AssertionRow, R>;

/// A record that the staff of an issuer works with.
pub(crate) trait OfIssuer: Record {
    /// The way to find it, if the caller is of the staff.
    fn of_entity_id(id: &str) -> Lookup;

    /// The caller's role.
    fn role(&self) -> Option<Role>;
}

macro_rules! records_of_issuers {
    ($($row:ty: $store:ident, $words:expr, $public:literal;)*) => {$(
        impl Record for $row {
            const NAMED_BY: &'static str =
                concat!("An entity id; behind openBadgeId and ref, an address of /public/", $public, " in base64");
            const NAMED_BY_ADDRESS: bool = true;

            fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
                Ok($store::lookup(&entity_id(path, $words, $public)?))
            }
        }

        impl OfIssuer for $row {
            fn of_entity_id(id: &str) -> Lookup {
                $store::lookup(id)
            }

            fn role(&self) -> Option<Role> {
                self.role.into()
            }
        }
    )*};
}

records_of_issuers! {
    IssuerRow: issuers, &["issuers"], "issuers";
    ClassRow: classes, &["badgeclasses", "reactivate"], "badges";
    AssertionRow: assertions, &["assertions"], "assertions";
}

impl Record for StaffedIssuer {
    const NAMED_BY: &'static str = "An entity id";

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        Ok(issuers::lookup_staffed(&path.id::<String>("issuers")?))
    }
}

impl OfIssuer for StaffedIssuer {
    fn of_entity_id(id: &str) -> Lookup {
        issuers::lookup_staffed(id)
    }

    fn role(&self) -> Option<Role> {
        Some(self.role)
    }
}

/// The entity id behind one of these words of the path, or at the end of an address of our own, in base64.
fn entity_id(path: MatchedPath<'_>, words: &[&str], public: &str) -> Result<String> {
    for word in words {
        if let Some(id) = path.behind(word)? {
            return Ok(id);
        }
    }
    let address: Option<String> = path.behind("openBadgeId")?;
    let address = address.or(path.behind("ref")?).and_then(|address| from_base64(&address)).or_not_found()?;
    let id = address.strip_prefix(&format!("{}/public/{public}/", path.base_url()?));
    id.map(str::to_owned).or_not_found()
}

macro_rules! staff_rights {
    ($($right:ident: $role:ident, $who:literal;)*) => {$(
        #[doc = concat!("[`Role::", stringify!($role), "`]")]
        pub(crate) struct $right;

        impl<T: OfIssuer> Judgement<T> for $right {
            const WHO: &'static str = $who;

            fn judge(record: &T) -> Result<()> {
                require_role(record, Role::$role)
            }
        }
    )*};
}

staff_rights! {
    AsStaff: Staff, "the staff of the issuer.";
    AsEditor: Editor, "owners and editors of the issuer.";
    AsOwner: Owner, "owners of the issuer.";
    AsStaffKeeper: Owner, "owners of the issuer; while it has none, administrators of its root account.";
}

fn require_role(record: &impl OfIssuer, least: Role) -> Result<()> {
    if record.role() >= Some(least) { Ok(()) } else { Err(Error::not_found()) }
}

/// The record of that entity id, if the caller has at least that role in the staff. A transaction finds again what the
/// endpoint needs: the role that is looked at is then the one that holds when the transaction writes.
pub(crate) async fn find<T: OfIssuer>(db: &Db, caller: &Caller, id: &str, least: Role) -> Result<T> {
    let record = needs::find(db, caller, T::of_entity_id(id)).await?;
    require_role(&record, least)?;
    Ok(record)
}

/// The same where the record need not be there.
pub(crate) async fn find_if_any<T: OfIssuer>(db: &Db, caller: &Caller, id: &str, least: Role) -> Result<Option<T>> {
    match find(db, caller, id, least).await {
        Err(error) if matches!(error.kind(), Kind::NotFound) => Ok(None),
        found => found.map(Some),
    }
}

/// Refuses a user who may not make issuers: the tenant says who may.
pub(crate) async fn require_issuer_maker(db: &Db, user: UserId, tenant: AccountId) -> Result<()> {
    if issuers::may_insert(db, user, tenant).await? {
        return Ok(());
    }
    let reason = "Your institution does not let you make issuers.";
    let body = error_body("entity not found or insufficient privileges", Map::new(), vec![reason.into()]);
    Err(Error::own(StatusCode::NOT_FOUND, body))
}
