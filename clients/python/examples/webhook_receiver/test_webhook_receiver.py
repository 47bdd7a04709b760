"""The receiver against real deliveries: signed, forged, late, and sent once more."""

import threading

import pytest
from webhook_receiver import Receiver

SCHOOL = {
    "users": [{"login": "ada", "name": "Ada"}, {"login": "grace", "name": "Grace"}],
    "courses": [
        {
            "name": "Biology",
            "code": "BIO1",
            "state": "available",
            "teachers": ["ada"],
            "students": ["grace"],
            "assignments": [{"name": "Essay", "points": 10}],
        }
    ],
}
pytestmark = pytest.mark.lectern_scenario(SCHOOL)


@pytest.fixture
def grade(lectern):
    def write(score):
        place = [
            lectern.ids[kind][name]
            for kind, name in [("courses", "Biology"), ("assignments", "Biology/Essay"), ("users", "grace")]
        ]
        lectern.client("ada").grade_submission(*place, {"submission": {"posted_grade": score}})

    return write


@pytest.fixture
def scores():
    return []


@pytest.fixture
def receiver(lectern, scores):
    def keep(user, score):
        scores.append((int(user), score))

    receiver = Receiver(("127.0.0.1", 0), keep)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    receiver.secret = lectern.subscribe(receiver.url, "GRADE_CHANGE")
    yield receiver
    receiver.shutdown()
    receiver.server_close()


def test_a_score_arrives_once(lectern, receiver, scores, grade):
    grade(7)
    assert lectern.wait_for(lambda: scores) == [(lectern.ids["users"]["grace"], 7)]


def test_what_cannot_be_kept_comes_again(lectern, receiver, scores, grade):
    keep, failures = receiver.on_score, [OSError("the disk is full")]

    def fail_once(user, score):
        if failures:
            raise failures.pop()
        keep(user, score)

    receiver.on_score = fail_once
    grade(7)
    admin = lectern.client()
    lectern.wait_for(lambda: [one["attempts"] for one in admin.list_webhook_deliveries()] == [1])
    assert scores == [] and not failures
    lectern.clock.advance(minutes=1)
    assert lectern.wait_for(lambda: scores) == [(lectern.ids["users"]["grace"], 7)]


def test_a_forged_delivery_is_refused(lectern, receiver, scores, grade):
    """The same bytes with a signature of somebody else."""
    inbox = lectern.inbox()
    secret = inbox.subscribe("GRADE_CHANGE")
    grade(7)
    [delivery] = inbox.wait_for(event="grade_change")
    assert delivery.verify(secret)["body"]["score"] == 7
    assert (
        receiver.take(delivery.body.encode(), {name.lower(): value for name, value in delivery.headers.items()}) == 401
    )
