//! Signposts at the addresses of courses and of what is in them.

use serde::Deserialize;
use shared::texts::{Text, record, signpost};
use shared::{Context, Error, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::signposts::Signpost;

endpoints![get_course_signpost, get_course_list_signpost, get_course_resource_signpost, get_course_submission_signpost];

#[derive(Deserialize, JsonSchema)]
struct CoursePath {
    course_id: String,
}

#[derive(Deserialize, JsonSchema)]
struct ListPath {
    course_id: String,
    /// The kind of records: `assignments`, `content_exports`, `content_migrations`, `files`, `pages`, `quizzes` or
    /// `users`.
    resource: String,
}

#[derive(Deserialize, JsonSchema)]
struct ResourcePath {
    course_id: String,
    /// The kind of the record: `assignments`, `content_exports`, `content_migrations`, `files`, `pages`, `quizzes` or
    /// `users`.
    resource: String,
    /// Its id; of a page the name in its address.
    resource_id: String,
}

#[derive(Deserialize, JsonSchema)]
struct SubmissionPath {
    course_id: String,
    /// The kind of what was handed in for: `assignments` or `quizzes`.
    resource: String,
    /// Its id.
    resource_id: String,
    /// Of an assignment the id of the user, of a quiz that of the submission.
    id: String,
}

const STUDENT_SUBMISSIONS: &str = "docs/coursework-submissions#list_student_submissions";

/// What is in a course: in addresses, one of it, the operation that lists it and the one that reads one.
const RESOURCES: [(&str, Text, &str, &str); 7] = [
    (
        "assignments",
        record::ASSIGNMENT,
        "docs/coursework-assignments#list_assignments",
        "docs/coursework-assignments#get_assignment",
    ),
    (
        "content_exports",
        record::CONTENT_EXPORT,
        "docs/content-exports#list_course_content_exports",
        "docs/content-exports#get_course_content_export",
    ),
    (
        "content_migrations",
        record::CONTENT_IMPORT,
        "docs/directory-content-migrations#list_content_migrations",
        "docs/directory-content-migrations#get_content_migration",
    ),
    ("files", record::FILE, "docs/files-files#list_course_files", "docs/files-files#get_course_file"),
    ("pages", record::PAGE, "docs/files-pages#list_pages", "docs/files-pages#get_page"),
    ("quizzes", record::QUIZ, "docs/coursework-quizzes#list_quizzes", "docs/coursework-quizzes#get_quiz"),
    ("users", record::USER, "docs/directory-users#list_course_users", "docs/directory-users#get_course_user"),
];

fn resource(name: &str) -> Result<(&'static str, Text, &'static str, &'static str)> {
    RESOURCES.into_iter().find(|(known, ..)| *known == name).ok_or_else(Error::not_found)
}

/// Says where the API has a course: a page for browsers, without any data. To other clients nothing is there.
#[endpoint(GET "/courses/:course_id", public, nobody(404, "a page for browsers alone"), sends(&["text/html"]))]
async fn get_course_signpost(cx: Context, Path(at): Path<CoursePath>) -> Result<Reply> {
    let path = format!("/courses/{}", at.course_id);
    Signpost { what: record::COURSE, is_list: false, path, operation: "docs/directory-courses#get_course" }.show(&cx)
}

/// Says where the API has what is in a course: a page for browsers, without any data. To other clients nothing is
/// there.
#[endpoint(
    GET "/courses/:course_id/:resource",
    public,
    nobody(404, "a page for browsers alone"),
    sends(&["text/html"]),
)]
async fn get_course_list_signpost(cx: Context, Path(at): Path<ListPath>) -> Result<Reply> {
    let (name, one, list, _) = resource(&at.resource)?;
    let path = format!("/courses/{}/{name}", at.course_id);
    Signpost { what: one, is_list: true, path, operation: list }.show(&cx)
}

/// Says where the API has a record of a course: a page for browsers, without any data. To other clients nothing is
/// there.
#[endpoint(
    GET "/courses/:course_id/:resource/:resource_id",
    public,
    nobody(404, "a page for browsers alone"),
    sends(&["text/html"]),
)]
async fn get_course_resource_signpost(cx: Context, Path(at): Path<ResourcePath>) -> Result<Reply> {
    if at.resource == "grades" {
        return grades(&at).show(&cx);
    }
    let (name, one, _, read) = resource(&at.resource)?;
    let path = format!("/courses/{}/{name}/{}", at.course_id, at.resource_id);
    let way = (name == "assignments").then_some((signpost::NEW_QUIZ, "/take"));
    Signpost { what: one, is_list: false, path, operation: read }.show_with_way(&cx, way)
}

/// The place of the grades of a student, which stand at what was handed in.
fn grades(at: &ResourcePath) -> Signpost {
    let path = format!("/courses/{}/students/submissions?student_ids[]={}", at.course_id, at.resource_id);
    Signpost { what: record::SUBMISSION, is_list: true, path, operation: STUDENT_SUBMISSIONS }
}

/// Says where the API has what was handed in: a page for browsers, without any data. To other clients nothing is there.
#[endpoint(
    GET "/courses/:course_id/:resource/:resource_id/submissions/:id",
    public,
    nobody(404, "a page for browsers alone"),
    sends(&["text/html"]),
)]
async fn get_course_submission_signpost(cx: Context, Path(at): Path<SubmissionPath>) -> Result<Reply> {
    let operation = match at.resource.as_str() {
        "assignments" => "docs/coursework-submissions#get_submission",
        "quizzes" => "docs/coursework-submissions#get_quiz_submission",
        _ => return Err(Error::not_found()),
    };
    let SubmissionPath { course_id, resource, resource_id, id } = at;
    let path = format!("/courses/{course_id}/{resource}/{resource_id}/submissions/{id}");
    Signpost { what: record::SUBMISSION, is_list: false, path, operation }.show(&cx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents;

    #[test]
    fn each_operation_stands_in_the_reference() {
        let named = RESOURCES.iter().flat_map(|(_, _, list, read)| [*list, *read]);
        let others = [
            "docs/directory-accounts#get_account",
            "docs/directory-courses#get_course",
            "docs/directory-groups#get_group",
            "docs/directory-users#get_user",
            "docs/oauth#list_personal_tokens",
            "docs/coursework-submissions#get_submission",
            "docs/coursework-submissions#get_quiz_submission",
            STUDENT_SUBMISSIONS,
        ];
        for operation in named.chain(others) {
            let (page, id) = operation.split_once('#').unwrap();
            assert!(documents::tests::text(page).contains(&format!("id=\"{id}\"")), "{operation}");
        }
        assert!(documents::tests::text("docs/guides/getting-a-token").contains("<h1"));
    }
}
