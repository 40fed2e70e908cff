"""Pictures of a report page for docs/report.md, as Chromium shows it: its beginning in light, its end in dark colours.

python scripts/make_screenshots.py FOLDER [--out docs/pictures]

FOLDER has a report.html, as `sisy optimize kernels/polybench/2mm.c --pareto --html -o FOLDER` writes it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

from sisyphus.tools import run_tool

#: Pixels of a window, of what is shown of it, and how much smaller pictures are.
WIDTH, LONGEST, SHOWN, SMALLER = 1000, 12_000, 1530, 0.6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "docs" / "pictures")
    asked = parser.parse_args()
    asked.out.mkdir(exist_ok=True)
    for number, scheme in enumerate(("dark", "light")):
        whole = _shot(asked.folder / "report.html", number)
        top = 0 if scheme == "light" else whole.height - SHOWN
        shown = whole.crop((0, top, WIDTH, top + SHOWN)).resize((int(WIDTH * SMALLER), int(SHOWN * SMALLER)))
        path = asked.out / f"report-{scheme}.png"
        shown.quantize(256).save(path, optimize=True)
        print(f"{path}: {path.stat().st_size:,} bytes")
    return 0


def _shot(page: Path, scheme: int) -> Image.Image:
    """The whole page without the empty end of the window; `scheme`: 0 is dark, 1 is light."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}"]
        words += [f"--window-size={WIDTH},{LONGEST}", f"--blink-settings=preferredColorScheme={scheme}"]
        picture = Path(folder) / "page.png"
        run_tool(
            ["chromium", *words, f"--screenshot={picture}", page.resolve().as_uri()], cwd=Path(folder), timeout_s=300
        )
        with Image.open(picture) as read:
            whole = read.convert("RGB")
    empty = Image.new("RGB", whole.size, whole.getpixel((0, whole.height - 1)))
    box = ImageChops.difference(whole, empty).getbbox()
    return whole if box is None else whole.crop((0, 0, WIDTH, min(box[3] + 20, whole.height)))


if __name__ == "__main__":
    sys.exit(main())
