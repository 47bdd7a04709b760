//! Question banks of courses, accounts and users.

use serde_json::json;
use support::{School, running};

use super::question;

#[tokio::test]
async fn banks_belong_to_courses_accounts_and_users() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let bank = |title: &str| json!({ "question_bank": { "title": title } });
    let banks = course.path("/question_banks");
    let created = teacher.post(&banks).json(bank("Leaves")).await.is(200);
    let path = format!("{banks}/{}", created.id());
    assert_eq!(teacher.put(&path).json(bank("Roots")).await.is(200)["title"], "Roots");
    teacher.post(&format!("{path}/questions")).json(question("Oak")).await.is(200);
    assert_eq!(teacher.get(&path).await.is(200)["assessment_question_count"], 1);
    assert_eq!(teacher.get(&format!("{path}/questions")).await.is(200).ids().len(), 1);
    student.get(&path).await.is_forbidden();
    student.post(&banks).json(bank("Mine")).await.is_forbidden();
    teacher.post(&banks).json(bank(" ")).await.is_refused(400, "can't be blank");

    teacher.post("/api/v1/accounts/self/question_banks").json(bank("x")).await.is_forbidden();
    school.admin.post("/api/v1/accounts/self/question_banks").json(bank("Common")).await.is(200);
    let own = teacher.post("/api/v1/users/self/question_banks").json(bank("Own")).await.is(200).id();
    assert_eq!(teacher.get("/api/v1/users/self/question_banks").await.is(200).ids(), [own]);
    assert!(student.get("/api/v1/users/self/question_banks").await.is(200).ids().is_empty());
    teacher.delete(&path).await.is(200);
    teacher.get(&path).await.is_not_found();
}

#[tokio::test]
async fn the_banks_of_accounts_and_users_are_kept_by_their_owners_alone() {
    let school = School::start().await;
    let (_, teacher, student) = school.classroom("Botany").await;
    let foreigner = School::start().await.admin;
    let bank = |title: &str| json!({ "question_bank": { "title": title } });
    let of_account = format!("/api/v1/accounts/{}/question_banks", school.account);
    for (owner, banks, others) in [
        (&school.admin, of_account.as_str(), [&teacher, &student, &foreigner]),
        (&teacher, "/api/v1/users/self/question_banks", [&school.admin, &student, &foreigner]),
    ] {
        let id = owner.post(banks).json(bank("Leaves")).await.is(200).id();
        let (path, questions) = (format!("{banks}/{id}"), format!("{banks}/{id}/questions"));
        assert_eq!(owner.put(&path).json(bank("Roots")).await.is(200)["title"], "Roots");
        let asked = owner.post(&questions).json(question("Oak")).await.is(200).id();
        for other in others {
            for answer in [
                other.get(&path).await,
                other.put(&path).json(bank("Mine")).await,
                other.get(&questions).await,
                other.post(&questions).json(question("Elm")).await,
                other.delete(&path).await,
            ] {
                assert!([403, 404].contains(&answer.status), "{answer}");
            }
        }
        assert_eq!(owner.get(&questions).await.is(200).ids(), [asked]);
        let shown = owner.get(&path).await.is(200);
        assert_eq!((&shown["title"], &shown["assessment_question_count"]), (&json!("Roots"), &json!(1)));
        owner.delete(&path).await.is(200);
        owner.get(&path).await.is_not_found();
        owner.get(&questions).await.is_not_found();
    }
}

#[tokio::test]
async fn what_anybody_keeps_in_banks_of_the_own_has_an_end() {
    let school = School::start().await;
    let (_, _, student) = school.classroom("Botany").await;
    let banks = "/api/v1/users/self/question_banks";
    let bank = json!({ "question_bank": { "title": "Mine" } });
    let id = student.post(banks).json(&bank).await.is(200).id();
    let questions = format!("{banks}/{id}/questions");
    let asked = student.post(&questions).json(question("Oak")).await.is(200).id();
    let sql = format!(
        "UPDATE quiz_questions SET question_text = printf('%.*c', 34000000, 'x') WHERE id = {asked};
         INSERT INTO question_banks (root_account_id, user_id, title, created_at, updated_at)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 99)
         SELECT {}, {}, 'x', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n;",
        school.account, student.id
    );
    if running().change_database(&sql) {
        student.post(&questions).json(question("Elm")).await.is_refused(400, "question banks may hold");
        student.post(banks).json(&bank).await.is_refused(400, "as many question banks");
        running().change_database(&format!("UPDATE quiz_questions SET question_text = 'x' WHERE id = {asked};"));
        student.post(&questions).json(question("Elm")).await.is(200);
    }
}
