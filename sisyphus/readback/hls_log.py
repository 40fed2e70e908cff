"""What the log of a synthesis says of loops that were not pipelined as asked, with arrays and ports; knows no design.

The messages are those of Vitis HLS 2021.1 and later (HLS 200-880, 200-885 and their kind): `The II Violation in module
'task1_Pipeline_L' (loop 'L'): Unable to schedule 'load' operation … on array 'buf_A' due to limited memory ports …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from sisyphus.values import dataclass

_MESSAGE = re.compile(r"The II Violation in module '(?P<module>[^']+)'(?: \(loop '(?P<loop>[^']+)'\))?: (?P<told>.*)")
_ARRAY = re.compile(r"on (?:local )?(?:array|variable) '([^']+)'")
_PORT = re.compile(r"on port '([^']+)'")
_DISTANCE = re.compile(r"distance = (\d+)")
#: What a sentence of the log is called in csynth.xml.
_CAUSES = (("carried dependence", "Memory Dependency"), ("limited memory ports", "Resource Limitation"))


@dataclass(frozen=True)
class Warned:
    """A message: `told` is the tool's sentence, `loop` None where a function is pipelined as a whole."""

    module: str
    loop: str | None
    told: str
    cause: str | None
    arrays: tuple[str, ...]
    ports: tuple[str, ...]
    distance: int | None


def read_log(path: Path) -> tuple[Warned, ...]:
    """The messages of a log, the first of each loop: later ones say the same of larger intervals."""
    found: dict[tuple[str, str | None], Warned] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        match = _MESSAGE.search(line)
        if match is not None:
            told = match["told"].strip()
            cause = next((name for words, name in _CAUSES if words in told), None)
            distance = _DISTANCE.search(told)
            found.setdefault(
                (match["module"], match["loop"]),
                Warned(
                    match["module"],
                    match["loop"],
                    told,
                    cause,
                    _each(_ARRAY.findall(told)),
                    _each(_PORT.findall(told)),
                    None if distance is None else int(distance[1]),
                ),
            )
    return tuple(found.values())


def _each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
