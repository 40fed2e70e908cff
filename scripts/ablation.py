"""What each lever is worth: cycles of every kernel of the published figures with each lever off, alone.

python scripts/ablation.py [--only gemm,2mm] [--budget chip] [--effort 4] [--jobs 2] [--lines FILE] [--page]

A lever is a knob of the space that has a value for designs without it (`--fix '*.ports=1'`), a form of the kernel
beside the source's, or an option of a search; the first two are listed by the package. What the design with all levers
does not use is worth nothing there and is not searched. Searches are limited by counted work, so that they find the
same on every machine. With `--lines` each search is a line of that file as soon as it is there, and what has a line is
not searched again. `--page` writes the table into docs/evidence/ablation.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from statistics import geometric_mean

sys.path.insert(0, str(Path(__file__).parent))

import searches
from score import ROOT, TARGETS, targets

from sisyphus.design import Design
from sisyphus.errors import SisyphusError, UsageError
from sisyphus.kernel_forms import load_kernels
from sisyphus.pipeline import Request, Source, optimize
from sisyphus.report.tables import markdown
from sisyphus.request import FIX_FORM, SOURCE_FORM, space_of
from sisyphus.search import MeasuredCosts, as_fixed
from sisyphus.search.check import faults
from sisyphus.solve import EXACT, Limits, Stop
from sisyphus.space import NotADesign, Space, choices, decode, levers_off
from sisyphus.target import load_device, make_target

PAGE = ROOT / "docs" / "evidence" / "ablation.md"
BEGIN, END = "<!-- written by scripts/ablation.py -->", "<!-- end -->"
#: The row of a kernel with all levers; levers that are no knob: forms other than the source's, tiles that do not divide
#: a loop; and what is off unless it is asked for, as it changes the order of additions.
ALL, FORM, RAGGED, TREES = "all", "form", "ragged", "trees"
LEVERS = (*levers_off(), RAGGED)


@dataclass(frozen=True)
class Found:
    """Cycles of the best design of a kernel with a lever off, or with trees; None where there is none.

    `asked` are the budget and the effort. Of the search with all levers, `used` are those that its design has, and
    `inferred` is the share of its cycles that rests on constructs that no report shows.
    """

    kernel: str
    lever: str
    asked: str
    cycles: int | None = None
    proved: bool = False
    used: tuple[str, ...] = ()
    inferred: float = 0.0

    @property
    def key(self) -> Key:
        return self.kernel, self.lever


Key = tuple[str, str]


def main(words: Sequence[str] | None = None) -> int:
    chosen = _arguments(words)
    if not TARGETS.exists():
        print(f"skipped: the published figures are not there ({TARGETS})", file=sys.stderr)
        return 0
    names = [row["kernel"] for row in targets(chosen.only)]
    if not names:
        return 2
    known, asked = {}, f"--budget {chosen.budget} --effort {chosen.effort:g}"
    if chosen.lines is not None and chosen.lines.exists():
        every = (json.loads(line) for line in chosen.lines.read_text(encoding="utf-8").splitlines())
        known = {one.key: one for row in every if (one := Found(**row)).asked == asked}
    fill = partial(searches.fill, known, search=partial(search, asked=asked), jobs=chosen.jobs, lines=chosen.lines)
    fill(keys=[(name, ALL) for name in names])
    ours = [known[name, ALL] for name in names]
    fill(keys=[(one.kernel, lever) for one in ours for lever in (*one.used, TREES)])
    table = told(ours, known)
    print(table)
    if chosen.page:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        text = f"{before}{BEGIN}\n\n`{asked}`:\n\n{table}\n\n{END}{rest.partition(END)[2]}"
        PAGE.write_text(text, encoding="utf-8")
    return 0


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="comma-separated kernel names")
    parser.add_argument("--budget", default="chip", choices=["chip", "platform", "routable"])
    parser.add_argument("--effort", type=float, default=4.0, help="counted work of a search, about a second each")
    parser.add_argument("--jobs", type=int, default=2, help="searches at a time, each on a core")
    parser.add_argument("--lines", type=Path, help="a file of searches, one a line, to go on from and to add to")
    parser.add_argument("--page", action="store_true", help="write docs/evidence/ablation.md")
    return parser.parse_args(words)


def search(key: Key, asked: str) -> Found:
    """The best design of a kernel with a lever off; with all levers, also which of them it uses."""
    (name, lever), (_, budget, _, effort) = key, asked.split()
    request = Request(
        Source(str(next(ROOT.glob(f"kernels/*/{name}.c")))),
        make_target(load_device("u200"), budget=budget),  # type: ignore[arg-type]
        solver=EXACT,
        limits=Limits(effort=float(effort)),
        verify=False,
    )
    try:
        design = optimize(without(request, lever))
    except SisyphusError:
        return Found(name, lever, asked)
    return Found(
        kernel=name,
        lever=lever,
        asked=asked,
        cycles=design.estimate.cycles,
        proved=design.outcome is not None and design.outcome.stop is Stop.PROVED,
        used=tuple(used(design)) if lever == ALL else (),
        inferred=design.estimate.evidence.shares["cycles"]["inferred"],
    )


def without(request: Request, lever: str) -> Request:
    """The request with a lever off, or with trees."""
    if lever.startswith(FORM):
        names = {kernel.name: None for kernel in load_kernels(request.source) if kernel.name != lever.split()[1]}
        return replace(request, fixes=(*request.fixes, FIX_FORM + ",".join(names)))
    if lever in (RAGGED, TREES):
        options = replace(request.options, **({"tiles": "divisors"} if lever == RAGGED else {"tree_reduction": True}))
        return replace(request, options=options)
    return request if lever == ALL else replace(request, fixes=(*request.fixes, levers_off()[lever]))


def used(design: Design) -> Iterator[str]:
    """The levers without which the design is none of the space."""
    if design.kernel.name != SOURCE_FORM:
        yield f"{FORM} {design.kernel.name}"
    whole = replace(design.request, options=design.space.options)
    chosen = _chosen(design.space, design)
    for lever in LEVERS:
        try:
            space = space_of(design.kernel, without(whole, lever))
            if faults(MeasuredCosts(space), design.point) or _chosen(space, design) != chosen:
                yield lever
        except (NotADesign, UsageError):
            yield lever


def _chosen(space: Space, design: Design) -> object:
    """What a space makes of what was chosen: splits, copies of tiles, and transfers."""
    point = as_fixed(space, decode(space, choices(space, design.point)))
    return [nest.split for nest in point.nests], [b.copies for b in point.buffers], point.transfers


def told(ours: Sequence[Found], known: Mapping[Key, Found]) -> str:
    """The table: a row for each kernel, and how many times as long it takes with a lever off; empty where not used."""
    levers = [
        lever for lever in (*LEVERS, FORM, TREES) if any(lever in one.used for one in ours) or lever not in LEVERS
    ]
    worth = {one.kernel: [_worth(one, lever, known) for lever in levers] for one in ours}
    rows = [[one.kernel, _cycles(one), f"{100 * one.inferred:.0f} %", *map(_times, worth[one.kernel])] for one in ours]
    means = (geometric_mean(ratio for ratio in ratios if ratio < inf) for ratios in zip(*worth.values(), strict=True))
    rows.append(["geometric mean", "", "", *map(_times, means)])
    return "\n".join(markdown(["kernel", "all levers", "inferred", *levers[:-1], f"with {TREES}"], rows))


def _worth(one: Found, lever: str, known: Mapping[Key, Found]) -> float:
    """How many times as long it takes; infinite where there is no design, 1 where the lever is not used."""
    found = next((other for key, other in known.items() if key[0] == one.kernel and key[1].split()[0] == lever), None)
    if found is None or not one.cycles:
        return 1.0
    return found.cycles / one.cycles if found.cycles else inf


def _cycles(one: Found) -> str:
    return "none" if one.cycles is None else f"{one.cycles:,}{'' if one.proved else ' (not proved)'}"


def _times(ratio: float) -> str:
    return "no design" if ratio == inf else "" if ratio == 1.0 else f"{ratio:.2f}x"


if __name__ == "__main__":
    sys.exit(main())
