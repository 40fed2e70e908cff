"""What a run is asked for, and what is known of its kernel before any choice; searches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sisyphus.analysis import Dependences, Distribution, Live, dependences, distribute, expand, liveness
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Scop
from sisyphus.model import Estimate, estimate
from sisyphus.plan import Plan, build_plan
from sisyphus.solve import DEFAULT_SOLVER, Limits
from sisyphus.space import DesignPoint, Options, Space, apply_fixes, build_space
from sisyphus.target import Target

Model = Literal["measured", "paper"]


@dataclass(frozen=True)
class Source:
    """A kernel as the user names it on the command line."""

    path: str
    function: str | None = None
    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    params: Mapping[str, int] = field(default_factory=dict)
    temporaries: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """What one `optimize` run is asked for.

    `design` is a saved point that replaces the search, `start` one that it begins with; `top` is how many designs are
    wanted. With `front`, designs of less area are looked for, too; with `explain`, what is near.
    """

    source: Source
    target: Target
    options: Options = field(default_factory=Options)
    solver: str = DEFAULT_SOLVER
    limits: Limits = field(default_factory=Limits)
    model: Model = "measured"
    fixes: tuple[str, ...] = ()
    design: Path | None = None
    start: Path | None = None
    top: int = 1
    front: bool = False
    explain: bool = False
    verify: bool = True
    verify_full: bool = False


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel with everything that is known of it before any choice.

    `expanded` are its arrays that stand for a temporary of the source with a place for every iteration.
    """

    scop: Scop
    dependences: Dependences
    distribution: Distribution
    live: Mapping[ArrayId, Live]
    expanded: tuple[ArrayId, ...] = ()


def read_kernel(source: Source) -> Scop:
    """The front end alone; `KernelError` where the kernel is refused."""
    return read(
        source.path,
        function=source.function,
        defines=source.defines,
        include_dirs=source.include_dirs,
        params=source.params,
    )


def load_kernels(source: Source) -> tuple[Kernel, ...]:
    """Front end and analysis: the kernel as it is, and with expanded temporaries where that frees its nests."""
    scop = read_kernel(source)
    found = dependences(scop)
    kernels = [_analysed(scop, found, source)]
    expansion = expand(scop, found)
    if expansion is not None:
        names = tuple(ArrayId(e.name) for e in expansion.expanded)
        kernels.append(_analysed(expansion.scop, dependences(expansion.scop), source, names))
    return tuple(kernels)


def _analysed(scop: Scop, found: Dependences, source: Source, expanded: tuple[ArrayId, ...] = ()) -> Kernel:
    return Kernel(scop, found, distribute(scop, found), liveness(scop, source.temporaries), expanded)


def space_of(kernel: Kernel, request: Request) -> Space:
    """Everything that may be chosen: the design space with the knobs that the user fixed."""
    options = request.options.as_in_paper() if request.model == "paper" else request.options
    space = build_space(kernel.scop, kernel.dependences, kernel.distribution, kernel.live, request.target, options)
    return apply_fixes(space, request.fixes)


def plan_of(kernel: Kernel, point: DesignPoint) -> Plan:
    """What is built for a point."""
    return build_plan(kernel.scop, kernel.distribution, kernel.live, point)


def estimate_of(kernel: Kernel, point: DesignPoint, target: Target) -> Estimate:
    """What the full model says of a point."""
    return estimate(plan_of(kernel, point), target)
