//! Tools that register themselves: dynamic registration of LTI 1.3, tool proxies of LTI 2, and the approval of an
//! administrator.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rsa::pkcs1v15::Pkcs1v15Sign;
use rsa::pkcs8::DecodePrivateKey;
use rsa::sha2::{Digest, Sha256};
use rsa::traits::PublicKeyParts;
use rsa::{RsaPrivateKey, RsaPublicKey};
use serde_json::{Value, json};
use support::{Client, Receiver, Reply, Response, School, Tool, unique};

const REGISTRATIONS: &str = "/api/lti/tool_registrations";
const CREATED: &str = "vnd.vendor.webhooks.root_account.submission_created";
const GRADES: &str = "vnd.vendor.webhooks.root_account.grade_change";
const KEY: &[u8] = include_bytes!("keys/rsa.der");

async fn invited(admin: &Client, version: &str) -> Response {
    let form = json!({ "initiation_url": "https://tool.test/register", "version": version });
    admin.post(REGISTRATIONS).json(form).await.is(201)
}

/// The token in the address to which an LTI 1.3 tool is invited.
fn registration_token(invited: &Response) -> String {
    let url = invited["invitation"]["url"].as_str().unwrap();
    url.split_once("registration_token=").unwrap().1.to_owned()
}

/// The metadata of an LTI 1.3 tool.
fn metadata(jwks_uri: &str) -> Value {
    json!({
        "application_type": "web", "response_types": ["id_token"], "grant_types": ["implicit", "client_credentials"],
        "client_name": "Checker", "redirect_uris": ["https://tool.test/back"],
        "initiate_login_uri": "https://tool.test/login", "jwks_uri": jwks_uri,
        "token_endpoint_auth_method": "private_key_jwt", "scope": format!("openid {CREATED} {GRADES}"),
        "https://purl.imsglobal.org/spec/lti-tool-configuration": {
            "domain": "tool.test", "target_link_uri": "https://tool.test/launch", "claims": ["iss", "sub"],
            "messages": [{ "type": "LtiResourceLinkRequest" }],
        },
    })
}

async fn register(admin: &Client, token: &str, metadata: &Value) -> Response {
    admin.with_token(token).post("/api/lti/registrations").json(metadata).await
}

/// A tool with a key of its own, which it shows at an address.
struct KeyedTool {
    key: RsaPrivateKey,
    keys: Receiver,
}

impl KeyedTool {
    fn new() -> Self {
        let key = RsaPrivateKey::from_pkcs8_der(KEY).unwrap();
        let public = RsaPublicKey::from(&key);
        let number = |bytes: Vec<u8>| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let (n, e) = (number(public.n().to_bytes_be()), number(public.e().to_bytes_be()));
        let keys = json!({ "keys": [{ "kty": "RSA", "kid": "one", "alg": "RS256", "use": "sig", "n": n, "e": e }] });
        let keys = Receiver::start(move |_| Reply::new(200, keys.to_string()));
        Self { key, keys }
    }

    /// Registers by the invitation.
    async fn registered(&self, admin: &Client, invited: &Response) -> Response {
        register(admin, &registration_token(invited), &metadata(&self.jwks_uri())).await.is(201)
    }

    fn jwks_uri(&self) -> String {
        format!("{}/keys", self.keys.url)
    }

    fn sign(&self, claims: &Value) -> String {
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({ "alg": "RS256", "kid": "one", "typ": "JWT" })), part(claims));
        let signature = self.key.sign(Pkcs1v15Sign::new::<Sha256>(), &Sha256::digest(&signed)).unwrap();
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }

    fn claims(client: &Client, id: &str) -> Value {
        let now = shared::clock::now().unix();
        json!({
            "iss": id, "sub": id, "aud": format!("{}/api/lti/token", client.base_url()), "iat": now, "exp": now + 60,
            "jti": unique("assertion"),
        })
    }
}

async fn exchange(client: &Client, assertion: &str) -> Response {
    let form = [
        ("grant_type", "client_credentials"),
        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ("client_assertion", assertion),
    ];
    client.without_token().post("/api/lti/token").form(&form).await
}

#[tokio::test]
async fn an_lti_1_3_tool_registers_and_gets_what_is_approved() {
    let school = School::start().await;
    let admin = &school.admin;
    let invited = invited(admin, "lti_1_3").await;
    assert_eq!((&invited["status"], &invited["invitation"]["method"]), (&json!("invited"), &json!("GET")));
    let one = format!("{REGISTRATIONS}/{}", invited.id());
    let nobody = admin.without_token();
    let platform = nobody.get("/api/lti/security/openid-configuration").await.is(200);
    let base = nobody.base_url();
    assert_eq!(platform["issuer"], base);
    assert_eq!(platform["registration_endpoint"], format!("{base}/api/lti/registrations"));
    assert_eq!(platform["token_endpoint"], format!("{base}/api/lti/token"));
    assert_eq!(platform["token_endpoint_auth_methods_supported"], json!(["private_key_jwt"]));
    assert!(platform["scopes_supported"].as_array().unwrap().contains(&json!(CREATED)));
    assert!(platform["https://purl.imsglobal.org/spec/lti-platform-configuration"]["messages_supported"].is_array());

    let tool = KeyedTool::new();
    let token = registration_token(&invited);
    let client = register(admin, &token, &metadata(&tool.jwks_uri())).await.is(201);
    let id = client["client_id"].as_str().unwrap().to_owned();
    assert_eq!((&client["client_name"], &client["scope"]), (&json!("Checker"), &json!("")));
    assert_eq!(client["registration_status"], "pending");
    assert_eq!(client.header("cache-control"), Some("no-store"));
    register(admin, &token, &metadata(&tool.jwks_uri())).await.is(401);

    // It waits, and gets nothing.
    exchange(admin, &tool.sign(&KeyedTool::claims(admin, &id))).await.is_refused(401, "invalid_client");
    let waiting = admin.get(&format!("{REGISTRATIONS}?status=pending")).await.is(200);
    assert_eq!(waiting.ids(), [invited.id()]);
    assert_eq!(waiting.json[0]["capabilities"], json!([CREATED, GRADES]));
    assert_eq!((&waiting.json[0]["guid"], &waiting.json[0]["name"]), (&json!(id), &json!("Checker")));
    assert_eq!(admin.get(&format!("/api/lti/tool_proxies/{id}")).await.is(200)["capabilities"], json!([]));

    let all = json!({ "capabilities": ["vnd.vendor.webhooks.root_account.all"] });
    admin.post(&format!("{one}/approve")).json(all).await.is_refused(400, "must be among those");
    let approved = admin.post(&format!("{one}/approve")).json(json!({ "capabilities": [CREATED] })).await.is(200);
    assert_eq!((&approved["status"], &approved["decided_by"]), (&json!("approved"), &json!(admin.id)));
    admin.post(&format!("{one}/approve")).await.is_refused(409, "Only a tool that has registered and waits");
    admin.post(&format!("{one}/refuse")).await.is_refused(409, "It was decided before");

    let assertion = tool.sign(&KeyedTool::claims(admin, &id));
    let granted = exchange(admin, &assertion).await.is(200);
    assert_eq!((&granted["token_type"], &granted["expires_in"]), (&json!("Bearer"), &json!(3600)));
    assert_eq!(granted["scope"], CREATED);
    exchange(admin, &assertion).await.is_refused(401, "invalid_client");
    let of_tool = admin.with_token(granted["access_token"].as_str().unwrap());
    let wanted = |event: &str| {
        json!({ "subscription": {
            "ContextId": school.account.to_string(), "ContextType": "account", "EventTypes": [event],
            "Format": "live-event", "TransportType": "https", "TransportMetadata": { "Url": "https://tool.test/hook" },
        } })
    };
    of_tool.post("/api/lti/subscriptions").json(wanted("SUBMISSION_CREATED")).await.is(200);
    of_tool
        .post("/api/lti/subscriptions")
        .json(wanted("GRADE_CHANGE"))
        .await
        .is_refused(401, "Unauthorized subscription");

    let own = admin.with_token(client["registration_access_token"].as_str().unwrap());
    let path = format!("/api/lti/registrations/{id}");
    let read = own.get(&path).await.is(200);
    assert_eq!((&read["registration_status"], &read["scope"]), (&json!("approved"), &json!(CREATED)));
    assert_eq!(read["registration_access_token"], Value::Null);
    own.get("/api/lti/registrations/another").await.is(401);
    admin.get(&path).await.is(401);
    // With the tool its registration is out of reach.
    admin.delete(&format!("/api/lti/tool_proxies/{id}")).await.is(200);
    own.get(&path).await.is(401);
    exchange(admin, &tool.sign(&KeyedTool::claims(admin, &id))).await.is(401);
}

#[tokio::test]
async fn only_assertions_of_the_tool_itself_buy_tokens() {
    let school = School::start().await;
    let admin = &school.admin;
    let (invited, tool) = (invited(admin, "lti_1_3").await, KeyedTool::new());
    let client = tool.registered(admin, &invited).await;
    let id = client["client_id"].as_str().unwrap();
    admin.post(&format!("{REGISTRATIONS}/{}/approve", invited.id())).await.is(200);
    let changed = |name: &str, value: Value| {
        let mut claims = KeyedTool::claims(admin, id);
        claims[name] = value;
        tool.sign(&claims)
    };
    let now = shared::clock::now().unix();
    let good = tool.sign(&KeyedTool::claims(admin, id));
    let bad = [
        changed("iss", json!("another")),
        changed("aud", json!("https://elsewhere.test/token")),
        changed("exp", json!(now - 1)),
        changed("exp", json!(now + 7200)),
        changed("iat", json!(now + 600)),
        changed("jti", json!("")),
        xtask::assertion::sign(&KeyedTool::claims(admin, id), "secret"),
        format!("{good}x"),
        "nonsense".to_owned(),
    ];
    for assertion in bad {
        exchange(admin, &assertion).await.is_refused(401, "invalid_client");
    }
    let form = [("grant_type", "password")];
    admin.without_token().post("/api/lti/token").form(&form).await.is_refused(400, "unsupported_grant_type");
    let form = [("grant_type", "client_credentials"), ("client_assertion", good.as_str())];
    admin.without_token().post("/api/lti/token").form(&form).await.is_refused(400, "client_assertion_type");
    exchange(admin, &good).await.is(200);
}

#[tokio::test]
async fn what_a_tool_says_of_itself_is_checked() {
    let school = School::start().await;
    let admin = &school.admin;
    let token = registration_token(&invited(admin, "lti_1_3").await);
    let good = metadata("https://tool.test/keys");
    let with = |name: &str, value: Value| {
        let mut changed = good.clone();
        changed[name] = value;
        changed
    };
    let cases = [
        (with("client_name", json!("")), "invalid_client_metadata"),
        (with("redirect_uris", json!([])), "invalid_redirect_uri"),
        (with("redirect_uris", json!(["http://tool.test/"])), "invalid_redirect_uri"),
        (with("jwks_uri", json!("https://10.0.0.1/keys")), "must not name a private or reserved network"),
        (with("token_endpoint_auth_method", json!("client_secret_post")), "must be private_key_jwt"),
        (with("grant_types", json!(["implicit"])), "grant_types must have client_credentials"),
        (with("https://purl.imsglobal.org/spec/lti-tool-configuration", json!({})), "domain is missing"),
        (with("contacts", json!(["x".repeat(40_000)])), "the metadata are too long"),
    ];
    for (body, words) in cases {
        register(admin, &token, &body).await.is_refused(400, words);
    }
    register(admin, &token, &with("contacts", json!(["x".repeat(70_000)]))).await.is(413);
    for token in ["nonsense", admin.token.as_deref().unwrap()] {
        register(admin, token, &good).await.is(401);
    }
    register(admin, &token, &good).await.is(201);
}

#[tokio::test]
async fn invitations_are_for_administrators() {
    let school = School::start().await;
    let admin = &school.admin;
    let (_, teacher, _) = school.classroom("Botany").await;
    let form = json!({ "initiation_url": "https://tool.test/register" });
    teacher.post(REGISTRATIONS).json(&form).await.is_forbidden();
    teacher.get(REGISTRATIONS).await.is_forbidden();
    let cases = [
        (json!({}), "initiation_url is missing"),
        (json!({ "initiation_url": "http://tool.test/" }), "must begin with https://"),
        (json!({ "initiation_url": "https://tool.test/#a" }), "must not have a fragment"),
        (json!({ "initiation_url": "https://tool.test/", "version": "lti_1_1" }), "must be lti_1_3 or lti_2"),
    ];
    for (body, words) in cases {
        admin.post(REGISTRATIONS).json(body).await.is_refused(400, words);
    }
    let made = admin.post(REGISTRATIONS).json(&form).await.is(201);
    let one = format!("{REGISTRATIONS}/{}", made.id());
    assert_eq!(admin.get(&one).await.is(200)["invitation"], Value::Null, "it is shown once");
    admin.get(&format!("{REGISTRATIONS}?status=lost")).await.is_refused(400, "must be invited, pending");
    admin.post(&format!("{one}/approve")).await.is_refused(409, "Only a tool that has registered and waits");
    teacher.get(&one).await.is_forbidden();
    teacher.post(&format!("{one}/approve")).await.is_forbidden();
    teacher.post(&format!("{one}/refuse")).await.is_forbidden();
    let foreign = School::start().await.admin;
    foreign.get(&one).await.is_not_found();
    foreign.post(&format!("{one}/approve")).await.is_not_found();
    foreign.post(&format!("{one}/refuse")).await.is_not_found();
    foreign.post(REGISTRATIONS).json(json!({ "account_id": school.account })).await.is_not_found();
    assert_eq!(foreign.get(REGISTRATIONS).await.is(200).json, json!([]));

    // An invitation that is taken back is good for nothing.
    assert_eq!(admin.post(&format!("{one}/refuse")).await.is(200)["status"], "refused");
    register(admin, &registration_token(&made), &metadata("https://tool.test/keys")).await.is(401);
    assert_eq!(admin.get(&format!("{REGISTRATIONS}?status=refused")).await.is(200).ids(), [made.id()]);
}

#[tokio::test]
async fn only_so_many_registrations_wait() {
    let school = School::start().await;
    let form = json!({ "initiation_url": "https://tool.test/register" });
    let first = school.admin.post(REGISTRATIONS).json(&form).await.is(201).id();
    for _ in 1..100 {
        school.admin.post(REGISTRATIONS).json(&form).await.is(201);
    }
    school.admin.post(REGISTRATIONS).json(&form).await.is_refused(400, "limit exceeded");
    school.admin.post(&format!("{REGISTRATIONS}/{first}/refuse")).await.is(200);
    school.admin.post(REGISTRATIONS).json(&form).await.is(201);
}

#[tokio::test]
async fn a_tool_that_is_refused_is_gone() {
    let school = School::start().await;
    let admin = &school.admin;
    let (invited, tool) = (invited(admin, "lti_1_3").await, KeyedTool::new());
    let client = tool.registered(admin, &invited).await;
    let id = client["client_id"].as_str().unwrap();
    let refused = admin.post(&format!("{REGISTRATIONS}/{}/refuse", invited.id())).await.is(200);
    assert_eq!(refused["status"], "refused");
    admin.get(&format!("/api/lti/tool_proxies/{id}")).await.is_not_found();
    exchange(admin, &tool.sign(&KeyedTool::claims(admin, id))).await.is(401);
    admin.post(&format!("{REGISTRATIONS}/{}/approve", invited.id())).await.is(409);
}

#[tokio::test]
async fn a_tool_that_was_removed_is_not_approved() {
    let school = School::start().await;
    let admin = &school.admin;
    let invited = invited(admin, "lti_1_3").await;
    let metadata = metadata("https://tool.test/keys");
    let client = register(admin, &registration_token(&invited), &metadata).await.is(201);
    admin.delete(&format!("/api/lti/tool_proxies/{}", client["client_id"].as_str().unwrap())).await.is(200);
    admin.post(&format!("{REGISTRATIONS}/{}/approve", invited.id())).await.is(409);
}

/// An LTI 2 tool that was invited, and has got a token for its registration key.
pub(crate) struct InvitedProxy {
    registration: i64,
    profile: String,
    pub(crate) client: Client,
    authorize: String,
    pub(crate) key: String,
    pub(crate) password: String,
}

impl InvitedProxy {
    pub(crate) async fn new(school: &School) -> Self {
        let invited = invited(&school.admin, "lti_2").await;
        let fields = &invited["invitation"]["parameters"];
        assert_eq!(fields["lti_message_type"], "ToolProxyRegistrationRequest");
        let text = |name: &str| fields[name].as_str().unwrap().to_owned();
        let (key, password, profile) = (text("reg_key"), text("reg_password"), text("tc_profile_url"));
        let client = school.admin.without_token();
        let offered = client.get(&profile).await.is(200);
        assert_eq!(offered.header("content-type"), Some("application/vnd.ims.lti.v2.toolconsumerprofile+json"));
        assert!(offered["capability_offered"].as_array().unwrap().contains(&json!(CREATED)));
        let service = |name: &str| {
            let id = format!("{profile}#{name}");
            let services = offered["service_offered"].as_array().unwrap();
            let service = services.iter().find(|service| service["@id"] == id.as_str()).unwrap();
            service["endpoint"].as_str().unwrap().to_owned()
        };
        assert_eq!(service("ToolProxy.collection"), format!("{}/api/lti/tool_proxy", client.base_url()));
        let authorize = service("vnd.Canvas.authorization");
        let mut new = Self { registration: invited.id(), profile, client, authorize, key, password };
        let token = new.exchange(&new.claims(), &new.password).await.is(200);
        new.client = new.client.with_token(token["access_token"].as_str().unwrap());
        new
    }

    fn claims(&self) -> Value {
        let now = shared::clock::now().unix();
        json!({ "sub": self.key, "aud": self.authorize, "iat": now, "exp": now + 60, "jti": unique("assertion") })
    }

    async fn exchange(&self, claims: &Value, password: &str) -> Response {
        let assertion = xtask::assertion::sign(claims, password);
        let form =
            [("grant_type", "authorization_code"), ("code", self.key.as_str()), ("assertion", assertion.as_str())];
        self.client.without_token().post(&self.authorize).form(&form).await
    }

    pub(crate) fn proxy(&self, contract: Value) -> Value {
        json!({
            "@context": "http://purl.imsglobal.org/ctx/lti/v2/ToolProxy", "@type": "ToolProxy", "lti_version": "LTI-2p1",
            "tool_consumer_profile": self.profile, "enabled_capability": ["OAuth.splitSecret", CREATED],
            "tool_profile": { "product_instance": { "product_info": { "product_name": { "default_value": "Checker" } } } },
            "security_contract": contract,
        })
    }

    pub(crate) fn contract(&self, actions: &[&str]) -> Value {
        let service = format!("{}#vnd.Canvas.webhooksSubscription", self.profile);
        json!({
            "tp_half_shared_secret": "ab".repeat(64),
            "tool_service": [{ "@type": "RestServiceProfile", "service": service, "action": actions }],
        })
    }

    async fn register(&self, proxy: &Value) -> Response {
        let media_type = "application/vnd.ims.lti.v2.toolproxy+json";
        self.client.post("/api/lti/tool_proxy").body(media_type, proxy.to_string()).await
    }
}

#[tokio::test]
async fn an_lti_2_tool_registers_its_proxy() {
    let school = School::start().await;
    let admin = &school.admin;
    let invited = InvitedProxy::new(&school).await;
    let made = invited.register(&invited.proxy(invited.contract(&["POST", "GET"]))).await.is(201);
    assert_eq!(made.header("content-type"), Some("application/vnd.ims.lti.v2.toolproxy.id+json"));
    assert_eq!((&made["@type"], made["@id"].is_string()), (&json!("ToolProxy"), true));
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    let secret = format!("{}{}", text("tc_half_shared_secret"), "ab".repeat(64));
    invited.register(&invited.proxy(invited.contract(&["POST"]))).await.is(401);

    let mut tool =
        Tool { guid: text("tool_proxy_guid"), secret, account: school.account, client: admin.without_token() };
    let token = tool.exchange(&tool.assertion()).await.is(200);
    tool.client = tool.client.with_token(token["access_token"].as_str().unwrap());
    let wanted = json!({ "subscription": tool.wanted("https://tool.test/hook") });
    let refused = tool.client.post("/api/lti/subscriptions").json(&wanted).await;
    refused.is_refused(401, "Unauthorized subscription");
    let shown = admin.get(&format!("{REGISTRATIONS}/{}", invited.registration)).await.is(200);
    assert_eq!((&shown["status"], &shown["capabilities"]), (&json!("pending"), &json!([CREATED])));
    assert!(!shown.body.contains(&"ab".repeat(64)), "the contract is nobody's business");

    admin.post(&format!("{REGISTRATIONS}/{}/approve", invited.registration)).await.is(200);
    let id = tool.client.post("/api/lti/subscriptions").json(&wanted).await.is(200)["Id"].as_str().unwrap().to_owned();
    let one = format!("/api/lti/subscriptions/{id}");
    tool.client.get(&one).await.is(200);
    // Its contract names neither of these.
    tool.client.put(&one).json(&wanted).await.is_unauthenticated("user authorization required");
    tool.client.delete(&one).await.is_unauthenticated("user authorization required");
}

#[tokio::test]
async fn a_registration_key_is_good_for_its_registration_alone() {
    let school = School::start().await;
    let invited = InvitedProxy::new(&school).await;
    let grant = async |claims: Value, password: &str| {
        invited.exchange(&claims, password).await.is_refused(400, "invalid_grant");
    };
    grant(invited.claims(), "wrong").await;
    for (name, value) in [("sub", "another"), ("aud", "https://elsewhere.test/")] {
        let mut claims = invited.claims();
        claims[name] = json!(value);
        grant(claims, &invited.password).await;
    }
    // The token subscribes to nothing, and a tool's token registers nothing.
    invited.client.get("/api/lti/subscriptions").await.is_unauthenticated("user authorization required");
    let tool = Tool::register(&school.admin).await;
    for stranger in [&tool.client, &school.admin, &school.admin.without_token()] {
        let proxy = invited.proxy(invited.contract(&["POST"]));
        stranger.post("/api/lti/tool_proxy").json(proxy).await.is_unauthenticated("user authorization required");
    }
    let with = |name: &str, value: Value| {
        let mut proxy = invited.proxy(invited.contract(&["POST"]));
        proxy[name] = value;
        proxy
    };
    let cases = [
        (with("lti_version", json!("LTI-1p0")), "must be LTI-2p0 or LTI-2p1"),
        (
            with("tool_consumer_profile", json!("https://elsewhere.test/")),
            "must be the address of the tool's own profile",
        ),
        (with("tool_profile", json!({})), "is missing"),
        (with("tool_profile", json!({ "x": "x".repeat(40_000) })), "is missing"),
        (with("security_contract", json!({})), "must have tp_half_shared_secret or shared_secret"),
        (with("security_contract", json!({ "shared_secret": "short" })), "must have 32 to 512 characters"),
        (with("security_contract", json!({ "shared_secret": "x".repeat(32) })), "must name #vnd.Canvas"),
    ];
    for (proxy, words) in cases {
        invited.register(&proxy).await.is_refused(400, words);
    }
    school.admin.post(&format!("{REGISTRATIONS}/{}/refuse", invited.registration)).await.is(200);
    invited.register(&invited.proxy(invited.contract(&["POST"]))).await.is(401);
    invited.client.get(&invited.profile).await.is_not_found();
    grant(invited.claims(), &invited.password).await;
}
