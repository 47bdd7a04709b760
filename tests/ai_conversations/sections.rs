//! Conversations as those see them who are limited to a section of the course.

use serde_json::{Value, json};
use support::model::{completion, script, tutoring};
use support::{Client, Section};

use super::{Lesson, evaluation};

#[tokio::test]
async fn who_is_limited_to_a_section_sees_its_conversations_and_votes_alone() {
    let lesson = Lesson::start().await;
    script(&lesson.word, |question| {
        let is_evaluation = question.text().contains("You evaluate");
        if is_evaluation { completion(&evaluation(80)) } else { completion(&tutoring("Hm.", &[])) }
    });
    let Section { teacher: limited, student: evening, .. } = lesson.course.section(&lesson.school, "Evening").await;
    let talk = async |student: &Client| {
        let begun = student.post(&lesson.path("/conversations")).await.is(201);
        let message = begun["messages"][1]["id"].as_str().unwrap();
        let vote = lesson.conversation(begun.id(), &format!("/messages/{message}/feedback"));
        student.post(&vote).json(json!({ "vote": "liked" })).await.is(200);
        (begun.id(), vote)
    };
    let (other, vote_of_other) = talk(&lesson.student).await;
    let (own, vote_of_own) = talk(&evening).await;

    let ids = |answer: &Value, list: &str, key: &str| -> Vec<i64> {
        answer[list].as_array().unwrap().iter().map(|one| one[key].as_i64().unwrap()).collect()
    };
    let overview = lesson.path("/ai_conversations");
    let seen = limited.get(&overview).await.is(200);
    assert_eq!((ids(&seen.json, "conversations", "id"), &seen["snapshot"]["in_progress"]), (vec![own], &json!(1)));
    assert_eq!(ids(&lesson.teacher.get(&overview).await.is(200).json, "conversations", "id").len(), 2);
    let experiences = lesson.course.path("/ai_experiences");
    assert_eq!(limited.get(&experiences).await.is(200)["total_students"], 1);
    assert_eq!(lesson.teacher.get(&experiences).await.is(200)["total_students"], 2);

    let feedback = lesson.path("/feedback");
    let seen = limited.get(&feedback).await.is(200);
    assert_eq!(ids(&seen.json, "feedback", "conversation_id"), [own]);
    assert_eq!(seen["counts"], json!({ "liked": 1, "disliked": 0 }));
    assert_eq!(limited.get(&format!("{feedback}?vote=liked")).await.is(200)["feedback"].as_array().unwrap().len(), 1);
    let all = lesson.teacher.get(&feedback).await.is(200);
    assert_eq!(ids(&all.json, "feedback", "conversation_id"), [own, other]);
    assert_eq!(all["counts"], json!({ "liked": 2, "disliked": 0 }));

    for (conversation, vote, status) in [(other, &vote_of_other, 404), (own, &vote_of_own, 200)] {
        let evaluation = lesson.conversation(conversation, "/evaluation");
        limited.get(&lesson.conversation(conversation, "")).await.is(status);
        limited.get(&format!("{overview}/{conversation}")).await.is(status);
        limited.post(&evaluation).await.is(status);
        limited.get(&evaluation).await.is(status);
        limited.post(vote).json(json!({ "vote": "disliked" })).await.is(status);
        let message = json!({ "message": "Go on" });
        limited.post(&lesson.conversation(conversation, "/messages")).json(message).await.is(status);
        lesson.teacher.get(&lesson.conversation(conversation, "")).await.is(200);
        lesson.teacher.get(&format!("{overview}/{conversation}")).await.is(200);
        lesson.teacher.post(&evaluation).await.is(200);
        lesson.teacher.get(&evaluation).await.is(200);
    }
    limited.delete(&lesson.conversation(other, "")).await.is(404);
    let state = lesson.teacher.get(&lesson.conversation(other, "")).await.is(200);
    assert_eq!(state["workflow_state"], "active");
    limited.delete(&lesson.conversation(own, "")).await.is(200);

    // Who administers the course is limited to no section of it.
    let user = limited.get("/api/v1/users/self").await.is(200).id();
    lesson.school.admin.post("/api/v1/accounts/self/admins").json(json!({ "user_id": user })).await.is(200);
    let (seen, all) = (limited.get(&feedback).await.is(200), lesson.teacher.get(&feedback).await.is(200));
    assert!(ids(&all.json, "feedback", "conversation_id").contains(&other), "{all}");
    assert_eq!((&seen["feedback"], &seen["counts"]), (&all["feedback"], &all["counts"]));
}
