//! Why a message was not taken, and whose it is to mend that.

use http::StatusCode;

/// So much of what a mail server says is passed on.
const MAX_WORDS_CHARS: usize = 300;

/// Why a message was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The request is not as it must be.
    Unreadable(String),
    /// It does not show the token.
    Unauthorized,
    /// The message has more bytes than the operator allows.
    TooLarge(usize),
    /// The mail server takes nothing for that address, and never will.
    Recipient(String),
    /// The mail server never takes this message.
    Message(String),
    /// The mail server does not let us in, does not know the sender, or does not relay for us: the operator's to mend.
    Account(String),
    /// The mail server cannot be reached, or cannot take it now.
    Unavailable(String),
    /// It is not known yet.
    Unfinished,
    /// The relay has enough to do.
    Busy,
}

impl Refusal {
    /// Its name for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::Unauthorized => "unauthorized",
            Self::TooLarge(_) => "message_too_large",
            Self::Recipient(_) => "recipient_refused",
            Self::Message(_) => "message_refused",
            Self::Account(_) => "account_refused",
            Self::Unavailable(_) => "unavailable",
            Self::Unfinished => "unfinished",
            Self::Busy => "busy",
        }
    }

    /// What it is over HTTP: below 500 it is for good, but for 401.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Unreadable(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Recipient(_) | Self::Message(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Account(_) => StatusCode::BAD_GATEWAY,
            Self::Unavailable(_) | Self::Unfinished | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The words for people; those of the mail server where it has said something.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Unreadable(words)
            | Self::Recipient(words)
            | Self::Message(words)
            | Self::Account(words)
            | Self::Unavailable(words) => words.chars().take(MAX_WORDS_CHARS).collect(),
            Self::Unauthorized => "the bearer is not the token of the relay".to_owned(),
            Self::TooLarge(limit) => format!("a message has at most {limit} bytes"),
            Self::Unfinished => "the mail server has not answered yet".to_owned(),
            Self::Busy => "too many messages are on their way".to_owned(),
        }
    }
}

/// What was said to the mail server when it refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing yet, or who we are: greeting, encryption, user and password.
    Hello,
    /// Whom the message is from.
    Sender,
    /// Whom it is for.
    Recipient,
    /// The message itself.
    Content,
}

/// Judges a refusal (4xx or 5xx) by what it answers to, its code, and its enhanced code if there is one (RFC 3463).
///
/// Servers refuse recipients of whom they know nothing, and recipients for whom we may not ask, by the same codes. The
/// second is a fault of the operator and must not pass for a bounce of everybody's address, so the words count as well.
pub(crate) fn judge(step: Step, code: u16, words: &str) -> Refusal {
    let said = format!("{code} {}", words.trim());
    if code < 500 {
        return Refusal::Unavailable(said);
    }
    let is_ours = matches!(code, 530 | 534 | 535 | 538) || words.to_ascii_lowercase().contains("relay");
    match (step, enhanced(words)) {
        (Step::Hello | Step::Sender, _) => Refusal::Account(said),
        (Step::Recipient, _) if is_ours => Refusal::Account(said),
        (Step::Recipient, Some((1, 7 | 8) | (7, _))) => Refusal::Account(said),
        // Office 365: we may not send as that sender.
        (Step::Content, Some((2, 252) | (7, 60))) => Refusal::Account(said),
        (_, Some((1, 1..=6 | 9..) | (2, 1))) => Refusal::Recipient(said),
        (Step::Recipient, None | Some((0 | 1, 0))) if matches!(code, 550 | 551 | 553) => Refusal::Recipient(said),
        _ => Refusal::Message(said),
    }
}

/// Subject and detail of the enhanced code at the beginning: of `5.1.1`, 1 and 1.
fn enhanced(words: &str) -> Option<(u16, u16)> {
    let mut parts = words.split_whitespace().next()?.splitn(3, '.');
    let class = parts.next()?;
    let (subject, detail) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    matches!(class, "4" | "5").then_some((subject, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(step: Step, code: u16, words: &str) -> &'static str {
        judge(step, code, words).code()
    }

    #[test]
    fn an_address_that_is_none_is_told_from_a_server_that_is_not_ours() {
        for (status, words) in [
            (550, "5.1.1 <ada@school.test>: Recipient address rejected: User unknown"),
            (550, "No such user here"),
            (553, "5.1.3 bad address syntax"),
            (550, "5.2.1 the account is disabled"),
            (551, "User not local"),
            (556, "5.1.10 the domain takes no mail"),
        ] {
            assert_eq!(code(Step::Recipient, status, words), "recipient_refused", "{words}");
        }
        for (status, words) in [
            (550, "relay not permitted"),
            (554, "5.7.1 <ada@school.test>: Relay access denied"),
            (550, "5.7.1 Relaying denied"),
            (530, "5.7.0 Must issue a STARTTLS command first"),
            (553, "5.1.8 the sender's domain is none"),
        ] {
            assert_eq!(code(Step::Recipient, status, words), "account_refused", "{words}");
        }
    }

    #[test]
    fn what_else_is_wrong_is_the_messages_or_the_operators() {
        assert_eq!(code(Step::Hello, 535, "5.7.8 Authentication failed"), "account_refused");
        assert_eq!(code(Step::Sender, 550, "5.7.1 you are not that sender"), "account_refused");
        assert_eq!(code(Step::Content, 554, "5.2.252 SendAsDenied"), "account_refused");
        assert_eq!(code(Step::Content, 554, "5.7.1 this is spam"), "message_refused");
        assert_eq!(code(Step::Content, 550, "5.1.1 no such user"), "recipient_refused");
        assert_eq!(code(Step::Content, 550, "no"), "message_refused");
        assert_eq!(code(Step::Recipient, 552, "5.2.2 the mailbox is full"), "message_refused");
    }

    #[test]
    fn what_passes_is_never_for_good() {
        for step in [Step::Hello, Step::Sender, Step::Recipient, Step::Content] {
            assert_eq!(code(step, 451, "4.7.1 greylisted"), "unavailable");
            assert_eq!(judge(step, 421, "closing").words(), "421 closing");
        }
    }

    #[test]
    fn below_500_it_is_for_good() {
        let status = |refusal: Refusal| refusal.status().as_u16();
        assert_eq!(status(judge(Step::Recipient, 550, "no")), 422);
        assert_eq!(status(judge(Step::Hello, 535, "no")), 502);
        assert_eq!(status(judge(Step::Content, 451, "no")), 503);
        assert_eq!(status(Refusal::Unauthorized), 401);
    }

    #[test]
    fn long_words_are_cut() {
        assert_eq!(judge(Step::Content, 554, &"é".repeat(1000)).words().chars().count(), MAX_WORDS_CHARS);
    }
}
