"""Identifiers of the emitted C++: one for every entity of a plan, none a word of the language or of a header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from sisyphus.backends.hls.c_names import C_FUNCTIONS
from sisyphus.errors import InternalError
from sisyphus.plan import For, Function, Hold, LoopRole, Node, Plan, TileList, tables_in, walk

_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl
    const constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern
    false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq
    private protected public register reinterpret_cast return short signed sizeof static static_assert static_cast
    struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void
    volatile wchar_t while xor xor_eq""",
    )
)
_LIBRARY = frozenset(
    re.findall(
        r"\w+",
        """hls std main NULL EOF INFINITY NAN HUGE_VAL HUGE_VALF assert errno stdin stdout stderr linux unix I complex
    imaginary half ap_int ap_uint ap_fixed ap_ufixed ap_shift_reg signed_t min max abs offsetof va_list INT_MIN INT_MAX
    UINT_MAX LONG_MIN LONG_MAX FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON CHAR_BIT RAND_MAX BUFSIZ M_E
    M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 size_t ptrdiff_t int8_t
    int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t""",
    )
)
# Words of later C++ standards and of C, which some tool may take for keywords.
_LATER = frozenset(
    re.findall(
        r"\w+", "concept requires char8_t consteval constinit co_await co_return co_yield final override restrict"
    )
)
# What the printer itself declares inside functions of kernel.cpp.
_OWN = frozenset(
    re.findall(
        r"\w+",
        """floor_div ceil_div larger smaller int_abs long_abs updated_float updated_double updated_int8 updated_int16
    updated_int32 updated_int64 updated_uint8 updated_uint16 updated_uint32 updated_uint64 float_to_bits
    bits_to_float double_to_bits bits_to_double port fifo buffer beat lane line column at""",
    )
)
_OWN_PATTERN = re.compile(r"row[0-9]+")
_COMPILERS = re.compile(r"__|^_[A-Z]")

# What the programs beside a kernel declare where they call it.
_PROGRAMS = frozenset(
    re.findall(
        r"\w+",
        """Block CAN_FLUSH Dealt Extent FENCE FENCE_BYTE FLUSHED Flushing Placed Random Seconds Slab TRIES Tally Tiled
    UNSET_BYTE Watch argc argv check_fence compare divided draw element extents failures fill is need_stack next
    operations pack place random report run same_bits seed set sets tally unit wanted xrt ert device kernel buffer""",
    )
)

RESERVED = _KEYWORDS | _LIBRARY | _LATER | _OWN


def is_reserved(name: str) -> bool:
    """Whether C++, a header or the printer itself needs this word; double underscores belong to the compiler."""
    return name in RESERVED or bool(_COMPILERS.search(name)) or bool(_OWN_PATTERN.fullmatch(name))


def identifier(text: str) -> str:
    """Any text made into the characters of an identifier (`A@S0+S1` becomes `A_S0_S1`)."""
    cleaned = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    return cleaned if cleaned and not cleaned[0].isdigit() else f"v_{cleaned}"


class Names:
    """The identifier of each entity, by kind and name; built once per plan, in the plan's order."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._given: dict[tuple[str, str], str] = {}

    def give(self, kind: str, name: str, wish: str) -> str:
        """The identifier of an entity: `wish`, or the nearest free one."""
        key = (kind, name)
        if key not in self._given:
            free = identifier(wish) if _COMPILERS.search(wish) else wish
            while is_reserved(free) or free in self._taken:
                free = _next(free)
            self._taken.add(free)
            self._given[key] = free
        return self._given[key]

    def of(self, kind: str, name: str) -> str:
        if (kind, name) not in self._given:
            raise InternalError(f"no identifier was given to {kind} `{name}`")
        return self._given[kind, name]

    def iterators(self) -> Mapping[str, str]:
        """Identifiers of all loops and task parameters, by the name that the plan uses."""
        return MappingProxyType(self.all_of("iterator"))

    def all_of(self, kind: str) -> dict[str, str]:
        """Identifiers of all entities of a kind."""
        return {name: text for (given, name), text in self._given.items() if given == kind}


def _next(name: str) -> str:
    """`x`, `x_2`, `x_3`, …"""
    match = re.fullmatch(r"(.*)_([0-9]+)", name)
    return f"{match[1]}_{int(match[2]) + 1}" if match else f"{name.rstrip('_')}_2"


def of_stripe(name: str, stripes: int, number: int) -> str:
    """The name of what each stripe of an array has; that of an array in one piece needs no number."""
    return name if stripes == 1 else f"{name}{number}"


def column_of(task: str, loop: For) -> str:
    """What the column of a loop in the table of a task is called in a plan."""
    return f"{task} {loop.iterator}"


def begins_of(task: str) -> str:
    """What the places are called where the rows of each iteration of the loop around a table begin."""
    return f"{task} begins"


def turn_of(table: TileList) -> str:
    """What the loop over a table of tiles is called in a plan, which has the loops that it stands for."""
    return " ".join(loop.iterator for loop in table.loops)


def plan_names(plan: Plan) -> Names:
    """Names for a whole plan; the arguments choose first, so that they keep those of the source."""
    names = Names()
    top = plan.scop.name
    # The kernel stands beside the C library and the programs that call it.
    names.give("top", top, f"kernel_{top}" if top in C_FUNCTIONS | _PROGRAMS else top)
    for port in plan.ports:
        names.give("port", port.name, port.name)
        for number in range(port.stripes if port.stripes > 1 else 0):
            names.give(of_stripe("port", port.stripes, number), port.name, f"{port.name}_{number}")
    for port in plan.ports:
        if port.kind == "array":
            bundle = port.bundle or port.name
            names.give("bundle", bundle, f"gmem_{identifier(bundle).lower()}")
            for number in range(port.stripes if port.stripes > 1 else 0):
                bank = of_stripe("bundle", port.stripes, number)
                names.give(bank, bundle, f"gmem_{identifier(bundle).lower()}_{number}")
    for table in plan.scop.tables:
        names.give("table", table.id, table.id)
    for task in plan.tasks:
        names.give("task", task.name, identifier(task.name))
        if any(isinstance(node, For) and node.role is LoopRole.COPIES for node in walk(task.body)):
            names.give("copy", task.name, f"{identifier(task.name)}_copy")
        for kind in dict.fromkeys(node.name for node in walk(task.body) if isinstance(node, Function)):
            names.give(kind, task.name, f"{identifier(task.name)}_{kind}")
    for iterator in _iterators(plan):
        names.give("iterator", iterator, iterator)
    for task in plan.tasks:
        for tiles in tables_in(plan, task):
            names.give("turn", turn_of(tiles), "tile")
            if tiles.around is not None:
                names.give("tiles", begins_of(task.name), identifier(f"{task.name}_begins"))
            for loop in tiles.loops:
                names.give("tiles", column_of(task.name, loop), identifier(f"{task.name}_{loop.iterator}_of"))
    for buffer in plan.buffers:
        names.give("buffer", buffer.id, identifier(buffer.id))
        for version in range(buffer.copies if buffer.copies > 1 else 0):
            names.give(f"version {version}", buffer.id, identifier(f"{buffer.id}_{version}"))
    for node in _all_nodes(plan):
        if isinstance(node, Hold):
            names.give("hold", node.name, identifier(node.name))
    for process in ("transfer", "fetch", "spread", "region"):
        for transfer in (t for t in plan.transfers if t.stream or process == "transfer"):
            _give_stripes(names, process, transfer.id, plan.port_of(transfer).stripes)
    for iterator in _iterators(plan):
        names.give("argument", iterator, f"{iterator}_at")
    return names


def _give_stripes(names: Names, kind: str, transfer: str, stripes: int) -> None:
    """The functions of one kind that a transfer has, one for each stripe."""
    for number in range(stripes):
        wish = transfer if stripes == 1 else f"{transfer}_{number}"
        own = of_stripe(kind, stripes, number)
        names.give(own, transfer, identifier(wish if kind == "transfer" else f"{wish}_{kind}"))


def _all_nodes(plan: Plan) -> Iterator[Node]:
    yield from walk(plan.body)
    for task in plan.tasks:
        yield from walk(task.body)


def _iterators(plan: Plan) -> Iterator[str]:
    for task in plan.tasks:
        yield from task.iterators
    for node in _all_nodes(plan):
        if isinstance(node, For):
            yield node.iterator
            yield from (name for name, _ in node.quotients)
