"""The cost of a plan: cycles and resources, each with the terms that add up to it; the door of this package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import Any

from sisyphus import clock
from sisyphus.analysis import Distribution, Live
from sisyphus.evidence import worst
from sisyphus.ir import ArrayId, Scop
from sisyphus.model.area.area_terms import resources_of
from sisyphus.model.backing import Backing, backing
from sisyphus.model.constructs import constructs_of
from sisyphus.model.formulas.kernel_cycles import kernel_cycles
from sisyphus.model.formulas.rtl import in_rtl, natural_objective
from sisyphus.model.formulas.rules import VITIS_2023_2, GuardForm, Rules
from sisyphus.model.formulas.terms import Term, without_zeros
from sisyphus.model.study import Known, Study
from sisyphus.plan import KnownPlans, Plan, build_plan
from sisyphus.space import DesignPoint, Objective
from sisyphus.target import Target
from sisyphus.values import dataclass, field

RESOURCES = ("cycles", "dsp", "bram18k", "uram", "ff", "lut")


@dataclass(frozen=True)
class Estimate:
    """What a plan costs; `sums` has a tree per figure of RESOURCES, whose leaves add up to it.

    `cycles` are those of the synthesis report, `rtl` those in RTL: one figure twice where it was measured for the kind
    of memory, else the least and the most. `bytes_moved` counts every transfer between memory and chip; `intervals` the
    II of each pipelined loop of each task.
    """

    cycles: int
    dsp: int
    bram18k: int
    uram: int
    ff: int
    lut: int
    onchip_bytes: int
    bytes_moved: int
    intervals: Mapping[str, tuple[int, ...]]
    sums: Mapping[str, Term]
    rules: str
    rtl: tuple[int, int]
    study: Study = field(repr=False, compare=False)

    @cached_property
    def terms(self) -> dict[str, Term]:
        """The sums without parts that add nothing."""
        return {name: without_zeros(term) for name, term in self.sums.items()}

    @cached_property
    def constructs(self) -> Mapping[str, tuple[str, ...]]:
        """The constructs of each task, transfer and buffer, by the ids of the register of evidence."""
        return constructs_of(self.study)

    @property
    def is_trusted(self) -> bool:
        """No construct of it is merely inferred; what area rules rest on is told beside that."""
        return worst(chain.from_iterable(self.constructs.values())) != "inferred"

    @cached_property
    def evidence(self) -> Backing:
        """How much of each figure rests on what, and which constructs that is."""
        return backing(self.terms, self.constructs)

    def by(self, objective: Objective) -> int:
        """The figure that a search minimises."""
        return self.cycles if objective == "report" else self.rtl[1]

    def to_json(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in RESOURCES},
            "rtl_cycles": list(self.rtl),
            "onchip_bytes": self.onchip_bytes,
            "bytes_moved": self.bytes_moved,
            "intervals": {task: list(found) for task, found in self.intervals.items()},
            "evidence": self.evidence.to_json(),
            "rules": self.rules,
            "terms": {name: term.to_json() for name, term in self.terms.items()},
        }


def estimate(
    plan: Plan, target: Target, *, rules: Rules = VITIS_2023_2, guards: GuardForm = GuardForm.INLINE
) -> Estimate:
    """Cycles (of the report, and in RTL) and counts of each resource of a plan on a target; on-chip memory in bytes."""
    clock.did(clock.JUDGED)
    return _estimate(plan, Known(target, rules, guards))


class Estimator:
    """Plans and estimates of many points of one kernel, as a search wants them.

    Points next to each other differ in a nest or two; what the others are and cost is known from the points before.
    """

    def __init__(self, scop: Scop, distribution: Distribution, live: Mapping[ArrayId, Live], target: Target) -> None:
        self._kernel = (scop, distribution, live)
        self._plans = KnownPlans()
        self._costs = Known(target)

    def plan(self, point: DesignPoint) -> Plan:
        """What is built for a point; `KernelError` where it does not fit the kernel."""
        clock.did(clock.JUDGED)
        return build_plan(*self._kernel, point, self._plans)

    def estimate(self, point: DesignPoint) -> Estimate:
        """What the plan of a point costs."""
        return _estimate(self.plan(point), self._costs)


def _estimate(plan: Plan, known: Known) -> Estimate:
    study = Study(plan, known)
    kernel = kernel_cycles(study)
    used = resources_of(study, kernel.moments)
    most = int(in_rtl(study.rules, kernel.term))
    is_known = natural_objective(study.target.device, study.rules) == "rtl"
    least = most if is_known else round(kernel.term.value)
    terms = {"cycles": kernel.term, **{name: getattr(used, name) for name in RESOURCES[1:]}}
    return Estimate(
        **{name: round(term.value) for name, term in terms.items()},
        onchip_bytes=plan.onchip_bytes,
        bytes_moved=kernel.bytes_moved,
        intervals={name: tuple(int(p.interval.value) for p in task.pipes) for name, task in study.tasks.items()},
        sums=terms,
        rules=study.rules.version,
        rtl=(least, most),
        study=study,
    )
