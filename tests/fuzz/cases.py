"""One case of the campaign: a program, a design of it, and what came of both; knows no compiler."""

from __future__ import annotations

import json
import random
import traceback
from dataclasses import dataclass, replace
from pathlib import Path

from fuzz.harness import Subject
from fuzz.knobs import other_form, varied
from fuzz.programs import Program, draw
from random_kernels import random_point

from sisyphus import request
from sisyphus.backends.hls import project
from sisyphus.errors import InternalError, KernelError, SisyphusError
from sisyphus.ir import walk
from sisyphus.plan import Plan, build_plan
from sisyphus.report import interface_data
from sisyphus.space import DesignPoint
from sisyphus.verification import prove

REFUSED, INTERNAL, NOT_PROVEN, ALARM, WRONG, FINE = "refused", "internal error", "not proven", "alarm", "wrong", "fine"


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
    """What a case came to before anything was run; `subject` is None where nothing was emitted."""

    case: Case
    result: str
    detail: str = ""
    point: str = ""
    subject: Subject | None = None


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
    kernel = other_form(rng, request.load_written(source), source)
    split = rng.random() < 0.4
    # Sums of integers may be reassociated and keep every bit.
    tree = rng.random() < 0.5 and not any(e.type.is_float for s in kernel.scop.statements for e in walk(s.rhs))
    point = kernel.point(random_point(rng, kernel.scop, kernel.distribution, split=split, tree_reduction=tree))
    try:
        build_plan(kernel.scop, kernel.distribution, kernel.live, point)
        point = varied(rng, kernel, point)
        plan = build_plan(kernel.scop, kernel.distribution, kernel.live, point)
    except KernelError as refused:  # a random point may ask for what no kernel can have
        return Made(case, REFUSED, f"point: {refused.message}")
    again = DesignPoint.from_json(json.loads(json.dumps(point.to_json())), path="point")
    if again != point:
        return Made(case, WRONG, "a design point is another one after it was saved")
    text = json.dumps(point.to_json())
    verdict = prove(plan, kernel.dependences, kernel.live)
    emitted = _subject(case, plan)
    if verdict.refuted:
        return Made(case, ALARM, f"{verdict.failures[0].name}: {verdict.failures[0].detail}", text, emitted)
    return Made(case, NOT_PROVEN if verdict.failures else FINE, "", text, emitted)


def _subject(case: Case, plan: Plan) -> Subject:
    files, source = project(plan), case.program.text()
    return Subject(
        case.program.name, source, files.files["kernel.h"], files.files["kernel.cpp"], interface_data(files.interface)
    )


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
