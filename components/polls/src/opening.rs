//! Opening and closing sessions, over the API and on the live page.

use shared::db::Json;
use shared::notify::{Item, News, Notifier, Recipients};
use shared::{Context, Error, Result, background};

use crate::model::join_codes;
use crate::model::sessions::PollSession;
use crate::page_links::{Audience, PAGES, Pass, SessionPath};
use crate::store::sessions as store;

/// Opens the session, and tells those who are asked, each with a link to their own voting page. Other sessions stay as they
/// are, and so do the submissions.
pub(crate) async fn open(cx: &Context, session: &PollSession) -> Result<()> {
    let notifier = Notifier::of(cx).await?;
    let codes = join_codes::candidates();
    let told = cx.db.transaction(async |db| {
        let Some(asked) = store::open(db, session.id, Json(codes.clone()), cx.now).await? else { return Ok(false) };
        let pages = SessionPath { poll_id: session.poll_id, id: session.id }.pages();
        let mut items = Vec::new();
        for asked in asked {
            let pass = Pass { audience: Audience::Student, session: session.id, user: asked.user_id };
            let (path, _ends) = PAGES.path(cx, (&pages, "/vote"), &pass).await?;
            let subject = format!("A question in {}", asked.course_name);
            items.push(Item { user: asked.user_id, subject, body: notifier.linked(&asked.question, &path) });
        }
        let news = News {
            name: "new_announcement",
            recipients: Recipients::Each(&items),
            subject: "",
            body: "",
            path: "",
            asset: Some(&format!("poll_session_{}", session.id)),
        };
        notifier.tell(db, news).await?;
        Ok::<_, Error>(!items.is_empty())
    });
    if told.await? {
        background::run_soon();
    }
    Ok(())
}

/// Closes the session. Its code is free again.
pub(crate) async fn close(cx: &Context, session: &PollSession) -> Result<()> {
    Ok(store::close(&cx.db, session.id, cx.now).await?)
}
