//! The kinds of files: each is known by the columns of its header, whatever the file is called.

use serde::{Deserialize, Serialize};

/// The kinds of rows of files. The order is that in which they are imported: records that are named come before those
/// that name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Accounts,
    Terms,
    Users,
    Courses,
    Sections,
    Xlists,
    Enrollments,
    Groups,
    GroupMemberships,
}

impl Kind {
    /// The kind that has these columns.
    pub(crate) fn of(columns: &[String]) -> Option<Self> {
        let has = |name: &str| columns.iter().any(|column| column == name);
        if has("account_id") && has("parent_account_id") {
            return Some(Self::Accounts);
        }
        if has("user_id") && has("login_id") {
            return Some(Self::Users);
        }
        if has("xlist_course_id") && has("section_id") {
            return Some(Self::Xlists);
        }
        if has("group_id") && has("user_id") {
            return Some(Self::GroupMemberships);
        }
        if has("group_id") && has("name") {
            return Some(Self::Groups);
        }
        if (has("course_id") || has("section_id")) && (has("user_id") || has("user_integration_id")) {
            return Some(Self::Enrollments);
        }
        if has("section_id") && has("name") {
            return Some(Self::Sections);
        }
        if has("term_id") && has("name") && !has("course_id") {
            return Some(Self::Terms);
        }
        (has("course_id") && has("short_name")).then_some(Self::Courses)
    }

    /// As the counts of an import name it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Accounts => "accounts",
            Self::Terms => "terms",
            Self::Users => "users",
            Self::Courses => "courses",
            Self::Sections => "sections",
            Self::Xlists => "xlists",
            Self::Enrollments => "enrollments",
            Self::Groups => "groups",
            Self::GroupMemberships => "group_memberships",
        }
    }

    /// Columns without which nothing can be done, beside those by which the kind is known.
    pub(crate) fn required(self) -> &'static [&'static str] {
        match self {
            Self::Accounts => &["name", "status"],
            Self::Users | Self::GroupMemberships | Self::Groups | Self::Terms | Self::Xlists => &["status"],
            Self::Courses => &["long_name", "status"],
            Self::Sections => &["course_id", "status"],
            Self::Enrollments => &["role", "status"],
        }
    }

    /// The number of rows of a file with these columns that are imported in one transaction. Where each row has
    /// statements of its own there are fewer, so that other writers do not wait; and where each has a password, of
    /// which it takes long to make the hash, so that a batch is ended in time.
    pub(crate) fn batch(self, columns: &[String]) -> usize {
        match self {
            Self::Users if columns.iter().any(|column| column == "password") => 50,
            Self::Enrollments | Self::Users => 500,
            Self::Accounts
            | Self::Terms
            | Self::Courses
            | Self::Sections
            | Self::Xlists
            | Self::Groups
            | Self::GroupMemberships => 100,
        }
    }

    /// The columns that tell which record a row is about: rows of two imports that have the same there are compared.
    pub(crate) fn identity(self) -> &'static [&'static str] {
        match self {
            Self::Accounts => &["account_id"],
            Self::Terms => &["term_id", "date_override_enrollment_type"],
            Self::Users => &["user_id"],
            Self::Courses => &["course_id"],
            Self::Sections => &["section_id"],
            Self::Xlists => &["xlist_course_id", "section_id"],
            Self::Enrollments => {
                &["course_id", "section_id", "user_id", "user_integration_id", "role", "associated_user_id"]
            }
            Self::Groups => &["group_id"],
            Self::GroupMemberships => &["group_id", "user_id"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(header: &str) -> Option<Kind> {
        Kind::of(&header.split(',').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_file_is_known_by_its_header() {
        for (header, kind) in [
            ("account_id,parent_account_id,name,status", Kind::Accounts),
            ("user_id,integration_id,login_id,first_name,last_name,status", Kind::Users),
            ("course_id,short_name,long_name,account_id,term_id,status", Kind::Courses),
            ("term_id,name,status,start_date,end_date", Kind::Terms),
            ("term_id,name,status,date_override_enrollment_type", Kind::Terms),
            ("xlist_course_id,section_id,status", Kind::Xlists),
            ("section_id,course_id,name,status,start_date,end_date", Kind::Sections),
            ("section_id,course_id,name,term_id,status", Kind::Sections),
            ("course_id,user_id,role,section_id,status", Kind::Enrollments),
            ("section_id,user_integration_id,role,status", Kind::Enrollments),
            ("group_id,course_id,account_id,name,status", Kind::Groups),
            ("group_id,user_id,status", Kind::GroupMemberships),
        ] {
            assert_eq!(of(header), Some(kind), "{header}");
        }
        assert_eq!(of("term_id,status"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn rows_with_passwords_come_in_smaller_batches() {
        let columns = |header: &str| header.split(',').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(Kind::Users.batch(&columns("user_id,login_id,status")), 500);
        assert_eq!(Kind::Users.batch(&columns("user_id,login_id,password,status")), 50);
    }

    #[test]
    fn what_is_named_is_imported_before_what_names_it() {
        let order = [
            Kind::Accounts,
            Kind::Terms,
            Kind::Users,
            Kind::Courses,
            Kind::Sections,
            Kind::Xlists,
            Kind::Enrollments,
            Kind::Groups,
            Kind::GroupMemberships,
        ];
        assert!(order.is_sorted());
    }
}
