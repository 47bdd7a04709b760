//! Categories of the kinds of events that a channel is told of.

use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::needs::{Needed, NeededUser};
use shared::notify::catalogue::{CATALOGUE, Category};
use shared::prefetch::Prefetched;
use shared::{Context, Form, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::model::changes::{self, Change};
use crate::routes::notification_preferences::{ChangeForm, Preferences, change, readable};
use crate::store::preferences::{self as store, OwnChannel};

endpoints![list_notification_preference_categories, update_notification_preference_category];

#[derive(Deserialize, JsonSchema)]
struct CategoryPath {
    /// The name of the category: `course_content`.
    category: String,
}

#[derive(Serialize, JsonSchema)]
struct Categories {
    categories: Vec<&'static str>,
}

/// Lists the categories of the kinds of events.
#[endpoint(
    GET "/api/v1/users/:user_id/communication_channels/:communication_channel_id/notification_preference_categories",
    GET "/api/v1/users/:user_id/communication_channels/:type/:address/notification_preference_categories" as list_notification_preference_categories_by_address,
)]
async fn list_notification_preference_categories(
    _: Context,
    user: NeededUser,
    channel: Prefetched<store::Channel>,
) -> Result<Reply<Categories>> {
    readable(&user, channel)?;
    let mut categories = Vec::new();
    for kind in CATALOGUE {
        if !categories.contains(&kind.category.listed) {
            categories.push(kind.category.listed);
        }
    }
    Ok(Reply::ok(Categories { categories }))
}

/// Changes how often a channel is told of all that is in a category.
#[endpoint(
    PUT "/api/v1/users/self/communication_channels/:communication_channel_id/notification_preference_categories/:category",
    PUT "/api/v1/users/self/communication_channels/:type/:address/notification_preference_categories/:category" as update_notification_preference_category_by_address,
    answers(422, "There is no such frequency."),
)]
async fn update_notification_preference_category(
    cx: Context,
    Path(at): Path<CategoryPath>,
    channel: Needed<OwnChannel>,
    body: Form<ChangeForm>,
) -> Result<Reply<Preferences>> {
    let category = Category::of_path(&at.category).or_not_found()?;
    let frequency = changes::one(body.decode()?.notification_preferences)?;
    change(&cx, &channel, category.kinds().map(|kind| Change { kind, frequency }).collect()).await
}
