"""Small random affine kernels, and random legal design points of any kernel, from a seeded generator."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from builders import scop as build_scop

from sisyphus.analysis import Distribution, Live, LoopKind, Nest, OuterLoop, liveness
from sisyphus.errors import KernelError
from sisyphus.ir import Array, ArrayId, Role, Scop
from sisyphus.plan import build_plan
from sisyphus.plan.checks import arrays_of
from sisyphus.plan.known import KnownPlans
from sisyphus.poly import dim_names, dim_range
from sisyphus.space import (
    KERNEL_PLACE,
    NEST_PLACE,
    BufferPoint,
    DesignPoint,
    NestPoint,
    Tile,
    TransferPoint,
    factors_of,
    free_loops,
    layout_for,
    level2_order,
)
from sisyphus.space.ahead import loaded_ahead, may_load_ahead

RANKS = {"A": 2, "B": 2, "C": 2, "D": 1, "E": 1, "S": 0, "w": 1}
FIRST = "for i in range(14):\n    w[i] = 0.25 * i"


def random_kernel(rng: random.Random) -> Scop:
    """Up to three loop nests of up to three loops, some triangular, some guarded, with subscripts inside arrays."""
    while True:
        text = "\n".join(_loops(rng, (), rng.randint(1, 3)) for _ in range(rng.randint(1, 2)))
        text = f"{FIRST}\n{text}" if "w[" in text else text
        fitted = _with_extents(rng, text)
        if fitted is not None:
            return fitted


def _loops(rng: random.Random, outer: tuple[str, ...], depth: int) -> str:
    name = "ijkl"[len(outer)]
    low = rng.choice(["0", "0", "0", "1", *outer, *(f"{o} + 1" for o in outer)])
    high = rng.choice([str(rng.randint(3, 6)), str(rng.randint(3, 6)), *(f"{o} + 1" for o in outer)])
    head, inner = f"for {name} in range({low}, {high}):", (*outer, name)
    body = [_statement(rng, inner)] if depth == 1 or rng.random() < 0.3 else []
    if depth > 1:
        body += [_loops(rng, inner, depth - 1) for _ in range(rng.choice([1, 1, 2]))]
    if depth == 1 and rng.random() < 0.2:
        body.append(_statement(rng, inner))
    return "\n".join([head, *("    " + line for part in body for line in part.splitlines())])


def _statement(rng: random.Random, loops: tuple[str, ...]) -> str:
    target = _element(rng, loops)
    operands = [_element(rng, loops) for _ in range(rng.randint(1, 2))]
    product = " * ".join([*operands, *rng.choice([[], ["alpha"], ["0.5"]])])
    line = rng.choice([f"{target} += {product}"] * 2 + [f"{target} = {product}", f"{target} = {target} - {product}"])
    if rng.random() < 0.25:
        one, other = rng.choice(loops), rng.choice([*loops, "2"])
        line = f"if {one} {rng.choice(['<', '>', '<=', '=='])} {other}:\n    {line}"
    return line


def _element(rng: random.Random, loops: tuple[str, ...]) -> str:
    array = rng.choice(list(RANKS))
    indices = []
    for _ in range(RANKS[array]):
        one, other = rng.choice(loops), rng.choice(loops)
        indices.append(rng.choice([one, one, one, f"{one} + 1", f"{one} - 1", f"{one} + {other}", f"6 - {one}", "2"]))
    return f"{array}[{', '.join(indices)}]" if indices else array


def _with_extents(rng: random.Random, text: str) -> Scop | None:
    """The kernel with arrays just large enough; None where a subscript is negative or nothing runs."""
    draft = build_scop(text, **{name: (0,) * rank for name, rank in RANKS.items()})
    if any(s.domain.is_empty() for s in draft.statements):
        return None
    extents: dict[str, list[int]] = {}
    for access in (a for s in draft.statements for a in s.accesses):
        touched = access.relation.range()
        sizes = extents.setdefault(access.array, [1] * RANKS[access.array])
        for at, name in enumerate(dim_names(touched)):
            low, high = dim_range(touched, name)
            if low < 0:
                return None
            sizes[at] = max(sizes[at], high + 1)
    return build_scop(text, **{name: tuple(s + rng.randint(0, 1) for s in sizes) for name, sizes in extents.items()})


def random_point(
    rng: random.Random,
    scop: Scop,
    distribution: Distribution,
    *,
    ragged: bool = True,
    tree_reduction: bool = False,
    split: bool = False,
    ahead: bool = True,
) -> DesignPoint:
    """A point whose loop orders keep every dependence, with buffers anywhere that is allowed.

    `split`: half of the nests run their full tiles apart from the others; `ahead`: half of those that may load tiles
    ahead.
    """
    nests = tuple(_nest_point(rng, scop, nest, ragged=ragged) for nest in distribution.nests)
    if split:
        nests = tuple(replace(nest, split=rng.random() < 0.5) for nest in nests)
    orders = {n.id: n.order for n in nests}
    buffers = tuple(b for a in scop.arrays for b in _buffers(rng, scop, distribution, orders, a.id))
    for nest, chosen in zip(distribution.nests, nests, strict=True):
        if ahead and not chosen.split and rng.random() < 0.5:
            buffers = loaded_ahead(nest.id, may_load_ahead(scop, nest), chosen, buffers)
    point = DesignPoint(scop.name, nests, buffers, tree_reduction=tree_reduction)
    fits = _Widths(scop, distribution)
    for array in (a for a in scop.arrays if a.view_of is None):
        wide = _widened(rng, scop, array, point)
        is_narrow = all(transfer.width == 1 for transfer in wide.transfers)
        point = wide if is_narrow or fits.of(wide) else point
    return point


def _still(scop: Scop, nest: Nest) -> frozenset[str]:
    """The loops that must stand still for some view of a nest."""
    return frozenset(loop for a in arrays_of(scop, nest) for loop in scop.array(a).still)


def _widened(rng: random.Random, scop: Scop, array: Array, point: DesignPoint) -> DesignPoint:
    """With wide beats for one array and its views, its rows padded where they need it."""
    width = rng.choice([1, 2, 4, 16])
    layout = layout_for(array.extents, width)
    form = "stream" if width in (2, 16) and array.extents else "direct"
    buffers = [b for b in point.buffers if scop.home(b.array) == array.id]
    mine = tuple(TransferPoint(b.id, width, layout=layout, form=form) for b in buffers)
    return replace(point, transfers=(*point.transfers, *mine))


class _Widths:
    """Are the beats of points that differ in nothing else legal? Their plans share what does not depend on beats."""

    def __init__(self, scop: Scop, distribution: Distribution) -> None:
        self._scop, self._distribution, self._known = scop, distribution, KnownPlans()

    @cached_property
    def _live(self) -> Mapping[ArrayId, Live]:
        return liveness(self._scop)

    def of(self, point: DesignPoint) -> bool:
        try:
            build_plan(self._scop, self._distribution, self._live, point, self._known)
        except KernelError as fault:
            return "elements per beat" not in fault.message
        return True


def _nest_point(rng: random.Random, scop: Scop, nest: Nest, *, ragged: bool) -> NestPoint:
    for _ in range(20):
        choice = _any_nest_point(rng, scop, nest, ragged=ragged)
        if keeps_precedence(nest, choice):
            return choice
    plain = tuple((loop.iterator, Tile(max(loop.trip_count, 1), 1, 1)) for loop in nest.band)
    return NestPoint(nest.statements, nest.iterators, plain, None)


def _any_nest_point(rng: random.Random, scop: Scop, nest: Nest, *, ragged: bool) -> NestPoint:
    still = _still(scop, nest)
    pipeline = rng.choice([None, *(name for name in nest.iterators if name not in still)])
    tiles = []
    for loop in nest.band:
        trip = max(loop.trip_count, 1)
        sizes = range(1, trip + 1) if ragged else [d for d in range(1, trip + 1) if trip % d == 0]
        level2 = 1 if loop.kind is LoopKind.SEQUENTIAL or loop.iterator in still else rng.choice(sizes)
        level1 = 1
        if loop.iterator == pipeline:
            level1 = rng.choice([s for s in sizes if s * level2 <= trip and (ragged or trip % (s * level2) == 0)])
        tiles.append((loop.iterator, Tile(-(-trip // (level1 * level2)), level1, level2)))
    order = rng.sample(nest.iterators, len(nest.iterators))
    beside = [(name, rng.choice(factors_of(tile))) for name, tile in tiles if name in free_loops(scop, nest)]
    unroll = tuple((name, factor) for name, factor in beside if factor > 1)
    return NestPoint(nest.statements, tuple(order), tuple(tiles), pipeline, unroll)


def keeps_precedence(nest: Nest, choice: NestPoint) -> bool:
    """Every copy of the first loop of a pair outside of every copy of the second, where both have iterations."""
    tiles = dict(choice.tiles)
    copies = [loop for loop in choice.order if tiles[loop].level0 > 1]
    copies += [loop for loop in nest.iterators if tiles[loop].level1 > 1]
    copies += [loop for loop in level2_order(nest, tree_reduction=False) if tiles[loop].level2 > 1]
    return all(
        _last(copies, before) < copies.index(after)
        for before, after in nest.precedence
        if before in copies and after in copies
    )


def _last(items: Sequence[str], item: str) -> int:
    return len(items) - 1 - list(reversed(items)).index(item)


def _buffers(
    rng: random.Random, scop: Scop, distribution: Distribution, orders: Mapping[str, Sequence[str]], array: ArrayId
) -> Iterator[BufferPoint]:
    declared = scop.array(array)
    users = [n for n in distribution.nests if array in arrays_of(scop, n)]
    partition = tuple(rng.randint(1, e) for e in declared.extents)
    if declared.given:
        yield BufferPoint(array, tuple(nest.id for nest in users), KERNEL_PLACE, partition)
        return
    if declared.view_of is not None:
        for nest in users:
            order = orders[nest.id]
            first = max((order.index(loop) for loop in declared.still), default=0)
            around = nest.outer[-1:] if not declared.still else ()
            yield BufferPoint(array, (nest.id,), rng.choice([*around, *order[first:]] or [NEST_PLACE]), partition)
        return
    resident: list[str] = []
    for entry in distribution.body:
        inside = [n for n in _nests([entry]) if n in users]
        if declared.role is Role.LOCAL or rng.random() < 0.5:
            resident += [n.id for n in inside]
        else:
            resident += yield from _tiled(rng, entry, users, array, partition)
    if resident:
        yield BufferPoint(array, tuple(resident), KERNEL_PLACE, partition)


def _tiled(
    rng: random.Random, entry: OuterLoop | Nest, users: Sequence[Nest], array: ArrayId, partition: tuple[int, ...]
) -> Generator[BufferPoint, None, list[str]]:
    """Buffers for an entry of a body that holds none for the whole kernel; returns the nests that must have it so."""
    if isinstance(entry, Nest):
        if entry not in users:
            return []
        if not entry.band:
            if not entry.outer:
                return [entry.id]
            yield BufferPoint(array, (entry.id,), entry.outer[-1], partition)
        else:
            yield BufferPoint(array, (entry.id,), rng.choice([*entry.outer[-1:], *entry.iterators]), partition)
        return []
    inside = [n for n in _nests([entry]) if n in users]
    if inside and rng.random() < 0.4:
        yield BufferPoint(array, tuple(n.id for n in inside), entry.iterator, partition)
        return []
    for child in entry.body:
        yield from _tiled(rng, child, users, array, partition)
    return []


def _nests(entries: Sequence[OuterLoop | Nest]) -> Iterator[Nest]:
    for entry in entries:
        if isinstance(entry, Nest):
            yield entry
        else:
            yield from _nests(entry.body)
