//! The lists of which credentials are revoked. A list is signed when what it says has changed, and kept.

use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{CACHE_CONTROL, ETAG};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::auth::secrets;
use shared::background::after_response;
use shared::clock::{HOUR, MINUTE};
use shared::db::Json;
use shared::error::OrNotFound;
use shared::{Context, Db, Error, JsonSchema, Path, Query, Reply, Result, endpoint, endpoints};

use crate::model::credential_form::CredentialForm;
use crate::model::entity::{lasting_base, unchanged};
use crate::model::public::PublicIssuer;
use crate::query;
use crate::routes::public::credential::CredentialQuery;
use crate::signing::{CONTEXTS, LIST, Signature, answer, profile, status_list};
use crate::store;
use crate::store::status::{ListedIssuer, SignedList};

/// The time for which a status list may be kept by others, in seconds.
const KEPT: i64 = 5 * MINUTE;
/// The time for which we keep a signed list that has not changed, in seconds.
const SIGNATURE_IS_KEPT: i64 = 12 * HOUR;

endpoints![get_status_list];

#[derive(Deserialize, JsonSchema)]
struct ListPath {
    id: String,
    list: i64,
}

/// The signed list of which credentials are revoked.
///
/// A bit says that a credential is not good: that of an award that was revoked, or that is gone.
#[endpoint(
    GET "/public/issuers/:id/status/:list",
    public,
    nobody(200, "what is revoked is public"),
    sends(&["application/vc+jwt"]),
    entity_tag,
)]
async fn get_status_list(cx: Context, Path(at): Path<ListPath>, query: Query<CredentialQuery>) -> Result<Reply> {
    // A form that there is not is refused after an issuer or a list that there is not.
    let form = query::read(&cx, &query).and_then(|query: CredentialQuery| query.form());
    let asked = (at.list, form.as_ref().copied().unwrap_or_default());
    let since = cx.now.plus_seconds(-SIGNATURE_IS_KEPT);
    let ListedIssuer { issuer: Json(issuer), signing_key, kept } =
        store::status::find(&cx.db, &at.id, asked, since).await?.or_not_found()?;
    let first = at.list.checked_mul(LIST).filter(|first| *first >= 0).or_not_found()?;
    if at.list > 0 && first >= issuer.next_status_index {
        return Err(Error::not_found());
    }
    let form = form?;
    let base = lasting_base(&cx).await?;
    let key = signing_key.map(|Json(key)| key);
    let signature = Signature::of_known(&cx, issuer.root_account_id, form.algorithm, key).await?;
    let kept = kept.map(|Json(kept)| kept);
    let credential = signed(&cx, &base, &signature, &issuer, (at.list, form), kept).await?;
    let (tag, cached) = (format!("\"{}\"", secrets::hash(&credential)), format!("public, max-age={KEPT}"));
    if cx.has_entity_tag(&tag) {
        return Ok(unchanged(&tag, &cached));
    }
    Ok(answer(credential).header(CACHE_CONTROL, &cached).header(ETAG, &tag))
}

/// The list as it was signed before, unless anything that it says has changed since.
async fn signed(
    cx: &Context,
    base: &str,
    signature: &Signature,
    issuer: &PublicIssuer,
    (list, form): (i64, CredentialForm),
    kept: Option<SignedList>,
) -> Result<String> {
    let first = list.saturating_mul(LIST);
    let last = first.saturating_add(LIST);
    let used = issuer.next_status_index.min(last).saturating_sub(first);
    let profile = profile(base, issuer, form);
    // All that a list says beside its moment: who signs it, for whom, and what has changed its bits.
    let state = json!([base, signature.thumbprint, profile, used, issuer.status_changes]);
    let state = secrets::hash(state.to_string());
    if let Some(kept) = kept.filter(|kept| kept.state == state) {
        return Ok(kept.credential);
    }
    let good = store::public::good_places(&cx.db, issuer.id, first, last).await?;
    let good: Vec<_> = good.into_iter().map(|place| place.saturating_sub(first)).collect();
    let encoded = bits(used, &good).map_err(Error::internal)?;
    let id = status_list(base, &issuer.entity_id, list, form);
    let claims = claims(cx, &id, &profile, &encoded);
    let credential = signature.sign(base, &issuer.entity_id, form.naming, &claims)?;
    let (db, issuer, now, kept) = (Db::clone(&cx.db), issuer.id, cx.now, credential.clone());
    // A list that cannot be kept is signed again for the next who asks.
    after_response(async move { Ok(store::status::put(&db, issuer, (list, form), &state, &kept, now).await?) });
    Ok(credential)
}

fn claims(cx: &Context, id: &str, profile: &Value, encoded: &str) -> Value {
    json!({
        "@context": [CONTEXTS[0]],
        "id": id,
        "type": ["VerifiableCredential", "BitstringStatusListCredential"],
        "issuer": profile,
        "validFrom": cx.now,
        "credentialSubject": {
            "id": format!("{id}#list"),
            "type": "BitstringStatusList",
            "statusPurpose": "revocation",
            "encodedList": encoded,
            "ttl": KEPT * 1000,
        },
        "iss": profile.get("id"),
        "jti": id,
        "nbf": cx.now.unix(),
    })
}

/// The list as a compressed string of bits, of which the first is the highest of the first byte.
fn bits(used: i64, good: &[i64]) -> std::io::Result<String> {
    let place = |index: i64| {
        let byte = usize::try_from(index.div_euclid(8)).ok()?;
        let shift = u32::try_from(index.rem_euclid(8)).ok()?;
        Some((byte, 0x80_u8.checked_shr(shift)?))
    };
    let mut bytes = vec![0_u8; usize::try_from(LIST / 8).unwrap_or_default()];
    for (byte, bit) in (0..used).filter_map(place) {
        if let Some(byte) = bytes.get_mut(byte) {
            *byte |= bit;
        }
    }
    for (byte, bit) in good.iter().copied().filter_map(place) {
        if let Some(byte) = bytes.get_mut(byte) {
            *byte &= !bit;
        }
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes)?;
    Ok(format!("u{}", BASE64_URL_SAFE_NO_PAD.encode(encoder.finish()?)))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_bit_is_set_for_what_is_not_good() {
        let encoded = bits(10, &[0, 3, 9]).unwrap();
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(encoded.strip_prefix('u').unwrap()).unwrap();
        let mut list = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut list).unwrap();
        assert_eq!(list.len(), 16_384);
        assert_eq!(list[..3], [0b0110_1111, 0b1000_0000, 0]);
    }
}
