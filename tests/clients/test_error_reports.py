"""Error reports as canvasapi sends them, and the page of administrators in a real browser."""

import os
import pathlib

import pytest
import requests
from canvasapi.exceptions import BadRequest, Forbidden, InvalidAccessToken
from canvasapi.util import combine_kwargs

from browser import FITS, LEAST_CONTRAST
from conftest import TOKEN, URL

SCREENSHOTS = os.environ.get("SCREENSHOTS")


def create_error_report(client, **report):
    """The library has no call for it; this is how its calls are made."""
    requester = client._Canvas__requester
    return requester.request("POST", "error_reports", _kwargs=combine_kwargs(error=report)).json()


def call(method, path, **parameters):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = requests.request(method, f"{URL}/api/v1/{path}", headers=headers, timeout=60, **parameters)
    answer.raise_for_status()
    return answer.json()


@pytest.fixture
def student(new_user, seen_by):
    return seen_by(new_user("ada"))


def test_a_report_is_filed_and_worked_through(student):
    filed = create_error_report(
        student,
        subject="Submit does nothing",
        comments="I have tried it twice.",
        url="https://lms.test/courses/7?access_token=s3cret",
        user_perceived_severity="workaround_possible",
        user_roles=["user", "student"],
        http_env={"HTTP_USER_AGENT": "Firefox", "screen": {"width": 800}},
    )
    assert filed == {"logged": True, "id": filed["id"]}
    report = call("GET", f"error_reports/{filed['id']}")
    assert report["user_id"] == student.get_current_user().id
    assert report["user_roles"] == "user,student"
    assert report["url"] == "https://lms.test/courses/7?access_token=[FILTERED]"
    assert report["http_env"] == {"HTTP_USER_AGENT": "Firefox", "screen": {"width": "800"}}
    assert call("PUT", f"error_reports/{filed['id']}", data={"workflow_state": "closed"})["workflow_state"] == "closed"


def test_the_environment_is_that_of_the_library(student):
    filed = create_error_report(student, subject="It broke")
    environment = call("GET", f"error_reports/{filed['id']}")["http_env"]
    assert "canvasapi" in environment["HTTP_USER_AGENT"]
    assert not any("AUTHORIZATION" in name for name in environment)


def test_what_is_refused_becomes_an_exception(student):
    with pytest.raises(BadRequest, match=r"error\[subject\] is missing"):
        create_error_report(student, comments="without a subject")
    with pytest.raises(Forbidden):
        student._Canvas__requester.request("GET", "error_reports")
    student._Canvas__requester.access_token = "none of ours"
    with pytest.raises(InvalidAccessToken):
        create_error_report(student, subject="It broke")


def test_a_report_is_closed_in_a_browser(browser, student):
    subject = f"Submit does nothing {os.urandom(4).hex()}"
    create_error_report(student, subject=subject, comments="I have tried it twice.", user_perceived_severity="not_urgent")
    link = call("POST", "error_reports/live_link")["url"]
    browser.use(width=1000)
    browser.open(f"{link}&search_term={subject.split()[-1]}")
    assert browser.names("heading") == ["Error reports"]
    assert {"State", "Severity", "In the subject"} <= set(browser.names("combobox") + browser.names("searchbox"))
    assert browser.evaluate("document.querySelectorAll('tbody tr').length") == 1
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    keep(browser, "error-reports-light")
    browser.use("dark")
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    browser.evaluate("document.querySelector('tbody a').click()")
    browser.see("the report", "document.querySelector('h1').innerText.startsWith('Submit does nothing')")
    assert browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5
    browser.evaluate("document.querySelector('textarea').value = 'Works again'")
    browser.evaluate("document.querySelector('form button').click()")
    browser.see("that it is closed", "document.body.innerText.includes('Open it again')")
    assert browser.evaluate("document.querySelector('textarea').value") == "Works again"
    keep(browser, "error-report-dark")


def keep(browser, name):
    if SCREENSHOTS:
        pathlib.Path(SCREENSHOTS, f"{name}.png").write_bytes(browser.screenshot())
