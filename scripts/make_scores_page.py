"""Writes the tables of docs/evidence/scores.md from lines of `scripts/score.py`, with `--trust any` and `measured`.

python scripts/make_scores_page.py any.jsonl measured.jsonl
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import geometric_mean

sys.path.insert(0, str(Path(__file__).parent))

from score import ORDERED, PLACES, Score, read_lines

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "scores.md"
BEGIN, END = "<!-- written by scripts/make_scores_page.py -->", "<!-- end -->"
BUDGETS = ("chip", "routable")
HEADER = (
    "| kernel | best published | report | RTL | of the limit | inferred | measured only: report | RTL "
    "| published / measured only | at most 20 % inferred | chip | user region | SLR |\n"
    "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | --- | --- | --- |"
)

Key = tuple[str, str]


def main(words: Sequence[str]) -> int:
    free, trusted = ({(s.kernel, s.budget): s for s in read_lines(Path(word))} for word in words)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    tables = "\n".join(f"## `--budget {budget}`\n\n{_table(budget, free, trusted)}\n" for budget in BUDGETS)
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    bad = [" ".join(key) for key, score in trusted.items() if not is_trusted(score)]
    print("\n".join(f"not all measured or documented: {key}" for key in bad) or "all measured or documented")
    return int(bool(bad) or free.keys() != trusted.keys())


def is_trusted(score: Score) -> bool:
    """No share of the cycles rests on a construct that no report and no manual shows."""
    return score.evidence is not None and not score.evidence["inferred"]


def _table(budget: str, free: Mapping[Key, Score], trusted: Mapping[Key, Score]) -> str:
    both = [(score, trusted[key]) for key, score in free.items() if key[1] == budget and key in trusted]
    rows = [f"| {' | '.join(_row(score, other))} |" for score, other in both]
    return "\n".join([HEADER, *rows, "", _means(both)])


def _row(free: Score, trusted: Score) -> Iterator[str]:
    cycles, tool = free.best() or (0, "-")
    yield free.kernel
    yield f"{cycles:,} ({tool})"
    yield from _cycles(free)
    yield "-" if free.report is None else f"{free.report / (free.limit_exact or free.limit):.2f}x"
    most = "".join(f" ({name})" for name, _ in free.rests[:1])
    yield "-" if free.evidence is None else f"{100 * free.evidence['inferred']:.0f} %{most}"
    yield from _cycles(trusted)
    yield "-" if trusted.report is None else f"{cycles / trusted.report:.2f}x"
    backed = [score.report for score in (free, trusted) if score.report and score.is_backed]
    yield f"{min(backed):,}" if backed else "-"
    for place in PLACES:
        used = (trusted.used or {}).get(place)
        yield "-" if used is None else f"{used[0]} {100 * used[1]:.0f} %"


def _cycles(score: Score) -> Iterator[str]:
    if score.report is None or score.rtl is None:
        yield from (score.refused, "-")
        return
    yield f"{score.report:,}{'' if score.search == 'proved' else ' (not proved)'}"
    yield f"{score.rtl[1]:,}"


def _means(both: Sequence[tuple[Score, Score]]) -> str:
    ours = [(s.best(), s.best(ORDERED), s.report, t.report) for s, t in both]
    free = geometric_mean(best[0] / report for best, _, report, _ in ours if best and report)
    measured = geometric_mean(best[0] / report for best, _, _, report in ours if best and report)
    ordered = geometric_mean(own[0] / report for _, own, _, report in ours if own and report)
    return (
        f"Geometric mean of best published / ours: {free:.2f}x, measured only {measured:.2f}x; of Sisyphus with the "
        f"order of additions kept / ours, measured only: {ordered:.2f}x."
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
