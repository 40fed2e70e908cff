"""Knobs that the user fixed: `--fix KNOB=VALUE` narrows the sets of a space, by the table KNOBS; knows no cost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod

from sisyphus.analysis import Nest
from sisyphus.errors import UsageError
from sisyphus.ir import Array, ArrayId, Scop
from sisyphus.shown import counted
from sisyphus.space.adders import IN_FABRIC
from sisyphus.space.ahead import AHEAD
from sisyphus.space.listed import LISTED
from sisyphus.space.narrowing import YES_NO, Fix, Knob, loop_of, use_of, with_nest, with_places, with_tiles
from sisyphus.space.packed import lying_as
from sisyphus.space.point import COLUMNS, FORMS, IN_TILES, KERNEL_PLACE, PACKED, PLAIN, DesignPoint
from sisyphus.space.ports import STRIPES
from sisyphus.space.space import NestSpace, Space
from sisyphus.space.stripes import dealt_over_ports, over_ports
from sisyphus.space.widths import layout_for
from sisyphus.values import replace

GRAMMAR = re.compile(r"(?P<left>[^=\s]+)=(?P<value>\S+)")
#: As many ports as the search chooses; all nests, loops or arrays; the order of loops in the source.
ANY_PORTS, EVERY, SOURCE_ORDER = "any", "*", "source"
EXAMPLE = (
    "for example `S1.order=k,i,j`, `S1.k=48x1x5`, `S1.pipeline=j`, `S1+S2.unroll.i=4`, `S1.A.place=k`, "
    "`A@S1.partition=50,1`, `A.width=4`"
)


def knob_names(space: Space) -> Iterator[str]:
    """The knobs that `--fix` takes for this kernel."""
    named = [(t, k) for t in _things(space) for k in KNOBS if k.says and k.grammar.groupindex.keys() <= t.keys()]
    yield from dict.fromkeys(re.sub("[A-Z]+", lambda word, t=t: t[word[0]], k.spelling) for t, k in named)  # type: ignore[misc]


def levers_off() -> dict[str, str]:
    """Per lever that a knob is, by the last word of its name, what `--fix` takes to leave designs with it out."""
    named = ((re.sub("[A-Z]+", EVERY, knob.spelling), knob.off) for knob in KNOBS if knob.off)
    return {name.replace(f".{EVERY}", "").rpartition(".")[2]: f"{name}={off}" for name, off in named}


def lever_faults(scop: Scop, nest: Nest, point: DesignPoint) -> Iterator[str]:
    """What is wrong with the levers of a nest in a design point, whatever the space, a sentence each."""
    for knob in KNOBS:
        yield from knob.faults(scop, nest, point)


def levers_unmet(space: Space, nest: NestSpace, point: DesignPoint) -> Iterator[str]:
    """What a design has of levers that a nest of a space has not, or not as the space asks for, a sentence each."""
    for knob in KNOBS:
        yield from knob.unmet(space, nest, point)


def _things(space: Space) -> list[dict[str, str]]:
    """What knobs may be of: each nest, each of its loops and each of its arrays, by the words of their spellings."""
    things: list[dict[str, str]] = []
    for own, nest in (({"NEST": nest.id}, nest) for nest in space.nests):
        loops = ({**own, "LOOP": s.iterator, **({"FREE": s.iterator} if len(s.unroll) > 1 else {})} for s in nest.loops)
        arrays = ({**own, **dict.fromkeys(("ARRAY", "MEMORY", "NAME"), use.array)} for use in nest.arrays)
        things += [own, *loops, *arrays]
    return things


def apply_fixes(space: Space, fixes: Iterable[str]) -> Space:
    """The space with every fixed knob narrowed to its value; `UsageError` names the legal values of a wrong one."""
    for text in fixes:
        match = GRAMMAR.fullmatch(text.strip())
        if match is None:
            raise UsageError(f"`--fix {text}` is not of the form KNOB=VALUE", hint=EXAMPLE)
        meant = ((knob, found) for knob in KNOBS if (found := knob.grammar.fullmatch(match["left"])))
        knob, found = next(meant, (None, None))
        if knob is None or found is None:
            raise UsageError(f"`--fix {text}` names no knob", hint=EXAMPLE)
        for names in _meant(space, found.groupdict(), Fix(text, match["value"])):
            space = _narrowed(space, knob, names, Fix(text, match["value"]))
    for array in space.used_arrays:
        _need_one_home(space, array)
    return space


def _meant(space: Space, names: Mapping[str, str], fix: Fix) -> Iterable[Mapping[str, str]]:
    """The names that a fix has, or with `*` for some of them all that this stands for, which may be none of a kind."""
    if EVERY not in names.values():
        return [names]
    things = [{kind: thing[kind] for kind in names} for thing in _things(space) if names.keys() <= thing.keys()]
    meant = [one for one in things if all(name in (EVERY, one[kind]) for kind, name in names.items())]
    if not meant and {*names.values()} != {EVERY}:
        raise fix.illegal("it stands for no knob", knob_names(space))
    return {tuple(one.items()): one for one in meant}.values()


def _narrowed(space: Space, knob: Knob, names: Mapping[str, str], fix: Fix) -> Space:
    """The space with one knob at a value; of memory that is used through views, with that of each view."""
    if "MEMORY" in names:
        views = [a for a in space.used_arrays if names["MEMORY"] in (a, space.scop.home(a))]
        given: list[list[object]] = [[view] for view in views or [_array(space, fix, names["MEMORY"])]]
    else:
        known = {"NEST": _nest, "ARRAY": _array}
        given = [[known[kind](space, fix, name) if kind in known else name for kind, name in names.items()]]
    for things in given:
        found = knob.narrow(fix, space, *things)
        space = found if isinstance(found, Space) else with_nest(space, found)
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


def _array(space: Space, fix: Fix, name: str) -> ArrayId:
    if name not in space.used_arrays:
        raise fix.illegal(f"there is no array `{name}`", space.used_arrays)
    return ArrayId(name)


def _nest(space: Space, fix: Fix, name: str) -> NestSpace:
    for nest in space.nests:
        if name == nest.id or name in nest.nest.statements:
            return nest
    raise fix.illegal(f"there is no nest `{name}`", (n.id for n in space.nests))


def _fix_order(fix: Fix, _space: Space, nest: NestSpace) -> NestSpace:
    loops = [s.iterator for s in nest.loops]
    order = tuple(loops if fix.value == SOURCE_ORDER else fix.value.split(","))
    if sorted(order) != sorted(loops):
        raise fix.illegal(f"an order of `{nest.id}` has each of its loops once", [f"any order of {','.join(loops)}"])
    return replace(nest, order=order)


def _fix_pipeline(fix: Fix, _space: Space, nest: NestSpace) -> NestSpace:
    legal = {pipeline or "none": pipeline for pipeline in nest.pipelines}
    chosen = legal[fix.one_of(legal, f"`{fix.value}` cannot be pipelined in `{nest.id}`")]
    for loop in nest.loops:
        flat = loop.iterator != chosen
        tiles = [t for t in loop.tiles if (t.level1 == 1 if flat else t.level1 > 1)]
        if not tiles:
            found = "above 1" if flat else "1"
            raise UsageError(
                f"`--fix {fix.text}`: level 1 of `{loop.iterator}` is {found} in all tiles left to it",
                hint=f"the pipelined loop alone has a level 1 above 1: leave out `--fix {nest.id}.{loop.iterator}`",
            )
        nest = with_tiles(nest, loop, tiles)
    return replace(nest, pipelines=(chosen,))


def _fix_split(fix: Fix, _space: Space, nest: NestSpace) -> NestSpace:
    split = YES_NO[fix.one_of(YES_NO, f"`{fix.value}` is neither")]
    return replace(nest, split=split, early={} if split else nest.early)


def _fix_interval(fix: Fix, space: Space, nest: NestSpace) -> NestSpace:
    value = fix.one_of(("1", "plain"), f"`{fix.value}` is neither")
    if value == "1" and not space.options.tree_reduction:
        raise fix.illegal("an interval is asked for with `--tree-reduction` alone", ("plain",))
    return replace(nest, intervals=(int(value == "1"),))


def _fix_unroll(fix: Fix, _space: Space, nest: NestSpace, name: str) -> NestSpace:
    """The factor, and the tiles that it divides."""
    loop = loop_of(fix, nest, name)
    refused = f"`{name}` cannot have {fix.value} copies side by side in `{nest.id}`"
    factor = int(fix.one_of(list(map(str, loop.unroll)), refused))
    return with_tiles(nest, replace(loop, unroll=(factor,)), (t for t in loop.tiles if t.level0 % factor == 0))


def _fix_tile(fix: Fix, _space: Space, nest: NestSpace, name: str) -> NestSpace:
    loop = loop_of(fix, nest, name)
    refused = f"`{name}` has {counted(loop.trip_count, 'iterations')}, split as level 0 x level 1 x level 2"
    value = fix.one_of(list(map(str, loop.tiles)), refused)
    return with_tiles(nest, loop, (tile for tile in loop.tiles if str(tile) == value))


def _fix_places(fix: Fix, space: Space, nest: NestSpace, array: ArrayId) -> Space:
    """The place in one nest, or in all that share a buffer under an outer loop further out than the innermost."""
    place, pinned = fix.value, f"{array}@{nest.id}"
    if place == KERNEL_PLACE and pinned in space.pinned:
        raise UsageError(
            f"`--fix {fix.text}`: `{pinned}.partition` is fixed, too, and is of a tile that is not resident",
            hint=f"fix `{array}.partition` for the resident buffer, or leave out one of the two",
        )
    shared = place in nest.nest.outer and place != nest.around
    for other in space.under(nest.id, place) if shared else (nest.id,):
        if other == nest.id or space.nest(other).use(array) is not None:
            space = with_nest(space, _fix_place(fix, space.nest(other), array, place))
    return space


def _fix_place(fix: Fix, nest: NestSpace, array: ArrayId, place: str) -> NestSpace:
    use = use_of(fix, nest, array)
    if place not in use.places:
        raise fix.illegal(f"`{array}` cannot be placed at `{place}` in `{nest.id}`", use.places)
    return with_places(nest, use, (place,))


def _refuse_place(fix: Fix, space: Space, array: ArrayId) -> Space:
    places = (f"{n.id}.{array}.place" for n in space.users(array))
    raise fix.illegal(f"`{array}` has a place in each nest that uses it", places)


def _fix_width(fix: Fix, space: Space, array: ArrayId) -> Space:
    legal = {str(width): width for width in space.widths[array]}
    width = legal[fix.one_of(legal, f"`{array}` cannot move {fix.value} elements per beat")]
    return replace(space, widths={**space.widths, array: (width,)})


def _fix_ports(fix: Fix, space: Space, array: ArrayId) -> Space:
    """The widths that are dealt over so many ports, with tiles of whole stripes where these are several."""
    several = {str(count): found for count in STRIPES if (found := over_ports(space, array, count)) is not None}
    one = tuple(width for width in space.widths[array] if space.ports(array, width) == 1)
    legal = [*["1"] * bool(one), *several, ANY_PORTS]
    chosen = fix.one_of(legal, f"`{array}` cannot have {fix.value} ports")
    if chosen == ANY_PORTS:
        return dealt_over_ports(space, array)
    same = [a.id for a in space.scop.arrays if a.port == a.id and a.home == space.scop.home(array)]
    return several.get(chosen) or replace(space, widths={**space.widths, **dict.fromkeys(same, one)})


def _fix_layout(fix: Fix, space: Space, array: ArrayId) -> Space:
    """The widths that go with a layout; tiles that lie one after another travel through one port."""
    extents = space.scop.array(array).extents
    layouts = {width: layout_for(extents, width) for width in space.widths[array]}
    is_tiled = any(use.array == array and use.can_be_tiled for nest in space.nests for use in nest.arrays)
    has_rows = is_tiled and len(extents) > 1 and space.options.packs
    legal = [*layouts.values(), *[PACKED] * (has_rows and space.width_served(array) == 1), *[COLUMNS] * has_rows]
    chosen = fix.one_of(dict.fromkeys(legal), f"`{array}` cannot lie in memory as `{fix.value}`")
    space = lying_as(space, array, chosen if chosen in IN_TILES else PLAIN)
    any_rows = {width: chosen == COLUMNS or (chosen == PACKED and space.ports(array, width) == 1) for width in layouts}
    kept = tuple(w for w, layout in layouts.items() if layout == chosen or any_rows[w])
    fixed = {**space.layouts, space.scop.home(array): chosen}
    return replace(space, widths={**space.widths, array: kept}, layouts=fixed)


def _fix_form(fix: Fix, space: Space, array: ArrayId) -> Space:
    return replace(space, forms={**space.forms, array: fix.one_of(FORMS, f"a transfer cannot be `{fix.value}`")})


def _check_form(fix: Fix, space: Space, name: str, kind: str, has: Callable[[Array], bool]) -> Space:
    """The space, if in this form of the kernel an array has names of a kind in nests, or none, as it is asked for."""
    asked = YES_NO[fix.one_of(YES_NO, f"`{fix.value}` is no answer")]
    found = any(has(a) and a.home == name for a in space.scop.arrays)
    if found != asked:
        count, legal = ("a", "yes") if found else ("no", "no")
        raise fix.illegal(f"this form of the kernel has {count} {kind} of `{name}`", (legal,))
    return space


def _check_copy(fix: Fix, space: Space, name: str) -> Space:
    return _check_form(fix, space, name, "copy", lambda array: array.lasting)


def _check_view(fix: Fix, space: Space, name: str) -> Space:
    return _check_form(fix, space, name, "view", lambda array: array.home != array.id and not array.lasting)


def _factors(fix: Fix, space: Space, array: ArrayId) -> tuple[int, ...]:
    """One factor per dimension, within the extents and the limit on banks."""
    extents, words = space.scop.array(array).extents, fix.value.split(",")
    if len(words) != len(extents) or not all(w.isdigit() for w in words):
        raise UsageError(f"`--fix {fix.text}`: `{array}` has {counted(len(extents), 'dimensions')}, one factor each")
    factors = tuple(int(w) for w in words)
    for at, (factor, values) in enumerate(zip(factors, space.partitions[array], strict=True)):
        if factor not in values:
            raise fix.illegal(f"{factor} is no factor of dimension {at} of `{array}`", values)
    if prod(factors) > space.target.max_partition:
        many = f"{prod(factors)} banks are more than {space.target.max_partition}"
        raise UsageError(f"`--fix {fix.text}`: {many}", hint="raise --max-partition")
    return factors


def _fix_partition(fix: Fix, space: Space, array: ArrayId) -> Space:
    factors = _factors(fix, space, array)
    return replace(space, partitions={**space.partitions, array: tuple((f,) for f in factors)})


def _fix_tile_partition(fix: Fix, space: Space, array: ArrayId, nest: NestSpace) -> Space:
    """The buffer that a nest has for itself: it is not resident, and only unroll factors that divide remain."""
    use = use_of(fix, nest, array)
    places = tuple(p for p in use.places if p != KERNEL_PLACE)
    if use.stripes > 1:
        raise UsageError(
            f"`--fix {fix.text}`: tiles of `{array}` travel through several ports, which share their banks",
            hint=f"leave out `--fix {array}.ports` or this",
        )
    if not places:
        raise UsageError(
            f"`--fix {fix.text}`: `{array}` can only be resident in `{nest.id}`, so that it has no tile there",
            hint=f"fix `{array}.partition` instead, or leave out `--fix {nest.id}.{array}.place`, if it is there",
        )
    factors = _factors(fix, space, array)
    narrowed = with_places(nest, use, places)
    for factor, dim in zip(factors, use.dims, strict=True):
        for name in dim.banked:
            loop = narrowed.loop(name)
            narrowed = with_tiles(narrowed, loop, (t for t in loop.tiles if factor % t.level2 == 0))
    return replace(with_nest(space, narrowed), pinned={**space.pinned, f"{array}@{nest.id}": factors})


#: Of two that a text may mean, the first one.
KNOBS = (
    Knob("ARRAY@NEST.partition", "factors of the buffer that a nest has for itself: 50,1", _fix_tile_partition),
    Knob("ARRAY.partition", "factors of the resident buffer: 50,1", _fix_partition),
    Knob("MEMORY.width", "elements per beat, of all views, too", _fix_width, off="1"),
    Knob(
        "ARRAY.ports", "ports and banks over which every beat is dealt, or `any`; A stays on chip", _fix_ports, off="1"
    ),
    Knob(
        "MEMORY.layout",
        "`plain`: rows as in C, `padded` to whole beats, `packed`: tile after tile, or `columns` of beats",
        _fix_layout,
        off=PLAIN,
    ),
    Knob("MEMORY.transfer", "loads `direct`, or `stream`: through a FIFO between two processes", _fix_form),
    Knob(
        "NAME.copy",
        "`yes`: nests that update the array, or could read it at the same time, read a copy; or `no`",
        _check_copy,
        off="no",
    ),
    Knob(
        "NAME.view", "`yes`: nests have tiles of the parts of the array that they use; or `no`", _check_view, off="no"
    ),
    Knob("ARRAY.place", "", _refuse_place),
    Knob("NEST.order", "level-0 order, outermost first: k,i,j, or `source`", _fix_order, off=SOURCE_ORDER),
    Knob("NEST.pipeline", "a loop, or `none`", _fix_pipeline),
    Knob("NEST.split", "`yes`: full tiles in loops of their own, without guards; or `no`", _fix_split, off="no"),
    AHEAD,
    LISTED,
    Knob(
        "NEST.interval",
        "1: asked of the pipeline, so that sums along it are in fabric; or `plain`",
        _fix_interval,
        off="plain",
    ),
    IN_FABRIC,
    Knob("NEST.unroll.FREE", "coarse-grained: so many tiles of the loop side by side", _fix_unroll, off="1"),
    Knob(
        "NEST.ARRAY.place",
        "a level-0 loop, `kernel`, an outer loop (shared by nests under it), `nest`",
        _fix_places,
        off=KERNEL_PLACE,
    ),
    Knob("NEST.LOOP", "level 0 x level 1 x level 2: 48x1x5", _fix_tile),
)
