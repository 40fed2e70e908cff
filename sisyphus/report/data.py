"""The machine-readable side of a run: design.json (the same for equal inputs) and run.json (what differs)."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sisyphus.analysis import statement_text
from sisyphus.ir import Origin, Scop
from sisyphus.model.estimate import Estimate
from sisyphus.model.paper import PaperEstimate
from sisyphus.model.timeline import timeline
from sisyphus.plan import Plan, Port, layout_extents
from sisyphus.report.facts import Facts, Rated
from sisyphus.report.limits import limit_data
from sisyphus.solve import SolveOutcome
from sisyphus.space import port_names
from sisyphus.target import Target
from sisyphus.versions import version_of

if TYPE_CHECKING:  # a stage that many runs do without
    from sisyphus.verification import Verdict

FORMAT_VERSION = 1
PACKAGES = ("sisyphus-hls", "islpy", "pyomo", "pyscipopt", "pycparser", "networkx", "click")


def design_data(facts: Facts) -> dict[str, Any]:
    """Everything that the run chose, in the form of design.json."""
    return {
        **point_data(facts, Rated(facts.point, facts.estimate)),
        "limit": limit_data(facts),
        **built_data(facts.plan, facts.estimate),
        "interface": interface_data(facts.interface),
        "paper": None if facts.paper is None else paper_data(facts.paper),
    }


def built_data(plan: Plan, estimate: Estimate) -> dict[str, Any]:
    """What is built, for pages that have no kernel: calls in time, statements, nests by task, buffers."""
    return {"calls": [asdict(span) for span in timeline(estimate)], "code": _code(plan)}


def _code(plan: Plan) -> dict[str, Any]:
    moved = {transfer.buffer: transfer for transfer in plan.transfers}
    return {
        "statements": [
            {"id": s.id, "text": statement_text(s), "line": s.span.line, "iterators": list(s.iterators)}
            for s in plan.scop.statements
        ],
        "tasks": [{"name": task.name, "nest": task.nest} for task in plan.tasks],
        "buffers": [
            {
                "id": buffer.id,
                "array": buffer.array,
                "place": buffer.place,
                "memories": buffer.memories,
                "extents": list(buffer.extents),
                "partition": list(buffer.partition),
                "width": moved[buffer.id].width if buffer.id in moved else None,
                "bytes": buffer.bytes,
            }
            for buffer in plan.buffers
        ],
    }


def point_data(facts: Facts, design: Rated) -> dict[str, Any]:
    """A design of the run, the chosen one or another, in a form that `--design` takes."""
    plan = facts.plan
    return {
        "version": FORMAT_VERSION,
        "kernel": plan.scop.name,
        "source": source_data(plan.scop.origin)
        | {"parameters": parameters_data(plan.scop), "temporaries": sorted(facts.temporaries)},
        "target": target_data(facts.target),
        "search": dict(facts.search),
        "design": design.point.to_json(),
        "estimate": design.estimate.to_json(),
    }


def paper_data(estimate: PaperEstimate) -> dict[str, Any]:
    """The paper's objective and its terms, in cycles."""
    return {
        "objective": estimate.objective,
        "computation": dict(estimate.computation),
        "loads": dict(estimate.loads),
        "stores": estimate.stores,
        "dsp": estimate.dsp,
        "onchip_bytes": estimate.onchip_bytes,
    }


def run_data(facts: Facts) -> dict[str, Any]:
    """What differs from run to run, in the form of run.json."""
    return {
        "version": FORMAT_VERSION,
        "seconds": {stage: round(s, 3) for stage, s in facts.seconds.items()},
        "solver": None if facts.outcome is None else _outcome(facts.outcome),
        "trace": [asdict(moment) for moment in facts.trace],
        "cache": None if facts.remembered is None else asdict(facts.remembered),
        "verdict": None if facts.verdict is None else verdict_data(facts.verdict),
        "cpu": None if facts.cpu is None else asdict(facts.cpu),
        "notes": list(facts.notes),
        "project_sha256": facts.digest,
        "versions": {"python": platform.python_version()} | {p: version_of(p) for p in PACKAGES},
    }


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    return {
        "passed": verdict.passed,
        "checks": [{"name": c.name, "passed": c.passed, "detail": c.detail} for c in verdict.checks],
        "compiler": verdict.compiler,
        "seed": verdict.seed,
        "worst_error": verdict.worst_error,
    }


def source_data(origin: Origin) -> dict[str, Any]:
    """Where a kernel was read from."""
    return {
        "path": origin.path,
        "function": origin.function,
        "sha256": origin.digest,
        "defines": list(origin.defines),
        "extents": list(origin.extents),
        "include_dirs": list(origin.include_dirs),
    }


def parameters_data(scop: Scop) -> dict[str, int]:
    """The arguments that have a value."""
    return {a.name: a.value for a in scop.arguments if a.value is not None}


def target_data(target: Target) -> dict[str, Any]:
    """The board with what designs may use of it."""
    return {
        "device": target.device.name,
        "part": target.device.part,
        "clock_mhz": target.clock_mhz,
        "max_partition": target.max_partition,
        "level": target.level,
        "platform": None if target.platform is None else target.platform.name,
        "ordered": list(target.ordered),
        "slrs": [slr.amounts() for slr in target.slrs],
        "budget": target.budget.amounts(),
        "measured": [asdict(interval) for interval in target.measured],
    }


def interface_data(ports: Iterable[Port]) -> list[dict[str, Any]]:
    """The arguments of the top function, in order."""
    return [_port(port) for port in ports]


def _port(port: Port) -> dict[str, Any]:
    return {
        "name": port.name,
        "kind": port.kind,
        "type": port.type.c_name,
        "extents": list(port.extents),
        "layout": port.layout,
        "padded_extents": [] if port.kind == "scalar" else list(layout_extents(port)),
        "tile": list(port.tile),
        "vector_elements": port.width,
        "ports": [] if port.bundle is None else list(port_names(port.bundle, port.stripes) or (port.bundle,)),
        "direction": port.direction,
        "copies": port.copies,
    }


def _outcome(outcome: SolveOutcome) -> dict[str, Any]:
    return {
        "name": outcome.solver,
        "version": outcome.version,
        "stop": outcome.stop.value,
        "objective": outcome.objective,
        "bound": outcome.bound,
        "gap": outcome.gap,
        "seconds": round(outcome.seconds, 3),
    }
