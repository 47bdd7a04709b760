//! Whom a badge was awarded to: an identity, which the public sees as a salted hash where it could be misused.

use md5::Md5;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use shared::JsonSchema;
use shared::people::is_email;
use uuid::Uuid;

use crate::model::entity::is_url;

const MAX_IDENTITY_CHARS: usize = 768;

#[derive(Deserialize, Clone, JsonSchema)]
pub(crate) struct RecipientForm {
    identity: Option<String>,
    /// `email` (the default), `url`, `telephone` or `openBadgeId`.
    r#type: Option<String>,
    /// True if the public sees a hash: by default it does of addresses and telephones.
    hashed: Option<bool>,
}

/// A recipient as it is stored.
#[derive(Deserialize, Clone)]
pub(crate) struct Recipient {
    pub(crate) r#type: String,
    pub(crate) identity: String,
    pub(crate) hashed: bool,
    pub(crate) salt: String,
}

/// A recipient as the staff of the issuer and the recipient read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecipientView {
    identity: String,
    hashed: bool,
    r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
    plaintext_identity: String,
}

impl Recipient {
    /// The recipient that a form names, or what is wrong with it.
    pub(crate) fn of(form: &RecipientForm) -> Result<Self, String> {
        let r#type = form.r#type.as_deref().unwrap_or("email");
        let identity = form.identity.as_deref().unwrap_or_default().trim();
        if identity.is_empty() {
            return Err("The identity of the recipient is required.".to_owned());
        }
        if identity.chars().nth(MAX_IDENTITY_CHARS).is_some() {
            return Err(format!("Ensure the identity has no more than {MAX_IDENTITY_CHARS} characters."));
        }
        let identity = normal(r#type, identity);
        let (fits, message) = match r#type {
            "email" => (is_email(&identity), "Enter a valid email address."),
            "url" | "openBadgeId" => (is_url(&identity), "Enter a valid URL."),
            "telephone" => (is_telephone(&identity), "Enter a telephone number as E.164 has it."),
            _ => (false, "The type must be one of email, url, telephone, openBadgeId."),
        };
        if !fits {
            return Err(message.to_owned());
        }
        let hashed = form.hashed.unwrap_or(matches!(r#type, "email" | "telephone"));
        Ok(Self { r#type: r#type.to_owned(), identity, hashed, salt: Uuid::new_v4().simple().to_string() })
    }

    /// The recipient that a form names for an award of this one, whose hash, as a record has it that was read, stands for it.
    pub(crate) fn changed(&self, form: &RecipientForm) -> Result<Self, String> {
        let is_hash = form.identity.as_deref().map(str::trim) == Some(&hashed(&self.identity, &self.salt));
        if is_hash && form.r#type.as_deref().is_none_or(|r#type| r#type == self.r#type) {
            return Ok(Self { hashed: form.hashed.unwrap_or(self.hashed), ..self.clone() });
        }
        Self::of(form)
    }

    /// The owner of a verified address.
    pub(crate) fn of_email(address: &str) -> Self {
        let salt = Uuid::new_v4().simple().to_string();
        Self { r#type: "email".to_owned(), identity: normal("email", address), hashed: true, salt }
    }

    /// True if that e-mail address is the recipient.
    pub(crate) fn has_email(&self, address: &str) -> bool {
        self.r#type == "email" && self.identity == normal("email", address)
    }

    /// The identity as the public sees it, or its hash.
    pub(crate) fn public_identity(&self) -> String {
        if self.hashed { hashed(&self.identity, &self.salt) } else { self.identity.clone() }
    }

    pub(crate) fn view(self) -> RecipientView {
        RecipientView {
            identity: self.public_identity(),
            hashed: self.hashed,
            salt: self.hashed.then_some(self.salt),
            r#type: self.r#type,
            plaintext_identity: self.identity,
        }
    }
}

/// An identity as it is compared: addresses without regard to case. It is the case of ASCII, as SQLite knows no other.
pub(crate) fn normal(r#type: &str, identity: &str) -> String {
    if r#type == "email" { identity.to_ascii_lowercase() } else { identity.to_owned() }
}

/// An e-mail address of a user.
#[derive(Deserialize)]
pub(crate) struct OwnAddress {
    /// As it is compared.
    pub(crate) address: String,
    /// As the user spells it.
    pub(crate) spelling: String,
    pub(crate) verified: bool,
}

impl OwnAddress {
    /// True if a hash was made of it, in either form.
    pub(crate) fn has_hash(&self, hash: &str, salt: &str) -> bool {
        [&self.address, &self.spelling].into_iter().any(|address| is_hash(hash, address, salt))
    }
}

/// The hash of an identity: `sha256$` and hexadecimal digits.
pub(crate) fn hashed(identity: &str, salt: &str) -> String {
    let digest = Sha256::new().chain_update(identity).chain_update(salt).finalize();
    format!("sha256${digest:x}")
}

/// True if that is the hash of an identity, in one of the two forms of Open Badges: ours, or `md5$` and hexadecimal digits.
pub(crate) fn is_hash(hash: &str, identity: &str, salt: &str) -> bool {
    let (algorithm, digits) = hash.split_once('$').unwrap_or_default();
    if !algorithm.eq_ignore_ascii_case("md5") {
        return hashed(identity, salt).eq_ignore_ascii_case(hash);
    }
    let digest = Md5::new().chain_update(identity).chain_update(salt).finalize();
    format!("{digest:x}").eq_ignore_ascii_case(digits)
}

fn is_telephone(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or_default();
    (2..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(r#type: &str, identity: &str) -> RecipientForm {
        RecipientForm { identity: Some(identity.to_owned()), r#type: Some(r#type.to_owned()), hashed: None }
    }

    #[test]
    fn an_identity_is_hashed_with_its_salt() {
        let hash = "sha256$c8d32d06746899d78eefe21857f5f8327c15f5f4fe7999d42c5c65fcd71e050e";
        assert_eq!(hashed("mayze@example.org", "deadsea"), hash);
        let older = "md5$f60a7eee6db65faec32b84528b32750f";
        for (hash, salt, is_so) in
            [(hash, "deadsea", true), (older, "deadsea", true), (hash, "", false), (older, "", false)]
        {
            assert_eq!(is_hash(hash, "mayze@example.org", salt), is_so, "{hash} {salt}");
            assert_eq!(is_hash(&hash.to_uppercase(), "mayze@example.org", salt), is_so, "{hash} {salt}");
        }
        for none in ["", "md5", "md5$", "sha256$", "sha1$", "mayze@example.org"] {
            assert!(!is_hash(none, "mayze@example.org", "deadsea"), "{none}");
        }
    }

    #[test]
    fn the_hash_of_a_recipient_stands_for_it_and_no_other() {
        let ada = Recipient::of(&form("email", "ada@school.test")).unwrap();
        let read = |fields: serde_json::Value| ada.changed(&serde_json::from_value(fields).unwrap());
        let hash = ada.public_identity();
        let same =
            read(serde_json::json!({ "identity": hash, "type": "email", "hashed": true, "salt": ada.salt })).unwrap();
        assert_eq!((&same.identity, &same.salt, same.hashed), (&ada.identity, &ada.salt, true));
        assert!(!read(serde_json::json!({ "identity": hash, "hashed": false })).unwrap().hashed);
        assert_eq!(read(serde_json::json!({ "identity": "eve@school.test" })).unwrap().identity, "eve@school.test");
        for other in [hashed("ada@school.test", "other"), hashed("eve@school.test", &ada.salt)] {
            assert!(read(serde_json::json!({ "identity": other })).is_err(), "{other}");
        }
        assert!(read(serde_json::json!({ "identity": hash, "type": "url" })).is_err());
    }

    #[test]
    fn an_identity_fits_its_type() {
        let good = [("email", "Ada@School.test"), ("url", "https://a.test"), ("telephone", "+4930123456")];
        for (r#type, identity) in good {
            assert!(Recipient::of(&form(r#type, identity)).is_ok(), "{identity}");
        }
        let bad = [
            ("email", "ada"),
            ("email", ""),
            ("url", "a.test"),
            ("telephone", "030"),
            ("fax", "+49301"),
            ("telephone", "+0"),
        ];
        for (r#type, identity) in bad {
            assert!(Recipient::of(&form(r#type, identity)).is_err(), "{identity}");
        }
        let ada = Recipient::of(&form("email", " Ada@School.test ")).unwrap();
        assert_eq!((ada.identity.as_str(), ada.hashed, ada.salt.len()), ("ada@school.test", true, 32));
        assert!(ada.has_email("ADA@school.test") && !ada.has_email("adam@school.test"));
        assert_eq!(Recipient::of_email("Änne@School.test").identity, "Änne@school.test");
        let page = Recipient::of(&form("url", "https://a.test")).unwrap();
        assert!(!page.hashed && !page.has_email("https://a.test"));
    }
}
