//! Reports of classic quizzes: files with what attempts tell.

use std::time::Duration;

use serde_json::{Value, json};
use support::{Client, Response, School, Section, running};

use super::{Quiz, quiz, start, takes};
use crate::content_exports::ended;
use crate::uploads::ticks_until;

async fn asked(client: &Client, quiz: &Quiz, kind: &str) -> Response {
    let form = json!({ "quiz_report": { "report_type": kind } });
    client.post(&format!("{}/reports", quiz.path)).json(form).await.is(200)
}

/// The report when it is made, and the lines of its file.
async fn made(client: &Client, quiz: &Quiz, kind: &str) -> (Response, Vec<String>) {
    let report = asked(client, quiz, kind).await;
    if report["file"].is_null() {
        let progress = ended(client, &report["progress_url"]).await;
        assert_eq!((&progress["workflow_state"], &progress["completion"]), (&json!("completed"), &json!(100.0)));
        assert!(progress["results"]["url"].as_str().unwrap().contains("/download"), "{progress}");
    }
    let report = client.get(&format!("{}/reports/{}", quiz.path, report.id())).await.is(200);
    let lines = downloaded(&report["file"]["url"]).await;
    (report, lines)
}

async fn downloaded(url: &Value) -> Vec<String> {
    let answer = reqwest::get(url.as_str().expect("an address")).await.unwrap();
    assert_eq!(answer.status().as_u16(), 200);
    answer.text().await.unwrap().split_terminator("\r\n").map(str::to_owned).collect()
}

#[tokio::test]
async fn a_student_analysis_has_a_row_for_each_attempt() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({ "allowed_attempts": 2 })).await;
    let essay =
        json!({ "question_type": "essay_question", "question_text": "<p>Why, then?</p>", "points_possible": 5 });
    let essay = teacher.post(&format!("{}/questions", quiz.path)).json(json!({ "question": essay })).await.is(200).id();
    let name = json!({ "user": { "name": "=HYPERLINK(\"x\")" } });
    school.admin.put(&format!("/api/v1/users/{}", student.id)).json(name).await.is(200);
    let (first, lines) = made(&teacher, &quiz, "student_analysis").await;
    assert_eq!(lines.len(), 1, "nobody has taken it: {lines:?}");

    takes(&student, &quiz).await;
    let attempt = start(&student, &quiz).await;
    attempt.answers(&student, &[(essay, json!("<p>2 &lt; 3, so</p>"))]).await.is(200);
    attempt.completes(&student).await.is(200);
    // Changes of the same second count as later ones.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let (report, lines) = made(&teacher, &quiz, "student_analysis").await;
    assert_ne!(report.id(), first.id(), "somebody has handed in since");
    let names = ["name,id,sis_id,section,section_id,section_sis_id,submitted,attempt,", "n correct,n incorrect,score"];
    assert!(lines[0].starts_with(names[0]) && lines[0].ends_with(names[1]), "{lines:?}");
    assert!(lines[0].contains(&format!("{essay}: Why, then?\",5.0")), "{lines:?}");
    let person = format!("\"'=HYPERLINK(\"\"x\"\")\",{},", student.id);
    assert!(lines.len() == 2 && lines[1].starts_with(&person), "{lines:?}");
    assert!(lines[1].contains(",2,,0.0,,0.0,\"2 < 3, so\",,0,2,0.0"), "the last attempt: {lines:?}");

    let fields = ["report_type", "readable_type", "includes_all_versions", "anonymous", "generatable", "progress"];
    let told = fields.map(|name| report[name].clone());
    let expected =
        [json!("student_analysis"), json!("Student Analysis"), json!(false), json!(false), json!(true), json!(null)];
    assert_eq!(told, expected);
    assert!(report["url"].as_str().unwrap().ends_with(&format!("{}/reports/{}", quiz.path, report.id())));
    let same = asked(&teacher, &quiz, "student_analysis").await;
    assert_eq!((same.id(), &same["file"]["id"]), (report.id(), &report["file"]["id"]), "nothing has changed since");

    let all = json!({ "quiz_report": { "report_type": "student_analysis", "includes_all_versions": true } });
    let all = teacher.post(&format!("{}/reports", quiz.path)).json(all).await.is(200);
    ended(&teacher, &all["progress_url"]).await;
    let list = teacher.get(&format!("{}/reports", quiz.path)).await.is(200);
    assert_eq!(list.ids(), [all.id(), report.id()]);
    assert_eq!(downloaded(&list.json[0]["file"]["url"]).await.len(), 3);
    let last = teacher.get(&format!("{}/reports?includes_all_versions=false", quiz.path)).await.is(200);
    assert_eq!(last.ids(), [report.id()]);
}

#[tokio::test]
async fn an_item_analysis_tells_how_questions_tell_students_apart() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let other = course.member(&school, "StudentEnrollment").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    takes(&student, &quiz).await;
    let attempt = start(&other, &quiz).await;
    attempt.answers(&other, &[(quiz.questions[0], json!(2)), (quiz.questions[1], json!(41))]).await.is(200);
    attempt.completes(&other).await.is(200);
    let (_, lines) = made(&teacher, &quiz, "item_analysis").await;
    // The questions have 2 and 3 points: 2 * (1 - (1 + 2.25) / 6.25).
    let expected = format!("{},Tree,2,1,0,1,2,1,1,0.5,0.5,1,0,0,0.25,0.5,0.5,0.96,1.0,1.0,-1.0", quiz.questions[0]);
    assert!(lines[0].ends_with(
        "Difficulty Index,Alpha,Discrimination Index,Point Biserial of Correct,Point Biserial of Distractor 2"
    ));
    assert_eq!(lines[1..], [expected], "a numerical question is none of the table");
    let statistics = teacher.get(&format!("{}/statistics", quiz.path)).await.is(200);
    assert_eq!(statistics["quiz_statistics"][0]["question_statistics"][0]["discrimination_index"], 1.0);
}

#[tokio::test]
async fn reports_are_for_graders_and_of_the_sections_that_they_see() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let Section { teacher: limited, student: evening, .. } = course.section(&school, "Evening").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    for who in [&student, &evening] {
        takes(who, &quiz).await;
    }
    let (all, lines) = made(&teacher, &quiz, "student_analysis").await;
    assert_eq!(lines.len(), 3);
    let progress = asked(&teacher, &quiz, "item_analysis").await["progress_url"].clone();
    ended(&teacher, &progress).await;
    limited.get(progress.as_str().unwrap()).await.is_forbidden();
    let path = format!("{}/reports/{}", quiz.path, all.id());
    limited.get(&path).await.is_not_found();
    limited.delete(&path).await.is_not_found();
    let (own, lines) = made(&limited, &quiz, "student_analysis").await;
    assert!(lines.len() == 2 && lines[1].contains("Evening"), "{lines:?}");
    teacher.get(&format!("{}/reports/{}", quiz.path, own.id())).await.is_not_found();
    assert_eq!(limited.get(&format!("{}/reports", quiz.path)).await.is(200).ids(), [own.id()]);

    student.get(&format!("{}/reports", quiz.path)).await.is_forbidden();
    student.get(&path).await.is_forbidden();
    let ask = |form: Value| teacher.post(&format!("{}/reports", quiz.path)).json(form);
    ask(json!({})).await.is_refused(400, "quiz_report[report_type] is missing");
    ask(json!({ "quiz_report": { "report_type": "ranking" } }))
        .await
        .is_refused(400, "student_analysis or item_analysis");
    teacher.get(&format!("{}/reports/0", quiz.path)).await.is_not_found();
}

#[tokio::test]
async fn a_report_of_an_anonymous_survey_names_nobody() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let survey = quiz(&teacher, &course, json!({ "quiz_type": "survey", "anonymous_submissions": true })).await;
    takes(&student, &survey).await;
    let (report, lines) = made(&teacher, &survey, "student_analysis").await;
    assert_eq!(report["anonymous"], true);
    assert!(lines[0].starts_with("attempt,"), "{lines:?}");
    assert!(lines.len() == 2 && lines[1].starts_with("1,Oak,2.0,42"), "{lines:?}");
}

#[tokio::test]
async fn a_report_is_removed_with_its_file() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    takes(&student, &quiz).await;
    let (report, _) = made(&teacher, &quiz, "student_analysis").await;
    let path = format!("{}/reports/{}", quiz.path, report.id());
    teacher.delete(&path).await.is(204);
    teacher.delete(&path).await.is_not_found();
    assert_eq!(reqwest::get(report["file"]["url"].as_str().unwrap()).await.unwrap().status().as_u16(), 404);
    assert_eq!(teacher.get(&format!("{}/reports", quiz.path)).await.is(200).ids(), [0_i64; 0]);

    let (report, _) = made(&teacher, &quiz, "student_analysis").await;
    teacher.delete(&quiz.path).await.is(200);
    teacher.get(&format!("{}/reports/{}", quiz.path, report.id())).await.is_not_found();
    let url = report["file"]["url"].as_str().unwrap();
    ticks_until("its file is gone", async || reqwest::get(url).await.unwrap().status().as_u16() == 404).await;
}

#[tokio::test]
async fn a_report_that_nobody_works_on_is_taken_up_again_and_not_for_ever() {
    let school = School::start().await;
    let (course, teacher, _) = school.classroom("Botany").await;
    let quiz = quiz(&teacher, &course, json!({})).await;
    let (crashed, _) = made(&teacher, &quiz, "student_analysis").await;
    let (hopeless, _) = made(&teacher, &quiz, "item_analysis").await;
    let interrupt = |report: &Response, attempts: i64, until: &str| {
        let id = report.id();
        running().change_database(&format!(
            "UPDATE quiz_reports SET workflow_state = 'generating', attachment_id = NULL, lease = 'x',
                 leased_until = '{until}', attempts = {attempts} WHERE id = {id};
             UPDATE progresses SET workflow_state = 'running', completion = 10
             WHERE context_type = 'QuizReport' AND context_id = {id};"
        ))
    };
    if !interrupt(&crashed, 1, "2099-01-01T00:00:00Z") {
        return;
    }
    let again = json!({ "quiz_report": { "report_type": "student_analysis" } });
    teacher.post(&format!("{}/reports", quiz.path)).json(again).await.is_refused(409, "is being made");
    let under_way = teacher.get(&format!("{}/reports/{}", quiz.path, crashed.id())).await.is(200);
    assert_eq!((&under_way["file"], &under_way["progress"]["completion"]), (&json!(null), &json!(10.0)));

    // As a crash leaves them: one that was begun once, one that was begun too often.
    interrupt(&crashed, 1, "2020-01-01T00:00:00Z");
    interrupt(&hopeless, 5, "2020-01-01T00:00:00Z");
    let show = async |report: &Response| teacher.get(&format!("{}/reports/{}", quiz.path, report.id())).await.is(200);
    ticks_until("it is made again", async || !show(&crashed).await["file"].is_null()).await;
    let has_failed = async || show(&hopeless).await["progress"]["workflow_state"] == "failed";
    ticks_until("it is given up", has_failed).await;
    let report = show(&crashed).await;
    assert_eq!(downloaded(&report["file"]["url"]).await.len(), 1);
    let report = show(&hopeless).await;
    assert_eq!((&report["file"], &report["progress"]["workflow_state"]), (&json!(null), &json!("failed")));
    assert!(report["progress"]["message"].as_str().unwrap().contains("interrupted"), "{report}");
    teacher.delete(&format!("{}/reports/{}", quiz.path, report.id())).await.is(204);
}
