//! Conversations with the mail server, which are kept for a while for the next message.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use crate::message::Message;
use crate::refusal::Refusal;
use crate::smtp::{Conversation, MailServer};

/// For how long a conversation waits for the next message.
const IDLE: Duration = Duration::from_secs(20);
/// How often it is looked whether one has waited too long.
const SWEEP: Duration = Duration::from_secs(5);
/// Servers end a conversation after so many messages, or more.
const MAX_MESSAGES: u32 = 50;
/// The time that a server has to say that it is still there, or to take leave.
const SHORT: Duration = Duration::from_secs(2);

/// A bounded number of conversations.
pub(crate) struct Pool {
    server: MailServer,
    /// The time that one message may take, all in all.
    limit: Duration,
    permits: Semaphore,
    waiting: std::sync::Mutex<Vec<(Instant, Conversation)>>,
}

impl Pool {
    pub(crate) fn new(server: MailServer, connections: usize, limit: Duration) -> Arc<Self> {
        let waiting = std::sync::Mutex::default();
        Arc::new(Self { server, limit, permits: Semaphore::new(connections), waiting })
    }

    /// Hands a message over, when a conversation is free. Answers the words by which the server takes it.
    pub(crate) async fn deliver(&self, message: &Message) -> Result<String, Refusal> {
        let _permit = self.permits.acquire().await.map_err(|_closed| Refusal::Busy)?;
        let too_long = |_| Err(Refusal::Unavailable("the mail server takes too long".to_owned()));
        timeout(self.limit, self.converse(message)).await.unwrap_or_else(too_long)
    }

    /// Begins a conversation and ends it.
    pub(crate) async fn check(&self) -> Result<(), Refusal> {
        let too_long = |_| Err(Refusal::Unavailable("the mail server takes too long".to_owned()));
        let begun = timeout(self.limit, self.server.talk()).await.unwrap_or_else(too_long)?;
        leave(begun).await;
        Ok(())
    }

    async fn converse(&self, message: &Message) -> Result<String, Refusal> {
        let mut conversation = match self.waiting().await {
            Some(conversation) => conversation,
            None => self.server.talk().await?,
        };
        let taken = conversation.deliver(message).await;
        let goes_on = match &taken {
            Ok(_) => conversation.taken < MAX_MESSAGES,
            Err(Refusal::Unavailable(_)) => false,
            Err(_) => timeout(SHORT, conversation.goes_on()).await.unwrap_or(false),
        };
        match goes_on {
            true => self.put_back(conversation),
            // Nobody has to wait for that.
            false => drop(tokio::spawn(leave(conversation))),
        }
        taken
    }

    /// A conversation that waits, and whose server is still there.
    async fn waiting(&self) -> Option<Conversation> {
        loop {
            let (_, mut conversation) = self.lock().pop()?;
            if timeout(SHORT, conversation.lives()).await.unwrap_or(false) {
                return Some(conversation);
            }
        }
    }

    fn put_back(&self, conversation: Conversation) {
        self.lock().push((Instant::now(), conversation));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<(Instant, Conversation)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what has waited too long, again and again.
    pub(crate) async fn sweep(&self) {
        loop {
            tokio::time::sleep(SWEEP).await;
            self.end_idle(IDLE).await;
        }
    }

    /// Ends all that waits.
    pub(crate) async fn close(&self) {
        self.end_idle(Duration::ZERO).await;
    }

    async fn end_idle(&self, idle: Duration) {
        let old: Vec<_> = self.lock().extract_if(.., |(since, _)| since.elapsed() >= idle).collect();
        for (_, conversation) in old {
            leave(conversation).await;
        }
    }
}

/// A server that does not take leave is left without.
async fn leave(conversation: Conversation) {
    let _in_time = timeout(SHORT, conversation.end()).await;
}
