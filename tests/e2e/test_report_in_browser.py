"""The report page in headless Chromium: readable in light and dark, nothing overlaps, overflows or is fetched."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from sisyphus.pipeline import Request, Source, optimize, write_page
from sisyphus.target import load_device, make_target
from sisyphus.tools import find_tool, run_tool

SOURCE = """void k(float C[16][24], const float A[16][20], const float B[20][24]) {
  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++)
    for (int l = 0; l < 20; l++) C[i][j] += A[i][l] * B[l][j];
}
"""
BROWSER = "chromium"
#: Runs in the page and leaves what it found in it.
PROBE = r"""<script>
const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => v / 255).map(
  v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
const contrast = (a, b) => {
  const [l, m] = [light(a), light(b)]; return (Math.max(l, m) + .05) / (Math.min(l, m) + .05); };
document.body.style.background = "Canvas";
const paper = getComputedStyle(document.body).backgroundColor;
const all = names => [...document.querySelectorAll(names)];
const words = all("svg text").map(e => [e.textContent, getComputedStyle(e).fill]);
const told = all("p, th, td, li, pre, h2").map(e => [e.textContent, getComputedStyle(e).color]);
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const overlaps = [];
for (const picture of all("svg")) {
  const texts = [...picture.querySelectorAll("text")], boxes = texts.map(e => e.getBoundingClientRect());
  boxes.forEach((a, i) => boxes.forEach((b, j) => {
    if (i < j && meet(a, b)) overlaps.push(texts[i].textContent + " | " + texts[j].textContent); }));
}
const covers = all("svg path").filter(e => {
  const own = e.getBoundingClientRect(), whole = e.ownerSVGElement.getBoundingClientRect();
  const fill = getComputedStyle(e).fill;
  return fill !== "none" && getComputedStyle(e).fillOpacity !== "0" && own.width > .7 * whole.width
    && own.height > .7 * whole.height; }).length;
const summaries = all("summary").filter(e => e.checkVisibility());
const found = {
  dark: matchMedia("(prefers-color-scheme: dark)").matches, paper,
  faint: [...words, ...told].filter(([, c]) => contrast(c, paper) < 4.5).map(([t]) => t.slice(0, 40)),
  overlaps, covers, pictures: all("svg").length,
  unnamed: all("figure:not([aria-label])").length,
  wide: document.documentElement.scrollWidth - innerWidth,
  fetched: all("[src], [href]").filter(e => !(e.getAttribute("src") ?? e.getAttribute("href")).startsWith("#")).length,
  deaf: summaries.filter(e => { e.focus(); return document.activeElement !== e; }).length, summaries: summaries.length,
};
document.body.innerHTML = ""; document.body.dataset.found = JSON.stringify(found);
</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a design with everything that a page shows, and a crowded front."""
    place = tmp_path_factory.mktemp("page")
    (place / "k.c").write_text(SOURCE)
    target = make_target(load_device("u200"), budget="chip")
    folder = optimize(Request(Source(str(place / "k.c")), target, verify=False)).save(place / "out")
    figures = [(900 * 2**n, max(2000 >> n, 5), 40 + n % 4, 10 * n) for n in range(14)]
    names = ("cycles", "dsp", "bram18k", "uram")
    rows = [
        {"number": at, "lut": 1234, "ff": 99} | dict(zip(names, row, strict=True)) for at, row in enumerate(figures, 1)
    ]
    (folder / "pareto.json").write_text(json.dumps({"complete": True, "front": rows}))
    return write_page(folder)


def seen(text: str, tmp_path: Path, *, dark: bool, width: int = 1000) -> dict[str, Any]:
    """What the probe finds in a page; skips where there is no browser."""
    if find_tool(BROWSER) is None:
        pytest.skip("no browser looked at the page: apt-get install chromium")
    (tmp_path / "page.html").write_text(text.replace("</body>", f"{PROBE}</body>"))
    words = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    words += [f"--window-size={width},3000", f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--dump-dom"]
    dom = run_tool([BROWSER, *words, (tmp_path / "page.html").as_uri()], cwd=tmp_path, timeout_s=300).output
    match = re.search(r'data-found="([^"]*)"', dom)
    assert match is not None, dom[-500:]
    found: dict[str, Any] = json.loads(unescape(match[1]))
    return found


@pytest.mark.parametrize(("dark", "width"), [(False, 1000), (True, 600)], ids=["light", "dark and narrow"])
def test_the_page_is_readable(page: Path, tmp_path: Path, dark: bool, width: int) -> None:
    found = seen(page.read_text(), tmp_path, dark=dark, width=width)
    assert found["dark"] is dark
    assert found["pictures"] == 5 and found["summaries"] > 4
    assert found["faint"] == [] and found["overlaps"] == []
    assert [found[name] for name in ("covers", "unnamed", "deaf", "fetched")] == [0, 0, 0, 0]
    assert found["wide"] <= 0


def test_what_cannot_be_read_is_noticed(page: Path, tmp_path: Path) -> None:
    spoiled = (
        "<style>svg text { fill: #222 !important; } table { width: 3000px; } .wide { overflow: visible !important; }"
        "</style><figure><svg width='90' height='90'><path d='M0 0H90V90H0z' fill='white'/><text y='20'>one</text>"
        "<text y='22'>two</text></svg></figure><img src='nowhere.png'></body>"
    )
    found = seen(page.read_text().replace("</body>", spoiled), tmp_path, dark=True)
    assert found["faint"] and found["overlaps"] == ["one | two"]
    assert [found[name] for name in ("covers", "unnamed", "fetched")] == [1, 1, 1] and found["wide"] > 0
