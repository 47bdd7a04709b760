"""The page of a sandbox in a real browser."""

import os
import pathlib

import pytest
from lectern.testing import start

from browser import FITS

# How the page looks is kept in docs/ by running this with SCREENSHOTS=docs.
SCREENSHOTS = os.environ.get("SCREENSHOTS")
# A picture tells no secrets, be they those of a sandbox that is gone.
CUT = """document.querySelectorAll("td, code").forEach((cell) => {
  if (!cell.children.length && /^[\\w.-]{40,}$/.test(cell.textContent.trim())) cell.textContent = cell.textContent.trim().slice(0, 12) + "…";
})"""


@pytest.fixture(scope="module")
def sandbox():
    with start() as sandbox:
        sandbox.ask("POST", "/sandbox/faults", {"method": "GET", "path": "/api/v1/courses/*", "kind": "status", "status": 429})
        yield sandbox


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_the_sandbox_is_read(browser, sandbox, scheme):
    browser.use(scheme, width=720, height=560)
    browser.open(f"{sandbox.address}/sandbox")
    assert browser.evaluate(FITS)
    rows = browser.evaluate("document.body.innerText")
    assert sandbox.address in rows and sandbox.tokens["admin"] in rows
    browser.evaluate(CUT)
    if SCREENSHOTS:
        pathlib.Path(SCREENSHOTS, f"sandbox-{scheme}.png").write_bytes(browser.screenshot())
