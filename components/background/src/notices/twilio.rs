//! Status callbacks of Twilio, which are signed with the key of the account.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use sha1::Sha1;
use shared::clock::DAY;
use shared::config::{self, Secret};
use shared::{Context, Result, channels};

use crate::model::bounces::{Bounce, Severity};
use crate::notices::unproven;
use crate::store::bounces as store;

const MAX_SUMMARY_CHARS: usize = 100;

/// Nobody has the number, it belongs to a landline, or no message can be routed to it.
const NO_SUCH_NUMBER: [&str; 6] = ["21211", "21214", "21217", "21614", "30005", "30006"];
/// Its owner wants nothing from us.
const STOPPED: [&str; 2] = ["21610", "30004"];

/// Notes what a callback tells; how many bounces that is.
pub(crate) async fn receive(cx: &Context) -> Result<usize> {
    // Twilio signs with the key that is the account's at the moment, which changes there before it changes here, or after.
    let keys = [config::secret("sms_api_key").await?, config::secret("sms_api_key_previous").await?];
    let signature = cx.header("x-twilio-signature").ok_or_else(unproven)?;
    let bytes = cx.bytes();
    let form: BTreeMap<String, String> = form_urlencoded::parse(&bytes).into_owned().collect();
    let query = match cx.query() {
        "" => String::new(),
        query => format!("?{query}"),
    };
    let address = format!("{}{}{query}", cx.base_url().await?, cx.path());
    if !keys.iter().flatten().any(|key| is_signed(key, signature, &address, &form)) {
        return Err(unproven());
    }
    let told = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
    let (status, code, to) = (told("MessageStatus"), told("ErrorCode"), told("To"));
    let Some(severity) = severity(status, code) else { return Ok(0) };
    // A message arrives within a day or not at all.
    let since = cx.now.plus_seconds(-DAY);
    let sent = store::sent_texts(&cx.db, told("MessageSid"), since).await?;
    let is_there = |recipient: &str| channels::dialled(recipient).is_some_and(|number| number == to);
    let Some(text) = sent.into_iter().find(|text| is_there(&text.recipient)) else { return Ok(0) };
    let summary = format!("{status} {code}").chars().take(MAX_SUMMARY_CHARS).collect();
    let bounce = Bounce { severity, at: cx.now, summary: Some(summary) };
    store::note_of_channel(&cx.db, text.channel_id, bounce).await?;
    Ok(1)
}

/// Whether the address and the parameters, in the order of their names, were signed together.
fn is_signed(key: &Secret, signature: &str, address: &str, form: &BTreeMap<String, String>) -> bool {
    let Ok(signature) = BASE64_STANDARD.decode(signature) else { return false };
    let Ok(mac) = Hmac::<Sha1>::new_from_slice(key.expose().as_bytes()) else { return false };
    let mac = mac.chain_update(address);
    let mac = form.iter().fold(mac, |mac, (name, value)| mac.chain_update(name).chain_update(value));
    mac.verify_slice(&signature).is_ok()
}

/// What a status means; `None`: the message has arrived, or may arrive still.
fn severity(status: &str, code: &str) -> Option<Severity> {
    match (status, code) {
        ("failed" | "undelivered", code) if NO_SUCH_NUMBER.contains(&code) => Some(Severity::Permanent),
        ("failed" | "undelivered", code) if STOPPED.contains(&code) => Some(Severity::Suppression),
        ("failed" | "undelivered", _) => Some(Severity::Transient),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_and_parameters_are_signed_together() {
        let form =
            [("To", "+15550100"), ("MessageStatus", "undelivered"), ("MessageSid", "SM1"), ("ErrorCode", "30005")];
        let form: BTreeMap<_, _> = form.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let key = Secret::new("twilio-secret".to_owned());
        let address = "https://lms.test/internal/bounces/twilio";
        let signature = "xVF8m8MEpTXT5MOaIhwToBmlUec=";
        assert!(is_signed(&key, signature, address, &form));
        assert!(!is_signed(&key, signature, "https://lms.test/internal/bounces/twilio?x=1", &form));
        assert!(!is_signed(&Secret::new("other".to_owned()), signature, address, &form));
        let mut other = form.clone();
        other.insert("To".to_owned(), "+15550101".to_owned());
        assert!(!is_signed(&key, signature, address, &other));
    }

    #[test]
    fn the_code_tells_whether_there_is_such_a_number() {
        assert_eq!(severity("undelivered", "30005"), Some(Severity::Permanent));
        assert_eq!(severity("failed", "21610"), Some(Severity::Suppression));
        assert_eq!(severity("undelivered", "30003"), Some(Severity::Transient));
        assert_eq!(severity("delivered", ""), None);
        assert_eq!(severity("sent", "30005"), None);
    }
}
