"""Knobs that the user fixed: `--fix NEST.KNOB=VALUE` narrows the sets of a space; knows no cost.

S1.order=k,i,j         level-0 order, outermost first
S1.k=48x1x5            level 0 x level 1 x level 2
S1.pipeline=j          or `none`
S1.split=yes           full tiles in loops of their own, without guards; or `no`
S1.ahead=yes           the next tiles are loaded beside what is computed with these; or `no`
S1.interval=1          what the pipeline is asked for, so that sums along it are added up in fabric; or `plain`
S1+S2.unroll.i=4       coarse-grained: so many tiles of loop i side by side
S1.A.place=k           a level-0 loop, `kernel`, the innermost loop around the nest (a buffer for it alone), or one
                       further out (one buffer for all nests under that loop); `nest` where there is no loop at all
A.partition=50,1       factors of the resident buffer
A@S1.partition=50,1    factors of the buffer that S1 has for itself
A.width=4              elements per beat, of all views of A, too
A.ports=2              every beat is dealt over so many ports and banks of the board; A stays on chip; `any`: the search
                       chooses how many
A.copy=yes             nests that update A read its other elements in a copy; or `no`
A.layout=plain         rows as in C, or `padded` to whole beats
A.transfer=stream      loads through a FIFO between two processes, or `direct`: by one loop; of all views of A, too
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce

from sisyphus.errors import UsageError
from sisyphus.ir import ArrayId
from sisyphus.space.ahead import may_load_ahead
from sisyphus.space.point import FORMS, KERNEL_PLACE, Tile
from sisyphus.space.space import ArrayUse, LoopSpace, NestSpace, Space
from sisyphus.space.widths import dealt_over_ports, layout_for

GRAMMAR = re.compile(r"(?P<left>[^=\s]+)=(?P<value>\S+)")
#: As many ports as the search chooses.
ANY_PORTS = "any"
EXAMPLE = (
    "for example `S1.order=k,i,j`, `S1.k=48x1x5`, `S1.pipeline=j`, `S1+S2.unroll.i=4`, `S1.A.place=k`, "
    "`A@S1.partition=50,1`, `A.width=4`"
)


def knob_names(space: Space) -> Iterator[str]:
    """The knobs that `--fix` takes for this kernel."""
    for nest in space.nests:
        yield from (f"{nest.id}.{knob}" for knob in ("order", "pipeline", "split", "ahead", "interval"))
        for loop in nest.loops:
            yield f"{nest.id}.{loop.iterator}"
            if len(loop.unroll) > 1:
                yield f"{nest.id}.unroll.{loop.iterator}"
        for use in nest.arrays:
            yield f"{nest.id}.{use.array}.place"
            yield f"{use.array}@{nest.id}.partition"
    for array in space.used_arrays:
        yield from (f"{array}.{knob}" for knob in ("partition", "width", "ports", "layout", "transfer", "copy"))


def apply_fixes(space: Space, fixes: Iterable[str]) -> Space:
    """The space with every fixed knob narrowed to its value; `UsageError` names the legal values of a wrong one."""
    for text in fixes:
        match = GRAMMAR.fullmatch(text.strip())
        if match is None:
            raise UsageError(f"`--fix {text}` is not of the form KNOB=VALUE", hint=EXAMPLE)
        space = _apply(space, text, match["left"].split("."), match["value"])
    for array in space.used_arrays:
        _need_one_home(space, array)
    return space


def _need_one_home(space: Space, array: ArrayId) -> None:
    """The search keeps an array on chip for all its nests, or for none."""
    places = {nest.id: use.places for nest in space.users(array) if (use := nest.use(array)) is not None}
    stays = [nest for nest, found in places.items() if found == (KERNEL_PLACE,)]
    moves = [nest for nest, found in places.items() if KERNEL_PLACE not in found]
    if stays and moves:
        raise UsageError(
            f"`--fix`: `{array}` cannot stay on chip in `{stays[0]}` and be transferred in `{moves[0]}`",
            hint="an array has one home in all nests of a search; a saved design (--design) may mix them",
        )


def _apply(space: Space, text: str, names: Sequence[str], value: str) -> Space:
    match names:
        case [buffer, "partition"] if "@" in buffer:
            array, nest_id = buffer.split("@", 1)
            return _fix_tile_partition(space, text, _array(space, text, array), _nest(space, text, nest_id), value)
        case [array, "partition"] if _is_array(space, array):
            return _fix_partition(space, text, ArrayId(array), value)
        case [array, "width" | "layout" | "transfer" as knob] if names_of_memory := _same_memory(space, array):
            fix = {"width": _fix_width, "layout": _fix_layout, "transfer": _fix_form}[knob]
            return reduce(lambda narrowed, name: fix(narrowed, text, name, value), names_of_memory, space)
        case [name, "copy"]:
            return _check_copy(space, text, name, value)
        case [array, "ports"] if _is_array(space, array):
            return _fix_ports(space, text, ArrayId(array), value)
        case [name, "partition" | "width" | "ports" | "layout" | "transfer"]:
            raise _illegal(text, f"there is no array `{name}`", space.used_arrays)
        case [array, "place"] if _is_array(space, array):
            places = (f"{n.id}.{array}.place" for n in space.users(ArrayId(array)))
            raise _illegal(text, f"`{array}` has a place in each nest that uses it", places)
        case [nest_id, "order"]:
            return _with_nest(space, _fix_order(_nest(space, text, nest_id), text, value))
        case [nest_id, "pipeline"]:
            return _with_nest(space, _fix_pipeline(_nest(space, text, nest_id), text, value))
        case [nest_id, "split"]:
            return _with_nest(space, _fix_split(_nest(space, text, nest_id), text, value))
        case [nest_id, "ahead"]:
            return _with_nest(space, _fix_ahead(space, _nest(space, text, nest_id), text, value))
        case [nest_id, "interval"]:
            return _with_nest(space, _fix_interval(space, _nest(space, text, nest_id), text, value))
        case [nest_id, "unroll", loop]:
            return _with_nest(space, _fix_unroll(_nest(space, text, nest_id), text, loop, value))
        case [nest_id, array, "place"]:
            nest = _nest(space, text, nest_id)
            pinned = f"{array}@{nest.id}"
            if value == KERNEL_PLACE and pinned in space.pinned:
                raise UsageError(
                    f"`--fix {text}`: `{pinned}.partition` is fixed, too, and is of a tile that is not resident",
                    hint=f"fix `{array}.partition` for the resident buffer, or leave out one of the two",
                )
            return _fix_places(space, nest, text, _array(space, text, array), value)
        case [nest_id, loop]:
            return _with_nest(space, _fix_tile(_nest(space, text, nest_id), text, loop, value))
        case _:
            raise UsageError(f"`--fix {text}` names no knob", hint=EXAMPLE)


def _check_copy(space: Space, text: str, name: str, value: str) -> Space:
    """The space, if this form of the kernel is the one that is asked for."""
    if value not in ("yes", "no"):
        raise _illegal(text, f"`{value}` is no answer", ("yes", "no"))
    copied = any(a.lasting and a.home == name for a in space.scop.arrays)
    if copied != (value == "yes"):
        count, legal = ("a", "yes") if copied else ("no", "no")
        raise _illegal(text, f"this form of the kernel has {count} copy of `{name}`", (legal,))
    return space


def _illegal(text: str, what: str, legal: Iterable[object]) -> UsageError:
    values = [str(v) for v in legal]
    shown = ", ".join(values[:40]) + (f", … ({len(values)} in all)" if len(values) > 40 else "")
    return UsageError(f"`--fix {text}`: {what}", hint=f"legal: {shown or 'none'}")


def _is_array(space: Space, name: str) -> bool:
    return name in space.used_arrays


def _same_memory(space: Space, name: str) -> list[ArrayId]:
    """An array that nests use, or the views through which they do."""
    return [a for a in space.used_arrays if name in (a, space.scop.home(a))]


def _array(space: Space, text: str, name: str) -> ArrayId:
    if not _is_array(space, name):
        raise _illegal(text, f"there is no array `{name}`", space.used_arrays)
    return ArrayId(name)


def _nest(space: Space, text: str, name: str) -> NestSpace:
    for nest in space.nests:
        if name == nest.id or name in nest.nest.statements:
            return nest
    raise _illegal(text, f"there is no nest `{name}`", (n.id for n in space.nests))


def _with_nest(space: Space, nest: NestSpace) -> Space:
    return replace(space, nests=tuple(nest if n.id == nest.id else n for n in space.nests))


def _with_loop(nest: NestSpace, loop: LoopSpace) -> NestSpace:
    return replace(nest, loops=tuple(loop if s.iterator == loop.iterator else s for s in nest.loops))


def _with_use(nest: NestSpace, use: ArrayUse) -> NestSpace:
    return replace(nest, arrays=tuple(use if u.array == use.array else u for u in nest.arrays))


def _fix_order(nest: NestSpace, text: str, value: str) -> NestSpace:
    order, loops = tuple(value.split(",")), [s.iterator for s in nest.loops]
    if sorted(order) != sorted(loops):
        raise _illegal(text, f"an order of `{nest.id}` has each of its loops once", [f"any order of {','.join(loops)}"])
    return replace(nest, order=order)


def _loop(nest: NestSpace, text: str, name: str) -> LoopSpace:
    if name not in {s.iterator for s in nest.loops}:
        raise _illegal(text, f"nest `{nest.id}` has no loop `{name}`", (s.iterator for s in nest.loops))
    return nest.loop(name)


def _fix_unroll(nest: NestSpace, text: str, loop: str, value: str) -> NestSpace:
    """The factor, and the tiles that it divides."""
    space = _loop(nest, text, loop)
    if value not in {str(f) for f in space.unroll}:
        raise _illegal(text, f"`{loop}` cannot have {value} copies side by side in `{nest.id}`", space.unroll)
    tiles = tuple(t for t in space.tiles if t.level0 % int(value) == 0)
    return _with_loop(nest, replace(space, tiles=tiles, unroll=(int(value),)))


def _fix_tile(nest: NestSpace, text: str, loop: str, value: str) -> NestSpace:
    space = _loop(nest, text, loop)
    counts = re.fullmatch(r"(\d+)x(\d+)x(\d+)", value)
    tile = Tile(*map(int, counts.groups())) if counts else None
    if tile not in space.tiles:
        raise _illegal(
            text, f"`{loop}` has {space.trip_count} iterations, split as level 0 x level 1 x level 2", space.tiles
        )
    return _with_loop(nest, replace(space, tiles=(tile,), unroll=_dividing(space, (tile,))))


def _dividing(loop: LoopSpace, tiles: Sequence[Tile]) -> tuple[int, ...]:
    """The coarse-grained factors that some tile still allows."""
    return tuple(f for f in loop.unroll if any(t.level0 % f == 0 for t in tiles))


def _fix_pipeline(nest: NestSpace, text: str, value: str) -> NestSpace:
    chosen = None if value == "none" else value
    if chosen not in nest.pipelines:
        raise _illegal(text, f"`{value}` cannot be pipelined in `{nest.id}`", (p or "none" for p in nest.pipelines))
    for loop in nest.loops:
        flat = loop.iterator != chosen
        tiles = tuple(t for t in loop.tiles if (t.level1 == 1 if flat else t.level1 > 1))
        if not tiles:
            raise UsageError(
                f"`--fix {text}`: level 1 of `{loop.iterator}` is {'above 1' if flat else '1'} in all tiles left to it",
                hint=f"the pipelined loop alone has a level 1 above 1: leave out `--fix {nest.id}.{loop.iterator}`",
            )
        nest = _with_loop(nest, replace(loop, tiles=tiles, unroll=_dividing(loop, tiles)))
    return replace(nest, pipelines=(chosen,))


def _fix_split(nest: NestSpace, text: str, value: str) -> NestSpace:
    if value not in ("yes", "no"):
        raise _illegal(text, f"`{value}` is neither", ("yes", "no"))
    return replace(nest, split=value == "yes")


def _fix_ahead(space: Space, nest: NestSpace, text: str, value: str) -> NestSpace:
    legal = ("yes", "no") if may_load_ahead(space.scop, nest.nest) else ("no",)
    if value not in legal:
        raise _illegal(text, f"tiles of `{nest.id}` cannot be loaded ahead" if value == "yes" else "no answer", legal)
    return replace(nest, ahead=value == "yes")


def _fix_interval(space: Space, nest: NestSpace, text: str, value: str) -> NestSpace:
    if value not in ("1", "plain"):
        raise _illegal(text, f"`{value}` is neither", ("1", "plain"))
    if value == "1" and not space.options.tree_reduction:
        raise _illegal(text, "an interval is asked for with `--tree-reduction` alone", ("plain",))
    return replace(nest, intervals=(int(value == "1"),))


def _fix_places(space: Space, nest: NestSpace, text: str, array: ArrayId, value: str) -> Space:
    """The place in one nest, or in all that share a buffer under an outer loop further out than the innermost."""
    shared = value in nest.nest.outer and value != nest.around
    for other in space.under(nest.id, value) if shared else (nest.id,):
        if other == nest.id or space.nest(other).use(array) is not None:
            space = _with_nest(space, _fix_place(space.nest(other), text, array, value))
    return space


def _fix_place(nest: NestSpace, text: str, array: ArrayId, value: str) -> NestSpace:
    use = nest.use(array)
    if use is None:
        raise _illegal(text, f"nest `{nest.id}` does not use `{array}`", (u.array for u in nest.arrays))
    if value not in use.places:
        raise _illegal(text, f"`{array}` cannot be placed at `{value}` in `{nest.id}`", use.places)
    return _with_use(nest, replace(use, places=(value,)))


def _fix_width(space: Space, text: str, array: ArrayId, value: str) -> Space:
    legal = space.widths[array]
    if value not in {str(w) for w in legal}:
        raise _illegal(text, f"`{array}` cannot move {value} elements per beat", legal)
    return replace(space, widths={**space.widths, array: (int(value),)})


def _fix_ports(space: Space, text: str, array: ArrayId, value: str) -> Space:
    """The widths that are dealt over so many ports, of an array that stays on chip where these are several."""
    dealt = dealt_over_ports(space, array)
    counts = {width: space.ports(array, width) for width in dealt.widths[array]}
    if value == ANY_PORTS:
        return dealt
    if value not in {str(count) for count in counts.values()}:
        raise _illegal(text, f"`{array}` cannot have {value} ports", [*sorted(set(counts.values())), ANY_PORTS])
    kept = tuple(width for width, count in counts.items() if str(count) == value)
    if value != "1":
        for nest in space.users(array):
            space = _with_nest(space, _fix_place(nest, text, array, KERNEL_PLACE))
    return replace(space, widths={**space.widths, array: kept})


def _fix_layout(space: Space, text: str, array: ArrayId, value: str) -> Space:
    """The widths that go with a layout."""
    extents = space.scop.array(array).extents
    layouts = {width: layout_for(extents, width) for width in space.widths[array]}
    kept = tuple(width for width, layout in layouts.items() if layout == value)
    if not kept:
        raise _illegal(text, f"`{array}` cannot lie in memory as `{value}`", dict.fromkeys(layouts.values()))
    return replace(space, widths={**space.widths, array: kept})


def _fix_form(space: Space, text: str, array: ArrayId, value: str) -> Space:
    if value not in FORMS:
        raise _illegal(text, f"a transfer cannot be `{value}`", FORMS)
    return replace(space, forms={**space.forms, array: value})


def _factors(space: Space, text: str, array: ArrayId, value: str) -> tuple[int, ...]:
    """One factor per dimension, within the extents and the limit on banks."""
    extents, words = space.scop.array(array).extents, value.split(",")
    legal = space.partitions[array]
    if len(words) != len(extents) or not all(w.isdigit() for w in words):
        raise UsageError(f"`--fix {text}`: `{array}` has {len(extents)} dimensions, one factor each")
    factors = tuple(int(w) for w in words)
    for at, (factor, values) in enumerate(zip(factors, legal, strict=True)):
        if factor not in values:
            raise _illegal(text, f"{factor} is no factor of dimension {at} of `{array}`", values)
    banks = 1
    for factor in factors:
        banks *= factor
    if banks > space.target.max_partition:
        raise UsageError(
            f"`--fix {text}`: {banks} banks are more than {space.target.max_partition}", hint="raise --max-partition"
        )
    return factors


def _fix_partition(space: Space, text: str, array: ArrayId, value: str) -> Space:
    factors = _factors(space, text, array, value)
    return replace(space, partitions={**space.partitions, array: tuple((f,) for f in factors)})


def _fix_tile_partition(space: Space, text: str, array: ArrayId, nest: NestSpace, value: str) -> Space:
    """The buffer that a nest has for itself: it is not resident, and only unroll factors that divide remain."""
    use = nest.use(array)
    if use is None:
        raise _illegal(text, f"nest `{nest.id}` does not use `{array}`", (u.array for u in nest.arrays))
    places = tuple(p for p in use.places if p != KERNEL_PLACE)
    if not places:
        raise UsageError(
            f"`--fix {text}`: `{array}` can only be resident in `{nest.id}`, so that it has no tile there",
            hint=f"fix `{array}.partition` instead, or leave out `--fix {nest.id}.{array}.place`, if it is there",
        )
    factors = _factors(space, text, array, value)
    narrowed = _with_use(nest, replace(use, places=places))
    for factor, dim in zip(factors, use.dims, strict=True):
        for name in dim.loops:
            loop = narrowed.loop(name)
            tiles = tuple(t for t in loop.tiles if factor % t.level2 == 0)
            narrowed = _with_loop(narrowed, replace(loop, tiles=tiles, unroll=_dividing(loop, tiles)))
    space = _with_nest(space, narrowed)
    return replace(space, pinned={**space.pinned, f"{array}@{nest.id}": factors})
