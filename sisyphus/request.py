"""What a run is asked for, and what is known of its kernel before any choice; searches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Literal

from sisyphus.analysis import Dependences, Distribution, Live, View
from sisyphus.frontend import read
from sisyphus.ir import ArrayId, Scop, with_temporaries
from sisyphus.model import Estimate, estimate
from sisyphus.plan import Plan, build_plan
from sisyphus.solve import DEFAULT_SOLVER, Limits
from sisyphus.space import DesignPoint, Options, Space, apply_fixes, build_space, stores_late
from sisyphus.target import Target
from sisyphus.values import dataclass, field, replace

Model = Literal["measured", "paper"]
#: Names of forms: as the kernel is written, by a schedule of the user's; what a fix of the form begins with.
SOURCE_FORM, GIVEN_FORM, FIX_FORM = "source", "given", "form="
#: What tells a form of a kernel apart: how it was rewritten, temporaries that are expanded, arrays that have views.
Form = tuple[tuple[str, ...], tuple[ArrayId, ...], tuple[ArrayId, ...], tuple[ArrayId, ...]]


@dataclass(frozen=True)
class Source:
    """A kernel as the user names it on the command line; `text` is that of the file where there is none to be read.

    `sandboxed`: the file may include nothing outside of its folder and `include_dirs`. `schedule` is an order of the
    user's own in isl's notation.
    """

    path: str
    function: str | None = None
    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    params: Mapping[str, int] = field(default_factory=dict)
    extents: tuple[str, ...] = ()
    temporaries: tuple[str, ...] = ()
    text: bytes | None = None
    sandboxed: bool = False
    schedule: str = ""


#: Seconds that verification has without an order, however short the search: compilers take theirs.
VERIFICATION_S = 180.0


@dataclass(frozen=True)
class Request:
    """What one `optimize` run is asked for.

    `design` is a saved point that replaces the search and must fit the budgets where these are `binding`, `start` one
    that it begins with; `top` is how many designs are wanted. With `front`, designs of less area are looked for, too;
    with `explain`, what is near; with `compare_cpu` the source is timed on this machine; with
    `html` a page is written. `verify_limit` are seconds, `inf` for as many as it takes, None for those of the search.
    """

    source: Source
    target: Target
    options: Options = field(default_factory=Options)
    solver: str = DEFAULT_SOLVER
    limits: Limits = field(default_factory=Limits)
    model: Model = "measured"
    fixes: tuple[str, ...] = ()
    design: Path | None = None
    binding: bool = False
    start: Path | DesignPoint | None = None
    top: int = 1
    front: bool = False
    explain: bool = False
    verify: bool = True
    verify_full: bool = False
    verify_limit: float | None = None
    compare_cpu: bool = False
    html: bool = False

    @property
    def verification_s(self) -> float | None:
        """Seconds that verification may take, None for any: without an order at least those that compilers need."""
        if self.verify_limit is not None:
            return None if self.verify_limit == inf else self.verify_limit
        return None if self.limits.seconds is None else max(self.limits.seconds, VERIFICATION_S)


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel with everything that is known of it before any choice.

    `expanded` are its arrays that stand for a temporary of the source with a place for every iteration, `views` other
    names of arrays in single nests; `rewrites` made it of the source before. `name` is what `--fix form=NAME` calls it,
    `temporaries` are arguments whose last values nobody wants.
    """

    scop: Scop
    dependences: Dependences
    distribution: Distribution
    live: Mapping[ArrayId, Live]
    expanded: tuple[ArrayId, ...] = ()
    views: tuple[View, ...] = ()
    rewrites: tuple[str, ...] = ()
    name: str = SOURCE_FORM
    temporaries: tuple[str, ...] = ()

    @property
    def form(self) -> Form:
        return self.rewrites, self.expanded, self.viewed, self.copied

    @property
    def viewed(self) -> tuple[ArrayId, ...]:
        """The arrays that have views."""
        return tuple(dict.fromkeys(view.array for view in self.views if not view.lasting))

    @property
    def copied(self) -> tuple[ArrayId, ...]:
        """The arrays of which nests read a copy."""
        return tuple(dict.fromkeys(view.array for view in self.views if view.lasting))

    def point(self, chosen: DesignPoint) -> DesignPoint:
        """A point of this form of the kernel, which says so."""
        return replace(chosen, expanded=self.expanded, viewed=self.viewed, copied=self.copied, rewrites=self.rewrites)


def read_kernel(source: Source) -> Scop:
    """The front end alone; `KernelError` where the kernel is refused."""
    scop = read(
        source.path,
        function=source.function,
        defines=source.defines,
        include_dirs=source.include_dirs,
        params=source.params,
        extents=source.extents,
        text=source.text,
        sandboxed=source.sandboxed,
    )
    return with_temporaries(scop, source.temporaries) if source.temporaries else scop


def space_of(kernel: Kernel, request: Request) -> Space:
    """Everything that may be chosen: the design space with the knobs that the user fixed."""
    options = request.options.as_in_paper() if request.model == "paper" else request.options
    space = build_space(kernel.scop, kernel.dependences, kernel.distribution, kernel.live, request.target, options)
    done = (FIX_FORM, *(f"{array}.ports=" for array, _ in options.striped))
    return apply_fixes(space, [fix for fix in request.fixes if not fix.startswith(done)])


def space_of_point(kernel: Kernel, request: Request, point: DesignPoint) -> Space:
    """The space that a point of a form is one of: with the ports, tables and adders that it has."""
    late = stores_late(kernel.scop, kernel.distribution.nests, point)
    ports = replace(request.options, dealt=point.dealt, striped=point.dealt_tiles, columns=point.in_columns, late=late)
    options = replace(ports, listed=point.is_listed, adders=point.adders, tree_reduction=point.tree_reduction)
    return space_of(kernel, replace(request, options=options))


def plan_of(kernel: Kernel, point: DesignPoint) -> Plan:
    """What is built for a point."""
    return build_plan(kernel.scop, kernel.distribution, kernel.live, point)


def estimate_of(kernel: Kernel, point: DesignPoint, target: Target) -> Estimate:
    """What the full model says of a point."""
    return estimate(plan_of(kernel, point), target)
