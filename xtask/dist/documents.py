"""The documents of a release: pages with their pictures. Where a page leads to what only the repository has, it leads
there in a release, to the state of its tag."""

import posixpath
import re
from pathlib import Path

LINK = re.compile(r"(?<=\]\()[^()\s#]+")
SCHEME = re.compile(r"[a-z]+:")


def released(root: Path, rest: set[str], source: str) -> dict[str, bytes]:
    """The documents by their paths. `rest` is what else is in the release, `source` the address of the repository with
    a place for `tree` or `blob`."""
    paths = [root / "CHANGELOG.md", root / "README.md", *(root / "docs").rglob("*")]
    contents = {str(path.relative_to(root)): path.read_bytes() for path in paths if path.is_file()}
    shipped = rest | contents.keys()
    shipped |= {str(folder) for path in shipped for folder in Path(path).parents}

    def led(page: str, text: str) -> str:
        def address(found: re.Match[str]) -> str:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), found[0]))
            if SCHEME.match(found[0]) or target in shipped or not (root / target).exists():
                return found[0]
            return f"{source.format('tree' if (root / target).is_dir() else 'blob')}/{target}"

        return LINK.sub(address, text)

    pages = {path: led(path, content.decode()) for path, content in contents.items() if path.endswith(".md")}
    return contents | {path: text.encode() for path, text in pages.items()}
