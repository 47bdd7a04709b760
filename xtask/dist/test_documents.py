"""The documents of a release lead to what is there: files of the tarball, headings in them, files of the repository."""

import html.parser
import posixpath
import re
import tarfile
import tomllib
from collections import Counter
from pathlib import Path

import markdown
import pytest

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["repository"]


class Page(html.parser.HTMLParser):
    """The links, the pictures and the anchors of a page, by the rules of GitHub."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.leads_to, self.anchors, self.heading = [], set(), None
        self.taken: Counter[str] = Counter()
        self.feed(markdown.markdown(text, extensions=["fenced_code", "tables"]))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.leads_to += [named[name] for name in ["href", "src"] if named.get(name)]
        self.leads_to += [one.split()[0] for one in (named.get("srcset") or "").split(",") if one.strip()]
        self.anchors |= {named[name] for name in ["id", "name"] if named.get(name)}
        if re.fullmatch("h[1-6]", tag):
            self.heading = ""

    def handle_data(self, data: str) -> None:
        if self.heading is not None:
            self.heading += data

    def handle_endtag(self, tag: str) -> None:
        if re.fullmatch("h[1-6]", tag):
            anchor = re.sub(r"[^\w\- ]", "", self.heading.strip().lower()).replace(" ", "-")
            self.anchors.add(f"{anchor}-{self.taken[anchor]}" if self.taken[anchor] else anchor)
            self.taken[anchor] += 1
            self.heading = None


@pytest.fixture(scope="module")
def files(shipped: str) -> dict[str, str | None]:
    """What is in the tarball by its path, folders too; pages with their text."""
    with tarfile.open(shipped) as archive:
        paths = {entry.name.split("/", 1)[1]: entry for entry in archive}
        texts = {
            path: archive.extractfile(entry).read().decode() if path.endswith(".md") else None
            for path, entry in paths.items()
        }
    return {str(folder): None for path in paths for folder in Path(path).parents} | texts


def test_every_link_leads_somewhere(files: dict[str, str | None]) -> None:
    # The texts of the licences of others lead where they like.
    pages = {path: Page(text) for path, text in files.items() if text is not None and path != "THIRD-PARTY.md"}
    dead, followed = [], 0
    for path, page in pages.items():
        for link in page.leads_to:
            target, _, anchor = link.partition("#")
            if own := re.match(rf"{re.escape(REPOSITORY)}/(?:blob|tree)/[^/]+/", target):
                is_there = (ROOT / target[own.end() :]).exists()
            elif re.match("[a-z]+:", target):
                continue
            else:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
                is_there = target in files and (not anchor or anchor in pages[target].anchors)
            followed += 1
            if not is_there:
                dead.append(f"{path} leads to {link}")
    assert not dead and followed > 100, "\n".join(dead)


def test_headings_are_anchors_as_on_github() -> None:
    page = Page("# The `tick`, once more!\n\n## A – b\n\n## Über_uns\n\n## A – b\n\n```sh\n# none\n```\n")
    assert page.anchors == {"the-tick-once-more", "a--b", "über_uns", "a--b-1"}
