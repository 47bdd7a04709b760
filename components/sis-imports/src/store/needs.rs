//! Whose imports a path names: what comes from other systems concerns the tenant as a whole, and so its root account.

use serde::Deserialize;
use shared::auth::AccountAccess;
use shared::db::{Bind, Json};
use shared::error::OrNotFound;
use shared::ids::SisImportId;
use shared::needs::{self, Judgement, Lookup, MatchedPath, Needed, Record};
use shared::{Error, Result, db};

/// The root account that a path names, which the caller administers.
pub(crate) type NeededRoot = needs::NeededAccount<AdministerRoot>;
/// An import of the root account that a path names, which the caller administers.
pub(crate) type NeededImport = Needed<ImportOfAccount, AdministerRoot>;

/// Administer the root account.
pub(crate) struct AdministerRoot;

impl Judgement<AccountAccess> for AdministerRoot {
    const WHO: &'static str = "administrators of the root account.";

    fn judge(account: &AccountAccess) -> Result<()> {
        account.require_administrator()?;
        match account.id == account.root_account {
            true => Ok(()),
            false => Err(Error::bad_request("SIS imports can only be executed on root accounts")),
        }
    }
}

/// The account that a path names, and the import of it, if it is there.
#[derive(Deserialize)]
pub(crate) struct ImportOfAccount {
    account: Json<AccountAccess>,
    import_id: Option<SisImportId>,
}

impl Judgement<ImportOfAccount> for AdministerRoot {
    const WHO: &'static str = <Self as Judgement<AccountAccess>>::WHO;

    fn judge(import: &ImportOfAccount) -> Result<()> {
        Self::judge(&import.account.0)?;
        import.import_id.or_not_found().map(drop)
    }
}

impl Record for ImportOfAccount {
    const IDS: &'static [&'static str] = &["sis_imports"];

    fn lookup(path: MatchedPath<'_>) -> Result<Lookup> {
        let id: SisImportId = path.id("sis_imports")?;
        let (accounts, mut values) = AccountAccess::lookup(path)?.into_parts();
        values.push(id.value());
        let sql = format!(
            "SELECT {} AS account,
                    (SELECT i.id FROM sis_imports i WHERE i.id = ?{} AND i.root_account_id = account.id) AS import_id
             FROM ({accounts}) account",
            db::json_object::<AccountAccess>()?,
            values.len(),
        );
        Ok(Lookup::new(sql, values))
    }
}
