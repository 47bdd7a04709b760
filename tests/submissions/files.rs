//! Files that are handed in.

use super::*;

#[tokio::test]
async fn a_file_is_uploaded_and_handed_in() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let assignment = assignment(&teacher, &course, json!({})).await;
    let start = format!("{assignment}/submissions/self/files");
    let ids = [uploaded(&student, &start).await, uploaded(&student, &start).await];
    assert_ne!(ids[0], ids[1], "the first stays as it was");
    let work = json!({ "submission_type": "online_upload", "file_ids": ids });
    let made = hand_in(&student, &assignment, work).await.is(201);
    let names: Vec<_> = made["attachments"].as_array().unwrap().iter().map(|file| &file["id"]).collect();
    assert_eq!(names, [&json!(ids[0]), &json!(ids[1])]);
    let url =
        teacher.get(&format!("{assignment}/submissions/{}", student.id)).await.is(200)["attachments"][0]["url"].clone();
    assert_eq!(teacher.without_token().get(url.as_str().unwrap()).await.is(200).body, "leaf");

    let sole = uploaded(&student, &start).await.to_string();
    let form = [("submission[submission_type]", "online_upload"), ("submission[file_ids]", sole.as_str())];
    let made = student.post(&format!("{assignment}/submissions")).form(&form).await.is(201);
    assert_eq!(made["attachments"][0]["id"].to_string(), sole);
    let none = json!({ "submission_type": "online_upload", "file_ids": "" });
    hand_in(&student, &assignment, none).await.is_refused(400, "file_ids");

    let other = course.member(&school, "StudentEnrollment").await;
    let stolen = json!({ "submission_type": "online_upload", "file_ids": ids });
    hand_in(&other, &assignment, stolen).await.is_refused(400, "No valid file ids");
    other
        .post(&format!("{assignment}/submissions/{}/files", student.id))
        .json(json!({ "name": "x" }))
        .await
        .is_forbidden();
    let text_only = self::assignment(&teacher, &course, json!({ "submission_types": ["online_text_entry"] })).await;
    let start = format!("{text_only}/submissions/self/files");
    student.post(&start).json(json!({ "name": "x" })).await.is_refused(400, "does not take files");
}

#[tokio::test]
async fn a_grader_hands_in_only_what_the_grader_uploaded_for_it() {
    let school = School::start().await;
    let (course, teacher, student) = school.classroom("Botany").await;
    let essay = assignment(&teacher, &course, json!({})).await;
    let other = assignment(&teacher, &course, json!({})).await;
    let files = |assignment: &str| format!("{assignment}/submissions/{}/files", student.id);
    let private = uploaded(&student, "/api/v1/users/self/files").await;
    let by_student = uploaded(&student, &format!("{essay}/submissions/self/files")).await;
    let by_teacher = uploaded(&teacher, &files(&essay)).await;
    let for_other = uploaded(&teacher, &files(&other)).await;
    let own_of_teacher = uploaded(&teacher, "/api/v1/users/self/files").await;
    let ta = course.member(&school, "TaEnrollment").await;
    let by_ta = uploaded(&ta, &files(&essay)).await;

    let work = |ids: &[i64]| json!({ "submission_type": "online_upload", "file_ids": ids, "user_id": student.id });
    let unknown = hand_in(&teacher, &essay, work(&[999_999_999])).await.is_refused(400, "No valid file ids given");
    for foreign in [private, by_student, for_other, own_of_teacher, by_ta] {
        let refused = hand_in(&teacher, &essay, work(&[foreign])).await.is(400);
        assert_eq!(refused.json, unknown.json, "nobody learns whether a file is there");
        hand_in(&teacher, &essay, work(&[by_teacher, foreign])).await.is(400);
    }
    let made = hand_in(&teacher, &essay, work(&[by_teacher])).await.is(201);
    assert_eq!(made["attachments"][0]["id"], by_teacher);

    // Students hand in whatever is theirs.
    let own = json!({ "submission_type": "online_upload", "file_ids": [private, by_student, by_teacher] });
    let made = hand_in(&student, &essay, own).await.is(201);
    assert_eq!(made["attachments"].as_array().unwrap().len(), 3);
}
