//! Preferences of a channel. See `docs/contract/notification-preferences.md`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::auth::UserAccess;
use shared::error::OrNotFound;
use shared::needs::{Needed, NeededUser};
use shared::notify::catalogue::{Frequency, Kind};
use shared::prefetch::Prefetched;
use shared::{Context, Form, JsonSchema, Patch, Path, Reply, Result, endpoint, endpoints};

use crate::model::changes::{self, Change};
use crate::store::preferences::{self as store, OwnChannel};

endpoints![
    list_notification_preferences,
    get_notification_preference,
    update_notification_preference,
    update_notification_preferences
];

#[derive(Deserialize, JsonSchema)]
struct NotificationPath {
    /// The name of the notification: `new_announcement`.
    notification: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Preferences {
    notification_preferences: Vec<Preference>,
}

/// The frequency at which a channel is told of one kind of event.
#[derive(Serialize, JsonSchema)]
struct Preference {
    /// `immediately`, `daily`, `weekly` or `never`.
    frequency: Frequency,
    notification: &'static str,
    category: &'static str,
    /// The address of this preference.
    href: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ChangeForm {
    /// An object with `frequency`, or a list whose first element is one.
    #[serde(default)]
    #[schemars(with = "Value", required)]
    pub(crate) notification_preferences: Patch<Value>,
}

#[derive(Deserialize, JsonSchema)]
struct ChangesForm {
    /// An object with an object for each notification, which has `frequency`; or a list of objects with `notification`
    /// and `frequency`.
    #[serde(default)]
    #[schemars(with = "Value", required)]
    notification_preferences: Patch<Value>,
}

/// Lists how often a channel is told of each kind of event.
#[endpoint(
    GET "/api/v1/users/:user_id/communication_channels/:communication_channel_id/notification_preferences",
    GET "/api/v1/users/:user_id/communication_channels/:type/:address/notification_preferences" as list_notification_preferences_by_address,
)]
async fn list_notification_preferences(
    cx: Context,
    user: NeededUser,
    channel: Prefetched<store::Channel>,
) -> Result<Reply<Preferences>> {
    let channel = readable(&user, channel)?;
    Ok(Reply::ok(Preferences::of(&cx, &channel, channel.policies()).await?))
}

/// Reads how often a channel is told of one kind of event.
#[endpoint(
    GET "/api/v1/users/:user_id/communication_channels/:communication_channel_id/notification_preferences/:notification",
    GET "/api/v1/users/:user_id/communication_channels/:type/:address/notification_preferences/:notification" as get_notification_preference_by_address,
)]
async fn get_notification_preference(
    cx: Context,
    Path(at): Path<NotificationPath>,
    user: NeededUser,
    channel: Prefetched<store::Channel>,
) -> Result<Reply<Preferences>> {
    let channel = readable(&user, channel)?;
    let kind = Kind::of_path(&at.notification).or_not_found()?;
    let policies = channel.policies().filter(|(known, _)| *known == kind);
    Ok(Reply::ok(Preferences::of(&cx, &channel, policies).await?))
}

/// Changes how often a channel is told of one kind of event.
#[endpoint(
    PUT "/api/v1/users/self/communication_channels/:communication_channel_id/notification_preferences/:notification",
    PUT "/api/v1/users/self/communication_channels/:type/:address/notification_preferences/:notification" as update_notification_preference_by_address,
    answers(422, "There is no such frequency."),
)]
async fn update_notification_preference(
    cx: Context,
    Path(at): Path<NotificationPath>,
    channel: Needed<OwnChannel>,
    body: Form<ChangeForm>,
) -> Result<Reply<Preferences>> {
    let kind = Kind::of_path(&at.notification).or_not_found()?;
    let frequency = changes::one(body.decode()?.notification_preferences)?;
    change(&cx, &channel, vec![Change { kind, frequency }]).await
}

/// Changes how often a channel is told of several kinds of events.
///
/// All of it is changed, or, where a name or a frequency is wrong, nothing.
#[endpoint(
    PUT "/api/v1/users/self/communication_channels/:communication_channel_id/notification_preferences",
    PUT "/api/v1/users/self/communication_channels/:type/:address/notification_preferences" as update_notification_preferences_by_address,
    answers(422, "There is no such frequency, or no such kind of event."),
)]
async fn update_notification_preferences(
    cx: Context,
    channel: Needed<OwnChannel>,
    body: Form<ChangesForm>,
) -> Result<Reply<Preferences>> {
    let changes = changes::several(body.decode()?.notification_preferences)?;
    change(&cx, &channel, changes).await
}

pub(crate) async fn change(cx: &Context, channel: &store::Channel, changes: Vec<Change>) -> Result<Reply<Preferences>> {
    store::change(&cx.db, channel.id, &changes, cx.now).await?;
    Ok(Reply::ok(Preferences::of(cx, channel, channel.changed(&changes)).await?))
}

/// The channel of a user whom the caller may act for; 404 comes before 403.
pub(crate) fn readable(user: &UserAccess, channel: Prefetched<store::Channel>) -> Result<store::Channel> {
    let channel = channel.record()?;
    user.require_own_or_administered()?;
    Ok(channel)
}

impl Preferences {
    async fn of(
        cx: &Context,
        channel: &store::Channel,
        policies: impl IntoIterator<Item = store::Policy>,
    ) -> Result<Self> {
        let path = format!("/api/v1/users/{}/communication_channels/{}", channel.user_id, channel.id);
        let list = format!("{}{path}/notification_preferences", cx.base_url().await?);
        let preferences = policies.into_iter().map(|(kind, frequency)| Preference {
            frequency,
            notification: kind.name,
            category: kind.category.name,
            href: format!("{list}/{}", kind.name),
        });
        Ok(Self { notification_preferences: preferences.collect() })
    }
}
