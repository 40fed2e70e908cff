"""The pairs in `precedence` are enough: every strip-mined, permuted order that respects them keeps all dependences."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from builders import scop
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sisyphus.analysis import Dependences, Nest, dependences, distribute, violations
from sisyphus.ir import Scop
from sisyphus.poly import Map, schedule, split_loop

NAMES = ("i", "j", "k")
PLACES = 3

#: Loop and level of one strip-mined copy.
Copy = tuple[str, int]


@dataclass(frozen=True)
class Tiled:
    """A stencil with these distances, its loops strip-mined by these trip counts, the copies in this order."""

    distances: tuple[tuple[int, ...], ...]
    trips: tuple[tuple[int, int, int], ...]
    order: tuple[Copy, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return NAMES[: len(self.trips)]

    def extent(self, at: int) -> int:
        outer, middle, inner = self.trips[at]
        return outer * middle * inner

    @property
    def scop(self) -> Scop:
        return stencil(tuple(self.extent(at) for at in range(len(self.names))), self.distances)

    @property
    def schedule(self) -> Map:
        copies = {name: split_loop(name, PLACES, trips[1:]) for name, trips in zip(self.names, self.trips, strict=True)}
        return schedule("S0", self.names, [copies[name][level] for name, level in self.order])

    def time(self, point: tuple[int, ...]) -> tuple[int, ...]:
        value = dict(zip(self.names, point, strict=True))
        trips = dict(zip(self.names, self.trips, strict=True))
        return tuple(copy_value(value[name], trips[name], level) for name, level in self.order)


def copy_value(value: int, trips: tuple[int, int, int], level: int) -> int:
    _, middle, inner = trips
    return (value // (middle * inner), value // inner % middle, value % inner)[level]


def stencil(extents: tuple[int, ...], distances: tuple[tuple[int, ...], ...]) -> Scop:
    """Every point reads the points that lie these distances before it."""
    names = NAMES[: len(extents)]
    terms = [f"A[{', '.join(f'{n} + {-d}' for n, d in zip(names, distance, strict=True))}]" for distance in distances]
    text = ""
    for depth, (name, extent) in enumerate(zip(names, extents, strict=True)):
        text += "    " * depth + f"for {name} in range({PLACES}, {PLACES + extent}):\n"
    text += "    " * len(names) + f"A[{', '.join(names)}] = {' * '.join(terms)}\n"
    return scop(text, A=tuple(e + 2 * PLACES for e in extents))


@st.composite
def tiled(draw: st.DrawFn) -> Tiled:
    loops = draw(st.integers(2, 3))
    vector = st.tuples(*[st.integers(-2, 2)] * loops).filter(lambda v: v > (0,) * loops)
    trips = st.tuples(st.integers(1, 3), st.sampled_from([1, 2]), st.sampled_from([1, 2, 3]))
    copies = [(name, level) for name in NAMES[:loops] for level in range(3)]
    return Tiled(
        distances=tuple(draw(st.lists(vector, min_size=1, max_size=3))),
        trips=tuple(draw(trips) for _ in range(loops)),
        order=tuple(draw(st.permutations(copies))),
    )


def the_nest(built: Scop) -> tuple[Dependences, Nest]:
    deps = dependences(built)
    (nest,) = distribute(built, deps).nests
    return deps, nest


def sorted_copies(point: Tiled, nest: Nest) -> Tiled | None:
    """The order with the copies of each loop put in theirs; None where it breaks a precedence."""
    waiting = {name: iter(range(3)) for name in point.names}
    order = tuple((name, next(waiting[name])) for name, _ in point.order)
    many = {
        (name, level)
        for name, trips in zip(point.names, point.trips, strict=True)
        for level in range(3)
        if trips[level] > 1
    }
    for (name, level), (later, inner) in product(order, order):
        wrong = (name, later) in nest.precedence and order.index((name, level)) > order.index((later, inner))
        if wrong and {(name, level), (later, inner)} <= many:
            return None
    return Tiled(point.distances, point.trips, order)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(tiled())
def test_orders_that_respect_the_precedence_are_legal(drawn: Tiled) -> None:
    deps, nest = the_nest(drawn.scop)
    point = sorted_copies(drawn, nest)
    assume(point is not None)
    assert point is not None
    assert violations(deps, {nest.statements[0]: point.schedule}) is None
    extents = [point.extent(at) for at in range(len(point.names))]
    for start, distance in product(product(*map(range, extents)), point.distances):
        end = tuple(s + d for s, d in zip(start, distance, strict=True))
        if all(0 <= e < extent for e, extent in zip(end, extents, strict=True)):
            assert point.time(start) < point.time(end)


def test_an_order_against_the_precedence_is_caught() -> None:
    point = Tiled(((1, -1),), ((2, 1, 2), (2, 1, 2)), (("i", 0), ("j", 0), ("j", 1), ("j", 2), ("i", 1), ("i", 2)))
    deps, nest = the_nest(point.scop)
    assert nest.precedence == {("i", "j")}
    assert sorted_copies(point, nest) is None
    found = violations(deps, {nest.statements[0]: point.schedule})
    assert found is not None
    assert point.time(shifted(found.source)) >= point.time(shifted(found.sink))


def shifted(instance: dict[str, int]) -> tuple[int, ...]:
    return tuple(value - PLACES for value in instance.values())
