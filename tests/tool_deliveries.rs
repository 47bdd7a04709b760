//! A tool's own view of its deliveries: the list, what was sent and how it went, sending again, and the page.
//!
//! They run in an application of their own, because the clocks of other tests would set off their retries.

use std::sync::OnceLock;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use support::{Client, Course, Receiver, Reply, Response, Running, School, Subscription, Tool};

const DELIVERIES: &str = "/api/lti/deliveries";
const PAGE: &str = "/webhooks/tool_deliveries";

struct Scene {
    site: Running,
    school: School,
    course: Course,
    student: Client,
    essay: i64,
    tool: Tool,
    subscription: Subscription,
    receiver: Receiver,
}

impl Scene {
    /// A tool that is told of all submissions, whose receiver answers with that status and text.
    async fn new(status: u16, text: &'static str) -> Self {
        static SITE: OnceLock<Running> = OnceLock::new();
        let site = || SITE.get_or_init(|| Running::own("tool-deliveries", &[])).clone();
        let site = tokio::task::spawn_blocking(site).await.unwrap();
        let school = School::start_in(&site).await;
        let (course, teacher, student) = school.classroom("Botany").await;
        let essay = json!({ "name": "Essay", "published": true, "submission_types": ["online_text_entry"] });
        let essay = teacher.post(&course.path("/assignments")).json(json!({ "assignment": essay })).await.is(201).id();
        let tool = Tool::register(&school.admin).await;
        let receiver = Receiver::start(move |_| Reply::new(status, text));
        let subscription = tool.subscribe(&receiver.url).await;
        Self { site, school, course, student, essay, tool, subscription, receiver }
    }

    /// Sends a test, and answers the delivery's id.
    async fn test(&self) -> i64 {
        self.tool.client.post(&self.subscription_path("/test")).await.is(201).id()
    }

    /// Hands the essay in, and answers the id of the delivery that tells of it.
    async fn hand_in(&self) -> i64 {
        let text = json!({ "submission": { "submission_type": "online_text_entry", "body": "Oaks" } });
        let path = self.course.path(&format!("/assignments/{}/submissions", self.essay));
        self.student.post(&path).json(text).await.is(201);
        self.list("").await.ids()[0]
    }

    /// Moves the course to another account.
    async fn move_to(&self, account: i64) {
        let course = json!({ "course": { "account_id": account } });
        self.school.admin.put(&self.course.path("")).json(course).await.is(200);
    }

    /// The tool of a sub-account to which the course moves, told of what happens there at that address.
    async fn tool_of_faculty(&self, url: &str) -> Tool {
        let admin = &self.school.admin;
        let faculty = json!({ "account": { "name": "Faculty" } });
        let faculty = admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
        let new = json!({ "account_id": faculty, "capabilities": ["vnd.vendor.webhooks.root_account.all"] });
        let new = admin.post("/api/lti/tool_proxies").json(new).await.is(201);
        let text = |key: &str| new[key].as_str().unwrap().to_owned();
        let nobody = admin.without_token();
        let mut tool = Tool { guid: text("guid"), secret: text("shared_secret"), account: faculty, client: nobody };
        let token = tool.exchange(&tool.assertion()).await.is(200);
        tool.client = tool.client.with_token(token["access_token"].as_str().unwrap());
        self.move_to(faculty).await;
        let mut wanted = tool.wanted(url);
        wanted["ContextType"] = json!("course");
        wanted["ContextId"] = json!(self.course.id.to_string());
        tool.subscribe_to(wanted).await;
        tool
    }

    fn subscription_path(&self, rest: &str) -> String {
        format!("/api/lti/subscriptions/{}{rest}", self.subscription.id)
    }

    async fn list(&self, query: &str) -> Response {
        self.tool.client.get(&format!("{DELIVERIES}{query}")).await.is(200)
    }

    async fn read(&self, id: i64) -> Response {
        self.tool.client.get(&format!("{DELIVERIES}/{id}")).await.is(200)
    }

    async fn replay(&self, id: i64) -> Response {
        self.tool.client.post(&format!("{DELIVERIES}/{id}/replay")).await
    }

    /// The delivery as soon as so many attempts were made.
    async fn after_attempts(&self, id: i64, attempts: usize) -> Response {
        for _ in 0..1_200 {
            let delivery = self.read(id).await;
            if history(&delivery).len() >= attempts {
                return delivery;
            }
            self.site.tick(None).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("not {attempts} attempts: {}", self.read(id).await)
    }

    async fn disable(&self) {
        let mut wanted = self.tool.wanted(&self.receiver.url);
        wanted["Status"] = json!("disabled");
        self.tool.client.put(&self.subscription_path("")).json(json!({ "subscription": wanted })).await.is(200);
    }

    /// The address of the page, and the ticket in it.
    async fn link(&self) -> (String, String) {
        let link = self.tool.client.post(&format!("{DELIVERIES}/live_link")).await.is(200);
        let url = link["url"].as_str().unwrap().to_owned();
        let ticket = url.split_once("?ticket=").unwrap().1.to_owned();
        (url, ticket)
    }

    fn browser(&self) -> Client {
        self.tool.client.without_token()
    }
}

fn history(delivery: &Response) -> &Vec<Value> {
    delivery["attempt_history"].as_array().unwrap()
}

#[tokio::test]
async fn a_tool_reads_what_was_sent_and_how_it_went() {
    let scene = Scene::new(500, "no room").await;
    let id = scene.hand_in().await;
    let delivery = scene.after_attempts(id, 1).await;
    assert_eq!(delivery["subscription_id"], scene.subscription.id.as_str());
    assert_eq!((&delivery["event_type"], &delivery["status"]), (&json!("SUBMISSION_CREATED"), &json!("pending")));
    assert_eq!((&delivery["url"], &delivery["attempts"]), (&json!(scene.receiver.url), &json!(1)));
    assert!(delivery["next_attempt_at"].is_string() && delivery["ended_at"].is_null(), "{delivery}");

    let [attempt] = history(&delivery).as_slice() else { panic!("{delivery}") };
    let received = scene.receiver.received();
    let received = &received[0];
    assert_eq!(attempt["request_body"].as_str(), Some(received.text().as_str()));
    assert_eq!(attempt["request_bytes"], received.body.len());
    let headers = attempt["request_headers"].as_array().unwrap();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature", "webhook-subscription-id", "content-type"] {
        let header =
            headers.iter().find(|header| header["name"] == name).unwrap_or_else(|| panic!("{name}: {attempt}"));
        assert_eq!(header["value"].as_str(), received.header(name), "{name}");
    }
    assert_eq!((&attempt["response_status"], &attempt["response_body"]), (&json!(500), &Value::Null));
    assert_eq!(attempt["error"], "the receiver answered 500");
    assert!(attempt["attempted_at"].is_string() && attempt["latency"].is_i64(), "{attempt}");
    assert!(!delivery.body.contains(scene.subscription.secret.trim_start_matches("whsec_")), "{delivery}");

    // The administrator reads the same, and what was answered: by that a tool could read in networks that are not its own.
    let mut theirs = scene.school.admin.get(&format!("/api/v1/webhook_deliveries/{id}")).await.is(200).json;
    assert_eq!(theirs["attempt_history"][0]["response_body"].take(), "no room");
    assert_eq!(theirs, delivery.json);
}

#[tokio::test]
async fn a_tool_pages_through_its_deliveries_and_filters_them() {
    let scene = Scene::new(200, "").await;
    let other = scene.tool.subscribe(&scene.receiver.url).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(scene.test().await);
    }
    let of_other = scene.tool.client.post(&format!("/api/lti/subscriptions/{}/test", other.id)).await.is(201).id();
    ids.push(of_other);
    for id in &ids {
        scene.after_attempts(*id, 1).await;
    }
    ids.reverse();
    assert_eq!(scene.list("").await.ids(), ids);

    let first = scene.list("?per_page=3").await;
    assert_eq!(first.ids(), ids[..3]);
    let next = first.link("next").expect("a link to the next page");
    assert!(!next.contains("access_token"), "{next}");
    let second = scene.tool.client.get(&next).await.is(200);
    assert_eq!((second.ids(), second.link("next")), (vec![ids[3]], None));

    assert_eq!(scene.list(&format!("?subscription_id={}", other.id)).await.ids(), [of_other]);
    assert_eq!(scene.list("?subscription_id=unknown").await.ids(), Vec::<i64>::new());
    assert_eq!(scene.list("?status=delivered&event_type=TEST").await.ids(), ids);
    for none in ["status=pending", "status=dead", "status=kept", "event_type=GRADE_CHANGE"] {
        assert_eq!(scene.list(&format!("?{none}")).await.ids(), Vec::<i64>::new(), "{none}");
    }
    // Each of the two subscriptions is told, and the delivery to one that has ended stays on record.
    scene.hand_in().await;
    let told = scene.list("?event_type=submission_created").await.ids();
    assert_eq!(told.len(), 2);
    let path = format!("?event_type=SUBMISSION_CREATED&status=delivered&subscription_id={}", other.id);
    scene.after_attempts(told[0], 1).await;
    scene.after_attempts(told[1], 1).await;
    assert_eq!(scene.list(&path).await.ids().len(), 1);
    scene.tool.client.delete(&format!("/api/lti/subscriptions/{}", other.id)).await.is(200);
    assert_eq!(scene.list("").await.ids().len(), 6);

    for (query, field, words) in [
        ("status=gone", "status", "must be pending, delivered, dead or kept"),
        ("event_type=ASSIGNMENT_CREATED", "event_type", "must be one of QUIZ_SUBMITTED"),
        ("subscription_id[a]=b", "subscription_id", "must be text"),
    ] {
        let refused = scene.tool.client.get(&format!("{DELIVERIES}?{query}")).await.is_refused(400, words);
        assert!(refused.body.contains(field), "{refused}");
    }
    scene.tool.client.get(&format!("{DELIVERIES}?page=x")).await.is(404);
}

#[tokio::test]
async fn only_tools_with_their_own_token_see_deliveries() {
    let scene = Scene::new(200, "").await;
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    let admin = &scene.school.admin;
    for client in [admin.without_token(), admin.clone(), admin.with_token("nonsense"), scene.student.clone()] {
        for call in [
            client.get(DELIVERIES),
            client.get(&format!("{DELIVERIES}/{id}")),
            client.post(&format!("{DELIVERIES}/{id}/replay")),
            client.post(&format!("{DELIVERIES}/live_link")),
        ] {
            call.await.is_unauthenticated("user authorization required");
        }
    }
    assert_eq!(history(&scene.read(id).await).len(), 1, "nobody has it sent again");
    let token = scene.tool.client.token.as_ref().unwrap();
    let by_parameter = scene.browser().get(&format!("{DELIVERIES}?access_token={token}")).await.is(200);
    assert_eq!(by_parameter.ids(), [id]);
}

#[tokio::test]
async fn another_tools_deliveries_are_not_there() {
    let scene = Scene::new(200, "").await;
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    let beside = Tool::register(&scene.school.admin).await;
    let elsewhere = Scene::new(200, "").await.tool;
    for other in [&beside, &elsewhere] {
        assert_eq!(other.client.get(DELIVERIES).await.is(200).ids(), Vec::<i64>::new());
        let own = format!("{DELIVERIES}?subscription_id={}", scene.subscription.id);
        assert_eq!(other.client.get(&own).await.is(200).ids(), Vec::<i64>::new());
        for status in ["pending", "delivered", "dead", "kept"] {
            let own = format!("{own}&status={status}");
            assert_eq!(other.client.get(&own).await.is(200).ids(), Vec::<i64>::new(), "{status}");
        }
        assert_eq!(other.client.get(&format!("{DELIVERIES}/{id}")).await.is(404).json, json!({}));
        assert_eq!(other.client.post(&format!("{DELIVERIES}/{id}/replay")).await.is(404).json, json!({}));
        let link = other.client.post(&format!("{DELIVERIES}/live_link")).await.is(200);
        let ticket = link["url"].as_str().unwrap().split_once("?ticket=").unwrap().1.to_owned();
        let page = scene.browser().get(&format!("{PAGE}?ticket={ticket}")).await.is(200);
        assert!(!page.body.contains(&scene.subscription.id) && !page.body.contains(&scene.receiver.url), "{page}");
        let one = scene.browser().get(&format!("{PAGE}/{id}?ticket={ticket}")).await;
        one.is_page(404, "There is nothing here");
        let again = scene.browser().post(&format!("{PAGE}/{id}/replay")).form(&[("ticket", &ticket)]).await;
        again.is_page(404, "There is nothing here");
    }
    assert_eq!(scene.tool.client.get(&format!("{DELIVERIES}/999999999")).await.is(404).json, json!({}));
    assert_eq!(history(&scene.read(id).await).len(), 1, "nobody has had it sent again");
}

#[tokio::test]
async fn what_is_over_is_sent_again() {
    let scene = Scene::new(200, "").await;
    let id = scene.hand_in().await;
    let first = scene.after_attempts(id, 1).await;
    assert_eq!(first["status"], "delivered");
    let again = scene.replay(id).await.is(200);
    assert_eq!((&again["id"], &again["message_id"]), (&json!(id), &first["message_id"]));
    let second = scene.after_attempts(id, 2).await;
    assert_eq!((&second["status"], &second["attempts"]), (&json!("delivered"), &json!(2)));
    let received = scene.receiver.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));

    // What happened while the subscription was disabled is the administrator's to send, and nothing is sent to it.
    scene.disable().await;
    let kept = scene.hand_in().await;
    assert_eq!(scene.list("?status=kept").await.ids(), [kept]);
    scene.replay(kept).await.is_refused(409, "is sent when an administrator asks for it");
    scene.replay(id).await.is_refused(409, "The subscription has ended or is disabled");
    scene.tool.client.delete(&scene.subscription_path("")).await.is(200);
    scene.replay(id).await.is_refused(409, "The subscription has ended or is disabled");
    assert_eq!(scene.receiver.received().len(), 2);
    // What was refused does not count for the hour.
    let counted = format!(
        "SELECT count(*) FROM throttle_hits JOIN tool_proxies t ON t.guid = '{}'
         WHERE key = concat('webhook deliveries sent again for tool ', t.id)",
        scene.tool.guid
    );
    let Some(rows) = scene.site.read_database(&counted) else { return };
    assert_eq!(rows, [[json!(1)]]);
}

#[tokio::test]
async fn what_was_given_up_is_sent_again_and_what_waits_is_not() {
    let scene = Scene::new(500, "").await;
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    scene.replay(id).await.is_refused(409, "The delivery is not over");
    assert_eq!(scene.list("?status=pending").await.ids(), [id]);
    let given_up = format!("UPDATE webhook_deliveries SET status = 'dead', ended_at = created_at WHERE id = {id}");
    if !scene.site.change_database(&given_up) {
        return;
    }
    assert_eq!(scene.list("?status=dead").await.ids(), [id]);
    let again = scene.replay(id).await.is(200);
    assert_eq!((&again["status"], &again["attempts"]), (&json!("pending"), &json!(1)));
    assert_eq!(history(&scene.after_attempts(id, 2).await).len(), 2);
}

#[tokio::test]
async fn a_tool_has_deliveries_sent_again_only_so_often() {
    let scene = Scene::new(200, "").await;
    let insert = format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 301)
         INSERT INTO webhook_deliveries (root_account_id, subscription_id, status, next_at, created_at, ended_at)
         SELECT s.root_account_id, s.id, 'dead', s.created_at, s.created_at, s.created_at
         FROM n, webhook_subscriptions s WHERE s.uuid = '{}'",
        scene.subscription.id
    );
    if !scene.site.change_database(&insert) {
        return;
    }
    let mut ids = Vec::new();
    let mut page = Some(format!("{DELIVERIES}?per_page=100"));
    while let Some(address) = page {
        let answer = scene.tool.client.get(&address).await.is(200);
        ids.extend(answer.ids());
        page = answer.link("next");
    }
    assert_eq!(ids.len(), 301);
    let (last, first) = ids.split_last().unwrap();
    for some in first.chunks(20) {
        for answer in join_all(some.iter().map(|id| scene.replay(*id))).await {
            answer.is(200);
        }
    }
    let refused = scene.replay(*last).await.is_refused(429, "Rate Limit Exceeded");
    assert!(refused.header("retry-after").is_some(), "{refused}");
    let (_, ticket) = scene.link().await;
    let on_page = scene.browser().post(&format!("{PAGE}/{last}/replay")).form(&[("ticket", &ticket)]).await;
    on_page.is_page(429, "Too often");
    assert_eq!(scene.read(*last).await["status"], "dead");
}

#[tokio::test]
async fn the_page_shows_a_tools_deliveries_and_sends_them_again() {
    let scene = Scene::new(200, "<script>alert(1)</script>").await;
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    let (url, ticket) = scene.link().await;
    let browser = scene.browser();
    let page = browser.get(&url).await.is_page(200, &scene.receiver.url);
    assert!(page.body.contains(&format!("{PAGE}/{id}?ticket={ticket}")), "{page}");
    assert!(!page.body.contains("Log out") && !page.body.contains("<form"), "{page}");
    let one = browser.get(&format!("{PAGE}/{id}?ticket={ticket}")).await.is_page(200, "What was sent");
    assert!(!one.body.contains("alert(1)"), "what was answered is the administrators' to see: {one}");
    let sent = scene.receiver.received();
    for words in
        [sent[0].header("webhook-signature").unwrap(), "webhook-timestamp", "&quot;event_name&quot;:&quot;test&quot;"]
    {
        assert!(one.body.contains(words), "{words} was sent: {one}");
    }
    assert!(!one.body.contains(scene.subscription.secret.trim_start_matches("whsec_")), "{one}");

    let back = browser.post(&format!("{PAGE}/{id}/replay")).form(&[("ticket", &ticket)]).await.is(303);
    assert!(back.header("location").unwrap().ends_with(&format!("{PAGE}/{id}?ticket={ticket}")));
    scene.after_attempts(id, 2).await;

    let filter = format!("&status=delivered&event_type=test&subscription_id={}", scene.subscription.id);
    let shown = browser.get(&format!("{url}{filter}")).await.is_page(200, "To one subscription");
    assert!(shown.body.contains(&format!("{PAGE}/{id}?")), "{shown}");
    browser.get(&format!("{url}&status=dead")).await.is_page(200, "There are none");
    browser.get(&format!("{url}&before={id}")).await.is_page(200, "There are none");
    browser.get(&format!("{url}&before=x")).await.is_page(400, "before is not an id");
    browser.get(&format!("{url}&status=junk")).await.is_page(400, "must be pending, delivered, dead or kept");
    browser.get(&format!("{url}&event_type=junk")).await.is_page(400, "must be one of");
    browser.get(&format!("{url}&subscription_id[a]=b")).await.is_page(400, "subscription_id must be text");

    // A delivery that is not over has no button, and a form that was left open changes nothing.
    scene.disable().await;
    let kept = scene.hand_in().await;
    let one = browser.get(&format!("{PAGE}/{kept}?ticket={ticket}")).await.is_page(200, "None was made yet.");
    assert!(!one.body.contains("<form"), "{one}");
    let refused = browser.post(&format!("{PAGE}/{kept}/replay")).form(&[("ticket", &ticket)]).await;
    refused.is_page(409, "when an administrator asks for it");
}

#[tokio::test]
async fn the_page_is_written_in_the_language_of_its_reader() {
    let scene = Scene::new(500, "").await;
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    let (url, ticket) = scene.link().await;
    for (language, title, state, ended) in [
        ("en", "Webhook deliveries", "pending", "This link has ended"),
        ("de", "Webhook-Zustellungen", "wartend", "Dieser Link gilt nicht mehr"),
        ("es", "Entregas de webhooks", "pendiente", "Este enlace ha caducado"),
        ("fr", "Livraisons de webhooks", "en attente", "Ce lien n’est plus valable"),
    ] {
        let get = async |path: &str| scene.browser().get(path).header("accept-language", language).await;
        let page = get(&url).await.is_page(200, title);
        assert_eq!(page.header("content-language"), Some(language));
        assert!(page.body.contains(&format!("<td>{state}</td>")), "{page}");
        let one = get(&format!("{PAGE}/{id}?ticket={ticket}")).await.is_page(200, "the receiver answered 500");
        assert_eq!(one.body.contains("<span lang=\"en\">the receiver answered 500"), language != "en", "{one}");
        get(&format!("{PAGE}?ticket=x")).await.is_page(403, ended);
    }
}

#[tokio::test]
async fn a_link_opens_as_long_as_the_tool_and_its_secret_are_good() {
    let scene = Scene::new(200, "").await;
    let id = scene.test().await;
    scene.after_attempts(id, 1).await;
    let browser = scene.browser();
    let (url, ticket) = scene.link().await;
    for wrong in ["", "x", &format!("{ticket}x")] {
        browser.get(&format!("{PAGE}?ticket={wrong}")).await.is_page(403, "This link has ended");
        browser.get(&format!("{PAGE}/{id}?ticket={wrong}")).await.is_page(403, "This link has ended");
        let replay = browser.post(&format!("{PAGE}/{id}/replay")).form(&[("ticket", wrong)]).await;
        replay.is_page(403, "Please ask for a new one.");
    }
    // Neither opens the other's page, and no session does.
    let operators = scene.school.admin.post("/api/v1/webhook_deliveries/live_link").await.is(200);
    let operators = operators["url"].as_str().unwrap().split_once("?ticket=").unwrap().1.to_owned();
    browser.get(&format!("{PAGE}?ticket={operators}")).await.is_page(403, "This link has ended");
    browser.get(&format!("/webhooks/deliveries?ticket={ticket}")).await.is_page(403, "This link has ended");
    let signed_in = scene.school.in_browser(&scene.school.admin).await;
    signed_in.get(PAGE).await.is_page(403, "This link has ended");
    assert_eq!(history(&scene.read(id).await).len(), 1);

    let rotate = async |form: Value| {
        let path = format!("/api/lti/tool_proxies/{}/rotate_secret", scene.tool.guid);
        scene.school.admin.post(&path).json(form).await.is(200);
    };
    rotate(json!({})).await;
    browser.get(&url).await.is_page(200, "Webhook deliveries");
    // A token and a revocation of the same second are one.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    rotate(json!({ "revoke_previous": true })).await;
    browser.get(&url).await.is_page(403, "This link has ended");

    let beside = Tool::register(&scene.school.admin).await;
    let link = beside.client.post(&format!("{DELIVERIES}/live_link")).await.is(200);
    let url = link["url"].as_str().unwrap();
    browser.get(url).await.is_page(200, "The tool has subscribed to nothing.");
    scene.school.admin.delete(&format!("/api/lti/tool_proxies/{}", beside.guid)).await.is(200);
    browser.get(url).await.is_page(403, "This link has ended");
}

#[tokio::test]
async fn a_course_that_leaves_the_account_of_a_tool_tells_it_nothing_more() {
    let scene = Scene::new(200, "").await;
    let tool = scene.tool_of_faculty(&scene.receiver.url).await;
    let told = async || tool.client.get(DELIVERIES).await.is(200).ids().len();
    scene.hand_in().await;
    assert_eq!(told().await, 1);
    scene.move_to(scene.school.account).await;
    let before = scene.list("").await.ids().len();
    scene.hand_in().await;
    assert_eq!((told().await, scene.list("").await.ids().len()), (1, before + 1));
}

#[tokio::test]
async fn what_waits_for_the_tool_of_an_account_is_not_sent_when_the_course_has_left_it() {
    let scene = Scene::new(200, "").await;
    let failing = Receiver::start(|_| Reply::new(500, ""));
    let tool = scene.tool_of_faculty(&failing.url).await;
    scene.hand_in().await;
    let read = async || {
        let waiting = tool.client.get(DELIVERIES).await.is(200).ids()[0];
        tool.client.get(&format!("{DELIVERIES}/{waiting}")).await.is(200)
    };
    let status = async |expected: &str| {
        for _ in 0..1_200 {
            let delivery = read().await;
            if history(&delivery).len() == 1 && delivery["status"] == expected {
                return delivery;
            }
            scene.site.tick(None).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("not {expected}: {}", read().await);
    };
    status("pending").await;
    scene.move_to(scene.school.account).await;
    // It is due again five seconds after the first attempt.
    let dead = status("dead").await;
    assert!(dead["ended_at"].is_string() && dead["next_attempt_at"].is_null(), "{dead}");
    assert_eq!(failing.received().len(), 1);
    let subscriptions = tool.client.get("/api/lti/subscriptions").await.is(200);
    assert_eq!(subscriptions.json[0]["Status"], "active");
}
