"""The operator's home and the pages of deliveries in a real browser, on a telephone, in light and dark, by keyboard."""

import os
import pathlib
import sqlite3
import time
import uuid

import jwt
import pytest
import requests

from browser import FITS, LEAST_CONTRAST
from conftest import TOKEN, URL

# How the pages look is kept in docs/ by running these tests with SCREENSHOTS=docs.
SCREENSHOTS = os.environ.get("SCREENSHOTS")
DATABASE = os.environ.get("LECTERN_DATABASE")


ADMIN = {"Authorization": f"Bearer {TOKEN}"}


def post(path, headers=ADMIN, **body):
    answer = requests.post(f"{URL}{path}", headers=headers, timeout=60, **body)
    answer.raise_for_status()
    return answer.json()


def live_link():
    return post("/api/v1/operator/live_link")["url"]


@pytest.fixture
def given_up(new_user):
    """A message that no transport has taken: its subject. The database alone can make one without a service that fails."""
    if not DATABASE:
        pytest.skip("LECTERN_DATABASE does not say where the database is")
    user = new_user("ada")
    address = {"address": f"{uuid.uuid4().hex}@school.test", "type": "email"}
    channel = user.create_communication_channel(communication_channel=address, skip_confirmation=True)
    subject = f"<b>Leaves</b> {uuid.uuid4().hex[:8]}"
    with sqlite3.connect(DATABASE, timeout=60) as database:
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


@pytest.fixture(scope="module")
def delivery():
    """A delivery to a receiver that is not there: the link to the page of deliveries, and the delivery's id."""
    proxy = post("/api/lti/tool_proxies", json={"capabilities": ["vnd.vendor.webhooks.root_account.all"]})
    now, address = int(time.time()), "/api/lti/accounts/1/authorize"
    claims = {"sub": proxy["guid"], "aud": f"{URL}{address}", "iat": now, "exp": now + 60, "jti": uuid.uuid4().hex}
    grant = {
        "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer",
        "assertion": jwt.encode(claims, proxy["shared_secret"], algorithm="HS256"),
    }
    tool = {"Authorization": f"Bearer {post(address, headers={}, data=grant)['access_token']}"}
    wanted = {
        "ContextType": "account",
        "ContextId": "1",
        "EventTypes": ["SUBMISSION_CREATED", "SUBMISSION_UPDATED", "GRADE_CHANGE"],
        "Format": "live-event",
        "TransportType": "https",
        "TransportMetadata": {"Url": "http://127.0.0.1:1/grades"},
    }
    subscription = post("/api/lti/subscriptions", headers=tool, json={"subscription": wanted})
    test = post(f"/api/lti/subscriptions/{subscription['Id']}/test")["id"]
    for _ in range(1200):
        answer = requests.get(f"{URL}/api/v1/webhook_deliveries/{test}", headers=ADMIN, timeout=60).json()
        if answer["attempt_history"]:
            return post("/api/v1/webhook_deliveries/live_link")["url"], test
        time.sleep(0.05)
    pytest.fail("no attempt was made")


def is_readable(browser):
    return browser.evaluate(FITS) and browser.evaluate(LEAST_CONTRAST) >= 4.5


def test_the_home_is_read_on_a_telephone(browser):
    browser.use(width=390)
    browser.open(live_link())
    headings = browser.names("heading")
    assert headings[0] == "Operation"
    assert {"Last tick", "Webhook deliveries", "Messages", "SIS imports", "Storage", "Database"} <= set(headings)
    assert {"Language model", "Limits hit", "AI conversations", "Developer keys"} <= set(headings)
    assert "Newest content imports" in headings
    assert {"Messages given up", "Webhook deliveries", "Error reports"} <= set(browser.names("link"))
    assert is_readable(browser)
    for scheme in ["light", "dark"]:
        browser.use(scheme, width=960, height=900)
        assert is_readable(browser)
        keep(browser, f"operator-{scheme}")


def test_what_was_sent_is_read_on_a_telephone(browser, delivery):
    link, number = delivery
    browser.use(width=390)
    browser.open(link.replace("/deliveries?", f"/deliveries/{number}?"))
    assert browser.names("heading")[:2] == [f"Delivery {number}", "Attempts"]
    text = browser.text()
    for words in ["connection refused", "webhook-signature", "v1,", '"event_name":"test"']:
        assert words in text, words
    assert "ErrorCode" not in text
    assert is_readable(browser)
    for scheme in ["light", "dark"]:
        browser.use(scheme, width=720, height=960)
        assert is_readable(browser)
        keep(browser, f"delivery-{scheme}")


def test_a_wide_table_shows_that_there_is_more_and_is_moved_by_keyboard(browser, delivery):
    link, number = delivery
    browser.use(width=390)
    browser.open(link)
    table = "document.querySelector('[aria-label=Deliveries]')"
    assert browser.evaluate(f"{table}.scrollWidth > {table}.clientWidth")
    assert browser.evaluate(f"getComputedStyle({table}).backgroundImage").count("linear-gradient") == 4
    assert "local" in browser.evaluate(f"getComputedStyle({table}).backgroundAttachment")
    assert {"Subscriptions", "Deliveries"} <= set(browser.names("region"))
    assert is_readable(browser)
    browser.evaluate(f"{table}.focus()")
    assert browser.evaluate(f"document.activeElement === {table}")
    browser.press("ArrowRight", 39)
    browser.see("the rest of the table", f"{table}.scrollLeft > 0")
    browser.use("dark")
    assert is_readable(browser)
    browser.evaluate(f"[...{table}.querySelectorAll('a')].find(link => link.innerText === '{number}').focus()")
    browser.press("Enter", 13, "\r")
    browser.see("the delivery", f"document.querySelector('h1').innerText === 'Delivery {number}'")


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
