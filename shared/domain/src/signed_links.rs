//! Tickets: links that carry their own right. A ticket says what it is good for and until when, and is signed by us.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use types::clock::Timestamp;
use web::error::Result;
use web::secrets;

/// A ticket for `subject`, good until `expires`. A ticket of one `purpose` is not good for another.
pub async fn issue(purpose: &str, subject: &str, expires: Timestamp) -> Result<String> {
    let content = BASE64_URL_SAFE_NO_PAD.encode(format!("{}.{subject}", expires.unix()));
    let signature = secrets::sign(purpose, &content).await?;
    Ok(format!("{content}.{signature}"))
}

/// The subject of the ticket, if it is one of ours, for that purpose, and its time is not over.
pub async fn open(purpose: &str, ticket: &str, now: Timestamp) -> Result<Option<String>> {
    Ok(open_until(purpose, ticket, now).await?.map(|(subject, _ends)| subject))
}

/// The same, with the moment when the ticket ends.
pub async fn open_until(purpose: &str, ticket: &str, now: Timestamp) -> Result<Option<(String, Timestamp)>> {
    let Some((content, signature)) = ticket.split_once('.') else {
        return Ok(None);
    };
    if !secrets::verify(purpose, content, signature).await? {
        return Ok(None);
    }
    Ok(subject(content, now))
}

fn subject(content: &str, now: Timestamp) -> Option<(String, Timestamp)> {
    let content = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(content).ok()?).ok()?;
    let (expires, subject) = content.split_once('.')?;
    let expires = Timestamp::from_unix(expires.parse().ok()?)?;
    (now < expires).then(|| (subject.to_owned(), expires))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_until_its_time() {
        let content = BASE64_URL_SAFE_NO_PAD.encode("1000.7.teacher");
        let at = |seconds| Timestamp::from_unix(seconds).unwrap();
        assert_eq!(subject(&content, at(999)), Some(("7.teacher".to_owned(), at(1000))));
        assert_eq!(subject(&content, at(1000)), None);
        assert_eq!(subject("junk", at(0)), None);
    }
}
