"""The sync against a sandbox: what happens in a school, and what goes wrong on the way there."""

import dataclasses

import pytest
from grade_sync import GradeSync

pytestmark = pytest.mark.lectern_scenario("school.yaml")

LIST = ("GET", "/api/v1/courses/*/assignments/*/submissions")
WRITE = ("PUT", "/api/v1/courses/*/assignments/*/submissions/*")


@dataclasses.dataclass
class Essay:
    course: int
    assignment: int
    students: list[int]


@pytest.fixture
def essay(lectern):
    course, assignment = lectern.ids["courses"]["Biology"], lectern.ids["assignments"]["Biology/Essay"]
    return Essay(course, assignment, [lectern.ids["users"][f"student-{n}"] for n in (1, 2, 3)])


@pytest.fixture
def sync(lectern):
    return GradeSync(lectern.client("ada"), lambda: lectern.token("ada"))


def test_scores_are_written_once(lectern, sync, essay):
    scores = dict(zip(essay.students, [7, 8, 9], strict=True))
    assert sync.run(essay.course, essay.assignment, scores) == essay.students
    first, *_ = lectern.calls(*WRITE).assert_called(times=3)
    assert (first.login, first.sent) == ("ada", {"submission": {"posted_grade": 7}})

    lectern.snapshot("graded")
    assert sync.run(essay.course, essay.assignment, scores) == []
    lectern.calls(*WRITE).assert_called(times=3)

    sync.run(essay.course, essay.assignment, {essay.students[0]: 1})
    lectern.restore("graded")
    submission = lectern.client("ada").get_submission(essay.course, essay.assignment, essay.students[0])
    assert submission["score"] == 7


def test_a_busy_service_is_asked_again(lectern, sync, essay):
    lectern.faults.add(*LIST, status=429, retry_after=1)
    sync.run(essay.course, essay.assignment, {essay.students[0]: 7})
    lectern.calls(*LIST).assert_statuses(429, 200)
    lectern.calls(*WRITE).assert_called_once()


def test_a_token_that_ends_on_the_way_is_replaced(lectern, sync, essay):
    sync.run(essay.course, essay.assignment, {essay.students[0]: 7})
    lectern.faults.add(*WRITE, kind="expired_token")
    scores = dict(zip(essay.students, [7, 8, 9], strict=True))
    assert sync.run(essay.course, essay.assignment, scores) == essay.students[1:]
    lectern.calls(*WRITE).assert_statuses(200, 401, 200, 200)


def test_it_begins_with_an_old_token(lectern, essay):
    client = lectern.client("ada").with_token(lectern.token("ada", expired=True))
    sync = GradeSync(client, lambda: lectern.token("ada"))
    assert sync.run(essay.course, essay.assignment, {essay.students[0]: 7}) == essay.students[:1]
    lectern.calls(*LIST).assert_statuses(401, 200)


def test_late_work_loses_a_tenth(lectern, sync, essay):
    punctual, late, _ = essay.students
    body = {"submission": {"submission_type": "online_text_entry", "body": "Oaks"}}
    lectern.client("student-1").submit_assignment(essay.course, essay.assignment, body)
    lectern.clock.advance(days=8)
    lectern.client("student-2").submit_assignment(essay.course, essay.assignment, body)

    assert sync.run(essay.course, essay.assignment, {punctual: 10, late: 10}) == [punctual, late]
    calls = lectern.calls(*WRITE).assert_called(times=2)
    assert [call.sent["submission"]["posted_grade"] for call in calls] == [10, 9]
