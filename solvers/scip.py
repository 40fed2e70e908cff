"""SCIP through a .nl file that Pyomo writes and the PySCIPOpt wheel reads: proves linear and nonlinear optima."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sisyphus.solve import Progress, SolveOutcome, SolveRequest, Stop

if TYPE_CHECKING:
    from sisyphus.solve.models import NlFile

STOPS = {
    "optimal": Stop.PROVED,
    "gaplimit": Stop.PROVED,
    "infeasible": Stop.INFEASIBLE,
    "inforunbd": Stop.INFEASIBLE,
    "timelimit": Stop.TIME,
    "userinterrupt": Stop.INTERRUPTED,
}


class ScipAdapter:
    """The default solver; needs nothing beside the Python package `pyscipopt`."""

    name = "scip"

    def missing(self) -> str | None:
        if find_spec("pyscipopt") is None:
            return "the Python package `pyscipopt` is not installed (pip install pyscipopt)"
        return None

    def version(self) -> str:
        import pyscipopt

        model = pyscipopt.Model()
        return f"{model.getMajorVersion()}.{model.getMinorVersion()}.{model.getTechVersion()}"

    def solve(self, request: SolveRequest) -> SolveOutcome:
        """SCIP's clock is set to wall time, or a limit would count processor time and overrun."""
        import pyscipopt

        from sisyphus.solve.models import write_nl

        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="sisy-scip-") as folder:
            file = write_nl(request.model, Path(folder))
            model = pyscipopt.Model()
            model.hideOutput()
            model.readProblem(str(file.path))
            columns = _columns(model, file)
            _set_limits(model, request, spent=time.monotonic() - started)
            _begin_with(model, request, file, columns)
            _tell_of_better_points(model, request, file, columns, started)
            relaxed = _remember_relaxation(model, columns)
            model.setLogfile(str(Path(folder) / "scip.log"))
            model.optimize()
            model.setLogfile(None)
            log = (Path(folder) / "scip.log").read_text(errors="replace")
        found = model.getNSols() > 0
        values = [model.getVal(column) for column in columns] if found else []
        return SolveOutcome(
            stop=STOPS.get(model.getStatus(), Stop.FAILED),
            values=file.binaries(values) if found else None,
            objective=model.getObjVal() if found else None,
            bound=_finite(model, model.getDualbound()),
            solver=self.name,
            version=self.version(),
            seconds=time.monotonic() - started,
            log=log,
            message=model.getStatus(),
            relaxed=file.all(relaxed) if relaxed else None,
        )


def _columns(model: Any, file: NlFile) -> list[Any]:
    """SCIP's variables in the order of the file's columns."""
    by_name = {variable.name: variable for variable in model.getVars()}
    return [by_name[f"x{j}"] for j in range(len(file.columns))]


def _set_limits(model: Any, request: SolveRequest, *, spent: float) -> None:
    limits = request.limits
    model.setParam("timing/clocktype", 2)
    model.setParam("randomization/randomseedshift", limits.seed)
    model.setParam("limits/gap", limits.gap)
    model.setParam("lp/threads", limits.threads)
    if limits.seconds is not None:
        model.setParam("limits/time", max(0.0, limits.seconds - spent))


def _begin_with(model: Any, request: SolveRequest, file: NlFile, columns: Sequence[Any]) -> None:
    """A point given by its knobs; SCIP completes the rest."""
    if request.start:
        point = model.createPartialSol()
        for column, value in file.start(request.start).items():
            model.setSolVal(point, columns[column], value)
        model.addSol(point)


def _tell_of_better_points(
    model: Any, request: SolveRequest, file: NlFile, columns: Sequence[Any], started: float
) -> None:
    pyscipopt: Any = import_module("pyscipopt")
    event = pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND

    class Better(pyscipopt.Eventhdlr):  # type: ignore[misc]
        """Called by SCIP for every new incumbent."""

        def eventinit(self) -> None:
            self.model.catchEvent(event, self)

        def eventexit(self) -> None:
            self.model.dropEvent(event, self)

        def eventexec(self, _: Any) -> None:
            point = self.model.getBestSol()
            values = [self.model.getSolVal(point, column) for column in columns]
            request.tell(
                Progress(
                    seconds=time.monotonic() - started,
                    objective=self.model.getSolObjVal(point),
                    bound=_finite(self.model, self.model.getDualbound()),
                    values=file.binaries(values),
                )
            )

    model.includeEventhdlr(Better(), "better", "tells of better points")


def _remember_relaxation(model: Any, columns: Sequence[Any]) -> list[float]:
    """A list that will hold the last fractional answer of the root of the search tree."""
    pyscipopt: Any = import_module("pyscipopt")
    event = pyscipopt.SCIP_EVENTTYPE.LPSOLVED
    values: list[float] = []

    class Relaxation(pyscipopt.Eventhdlr):  # type: ignore[misc]
        """Called by SCIP for every linear relaxation that it solved."""

        def eventinit(self) -> None:
            self.model.catchEvent(event, self)

        def eventexit(self) -> None:
            self.model.dropEvent(event, self)

        def eventexec(self, _: Any) -> None:
            if self.model.getDepth() == 0:
                values[:] = [column.getLPSol() for column in columns]

    model.includeEventhdlr(Relaxation(), "relaxation", "remembers the relaxation of the root")
    return values


def _finite(model: Any, value: float) -> float | None:
    return value if abs(value) < model.infinity() else None
