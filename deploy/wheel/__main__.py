"""Becomes the start script that lies beside this file."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Does not return: the script takes this process over, with its signals."""
    script = Path(__file__).parent / "app" / "lectern"
    os.execv("/bin/sh", ["/bin/sh", str(script), *sys.argv[1:]])


if __name__ == "__main__":
    main()
