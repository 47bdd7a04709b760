//! Inboxes: receivers of webhooks that keep what comes, and answer as a test wants.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::sandbox::calls::shown_headers;
use crate::sandbox::clock;
use crate::sandbox::reply::Problem;
use crate::sandbox::signature::{self, Signature};

/// The most events that an inbox keeps, and the most inboxes there are.
const MAX_EVENTS: usize = 1000;
const MAX_INBOXES: usize = 1000;
/// The bytes after which an inbox gives its oldest events up.
const MAX_BYTES: usize = 32 << 20;

/// All inboxes, by name.
#[derive(Default)]
pub(super) struct Inboxes(Mutex<BTreeMap<String, Inbox>>);

#[derive(Default)]
struct Inbox {
    settings: Settings,
    last: u64,
    events: VecDeque<Event>,
}

/// How an inbox answers, and by which secret it knows what is for it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

impl Inbox {
    /// Forgets the oldest events until there is room for one of so many bytes.
    fn make_room(&mut self, bytes: usize) {
        let mut kept = self.events.iter().map(|event| event.body.len()).fold(bytes, usize::saturating_add);
        while (kept > MAX_BYTES || self.events.len() >= MAX_EVENTS)
            && let Some(oldest) = self.events.pop_front()
        {
            kept = kept.saturating_sub(oldest.body.len());
        }
    }
}

struct Event {
    id: u64,
    at: DateTime<Utc>,
    headers: HeaderMap,
    body: Bytes,
}

/// An event as the API of the sandbox tells of it.
#[derive(Serialize)]
pub(super) struct Shown {
    pub(super) id: u64,
    pub(super) at: String,
    pub(super) headers: Value,
    pub(super) body: String,
    pub(super) signature: Signature,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
}

/// The settings of an inbox as they are now.
#[derive(Serialize)]
pub(super) struct Set {
    name: String,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
}

impl Settings {
    /// The secret alone.
    pub(super) fn of_secret(secret: &str) -> Self {
        Self { status: None, secret: Some(secret.to_owned()) }
    }
}

impl Inboxes {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Inbox>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an event; answers the status for its sender.
    pub(super) fn take(
        &self,
        name: &str,
        headers: HeaderMap,
        body: Bytes,
        at: DateTime<Utc>,
    ) -> Result<StatusCode, Problem> {
        let mut all = self.all();
        let inbox = inbox(&mut all, name)?;
        inbox.last = inbox.last.saturating_add(1);
        inbox.make_room(body.len());
        inbox.events.push_back(Event { id: inbox.last, at, headers, body });
        let status = inbox.settings.status.and_then(|status| StatusCode::from_u16(status).ok());
        Ok(status.unwrap_or(StatusCode::OK))
    }

    /// Changes what is given of the settings.
    pub(super) fn set(&self, name: &str, settings: Settings) -> Result<Set, Problem> {
        if settings.status.is_some_and(|status| !(200..=599).contains(&status)) {
            return Err(Problem::of_field("status", "is from 200 to 599"));
        }
        if settings.secret.as_deref().is_some_and(|secret| signature::key(secret).is_none()) {
            return Err(Problem::of_field("secret", "is whsec_ and base64"));
        }
        let mut all = self.all();
        let now = &mut inbox(&mut all, name)?.settings;
        now.status = settings.status.or(now.status);
        now.secret = settings.secret.or(now.secret.take());
        Ok(Set { name: name.to_owned(), status: now.status.unwrap_or(200), secret: now.secret.clone() })
    }

    /// The events of an inbox, the newest last.
    pub(super) fn events(&self, name: &str) -> Vec<Shown> {
        let all = self.all();
        let Some(inbox) = all.get(name) else { return Vec::new() };
        inbox.events.iter().map(|event| event.show(inbox.settings.secret.as_deref())).collect()
    }

    /// Empties an inbox, whose settings stay.
    pub(super) fn clear(&self, name: &str) {
        if let Some(inbox) = self.all().get_mut(name) {
            inbox.events.clear();
        }
    }

    /// The settings of all inboxes.
    pub(super) fn settings(&self) -> BTreeMap<String, Settings> {
        self.all().iter().map(|(name, inbox)| (name.clone(), inbox.settings.clone())).collect()
    }

    /// From now on there are these inboxes, and nothing is in them.
    pub(super) fn restore(&self, settings: BTreeMap<String, Settings>) {
        let empty = |(name, settings)| (name, Inbox { settings, ..Inbox::default() });
        *self.all() = settings.into_iter().map(empty).collect();
    }
}

fn inbox<'a>(all: &'a mut BTreeMap<String, Inbox>, name: &str) -> Result<&'a mut Inbox, Problem> {
    if !all.contains_key(name) && all.len() >= MAX_INBOXES {
        return Err(Problem::new(StatusCode::CONFLICT, format!("there are {MAX_INBOXES} inboxes already")));
    }
    Ok(all.entry(name.to_owned()).or_default())
}

impl Event {
    fn show(&self, secret: Option<&str>) -> Shown {
        let (signature, problem) = signature::judge(secret, &self.headers, &self.body, self.at.timestamp());
        Shown {
            id: self.id,
            at: clock::text(self.at),
            headers: shown_headers(&self.headers),
            body: String::from_utf8_lossy(&self.body).into_owned(),
            signature,
            problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(json: &str) -> Settings {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn an_inbox_answers_as_it_is_told_to_and_keeps_what_comes() {
        let inboxes = Inboxes::default();
        let take = || inboxes.take("default", HeaderMap::new(), Bytes::from_static(b"{}"), Utc::now()).unwrap();
        assert_eq!(take(), StatusCode::OK);
        inboxes.set("default", settings(r#"{"status":503}"#)).unwrap();
        assert_eq!(take(), StatusCode::SERVICE_UNAVAILABLE);
        let events = inboxes.events("default");
        assert_eq!(events.iter().map(|event| event.id).collect::<Vec<_>>(), [1, 2]);
        assert!(events.iter().all(|event| event.signature == Signature::Missing && event.body == "{}"));
        inboxes.clear("default");
        assert!(inboxes.events("default").is_empty() && inboxes.events("other").is_empty());
        let kept = inboxes.settings();
        inboxes.set("default", settings(r#"{"status":410}"#)).unwrap();
        inboxes.restore(kept);
        assert!(inboxes.events("default").is_empty() && take() == StatusCode::SERVICE_UNAVAILABLE);
    }

    #[test]
    fn large_events_push_the_oldest_out() {
        let inboxes = Inboxes::default();
        let take = |bytes: usize| {
            let body = Bytes::from(vec![b'x'; bytes]);
            inboxes.take("default", HeaderMap::new(), body, Utc::now()).unwrap();
            inboxes.events("default").iter().map(|event| event.id).collect::<Vec<_>>()
        };
        take(1);
        assert_eq!(take(MAX_BYTES / 2), [1, 2]);
        assert_eq!(take(MAX_BYTES / 2), [2, 3]);
        assert_eq!(take(MAX_BYTES), [4]);
    }

    #[test]
    fn a_secret_stays_when_the_status_is_set() {
        let inboxes = Inboxes::default();
        inboxes.set("default", settings(r#"{"secret":"whsec_AAAA"}"#)).unwrap();
        let set = inboxes.set("default", settings(r#"{"status":410}"#)).unwrap();
        assert_eq!((set.status, set.secret.as_deref()), (410, Some("whsec_AAAA")));
        for wrong in [r#"{"status":99}"#, r#"{"secret":"whsec_?"}"#] {
            assert!(inboxes.set("default", settings(wrong)).is_err(), "{wrong}");
        }
    }
}
