//! The address to which the image of a hot-spot question is sent.

use serde::Serialize;
use shared::auth::secrets;
use shared::{Context, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::routes::media::{ObjectPath, PURPOSE, signed};
use crate::s3;
use crate::store::needs::ManagedQuiz;

endpoints![get_media_upload_url];

/// The time for which an address is good, in seconds.
const LIFETIME: u32 = 3600;

#[derive(Serialize, JsonSchema)]
struct UploadUrl {
    /// Takes the bytes with `PUT`. Without its query it is the image's address.
    url: String,
}

/// Gives an address to upload an image of a hot-spot question to.
#[endpoint(GET "/api/quiz/v1/courses/:course_id/quizzes/:assignment_id/items/media_upload_url")]
async fn get_media_upload_url(cx: Context, quiz: ManagedQuiz) -> Result<Reply<UploadUrl>> {
    let object = ObjectPath::new().id();
    if let Some(url) = s3::upload_url(&object, LIFETIME).await? {
        return Ok(Reply::ok(UploadUrl { url }));
    }
    let (base, course) = (cx.base_url().await?, quiz.course.id.0);
    let expires = cx.now.plus_seconds(LIFETIME.into()).unix();
    let signature = secrets::sign(PURPOSE, &signed(&object, course, expires)).await?;
    let query = format!("course={course}&expires={expires}&signature={signature}");
    Ok(Reply::ok(UploadUrl { url: format!("{base}/api/quiz/v1/media/{object}?{query}") }))
}
