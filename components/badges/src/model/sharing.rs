//! The addresses of other services by which somebody tells others of a page, or adds an award to their profile.

use chrono::Datelike;
use shared::Timestamp;

use crate::model::public::PublicAssertion;

const ADD_TO_PROFILE: &str = "https://www.linkedin.com/profile/add";

/// The address of the form in which somebody tells others of a page at Facebook.
pub(crate) fn facebook(address: &str) -> String {
    to("https://www.facebook.com/sharer/sharer.php", "u", address)
}

/// The address of the form in which somebody tells others of a page at `LinkedIn`.
pub(crate) fn linkedin(address: &str) -> String {
    to("https://www.linkedin.com/sharing/share-offsite/", "url", address)
}

fn to(place: &str, name: &str, address: &str) -> String {
    format!("{place}?{}", form_urlencoded::Serializer::new(String::new()).append_pair(name, address).finish())
}

/// The address of the form of a profile at `LinkedIn`, filled with the award, whose public address is that of the credential.
pub(crate) fn add_to_profile(base: &str, assertion: &PublicAssertion) -> String {
    let (class, id) = (&assertion.class.0, &assertion.entity_id);
    let mut query = form_urlencoded::Serializer::new(String::new());
    query
        .append_pair("startTask", "CERTIFICATION_NAME")
        .append_pair("name", &class.name)
        .append_pair("organizationName", &class.issuer.0.name);
    let moments = [("issue", Some(assertion.issued_on)), ("expiration", assertion.expires)];
    for (name, moment) in moments {
        if let Some(day) = moment.map(Timestamp::to_utc) {
            query.append_pair(&format!("{name}Year"), &day.year().to_string());
            query.append_pair(&format!("{name}Month"), &day.month().to_string());
        }
    }
    query.append_pair("certUrl", &format!("{base}/public/assertions/{id}")).append_pair("certId", id);
    // Every reader takes %20 for a blank, and not every one a plus.
    format!("{ADD_TO_PROFILE}?{}", query.finish().replace('+', "%20"))
}
