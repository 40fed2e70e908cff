"""Arrays on chip in C++: declarations with their directives, names, and where an element of a dealt one is.

An array whose rows are dealt over several ports (`space/ports.py`) has its stripes in the first dimension, which is
partitioned completely: each is an array of its own, to the functions that load it and to the tool. So is each bank of
a dimension that is apart (`apart.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from sisyphus.backends.hls.express import Affines, as_factor
from sisyphus.backends.hls.identifiers import Names
from sisyphus.backends.hls.writer import Writer
from sisyphus.plan import Buffer, For, LoopRole, Plan, Run, Task, walk
from sisyphus.plan.ranges import Ranges
from sisyphus.poly import Affine, affine_range, const
from sisyphus.target import table_storage


def array_parameter(buffer: Buffer, name: str, stripes: int = 1) -> str:
    """A buffer, in so many parts, in a parameter list; one without dimensions is a reference."""
    if not buffer.extents:
        return f"{buffer.type.c_name} &{name}"
    return f"{buffer.type.c_name} {name}" + "".join(f"[{extent}]" for extent, _ in dimensions(buffer, stripes))


def dimensions(buffer: Buffer, stripes: int) -> list[tuple[int, int]]:
    """Extents and factors of an array as it is declared; one in several parts has them in its first dimension."""
    part = buffer if stripes == 1 else buffer.of_one_stripe(stripes)
    found = [] if stripes == 1 else [(stripes, stripes)]
    for at, (extent, factor) in enumerate(zip(part.declared, map(int, part.partition), strict=True)):
        found += [(factor, factor), (extent // factor, 1)] if at in part.apart else [(extent, factor)]
    return found


def subscripts(buffer: Buffer, indices: Sequence[str]) -> str:
    """The text of an element of a part by that of its indices, each a word or a sum of products of such."""
    found = ""
    for at, index in enumerate(indices):
        factor = buffer.partition[at]
        whole = as_factor(index)
        found += f"[{whole} % {factor}][{whole} / {factor}]" if at in buffer.apart else f"[{index}]"
    return found


def declare_buffer(w: Writer, buffer: Buffer, name: str, *, stripes: int = 1, looked_up: bool = False) -> None:
    """The array itself with its directives; one with first dimensions of separate arrays if copies have their own.

    So has one in several `stripes`, inside of these. `looked_up`: data pick elements of it, so that it has a copy for
    each that is read at once.
    """
    # A single element is a register, which costs nothing to clear; compilers take some for used before they are set.
    dims = [*((count, count) for _, count in buffer.beside), *dimensions(buffer, stripes)]
    value = " = {}" if dims else " = 0"
    start = value if prod(buffer.extents) == 1 else ""
    w.line(f"{buffer.type.c_name} {name}{''.join(f'[{extent}]' for extent, _ in dims)}{start};")
    for dim, (extent, factor) in enumerate(dims, start=1):
        if extent > 1 and factor >= extent:
            w.pragma(f"array_partition variable={name} type=complete dim={dim}")
        elif factor > 1:
            w.pragma(f"array_partition variable={name} type=cyclic factor={factor} dim={dim}")
    storage = looked_up_storage(buffer) if looked_up else STORAGE_PRAGMAS.get(buffer.storage)
    if storage and buffer.extents:
        w.pragma(f"bind_storage variable={name} {storage}")


STORAGE_PRAGMAS = {
    "bram": "type=ram_t2p impl=bram",
    "uram": "type=ram_t2p impl=uram",
    "lutram": "type=ram_2p impl=lutram",
}


def looked_up_storage(buffer: Buffer) -> str:
    """A copy for each look-up, all written at once."""
    return f"type=ram_1wnr impl={table_storage(prod(buffer.extents), buffer.type.bits)}"


def declared_names(names: Names, buffer: Buffer) -> list[str]:
    """A buffer of several copies is so many arrays, each with a name: only then are they told apart."""
    if buffer.turn is None:
        return [names.of("buffer", buffer.id)]
    return [names.of(f"version {version}", buffer.id) for version in range(buffer.copies)]


def buffer_name(names: Names, buffer: Buffer, turn: int | None = None) -> str:
    """A buffer as it is given to a function: of those that coarse-grained copies have, the one of this copy.

    `turn` is that of the caller, where it tells versions of the buffer apart.
    """
    if turn is not None and buffer.turn is not None:
        return declared_names(names, buffer)[turn % buffer.copies]
    own = (f"[{names.of('iterator', iterator)}]" for iterator, _ in buffer.beside)
    return names.of("buffer", buffer.id) + "".join(own)


def stripes_along(plan: Plan, task: Task, loop: For) -> int:
    """Over how many stripes of an array the iterations of an unrolled loop go, one after another."""
    found = 1
    is_unrolled = loop.role is LoopRole.UNROLLED and loop.is_constant and not loop.quotients
    for run in (node for node in walk(loop.body) if isinstance(node, Run) and is_unrolled):
        statement, values = plan.scop.statement(run.statement), dict(run.values)
        for ref in (ref for ref in (statement.write, *statement.reads) if ref.index):
            stripes = plan.stripes_of(plan.buffer_for(task, ref.array))
            if ref.index[-1].substitute(values).coefficient(loop.iterator) % stripes:
                found = max(found, stripes)
    return found


def dealt(affines: Affines, index: Affine, parts: int, ranges: Ranges) -> tuple[str, str]:
    """The part of several that the elements of a row are dealt over in turn, and the place of an element in there.

    What moves by whole rounds of all parts leaves the part as it is. If anything else moves, it is divided; C rounds to
    zero, so that it must not be negative.
    """
    index = affines.here(index)
    rest = Affine.of(((n, c % parts) for n, c in index.terms), index.constant % parts)
    if rest.is_constant:
        return str(rest.constant), affines.text_here(_divided(index - rest, parts))
    low, _ = affine_range(rest, ranges)
    rest = rest + parts * -min(low // parts, 0)
    rounds, moved = _divided(index - rest, parts), as_factor(affines.text_here(rest))
    place = f"{moved} / {parts}"
    return f"{moved} % {parts}", place if rounds == const(0) else f"{affines.text_here(rounds)} + {place}"


def _divided(value: Affine, by: int) -> Affine:
    """A multiple of a number, divided by it."""
    return Affine.of(((n, c // by) for n, c in value.terms), value.constant // by)
