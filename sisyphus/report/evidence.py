"""What a design rests on, as text: shares per class of evidence, and its constructs, the worst first."""

from __future__ import annotations

from collections.abc import Sequence

from sisyphus.evidence import CLASSES, Entry, entries
from sisyphus.model import Backing
from sisyphus.report.tables import Rows, markdown

SHARES_HEADER = ("figure", *reversed(CLASSES))
CONSTRUCTS_HEADER = ("construct", "evidence", "cases", "cycles", "LUT", "where")
TITLES_HEADER = ("construct", "what it is", "evidence", "cases", "source")
#: Owners that are named of one construct.
MOST_NAMED = 4


def share_rows(backing: Backing) -> Rows:
    """A row per figure: the share of it that is measured, documented and inferred."""
    return [
        (name, *(f"{100 * shares[kind]:.1f} %" for kind in reversed(CLASSES)))
        for name, shares in backing.shares.items()
    ]


def construct_rows(backing: Backing) -> Rows:
    """A row per construct, with the shares of cycles and LUTs that it takes part in."""
    rows = []
    for rested in backing.constructs:
        named = ", ".join(rested.owners[:MOST_NAMED]) or "-"
        more = "" if len(rested.owners) <= MOST_NAMED else f" and {len(rested.owners) - MOST_NAMED} more"
        shares = (f"{100 * share:.1f} %" for share in (rested.cycles, rested.lut))
        rows.append((rested.entry.id, rested.entry.evidence, _counts(rested.entry), *shares, named + more))
    return rows


def title_rows(backing: Backing) -> Rows:
    """What the constructs of a design are."""
    return [_title(rested.entry) for rested in backing.constructs]


def register_markdown() -> str:
    """The whole register as a page."""
    rows = [(*_title(e), f"`{e.function.removeprefix('sisyphus.')}`") for e in entries().values()]
    lines = [
        "# The register of constructs",
        "",
        "Made by `scripts/make_evidence_page.py` from `sisyphus/evidence/data/constructs.toml`; constructs.md beside",
        "it says more of the measured ones. *Measured*: loops or designs of public reports show the construct, and so",
        "many of all agree with the rule. *Documented*: a manual says so. *Inferred*: nothing but our conclusion; the",
        "source says what is missing.",
        "",
        *markdown((*TITLES_HEADER, "formula"), rows),
        "",
        "## Cases by id",
        "",
        "Lines of tables and names of designs: what `scripts/make_evidence_cases.py` finds by the columns of the",
        "tables and in the plans of the designs. Every measured construct has some.",
        "",
        *markdown(
            ("construct", "cases"), [(e.id, ", ".join(_in_runs(e.cases))) for e in entries().values() if e.cases]
        ),
    ]
    return "\n".join(lines) + "\n"


def _in_runs(cases: Sequence[str]) -> list[str]:
    """Neighbouring lines of one table as one text."""
    found: list[str] = []
    last = ("", 0)
    for case in cases:
        table, _, line = case.partition(":")
        if line and last == (table, int(line) - 1):
            found[-1] = f"{found[-1].partition('-')[0]}-{line}"
        else:
            found.append(case)
        last = (table, int(line or 0))
    return found


def told(backing: Backing) -> str:
    """The share of cycles that is merely inferred, in one phrase."""
    if backing.is_trusted:
        return "; every construct is measured or documented"
    share = f"{100 * backing.inferred:.0f}" if backing.inferred >= 0.005 else "less than 1"
    return f"; {share} % of the cycles rest on constructs that are only inferred"


def _title(entry: Entry) -> tuple[str, str, str, str, str]:
    return entry.id, entry.title, entry.evidence, _counts(entry), entry.source


def _counts(entry: Entry) -> str:
    return f"{entry.confirmed:,} of {entry.of:,}" if entry.of else "-"
