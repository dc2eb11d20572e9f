"""The documentation is built without a warning and without a network, and asks for nothing outside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
LOADS = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=[\"'](?:https?:)?//[^\"']+[\"'][^>]*>")
# Proxies that nobody serves: whatever asks for an address fails.
NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")


class Page(HTMLParser):
    """The links of a page, and the names that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "href" and tag == "a" and value:
                self.links.add(value)
            if name == "id" and value:
                self.names.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    told = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-n", "-c", "docs/site"]
    built = subprocess.run(
        [*told, "-d", str(folder / "doctrees"), ".", str(folder / "html")],
        cwd=ROOT,
        env={**os.environ, **NOWHERE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "html"


def test_every_page_is_there(site: Path) -> None:
    sources = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "protocols").glob("*/README.md"), ROOT / "README.md"]
    missing = [path for path in sources if not (site / path.relative_to(ROOT)).with_suffix(".html").exists()]
    assert missing == []
    assert (site / "index.html").exists()


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    assert [found for page in site.rglob("*.html") for found in LOADS.findall(page.read_text())] == []


def test_every_link_inside_leads_to_a_page_and_a_name(site: Path) -> None:
    pages = {page: Page(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    broken = []
    for page, read in pages.items():
        for link in read.links:
            place, name = urldefrag(link)
            if urlsplit(place).scheme:
                continue
            target = (page.parent / unquote(place)).resolve() if place else page
            known = pages[target].names if target in pages else set()
            if not target.exists() or (name and target in pages and unquote(name) not in known):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert broken == []


def test_a_search_finds_stages_and_flags(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for word in ("anl", "judge_model", "fail_und"):
        assert word in index, word
