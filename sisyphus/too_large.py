"""Arrays that do not fit on chip: which these are, and the forms of a kernel that are made for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from math import ceil

from sisyphus.asked_forms import (
    all_in_strips,
    in_inner_orders,
    in_shifted_strips,
    joined,
    with_inner,
    with_other_word,
    with_webs_apart,
    with_word,
)
from sisyphus.forms import (
    BATCHES,
    BY_CASES,
    CASES,
    COALESCED,
    FORWARD,
    FORWARD_ELEMENTS,
    HISTORY,
    IN_PLACE,
    INLINED,
    INSIDE,
    INSIDE_OF,
    INTERIORS,
    LINE_BLOCKS,
    LOCAL_BLOCKS,
    LONG_ROWS,
    PANELS,
    PIVOT_BLOCKS,
    PRIVATE,
    ROUNDS,
    ROW_HISTORY,
    ROWS_BETWEEN,
    SCHEDULE,
    SHIFTED,
    SHORTER,
    SUCCESSIVE,
    SUMS_APART,
    SUMS_WRITTEN_OUT,
    TABLE_TILES,
    TOGETHER,
    TURNS,
    UNTILED,
    WRITTEN_OUT,
    Steps,
    arrays_with_webs,
    elements_of,
    independent,
    making_lines,
    rows_passed_on,
    shared_windows,
    size_of_blocks,
    steps_of_rows,
    to_be_batched,
)
from sisyphus.ir import Array, ArrayId, Role
from sisyphus.kernel_orders import shortest
from sisyphus.kernel_views import with_views
from sisyphus.request import Kernel
from sisyphus.search import fit_together, fits_whole, most_elements
from sisyphus.target import Target

#: Share of the elements that fit on chip which windows of strips take: buffers of transfers and banks need the rest.
WINDOWS = 0.5
#: What is done to a kernel before it is cut into blocks.
CUT = frozenset(
    {LONG_ROWS, UNTILED, IN_PLACE, CASES, BY_CASES, SUMS_APART, SUMS_WRITTEN_OUT}
    | {TOGETHER, INLINED, FORWARD, HISTORY, ROW_HISTORY, WRITTEN_OUT, INTERIORS}
    | {ROUNDS, COALESCED, FORWARD_ELEMENTS}
)
#: Share of what the nests of a kernel move that forms may move which are searched before others.
FAR_LESS = 0.67
#: Groups of loops in blocks, whose windows share the memory.
MOST_GROUPS = 3
#: Rows of a block are a multiple of the first of these that some are.
BEATS = 16, 8, 4, 2
#: Forms in blocks that have the sizes which are best where their windows leave room.
IN_BLOCKS = PANELS, PIVOT_BLOCKS, TABLE_TILES
#: Loops from the outside whose iterations share places, where those of the outermost one do not have room.
DEEPER = 2, 3
#: Share of the size that fits which one in whole beats has at least.
WHOLE = 0.75
#: Forms of a kernel that are cut into blocks, those with the shortest chains.
MOST_CUT = 2
#: The share of windows of one nest alone, whose lanes ask for fewer banks.
MOST = 0.9


def for_large_arrays(kernels: Sequence[Kernel], target: Target) -> tuple[list[Kernel], list[Kernel]]:
    """Forms for arrays that do not fit on chip, and those for arrays that do, but leave no room for banks."""
    lines = [*_in_local_blocks(kernels, target), *_in_lines(kernels, target)]
    turns = filter(None, [joined(kernels[0], TURNS)])
    every = ((kernel, steps_of_rows(kernel.scop)) for kernel in chain(turns, _to_be_cut(kernels)))
    stepping, steps = next(((kernel, steps) for kernel, steps in every if steps is not None), (kernels[0], None))
    if steps is None or have_room(steps.arrays, target, share=WINDOWS):
        return lines, []
    strips = _in_strips(kernels if stepping is kernels[0] else [stepping], steps, target)
    return (lines, strips) if have_room(steps.arrays, target) else ([*strips, *lines], [])


def is_in_blocks(kernel: Kernel) -> bool:
    """Whether a form is in blocks of a size that no target was asked for."""
    return any(word.startswith(IN_BLOCKS) for word in kernel.rewrites)


def with_room(kernel: Kernel, written: Kernel, target: Target) -> Kernel:
    """A form in smaller blocks, or with places for fewer iterations, where its local arrays leave no room on chip.

    As it is where none leave any.
    """
    asked = (word for word in kernel.rewrites if word == INSIDE or word.startswith(IN_BLOCKS))
    word = None if local_without_room(kernel, target) is None else next(asked, None)
    if word is None:
        return kernel
    deeper = [f"{INSIDE_OF}{loops}" for loops in DEEPER]
    smaller = deeper if word == INSIDE else _in_smaller_blocks(kernel, word, target)
    made = (with_other_word(kernel, written, word, other) for other in smaller)
    return next((one for one in made if one is not None and local_without_room(one, target) is None), kernel)


def _in_smaller_blocks(kernel: Kernel, word: str, target: Target) -> list[str]:
    """The word of a form in blocks for those whose windows have room, in whole beats, if any have."""
    windows = _local_arrays(kernel)
    name, size = word.rsplit(" ", 1)
    most = int(size) * _elements_of_windows(windows, target) // sum(array.elements for array in windows)
    sizes = (most // beat * beat for beat in BEATS)
    return [f"{name} {whole}" for whole in sizes if whole > WHOLE * most][:1]


def _in_strips(kernels: Sequence[Kernel], steps: Steps, target: Target) -> list[Kernel]:
    """The kernel in strips of rows for several time steps each; first with what follows each other in one nest.

    That is where it leaves far less of the chain.
    """
    strips = steps.within(_elements_of_windows(steps.arrays, target))
    plain = [] if strips is None else all_in_strips(kernels, strips)
    joint = ((kernel, joined(kernel, SUCCESSIVE)) for kernel in plain)
    far = [one for kernel, one in joint if one is not None and shortest([one]) <= shortest([kernel]) // SHORTER]
    return [*far, *_in_shifted_strips(kernels[0], target), *plain]


def _in_shifted_strips(kernel: Kernel, target: Target) -> Iterator[Kernel]:
    """The kernel in strips whose statements are one nest, with windows of either share."""
    steps = steps_of_rows(kernel.scop, ROWS_BETWEEN)
    if steps is None:
        return
    sizes = (steps.within(_elements_of_windows(steps.arrays, target, share)) for share in (MOST, WINDOWS))
    for strips in dict.fromkeys(sizes):
        found = None if strips is None else in_shifted_strips(kernel, strips)
        if found is not None:
            yield found


def _in_lines(kernels: Sequence[Kernel], target: Target) -> Iterator[Kernel]:
    """The kernel in batches of independent iterations, or blocks of lines, where its arrays leave no room on chip."""
    source = _in_long_rows(kernels)
    if have_room(source.scop.arrays, target, share=WINDOWS):
        return
    batched = to_be_batched(source.dependences)
    scop, groups, making = batched.scop, independent(batched), making_lines(source.scop)
    owners = {owner for own in shared_windows(scop, groups) for owner in own.values()}
    offered = [(BATCHES, owners, max(len(group.values) for group in groups))] if groups else []
    offered += [(LINE_BLOCKS, {*making.lines}, len(making.values))] if making is not None else []
    is_tied = batched is source.dependences and any(group.tied for group in groups)
    for word, lines, count in offered:
        size = size_of_blocks(count, _elements_of_windows(scop.arrays, target) // elements_of(scop, lines))
        kernel = None if size is None else with_word(source, word, size)
        if kernel is None or (word == BATCHES and not is_tied and not _moves_far_less(kernel, source)):
            continue
        inner = with_inner(kernel) if any(not group.depth for group in groups) else None
        yield from (form for form in (inner, kernel) if form is not None)


def _in_local_blocks(kernels: Sequence[Kernel], target: Target) -> Iterator[Kernel]:
    """The kernel in blocks of what its loops pass on in rows of arrays that leave no room on chip.

    In other orders behind that of the source, where their own arrays leave none.
    """
    large = [one for one in _to_be_cut(kernels) if not have_room(one.scop.arrays, target, share=WINDOWS)]
    orders = [one for one in kernels if _is_another_order(one) and local_without_room(one, target) is not None]
    sources = (source for each in (large, orders) for source in sorted(each, key=lambda kernel: shortest([kernel])))
    cut = ((source, kernel) for source in sources if (kernel := _in_blocks_of(source, target)) is not None)
    first = islice(cut, 1 if local_without_room(kernels[0], target) is None else MOST_CUT)
    found = [
        kernel
        for source, kernel in first
        if local_without_room(source, target) is not None or _moves_far_less(kernel, kernels[0])
    ]
    for kernel in sorted(found, key=lambda kernel: shortest([kernel])):
        yield from in_inner_orders(kernel)
        yield joined(kernel, SUCCESSIVE) or kernel
        behind = joined(kernel, SHIFTED)
        if behind is not None:
            yield behind


def _in_blocks_of(source: Kernel, target: Target) -> Kernel | None:
    """A kernel in blocks of rows, of all groups of loops that pass large arrays on; None where none of it fits.

    Values of arguments that are gone before the end are passed on alone, where there is such a group; others stay in
    memory.
    """
    apart, groups = list(arrays_with_webs(source.dependences)), 1
    while groups <= MOST_GROUPS:
        begun = kernel = with_webs_apart(source, apart)
        large = {array.id: array.extents for array in begun.scop.arrays}
        while (more := _in_one_more_block(kernel, large, target, WINDOWS / groups)) is not None:
            kernel = more
        left = local_without_room(kernel, target)
        if left is None:
            return None if kernel is begun else kernel
        if left in begun.scop.arrays:
            kept = [name for name in apart if source.scop.array(name).span != left.span]
            if kept == apart:
                return None
            apart = kept
        else:
            groups += 1
    return None


def _in_one_more_block(
    kernel: Kernel, large: Mapping[ArrayId, tuple[int, ...]], target: Target, share: float
) -> Kernel | None:
    """With one group of loops in blocks of rows, of the outermost dimension that passes arrays on; None without.

    Some of these have the extents that `large` has, so that they are no windows, nor variables with a place for each
    iteration, and leave no room. Its windows take a share of the memory on chip.
    """
    for dim, word in enumerate(LOCAL_BLOCKS):
        passing = rows_passed_on(kernel.dependences, dim)
        arrays = [] if passing is None else [a for a in passing.arrays if a.extents == large.get(a.id)]
        if passing is None or have_room(arrays, target, share=WINDOWS):
            continue
        most = passing.most(_elements_of_windows(passing.arrays, target, share))
        size = _rows_of_blocks(len(passing.values), most)
        made = None if size is None else with_word(kernel, word, size)
        if made is not None:
            return made
    return None


def _rows_of_blocks(count: int, most: int) -> int | None:
    """Rows of a block, at most so many: those that make the fewest blocks, or whole ones if these are half as large."""
    found = ((size, beat) for beat in BEATS if (size := size_of_blocks(count, most, beat)) is not None)
    size, beat = next(found, (None, 0))
    if size is None:
        return None
    return next((whole for whole in range(size, size // 2, -beat) if count % whole == 0), size)


def _to_be_cut(kernels: Sequence[Kernel]) -> list[Kernel]:
    """The kernel as it is written, with its statements together, with short loops written out, and with histories."""

    def may_be(kernel: Kernel) -> bool:
        words = CUT | {PRIVATE} if HISTORY in kernel.rewrites else CUT
        return not kernel.expanded and {*kernel.rewrites} <= words

    return [kernel for kernel in kernels if may_be(kernel)]


def _is_another_order(kernel: Kernel) -> bool:
    return not is_in_blocks(kernel) and any(word.startswith(SCHEDULE) for word in kernel.rewrites)


def _moves_far_less(kernel: Kernel, than: Kernel) -> bool:
    """Whether the nests of a form move so much less than those of another one that it is searched first."""
    return _moved(kernel) <= FAR_LESS * _moved(than)


def _moved(kernel: Kernel) -> int:
    """Elements that all nests load or store where each moves what it touches once, by whole arrays."""
    scop = kernel.scop
    touched = ({a for s in nest.statements for a in scop.statement(s).touched} for nest in kernel.distribution.nests)
    arrays = (scop.array(name) for names in touched for name in names)
    return sum(array.elements for array in arrays if array.role is not Role.LOCAL)


def _local_arrays(kernel: Kernel) -> list[Array]:
    return [array for array in kernel.scop.arrays if array.role is Role.LOCAL and array.extents]


def local_without_room(kernel: Kernel, target: Target) -> Array | None:
    """The largest local array of a kernel, where all of these leave no room on chip; None where they do."""
    local = _local_arrays(kernel)
    if not local or have_room(local, target, share=WINDOWS):
        return None
    return max(local, key=lambda array: array.elements * array.type.bytes)


def without_any_room(kernels: Sequence[Kernel], target: Target) -> tuple[str, ...]:
    """Local arrays that have to lie in memory, where the chip has room for those of no form of the kernel."""
    if any(have_room(_local_arrays(kernel), target) for kernel in kernels):
        return ()
    if any(have_room(_local_arrays(kernel), target) for kernel in chain(*for_large_arrays(kernels, target))):
        return ()
    return large_locals(kernels[0], target)


def large_locals(kernel: Kernel, target: Target) -> tuple[str, ...]:
    """The largest local arrays of a kernel that may lie in memory, until there is room for the others.

    Only such that the kernel writes before it reads them.
    """
    local, found = sorted(_local_arrays(kernel), key=lambda array: array.elements * array.type.bytes), list[str]()
    while local and not have_room(local, target, share=WINDOWS):
        large = local.pop()
        if kernel.live[large.id].upward_exposed.is_empty():
            found.append(large.id)
    return tuple(found)


def _in_long_rows(kernels: Sequence[Kernel]) -> Kernel:
    """The kernel as it is written, with rows joined where it has such a form."""
    return next((kernel for kernel in kernels if kernel.rewrites == (LONG_ROWS,)), kernels[0])


def _elements_of_windows(arrays: Sequence[Array], target: Target, share: float = WINDOWS) -> int:
    """How many elements windows of some arrays may have together."""
    blocks = target.budget.bram18k, target.budget.uram
    bits, enough = max(array.type.bits for array in arrays), ceil(sum(array.elements for array in arrays) / share)
    fitting = most_elements(target.memories, bits, target.max_partition, blocks, enough)
    return int(share * min(fitting, 8 * target.budget.onchip_bytes // bits))


def have_room(arrays: Sequence[Array], target: Target, *, share: float = 1.0) -> bool:
    """Whether all of them may be on chip at once, in a share of the memory."""
    blocks = int(share * target.budget.bram18k), int(share * target.budget.uram)
    size = sum(array.elements * array.type.bytes for array in arrays)
    fits = fit_together(target.memories, arrays, target.max_partition, blocks)
    return size <= share * target.budget.onchip_bytes and fits


def with_views_of_large(kernel: Kernel, target: Target) -> Kernel | None:
    """The kernel with views of arrays that alone are larger than the memory on chip, or than either kind of it."""
    large = oversized(kernel, target)
    return with_views(kernel, large) if large else None


def oversized(kernel: Kernel, target: Target) -> list[ArrayId]:
    """The arrays that alone are larger than the memory on chip, or than either kind of it."""
    return [a.id for a in kernel.scop.arrays if not fits_whole(a, target)]
