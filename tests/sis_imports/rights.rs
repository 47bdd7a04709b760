//! The rights of those who import, and the records under them.

use std::time::Duration;

use serde_json::json;
use support::{School, running};

use super::{IMPORTS, USERS, WHOLE, import, import_zip, send};

#[tokio::test]
async fn nobody_imports_over_those_above() {
    let site = running().site_admin().await;
    let csv = "user_id,login_id,status\nBOSS,admin,deleted\n";
    let id = site.post("/api/v1/accounts/1/sis_imports").body("text/csv", csv).await.is(200).id();
    for _ in 0..1_200 {
        let import = site.get(&format!("/api/v1/accounts/1/sis_imports/{id}")).await.is(200);
        if !import["ended_at"].is_null() {
            let message = &import["processing_errors"][0][1];
            assert_eq!(*message, "User BOSS administers the whole site and is not changed by an import");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the import does not end");
}

#[tokio::test]
async fn only_administrators_of_the_root_account_import() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let path = format!("/api/v1/accounts/{}/sis_imports", school.account);
    let made = send(&school.admin, "text/csv", USERS).await.is(200).id();
    for client in [&teacher, &course.member(&school, "StudentEnrollment").await] {
        client.post(&path).body("text/csv", USERS).await.is_forbidden();
        client.get(&path).await.is_forbidden();
        client.get(&format!("{path}/{made}")).await.is_forbidden();
        client.put(&format!("{path}/{made}/abort")).await.is_forbidden();
        client.put(&format!("{path}/abort_all_pending")).await.is_forbidden();
        client.get(&format!("{path}/{made}/errors")).await.is_forbidden();
    }
    let faculty = json!({ "account": { "name": "Faculty" } });
    let faculty = school.admin.post("/api/v1/accounts/self/sub_accounts").json(faculty).await.is(200).id();
    let dean = school.person("dean").await;
    let admins = format!("/api/v1/accounts/{faculty}/admins");
    school.admin.post(&admins).json(json!({ "user_id": dean.id })).await.is(200);
    dean.post(&path).body("text/csv", USERS).await.is_forbidden();
    let under = format!("/api/v1/accounts/{faculty}/sis_imports");
    dean.post(&under).body("text/csv", USERS).await.is_refused(400, "only be executed on root accounts");
}

#[tokio::test]
async fn what_belongs_to_another_tenant_is_not_there() {
    let (school, other) = (School::start().await, School::start().await);
    let theirs = import_zip(&other.admin, &WHOLE).await.id();
    for path in ["", "/errors"] {
        school.admin.get(&format!("{IMPORTS}/{theirs}{path}")).await.is_not_found();
    }
    school.admin.put(&format!("{IMPORTS}/{theirs}/abort")).await.is_not_found();
    school.admin.get(&format!("/api/v1/accounts/{}/sis_imports", other.account)).await.is_not_found();
    for csv in [
        "course_id,user_id,role,status\nC1,U1,student,active\n",
        "section_id,course_id,name,status\nS1,C1,Mine,active\n",
        "group_id,course_id,name,status\nG1,C1,Mine,available\n",
        "account_id,parent_account_id,name,status\nA9,SCI,Mine,active\n",
    ] {
        assert_eq!(import(&school.admin, csv).await["workflow_state"], "imported_with_messages", "{csv}");
    }
    let users = import(&school.admin, USERS).await;
    assert_eq!(users["workflow_state"], "imported", "the same ids in another tenant are other users: {users}");
    let (mine, theirs) = ("/api/v1/users/sis_user_id:U1", &other.admin);
    assert_ne!(school.admin.get(mine).await.is(200).id(), theirs.get(mine).await.is(200).id());
}
