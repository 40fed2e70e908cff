"""One case of the campaign: a program, a design of it, and what came of both; knows no compiler."""

from __future__ import annotations

import json
import random
import traceback
from dataclasses import dataclass, replace
from pathlib import Path

from fuzz.drawing import draw
from fuzz.harness import Subject
from fuzz.knobs import only_integers, other_form, varied
from fuzz.programs import Program
from fuzz.units import dealt_over_units, part_of
from random_kernels import random_point

from sisyphus import kernel_forms, request
from sisyphus.analysis import Dealing
from sisyphus.backends.hls import project
from sisyphus.errors import InternalError, KernelError, SisyphusError
from sisyphus.plan import Plan
from sisyphus.request import Kernel
from sisyphus.space import DesignPoint
from sisyphus.verification import Verdict, prove

REFUSED, INTERNAL, NOT_PROVEN, ALARM, WRONG, FINE = "refused", "internal error", "not proven", "alarm", "wrong", "fine"


#: Of so many programs that can be dealt over units, one is.
UNITS = 0.15


@dataclass(frozen=True)
class Case:
    """A program of the campaign with the seed of its design."""

    program: Program
    seed: str

    @staticmethod
    def of(seed: str, number: int) -> Case:
        return Case(draw(f"{seed}:{number}", f"k{number}"), f"{seed}:{number}")


@dataclass(frozen=True)
class Made:
    """What a case came to before anything was run; `subject` is None where nothing was emitted.

    There is a point for each unit, or one; `dealing` says how these are dealt.
    """

    case: Case
    result: str
    detail: str = ""
    points: tuple[DesignPoint, ...] = ()
    subject: Subject | None = None
    dealing: Dealing | None = None


def make(case: Case, folder: Path) -> Made:
    """The case up to the emitted code and its proof: a design that is proven and printed, or why there is none."""
    path = folder / f"{case.program.name}.c"
    path.write_text(case.program.text())
    try:
        return _made(case, path)
    except InternalError:
        return Made(case, INTERNAL, traceback.format_exc())
    except KernelError as refused:
        return Made(case, REFUSED, refused.message)
    except SisyphusError as other:
        return Made(case, INTERNAL, f"{type(other).__name__}: {other.message}")
    except Exception:  # noqa: BLE001 - whatever it is, the campaign is to tell of it
        return Made(case, INTERNAL, traceback.format_exc())


def _made(case: Case, path: Path) -> Made:
    rng = random.Random(case.seed)
    source = request.Source(str(path))
    kernel = kernel_forms.load_written(source)
    dealt = dealt_over_units(rng, kernel) if random.Random(f"{case.seed} units").random() < UNITS else None
    kernels = [kernel] if dealt is None else dealt.kernels
    try:
        designs = [_design(rng, one, source, whole=dealt is None) for one in kernels]
        if dealt is not None:  # each is a top function
            designs = [_named(f"{case.program.name}_{number}", *design) for number, design in enumerate(designs)]
    except KernelError as refused:  # a random point may ask for what no kernel can have
        return Made(case, REFUSED, f"point: {refused.message}")
    points = tuple(point for _, _, point in designs)
    if any(DesignPoint.from_json(json.loads(json.dumps(p.to_json()))) != p for p in points):
        return Made(case, WRONG, "a design point is another one after it was saved")
    plans = [plan for _, plan, _ in designs]
    verdict = Verdict(tuple(c for one, plan, _ in designs for c in prove(plan, one.dependences, one.live).checks))
    if dealt is None:
        parts, dealing = (part_of(case.program.name, plans[0], project(plans[0])),), None
    else:
        verdict, parts = dealt.checked([(one, plan) for one, plan, _ in designs]).joined(verdict), dealt.parts(plans)
        dealing = dealt.dealing
    emitted = Subject(case.program.name, case.program.text() + case.program.entry(), parts)
    result = ALARM if verdict.refuted else NOT_PROVEN if verdict.failures else FINE
    detail = f"{verdict.failures[0].name}: {verdict.failures[0].detail}" if verdict.refuted else ""
    return Made(case, result, detail, points, emitted, dealing)


def _design(
    rng: random.Random, kernel: Kernel, source: request.Source, *, whole: bool
) -> tuple[Kernel, Plan, DesignPoint]:
    """Some form of a kernel with some design; `KernelError` where the kernel cannot have that design."""
    kernel = other_form(rng, kernel, replace(source, temporaries=kernel.temporaries), whole=whole)
    split = rng.random() < 0.4
    # Sums of integers may be reassociated and keep every bit.
    tree = rng.random() < 0.5 and only_integers(kernel)
    point = kernel.point(random_point(rng, kernel.scop, kernel.distribution, split=split, tree_reduction=tree))
    request.plan_of(kernel, point)
    point = varied(rng, kernel, point)
    return kernel, request.plan_of(kernel, point), point


def _named(name: str, kernel: Kernel, _: Plan, point: DesignPoint) -> tuple[Kernel, Plan, DesignPoint]:
    kernel = replace(kernel, scop=replace(kernel.scop, name=name))
    return kernel, request.plan_of(kernel, point), point


def without(case: Case) -> list[Case]:
    """The case with one thing less, as far as there is a program then."""
    found = []
    for program in case.program.smaller():
        try:
            program.text()
        except ValueError:
            continue
        found.append(replace(case, program=program))
    return found
