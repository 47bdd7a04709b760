//! The number of wrong passwords that are looked at: of a login, of a tenant, from a network.

use database::Db;
use serde::Deserialize;
use types::clock::{DAY, Timestamp};
use types::ids::AccountId;

/// Of one login, from one network.
const OF_LOGIN_HERE: i64 = 10;
/// Of one login, from all networks from which it never came in.
const OF_LOGIN_ELSEWHERE: i64 = 100;
/// Of all logins of a tenant, from one network: of those that never came in from there, and of those that did.
const OF_TENANT_HERE: [i64; 2] = [100, 500];
/// Of all logins of a tenant, from all networks from which they never came in.
const OF_TENANT_ELSEWHERE: i64 = 1000;
/// Of all logins of all tenants, from one network: of those that never came in from there, and of those that did.
const OF_NETWORK: [i64; 2] = [200, 1000];

/// A network from which a login has not come in for so long is none of its own any more, in seconds.
pub(super) const REMEMBERED: i64 = 90 * DAY;

/// The counters of one login in one tenant.
#[derive(Debug, Deserialize, Default)]
struct Counts {
    came_in_at: Option<Timestamp>,
    of_login_here: i64,
    of_login_elsewhere: i64,
    of_tenant_here: i64,
    of_tenant_elsewhere: i64,
    of_network: i64,
}

/// True if a login may be tried.
pub(super) struct Verdict {
    pub(super) may_try: bool,
    /// When it came in from that network last.
    pub(super) came_in_at: Option<Timestamp>,
}

impl Verdict {
    pub(super) fn is_known(&self) -> bool {
        self.came_in_at.is_some()
    }
}

/// True if the login of the tenant may be tried from that network, which is empty where it is not known.
pub(super) async fn judge(
    db: &Db,
    tenant: AccountId,
    name: &str,
    network: &str,
    since: Timestamp,
) -> database::Result<Verdict> {
    let counts: Counts = db
        .fetch_one(
            "SELECT (SELECT last_used_at FROM login_networks
                     WHERE root_account_id = ?1 AND unique_id = ?2 AND network = ?3 AND last_used_at > ?5) AS came_in_at,
                    (SELECT count(*) FROM login_failures
                     WHERE root_account_id = ?1 AND unique_id = ?2 AND network = ?3 AND failed_at > ?4) AS of_login_here,
                    (SELECT count(*) FROM login_failures
                     WHERE root_account_id = ?1 AND unique_id = ?2 AND NOT is_known AND failed_at > ?4)
                        AS of_login_elsewhere,
                    (SELECT count(*) FROM login_failures
                     WHERE root_account_id = ?1 AND network = ?3 AND failed_at > ?4) AS of_tenant_here,
                    (SELECT count(*) FROM login_failures
                     WHERE root_account_id = ?1 AND NOT is_known AND failed_at > ?4) AS of_tenant_elsewhere,
                    (SELECT count(*) FROM login_failures WHERE network = ?3 AND failed_at > ?4) AS of_network",
            (tenant, name, network, since, since.plus_seconds(-REMEMBERED)),
        )
        .await?;
    Ok(Verdict { may_try: may_try(&counts, !network.is_empty()), came_in_at: counts.came_in_at })
}

/// Where the address of nobody is known, all are in one place: then what counts for a network would count for everybody.
fn may_try(counts: &Counts, is_network_known: bool) -> bool {
    let is_known = counts.came_in_at.is_some();
    let [of_tenant_here, of_network] =
        [OF_TENANT_HERE, OF_NETWORK].map(|[stranger, known]| if is_known { known } else { stranger });
    counts.of_login_here < OF_LOGIN_HERE
        && (!is_network_known || (counts.of_tenant_here < of_tenant_here && counts.of_network < of_network))
        && (is_known
            || (counts.of_login_elsewhere < OF_LOGIN_ELSEWHERE && counts.of_tenant_elsewhere < OF_TENANT_ELSEWHERE))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: bool = true;

    fn counts() -> Counts {
        Counts::default()
    }

    #[test]
    fn a_login_is_tried_ten_times_from_a_place() {
        assert!(may_try(&Counts { of_login_here: 9, ..counts() }, KNOWN));
        assert!(!may_try(&Counts { of_login_here: 10, ..counts() }, KNOWN));
        assert!(!may_try(&Counts { of_login_here: 10, ..counts() }, !KNOWN));
    }

    #[test]
    fn what_is_tried_elsewhere_keeps_nobody_out_of_where_they_came_in_before() {
        let elsewhere = || Counts { of_login_elsewhere: 100_000, of_tenant_elsewhere: 100_000, ..counts() };
        assert!(!may_try(&elsewhere(), KNOWN));
        assert!(may_try(&Counts { came_in_at: Some(types::clock::now()), ..elsewhere() }, KNOWN));
    }

    #[test]
    fn one_place_does_not_try_many_logins() {
        let sprayed = |of_tenant_here, of_network| Counts { of_tenant_here, of_network, ..counts() };
        assert!(may_try(&sprayed(99, 199), KNOWN));
        assert!(!may_try(&sprayed(100, 100), KNOWN) && !may_try(&sprayed(0, 200), KNOWN));
        let known = |counts| Counts { came_in_at: Some(types::clock::now()), ..counts };
        assert!(may_try(&known(sprayed(499, 999)), KNOWN));
        assert!(!may_try(&known(sprayed(500, 500)), KNOWN) && !may_try(&known(sprayed(0, 1000)), KNOWN));
        assert!(may_try(&sprayed(999, 999), !KNOWN), "where no address is known, all are in one place");
    }
}
