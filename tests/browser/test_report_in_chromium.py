"""A report in a real browser: clicks and keys, hostile texts everywhere, a hundred thousand rows."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from browser import BINARY, Page, browser, drive
from report_pages import LETTERS, PIXEL, letters, sample, scored, wordy

from mmeval.reports.html.report import Wanted, write

pytestmark = pytest.mark.skipif(
    not BINARY, reason="needs a browser: MMEVAL_CHROMIUM names none (scripts/browser installs one)"
)

ROWS = "[...document.querySelectorAll('.grid-body .grid-row')].length"
STATUS = "document.querySelector('.status').textContent"
FIRST = "document.querySelector('.grid-body .grid-row .col-id').textContent"
FOCUSED = "document.activeElement.closest('.grid-row')?.querySelector('.col-id').textContent"
PANEL = "(document.querySelector('.trace')?.textContent ?? '')"
PAYLOADS = (
    "<script>window.hit=1</script>",
    '<img src=x onerror="window.hit=1">',
    "</script><script>window.hit=1</script>",
    "<!--<script>",
    "\"'><svg onload=window.hit=1>",
    "javascript:window.hit=1",
    "\u2028window.hit=1\u2029",
    "${window.hit=1}{{window.hit=1}}",
    "__proto__",
    "constructor",
)
# What the scorer itself writes: a closed list of words, or a hash.
OWN = ("status", "outcome", "sha256", "schema_version")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of one benchmark and one of another, with boxes and pictures."""
    folder = tmp_path_factory.mktemp("report")
    for name, habit in (("first", 1), ("second", 3)):
        scored(folder / "runs" / name, letters(1200, habit), LETTERS)
    boxes = {
        "dataset_name": "Boxes",
        "score_pipeline": ["box-ap"],
        "score_aggregates": [{"name": "AP", "reduce": "box-ap", "headline": True}],
    }
    said = '[{"bbox_2d": [100, 100, 300, 300], "label": "bird", "score": 0.%d}]'
    gold = [{"bbox": [20, 10, 40, 20], "label": "bird"}]
    media = {"width": 200, "height": 100, "media": ["pictures/a b#1.png"]}
    scored(folder / "runs" / "boxes", [sample(n, gold, said % (9 - n), **media) for n in range(3)], boxes)
    counts = {
        "dataset_name": "Counts",
        "score_pipeline": ["count-parse"],
        "score_aggregates": [{"name": "accuracy", "reduce": "mean", "headline": True}],
    }
    numbers = [sample(n, str(n), str(n + n % 2), question_type="numeric") for n in range(8)]
    scored(folder / "runs" / "counts", numbers, counts)
    (folder / "runs" / "boxes" / "pictures").mkdir()
    (folder / "runs" / "boxes" / "pictures" / "a b#1.png").write_bytes(PIXEL)
    write(Wanted([folder / "runs"], folder / "report.html"))
    return folder / "report.html"


def clean(page: Page, path: Path) -> None:
    """Nothing complained, nothing asked, nothing was fetched but the page and what lies beside it."""
    assert page.complaints == []
    assert page.dialogs == []
    foreign = [
        url
        for url in page.requests
        if not url.startswith((path.parent.as_uri(), "data:image/", "about:blank"))
    ]
    assert foreign == []


def test_a_path_through_the_report(report: Path) -> None:
    async def walk() -> None:
        async with browser() as page:
            await page.open(report)
            assert await page.run("document.querySelectorAll('tbody tr').length") == 4
            await page.click("a[href='#/run/2']")
            await page.until(f"{ROWS} > 20")
            assert await page.run(ROWS) < 60, "only the rows in view exist"
            assert await page.run(STATUS) == "1,200 of 1,200 samples"

            await page.choose("#f-verdict", "=wrong")
            wrong = int((await page.run(STATUS)).split(" ")[0].replace(",", ""))
            assert 0 < wrong < 1200
            await page.choose("#f-group", '["kind","far"]')
            assert int((await page.run(STATUS)).split(" ")[0].replace(",", "")) < wrong

            await page.click(".col-id button")
            first = int(await page.run(FIRST))
            await page.click(".col-id button")
            assert int(await page.run(FIRST)) > first
            sort = "document.querySelector('.grid-head .col-id').getAttribute('aria-sort')"
            assert await page.run(sort) == "descending"

            chosen = await page.run(FIRST)
            await page.click(".grid-body .grid-row")
            await page.until(f"{PANEL}.includes('Sample {chosen}')")
            panel = await page.run(PANEL)
            assert f"Question {chosen}:" in panel
            assert "rule-match (version" in panel
            assert "wrong, score 0" in panel
            assert await page.run("document.querySelector('.said mark').textContent") in "ABCD"
            await page.key("Escape")
            await page.until(f"{PANEL} === ''")
            assert await page.run(FOCUSED) == chosen, "the focus is where it was"
            await page.click(".filters button")
            assert await page.run(STATUS) == "1,200 of 1,200 samples"
            clean(page, report)

    drive(walk())


def test_keys_alone(report: Path) -> None:
    async def walk() -> None:
        async with browser() as page:
            await page.open(report, "#/run/2")
            await page.key("/")
            assert await page.run("document.activeElement.id") == "search"
            await page.type("question 77")
            await page.until(f"{STATUS}.startsWith('11 of')")
            await page.key("Escape")
            assert await page.run(FOCUSED) == "77"
            for _ in range(3):
                await page.key("ArrowDown")
            assert await page.run(FOCUSED) == "772"
            await page.key("ArrowUp")
            await page.key("Enter")
            await page.until(f"{PANEL}.includes('Sample 771')")
            await page.key("j")
            await page.until(f"{PANEL}.includes('Sample 772')")
            await page.key("Escape")
            await page.until(f"{PANEL} === ''")
            await page.key("End")
            assert await page.run(FOCUSED) == "779"
            await page.key("Home")
            assert await page.run(FOCUSED) == "77"
            clean(page, report)

    drive(walk())


def test_two_runs_of_one_benchmark(report: Path) -> None:
    async def walk() -> None:
        async with browser() as page:
            await page.open(report, "#/run/2/sample/5")
            await page.choose("#f-other", "3")
            await page.until(f"!{STATUS}.startsWith('1,200 of')")
            different = int((await page.run(STATUS)).split(" ")[0].replace(",", ""))
            first, second = (
                {row["eval-id"]: row["score"] for row in json.loads(path.read_text())["samples"]}
                for path in (report.parent / "runs" / name / "score.json" for name in ("first", "second"))
            )
            assert different >= sum(first[key] != second[key] for key in first) > 0
            await page.choose("#f-change", "better")
            better = int((await page.run(STATUS)).split(" ")[0].replace(",", ""))
            assert better == sum(first[key] > second[key] for key in first)
            await page.click(".grid-body .grid-row")
            await page.until(f"{PANEL}.includes('In second')")
            clean(page, report)

    drive(walk())


def test_charts_pictures_and_both_themes(report: Path, tmp_path: Path) -> None:
    async def walk(dark: bool) -> str:
        async with browser(dark) as page:
            await page.open(report, "#/run/0/sample/0")
            await page.until("!!document.querySelector('.overlay image')")
            assert (
                await page.run("document.querySelectorAll('.overlay .box-said, .overlay .box-gold').length")
                == 2
            )
            assert "pictures/a%20b%231.png" in await page.run(
                "document.querySelector('image').getAttribute('href')"
            )
            names = "[...document.querySelectorAll('figcaption')].map((n) => n.textContent).join('|')"
            assert "Precision and recall of boxes" in await page.run(names)
            await page.picture(tmp_path / "boxes.png")
            await page.open(report, "#/run/1")
            assert "Said against gold|Share of numeric rows within a relative error" in await page.run(names)
            await page.open(report, "#/benchmark/2")
            assert "Mean score by kind" in await page.run(names)
            assert await page.run("document.querySelectorAll('.series-1').length") > 3, "both runs are drawn"
            await page.open(report)
            colour: str = await page.run("getComputedStyle(document.body).backgroundColor")
            await page.click("#theme")
            assert await page.run("document.documentElement.dataset.theme") == "dark"
            assert await page.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
            assert (tmp_path / "boxes.png").stat().st_size > 10_000
            clean(page, report)
            return colour

    assert drive(walk(False)) == "rgb(255, 255, 255)"
    assert drive(walk(True)) == "rgb(20, 23, 28)"


def test_everything_has_a_name_and_shows_its_focus(report: Path) -> None:
    named = {"button", "link", "searchbox", "combobox", "image", "grid", "dialog", "table", "region", "img"}

    async def walk() -> None:
        async with browser() as page:
            for anchor in ("", "#/benchmark/2", "#/run/0/sample/1", "#/run/2/sample/3"):
                await page.open(report, anchor)
                tree = (await page.send("Accessibility.getFullAXTree"))["nodes"]
                nodes = [node for node in tree if not node["ignored"] and node["role"]["value"] in named]
                assert len(nodes) > 3
                assert [node for node in nodes if not node.get("name", {}).get("value", "").strip()] == []
            seen = set()
            for _ in range(25):
                await page.key("Tab")
                ring = await page.run(
                    "(() => {const n = document.activeElement, s = getComputedStyle(n);"
                    "return [n.tagName, s.outlineStyle, parseInt(s.outlineWidth), n.id || n.textContent];})()"
                )
                if ring[0] == "BODY":
                    continue  # Behind the last element the browser's own controls come.
                seen.add(tuple(ring))
                assert ring[1] == "solid", ring
                assert ring[2] >= 2, ring
            assert len(seen) > 12
            assert await page.run("document.documentElement.lang") == "en"

    drive(walk())


def poisoned(value: Any, number: list[int]) -> Any:
    """The same JSON with a payload in every text and in every name of a dataset's own."""
    if isinstance(value, str):
        number[0] += 1
        return f"{value}{PAYLOADS[number[0] % len(PAYLOADS)]}"
    if isinstance(value, list):
        return [poisoned(each, number) for each in value]
    if isinstance(value, dict):
        return {name: each if name in OWN else poisoned(each, number) for name, each in value.items()}
    return value


def test_hostile_texts_in_every_field(tmp_path: Path) -> None:
    folder = tmp_path / "<img src=x onerror=window.hit=1>"
    rows = [
        sample(
            f"{number}{payload}",
            payload,
            f"{payload} {payload}",
            question=payload,
            options={"A": payload, "B": "b"},
            media=[payload, f"data:image/svg+xml,{payload}", f"https://example.invalid/{payload}"],
            **{"kind": payload, "constructor": payload},
        )
        for number, payload in enumerate(PAYLOADS)
    ]
    by = {"name": "accuracy", "reduce": "mean", "by": ["kind", "constructor"], "headline": True}
    meta = {**LETTERS, "dataset_name": PAYLOADS[1], "subset": PAYLOADS[0], "score_aggregates": [by]}
    told = json.loads(scored(folder / "plain", rows, meta).read_text(encoding="utf-8"))
    wild = folder / "wild"
    wild.mkdir()
    (wild / "score.json").write_text(json.dumps(poisoned(told, [0])), encoding="utf-8")
    judged = poisoned(told, [3])
    call = {
        "prompt": "p",
        "asked": "a",
        "model": "m",
        "reply": "r",
        "label": "l",
        "replicate": 1,
        "attempt": 1,
    }
    call |= {"prompt_tokens": 1, "completion_tokens": 1, "logprob": None, "why": "w", "swapped": True}
    for row in judged["samples"]:
        for step in row["trace"]:
            step["judge"] = [poisoned(call, [number]) for number in range(len(PAYLOADS))]
    judged["summary"]["judge"] = {"asked": 1, "replies": 1, "failures": {PAYLOADS[1]: 1}, "prompt_tokens": 1}
    judged["summary"]["judge"] |= {"completion_tokens": 1, "cost_usd": 1.0}
    judged["config"] |= {
        "judge_provider": PAYLOADS[0],
        "judge_model": PAYLOADS[1],
        "judge_prompts": {PAYLOADS[1]: "x"},
    }
    judged["summary"]["groups"] = {
        PAYLOADS[1]: {PAYLOADS[0]: 0.5, "__proto__": 0.4},
        "constructor": {"a": 1.0},
    }
    (folder / "judged").mkdir()
    (folder / "judged" / "score.json").write_text(json.dumps(judged), encoding="utf-8")
    path = write(Wanted([folder], tmp_path / "report.html")).page

    async def walk() -> None:
        async with browser() as page:
            await page.open(path)
            scripts = await page.run("document.scripts.length")
            anchors = ["", *(f"#/benchmark/{n}" for n in range(3)), *(f"#/run/{n}" for n in range(3))]
            anchors += [f"#/run/{run}/sample/{row}" for run in range(3) for row in range(len(rows))]
            for anchor in anchors:
                await page.run(f"location.hash = {anchor!r}")
                await page.until(f"document.documentElement.dataset.ready === {(anchor or '#')!r}")
            await page.key("/")
            await page.type("<img src=x onerror=")
            await page.until(f"/^[1-9][0-9]* of 10 samples$/.test({STATUS})")
            await asyncio.sleep(0.2)
            assert await page.run("window.hit") is None
            assert await page.run("document.scripts.length") == scripts
            assert await page.run("document.querySelectorAll('iframe, object, embed, main img').length") == 0
            handlers = "[...n.attributes].some((a) => /^on/.test(a.name))"
            handlers = f"[...document.querySelectorAll('*')].filter((n) => {handlers}).length"
            assert await page.run(handlers) == 0
            clean(page, path)

    drive(walk())


@pytest.mark.slow
def test_a_hundred_thousand_samples(tmp_path: Path) -> None:
    scored(tmp_path / "runs" / "many", wordy(100_000), LETTERS)
    done = write(Wanted([tmp_path / "runs"], tmp_path / "report.html"))
    assert done.size < 60_000_000

    async def walk() -> dict[str, float]:
        async with browser() as page:
            blank = tmp_path / "blank.html"
            blank.write_text("<script>document.documentElement.dataset.ready = '#'</script>")
            took = {}
            for name, path, anchor in (
                ("blank", blank, ""),
                ("runs", done.page, ""),
                ("samples", done.page, "#/run/0"),
            ):
                start = time.perf_counter()
                await page.open(path, anchor)
                took[name] = time.perf_counter() - start
            took["frame"] = await page.run(
                "(async () => {const v = document.querySelector('.grid-view'), start = performance.now();"
                "for (let n = 0; n < 100; n += 1) {v.scrollTop = v.scrollHeight * n / 100;"
                "await new Promise((done) => requestAnimationFrame(done));}"
                "return (performance.now() - start) / 100;})()"
            )
            assert await page.run(ROWS) < 60
            await page.run("document.querySelector('.grid-view').scrollTop = 1e9")
            await page.until("!!document.querySelector('.grid-body [data-row=\"99999\"]')")
            clean(page, done.page)
            return took

    took = drive(walk())
    print({name: round(value, 3) for name, value in took.items()}, f"{done.size / 1e6:.1f} MB")
    slack = 2.0 if (os.cpu_count() or 1) < 4 else 1.0
    assert took["runs"] - took["blank"] < 5 * slack
    assert took["samples"] - took["blank"] < 5 * slack
    assert took["frame"] < 100 * slack
