"""A poll from its first question to its end: with canvasapi, and on the pages in a real browser."""

import os
import pathlib
import uuid

import pytest
import requests
from canvasapi.exceptions import BadRequest, Forbidden, ResourceDoesNotExist

from browser import FITS, LEAST_CONTRAST
from conftest import TOKEN, URL

# How the pages look is kept in docs/ by running these tests with SCREENSHOTS=docs.
SCREENSHOTS = os.environ.get("SCREENSHOTS")


class Class:
    """A course with a teacher and students, each with the library as they would use it."""

    def __init__(self, course, new_user, seen_by):
        self.course, self.new_user, self.seen_by = course, new_user, seen_by
        self.teacher = self.member("TeacherEnrollment", "Ada Lovelace")

    def member(self, role="StudentEnrollment", name="student"):
        user = self.new_user(name)
        self.course.enroll_user(user, enrollment={"type": role, "enrollment_state": "active"})
        return self.seen_by(user)


@pytest.fixture
def classroom(course, new_user, seen_by):
    return Class(course, new_user, seen_by)


@pytest.fixture
def poll(classroom):
    poll = classroom.teacher.create_poll([{"question": "Which leaf is lobed?", "description": "Look at its edge."}])
    for text in ["Oak", "Beech", "Birch"]:
        poll.create_choice([{"text": text, "is_correct": text == "Oak"}])
    return poll


def test_a_poll_from_its_first_question_to_its_end(classroom, poll):
    teacher = classroom.teacher
    oak, beech, birch = poll.get_choices()
    assert (oak.text, oak.position, oak.is_correct) == ("Oak", 1, True)
    assert birch.update([{"text": "Silver birch"}]).text == "Silver birch"
    assert poll.get_choice(birch.id).text == "Silver birch"
    assert poll.update([{"question": "Which of these is lobed?"}]).question == "Which of these is lobed?"
    assert [own.id for own in teacher.get_polls()] == [poll.id]

    session = poll.create_session([{"course_id": classroom.course.id}])
    assert not session.is_published
    ada, alan = classroom.member(), classroom.member()
    with pytest.raises(Forbidden):
        seen(ada, session).create_submission([{"poll_choice_id": oak.id}])

    assert session.open().is_published
    for student, choice in [(ada, oak), (alan, beech)]:
        user = student.get_current_user()
        assert [opened.id for opened in user.get_open_poll_sessions()] == [session.id]
        submission = seen(student, session).create_submission([{"poll_choice_id": choice.id}])
        assert (submission.poll_choice_id, submission.user_id) == (choice.id, user.id)
        assert session.get_submission(submission.id).id == submission.id
    with pytest.raises(BadRequest):
        seen(ada, session).create_submission([{"poll_choice_id": beech.id}])

    assert not session.close().is_published
    assert [closed.id for closed in ada.get_current_user().get_closed_poll_sessions()] == [session.id]
    counted = poll.get_session(session.id)
    assert counted.results == {str(oak.id): 1, str(beech.id): 1}
    assert len(counted.poll_submissions) == 2
    assert teacher.get_poll(poll.id).total_results == counted.results
    assert not hasattr(seen(ada, session), "results")

    update = session.update([{"course_id": classroom.course.id, "has_public_results": True}])
    assert update.has_public_results
    assert seen(ada, session).results == counted.results

    assert birch.delete()
    assert session.delete()
    with pytest.raises(ResourceDoesNotExist):
        poll.get_session(session.id)
    assert list(poll.get_sessions()) == []
    assert poll.delete()
    with pytest.raises(ResourceDoesNotExist):
        teacher.get_poll(poll.id)


def seen(client, session):
    return client.get_poll(session.poll_id).get_session(session.id)


def test_many_sessions_are_paged_to_the_end(classroom, poll):
    made = [poll.create_session([{"course_id": classroom.course.id}]).id for _ in range(105)]
    assert [session.id for session in poll.get_sessions()] == made
    student = classroom.member().get_current_user()
    assert [session.id for session in student.get_closed_poll_sessions()] == made


@pytest.fixture
def session(classroom, poll):
    session = poll.create_session([{"course_id": classroom.course.id, "has_public_results": True}])
    session.open()
    return session


def link(client, session, audience):
    answer = requests.post(
        f"{URL}/api/v1/polls/{session.poll_id}/poll_sessions/{session.id}/live_link",
        json={"audience": audience},
        headers={"Authorization": f"Bearer {client._Canvas__requester.access_token}"},
        timeout=60,
    )
    answer.raise_for_status()
    return answer.json()["url"]


def keep(browser, name):
    """The page as it looks now, which is not blank."""
    png = browser.screenshot()
    assert png.startswith(b"\x89PNG") and len(png) > 5_000
    if SCREENSHOTS:
        pathlib.Path(SCREENSHOTS, f"{name}.png").write_bytes(png)


def test_the_live_page_follows_the_votes(browser, classroom, poll, session):
    choices = list(poll.get_choices())
    browser.use()
    browser.open(link(classroom.teacher, session, "teacher"))
    assert browser.names("heading") == ["Which leaf is lobed?"]
    assert "No votes. The poll is open." in browser.text()
    assert browser.names("list") == ["Votes for each answer"]
    assert browser.names("status") != []
    browser.evaluate("window.stays = true")

    for number in range(7):
        choice = choices[0 if number < 4 else number % 3]
        seen(classroom.member(), session).create_submission([{"poll_choice_id": choice.id}])
    browser.see("the votes", "document.body.innerText.includes('7 votes. The poll is open.')")
    rect = f"document.querySelector('#choice-{choices[0].id} rect')"
    browser.see("the bar", f"{rect}.getAttribute('width') === '71%'")
    assert browser.evaluate("document.querySelector('[role=status]').textContent") == "7 votes. The poll is open."
    assert browser.evaluate("window.stays"), "the page was not loaded again"
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    browser.use("dark")
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5

    session.close()
    browser.see("the end", "document.body.innerText.includes('The poll is closed.')")


def test_a_student_votes_with_the_keyboard(browser, classroom, poll, session):
    student = classroom.member()
    page = link(student, session, "student")
    browser.use("dark")
    browser.open(page)
    assert browser.names("radio") == ["Oak", "Beech", "Birch"]
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    heights = browser.evaluate("[...document.querySelectorAll('label')].map((label) => label.offsetHeight)")
    assert min(heights) >= 44, "a finger needs room"
    keep(browser, "poll-vote-dark")
    browser.use("light")
    assert browser.evaluate(LEAST_CONTRAST) >= 4.5
    keep(browser, "poll-vote-light")

    browser.press("Tab", 9)
    browser.press("ArrowDown", 40)
    browser.press("Tab", 9)
    assert browser.evaluate("document.activeElement.textContent") == "Vote"
    browser.press("Enter", 13, "\r")
    browser.see("the answer", "document.body.innerText.includes('Your answer: ')")
    assert "1 vote, 100 %" in browser.text(), "the results are public"
    assert browser.evaluate("location.href") == page
    mine = seen(student, session).poll_submissions
    assert [submission["poll_choice_id"] for submission in mine] == [list(poll.get_choices())[1].id]


def test_a_student_votes_without_script(browser, classroom, poll, session):
    student = classroom.member()
    browser.use(script=False)
    browser.open(link(student, session, "student"))
    browser.evaluate("document.querySelector('input[type=radio]').click()")
    browser.evaluate("document.querySelector('button').click()")
    browser.see("the answer", "document.body.innerText.includes('Your answer: Oak')")
    assert "Look again" in browser.text()
    assert seen(student, session).has_submitted


def test_the_voting_page_notices_that_the_poll_opens_and_closes(browser, classroom, session):
    session.close()
    browser.use()
    browser.open(link(classroom.member(), session, "student"))
    assert "The poll is closed." in browser.text()
    session.open()
    browser.see("the form", "document.querySelector('form') !== null")
    session.close()
    browser.see("the end", "document.querySelector('form') === null")


PASSWORD = "analytical engine"


def login_of(client):
    """A further login of the library's user, with a password."""
    login = f"browser-{uuid.uuid4().hex}"
    answer = requests.post(
        f"{URL}/api/v1/accounts/1/logins",
        json={"user": {"id": client.get_current_user().id}, "login": {"unique_id": login, "password": PASSWORD}},
        headers={"Authorization": f"Bearer {TOKEN}"},
        timeout=60,
    )
    answer.raise_for_status()
    return login


def log_in(browser, client):
    """Fills in the form of the log-in that the browser shows, by keyboard."""
    browser.see("the log-in", "document.querySelector('h1').innerText === 'Log in'")
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    for words in [login_of(client), PASSWORD]:
        browser.press("Tab", 9)
        browser.call("Input.insertText", text=words)
    browser.press("Enter", 13, "\r")


def visit(browser, path):
    """Opens a page that leads elsewhere first."""
    browser.call("Page.navigate", url=f"{URL}{path}")


def push(browser, words):
    """Presses the button with those words."""
    button = f"[...document.querySelectorAll('button')].find((button) => button.innerText === {words!r})"
    browser.see(f"the button {words}", f"{button} !== undefined")
    browser.evaluate(f"{button}.click()")


def test_a_poll_is_run_on_a_projector(browser, classroom, poll):
    session = poll.create_session([{"course_id": classroom.course.id}])
    browser.use(width=1300, height=800)
    visit(browser, f"/polls/{poll.id}/sessions/{session.id}/live")
    log_in(browser, classroom.teacher)
    push(browser, "Open the poll")
    browser.see("the code", "document.querySelector('.code') !== null")
    assert "No votes. The poll is open." in browser.text()
    assert poll.get_session(session.id).is_published
    assert "Ada Lovelace" in browser.text(), "the page says who is signed in"
    assert [name for name in browser.names("image") if name.startswith("QR code that leads to ")]

    choices = list(poll.get_choices())
    for number in range(7):
        seen(classroom.member(), session).create_submission([{"poll_choice_id": choices[number % 3 if number > 3 else 0].id}])
    browser.see("the votes", "document.body.innerText.includes('7 votes. The poll is open.')")
    browser.see("the bars", "document.querySelector('.chart rect').getAttribute('width') === '71%'")
    browser.see("the bars at rest", "document.querySelector('.chart rect').getAnimations().length === 0")
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    assert browser.evaluate("document.documentElement.scrollHeight <= innerHeight"), "nothing is below the screen"
    lowest = "[...document.querySelectorAll('main *')].map((element) => element.getBoundingClientRect().bottom)"
    assert browser.evaluate(f"Math.max(...{lowest})") > 700, "the page fills the screen"
    sizes = "[...document.querySelectorAll('.chart span, #summary')].map((element) => getComputedStyle(element).fontSize)"
    assert min(float(size[:-2]) for size in browser.evaluate(sizes)) >= 24, "it is read from the last row"
    assert float(browser.evaluate("getComputedStyle(document.querySelector('.code')).fontSize")[:-2]) >= 40
    keep(browser, "poll-live-light")
    browser.use("dark", width=1300, height=800)
    assert browser.evaluate(LEAST_CONTRAST) >= 4.5
    keep(browser, "poll-live-dark")

    push(browser, "Hide the results until it is closed")
    browser.see("no bars", "document.querySelector('.chart svg') === null")
    assert "7 votes. The poll is open." in browser.text() and "%" not in browser.text()
    push(browser, "Close the poll")
    browser.see("the end", "document.body.innerText.includes('7 votes. The poll is closed.')")
    assert "71 %" in browser.text()
    assert not poll.get_session(session.id).is_published

    browser.use()
    assert browser.evaluate(FITS), "it is run from a telephone, too"
    heights = browser.evaluate("[...document.querySelectorAll('.controls button')].map((button) => button.offsetHeight)")
    assert min(heights) >= 40
    push(browser, "Log out")
    browser.see("the log-in", "document.querySelector('h1').innerText === 'Log in'")


def test_a_student_joins_by_the_code_on_the_wall(browser, classroom, poll, session):
    wall = requests.get(link(classroom.teacher, session, "teacher"), timeout=60).text
    code = wall.split('class="code">')[1].split("<")[0].replace(" ", "")
    assert f"/join/{code}" in wall
    student = classroom.member()
    browser.use("dark")
    visit(browser, "/join")
    log_in(browser, student)
    browser.see("the field", "document.querySelector('#code') !== null")
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    browser.evaluate("document.querySelector('#code').focus()")
    browser.call("Input.insertText", text=f"{code[:3].lower()} {code[3:].lower()}")
    browser.press("Enter", 13, "\r")
    browser.see("the question", "document.body.innerText.includes('Which leaf is lobed?')")
    assert browser.evaluate("location.pathname") == f"/polls/{poll.id}/sessions/{session.id}/vote"
    browser.evaluate("document.querySelector('input[type=radio]').click()")
    push(browser, "Vote")
    browser.see("the answer", "document.body.innerText.includes('Your answer: Oak')")
    assert seen(student, session).has_submitted
    visit(browser, "/home")
    browser.see("the home", "document.querySelector('h1').innerText.startsWith('Hello')")
    assert {"Home", "Polls", "Join a poll"} <= set(browser.names("link"))
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5


def test_somebody_else_is_told_that_the_poll_asks_others(browser, classroom, session, new_user, seen_by):
    wall = requests.get(link(classroom.teacher, session, "teacher"), timeout=60).text
    code = wall.split('class="code">')[1].split("<")[0].replace(" ", "")
    browser.use()
    visit(browser, f"/join/{code}")
    log_in(browser, seen_by(new_user("stranger")))
    browser.see("the refusal", "document.querySelector('h1').innerText === 'This poll asks others'")
    assert "Which leaf is lobed?" not in browser.text()
