//! Limits: of size, of speed, and of the time for which reports are kept.

use std::time::Duration;

use futures::future::join_all;
use serde_json::json;
use support::{School, running, unique};

use super::{Desk, REPORTS, file, file_from, filed, read};

#[tokio::test]
async fn a_hostile_report_takes_no_longer_than_others_of_its_length() {
    let nobody = running().nobody();
    // Each sign of these could be a reason to look through the rest again.
    let lines = format!("{}{}", ":".repeat(250_000), " ".repeat(250_000));
    let began = std::time::Instant::now();
    let nested = json!({ "a": [{ "b": format!("{}{}", "=".repeat(30_000), " ".repeat(30_000)) }] });
    filed(&nobody, json!({ "subject": "It broke", "message": lines })).await;
    filed(&nobody, json!({ "subject": "It broke", "backtrace": lines })).await;
    filed(&nobody, json!({ "subject": "It broke", "http_env": nested })).await;
    let roles: Vec<_> = (0..40_000).map(|number| format!("{number:06}")).collect();
    for roles in [json!(roles.join(",")), json!(roles)] {
        let error = json!({ "subject": "It broke", "user_roles": roles });
        file(&nobody, error).await.is_refused(400, "is too long (maximum is 255 characters)");
    }
    assert!(began.elapsed() < Duration::from_secs(45), "{:?}", began.elapsed());
}

#[tokio::test]
async fn what_one_user_files_in_a_day_takes_no_more_room_than_that() {
    let school = School::start().await;
    let (ada, alan) = (school.person("Ada").await, school.person("Alan").await);
    let now = shared::clock::now();
    let filled = |hours: i64| {
        let at = now.plus_seconds(-hours * 3600);
        running().change_database(&format!(
            "INSERT INTO error_reports (root_account_id, user_id, subject, http_env, bytes, created_at, updated_at)
             VALUES ({}, {}, 'It broke', '{{}}', 8000000, '{at}', '{at}');",
            school.account, ada.id
        ))
    };
    if !filled(25) {
        return;
    }
    let large = || json!({ "subject": "It broke", "comments": "ä".repeat(65_535), "backtrace": "ö".repeat(65_535), "http_env": {"a": "x".repeat(65_000)} });
    filed(&ada, large()).await;
    filled(20);
    filed(&ada, json!({ "subject": "It broke" })).await;
    let refused = file(&ada, large()).await.is_refused(429, "Rate Limit Exceeded");
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=4 * 3600 + 1).contains(&wait), "{wait}");
    filed(&alan, large()).await;
}

#[tokio::test]
async fn one_address_files_thirty_reports_in_ten_minutes_however_many_connections_it_has() {
    let nobody = running().nobody();
    let address = unique("address");
    let file_some = |from: usize| {
        let (nobody, address) = (nobody.clone(), address.clone());
        async move {
            let mut answers = Vec::new();
            for place in 0..4 {
                // Anybody can write the addresses before the last.
                let forwarded = format!("198.51.100.{from}, 198.51.100.{place}, {address}");
                answers.push(file_from(&nobody, &forwarded, json!({ "subject": "It broke" })).await);
            }
            answers
        }
    };
    let answers: Vec<_> = join_all((0..16).map(file_some)).await.into_iter().flatten().collect();
    let (taken, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!((taken.len(), refused.len()), (30, 34));
    for answer in refused {
        let answer = answer.is_refused(429, "Rate Limit Exceeded");
        let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
        // A second more where the turns were taken by requests that came a moment later.
        assert!((1..=601).contains(&wait), "{wait}");
    }
    // Another address has its own turns, and what is no report takes none.
    let other = unique("address");
    for _ in 0..31 {
        file_from(&nobody, &other, json!({})).await.is(400);
    }
    file_from(&nobody, &other, json!({ "subject": "It broke" })).await.is(200);
}

#[tokio::test]
async fn one_user_files_ten_reports_in_ten_minutes_from_wherever() {
    let school = School::start().await;
    let (ada, alan) = (school.person("Ada").await, school.person("Alan").await);
    let answers = join_all((0..16).map(|_| file(&ada, json!({ "subject": "It broke" })))).await;
    let taken = answers.iter().filter(|answer| answer.status == 200).count();
    let refused =
        answers.iter().filter(|answer| answer.status == 429 && answer.header("retry-after").is_some()).count();
    assert_eq!((taken, refused), (10, 6));
    // Her refusals use up nobody's address.
    let address = unique("address");
    for _ in 0..31 {
        file_from(&ada, &address, json!({ "subject": "It broke" })).await.is(429);
    }
    file_from(&alan, &address, json!({ "subject": "It broke" })).await.is(200);
}

#[tokio::test]
async fn only_so_many_reports_are_taken_in_a_day_of_those_who_are_not_known() {
    let desk = Desk::answering(200).await;
    let nobody = desk.site.nobody();
    let report = || json!({ "subject": "It broke" });
    for _ in 0..3 {
        filed(&nobody, report()).await;
    }
    // From whatever address.
    let refused = file(&nobody, report()).await.is_refused(429, "Rate Limit Exceeded");
    let wait: i64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((86_000..=86_400).contains(&wait), "{wait}");
    filed(&desk.school.person("Ada").await, report()).await;
    let day_ago = shared::clock::now().plus_seconds(-24 * 3600);
    let earlier = format!("UPDATE error_reports SET created_at = '{day_ago}' WHERE user_id IS NULL");
    assert!(desk.site.change_database(&earlier));
    filed(&nobody, report()).await;
}

#[tokio::test]
async fn old_reports_are_forgotten_with_what_belongs_to_them() {
    let desk = Desk::answering(200).await;
    let (old, young) = (desk.filed("Old").await.id(), desk.filed("Young").await.id());
    let days_ago = |days: i64| shared::clock::now().plus_seconds(-days * 24 * 3600);
    assert!(desk.site.change_database(&format!(
        "UPDATE error_reports SET created_at = '{}' WHERE id = {old};
         UPDATE error_reports SET created_at = '{}' WHERE id = {young};
         DELETE FROM throttle_hits WHERE key = 'retention';",
        days_ago(31),
        days_ago(29),
    )));
    desk.site.tick(None).await;
    desk.school.admin.get(&format!("{REPORTS}/{old}")).await.is_not_found();
    read(&desk.school.admin, young).await;
    let left = desk.site.read_database(&format!("SELECT count(*) FROM error_report_forwards WHERE report_id = {old}"));
    assert_eq!(left, Some(vec![vec![json!(0)]]));
}
