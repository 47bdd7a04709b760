"""A running app, given by LECTERN_URL and an administrator's LECTERN_TOKEN: `cargo xtask test` sets both."""

import os
import uuid

import pytest
import requests
from canvasapi import Canvas

URL = os.environ["LECTERN_URL"]
TOKEN = os.environ["LECTERN_TOKEN"]


@pytest.fixture(scope="session")
def canvas():
    return Canvas(URL, TOKEN)


@pytest.fixture(scope="session")
def account(canvas):
    return canvas.get_account(1)


@pytest.fixture
def new_user(account):
    def create(name):
        return account.create_user({"unique_id": f"{name}-{uuid.uuid4().hex}"}, user={"name": name})

    return create


@pytest.fixture
def seen_by():
    """The library as another user would use it, with a token that may be limited."""

    def client(user, **token):
        answer = requests.post(
            f"{URL}/api/v1/users/{user.id}/tokens",
            json={"token": {"purpose": "test", **token}},
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=60,
        )
        answer.raise_for_status()
        return Canvas(URL, answer.json()["visible_token"])

    return client


@pytest.fixture
def course(account):
    return account.create_course(course={"name": "Botany", "course_code": "BOT-101"}, offer=True)


@pytest.fixture
def quiz(course):
    return course.create_quiz({"title": "Leaves", "quiz_type": "practice_quiz"})


@pytest.fixture
def browser(tmp_path):
    from browser import CHROMIUM, Browser  # Few tests need one.

    if CHROMIUM is None and not os.environ.get("CI"):
        pytest.skip("there is no Chromium on this machine")
    browser = Browser(tmp_path)
    yield browser
    browser.close()
