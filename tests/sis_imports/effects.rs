//! The records that an import makes, changes and deletes.

use std::time::Duration;

use serde_json::{Value, json};
use support::{School, unique};

use super::{IMPORTS, WHOLE, course_of, ended, errors, import, import_zip, log, message, zip};

#[tokio::test]
async fn a_zip_is_imported_in_the_order_of_what_names_what() {
    let school = School::start().await;
    let admin = &school.admin;
    let done = import_zip(admin, &WHOLE).await;
    assert_eq!(errors(admin, done.id()).await, Vec::<Value>::new());
    assert_eq!((&done["workflow_state"], &done["progress"]), (&json!("imported"), &json!(100)), "{done}");
    let kinds = ["accounts", "users", "courses", "sections", "enrollments", "groups", "group_memberships"];
    assert_eq!(done["data"]["supplied_batches"], json!(kinds));
    let counts = json!({ "accounts": 2, "users": 3, "courses": 2, "sections": 2, "enrollments": 5, "groups": 2,
                         "group_memberships": 2 });
    assert_eq!(done["data"]["counts"], counts);

    let biology = admin.get("/api/v1/accounts/sis_account_id:BIO").await.is(200);
    let science = admin.get("/api/v1/accounts/sis_account_id:SCI").await.is(200);
    assert_eq!((&biology["name"], &biology["parent_account_id"]), (&json!("Biology"), &science["id"]));
    assert_eq!(science["parent_account_id"], school.account);

    let ada = admin.get("/api/v1/users/sis_user_id:U1").await.is(200);
    let of_ada = [&ada["name"], &ada["sortable_name"], &ada["login_id"], &ada["email"], &ada["integration_id"]];
    assert_eq!(of_ada, ["Ada Lovelace", "Lovelace, Ada", "ada", "ada@school.example", "I1"]);

    let botany = admin.get("/api/v1/courses/sis_course_id:C1").await.is(200);
    assert_eq!((&botany["workflow_state"], &botany["account_id"]), (&json!("available"), &biology["id"]));
    assert_eq!((&botany["name"], &botany["course_code"]), (&json!("Botany"), &json!("BOT-1")));
    assert_eq!(
        (&botany["start_at"], &botany["end_at"]),
        (&json!("2026-09-01T00:00:00Z"), &json!("2027-01-31T22:00:00Z"))
    );
    let zoology = admin.get("/api/v1/courses/sis_course_id:C2").await.is(200);
    assert_eq!((&zoology["workflow_state"], &zoology["account_id"]), (&json!("unpublished"), &json!(school.account)));

    let sections = admin.get("/api/v1/courses/sis_course_id:C1/sections").await.is(200);
    let names: Vec<_> = sections.json.as_array().unwrap().iter().map(|section| section["name"].clone()).collect();
    assert_eq!(names, ["Morning", "Evening"]);
    let states = "state[]=active&state[]=completed";
    let enrollments = admin.get(&format!("/api/v1/courses/sis_course_id:C1/enrollments?{states}")).await.is(200);
    let told = |enrollment: &Value| {
        ["sis_user_id", "type", "sis_section_id", "enrollment_state"].map(|key| enrollment[key].clone())
    };
    let enrollments: Vec<_> = enrollments.json.as_array().unwrap().iter().map(told).collect();
    let expected = [
        ["U1", "TeacherEnrollment", "S1", "active"],
        ["U2", "StudentEnrollment", "S1", "active"],
        ["U3", "StudentEnrollment", "S2", "completed"],
        ["U1", "ObserverEnrollment", "S1", "active"],
    ];
    assert_eq!(enrollments, expected);
    let in_zoology = admin.get("/api/v1/courses/sis_course_id:C2/enrollments").await.is(200);
    assert_eq!(in_zoology.json[0]["type"], "TaEnrollment");

    let herbarium = admin.get("/api/v1/groups/sis_group_id:G1").await.is(200);
    assert_eq!((&herbarium["name"], &herbarium["members_count"]), (&json!("Herbarium"), &json!(1)));
    assert_eq!(admin.get("/api/v1/groups/sis_group_id:G2").await.is(200)["account_id"], biology["id"]);
}

#[tokio::test]
async fn the_same_again_changes_nothing() {
    let school = School::start().await;
    let admin = &school.admin;
    let first = import_zip(admin, &WHOLE).await;
    let course = course_of(admin, "C1").await;
    let events = log(admin, course).await;
    let look = async || {
        let mut seen = Vec::new();
        for path in [
            "courses/sis_course_id:C1/enrollments?state[]=active&state[]=completed",
            "users/sis_user_id:U1",
            "groups/sis_group_id:G1",
            "courses/sis_course_id:C1",
            "courses/sis_course_id:C1/sections",
        ] {
            seen.push(admin.get(&format!("/api/v1/{path}")).await.is(200).json);
        }
        seen
    };
    let before = look().await;
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let again = import_zip(admin, &WHOLE).await;
    assert_eq!(again["workflow_state"], "imported");
    assert_eq!(again["data"]["counts"], first["data"]["counts"]);
    assert_eq!(look().await, before);
    assert_eq!(log(admin, course).await, events);
}

#[tokio::test]
async fn courses_that_change_leave_events_of_the_import() {
    let school = School::start().await;
    let admin = &school.admin;
    let header = "course_id,short_name,long_name,status,start_date";
    let first = import(admin, &format!("{header}\nC1,B,Botany,active,2026-09-01\n")).await.id();
    let course = course_of(admin, "C1").await;
    let sis = |event_type: &str, import: i64| (event_type.to_owned(), "sis".to_owned(), import.to_string());
    assert_eq!(log(admin, course).await, [sis("created", first)]);
    let created = admin.get(&format!("/api/v1/audit/course/courses/{course}")).await.is(200);
    let term = admin.get(&format!("/api/v1/courses/{course}")).await.is(200)["enrollment_term_id"].clone();
    let expected = json!({ "account_id": [null, school.account], "enrollment_term_id": [null, term], "name": [null, "Botany"],
                           "course_code": [null, "B"], "sis_source_id": [null, "C1"],
                           "start_at": [null, "2026-09-01T00:00:00Z"], "default_view": [null, "modules"],
                           "created_source": "sis" });
    assert_eq!(created["events"][0]["event_data"], expected);
    assert_eq!(created["events"][0]["links"]["user"], admin.id.to_string());

    for (row, event_types) in [
        ("C1,B,Botany,published,", &["published"][..]),
        ("C1,B,Botany,active,", &[]),
        ("C1,B,Botany I,active,", &["updated"]),
        ("C1,B,Botany I,completed,", &["concluded"]),
        ("C1,B,Botany I,active,", &["unconcluded"]),
        ("C1,B,Botany I,deleted,", &["deleted"]),
        ("C1,B,Botany I,deleted,", &[]),
        ("C1,B,Botany I,active,", &["restored"]),
        ("C1,B,Botany II,deleted,", &["deleted"]),
        ("C1,B,Botany II,published,", &["restored", "published", "updated"]),
    ] {
        let before = log(admin, course).await;
        let import = import(admin, &format!("{header}\n{row}\n")).await;
        assert_eq!(import["workflow_state"], "imported", "{row}");
        let after = log(admin, course).await;
        let expected: Vec<_> = event_types.iter().map(|event_type| sis(event_type, import.id())).collect();
        assert_eq!(after[before.len()..], expected, "{row}");
    }
    assert_eq!(course_of(admin, "C1").await, course);
}

#[tokio::test]
async fn a_course_that_an_import_moves_tells_both_accounts() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    let course = course_of(admin, "C1").await;
    let account = async |sis: &str| admin.get(&format!("/api/v1/accounts/sis_account_id:{sis}")).await.is(200).id();
    let (biology, science) = (account("BIO").await, account("SCI").await);
    let row = "course_id,short_name,long_name,account_id,status\nC1,BOT-1,Botany,SCI,active\n";
    let moved = import(admin, row).await;
    assert_eq!(moved["workflow_state"], "imported", "{moved}");
    assert_eq!(admin.get("/api/v1/courses/sis_course_id:C1").await.is(200)["account_id"], science);
    let updated = admin.get(&format!("/api/v1/audit/course/courses/{course}")).await.is(200)["events"][0].clone();
    assert_eq!((&updated["event_type"], &updated["event_source"]), (&json!("updated"), &json!("sis")));
    assert_eq!(updated["event_data"], json!({ "account_id": [biology, science] }));
}

#[tokio::test]
async fn what_an_import_deletes_it_brings_back() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    let user = admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id();
    let gone = [
        ("users.csv", "user_id,login_id,status\nU2,carl,deleted\nU8,never,deleted\n"),
        ("sections.csv", "section_id,course_id,name,status\nS2,C1,Evening,deleted\n"),
        ("enrollments.csv", "course_id,user_id,role,section_id,status\nC1,U1,teacher,S1,deleted\n"),
        ("groups.csv", "group_id,name,status\nG2,Council,deleted\n"),
        ("memberships.csv", "group_id,user_id,status\nG1,U3,deleted\n"),
    ];
    assert_eq!(import_zip(admin, &gone).await["workflow_state"], "imported");
    admin.get("/api/v1/users/sis_user_id:U2").await.is_not_found();
    admin.get("/api/v1/sections/sis_section_id:S2").await.is_not_found();
    admin.get("/api/v1/groups/sis_group_id:G2").await.is_not_found();
    let roles = async || {
        let path = "/api/v1/courses/sis_course_id:C1/enrollments?state[]=active&state[]=completed";
        let enrollments = admin.get(path).await.is(200);
        let roles = enrollments.json.as_array().unwrap().iter();
        roles.map(|enrollment| enrollment["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(roles().await, ["ObserverEnrollment"]);
    assert_eq!(import_zip(admin, &WHOLE).await["workflow_state"], "imported");
    assert_eq!(admin.get("/api/v1/users/sis_user_id:U2").await.is(200).id(), user);
    assert_eq!(roles().await.len(), 4);
    admin.get("/api/v1/groups/sis_group_id:G2").await.is(200);

    let kept = admin.post(&format!("{IMPORTS}?skip_deletes=true")).body("application/zip", zip(&gone)).await.is(200);
    assert_eq!(
        ended(admin, kept.id()).await["data"]["counts"],
        json!({ "users": 0, "sections": 0, "enrollments": 0,
        "groups": 0, "group_memberships": 0 })
    );
    assert_eq!(roles().await.len(), 4);
}

#[tokio::test]
async fn logins_change_hands_in_one_file() {
    let school = School::start().await;
    let admin = &school.admin;
    import(admin, "user_id,login_id,status\nU1,first,active\nU2,second,active\n").await;
    let moved = import(admin, "user_id,login_id,status\nU1,second,active\nU2,third,active\n").await;
    assert_eq!(moved["workflow_state"], "imported", "{moved}");
    for (id, login) in [("U1", "second"), ("U2", "third")] {
        assert_eq!(admin.get(&format!("/api/v1/users/sis_user_id:{id}")).await.is(200)["login_id"], login);
    }
    // The later row of a file counts, also for the same user.
    import(admin, "user_id,login_id,last_name,status\nU1,second,One,active\nU1,second,Two,active\n").await;
    assert_eq!(admin.get("/api/v1/users/sis_user_id:U1").await.is(200)["name"], "Two");
}

#[tokio::test]
async fn a_login_made_by_hand_becomes_the_institutions() {
    let school = School::start().await;
    let admin = &school.admin;
    let login = unique("hand");
    let user = json!({ "user": { "name": "Ada" }, "pseudonym": { "unique_id": login } });
    let user = admin.post("/api/v1/accounts/self/users").json(user).await.is(200).id();
    import(admin, &format!("user_id,login_id,email,status\nU1,{login},ada@school.example,active\n")).await;
    let ada = admin.get("/api/v1/users/sis_user_id:U1").await.is(200);
    assert_eq!((ada.id(), &ada["name"], &ada["email"]), (user, &json!("Ada"), &json!("ada@school.example")));
}

#[tokio::test]
async fn a_deletion_makes_no_section() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    import(admin, "course_id,short_name,long_name,status\nBARE,B,Bare,active\n").await;
    let deletion = import(admin, "course_id,user_id,role,status\nBARE,U1,student,deleted\n").await;
    assert_eq!(deletion["workflow_state"], "imported");
    assert_eq!(admin.get("/api/v1/courses/sis_course_id:BARE/sections").await.is(200).json, json!([]));
}

#[tokio::test]
async fn a_section_takes_its_enrollments_to_another_course() {
    let school = School::start().await;
    let admin = &school.admin;
    import_zip(admin, &WHOLE).await;
    import(admin, "section_id,course_id,name,status\nS1,C2,Morning,active\n").await;
    let section = admin.get("/api/v1/sections/sis_section_id:S1").await.is(200);
    assert_eq!(section["course_id"], course_of(admin, "C2").await);
    let in_zoology = admin.get("/api/v1/courses/sis_course_id:C2/enrollments").await.is(200);
    assert_eq!(in_zoology.ids().len(), 4);
}

#[tokio::test]
async fn an_import_that_ends_the_last_enrollment_ends_the_memberships_of_the_course() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let group = admin.get("/api/v1/groups/sis_group_id:G1").await.is(200).id();
    let members = async || admin.get(&format!("/api/v1/groups/{group}/users")).await.is(200).ids().len();
    assert_eq!(members().await, 1);
    import(&admin, "course_id,user_id,role,section_id,status\nC1,U2,student,S1,deleted\n").await;
    assert_eq!(members().await, 0);
    import(&admin, "course_id,user_id,role,section_id,status\nC1,U2,student,S1,active\n").await;
    assert_eq!(members().await, 0);
}

#[tokio::test]
async fn enrollments_and_memberships_come_back_under_their_ids() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let course = course_of(&admin, "C1").await;
    let group = admin.get("/api/v1/groups/sis_group_id:G1").await.is(200).id();
    let rows = |status: &str, member: &str| {
        let enrollments = format!("course_id,user_id,role,section_id,status\nC1,U2,student,S1,{status}\n");
        [("e.csv", enrollments), ("m.csv", format!("group_id,user_id,status\nG1,U2,{member}\n"))]
    };
    let send = async |status: &str, member: &str| {
        let files = rows(status, member);
        let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        import_zip(&admin, &files).await
    };
    let enrolled = async || {
        let path = format!("/api/v1/courses/{course}/enrollments?type[]=StudentEnrollment");
        let enrollments = admin.get(&path).await.is(200);
        let students = enrollments.json.as_array().unwrap().iter();
        students.map(|one| (one["id"].clone(), one["enrollment_state"].clone())).collect::<Vec<_>>()
    };
    let members = async || admin.get(&format!("/api/v1/groups/{group}/memberships")).await.is(200).ids();
    send("active", "accepted").await;
    let before = (enrolled().await, members().await);
    assert!(!before.0.is_empty() && before.1.len() == 1, "{before:?}");

    send("deleted", "deleted").await;
    assert!(members().await.is_empty());
    let back = send("active", "accepted").await;
    assert_eq!(back["workflow_state"], "imported", "{back}");
    assert_eq!((enrolled().await, members().await), before);
    let statistics = &back["statistics"];
    assert_eq!((&statistics["Enrollment"]["restored"], &statistics["Enrollment"]["created"]), (&json!(1), &json!(0)));
    assert_eq!(
        (&statistics["GroupMembership"]["restored"], &statistics["total_state_changes"]),
        (&json!(1), &json!(2))
    );
}

#[tokio::test]
async fn enrollments_and_memberships_end_also_in_what_is_gone() {
    let admin = School::start().await.admin;
    import_zip(&admin, &WHOLE).await;
    let course = course_of(&admin, "C1").await;
    let gone = [
        ("u.csv", "user_id,login_id,status\nU2,carl,deleted\n"),
        ("c.csv", "course_id,short_name,long_name,status\nC1,BOT-1,Botany,deleted\n"),
        ("e.csv", "course_id,user_id,role,section_id,status\nC1,U2,student,S1,deleted\nC1,U1,teacher,S1,deleted\n"),
        ("m.csv", "group_id,user_id,status\nG1,U2,deleted\n"),
    ];
    let import_of_ends = import_zip(&admin, &gone).await;
    let told = errors(&admin, import_of_ends.id()).await;
    assert_eq!((&import_of_ends["workflow_state"], told), (&json!("imported"), Vec::new()));
    import(&admin, "course_id,short_name,long_name,status\nC1,BOT-1,Botany,active\n").await;
    let teachers = format!("/api/v1/courses/{course}/enrollments?type[]=TeacherEnrollment");
    assert_eq!(admin.get(&teachers).await.is(200).json, json!([]), "the course has come back without its teacher");
    let unknown = import(&admin, "course_id,user_id,role,status\nC1,NOBODY,student,deleted\n").await;
    let why = "An enrollment referenced a non-existent user NOBODY";
    assert_eq!(message(&admin, &unknown).await, why);
}
