//! Votes on answers, given on the page of a conversation.

use serde::Deserialize;
use shared::prefetch::Prefetched;
use shared::{Context, Error, Form, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::access;
use crate::model::own_talk::OwnTalk;
use crate::routes::feedback::{self, VoteForm};
use crate::routes::talk::{Opened, incomplete, lead_to};
use crate::store::feedback as store;
use crate::store::needs::NeededExperience;

endpoints![vote_on_page];

#[derive(Deserialize, JsonSchema)]
struct PageMessagePath {
    /// The id of the message, a UUID.
    message_id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PageVote {
    Liked,
    Disliked,
    /// The vote is taken back.
    None,
}

#[derive(Deserialize, JsonSchema)]
struct PageVoteForm {
    vote: PageVote,
    /// What was wrong with the answer.
    #[serde(default)]
    feedback_message: Option<String>,
}

/// Likes or dislikes an answer on the page of a conversation, or takes the vote back, and leads back to the page.
#[endpoint(
    POST "/courses/:course_id/ai_experiences/:ai_experience_id/talk/messages/:message_id/feedback",
    signed_in,
    page,
    answers(403, "The caller is no member of the course."),
)]
async fn vote_on_page(
    cx: Context,
    Path(at): Path<PageMessagePath>,
    experience: NeededExperience,
    talk: Prefetched<OwnTalk>,
    form: Form<PageVoteForm>,
) -> Result<Reply> {
    let opened = Opened::of(experience, talk)?;
    let talk = opened.talk.as_ref().ok_or_else(Error::not_found)?;
    let said = talk.message(&at.message_id).ok_or_else(Error::not_found)?;
    let Ok(PageVoteForm { vote, feedback_message }) = form.decode() else { return incomplete(&cx, &opened) };
    let experience = &opened.experience;
    let vote = match vote {
        PageVote::Liked => "liked",
        PageVote::Disliked => "disliked",
        PageVote::None => {
            if let Some(vote) = said.vote_id {
                let user = cx.caller()?.user;
                store::withdraw(&cx.db, talk.id, &at.message_id, &vote.to_string(), user).await?;
            }
            return lead_to(experience).await;
        }
    };
    let form = VoteForm { vote: Some(vote.to_owned()), feedback_message };
    feedback::give(&cx, (experience.id, talk.id), &at.message_id, form).await.map_err(access::on_page)?;
    lead_to(experience).await
}
