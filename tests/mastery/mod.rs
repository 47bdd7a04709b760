//! Mastery tracking: tokens, every row of the error table, the thirty reads with their filters and sorts, and the loader.

mod access;
mod loading;
mod reads;
mod reports;

use serde_json::{Value, json};
use support::{Client, Response, School};

/// A district with data, and a credential that reads all of it.
pub(crate) struct District {
    pub(crate) school: School,
    pub(crate) reader: Client,
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
}

impl District {
    pub(crate) async fn start() -> Self {
        let school = School::start().await;
        load(&school.admin, "self", &data()).await.is(200);
        Self::of(school).await
    }

    async fn of(school: School) -> Self {
        let (client_id, client_secret) = credential(&school.admin, "self", json!({})).await;
        let reader = reader(&school.admin, &client_id, &client_secret).await;
        Self { school, reader, client_id, client_secret }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.reader.get(&format!("/api/v2/{path}")).await
    }

    /// The id of the first record of a list.
    async fn first(&self, path: &str) -> String {
        let list = self.get(path).await.is(200);
        list["data"][0]["id"].as_str().unwrap_or_else(|| panic!("{path} is empty: {list}")).to_owned()
    }
}

pub(crate) async fn credential(admin: &Client, account: &str, form: Value) -> (String, String) {
    let path = format!("/api/v1/accounts/{account}/mastery_credentials");
    let made = admin.post(&path).json(form).await.is(201);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("client_id"), text("client_secret"))
}

pub(crate) async fn token(nobody: &Client, client_id: &str, client_secret: &str) -> Response {
    let form = json!({"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret});
    nobody.post("/api/v2/token").json(form).await
}

pub(crate) async fn reader(admin: &Client, client_id: &str, client_secret: &str) -> Client {
    let token = token(&admin.without_token(), client_id, client_secret).await.is(200);
    admin.with_token(token["access_token"].as_str().unwrap())
}

async fn load(admin: &Client, account: &str, data: &Value) -> Response {
    admin.post(&format!("/api/v1/accounts/{account}/mastery_imports")).json(data).await
}

fn data() -> Value {
    json!({
        "subjects": [{"id": "math", "name": "Math"}],
        "schools": [
            {"id": "s1", "name": "Lakeside", "nces_school_id": "0612"}, {"id": "s2", "name": "Hilltop"},
        ],
        "teachers": [
            {"id": "t1", "school_id": "s1", "first_name": "Ada", "last_name": "Moreno", "email": "ada@school.test"},
            {"id": "t2", "school_id": "s2", "last_name": "Abel"},
        ],
        "sections": [
            {"id": "x1", "school_id": "s1", "name": "4A", "period": "2"},
            {"id": "x2", "school_id": "s2", "name": "4B", "archived": true},
        ],
        "classrooms": [
            {"id": "c1", "school_id": "s1", "teacher_id": "t1", "title": "Grade 4 Math", "subject": "Math"},
            {"id": "c2", "school_id": "s2", "teacher_id": "t2", "title": "Art", "archived": true},
        ],
        "objectives": [
            {"id": "o1", "subject_id": "math", "name": "4.NF.A.1", "description": "Equivalent fractions", "grade": "4"},
            {"id": "o2", "subject_id": "math", "name": "4.NF.A.2"},
        ],
        "class_objectives": [
            {"id": "co1", "classroom_id": "c1", "objective_id": "o1", "name": "4.NF.A.1", "class_objective_type": "standard"},
            {"id": "co2", "classroom_id": "c1", "objective_id": "o2", "name": "4.NF.A.2", "available": false},
        ],
        "materials": [
            {"id": "m1", "subject_id": "math", "objective_id": "o1", "teacher_id": "t1", "title": "Fractions check",
             "created_at": "2026-08-25T10:00:00.000Z", "updated_at": "2026-09-30T07:41:00.000Z"},
            {"id": "m2", "title": "Draft", "draft": true, "available": false, "privacy_level": 2,
             "created_at": "2026-08-26T10:00:00Z", "updated_at": "2026-08-27T10:00:00Z"},
        ],
        "items": [
            {"id": "i1", "material_id": "m1", "objective_id": "o1", "position": 1, "title": "Equivalent fractions",
             "item_type": 3, "points": 1, "dok": 2},
            {"id": "i2", "material_id": "m1", "position": 2, "item_type": 2, "points": 2},
        ],
        "banks": [{"id": "b1", "name": "Fractions", "bank_type": 2}],
        "passages": [{"id": "p1", "bank_id": "b1", "title": "The river", "body": "It flows."}],
        "questions": [{"id": "q1", "bank_id": "b1", "passage_id": "p1", "objective_id": "o1", "stem": "Why?", "points": 1}],
        "curriculum_maps": [{"id": "k1", "subject_id": "math", "title": "Year 4", "privacy_level": 3}],
        "map_entries": [
            {"id": "e1", "curriculum_map_id": "k1", "objective_id": "o1"},
            {"id": "e2", "curriculum_map_id": "k1", "material_id": "m1"},
        ],
        "pathways": [{"id": "w1", "subject_id": "math", "name": "Fractions first"}],
        "assessments": [
            {"id": "a1", "classroom_id": "c1", "material_id": "m1", "objective_id": "o1"},
            {"id": "a2", "classroom_id": "c1", "material_id": "m1", "objective_id": "o2", "title": "Again"},
        ],
        "item_scores": [
            {"id": "r1", "assessment_id": "a1", "item_id": "i1", "points_earned": 1, "points_possible": 1},
            {"id": "r2", "assessment_id": "a1", "item_id": "i1", "points_earned": 0, "points_possible": 1},
            {"id": "r3", "assessment_id": "a1", "item_id": "i1", "points_earned": 1, "points_possible": 1},
            {"id": "r4", "assessment_id": "a1", "item_id": "i2", "points_earned": 0.75, "points_possible": 2},
        ],
    })
}

/// Refused in the area's envelope, with that code.
#[track_caller]
fn refused(answer: Response, status: u16, code: &str) -> Response {
    let answer = answer.is(status);
    let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("no list of errors: {answer}"));
    assert_eq!(errors.len(), 1, "{answer}");
    assert_eq!(errors[0]["status"], status.to_string(), "{answer}");
    assert_eq!(errors[0]["code"], code, "{answer}");
    let title = match status {
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        _ => panic!("{status}"),
    };
    assert_eq!(errors[0]["title"], title, "{answer}");
    assert!(errors[0]["detail"].is_string(), "{answer}");
    assert_eq!(answer.json.as_object().unwrap().len(), 1, "{answer}");
    answer
}

fn ids(answer: &Response) -> Vec<String> {
    answer.records(&["data"]).iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn titles(answer: &Response, attribute: &str) -> Vec<String> {
    let data = answer.records(&["data"]).iter();
    data.map(|one| one["attributes"][attribute].as_str().unwrap_or_default().to_owned()).collect()
}
