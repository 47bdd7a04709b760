//! A message: as it is posted, and as the mail server gets it.

use std::str::FromStr;
use std::time::SystemTime;

use lettre::Address;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder, SinglePart};
use serde::Deserialize;

use crate::ledger::Id;
use crate::refusal::Refusal;

/// A message as it is posted, in JSON.
#[derive(Debug, Deserialize)]
pub(crate) struct Posted {
    /// The sender: an address, with a name if there is one.
    from: String,
    /// The address that it goes to.
    to: String,
    subject: String,
    text: String,
}

/// What the operator writes into each message.
#[derive(Debug, Clone, Default)]
pub struct Headers {
    /// Whom bounces go to (`MAIL FROM`); by default the sender.
    pub envelope_sender: Option<Mailbox>,
    /// Whom answers go to.
    pub reply_to: Option<Mailbox>,
}

/// A message as the mail server gets it.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) sender: Address,
    pub(crate) recipient: Address,
    pub(crate) message_id: String,
    /// Without the end of the last line.
    pub(crate) bytes: Vec<u8>,
}

/// Parses an address, with or without a name. What is not one, or is more than one, is an error in words.
pub fn mailbox(text: &str) -> Result<Mailbox, String> {
    if text.chars().any(char::is_control) {
        return Err(format!("{text:?} is no e-mail address: it has control characters"));
    }
    let mailbox = Mailbox::from_str(text.trim()).map_err(|error| format!("{text:?} is no e-mail address: {error}"))?;
    // Mail servers know domains in ASCII alone.
    let (user, domain) = (mailbox.email.user(), mailbox.email.domain());
    let written = idna::domain_to_ascii(domain).ok().and_then(|domain| Address::new(user, domain).ok());
    let email = written.ok_or_else(|| format!("{text:?} is no e-mail address: its domain is none"))?;
    Ok(Mailbox::new(mailbox.name, email))
}

impl Posted {
    /// Writes the message. One that is posted again, under the same id, has the same `Message-ID`: whoever gets it twice
    /// can tell.
    pub(crate) fn compose(&self, headers: &Headers, id: Id, now: SystemTime) -> Result<Message, Refusal> {
        let from = mailbox(&self.from).map_err(Refusal::Account)?;
        let recipient = mailbox(&self.to).map_err(Refusal::Recipient)?.email;
        let sender = headers.envelope_sender.as_ref().map_or(&from, |sender| sender).email.clone();
        let message_id = format!("<{}@{}>", hexadecimal(id), from.email.domain());
        let mut builder = MessageBuilder::new()
            .message_id(Some(message_id.clone()))
            .date(now)
            .from(from)
            .to(Mailbox::new(None, recipient.clone()))
            .subject(on_one_line(&self.subject))
            // Nobody's absence is answered to (RFC 3834).
            .raw_header(raw("Auto-Submitted", "auto-generated"));
        if let Some(reply_to) = &headers.reply_to {
            builder = builder.reply_to(reply_to.clone());
        }
        let text = SinglePart::builder().header(ContentType::TEXT_PLAIN).body(self.text.trim_end().to_owned());
        let written = builder.singlepart(text).map_err(|error| Refusal::Message(error.to_string()))?;
        let mut bytes = written.formatted();
        // The end of the last line belongs to the line that ends a message.
        bytes.truncate(bytes.trim_ascii_end().len());
        Ok(Message { sender, recipient, message_id, bytes })
    }
}

fn raw(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

fn hexadecimal(id: Id) -> String {
    format!("{:032x}", u128::from_be_bytes(id))
}

/// The text without control characters, which have no meaning in a header.
fn on_one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn posted(from: &str, to: &str, subject: &str, text: &str) -> Posted {
        Posted { from: from.to_owned(), to: to.to_owned(), subject: subject.to_owned(), text: text.to_owned() }
    }

    fn composed(posted: &Posted, headers: &Headers) -> String {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_600_767);
        String::from_utf8(posted.compose(headers, [7; 16], now).unwrap().bytes).unwrap()
    }

    #[test]
    fn a_message_has_the_headers_of_a_machine() {
        let posted = posted("Lectern <lms@school.test>", "ada@school.test", "Your grade", "A line\n.\nand another\n");
        let headers = Headers { reply_to: Some(mailbox("help@school.test").unwrap()), ..Headers::default() };
        let expected = "Message-ID: <07070707070707070707070707070707@school.test>\r\n\
            Date: Wed, 04 Mar 2026 05:06:07 +0000\r\n\
            From: Lectern <lms@school.test>\r\n\
            To: ada@school.test\r\n\
            Subject: Your grade\r\n\
            Auto-Submitted: auto-generated\r\n\
            Reply-To: help@school.test\r\n\
            MIME-Version: 1.0\r\n\
            Content-Type: text/plain; charset=utf-8\r\n\
            Content-Transfer-Encoding: 7bit\r\n\r\n\
            A line\r\n.\r\nand another";
        assert_eq!(composed(&posted, &headers), expected);
    }

    #[test]
    fn everything_is_ascii_on_its_way() {
        let text = format!("Grüße aus Köln {}", "x".repeat(2000));
        let text = composed(
            &posted("Schüler <lms@schüler.test>", "ada@schüler.test", "Prüfung 第一", &text),
            &Headers::default(),
        );
        assert!(text.is_ascii(), "{text}");
        assert!(text.contains("To: ada@xn--schler-5ya.test\r\n"), "{text}");
        assert!(text.contains("Subject: =?utf-8?b?"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 998), "lines are short");
    }

    #[test]
    fn no_header_can_be_put_into_a_message() {
        let subject = "Hello\r\nBcc: eve@elsewhere.test\r\n\r\nA body\n of\u{0} its own\u{85}\u{2028}Bcc: x";
        let text = composed(&posted("lms@school.test", "ada@school.test", subject, "text"), &Headers::default());
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        // What begins with a space goes on with the line before.
        let names: Vec<_> =
            head.lines().filter(|line| !line.starts_with(' ')).map(|line| line.split(':').next().unwrap()).collect();
        assert_eq!(
            names,
            [
                "Message-ID",
                "Date",
                "From",
                "To",
                "Subject",
                "Auto-Submitted",
                "MIME-Version",
                "Content-Type",
                "Content-Transfer-Encoding",
            ]
        );
        assert_eq!(body, "text");
        for wrong in [
            "ada@school.test\r\nBcc: eve@elsewhere.test",
            "ada@school.test\nRCPT TO:<eve@elsewhere.test>",
            "ada@school.test>\r\nDATA",
            "ada@school.test, eve@elsewhere.test",
            "Ada\r\nBcc: eve <ada@school.test>",
            "ada@school.test> SIZE=1",
            "ada",
            "",
        ] {
            assert!(mailbox(wrong).is_err(), "{wrong:?}");
            let compose = |posted: Posted| posted.compose(&Headers::default(), [0; 16], SystemTime::UNIX_EPOCH);
            let to = compose(posted("lms@school.test", wrong, "s", "t")).unwrap_err();
            assert_eq!(to.code(), "recipient_refused", "{wrong:?}");
            let from = compose(posted(wrong, "ada@school.test", "s", "t")).unwrap_err();
            assert_eq!(from.code(), "account_refused", "{wrong:?}");
        }
    }

    #[test]
    fn bounces_go_where_the_operator_wants() {
        let posted = posted("lms@school.test", "ada@school.test", "s", "t");
        let sender =
            |headers: &Headers| posted.compose(headers, [0; 16], SystemTime::UNIX_EPOCH).unwrap().sender.to_string();
        assert_eq!(sender(&Headers::default()), "lms@school.test");
        let headers = Headers { envelope_sender: Some(mailbox("bounces@school.test").unwrap()), ..Headers::default() };
        assert_eq!(sender(&headers), "bounces@school.test");
    }
}
