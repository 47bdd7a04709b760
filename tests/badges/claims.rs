//! Claim codes: made and revoked by the staff, and used by whoever knows them.

use serde_json::{Value, json};
use support::{Client, Response, School, running};

use super::{Room, at_once, field_error, id, ids, is_hidden, only, person, verified};

const WRONG: &str = "0000-0000-0000-0000";

fn codes_of(room: &Room) -> String {
    format!("/v2/badgeclasses/{}/claimcodes", room.class)
}

/// A new code of the class, and its entity id.
async fn new_code(room: &Room, fields: Value) -> (String, String) {
    let made = room.owner.client.post(&codes_of(room)).json(fields).await.is(201);
    (only(&made)["code"].as_str().unwrap().to_owned(), id(&made))
}

async fn claim(client: &Client, code: &str) -> Response {
    client.post("/v2/backpack/claim").json(json!({ "code": code })).await
}

fn statuses(answers: &[Response]) -> Vec<u16> {
    let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    statuses
}

#[tokio::test]
async fn a_code_from_its_beginning_to_its_end() {
    let room = Room::new().await;
    let (owner, earner) = (&room.owner.client, &room.earner.client);
    let fields = json!({ "name": "Spring <b>course</b>", "maxUses": 2, "expiresAt": "2999-01-01T00:00:00Z" });
    let (code, key) = new_code(&room, fields).await;
    let listed = owner.get(&codes_of(&room)).await.is(200);
    let shown = only(&listed);
    assert_eq!((&shown["entityType"], &shown["badgeclass"]), (&json!("ClaimCode"), &json!(room.class)));
    assert_eq!((&shown["name"], &shown["maxUses"], &shown["uses"]), (&json!("Spring course"), &json!(2), &json!(0)));
    assert_eq!((&shown["expiresAt"], &shown["revokedAt"]), (&json!("2999-01-01T00:00:00.000Z"), &Value::Null));
    assert!(!listed.body.contains(&code) && shown.get("code").is_none(), "{listed}");
    let hidden = format!("SELECT code_hash FROM badge_claim_codes WHERE entity_id = '{key}'");
    if let Some(rows) = running().read_database(&hidden) {
        let text = rows[0][0].as_str().unwrap();
        assert!(text.len() == 43 && !text.contains(&code.replace('-', "")), "{text}");
    }

    let claimed = claim(earner, &code.to_lowercase().replace('-', " ")).await.is(201);
    let award = only(&claimed);
    assert_eq!((&award["badgeclass"], &award["acceptance"]), (&json!(room.class), &json!("Accepted")));
    assert_eq!(award["recipient"]["plaintextIdentity"], room.earner.email.as_str());
    assert_eq!(ids(&earner.get("/v2/backpack/assertions").await.is(200)), [id(&claimed)]);
    room.nobody().get(&format!("/public/assertions/{}", id(&claimed))).await.is(200);
    let awards = owner.get(&format!("/v2/badgeclasses/{}/assertions", room.class)).await.is(200);
    assert_eq!((ids(&awards), &only(&awards)["createdBy"]), (vec![id(&claimed)], &shown["createdBy"]));
    claim(earner, &code).await.is_refused(400, "Previous award exists");
    assert_eq!(only(&owner.get(&codes_of(&room)).await.is(200))["uses"], 1);

    let path = format!("{}/{key}", codes_of(&room));
    owner.delete(&path).await.is(204);
    assert!(only(&owner.get(&codes_of(&room)).await.is(200))["revokedAt"].is_string());
    let late = person(&room.school, "late").await.client;
    assert_eq!(field_error(claim(&late, &code).await, "code"), "This is no claim code.");
    earner.get(&format!("/v2/backpack/assertions/{}", id(&claimed))).await.is(200);
    // A code that nobody has used leaves no trace.
    let (_, unused) = new_code(&room, json!({})).await;
    owner.delete(&format!("{}/{unused}", codes_of(&room))).await.is(204);
    assert_eq!(ids(&owner.get(&codes_of(&room)).await.is(200)), [key]);
    is_hidden(owner.delete(&format!("{}/{unused}", codes_of(&room))).await);
}

#[tokio::test]
async fn what_a_code_must_say_and_who_makes_it() {
    let room = Room::new().await;
    let make = |fields: Value| room.owner.client.post(&codes_of(&room)).json(fields);
    for (field, value) in [
        ("maxUses", json!(0)),
        ("maxUses", json!(10_001)),
        ("maxUses", json!("many")),
        ("expiresAt", json!("2020-01-01T00:00:00Z")),
        ("expiresAt", json!("soon")),
        ("name", json!("x".repeat(256))),
    ] {
        field_error(make(json!({ field: value })).await, field);
    }
    let staff = room.member("staff").await.client;
    let made = id(&staff.post(&codes_of(&room)).json(json!({})).await.is(201));
    let foreigner = person(&School::start().await, "foreigner").await.client;
    for stranger in [&room.earner.client, &foreigner] {
        is_hidden(stranger.get(&codes_of(&room)).await);
        is_hidden(stranger.post(&codes_of(&room)).json(json!({})).await);
        is_hidden(stranger.delete(&format!("{}/{made}", codes_of(&room))).await);
    }
    let other = super::new_class(&room.owner.client, &room.issuer, json!({})).await;
    is_hidden(staff.delete(&format!("/v2/badgeclasses/{other}/claimcodes/{made}")).await);
    let (code, _) = new_code(&room, json!({ "maxUses": 5 })).await;
    room.awarded().await;
    room.owner.client.delete(&format!("/v2/badgeclasses/{}", room.class)).await.is(204);
    field_error(make(json!({})).await, "badgeclass");
    let late = person(&room.school, "late").await.client;
    assert_eq!(field_error(claim(&late, &code).await, "code"), "The claim code has expired.");
}

#[tokio::test]
async fn a_code_is_used_no_more_often_than_it_may_be() {
    let room = Room::new().await;
    let (code, _) = new_code(&room, json!({ "maxUses": 2 })).await;
    let mut people = Vec::new();
    for _ in 0..4 {
        people.push(person(&room.school, "claimant").await.client);
    }
    let body = json!({ "code": code });
    let claims = people.iter().map(|person| person.post("/v2/backpack/claim").json(&body));
    let answers = at_once(claims).await;
    assert_eq!(statuses(&answers), [201, 201, 400, 400], "{answers:?}");
    let refused = answers.into_iter().find(|answer| answer.status == 400).unwrap();
    assert_eq!(field_error(refused, "code"), "The claim code is used up.");

    let (code, _) = new_code(&room, json!({ "maxUses": 9 })).await;
    let body = json!({ "code": code });
    let claims = (0..4).map(|_| room.earner.client.post("/v2/backpack/claim").json(&body));
    assert_eq!(statuses(&at_once(claims).await), [201, 400, 400, 400]);
    // Whose award was revoked does not get it back by the same code.
    let own = ids(&room.earner.client.get("/v2/backpack/assertions").await.is(200));
    room.revoke(&own[0]).await.is(200);
    claim(&room.earner.client, &code).await.is_refused(400, "Previous award exists");
}

#[tokio::test]
async fn nobody_guesses_codes() {
    let room = Room::new().await;
    let (code, _) = new_code(&room, json!({ "maxUses": 5 })).await;
    let guesser = &room.earner.client;
    for no_code in [json!({}), json!({ "code": "" }), json!({ "code": "x" }), json!({ "code": "x".repeat(100_000) })] {
        field_error(guesser.post("/v2/backpack/claim").json(no_code).await, "code");
    }
    for _ in 0..10 {
        assert_eq!(field_error(claim(guesser, WRONG).await, "code"), "This is no claim code.");
    }
    for code in [WRONG, &code] {
        assert!(claim(guesser, code).await.is(429).header("retry-after").is_some());
    }
    // Somebody else's tries are their own, and a code is good in its tenant alone.
    let other = person(&room.school, "other").await;
    let elsewhere = person(&School::start().await, "elsewhere").await.client;
    assert_eq!(field_error(claim(&elsewhere, &code).await, "code"), "This is no claim code.");
    claim(&other.client, &code).await.is(201);
}

#[tokio::test]
async fn a_badge_is_claimed_for_a_verified_address() {
    let room = Room::new().await;
    let (code, _) = new_code(&room, json!({ "maxUses": 5 })).await;
    let nobody = room.school.person("unaddressed").await;
    field_error(claim(&nobody, &code).await, "email");
    let second = format!("{}@second.test", room.class.to_lowercase().replace(['-', '_'], "x"));
    verified(&room.school, &room.earner.client, &second).await;
    let to = |email: &str| room.earner.client.post("/v2/backpack/claim").json(json!({ "code": code, "email": email }));
    field_error(to("stranger@school.test").await, "email");
    let claimed = to(&second.to_uppercase()).await.is(201);
    assert_eq!(only(&claimed)["recipient"]["plaintextIdentity"], second.as_str());
    // A person has the badge once, at whichever address.
    to(&room.earner.email).await.is_refused(400, "Previous award exists");
    let expected = json!({ "amount": 1, "duration": "years" });
    let class = super::new_class(&room.owner.client, &room.issuer, json!({ "expires": expected })).await;
    let codes = format!("/v2/badgeclasses/{class}/claimcodes");
    let made = room.owner.client.post(&codes).json(json!({})).await.is(201);
    let claimed = claim(&room.earner.client, only(&made)["code"].as_str().unwrap()).await.is(201);
    assert!(only(&claimed)["expires"].is_string(), "{claimed}");
}

#[tokio::test]
async fn who_turned_a_badge_down_claims_the_same_award_again() {
    let room = Room::new().await;
    let (owner, earner) = (&room.owner.client, &room.earner.client);
    let (code, _) = new_code(&room, json!({})).await;
    let award = id(&claim(earner, &code).await.is(201));
    let second = format!("{}@second.test", support::unique("earner"));
    verified(&room.school, earner, &second).await;
    let turned_down = async || earner.delete(&format!("/v2/backpack/assertions/{award}")).await.is(204);
    for email in [&room.earner.email, &second] {
        turned_down().await;
        // Its one use is used up, and that was theirs.
        let back = earner.post("/v2/backpack/claim").json(json!({ "code": code, "email": email })).await.is(201);
        assert_eq!((id(&back), &only(&back)["acceptance"]), (award.clone(), &json!("Accepted")));
        claim(earner, &code).await.is_refused(400, "Previous award exists");
    }
    // By another code, too: it is not used.
    turned_down().await;
    let (other, _) = new_code(&room, json!({})).await;
    assert_eq!(id(&claim(earner, &other).await.is(201)), award);
    let late = person(&room.school, "late").await.client;
    claim(&late, &other).await.is(201);
    assert_eq!(
        field_error(claim(&room.member("staff").await.client, &other).await, "code"),
        "The claim code is used up."
    );
    let codes = owner.get(&codes_of(&room)).await.is(200);
    assert!(codes.records(&["result"]).iter().all(|code| code["uses"] == 1), "{codes}");
    turned_down().await;
    room.revoke(&award).await.is(200);
    claim(earner, &code).await.is_refused(400, "Previous award exists");
}
