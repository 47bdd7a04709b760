//! Notifications that a request causes: not told to those who cause them, and with a link to what they are about.

use database::Db;
use types::clock::Timestamp;
use types::ids::UserId;
use web::Context;
use web::error::Result;

use super::{Notification, Recipients, notify};
use crate::outbox::Outbox;

/// Tells what a request does.
#[derive(Debug, Clone)]
pub struct Notifier {
    actors: Vec<UserId>,
    base_url: Option<String>,
    now: Timestamp,
}

/// The news that is to be told.
#[derive(Debug, Clone, Copy)]
pub struct News<'a> {
    /// Its name in the [`catalogue`](super::catalogue).
    pub name: &'a str,
    /// Those who are told, unless it is they who did it.
    pub recipients: Recipients<'a>,
    /// One line, or what is made one.
    pub subject: &'a str,
    /// Plain text.
    pub body: &'a str,
    /// The path of the thing: `/courses/1/pages/welcome`.
    pub path: &'a str,
    /// Its subject: an untried message of the same kind about the same is replaced.
    pub asset: Option<&'a str>,
}

impl Notifier {
    /// Of the request that is being answered. Where the service does not know its address, there are no links.
    pub async fn of(cx: &Context) -> Result<Self> {
        let actors = cx.known_caller().map(web::Caller::people).unwrap_or_default();
        Ok(Self { actors, base_url: cx.known_base_url().await?, now: cx.now })
    }

    /// Of work that no request of a user asks for.
    pub async fn of_job(cx: &Context) -> Result<Self> {
        Ok(Self { actors: Vec::new(), base_url: cx.known_base_url().await?, now: cx.now })
    }

    /// The same for what a user has asked for, who need not be told.
    pub fn by(&self, user: UserId) -> Self {
        Self { actors: vec![user], ..self.clone() }
    }

    /// The same, and one more is not told.
    pub fn not_to(&self, user: UserId) -> Self {
        let actors = self.actors.iter().copied().chain([user]).collect();
        Self { actors, ..self.clone() }
    }

    /// The same at another moment.
    pub fn at(&self, now: Timestamp) -> Self {
        Self { now, ..self.clone() }
    }

    /// The same for what the actors are told too, because it is about the safety of their own accounts.
    pub fn also_to_actors(self) -> Self {
        Self { actors: Vec::new(), ..self }
    }

    /// The text, and under it the link.
    pub fn linked(&self, body: &str, path: &str) -> String {
        match &self.base_url {
            Some(base_url) => format!("{}\n\n{base_url}{path}\n", body.trim_end()),
            None => body.to_owned(),
        }
    }

    /// Tells it in one statement: call it in the transaction of the cause.
    pub async fn tell(&self, db: &Db, news: News<'_>) -> database::Result<()> {
        let body = self.linked(news.body, news.path);
        notify(db, &self.notification(news, &body)).await
    }

    /// The same as a part of what a change leaves to be sent.
    pub fn put(&self, news: News<'_>, outbox: Outbox) -> database::Result<Outbox> {
        let body = self.linked(news.body, news.path);
        Ok(outbox.with_messages(Some(self.notification(news, &body).listed()?)))
    }

    fn notification<'a>(&'a self, news: News<'a>, body: &'a str) -> Notification<'a> {
        let News { name, recipients, subject, asset, .. } = news;
        Notification { name, recipients, actors: &self.actors, subject, body, asset, now: self.now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_stands_under_the_text() {
        let notifier = |base_url: Option<&str>| Notifier {
            actors: Vec::new(),
            base_url: base_url.map(str::to_owned),
            now: types::clock::now(),
        };
        let known = notifier(Some("https://lms.test"));
        assert_eq!(known.linked("Essay is new.\n", "/courses/1"), "Essay is new.\n\nhttps://lms.test/courses/1\n");
        assert_eq!(notifier(None).linked("Essay is new.", "/courses/1"), "Essay is new.");
    }
}
