"""What several tests of what is shipped need."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shipped() -> str:
    """The tarball that `cargo xtask dist` has packed."""
    if "LECTERN_DIST" not in os.environ:
        pytest.skip("LECTERN_DIST names no folder of packages")
    [archive] = Path(os.environ["LECTERN_DIST"]).glob("*.tar.gz")
    return str(archive)


@pytest.fixture(scope="session")
def installed() -> Callable[[str], str]:
    """Where a program is, of the package of that name. `cargo xtask test` demands all of them before it begins where
    `CI` is set; a release is also packed where some are missing."""

    def where(program: str) -> str:
        found = shutil.which(program, path=os.environ["PATH"] + os.pathsep + "/usr/sbin")
        return found or pytest.skip(f"there is no {program} (apt-get install {program})")

    return where
