//! Log-ins with passwords: how many are looked at, from where, and what is written down.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use support::{Client, Response, Running, School, running, unique};

use crate::oauth::{ask, developer_key, hidden_field, visible};

pub(crate) const BACK: &str = "https://client.example/back";
const PASSWORD: &str = "analytical engine";

/// A school with a client and a user who has a password.
pub(crate) struct LogIns {
    pub(crate) school: School,
    pub(crate) key: Response,
    login: String,
    user: i64,
}

/// A network that nobody else calls from.
pub(crate) fn network() -> String {
    let words = uuid::Uuid::new_v4().as_u128();
    format!("2001:db8:{:x}:{:x}::1", words & 0xffff, (words >> 16) & 0xffff)
}

impl LogIns {
    async fn start_in(site: &Running) -> Self {
        Self::with(site, unique("ada"), PASSWORD).await
    }

    async fn with(site: &Running, login: String, password: &str) -> Self {
        let school = School::start_in(site).await;
        let pseudonym = json!({ "unique_id": login, "password": password });
        let user = json!({ "user": { "name": format!("Ada {}", school.account) }, "pseudonym": pseudonym });
        let user = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
        let key = developer_key(&school, json!({ "name": "A client", "redirect_uris": [BACK] })).await;
        Self { school, key, login, user }
    }

    pub(crate) async fn start() -> Self {
        Self::start_in(&running()).await
    }

    /// Sends the log-in page from that network.
    async fn send(&self, login: &str, password: &str, network: &str) -> Response {
        let nobody = self.school.admin.without_token();
        let client_id = self.key["client_id"].as_str().unwrap();
        let query =
            format!("client_id={client_id}&response_type=code&redirect_uri=https%3A%2F%2Fclient.example%2Fback");
        let page = nobody.get(&format!("/login/oauth2/auth?{query}")).await.is(200);
        let authenticity_token = hidden_field(&page.body, "authenticity_token");
        let fields = [
            ("client_id", client_id),
            ("response_type", "code"),
            ("redirect_uri", BACK),
            ("login", login),
            ("password", password),
            ("authenticity_token", &authenticity_token),
        ];
        nobody.post("/login/oauth2/auth").header("x-forwarded-for", network).form(&fields).await
    }

    async fn log_in(&self, network: &str) -> Response {
        self.send(&self.login, PASSWORD, network).await
    }

    /// The answer to the client's code.
    pub(crate) async fn tokens(&self, network: &str) -> Response {
        self.tokens_for(PASSWORD, network).await
    }

    async fn tokens_for(&self, password: &str, network: &str) -> Response {
        let decided = self.send(&self.login, password, network).await.is(302);
        let location = decided.header("location").unwrap();
        let code = location.split(['?', '&']).find_map(|pair| pair.strip_prefix("code=")).unwrap();
        let grant = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", BACK)];
        ask(&self.school.admin, &self.key, &grant).await.is(200)
    }

    /// Notes wrong passwords as if somebody had sent them just now.
    fn note_failures(&self, site: &Running, number: usize, logins: &str, network: &str) {
        let sql = format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {number})
             INSERT INTO login_failures (root_account_id, unique_id, network, failed_at)
             SELECT {}, {logins}, '{network}', strftime('%Y-%m-%dT%H:%M:%SZ', 'now') FROM n",
            self.school.account
        );
        assert!(site.change_database(&sql));
    }
}

/// As addresses are counted: what stands before the last half of them.
fn counted(network: &str) -> String {
    network.strip_suffix('1').unwrap().to_owned()
}

#[tokio::test]
async fn wrong_passwords_from_elsewhere_keep_nobody_out() {
    let log_ins = LogIns::start().await;
    let (home, elsewhere) = (network(), network());
    log_ins.log_in(&home).await.is(302);
    for _ in 0..10 {
        log_ins.send(&log_ins.login, "wrong password", &elsewhere).await.is(403);
    }
    let refused = log_ins.log_in(&elsewhere).await.is(429);
    assert_eq!(refused.header("retry-after"), Some("900"), "{:?}", refused.headers);
    log_ins.log_in(&home).await.is(302);
    log_ins.log_in(&network()).await.is(302);
}

#[tokio::test]
async fn a_suspended_login_lets_nobody_in() {
    let log_ins = LogIns::start().await;
    let admin = &log_ins.school.admin;
    let tokens = log_ins.tokens(&network()).await;
    let user = admin.with_token(tokens["access_token"].as_str().unwrap());
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"].as_str().unwrap())];
    let login = admin.get(&format!("/api/v1/users/{}/logins", log_ins.user)).await.is(200).ids()[0];
    let set = async |state: &str| {
        let login = admin.put(&format!("/api/v1/accounts/self/logins/{login}"));
        login.json(json!({ "login": { "workflow_state": state } })).await.is(200)
    };
    set("suspended").await;
    log_ins.log_in(&network()).await.is(403);
    user.get("/api/v1/users/self").await.is(401);
    assert_eq!(ask(admin, &log_ins.key, &refresh).await.is(400)["error"], "invalid_grant");
    set("active").await;
    log_ins.log_in(&network()).await.is(302);
    user.get("/api/v1/users/self").await.is(200);
    ask(admin, &log_ins.key, &refresh).await.is(200);
}

#[tokio::test]
async fn many_networks_together_try_a_login_a_hundred_times_and_do_not_keep_it_from_coming_in_at_home() {
    let log_ins = LogIns::start().await;
    let home = network();
    log_ins.log_in(&home).await.is(302);
    log_ins.note_failures(&running(), 100, &format!("'{}'", log_ins.login), "198.51.100.1");
    log_ins.log_in(&network()).await.is(429);
    log_ins.log_in(&home).await.is(302);
}

#[tokio::test]
async fn one_network_does_not_try_one_password_on_many_logins() {
    let log_ins = LogIns::start().await;
    let (home, sprayer) = (network(), network());
    log_ins.note_failures(&running(), 100, "'u' || n", &counted(&sprayer));
    log_ins.log_in(&sprayer).await.is(429);
    log_ins.log_in(&home).await.is(302);
    // All networks together: then only those come in who came in from there before.
    log_ins.note_failures(&running(), 1000, "'u' || n", "198.51.100.1");
    log_ins.log_in(&network()).await.is(429);
    log_ins.log_in(&home).await.is(302);
    LogIns::start().await.log_in(&network()).await.is(302);
}

#[tokio::test]
async fn without_a_proxy_nobody_says_where_they_come_from() {
    let site = Running::own("no-proxy", &[("trusted_proxies", "0")]);
    let log_ins = LogIns::start_in(&site).await;
    for _ in 0..10 {
        log_ins.send(&log_ins.login, "wrong password", &network()).await.is(403);
    }
    log_ins.log_in(&network()).await.is(429);
}

#[tokio::test]
async fn passwords_are_checked_a_few_at_a_time_and_strangers_do_not_take_all_turns() {
    let site = Running::own("turns", &[("password_checks_at_once", "2")]);
    let log_ins = LogIns::start_in(&site).await;
    let home = network();
    log_ins.log_in(&home).await.is(302);
    let lease = |slot: i64, seconds: u64| {
        let until = SystemTime::now() + Duration::from_secs(seconds);
        let until = until.duration_since(UNIX_EPOCH).unwrap().as_millis();
        assert!(site.change_database(&format!(
            "INSERT INTO password_check_slots VALUES ({slot}, {until}) ON CONFLICT DO UPDATE SET until = {until}"
        )));
    };
    lease(1, 3600);
    let refused = log_ins.log_in(&network()).await.is(429);
    assert_eq!(refused.header("retry-after"), Some("2"));
    log_ins.log_in(&home).await.is(302);
    lease(2, 3600);
    log_ins.log_in(&home).await.is(429);
    // A turn that a crash cut off ends by itself.
    let began = Instant::now();
    lease(2, 2);
    log_ins.log_in(&home).await.is(302);
    assert!(began.elapsed() > Duration::from_secs(1));
    let left = site.read_database("SELECT slot FROM password_check_slots").unwrap();
    assert_eq!(json!(left), json!([[1]]), "a turn is given back");
    let counted = site.read_database("SELECT count(*) FROM login_failures").unwrap();
    assert_eq!(json!(counted), json!([[0]]), "who had no turn has not failed");
}

#[tokio::test]
async fn a_client_that_fails_often_waits_where_it_is() {
    let school = School::start().await;
    let key = developer_key(&school, json!({ "name": "A client", "user_id": school.admin.id })).await;
    let ask = |secret: &str, network: &str| {
        let id = key["client_id"].as_str().unwrap();
        let form = [("grant_type", "client_credentials"), ("client_id", id), ("client_secret", secret)];
        let nobody = school.admin.without_token();
        nobody.post("/login/oauth2/token").header("x-forwarded-for", network).form(&form)
    };
    let (one, other) = (network(), network());
    let secret = key["client_secret"].as_str().unwrap();
    for _ in 0..30 {
        ask(secret, &one).await.is(200);
        ask("wrong", &one).await.is(401);
    }
    let refused = ask(secret, &one).await.is(429);
    assert!(refused.header("retry-after").unwrap().parse::<i64>().unwrap() <= 60, "{:?}", refused.headers);
    ask(secret, &other).await.is(200);
}

#[tokio::test]
async fn users_change_their_own_password_with_the_old_one() {
    let log_ins = LogIns::start().await;
    let (admin, home) = (&log_ins.school.admin, network());
    let tokens = log_ins.tokens(&home).await;
    let ada = admin.with_token(tokens["access_token"].as_str().unwrap());
    let other = admin.token_for(log_ins.user, json!({ "purpose": "x" })).await.is(200);
    let other = admin.with_token(visible(&other));
    let login = ada.get("/api/v1/users/self/logins").await.is(200).ids()[0];
    let path = format!("/api/v1/accounts/self/logins/{login}");
    let change = |body: Value| ada.put(&path).header("x-forwarded-for", &home).json(json!({ "login": body }));
    let new = "difference engine";
    change(json!({ "password": new })).await.is_refused(400, "is not the password of the login");
    change(json!({ "password": new, "old_password": "wrong" })).await.is(400);
    change(json!({ "password": "1234567", "old_password": PASSWORD })).await.is_refused(400, "too short");
    change(json!({ "unique_id": "eve" })).await.is_forbidden();
    change(json!({ "password": new, "old_password": PASSWORD, "sis_user_id": "1" })).await.is_forbidden();
    log_ins.school.person("eve").await.put(&path).json(json!({ "login": { "password": new } })).await.is_forbidden();
    other.get("/api/v1/users/self").await.is(200);

    change(json!({ "password": new, "old_password": PASSWORD })).await.is(200);
    log_ins.send(&log_ins.login, PASSWORD, &home).await.is(403);
    log_ins.send(&log_ins.login, new, &home).await.is(302);
    ada.get("/api/v1/users/self").await.is(200);
    other.get("/api/v1/users/self").await.is_unauthenticated("Revoked access token.");
}

#[tokio::test]
async fn a_password_that_an_administrator_sets_ends_what_came_in_with_the_old_one() {
    let log_ins = LogIns::start().await;
    let admin = &log_ins.school.admin;
    let tokens = log_ins.tokens(&network()).await;
    let ada = admin.with_token(tokens["access_token"].as_str().unwrap());
    let login = ada.get("/api/v1/users/self/logins").await.is(200).ids()[0];
    let change = json!({ "login": { "password": "difference engine" } });
    admin.put(&format!("/api/v1/accounts/self/logins/{login}")).json(change).await.is(200);
    ada.get("/api/v1/users/self").await.is_unauthenticated("Revoked access token.");
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens["refresh_token"].as_str().unwrap())];
    ask(admin, &log_ins.key, &refresh).await.is_refused(400, "invalid_grant");
    admin.get("/api/v1/users/self").await.is(200);
}

#[tokio::test]
async fn administrators_read_who_came_in_and_as_whom() {
    let log_ins = LogIns::start().await;
    let (admin, home) = (&log_ins.school.admin, network());
    log_ins.send(&log_ins.login, "wrong password", &home).await.is(403);
    log_ins.send("a password in the wrong field", PASSWORD, &home).await.is(403);
    log_ins.log_in(&home).await.is(302);
    for _ in 0..2 {
        let rename = json!({ "user": { "short_name": "A" } });
        admin.put(&format!("/api/v1/users/self?as_user_id={}", log_ins.user)).json(rename).await.is(200);
    }
    let token = admin.token_for(log_ins.user, json!({ "purpose": "x" })).await.is(200).id();
    let login = admin.get(&format!("/api/v1/users/{}/logins", log_ins.user)).await.is(200).ids()[0];

    let log = async |client: &Client, of: &str| client.get(&format!("/api/v1/audit/authentication/{of}")).await;
    let events = |answer: &Response| {
        let events = answer["events"].as_array().unwrap().iter();
        events.map(|event| event["event_type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let of_user = log(admin, &format!("users/{}", log_ins.user)).await.is(200);
    assert_eq!(events(&of_user), ["token_created", "masquerade", "login", "login_failed"], "{of_user}");
    assert_eq!(of_user["events"][0]["links"]["token"], token);
    assert_eq!(of_user["events"][1]["links"]["real_user"], admin.id);
    assert_eq!(of_user["events"][2]["network"], counted(&home));
    let users = of_user["linked"]["users"].as_array().unwrap().iter().map(|user| user["id"].clone());
    assert_eq!(users.collect::<Vec<_>>(), [json!(admin.id), json!(log_ins.user)], "each once");
    let of_login = log(admin, &format!("logins/{login}")).await.is(200);
    assert_eq!(events(&of_login), ["login", "login_failed"]);
    let of_account = log(admin, "accounts/self").await.is(200);
    assert_eq!(events(&of_account)[3..], ["login_failed", "login_failed", "developer_key_created"].map(str::to_owned));
    assert!(!of_account.body.contains("wrong field"), "what is no login may be a password");
    let before = log(admin, "accounts/self?end_time=2020-01-01T00:00:00Z").await.is(200);
    assert_eq!((&before["events"], &before["linked"]["users"]), (&json!([]), &json!([])));

    let student = log_ins.school.person("student").await;
    log(&student, "accounts/self").await.is_forbidden();
    log(&student, &format!("users/{}", student.id)).await.is_forbidden();
    log(&School::start().await.admin, &format!("logins/{login}")).await.is_not_found();
}

#[tokio::test]
async fn a_login_of_two_tenants_opens_each_with_its_own_password() {
    let login = unique("ada");
    let passwords = ["analytical engine", "difference engine"];
    let first = LogIns::with(&running(), login.clone(), passwords[0]).await;
    let second = LogIns::with(&running(), login.clone(), passwords[1]).await;
    let home = network();
    let nobody = first.school.admin.without_token();
    let ask = |password: &str, client: Option<&str>| {
        let form = [("username", login.as_str()), ("password", password), ("client_id", client.unwrap_or("public"))];
        nobody.post("/o/token").header("x-forwarded-for", &home).form(&form)
    };
    // A password that is right in one tenant is no wrong one in the other, however often it is sent.
    for _ in 0..11 {
        ask(passwords[1], None).await.is(200);
    }
    for (log_ins, own, other) in [(&first, passwords[0], passwords[1]), (&second, passwords[1], passwords[0])] {
        let tokens = log_ins.tokens_for(own, &home).await;
        let user = nobody.with_token(tokens["access_token"].as_str().unwrap()).get("/api/v1/users/self").await.is(200);
        assert_eq!(user.id(), log_ins.user);
        log_ins.send(&login, other, &home).await.is(403);

        let client = log_ins.key["client_id"].as_str().unwrap();
        ask(other, Some(client)).await.is_refused(401, "invalid_grant");
        for given in [ask(own, None).await.is(200), ask(own, Some(client)).await.is(200)] {
            let badges = nobody.with_token(given["access_token"].as_str().unwrap());
            let user = badges.get("/v2/users/self").await.is(200);
            assert_eq!(user["result"][0]["lastName"], log_ins.school.account.to_string(), "{user}");
        }
    }
    ask("neither of them", None).await.is_refused(401, "invalid_grant");
}

#[tokio::test]
async fn administrators_list_logins_and_delete_all_but_the_last() {
    let school = School::start().await;
    let (ada, admin) = (school.person("ada").await, &school.admin);
    let list = format!("/api/v1/accounts/self/logins?user[id]={}", ada.id);
    let first = admin.get(&list).await.is(200).ids();
    let another = json!({ "user": { "id": ada.id }, "login": { "unique_id": unique("second") } });
    let second = admin.post("/api/v1/accounts/self/logins").json(another).await.is(200).id();
    assert_eq!(admin.get(&list).await.is(200).ids(), [first[0], second]);
    ada.get(&list).await.is_forbidden();
    let path = |login: i64| format!("/api/v1/users/{}/logins/{login}", ada.id);
    ada.delete(&path(second)).await.is_forbidden();
    school.person("eve").await.delete(&path(second)).await.is_forbidden();
    School::start().await.admin.delete(&path(second)).await.is_not_found();
    assert_eq!(admin.delete(&path(second)).await.is(200).id(), second);
    assert_eq!(admin.get(&list).await.is(200).ids(), first);
    admin.delete(&path(first[0])).await.is_refused(400, "last login");
    admin.delete(&path(second)).await.is_not_found();
}
