"""Arrays that a nest touches in several places at once, as an array for each place; knows no cost.

for j: for k: A[i][j] -= A[i][k] * A[k][j]   becomes
for j: for k: A_1[i][j] -= A_2[i][k] * A_3[k][j]   where A_1, A_2 and A_3 are views of the memory of A

A buffer of all that such a nest touches would be most of the array; each view has a small one. They are copies of one
memory, so that no value may pass from one to another while both live: `View.still` says how short that must be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, combinations

from sisyphus.analysis.dependence import Dependences, dependences, in_order
from sisyphus.analysis.distribution import Distribution, Nest, distribute, paths
from sisyphus.analysis.isl_limits import Patience
from sisyphus.analysis.liveness import Live
from sisyphus.analysis.nest_refs import loops_in, refs_to
from sisyphus.analysis.rewrite import fresh_name, names_of, with_refs
from sisyphus.ir import Access, Array, ArrayId, Ref, Role, Scop, Statement
from sisyphus.poly import Affine, Map, compare, through
from sisyphus.values import dataclass, field, replace

#: The parts of the subscripts that move, in the nest's own names for its loops.
Linear = tuple[tuple[tuple[str, int], ...], ...]
#: Pairs of a write and a later read of the same element in one run of a nest.
Pairs = tuple[Statement, Statement, Map]


@dataclass(frozen=True)
class View:
    """`name` replaces `array` in the references `refs` of one nest.

    `still`: loops of the nest that must stand still while a buffer of the view lives; where they do, nothing that the
    nest writes through one view is read through another. `lasting`: no part of the kernel around the nest writes what
    the view reads before it does, and the nest, or one beside it, uses the array itself: a copy. `own_port`: nor does
    an earlier part write any of the array, so that the copy holds what the kernel was given.
    """

    array: ArrayId
    name: ArrayId
    nest: str
    refs: tuple[Ref, ...]
    still: tuple[str, ...]
    lasting: bool = False
    own_port: bool = False


@dataclass(frozen=True, eq=False)
class Viewed:
    """The same kernel with every reference to some arrays through a view."""

    scop: Scop
    views: tuple[View, ...]

    @property
    def arrays(self) -> tuple[ArrayId, ...]:
        """Those that have views."""
        return tuple(dict.fromkeys(view.array for view in self.views))

    def live(self, live: Mapping[ArrayId, Live]) -> dict[ArrayId, Live]:
        """What is known of the arrays of the kernel without views, and of the views of each: only some are written."""
        written = {statement.write.array for statement in self.scop.statements}
        own = {v.name: replace(live[v.array], store=live[v.array].store and v.name in written) for v in self.views}
        return {**live, **own}


def with_views(scop: Scop, distribution: Distribution, arrays: Collection[ArrayId] | None = None) -> Viewed | None:
    """The scop with views of every argument (of `arrays`) that some nest touches in places that can be told apart."""
    patience, views = Patience(), list[View]()
    taken = names_of(scop)
    for array in scop.arrays:
        nests = [n for n in distribution.nests if _refs(scop, n, array.id)]
        wanted = arrays is None or array.id in arrays
        if wanted and array.role is not Role.LOCAL:
            split = [(n, _classes(scop, n, array.id, patience)) for n in nests]
            if any(len(found) > 1 for _, found in split):
                views += _named(array.id, split, taken)
    return Viewed(_rewritten(scop, distribution, views), tuple(views)) if views else None


def with_copies(scop: Scop, distribution: Distribution, arrays: Collection[ArrayId] | None = None) -> Viewed | None:
    """The scop with a copy of every array that a nest updates and reads elsewhere, if copies are current.

    for k: B[i][j] += A[k][i] * B[k][j]   becomes   for k: B[i][j] += A[k][i] * B_1[k][j]

    A copy is filled before the part of the kernel around its nest, nothing of which may write an element that the nest
    reads later through it. Of `arrays`, where they are given, those of `read_at_once` have copies, too: one for each
    nest that could else run beside others that read the array.
    """
    patience, views, before = Patience(), list[View](), set[ArrayId]()
    taken = names_of(scop)
    apart = {} if arrays is None else _reading_at_once(scop, distribution)
    for part in distribution.body:
        nests = [nest for _, nest in paths([part])]
        beside = [scop.statement(s) for nest in nests for s in nest.statements]
        for nest in nests:
            for array in scop.arrays:
                wanted = arrays is None or array.id in arrays
                if wanted and array.role is not Role.LOCAL:
                    classes = _copies(scop, nest, array.id, beside, patience)
                    if nest.id in apart.get(array.id, ()):
                        classes = [_Class(list(refs_to(scop, nest, array.id)))]
                    fresh = array.id not in before
                    named = _named(array.id, [(nest, classes)], taken)
                    views += (replace(view, lasting=True, own_port=fresh) for view in named)
        before |= {statement.write.array for statement in beside}
    return Viewed(_rewritten(scop, distribution, views), tuple(views)) if views else None


def freed(scop: Scop, distribution: Distribution) -> tuple[Dependences, Distribution] | None:
    """Dependences and nests where copies of what the kernel was given are arrays of their own, which nothing writes.

    No read of such a copy waits, and no write of the array waits for it, so that loops are free that were sequential:
    for i: B[i][j] += A[k][i] * B_1[k][j] may turn around B_1, and around i and k. All other copies are filled with
    what was written before, and stay names of one memory. None where the nests do not stay the same, or none has more
    freedom.
    """
    arrays = tuple(replace(array, given=array.own_port and array.role is Role.IN) for array in scop.arrays)
    home = {array.id: array.home for array in arrays if not array.given}

    def at_home(ref: Ref) -> Ref:
        return replace(ref, array=home.get(ref.array, ref.array))

    in_memory = tuple(with_refs(statement, at_home) for statement in scop.statements)
    apart = dependences(replace(scop, arrays=arrays, statements=in_memory))
    found = replace(apart, scop=replace(scop, arrays=arrays))
    free = distribute(found.scop, found)
    before, after = (_freedom(each) for each in (distribution, free))
    return (found, free) if before.keys() == after.keys() and before != after else None


def _freedom(distribution: Distribution) -> dict[str, object]:
    """By nest the kinds of its loops, which of them stand outside of which, and the loops around it."""
    return {
        nest.id: (nest.outer, {loop.iterator: loop.kind for loop in nest.band}, nest.precedence)
        for nest in distribution.nests
    }


def read_at_once(scop: Scop, distribution: Distribution) -> tuple[ArrayId, ...]:
    """Arguments that nothing writes and that nests read of which none waits for another one.

    Two functions that read one memory run one after the other (docs/model.md, "conflicts"); with a copy for one of
    them they run at the same time.
    """
    return tuple(_reading_at_once(scop, distribution))


def _reading_at_once(scop: Scop, distribution: Distribution) -> dict[ArrayId, list[str]]:
    """Of arrays that nothing writes, the nests that could run beside an earlier reader, which has the array itself."""
    nests = [part for part in distribution.body if isinstance(part, Nest)]
    touched = {nest.id: [scop.statement(s) for s in nest.statements] for nest in nests}
    written = {nest: {s.write.array for s in own} for nest, own in touched.items()}
    used = {nest: {a for s in own for a in s.touched} for nest, own in touched.items()}
    anywhere = {s.write.array for s in scop.statements}
    outside = [a for a in scop.arrays if a.role is not Role.LOCAL and a.view_of is None and a.extents]
    only_read = [array for array in outside if array.id not in anywhere]
    before = _waits_for(list(touched), written, used) if only_read else {}
    found = dict[ArrayId, list[str]]()
    for array in only_read:
        kept = list[str]()
        for nest in (n for n in touched if array.id in used[n]):
            if all(other in before[nest] for other in kept):
                kept.append(nest)
            elif array.id not in scop.looked_up:
                found.setdefault(array.id, []).append(nest)
    return found


def _waits_for(
    nests: Sequence[str], written: Mapping[str, set[ArrayId]], used: Mapping[str, set[ArrayId]]
) -> dict[str, set[str]]:
    """For each nest the earlier ones that it comes after, as they share an array that one of them writes."""
    found = dict[str, set[str]]()
    for at, nest in enumerate(nests):
        before = found[nest] = set()
        for other in reversed(nests[:at]):  # what the one just before it waits for need not be looked at
            if other not in before and (written[other] & used[nest] or written[nest] & used[other]):
                before |= {other, *found[other]}
    return found


def _copies(scop: Scop, nest: Nest, array: ArrayId, beside: Sequence[Statement], patience: Patience) -> list[_Class]:
    """References to an updated array whose subscripts differ from those written in more than constants."""
    found = _refs(scop, nest, array)
    writing = {_linear(ref) for _, access, ref in found if access.is_write}
    if not writing & {_linear(ref) for _, access, ref in found if not access.is_write}:
        return []
    writes = [(s, access) for s in beside for access in s.accesses if access.is_write and access.array == array]
    others = dict[Linear, _Class]()
    for linear in dict.fromkeys(_linear(ref) for _, _, ref in found):
        reads = [(s, access) for s, access, ref in found if _linear(ref) == linear and not access.is_write]
        if linear not in writing and not any(_is_passed(*w, *r, patience) for w in writes for r in reads):
            others[linear] = _Class([ref for _, _, ref in found if _linear(ref) == linear])
    return list(others.values())


def _is_passed(writer: Statement, write: Access, reader: Statement, read: Access, patience: Patience) -> bool:
    """Whether the reader may read an element after the writer wrote it."""
    pairs = patience.ask(partial(_in_order, writer, write, reader, read))
    return pairs is None or bool(pairs)


def _in_order(writer: Statement, write: Access, reader: Statement, read: Access) -> list[Map]:
    pairs = through(write.relation, read.relation, writer.iterators, reader.iterators)
    return [part for _, part in in_order(writer, reader, pairs) if not part.is_empty()]


@dataclass
class _Class:
    """References that share a buffer."""

    refs: list[Ref] = field(default_factory=list)
    still: frozenset[str] = frozenset()


def _named(array: ArrayId, split: Sequence[tuple[Nest, list[_Class]]], taken: set[str]) -> Iterable[View]:
    for nest, classes in split:
        for found in classes:
            name = fresh_name(array, taken)
            taken.add(name)
            still = tuple(loop for loop in nest.iterators if loop in found.still)
            yield View(array, name, nest.id, tuple(found.refs), still)


def _refs(scop: Scop, nest: Nest, array: ArrayId) -> list[tuple[Statement, Access, Ref]]:
    """Accesses of a nest to an array, each with its reference in the nest's own names for its loops."""
    return [
        (s, access, access.ref.substitute(loops_in(nest, s)))
        for s in map(scop.statement, nest.statements)
        for access in s.accesses
        if access.array == array
    ]


def _linear(ref: Ref) -> Linear:
    return tuple(e.terms for e in ref.index)


def _classes(scop: Scop, nest: Nest, array: ArrayId, patience: Patience) -> list[_Class]:
    """References with the same linear parts stand together, and so do all that write.

    What is read after it was written through another class joins that one, if their box is smaller than the array; if
    not, some loops have to stand still.
    """
    found = _refs(scop, nest, array)
    writes = [(s, access) for s, access, _ in found if access.is_write]
    writing = {_linear(ref) for _, access, ref in found if access.is_write}
    main, others = _Class(), dict[Linear, _Class]()
    for _, _, ref in found:
        own = main if _linear(ref) in writing else others.setdefault(_linear(ref), _Class())
        own.refs += [] if ref in own.refs else [ref]
    if not writes:
        return list(others.values())
    apart = []
    for linear, other in others.items():
        reads = [(s, access) for s, access, ref in found if not access.is_write and _linear(ref) == linear]
        pairs = _passed(nest, writes, reads, patience)
        still = frozenset[str]() if pairs == [] else _still(nest, pairs, patience)
        if still is None or (still and _has_common_dimension([*main.refs, *other.refs])):
            main.refs += other.refs
        else:
            other.still = still
            apart.append(other)
    main.still = frozenset(chain.from_iterable(other.still for other in apart))
    return [main, *apart]


def _has_common_dimension(refs: Sequence[Ref]) -> bool:
    """Is there a dimension through which all go in the same way?"""
    return any(len({e.terms for e in index}) == 1 for index in zip(*(ref.index for ref in refs), strict=True))


def _passed(
    nest: Nest,
    writes: Sequence[tuple[Statement, Access]],
    reads: Sequence[tuple[Statement, Access]],
    patience: Patience,
) -> list[Pairs] | None:
    """Elements written and later read in one run of the nest; None where isl gives up."""
    found: list[Pairs] = []
    for writer, write in writes:
        for reader, read in reads:
            parts = patience.ask(partial(_in_one_run, nest, writer, write, reader, read))
            if parts is None:
                return None
            found += [(writer, reader, part) for part in parts]
    return found


def _in_one_run(nest: Nest, writer: Statement, write: Access, reader: Statement, read: Access) -> list[Map]:
    pairs = through(write.relation, read.relation, writer.iterators, reader.iterators)
    for first, second in zip(writer.iterators[: len(nest.outer)], reader.iterators, strict=False):
        pairs = compare(pairs, first, 0, second)
    return [part for _, part in in_order(writer, reader, pairs) if not part.is_empty()]


def _still(nest: Nest, pairs: Sequence[Pairs] | None, patience: Patience) -> frozenset[str] | None:
    """The fewest loops in one iteration of which no value passes; None where it passes within an instance."""
    for count in range(1, len(nest.band) + 1) if pairs is not None else ():
        for loops in combinations(nest.iterators, count):
            if all(patience.ask(partial(_is_apart, nest, loops, one)) is True for one in pairs or ()):
                return frozenset(loops)
    return None


def _is_apart(nest: Nest, loops: Sequence[str], pairs: Pairs) -> bool:
    """Is there no such pair in which both are in the same iteration of some loops?"""
    writer, reader, relation = pairs
    for loop in loops:
        at = len(nest.outer) + nest.iterators.index(loop)
        relation = compare(relation, writer.iterators[at], 0, reader.iterators[at])
    return bool(relation.is_empty())


def _rewritten(scop: Scop, distribution: Distribution, views: Sequence[View]) -> Scop:
    """The scop with the views as arrays, and every reference to their arrays through them."""
    by_ref = {(view.nest, view.array, ref): view.name for view in views for ref in view.refs}
    statements = []
    for statement in scop.statements:
        nest = distribution.nest_of(statement.id)
        loops = loops_in(nest, statement)
        statements.append(with_refs(statement, partial(_through, by_ref, nest.id, loops)))
    written = {s.write.array for s in statements}
    arrays = [_as_array(scop.array(view.array), view, is_written=view.name in written) for view in views]
    return replace(scop, arrays=(*scop.arrays, *arrays), statements=tuple(statements))


def _as_array(array: Array, view: View, *, is_written: bool) -> Array:
    role = Role.INOUT if is_written else Role.IN
    return replace(
        array, id=view.name, role=role, view_of=array.id, still=view.still, lasting=view.lasting, own_port=view.own_port
    )


def _through(
    by_ref: dict[tuple[str, ArrayId, Ref], ArrayId],
    nest: str,
    names: dict[str, Affine],
    ref: Ref,
) -> Ref:
    return replace(ref, array=by_ref.get((nest, ref.array, ref.substitute(names)), ref.array))
