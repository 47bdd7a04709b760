//! What the model says in an evaluation is what the experience has and what the conversation holds.

use serde_json::{Value, json};
use support::model::{completion, questions, script, tutoring};

use super::{Lesson, evaluation};

impl Lesson {
    /// Has the model evaluate the conversation, with these fields beside the usual ones.
    async fn evaluated(&self, conversation: i64, fields: Value) -> Value {
        let mut written = evaluation(80);
        let written_fields = written.as_object_mut().unwrap();
        written_fields.extend(fields.as_object().unwrap().clone());
        script(&self.word, move |_| completion(&written));
        let path = self.conversation(conversation, "/evaluation");
        let made = self.teacher.post(&path).await.is(200)["evaluation"].clone();
        assert_eq!(self.teacher.get(&path).await.is(200)["evaluation"], made, "what is read is what was made");
        made
    }
}

#[tokio::test]
async fn an_evaluation_names_only_what_the_experience_has() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let metric = |name: &str, enabled: bool| json!({"name": name, "description": "", "enabled": enabled});
    let metrics = json!([metric("Curiosity", true), metric("Patience", false)]);
    let edit = json!({"ai_experience": {"evaluation_metrics": metrics}});
    lesson.teacher.put(&lesson.path("")).json(edit).await.is(200);
    let met = |objective: &str| json!({"objective": objective, "met": true, "score": 90, "explanation": "So."});
    let moment = |objective: &str| json!({"learning_objective": objective, "evidence": "1648", "message_number": 1});
    let response = |metric: &str| json!({"metric": metric, "response": "High"});
    let made = lesson
        .evaluated(id, json!({
            "learning_objectives_evaluation": [met(" give a DATE "), met("Invented"), met("Give a date")],
            "key_moments": [moment("Invented"), moment("name a town")],
            "custom_metrics": [response("Patience"), response("Invented"), response("curiosity"), response("Curiosity")],
        }))
        .await;
    assert_eq!(
        made["learning_objectives_evaluation"],
        json!([{
            "objective": "Give a date", "met": true, "score": 90.0, "explanation": "So."
        }])
    );
    assert_eq!(made["key_moments"], json!([moment("Name a town")]));
    assert_eq!(made["custom_metrics"], json!([response("Curiosity")]));
}

#[tokio::test]
async fn objectives_that_differ_in_case_alone_are_each_evaluated() {
    let lesson = Lesson::start().await;
    let edit = json!({"ai_experience": {"learning_objectives": ["Polish", "polish", "turkey"]}});
    lesson.teacher.put(&lesson.path("")).json(edit).await.is(200);
    let id = lesson.begun().await;
    let met = |objective: &str| json!({"objective": objective, "met": true, "score": 90.0, "explanation": objective});
    let told = ["polish", "Polish", "Turkey"].map(met);
    let made = lesson.evaluated(id, json!({ "learning_objectives_evaluation": told })).await;
    let evaluated = made["learning_objectives_evaluation"].as_array().unwrap();
    let name = |one: &Value| format!("{} by {}", one["objective"], one["explanation"]).replace('"', "");
    let names: Vec<_> = evaluated.iter().map(name).collect();
    assert_eq!(names, ["polish by polish", "Polish by Polish", "turkey by Turkey"]);
}

#[tokio::test]
async fn a_key_moment_is_a_message_of_the_conversation() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    lesson.says(id, "In 1648.").await.is(200);
    let numbers = [
        json!(1),
        json!("2"),
        json!(" 3 "),
        json!(4.0),
        json!(5),
        json!(0),
        json!(-1),
        json!(1.5),
        json!("zz"),
        json!({"a": 1}),
        json!([1]),
        json!(true),
        json!(null),
        json!(9999),
    ];
    let mut moments: Vec<_> = numbers
        .into_iter()
        .map(|number| json!({"learning_objective": "Give a date", "evidence": "1648", "message_number": number}))
        .collect();
    moments.push(json!({"learning_objective": "Give a date", "evidence": "1648"}));
    let made = lesson.evaluated(id, json!({ "key_moments": moments })).await;
    let kept: Vec<_> = made["key_moments"].as_array().unwrap().iter().map(|one| &one["message_number"]).collect();
    assert_eq!(kept, [&json!(1), &json!(2), &json!(3), &json!(4)]);
}

#[tokio::test]
async fn lists_of_an_evaluation_may_be_null() {
    let lesson = Lesson::start().await;
    let id = lesson.begun().await;
    let lists =
        ["learning_objectives_evaluation", "strengths", "areas_for_improvement", "key_moments", "custom_metrics"];
    let asked = questions(&lesson.word).len();
    let nulls: serde_json::Map<_, _> = lists.iter().map(|list| ((*list).to_owned(), Value::Null)).collect();
    let made = lesson.evaluated(id, Value::Object(nulls)).await;
    for list in lists {
        assert_eq!(made[list], json!([]), "{list}");
    }
    assert_eq!(questions(&lesson.word).len(), asked + 1, "the model is asked once");
}

#[tokio::test]
async fn texts_of_an_evaluation_open_no_tags() {
    let lesson = Lesson::start().await;
    let objective = "Tell <b> from < and \"quotes\"";
    let edit = json!({"ai_experience": {"learning_objectives": [objective]}});
    lesson.teacher.put(&lesson.path("")).json(edit).await.is(200);
    script(&lesson.word, |_| completion(&tutoring("Well?", &[])));
    let id = lesson.begun().await;
    let (bad, good) = ("<script>x</script>\u{202e} 1 < 2", "&lt;script>x&lt;/script> 1 < 2");
    let of = |text: &str, score: Value| {
        json!({
            "summary": text, "overall_assessment": text, "overall_score": score,
            "learning_objectives_evaluation":
                [{"objective": objective, "met": true, "score": score, "explanation": text}],
            "strengths": [text], "areas_for_improvement": [text],
            "key_moments": [{"learning_objective": objective, "evidence": text, "message_number": 2}],
            "custom_metrics": [{"metric": "Curiosity", "response": text}],
        })
    };
    assert_eq!(lesson.evaluated(id, of(bad, json!(80))).await, of(good, json!(80.0)));
}
