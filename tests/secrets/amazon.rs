//! The signature of requests to Amazon (Signature Version 4), as a service checks it.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use support::Received;

/// True if the request, which has no query, was signed with that key and its secret.
pub(super) fn is_signed(request: &Received, key: &str, secret: &str) -> bool {
    let shown = request.header("authorization").unwrap_or_default();
    let part = |name| shown.split([' ', ',']).find_map(|part: &str| part.strip_prefix(name)).unwrap_or_default();
    let Some(scope) = part("Credential=").strip_prefix(&format!("{key}/")) else { return false };
    let names = part("SignedHeaders=");
    let headers: String =
        names.split(';').map(|name| format!("{name}:{}\n", request.header(name).unwrap_or_default())).collect();
    let (method, path, body) = (&request.method, &request.path, hex(&Sha256::digest(&request.body)));
    let asked = hex(&Sha256::digest(format!("{method}\n{path}\n\n{headers}\n{names}\n{body}")));
    let moment = request.header("x-amz-date").unwrap_or_default();
    let signed = format!("AWS4-HMAC-SHA256\n{moment}\n{scope}\n{asked}");
    let key = scope.split('/').fold(format!("AWS4{secret}").into_bytes(), |key, word| mac(&key, word));
    part("Signature=") == hex(&mac(&key, &signed))
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(text).finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
