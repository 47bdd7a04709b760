//! What a variable needs beside it: without that, what it chooses would not work, and nobody would hear of it before the
//! first message.

use std::collections::BTreeMap;

use crate::WrongValue;

/// An account at Amazon Web Services.
const AWS: &[&str] = &["aws_region", "aws_access_key_id", "aws_secret_access_key"];

/// Variables, values of theirs, and what must not be empty with these. Without a value it is any that is not empty.
const NEEDS: &[(&str, Option<&str>, &[&str])] = &[
    ("mail_transport", Some("ses"), &["mail_from"]),
    ("mail_transport", Some("ses"), AWS),
    ("mail_transport", Some("sendgrid"), &["mail_from", "mail_api_key"]),
    ("mail_transport", Some("postmark"), &["mail_from", "mail_api_key"]),
    ("mail_transport", Some("relay"), &["mail_from", "mail_api_key"]),
    ("sms_transport", Some("sns"), AWS),
    ("sms_transport", Some("twilio"), &["sms_from", "sms_account", "sms_api_key"]),
    ("media_bucket", None, AWS),
    ("aws_access_key_id", None, AWS),
    ("aws_secret_access_key", None, AWS),
];

/// The variables without which others do not work.
pub(crate) fn missing<'a>(values: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<WrongValue> {
    let values: BTreeMap<_, _> = values.filter(|(_, value)| !value.is_empty()).collect();
    let applies = |name, wanted: Option<&str>| {
        let value = values.get(name);
        value.is_some_and(|value| wanted.is_none_or(|wanted| wanted == *value))
    };
    let needs = NEEDS.iter().filter(|(name, value, _)| applies(*name, *value));
    let missing = needs.flat_map(|(name, value, others)| others.iter().map(move |other| (other, name, value)));
    let missing = missing.filter(|(other, _, _)| !values.contains_key(*other));
    missing.map(|(other, name, value)| wrong(other, name, *value)).collect()
}

fn wrong(variable: &'static str, name: &str, value: Option<&str>) -> WrongValue {
    let value = value.map(|value| format!("={value}")).unwrap_or_default();
    WrongValue { variable, reason: format!("has no value, and {name}{value} needs one") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable;

    fn told(values: &[(&str, &str)]) -> Vec<String> {
        missing(values.iter().copied()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_missing_is_told_with_what_needs_it() {
        let relay = [("mail_transport", "relay"), ("mail_from", "lms@example.edu"), ("mail_api_key", "")];
        assert_eq!(told(&relay), ["variable mail_api_key has no value, and mail_transport=relay needs one"]);
        let account = [("aws_region", "eu-west-1"), ("aws_access_key_id", "A"), ("aws_secret_access_key", "s")];
        assert!(told(&account).is_empty());
        let [_, key, secret] = account;
        assert_eq!(told(&[key, secret]).len(), 2, "the region, for each of the keys");
        assert!(told(&[("mail_transport", "outbox"), ("media_bucket", "")]).is_empty());
        assert_eq!(told(&[("media_bucket", "files")]).len(), AWS.len());
    }

    #[test]
    fn each_name_is_one_of_a_variable() {
        for (name, _, others) in NEEDS {
            for name in others.iter().chain([name]) {
                assert!(variable(name).is_some(), "{name}");
            }
        }
    }
}
