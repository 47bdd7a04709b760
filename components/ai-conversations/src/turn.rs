//! A turn of a conversation: a message is stored, the model is asked, its answer is stored.
//!
//! The message is stored before the model is asked. While it is asked for one message of a conversation, the next one
//! waits, so that messages and answers alternate. The conversation is taken for a few seconds, again and again until the
//! answer is there: a turn that a crash or a client that has gone cut off soon lets go of it, and the message can be sent
//! again. A turn that overslept its lease, so that another one may have taken the conversation, stores nothing more.

pub(crate) mod stream;

use std::cell::Cell;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures::future::{Either, select};
use http::StatusCode;
use serde_json::json;
use shared::ids::{AccountId, AiConversationId};
use shared::{Context, Db, Error, Result, background, clock, config};

use crate::access::TalkRecords;
use crate::language_model::{Model, Question, Reply, Utterance};
use crate::limits::{self, Reserved, Spent};
use crate::model::conversations::{Progress, Talk};
use crate::model::experiences::Experience;
use crate::model::failure::Failure;
use crate::model::prompt::{self, Tutoring};
use crate::model::text::{Secrets, shows_something};
use crate::store::conversations;
use crate::store::messages::{self, Sent, TakenTurn};

/// For how many seconds a conversation is taken.
const LEASE: i64 = 15;
/// The longest answer: a conversation of the longest ones can still be read at once.
const MAX_REPLY_CHARS: usize = 100_000;
/// The time until it is taken again.
const RENEWAL: Duration = Duration::from_secs(5);
/// The time between two looks for whether another message still has the turn.
const PAUSE: Duration = Duration::from_millis(100);

/// A message that waits for its answer.
pub(crate) struct Turn {
    lease: Lease,
    message: i64,
    /// What was said up to and with this message. Nobody else writes any before the turn ends.
    said: Vec<Utterance>,
    progress: Option<Progress>,
    /// When the conversation was last taken.
    taken: Cell<Instant>,
}

/// A conversation that was taken.
#[derive(Clone)]
pub(crate) struct Lease {
    conversation: AiConversationId,
    /// The random name of whoever has taken it.
    name: String,
}

/// The outcome of a message.
pub(crate) enum Begun {
    /// It has its answer already.
    Answered,
    /// It is this conversation's turn.
    Turn(Turn),
}

/// Stores the message, when it is the conversation's turn. Sent again it is the same message, also where that one waits for
/// its answer, or for its turn, all the while.
pub(crate) async fn begin(cx: &Context, found: &TalkRecords, text: &str, key: Option<&str>) -> Result<Begun> {
    let timeout = timeout().await?;
    let conversation = found.conversation.id;
    let start = Instant::now();
    let mut sent = Sent { text, key, since: None };
    loop {
        let now = clock::now();
        match messages::take(&cx.db, conversation, sent, now, now.plus_seconds(LEASE)).await? {
            messages::TurnOutcome::Busy(since) => {
                sent.since = sent.since.or(since);
                wait(cx, conversation, start, timeout).await?;
            }
            messages::TurnOutcome::Answered => return Ok(Begun::Answered),
            messages::TurnOutcome::Ended => return Err(limits::full("the conversation has ended; start another one")),
            messages::TurnOutcome::Full => return Err(limits::full("the conversation is too long; start another one")),
            messages::TurnOutcome::Message(TakenTurn { lease, message, said, progress }) => {
                let (lease, taken) = (Lease { conversation, name: lease }, Cell::new(Instant::now()));
                return Ok(Begun::Turn(Turn { lease, message, said, progress, taken }));
            }
        }
    }
}

/// Waits until nobody has the turn, and only reads meanwhile: each try to take it would keep others from writing.
async fn wait(cx: &Context, conversation: AiConversationId, start: Instant, timeout: Duration) -> Result<()> {
    while start.elapsed() <= timeout {
        spin_sdk::time::sleep(PAUSE).await;
        if conversations::is_free(&cx.db, conversation, clock::now()).await? {
            return Ok(());
        }
    }
    Err(Failure::NoResponse.answer(cx))
}

impl Turn {
    /// Asks the model, and stores its answer.
    pub(crate) async fn finish(self, cx: &Context, found: &TalkRecords) -> Result<Talk> {
        match self.hold(cx, self.answer(cx, found)).await {
            Ok((said, spent)) => self.store(cx, &found.experience, said, &spent).await,
            Err(error) => {
                self.lease.let_go(cx).await;
                Err(error)
            }
        }
    }

    async fn answer(&self, cx: &Context, found: &TalkRecords) -> Result<(Tutoring, Spent)> {
        ask(cx, found.classroom.course.root_account, &found.experience, self.said.clone()).await
    }

    /// Does some of the work on the answer, while the conversation stays taken.
    pub(crate) async fn hold<T>(&self, cx: &Context, work: impl Future<Output = Result<T>>) -> Result<T> {
        if self.taken.get().elapsed() >= RENEWAL {
            self.renew(cx).await?;
        }
        let renewing = async {
            loop {
                spin_sdk::time::sleep(RENEWAL.saturating_sub(self.taken.get().elapsed())).await;
                if let Err(error) = self.renew(cx).await {
                    return error;
                }
            }
        };
        match select(pin!(work), pin!(renewing)).await {
            Either::Left((done, _)) => done,
            Either::Right((error, _)) => Err(error),
        }
    }

    async fn renew(&self, cx: &Context) -> Result<()> {
        let until = clock::now().plus_seconds(LEASE);
        if !conversations::renew(&cx.db, self.lease.conversation, &self.lease.name, until).await? {
            return Err(lost(cx));
        }
        self.taken.set(Instant::now());
        Ok(())
    }

    /// Stores what the model said. Nothing of it is lost when the student has ended the conversation meanwhile.
    pub(crate) async fn store(
        self,
        cx: &Context,
        experience: &Experience,
        said: Tutoring,
        spent: &Spent,
    ) -> Result<Talk> {
        let Self { lease: Lease { conversation, name }, message, progress, .. } = self;
        let objectives = &experience.learning_objectives.0;
        let progress = Progress::of(objectives, progress.as_ref(), &said.covered_objectives);
        let (now, user) = (clock::now(), cx.caller()?.user);
        let talk = spent.with(cx, async |db: &Db| -> Result<Talk> {
            messages::answer(db, conversation, message, &said.reply, now).await?;
            let talk = conversations::advance(db, conversation, &name, user, &progress, now).await?;
            talk.ok_or_else(|| lost(cx))
        });
        Ok(talk.await?.shown())
    }

    /// The question to the model.
    pub(crate) async fn question(&self, experience: &Experience) -> Result<Question> {
        tutoring(experience, self.said.clone()).await
    }
}

impl Lease {
    /// The message stays without an answer, and the next one need not wait. Where that cannot be written the lease ends by
    /// itself, and what went wrong before is told all the same.
    pub(crate) async fn let_go(&self, cx: &Context) {
        background::log_if_failed(conversations::release(&cx.db, self.conversation, &self.name).await.map(drop));
    }
}

/// 409: the turn overslept its lease, and another message has had its turn meanwhile.
fn lost(cx: &Context) -> Error {
    let body = json!({
        "error": "another message of the conversation was faster; send this one again",
        "code": "turn_lost",
        "retryable": true,
        "reference_id": cx.request_id(),
    });
    Error::own(StatusCode::CONFLICT, body)
}

/// Asks the model for the tutor's next words. An answer in another shape, or one that gives the instructions away, is asked
/// for once more.
pub(crate) async fn ask(
    cx: &Context,
    tenant: AccountId,
    experience: &Experience,
    said: Vec<Utterance>,
) -> Result<(Tutoring, Spent)> {
    ask_after(cx, tenant, experience, said, async || -> Result<()> { Ok(()) }).await
}

/// The same after what is to be done first, once it is known that the model may be asked.
pub(crate) async fn ask_after(
    cx: &Context,
    tenant: AccountId,
    experience: &Experience,
    said: Vec<Utterance>,
    first: impl AsyncFnOnce() -> Result<()>,
) -> Result<(Tutoring, Spent)> {
    let question = tutoring(experience, said).await?;
    let secrets = prompt::secrets(experience);
    let asking = Asking::begin(cx, tenant, &question).await?;
    first().await?;
    asking.answer(Failure::InvalidResponse, |reply| tutored(reply, &secrets)).await
}

async fn tutoring(experience: &Experience, said: Vec<Utterance>) -> Result<Question> {
    let mut question = prompt::tutoring(experience, prompt::alternating(said));
    prompt::cut(&mut question, context_tokens().await?);
    Ok(question)
}

/// How much the model is told in a question.
pub(crate) async fn context_tokens() -> Result<i64> {
    config::number("ai_context_tokens").await
}

/// The tutor's words, if the model wrote them as it was told to, something of them is shown, and no more than a student may read.
pub(crate) fn tutored(reply: &Reply, secrets: &Secrets) -> Option<Tutoring> {
    let said: Tutoring = prompt::object(&reply.text)?;
    let fits = said.reply.chars().count() <= MAX_REPLY_CHARS && shows_something(&said.reply);
    (fits && !secrets.are_in(&said.reply)).then_some(said)
}

/// Asks the model within the tenant's budget, as [`Asking::answer`] does.
pub(crate) async fn checked<T>(
    cx: &Context,
    tenant: AccountId,
    question: &Question,
    malformed: Failure,
    read: impl Fn(&Reply) -> Option<T>,
) -> Result<(T, Spent)> {
    Asking::begin(cx, tenant, question).await?.answer(malformed, read).await
}

/// A question to the model for which tokens of the tenant's budget are set aside.
struct Asking<'a> {
    cx: &'a Context,
    tenant: AccountId,
    question: &'a Question,
    model: Model,
    reserved: Reserved,
}

impl<'a> Asking<'a> {
    /// 503 where there is no model, 429 where the budget is used up.
    async fn begin(cx: &'a Context, tenant: AccountId, question: &'a Question) -> Result<Self> {
        let model = model(cx).await?;
        let reserved = reserve(cx, tenant, &model, question).await?;
        Ok(Self { cx, tenant, question, model, reserved })
    }

    /// Asks. An answer that `read` cannot read is asked for once more; `malformed` says what it is when that does not help. What
    /// the answer has taken is left to be noted, where it is stored.
    async fn answer<T>(self, malformed: Failure, read: impl Fn(&Reply) -> Option<T>) -> Result<(T, Spent)> {
        let Self { cx, tenant, question, model, mut reserved } = self;
        let mut is_again = false;
        loop {
            match model.ask(question).await {
                Ok(reply) => match read(&reply) {
                    Some(answer) => return Ok((answer, reserved.spent(reply.tokens))),
                    None => reserved.fail(cx, reply.tokens, malformed.kind()).await?,
                },
                Err(failure) => {
                    reserved.fail(cx, None, failure.kind()).await?;
                    // An answer that cannot be read at all is no better than one of another shape.
                    if failure != Failure::InvalidResponse {
                        return Err(failure.answer(cx));
                    }
                }
            }
            if is_again {
                return Err(malformed.answer(cx));
            }
            is_again = true;
            reserved = reserve(cx, tenant, &model, question).await?;
        }
    }
}

/// The model; 503 where there is none.
pub(crate) async fn model(cx: &Context) -> Result<Model> {
    Model::configured().await?.ok_or_else(|| Failure::Unavailable.answer(cx))
}

/// Sets aside what the question and its answer may take.
pub(crate) async fn reserve(cx: &Context, tenant: AccountId, model: &Model, question: &Question) -> Result<Reserved> {
    let tokens = prompt::size(question).saturating_add(model.max_tokens());
    limits::reserve(cx, tenant, tokens).await
}

async fn timeout() -> Result<Duration> {
    Ok(Model::configured().await?.map_or(Duration::ZERO, |model| model.timeout()))
}
