"""A solver package of somebody else, found through its entry points alone; most of its solvers misbehave."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import replace

from sisyphus.solve import Progress, SolveOutcome, SolveRequest, Stop


class Plain:
    """Answers with the point to begin from, or else with the first value of every choice."""

    name = "fake-plain"
    answer = SolveOutcome(Stop.TIME, None, None, None, "", "1.0", 0.0)

    def missing(self) -> str | None:
        return None

    def version(self) -> str:
        return "1.0"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        return replace(self.answer, solver=self.name, values=request.start or simplest(request))


class Relaxed(Plain):
    """Has a relaxation, too, in which every trip count is 1."""

    name = "fake-relaxed"
    answer = replace(Plain.answer, relaxed={})


class Absent(Plain):
    """Cannot run here."""

    name = "fake-absent"

    def missing(self) -> str | None:
        return "it exists in tests only"


class Misnamed(Plain):
    """Is registered under another name than its own."""

    name = "another"


class Crash(Plain):
    """Takes its process down."""

    name = "fake-crash"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        os.abort()


class Raise(Plain):
    """Breaks its promise never to raise."""

    name = "fake-raise"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        raise ArithmeticError("a pivot of 0")


class Hang(Plain):
    """Heeds no limit."""

    name = "fake-hang"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        time.sleep(3600)
        raise AssertionError("nobody waits that long")


class Late(Plain):
    """Tells of a point and then heeds no limit."""

    name = "fake-late"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        request.tell(Progress(0.1, objective=1e6, bound=1.0, values=simplest(request)))
        time.sleep(3600)
        raise AssertionError("nobody waits that long")


class Teller(Plain):
    """Tells of a simple point, and answers with the point to begin from."""

    name = "fake-teller"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        request.tell(Progress(0.1, objective=1e6, bound=1.0, values=simplest(request)))
        return super().solve(request)


class Nonsense(Plain):
    """Answers with something else than an outcome."""

    name = "fake-nonsense"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        return "42"  # type: ignore[return-value]


class Wrong(Plain):
    """Takes the last value of every choice, which is far too large, and calls it the optimum."""

    name = "fake-wrong"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        values = chosen(request, last=True)
        return replace(self.answer, stop=Stop.PROVED, solver=self.name, values=values, objective=1.0, bound=1.0)


class Infeasible(Plain):
    """Says that nothing fits."""

    name = "fake-infeasible"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        return replace(self.answer, stop=Stop.INFEASIBLE, solver=self.name)


def simplest(request: SolveRequest) -> Mapping[str, int]:
    """Nothing unrolled, nothing pipelined, every array resident."""
    return chosen(request, last=False)


def chosen(request: SolveRequest, *, last: bool) -> dict[str, int]:
    """The first or the last tile of every loop, the narrowest beats, every array resident."""
    model = request.model
    values = {f"resident[{a},{n}]": 1 for a, n in model.resident}
    values |= {f"outside[{a},{n},{loop}]": 0 for a, n, loop in model.outside}
    places: dict[tuple[str, str], list[int]] = {}
    for nest, loop, k in model.tile:
        places.setdefault((nest, loop), []).append(k)
    for (nest, loop), tiles in places.items():
        for k in tiles:
            values[f"tile[{nest},{loop},{k}]"] = int(k == (max(tiles) if last else min(tiles)))
    for array, width in model.width:
        values[f"width[{array},{width}]"] = int(width == 1)
    return values
