"""An attempt at a new quiz of all types, graded on its page in a real browser, with its script and without."""

import os

import pytest

from browser import FITS, LEAST_CONTRAST
from conftest import URL
from test_accessibility import AXE, findings
from test_quiz_taking import A, B, C, D, E, F, Quiz, browser, has_no_faults  # noqa: F401

ESSAY = "<p>Light <b>fades</b>.</p>"
# By the number of the question; the rest follows below.
RESPONSES = {
    1: True,
    2: A,
    3: [A, B],
    4: {A: "Paris", B: "Paris"},
    5: {A: [C], B: [D]},
    6: [B, A, C],
    7: "12",
    8: "21",
    9: {"x": 0.25, "y": 0.5},
    10: {A: "rose", B: E, C: F},
    12: ESSAY,
}


class Graded:
    """A quiz that a student has handed in, and the browser of a teacher."""

    def __init__(self, browser):
        self.browser, self.quiz = browser, Quiz()
        school = self.quiz.school
        session = school.student.post(f"{self.quiz.path}/sessions")
        items = [item for item in session["items"] if item["entry_type"] == "Item"]
        self.items = {number: item["id"] for number, item in enumerate(items, 1)}
        answers = [{"item_id": self.items[n], "response": response, "version": 0} for n, response in RESPONSES.items()]
        self.session = f"{self.quiz.path}/sessions/{session['id']}"
        school.student.send("PUT", f"{self.session}/answers", answers=answers)
        school.student.post(f"{self.session}/submit")
        self.list = f"{URL}/courses/{self.quiz.course}/assignments/{self.quiz.id}/grade"
        self.attempt = f"{self.list}/{session['id']}"
        school.sign_in(browser, school.teacher)

    def result(self):
        return self.quiz.school.teacher.send("GET", f"{self.session}/result")

    def field(self, kind, number):
        return f"document.getElementById('{kind}-{self.items[number]}')"

    def fill(self, kind, number, text):
        self.browser.evaluate(f"{self.field(kind, number)}.select()")
        self.browser.call("Input.insertText", text=text)

    def push(self, then):
        """Presses a button of the form by keyboard."""
        self.browser.evaluate(f"document.querySelector('button[value={then}]').focus()")
        self.browser.press("Enter", 13, "\r")


def test_an_attempt_is_read_and_graded(browser):  # noqa: F811
    graded = Graded(browser)
    browser.use("light", width=1280, height=900)
    browser.open(graded.list)
    assert "1 answer to grade" in browser.text()
    browser.open(graded.attempt)
    text = browser.text()
    for words in ["Question 12", "Light fades.", "25 % from the left, 50 % from the top", "France", "Seedling", "A text", "No answer"]:
        assert words in text, words
    assert browser.evaluate("document.querySelector('.answer b').innerText") == "fades"
    picture = "document.querySelector('.spot img')"
    browser.see("the image", f"{picture}.naturalWidth === 400")
    assert browser.evaluate(f"getComputedStyle({picture}.nextElementSibling).position") == "absolute"
    fields = browser.names("textbox")
    assert fields.count("Points (of 1)") == 13 and fields.count("Comment for the student") == 13
    graded.fill("points", 12, "0,75")
    graded.fill("comments", 12, "Why <so>?")
    graded.push("stay")
    browser.see("that it is saved", "document.querySelector('.note')?.innerText === 'Saved.'")
    has_no_faults(browser)
    result = graded.result()
    (essay,) = (item for item in result["items"] if item["id"] == graded.items[12])
    assert (essay["points"], essay["comment"]) == (0.75, "<p>Why &lt;so&gt;?</p>")
    assert result["workflow_state"] == "graded"
    assert browser.evaluate(graded.field("comments", 12) + ".value") == "Why <so>?"


def test_it_is_graded_on_a_telephone_without_a_script(browser):  # noqa: F811
    graded = Graded(browser)
    browser.use("dark", width=390, height=800, script=False)
    browser.call("Page.navigate", url=graded.attempt)
    browser.see("the attempt", "document.querySelectorAll('article').length >= 13")
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    graded.fill("points", 12, "much")
    graded.push("next")
    browser.see("what is wrong", "document.querySelector('[aria-invalid]') !== null")
    assert browser.evaluate("document.querySelector('[role=alert]').innerText").startswith("Nothing was saved")
    assert graded.result()["version"] == 0
    graded.fill("points", 12, "1")
    graded.push("next")
    browser.see("the list", "location.search === '?done=true' && document.querySelector('table') !== null")
    assert graded.result()["workflow_state"] == "graded"
    assert browser.evaluate(FITS)


def test_axe_finds_nothing_on_the_pages_of_grading(browser):  # noqa: F811
    if AXE is None:
        assert not os.environ.get("CI"), "LECTERN_AXE does not say where axe is"
        pytest.skip("LECTERN_AXE does not say where axe is")
    browser.call("Page.setBypassCSP", enabled=True)
    graded = Graded(browser)
    found = {}
    for scheme, width in [("light", 1280), ("dark", 390)]:
        browser.use(scheme, width=width, height=800)
        for name, address in [("list", graded.list), ("attempt", graded.attempt)]:
            browser.open(address)
            browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            found[f"{name}, {scheme}"] = findings(browser)
    assert all(not problems for problems in found.values()), found
