//! The page of a course's settings: whose it is, and what its form says.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use shared::ids::{CourseId, UserId};
use shared::{JsonSchema, Timestamp};

use crate::model::courses::Course;

/// The course of a link to the page, and the one who changes it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SettingsHolder {
    pub(crate) course: CourseId,
    pub(crate) user: UserId,
    /// The administrator who acts as that user.
    pub(crate) real_user: Option<UserId>,
}

impl fmt::Display for SettingsHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { course, user, real_user } = self;
        write!(f, "{course}.{user}")?;
        real_user.map_or(Ok(()), |real_user| write!(f, ".{real_user}"))
    }
}

impl FromStr for SettingsHolder {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (course, users) = text.split_once('.').ok_or(())?;
        let (user, real_user) = users.split_once('.').map_or((users, None), |(user, real)| (user, Some(real)));
        Ok(Self {
            course: course.parse().map_err(drop)?,
            user: user.parse().map_err(drop)?,
            real_user: real_user.map(str::parse).transpose().map_err(drop)?,
        })
    }
}

/// The fields of the page, as the inputs have them. What is left out is not there.
#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
pub(crate) struct SettingsFields {
    pub(crate) name: Option<String>,
    pub(crate) course_code: Option<String>,
    /// In UTC: `2026-09-01T08:00`.
    pub(crate) start_at: Option<String>,
    /// In UTC: `2026-09-01T08:00`.
    pub(crate) end_at: Option<String>,
}

impl SettingsFields {
    /// The fields of a course.
    pub(crate) fn of(course: &Course) -> Self {
        Self {
            name: Some(course.name.clone()),
            course_code: Some(course.course_code.clone()),
            start_at: Some(course.start_at.map(local).unwrap_or_default()),
            end_at: Some(course.end_at.map(local).unwrap_or_default()),
        }
    }
}

/// A moment as an input for date and time has it, which knows no zones.
fn local(moment: Timestamp) -> String {
    moment.to_string().trim_end_matches('Z').to_owned()
}

/// The moment that such an input sends: browsers leave away seconds that are none.
pub(crate) fn moment_of_input(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}:00")))
}

/// A button of the page that changes the state of the course.
#[derive(Debug, Deserialize, Clone, Copy, PartialEq, Eq, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StateChange {
    Offer,
    Claim,
    Conclude,
    Unconclude,
}

impl StateChange {
    /// The name by which a form sends it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Claim => "claim",
            Self::Conclude => "conclude",
            Self::Unconclude => "unconclude",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_read_as_it_was_written() {
        for real_user in [None, Some(UserId(3))] {
            let holder = SettingsHolder { course: CourseId(7), user: UserId(66), real_user };
            assert_eq!(holder.to_string().parse(), Ok(holder));
        }
        for text in ["", "7", "7.", "7.x", "7.66.", "7.66.3.1"] {
            assert_eq!(text.parse::<SettingsHolder>(), Err(()), "{text}");
        }
    }

    #[test]
    fn an_input_has_a_moment_without_its_zone() {
        let moment = Timestamp::parse("2026-09-01T08:00:00Z").unwrap();
        assert_eq!(local(moment), "2026-09-01T08:00:00");
        assert_eq!(moment_of_input(&local(moment)), Some(moment));
        assert_eq!(moment_of_input("2026-09-01T08:00"), Some(moment));
        for text in ["", "soon", "2026-09", "08:00"] {
            assert_eq!(moment_of_input(text), None, "{text}");
        }
    }

    #[test]
    fn a_button_is_read_by_its_name() {
        for change in [StateChange::Offer, StateChange::Claim, StateChange::Conclude, StateChange::Unconclude] {
            let read: StateChange = serde_json::from_value(change.name().into()).unwrap();
            assert_eq!(read, change);
        }
    }
}
