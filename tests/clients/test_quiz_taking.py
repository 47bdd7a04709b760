"""A new quiz of all types, taken on its page in a real browser: by keyboard and by pointer, and on a bad connection."""

import json
import os
import sqlite3
import struct
import uuid
import zlib

import pytest
import requests

from browser import CHROMIUM, FITS, LEAST_CONTRAST, Browser, until
from conftest import TOKEN, URL
from test_accessibility import AXE, School, findings

DATABASE = os.environ.get("LECTERN_DATABASE")
PASSWORD = "analytical engine"
A, B, C, D, E, F = (f"0b7c1b8e-1111-4222-8333-44445555666{number}" for number in range(1, 7))
KEYS = {"Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def png(width, height):
    """A grey picture of that size."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\x88" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def body(text):
    return f"<p>{text}</p>"


def part(id, text):
    return {"id": id, "item_body": text}


def question(slug, algorithm, data, scoring, text="Say so.", **others):
    return {
        "title": slug,
        "item_body": body(text),
        "interaction_type_slug": slug,
        "interaction_data": data,
        "scoring_data": scoring,
        "scoring_algorithm": algorithm,
        **others,
    }


def blanks(kinds):
    return "".join(f' <span id="blank_{id}"></span>' for id in kinds)


def questions(image):
    """One of each type that can be made, in the order of the tests."""
    choices = [{**part(id, body(name)), "position": place} for place, (id, name) in enumerate([(A, "Oak"), (B, "Elm"), (C, "Moss")], 1)]
    dropdown = {"id": B, "answer_type": "dropdown", "choices": [{**part(D, "red"), "position": 1}, {**part(E, "blue"), "position": 2}]}
    words = {"id": C, "answer_type": "wordbank"}
    typed = {"id": A, "answer_type": "openEntry"}
    solutions = [{"inputs": [{"name": "x", "value": "3"}], "output": "21"}]
    yield question("true-false", "Equivalence", {"true_choice": "True", "false_choice": "False"}, {"value": True})
    yield question("choice", "Equivalence", {"choices": choices}, {"value": B})
    yield question("multi-answer", "AllOrNothing", {"choices": choices}, {"value": [A, B]})
    yield question(
        "matching",
        "DeepEquals",
        {"questions": [part(A, "France"), part(B, "Spain")], "answers": ["Paris", "Madrid"]},
        {
            "value": {A: "Paris", B: "Madrid"},
            "edit_data": {
                "matches": [
                    {"question_id": A, "question_body": "France", "answer_body": "Paris"},
                    {"question_id": B, "question_body": "Spain", "answer_body": "Madrid"},
                ],
                "distractors": ["Rome"],
            },
        },
    )
    yield question(
        "categorization",
        "Categorization",
        {
            "categories": {A: part(A, "Trees"), B: part(B, "Herbs")},
            "distractors": {C: part(C, "Elm"), D: part(D, "Mint"), E: part(E, "Oak")},
            "category_order": [A, B],
        },
        {
            "value": [
                {"id": A, "scoring_data": {"value": [C, E]}, "scoring_algorithm": "AllOrNothing"},
                {"id": B, "scoring_data": {"value": [D]}, "scoring_algorithm": "AllOrNothing"},
            ],
            "score_method": "all_or_nothing",
        },
        properties={"shuffle_rules": {"questions": {"shuffled": False}}},
    )
    yield question(
        "ordering",
        "DeepEquals",
        {"choices": {A: part(A, body("Seed")), B: part(B, body("Seedling")), C: part(C, body("Flower"))}},
        {"value": [A, B, C]},
        properties={
            "top_label": "Early", "bottom_label": "Late", "include_labels": True, "display_answers_paragraph": False, "shuffle_rules": None,
        },
    )
    yield question("numeric", "Numeric", {}, {"value": [{"id": "1", "type": "exactResponse", "value": "1234.5"}]}, calculator_type="basic")
    yield question(
        "formula",
        "Numeric",
        {},
        {
            "value": {
                "formula": "7 * x",
                "numeric": {"type": "marginOfError", "margin": "0", "margin_type": "absolute"},
                "variables": [{"name": "x", "min": "3", "max": "3", "precision": 0}],
                "answer_count": "1",
                "generated_solutions": solutions,
            }
        },
        text="A shoot grows `x` cm a day. How many in a week?",
        calculator_type="scientific",
    )
    yield question(
        "hot-spot",
        "HotSpot",
        {"image_url": image},
        {"value": {"type": "square", "coordinates": [{"x": 0.4, "y": 0.4}, {"x": 0.6, "y": 0.6}]}},
    )
    yield question(
        "rich-fill-blank",
        "MultipleMethods",
        {"blanks": [typed, dropdown, words], "word_bank_choices": [part(F, "sun"), part(E, "moon")], "reuse_word_bank_choices": False},
        {
            "value": [
                {"id": A, "scoring_algorithm": "TextInChoices", "scoring_data": {"value": ["rose"], "blank_text": "rose"}},
                {"id": B, "scoring_algorithm": "Equivalence", "scoring_data": {"value": D, "blank_text": "red"}},
                {"id": C, "scoring_algorithm": "TextEquivalence", "scoring_data": {"value": "sun", "choice_id": F, "blank_text": "sun"}},
            ]
        },
        text=f"A{blanks([A, B, C])}.",
        properties={
            "shuffle_rules": {
                "blanks": {
                    "children": {
                        "0": {"children": None},
                        "1": {"children": {"choices": {"shuffled": False}}},
                        "2": {"children": {"choices": {"shuffled": False}}},
                    }
                }
            }
        },
    )
    yield question(
        "rich-fill-blank",
        "MultipleMethods",
        {"blanks": [typed]},
        {"value": [{"id": A, "scoring_algorithm": "TextInChoices", "scoring_data": {"value": ["wet"], "blank_text": "wet"}}]},
        text=f"Water is{blanks([A])}.",
        properties={"shuffle_rules": {"blanks": {"children": {"0": {"children": None}}}}},
    )
    limits = {"word_limit_enabled": True, "word_limit_min": "2", "word_limit_max": "10"}
    kinds = {"rce": False, "essay": None, "word_count": True, "file_upload": False, "spell_check": True}
    yield question("essay", "None", {**kinds, **limits}, {"value": ""})
    yield question(
        "file-upload",
        "None",
        {"files_count": "2", "restrict_count": True},
        {"value": ""},
        properties={"allowed_types": "txt,png", "restrict_types": True},
    )


class Quiz:
    """A quiz of a new school, with the stimulus of two of its questions."""

    def __init__(self, count=13, **settings):
        self.school = School()
        self.course = self.school.course.rsplit("/", 1)[1]
        self.quizzes = f"/api/quiz/v1/courses/{self.course}/quizzes"
        fields = {"title": "Leaves", "instructions": "<p>Do <b>well</b>.</p>", "published": True, "points_possible": 13}
        self.id = self.school.teacher.post(self.quizzes, quiz={**fields, "quiz_settings": settings})["id"]
        self.path = f"{self.quizzes}/{self.id}"
        self.page = f"{URL}/courses/{self.course}/assignments/{self.id}/take"
        self.fill(count)

    def image(self):
        """The address of a new image for a hot spot."""
        address = self.school.teacher.send("GET", f"{self.path}/items/media_upload_url")["url"]
        requests.put(address, data=png(400, 200), headers={"Content-Type": "image/png"}, timeout=60).raise_for_status()
        return address.split("?")[0]

    def fill(self, count):
        teacher, image = self.school.teacher, self.image()
        stimulus = teacher.post(f"{self.path}/stimuli", title="A text", body="<p>Leaves fall.</p>", orientation="left")["id"] if count > 6 else None
        for place, entry in enumerate(list(questions(image))[:count]):
            about = {"stimulus_quiz_entry_id": stimulus} if entry["interaction_type_slug"] in ("numeric", "formula") else {}
            item = {"entry_type": "Item", "points_possible": 1, "entry": entry, **about}
            made = teacher.post(f"{self.path}/items", item=item)
            if place == 10:
                self.deprecate(made)

    def deprecate(self, item):
        """Makes a blank of the kind that imports alone bring."""
        if DATABASE is None:
            return
        with sqlite3.connect(DATABASE, timeout=60) as database:
            pieces = [
                {"id": "1", "position": 1, "type": "text", "value": "Water is "},
                {"id": "2", "position": 2, "type": "blank", "blank_id": A},
            ]
            data = {"prompt": "<p>Fill in.</p>", "blanks": [{"id": A, "answer_type": "openEntry"}], "stem_items": pieces}
            sql = "UPDATE question_items SET interaction_type_slug = 'fill-blank', interaction_data = ? WHERE id = ?"
            assert database.execute(sql, (json.dumps(data), item["entry"]["id"])).rowcount == 1

    def sessions(self, caller):
        return caller.send("GET", f"{self.path}/sessions")

    def session(self, caller):
        (session,) = self.sessions(caller)
        return caller.send("GET", f"{self.path}/sessions/{session['id']}")

    def responses(self, caller):
        """The student's responses that the service has, by the number of the question."""
        items = [item for item in self.session(caller)["items"] if item["entry_type"] == "Item"]
        return {number: item["answer"]["response"] for number, item in enumerate(items, 1) if item["answer"]}


class Page:
    """The page of a quiz, as somebody uses it."""

    def __init__(self, browser, quiz, caller):
        self.browser, self.quiz, self.caller = browser, quiz, caller
        browser.call("Page.navigate", url=f"{URL}/login")
        browser.see("the log-in", "document.querySelector('#login, [name=login]') !== null")
        login = f"browser-{uuid.uuid4().hex}"
        user = caller.send("GET", "/api/v1/users/self")["id"]
        quiz.school.admin.post("/api/v1/accounts/self/logins", user={"id": user}, login={"unique_id": login, "password": PASSWORD})
        for words in [login, PASSWORD]:
            self.keys("Tab")
            self.type(words)
        self.keys("Enter")
        browser.see("the home", "location.pathname === '/home'")
        browser.open(quiz.page)

    def keys(self, *names):
        for name in names:
            self.browser.press(name, KEYS[name], {"Enter": "\r", " ": " "}.get(name, ""))

    def type(self, text):
        self.browser.call("Input.insertText", text=text)

    def focus(self, number, selector):
        """Where the keyboard is when it comes to that question."""
        article = f"[...document.querySelectorAll('article')].find((one) => one.querySelector('h2').innerText === 'Question {number}')"
        self.browser.see(selector, f"{article}?.querySelector({selector!r}) != null")
        self.browser.evaluate(f"{article}.querySelector({selector!r}).focus()")

    def push(self, words):
        """Presses the button with those words with the pointer."""
        button = f"[...document.querySelectorAll('main button')].find((one) => one.innerText === {words!r} && one.checkVisibility())"
        self.browser.see(words, f"{button} !== undefined")
        self.click(button)

    def click(self, element):
        """Presses what the expression names, where it is on the screen."""
        place = f"((one) => (one.scrollIntoView({{ block: 'center' }}), one.getBoundingClientRect().toJSON()))({element})"
        at = self.browser.evaluate(place)
        self.tap(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)

    def tap(self, x, y):
        for kind in ["mousePressed", "mouseReleased"]:
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def begin(self):
        self.browser.see("the button", "document.querySelector('#begin')?.checkVisibility() === true")
        self.push(self.browser.evaluate("document.getElementById('begin').innerText"))
        self.browser.see("the questions", "document.querySelector('#questions article') !== null")

    def see_title(self, words):
        self.browser.see(words, f"document.querySelector('#view h1')?.innerText === {words!r}")

    def see_saved(self):
        self.browser.see("all saved", "document.getElementById('saving').innerText === 'Saved'")

    def see_state(self, words):
        self.browser.see(words, f"document.getElementById('saving').innerText.startsWith({words!r})")

    def news(self):
        return self.browser.evaluate("document.getElementById('news').textContent")

    def connect(self, is_connected):
        conditions = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.browser.call("Network.emulateNetworkConditions", offline=not is_connected, **conditions)

    def upload(self, folder, name):
        file = folder / name
        file.write_text("A leaf.")
        root = self.browser.call("DOM.getDocument")["root"]["nodeId"]
        node = self.browser.call("DOM.querySelector", nodeId=root, selector="input[type=file]")["nodeId"]
        self.browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(file)])


@pytest.fixture
def browser(tmp_path):
    """A browser in which nothing escapes that the policy of a page forbids."""
    if CHROMIUM is None and not os.environ.get("CI"):
        pytest.skip("there is no Chromium on this machine")
    browser = Browser(tmp_path / "browser")
    browser.call("Network.enable")
    watch = """
        window.faults = [];
        addEventListener("error", (event) => faults.push(event.message));
        addEventListener("unhandledrejection", (event) => faults.push(String(event.reason)));
        addEventListener("securitypolicyviolation", (event) => faults.push(`${event.violatedDirective}: ${event.blockedURI}`));
    """
    browser.call("Page.addScriptToEvaluateOnNewDocument", source=watch)
    yield browser
    browser.close()


def has_no_faults(browser):
    assert browser.evaluate("window.faults") == []


def order_of(page):
    texts = page.browser.evaluate("[...document.querySelectorAll('.order li > div')].map((one) => one.innerText.trim())")
    return [{"Seed": A, "Seedling": B, "Flower": C}[text] for text in texts]


def test_all_types_by_keyboard(browser, tmp_path):
    quiz = Quiz(calculator_type="basic")
    browser.use(width=1000, height=800)
    page = Page(browser, quiz, quiz.school.student)
    browser.evaluate("document.getElementById('begin').focus()")
    page.keys("Enter")
    browser.see("the questions", "document.querySelectorAll('#questions article').length === 13")
    assert browser.evaluate("document.activeElement.innerText") == "Leaves", "the reader is led to the title"
    assert browser.names("heading")[:2] == ["Leaves", "Question 1"]

    page.focus(1, "input")
    page.keys(" ")
    page.focus(2, "input")
    page.keys("ArrowDown")
    page.focus(3, "input")
    page.keys(" ", "Tab", "Tab", " ")
    page.focus(4, "select")
    browser.evaluate("document.activeElement.value = 'Paris'; document.activeElement.dispatchEvent(new Event('change'))")
    page.focus(4, ".pair:nth-child(2) select")
    browser.evaluate("document.activeElement.value = 'Madrid'; document.activeElement.dispatchEvent(new Event('change'))")
    page.focus(5, "select")
    page.keys("ArrowDown", "Tab", "ArrowDown", "ArrowDown", "Tab", "ArrowDown")
    page.focus(6, "li:nth-child(3) button")
    page.keys("Enter")
    assert page.news().endswith("now at place 2 of 3")
    assert browser.evaluate("document.activeElement.getAttribute('aria-label').startsWith('Move up')"), "the focus goes along"
    page.keys("Enter")
    assert browser.evaluate("document.activeElement.getAttribute('aria-label').startsWith('Move down')"), "or to its neighbour at the end"
    page.focus(7, "fieldset input")
    page.type("1,234.5")
    assert "Read as 1234.5." in browser.text()
    page.focus(8, "fieldset input")
    page.type("-21")
    page.focus(9, ".spot")
    page.keys("ArrowRight", "ArrowRight", "ArrowDown")
    assert page.news() == "Your place: 51 % from the left, 51 % from the top."
    page.focus(10, "input")
    page.type("rose")
    page.keys("Tab", "ArrowDown", "Tab", "ArrowDown")
    page.focus(11, "input")
    page.type("wet")
    page.focus(12, "textarea")
    page.type("Leaves & <twigs>\nfall.\n\nAll of them.")
    assert "Words: 6 · at least 2 · at most 10" in browser.text()
    page.upload(tmp_path, "leaf.txt")
    browser.see("the file", "document.querySelector('.files li')?.innerText.includes('leaf.txt')")
    order = order_of(page)
    page.see_saved()

    names = set(browser.names("combobox")) | set(browser.names("ComboBoxMenuButton")) | set(browser.names("textbox"))
    assert {"Blank 1 of 3", "Your answer, a number", "Your answer"} <= names, names
    assert "" not in names, "every field has a name"
    responses = quiz.responses(quiz.school.student)
    file = responses.pop(13)
    assert responses == {
        1: True,
        2: B,
        3: [A, C],
        4: {A: "Paris", B: "Madrid"},
        5: responses[5],
        6: order,
        7: "1234.5",
        8: "-21",
        9: {"x": 0.51, "y": 0.51},
        10: {A: "rose", B: D, C: responses[10][C]},
        11: {A: "wet"},
        12: "<p>Leaves &amp; &lt;twigs&gt;<br>fall.</p><p>All of them.</p>",
    }
    assert responses[10][C] in (E, F)
    assert sorted(sum(responses[5].values(), [])) == [C, D, E] and set(responses[5]) == {A, B}
    name = quiz.school.student.send("GET", f"/api/v1/users/self/files/{file[0]}")["display_name"]
    assert (len(file), name) == (1, "leaf.txt")

    page.push("Check and submit")
    page.see_title("Before you submit")
    assert "All questions are answered." in browser.text()
    page.push("Submit")
    page.see_title("Submitted")
    (session,) = quiz.sessions(quiz.school.student)
    assert (session["state"], session["attempt"]) == ("submitted", 1)
    assert browser.evaluate("localStorage.length") == 0
    has_no_faults(browser)


def test_a_rich_essay_and_several_places(browser):
    quiz = Quiz(0)
    teacher = quiz.school.teacher
    spots = [{"id": id, "type": "square", "coordinates": [{"x": at, "y": 0.4}, {"x": at + 0.2, "y": 0.6}]} for id, at in [(A, 0.4), (B, 0.7)]]
    essay = {"rce": True, "essay": None, "word_count": True, "file_upload": False, "spell_check": True}
    image = {"image_url": "/courses/1/files/1/preview"}
    entries = [
        question("essay", "None", essay, {"value": ""}),
        question("hot-spot", "HotSpot", image, {"value": spots}),
    ]
    for entry in entries:
        teacher.post(f"{quiz.path}/items", item={"entry_type": "Item", "points_possible": 1, "entry": entry})
    page = Page(browser, quiz, quiz.school.student)
    page.begin()
    page.focus(1, "[contenteditable]")
    page.type("Leaves fall")
    page.click("document.querySelector('[data-tool=bullets]')")
    page.type(" in autumn")
    assert "Words: 4" in browser.text()
    page.focus(2, ".spot")
    page.keys("Enter", "ArrowRight", "Enter", "ArrowDown")
    assert page.news() == "Place 2 of 2: 50 % from the left, 51 % from the top."
    page.see_saved()
    places = [{"x": 0.51, "y": 0.5}, {"x": 0.5, "y": 0.51}]
    assert quiz.responses(quiz.school.student) == {1: "<ul><li>Leaves fall in autumn</li></ul>", 2: places}
    assert AXE is None or findings(browser) == []
    has_no_faults(browser)


def test_the_result_draws_places_and_spots(browser):
    quiz = Quiz(0)
    student, teacher = quiz.school.student, quiz.school.teacher
    spots = [
        {"id": A, "type": "square", "coordinates": [{"x": 0.4, "y": 0.4}, {"x": 0.6, "y": 0.6}]},
        {"id": B, "type": "oval", "coordinates": [{"x": 0.8, "y": 0.5}, {"x": 0.2, "y": 0.2}]},
    ]
    entry = question("hot-spot", "HotSpot", {"image_url": quiz.image()}, {"value": spots})
    teacher.post(f"{quiz.path}/items", item={"entry_type": "Item", "points_possible": 1, "entry": entry})
    session = student.post(f"{quiz.path}/sessions")
    (item,) = session["items"]
    places = [{"x": 0.5, "y": 0.5}, {"x": 0.1, "y": 0.9}]
    answers = [{"item_id": item["id"], "response": places, "version": 0}]
    student.send("PUT", f"{quiz.path}/sessions/{session['id']}/answers", answers=answers)
    student.post(f"{quiz.path}/sessions/{session['id']}/submit")

    browser.use("dark", width=360, height=640)
    page = Page(browser, quiz, student)
    page.push("Result of attempt 1")
    page.see_title("Submitted")
    browser.see("the image", "document.querySelector('.spot img').naturalWidth === 400")
    text = browser.text()
    assert "Place 2 of 2: 10 % from the left, 90 % from the top." in text
    assert "40 % to 60 % from the left, 40 % to 60 % from the top: found" in text
    assert "70 % to 90 % from the left, 40 % to 60 % from the top\n" in f"{text}\n"
    # The drawing lies on the image, however wide that is.
    left = "((one) => document.querySelector(one).getBoundingClientRect().left)"
    width = "document.querySelector('.spot img').width"
    assert abs(browser.evaluate(f"({left}('.spot rect') - {left}('.spot img')) / {width}") - 0.4) < 0.02
    assert browser.evaluate("document.querySelectorAll('.spot .marker, .spot ellipse').length") == 3
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    has_no_faults(browser)
    if AXE is not None:
        browser.call("Page.setBypassCSP", enabled=True)
        browser.open(quiz.page)
        page.push("Result of attempt 1")
        page.see_title("Submitted")
        assert findings(browser) == []

    shown = {"display_items": True, "display_item_response": True, "display_item_response_correctness": True}
    settings = {"result_view_settings": {"result_view_restricted": True, **shown}}
    teacher.send("PATCH", quiz.path, quiz={"quiz_settings": settings})
    browser.open(quiz.page)
    page.push("Result of attempt 1")
    page.see_title("Submitted")
    assert browser.evaluate("document.querySelectorAll('.marker').length") == 2
    assert browser.evaluate("document.querySelector('.spot svg')") is None


def test_the_pointer_on_a_telephone(browser, tmp_path):
    quiz = Quiz()
    browser.use("dark", width=360, height=640)
    page = Page(browser, quiz, quiz.school.student)
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    page.begin()
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    small = "[...document.querySelectorAll('label.choice, main button:not(.small)')].filter((one) => one.checkVisibility() && one.offsetHeight < 44).length"
    assert browser.evaluate(small) == 0, "a finger needs room"
    article = "document.querySelectorAll('#questions article')"
    page.click(f"{article}[0].querySelectorAll('label.choice')[1]")
    page.click(f"{article}[1].querySelectorAll('label.choice')[0]")
    page.click(f"{article}[2].querySelectorAll('label.choice')[1]")
    page.push("This order is my answer")
    order = order_of(page)
    spot = browser.evaluate(f"((one) => (one.scrollIntoView({{ block: 'center' }}), one.getBoundingClientRect().toJSON()))({article}[8].querySelector('.spot img'))")
    page.tap(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
    page.click(f"{article}[3].querySelector('header button')")
    page.see_saved()
    until("the answers", lambda: len(quiz.responses(quiz.school.student)) >= 6)
    responses = quiz.responses(quiz.school.student)
    assert (responses[1], responses[2], responses[3], responses[6], responses[4]) == (False, A, [B], order, None)
    assert abs(responses[9]["x"] - 0.5) < 0.2 and abs(responses[9]["y"] - 0.5) < 0.2
    page.push("Clear the answer")
    page.see_saved()
    until("the cleared answer", lambda: quiz.responses(quiz.school.student)[1] is None)

    page.push("Check and submit")
    page.see_title("Before you submit")
    text = browser.text()
    assert "These questions are not answered in full:" in text and "You have flagged these questions:" in text
    assert "Question 4" in text and "Question 2\n" not in text
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    page.push("Question 4")
    browser.see("the question", "document.activeElement.innerText === 'Question 4'")
    has_no_faults(browser)


def test_answers_wait_while_there_is_no_connection(browser):
    quiz = Quiz(count=3)
    browser.use(width=800, height=800)
    page = Page(browser, quiz, quiz.school.student)
    page.begin()
    page.connect(False)
    page.focus(1, "input")
    page.keys(" ")
    page.see_state("Not connected")
    assert page.news().startswith("Not connected"), "those who listen hear of it"
    assert browser.evaluate("localStorage.length") == 1
    assert quiz.responses(quiz.school.student) == {}
    page.focus(2, "input")
    page.keys("ArrowDown")
    page.connect(True)
    page.see_saved()
    assert quiz.responses(quiz.school.student) == {1: True, 2: B}
    assert browser.evaluate("localStorage.length") == 0


def test_answers_outlive_the_page(browser):
    quiz = Quiz(count=3)
    browser.use(width=800, height=800)
    page = Page(browser, quiz, quiz.school.student)
    page.begin()
    browser.call("Network.setBlockedURLs", urls=["*/sessions/*"])
    page.focus(1, "input")
    page.keys(" ")
    page.see_state("Not connected")
    browser.leave(f"{URL}/home")
    browser.call("Network.setBlockedURLs", urls=[])
    browser.open(quiz.page)
    browser.see("that it goes on", "document.getElementById('begin').innerText === 'Continue'")
    page.begin()
    assert browser.evaluate("document.querySelector('article input').checked")
    page.see_saved()
    until("the answer", lambda: quiz.responses(quiz.school.student) == {1: True})


def test_another_window_is_faster(browser):
    quiz = Quiz(count=3)
    student = quiz.school.student
    browser.use(width=800, height=800)
    page = Page(browser, quiz, student)
    page.begin()
    session = quiz.session(student)
    answers = f"{quiz.path}/sessions/{session['id']}/answers"
    item = next(item["id"] for item in session["items"] if item["interaction_type_slug"] == "choice")
    student.send("PUT", answers, answers=[{"item_id": item, "version": 0, "response": C}])
    page.focus(2, "input")
    page.keys(" ")
    browser.see("the question", "document.querySelector('[role=alert] .problem') !== null")
    assert "Question 2 was answered differently in another window. Which answer counts?" in browser.text()
    assert browser.evaluate("[...document.querySelectorAll('.problem input')].map((one) => one.checked)") == [False, False, True]
    page.push("Keep the answer of this window")
    page.see_saved()
    until("the answer", lambda: quiz.responses(student)[2] == A)
    student.send("PUT", answers, answers=[{"item_id": item, "version": 2, "response": C}])
    page.focus(2, "input:nth-of-type(1)")
    page.keys("ArrowDown")
    page.push("Take the answer of the other window")
    browser.see("it", "[...document.querySelectorAll('article')][1].querySelectorAll('input')[2].checked")
    assert quiz.responses(student)[2] == C
    has_no_faults(browser)


def test_one_question_at_a_time_and_no_way_back(browser):
    quiz = Quiz(count=3, one_at_a_time_type="question", allow_backtracking=False)
    browser.use(width=800, height=800)
    page = Page(browser, quiz, quiz.school.student)
    page.begin()
    shown = "[...document.querySelectorAll('#questions h2')].map((one) => one.innerText)"
    assert browser.evaluate(shown) == ["Question 1"]
    assert "You cannot come back to this question." in browser.text() and "Check and submit" not in browser.text()
    page.focus(1, "input")
    page.keys(" ")
    page.push("Next")
    browser.see("the next", f"{shown}.join() === 'Question 2'")
    assert browser.evaluate("document.activeElement.innerText") == "Question 2"
    page.push("Next")
    browser.see("the last", f"{shown}.join() === 'Question 3'")
    page.push("Check and submit")
    page.see_title("Before you submit")
    assert "Question 2" in browser.text() and browser.evaluate("document.querySelectorAll('#view ul button').length") == 0
    page.push("Submit")
    page.see_title("Submitted")
    has_no_faults(browser)


def test_the_time_is_told_and_submits(browser):
    quiz = Quiz(count=2, has_time_limit=True, session_time_limit_in_seconds=62)
    browser.use(width=800, height=800)
    page = Page(browser, quiz, quiz.school.student)
    page.begin()
    browser.see("the clock", "/^Time left: (1:0|0:[1-5])\\d$/.test(document.querySelector('.time').innerText)")
    browser.see("the warning", "document.getElementById('news').textContent === 'Minutes left: 1'")
    page.push("Hide the clock")
    assert not browser.evaluate("document.querySelector('.time').checkVisibility()")
    page.focus(1, "input")
    page.keys(" ")
    page.see_saved()
    # The machine sleeps until the end.
    browser.evaluate("Date.now = ((now) => () => now() + 60000)(Date.now)")
    page.see_title("Submitted")
    (session,) = quiz.sessions(quiz.school.student)
    assert session["state"] == "submitted"


def test_a_teacher_previews_a_quiz(browser):
    quiz = Quiz(count=2)
    browser.use(width=800, height=800)
    page = Page(browser, quiz, quiz.school.teacher)
    assert "This is a preview" in browser.text()
    page.begin()
    assert "Preview: the answers count for nothing." in browser.text()
    page.focus(1, "input")
    page.keys(" ")
    page.see_saved()
    page.push("Check and submit")
    page.push("Submit")
    page.see_title("Submitted")
    assert quiz.school.teacher.send("GET", f"{quiz.path}/attempts") == []
    has_no_faults(browser)


def test_a_code_is_asked_for(browser):
    quiz = Quiz(count=1, require_student_access_code=True, student_access_code="acorn")
    browser.use(width=800, height=800)
    page = Page(browser, quiz, quiz.school.student)
    assert "Access code" in browser.names("textbox")
    browser.evaluate("document.getElementById('code').focus()")
    page.type("oak")
    page.keys("Enter")
    browser.see("the refusal", "document.querySelector('#start-problem .problem') !== null")
    browser.evaluate("document.getElementById('code').value = ''")
    browser.evaluate("document.getElementById('code').focus()")
    page.type("acorn")
    page.keys("Enter")
    browser.see("the question", "document.querySelector('#questions article') !== null")


def test_a_calculator_calculates(browser):
    quiz = Quiz(count=1, calculator_type="scientific")
    browser.use(width=800, height=800)
    page = Page(browser, quiz, quiz.school.student)
    page.begin()
    page.click("document.querySelector('.calculator summary')")
    browser.evaluate("document.querySelector('.calculator input').focus()")
    page.type("2^10 + sin(30)")
    page.keys("Enter")
    browser.see("the value", "document.querySelector('.calculator output').innerText === '= 1024.5'")
    page.push("Clear")
    for key in ["7", "×", "6", "="]:
        page.push(key)
    browser.see("the value", "document.querySelector('.calculator output').innerText === '= 42'")
    page.type("7 +* alert(1)")
    page.keys("Enter")
    browser.see("the refusal", "document.querySelector('.calculator output').innerText === 'This cannot be calculated.'")
    has_no_faults(browser)


def test_without_script_the_page_says_that_it_needs_it(browser):
    quiz = Quiz(count=1)
    browser.use()
    page = Page(browser, quiz, quiz.school.student)
    browser.use(script=False)
    browser.open(quiz.page)
    assert "This page needs JavaScript" in browser.text()
    assert not browser.evaluate("document.getElementById('begin').checkVisibility()")
    assert page.browser.names("button") == ["Log out"]


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_on_any_view(browser, scheme, width):
    if AXE is None:
        assert not os.environ.get("CI"), "LECTERN_AXE does not say where axe is"
        pytest.skip("LECTERN_AXE does not say where axe is")
    quiz = Quiz(calculator_type="scientific", has_time_limit=True, session_time_limit_in_seconds=3600)
    browser.use(scheme, width=width, height=800)
    page = Page(browser, quiz, quiz.school.student)
    # The policy of the page lets no other script in.
    browser.call("Page.setBypassCSP", enabled=True)
    browser.open(quiz.page)
    found = {"start": findings(browser)}
    page.begin()
    browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found["questions"] = findings(browser)
    page.push("Check and submit")
    page.see_title("Before you submit")
    found["check"] = findings(browser)
    page.push("Submit")
    page.see_title("Submitted")
    found["result"] = findings(browser)
    browser.open(quiz.page)
    browser.see("the attempts", "document.querySelector('#sessions h2') !== null")
    found["attempts"] = findings(browser)
    assert {view: rules for view, rules in found.items() if rules} == {}


def test_the_page_is_read_at_twice_its_size_and_moves_nothing(browser):
    quiz = Quiz()
    # Twice the size leaves half of the room.
    browser.use(width=320, height=400)
    browser.call(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}, {"name": "prefers-color-scheme", "value": "light"}]
    )
    page = Page(browser, quiz, quiz.school.student)
    page.begin()
    assert browser.evaluate(FITS)
    assert browser.evaluate("document.getAnimations().length") == 0
    browser.evaluate("document.documentElement.style.fontSize = '200%'")
    assert browser.evaluate(FITS)
