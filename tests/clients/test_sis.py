"""Imports of CSV files and groups of users, as canvasapi uses them."""

import io
import time
import uuid
import zipfile

import pytest


def archive(**files):
    """A zip of CSV files, as institutions send it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.csv", text)
    buffer.seek(0)
    buffer.name = "sis.zip"
    return buffer


def ended(account, sis_import):
    for _ in range(1200):
        sis_import = account.get_sis_import(sis_import)
        if sis_import.workflow_state not in ("created", "importing"):
            return sis_import
        time.sleep(0.05)
    raise AssertionError("the import does not end")


def test_an_import_is_sent_watched_and_listed(account):
    tag = uuid.uuid4().hex
    attachment = archive(
        enrollments=f"course_id,user_id,role,status\nC{tag},U{tag},student,active\nC{tag},NOBODY,student,active\n",
        users=f"user_id,login_id,full_name,status\nU{tag},login-{tag},Ada Lovelace,active\n",
        courses=f"course_id,short_name,long_name,status\nC{tag},BOT,Botany,published\n",
    )
    sent = account.create_sis_import(attachment, import_type="instructure_csv", extension="zip")
    assert sent.workflow_state == "created"
    done = ended(account, sent)
    assert (done.workflow_state, done.progress) == ("imported_with_messages", 100)
    assert done.data["counts"] == {"users": 1, "courses": 1, "enrollments": 1}
    assert done.processing_errors == [["enrollments.csv", "An enrollment referenced a non-existent user NOBODY"]]
    assert sent.id in [listed.id for listed in account.get_sis_imports()[:5]]

    course = account.get_courses(search_term=f"C{tag}")[0]
    assert (course.name, course.workflow_state) == ("Botany", "available")
    assert [user.name for user in course.get_users()] == ["Ada Lovelace"]


def test_the_errors_of_an_import_are_listed(account):
    csv = io.BytesIO(b"user_id,login_id,status\n,nobody,active\n")
    csv.name = "people.csv"
    done = ended(account, account.create_sis_import(csv))
    requester = account._requester
    answer = requester.request("GET", f"accounts/{account.id}/sis_imports/{done.id}/errors").json()
    [error] = answer["sis_import_errors"]
    assert (error["file"], error["row"]) == ("people.csv", 2)
    assert error["message"] == "No user_id given for a user"


def test_an_import_is_aborted(account):
    rows = "".join(f"C{row},NOBODY,student,active\n" for row in range(100_000))
    csv = io.BytesIO(f"course_id,user_id,role,status\n{rows}".encode())
    csv.name = "enrollments.csv"
    sent = account.create_sis_import(csv)
    assert sent.abort().workflow_state == "aborted"


@pytest.fixture
def group(course):
    requester = course._requester
    made = requester.request("POST", f"courses/{course.id}/groups", name="Herbarium").json()
    from canvasapi.group import Group

    return Group(requester, made)


def test_groups_are_read_changed_and_deleted(canvas, course, group):
    assert [listed.id for listed in course.get_groups()] == [group.id]
    found = canvas.get_group(group.id)
    assert (found.name, found.context_type, found.course_id) == ("Herbarium", "Course", course.id)
    assert found.edit(name="Arboretum").name == "Arboretum"
    assert found.delete().id == group.id
    assert list(course.get_groups()) == []


def test_members_come_and_go(canvas, course, group, new_user, seen_by):
    student = new_user("student")
    course.enroll_user(student, "StudentEnrollment", enrollment={"enrollment_state": "active"})
    membership = group.create_membership(student)
    assert (membership.user_id, membership.workflow_state) == (student.id, "accepted")
    assert [user.id for user in group.get_users()] == [student.id]
    assert [listed.id for listed in group.get_memberships()] == [membership.id]
    assert group.get_membership(student.id, "users").id == membership.id
    assert group.update_membership(student, moderator=True).moderator
    own = seen_by(student)
    assert [mine.id for mine in own.get_current_user().get_groups()] == [group.id]
    own.get_group(group.id).remove_user(student)
    assert list(group.get_users()) == []
