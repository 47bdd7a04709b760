//! oEmbed: what another page needs to show an award of ours.

use http::StatusCode;
use maud::html;
use serde::{Deserialize, Serialize};
use shared::error::OrNotFound;
use shared::{Context, Error, JsonSchema, Query, Reply, Result, endpoint, endpoints};

use crate::model::error_format::error_body;
use crate::query::{self, Last};
use crate::routes::public::find_assertion;

endpoints![get_oembed];

#[derive(Serialize, JsonSchema)]
pub(crate) struct Embedded {
    r#type: &'static str,
    version: &'static str,
    title: String,
    provider_name: String,
    provider_url: String,
    author_name: String,
    thumbnail_url: String,
    width: u32,
    height: u32,
    html: String,
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct EmbedQuery {
    /// The address of the award.
    #[schemars(with = "String")]
    url: Last,
    /// `json`, which is the default.
    #[schemars(with = "String")]
    format: Last,
}

/// The things that a page needs to show an award of ours.
#[endpoint(
    GET "/public/oembed",
    public,
    nobody(400, "awards are public; it asks for the address"),
    answers(404, "The address is not that of an award."),
    answers(501, "Only JSON is answered."),
)]
pub(crate) async fn get_oembed(cx: Context, query: Query<EmbedQuery>) -> Result<Reply<Embedded>> {
    let EmbedQuery { url, format } = query::read(&cx, &query)?;
    if format.0.is_some_and(|format| format != "json") {
        let body = error_body("only the format json is implemented", serde_json::Map::new(), Vec::new());
        return Err(Error::own(StatusCode::NOT_IMPLEMENTED, body));
    }
    let base = cx.base_url().await?;
    let address = url.0.ok_or_else(|| Error::invalid("url", "blank", "This field is required."))?;
    let id = address.strip_prefix(&format!("{base}/public/assertions/")).or_not_found()?;
    let id = id.split(['?', '#', '.']).next().unwrap_or_default();
    let assertion = find_assertion(&cx, id).await?;
    if assertion.revoked_at.is_some() {
        return Err(Error::not_found());
    }
    let class = &assertion.class.0;
    let (page, image) = (format!("{base}/public/assertions/{id}"), format!("{base}/public/assertions/{id}/image"));
    let shown = html! { a href=(page) { img src=(image) alt=(class.name) width="300" height="300"; } };
    Ok(Reply::ok(Embedded {
        r#type: "rich",
        version: "1.0",
        title: class.name.clone(),
        provider_name: "Lectern".to_owned(),
        provider_url: base,
        author_name: class.issuer.0.name.clone(),
        thumbnail_url: image,
        width: 300,
        height: 300,
        html: shown.into_string(),
    }))
}
