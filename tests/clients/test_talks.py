"""The page on which a student talks with an AI experience, in a real browser, and with the model of demonstrations."""

import pytest
import requests

from browser import FITS, LEAST_CONTRAST
from conftest import TOKEN, URL
from test_polls import keep, log_in, push, visit

LAST = "[...document.querySelectorAll('#messages .talk > li')].at(-1)"
BUTTON = "document.querySelector('#say button')"
WHOLE = "one question at a time, until you have reached them all. Can you say more about it?"


class Talk:
    """A student, a teacher and an experience, and the way to its page."""

    def __init__(self, course, new_user, seen_by):
        self.course = course
        self.student, self.teacher = (
            self.member(seen_by, new_user(name), role)
            for name, role in [("student", "StudentEnrollment"), ("teacher", "TeacherEnrollment")]
        )
        experience = {
            "title": "A walk through the wood",
            "description": "Find out what the trees around you are",
            "learning_objectives": ["Tell a leaf from a needle", "Name three trees"],
            "pedagogical_guidance": "Ask what the student sees before you name a tree.",
            "workflow_state": "published",
        }
        answer = requests.post(
            f"{URL}/api/v1/courses/{course.id}/ai_experiences",
            json={"ai_experience": experience},
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=60,
        )
        answer.raise_for_status()
        self.path = f"/courses/{course.id}/ai_experiences/{answer.json()['id']}"

    def member(self, seen_by, user, role):
        self.course.enroll_user(user, enrollment={"type": role, "enrollment_state": "active"})
        return seen_by(user)

    def begin(self, browser):
        visit(browser, f"{self.path}/talk")
        log_in(browser, self.student)
        push(browser, "Begin the conversation")
        browser.see("the box", "document.querySelector('#message') !== null && document.readyState === 'complete'")


@pytest.fixture
def talk(course, new_user, seen_by):
    return Talk(course, new_user, seen_by)


def write(browser, text):
    browser.evaluate("document.querySelector('#message').focus()")
    browser.call("Input.insertText", text=text)


def see_answer(browser):
    browser.see("the answer", f"{LAST}.innerText.includes({WHOLE!r}) && !{LAST}.classList.contains('writing')")


def test_an_answer_grows_word_by_word_and_is_spoken_once_it_is_whole(browser, talk):
    browser.use("dark")
    talk.begin(browser)
    assert "A walk through the wood" in browser.text() and "0 of 2 objectives reached" in browser.text()
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    keep(browser, "talk-dark")
    browser.evaluate(
        """
        window.stays = true, window.seen = [], window.heard = [];
        new MutationObserver(() => seen.push(document.querySelector('.writing .text')?.textContent.length ?? 0))
          .observe(document.getElementById('messages'), { subtree: true, childList: true, characterData: true });
        new MutationObserver(() => heard.push(document.getElementById('spoken').textContent))
          .observe(document.getElementById('spoken'), { subtree: true, childList: true, characterData: true });
        """
    )
    write(browser, "I see a leaf <b>")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r", modifiers=8)
    browser.call("Input.insertText", text="with lobes.")
    assert browser.evaluate("document.querySelector('#message').value") == "I see a leaf <b>\nwith lobes.", "a new line"
    browser.press("Enter", 13, "\r")
    browser.see("the message", "document.querySelector('.you .text').textContent === 'I see a leaf <b>\\nwith lobes.'")
    browser.see("the first words", "document.querySelector('.writing .text').textContent.length > 20")
    assert browser.evaluate("document.getElementById('spoken').textContent").startswith("Your message is sent.")
    browser.call("Input.insertText", text="Meanwhile")
    see_answer(browser)
    assert browser.evaluate("window.stays"), "the page was not loaded again"
    lengths = sorted(set(browser.evaluate("window.seen")))
    assert len(lengths) > 20, "it grew in many steps"
    browser.see("what is spoken", "window.heard.at(-1).startsWith('The tutor says: [Demonstration')")
    assert len([words for words in browser.evaluate("window.heard") if words]) == 2, "not word by word"
    assert browser.evaluate("document.activeElement.id") == "message", "the focus stays"
    assert browser.evaluate("document.querySelector('#message').value") == "Meanwhile", "and what was written meanwhile"
    assert "1 of 2 objectives reached" in browser.text()
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    browser.use("light", width=1000, height=900)
    assert browser.evaluate(LEAST_CONTRAST) >= 4.5
    keep(browser, "talk-light")

    browser.press("Enter", 13, "\r")
    browser.see("the end", "document.body.innerText.includes('You have reached all objectives.')")
    push(browser, "Not helpful")
    browser.see("the vote", "document.querySelector('[aria-pressed=true]')?.innerText === 'Not helpful'")
    assert browser.evaluate("document.activeElement === document.querySelector('[aria-pressed=true]') || document.activeElement.id === 'message'")
    assert browser.evaluate("window.stays")


def test_a_message_is_given_back_where_the_connection_is_cut(browser, talk):
    browser.use()
    talk.begin(browser)
    browser.call("Network.enable")
    cut = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.call("Network.emulateNetworkConditions", offline=True, **cut)
    write(browser, "Is it an oak?")
    browser.press("Enter", 13, "\r")
    browser.see("the failure", "document.querySelector('#problem')?.innerText.startsWith('There is no connection.')")
    assert browser.evaluate("document.querySelector('#message').value") == "Is it an oak?"
    assert browser.evaluate("document.querySelectorAll('#messages .you').length") == 0
    browser.call("Network.emulateNetworkConditions", offline=False, **cut)
    browser.press("Enter", 13, "\r")
    see_answer(browser)
    assert browser.evaluate("document.querySelector('#problem').innerText") == ""
    assert browser.evaluate("document.querySelectorAll('#messages .you').length") == 1

    # Who is logged out meanwhile finds the message again after the log-in.
    browser.call("Network.clearBrowserCookies")
    write(browser, "Or a beech?")
    browser.press("Enter", 13, "\r")
    log_in(browser, talk.student)
    browser.see("the message", "document.querySelector('#message')?.value === 'Or a beech?'")


def test_a_student_talks_without_script(browser, talk):
    browser.use(script=False)
    talk.begin(browser)
    browser.evaluate("document.querySelector('#message').value = 'Is it an oak?'")
    browser.evaluate(f"{BUTTON}.click()")
    browser.see("the answer", f"{LAST}.innerText.includes({WHOLE!r})")
    assert "Is it an oak?" in browser.text() and "1 of 2 objectives reached" in browser.text()


def test_a_teacher_tries_it_and_reads_along(browser, talk):
    browser.use()
    talk.begin(browser)
    write(browser, "Is it an oak?")
    browser.press("Enter", 13, "\r")
    see_answer(browser)
    push(browser, "Log out")
    browser.see("the log-in", "document.querySelector('h1').innerText === 'Log in'")
    visit(browser, f"{talk.path}/ai_conversations")
    log_in(browser, talk.teacher)
    browser.see("the list", "document.body.innerText.includes('1 of 2 objectives reached')")
    assert browser.evaluate(FITS)
    browser.evaluate("[...document.querySelectorAll('td a')].at(-1).click()")
    browser.see("the conversation", "document.body.innerText.includes('Is it an oak?')")
    visit(browser, f"{talk.path}/talk")
    browser.see("the trial", "document.body.innerText.includes('You are trying this experience.')")
    assert "Is it an oak?" not in browser.text()
