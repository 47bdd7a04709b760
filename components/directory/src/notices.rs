//! Notices to users of the acts of administrators and teachers, and to these of the acts of users.

use shared::auth::{CourseAccess, GroupAccess};
use shared::clock::DAY;
use shared::ids::{AccountId, CourseId, UserId};
use shared::notify::{News, Notifier, Recipients};
use shared::session::LOGIN_PATH;
use shared::throttle::{self, Limit, Turn};
use shared::{Db, Timestamp, db};

use crate::model::courses::Course;
use crate::model::enrollments::{Enrollment, State};
use crate::model::group_memberships::{Membership, MembershipState};
use crate::model::users::Row;

/// The number of times that a user is told of the same enrollment, or membership, once more.
const AGAIN: Limit = Limit { most: 5, seconds: DAY };

/// Tells a user of a new enrollment, or of one in a new state. `db` is in the transaction of the change, as everywhere here.
pub(crate) async fn enrolled(
    db: &Db,
    notifier: &Notifier,
    course: &CourseAccess,
    before: Option<State>,
    enrollment: &Enrollment,
    now: Timestamp,
) -> db::Result<()> {
    let state = enrollment.enrollment_state;
    let Some((kind, subject, body)) = news_of(&course.name, state).filter(|_| before != Some(state)) else {
        return Ok(());
    };
    if enrollment.created_at != now && !may_tell_again(db, &format!("enrollment {}", enrollment.id), now).await? {
        return Ok(());
    }
    let news = News {
        name: kind,
        recipients: Recipients::Enrollee { section: enrollment.course_section_id, user: enrollment.user_id },
        subject: &subject,
        body: &body,
        path: &format!("/courses/{}", course.id),
        asset: Some(&format!("enrollment_{}", enrollment.id)),
    };
    notifier.tell(db, news).await
}

/// Whoever takes somebody out and in again, over and over, sends no more letters by it.
async fn may_tell_again(db: &Db, of: &str, now: Timestamp) -> db::Result<bool> {
    let turn = throttle::take(db, &format!("news of {of}"), AGAIN, now).await?;
    Ok(matches!(turn, Turn::Taken { .. }))
}

/// Tells the students of a course that is published now that they are in it, or are invited.
pub(crate) async fn published(db: &Db, notifier: &Notifier, course: CourseId, name: &str) -> db::Result<()> {
    for (state, word) in [(State::Invited, "invited"), (State::Active, "active")] {
        let Some((kind, subject, body)) = news_of(name, state) else { continue };
        let news = News {
            name: kind,
            recipients: Recipients::Enrolled { course, state: word },
            subject: &subject,
            body: &body,
            path: &format!("/courses/{course}"),
            asset: Some(&format!("course_{course}")),
        };
        notifier.tell(db, news).await?;
    }
    Ok(())
}

fn news_of(course: &str, state: State) -> Option<(&'static str, String, String)> {
    match state {
        State::Invited => Some((
            "enrollment_invitation",
            format!("Invitation to {course}"),
            format!("You are invited to take part in {course}. You can accept or decline."),
        )),
        State::Active => {
            Some(("enrollment_notification", format!("You are in {course}"), format!("You take part in {course} now.")))
        }
        _ => None,
    }
}

/// Tells the teachers that somebody has accepted the invitation.
pub(crate) async fn accepted(
    db: &Db,
    notifier: &Notifier,
    course: &CourseAccess,
    user: UserId,
    user_name: &str,
) -> db::Result<()> {
    let name = &course.name;
    let news = News {
        name: "enrollment_accepted",
        recipients: Recipients::Teachers { course: course.id, student: user },
        subject: &format!("Invitation accepted: {name}"),
        body: &format!("{user_name} has accepted the invitation to {name}."),
        path: &format!("/courses/{}/users/{user}", course.id),
        asset: None,
    };
    notifier.tell(db, news).await
}

/// Tells a user who is in the group now: let in, or put in by somebody else.
pub(crate) async fn in_group(
    db: &Db,
    notifier: &Notifier,
    group: &GroupAccess,
    before: Option<MembershipState>,
    now_in: &Membership,
    now: Timestamp,
) -> db::Result<()> {
    let (name, user) = (&group.name, now_in.user_id);
    match (before, now_in.workflow_state) {
        (None, MembershipState::Accepted) => {
            if now_in.created_at != now && !may_tell_again(db, &format!("membership {}", now_in.id), now).await? {
                return Ok(());
            }
            let (subject, body) = (format!("You are in {name}"), format!("You were put into the group {name}."));
            of_group(db, notifier, group, user, "new_context_group_membership", &subject, &body).await
        }
        (Some(MembershipState::Requested), MembershipState::Accepted) => {
            let (subject, body) = (format!("You are in {name}"), format!("You were let into the group {name}."));
            of_group(db, notifier, group, user, "group_membership_accepted", &subject, &body).await
        }
        _ => Ok(()),
    }
}

/// Tells a user who asked to be in the group, and was refused.
pub(crate) async fn kept_out(db: &Db, notifier: &Notifier, group: &GroupAccess, user: UserId) -> db::Result<()> {
    let name = &group.name;
    let (subject, body) = (format!("Not in {name}"), format!("You were not let into the group {name}."));
    of_group(db, notifier, group, user, "group_membership_rejected", &subject, &body).await
}

async fn of_group(
    db: &Db,
    notifier: &Notifier,
    group: &GroupAccess,
    user: UserId,
    name: &str,
    subject: &str,
    body: &str,
) -> db::Result<()> {
    let (users, path) = ([user], format!("/groups/{}", group.id));
    let recipients = match group.course() {
        Some(course) => Recipients::Participant { course: course.id, user },
        None => Recipients::Users(&users),
    };
    let asset = format!("group_{}", group.id);
    notifier.tell(db, News { name, recipients, subject, body, path: &path, asset: Some(&asset) }).await
}

/// Tells the new administrator of an account, and those whom it had before.
pub(crate) async fn administers(
    db: &Db,
    notifier: &Notifier,
    account: AccountId,
    account_name: &str,
    admin: UserId,
    admin_name: &str,
) -> db::Result<()> {
    let path = format!("/accounts/{account}");
    let asset = format!("account_user_{account}_{admin}");
    let news = News {
        name: "account_user_notification",
        recipients: Recipients::Users(&[admin]),
        subject: &format!("You administer {account_name}"),
        body: &format!("You are an administrator of {account_name} now."),
        path: &path,
        asset: Some(&asset),
    };
    notifier.tell(db, news).await?;
    let news = News {
        name: "new_account_user",
        recipients: Recipients::Administrators { account },
        subject: &format!("New administrator: {admin_name}"),
        body: &format!("{admin_name} is an administrator of {account_name} now."),
        path: &path,
        asset: Some(&asset),
    };
    notifier.not_to(admin).tell(db, news).await
}

/// Tells the administrators of the root account of a new user.
pub(crate) async fn new_user(db: &Db, notifier: &Notifier, account: AccountId, user: &Row) -> db::Result<()> {
    let (id, name) = (user.id, &user.name);
    let news = News {
        name: "new_user",
        recipients: Recipients::Administrators { account },
        subject: &format!("New user: {name}"),
        body: &format!("{name} is a user of your institution now."),
        path: &format!("/accounts/{account}/users/{id}"),
        asset: None,
    };
    notifier.tell(db, news).await
}

/// Tells the administrators of the account of a new course.
pub(crate) async fn new_course(db: &Db, notifier: &Notifier, account: AccountId, course: &Course) -> db::Result<()> {
    let (id, name) = (course.id, &course.name);
    let news = News {
        name: "new_course",
        recipients: Recipients::Administrators { account },
        subject: &format!("New course: {name}"),
        body: &format!("The course {name} was made."),
        path: &format!("/courses/{id}"),
        asset: None,
    };
    notifier.tell(db, news).await
}

/// Tells a user of one more login.
pub(crate) async fn new_login(db: &Db, notifier: &Notifier, user: UserId, login: &str) -> db::Result<()> {
    let news = News {
        name: "pseudonym_registration",
        recipients: Recipients::Users(&[user]),
        subject: "You have a new login",
        body: &format!("You can log in as {login} now."),
        path: LOGIN_PATH,
        asset: None,
    };
    notifier.tell(db, news).await
}
