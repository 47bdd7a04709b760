"""The sandbox's own pages in a real browser: LECTERN_SANDBOX is the address of one that has begun with a scenario."""

import os
import pathlib

import pytest
import requests

from browser import FITS

# How the page looks is kept in docs/ by running this with SCREENSHOTS=docs.
SCREENSHOTS = os.environ.get("SCREENSHOTS")
# A picture tells no secrets, be they those of a sandbox that is gone.
CUT = """document.querySelectorAll("td, code").forEach((cell) => {
  if (!cell.children.length && /^[\\w.-]{40,}$/.test(cell.textContent.trim())) cell.textContent = cell.textContent.trim().slice(0, 12) + "…";
})"""
SANDBOX = os.environ.get("LECTERN_SANDBOX")


@pytest.mark.skipif(SANDBOX is None, reason="LECTERN_SANDBOX does not say where a sandbox is")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_the_sandbox_is_read(browser, scheme):
    if scheme == "light":
        fault = {"method": "GET", "path": "/api/v1/courses/*", "kind": "status", "status": 429, "retry_after": 2, "times": 1}
        requests.post(f"{SANDBOX}/sandbox/faults", json=fault, timeout=10).raise_for_status()
    browser.use(scheme, width=720, height=560)
    browser.open(f"{SANDBOX}/sandbox")
    assert browser.evaluate(FITS)
    browser.evaluate(CUT)
    if SCREENSHOTS:
        pathlib.Path(SCREENSHOTS, f"sandbox-{scheme}.png").write_bytes(browser.screenshot())
