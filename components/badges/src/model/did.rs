//! Decentralized identifiers of the method `web`: each leads to a document of ours.

/// The DID of the installation.
pub(crate) fn installation(base: &str) -> String {
    let host = base.split_once("://").map_or(base, |(_, host)| host);
    format!("did:web:{}", host.replace(':', "%3A").replace('/', ":"))
}

/// The DID of the account of that uuid.
pub(crate) fn account(base: &str, uuid: &str) -> String {
    format!("{}:public:accounts:{uuid}", installation(base))
}

/// The DID of the issuer of that entity id.
pub(crate) fn issuer(base: &str, entity_id: &str) -> String {
    format!("{}:public:issuers:{entity_id}", installation(base))
}

/// The name of a key in the document of a subject.
pub(crate) fn key(subject: &str, thumbprint: &str) -> String {
    format!("{subject}#{thumbprint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_did_leads_to_its_document() {
        assert_eq!(installation("https://a.test"), "did:web:a.test");
        assert_eq!(account("http://127.0.0.1:80/b", "u"), "did:web:127.0.0.1%3A80:b:public:accounts:u");
        assert_eq!(key(&issuer("https://a.test", "i"), "k"), "did:web:a.test:public:issuers:i#k");
    }
}
