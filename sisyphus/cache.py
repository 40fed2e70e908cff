"""Finished searches on disk: the same question is answered at once; chooses nothing, and knows no command.

An entry is a file of its own, written whole. What cannot be read, or does not fit the kernel, is no entry: the search
is made again. A proved answer holds for any time limit, any other one for the limit that it was found within; an
interrupted search is no answer.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sisyphus.backends.hls import whole_text
from sisyphus.errors import SisyphusError
from sisyphus.files import locked, parts_of, write_file
from sisyphus.ir.scop_text import whole_text_of
from sisyphus.part_search import Choice
from sisyphus.parts import Known
from sisyphus.report import Front, Moment, Rated, Remembered
from sisyphus.request import Kernel, Request, estimate_of, space_of_point
from sisyphus.saved import fitted, read_data
from sisyphus.settings import user_cache
from sisyphus.solve import SolveOutcome, Stop, find_adapter
from sisyphus.space import DesignPoint
from sisyphus.target import Target
from sisyphus.values import asdict, dataclass
from sisyphus.versions import versions

FORMAT_VERSION = 1
#: In the environment: neither look nor keep.
OFF = "SISY_NO_CACHE"
#: Entries that are kept, the newest; one takes some 10 kB.
MOST = 1000
#: Solvers without a version of their own.
OWN = ("auto", "exact")


@dataclass(frozen=True, eq=False)
class Answer:
    """What a search came to: the choice, and the front where that was asked for."""

    choice: Choice
    front: Front | None
    remembered: Remembered | None = None


@dataclass(frozen=True)
class Cache:
    """The entries in a folder."""

    folder: Path

    @staticmethod
    def of_user() -> Cache | None:
        """Where the user's programs keep such things; None where the environment says that nothing is to be kept."""
        return None if os.environ.get(OFF) else Cache(user_cache() / "searches")

    def find(self, kernels: Sequence[Kernel], request: Request) -> Answer | None:
        """The answer to the same question, where it was asked before."""
        path = self._path(kernels, request)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        try:
            body = _checked(text)
            if body["stop"] != Stop.PROVED.value and body["limit"] != _limit(request):
                return None
            return _answer(body, kernels, request)
        except (ValueError, KeyError, TypeError, AttributeError, SisyphusError):
            with suppress(OSError):
                path.unlink()
            return None

    def keep(self, kernels: Sequence[Kernel], request: Request, answer: Answer, seconds: float) -> None:
        """Keeps an answer that is one; a disk that takes nothing is nobody's concern."""
        outcome = answer.choice.outcome
        if outcome is None or outcome.stop in (Stop.INTERRUPTED, Stop.FAILED):
            return
        if answer.front is not None and answer.front.interrupted:
            return
        body = json.dumps(_body(answer, outcome, request, seconds))  # loops stay in their order
        with suppress(OSError):
            write_file(self._path(kernels, request), json.dumps({"sha256": _sha256(body), "body": body}))
            for old in sorted(self.entries(), key=lambda entry: entry.stat().st_mtime)[:-MOST]:
                old.unlink()

    def entries(self) -> list[Path]:
        """The file of each."""
        return list(self.folder.glob("*.json"))

    def clear(self) -> int:
        """Removes them all, and what killed runs left of others; how many there were."""
        found = self.entries()
        if self.folder.is_dir():
            with locked(self.folder):
                for path in (*found, *parts_of(self.folder)):
                    path.unlink(missing_ok=True)
        return len(found)

    def _path(self, kernels: Sequence[Kernel], request: Request) -> Path:
        return self.folder / f"{_key(kernels, request)}.json"


def _key(kernels: Sequence[Kernel], request: Request) -> str:
    """SHA-256 over all that the answer depends on, but for the time limit."""
    source, limits, target = request.source, request.limits, request.target
    parts = {
        "format": FORMAT_VERSION,
        "text": whole_text(kernels[0].scop.origin),
        "kernel": whole_text_of(kernels[0].scop),
        "source": {name: value for name, value in asdict(source).items() if name != "path"},
        "target": _target(target),
        "options": asdict(request.options),
        "solver": request.solver,
        "solver_version": None if request.solver in OWN else [find_adapter(s).version() for s in _adapters(request)],
        "limits": {"gap": limits.gap, "seed": limits.seed, "threads": limits.threads},
        "model": request.model,
        "fixes": request.fixes,
        "start": _start(request.start),
        "top": request.top,
        "front": request.front,
        "versions": dict(versions()),
    }
    return _sha256(json.dumps(parts, sort_keys=True, default=str))


def _start(start: Path | DesignPoint | None) -> Mapping[str, Any] | None:
    return start.to_json() if isinstance(start, DesignPoint) else None if start is None else read_data(start)


def _limit(request: Request) -> list[float | None]:
    return [request.limits.seconds, request.limits.effort]


def _adapters(request: Request) -> list[str]:
    return [name for name in request.solver.split(",") if name not in OWN]


def _target(target: Target) -> dict[str, Any]:
    """All of a target that its operator and memory tables do not follow from; these are data of the package."""
    platform = None if target.platform is None else repr(target.platform)
    return {
        "device": repr(target.device),
        "platform": platform,
        "budget": target.budget.amounts(),
        "clock": target.clock_mhz,
        "max_partition": target.max_partition,
        "level": target.level,
        "measured": [asdict(interval) for interval in target.measured],
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _checked(text: str) -> dict[str, Any]:
    """The body of an entry; `ValueError` where it is not as it was written."""
    whole = json.loads(text)
    if whole["sha256"] != _sha256(whole["body"]):
        raise ValueError("another text")
    body: dict[str, Any] = json.loads(whole["body"])
    return body


def _body(answer: Answer, outcome: SolveOutcome, request: Request, seconds: float) -> dict[str, Any]:
    choice, front = answer.choice, answer.front
    return {
        "at": time.time(),
        "seconds": round(seconds, 3),
        "limit": _limit(request),
        "stop": Stop.TIME.value if front is not None and not front.complete else outcome.stop.value,
        "outcome": asdict(outcome) | {"stop": outcome.stop.value, "values": None, "relaxed": None},
        "point": choice.point.to_json(),
        "others": [known.point.to_json() for known in choice.others],
        "notes": choice.notes,
        "trace": [(m.seconds, m.cost, m.bound) for m in choice.trace],
        "front": None
        if front is None
        else {
            "points": [design.point.to_json() for design in front.designs],
            "searches": front.searches,
            "complete": front.complete,
        },
    }


def _answer(body: Mapping[str, Any], kernels: Sequence[Kernel], request: Request) -> Answer:
    """The values of an entry, each point checked against the kernel at hand."""

    def known(data: Any) -> Known:
        return Known(*fitted(kernels, request.source, DesignPoint.from_json(data)))

    def rated(data: Any) -> Rated:
        found = known(data)
        return Rated(found.point, estimate_of(found.kernel, found.point, request.target))

    best, outcome = known(body["point"]), body["outcome"]
    choice = Choice(
        kernel=best.kernel,
        space=space_of_point(best.kernel, request, best.point),
        point=best.point,
        outcome=SolveOutcome(**outcome | {"stop": Stop(outcome["stop"])}),
        others=tuple(known(data) for data in body["others"]),
        notes=tuple(body["notes"]),
        trace=tuple(Moment(*moment) for moment in body["trace"]),
    )
    front = body["front"]
    if front is not None:
        front = Front(tuple(rated(data) for data in front["points"]), front["searches"], front["complete"])
    return Answer(choice, front, Remembered(float(body["at"]), float(body["seconds"])))
