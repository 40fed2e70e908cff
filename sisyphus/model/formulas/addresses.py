"""What an address costs: banks, remainders, products, and when a loop changes it; knows no schedule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sisyphus.algebra import Algebra, Condition, Value, at_least
from sisyphus.model.facts.task_facts import BufferAccess, Dim, Pipe
from sisyphus.model.formulas.rules import Rules
from sisyphus.plan import banks

#: Iterations of a loop that has some.
SEVERAL = 2


def needs_multiplier(alg: Algebra, stride: Value) -> Condition:
    """A product with `stride` is neither a shift nor one sum or difference of two shifts."""
    low = alg.lowest_bit(stride)
    shift, total = alg.is_power_of_two(stride), alg.is_power_of_two(stride - low)
    return alg.negation(alg.either(shift, total, alg.is_power_of_two(stride + low)))


def is_complete(alg: Algebra, dim: Dim) -> Condition:
    """Every index of the dimension is a bank of its own."""
    return at_least(alg, dim.factor, dim.extent)


def words(alg: Algebra, dim: Dim) -> Value:
    """Indices of the dimension in one bank (docs/model.md)."""
    return alg.ceil_div(dim.extent, dim.factor)


def bank_count(alg: Algebra, dims: Iterable[Dim]) -> Value:
    """Banks of a buffer."""
    return banks.bank_count(alg, ((dim.extent, dim.factor) for dim in dims))


def words_per_bank(alg: Algebra, dims: Iterable[Dim]) -> Value:
    """Words in one bank of a buffer."""
    return banks.words_per_bank(alg, ((dim.extent, dim.factor) for dim in dims))


def in_registers(alg: Algebra, dims: Iterable[Dim]) -> Condition:
    """Every element is a bank of its own."""
    return banks.in_registers(alg, ((dim.extent, dim.factor) for dim in dims))


def moving(alg: Algebra, dim: Dim, loops: Iterable[str], trips: Mapping[str, Value]) -> tuple[Condition, Value]:
    """Whether any of `loops` changes the subscript, and the greatest common divisor of its steps."""
    changes: Condition = False
    step: Value = 0
    for loop in loops:
        if loop in dim.strides:
            turns = _turns(alg, dim, loop, trips)
            changes = alg.either(changes, turns)
            step = alg.gcd(step, alg.select(turns, dim.strides[loop], 0))
    return changes, step


def moves_with_two_loops(alg: Algebra, dim: Dim, pipe: Pipe, tile_loops: Mapping[str, Condition]) -> Condition:
    """The pipelined loop and one of the tile loops that count change the subscript (docs/evidence/register.md)."""
    if pipe.loop is None:
        return False
    changes = (alg.both(counts, moving(alg, dim, (loop,), pipe.trips)[0]) for loop, counts in tile_loops.items())
    return alg.both(alg.either(*changes), moving(alg, dim, (pipe.loop,), pipe.trips)[0])


def _turns(alg: Algebra, dim: Dim, loop: str, trips: Mapping[str, Value]) -> Condition:
    """Whether a loop changes the subscript; one that calls the task, whose trips are not known here, always does."""
    return alg.both(alg.exceeds(trips.get(loop, SEVERAL), 1), alg.exceeds(dim.strides[loop], 0))


def remainder_cycles(alg: Algebra, rules: Rules, dim: Dim, step: Value, *, whole: bool = False) -> Value:
    """Cycles of the remainder that selects a bank when the index goes by multiples of `step`; 0 without one.

    None is needed where the step is a multiple of the factor or their quotient a power of two (docs/model.md). The
    index is counted in steps, or with `whole` (transfers) in elements.
    """
    common = alg.gcd(dim.factor, step)
    common = alg.maximum(common, 1)
    ways = alg.ceil_div(dim.factor, common)
    needed = alg.both(
        alg.exceeds(dim.factor, common),
        alg.negation(alg.is_power_of_two(ways)),
        at_least(alg, dim.extent, 2 * dim.factor),
    )
    index_bits = alg.log2_ceil(dim.extent if whole else alg.ceil_div(dim.extent, common))
    return alg.select(needed, alg.maximum(index_bits, 1) + rules.cycles.remainder_extra, 0)


def bank_ways(alg: Algebra, dim: Dim, step: Value) -> Value:
    """Banks among which an index that goes by multiples of `step` moves."""
    return alg.ceil_div(dim.factor, alg.maximum(alg.gcd(dim.factor, step), 1))


def address_multipliers(
    alg: Algebra, accesses: Iterable[BufferAccess], loops: Sequence[str], trips: Mapping[str, Value]
) -> Value:
    """Buffers with an in-bank address of two terms and a product: each takes one multiply-add (docs/model.md)."""
    found: dict[str, Condition] = {}
    for access in accesses:
        moves = [(dim, moving(alg, dim, loops, trips)[0]) for dim in access.dims]
        _, multiplies = has_product(alg, moves)
        found[access.buffer] = alg.either(found.get(access.buffer, False), multiplies)
    return sum(alg.select(condition, 1, 0) for condition in found.values())


def has_product(alg: Algebra, dims: Iterable[tuple[Dim, Condition]]) -> tuple[Condition, Condition]:
    """Of an in-bank address: whether two or more dimensions move in it, and whether that takes a multiplier.

    `dims` come with whether their subscript moves; the multiplier is for the words of the last that does. A dimension
    of less than two rounds of its banks adds a bit, not a term.
    """
    terms: Value = 0
    last: Value = 1
    for dim, moves in dims:
        counted = alg.both(moves, at_least(alg, dim.extent, 2 * dim.factor))
        terms = terms + alg.select(counted, 1, 0)
        last = alg.select(counted, words(alg, dim), last)
    two = alg.exceeds(terms, 1)
    return two, alg.both(two, needs_multiplier(alg, last))


def arrival(
    alg: Algebra,
    rules: Rules,
    access: BufferAccess,
    loops: Iterable[str],
    trips: Mapping[str, Value],
    arguments: Sequence[str] = (),
) -> Value:
    """Cycle in which an element read is there (docs/model.md): 2, +3 with an address multiply, or the remainder.

    What some of the `loops` move may move with `arguments` of the task, too: the remainder is of the sum.
    """
    loops = tuple(loops)
    remainder: Value = 0
    moves: list[tuple[Dim, Condition]] = []
    for dim in access.dims:
        changes, step = moving(alg, dim, loops, trips)
        moves.append((dim, changes))
        selecting = alg.both(changes, alg.negation(is_complete(alg, dim)))
        cycles = remainder_cycles(alg, rules, dim, alg.gcd(step, moving(alg, dim, arguments, trips)[1]))
        remainder = alg.maximum(remainder, alg.select(selecting, cycles, 0))
    _, multiplies = has_product(alg, moves)
    plain = rules.cycles.read + alg.select(multiplies, rules.cycles.address_multiply, 0)
    return alg.maximum(plain, remainder)


def call_address(alg: Algebra, rules: Rules, pipe: Pipe, *, counts: bool = True) -> Value:
    """Cycles of the remainders with which arguments of a task pick banks, before a body starts in a call.

    Of subscripts that no loop of the task moves; where one does, the remainder is in the body (`arrival`). None where
    bank and word are counted outside (`_is_counted`); all of them if nothing `counts`.
    """
    longest: Value = rules.cycles.read
    for access in (access for work in pipe.works for access in (work.write, *work.reads.values())):
        for dim in access.dims:
            picks, step = moving(alg, dim, pipe.arguments, pipe.trips)
            stays = alg.negation(alg.either(moving(alg, dim, pipe.loops, pipe.trips)[0], is_complete(alg, dim)))
            divides = alg.negation(alg.both(counts, _is_counted(alg, dim, pipe)))
            cycles = remainder_cycles(alg, rules, dim, step)
            longest = alg.maximum(longest, alg.select(alg.both(picks, stays, divides), cycles, 0))
    return longest - rules.cycles.read


def _is_counted(alg: Algebra, dim: Dim, pipe: Pipe) -> Condition:
    """The outermost loop around the calls alone moves the subscript, one by one: it counts bank and word beside it."""
    if not pipe.arguments or pipe.arguments[0] not in dim.strides:
        return False
    counting, *_ = pipe.arguments
    others, _ = moving(alg, dim, (loop for loop in dim.strides if loop != counting), pipe.trips)
    return alg.negation(alg.either(others, alg.exceeds(dim.strides[counting], 1)))


def changes_address(
    alg: Algebra, rules: Rules, access: BufferAccess, loop: str, loops: Sequence[str], trips: Mapping[str, Value]
) -> Condition:
    """Whether `loop` moves an access inside its bank; one that only selects a bank does not (docs/model.md).

    `loops` are all loops that may move it.
    """
    inside: list[Condition] = []
    for dim in (dim for dim in access.dims if loop in dim.strides):
        keeps = _keeps_bank(alg, dim, loops, trips) if rules.bank_moves_break else True
        inside.append(alg.both(alg.negation(is_complete(alg, dim)), _turns(alg, dim, loop, trips), keeps))
    return alg.either(*inside)


def _keeps_bank(alg: Algebra, dim: Dim, loops: Sequence[str], trips: Mapping[str, Value]) -> Condition:
    """No loop that turns moves the subscript to another bank."""
    keeps: list[Condition] = []
    for loop in (loop for loop in loops if loop in dim.strides):
        multiple = at_least(alg, alg.gcd(dim.strides[loop], dim.factor), dim.factor)
        keeps.append(alg.either(multiple, alg.negation(_turns(alg, dim, loop, trips))))
    return alg.both(*keeps)
