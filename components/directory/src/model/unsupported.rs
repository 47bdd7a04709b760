//! Parameters of the reference system that this area refuses, and why.

use shared::params::Unsupported;

const NO_BLUEPRINTS: &str = "there are no blueprint courses";
const NO_HOMEROOMS: &str = "there are no homerooms";
const NO_GRADING_PERIODS: &str = "there are no grading periods";
const NO_STORAGE_QUOTAS: &str = "storage is limited by the operator alone";
const NO_ROLE_IDS: &str = "roles have names and no ids";
const NO_PROVIDERS: &str = "logins are checked here alone";
const NO_REACTIVATION: &str = "SIS imports bring deleted records back";
const NOT_KEPT: &str = "it is not kept";

/// Of a course that is made or changed.
pub(crate) const COURSE: &[Unsupported] = &[
    Unsupported::new(
        "a course is for its members, or for the tenant with is_public",
        &["course[is_public_to_auth_users]", "course[public_syllabus]", "course[public_syllabus_to_auth]"],
    ),
    Unsupported::new(
        "what students may do is not a setting of courses",
        &["course[allow_student_wiki_edits]", "course[allow_wiki_comments]", "course[allow_student_forum_attachments]"],
    ),
    Unsupported::new("nobody enrolls oneself", &["course[open_enrollment]", "course[self_enrollment]"]),
    Unsupported::new("the dates of a course close nothing", &["course[restrict_enrollments_to_course_dates]"]),
    Unsupported::new("courses have an SIS id alone", &["course[integration_id]"]),
    Unsupported::new(
        "there are no final grades",
        &[
            "course[hide_final_grades]",
            "course[apply_assignment_group_weights]",
            "course[grading_standard_id]",
            "course[grade_passback_setting]",
        ],
    ),
    Unsupported::new(
        NOT_KEPT,
        &["course[course_format]", "course[course_color]", "course[friendly_name]", "course[conditional_release]"],
    ),
    Unsupported::new(NO_STORAGE_QUOTAS, &["course[storage_quota_mb]"]),
    Unsupported::new("courses have no image", &["course[image_id]", "course[image_url]"]),
    Unsupported::new(
        NO_BLUEPRINTS,
        &[
            "course[blueprint]",
            "course[blueprint_restrictions]",
            "course[use_blueprint_restrictions_by_object_type]",
            "course[blueprint_restrictions_by_object_type]",
        ],
    ),
    Unsupported::new(
        NO_HOMEROOMS,
        &["course[homeroom_course]", "course[sync_enrollments_from_homeroom]", "course[homeroom_course_id]"],
    ),
    Unsupported::new("there are no templates of courses", &["course[template]"]),
    Unsupported::new("there are no course paces", &["course[enable_course_paces]"]),
    Unsupported::new(NO_REACTIVATION, &["enable_sis_reactivation"]),
];

/// Of the list of an account's courses.
pub(crate) const ACCOUNT_COURSES: &[Unsupported] = &[
    Unsupported::new(NO_BLUEPRINTS, &["blueprint", "blueprint_associated"]),
    Unsupported::new(NO_HOMEROOMS, &["homeroom"]),
];

/// Of the lists of a user's courses.
pub(crate) const USER_COURSES: &[Unsupported] = &[
    Unsupported::new(NO_ROLE_IDS, &["enrollment_role_id"]),
    Unsupported::new(NO_HOMEROOMS, &["homeroom"]),
    Unsupported::new("the courses of one account are listed by the account", &["account_id"]),
];

/// Of the list of a course's users.
pub(crate) const COURSE_USERS: &[Unsupported] = &[
    Unsupported::new(NO_ROLE_IDS, &["enrollment_role_id"]),
    Unsupported::new("one user is found by user_ids[]", &["user_id"]),
];

/// Of a section that is made or changed.
pub(crate) const SECTION: &[Unsupported] = &[Unsupported::new(NO_REACTIVATION, &["enable_sis_reactivation"])];

/// Of the lists of enrollments.
pub(crate) const ENROLLMENTS: &[Unsupported] = &[
    Unsupported::new(NO_GRADING_PERIODS, &["grading_period_id"]),
    Unsupported::new(NOT_KEPT, &["created_for_sis_id"]),
];

/// Of an enrollment that is made.
pub(crate) const ENROLLMENT: &[Unsupported] = &[
    Unsupported::new("sections have dates, and enrollments none", &["enrollment[start_at]", "enrollment[end_at]"]),
    Unsupported::new(NO_ROLE_IDS, &["enrollment[role_id]"]),
    Unsupported::new("nobody enrolls oneself", &["enrollment[self_enrollment_code]", "enrollment[self_enrolled]"]),
    Unsupported::new(
        "the user is named by enrollment[user_id], which may be sis_user_id:…",
        &["enrollment[sis_user_id]", "enrollment[integration_id]"],
    ),
    Unsupported::new("users are those of the course's institution", &["root_account"]),
];

/// Of a group that is changed.
pub(crate) const GROUP: &[Unsupported] = &[
    Unsupported::new("groups have no picture", &["avatar_id"]),
    Unsupported::new(NO_STORAGE_QUOTAS, &["storage_quota_mb"]),
    Unsupported::new("members are added one by one", &["members"]),
];

/// Of a membership that is made.
pub(crate) const MEMBERSHIP: &[Unsupported] = &[
    Unsupported::new(
        "members are added one by one, with user_id",
        &["members", "all_in_group_course", "exclude_user_ids", "enrollment_role_id"],
    ),
    Unsupported::new("there are no differentiation tags", &["differentiation_tag_id"]),
];

/// Of the lists of groups.
pub(crate) const GROUPS: &[Unsupported] =
    &[Unsupported::new("there are no differentiation tags", &["collaboration_state"])];

/// Of a login that is made or changed.
pub(crate) const LOGIN: &[Unsupported] = &[
    Unsupported::new(NO_PROVIDERS, &["login[authentication_provider_id]"]),
    Unsupported::new(NOT_KEPT, &["login[declared_user_type]"]),
    Unsupported::new("passwords do not expire", &["login[must_reset_password]"]),
    Unsupported::new(
        "the user is named by user[id]",
        &["user[existing_user_id]", "user[existing_integration_id]", "user[existing_sis_user_id]"],
    ),
    Unsupported::new("users are those of one institution", &["user[trusted_account]"]),
];

/// Of a user who is made.
pub(crate) const NEW_USER: &[Unsupported] = &[
    Unsupported::new("an administrator gives the password", &["pseudonym[force_self_registration]"]),
    Unsupported::new(NO_PROVIDERS, &["pseudonym[authentication_provider_id]"]),
    Unsupported::new("the code goes to the owner of the address alone", &["communication_channel[confirmation_url]"]),
    Unsupported::new(
        "there are no links of registrations",
        &["destination", "initial_enrollment_type", "pairing_code"],
    ),
    Unsupported::new(NO_REACTIVATION, &["enable_sis_reactivation"]),
];

/// Of a user who is changed.
pub(crate) const USER: &[Unsupported] = &[
    Unsupported::new("users have no picture", &["user[avatar]"]),
    Unsupported::new(NOT_KEPT, &["user[title]", "user[bio]", "user[pronunciation]", "user[pronouns]"]),
    Unsupported::new("logins are suspended one by one, with login[workflow_state]", &["user[event]"]),
];

/// Of the list of an account's users.
pub(crate) const ACCOUNT_USERS: &[Unsupported] = &[
    Unsupported::new("deleted users are known to nobody", &["include_deleted_users"]),
    Unsupported::new("users have an id, logins and SIS ids", &["uuids"]),
];

/// Of an account that is made or changed.
pub(crate) const ACCOUNT: &[Unsupported] = &[
    Unsupported::new(
        NO_STORAGE_QUOTAS,
        &[
            "account[default_storage_quota_mb]",
            "account[default_user_storage_quota_mb]",
            "account[default_group_storage_quota_mb]",
        ],
    ),
    Unsupported::new("there are no templates of courses", &["account[course_template_id]"]),
    Unsupported::new("SIS imports place accounts in the tree", &["account[parent_account_id]"]),
    Unsupported::new(
        "accounts have no such setting",
        &[
            "account[settings][restrict_student_past_view]",
            "account[settings][restrict_student_future_view]",
            "account[settings][restrict_student_future_listing]",
            "account[settings][lock_all_announcements]",
            "account[settings][usage_rights_required]",
            "account[settings][conditional_release]",
            "account[settings][enable_course_paces]",
            "account[settings][suppress_notifications]",
            "account[settings][password_policy]",
            "account[settings][enable_as_k5_account]",
            "account[settings][use_classic_font_in_k5]",
            "account[settings][horizon_account]",
            "account[settings][lock_outcome_proficiency]",
            "account[settings][lock_proficiency_calculation]",
            "account[lock_outcome_proficiency]",
            "account[lock_proficiency_calculation]",
        ],
    ),
    Unsupported::new(
        "nothing is exchanged with Microsoft",
        &[
            "account[settings][microsoft_sync_enabled]",
            "account[settings][microsoft_sync_tenant]",
            "account[settings][microsoft_sync_login_attribute]",
            "account[settings][microsoft_sync_login_attribute_suffix]",
            "account[settings][microsoft_sync_remote_attribute]",
        ],
    ),
    Unsupported::new("services are the operator's", &["account[services]"]),
];

/// Of the list of administrators.
pub(crate) const ADMINS: &[Unsupported] = &[
    Unsupported::new("who is no administrator any more is not kept", &["include_deleted"]),
    Unsupported::new("administrators are found by user_id[]", &["search_term"]),
];

/// Of an administrator who is made.
pub(crate) const ADMIN: &[Unsupported] = &[Unsupported::new(NO_ROLE_IDS, &["role_id"])];

/// Of a course copy or import that is begun.
pub(crate) const CONTENT_MIGRATION: &[Unsupported] = &[
    Unsupported::new("packages are uploaded", &["settings[content_export_id]"]),
    Unsupported::new("what is there stays beside what comes", &["settings[overwrite_quizzes]"]),
    Unsupported::new(
        "questions go where the package has them",
        &["settings[question_bank_id]", "settings[question_bank_name]"],
    ),
    Unsupported::new(
        "there are no modules",
        &[
            "settings[insert_into_module_id]",
            "settings[insert_into_module_type]",
            "settings[insert_into_module_position]",
        ],
    ),
    Unsupported::new("there are no assignment groups", &["settings[move_to_assignment_group_id]"]),
    Unsupported::new(NO_BLUEPRINTS, &["settings[import_blueprint_settings]"]),
];
