"""How many accesses of one start meet in one bank; knows no schedule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np

from sisyphus.algebra import Algebra, Value, product
from sisyphus.model.facts.task_facts import BufferAccess, Pipe
from sisyphus.model.formulas.addresses import in_registers, is_complete
from sisyphus.model.formulas.rules import Rules

#: An access in numbers: per dimension its constant, and its (stride, trip count) per unrolled loop by position.
Offsets = tuple[int, ...]

#: Elements that are enumerated to find the fullest bank.
MOST_ELEMENTS = 16384


def port_interval(alg: Algebra, rules: Rules, pipe: Pipe) -> Value:
    """Starts that the ports of the fullest bank ask for: ⌈accesses of one start / ports⌉."""
    worst: Value = 0
    for accesses in _by_buffer(pipe).values():
        free = in_registers(alg, accesses[0][0].dims)
        worst = alg.maximum(worst, alg.select(free, 0, _pressure(alg, pipe, accesses)))
    return alg.maximum(1, alg.ceil_div(worst, rules.ports_per_bank))


def _by_buffer(pipe: Pipe) -> dict[str, list[tuple[BufferAccess, bool]]]:
    """Different accesses of one start by buffer, with whether they write; a value passed on is no access."""
    found: dict[str, list[tuple[BufferAccess, bool]]] = {}
    seen: set[tuple[object, ...]] = set()
    for work in pipe.works:
        read = [a for ref, a in work.reads.items() if not (work.from_literal and ref == work.target)]
        for access, writes in (*((a, False) for a in read), (work.write, True)):
            key = (access.buffer, access.element, writes)
            passed = not writes and (access.buffer, access.element, True) in seen
            if key not in seen and not passed:
                seen.add(key)
                found.setdefault(access.buffer, []).append((access, writes))
    return found


def _pressure(alg: Algebra, pipe: Pipe, accesses: Sequence[tuple[BufferAccess, bool]]) -> Value:
    """Accesses of one start to the fullest bank.

    Accesses that move alike differ by constants and are counted together, element by element; the others are added
    up, since they may meet anywhere.
    """
    unrolled = {loop for work in pipe.works for loop in work.unrolled}
    groups = (*_groups(accesses, writes=False), *_groups(accesses, writes=True))
    return sum(
        _spread(alg, pipe, group, unrolled, 1)
        if len(group) > 1 or _is_skewed(group[0], unrolled)
        else _single(alg, pipe, group[0], unrolled)
        for group in groups
    )


def _is_skewed(access: BufferAccess, unrolled: set[str]) -> bool:
    """Whether one unrolled loop moves several dimensions, so that its copies lie on a diagonal of banks."""
    moved = Counter(loop for dim in access.dims for loop in dim.strides if loop in unrolled)
    return any(count > 1 for count in moved.values())


def _groups(accesses: Sequence[tuple[BufferAccess, bool]], *, writes: bool) -> list[list[BufferAccess]]:
    """Reads or writes, those together that differ by constants alone."""
    groups: dict[tuple[object, ...], list[BufferAccess]] = {}
    for access, is_write in accesses:
        if is_write == writes:
            groups.setdefault(tuple(index.terms for index in access.element), []).append(access)
    return list(groups.values())


def _single(alg: Algebra, pipe: Pipe, access: BufferAccess, unrolled: set[str]) -> Value:
    """Copies of one access in one bank: per dimension, its span over the factor."""
    found: Value = 1
    for dim in access.dims:
        steps = [(dim.strides[loop], pipe.trips[loop]) for loop in dim.strides if loop in unrolled]
        if not steps:
            continue
        common: Value = 0
        span: Value = 1
        for stride, trip in steps:
            common = alg.gcd(common, alg.select(alg.exceeds(trip, 1), stride, 0))
            span = span + (trip - 1) * stride
        common = alg.maximum(common, 1)
        elements = alg.minimum(alg.ceil_div(span, common), product([trip for _, trip in steps]))
        reached = alg.ceil_div(dim.factor, alg.gcd(dim.factor, common))
        found = found * alg.select(is_complete(alg, dim), 1, alg.ceil_div(elements, reached))
    return found


def _columns(
    pipe: Pipe, group: Sequence[BufferAccess], unrolled: set[str]
) -> tuple[tuple[Offsets, ...], int, list[Value]]:
    """Accesses that differ by constants as arguments of `spread`."""
    first = group[0]
    loops = sorted({loop for dim in first.dims for loop in dim.strides if loop in unrolled})
    columns = [dim.factor for dim in first.dims] + [dim.extent for dim in first.dims]
    columns += [pipe.trips[loop] for loop in loops]
    columns += [dim.strides.get(loop, 0) for dim in first.dims for loop in loops]
    offsets = tuple(sorted({tuple(index.constant for index in access.element) for access in group}))
    return offsets, len(loops), columns


def elements_read(alg: Algebra, pipe: Pipe) -> dict[str, Value]:
    """Different elements that one start reads from each buffer."""
    unrolled = {loop for work in pipe.works for loop in work.unrolled}
    found: dict[str, Value] = {}
    for buffer, accesses in _by_buffer(pipe).items():
        for group in _groups(accesses, writes=False):
            if len(group) == 1:
                _, loops, columns = _columns(pipe, group, unrolled)
                count = product(columns[2 * len(group[0].dims) :][:loops])
            else:
                count = _spread(alg, pipe, group, unrolled, 0)
            found[buffer] = found.get(buffer, 0) + count
    return found


def _spread(alg: Algebra, pipe: Pipe, group: Sequence[BufferAccess], unrolled: set[str], at: int) -> Value:
    """Elements of accesses that differ by constants: in all (0), or in their fullest bank (1)."""
    offsets, loops, columns = _columns(pipe, group, unrolled)
    return alg.apply(lambda *numbers: spread(offsets, loops, numbers)[at], *columns)


@lru_cache(maxsize=65536)
def spread(offsets: tuple[Offsets, ...], loops: int, columns: tuple[int, ...]) -> tuple[int, int]:
    """Different elements of accesses that differ by constants: how many in all, and in the fullest bank.

    They are enumerated; beyond MOST_ELEMENTS all of them count as different. `columns` are the factors and the
    extents of all dimensions, the trip counts of the unrolled loops, and the strides of each dimension over these.
    """
    dims = len(offsets[0])
    factors, extents = columns[:dims], columns[dims : 2 * dims]
    trips, strides = columns[2 * dims : 2 * dims + loops], columns[2 * dims + loops :]
    if len(offsets) * prod(trips) > MOST_ELEMENTS:
        banks = prod(min(f, e) for f, e in zip(factors, extents, strict=True))
        return len(offsets) * prod(trips), len(offsets) * -(-prod(trips) // banks)
    grid = np.indices(trips).reshape(loops, -1) if loops else np.zeros((0, 1), np.int64)
    element = np.zeros((len(offsets), grid.shape[1]), np.int64)
    bank = np.zeros_like(element)
    for at in range(dims):
        moved = np.asarray(strides[at * loops : (at + 1) * loops], np.int64) @ grid if loops else np.zeros(1, np.int64)
        place = np.asarray([offset[at] for offset in offsets], np.int64)[:, None] + moved[None, :]
        place = place - place.min()
        ways = max(factors[at], 1) if factors[at] < extents[at] else int(place.max()) + 1
        element = element * (int(place.max()) + 1) + place
        bank = bank * ways + place % ways
    _, first = np.unique(element.ravel(), return_index=True)
    return len(first), int(np.bincount(bank.ravel()[first]).max())
