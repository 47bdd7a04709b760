//! The documents that the public reads and verifiers check.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use support::Client;

use super::{Room, field_error, id, is_hidden, only, person};

#[tokio::test]
async fn the_public_reads_documents_pages_and_images() {
    let room = Room::new().await;
    let nobody = room.nobody();
    let award = room.awarded().await;
    let path = format!("/public/assertions/{award}");
    let document = nobody.get(&path).await.is(200);
    assert_eq!(document.header("content-type"), Some("application/ld+json"));
    assert_eq!(document.header("access-control-allow-origin"), Some("*"));
    assert_eq!(document["verification"], json!({ "type": "HostedBadge" }));
    assert!(!document.body.contains(&room.earner.email), "{document}");
    let whole = nobody.get(&format!("{path}?expand=badge.issuer")).await.is(200);
    assert_eq!(whole["badge"]["issuer"]["name"], "Harbor College");
    let old = nobody.get(&format!("{path}?v=1_1")).await.is(200);
    assert_eq!((&old["@context"], &old["uid"]), (&json!("https://w3id.org/openbadges/v1"), &json!(award)));
    field_error(nobody.get(&format!("{path}?v=9")).await, "v");

    let browser = nobody.get(&path).header("accept", "text/html").await.is(302);
    let page = nobody.get(browser.header("location").unwrap()).await.is(200);
    assert!(page.body.contains("og:title") && page.body.contains("og:image") && page.body.contains("Harbor College"));
    let preview = nobody.get(&path).header("user-agent", "LinkedInBot/1.0").await.is(200);
    assert!(preview.header("content-type").unwrap().starts_with("text/html"));
    nobody.get(&format!("{path}.json")).header("accept", "text/html").await.is(200);
    for kind in [format!("/public/badges/{}.html", room.class), format!("/public/issuers/{}.html", room.issuer)] {
        assert!(nobody.get(&kind).await.is(200).body.contains("Knot tying I"));
    }

    let image = nobody.get(&format!("{path}/image")).await.is(302);
    let file = nobody.get(image.header("location").unwrap()).await.is(200);
    assert_eq!(file.header("content-type"), Some("image/png"));
    assert!(file.body.contains("openbadges"));
    assert_eq!(nobody.get(&format!("{path}/baked")).await.is(301).header("location"), image.header("location"));
    field_error(nobody.get(&format!("{path}/image?type=jpeg")).await, "type");
    nobody.get(&format!("/public/badges/{}/criteria", room.class)).await.is(302);
    let oembed = nobody.get(&format!("/public/oembed?format=json&url={}{path}", nobody.base_url())).await.is(200);
    assert_eq!((&oembed["type"], &oembed["title"]), (&json!("rich"), &json!("Knot tying I")));
    let verified = nobody.post("/public/verify").json(json!({ "entity_id": award })).await.is(200);
    assert_eq!(only(&verified)["badge"]["issuer"]["type"], "Issuer");
    let over = room.award(json!({ "issuedOn": "2020-01-01T00:00:00Z", "expires": "2021-01-01T00:00:00Z" })).await;
    let refused = nobody.post("/public/verify").json(json!({ "entity_id": id(&over.is(201)) })).await.is(400);
    assert_eq!(refused["validationErrors"][0]["name"], "ASSERTION_EXPIRED");

    room.revoke(&award).await.is(200);
    let gone = nobody.get(&path).await.is(410);
    assert_eq!((&gone["revoked"], &gone["revocationReason"]), (&json!(true), &json!("a mistake")));
    assert_eq!(gone.json.as_object().unwrap().len(), 5);
    for rest in ["/image", "/baked"] {
        nobody.get(&format!("{path}{rest}")).await.is(404);
    }
    nobody.get(image.header("location").unwrap()).await.is(404);
    nobody.get(&format!("{path}/credential")).await.is(410);
    let list = nobody.get(&format!("/public/issuers/{}/revocations", room.issuer)).await.is(200);
    assert_eq!(list["revokedAssertions"][0]["id"], format!("{}{path}", nobody.base_url()));
    let refused = nobody.post("/public/verify").json(json!({ "entity_id": award })).await.is(400);
    assert_eq!(refused["validationErrors"][0]["name"], "ASSERTION_REVOKED");
    is_hidden(nobody.get("/public/assertions/nothing").await);
}

#[tokio::test]
async fn credentials_name_their_key_and_their_place_in_the_status_list() {
    let room = Room::new().await;
    let nobody = room.nobody();
    room.awarded().await;
    let award = room.awarded().await;
    let credential = nobody.get(&format!("/public/assertions/{award}/credential")).await.is(200);
    assert_eq!(credential.header("content-type"), Some("application/vc+jwt"));
    let part = |n: usize| -> Value {
        let part = credential.body.split('.').nth(n).unwrap();
        serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    };
    let (header, claims) = (part(0), part(1));
    assert_eq!((&header["alg"], &header["typ"]), (&json!("EdDSA"), &json!("vc+jwt")));
    assert_eq!(claims["credentialStatus"]["statusListIndex"], "1");
    assert!(!claims.to_string().contains(&room.earner.email));
    let keys = nobody.get("/.well-known/jwks.json").await.is(200);
    let key = keys["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]).unwrap();
    assert_eq!(nobody.get(header["kid"].as_str().unwrap()).await.is(200).json, *key);
    assert!(key.get("d").is_none());
    let did = nobody.get("/.well-known/did.json").await.is(200);
    assert!(did["id"].as_str().unwrap().starts_with("did:web:"));
    assert!(did["verificationMethod"].as_array().unwrap().iter().any(|method| method["publicKeyJwk"] == *key));
    let list = claims["credentialStatus"]["statusListCredential"].as_str().unwrap();
    assert_eq!(nobody.get(list).await.is(200).header("content-type"), Some("application/vc+jwt"));
    is_hidden(nobody.get(&format!("/public/issuers/{}/status/1", room.issuer)).await);
    is_hidden(nobody.get(&format!("/public/issuers/{}/status/-1", room.issuer)).await);
    is_hidden(nobody.get("/public/keys/x").await);
}

/// Whether a credential is revoked, as the status list says that it names.
async fn is_revoked(nobody: &Client, credential: &str) -> bool {
    let status = &parts(credential)[1]["credentialStatus"];
    let list = nobody.get(status["statusListCredential"].as_str().unwrap()).await.is(200);
    let bits = &parts(&list.body)[1]["credentialSubject"]["encodedList"];
    let bits = BASE64_URL_SAFE_NO_PAD.decode(bits.as_str().unwrap().strip_prefix('u').unwrap()).unwrap();
    let mut bytes = Vec::new();
    GzDecoder::new(&bits[..]).read_to_end(&mut bytes).unwrap();
    let place: usize = status["statusListIndex"].as_str().unwrap().parse().unwrap();
    bytes[place / 8] & (0x80 >> (place % 8)) != 0
}

#[tokio::test]
async fn a_credential_of_who_is_the_recipient_no_more_is_revoked() {
    let room = Room::new().await;
    let (nobody, other) = (room.nobody(), person(&room.school, "other").await);
    let (award, beside) = (room.awarded().await, room.awarded().await);
    let credential =
        async |award: &str| nobody.get(&format!("/public/assertions/{award}/credential")).await.is(200).body;
    let change = async |fields: Value| {
        room.owner.client.put(&format!("/v2/assertions/{award}")).json(fields).await.is(200);
    };
    let (former, untouched) = (credential(&award).await, credential(&beside).await);
    change(json!({ "narrative": "Well done", "recipient": { "identity": room.earner.email } })).await;
    assert!(!is_revoked(&nobody, &former).await, "it is the same person's");
    change(json!({ "recipient": { "identity": other.email } })).await;
    let now = credential(&award).await;
    assert!(is_revoked(&nobody, &former).await);
    assert!(!is_revoked(&nobody, &now).await && !is_revoked(&nobody, &untouched).await);
    let next = credential(&room.awarded().await).await;
    assert!(!is_revoked(&nobody, &next).await);
    room.revoke(&award).await.is(200);
    assert!(is_revoked(&nobody, &now).await && !is_revoked(&nobody, &next).await);
}

#[tokio::test]
async fn a_credential_with_a_later_end_than_its_award_is_revoked() {
    let room = Room::new().await;
    let nobody = room.nobody();
    let award = room.awarded().await;
    let credential = async || nobody.get(&format!("/public/assertions/{award}/credential")).await.is(200).body;
    let end = async |end: Option<&str>| {
        let fields = json!({ "expires": end });
        room.owner.client.patch(&format!("/v2/assertions/{award}")).json(fields).await.is(200);
        credential().await
    };
    let endless = credential().await;
    let late = end(Some("2990-01-01T00:00:00Z")).await;
    assert!(is_revoked(&nobody, &endless).await && !is_revoked(&nobody, &late).await);
    let early = end(Some("2980-01-01T00:00:00Z")).await;
    assert!(is_revoked(&nobody, &late).await && !is_revoked(&nobody, &early).await);
    assert_eq!(parts(&early)[1]["validUntil"], "2980-01-01T00:00:00Z");
    // One with an earlier end says nothing that does not hold.
    for later in [Some("2980-01-01T00:00:00Z"), Some("2985-01-01T00:00:00Z"), None] {
        let now = end(later).await;
        assert!(!is_revoked(&nobody, &early).await && !is_revoked(&nobody, &now).await, "{later:?}");
    }
}

#[tokio::test]
async fn an_award_is_added_to_a_profile_at_linkedin() {
    let room = Room::new().await;
    let class = super::new_class(&room.owner.client, &room.issuer, json!({ "name": "Knots & ropes + 50% / ä" }));
    let award = json!({
        "recipient": { "identity": room.earner.email }, "issuedOn": "2024-02-29T23:59:59Z", "expires": "2999-12-01T00:00:00Z",
    });
    let path = format!("/v2/badgeclasses/{}/assertions", class.await);
    let award = super::id(&room.owner.client.post(&path).json(award).await.is(201));
    let share = format!("/v2/backpack/share/assertion/{award}?provider=linkedin_profile");
    let link = room.nobody().get(&format!("{share}&redirect=0")).await.is(200)["url"].as_str().unwrap().to_owned();
    let base = room.nobody().base_url().to_owned();
    let credential = format!("{base}/public/assertions/{award}").replace(':', "%3A").replace('/', "%2F");
    assert_eq!(
        link,
        format!(
            "https://www.linkedin.com/profile/add?startTask=CERTIFICATION_NAME\
             &name=Knots%20%26%20ropes%20%2B%2050%25%20%2F%20%C3%A4&organizationName=Harbor%20College\
             &issueYear=2024&issueMonth=2&expirationYear=2999&expirationMonth=12&certUrl={credential}&certId={award}"
        )
    );
    assert_eq!(room.nobody().get(&share).await.is(302).header("location"), Some(&*link));
    let page = room.nobody().get(&format!("/public/assertions/{award}.html")).await.is(200);
    assert!(page.body.contains(&link.replace('&', "&amp;")), "{page}");
    room.revoke(&award).await.is(200);
    is_hidden(room.nobody().get(&share).await);
    let page = room.nobody().get(&format!("/public/assertions/{award}.html")).await.is(410);
    assert!(!page.body.contains("linkedin.com"), "{page}");
    let collection = format!("/v2/backpack/share/collection/{award}?provider=linkedin_profile");
    is_hidden(room.nobody().get(&collection).await);
}

#[tokio::test]
async fn narratives_are_markdown_that_pages_show_and_answers_repeat() {
    let room = Room::new().await;
    let owner = &room.owner.client;
    let criteria = "Name **ten** mushrooms\n\n<script>alert('criteria')</script>";
    let class = super::new_class(owner, &room.issuer, json!({ "criteriaNarrative": criteria })).await;
    let narrative = "  Found a *boletus* <https://b.test/a?b=1&c=2>\n\n[bad](javascript:alert(1)) ![pixel](https://evil.test/p.png)";
    let seen = "# Seen\n<img src=x onerror=alert(1)>";
    let award = json!({
        "recipient": { "identity": room.earner.email }, "narrative": narrative, "evidence": [{ "narrative": seen }],
    });
    let made = owner.post(&format!("/v2/badgeclasses/{class}/assertions")).json(award).await.is(201);
    let award = super::id(&made);
    assert_eq!(
        (&only(&made)["narrative"], &only(&made)["evidence"][0]["narrative"]),
        (&json!(narrative), &json!(seen))
    );
    let shown = owner.get(&format!("/v2/badgeclasses/{class}")).await.is(200);
    assert_eq!(only(&shown)["criteriaNarrative"], criteria);
    let document = room.nobody().get(&format!("/public/assertions/{award}?expand=badge")).await.is(200);
    assert_eq!(
        (&document["narrative"], &document["badge"]["criteria"]["narrative"]),
        (&json!(narrative), &json!(criteria))
    );

    let page = room.nobody().get(&format!("/public/assertions/{award}.html")).await.is(200);
    for part in [
        "<em>boletus</em>",
        "<a href=\"https://b.test/a?b=1&amp;c=2\">",
        "<strong>ten</strong>",
        "<h3>Seen</h3>",
        "&lt;img src=x onerror=alert(1)&gt;",
        "&lt;script&gt;",
        "pixel",
    ] {
        assert!(page.body.contains(part), "no {part}: {page}");
    }
    for part in ["<img src=x", "<script>alert", "evil.test", "javascript:"] {
        assert!(!page.body.contains(part), "{part}: {page}");
    }
    let page = room.nobody().get(&format!("/public/badges/{class}.html")).await.is(200);
    assert!(page.body.contains("<strong>ten</strong>") && !page.body.contains("<script>alert"), "{page}");
    let path = format!("/v2/assertions/{award}");
    let changed = owner.put(&path).json(json!({ "narrative": "<b>Better</b>" })).await.is(200);
    assert_eq!(only(&changed)["narrative"], "<b>Better</b>");
    field_error(owner.put(&path).json(json!({ "narrative": "*".repeat(16_385) })).await, "narrative");
}

/// The header and the claims of a token.
fn parts(token: &str) -> [Value; 2] {
    let part = |n: usize| serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(token.split('.').nth(n)?).ok()?).ok();
    [part(0).unwrap(), part(1).unwrap()]
}

#[tokio::test]
async fn credentials_come_as_the_profile_of_open_badges_has_them() {
    let room = Room::new().await;
    let (nobody, base) = (room.nobody(), room.nobody().base_url().to_owned());
    let recipient = json!({ "identity": "https://ada.test/", "type": "url" });
    let award = json!({ "recipient": recipient, "expires": "2999-01-01T00:00:00Z" });
    let award = super::id(&room.award(award).await.is(201));
    let path = format!("/public/assertions/{award}/credential");
    let signed = nobody.get(&format!("{path}?alg=RS256")).await.is(200);
    let [header, claims] = parts(&signed.body);
    assert_eq!((&header["alg"], &header["typ"]), (&json!("RS256"), &json!("JWT")));
    assert_eq!(header.as_object().unwrap().len(), 3, "{header}");
    let key = nobody.get(header["kid"].as_str().unwrap()).await.is(200);
    assert_eq!((&key["kty"], &key["alg"], &key["e"]), (&json!("RSA"), &json!("RS256"), &json!("AQAB")));
    assert_eq!((key["n"].as_str().unwrap().len(), key.json.get("d")), (342, None));
    let keys = nobody.get("/.well-known/jwks.json").await.is(200);
    assert!(keys["keys"].as_array().unwrap().contains(&key.json), "{keys}");
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signed.body.split('.').nth(2).unwrap()).unwrap();
    assert_eq!(signature.len(), 256);

    assert!(claims.get("vc").is_none());
    let issuer = format!("{base}/public/issuers/{}", room.issuer);
    assert_eq!((&claims["iss"], &claims["issuer"]["id"]), (&json!(issuer), &json!(issuer)));
    assert_eq!((&claims["jti"], &claims["id"]), (&json!(format!("{base}/public/assertions/{award}")), &claims["jti"]));
    assert_eq!((&claims["sub"], &claims["credentialSubject"]["id"]), (&json!("https://ada.test/"), &claims["sub"]));
    assert_eq!((&claims["exp"], &claims["validUntil"]), (&json!(32_472_144_000_i64), &json!("2999-01-01T00:00:00Z")));
    assert!(claims["nbf"].is_i64() && claims["validFrom"].is_string());
    let list = claims["credentialStatus"]["statusListCredential"].as_str().unwrap();
    let [list_header, list_claims] = parts(&nobody.get(list).await.is(200).body);
    assert_eq!((&list_header, &list_claims["iss"]), (&header, &json!(issuer)));
    assert_eq!((&list_claims["id"], &list_claims["jti"]), (&json!(list), &json!(list)));

    // The same key signs the next one, and the other algorithm goes on as before.
    let again = nobody.get(&format!("{path}?alg=RS256")).await.is(200);
    assert_eq!(parts(&again.body)[0], header);
    let [header, own] = parts(&nobody.get(&path).await.is(200).body);
    assert_eq!((&header["alg"], &header["typ"], &own["iss"]), (&json!("EdDSA"), &json!("vc+jwt"), &json!(issuer)));
    field_error(nobody.get(&format!("{path}?alg=none")).await, "alg");
    field_error(nobody.get(&format!("{path}?iss=me")).await, "iss");

    let admin = &room.school.admin;
    let listed = admin.get("/v2/signing_keys").await.is(200);
    let algorithms = |answer: &support::Response| {
        let keys = answer["result"].as_array().unwrap().iter().filter(|key| key["retiredAt"].is_null());
        keys.map(|key| key["algorithm"].as_str().unwrap().to_owned()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(algorithms(&listed).len(), 2, "{listed}");
    let replaced = admin.post("/v2/signing_keys").json(json!({ "algorithm": "RS256" })).await.is(201);
    assert_eq!(only(&replaced)["algorithm"], "RS256");
    let [renewed, _] = parts(&nobody.get(&format!("{path}?alg=RS256")).await.is(200).body);
    assert_eq!(renewed["kid"], only(&replaced)["kid"]);
    nobody.get(key["kid"].as_str().unwrap()).await.is(200);
    assert_eq!(parts(&nobody.get(&path).await.is(200).body)[0], header, "the other key stays");
    field_error(admin.post("/v2/signing_keys").json(json!({ "algorithm": "HS256" })).await, "algorithm");
}

#[tokio::test]
async fn the_did_of_an_issuer_leads_to_its_keys() {
    let room = Room::new().await;
    let nobody = room.nobody();
    let award = room.awarded().await;
    let path = format!("/public/assertions/{award}/credential?iss=did");
    let [header, claims] = parts(&nobody.get(&path).await.is(200).body);
    let subject = claims["iss"].as_str().unwrap();
    assert_eq!(claims["issuer"]["id"], subject);
    let place = subject.strip_prefix("did:web:").unwrap().replace(':', "/").replace("%3A", ":");
    let (_, host) = nobody.base_url().split_once("://").unwrap();
    assert_eq!(place, format!("{host}/public/issuers/{}", room.issuer));
    let document = nobody.get(&format!("/public/issuers/{}/did.json", room.issuer)).await.is(200);
    assert_eq!((&document["id"], document.header("content-type")), (&json!(subject), Some("application/did+json")));
    assert_eq!(document["alsoKnownAs"], json!([format!("{}/public/issuers/{}", nobody.base_url(), room.issuer)]));
    let methods = document["verificationMethod"].as_array().unwrap();
    let method = methods.iter().find(|method| method["id"] == header["kid"]).unwrap();
    assert_eq!((&method["controller"], &method["type"]), (&json!(subject), &json!("JsonWebKey2020")));
    assert!(document["assertionMethod"].as_array().unwrap().contains(&header["kid"]), "{document}");
    assert_eq!(nobody.get(method["publicKeyJwk"]["kid"].as_str().unwrap()).await.is(200).json, method["publicKeyJwk"]);
    let list = claims["credentialStatus"]["statusListCredential"].as_str().unwrap();
    let [list_header, list_claims] = parts(&nobody.get(list).await.is(200).body);
    assert_eq!((&list_header["kid"], &list_claims["iss"]), (&header["kid"], &claims["iss"]));
    is_hidden(nobody.get("/public/issuers/nothing/did.json").await);
}

#[tokio::test]
async fn the_page_of_an_award_says_whether_it_is_valid_and_why() {
    let room = Room::new().await;
    let page = async |award: &str, status: u16| {
        room.nobody().get(&format!("/public/assertions/{award}.html")).await.is(status).body.clone()
    };
    let award = async |fields: Value| super::id(&room.award(fields).await.is(201));
    let good = award(json!({})).await;
    let valid = page(&good, 200).await;
    assert!(valid.contains("This award is valid.") && valid.contains("has not been revoked, and does not expire"));
    assert!(valid.contains("Harbor College"), "{valid}");
    let bounded = page(&award(json!({ "expires": "2999-01-02T00:00:00Z" })).await, 200).await;
    assert!(bounded.contains("This award is valid.") && bounded.contains("2 January 2999"), "{bounded}");
    let dates = json!({ "issuedOn": "2020-01-01T00:00:00Z", "expires": "2021-03-04T00:00:00Z" });
    let expired = page(&award(dates).await, 200).await;
    assert!(expired.contains("has expired: it was good until") && expired.contains("4 March 2021"), "{expired}");
    assert!(!expired.contains("is valid"), "{expired}");
    room.revoke(&good).await.is(200);
    let revoked = page(&good, 410).await;
    assert!(revoked.contains("This award was revoked: a mistake") && !revoked.contains("is valid"), "{revoked}");
    assert!(!revoked.contains("/image\""), "{revoked}");
}

#[tokio::test]
async fn whoever_knows_an_address_can_check_whether_an_award_is_its() {
    let room = Room::new().await;
    let award = room.awarded().await;
    let path = format!("/public/assertions/{award}/earner");
    let check = async |email: &str, status: u16| {
        room.nobody().post(&path).form(&[("email", email)]).await.is(status).body.clone()
    };
    let own = check(&format!(" {} ", room.earner.email.to_uppercase()), 200).await;
    assert!(own.contains("this award was made to that address"), "{own}");
    let other = check("x@school.test", 200).await;
    assert!(other.contains("to another address") && !other.contains(&room.earner.email), "{other}");
    let long = format!("{}@school.test", "x".repeat(300));
    for unreadable in ["", "nobody", "a@b.test, c@d.test", &long] {
        let page = check(unreadable, 400).await;
        assert!(page.contains("Please enter an e-mail address") && !page.contains(&room.earner.email), "{page}");
    }
    room.revoke(&award).await.is(200);
    assert!(check(&room.earner.email, 410).await.contains("This award was revoked"));
    room.nobody().post("/public/assertions/none/earner").form(&[("email", "x@school.test")]).await.is(404);
}

#[tokio::test]
async fn pages_are_in_the_language_of_their_reader() {
    let room = Room::new().await;
    let award = room.awarded().await;
    for (languages, tag, words) in [
        ("de-AT, en;q=0.5", "de", "Diese Auszeichnung ist gültig."),
        ("es", "es", "Esta insignia es válida."),
        ("nl, fr;q=0.8", "fr", "Ce badge est valable."),
        ("nl", "en", "This award is valid."),
    ] {
        let page = room.nobody().get(&format!("/public/assertions/{award}.html")).header("accept-language", languages);
        let page = page.await.is(200);
        assert!(
            page.body.contains(words) && page.body.contains(&format!("<html lang=\"{tag}\"")),
            "{languages}: {page}"
        );
        assert_eq!(page.header("content-language"), Some(tag));
        assert!(page.header("vary").unwrap().contains("Accept-Language"), "{page}");
    }
    // What went wrong on a page is said so, too.
    let nothing = room.nobody().post("/public/assertions/none/earner").header("accept-language", "de");
    assert!(nothing.form(&[("email", "x@school.test")]).await.is(404).body.contains("Hier ist nichts"));
}

#[tokio::test]
async fn each_version_of_a_document_names_alignments_in_its_own_words() {
    let room = Room::new().await;
    let alignment = json!({ "targetName": "Knots", "targetUrl": "https://frame.test/knots",
                            "targetDescription": "Ties six", "targetCode": "K.6" });
    let class = super::new_class(&room.owner.client, &room.issuer, json!({ "alignments": [alignment] })).await;
    let path = format!("/public/badges/{class}");
    let document = room.nobody().get(&path).await.is(200);
    assert_eq!(document["alignment"], json!([alignment]));
    let older = json!([{ "name": "Knots", "url": "https://frame.test/knots", "description": "Ties six" }]);
    assert_eq!(room.nobody().get(&format!("{path}?v=1_1")).await.is(200)["alignment"], older);
}
