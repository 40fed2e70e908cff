"""A design that was saved: reading it, and whether it is one of the kernel at hand; knows no search."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sisyphus.asked_forms import form_of
from sisyphus.backends.hls import DESIGN
from sisyphus.errors import KernelError
from sisyphus.plan import check_point
from sisyphus.request import Kernel, Source
from sisyphus.schemas import POINT, UNITS, schema
from sisyphus.source import read_bytes
from sisyphus.space import DesignPoint, Fault, faults_by, few, illegal, place_of, point_faults
from sisyphus.values import dataclass, replace


def design_file(path: Path) -> Path:
    """The design.json of a folder, or a file itself."""
    return path / DESIGN if path.is_dir() else path


def read_point(path: Path) -> DesignPoint:
    """A design point from a file: the `design` part of a design.json, or the whole of a file that is just a point.

    The folder of a design.json does, too. `KernelError` says what is wrong with it.
    """
    return _point(design_file(path), read_data(path))


def read_data(path: Path) -> dict[str, Any]:
    """The JSON object in a file, or in the design.json of a folder."""
    path, hint = design_file(path), "give a folder that `sisy optimize -o` wrote, or its design.json"
    try:
        data = json.loads(read_bytes(path).decode("utf-8"))
    except OSError as failure:
        reason = (
            "no such file" if isinstance(failure, FileNotFoundError) else (failure.strerror or str(failure)).lower()
        )
        raise KernelError(f"{path}: {reason}", hint=hint) from failure
    except UnicodeDecodeError as failure:
        raise KernelError(f"{path}: is no text", hint=hint) from failure
    except json.JSONDecodeError as failure:
        raise KernelError(f"{path}:{failure.lineno}:{failure.colno}: not JSON: {failure.msg}", hint=hint) from failure
    except (ValueError, RecursionError) as failure:  # numbers of thousands of digits, lists in lists without end
        raise KernelError(f"{path}: is too complex: {failure}", hint=hint) from failure
    if not isinstance(data, dict):
        raise KernelError(f"{path}: a design point is a JSON object", hint=hint)
    return data


def has_units(data: Mapping[str, Any]) -> bool:
    """Whether a design.json has several units in place of one design of the whole kernel."""
    return "units" in data and "design" not in data


def check_units(path: Path, data: Mapping[str, Any]) -> None:
    """`KernelError` with the place of each fault where the design.json of several units is not as it is written."""
    _check(path, faults_by(schema(UNITS), data), UNITS)


def refuse_units(path: Path, data: Mapping[str, Any]) -> None:
    """`KernelError` where a design.json has several units in place of one design of the whole kernel."""
    if has_units(data):
        raise KernelError(
            f"{path}: a design of several units, each of a part of the kernel, and not of all of it",
            hint="`sisy verify`, `report`, `explain` and `diff` take such a folder",
        )


def _point(path: Path, data: Mapping[str, Any]) -> DesignPoint:
    refuse_units(path, data)
    whole = "design" not in data
    point = data if whole else data["design"]
    faults = point_faults(point)
    if not whole:
        record = {name: value for name, value in data.items() if name != "design"}
        faults = [*faults_by(_record_rules(), record), *(replace(f, path=("design", *f.path)) for f in faults)]
    _check(path, faults, POINT if whole else "design")
    return DesignPoint.from_json(point)


def _check(path: Path, faults: Sequence[Fault], name: str) -> None:
    """`KernelError` that tells faults with their places in a file, and the schema that it breaks."""
    if faults:
        text = read_bytes(path).decode("utf-8")
        told = [f"{path}:{line}:{column}: {fault}" for fault in faults for line, column in [place_of(text, fault.path)]]
        raise KernelError("\n".join(few(told)), hint=f"`sisy schema {name}` says what may be there")


@cache
def _record_rules() -> Mapping[str, Any]:
    """What the published schema says of all but the point, which has a schema of its own; nothing has to be there."""
    rules = schema("design")
    parts = {name: rule for name, rule in rules["properties"].items() if name != "design"}
    return {**rules, "properties": parts, "required": []}


def source_of(source: Source, saved: Path | DesignPoint | None) -> Source:
    """The source with the arrays in memory that a saved design has there, as far as its file says so."""
    data = read_data(saved).get("source") if isinstance(saved, Path) else None
    told = data.get("temporaries", ()) if isinstance(data, dict) else ()
    return replace(source, temporaries=tuple(dict.fromkeys((*source.temporaries, *map(str, told)))))


def fitted(kernels: Sequence[Kernel], source: Source, saved: Path | DesignPoint) -> tuple[Kernel, DesignPoint]:
    """A point, saved or at hand, and the form of the kernel that it is a design of; `KernelError` if there is none."""
    data = read_data(saved) if isinstance(saved, Path) else {}
    point = _point(design_file(saved), data) if isinstance(saved, Path) else saved
    name = str(saved) if isinstance(saved, Path) else "this design point"
    kernel = form_of(kernels, point)
    if kernel is None or point.kernel != kernel.scop.name:
        raise KernelError(
            f"{name}: a design of `{point.kernel}`, not of `{kernels[0].scop.name}` as it is here",
            hint="give the kernel file that it was made from",
        )
    try:
        check_point(kernel.scop, kernel.distribution, point)
    except KernelError as wrong:
        raise KernelError(f"{name}: {wrong.message}", hint=_made_for(data, kernel, source) or wrong.hint) from wrong
    violation = illegal(kernel.dependences, kernel.distribution, point)
    if violation is not None:
        raise KernelError(f"{name}: this order is not legal: {violation}", hint="`sisy analyze` lists legal orders")
    return kernel, point


@dataclass(frozen=True)
class _Made:
    """With which options a saved design was made, as words of the command line."""

    words: tuple[str, ...]
    sha256: str

    @staticmethod
    def of(data: Mapping[str, Any]) -> _Made | None:
        """None where the file does not say, as one that is just a point."""
        told = data.get("source")
        try:
            defines = [f"-D {text}" for text in told["defines"]]  # type: ignore[index]
            words = (*defines, *_params(told["parameters"]), *_extents(told.get("extents", ())))  # type: ignore[index,union-attr]
            return _Made(words, str(told["sha256"]))  # type: ignore[index]
        except (KeyError, TypeError, AttributeError):
            return None


def _extents(given: Sequence[str]) -> list[str]:
    return [f"--extent {text}" for text in given]


def _params(values: Mapping[str, int]) -> list[str]:
    return [f"--param {name}={value}" for name, value in sorted(values.items())]


def _made_for(data: Mapping[str, Any], kernel: Kernel, source: Source) -> str | None:
    """How the kernel at hand differs from the one that a saved design was made for, and what to do about it."""
    made = _Made.of(data)
    if made is None:
        return None
    now = (*(f"-D {text}" for text in source.defines), *_params(source.params), *_extents(source.extents))
    if set(made.words) != set(now):
        return (
            f"it was made for other sizes, with {_listed(made.words)}, and this is with {_listed(now)}; "
            "give the same ones, or search anew without it"
        )
    if made.sha256 != kernel.scop.origin.digest:
        return "the kernel file has changed since it was made; search anew without it"
    return None


def _listed(words: Sequence[str]) -> str:
    return f"`{' '.join(words)}`" if words else "no `-D`, `--param` and `--extent`"
