"""The sizes of a kernel as numbers that can be lowered in its source; knows no design.

A size is an integer that the source gives a name to: `-D NAME=2000`, `--param NAME=2000`, `#define NAME 2000`,
`const int NAME = 2000;` or an enumerator, in the file or in a header of the user's. Whether it is one is seen by what
changes when it changes: the ranges of loops.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from sisyphus.backends.hls import whole_text
from sisyphus.errors import KernelError
from sisyphus.forms import rewritten
from sisyphus.frontend import read
from sisyphus.ir import Origin, Scop, with_temporaries
from sisyphus.poly import dim_range
from sisyphus.values import dataclass, replace

#: A size is lowered by this much to see what depends on it: a multiple of every stride that loops have.
PROBE = 48
#: Sizes that are not larger than this stay as they are.
SMALL = 52

_DEFINE = r"^[ \t]*#[ \t]*define[ \t]+(?P<{0}>\w+)[ \t]+\(?"
_CONSTANT = r"\bconst\b[\w \t]*?\b(?P<{0}>\w+)[ \t]*=[ \t]*"
_ENUMERATOR = r"[{{,]\s*(?P<{0}>\w+)\s*=\s*"
_NAMED = re.compile(
    "(?P<head>" + "|".join(p.format(f"name{at}") for at, p in enumerate((_DEFINE, _CONSTANT, _ENUMERATOR))) + ")"
    r"(?P<value>\d+)(?=[uUlL]*\)?\s*(?:$|[;,}/]))",
    re.MULTILINE,
)

#: A loop of a statement, or a dimension of an array.
Loop = tuple[str, str]
Dimension = tuple[str, int]
K = TypeVar("K", Loop, Dimension)


@dataclass(frozen=True)
class KernelShape:
    """How many values each loop around a statement runs through, and the extents of the arrays."""

    loops: Mapping[Loop, int]
    extents: Mapping[Dimension, int]

    @staticmethod
    def of(scop: Scop) -> KernelShape:
        loops: dict[Loop, int] = {}
        for statement in scop.statements:
            for iterator in statement.iterators if not statement.domain.is_empty() else ():
                low, high = dim_range(statement.domain, iterator)
                loops[statement.id, iterator] = high - low + 1
        arrays = [a for a in scop.arrays if a.view_of is None]
        return KernelShape(loops, {(a.id, at): e for a in arrays for at, e in enumerate(a.extents)})

    def is_like(self, other: KernelShape) -> bool:
        """Whether another size has the same loops and dimensions; rows that are joined at one stay apart at another."""
        return self.loops.keys() == other.loops.keys() and self.extents.keys() == other.extents.keys()


@dataclass(frozen=True)
class Size:
    """A size with its value, and by how much each loop and extent grows when it grows by one."""

    name: str
    value: int
    loops: Mapping[Loop, Fraction]
    extents: Mapping[Dimension, Fraction]


@dataclass(frozen=True)
class Family:
    """The source of a kernel with its headers written in; `params` are the values given to its integer parameters.

    `rewrites` make the form of the kernel that is meant.
    """

    origin: Origin
    text: str
    params: Mapping[str, int]
    rewrites: tuple[str, ...] = ()
    temporaries: tuple[str, ...] = ()

    @staticmethod
    def of(scop: Scop, params: Mapping[str, int], rewrites: tuple[str, ...] = ()) -> Family:
        """A parameter that has its value from the callers in the same file is no size of its own."""
        family = Family(scop.origin, whole_text(scop.origin), {}, rewrites, scop.temporaries)
        try:
            same = KernelShape.of(family.at({})) == KernelShape.of(scop)
        except KernelError:
            same = False
        return family if same else replace(family, params=dict(params))

    def at(self, sizes: Mapping[str, int]) -> Scop:
        """The kernel with these sizes in place of its own; `KernelError` where it is none then."""
        defines = [_set(d, sizes) for d in self.origin.defines]
        params = {name: sizes.get(name, value) for name, value in self.params.items()}
        with tempfile.TemporaryDirectory(prefix="sisy-") as folder:
            path = Path(folder) / Path(self.origin.path).name
            path.write_text(_NAMED.sub(lambda m: _renumbered(m, sizes), self.text), encoding="utf-8")
            dirs = [str(Path(self.origin.path).parent), *self.origin.include_dirs]
            scop = read(
                path,
                function=self.origin.function,
                defines=defines,
                include_dirs=dirs,
                params=params,
                extents=self.origin.extents,
            )
        return rewritten(with_temporaries(scop, self.temporaries), self.rewrites)

    def sizes(self) -> tuple[Size, ...]:
        """Every named size above `SMALL` on which a loop depends, the largest first."""
        now = KernelShape.of(self.at({}))
        found = [size for name in self._names() if (size := self._size(name, now)) is not None]
        return tuple(sorted(found, key=lambda s: (-s.value, s.name)))

    def _names(self) -> dict[str, list[int]]:
        """Integers with a name, each with the values that it has somewhere in the text."""
        given = {n: int(v) for n, _, v in (d.partition("=") for d in self.origin.defines) if v.isdecimal()}
        given |= self.params
        names: dict[str, list[int]] = {name: [value] for name, value in given.items()}
        for match in _NAMED.finditer(self.text):
            if (name := _name(match)) not in given:
                names.setdefault(name, []).append(int(match["value"]))
        return names

    def _size(self, name: str, now: KernelShape) -> Size | None:
        for value in dict.fromkeys(self._names()[name]):
            if value > SMALL and self._shape({name: value}) == now:
                lowered = self._shape({name: value - PROBE})
                if lowered is None or lowered.loops == now.loops or not lowered.is_like(now):
                    return None
                return Size(name, value, _slopes(now.loops, lowered.loops), _slopes(now.extents, lowered.extents))
        return None

    def _shape(self, sizes: Mapping[str, int]) -> KernelShape | None:
        try:
            return KernelShape.of(self.at(sizes))
        except KernelError:
            return None


def _name(match: re.Match[str]) -> str:
    return next(name for key, name in match.groupdict().items() if key.startswith("name") and name)


def _renumbered(match: re.Match[str], sizes: Mapping[str, int]) -> str:
    return match["head"] + str(sizes.get(_name(match), match["value"]))


def _set(define: str, sizes: Mapping[str, int]) -> str:
    name = define.partition("=")[0]
    return f"{name}={sizes[name]}" if name in sizes else define


def _slopes(now: Mapping[K, int], lowered: Mapping[K, int]) -> dict[K, Fraction]:
    """What changed, for one less of the size."""
    return {k: Fraction(v - lowered[k], PROBE) for k, v in now.items() if lowered[k] != v}
