//! What the database keeps with users, of their names, logins and channels: it is the same as what they come to.

use serde_json::{Value, json};
use support::{Client, School, running, unique};

/// Users of whom something else is kept than their rows say.
const STALE: &str = "SELECT u.id FROM users u JOIN user_details d ON d.user_id = u.id JOIN user_records r ON r.user_id = u.id
    WHERE u.kept_given_name IS NOT d.given_name OR u.kept_family_name IS NOT d.family_name OR u.kept_email IS NOT d.email
       OR u.kept_login_id IS NOT d.login_id OR u.kept_sis_user_id IS NOT d.sis_user_id
       OR u.kept_integration_id IS NOT d.integration_id OR u.kept_record IS NOT r.record";

/// No user of the whole database, to whom all other tests do what they do.
fn require_fresh(after: &str) {
    if let Some(stale) = running().read_database(STALE) {
        assert_eq!(stale, Vec::<Vec<Value>>::new(), "{after}");
    }
}

struct Person {
    id: i64,
    school: School,
}

impl Person {
    async fn shown(&self) -> Value {
        self.school.admin.get(&format!("/api/v1/users/{}", self.id)).await.is(200).json
    }

    async fn change(&self, fields: Value) -> Value {
        let path = format!("/api/v1/users/{}", self.id);
        let changed = self.school.admin.put(&path).json(json!({ "user": fields })).await.is(200).json;
        assert_eq!(changed, self.shown().await);
        require_fresh("a change of a user");
        changed
    }

    async fn login(&self, fields: Value) -> i64 {
        let body = json!({ "user": { "id": self.id }, "login": fields });
        let made = self.school.admin.post("/api/v1/accounts/self/logins").json(body).await.is(200).id();
        require_fresh("a login");
        made
    }

    async fn channel(&self, address: &str) -> i64 {
        let channel =
            json!({ "communication_channel": { "type": "email", "address": address }, "skip_confirmation": true });
        let path = format!("/api/v1/users/{}/communication_channels", self.id);
        self.school.admin.post(&path).json(channel).await.is(200).id()
    }
}

async fn delete(client: &Client, path: String) {
    client.delete(&path).await.is(200);
    require_fresh(&path);
}

#[tokio::test]
async fn names_logins_and_addresses_are_those_of_the_user() {
    let school = School::start().await;
    let (login, sis) = (unique("ada"), unique("S"));
    let user = json!({
        "user": { "name": "Ada King Lovelace" },
        "pseudonym": { "unique_id": login, "sis_user_id": sis },
        "communication_channel": { "address": "ada@school.test", "skip_confirmation": true },
    });
    let made = school.admin.post("/api/v1/accounts/self/users").json(user).await.is(200);
    let ada = Person { id: made.id(), school };
    assert_eq!(made.json, ada.shown().await, "what is made is what is read");
    let names = |user: &Value| [&user["first_name"], &user["last_name"]].map(|name| name.as_str().unwrap().to_owned());
    assert_eq!(names(&made.json), ["Ada King", "Lovelace"]);
    assert_eq!(names(&ada.change(json!({ "sortable_name": "King,  Ada  Augusta" })).await), ["Ada Augusta", "King"]);
    assert_eq!(names(&ada.change(json!({ "sortable_name": "Ada" })).await), ["Ada", ""]);
    assert_eq!(ada.change(json!({ "email": "king@school.test" })).await["email"], "king@school.test");

    let second = unique("second");
    let other = ada.login(json!({ "unique_id": second, "integration_id": unique("I") })).await;
    let shown = ada.shown().await;
    assert_eq!((&shown["login_id"], &shown["sis_user_id"]), (&json!(login), &json!(sis)));
    let path = format!("/api/v1/users/{}/logins", ada.id);
    let first = ada.school.admin.get(&path).await.is(200).ids().into_iter().find(|id| *id != other).unwrap();
    delete(&ada.school.admin, format!("{path}/{first}")).await;
    let shown = ada.shown().await;
    assert_eq!((&shown["login_id"], &shown["sis_user_id"]), (&json!(second), &Value::Null));
    let renamed = unique("renamed");
    let login = json!({ "login": { "unique_id": renamed, "sis_user_id": unique("S") } });
    ada.school.admin.put(&format!("/api/v1/accounts/self/logins/{other}")).json(login).await.is(200);
    require_fresh("another name of a login");
    assert_eq!(ada.shown().await["login_id"], json!(renamed));

    let channel = ada.channel("lovelace@school.test").await;
    require_fresh("a channel");
    let path = format!("/api/v1/users/{}/communication_channels", ada.id);
    for first in ada.school.admin.get(&path).await.is(200).ids().into_iter().filter(|id| *id != channel) {
        delete(&ada.school.admin, format!("{path}/{first}")).await;
    }
    assert_eq!(ada.shown().await["email"], "lovelace@school.test");
    delete(&ada.school.admin, format!("{path}/{channel}")).await;
    delete(&ada.school.admin, format!("/api/v1/accounts/self/users/{}", ada.id)).await;
}
