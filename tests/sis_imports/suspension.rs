//! Users who are suspended: their logins let nobody in, their tokens are refused, and all that they have stays.

use serde_json::{Value, json};
use support::{Client, School, running};

use super::{ENROLLMENTS, USERS, errors, import, import_with, message};
use crate::oauth::{ask, developer_key, visible};

const SET: &str = "diffing_data_set_identifier=people";

fn carl_is(status: &str) -> String {
    format!("user_id,login_id,status\nU2,carl,{status}\n")
}

/// Carl, with a token.
async fn carl(admin: &Client) -> Client {
    let id = admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id();
    let token = admin.token_for(id, json!({ "purpose": "field work" })).await.is(200);
    admin.with_token(visible(&token))
}

async fn come_in(client: &Client) -> bool {
    match client.get("/api/v1/users/self").await.status {
        200 => true,
        401 => false,
        status => panic!("{status}"),
    }
}

async fn login(admin: &Client) -> Value {
    admin.get("/api/v1/users/sis_user_id:U2/logins").await.is(200).json[0].clone()
}

#[tokio::test]
async fn a_row_suspends_a_user_and_another_lets_the_user_in_again() {
    let admin = School::start().await.admin;
    import(&admin, USERS).await;
    let carl = carl(&admin).await;
    assert!(come_in(&carl).await);
    let suspended = import(&admin, &carl_is("suspended")).await;
    assert_eq!(
        (&suspended["workflow_state"], &suspended["data"]["counts"]),
        (&json!("imported"), &json!({ "users": 1 }))
    );
    assert!(!come_in(&carl).await);
    assert_eq!(login(&admin).await["workflow_state"], "suspended");
    assert_eq!(admin.get("/api/v1/users/sis_user_id:U2").await.is(200)["name"], "Carl Linnaeus");
    import(&admin, &carl_is("active")).await;
    assert!(come_in(&carl).await, "the token is good again");
    assert_eq!(login(&admin).await["workflow_state"], "active");
    import(&admin, "user_id,login_id,status\nU8,eva,suspended\n").await;
    let eva = admin.get("/api/v1/users/sis_user_id:U8/logins").await.is(200);
    assert_eq!(eva.json[0]["workflow_state"], "suspended", "a new user may be suspended at once");
}

#[tokio::test]
async fn a_user_with_another_login_comes_in_by_it() {
    let school = School::start().await;
    let admin = &school.admin;
    import(admin, USERS).await;
    let carl = carl(admin).await;
    let id = admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id();
    let other = json!({ "user": { "id": id }, "login": { "unique_id": support::unique("carl") } });
    let other = admin.post("/api/v1/accounts/self/logins").json(other).await.is(200).id();
    import(admin, &carl_is("suspended")).await;
    assert!(come_in(&carl).await);
    let suspend = |state: &str| json!({ "login": { "workflow_state": state } });
    let path = format!("/api/v1/accounts/self/logins/{other}");
    assert_eq!(admin.put(&path).json(suspend("suspended")).await.is(200)["workflow_state"], "suspended");
    assert!(!come_in(&carl).await, "each login is suspended");
    admin.put(&path).json(suspend("active")).await.is(200);
    assert!(come_in(&carl).await);
    carl.put(&path).json(suspend("suspended")).await.is_forbidden();
    admin.put(&path).json(suspend("gone")).await.is_refused(400, "workflow_state");
    let own = admin.get(&format!("/api/v1/users/{}/logins", admin.id)).await.is(200);
    if let Some(own) = own.ids().first() {
        let own = admin.put(&format!("/api/v1/accounts/self/logins/{own}")).json(suspend("suspended"));
        own.await.is_refused(400, "You can't suspend a login of your own");
    }
}

#[tokio::test]
async fn what_somebody_has_suspended_by_hand_sticks() {
    let admin = School::start().await.admin;
    import(&admin, USERS).await;
    let id = login(&admin).await["id"].clone();
    let suspended = json!({ "login": { "workflow_state": "suspended" } });
    admin.put(&format!("/api/v1/accounts/self/logins/{id}")).json(suspended).await.is(200);
    import(&admin, &carl_is("active")).await;
    assert_eq!(login(&admin).await["workflow_state"], "suspended");
    import_with(&admin, "override_sis_stickiness=1", &[("users.csv", carl_is("active").as_str())]).await;
    assert_eq!(login(&admin).await["workflow_state"], "active");
}

#[tokio::test]
async fn users_whose_rows_are_gone_are_suspended_as_asked() {
    let admin = School::start().await.admin;
    let courses = ("courses.csv", "course_id,short_name,long_name,status\nC1,B,Botany,active\nC2,Z,Zoology,active\n");
    let sections = ("sections.csv", "section_id,course_id,name,status\nS1,C1,One,active\nS2,C1,Two,active\n");
    import_with(&admin, SET, &[("users.csv", USERS), courses, sections, ("enrollments.csv", ENROLLMENTS)]).await;
    let carl = carl(&admin).await;
    let rest = "user_id,login_id,first_name,last_name,email,integration_id,status
U1,ada,Ada,Lovelace,ada@school.example,I1,active
U3,maria,Maria,Merian,,,active
";
    let query = format!("{SET}&diffing_user_remove_status=suspended");
    let done = import_with(&admin, &query, &[("users.csv", rest)]).await;
    assert_eq!(errors(&admin, done.id()).await, Vec::<Value>::new());
    assert!(!come_in(&carl).await);
    assert_eq!(login(&admin).await["workflow_state"], "suspended");
    let enrollments = admin.get("/api/v1/users/sis_user_id:U2/enrollments").await.is(200);
    assert!(!enrollments.ids().is_empty(), "what the user has stays");
    import_with(&admin, &query, &[("users.csv", USERS)]).await;
    assert!(come_in(&carl).await, "the row is there again");
    import_with(&admin, SET, &[("users.csv", rest)]).await;
    admin.get("/api/v1/users/sis_user_id:U2").await.is_not_found();
}

#[tokio::test]
async fn nobody_suspends_oneself_by_an_import() {
    let school = School::start().await;
    let admin = &school.admin;
    let login = json!({
        "user": { "id": admin.id },
        "login": { "unique_id": support::unique("head"), "sis_user_id": "HEAD" },
    });
    let login = admin.post("/api/v1/accounts/self/logins").json(login).await.is(200);
    let name = login["unique_id"].as_str().unwrap();
    let import = import(admin, &format!("user_id,login_id,status\nHEAD,{name},suspended\n")).await;
    assert_eq!(message(admin, &import).await, "User HEAD sent the import and cannot be suspended by it");
}

#[tokio::test]
async fn who_was_deleted_comes_back_without_what_let_them_in_before() {
    const BACK: &str = "https://client.example/back";
    let school = School::start().await;
    let admin = &school.admin;
    import(admin, USERS).await;
    let user = admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id();
    let key = developer_key(&school, json!({ "name": "A client", "redirect_uris": [BACK] })).await;
    let allowed = || {
        let code = uuid::Uuid::new_v4().to_string();
        let sql = format!(
            "INSERT INTO authorization_codes (developer_key_id, user_id, code_hash, redirect_uri, expires_at)
             VALUES ({}, {user}, '{}', '{BACK}', strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '+10 minutes'))",
            key.id(),
            shared::auth::secrets::hash(&code)
        );
        running().change_database(&sql).then_some(code)
    };
    let redeem = async |code: &str| {
        let grant = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", BACK)];
        ask(admin, &key, &grant).await
    };
    let Some(code) = allowed() else { return };
    let tokens = redeem(&code).await.is(200);
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"].as_str().unwrap())];

    for is_by_import in [true, false] {
        let (carl, code) = (carl(admin).await, allowed().unwrap());
        match is_by_import {
            true => drop(import(admin, &carl_is("deleted")).await),
            false => drop(admin.delete(&format!("/api/v1/accounts/self/users/{user}")).await.is(200)),
        }
        // A deletion by the API sticks.
        import_with(admin, "override_sis_stickiness=true", &[("users.csv", &carl_is("active"))]).await;
        assert_eq!(admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id(), user);
        assert!(!come_in(&carl).await);
        redeem(&code).await.is_refused(400, "invalid_grant");
        ask(admin, &key, &refresh).await.is_refused(400, "invalid_grant");
    }
}
