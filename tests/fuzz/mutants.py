"""Spoiled input of every kind: whatever it is, it is taken or refused with a sentence, and never a fault of ours."""

from __future__ import annotations

import json
import random
import traceback
from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

from fuzz.cases import Case
from plain_points import pipelined_point

from sisyphus import kernel_forms
from sisyphus.cli.project_file import read_project_file
from sisyphus.errors import InternalError, SisyphusError
from sisyphus.plan import build_plan
from sisyphus.request import Kernel, Request, Source, space_of
from sisyphus.saved import fitted
from sisyphus.target import load_device, make_target

WORDS = (
    *["{", "}", "(", ")", "[", "]", ";", ",", "++", "--", "+=", "<", ">=", "==", "?", ":", "*", "/", "%", "&", "#"],
    *[
        "0",
        "1",
        "-1",
        "08",
        "1e9",
        "0x",
        "99999999999",
        "for",
        "if",
        "else",
        "float",
        "int",
        "unsigned",
        "static",
        "const",
        "while",
        "struct",
        "void",
        "return",
        "A",
        "B",
        "i",
        "j",
    ],
    *("\\", '"', "'", "goto x", "#define i 3", "#if 1", "#endif"),
)
ODD = (None, True, -1, 0, 1, 3, 10**30, 1.5, float("nan"), "", "x", "S0", [], [1], {}, {"a": 1}, "../../etc", "\udcff")
KNOBS = ("order", "pipeline", "split", "i", "j", "A.place", "A.width", "partition", "unroll", "")
VALUES = ("i", "j,i", "1x1x1", "4x2x1", "0x0x0", "kernel", "yes", "-1", "9" * 40, "", ",", "i=j", "é", "i,i,j")


def spoil(case: Case, folder: Path, rng: random.Random) -> str:
    """What came of some spoiled input: nothing where all is well, else the traceback, with the input beside it."""
    kind: Callable[[Case, Path, random.Random], None] = rng.choice((_kernel, _kernel, _point, _fix, _project, _device))
    try:
        kind(case, folder, rng)
    except InternalError:
        return f"{kind.__name__}: {traceback.format_exc()}"
    except SisyphusError as refused:
        return "" if refused.message.strip() else f"{kind.__name__}: refused without a sentence"
    except Exception:  # noqa: BLE001 - that is what is looked for
        return f"{kind.__name__}: {traceback.format_exc()}"
    return ""


def _source(case: Case, folder: Path) -> Source:
    path = folder / f"{case.program.name}.c"
    path.write_text(case.program.text())
    return Source(str(path))


@lru_cache(maxsize=1)
def _read(case: Case, folder: Path) -> Kernel:
    """The kernel of a case as it is, read once for all inputs beside it that are spoiled."""
    return kernel_forms.load_written(_source(case, folder))


def _kernel(case: Case, folder: Path, rng: random.Random) -> None:
    """Words of the text exchanged, doubled, left out, replaced; now and then bytes."""
    source = _source(case, folder)
    words = Path(source.path).read_text().replace("(", " ( ").replace("[", " [ ").split(" ")
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(words))
        match rng.randrange(5):
            case 0:
                words[at] = rng.choice(WORDS)
            case 1:
                words.insert(at, rng.choice(WORDS))
            case 2:
                del words[at]
            case 3:
                other = rng.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case 4:
                words[at] = words[at] * rng.choice((2, 3))
        words = words or ["x"]
    data = bytearray(" ".join(words).encode())
    if rng.random() < 0.1:
        data[rng.randrange(len(data))] = rng.randrange(256)
    Path(source.path).write_bytes(bytes(data))
    kernel_forms.load_written(source)


def _point(case: Case, folder: Path, rng: random.Random) -> None:
    """One field of a saved point replaced, added or left out, or a piece of the text."""
    kernel = _read(case, folder)
    data: Any = pipelined_point(kernel.scop, kernel.distribution).to_json()
    for _ in range(rng.choice((1, 1, 2))):
        _spoil_data(data, rng)
    text = json.dumps(data)
    if rng.random() < 0.1:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(("[" * 3000, "9" * 20000, "\x00", '"', "}")) + text[at:]
    path = folder / f"{case.program.name}.json"
    path.write_text(text)
    form, point = fitted((kernel,), Source(str(path)), path)
    build_plan(form.scop, form.distribution, form.live, point)


def _spoil_data(data: Any, rng: random.Random) -> None:
    """One place, anywhere in the tree."""
    while True:
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        if not keys:
            return
        key = rng.choice(keys)
        if isinstance(data[key], (dict, list)) and data[key] and rng.random() < 0.8:
            data = data[key]
            continue
        if rng.random() < 0.2:
            del data[key]
        elif isinstance(data, dict) and rng.random() < 0.1:
            data["more"] = deepcopy(rng.choice(ODD))
        else:
            data[key] = deepcopy(rng.choice(ODD))
        return


def _fix(case: Case, folder: Path, rng: random.Random) -> None:
    source = _source(case, folder)
    nest = rng.choice(("S0", "S1", "S0+S1", "A", "A@S0", "", "S99"))
    fixes = tuple(f"{nest}.{rng.choice(KNOBS)}={rng.choice(VALUES)}" for _ in range(rng.choice((1, 1, 3))))
    asked = Request(source, make_target(load_device("u55c"), budget="chip"), fixes=fixes)
    space_of(_read(case, folder), asked)


def _project(case: Case, folder: Path, rng: random.Random) -> None:
    lines = ["[space]", *(f"S{n}.{rng.choice(KNOBS)} = {_toml(rng)}" for n in range(rng.randrange(4)))]
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(("", "[more]", "x = 1", "[", "space = 1", "é = 3", "\t=")))
    (folder / "sisy.toml").write_text("\n".join(lines), errors="replace")
    read_project_file(folder)


def _device(case: Case, folder: Path, rng: random.Random) -> None:
    fields = {
        n: str(rng.choice((0, 1, 4, 900, 10**6))) for n in ["dsp", "bram18k", "uram", "lut", "ff", "slrs", "banks"]
    }
    fields |= {"part": '"xcu200-fsgd2104-2-e"', "clock_mhz": "250", "port_bits": "512", "source": '"nobody"'}
    for _ in range(rng.choice((0, 1, 1, 2))):
        fields[rng.choice((*fields, "more"))] = _toml(rng)
    path = folder / "board.toml"
    path.write_text("[board]\n" + "\n".join(f"{name} = {value}" for name, value in fields.items()), errors="replace")
    make_target(load_device(str(path)))


def _toml(rng: random.Random) -> str:
    return rng.choice(
        ('"i"', '"j,i"', "1", "-3", "true", "[1, 2]", "nan", "1e300", '""', "9" * 30, '"\\u0000"', "{a = 1}")
    )
