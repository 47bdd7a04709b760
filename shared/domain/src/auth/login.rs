//! Logging in with a password, which only people do: so it is slow to guess, and there are few guesses.
//!
//! Guesses are counted before a hash is computed, by where they come from. A login comes in from a few networks only, and
//! somebody who guesses sits elsewhere: what is tried from elsewhere never keeps a login out of where it came in before. How
//! many hashes are computed at the same moment is limited for the whole service, by slots that are leased in the database;
//! who guesses many logins from many networks gets no more than the slots for strangers.

use std::cmp::Reverse;
use std::time::Duration;

use database::{Db, IdRow};
use serde::Deserialize;
use spin_sdk::time;
use types::clock::{self, MINUTE, Timestamp};
use types::ids::{AccountId, UserId};
use web::config;
use web::error::{Error, Kind, Result};
use web::{Context, LimitKind};

use super::audit::{self, Event, EventType};
use super::password;

mod budgets;

use budgets::Verdict;

/// The time for which a wrong password counts, in seconds.
pub const WINDOW: i64 = 15 * MINUTE;
/// The most characters of a login.
pub const MAX_LOGIN_CHARS: usize = 100;
/// Longer than any login there is.
const MAX_TRIED_CHARS: usize = 255;
/// Longer than any password there is.
const MAX_PASSWORD_BYTES: usize = 1024;
/// A hash of no password, at the price of a real one: how long we take does not tell which logins there are.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bGVjdGVybi1sZWN0ZXJu$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The variable that says how many passwords are checked at the same moment, by all processes together.
const CHECKS_AT_ONCE: &str = "password_checks_at_once";
/// The milliseconds after which a check that a crash cuts off gives its slot back: longer than a check ever takes.
const LEASE: i64 = 10_000;
/// The number of times that a try looks for a slot, and the time for which it waits in between.
const LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);
/// When to come again where all slots are taken, in seconds.
const COME_AGAIN: i64 = 2;

/// The outcome of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<T = UserId> {
    /// It was the password of this user.
    User(T),
    /// There is no such login, or it has another password.
    Wrong,
    /// There were too many wrong ones; this one was not looked at. After [`WINDOW`] at the latest it will be.
    TooMany,
}

/// A user, and the tenant whose login and password were right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The user.
    pub user: UserId,
    /// The tenant.
    pub tenant: AccountId,
}

/// The same login may be one of several tenants; only so many are tried.
const MAX_TENANTS: i64 = 5;
/// The tenant whose wrong passwords are counted where nobody has the login.
const NOBODYS_TENANT: AccountId = AccountId(1);

/// The tenants that have the login, the oldest first; where none has it, one whose wrong passwords are counted.
pub async fn tenants_of(db: &Db, name: &str) -> database::Result<Vec<AccountId>> {
    #[derive(Deserialize)]
    struct Tenant {
        root_account_id: AccountId,
    }
    let tenants: Vec<Tenant> = db
        .fetch_all(
            "SELECT p.root_account_id FROM pseudonyms p JOIN accounts a ON a.id = p.root_account_id
             WHERE p.unique_id = ?1 AND p.workflow_state = 'active' AND a.workflow_state = 'active'
             ORDER BY p.root_account_id LIMIT ?2",
            (name, MAX_TENANTS),
        )
        .await?;
    let tenants: Vec<_> = tenants.into_iter().map(|tenant| tenant.root_account_id).collect();
    Ok(if tenants.is_empty() { vec![NOBODYS_TENANT] } else { tenants })
}

/// Whose login and password these are.
pub async fn check(cx: &Context, tenant: AccountId, name: &str, given: &str) -> Result<Outcome> {
    Ok(match check_in(cx, &[tenant], name, given).await? {
        Outcome::User(member) => Outcome::User(member.user),
        Outcome::Wrong => Outcome::Wrong,
        Outcome::TooMany => Outcome::TooMany,
    })
}

/// The same, where the login may be one of several tenants: one try, which is a failure of each tenant that was looked at if the
/// password is that of none, and of none if it is that of one. The tenant to which the login came in last from that network is
/// looked at first, so that who knows the password of one learns nothing about the other's by coming again. Tenants of
/// which there were too many wrong ones are left out; if it is the password of none of the others, it may be theirs.
pub async fn check_in(cx: &Context, tenants: &[AccountId], name: &str, given: &str) -> Result<Outcome<Member>> {
    if name.is_empty() || name.chars().count() > MAX_TRIED_CHARS || given.len() > MAX_PASSWORD_BYTES {
        return Ok(Outcome::Wrong);
    }
    let tried = Tried { cx, name, network: cx.client_network() };
    // First without the lock of those who write: a flood of tries that are too many costs reads alone.
    if tried.allowed(&cx.db, tenants).await?.is_empty() {
        return Ok(Outcome::TooMany);
    }
    let Some(check) = tried.begin(tenants).await? else { return Ok(Outcome::TooMany) };
    let mut found = None;
    for attempt in &check.attempts {
        let login = find(&cx.db, attempt.tenant, name).await?;
        let hash = login.as_ref().and_then(|login| login.password_hash.as_deref()).unwrap_or(NOBODY);
        let right = password::verify(given, hash);
        if let Some(login) = login.filter(|_| right) {
            found = Some((attempt.tenant, login));
            break;
        }
    }
    tried.end(&check, found.as_ref()).await?;
    Ok(match found {
        Some((tenant, login)) => Outcome::User(Member { user: login.user_id, tenant }),
        None if check.attempts.len() < tenants.len() => Outcome::TooMany,
        None => Outcome::Wrong,
    })
}

/// A login of a tenant, whose user is there.
#[derive(Deserialize)]
struct Login {
    id: i64,
    user_id: UserId,
    password_hash: Option<String>,
}

/// A login that is tried, and where.
struct Tried<'a> {
    cx: &'a Context,
    name: &'a str,
    network: String,
}

/// A check that has begun: it holds a slot, and counts as a failure until a password proves right.
struct Check {
    slot: Slot,
    attempts: Vec<Attempt>,
}

/// A tenant whose login is looked at, and the row that counts it.
struct Attempt {
    tenant: AccountId,
    id: i64,
}

#[derive(Deserialize)]
struct Slot {
    slot: i64,
    until: i64,
}

impl Tried<'_> {
    fn since(&self) -> Timestamp {
        self.cx.now.plus_seconds(-WINDOW)
    }

    /// The tenants in which the login may be tried, in the order in which that is done.
    async fn allowed(&self, db: &Db, tenants: &[AccountId]) -> Result<Vec<(AccountId, Verdict)>> {
        let mut allowed = Vec::new();
        for tenant in tenants {
            let verdict = budgets::judge(db, *tenant, self.name, &self.network, self.since()).await?;
            if verdict.may_try {
                allowed.push((*tenant, verdict));
            }
        }
        allowed.sort_by_key(|(_, verdict)| Reverse(verdict.came_in_at));
        Ok(allowed)
    }

    /// Counts the try and takes a slot, or waits for one. `None`: there were too many.
    async fn begin(&self, tenants: &[AccountId]) -> Result<Option<Check>> {
        let slots = config::number(CHECKS_AT_ONCE).await?;
        for _ in 0..LOOKS {
            if slots_taken(&self.cx.db).await? < slots {
                match self.cx.db.transaction(async |db| self.count(db, tenants, slots).await).await {
                    Err(error) if matches!(error.kind(), Kind::Throttled(_)) => {}
                    begun => return begun,
                }
            }
            time::sleep(PAUSE).await;
        }
        Err(Error::throttled(LimitKind::LogIns, COME_AGAIN))
    }

    /// In a transaction, so that so many tries at the same moment cannot be more than are allowed either.
    async fn count(&self, db: &Db, tenants: &[AccountId], slots: i64) -> Result<Option<Check>> {
        db.execute("DELETE FROM login_failures WHERE failed_at <= ?1", (self.since(),)).await?;
        let allowed = self.allowed(db, tenants).await?;
        if allowed.is_empty() {
            return Ok(None);
        }
        let is_known = allowed.iter().any(|(_, verdict)| verdict.is_known());
        // One slot is left to those who came in from there before, if there is more than one.
        let slot = take_slot(db, if is_known { slots } else { (slots - 1).max(1) }).await?;
        let slot = slot.ok_or_else(|| Error::throttled(LimitKind::LogIns, COME_AGAIN))?;
        let mut attempts = Vec::new();
        for (tenant, verdict) in allowed {
            let made: IdRow<i64> = db
                .fetch_one(
                    "INSERT INTO login_failures (root_account_id, unique_id, network, is_known, failed_at)
                     VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
                    (tenant, self.name, &self.network, verdict.is_known(), self.cx.now),
                )
                .await?;
            attempts.push(Attempt { tenant, id: made.id });
        }
        Ok(Some(Check { slot, attempts }))
    }

    /// Gives the slot back. Where a password was right, the try was no failure of any tenant.
    async fn end(&self, check: &Check, found: Option<&(AccountId, Login)>) -> Result<()> {
        self.cx
            .db
            .transaction(async |db| {
                db.execute(
                    "DELETE FROM password_check_slots WHERE slot = ?1 AND until = ?2",
                    (check.slot.slot, check.slot.until),
                )
                .await?;
                let Some((tenant, login)) = found else { return self.failed(db, check).await };
                for attempt in &check.attempts {
                    db.execute("DELETE FROM login_failures WHERE id = ?1", (attempt.id,)).await?;
                }
                self.came_in(db, *tenant, login).await
            })
            .await
    }

    async fn failed(&self, db: &Db, check: &Check) -> Result<()> {
        for attempt in &check.attempts {
            // A text that is no login may be a password that was typed into the wrong field: it is not written down.
            let login = find(db, attempt.tenant, self.name).await?;
            let (id, user) = login.map(|login| (login.id, login.user_id)).unzip();
            let event = Event { login: id, ..Event::of(EventType::LoginFailed, attempt.tenant, user) };
            audit::record(db, self.cx, event).await?;
        }
        Ok(())
    }

    async fn came_in(&self, db: &Db, tenant: AccountId, login: &Login) -> Result<()> {
        if !self.network.is_empty() {
            db.execute(
                "INSERT INTO login_networks (root_account_id, unique_id, network, last_used_at) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET last_used_at = excluded.last_used_at",
                (tenant, self.name, &self.network, self.cx.now),
            )
            .await?;
        }
        let event = Event { login: Some(login.id), ..Event::of(EventType::Login, tenant, Some(login.user_id)) };
        Ok(audit::record(db, self.cx, event).await?)
    }
}

async fn find(db: &Db, tenant: AccountId, name: &str) -> database::Result<Option<Login>> {
    db.fetch(
        "SELECT p.id, p.user_id, p.password_hash FROM pseudonyms p JOIN users u ON u.id = p.user_id
         WHERE p.root_account_id = ?1 AND p.unique_id = ?2 AND p.workflow_state = 'active'
           AND p.suspended = 0 AND u.workflow_state <> 'deleted'",
        (tenant, name),
    )
    .await
}

async fn slots_taken(db: &Db) -> database::Result<i64> {
    #[derive(Deserialize)]
    struct Taken {
        taken: i64,
    }
    let sql = "SELECT count(*) AS taken FROM password_check_slots WHERE until > ?1";
    Ok(db.fetch_one::<Taken>(sql, (milliseconds(),)).await?.taken)
}

/// The first of so many slots that is free.
async fn take_slot(db: &Db, slots: i64) -> database::Result<Option<Slot>> {
    let now = milliseconds();
    db.execute("DELETE FROM password_check_slots WHERE until <= ?1", (now,)).await?;
    db.fetch(
        "INSERT INTO password_check_slots (slot, until)
         WITH RECURSIVE slots (slot) AS (SELECT 1 UNION ALL SELECT slot + 1 FROM slots WHERE slot < ?1)
         SELECT slot, ?2 FROM slots
         WHERE slot NOT IN (SELECT slot FROM password_check_slots) ORDER BY slot LIMIT 1
         RETURNING slot, until",
        (slots, now.saturating_add(LEASE)),
    )
    .await
}

/// A lease lasts by the clock, and not from when the request came.
fn milliseconds() -> i64 {
    clock::now().to_utc().timestamp_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_nobody_costs_what_a_real_one_costs_and_fits_no_password() {
        let cost = |hash: &str| hash.split('$').take(4).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(cost(NOBODY), cost(&password::hash("x").unwrap()));
        assert!(!password::verify("", NOBODY));
    }
}
