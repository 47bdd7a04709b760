//! Every parameter that the documentation of the reference system names for an endpoint which exists here is supported,
//! refused in words, or told of in the contract: none is passed over in silence.

mod beside;
mod filters;
mod orders;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde_json::json;
use shared::Api;
use shared::params::Unsupported;
use support::{Client, Course, Response, School};

use crate::authorization::Fixture;
use crate::files::upload;
use tables::{ContractPage, Declared, Documented};

/// A second section of a course, with a student of its own.
async fn afternoon(school: &School, course: &Course) -> (i64, Client) {
    let section = json!({ "course_section": { "name": "Afternoon" } });
    let section = school.admin.post(&course.path("/sections")).json(section).await.is(200).id();
    let late = school.person("late").await;
    let enrollment = json!({ "user_id": late.id, "type": "StudentEnrollment", "enrollment_state": "active" });
    let enrollments = format!("/api/v1/sections/{section}/enrollments");
    school.admin.post(&enrollments).json(json!({ "enrollment": enrollment })).await.is(200);
    (section, late)
}

/// The parameters that an endpoint refuses, by method and path.
fn refused() -> Vec<(String, &'static [Unsupported])> {
    let areas = api_description::areas();
    let endpoints = areas.iter().flat_map(Api::endpoints);
    endpoints
        .filter(|endpoint| !endpoint.unsupported.is_empty())
        .map(|endpoint| (format!("{} {}", endpoint.method, endpoint.path), endpoint.unsupported))
        .collect()
}

/// True if the name is that of a refused parameter, or stands under one.
fn is_refused(lists: &[Unsupported], parameter: &str) -> bool {
    let is_under = |name: &&str| parameter == *name || parameter.starts_with(&format!("{name}["));
    lists.iter().any(|list| list.names.iter().any(is_under))
}

fn list_of<'a>(refused: &'a [(String, &'static [Unsupported])], endpoint: &str) -> &'a [Unsupported] {
    refused.iter().find(|(name, _)| name == endpoint).map_or(&[], |(_, list)| list)
}

#[test]
fn each_documented_parameter_is_supported_or_refused_or_told_of() {
    let (declared, page, refused) = (Declared::read(), ContractPage::read(), refused());
    let mut wrong = Vec::new();
    for Documented { endpoint, parameter, values } in tables::documented() {
        let fates = [
            ("supported", declared.has(&endpoint, &parameter)),
            ("refused", is_refused(list_of(&refused, &endpoint), &parameter)),
            ("told of", page.passes_over(&endpoint, &parameter)),
        ];
        let fates: Vec<_> = fates.into_iter().filter(|(_, is_so)| *is_so).map(|(fate, _)| fate).collect();
        // The values of `include[]` are told of one by one.
        let is_told_by_values = values.iter().all(|value| page.tells_of_value(&endpoint, value)) && !values.is_empty();
        match (fates.as_slice(), values.is_empty()) {
            ([_], true) => {}
            ([] | ["supported"], false) if is_told_by_values => {}
            _ => wrong.push(format!("{endpoint} {parameter} {values:?}: {fates:?}")),
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn nothing_is_refused_or_told_of_that_is_not_documented() {
    let documented = tables::documented();
    let names: BTreeSet<_> = documented.iter().map(|row| (&*row.endpoint, &*row.parameter)).collect();
    for (endpoint, parameter) in ContractPage::read().passed_over() {
        assert!(names.contains(&(endpoint, parameter)), "{endpoint}: {parameter} is told of, and not documented");
    }
    let refused = refused();
    for (endpoint, lists) in &refused {
        for name in lists.iter().flat_map(|list| list.names) {
            // A list serves several endpoints: each name in it is documented for one of them.
            let mut sharing = refused.iter().filter(|(_, other)| other == lists).map(|(endpoint, _)| endpoint.as_str());
            let is_documented = sharing.any(|endpoint| {
                let mut documented = names.iter().filter(|(other, _)| *other == endpoint);
                documented.any(|(_, parameter)| parameter == name || parameter.starts_with(&format!("{name}[")))
            });
            assert!(is_documented, "{endpoint}: {name} is refused, and not documented");
        }
    }
}

#[tokio::test]
async fn what_is_not_supported_is_refused_with_its_name_and_the_reason() {
    let fixture = Fixture::new().await;
    let mut wrong = Vec::new();
    for (endpoint, lists) in refused() {
        let (method, path) = endpoint.split_once(' ').unwrap();
        let method: Method = method.parse().unwrap();
        for Unsupported { reason, names } in lists {
            for name in *names {
                let path = format!("{}?{name}=1", fixture.filled(path));
                let answer = fixture.school.admin.call(method.clone(), &path).await;
                let words = format!("{name} is not supported here: {reason}");
                if answer.status != 400 || !answer.body.contains(&words) {
                    wrong.push(format!("{endpoint} {name}: {answer}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[tokio::test]
async fn a_value_that_asks_for_nothing_is_not_refused() {
    let fixture = Fixture::new().await;
    let (admin, course) = (&fixture.school.admin, &fixture.course);
    let body = json!({ "course": {
        "term_id": null, "name": "Mosses", "open_enrollment": false, "blueprint_restrictions": { "content": false },
    } });
    let changed = admin.put(&course.path("")).json(body).await.is(200);
    assert_eq!(changed["name"], "Mosses");
    let form = [("course[name]", "Ferns"), ("course[term_id]", ""), ("course[open_enrollment]", "0")];
    assert_eq!(admin.put(&course.path("")).form(&form).await.is(200)["name"], "Ferns");
}

#[tokio::test]
async fn the_right_is_judged_before_what_is_not_supported() {
    let fixture = Fixture::new().await;
    let body = json!({ "course": { "term_id": 7 } });
    fixture.student.put(&fixture.course.path("")).json(body).await.is_forbidden();
}

/// What is asked for beside the values of `include[]`, so that there is a record that can have them.
const ALSO: &[(&str, &str)] = &[("GET /api/v1/courses/:course_id/students/submissions", "student_ids[]=all&")];

/// Records that stand beside others where they are asked for; the paths of endpoints of whose records the fixture has none.
async fn beside(fixture: &Fixture) -> BTreeMap<&'static str, String> {
    let admin = &fixture.school.admin;
    let page = json!({ "wiki_page": { "title": "Bark", "body": "<p>Brown</p>" } });
    admin.post(&fixture.course.path("/pages")).json(page).await.is(200);
    let assignment = fixture.filled("/api/v1/courses/:course_id/assignments/:id");
    admin.put(&assignment).json(json!({ "assignment": { "published": true } })).await.is(200);
    fixture.student.get(&format!("{assignment}/submissions/self")).await.is(200);
    let mut paths = BTreeMap::new();
    for (list, one) in [
        ("/api/v1/groups/:group_id/files", "GET /api/v1/groups/:group_id/files/:id"),
        ("/api/v1/users/:user_id/files", "GET /api/v1/users/:user_id/files/:id"),
    ] {
        let list = fixture.filled(list);
        let file = upload(admin, &list, json!({ "name": "moss.txt" }), b"green").await.id();
        paths.insert(one, format!("{list}/{file}"));
    }
    paths
}

#[tokio::test]
async fn each_value_of_include_that_is_supported_adds_something() {
    let fixture = Fixture::new().await;
    let paths = beside(&fixture).await;
    let mut wrong = Vec::new();
    for (endpoint, value) in ContractPage::read().added() {
        let also = ALSO.iter().find(|(name, _)| *name == endpoint).map_or("", |(_, also)| also);
        let path = paths.get(endpoint).cloned();
        let path = path.unwrap_or_else(|| fixture.filled(endpoint.split_once(' ').unwrap().1));
        let mut is_added = false;
        for client in [&fixture.school.admin, &fixture.teacher, &fixture.student] {
            let without = client.get(&format!("{path}?{also}")).await;
            let again = client.get(&format!("{path}?{also}")).await;
            let with = client.get(&format!("{path}?{also}include[]={value}")).await;
            is_added |= with.status == 200
                && parts(&without) == parts(&again)
                && parts(&with) != parts(&without)
                && with.body.contains(&format!("\"{value}\""));
        }
        if !is_added {
            wrong.push(format!("{endpoint} {value}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// An answer without its addresses, which carry the moment at which they were made.
fn parts(answer: &Response) -> Vec<&str> {
    answer.body.split('"').filter(|part| !part.contains("verifier=")).collect()
}
