//! What somebody has changed here stays, unless an import overrides it.

use serde_json::{Value, json};
use support::{Client, Response, School};

use super::restoring::restored;
use super::{File, USERS, WHOLE, course_of, import, import_with, import_zip};

const OVERRIDE: &str = "override_sis_stickiness=true";

/// Other values for records of [`WHOLE`].
const OTHERS: [File<'static>; 5] = [
    ("accounts.csv", "account_id,parent_account_id,name,status\nBIO,SCI,Biology II,active\n"),
    ("users.csv", "user_id,login_id,first_name,last_name,integration_id,status\nU1,ada,Ada,Byron,I9,active\n"),
    (
        "courses.csv",
        "course_id,short_name,long_name,status,start_date,end_date\nC1,BOT-2,Botany II,published,2026-10-01,2027-02-28\n",
    ),
    ("sections.csv", "section_id,course_id,name,status\nS1,C1,Noon,active\n"),
    ("groups.csv", "group_id,course_id,name,status\nG1,C1,Flora,available\n"),
];

async fn change(admin: &Client, path: &str, body: Value) {
    admin.put(&format!("/api/v1/{path}")).json(body).await.is(200);
}

async fn shown(admin: &Client, path: &str, keys: &[&str]) -> Vec<Value> {
    let record = admin.get(&format!("/api/v1/{path}")).await.is(200);
    keys.iter().map(|key| record[*key].clone()).collect()
}

/// The values that the tests change.
async fn values(admin: &Client) -> Vec<Value> {
    let mut values = Vec::new();
    for (path, keys) in [
        ("accounts/sis_account_id:BIO", &["name"][..]),
        ("users/sis_user_id:U1", &["name", "sortable_name", "short_name", "integration_id"]),
        ("courses/sis_course_id:C1", &["name", "course_code", "start_at", "end_at"]),
        ("sections/sis_section_id:S1", &["name"]),
        ("groups/sis_group_id:G1", &["name"]),
    ] {
        values.extend(shown(admin, path, keys).await);
    }
    values
}

async fn name_of_course(admin: &Client) -> Value {
    shown(admin, "courses/sis_course_id:C1", &["name"]).await.remove(0)
}

fn course(name: &str, status: &str) -> String {
    format!("course_id,short_name,long_name,status\nC1,BOT-1,{name},{status}\n")
}

/// Imports a course of that name with these parameters.
async fn import_named(admin: &Client, query: &str, name: &str) -> Response {
    import_with(admin, query, &[("courses.csv", course(name, "active").as_str())]).await
}

#[tokio::test]
async fn what_was_changed_here_stays_until_an_import_overrides_it() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    change(&admin, "accounts/sis_account_id:BIO", json!({ "account": { "name": "Life" } })).await;
    change(&admin, "users/sis_user_id:U1", json!({ "user": { "name": "Ada King" } })).await;
    let start = "2026-12-01T00:00:00Z";
    let mosses = json!({ "course": { "name": "Mosses", "start_at": start } });
    change(&admin, "courses/sis_course_id:C1", mosses).await;
    change(&admin, "sections/sis_section_id:S1", json!({ "course_section": { "name": "Dawn" } })).await;
    change(&admin, "groups/sis_group_id:G1", json!({ "name": "Ferns" })).await;

    let done = import_zip(&admin, &OTHERS).await;
    assert_eq!(done["workflow_state"], "imported", "{done}");
    // What nobody has changed follows the import: the integration id, the code, the end.
    let kept = [
        "Life",
        "Ada King",
        "King, Ada",
        "Ada King",
        "I9",
        "Mosses",
        "BOT-2",
        start,
        "2027-02-28T00:00:00Z",
        "Dawn",
        "Ferns",
    ];
    assert_eq!(values(&admin).await, kept);

    let done = import_with(&admin, OVERRIDE, &OTHERS).await;
    assert_eq!((&done["workflow_state"], &done["override_sis_stickiness"]), (&json!("imported"), &json!(true)));
    let overridden = [
        "Biology II",
        "Ada Byron",
        "Byron, Ada",
        "Ada Byron",
        "I9",
        "Botany II",
        "BOT-2",
        "2026-10-01T00:00:00Z",
        "2027-02-28T00:00:00Z",
        "Noon",
        "Flora",
    ];
    assert_eq!(values(&admin).await, overridden);
}

#[tokio::test]
async fn stickiness_is_added_and_cleared() {
    let admin = School::start().await.admin;
    import_named(&admin, "", "Botany").await;
    let alone = import_named(&admin, "add_sis_stickiness=true", "Botany I").await;
    assert_eq!(alone["add_sis_stickiness"], false, "it goes with override_sis_stickiness alone");
    import_named(&admin, "", "Botany II").await;
    assert_eq!(name_of_course(&admin).await, "Botany II");

    let add = format!("{OVERRIDE}&add_sis_stickiness=true");
    let added = import_named(&admin, &add, "Botany III").await;
    assert_eq!(added["add_sis_stickiness"], true);
    import_named(&admin, "", "Botany IV").await;
    assert_eq!(name_of_course(&admin).await, "Botany III");

    let cleared = import_named(&admin, &format!("{add}&clear_sis_stickiness=true"), "Botany V").await;
    assert_eq!((&cleared["clear_sis_stickiness"], &cleared["add_sis_stickiness"]), (&json!(true), &json!(false)));
    assert_eq!(name_of_course(&admin).await, "Botany V");
    import_named(&admin, "", "Botany VI").await;
    assert_eq!(name_of_course(&admin).await, "Botany VI");
}

#[tokio::test]
async fn states_and_names_of_logins_stay_too() {
    let admin = School::start().await.admin;
    import(&admin, &course("Botany", "published")).await;
    import(&admin, USERS).await;
    change(&admin, "courses/sis_course_id:C1", json!({ "course": { "event": "conclude" } })).await;
    let state = async || shown(&admin, "courses/sis_course_id:C1", &["workflow_state"]).await.remove(0);
    for status in ["published", "active", "deleted"] {
        assert_eq!(import(&admin, &course("Botany", status)).await["workflow_state"], "imported");
        assert_eq!(state().await, "completed", "{status}");
    }
    import_with(&admin, OVERRIDE, &[("courses.csv", course("Botany", "published").as_str())]).await;
    assert_eq!(state().await, "available");

    let ada = admin.get("/api/v1/users/sis_user_id:U1").await.is(200).id();
    let login = admin.get(&format!("/api/v1/users/{ada}/logins")).await.is(200).ids()[0];
    change(&admin, &format!("accounts/self/logins/{login}"), json!({ "login": { "unique_id": "ada.king" } })).await;
    assert_eq!(import(&admin, USERS).await["workflow_state"], "imported");
    assert_eq!(shown(&admin, "users/sis_user_id:U1", &["login_id"]).await, ["ada.king"]);

    let carl = admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id();
    admin.delete(&format!("/api/v1/accounts/self/users/{carl}")).await.is(200);
    assert_eq!(import(&admin, USERS).await["workflow_state"], "imported");
    admin.get("/api/v1/users/sis_user_id:U2").await.is_not_found();
    import_with(&admin, OVERRIDE, &[("users.csv", USERS)]).await;
    assert_eq!(admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id(), carl);
    assert_eq!(shown(&admin, "users/sis_user_id:U1", &["login_id"]).await, ["ada"]);
}

#[tokio::test]
async fn states_that_are_restored_do_not_stick() {
    let admin = School::start().await.admin;
    import(&admin, &course("Botany", "active")).await;
    let deleted = course("Botany", "deleted");
    let gone = import(&admin, &deleted).await.id();
    restored(&admin, gone, "").await;
    let id = course_of(&admin, "C1").await;
    import(&admin, &deleted).await;
    admin.get(&format!("/api/v1/courses/{id}")).await.is_not_found();
}

#[tokio::test]
async fn a_section_that_an_import_has_fixed_is_not_taught_elsewhere() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let section = async || shown(&admin, "sections/sis_section_id:S1", &["course_id"]).await.remove(0);
    let add = format!("{OVERRIDE}&add_sis_stickiness=true");
    let moved = "section_id,course_id,name,status\nS1,C2,Morning,active\n";
    import_with(&admin, &add, &[("sections.csv", moved)]).await;
    let zoology = course_of(&admin, "C2").await;
    assert_eq!(section().await, zoology);
    import(&admin, "xlist_course_id,section_id,status\nC1,S1,active\n").await;
    import(&admin, "section_id,course_id,name,status\nS1,C1,Morning,active\n").await;
    assert_eq!(section().await, zoology);
    import_with(&admin, OVERRIDE, &[("xlists.csv", "xlist_course_id,section_id,status\nC1,S1,active\n")]).await;
    assert_eq!(section().await, course_of(&admin, "C1").await);
}

#[tokio::test]
async fn a_change_by_hand_leaves_what_sticks_where_it_is_asked_to() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    import(&admin, "term_id,name,status\nT1,Autumn,active\n").await;
    let ada = admin.get("/api/v1/users/sis_user_id:U1").await.is(200).id();
    let login = admin.get(&format!("/api/v1/users/{ada}/logins")).await.is(200).ids()[0];
    let login = format!("accounts/self/logins/{login}");
    for (path, object, field, other) in [
        ("accounts/sis_account_id:BIO", "account", "name", ("default_time_zone", "Europe/Berlin")),
        ("users/sis_user_id:U1", "user", "short_name", ("time_zone", "Europe/Berlin")),
        ("courses/sis_course_id:C1", "course", "course_code", ("license", "public_domain")),
        ("sections/sis_section_id:S1", "course_section", "name", ("integration_id", "I-1")),
        ("groups/sis_group_id:G1", "", "name", ("description", "Green")),
        (login.as_str(), "login", "unique_id", ("integration_id", "I-2")),
        ("accounts/self/terms/sis_term_id:T1", "enrollment_term", "name", ("end_at", "2030-01-01T00:00:00Z")),
    ] {
        let send = async |value: &str, overrides: bool| {
            let fields = json!({ field: value, other.0: other.1 });
            let mut body = if object.is_empty() { fields } else { json!({ object: fields }) };
            body["override_sis_stickiness"] = json!(overrides);
            let changed = admin.put(&format!("/api/v1/{path}")).json(body).await.is(200);
            (changed[field].clone(), changed[other.0].clone())
        };
        assert_eq!(send("first", false).await, (json!("first"), json!(other.1)), "{path}: nobody has changed it");
        assert_eq!(send("second", false).await, (json!("first"), json!(other.1)), "{path}");
        assert_eq!(send("third", true).await.0, "third", "{path}");
    }
}
