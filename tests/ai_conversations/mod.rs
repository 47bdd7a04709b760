//! AI experiences and the conversations with them, with a model that says what each test wants.

mod concluded;
mod evaluations;
mod experiences;
mod interruptions;
pub(crate) mod models;
mod page;
mod page_failures;
mod repeats;
mod sections;
mod talks;

use serde_json::{Value, json};
use support::{Client, Course, Response, School, unique};

/// A course with an experience whose title is a word that stands in every question about it.
struct Lesson {
    school: School,
    course: Course,
    teacher: Client,
    student: Client,
    word: String,
    experience: i64,
}

impl Lesson {
    async fn start() -> Self {
        let school = School::start().await;
        let (course, teacher, student) = school.classroom("History").await;
        let word = unique("Treaties");
        let experience = teacher.post(&course.path("/ai_experiences")).json(experience(&word)).await.is(201).id();
        Self { school, course, teacher, student, word, experience }
    }

    /// The path of the experience, and of what is below it.
    fn path(&self, rest: &str) -> String {
        self.course.path(&format!("/ai_experiences/{}{rest}", self.experience))
    }

    fn conversation(&self, id: i64, rest: &str) -> String {
        self.path(&format!("/conversations/{id}{rest}"))
    }

    /// The student starts a conversation.
    async fn begun(&self) -> i64 {
        self.student.post(&self.path("/conversations")).await.is(201).id()
    }

    async fn says(&self, conversation: i64, text: &str) -> Response {
        self.student.post(&self.conversation(conversation, "/messages")).json(json!({"message": text})).await
    }
}

fn experience(title: &str) -> Value {
    json!({"ai_experience": {
        "title": title,
        "description": "Two treaties",
        "learning_objectives": ["Name two causes", "Give a date", "Name a town"],
        "pedagogical_guidance": "Never tell the student the name of the second town at once.",
        "facts": "The treaty was signed in 1648 in the towns of Osnabrueck and Muenster after four years of long talks.",
        "evaluation_metrics": [{"name": "Curiosity", "description": "Asks back", "enabled": true, "visible_to_learners": false}],
        "workflow_state": "published",
    }})
}

/// The messages with their speakers, without ids.
fn said(answer: &Response) -> Vec<(&str, &str)> {
    let messages = answer["messages"].as_array().expect("messages");
    messages.iter().map(|one| (one["role"].as_str().unwrap(), one["text"].as_str().unwrap())).collect()
}

fn evaluation(score: i64) -> Value {
    json!({
        "summary": "Good", "overall_assessment": "Well done", "overall_score": score,
        "learning_objectives_evaluation": [
            {"objective": "Give a date", "met": true, "score": 90, "explanation": "1648"}
        ],
        "strengths": ["Dates"], "areas_for_improvement": ["Towns"],
        "key_moments": [{"learning_objective": "Give a date", "evidence": "1648", "message_number": 3}],
        "custom_metrics": [{"metric": "Curiosity", "response": "High"}],
    })
}

/// Names and data of server-sent events.
fn events(body: &str) -> Vec<(String, Value)> {
    let events = body.split("\n\n").filter_map(|event| event.strip_prefix("event: ")?.split_once("\ndata: "));
    events.map(|(name, data)| (name.to_owned(), serde_json::from_str(data).expect("JSON"))).collect()
}
