"""Inputs that hung, took gigabytes or ended in a traceback: each has its exit status and a sentence that names it.

What the system takes away is in tests/e2e/test_session.py, what takes seconds in scripts/walk_inputs.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import sisy

KERNEL = "void k(float a[8]) { for (int i = 0; i < 8; i++) a[i] = 1; }\n"
NESTED = "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) " for n in range(200))
MANY_BANKS = Path(__file__).parents[2] / "data" / "many_banks.toml"
ANALYZE, BUILD = "analyze k.c", "optimize k.c --design d.json --no-verify"
NOT_UTF8 = os.fsdecode(b"k\xff.c")


def text(name: str, content: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(content)


CASES: dict[str, tuple[Callable[[Path], object], str, int, str]] = {
    "endless include": (
        text("k.c", '#include "/dev/zero"\n' + KERNEL),
        ANALYZE,
        1,
        "k.c:1:2: error[include-not-found]",
    ),
    "waiting include": (text("k.c", '#include "pipe"\n' + KERNEL), ANALYZE, 1, "k.c:1:2: error[include-not-found]"),
    "endless kernel": (text("k.c", KERNEL), "analyze /dev/zero", 2, "/dev/zero: no such file"),
    "waiting kernel": (text("k.c", KERNEL), "analyze pipe", 2, "pipe: no such file"),
    "large shift": (text("k.c", "#if (1 << 10000000000)\n#endif\n" + KERNEL), ANALYZE, 0, ""),
    "name not in UTF-8": (text(NOT_UTF8, KERNEL), f"analyze {NOT_UTF8}", 0, ""),
    "name with markup": (text("[red].c", KERNEL), "analyze [red].c", 0, ""),
    "many banks": (
        text("board.toml", MANY_BANKS.read_text()),
        "optimize k.c --device board.toml --no-verify",
        1,
        "board.toml:9: `banks`",
    ),
    "200 nested loops": (
        text("k.c", f"void k(float a[2]) {{ {NESTED} a[i0] += 1; }}\n"),
        f"{ANALYZE} --time-limit 0.3s",
        6,
        "time ran out in the analysis",
    ),
    "deep JSON": (text("d.json", "[" * 100_000 + "]" * 100_000), BUILD, 1, "d.json: is too complex"),
    "long number": (text("d.json", '{"version": ' + "1" * 20_000 + "}"), BUILD, 1, "d.json: is too complex"),
    "lists for strings": (text("d.json", json.dumps({"kernel": ["k"], "nests": "x"})), BUILD, 1, '["k"]` is not what'),
    "no number": (text("d.json", '{"version": 1e400, "kernel": "k"}'), BUILD, 1, "`Infinity` is not what is wanted"),
}


@pytest.mark.parametrize("name", CASES)
def test_hostile_inputs(name: str, tmp_path: Path) -> None:
    make, words, code, said = CASES[name]
    (tmp_path / "k.c").write_text(KERNEL)
    os.mkfifo(tmp_path / "pipe")
    make(tmp_path)
    done = sisy(*words.split(), cwd=tmp_path)
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (code, True, False), done.stderr
