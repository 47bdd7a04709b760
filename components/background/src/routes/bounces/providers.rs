//! Notices as mail and text services send them.

use serde::Serialize;
use shared::{Context, JsonSchema, Reply, Result, endpoint};

use crate::model::bounces::BounceNotice;
use crate::notices::{postmark, sendgrid, sns, twilio};
use crate::store::bounces as store;

/// The most bytes of a notice, or of a batch of them.
const MAX_NOTICE_BYTES: usize = 1024 * 1024;

/// How many bounces a notice told of.
#[derive(Serialize, JsonSchema)]
pub(super) struct CountedBounces {
    bounces: usize,
}

/// Takes a notice of Amazon SES, which comes by SNS.
///
/// It must be signed by SNS and come from a topic of `bounce_sns_topics`. The subscription of such a topic is confirmed.
/// Other events than bounces and complaints change nothing.
#[endpoint(
    POST "/internal/bounces/ses",
    public,
    raw(MAX_NOTICE_BYTES),
    nobody(401, "it is called by Amazon, and signed"),
    accepts(&["application/json", "text/plain"]),
    answers(503, "The topic cannot be confirmed now."),
)]
pub(super) async fn receive_ses_notice(cx: Context) -> Result<Reply<CountedBounces>> {
    let notices = sns::read(&cx).await?;
    note(&cx, notices).await
}

/// Takes a batch of events of `SendGrid`.
///
/// It must be signed with the key whose public half is `bounce_sendgrid_key`. Other events than bounces, dropped messages
/// and complaints change nothing.
#[endpoint(
    POST "/internal/bounces/sendgrid",
    public,
    raw(MAX_NOTICE_BYTES),
    nobody(401, "it is called by SendGrid, and signed"),
    accepts(&["application/json"]),
)]
pub(super) async fn receive_sendgrid_notice(cx: Context) -> Result<Reply<CountedBounces>> {
    let notices = sendgrid::read(&cx).await?;
    note(&cx, notices).await
}

/// Takes a notice of Postmark.
///
/// It must show `bounce_postmark_token`, as a bearer or as the password of Basic authentication. Other records than
/// bounces, complaints and suppressions change nothing.
#[endpoint(
    POST "/internal/bounces/postmark",
    public,
    raw(MAX_NOTICE_BYTES),
    nobody(401, "it is called with a token of the operator's own"),
    accepts(&["application/json"]),
)]
pub(super) async fn receive_postmark_notice(cx: Context) -> Result<Reply<CountedBounces>> {
    let notices = postmark::read(&cx).await?;
    note(&cx, notices).await
}

/// Takes a status callback of Twilio.
///
/// It must be signed with `sms_api_key`. Only text messages that were sent from here within a day count.
#[endpoint(
    POST "/internal/bounces/twilio",
    public,
    raw(MAX_NOTICE_BYTES),
    nobody(401, "it is called by Twilio, and signed"),
    accepts(&["application/x-www-form-urlencoded"]),
)]
pub(super) async fn receive_twilio_notice(cx: Context) -> Result<Reply<CountedBounces>> {
    let bounces = twilio::receive(&cx).await?;
    Ok(Reply::ok(CountedBounces { bounces }))
}

async fn note(cx: &Context, notices: Vec<BounceNotice>) -> Result<Reply<CountedBounces>> {
    let notices: Vec<_> = notices.into_iter().filter_map(|notice| notice.counted(cx.now)).collect();
    let bounces = notices.len();
    if bounces > 0 {
        cx.db.transaction(async |db| store::note_all(db, notices).await).await?;
    }
    Ok(Reply::ok(CountedBounces { bounces }))
}
