"""The results of a batch as CSV, as JUnit XML for CI, and as one HTML page; knows no job."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from jinja2 import Environment, StrictUndefined

from sisyphus.batch.compare import JobChange
from sisyphus.batch.jobs import FIGURES, REPORTED, JobResult
from sisyphus.report.page import NAMES

#: Figures in the order of their columns.
COLUMNS = ("cycles", "rtl_cycles", *FIGURES[1:])
#: Exit status of the command in words.
MEANING = {
    0: "done",
    1: "refused",
    2: "wrong usage",
    3: "no design",
    4: "wrong design",
    5: "tool failed",
    6: "out of time",
    70: "fault of sisy",
}
#: How a search ended that came to a design, in words.
ENDED = {"proved": "to its end", "time": "to its limit", "interrupted": "interrupted", "unproved": "without a proof"}
#: Figures by the names that people know.
TITLES = {"cycles": "cycles", "rtl_cycles": "cycles in RTL", **NAMES, "bytes_moved": "bytes moved"}
#: The pages of a design, the one that tells most first.
REPORTS = ("report.html", "report.md")


def tables(results: Sequence[JobResult]) -> Mapping[str, str]:
    """The files beside results.jsonl that programs read."""
    return {"results.csv": _csv(results), "junit.xml": _junit(results)}


def page(
    results: Sequence[JobResult], changed: Sequence[JobChange] = (), notes: Sequence[str] = (), out: Path | None = None
) -> str:
    """One HTML page that needs nothing else; in the folder `out` it links to the reports of the designs there."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    text = files("sisyphus.batch").joinpath("templates", "page.html.j2").read_text(encoding="utf-8")
    figures = [name for name in COLUMNS if any(name in result.figures for result in results)]
    labels = [n for n in ("kernel", "set", "device", "budget", "tree") if any(r.labels.get(n) for r in results)]
    done = sum(result.is_done for result in results)
    values = {"results": results, "figures": figures, "labels": labels, "done": done, "changed": changed}
    links = {} if out is None else {r.name: link for r in results if (link := _report_of(r, out)) is not None}
    values |= {"titles": TITLES, "ended": ENDED, "meaning": meaning, "notes": notes, "links": links}
    values |= {"reported": [name for name in REPORTED if any(name in (r.reported or {}) for r in results)]}
    return environment.from_string(text).render(values)


def _report_of(result: JobResult, out: Path) -> str | None:
    """The report of a design as a relative address, where it is there."""
    found = (f"{result.folder}/{name}" for name in REPORTS if (out / result.folder / name).is_file())
    return next((quote(path) for path in found), None)


def meaning(result: JobResult) -> str:
    """What an exit status says, in a word or two."""
    return MEANING.get(result.exit_code, f"exit {result.exit_code}")


def _csv(results: Sequence[JobResult]) -> str:
    text = io.StringIO()
    names = sorted({name for result in results for name in result.labels})
    told = [f"reported_{name}" for name in REPORTED]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", *names, "exit_code", "verified", "stop", "gap", *COLUMNS, *told, "seconds", "message"])
    for r in results:
        labels, figures = [r.labels.get(n, "") for n in names], [r.figures.get(n, "") for n in COLUMNS]
        figures += [(r.reported or {}).get(n, "") for n in REPORTED]
        seconds = r.seconds.get("total", "")
        writer.writerow([r.name, *labels, r.exit_code, r.verified, r.stop, r.gap, *figures, seconds, r.message])
    return text.getvalue()


def _junit(results: Sequence[JobResult]) -> str:
    """A test case per job: `failure` where the design is wrong, `error` where there is none."""
    wrong = [r for r in results if r.exit_code == 4]
    broken = [r for r in results if not r.is_done and r.exit_code != 4]
    counts = {"tests": str(len(results)), "failures": str(len(wrong)), "errors": str(len(broken))}
    seconds = sum(r.seconds.get("total", 0.0) for r in results)
    suite = ElementTree.Element("testsuite", {"name": "sisy batch", "time": f"{seconds:.3f}", **counts})
    for r in results:
        taken = f"{r.seconds.get('total', 0.0):.3f}"
        case = ElementTree.SubElement(suite, "testcase", classname="sisy", name=r.name, time=taken)
        if not r.is_done:
            kind = "failure" if r.exit_code == 4 else "error"
            ElementTree.SubElement(case, kind, type=meaning(r), message=_printable(r.message))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'


def _printable(text: str) -> str:
    """Without characters that XML 1.0 has no way to say."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)
