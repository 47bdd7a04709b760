//! What schools give out: there may be two of each, and the first one ends without the second.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::{Value, json};
use support::{Client, Response, School};

use crate::badges::Room;
use crate::log_ins::{BACK, LogIns, network};
use crate::mastery::{District, credential, reader, token};
use crate::oauth::{ask, developer_key, visible};

async fn whoami(client: &Client) -> Response {
    client.get("/api/v1/users/self").await
}

fn given(nobody: &Client, tokens: &Response) -> Client {
    nobody.with_token(tokens["access_token"].as_str().unwrap())
}

#[tokio::test]
async fn the_secret_of_a_developer_key() {
    let mut scene = LogIns::start().await;
    let nobody = scene.school.admin.without_token();
    let first_tokens = scene.tokens(&network()).await;
    let second = json!({ "name": "A client", "redirect_uris": [BACK] });
    let second = developer_key(&scene.school, second).await;
    let first = std::mem::replace(&mut scene.key, second);
    let second_tokens = scene.tokens(&network()).await;
    for tokens in [&first_tokens, &second_tokens] {
        whoami(&given(&nobody, tokens)).await.is(200);
    }
    scene.school.admin.delete(&format!("/api/v1/developer_keys/{}", first.id())).await.is(200);
    whoami(&given(&nobody, &first_tokens)).await.is_unauthenticated("Invalid access token.");
    whoami(&given(&nobody, &second_tokens)).await.is(200);
    let refresh = async |key: &Response, tokens: &Response| {
        let refresh_token = tokens["refresh_token"].as_str().unwrap();
        ask(&nobody, key, &[("grant_type", "refresh_token"), ("refresh_token", refresh_token)]).await
    };
    refresh(&first, &first_tokens).await.is_refused(401, "invalid_client");
    let renewed = refresh(&scene.key, &second_tokens).await.is(200);
    whoami(&given(&nobody, &renewed)).await.is(200);
}

#[tokio::test]
async fn the_client_of_a_districts_mastery_tracking() {
    let district = District::start().await;
    let (admin, nobody) = (&district.school.admin, district.reader.without_token());
    let (id, secret) = credential(admin, "self", json!({})).await;
    let second = reader(admin, &id, &secret).await;
    let before = district.get("teachers").await.is(200);
    assert_eq!(second.get("/api/v2/teachers").await.is(200)["data"], before["data"]);
    admin.delete(&format!("/api/v1/accounts/self/mastery_credentials/{}", district.client_id)).await.is(200);
    district.get("teachers").await.is(401);
    token(&nobody, &district.client_id, &district.client_secret).await.is(401);
    assert_eq!(second.get("/api/v2/teachers").await.is(200)["data"], before["data"]);
    reader(admin, &id, &secret).await.get("/api/v2/teachers").await.is(200);
}

#[tokio::test]
async fn a_personal_token() {
    let school = School::start().await;
    let ada = school.person("ada").await;
    let make = async || ada.token_for(ada.id, json!({ "purpose": "My script" })).await.is(200);
    let (first, second) = (make().await, make().await);
    let holds = |token: &Response| ada.with_token(visible(token));
    whoami(&holds(&first)).await.is(200);
    holds(&second).delete(&format!("/api/v1/users/self/tokens/{}", first.id())).await.is(200);
    whoami(&holds(&first)).await.is_unauthenticated("Revoked access token.");
    whoami(&holds(&second)).await.is(200);
}

/// A part of a signed document.
fn part(document: &str, number: usize) -> Vec<u8> {
    BASE64_URL_SAFE_NO_PAD.decode(document.split('.').nth(number).unwrap()).unwrap()
}

/// Whether it is signed with the key that it names, as far as keys are published. Answers the name.
async fn verified(nobody: &Client, document: &str) -> String {
    let header: Value = serde_json::from_slice(&part(document, 0)).unwrap();
    let published = nobody.get("/.well-known/jwks.json").await.is(200);
    let key = published["keys"].as_array().unwrap().iter().find(|key| key["kid"] == header["kid"]).unwrap();
    let key = BASE64_URL_SAFE_NO_PAD.decode(key["x"].as_str().unwrap()).unwrap();
    let key = VerifyingKey::from_bytes(key.as_slice().try_into().unwrap()).unwrap();
    let (signed, _) = document.rsplit_once('.').unwrap();
    let signature = Signature::from_slice(&part(document, 2)).unwrap();
    key.verify_strict(signed.as_bytes(), &signature).unwrap();
    header["kid"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_key_of_badges() {
    let room = Room::new().await;
    let nobody = room.nobody();
    let path = format!("/public/assertions/{}/credential", room.awarded().await);
    let kept = nobody.get(&path).await.is(200).body;
    let first = verified(&nobody, &kept).await;
    room.school.admin.post("/v2/signing_keys").await.is(201);
    assert_eq!(verified(&nobody, &kept).await, first, "what was downloaded before");
    assert_ne!(verified(&nobody, &nobody.get(&path).await.is(200).body).await, first);
}
