"""What is known of kernels, designs, boards and solvers without a search of their own (but for `explain`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sisyphus import analysis, pipeline
from sisyphus.api.choosing import DEFAULT_LIMIT_S, Listen
from sisyphus.api.inputs import DEFAULT_DEVICE, KernelFile, KernelLike, TargetLike, as_source, as_target, seconds_of
from sisyphus.api.listings import Analysis, Devices, Solvers
from sisyphus.backends.hls import Project
from sisyphus.design import Design
from sisyphus.kernel_forms import form_data, forms_of
from sisyphus.part_search import silent
from sisyphus.pipeline import Costed
from sisyphus.report import DesignDifference, Explanation
from sisyphus.request import read_kernel
from sisyphus.solve import Limits, solver_infos
from sisyphus.space import DesignPoint
from sisyphus.target import device_names, load_device

if TYPE_CHECKING:  # each of these is imported when it is asked for
    from sisyphus.readback import Comparison
    from sisyphus.recheck import Rechecked

#: A design at hand, its design point, or the path of a JSON file that has one.
PointLike = Design | DesignPoint | str | Path


def analyze(kernel: KernelLike, *, time_limit: float | str | None = DEFAULT_LIMIT_S) -> Analysis:
    """Statements, dependences, reductions, nests, legal orders, footprints and other forms of a kernel."""
    source = as_source(kernel)

    def told() -> Analysis:
        scop = kernel.scop if isinstance(kernel, KernelFile) else read_kernel(source)
        forms = [form_data(form) for form in forms_of(scop, source)]
        return Analysis(
            analysis.summary(scop, source.temporaries) | {"forms": forms}, analysis.statement_graph_dot(scop)
        )

    return pipeline.limited("analysis", told, seconds_of(time_limit))


def estimate(kernel: KernelLike, design: PointLike, target: TargetLike = DEFAULT_DEVICE) -> Costed:
    """What the model says of a design: cycles, resources, and the terms that they are sums of.

    `KernelError` where the design is none of this kernel.
    """
    return pipeline.cost_of(as_source(kernel), as_target(target), _saved(design))


def emit(kernel: KernelLike, design: PointLike, target: TargetLike = DEFAULT_DEVICE) -> Project:
    """The HLS C++ of a design, its test bench, host and build files: texts by name in `files`. Nothing is searched."""
    return pipeline.emit(as_source(kernel), as_target(target), _saved(design))


def verify(
    design: Design | str | Path,
    *,
    source: str | Path | None = None,
    device: str | None = None,
    sandboxed: bool = False,
    full: bool = False,
    listen: Listen = silent,
) -> Rechecked:
    """Proves a design and runs its code beside the source: one at hand, or the files of a folder as they lie there.

    `source` is the kernel file where it has moved, `device` the board where its name is not a known one; `sandboxed`:
    the kernel may include nothing outside of its folder and those of `-I`; `full`: run all data, whatever it costs.
    What fails is in the verdict; nothing is raised for it.
    """
    from sisyphus.recheck import Rechecked, recheck
    from sisyphus.units import has_units, recheck_units

    if isinstance(design, Design):
        return Rechecked(None, pipeline.verify_design(design, full=full, listen=listen))
    again = recheck_units if has_units(Path(design)) else recheck
    return again(Path(design), source=_path(source), device=device, sandboxed=sandboxed, full=full, listen=listen)


def explain(
    design: Design | str | Path,
    *,
    source: str | Path | None = None,
    device: str | None = None,
    sandboxed: bool = False,
    time_limit: float | str | None = DEFAULT_LIMIT_S,
    seed: int = 0,
    listen: Listen = silent,
) -> Explanation:
    """What binds a design, and how its neighbours compare: one at hand, or that of a folder or a JSON file of it.

    Of several units the slowest one is explained.
    `time_limit` is for everything together.
    """
    limits = Limits(seconds=seconds_of(time_limit), seed=seed)
    from sisyphus.units import explain_units, has_units

    if isinstance(design, Design):
        return pipeline.explain_design(design, limits, listen)
    told = explain_units if has_units(Path(design)) else pipeline.explain_saved
    return told(Path(design), source=_path(source), device=device, limits=limits, sandboxed=sandboxed, listen=listen)


def read_back(folder: str | Path, *, source: str | Path | None = None, device: str | None = None) -> Comparison:
    """What the reports of Vitis and Vivado below a folder say, beside what was predicted."""
    return pipeline.read_back(Path(folder), source=_path(source), device=device)


def resolve(
    folder: str | Path,
    *,
    source: str | Path | None = None,
    device: str | None = None,
    time_limit: float | str | None = DEFAULT_LIMIT_S,
    seed: int = 0,
    listen: Listen = silent,
) -> Design:
    """Keeps what the reports below a folder say in the user's calibration, and searches its design again with that.

    Budgets of resources of which the design took more than was predicted become smaller by that ratio, and loops that
    started later than predicted are known to.
    """
    limits = Limits(seconds=seconds_of(time_limit), seed=seed)
    return pipeline.resolve(Path(folder), source=_path(source), device=device, limits=limits, listen=listen)[0]


def diff(first: str | Path, second: str | Path) -> DesignDifference:
    """How two written designs of one kernel differ, and where the cycles between them are: folders or JSON files."""
    return pipeline.compare_designs(Path(first), Path(second))


def devices(name: str | Path | None = None) -> Devices:
    """The boards that are known, or one of them; `KernelError` where there is none of this name."""
    return Devices(load_device(str(n)) for n in ([name] if name is not None else device_names()))


def solvers() -> Solvers:
    """The solvers, with their version or what is missing."""
    return Solvers(solver_infos())


def _saved(design: PointLike) -> Path | DesignPoint:
    if isinstance(design, Design):
        return design.point
    return design if isinstance(design, DesignPoint) else Path(design)


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)
