"""A running service, given by LECTERN_URL and an administrator's LECTERN_TOKEN: `cargo xtask test` sets both."""

import os
import uuid

import pytest

from lectern import Lectern

URL = os.environ["LECTERN_URL"]


def unique(name):
    return f"{name}-{uuid.uuid4().hex}"


@pytest.fixture(scope="session")
def admin():
    with Lectern(URL, os.environ["LECTERN_TOKEN"]) as lectern:
        yield lectern


class School:
    """A course with a teacher and a student, and the client as each of them uses it."""

    def __init__(self, admin):
        self.admin = admin
        self.course = admin.create_course(1, {"course": {"name": "Botany", "course_code": "BOT-101"}, "offer": True})["id"]
        self.teacher, self.teacher_id = self.member("TeacherEnrollment")
        self.student, self.student_id = self.member("StudentEnrollment")

    def member(self, kind):
        user = self.admin.create_user(1, {"user": {"name": kind}, "pseudonym": {"unique_id": unique(kind)}})
        enrollment = {"user_id": user["id"], "type": kind, "enrollment_state": "active"}
        self.admin.create_course_enrollment(self.course, {"enrollment": enrollment})
        return self.of(user["id"]), user["id"]

    def of(self, user):
        token = self.admin.create_personal_token(user, {"token": {"purpose": "test"}})
        return self.admin.with_token(token["visible_token"])


@pytest.fixture(scope="session")
def school(admin):
    return School(admin)
