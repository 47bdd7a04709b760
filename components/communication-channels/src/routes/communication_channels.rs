//! Channels of a user. See `docs/contract/communication-channels.md`.

pub(crate) mod confirmation;

use serde::Deserialize;
use shared::auth::UserAccess;
use shared::background;
use shared::channels::{self, Kind, NewChannel, Question};
use shared::clock::{DAY, Timestamp};
use shared::db::{BuiltJson, Db};
use shared::error::OrNotFound;
use shared::ids::UserId;
use shared::needs::{NeededUser, may};
use shared::notify::{self, Direct, To};
use shared::prefetch::{Prefetched, PrefetchedBuiltList};
use shared::throttle::{self, Limit};
use shared::{Context, Error, Form, JsonSchema, LimitKind, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::channels::{Channel, Row};
use crate::routes::push;
use crate::store::channels::{self as store, AddressChange, ChannelsOfUser};

/// The state of a channel that was taken away: the name that client libraries look for.
const DELETED: &str = "deleted";

/// The number of times that a user makes channels, the same ones again among them.
const CREATIONS: Limit = Limit { most: 100, seconds: DAY };

endpoints![
    list_communication_channels,
    create_communication_channel,
    delete_communication_channel,
    delete_communication_channel_by_address
];

#[derive(Deserialize, JsonSchema)]
struct AddressPath {
    r#type: Kind,
    address: String,
}

#[derive(Deserialize, JsonSchema)]
struct NewChannelForm {
    communication_channel: ChannelForm,
    /// True if it needs no confirmation. Only the word of administrators counts.
    #[serde(default)]
    skip_confirmation: Patch<bool>,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
struct ChannelForm {
    /// An e-mail address, or the number of a telephone. A push channel needs none.
    address: Option<String>,
    /// `email`, `sms` or `push`.
    r#type: Option<String>,
    /// The device's token, for a push channel.
    token: Option<String>,
}

/// Lists the channels of a user.
#[endpoint(GET "/api/v1/users/:user_id/communication_channels")]
async fn list_communication_channels(
    cx: Context,
    _user: NeededUser<may::ActFor>,
    channels: PrefetchedBuiltList<ChannelsOfUser>,
) -> Result<Reply<Vec<BuiltJson<Channel>>>> {
    Ok(Reply::built_page(channels.page(&cx.page().await?)?))
}

/// Creates a channel.
#[endpoint(POST "/api/v1/users/:user_id/communication_channels", throttled("new channels of one user"))]
async fn create_communication_channel(
    cx: Context,
    user: NeededUser<may::ActFor>,
    body: Form<NewChannelForm>,
) -> Result<Reply<Channel>> {
    let NewChannelForm { communication_channel: form, skip_confirmation } = body.decode()?;
    match kind(form.r#type.as_deref())? {
        Kind::Push => {
            let row = push::register(&cx, &user, form.token).await?;
            Ok(Reply::ok(Channel::seen_by(&cx, row)?))
        }
        kind => {
            let address = kind.address(&form.address.unwrap_or_default())?;
            let confirmed = skip_confirmation.unwrap_or(false) && user.administered;
            let new = NewChannel { user: user.id, kind, address: &address, confirmed };
            Ok(Reply::ok(Channel::seen_by(&cx, open(&cx, &user, &new).await?)?))
        }
    }
}

/// Each channel that comes or goes is told to the user, whom nobody shall flood.
async fn take_turn(db: &Db, user: UserId, now: Timestamp) -> Result<()> {
    throttle::take(db, &format!("channels-of-user:{user}"), CREATIONS, now).await?.require(LimitKind::Channels)?;
    Ok(())
}

/// The channel, the question to its owner, and the word to the user's first address come together or not at all.
async fn open(cx: &Context, owner: &UserAccess, new: &NewChannel<'_>) -> Result<Row> {
    let tenant = owner.root_account;
    let base_url = if new.confirmed { None } else { Some(cx.lasting_base_url().await?) };
    let opened = cx.db.transaction(async |db| {
        let NewChannel { user, kind, address, .. } = *new;
        if !owner.administered {
            take_turn(db, user, cx.now).await?;
        }
        let row = store::open(db, new, cx.now).await?;
        let (name, subject, body) = AddressChange::Added(address).told();
        let to = To::FirstEmailBeside { user, channel: row.id };
        let message = Direct { name, to, subject, body: &body, confidential: false, now: cx.now };
        let beside = Some(message).filter(|_| kind == Kind::Email);
        let is_told = match &base_url {
            Some(base_url) => {
                let question = Question { tenant, channel: row.id, kind, address };
                channels::ask(db, base_url, question, beside, cx.now).await?;
                true
            }
            None => notify::queue_direct(db, beside.as_slice()).await?,
        };
        Ok::<_, Error>((row, is_told))
    });
    let (row, is_told) = opened.await?;
    if is_told {
        background::run_soon();
    }
    Ok(row)
}

/// Deletes a channel.
#[endpoint(DELETE "/api/v1/users/:user_id/communication_channels/:id")]
async fn delete_communication_channel(
    cx: Context,
    user: NeededUser,
    channel: Prefetched<Row>,
) -> Result<Reply<Channel>> {
    retire(&cx, &user, channel.record()?).await
}

/// Deletes the channel of an address.
#[endpoint(DELETE "/api/v1/users/:user_id/communication_channels/:type/:address")]
async fn delete_communication_channel_by_address(
    cx: Context,
    Path(at): Path<AddressPath>,
    user: NeededUser,
) -> Result<Reply<Channel>> {
    let row = store::at_address(&cx.db, user.id, at.r#type, &at.address).await?.or_not_found()?;
    retire(&cx, &user, row).await
}

async fn retire(cx: &Context, user: &UserAccess, row: Row) -> Result<Reply<Channel>> {
    user.require_own_or_administered()?;
    if store::retire(&cx.db, &row, cx.now).await?.or_not_found()? {
        background::run_soon();
    }
    Ok(Reply::ok(Channel::seen_by(cx, Row { workflow_state: DELETED.to_owned(), ..row })?))
}

fn kind(name: Option<&str>) -> Result<Kind> {
    let name = name.filter(|name| !name.is_empty()).ok_or_else(|| Error::invalid("type", "blank", "can't be blank"))?;
    Kind::named(name).ok_or_else(|| Error::invalid("type", "inclusion", "is not included in the list"))
}

impl Channel {
    pub(crate) fn seen_by(cx: &Context, row: Row) -> Result<Self> {
        Ok(Self::of(row, cx.caller()?.site_admin))
    }
}
