"""The operator's home in a real browser, on a telephone, in light and dark, by keyboard."""

import os
import pathlib
import sqlite3
import uuid

import pytest
import requests

from browser import FITS, LEAST_CONTRAST
from conftest import TOKEN, URL

SCREENSHOTS = os.environ.get("SCREENSHOTS")
DATABASE = os.environ.get("LECTERN_DATABASE")


def live_link():
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = requests.post(f"{URL}/api/v1/operator/live_link", headers=headers, timeout=10)
    answer.raise_for_status()
    return answer.json()["url"]


@pytest.fixture
def given_up(new_user):
    """A message that no transport has taken: its subject. The database alone can make one without a service that fails."""
    if not DATABASE:
        pytest.skip("LECTERN_DATABASE does not say where the database is")
    user = new_user("ada")
    address = {"address": f"{uuid.uuid4().hex}@school.test", "type": "email"}
    channel = user.create_communication_channel(communication_channel=address, skip_confirmation=True)
    subject = f"<b>Leaves</b> {uuid.uuid4().hex[:8]}"
    with sqlite3.connect(DATABASE, timeout=30) as database:
        database.execute(
            """INSERT INTO messages (root_account_id, channel_id, type, recipient, notification, subject, body, state,
                                     due_at, attempts, failure, created_at)
               SELECT root_account_id, id, type, address, 'new_announcement', ?, 'Hello', 'dead', '2026-01-01T00:00:00Z',
                      9, 'the service answered 550', '2026-01-01T00:00:00Z'
               FROM communication_channels WHERE id = ?""",
            (subject, channel.id),
        )
    database.close()
    return subject


def is_readable(browser):
    return browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5


def test_the_home_is_read_on_a_telephone(browser):
    browser.use(width=390)
    browser.open(live_link())
    headings = browser.names("heading")
    assert headings[0] == "Operation"
    assert {"Last tick", "Webhook deliveries", "Messages", "SIS imports", "Storage", "Database"} <= set(headings)
    assert {"Messages given up", "Webhook deliveries", "Error reports"} <= set(browser.names("link"))
    assert is_readable(browser)
    keep(browser, "operator-light")
    browser.use("dark", width=1200)
    assert is_readable(browser)
    keep(browser, "operator-dark")


@pytest.mark.parametrize("link", ["Messages given up", "Webhook deliveries", "Error reports"])
def test_the_home_leads_to_the_other_pages_by_keyboard(browser, link):
    browser.use()
    browser.open(live_link())
    for _ in range(10):
        browser.press("Tab", 9)
        if browser.evaluate("document.activeElement.textContent") == link:
            break
    assert browser.evaluate("document.activeElement.textContent") == link
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press("Enter", 13, "\r")
    browser.see(link, f"document.querySelector('h1').innerText === '{link}'")
    assert is_readable(browser)


def test_a_message_is_sent_again_in_a_browser(browser, given_up):
    browser.use()
    browser.open(live_link().replace("/operator?", "/operator/outbox?"))
    browser.see("the message", f"document.body.innerText.includes({given_up!r})")
    assert "the service answered 550" in browser.text()
    assert is_readable(browser)
    keep(browser, "outbox-light")
    browser.use("dark")
    assert is_readable(browser)
    row = f"[...document.querySelectorAll('tbody tr')].find(row => row.innerText.includes({given_up!r}))"
    assert browser.evaluate(f"{row}.querySelector('button').getAttribute('aria-label')").startswith("Send message ")
    browser.evaluate(f"{row}.querySelector('button').click()")
    browser.see("that it is due again", "document.body.innerText.includes('Due again')")
    assert given_up not in browser.text()
    assert is_readable(browser)


def keep(browser, name):
    if SCREENSHOTS:
        pathlib.Path(SCREENSHOTS, f"{name}.png").write_bytes(browser.screenshot())
