//! Telling earners about their awards, as far as issuers of one owner and all of a tenant may send mail.

use std::collections::HashMap;

use shared::clock::HOUR;
use shared::ids::{IssuerId, UserId};
use shared::notify::{Item, Notification, Recipients, notify};
use shared::throttle::{self, Limit, Try, Turn};
use shared::{Context, Db, Result};

use crate::store;

/// The number of users that may be told of awards.
const OF_OWNER: Limit = Limit { most: 1000, seconds: HOUR };
const OF_TENANT: Limit = Limit { most: 10_000, seconds: HOUR };

/// What is told to the earner of an award.
pub(super) struct Letter {
    /// The e-mail address to which the award was made.
    pub(super) address: String,
    pub(super) subject: String,
    pub(super) body: String,
}

/// Tells the users of the caller's tenant whose verified addresses these are of awards of one issuer: all of them, or none
/// where that would be too many.
pub(super) async fn tell(cx: &Context, db: &Db, issuer: IssuerId, letters: Vec<Letter>) -> Result<Turn> {
    let items = addressed(cx, db, letters).await?;
    if items.is_empty() {
        return Ok(Turn::Taken { left: 0 });
    }
    let (tenant, owner) = (cx.caller()?.root_account, store::issuers::creator(db, issuer).await?);
    let notices = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let limits = [
        Try { key: format!("badge-notices/owner/{owner}"), limit: OF_OWNER },
        Try { key: format!("badge-notices/tenant/{tenant}"), limit: OF_TENANT },
    ];
    let turn = throttle::take_several_of_all(db, &limits, notices, cx.now).await?;
    if matches!(turn, Turn::Wait { .. }) {
        return Ok(turn);
    }
    let notification = Notification {
        name: "account_notification",
        recipients: Recipients::Each(&items),
        actors: &[],
        subject: "",
        body: "",
        asset: None,
        now: cx.now,
    };
    notify(db, &notification).await?;
    Ok(Turn::Taken { left: 0 })
}

/// The letters, each for every user who has verified its address.
async fn addressed(cx: &Context, db: &Db, letters: Vec<Letter>) -> Result<Vec<Item>> {
    if letters.is_empty() {
        return Ok(Vec::new());
    }
    let addresses: Vec<_> = letters.iter().map(|letter| letter.address.as_str()).collect();
    let mut users: HashMap<String, Vec<UserId>> = HashMap::new();
    for addressee in store::assertions::addressees(db, cx.caller()?.root_account, &addresses).await? {
        users.entry(addressee.address).or_default().push(addressee.user_id);
    }
    let mut items = Vec::new();
    for Letter { address, subject, body } in letters {
        let readers = users.get(&address).into_iter().flatten();
        items.extend(readers.map(|user| Item { user: *user, subject: subject.clone(), body: body.clone() }));
    }
    Ok(items)
}
