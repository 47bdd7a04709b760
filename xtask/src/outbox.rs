//! New messages of the outbox, shown in the terminal, so that a developer can follow the links in them.

use anyhow::Result;
use serde::Deserialize;
use xtask::client::Client;

const PATH: &str = "/api/v1/outbox?per_page=100";

/// The outbox, as far as it was shown.
pub(crate) struct Outbox {
    admin: Client,
    shown: i64,
}

/// A message, as far as we show it.
#[derive(Deserialize)]
struct Message {
    id: i64,
    r#type: String,
    to: String,
    subject: String,
    body: String,
}

impl Outbox {
    /// An outbox of which everything that is in it now counts as shown.
    pub(crate) async fn open(admin: Client) -> Result<Self> {
        let mut outbox = Self { admin, shown: 0 };
        outbox.shown = outbox.newest().await?.first().map_or(0, |message| message.id);
        Ok(outbox)
    }

    /// Shows what is new, the oldest first.
    pub(crate) async fn show(&mut self) -> Result<()> {
        let newest = self.newest().await?;
        let new = newest.iter().take_while(|message| message.id > self.shown).collect::<Vec<_>>();
        for message in new.iter().rev() {
            println!("{}", describe(message));
        }
        self.shown = new.first().map_or(self.shown, |message| message.id);
        Ok(())
    }

    async fn newest(&self) -> Result<Vec<Message>> {
        Ok(serde_json::from_value(self.admin.get(PATH).await?)?)
    }
}

/// A message as a person reads it: to whom, its subject, and the links in it, one to a line.
fn describe(message: &Message) -> String {
    let Message { r#type, to, subject, body, .. } = message;
    let links = body.split_whitespace().filter(|word| word.starts_with("http://") || word.starts_with("https://"));
    let lines =
        std::iter::once(format!("Message ({type}) to {to}: {subject}")).chain(links.map(|link| format!("  {link}")));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stand_on_lines_of_their_own() {
        let message = Message {
            id: 1,
            r#type: "email".to_owned(),
            to: "ada@school.test".to_owned(),
            subject: "Confirm".to_owned(),
            body: "Follow\nhttp://localhost:3000/register/x\nplease".to_owned(),
        };
        let shown = "Message (email) to ada@school.test: Confirm\n  http://localhost:3000/register/x";
        assert_eq!(describe(&message), shown);
    }
}
