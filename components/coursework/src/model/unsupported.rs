//! Parameters of the reference system that this area refuses, and why.

use shared::params::Unsupported;

const NO_SIS_EXPORT: &str = "grades are not sent to an SIS";
const NO_PEER_REVIEWS: &str = "there are no peer reviews";
const NO_MODERATION: &str = "grading is not moderated";
const NO_MEDIA: &str = "there is no store of recordings";

/// Of the list of assignments.
pub(crate) const ASSIGNMENTS: &[Unsupported] = &[
    Unsupported::new(NO_SIS_EXPORT, &["post_to_sis"]),
    Unsupported::new("new quizzes are listed at /api/quiz/v1/courses/:course_id/quizzes", &["new_quizzes"]),
];

/// Of an assignment that is made or changed.
pub(crate) const ASSIGNMENT: &[Unsupported] = &[
    Unsupported::new("assignments stand in the order in which they were made", &["assignment[position]"]),
    Unsupported::new("files of every type are taken", &["assignment[allowed_extensions]"]),
    Unsupported::new(
        "plagiarism platforms subscribe to submissions",
        &[
            "assignment[turnitin_enabled]",
            "assignment[vericite_enabled]",
            "assignment[turnitin_settings]",
            "assignment[asset_processors]",
        ],
    ),
    Unsupported::new(
        "assignments have no ids of other systems",
        &["assignment[sis_assignment_id]", "assignment[integration_data]", "assignment[integration_id]"],
    ),
    Unsupported::new(
        NO_PEER_REVIEWS,
        &["assignment[peer_reviews]", "assignment[automatic_peer_reviews]", "assignment[peer_review]"],
    ),
    Unsupported::new(
        "there are no group assignments",
        &["assignment[group_category_id]", "assignment[grade_group_students_individually]"],
    ),
    Unsupported::new("there are no launches of tools", &["assignment[external_tool_tag_attributes]"]),
    Unsupported::new(
        "overrides are made at /api/v1/courses/:course_id/assignments/:assignment_id/overrides",
        &["assignment[assignment_overrides]"],
    ),
    Unsupported::new("an assignment is for all students", &["assignment[only_visible_to_overrides]"]),
    Unsupported::new("there is one scheme of letters", &["assignment[grading_standard_id]"]),
    Unsupported::new(
        "there are no final grades",
        &["assignment[omit_from_final_grade]", "assignment[hide_in_gradebook]"],
    ),
    Unsupported::new("a new quiz is made at /api/quiz/v1/courses/:course_id/quizzes", &["assignment[quiz_lti]"]),
    Unsupported::new(
        NO_MODERATION,
        &[
            "assignment[moderated_grading]",
            "assignment[grader_count]",
            "assignment[final_grader_id]",
            "assignment[grader_comments_visible_to_graders]",
            "assignment[graders_anonymous_to_graders]",
            "assignment[graders_names_visible_to_final_grader]",
        ],
    ),
    Unsupported::new("there are no annotations", &["assignment[annotatable_attachment_id]"]),
    Unsupported::new("updated_at is the moment of the last change", &["assignment[force_updated_at]"]),
];

/// Of what is handed in.
pub(crate) const SUBMISSION: &[Unsupported] = &[
    Unsupported::new(NO_MEDIA, &["submission[media_comment_id]", "submission[media_comment_type]"]),
    Unsupported::new("there are no annotations", &["submission[annotatable_attachment_id]"]),
];

/// Of a grade and a comment.
pub(crate) const GRADE: &[Unsupported] = &[
    Unsupported::new(NO_MEDIA, &["comment[media_comment_id]", "comment[media_comment_type]"]),
    Unsupported::new("comments are text", &["comment[file_ids]"]),
    Unsupported::new("it is not kept", &["submission[sticker]"]),
    Unsupported::new(NO_PEER_REVIEWS, &["submission[peer_review]"]),
    Unsupported::new("there are no rubrics", &["rubric_assessment"]),
];

/// Of the list of submissions to several assignments.
pub(crate) const STUDENT_SUBMISSIONS: &[Unsupported] = &[
    Unsupported::new(NO_SIS_EXPORT, &["post_to_sis"]),
    Unsupported::new("there are no grading periods", &["grading_period_id"]),
    Unsupported::new("students are named by student_ids[]", &["enrollment_state"]),
];

/// Of the list of a quiz's questions.
pub(crate) const QUIZ_QUESTIONS: &[Unsupported] = &[Unsupported::new(
    "the questions of an attempt are at /api/v1/quiz_submissions/:quiz_submission_id/questions",
    &["quiz_submission_id", "quiz_submission_attempt"],
)];
