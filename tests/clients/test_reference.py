"""The reference in a real browser: it is found by words and paths, and its forms call the service."""

import json

import pytest

from browser import FITS, LEAST_CONTRAST
from conftest import TOKEN, URL

OPTIONS = "[...document.querySelectorAll('[role=option]')].map((option) => option.innerText)"


def type_in(browser, selector, text):
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
    browser.call("Input.insertText", text=text)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["", "docs", "docs/polls", "docs/badges", "docs/guides/webhooks"])
def test_a_page_can_be_read_on_a_telephone(browser, scheme, page):
    browser.use(scheme)
    browser.open(f"{URL}/{page}")
    assert browser.evaluate(FITS)
    assert browser.evaluate(LEAST_CONTRAST) >= 4.5


def test_an_operation_is_found_by_the_keyboard_alone(browser):
    browser.use()
    browser.open(f"{URL}/docs")
    browser.press("/", 191, "/")
    browser.see("the search", "document.activeElement.id === 'words'")
    browser.call("Input.insertText", text="lists groups quiz")
    browser.see("results", f"{OPTIONS}.length > 0")
    first = browser.evaluate(OPTIONS)[0]
    assert first.startswith("Lists the groups of a quiz"), first
    browser.press("Enter", 13, "\r")
    browser.see("the operation", "location.pathname.endsWith('/docs/quiz-groups') && location.hash === '#list_quiz_groups'")


def test_an_address_with_ids_finds_its_operations(browser):
    browser.use()
    browser.open(f"{URL}/docs")
    type_in(browser, "#words", "/api/v1/courses/4711/quizzes/12/groups/3")
    browser.see("results", f"{OPTIONS}.length > 0")
    assert all("/groups/{id}" in option for option in browser.evaluate(OPTIONS))


def test_an_operation_is_tried(browser):
    browser.use()
    browser.open(f"{URL}/docs/oauth")
    browser.evaluate("document.querySelector('#list_personal_tokens .show button').click()")
    assert "Token kept until you leave this page" in " ".join(browser.names("textbox"))
    type_in(browser, "#list_personal_tokens-path-user_id", "self")
    send = "document.querySelector('#list_personal_tokens form').requestSubmit()"
    answer = "document.querySelector('#list_personal_tokens form').innerText"
    browser.evaluate(send)
    browser.see("a refusal", f"{answer}.includes('401')")
    type_in(browser, "#list_personal_tokens-token", TOKEN)
    browser.evaluate(send)
    browser.see("an answer", f"{answer}.includes('200') && {answer}.includes('app_name')")
    assert TOKEN not in browser.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")


def test_without_script_the_reference_still_says_everything(browser):
    browser.use(script=False)
    browser.open(f"{URL}/docs/polls")
    assert "curl" in browser.text() and "/api/v1/polls/{id}" in browser.text()
