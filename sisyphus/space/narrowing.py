"""What a knob is, and how a value of one narrows the sets of a space; knows no knob by name, and no cost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from sisyphus.analysis import Nest
from sisyphus.errors import UsageError
from sisyphus.ir import ArrayId, Scop
from sisyphus.space.point import DesignPoint, Tile
from sisyphus.space.space import ArrayUse, LoopSpace, NestSpace, Space
from sisyphus.values import dataclass, replace

YES_NO = {"yes": True, "no": False}


@dataclass(frozen=True)
class Fix:
    """What the user wrote, and the value in it."""

    text: str
    value: str

    def illegal(self, what: str, legal: Iterable[object]) -> UsageError:
        values = [str(v) for v in legal]
        shown = ", ".join(values[:40]) + (f", … ({len(values)} in all)" if len(values) > 40 else "")
        return UsageError(f"`--fix {self.text}`: {what}", hint=f"legal: {shown or 'none'}")

    def one_of(self, legal: Iterable[str], what: str) -> str:
        """The value, which must be one of these."""
        if self.value not in legal:
            raise self.illegal(what, legal)
        return self.value


@dataclass(frozen=True)
class Knob:
    """A knob as `--fix` has it: what it says, and what it makes of a space or of the nest that it names.

    In `spelling` words in capitals stand for names: of a nest, of a LOOP of it or a FREE one, which may have copies, of
    an ARRAY or MEMORY, which may have views, or any NAME. `narrow` is given them behind the fix and the space. `off` is
    the value of designs without the lever that the knob is, empty where it is none. Of a lever of its own, `faults` are
    what is wrong with it in a nest of any design, `unmet` what a design has of it that a nest of a space has not, or
    not what the space asks for; a sentence each.
    """

    spelling: str
    says: str
    narrow: Callable[..., Space | NestSpace]
    off: str = ""
    faults: Callable[[Scop, Nest, DesignPoint], Iterable[str]] = lambda _scop, _nest, _point: ()
    unmet: Callable[[Space, NestSpace, DesignPoint], Iterable[str]] = lambda _space, _nest, _point: ()

    @cached_property
    def grammar(self) -> re.Pattern[str]:
        return re.compile(re.sub("[A-Z]+", lambda word: f"(?P<{word[0]}>[^.]*?)", re.escape(self.spelling)))


def loop_of(fix: Fix, nest: NestSpace, name: str) -> LoopSpace:
    """The loop of this name; `UsageError` where a nest has none."""
    if name not in {s.iterator for s in nest.loops}:
        raise fix.illegal(f"nest `{nest.id}` has no loop `{name}`", (s.iterator for s in nest.loops))
    return nest.loop(name)


def use_of(fix: Fix, nest: NestSpace, array: ArrayId) -> ArrayUse:
    """How a nest uses an array; `UsageError` where it does not."""
    use = nest.use(array)
    if use is None:
        raise fix.illegal(f"nest `{nest.id}` does not use `{array}`", (u.array for u in nest.arrays))
    return use


def with_nest(space: Space, nest: NestSpace) -> Space:
    """The space with this nest in place of the one of its name."""
    return replace(space, nests=tuple(nest if n.id == nest.id else n for n in space.nests))


def with_tiles(nest: NestSpace, loop: LoopSpace, tiles: Iterable[Tile]) -> NestSpace:
    """The nest with fewer tiles of a loop, and the coarse-grained factors that some of these still allows."""
    kept = tuple(tiles)
    less = replace(loop, tiles=kept, unroll=tuple(f for f in loop.unroll if any(t.level0 % f == 0 for t in kept)))
    return replace(nest, loops=tuple(less if s.iterator == loop.iterator else s for s in nest.loops))


def with_places(nest: NestSpace, use: ArrayUse, places: tuple[str, ...]) -> NestSpace:
    """The nest whose buffer of an array may have these places alone."""
    return replace(nest, arrays=tuple(replace(u, places=places) if u is use else u for u in nest.arrays))
