//! Webhook subscriptions: tools and their tokens, the five operations, and what may be subscribed to.

mod tools;

use std::sync::OnceLock;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, Response, Running, School, Tool, running, uuid};

const SUBSCRIPTIONS: &str = "/api/lti/subscriptions";
const URL: &str = "https://tool.test/hook";

async fn subscribe(tool: &Tool, wanted: Value) -> Response {
    tool.client.post(SUBSCRIPTIONS).json(json!({ "subscription": wanted })).await
}

/// The tool's usual parameters with some changed; a null takes one away.
fn with(tool: &Tool, changes: Value) -> Value {
    let mut wanted = tool.wanted(URL);
    for (name, value) in changes.as_object().unwrap() {
        wanted[name] = value.clone();
    }
    wanted.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    wanted
}

fn path(id: &str) -> String {
    format!("{SUBSCRIPTIONS}/{id}")
}

#[tokio::test]
async fn a_subscription_has_exactly_the_documented_keys() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let made = subscribe(&tool, tool.wanted(URL)).await.is(200);
    let secret = made["SigningSecret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let account = school.account.to_string();
    let mut expected = json!({
        "Id": uuid(&made["Id"]), "RootAccountId": account, "ContextId": account, "ContextType": "account",
        "EventTypes": ["SUBMISSION_CREATED"], "Format": "live-event", "TransportType": "https",
        "TransportMetadata": { "Url": URL }, "Status": "active", "SigningSecret": secret,
    });
    assert_eq!(made.json, expected);
    expected.as_object_mut().unwrap().remove("SigningSecret");
    let id = made["Id"].as_str().unwrap();
    assert_eq!(tool.client.get(&path(id)).await.is(200).json, expected);
    assert_eq!(tool.client.get(SUBSCRIPTIONS).await.is(200).json, json!([expected]));

    let wanted = with(&tool, json!({ "Format": "caliper", "EventTypes": ["grade_change", "QUIZ_SUBMITTED"] }));
    let changed = tool.client.put(&path(id)).json(json!({ "subscription": wanted })).await.is(200);
    expected["Format"] = json!("caliper");
    expected["EventTypes"] = json!(["grade_change", "QUIZ_SUBMITTED"]);
    assert_eq!(changed.json, expected);

    assert_eq!(tool.client.delete(&path(id)).await.is(200).json, json!({}));
    assert_eq!(tool.client.get(&path(id)).await.is(404).json, json!({}));
    assert_eq!(tool.client.delete(&path(id)).await.is(404).json, json!({}));
    assert_eq!(tool.client.put(&path(id)).json(json!({ "subscription": wanted })).await.is(404).json, json!({}));
    assert_eq!(tool.client.get(SUBSCRIPTIONS).await.is(200).json, json!([]));
}

#[tokio::test]
async fn a_form_says_what_json_says() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let account = school.account.to_string();
    let form = [
        ("subscription[ContextId]", account.as_str()),
        ("subscription[ContextType]", "account"),
        ("subscription[EventTypes][]", "SUBMISSION_CREATED"),
        ("subscription[EventTypes][]", "GRADE_CHANGE"),
        ("subscription[Format]", "live-event"),
        ("subscription[TransportMetadata][Url]", URL),
        ("subscription[TransportType]", "https"),
    ];
    let made = tool.client.post(SUBSCRIPTIONS).form(&form).await.is(200);
    assert_eq!(made["EventTypes"], json!(["SUBMISSION_CREATED", "GRADE_CHANGE"]));
    assert_eq!(made["TransportMetadata"], json!({ "Url": URL }));
}

#[tokio::test]
async fn identical_subscriptions_are_two() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let (one, other) = (tool.subscribe(URL).await, tool.subscribe(URL).await);
    assert_ne!(one.id, other.id);
    assert_ne!(one.secret, other.secret);
}

#[tokio::test]
async fn a_tool_may_ask_at_a_course_too() {
    let school = School::start().await;
    let course = school.course("Botany").await;
    let tool = Tool::register(&school.admin).await;
    let address = format!("/api/lti/courses/{}/authorize", course.id);
    let mut claims = tool.claims();
    claims["aud"] = json!([format!("{}{address}", tool.client.base_url())]);
    let form =
        [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer".to_owned()), ("assertion", tool.sign(&claims))];
    let token = tool.client.without_token().post(&address).form(&form).await.is(200);
    tool.client.with_token(token["access_token"].as_str().unwrap()).get(SUBSCRIPTIONS).await.is(200);
}

#[tokio::test]
async fn of_several_who_end_a_subscription_one_does() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let subscription = path(&tool.subscribe(URL).await.id);
    let mut statuses = join_all((0..5).map(|_| async { tool.client.delete(&subscription).await.status })).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404, 404, 404, 404]);
}

#[tokio::test]
async fn a_tool_knows_of_no_other_tools_subscriptions() {
    let school = School::start().await;
    let (one, other) = (Tool::register(&school.admin).await, Tool::register(&school.admin).await);
    let id = one.subscribe(URL).await.id;
    let wanted = json!({ "subscription": other.wanted(URL) });
    other.client.get(&path(&id)).await.is(404);
    other.client.put(&path(&id)).json(&wanted).await.is(404);
    other.client.delete(&path(&id)).await.is(404);
    other.client.post(&format!("{}/test", path(&id))).await.is(404);
    other.client.post(&format!("{}/rotate_secret", path(&id))).await.is(404);
    assert_eq!(other.client.get(SUBSCRIPTIONS).await.is(200).json, json!([]));
    one.client.get(&path(&id)).await.is(200);
}

#[tokio::test]
async fn each_event_needs_its_capability() {
    let school = School::start().await;
    let events = [
        "quiz_submitted",
        "grade_change",
        "attachment_created",
        "submission_created",
        "submission_updated",
        "plagiarism_resubmit",
    ];
    for (vendor, scope) in [("vendor", "root_account"), ("instructure", "assignment")] {
        for held in events {
            let capability = format!("vnd.{vendor}.webhooks.{scope}.{held}");
            let tool = Tool::with(&school.admin, &[&capability]).await;
            for event in events {
                let wanted = with(&tool, json!({ "EventTypes": [event.to_uppercase()] }));
                let answer = subscribe(&tool, wanted).await;
                if event == held && !(scope == "assignment" && held == "grade_change") {
                    answer.is(200);
                } else {
                    assert_eq!(answer.is(401).json, json!({ "error": "Unauthorized subscription" }), "{capability}");
                }
            }
        }
    }
    let tool = Tool::register(&school.admin).await;
    subscribe(&tool, with(&tool, json!({ "EventTypes": events }))).await.is(200);
    // One that may not be had spoils them all.
    let tool = Tool::with(&school.admin, &["vnd.vendor.webhooks.root_account.grade_change"]).await;
    let wanted = with(&tool, json!({ "EventTypes": ["GRADE_CHANGE", "SUBMISSION_CREATED"] }));
    subscribe(&tool, wanted).await.is_refused(401, "Unauthorized subscription");
    let wanted = with(&tool, json!({ "EventTypes": ["ASSIGNMENT_CREATED"] }));
    subscribe(&tool, wanted).await.is_refused(401, "Unauthorized subscription");
}

#[tokio::test]
async fn the_context_is_one_of_the_tools_own() {
    let school = School::start().await;
    let admin = &school.admin;
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty =
        admin.post(&format!("/api/v1/accounts/{}/sub_accounts", school.account)).json(faculty).await.is(200).id();
    let in_faculty = json!({ "course": { "name": "Botany" } });
    let in_faculty = admin.post(&format!("/api/v1/accounts/{faculty}/courses")).json(in_faculty).await.is(200).id();
    let assignment = async |course: i64| {
        let assignment = json!({ "assignment": { "name": "Essay" } });
        admin.post(&format!("/api/v1/courses/{course}/assignments")).json(assignment).await.is(201).id()
    };
    let of_faculty = assignment(in_faculty).await;
    let beside = school.course("Zoology").await.id;
    let of_beside = assignment(beside).await;
    let elsewhere = School::start().await;

    let tool = Tool::register(admin).await;
    let new = json!({ "account_id": faculty, "capabilities": ["vnd.vendor.webhooks.root_account.all"] });
    let new = admin.post("/api/lti/tool_proxies").json(new).await.is(201);
    let mut of_sub_account = Tool {
        guid: new["guid"].as_str().unwrap().to_owned(),
        secret: new["shared_secret"].as_str().unwrap().to_owned(),
        account: faculty,
        client: tool.client.without_token(),
    };
    let token = of_sub_account.exchange(&of_sub_account.assertion()).await.is(200);
    of_sub_account.client = of_sub_account.client.with_token(token["access_token"].as_str().unwrap());

    let try_both = async |kind: &str, id: &str, root: bool, sub: bool| {
        for (tool, may) in [(&tool, root), (&of_sub_account, sub)] {
            let answer = subscribe(tool, with(tool, json!({ "ContextType": kind, "ContextId": id }))).await;
            match may {
                true => assert_eq!((&answer.is(200)["ContextType"]), &json!(kind)),
                false => drop(answer.is_refused(401, "Unauthorized subscription")),
            }
        }
    };
    try_both("account", &school.account.to_string(), true, false).await;
    try_both("root_account", &school.account.to_string(), true, false).await;
    try_both("account", &faculty.to_string(), true, true).await;
    try_both("root_account", &faculty.to_string(), false, false).await;
    try_both("course", &in_faculty.to_string(), true, true).await;
    try_both("course", &beside.to_string(), true, false).await;
    try_both("assignment", &of_faculty.to_string(), true, true).await;
    try_both("assignment", &of_beside.to_string(), true, false).await;
    try_both("account", &elsewhere.account.to_string(), false, false).await;
    try_both("account", "1", false, false).await;
    for nothing in ["0", "-1", "99999999", "99999999999999999999", "x", "1 OR 1", " "] {
        for kind in ["account", "course", "assignment"] {
            let answer = subscribe(&tool, with(&tool, json!({ "ContextType": kind, "ContextId": nothing }))).await;
            assert!(matches!(answer.status, 400 | 401), "{answer}");
        }
    }
}

#[tokio::test]
async fn parameters_are_checked_one_by_one() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    for body in
        [json!({}), json!({ "subscription": {} }), json!({ "subscription": "x" }), json!({ "subscription": null })]
    {
        let answer = tool.client.post(SUBSCRIPTIONS).json(body).await.is(400);
        assert_eq!(answer.json, json!({ "errors": [{ "message": "subscription is missing" }] }));
    }
    let details = json!([{ "field": "ContextType", "message": "must be account, course or assignment" }]);
    let invalid = json!({ "error": "Invalid subscription", "details": details });
    for kind in [json!("group"), json!("Account"), json!(""), json!(7), Value::Null] {
        let answer = subscribe(&tool, with(&tool, json!({ "ContextType": kind }))).await.is(400);
        assert_eq!(answer.json, invalid);
    }
    let cases = [
        (json!({ "ContextId": null }), "ContextId", "can't be blank"),
        (json!({ "ContextId": "" }), "ContextId", "can't be blank"),
        (json!({ "EventTypes": null }), "EventTypes", "can't be blank"),
        (json!({ "EventTypes": [] }), "EventTypes", "can't be blank"),
        (json!({ "EventTypes": "SUBMISSION_CREATED" }), "EventTypes", "must be a list"),
        (json!({ "EventTypes": [7] }), "EventTypes", "must be a list of texts"),
        (json!({ "EventTypes": vec!["SUBMISSION_CREATED"; 101] }), "EventTypes", "has too many entries"),
        (json!({ "EventTypes": ["LUNCH"] }), "EventTypes", "must be among QUIZ_SUBMITTED, GRADE_CHANGE"),
        (json!({ "Format": null }), "Format", "must be live-event or caliper"),
        (json!({ "Format": "xml" }), "Format", "must be live-event or caliper"),
        (json!({ "TransportType": null }), "TransportType", "must be https or sqs"),
        (json!({ "TransportType": "smtp" }), "TransportType", "must be https or sqs"),
        (json!({ "TransportMetadata": null }), "TransportMetadata", "can't be blank"),
        (json!({ "TransportMetadata": "x" }), "TransportMetadata", "must be an object with the single key Url"),
        (json!({ "TransportMetadata": {} }), "TransportMetadata", "must be an object with the single key Url"),
        (
            json!({ "TransportMetadata": { "Url": URL, "Key": "x" } }),
            "TransportMetadata",
            "must be an object with the single key Url",
        ),
        (json!({ "TransportMetadata": { "Url": "" } }), "TransportMetadata[Url]", "can't be blank"),
        (json!({ "TransportMetadata": { "Url": 7 } }), "TransportMetadata[Url]", "must be a text"),
    ];
    for (changes, field, message) in cases {
        let answer = subscribe(&tool, with(&tool, changes)).await.is(400);
        let error = &answer["errors"][field][0];
        assert_eq!(error["attribute"], field, "{answer}");
        assert!(error["message"].as_str().unwrap().contains(message), "{answer}");
    }
    let answer = subscribe(&tool, with(&tool, json!({ "Format": "x", "TransportType": "x" }))).await.is(400);
    assert_eq!(answer["errors"].as_object().unwrap().len(), 2, "all that is wrong is told: {answer}");
}

/// All notations are in the unit tests; here is one of each kind, through the API.
#[tokio::test]
async fn addresses_that_lead_inside_are_refused() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let cases = [
        ("http://tool.test/", "must begin with https://"),
        ("https://user:x@tool.test/", "must not contain a user name or password"),
        ("https://10.0.0.1/", "must not name a private or reserved network"),
        ("https://0xa9fea9fe/latest/meta-data", "must not name a private or reserved network"),
        ("https://[::ffff:10.0.0.1]/", "must not name a private or reserved network"),
        ("https://background.spin.internal/", "must name a public host"),
        ("https://tool.test:22/", "has a port that is not allowed"),
        ("https://tool.test/\nx", "must not contain spaces, backslashes or control characters"),
        ("https://①②⑦.0.0.1/", "must write digits as 0 to 9"),
    ];
    for (url, words) in cases {
        let wanted = with(&tool, json!({ "TransportMetadata": { "Url": url } }));
        let answer = subscribe(&tool, wanted).await.is(400);
        assert_eq!(answer["errors"]["TransportMetadata[Url]"][0]["message"], words, "{url}");
    }
    let long = format!("https://tool.test/{}", "x".repeat(2048));
    subscribe(&tool, with(&tool, json!({ "TransportMetadata": { "Url": long } }))).await.is_refused(400, "is too long");

    let queue = |url: &str| with(&tool, json!({ "TransportType": "sqs", "TransportMetadata": { "Url": url } }));
    subscribe(&tool, queue("https://sqs.eu-west-1.amazonaws.com/123456789012/canvas-live-events")).await.is(200);
    subscribe(&tool, queue(URL)).await.is_refused(400, "must be the address of a queue of Amazon SQS");
    let fifo = queue("https://sqs.eu-west-1.amazonaws.com/123456789012/canvas-live-events.fifo");
    subscribe(&tool, fifo).await.is_refused(400, "must not be a FIFO queue");
}

#[tokio::test]
async fn the_list_comes_in_sets_of_a_hundred() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let mut made = Vec::new();
    for _ in 0..201 {
        made.push(tool.subscribe(URL).await.id);
    }
    let ids = |answer: &Response| -> Vec<String> {
        let list = answer.json.as_array().unwrap();
        list.iter().map(|subscription| subscription["Id"].as_str().unwrap().to_owned()).collect()
    };
    let first = tool.client.get(SUBSCRIPTIONS).await.is(200);
    assert_eq!(ids(&first), made[..100]);
    let end = first.header("EndKey").unwrap();
    let key: Value = serde_json::from_str(end).unwrap();
    assert_eq!(key["Id"], json!(made[99]));
    assert!(key["DeveloperKey"].is_string(), "{key}");
    // A subscription that ends in between shifts nothing.
    tool.client.delete(&path(&made[99])).await.is(200);
    let second = tool.client.get(SUBSCRIPTIONS).header("StartKey", end).await.is(200);
    assert_eq!(ids(&second), made[100..200]);
    let end = second.header("EndKey").unwrap().to_owned();
    let third = tool.client.get(SUBSCRIPTIONS).header("StartKey", &end).await.is(200);
    assert_eq!(ids(&third), made[200..]);
    assert_eq!(third.header("EndKey"), None);

    let other = Tool::register(&school.admin).await;
    other.client.get(SUBSCRIPTIONS).header("StartKey", &end).await.is_refused(400, "StartKey");
    let unknown = json!({ "Id": "nothing", "DeveloperKey": key["DeveloperKey"] }).to_string();
    for key in ["x", "é", "{}", r#"{"Id":7,"DeveloperKey":"1"}"#, unknown.as_str()] {
        tool.client.get(SUBSCRIPTIONS).header("StartKey", key).await.is_refused(400, "StartKey");
    }
}

/// An application whose operator allows little.
async fn strict_site() -> Running {
    static SITE: OnceLock<Running> = OnceLock::new();
    let settings = [
        ("webhook_subscriptions_per_tool", "3"),
        ("sqs_allowed_queues", "arn:aws:sqs:eu-west-1:123456789012:lectern-, http://127.0.0.1:1/123456789012/ours"),
    ];
    let site = move || SITE.get_or_init(|| Running::own("strict-webhooks", &settings)).clone();
    tokio::task::spawn_blocking(site).await.unwrap()
}

#[tokio::test]
async fn a_tool_has_only_so_many_subscriptions() {
    let school = School::start_in(&strict_site().await).await;
    let tool = Tool::register(&school.admin).await;
    let answers = join_all((0..8).map(|_| subscribe(&tool, tool.wanted(URL)))).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(made.len(), 3);
    for answer in refused {
        let answer = answer.is_refused(400, "limit exceeded (a tool has at most 3)");
        assert_eq!(answer["errors"]["subscription"][0]["type"], "too_many");
    }
    tool.client.delete(&path(made[0]["Id"].as_str().unwrap())).await.is(200);
    tool.subscribe(URL).await;
    Tool::register(&school.admin).await.subscribe(URL).await;
}

#[tokio::test]
async fn messages_go_to_queues_that_the_operator_allows() {
    let site = strict_site().await;
    let school = School::start_in(&site).await;
    let tool = Tool::register(&school.admin).await;
    let queue = |url: &str| with(&tool, json!({ "TransportType": "sqs", "TransportMetadata": { "Url": url } }));
    let words = "must be a queue that the operator of this service allows";
    for url in [
        "https://sqs.eu-west-1.amazonaws.com/123456789012/orders",
        "https://sqs.eu-west-1.amazonaws.com/210987654321/lectern-a",
        "https://sqs.us-east-1.amazonaws.com/123456789012/lectern-a",
        "http://127.0.0.1:1/123456789012/theirs",
    ] {
        subscribe(&tool, queue(url)).await.is_refused(400, words);
    }
    let made = subscribe(&tool, queue("https://sqs.eu-west-1.amazonaws.com/123456789012/lectern-a")).await.is(200);
    // An address that was allowed once is judged again when something is sent.
    let id = made["Id"].as_str().unwrap();
    let moved = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";
    if !site.change_database(&format!("UPDATE webhook_subscriptions SET url = '{moved}' WHERE uuid = '{id}'")) {
        return;
    }
    let test = tool.client.post(&format!("{}/test", path(id))).await.is(201).id();
    for _ in 0..100 {
        site.tick(None).await;
        let delivery = school.admin.get(&format!("/api/v1/webhook_deliveries/{test}")).await.is(200);
        if delivery["error"] != Value::Null {
            assert_eq!(delivery["error"], format!("the address of the queue {words}"));
            return;
        }
    }
    panic!("it was never tried");
}

#[tokio::test]
async fn deliveries_are_for_administrators() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let (_, teacher, _) = school.classroom("Botany").await;
    let id = tool.subscribe(URL).await.id;
    let test = format!("{}/test", path(&id));
    teacher.post(&test).await.is_forbidden();
    School::start().await.admin.post(&test).await.is_not_found();
    let delivery = school.admin.post(&test).await.is(201).id();
    tool.client.post(&test).await.is(201);

    let list = "/api/v1/webhook_deliveries";
    teacher.get(list).await.is_forbidden();
    tool.client.get(list).await.is_unauthenticated("Invalid access token.");
    assert_eq!(school.admin.get(list).await.is(200).ids().len(), 2);
    assert_eq!(school.admin.get(&format!("{list}?subscription_id={id}&per_page=1")).await.is(200).ids().len(), 1);
    assert_eq!(school.admin.get(&format!("{list}?subscription_id=unknown")).await.is(200).json, json!([]));
    school.admin.get(&format!("{list}?status=lost")).await.is_refused(400, "must be pending, delivered, dead or kept");
    let foreign = School::start().await.admin;
    assert_eq!(foreign.get(list).await.is(200).json, json!([]));
    foreign.get(&format!("{list}/{delivery}")).await.is_not_found();
    foreign.post(&format!("{list}/{delivery}/replay")).await.is_not_found();
    teacher.get(&format!("{list}/{delivery}")).await.is_forbidden();
    teacher.post(&format!("{list}/{delivery}/replay")).await.is_forbidden();
    teacher.post(&format!("{list}/replay")).form(&[("since", "2026-01-01")]).await.is_forbidden();
    school.admin.post(&format!("{list}/replay")).await.is_refused(400, "since");
    school.admin.post(&format!("{list}/replay")).form(&[("since", "soon")]).await.is_refused(400, "since");
    school.admin.get(&format!("{list}/replay")).await.is_not_found();
}

#[tokio::test]
async fn a_limited_token_tests_only_what_it_may() {
    let school = School::start().await;
    let tool = Tool::register(&school.admin).await;
    let test = format!("{}/test", path(&tool.subscribe(URL).await.id));
    let limited = async |scope: &str| -> Client {
        let token = school.admin.token_for(school.admin.id, json!({ "purpose": "x", "scopes": [scope] })).await.is(200);
        school.admin.with_token(token["visible_token"].as_str().unwrap())
    };
    limited("url:POST|/api/lti/subscriptions/:id/test").await.post(&test).await.is(201);
    limited("url:GET|/api/v1/users/:id").await.post(&test).await.is_refused(401, "Insufficient scopes");
    running().nobody().post(&test).await.is_unauthenticated("user authorization required");
}
